"""What the unjudged documents could change: bounds of a metric, and which to judge next."""

from ragdash.unjudged.bounds import Bounds, bounds
from ragdash.unjudged.following import Next, judge_next

__all__ = ["Bounds", "Next", "bounds", "judge_next"]
