"""Tables and pictures as files: a row of buttons for each format; what they hold is made when one is clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa
import streamlit as st

from ragdash.core.paths import PACKAGE
from ragdash.reporting.figure_files import FIGURE_FORMATS, render_figure
from ragdash.reporting.tables.export import TABLES, export_table
from ragdash.reporting.tables.judge_validation import label_sheet_bytes

COPIED = ("csv", "markdown", "latex")  # formats of a table that can be copied
MOST_COPIED_ROWS = 500
MOST_CHARACTERS = 200_000  # of a table that can be copied
_SCRIPT = PACKAGE / "dashboard" / "assets" / "browser_files.js"
_HTML = '<div class="bar"></div><div class="status" role="status"></div>'
_CSS = """
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem; }
button { font: inherit; color: var(--st-text-color); background: var(--st-background-color); cursor: pointer;
         border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); padding: 0.25rem 0.75rem;
         min-height: 2.5rem; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); outline-color: var(--st-primary-color); }
.status { font-size: 0.875rem; color: var(--st-text-color); min-height: 1.3em; }
"""


@dataclass(frozen=True)
class Paper:
    """The part of a table that a paper or a thesis prints.

    Attributes
    ----------
    table
        A row per run, say, with texts as they are printed.
    note
        What its numbers and marks are; below the table in Markdown, a comment in LaTeX.
    words
        What it holds, for its caption.
    """

    table: pa.Table
    note: str
    words: str


def name_of(key: str) -> str:
    """A file's name without its ending, of the key of what it holds."""
    return f"ragdash-{key.removesuffix('_table').replace('_', '-')}"


def numbers(table: Callable | object, key: str, paper: Paper | None = None) -> None:
    """The files of a table; what a paper prints of it comes first."""
    if paper is not None:
        st.caption(f"For a paper: {paper.words}")
        tables(paper.table, f"{key}_paper", paper.note)
        st.caption("Every number, in full precision")
    tables(table, key)


def tables(table: Callable | object, key: str, note: str = "") -> None:
    """A button for each format of a table: a data frame, or a call that makes one; note: a remark below it."""
    with st.container(horizontal=True, gap="small", key=f"{key}_files"):
        for form, file_format in TABLES.items():
            st.download_button(
                file_format.title,
                lambda form=form: export_table(table() if callable(table) else table, form, note),
                f"{name_of(key)}.{file_format.ending}",
                file_format.mime,
                key=f"{key}_{form}",
                on_click="ignore",
                icon=":material/download:",
            )
    if not callable(table) and len(table) <= MOST_COPIED_ROWS:
        texts = [(f"Copy as {TABLES[form].title}", export_table(table, form, note).decode()) for form in COPIED]
        browser_buttons(f"{key}_copy", name_of(key), texts=texts)


def sheets(table: Callable[[], pa.Table], name: str, key: str, title: str = "") -> None:
    """A button each for CSV and JSONL of a sheet to label (see ragdash.reporting.tables.sheet_bytes)."""
    for form, mime in (("csv", "text/csv"), ("jsonl", "application/jsonl")):
        st.download_button(
            f"{title}{form.upper()}",
            lambda form=form: label_sheet_bytes(table(), form),
            f"{name}.{form}",
            mime,
            key=f"{key}_{form}",
            on_click="ignore",
            icon=":material/download:",
        )


def pictures(figure, key: str, chart: str) -> None:
    """PNG and SVG of a chart of this page (its key), made by the browser that shows it, and Plotly's JSON.

    figure: the same, with its width and height.
    """
    file_format = FIGURE_FORMATS["json"]
    browser_buttons(f"{key}_pictures", name_of(key), chart=chart, size=(figure.layout.width, figure.layout.height))
    st.download_button(
        file_format.title,
        lambda: render_figure(figure, "json"),
        f"{name_of(key)}.{file_format.ending}",
        file_format.mime,
        key=f"{key}_json",
        on_click="ignore",
        icon=":material/data_object:",
    )


def menu(table, key: str, paper: Paper | None = None) -> None:
    """The formats of a table behind one small button."""
    with st.popover("Download", icon=":material/download:", key=f"{key}_download", on_change="rerun",
                    type="tertiary") as popover:
        if popover.open:
            numbers(table, key, paper)


def browser_buttons(key: str, name: str, *, chart: str = "", size: tuple[int, int] = (0, 0),
           charts: Sequence[tuple[str, str, int, int]] = (), texts: Sequence[tuple[str, str]] = ()) -> None:
    """The buttons for a chart of this page, for an archive of several, and one for each text.

    Parameters
    ----------
    key
        Of this row of buttons.
    name
        Of the files, without their ending.
    chart
        Key of a chart that is drawn on this page; empty for none.
    size
        Width and height of its pictures, in pixels.
    charts
        (key, name of its file, width, height) of each chart of the archive; all are drawn on this page.
    texts
        (label of the button, what it copies).
    """
    mount = st.components.v2.component("ragdash_browser_files", html=_HTML, css=_CSS, js=_script())
    copied = [list(text) for text in texts if len(text[1]) <= MOST_CHARACTERS]
    if chart or charts or copied:
        fields = ("chart", "name", "width", "height")
        mount(key=key, data={"chart": chart, "name": name, "width": size[0], "height": size[1], "texts": copied,
                             "charts": [dict(zip(fields, one, strict=True)) for one in charts]})


@cache
def _script() -> str:
    return _SCRIPT.read_text(encoding="utf-8")
