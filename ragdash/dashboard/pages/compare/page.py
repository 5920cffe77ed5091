"""Is the difference real?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.pages.compare import run_similarity
from ragdash.dashboard.pages.compare import sections as compare_sections
from ragdash.dashboard.pages.leaderboard import sections as leaderboard_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Compare", "Is the difference real?")
    context = page_context.current()
    if len(context.entries) < 2:
        elements.empty(
            "One run alone cannot be compared",
            "Load another on the **Runs** page, or show two or more in the sidebar. The baseline is chosen there too.",
        )
        raise page_context.PageEnds

    finding = st.container(key="finding")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard_sections.choose()
        at = compare_sections.candidate(context)
        margin = compare_sections.margin()

    wanted, unreadable = page_context.specs([context.selection.template, *columns], context.k)
    specs, unfit = context.results.computable(wanted)
    elements.problems([*unreadable, *unfit], "metrics")
    specs = compare_sections.comparable(context, specs)
    if not specs:
        raise page_context.PageEnds

    found = context.results.compared(specs, margin=margin)
    with finding:
        compare_sections.finding(context, specs[0], found, margin)
    compare_sections.table(context, specs, found, at, margin)
    judge_note.note(context, specs)
    compare_sections.picture(context, specs[0], at)
    compare_sections.queries(context, specs[0], at, found[at, specs[0]])
    compare_sections.slices(context, specs[0], at, margin)
    run_similarity.section(context, specs[0])
