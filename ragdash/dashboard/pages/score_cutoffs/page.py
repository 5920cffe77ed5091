"""What if documents below a score were dropped?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.score_cutoffs import sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Score cutoffs", "What if documents below a score were dropped?")
    sections.render(page_context.current())
