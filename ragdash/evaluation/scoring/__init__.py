"""Letting models speak: which texts a semantic metric needs, how long that takes, and the work itself.

Run in a process of its own (`python -m ragdash score`); whoever evaluates or draws reads the cache. Each distinct text
goes to the model once, longest first, in blocks that are kept as soon as they are done: what is stopped goes on there.
"""

from ragdash.core.console import duration
from ragdash.evaluation.scoring.plan import Listener, ScoringPlan, ScoringProgress, ScoringReport, ScoringTask
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.evaluation.scoring.run_local_models import FIRST_BLOCK, run_plan, score

__all__ = [
    "FIRST_BLOCK",
    "Listener",
    "ScoringPlan",
    "ScoringProgress",
    "ScoringReport",
    "ScoringTask",
    "duration",
    "plan_scoring",
    "run_plan",
    "score",
]
