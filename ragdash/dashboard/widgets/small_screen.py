"""For small screens: the menu closes when a page is chosen, and a table that goes on to the right says so.

The first column of a table stays in view while the others scroll, and takes less than half of the screen.

Without a mouse a picture shows its buttons all the time, over its legend or the names of bands: there they are hidden,
but for those that choose an area.
"""

from __future__ import annotations

from functools import cache

import streamlit as st

from ragdash.core.paths import PACKAGE

FIRST_COLUMN = 190  # pixels at most of a table's columns that stay in view: less than half of a phone's 390
_SCRIPT = PACKAGE / "dashboard" / "assets" / "small_screen.js"
_HINT = """
[data-wide]:not([data-testid="stDataFrame"]) { padding-top: 1.6rem; }
[data-testid="stElementContainer"]:has([data-testid="stDataFrame"][data-wide]) { margin-top: 1.6rem; }
[data-more-right] { position: relative; }
[data-more-right]::before, [data-more-right]::after { position: absolute; z-index: 5; pointer-events: none; }
[data-more-right]::before { content: ""; top: 0; right: 0; bottom: 0; width: 3rem;
    background: linear-gradient(to right, transparent, %(paper)s); }
[data-more-right]::after { content: "scroll \\2192"; top: 0; right: 2px; padding: 1px 7px; border-radius: 6px;
    border: 1px solid %(grid)s; background: %(paper)s; color: %(ink)s; font-size: 12px; line-height: 1.5; }
[data-testid="stDataFrame"][data-more-right]::after { top: -1.6rem; right: auto; left: 2px; } /* not on its toolbar */
[data-testid="stTable"] td:first-child:has(strong) { min-width: 6.5rem; } /* else names break at every hyphen */
[data-testid="stMain"] [data-testid="stPageLink-NavLink"] :is(span, div, p) { white-space: normal; } /* none is cut */
[data-testid="stMain"] [data-testid="stMarkdownContainer"] span.stMarkdownBadge { white-space: normal; }
@media (hover: none) {
    .modebar:not(:has([data-val="lasso"])) { display: none !important; }
}
@media (max-width: 768px) {
    [data-testid="stTable"] :is(th, td):first-child { position: sticky; left: 0; z-index: 1; max-width: %(first)spx;
        background: %(paper)s; overflow-wrap: break-word; }
}
"""


def render(paper: str, ink: str, grid: str) -> None:
    """Follow the width of the window from here on; the hint has these colors."""
    style = _HINT % {"paper": paper, "ink": ink, "grid": grid, "first": FIRST_COLUMN}
    st.html(f"<style>{style}</style>")
    st.html(f"<script>{_script()}</script>", unsafe_allow_javascript=True)


@cache
def _script() -> str:
    return _SCRIPT.read_text(encoding="utf-8")
