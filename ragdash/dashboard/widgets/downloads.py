"""Tables and pictures as files: a row of buttons for each format; what they hold is made when one is clicked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import streamlit as st

from ragdash.dashboard.widgets import browser_files
from ragdash.reporting.figure_files import FIGURE_FORMATS, render_figure
from ragdash.reporting.tables.export import TABLES, export_table
from ragdash.reporting.tables.judge_validation import label_sheet_bytes

COPIED = ("csv", "markdown", "latex")  # formats of a table that can be copied
MOST_COPIED_ROWS = 500


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
        browser_files.render(f"{key}_copy", name_of(key), texts=texts)


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
    browser_files.render(f"{key}_pictures", name_of(key), chart=chart, size=(figure.layout.width, figure.layout.height))
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
