"""Judges: models that read and give verdicts. The questions, the asking, and the ledger of what was said.

Nothing here is needed without a judge, and nothing is asked by import. The package knows texts, not runs.
"""

from ragdash.judging.asking import ask
from ragdash.judging.endpoint import Endpoint, Judge, Prices
from ragdash.judging.ledger import Ledger, default_ledger
from ragdash.judging.plans import Budget, Outcome, Patience, Plan, Progress, plan
from ragdash.judging.question import MISSING, Question, Reply, Usage
from ragdash.judging.schema import Unfit

__all__ = ["MISSING", "Budget", "Endpoint", "Judge", "Ledger", "Outcome", "Patience", "Plan", "Prices", "Progress",
           "Question", "Reply", "Unfit", "Usage", "ask", "default_ledger", "plan"]
