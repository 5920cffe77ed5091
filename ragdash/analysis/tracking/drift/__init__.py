"""Real questions next to the test set: does production still ask, refuse and take as long as the test set says?"""

from ragdash.analysis.tracking.drift.compare_logs import (
    MEASURES,
    Drift,
    Measure,
    MeasuredValue,
    compare_logs,
    refusals,
    unanswered,
)
from ragdash.analysis.tracking.drift.language import LANGUAGES
from ragdash.analysis.tracking.drift.proposed_question import REASONS, ProposedQuestion

__all__ = [
    "LANGUAGES",
    "MEASURES",
    "REASONS",
    "Drift",
    "Measure",
    "MeasuredValue",
    "ProposedQuestion",
    "compare_logs",
    "refusals",
    "unanswered",
]
