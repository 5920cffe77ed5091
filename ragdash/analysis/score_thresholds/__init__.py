"""Score thresholds: what remains of a run when documents below a score are not let through, and what that does.

A threshold belongs to one system: scores of different systems cannot be compared, so pictures of several runs go by
the share of documents below the threshold. Needs runs that are ranked by their scores.
"""

from ragdash.analysis.score_thresholds.operating_point import Half, OperatingPoint, operating_point
from ragdash.analysis.score_thresholds.order_changes import OrderChange, order_changes
from ragdash.analysis.score_thresholds.retained_counts import MEASURES, scored, why_unscored
from ragdash.analysis.score_thresholds.roc_pr import PrecisionRecall, Roc, pr_by_score, roc
from ragdash.analysis.score_thresholds.sweeps import Sweep, sweep

__all__ = [
           "MEASURES",
           "Half",
           "OperatingPoint",
           "OrderChange",
           "PrecisionRecall",
           "Roc",
           "Sweep",
           "operating_point",
           "order_changes",
           "pr_by_score",
           "roc",
           "scored",
           "sweep",
           "why_unscored",
]
