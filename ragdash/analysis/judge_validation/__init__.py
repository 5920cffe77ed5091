"""Can the judge be trusted? Its verdicts beside a person's labels, and intervals that allow for what it gets wrong."""

from ragdash.analysis.judge_validation.agreement import CUT, Agreement, Votes, agreement, vote_spread
from ragdash.analysis.judge_validation.estimates import (
           CorrectedDifference,
           Disagreement,
           Estimate,
           JudgeValidation,
           corrected_difference,
           validate_judge,
)
from ragdash.analysis.judge_validation.files import assign_labels, read_labels, read_verdicts
from ragdash.analysis.judge_validation.label_store import LabelStore
from ragdash.analysis.judge_validation.labelling_sheet import SHEET, labelling_sheet, sample_queries
from ragdash.analysis.judge_validation.ledger_verdicts import (
           StoredVerdicts,
           generator_of,
           judged_verdicts,
           read_stored_verdicts,
)
from ragdash.analysis.judge_validation.model_families import families, same_family
from ragdash.analysis.judge_validation.trained_judge import (
           FOLDS,
           PENALTY,
           WHAT,
           TrainedJudge,
           placeholder_verdicts,
           train_judge,
)
from ragdash.analysis.judge_validation.verdicts import RunVerdicts, verdicts_of

__all__ = [
    "CUT",
    "FOLDS",
    "PENALTY",
    "SHEET",
    "WHAT",
    "Agreement",
    "CorrectedDifference",
    "Disagreement",
    "Estimate",
    "LabelStore",
    "TrainedJudge",
    "StoredVerdicts",
    "JudgeValidation",
    "RunVerdicts",
    "Votes",
    "agreement",
    "sample_queries",
    "families",
    "generator_of",
    "judged_verdicts",
    "assign_labels",
    "train_judge",
    "read_labels",
    "read_verdicts",
    "read_stored_verdicts",
    "same_family",
    "labelling_sheet",
    "validate_judge",
    "corrected_difference",
    "placeholder_verdicts",
    "verdicts_of",
    "vote_spread",
]
