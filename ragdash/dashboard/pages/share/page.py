"""How do I show it?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import repeat_lines, verdict_panel
from ragdash.dashboard.pages.share import links, view_list
from ragdash.dashboard.pages.share import sections as share_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Share", "How do I show it to others?")
    elements.problems(state.notice(), "notice")
    singles = page_context.current()
    context = repeat_lines.merged(singles)
    specs = share_sections.leaderboard_specs(context)
    if not specs:
        raise page_context.PageEnds

    sentences = share_sections.render_one_page_report(context, specs)
    repeat_lines.render(singles, specs[0])
    share_sections.render_full_report(context, specs)
    links.render()
    view_list.render()
    share_sections.render_tables(context, specs)
    share_sections.render_figures(context, specs)
    verdict_panel.add_hybrid(context, specs[0], sentences)
