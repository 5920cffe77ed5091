"""What the unjudged documents could change: bounds of a metric, which to judge next, and what settles the winner."""

from ragdash.analysis.unjudged.bounds import Bounds, bounds
from ragdash.analysis.unjudged.judge_next import DocumentsToJudge, judge_next
from ragdash.analysis.unjudged.settle import JudgmentPlan, plan_judgments

__all__ = ["Bounds", "DocumentsToJudge", "JudgmentPlan", "bounds", "judge_next", "plan_judgments"]
