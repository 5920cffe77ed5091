"""What a browser draws tables and figures with, fetched while it is at rest: later pages then wait only for numbers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

TABLES = ("BidiComponent", "Table")
FIGURES = ("PlotlyChart",)  # fetched and not run: that takes so long that a click would wait for it
_SCRIPT = """<script>{
    const streamlit = document.querySelector("script[type=module][src]")?.src;
    const address = name => new URL(name, streamlit).href;
    const fetchAll = () => {
        Promise.all(TABLES.map(name => import(address(name)))).then(() => FIGURES.forEach(name => {
            document.head.append(Object.assign(document.createElement("link"),
                {rel: "modulepreload", href: address(name)}));
        }));
    };
    if (streamlit && !window.ragdashModules) (window.requestIdleCallback ?? setTimeout)(fetchAll);
    window.ragdashModules = true;
}</script>"""


def fetch_ahead() -> None:
    """Fetch the modules that pages of results need first; those that this version of Streamlit does not have are not.

    Streamlit fetches each when a page first shows its kind of element, and that of figures has 4.7 MB.
    """
    st.html(_script(), unsafe_allow_javascript=True)


@cache
def _script() -> str:
    folder = Path(st.__file__).parent / "static" / "static" / "js"
    script = _SCRIPT
    for word, modules in (("TABLES", TABLES), ("FIGURES", FIGURES)):
        files = [path.name for name in modules for path in folder.glob(f"{name}.*.js")]
        script = script.replace(word, json.dumps(files))
    return script
