"""Can the judge's verdicts be trusted?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.trust import disagreements, labelling, saved_labels
from ragdash.dashboard.pages.trust import sections as trust_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Trust", "Can the judge's verdicts be trusted?")
    data = trust_sections.choices(page_context.current())
    if state.get(state.DESK) == "label":
        labelling.labelling(data)
    elif state.get(state.DESK) == "kept":
        saved_labels.kept(data)
    elif data.lacking:
        trust_sections.untrained(data)
    else:
        trust_sections.finding(data)
        trust_sections.estimates(data)
        trust_sections.agreements(data)
        trust_sections.differences(data)
        disagreements.one_run(data)
