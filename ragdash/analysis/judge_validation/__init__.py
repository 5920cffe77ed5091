"""Can the judge be trusted? Its verdicts compared with a person's labels, and intervals that allow for its errors."""

from ragdash.analysis.judge_validation.agreement import CUT, NO_YES, Agreement, Votes, agreement, vote_spread
from ragdash.analysis.judge_validation.error_sources import ErrorSource, error_sources
from ragdash.analysis.judge_validation.estimates import (
           FEWEST_CHECKED,
           CorrectedDifference,
           Disagreement,
           Estimate,
           JudgeValidation,
           corrected_difference,
           headline_of,
           validate_judge,
)
from ragdash.analysis.judge_validation.example_choice import PER_CLASS, ExampleChoice, choose_examples
from ragdash.analysis.judge_validation.files import assign_labels, read_labels, read_verdicts
from ragdash.analysis.judge_validation.groups import DOCUMENT, groups_of
from ragdash.analysis.judge_validation.label_store import LabelStore, policy_digest
from ragdash.analysis.judge_validation.labeling_sheet import SHEET, labeling_sheet, sample_queries, shows_reference
from ragdash.analysis.judge_validation.model_families import families, same_family
from ragdash.analysis.judge_validation.stored_verdicts import (
           StoredVerdicts,
           generator_of,
           held_out_queries,
           judged_verdicts,
           read_stored_verdicts,
)
from ragdash.analysis.judge_validation.trained_judge import (
           FOLDS,
           PENALTY,
           WHAT,
           TrainedJudge,
           fit_judge,
           placeholder_verdicts,
)
from ragdash.analysis.judge_validation.verdicts import RunVerdicts, verdicts_of

__all__ = [
           "CUT",
           "DOCUMENT",
           "FEWEST_CHECKED",
           "FOLDS",
           "NO_YES",
           "PENALTY",
           "PER_CLASS",
           "SHEET",
           "WHAT",
           "Agreement",
           "CorrectedDifference",
           "Disagreement",
           "ErrorSource",
           "Estimate",
           "ExampleChoice",
           "JudgeValidation",
           "LabelStore",
           "RunVerdicts",
           "StoredVerdicts",
           "TrainedJudge",
           "Votes",
           "agreement",
           "assign_labels",
           "choose_examples",
           "corrected_difference",
           "error_sources",
           "families",
           "fit_judge",
           "generator_of",
           "groups_of",
           "headline_of",
           "held_out_queries",
           "judged_verdicts",
           "labeling_sheet",
           "placeholder_verdicts",
           "policy_digest",
           "read_labels",
           "read_stored_verdicts",
           "read_verdicts",
           "same_family",
           "sample_queries",
           "shows_reference",
           "validate_judge",
           "verdicts_of",
           "vote_spread",
]
