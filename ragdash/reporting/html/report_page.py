"""The report: one HTML file that needs no server and no network, and that cannot ask for any.

Everything that comes from files is escaped by the templates, or is in a JSON block whose `<`, `>` and `&` are
written as escapes. The content security policy allows the two scripts of this file by their SHA-256 and nothing else:
no script that found its way into the data would run, and no request can be made.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragdash.core.errors import InputError, Problem
from ragdash.reporting.html.blocks import Figure, Section
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.sections import SECTIONS
from ragdash.reporting.plots.common.script import plotly_js
from ragdash.reporting.plots.common.theme import DARK, LIGHT, THEMES, Theme

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def build_report(request: ReportRequest) -> bytes:
    """The report as UTF-8. InputError for sections that there are none of, and as the metrics raise."""
    return render_report(ReportContent(request))


def render_report(content: ReportContent) -> bytes:
    """The report of numbers that are there already."""
    return render_page(content.request.title, build_sections(content), texts=content.request.texts)


def build_sections(content: ReportContent, without: Sequence[str] = ()) -> list[Section]:
    """The sections asked for, all where none are named, but those `without`, in the order in which they are read."""
    names = [name for name in select_sections(content.request.sections) if name not in without]
    return [make(content, title) for name, (title, make) in SECTIONS.items() if name in names]


def select_sections(names: Iterable[str] | None) -> list[str]:
    """These names in reading order, all for None; InputError for one that is no section, and for none at all."""
    if names is None:
        return list(SECTIONS)
    names = list(names)
    unrecognized = [name for name in names if name not in SECTIONS]
    if unrecognized or not names:
        raise InputError([Problem("unknown-section", {"names": unrecognized, "sections": list(SECTIONS)},
                                  field="--sections")])
    return [name for name in SECTIONS if name in names]


def render_page(title: str, all_sections: Sequence[Section], *, texts: bool = True) -> bytes:
    """Sections as one page; those that are missing are named with the reason, empty ones are left out."""
    visible = [section for section in all_sections if section.blocks and not section.missing]
    pictures = [block for section in visible for block in section.blocks
                if isinstance(block, Figure) and block.drawn is None]
    scripts = [plotly_js(), _asset("report.js")] if pictures else [_asset("report.js")]
    text = _environment().get_template("report.html.j2").render(
        title=title, sections=visible, left_out=[section for section in all_sections if section.missing], texts=texts,
        policy=_policy(scripts), scripts=[Markup(script) for script in scripts], style=Markup(_style()),
        figures=[FigureJson(picture.key, _json(picture)) for picture in pictures])
    return text.encode("utf-8", "backslashreplace")  # a title given in Python may hold half of a surrogate pair


@dataclass(frozen=True)
class FigureJson:
    """A figure of the page as JSON for both appearances."""

    key: str
    json: Markup


def _json(picture: Figure) -> Markup:
    """{"light": figure, "dark": figure}, safe within a script element."""
    figures = ",".join(f'"{name}":{picture.draw(theme).to_json()}' for name, theme in THEMES.items())
    return Markup(f"{{{figures}}}".translate(str.maketrans(_ESCAPES)))


def _policy(scripts: Sequence[str]) -> str:
    """What the page may do: run these scripts, use its styles and the images that it draws itself."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
                      for script in scripts)
    return (f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
            "font-src data:; base-uri 'none'; form-action 'none'")


@cache
def _environment() -> Environment:
    return Environment(loader=PackageLoader("ragdash.reporting.html"), autoescape=True, undefined=StrictUndefined,
                       trim_blocks=True, lstrip_blocks=True)


@cache
def _asset(name: str) -> str:
    text = (files("ragdash.reporting.html") / "templates" / name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


@cache
def _style() -> str:
    """The style sheet with the colors of both appearances."""
    return (
        _asset("report.css")
        .replace("/* light */", _color_variables(LIGHT))
        .replace("/* dark */", _color_variables(DARK))
    )


def _color_variables(theme: Theme) -> str:
    runs = "".join(f"--run-{slot}:{color};" for slot, color in enumerate(theme.runs))
    return (f"--paper:{theme.paper};--ink:{theme.ink};--muted:{theme.muted};--line:{theme.grid};"
            f"--better:{theme.better};--worse:{theme.worse};--run-gray:{theme.gray};color-scheme:{theme.name};{runs}")
