"""A budget of money for the asking of systems that report what their answers cost."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.io.field_names import QUERY_ALIASES, find_field


@dataclass
class CostBudget:
    """limit: dollars for all systems together, earlier answers of their journals among them.

    A query is asked only if what all systems together may cost fits: for each the most that one of its answers has cost
    so far. So the limit is passed only where an answer costs more than any before it. After the asking: spent: dollars;
    left_out: ids of the queries that were not asked of all systems.

    Examples
    --------
    >>> budget = CostBudget(1.0)
    >>> budget.add("a", '{"answer": "Ada", "cost_usd": 0.4}')
    >>> budget.reserve(["a"]), budget.reserve(["a"])
    (0.4, None)
    """

    limit: float
    spent: float = 0.0
    left_out: frozenset[str] = frozenset()
    _most: dict[str, float] = field(default_factory=dict)
    _reserved: float = 0.0
    _holders: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        if not 0 < self.limit < math.inf:
            raise InputError([Problem("bad-cost-limit", {"limit": self.limit}, field="--max-cost")])

    def add(self, system: str, answer: str) -> None:
        """Count the cost of an answer (a JSON object). InputError where it reports none."""
        cost = reported_cost(orjson.loads(answer))
        if cost is None:
            raise InputError([Problem("no-cost-reported", {"configuration": system}, field="cost_usd")])
        with self._changed:
            self.spent += cost
            self._most[system] = max(self._most.get(system, 0.0), cost)

    def knows(self, systems: Iterable[str]) -> bool:
        """Whether an answer of each of these systems has been counted."""
        with self._changed:
            return all(system in self._most for system in systems)

    def reserve(self, systems: Iterable[str], stopped: Callable[[], bool] | None = None) -> float | None:
        """Set aside what another query may cost with these systems; None where it does not fit any more.

        stopped: wait for what other threads have set aside and may not need, until this says so; without it nobody
        waits. What was set aside must be released.
        """
        systems = list(systems)
        with self._changed:
            while True:
                cost = sum(self._most.get(system, 0.0) for system in systems)
                fits = self.spent + self._reserved + cost <= self.limit * (1 + 1e-9)
                if fits and self.spent < self.limit:
                    self._reserved += cost
                    self._holders += 1
                    return cost
                if self.spent >= self.limit or not self._holders or stopped is None or stopped():
                    return None
                self._changed.wait(0.1)

    def release(self, reserved: float) -> None:
        """Free what was set aside for a query that has been asked."""
        with self._changed:
            self._holders -= 1
            self._reserved = max(self._reserved - reserved, 0.0) if self._holders else 0.0
            self._changed.notify_all()


def reported_cost(answer: Mapping) -> float | None:
    """The dollars that an answer says it cost, in any spelling of cost_usd; None where it says nothing usable.

    Examples
    --------
    >>> reported_cost({"answer": "Ada", "total_cost_usd": 0.002}), reported_cost({"answer": "Ada"})
    (0.002, None)
    """
    name = find_field(answer, "cost_usd", QUERY_ALIASES)
    cost = answer[name] if name else None
    usable = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < math.inf
    return float(cost) if usable else None
