"""The Judge validation tab: can the judge's verdicts be trusted?"""

from __future__ import annotations

from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.validation import (
    disagreements,
    example_labels,
    judge_choice,
    labeling,
    saved_labels,
    sections,
)
from ragdash.dashboard.session import state


def render(context: PageContext) -> None:
    """Draw the tab."""
    data = judge_choice.choices(context)
    if state.get(state.TRUST_VIEW) == "label":
        labeling.labeling_view(data)
    elif state.get(state.TRUST_VIEW) == "kept":
        saved_labels.saved_labels(data)
        example_labels.examples_editor(data)
    elif data.training_problems:
        judge_choice.untrained(data)
    else:
        sections.summary(data)
        sections.estimates(data)
        sections.agreements(data)
        sections.error_sources(data)
        sections.differences(data)
        disagreements.run_disagreements(data)
