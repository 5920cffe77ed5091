"""The reference of the Python API, written from the docstrings of the public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import ragdash

_HEAD = """# Python reference

Every name of `import ragdash`, written from its docstring; the examples run as tests. A first tour:
[In Python and notebooks](python.md).
"""
_SECTION = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
_ITEM = re.compile(r"^(\S.*)$", re.MULTILINE)


def reference() -> str:
    """The document."""
    names = sorted(ragdash.__all__, key=str.casefold)
    rows = [f"| [`{name}`](#{name.lower()}) | {_first_line(getattr(ragdash, name))} |" for name in names]
    parts = [_HEAD, "| name | what it is |", "|---|---|", *rows, ""]
    for name in names:
        parts += [f"## {name}", "", *_entry(name, getattr(ragdash, name))]
    return "\n".join(parts).rstrip() + "\n"


def _first_line(member: object) -> str:
    if not callable(member):
        return "Every metric by its name."
    return _escaped(inspect.getdoc(member).partition("\n\n")[0].replace("\n", " "))


def _escaped(text: str) -> str:
    """A line outside of code, where | ends a cell and < begins a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _entry(name: str, member: object) -> Iterator[str]:
    if not callable(member):
        yield from ("A mapping from the name of each metric to its definition; see [metrics](../reference/metrics.md).",
                    "")
        return
    yield from (f"```python\n{name}{_signature(member)}\n```", "", *_text(inspect.getdoc(member)))
    for method, function in inspect.getmembers(member) if inspect.isclass(member) else ():
        if method.startswith("_") or not (inspect.isfunction(function) or inspect.ismethod(function)):
            continue
        if document := inspect.getdoc(function):
            yield from (f"### {name}.{method}", "", f"```python\n{method}{_signature(function)}\n```", "",
                        *_text(document))


def _signature(member: object) -> str:
    """The parameters without annotations, which the text explains."""
    try:
        signature = inspect.signature(member)
    except ValueError:
        return ""
    parameters = [parameter.replace(annotation=inspect.Parameter.empty,
                                    default=parameter.default if _is_short(parameter.default) else ...)
                  for parameter in signature.parameters.values() if parameter.name != "self"]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def _is_short(default: object) -> bool:
    return isinstance(default, str | int | float | bool | tuple | None) or default is inspect.Parameter.empty


def _text(document: str) -> Iterator[str]:
    """A docstring as Markdown: sections of parameters as lists, examples as code."""
    head, *sections = _SECTION.split(document)
    yield from (_escaped(head).strip(), "")
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title == "Examples":
            yield from ("```python", body.strip(), "```", "")
            continue
        yield from (f"**{title}**", "")
        for item, text in _items(body.strip("\n")):
            text = _escaped(" ".join(text.split()))
            yield f"- `{item}`" + (f": {text}" if text else "")
        yield ""


def _items(body: str) -> Iterator[tuple[str, str]]:
    """(name, text) of each entry of a section: names begin a line, their text is indented."""
    parts = _ITEM.split(body)
    return zip(parts[1::2], parts[2::2], strict=True)
