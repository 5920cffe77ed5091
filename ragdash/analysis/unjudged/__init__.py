"""What the unjudged documents could change: bounds of a metric, and which to judge next."""

from ragdash.analysis.unjudged.bounds import Bounds, bounds
from ragdash.analysis.unjudged.judge_next import DocumentsToJudge, judge_next

__all__ = ["Bounds", "DocumentsToJudge", "bounds", "judge_next"]
