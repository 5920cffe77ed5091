"""Real questions next to the test set: does production still ask, refuse and take as long as the test set says?"""

from ragdash.analysis.tracking.drift.compare_logs import (
    MEASURES,
    Drift,
    Estimate,
    Measure,
    compare_logs,
    refusals,
    unanswered,
)
from ragdash.analysis.tracking.drift.language import LANGUAGES
from ragdash.analysis.tracking.drift.proposed_question import REASONS, ProposedQuestion

__all__ = ["LANGUAGES", "MEASURES", "REASONS", "Drift", "Estimate", "Measure", "ProposedQuestion", "compare_logs", "refusals",
           "unanswered"]
