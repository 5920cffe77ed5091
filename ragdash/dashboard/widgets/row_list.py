"""A long list of which one row is open: stepping from row to row marks another one and leaves the list as it is.

`st.dataframe` holds the mark with the table: each step would send and draw all rows again. Here what is listed and
which row is open are two components, so a step sends a few bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import blake2b

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.core.paths import PACKAGE

DECIMALS, SORTED = 3, 9  # of a number as it is written, and as it is sorted
LETTER, AIR, NARROW, WIDE, NUMBER = 7.2, 28, 64, 240, 84  # pixels: a letter, around a text, a column
_HTML = '<div class="rd-list"><div class="rd-rows" tabindex="0"></div></div>'
_CSS = """
.rd-rows { overflow: auto; max-height: %(height)spx; border: 1px solid var(--st-dataframe-border-color);
           border-radius: var(--st-base-radius); }
.rd-rows:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }
.rd-rows table { border-collapse: separate; border-spacing: 0; table-layout: fixed; width: 100%%; margin: 0;
                 font: 14px var(--st-font); color: var(--st-text-color); }
.rd-rows tr { height: 35px; }
.rd-rows :is(th, td) { padding: 0 8px; border: 0; border-bottom: 1px solid var(--st-dataframe-border-color);
                       text-align: start; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; height: 35px;
                       box-sizing: border-box; background: var(--st-background-color); }
.rd-rows th { position: sticky; top: 0; z-index: 1; font-weight: 400;
              background: var(--st-dataframe-header-background-color); color: var(--st-dataframe-header-text-color); }
.rd-rows :is(th, td):first-child { position: sticky; left: 0; z-index: 1; }
.rd-rows th:first-child { z-index: 2; }
.rd-rows .rd-number { text-align: right; font-variant-numeric: tabular-nums; }
.rd-rows th button { all: unset; cursor: pointer; display: block; width: 100%%; overflow: hidden;
                     text-overflow: ellipsis; }
.rd-rows th button:focus-visible { outline: 2px solid var(--st-primary-color); }
.rd-rows th[aria-sort=ascending] button::after { content: " ↑"; }
.rd-rows th[aria-sort=descending] button::after { content: " ↓"; }
.rd-rows tr[data-row] { cursor: pointer; }
.rd-rows tr[data-row]:hover td { background: var(--st-secondary-background-color); }
.rd-rows tr[aria-selected=true] td { font-weight: 600;
    background: color-mix(in srgb, var(--st-primary-color) 16%%, var(--st-background-color)); }
.rd-rows tr[aria-selected=true] td:first-child { box-shadow: inset 3px 0 var(--st-primary-color); }
"""


def content(table: pd.DataFrame, label: str, widths: Mapping[str, int],
            labels: Mapping[str, tuple[str, str]]) -> bytes:
    """A table as the list takes it; worth keeping, as it is the same for every step.

    Parameters
    ----------
    table
        A row each; numbers are written with three decimals, undefined ones as a dash.
    label
        What the list holds, for who cannot see it.
    widths
        Pixels of columns of text.
    labels
        {column: (its heading, its tooltip)}.

    Returns
    -------
    bytes
        32 letters that name the content, and the content.

    Examples
    --------
    >>> content(pd.DataFrame({"Query": ["q1"], "dense": [0.5]}), "1 query", {}, {})[32:60]
    b'{"label":"1 query","columns"'
    """
    columns = []
    for name in table.columns:
        heading, help_text = labels.get(name, (name, name))
        values = table[name]
        if values.dtype.kind == "f":
            cells = [None if np.isnan(value) else value for value in values.round(SORTED).tolist()]
            width = max(NUMBER, int(LETTER * len(heading)) + AIR)
        else:
            cells = [None if pd.isna(value) else str(value) for value in values.tolist()]
            longest = max(map(len, (heading, *filter(None, cells))))
            width = widths.get(name, int(min(max(LETTER * longest + AIR, NARROW), WIDE)))
        columns.append({"label": heading, "help": help_text, "width": width, "cells": cells,
                        "decimals": DECIMALS if values.dtype.kind == "f" else None})
    page = json.dumps({"label": label, "columns": columns}, ensure_ascii=False, separators=(",", ":")).encode()
    return blake2b(page, digest_size=16).hexdigest().encode() + page


def render(rows: bytes, key: str, *, opened: int, height: int, pick: Callable[[int], None]) -> None:
    """Draw a list.

    Parameters
    ----------
    rows
        What `content` made.
    opened
        The row that is open, from 0.
    height
        Pixels of the list at most.
    pick
        Called with the row that was clicked.
    """
    html, css = _HTML, _CSS % {"height": height}
    mount = st.components.v2.component("ragdash_row_list", html=html, css=css, js=_script("row_list"),
                                       isolate_styles=False)
    mark = st.components.v2.component("ragdash_row_mark", js=_script("row_mark"), isolate_styles=False)
    with st.container(gap=None, key=f"{key}_list"):
        mount(key=key, data=rows, on_opened_change=lambda: _picked(key, pick))
        mark(key=f"{key}_mark", data={"list": key, "row": opened})


def _picked(key: str, pick: Callable[[int], None]) -> None:
    row = st.session_state[key].opened
    if row is not None:
        pick(int(row))


@cache
def _script(name: str) -> str:
    return (PACKAGE / "dashboard" / "assets" / f"{name}.js").read_text(encoding="utf-8")
