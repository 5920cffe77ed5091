"""What does each number mean?"""

from __future__ import annotations

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.pages.metrics import sections as metrics_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, fields
from ragdash.metrics import METRICS
from ragdash.reporting.sentences import formatting as fmt


def render() -> None:
    """Draw the page."""
    elements.title("Metrics and help", "What does each number mean?")

    names = list(METRICS)
    present = (state.get(state.METRIC) or page_context.DEFAULT_METRIC).partition("@")[0]
    st.selectbox(
        "Metric",
        names,
        format_func=lambda name: f"{METRICS[name].title} ({name})" if METRICS[name].title != name else name,
        key=state.choice_key(state.ABOUT, names, present if present in names else names[0]),
        help=tooltip("metric_search"),
        persist_state="session",
    )
    metrics_sections.render_card(METRICS[state.get(state.ABOUT)])

    st.header("Which metrics for which use", anchor=False)
    metrics_sections.render_uses()

    with st.expander("Agreement of answer metrics with people", icon=":material/groups:", key="agreement"):
        metrics_sections.render_agreement()

    st.header("All metrics", anchor=False)
    fields.text_input(
        "Search",
        key=state.text_key(state.SEARCH),
        type="search",
        live="300ms",
        placeholder="Search names and explanations",
        label_visibility="collapsed",
        persist_state="session",
    )
    matches = metrics_sections.search_metrics(state.get(state.SEARCH))
    st.caption(fmt.count(len(matches), "metric"))
    if matches:
        elements.frame(
            components_tables.metrics_table(matches),
            "metrics_table",
            "Every metric with its range and direction",
            height=min(38 + 35 * len(matches), 600),
            widths={"Name": 110, "Better": 80, "Range": 80},
        )
