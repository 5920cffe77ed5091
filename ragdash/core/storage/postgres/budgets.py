"""Budgets in PostgreSQL: every call is set aside before it is made, so that no number of processes overspends.

A call that was set aside by a process that has ended counts as made: it may have been paid.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from threading import Event, get_ident
from typing import Any

from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database

POLL_SECONDS = 0.2  # between two looks whether a call of another thread has ended
SLACK = 1 + 1e-9  # of sums of money
_MAKE = text("insert into ragdash.budgets (project, id, max_calls, max_cost) values (:project, :budget, :calls, :cost) "
             "on conflict do nothing")
_LOCK = text("select calls, cost, max_calls, max_cost from ragdash.budgets where project = :project and id = :budget "
             "for update")
_OUT = text("select count(*), coalesce(sum(cost), 0) from ragdash.reservations where project = :project and "
            "budget = :budget and id != :id")
_SET_ASIDE = text("insert into ragdash.reservations (project, budget, id, cost) values (:project, :budget, :id, :cost) "
                  "on conflict do nothing")
_TAKE_BACK = text("delete from ragdash.reservations where project = :project and budget = :budget and id = :id")
_SPEND = text("update ragdash.budgets set calls = calls + :calls, cost = cost + :cost where project = :project and "
              "id = :budget")
_ALL_OUT = text("with gone as (delete from ragdash.reservations where project = :project and budget = :budget "
                "returning cost) select count(*), coalesce(sum(cost), 0) from gone")
_SPENT = text("select calls, cost from ragdash.budgets where project = :project and id = :budget")


class DatabaseBudget:
    """The budget of a job, in the database. Threads and processes may share it.

    Parameters
    ----------
    database, project
        Where it is kept.
    id
        Of the job. What earlier attempts spent counts.
    calls, cost
        Where it stops; None: no bound.
    """

    def __init__(self, database: Database, project: str, id: str, calls: int | None, cost: float | None):
        self._database, self._which = database, {"project": project, "budget": id}
        self._process = secrets.token_hex(8)
        database.write(lambda connection: connection.execute(_MAKE, {**self._which, "calls": calls, "cost": cost}))

    def reserve(self, cost: float, ended: Event) -> bool:
        """Set a call of this expected cost aside; False where it does not fit. Waits where it may fit yet."""
        call = {**self._which, "id": self._call(), "cost": cost}
        while (fits := self._database.write(lambda connection: _set_aside(connection, call))) is None:
            if ended.wait(POLL_SECONDS):
                return False
        return fits

    def settle(self, cost: float, sent: bool = True) -> None:
        """The call of this thread ended and cost this much; it counts if it was sent."""
        call = {**self._which, "id": self._call(), "calls": int(sent), "cost": cost}

        def spend(connection: Connection) -> None:
            if connection.execute(_TAKE_BACK, call).rowcount:  # once, also where the confirmation was lost
                connection.execute(_SPEND, call)

        self._database.write(spend)

    def spent(self) -> tuple[int, float]:
        """(calls, cost) of all attempts so far, without calls in flight."""
        return tuple(self._database.read(lambda connection: connection.execute(_SPENT, self._which).one()))

    def _call(self) -> str:
        """The name of the call in flight: a thread has one at a time."""
        return f"{self._process}-{get_ident()}"


def _set_aside(connection: Connection, call: Mapping[str, Any]) -> bool | None:
    """Whether the call fits; None where it may fit when a call in flight has cost less than expected."""
    calls, cost, max_calls, max_cost = connection.execute(_LOCK, call).one()
    calls_out, cost_out = connection.execute(_OUT, call).one()

    def fits(calls: int, cost: float) -> bool:
        return (max_calls is None or calls + 1 <= max_calls) and (
            max_cost is None or cost + call["cost"] <= max_cost * SLACK)

    if fits(calls + calls_out, cost + cost_out):
        connection.execute(_SET_ASIDE, call)
        return True
    return None if calls_out and fits(calls, cost) else False


def count_as_spent(connection: Connection, project: str, id: str) -> None:
    """Count the calls in flight of a job whose worker has ended: they may have been paid."""
    which = {"project": project, "budget": id}
    calls, cost = connection.execute(_ALL_OUT, which).one()
    if calls:
        connection.execute(_SPEND, {**which, "calls": calls, "cost": cost})
