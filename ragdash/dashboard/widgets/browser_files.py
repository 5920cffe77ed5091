"""Buttons that copy a picture or a table, or download a picture, in the browser: without kaleido, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import streamlit as st

from ragdash.core.paths import PACKAGE

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


def render(key: str, name: str, *, chart: str = "", size: tuple[int, int] = (0, 0),
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
