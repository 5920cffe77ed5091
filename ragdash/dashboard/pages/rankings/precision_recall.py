"""How do the metrics change with the cutoff k?"""

from __future__ import annotations

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.components import curve_panels, repeat_lines, run_picker, verdict_panel
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import METRICS


def render() -> None:
    """Draw the page."""
    elements.title("Precision-recall", "How do precision and recall change with the number of documents looked at?")
    singles = page_context.current()
    context = repeat_lines.merged(singles)
    verdict_panel.render_warnings(context)
    verdict_panel.end_unless_judged(context)
    repeat_lines.render(singles)
    marked = min(context.k, context.selection.depth)
    curve_panels.render_recall_finding(context, marked)
    verdict_panel.render_grades(context, [METRICS[name].spec(marked) for name in ("P", "R")])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills("Curves", page_context.CURVES, format_func=lambda name: METRICS[name].title, selection_mode="multi",
                 key=state.choices_key(state.CURVES, page_context.CURVES, ["P", "R"]), persist_state="session",
                 wrap=True)
        st.segmented_control(
            "k axis",
            list(page_context.SCALES),
            format_func=page_context.SCALES.__getitem__,
            required=True,
            key=state.choice_key(state.SCALE, list(page_context.SCALES), "log"),
            persist_state="session",
        )

    drawn = run_picker.choose_drawn(context)
    with st.grid(2, min_column_width=elements.COLUMN, gap="medium", key="curve_grid"):
        for name in (name for name in page_context.CURVES if name in state.get(state.CURVES)):
            curve_panels.render_curve(context, drawn, name, marked)
    if not state.get(state.CURVES):
        elements.empty("No curve is chosen", "Choose one or more under **Curves**.")

    st.header("Trade-off", anchor=False,
                 help=tooltip("precision_recall_curve"))
    st.segmented_control(
        "Trade-off",
        list(page_context.TRADE_OFFS),
        format_func=page_context.TRADE_OFFS.__getitem__,
        required=True,
        key=state.choice_key(state.VIEW, list(page_context.TRADE_OFFS), "k"),
        label_visibility="collapsed",
        persist_state="session",
    )
    if state.get(state.VIEW) == "k":
        curve_panels.render_trade_off(context, drawn, marked)
    else:
        curve_panels.render_interpolated(context, drawn)
