"""What a browser draws tables and figures with, fetched while files are read: pages then wait only for numbers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

TABLES, FIGURES = ("BidiComponent", "Table"), ("PlotlyChart",)
PAUSE = 500  # milliseconds, then figures: a browser is busy with their 4.7 MB for so long that a page would wait
_SCRIPT = """<script>{
    const streamlit = document.querySelector("script[type=module][src]")?.src;
    const fetchAll = names => (window.requestIdleCallback ?? setTimeout)(
        () => names.forEach(name => import(new URL(name, streamlit))));
    if (streamlit) fetchAll(TABLES);
    if (streamlit) setTimeout(() => fetchAll(FIGURES), PAUSE);
}</script>"""


def fetch_ahead() -> None:
    """Fetch the modules that pages of results need first; those that this version of Streamlit does not have are not.

    Streamlit fetches each when a page first shows its kind of element.
    """
    st.html(_script(), unsafe_allow_javascript=True)


@cache
def _script() -> str:
    folder = Path(st.__file__).parent / "static" / "static" / "js"
    script = _SCRIPT.replace("PAUSE", str(PAUSE))
    for word, modules in (("TABLES", TABLES), ("FIGURES", FIGURES)):
        files = [path.name for name in modules for path in folder.glob(f"{name}.*.js")]
        script = script.replace(word, json.dumps(files))
    return script
