"""Plans and runs local models and judges: which texts a metric needs, how long that takes, and the work itself.

Run in a process of its own (`python -m ragdash score`); evaluations read the cache. Each distinct text goes to the
model once, longest first, in blocks that are stored as soon as they are done, so that a stopped run can continue.
"""

from ragdash.core.console import duration
from ragdash.evaluation.scoring.plan import ScoringListener, ScoringPlan, ScoringProgress, ScoringReport, ScoringTask
from ragdash.evaluation.scoring.required_scores import plan_scoring
from ragdash.evaluation.scoring.run_local_models import FIRST_BLOCK, run_plan, score

__all__ = [
    "FIRST_BLOCK",
    "ScoringListener",
    "ScoringPlan",
    "ScoringProgress",
    "ScoringReport",
    "ScoringTask",
    "duration",
    "plan_scoring",
    "run_plan",
    "score",
]
