"""Jobs in PostgreSQL: a table whose rows workers lease by the clock of the database."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from ragdash.core.storage.postgres.budgets import count_as_spent
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.texts import escape, unescape
from ragdash.core.storage.protocols import JobRecord

STATES = ("waiting", "running", "done", "failed", "canceled")
ATTEMPTS = 3  # workers in a row that may end in the middle of a job without any progress before it has failed
DAYS = 30  # that a job is listed after its end
ALIVE = 60  # seconds since a worker was last heard of
_COLUMNS = ("id, kind, body, state, upload, progress, result, cancel, attempts, lost, "
            "extract(epoch from now() - made)::float8 as seconds")
_ADD = text("insert into ragdash.jobs (project, id, kind, key, body, upload) values (:project, :id, :kind, :key, "
            ":body, :upload) on conflict do nothing")
_SAME = text("select id from ragdash.jobs where project = :project and kind = :kind and key = :key and "
             "state in ('waiting', 'running')")
_MINE = text(f"select {_COLUMNS} from ragdash.jobs where project = :project and owner = :owner")
_LEASE = text(
    "update ragdash.jobs set state = 'running', owner = :owner, attempts = attempts + 1, "
    "until = now() + cast(:seconds as float8) * interval '1 second' where project = :project and id = "
    "(select id from ragdash.jobs where project = :project and kind = any(:kinds) and state = 'waiting' "
    f"order by made, id limit 1 for update skip locked) returning {_COLUMNS}")
_HELD = "where project = :project and id = :id and owner = :owner and state = 'running'"
_LOOK = text(f"select cancel from ragdash.jobs {_HELD} and until > now()")
_PROGRESS = text(f"select progress from ragdash.jobs {_HELD} for update")
_BEAT = text("update ragdash.jobs set until = now() + cast(:seconds as float8) * interval '1 second', "
             f"progress = :progress, attempts = case when :further then 0 else attempts end {_HELD} returning cancel")
_ENDED = text(f"select 1 from ragdash.jobs {_HELD} for update")
_END = text("update ragdash.jobs set state = :state, owner = '', until = null, lost = lost + :lost, "
            "attempts = greatest(attempts - :back, 0), result = coalesce(:result, result), "
            "ended = case when :state = 'waiting' then null else now() end where project = :project and id = :id")
_LOCK = text("select id, owner, state, attempts, cancel, until < now() as stalled from ragdash.jobs "
             "where project = :project and id = :id for update")
_ASK = text("update ragdash.jobs set cancel = greatest(cancel, :cancel) where project = :project and id = :id")
_STALLED = text("select id, owner, state, attempts, cancel from ragdash.jobs where project = :project and "
                "state = 'running' and until < now() for update skip locked")
_FREE = text("delete from ragdash.claims where project = :project and owner = :owner")
_OLD = text("delete from ragdash.jobs where project = :project and ended < now() - :days * interval '1 day'")
_OLD_BUDGETS = text("delete from ragdash.budgets where project = :project and not exists (select 1 from ragdash.jobs "
                    "where jobs.project = budgets.project and jobs.id = budgets.id)")
_FIND = text(f"select {_COLUMNS} from ragdash.jobs where project = :project and left(id, length(:id)) = :id "
             "order by made desc limit 2")
_LIST = text(f"select {_COLUMNS} from ragdash.jobs where project = :project and "
             "(cast(:kind as text) is null or kind = :kind) order by made desc, id limit :limit")
_COUNTS = text("select state, count(*) from ragdash.jobs where project = :project group by state")
_GREET = text("insert into ragdash.workers (project, id, place) values (:project, :id, :place) "
              "on conflict (project, id) do update set seen = now()")
_LEAVE = text("delete from ragdash.workers where project = :project and (id = :id or seen < now() - interval '1 day')")
_WORKERS = text("select place from ragdash.workers where project = :project and "
                "seen > now() - :alive * interval '1 second' order by place")


class PostgresJobs:
    """The jobs of a project."""

    def __init__(self, database: Database, project: str):
        self.database, self._project = database, {"project": project}

    def enqueue(self, kind: str, key: bytes, body: Mapping[str, Any], upload: str = "") -> tuple[str, bool]:
        """Put a job there; (its id, whether it is new)."""
        row = {**self._project, "id": secrets.token_hex(8), "kind": kind, "key": key, "body": json.dumps(dict(body)),
               "upload": upload}

        def add(connection: Connection) -> tuple[str, bool]:
            connection.execute(_ADD, row)
            # The same work may have ended between the two statements: then it is asked for again.
            id = connection.scalar(_SAME, row)
            return (id, id == row["id"]) if id else add(connection)

        return self.database.write(add)

    def lease(self, kinds: Sequence[str], owner: str, seconds: float) -> JobRecord | None:
        """Take the oldest waiting job for some seconds; None where nothing waits."""
        which = {**self._project, "kinds": list(kinds), "owner": owner, "seconds": seconds}

        def take(connection: Connection) -> Row | None:
            mine = connection.execute(_MINE, which).first()  # an attempt whose confirmation was lost
            return mine or connection.execute(_LEASE, which).first()

        row = self.database.write(take)
        return None if row is None else _record(row)

    def beat(self, id: str, owner: str, seconds: float, progress: Mapping[str, Any] | None = None) -> int | None:
        """Keep a job, if there is progress to say; `cancel` of the job, None where it is no longer ours."""
        which = {**self._project, "id": id, "owner": owner}
        if progress is None:
            return self.database.read(lambda connection: connection.scalar(_LOOK, which))
        row = {**which, "seconds": seconds, "progress": json.dumps(dict(progress))}

        def keep(connection: Connection) -> int | None:
            before = connection.scalar(_PROGRESS, which)
            if before is None:
                return None
            further = _done(progress) > _done(json.loads(before))  # what is done by many workers is no hopeless job
            return connection.scalar(_BEAT, {**row, "further": further})

        return self.database.write(keep)

    def finish(self, id: str, owner: str, state: str, result: Mapping[str, Any]) -> bool:
        """End a job or give it back; False where it is no longer ours."""
        which = {**self._project, "id": id, "owner": owner}

        def end(connection: Connection) -> bool:
            if connection.scalar(_ENDED, which) is None:
                return False
            self._end(connection, id, owner, state, json.dumps(dict(result)), back=state == "waiting")
            return True

        return self.database.write(end, lambda connection: connection.scalar(_ENDED, which) is None)

    def cancel(self, id: str, at_once: bool = False) -> None:
        """Ask the worker to stop, or end the job without waiting for the worker."""
        which = {**self._project, "id": id, "cancel": 2 if at_once else 1}

        def ask(connection: Connection) -> None:
            row = connection.execute(_LOCK, which).first()
            if row is None or row.state not in ("waiting", "running"):
                return
            connection.execute(_ASK, which)
            if row.state == "waiting" or at_once or row.stalled:
                self._end(connection, id, row.owner, "canceled")

        self.database.write(ask)

    def sweep(self) -> int:
        """Let other workers take the jobs whose worker has been silent for too long; how many."""
        def collect(connection: Connection) -> int:
            rows = connection.execute(_STALLED, self._project).all()
            for row in rows:
                state = "canceled" if row.cancel else "failed" if row.attempts >= ATTEMPTS else "waiting"
                self._end(connection, row.id, row.owner, state)
            if connection.execute(_OLD, {**self._project, "days": DAYS}).rowcount:
                connection.execute(_OLD_BUDGETS, self._project)
            return len(rows)

        return self.database.write(collect)

    def find(self, id: str) -> JobRecord | None:
        """The job whose id begins so; None where several do."""
        rows = self.database.read(lambda connection: connection.execute(
            _FIND, {**self._project, "id": escape(id)}).all())
        return _record(rows[0]) if len(rows) == 1 else None

    def listed(self, kind: str | None = None, limit: int = 50) -> list[JobRecord]:
        """Jobs of a kind (None: of every kind), the newest first."""
        rows = self.database.read(lambda connection: connection.execute(
            _LIST, {**self._project, "kind": kind, "limit": limit}).all())
        return list(map(_record, rows))

    def counts(self) -> dict[str, int]:
        """How many jobs are in each state."""
        rows = self.database.read(lambda connection: connection.execute(_COUNTS, self._project).all())
        return dict.fromkeys(STATES, 0) | {row.state: row[1] for row in rows}

    def greet(self, worker: str, place: str) -> None:
        """Say that a worker lives, and where."""
        row = {**self._project, "id": worker, "place": escape(place)}
        self.database.write(lambda connection: connection.execute(_GREET, row))

    def leave(self, worker: str) -> None:
        """Say that a worker has ended."""
        self.database.write(lambda connection: connection.execute(_LEAVE, {**self._project, "id": worker}))

    def workers(self) -> list[str]:
        """Where the workers are that reported within the last minute."""
        rows = self.database.read(lambda connection: connection.execute(
            _WORKERS, {**self._project, "alive": ALIVE}).all())
        return [unescape(row.place) for row in rows]

    def _end(self, connection: Connection, id: str, owner: str, state: str, result: str | None = None,
             back: bool = False) -> None:
        """Change the state of a job without an owner from here on; claims that its owner still has are lost calls."""
        lost = connection.execute(_FREE, {**self._project, "owner": owner}).rowcount if owner else 0
        count_as_spent(connection, self._project["project"], id)
        connection.execute(_END, {**self._project, "id": id, "state": state, "lost": lost, "result": result,
                                  "back": int(back)})


def _done(progress: Mapping[str, Any]) -> float:
    return float(progress.get("done") or 0)


def _record(row: Row) -> JobRecord:
    id, kind, body, state, upload, progress, result, *others = row
    return JobRecord(id, kind, json.loads(body), state, upload, json.loads(progress), json.loads(result), *others)
