"""Questions asked of a judge, several at a time: kept as they come, stopped by a budget, a person or an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event

from ragdash.judging.endpoint import Endpoint
from ragdash.judging.ledger import Ledger
from ragdash.judging.plans import Budget, Listener, Outcome
from ragdash.judging.question import Question

CONCURRENCY = 4


@dataclass(frozen=True)
class Patience:
    """How long to wait, seconds: for a connection, for a reply, before the second attempt (twice as long before each
    further one) and at most; attempts: at a question before it is given up; told: the longest Retry-After heeded.
    """

    attempts: int = 5
    first: float = 0.5
    most: float = 30.0
    connect: float = 10.0
    reply: float = 120.0
    told: float = 300.0


def ask(questions: Sequence[Question], endpoint: Endpoint, ledger: Ledger, *, concurrency: int = CONCURRENCY,
        budget: Budget | None = None, progress: Listener | None = None, cancel: Event | None = None,
        patience: Patience | None = None) -> Outcome:
    """Replies to the questions (N,), from the ledger where they are there; written to it after every call."""
    raise NotImplementedError
