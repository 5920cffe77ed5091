"""Is it getting better? A metric over time, and the changes that are significant."""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.history import sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("History", "Is it getting better?")
    context = page_context.current()
    verdict_panel.render_warnings(context, without=("nearly-same", "same-content"))  # most nights change little
    sections.render(context)
