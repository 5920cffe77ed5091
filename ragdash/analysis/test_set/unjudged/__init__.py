"""What the unjudged documents could change: bounds of a metric, which to judge next, and what settles the winner."""

from ragdash.analysis.test_set.unjudged.bounds import Bounds, bounds
from ragdash.analysis.test_set.unjudged.judge_next import DocumentsToJudge, judge_next
from ragdash.analysis.test_set.unjudged.settle import Assumption, JudgmentPlan, plan_judgments

__all__ = ["Assumption", "Bounds", "DocumentsToJudge", "JudgmentPlan", "bounds", "judge_next", "plan_judgments"]
