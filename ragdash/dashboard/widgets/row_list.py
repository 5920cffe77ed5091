"""A list whose headings sort and whose rows open by a click; stepping from row to row leaves the list as it is.

`st.dataframe` holds the mark of a row with the table: each step would send and draw all rows again. Here what is listed
and which row is open are two components, so a step sends a few bytes. Besides, a canvas is drawn twice: what a screen
reader finds in it follows the picture a fifth of a second later.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from heapq import nlargest
from math import ceil
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import streamlit as st

from ragdash.core.paths import PACKAGE
from ragdash.dashboard.widgets import clicks
from ragdash.reporting.plots.common.margins import text_width

if TYPE_CHECKING:
    import pandas as pd  # the first page does without

T = TypeVar("T")
SORTED = 9  # decimals by which numbers are sorted
LETTERS = 32  # that name what a list holds
SIZE, PADDING, ARROW, NARROW, WIDE, NUMBER = 14, 16, 12, 64, 240, 72  # pixels: font, around a text, of " ↑", a column
LONGEST = 9  # texts of a column that are measured
_HTML = '<div class="rd-list"><div class="rd-rows" tabindex="0"></div></div>'
_CSS = """
.rd-rows { overflow: auto; border: 1px solid var(--st-dataframe-border-color);
           border-radius: var(--st-base-radius); }
.rd-rows:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }
.rd-rows table { border-collapse: separate; border-spacing: 0; table-layout: fixed; width: 100%; margin: 0;
                 font: 14px var(--st-font); color: var(--st-text-color); }
.rd-rows tr { height: 35px; }
.rd-rows :is(th, td) { padding: 0 8px; border: 0; border-bottom: 1px solid var(--st-dataframe-border-color);
                       text-align: start; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; height: 35px;
                       box-sizing: border-box; background: var(--st-background-color); }
.rd-rows th { position: sticky; top: 0; z-index: 2; font-weight: 400;
              background: var(--st-dataframe-header-background-color); color: var(--st-dataframe-header-text-color); }
.rd-rows :is(th, td):first-child { position: sticky; left: 0; z-index: 1; }
.rd-rows th:first-child { z-index: 3; }
.rd-rows .rd-number { text-align: right; font-variant-numeric: tabular-nums; }
.rd-rows th button { all: unset; cursor: pointer; display: block; width: 100%; overflow: hidden;
                     text-overflow: ellipsis; }
.rd-rows th button:focus-visible { outline: 2px solid var(--st-primary-color); }
.rd-rows th[aria-sort=ascending] button::after { content: " ↑"; }
.rd-rows th[aria-sort=descending] button::after { content: " ↓"; }
.rd-rows tr:nth-last-child(2) td { border-bottom: 0; }
.rd-rows .rd-sign { display: inline-block; width: 16px; margin-inline-end: 6px; text-align: center; }
.rd-rows .rd-strong { font-weight: 600; }
.rd-rows td button { all: unset; cursor: pointer; }
.rd-rows td button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
.rd-rows .rd-two-lines td { height: 57px; padding-bottom: 22px; }
.rd-rows .rd-two-lines td:first-child { overflow: visible; }
.rd-rows .rd-below { position: absolute; left: 8px; bottom: 6px; overflow: hidden; text-overflow: ellipsis; }
.rd-rows .rd-opens tr[data-row] { cursor: pointer; }
.rd-rows .rd-opens tr[data-row]:hover td { background: var(--st-secondary-background-color); }
.rd-rows tr[aria-selected=true] td { font-weight: 600;
    background: color-mix(in srgb, var(--st-primary-color) 16%, var(--st-background-color)); }
