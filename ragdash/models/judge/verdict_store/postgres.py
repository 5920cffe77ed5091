"""Verdicts in PostgreSQL: what one server has asked, no other server asks or pays again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import Connection, text

from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.events import PostgresLog
from ragdash.core.storage.postgres.texts import escape, key_hash, unescape
from ragdash.core.storage.protocols import EventLog
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.question import Question, Reply
from ragdash.models.judge.verdict_store.claims import Claims
from ragdash.models.judge.verdict_store.rows import COLUMNS, reply_of, row_of
from ragdash.models.judge.verdict_store.store import (
    AT_ONCE,
    NO_FAILURE,
    VerdictRow,
    VerdictStore,
    VerdictWriter,
)

_ESCAPED = ("raw", "model", "at", "mode")  # the other texts are JSON without NUL
_READ = ", ".join(COLUMNS)
_ROW = ("project", "key", "number", "judge", "task", "version", "vote", *COLUMNS)
_JUDGES = text("select host, model, parameters from ragdash.judges where project = :project order by used desc")
_USE = text("insert into ragdash.judges (project, id, host, model, parameters, used) values (:project, :id, :host, "
            ":model, :parameters, :number) on conflict (project, id) do update set used = excluded.used")
_USE_LAST = text("insert into ragdash.judges (project, id, host, model, parameters, used) select :project, :id, :host, "
                 ":model, :parameters, coalesce(min(used), 1) - 1 from ragdash.judges where project = :project "
                 "on conflict (project, id) do nothing")
_BUMP = text("insert into ragdash.counters (project, log, count) values (:project, 'verdicts', :step) on conflict "
             "(project, log) do update set count = ragdash.counters.count + :step returning count")
_PACE = text("select count(*), avg(completion) from ragdash.verdicts where project = :project and judge = :judge "
             "and task = :task")
_VERSIONS = text("select model, count(*), max(at collate \"C\") as last from ragdash.verdicts "
                 "where project = :project and judge = :judge and left(task, 6) != 'Place:' group by model "
                 "order by last, model collate \"C\"")
_MODE = text("select mode from ragdash.modes where project = :project and id = :id")
_SAVE_MODE = text("insert into ragdash.modes (project, id, mode) values (:project, :id, :mode) "
                  "on conflict (project, id) do update set mode = excluded.mode")
_DROP = {table: text(f"delete from ragdash.{table} where project = :project and key = any(:keys)")
         for table in ("verdicts", "failures")}
_UNCLAIM = text("delete from ragdash.claims where project = :project and owner = :owner and key = any(:keys)")
_ADD = text(f"insert into ragdash.verdicts ({', '.join(_ROW)}) values ({', '.join(f':{name}' for name in _ROW)}) "
            "on conflict (project, key) do nothing")
_FAIL_ROW = (*_ROW, "missing", "note")
_FAIL = text(f"insert into ragdash.failures ({', '.join(_FAIL_ROW)}) values "
             f"({', '.join(f':{name}' for name in _FAIL_ROW)}) on conflict (project, key) do update set "
             f"{', '.join(f'{name} = excluded.{name}' for name in _FAIL_ROW[2:])}")
_ALL = text(f"select host, judges.model as judge_model, parameters, key, task, version, vote, "
            f"{', '.join(f'verdicts.{name}' for name in COLUMNS)} from ragdash.verdicts join ragdash.judges "
            "on judges.project = verdicts.project and judges.id = verdicts.judge where verdicts.project = :project "
            "order by number")
_USAGE = text(
    "select host, judges.model, parameters, sum(kept), sum(1 - kept), sum(prompt), sum(completion), sum(estimated), "
    "max(vote) + 1, string_agg(distinct task, ',') from (select judge, 1 as kept, prompt, completion, estimated, vote, "
    "task from ragdash.verdicts where project = :project and left(task, 6) != 'Place:' union all "
    "select judge, 0, prompt, completion, estimated, vote, task from ragdash.failures where project = :project) "
    "as replies join ragdash.judges on judge = judges.id where judges.project = :project "
    "group by host, judges.model, parameters, used order by used desc")


@dataclass(frozen=True)
class SharedVerdictStore(VerdictStore):
    """The verdicts of a project in a database. `owner` is whose claims are made; "": of each writer its own."""

    database: Database
    project: str
    owner: str = ""

    def shared_log(self, name: str) -> EventLog:
        """A log of the project in the database."""
        return PostgresLog(self.database, self.project, name, self.database.location)

    def judges(self) -> list[Judge]:
        """Those who have said something, the one last asked first."""
        rows = self._read(lambda connection: connection.execute(_JUDGES, {"project": self.project}).all())
        return [Judge(*map(unescape, row)) for row in rows]

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """The verdicts that are there, by key."""
        return {bytes(row[0]): _reply(row[1:])
                for row in self._keyed("verdicts", f"key, {_READ}", self._shown(keys))}

    def failed(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """Why there is no verdict, of keys that were asked in vain."""
        rows = self._keyed("failures", f"key, {_READ}, missing, note", keys)
        return {bytes(row[0]): replace(_reply(row[1:-2]), missing=row[-2], note=unescape(row[-1])) for row in rows}

    def known_keys(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that have a verdict."""
        return {bytes(row[0]) for row in self._keyed("verdicts", "key", self._shown(keys))}

    def pace(self, judge: Judge, task: str) -> tuple[int, float]:
        """(verdicts of a judge on a task, mean of the tokens written), for the next estimate; (0, NaN) for none."""
        which = {"project": self.project, "judge": _judge_id(judge), "task": escape(task)}
        count, mean = self._read(lambda connection: connection.execute(_PACE, which).one())
        return (count, float(mean)) if count else (0, float("nan"))

    def versions(self, judge: Judge) -> list[tuple[str, int, str]]:
        """(model as the endpoint called it, verdicts, time of the last) of a judge's verdicts, the newest version last.
        """
        which = {"project": self.project, "judge": _judge_id(judge)}
        rows = self._read(lambda connection: connection.execute(_VERSIONS, which).all())
        return [(unescape(model), count, unescape(last)) for model, count, last in rows]

    def learned_mode(self, url: str, model: str) -> dict:
        """What was learned of how an endpoint wants to be asked, {} where nothing was."""
        mode = self._read(lambda connection: connection.scalar(
            _MODE, {"project": self.project, "id": key_hash(url, model)}))
        return orjson.loads(mode) if mode else {}

    def stamp(self) -> str:
        """Changes whenever a verdict or failure was added or another judge was asked."""
        count = self.database.counter(self.project, "verdicts")
        return f"{self.project}-{count}" if count else ""

    @contextmanager
    def writing(self) -> Iterator[SharedVerdictWriter]:
        """A writer; threads may share it."""
        writer = SharedVerdictWriter(self)
        try:
            yield writer
        finally:
            writer.close()

    def all_verdicts(self) -> list[VerdictRow]:
        """All verdicts in the order they came."""
        rows = self._read(lambda connection: connection.execute(_ALL, {"project": self.project}).all())
        return [(Judge(*map(unescape, row[:3])), bytes(row[3]), unescape(row[4]), unescape(row[5]), row[6],
                 _reply(row[7:])) for row in rows]

    def usage_rows(self) -> list[tuple]:
        """Sums of every judge, as `ragdash.models.judge.verdict_store.store` reads them."""
        rows = self._read(lambda connection: connection.execute(_USAGE, {"project": self.project}).all())
        return [(*map(unescape, row[:3]), *row[3:-1], unescape(row[-1])) for row in rows]

    def _read(self, work: Callable[[Connection], Any]) -> Any:
        return self.database.read(work)

    def _keyed(self, table: str, columns: str, keys: Sequence[bytes]) -> list[Sequence[Any]]:
        statement = text(f"select {columns} from ragdash.{table} where project = :project and key = any(:keys)")
        rows: list[Sequence[Any]] = []
        for start in range(0, len(keys), AT_ONCE):
            limits = {"project": self.project, "keys": list(keys[start:start + AT_ONCE])}
            rows += self._read(lambda connection, limits=limits: connection.execute(statement, limits).all())
        return rows


