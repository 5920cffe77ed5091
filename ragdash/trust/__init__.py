"""Can the judge be trusted? Its verdicts beside a person's labels, and intervals that allow for what it gets wrong."""

from ragdash.trust.agreement import CUT, Agreement, Votes, agreement, vote_spread
from ragdash.trust.families import families, same_family
from ragdash.trust.files import labels_in, read_labels, read_verdicts
from ragdash.trust.local import FOLDS, PENALTY, WHAT, LocalJudge, local_judge, unjudged
from ragdash.trust.reading import Reading, generator_of, judged_verdicts, reading
from ragdash.trust.sheet import SHEET, draw, sheet
from ragdash.trust.store import LabelStore
from ragdash.trust.verdicts import Verdicts, verdicts_of
from ragdash.trust.weighing import Difference, Disagreement, Estimate, Trust, trust, trust_difference

__all__ = ["CUT", "FOLDS", "PENALTY", "SHEET", "WHAT", "Agreement", "Difference",
           "Disagreement", "Estimate", "LabelStore", "LocalJudge", "Reading", "Trust", "Verdicts", "Votes",
           "agreement", "draw", "families", "generator_of", "judged_verdicts", "labels_in", "local_judge",
           "read_labels", "read_verdicts", "reading", "same_family", "sheet", "trust", "trust_difference", "unjudged",
           "verdicts_of", "vote_spread"]
