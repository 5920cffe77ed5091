"""The documentation as a site that needs no network:

    pip install -e ".[docs]" && sphinx-build docs site
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

import ragdash  # noqa: E402

project = "ragdash"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "ragdash"
html_show_sphinx = False
html_copy_source = False
html_extra_path = ["example-report.html"]
html_math_renderer = "mathml"  # drawn by the browser itself
exclude_patterns = ["examples"]
smartquotes = False
highlight_language = "none"
default_role = "literal"  # `name` in a docstring
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = myst_dmath_allow_digits = False  # "$3 million to $5 million" is no formula
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the text says what a parameter takes
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
# Links to the README, the code and the samples leave the site; CSV has no colors.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
LINK = re.compile(r"\]\(([\w-]+(?:/index)?\.md)[#)]")  # of an index, to a document of its folder or to an inner index
INNER = re.compile(r"\]\(([\w-]+/[\w-]+\.md)[#)]")


def add_what_is_generated(app: object, name: str, source: list[str]) -> None:
    """Add what plain Markdown cannot hold: its contents to each index, for the sidebar, and the docstrings."""
    if name.rpartition("/")[2] == "index":
        pattern = INNER if name == "decisions/index" else LINK
        entries = dict.fromkeys(pattern.findall(source[0]))
        if name == "index":  # folders first
            entries = sorted(entries, key=lambda entry: "/" not in entry)
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
    if name == "start/python-reference":
        names = sorted((name for name in ragdash.__all__ if callable(getattr(ragdash, name))), key=str.casefold)
        source[0] += "\n```{eval-rst}\n.. currentmodule:: ragdash\n\n" + "\n".join(map(entry, names)) + "\n```\n"


def entry(name: str) -> str:
    """A heading, and the docstrings of a public name and of its methods."""
    directive = f".. autofunction:: {name}\n"
    if isinstance(getattr(ragdash, name), type):
        directive = f".. autoclass:: {name}\n   :members:\n   :inherited-members: Exception\n"
    return f"{name}\n{'-' * len(name)}\n\n{directive}"


def draw_formula(translator: object, node: object) -> None:
    display = "block" if node.tagname == "math_block" else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise SkipNode


def setup(app: object) -> None:
    app.add_html_math_renderer("mathml", (draw_formula, None), (draw_formula, None))
    app.connect("source-read", add_what_is_generated)
