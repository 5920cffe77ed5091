"""Judges: models that read and give verdicts. The questions, the asking, and the store of the verdicts.

Nothing here is needed without a judge, and nothing is asked by import. The package knows texts, not runs.
"""

from ragdash.models.judge.batch import ask
from ragdash.models.judge.endpoint import Endpoint, Judge, Prices
from ragdash.models.judge.json_schema import SchemaMismatch
from ragdash.models.judge.plan import Budget, JudgingProgress, Outcome, Patience, Plan, plan
from ragdash.models.judge.question import MISSING, Question, Reply, Usage
from ragdash.models.judge.verdict_store.opening import default_verdict_store
from ragdash.models.judge.verdict_store.store import VerdictStore

__all__ = [
    "MISSING",
    "Budget",
    "Endpoint",
    "Judge",
    "JudgingProgress",
    "Outcome",
    "Patience",
    "Plan",
    "Prices",
    "Question",
    "Reply",
    "SchemaMismatch",
    "Usage",
    "VerdictStore",
    "ask",
    "default_verdict_store",
    "plan",
]
