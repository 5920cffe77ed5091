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
    held = trust_sections.choices(page_context.current())
    if state.get(state.DESK) == "label":
        labelling.labelling(held)
    elif state.get(state.DESK) == "kept":
        saved_labels.kept(held)
    elif held.lacking:
        trust_sections.untrained(held)
    else:
        trust_sections.finding(held)
        trust_sections.estimates(held)
        trust_sections.agreements(held)
        trust_sections.differences(held)
        disagreements.one_run(held)
