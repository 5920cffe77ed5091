"""Which configuration is best?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.leaderboard import sections as leaderboard_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Leaderboard", "Which configuration is best?")
    context = page_context.current()

    finding = st.container(key="finding")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard_sections.choose_metrics()
        requested, unreadable = page_context.specs([context.selection.template, *columns], context.k)
        specs, unfit = context.results.computable(requested)
        if specs and len(context.entries) > 1:
            leaderboard_sections.choose_sort_column(specs)

    elements.problems([*unreadable, *unfit], "metrics")
    if not specs:
        raise page_context.PageEnds
    leaderboard_sections.render_leaderboard(context, specs, finding)
