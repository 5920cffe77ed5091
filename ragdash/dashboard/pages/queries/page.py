"""Why does this query fail?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.pages.queries import data as queries_data
from ragdash.dashboard.pages.queries import query_view
from ragdash.dashboard.pages.queries import sections as queries_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Queries", "Why does this query fail?")
    context = page_context.current()
    specs, unfit = context.results.computable([context.selection.spec])
    elements.problems(unfit, "metric")
    if not specs:
        raise page_context.PageEnds

    data = queries_data.load(context, specs[0])
    filters, facts = queries_sections.filters(data)
    judge_note.render_judge_note(context, specs, quiet=True)
    rows = queries_sections.table(data, filters, facts)
    query_view.render_query(data, rows)
