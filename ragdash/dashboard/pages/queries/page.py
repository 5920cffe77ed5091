"""Why does this query fail?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note
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

    desk = queries_sections.desk(context, specs[0])
    asked, facts = queries_sections.filters(desk)
    judge_note.note(context, specs, quiet=True)
    rows = queries_sections.table(desk, asked, facts)
    query_view.show(desk, rows)
