"""Would a hybrid of these runs be better, which, and how sure is that?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.what_if import sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("What-if", "Would a hybrid of these runs be better, which, and how sure is that?")
    context = page_context.current()
    verdict_panel.render_slice(context)
    sections.render(context)
