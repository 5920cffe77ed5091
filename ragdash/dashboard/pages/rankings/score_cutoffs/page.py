"""What if documents below a score were dropped?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.rankings.score_cutoffs import sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Score cutoffs", "What if documents below a score were dropped?")
    context = page_context.current()
    verdict_panel.render_warnings(context)
    sections.render(context)
