"""The budget while several threads spend it: what is on its way is set aside, so that no bound is overstepped."""

from __future__ import annotations

from contextlib import suppress
from threading import Condition, Event
from typing import Protocol

from ragdash.core.errors import InputError
from ragdash.models.judge.plan import Budget

POLL_SECONDS = 0.1  # seconds between looks at whether the job has ended


class SharedBudget(Protocol):
    """A budget that several processes spend, such as those of workers that took a job over from each other."""

    def reserve(self, cost: float, ended: Event) -> bool:
        """Set a call of this expected cost aside; False where it does not fit. Waits where it may fit yet."""
        ...

    def settle(self, cost: float, sent: bool = True) -> None:
        """The call of this thread ended and cost this much; it counts if it was sent."""
        ...


class BudgetTracker:
    """calls: requests made that were answered or may have been; cost: paid for them. ended: set when the job has
    ended; shared: bounds all processes.
    """

    def __init__(self, budget: Budget, ended: Event, shared: SharedBudget | None = None):
        self.calls, self.cost = 0, 0.0
        self._shared = shared
        self._budget, self.ended, self._free = budget, ended, Condition()
        self._calls_out, self._cost_out = 0, 0.0

    def reserve(self, cost: float) -> bool:
        """Set a call of this expected cost aside; False where it does not fit. Waits where it may fit yet."""
        with self._free:
            while not self._is_within(cost, out=True):
                if not self._calls_out or not self._is_within(cost, out=False) or self.ended.is_set():
                    return False
                self._free.wait(POLL_SECONDS)
            self._calls_out += 1
            self._cost_out += cost
        if self._shared is None or self._shared.reserve(cost, self.ended):
            return True
        self._settle_here(cost, 0.0, False)
        return False

    def settle(self, expected: float, cost: float, sent: bool = True) -> None:
        """A call ended and cost this much; it counts if it was sent, whatever the reply was."""
        self._settle_here(expected, cost, sent)
        if self._shared is not None:
            with suppress(InputError):  # what stays set aside counts as spent; the reply must not be lost for it
                self._shared.settle(cost, sent)

    def _settle_here(self, expected: float, cost: float, sent: bool) -> None:
        with self._free:
            self._calls_out -= 1
            self._cost_out -= expected
            self.calls += sent
            self.cost += cost
            self._free.notify_all()

    def _is_within(self, cost: float, out: bool) -> bool:
        calls = self.calls + 1 + (self._calls_out if out else 0)
        total = self.cost + cost + (self._cost_out if out else 0.0)
        bounds = self._budget
        return (bounds.calls is None or calls <= bounds.calls) and (
            bounds.cost is None or total <= bounds.cost * (1 + 1e-9))
