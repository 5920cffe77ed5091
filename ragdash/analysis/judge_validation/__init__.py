"""Can the judge be trusted? Its verdicts beside a person's labels, and intervals that allow for what it gets wrong."""

from ragdash.analysis.judge_validation.agreement import CUT, Agreement, Votes, agreement, vote_spread
from ragdash.analysis.judge_validation.estimates import (
           Difference,
           Disagreement,
           Estimate,
           Trust,
           trust,
           trust_difference,
)
from ragdash.analysis.judge_validation.files import labels_in, read_labels, read_verdicts
from ragdash.analysis.judge_validation.label_store import LabelStore
from ragdash.analysis.judge_validation.labelling_sheet import SHEET, draw, sheet
from ragdash.analysis.judge_validation.ledger_verdicts import Reading, generator_of, judged_verdicts, reading
from ragdash.analysis.judge_validation.model_families import families, same_family
from ragdash.analysis.judge_validation.trained_judge import FOLDS, PENALTY, WHAT, LocalJudge, local_judge, unjudged
from ragdash.analysis.judge_validation.verdicts import Verdicts, verdicts_of

__all__ = ["CUT", "FOLDS", "PENALTY", "SHEET", "WHAT", "Agreement", "Difference",
           "Disagreement", "Estimate", "LabelStore", "LocalJudge", "Reading", "Trust", "Verdicts", "Votes",
           "agreement", "draw", "families", "generator_of", "judged_verdicts", "labels_in", "local_judge",
           "read_labels", "read_verdicts", "reading", "same_family", "sheet", "trust", "trust_difference", "unjudged",
           "verdicts_of", "vote_spread"]
