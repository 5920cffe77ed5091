"""Can the judge's verdicts be trusted?"""

from __future__ import annotations

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.trust import disagreements, judge_choice, labeling, saved_labels, sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Trust", "Can the judge's verdicts be trusted?")
    data = judge_choice.choices(page_context.current())
    if state.get(state.TRUST_VIEW) == "label":
        labeling.labeling_view(data)
    elif state.get(state.TRUST_VIEW) == "kept":
        saved_labels.saved_labels(data)
    elif data.training_problems:
        judge_choice.untrained(data)
    else:
        sections.summary(data)
        sections.estimates(data)
        sections.agreements(data)
        sections.differences(data)
        disagreements.run_disagreements(data)
