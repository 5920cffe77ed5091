"""Are these generated questions good?"""

from __future__ import annotations

from ragdash.dashboard.pages.test_set import data as test_set_data
from ragdash.dashboard.pages.test_set import draft_editor, draft_table
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Test set", "Are these generated questions good?")
    data = test_set_data.desk()
    draft_table.summary(data)
    rows = draft_table.table(data)
    draft_editor.show(data, rows)
    draft_table.take_along(data)
