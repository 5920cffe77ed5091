"""Are these generated questions good?"""

from __future__ import annotations

from ragdash.dashboard.pages.test_set import creation, draft_editor, production, sections
from ragdash.dashboard.pages.test_set import data as test_set_data
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Test set", "Are these generated questions good?")
    creation.new_set()
    production.render()
    data = test_set_data.load()
    sections.summary(data)
    ids = sections.table(data)
    draft_editor.render_draft(data, ids)
    sections.export(data)
