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
            columns = leaderboard_sections.choose_metrics()
        candidate = compare_sections.choose_candidate(context)
        margin = compare_sections.choose_margin()

    requested, unreadable = page_context.specs([context.selection.template, *columns], context.k)
    specs, unfit = context.results.computable(requested)
    elements.problems([*unreadable, *unfit], "metrics")
    specs = compare_sections.comparable_specs(context, specs)
    if not specs:
        raise page_context.PageEnds

    comparisons = context.results.compared(specs, margin=margin)
    with finding:
        compare_sections.render_finding(context, specs[0], comparisons, margin)
    compare_sections.render_table(context, specs, comparisons, candidate, margin)
    judge_note.render_judge_note(context, specs)
    compare_sections.render_figure(context, specs[0], candidate)
    compare_sections.render_queries(context, specs[0], candidate, comparisons[candidate, specs[0]])
    compare_sections.render_slices(context, specs[0], candidate, margin)
    run_similarity.render(context, specs[0])
