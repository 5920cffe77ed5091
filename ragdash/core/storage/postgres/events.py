"""Event logs in PostgreSQL: one table, a counter row per log whose lock gives every event its number."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, text

from ragdash.core.errors import Problem
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.texts import key_hash
from ragdash.core.storage.protocols import LogRow

T = TypeVar("T")
_ROWS = "select number, body from ragdash.events where project = :project and log = :log"
_OF_KEY = text(f"{_ROWS} and key = :key and number <= :until order by number")
_ALL = text(f"{_ROWS} and number <= :until order by number")
_START = text("insert into ragdash.counters (project, log) values (:project, :log) on conflict do nothing")
_LOCK = text("select count from ragdash.counters where project = :project and log = :log for update")
_SET = text("update ragdash.counters set count = :count where project = :project and log = :log")
_HAS = text("select body from ragdash.events where project = :project and log = :log and id = :id")
_ADD = text("insert into ragdash.events (project, log, number, key, id, body) "
            "values (:project, :log, :number, :key, :id, :body) on conflict (project, log, id) do nothing")
_ERASING = text("select set_config('ragdash.erasing', 'on', true)")  # until the transaction ends
_DELETE = text("delete from ragdash.events where project = :project and log = :log and number = :number")
_CHANGE = text("update ragdash.events set body = :body where project = :project and log = :log and number = :number")
_KEYS = text("select min(body), count(*) from ragdash.events where project = :project and log = :log "
             "group by key order by max(number)")
_EVERY = 2 ** 62


class PostgresLog:
    """An event log of a project.

    Parameters
    ----------
    database
        Where it is kept.
    project, name
        Which log: those of other projects are not seen.
    location
        The address for people.
    """

    def __init__(self, database: Database, project: str, name: str, location: str):
        self._database, self._which, self._location = database, {"project": project, "log": name}, location

    @property
    def location(self) -> str:
        """The address of the database, without a password."""
        return self._location

    def rows(self, key: str | None = None, until: int | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order; until: those up to this number."""
        return self._database.read(lambda connection: _rows(connection, self._which, key, until))

    def keys(self) -> dict[str, int]:
        """How many events each key has, the key with the newest event last."""
        rows = self._database.read(lambda connection: connection.execute(_KEYS, self._which).all())
        return {json.loads(body)["key"]: count for body, count in rows}

    def stamp(self) -> str:
        """The number of the last event, "" for an empty log."""
        count = self._database.counter(self._which["project"], self._which["log"])
        return f"{self._which['project']}-{count}" if count else ""

    def write(self, work: Callable[[PostgresLogWriter], T]) -> T:
        """What `work` returns; what it adds is added once, all together or not at all."""
        operation = secrets.token_hex(16)  # the same for every attempt, so that a commit is known again

        def attempt(connection: Connection) -> T:
            count = connection.scalar(_LOCK, self._which)
            if count is None:
                connection.execute(_START, self._which)
                count = connection.scalar(_LOCK, self._which)
            writer = PostgresLogWriter(connection, self._which, count, operation)
            result = work(writer)
            if writer.count > count:
                connection.execute(_SET, {**self._which, "count": writer.count})
                first_ids.append(writer.first_id)
            return result

        def committed(connection: Connection) -> bool:
            return bool(first_ids) and connection.scalar(_HAS, {**self._which, "id": key_hash(first_ids[-1])}) \
                is not None

        first_ids: list[str] = []
        return self._database.write(attempt, committed)

    def erase(self, change: Callable[[LogRow], Sequence[str | None] | None]) -> int:
        """Delete or change events for good; how many."""
        def attempt(connection: Connection) -> int:
            count = connection.scalar(_LOCK, self._which)
            rows = _rows(connection, self._which, None, None) if count is not None else []
            changed = [(row, values) for row in rows if (values := change(row)) is None or tuple(values) != row.values]
            if not changed:
                return 0
            connection.execute(_ERASING)
            for row, values in changed:
                which = {**self._which, "number": row.number}
                if values is None:
                    connection.execute(_DELETE, which)
                else:
                    connection.execute(_CHANGE, {**which, "body": _body(row.key, row.id, values)})
            connection.execute(_SET, {**self._which, "count": count + 1})  # a number that no event has
            return len(changed)

        return self._database.write(attempt)

    def problems(self) -> tuple[Problem, ...]:
        """None: a database is whole or cannot be used."""
        return ()


class PostgresLogWriter:
    """The log within a transaction that holds the lock of its counter."""

    def __init__(self, connection: Connection, which: dict[str, Any], count: int, operation: str):
        self._connection, self._which, self._operation = connection, which, operation
        self.count, self.first_id, self._made = count, "", 0

    def rows(self, key: str | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order."""
        return _rows(self._connection, self._which, key, None)

    def has(self, key: str, id: str) -> bool:
        """Whether there is an event of this key and id."""
        body = self._connection.scalar(_HAS, {**self._which, "id": key_hash(id)})
        return body is not None and json.loads(body)["key"] == key

    def add(self, key: str, values: Iterable[str | None], id: str = "") -> str | None:
        """Add an event; returns its id. None where the log has one of this id already."""
        if not id:
            self._made += 1
            id = hashlib.blake2b(f"{self._operation} {self._made}".encode(), digest_size=16).hexdigest()
        row = {**self._which, "number": self.count + 1, "key": key_hash(key), "id": key_hash(id),
               "body": _body(key, id, values)}
        if not self._connection.execute(_ADD, row).rowcount:
            return None
        self.count += 1
        self.first_id = self.first_id or id
        return id


def _body(key: str, id: str, values: Iterable[str | None]) -> str:
    return json.dumps({"key": key, "id": id, "values": list(values)})  # ASCII: any text can be kept


def _rows(connection: Connection, which: dict[str, Any], key: str | None, until: int | None) -> list[LogRow]:
    limits = {**which, "until": _EVERY if until is None else until}
    result = connection.execute(_ALL, limits) if key is None else \
        connection.execute(_OF_KEY, {**limits, "key": key_hash(key)})
    rows = []
    for number, body in result:
        event = json.loads(body)
        rows.append(LogRow(number, event["key"], event["id"], tuple(event["values"])))
    return rows
