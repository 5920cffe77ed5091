"""What does each number mean?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402

from ragdash.metrics import METRICS  # noqa: E402
from ragdash.ui import reference, state, tables, view, widgets, words  # noqa: E402

widgets.title("Metrics", "What does each number mean?")

names = list(METRICS)
present = (state.get(state.METRIC) or view.DEFAULT_METRIC).partition("@")[0]
st.selectbox(
    "Metric",
    names,
    format_func=lambda name: f"{METRICS[name].title} ({name})" if METRICS[name].title != name else name,
    key=state.one(state.ABOUT, names, present if present in names else names[0]),
    help="Type to search by name.",
    persist_state="session",
)
reference.card(METRICS[state.get(state.ABOUT)])

st.header("Which metrics for which use", anchor=False)
reference.uses()

st.header("All metrics", anchor=False)
st.text_input(
    "Search",
    key=state.text(state.SEARCH),
    type="search",
    live="300ms",
    placeholder="Search names and explanations",
    label_visibility="collapsed",
    persist_state="session",
)
found = reference.search(state.get(state.SEARCH))
st.caption(words.count(len(found), "metric"))
if found:
    widgets.frame(
        tables.registry(found),
        "metrics_table",
        "Every metric with its range and direction",
        height=min(38 + 35 * len(found), 600),
    )