class SharedVerdictWriter(VerdictWriter):
    """Puts replies into the database, each committed when the call returns."""

    def __init__(self, store: SharedVerdictStore):
        self._store, self._project, self._used = store, {"project": store.project}, set[Judge]()
        self._claims = Claims(store.database, store.project, store.owner)

    def use(self, judge: Judge, *, trial: bool = False) -> None:
        """Put a judge first: it is the one last asked. trial: a new judge comes last, the others stay."""
        row = {**self._project, "id": _judge_id(judge), "host": escape(judge.host), "model": escape(judge.model),
               "parameters": escape(judge.parameters)}
        self._write(1, lambda connection, number: connection.execute(
            _USE_LAST if trial else _USE, row if trial else {**row, "number": number}))
        self._used.add(judge)

    def save(self, judge: Judge, rows: Iterable[tuple[Question, Reply]], replaced: Iterable[bytes] = ()) -> None:
        """Keep replies; a verdict that is there already stays, except those with the replaced keys. What was not asked
        is no failure and is not kept.
        """
        if judge not in self._used:
            self.use(judge)
        verdicts, failures, dropped, keys = [], [], list(replaced), []
        for question, reply in rows:
            keys.append(judge.key(question))
            row = self._row(judge, keys[-1], question.task, question.prompt_version, question.vote, reply)
            if reply.missing is None:
                verdicts.append(row)
            elif reply.attempts and reply.missing not in NO_FAILURE:
                failures.append({**row, "missing": reply.missing, "note": escape(reply.note)})

        def work(connection: Connection, number: int) -> None:
            if dropped:
                connection.execute(_DROP["verdicts"], {**self._project, "keys": dropped})
            self._add(connection, number, verdicts)
            if verdicts:
                connection.execute(_DROP["failures"], {**self._project, "keys": [row["key"] for row in verdicts]})
            first = number + len(verdicts)
            if failures:
                connection.execute(_FAIL, [{**row, "number": first + step} for step, row in enumerate(failures)])
            connection.execute(_UNCLAIM, {**self._claims.which, "keys": keys})

        self._write(len(verdicts) + len(failures), work)

    def claim(self, key: bytes) -> bool:
        """Whether this process may ask a question now: no other one is just asking it. `save` ends the claim."""
        return self._claims.take(key)

    def release(self, key: bytes) -> None:
        """End a claim without a reply."""
        self._claims.release(key)

    @property
    def lost_calls(self) -> int:
        """Claims taken over from processes that ended in the middle of a call, which may have been paid."""
        return self._claims.lost

    def close(self) -> None:
        """Give up the claims that are left."""
        self._claims.close()

    def add(self, rows: Iterable[VerdictRow]) -> int:
        """Take verdicts over from elsewhere, all or none; how many were new."""
        listed = list(rows)
        for judge in dict.fromkeys(row[0] for row in listed):
            self.use(judge)
        new = [self._row(judge, key, task, version, vote, reply) for judge, key, task, version, vote, reply in listed]

        def work(connection: Connection, number: int) -> int:
            keys = {**self._project, "keys": [row["key"] for row in new]}
            known = connection.scalar(text("select count(*) from ragdash.verdicts where project = :project "
                                           "and key = any(:keys)"), keys)
            self._add(connection, number, new)
            return len({row["key"] for row in new}) - known

        return self._write(len(new), work)

    def find_verdict(self, key: bytes) -> Reply | None:
        """A verdict that is there by now."""
        return self._store.get([key]).get(key)

    def save_mode(self, url: str, model: str, manner: Mapping[str, Any]) -> None:
        """Remember how an endpoint wants to be asked."""
        row = {**self._project, "id": key_hash(url, model), "mode": orjson.dumps(dict(manner)).decode()}
        self._store.database.write(lambda connection: connection.execute(_SAVE_MODE, row))

    def _row(self, judge: Judge, key: bytes, task: str, version: str, vote: int, reply: Reply) -> dict[str, Any]:
        columns = dict(zip(COLUMNS, row_of(reply), strict=True))
        columns |= {name: columns[name] and escape(columns[name]) for name in _ESCAPED}
        return {**self._project, "key": key, "judge": _judge_id(judge), "task": escape(task),
                "version": escape(version), "vote": vote, **columns}

    def _add(self, connection: Connection, number: int, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            connection.execute(_ADD, [{**row, "number": number + step} for step, row in enumerate(rows)])

    def _write(self, step: int, work: Callable[[Connection, int], Any]) -> Any:
        """Do work(connection, first number of its rows) in a transaction; it may be done twice without harm."""
        def bump_and_work(connection: Connection) -> Any:
            count = connection.scalar(_BUMP, {**self._project, "step": step})
            return work(connection, count - step + 1)

        return self._store.database.write(bump_and_work)


def _judge_id(judge: Judge) -> bytes:
    return key_hash(judge.host, judge.model, judge.parameters)


def _reply(row: Sequence[Any]) -> Reply:
    columns = dict(zip(COLUMNS, row, strict=True))
    columns |= {name: columns[name] and unescape(columns[name]) for name in _ESCAPED}
    return reply_of(tuple(columns[name] for name in COLUMNS))
