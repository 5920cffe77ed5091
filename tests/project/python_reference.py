"""The public names of the Python API with the first line of their docstrings; the site has the whole docstrings."""

from __future__ import annotations

import inspect

import ragdash

_HEAD = """# Python reference

Every name of `import ragdash`, with the first line of its docstring. `help(ragdash.compare)` shows the rest:
parameters with shapes and units, errors, and an example that runs as a test. The same as pages with a search, which
need no network:

```
pip install -e ".[docs]" && sphinx-build docs site
```

Then open `site/start/python-reference.html`. A first tour: [In Python and notebooks](python.md).

| name | what it is |
|---|---|
"""


def reference() -> str:
    """The document."""
    names = sorted(ragdash.__all__, key=str.casefold)
    return _HEAD + "".join(f"| `{name}` | {_first_line(getattr(ragdash, name))} |\n" for name in names)


def _first_line(member: object) -> str:
    if not callable(member):
        return "Every metric by its name; see [metrics](../reference/metrics.md)."
    line = inspect.getdoc(member).partition("\n\n")[0].replace("\n", " ")
    return line.replace("|", "\\|").replace("<", "&lt;")
