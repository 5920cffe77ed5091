"""Why does this query fail?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import fragments, judge_note, repeat_lines, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.queries import data as queries_data
from ragdash.dashboard.pages.queries import query_view, reviews
from ragdash.dashboard.pages.queries import sections as queries_sections
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec


def render() -> None:
    """Draw the page."""
    elements.title("Queries", "Why does this query fail?")
    context = page_context.current()
    reviews.note_problems()
    verdict_panel.render_warnings(context)
    repeat_lines.render(context)
    specs, unfit = context.results.computable([context.selection.spec])
    elements.problems(unfit, "metric")
    if not specs:
        raise page_context.PageEnds

    _render_queries(context, specs[0], queries_data.reviews_stamp())


@fragments.redrawn_alone("queries")
def _render_queries(context: PageContext, spec: Spec, reviews_stamp: str) -> None:
    """Filters, the table of queries and the one that is read; drawn again alone, unless a review changes the rest."""
    if fragments.is_alone() and queries_data.reviews_stamp() != reviews_stamp:
        st.rerun()
    data = queries_data.load(context, spec)
    filters, facts = queries_sections.filters(data)
    judge_note.render_judge_note(context, [spec], quiet=True)
    rows = queries_sections.table(data, filters, facts)
    query_view.render_query(data, rows)