.rd-rows tr[aria-selected=true] td:first-child { box-shadow: inset 3px 0 var(--st-primary-color); }
"""


@dataclass(frozen=True)
class Column:
    """A column of a list.

    Parameters
    ----------
    label, help
        Its heading and the tooltip of the heading.
    width
        Pixels; where the list has more room, all columns are wider.
    cells
        A value of each row, by which the heading sorts: all text, or all numbers; None where there is none.
    is_number
        Whether the cells are numbers, aligned at the right.
    texts
        What cells show instead of their value.
    titles
        What a cell says under the pointer; a cell of text says its own text.
    colors
        The color of each cell.
    signs
        A sign and its color before the text of each cell, which is bold then.
    wider
        (width, cells), the widest first: the first is shown with which the list does not scroll sideways.
    short
        The heading where that of `label` would be cut.
    """

    label: str
    help: str
    width: int
    cells: Sequence[float | str | None]
    is_number: bool = False
    texts: Sequence[str] | None = None
    titles: Sequence[str] | None = None
    colors: Sequence[str] | None = None
    signs: Sequence[tuple[str, str]] | None = None
    wider: Sequence[tuple[int, Sequence[str]]] | None = None
    short: str | None = None


def columns_of(table: pd.DataFrame, widths: Mapping[str, int],
               labels: Mapping[str, Sequence[str]]) -> list[Column]:
    """The columns of a table: numbers are written with three decimals, undefined ones as a dash.

    Parameters
    ----------
    table
        A row each.
    widths
        Pixels of columns of text.
    labels
        {column: (its heading, its tooltip, a heading for where that has no room)}; the last may be left out.
    """
    columns = []
    for name in table.columns:
        heading, help_text, *short = labels.get(name, (name, name))
        values, is_number = table[name], table[name].dtype.kind == "f"
        if is_number:
            cells = [None if np.isnan(value) else value for value in values.round(SORTED).tolist()]
            width = max(NUMBER, _width(heading) + ARROW)
        else:
            cells = [None if value is None or value != value else str(value) for value in values.tolist()]  # NaN
            longest = nlargest(LONGEST, set(filter(None, cells)), key=len)
            needed = max(NARROW, _width(heading) + ARROW, *(_width(text, bold=True) for text in longest))
            width = widths.get(name, min(needed, WIDE))
        columns.append(Column(heading, help_text, width, cells, is_number, short=short[0] if short else None))
    return columns


def _width(text: str, *, bold: bool = False) -> int:
    """Pixels of a column in which a text is whole; the row that is open is bold."""
    return ceil(text_width(html.escape(text), SIZE, bold=bold)) + PADDING


def content(columns: Sequence[Column], label: str, *, height: int | None = None, opens: bool = True,
            marks: bool = True) -> bytes:
    """What the list takes; worth keeping where it is long, as it is the same for every step.

    Parameters
    ----------
    columns
        The first one stays in view.
    label
        What the list holds, for who cannot see it.
    height
        Pixels at most; None for all rows.
    opens
        Whether a click opens a row.
    marks
        Whether the row that is open is marked; else it is shown elsewhere.

    Returns
    -------
    bytes
        32 letters that name the content, and the content.

    Examples
    --------
    >>> content([Column("Query", "Its id", 80, ["q1"])], "1 query")[32:60]
    b'{"label":"1 query","height":'
    """
    page = {"label": label, "height": height, "opens": opens, "marks": marks,
            "columns": [{name: value for name, value in vars(column).items() if value is not None}
                        for column in columns]}
    text = json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()
    return blake2b(text, digest_size=16).hexdigest().encode() + text


def render(rows: bytes, key: str, *, opened: int | None = None, items: Sequence[T] = (),
           pick: Callable[[T], None] | None = None) -> None:
    """Draw a list.

    Parameters
    ----------
    rows
        What `content` made.
    opened
        The row that is open, from 0; None where none is marked.
    items, pick
        Called with the item of the row that was clicked, of one for each row. A click on rows that are no longer those
        of the list counts for none: it was made on what the browser still showed.
    """
    mount = st.components.v2.component("ragdash_row_list", html=_HTML, css=_CSS, js=_script("row_list"),
                                       isolate_styles=False)
    name = rows[:LETTERS].decode()
    picks = {} if pick is None else {"on_opened_change": lambda: clicks.pick_listed_row(
        getattr(st.session_state.get(key), "opened", None), name, items, pick)}
    if opened is None:
        mount(key=key, data=rows, **picks)
        return
    mark = st.components.v2.component("ragdash_row_mark", js=_script("row_mark"), isolate_styles=False)
    with st.container(gap=None, key=f"{key}_list"):
        mount(key=key, data=rows, **picks)
        mark(key=f"{key}_mark", data={"list": key, "row": opened})


@cache
def _script(name: str) -> str:
    return (PACKAGE / "dashboard" / "assets" / f"{name}.js").read_text(encoding="utf-8")
