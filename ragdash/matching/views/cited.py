"""The answers with their contexts by id, for metrics of citations that need no judge."""

from __future__ import annotations

from dataclasses import dataclass

from ragdash.models.judge.tasks import Case


@dataclass(frozen=True)
class Cited:
    """cases (Q,): the texts of each query, contexts in the order that the generator got them."""

    cases: tuple[Case, ...]
