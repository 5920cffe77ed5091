"""Batches that were submitted and not read yet, in one SQLite file of the workspace, or in the database that servers
share: no question is in two of them.

A question is reserved before anything is sent. So a second `submit`, of this or another process, leaves it out, and a
process that was killed in between is found out by the next one: see `ragdash.models.judge.batch_files.service`.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.protocols import EventLog, LogRow, LogWriter
from ragdash.core.storage.sqlite_file import transaction
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.verdict_store.store import VerdictStore

FILE, LOG = "judge_batches.sqlite", "judge-batches"
_RESERVED, _FILE, _BATCH = "reserved", "file", "batch"  # events of the log
_TABLES = """
create table if not exists batches (id integer primary key autoincrement, url text, judge text, file text default '',
    batch text default '', cost real, at real);
create table if not exists requests (key blob primary key, batch integer);
"""
_COLUMNS = "id, file, batch, cost, at"


@dataclass(frozen=True)
class OpenBatch:
    """number: of the record; file: what the batch can be found by; batch: its id; both "" while unknown; cost:
    expected, None without prices; reserved_at: seconds since 1970; keys: of its questions.
    """

    number: int
    file: str
    batch: str
    cost: float | None
    reserved_at: float
    keys: frozenset[bytes]


@dataclass(frozen=True)
class OpenBatches:
    """The open batches of one judge at one address. InputError where the file cannot be read or written."""

    path: Path
    url: str
    judge: str

    @classmethod
    def of(cls, store: VerdictStore, endpoint: Endpoint) -> OpenBatches:
        """Those next to a verdict store."""
        return cls.at(store, endpoint.url, f"{endpoint.judge} {endpoint.judge.parameters}")

    @classmethod
    def at(cls, store: VerdictStore, url: str, judge: str) -> OpenBatches:
        """The same by the address and the words for a judge."""
        path, log = store.path.with_name(FILE), store.shared_log(LOG)
        return OpenBatches(path, url, judge) if log is None else SharedOpenBatches(path, url, judge, log)

    def all_judges(self) -> list[tuple[str, str]]:
        """(address, judge) of all that have open batches."""
        with self._open(write=False) as db:
            return db.execute("select distinct url, judge from batches order by id").fetchall() if db else []

    def read(self) -> list[OpenBatch]:
        """The open batches, the oldest first."""
        with self._open(write=False) as db:
            if db is None:
                return []
            rows = db.execute(f"select {_COLUMNS} from batches where url = ? and judge = ? order by id",
                              (self.url, self.judge)).fetchall()
            keys = {row[0]: frozenset(key for key, in db.execute("select key from requests where batch = ?", row[:1]))
                    for row in rows}
        return [OpenBatch(*row, keys[row[0]]) for row in rows]

    def keys(self) -> frozenset[bytes]:
        """The questions in open batches."""
        return frozenset().union(*(batch.keys for batch in self.read()))

    def reserve(self, keys: Sequence[bytes], cost: float | None, *, at: float | None = None, file: str = "",
                batch: str = "") -> int | None:
        """Reserve these questions for a batch: the number of its record; None where another one has any of them.

        at, file, batch: of one that was reserved elsewhere.
        """
        with self._open(write=True) as db:
            db.execute("begin immediate")
            number = db.execute("insert into batches (url, judge, cost, at, file, batch) values (?, ?, ?, ?, ?, ?)",
                                (self.url, self.judge, cost, at or time.time(), file, batch)).lastrowid
            rows = [(key, number) for key in keys]
            if db.executemany("insert or ignore into requests values (?, ?)", rows).rowcount < len(rows):
                db.rollback()
                return None
            return number

    def batch_ids(self) -> frozenset[str]:
        """The ids of the open batches of all judges."""
        with self._open(write=False) as db:
            return frozenset(batch for batch, in db.execute("select batch from batches")) if db else frozenset()

    def set_file(self, number: int, file: str) -> None:
        """Note what the batch can be found by."""
        with self._open(write=True) as db:
            db.execute("update batches set file = ? where id = ?", (file, number))

    def set_batch(self, number: int, batch: str) -> None:
        """Note the service's id of the batch."""
        with self._open(write=True) as db:
            db.execute("update batches set batch = ? where id = ?", (batch, number))

    def close(self, number: int) -> None:
        """Free the questions of a batch: its replies are in the verdict store, or there will be none."""
        with self._open(write=True) as db:
            db.execute("delete from requests where batch = ?", (number,))
            db.execute("delete from batches where id = ?", (number,))

    @contextmanager
    def _open(self, *, write: bool) -> Iterator[sqlite3.Connection | None]:
        try:
            with transaction(self.path, write=write, prepare=lambda db: db.executescript(_TABLES)) as db:
                yield db
        except (OSError, sqlite3.Error) as error:
            raise InputError([Problem("unusable-ledger", {"reason": str(error)}, str(self.path))]) from None


@dataclass(frozen=True)
class SharedOpenBatches(OpenBatches):
    """The same in an event log of a database: a reservation is one transaction, which no other server comes between.

    The events of a batch are deleted when it is closed. They name no person.
    """

    log: EventLog

    def read(self) -> list[OpenBatch]:
        """The open batches, the oldest first."""
        return list(_batches(self.log.rows(self._key)).values())

    def all_judges(self) -> list[tuple[str, str]]:
        """(address, judge) of all that have open batches."""
        return [(url, judge) for url, judge in map(json.loads, self.log.keys())]

    def reserve(self, keys: Sequence[bytes], cost: float | None, *, at: float | None = None, file: str = "",
                batch: str = "") -> int | None:
        """Reserve these questions for a batch: the number of its record; None where another one has any of them."""
        names = [key.hex() for key in keys]

        def add(writer: LogWriter) -> int | None:
            if any(not other.keys.isdisjoint(keys) for other in _batches(writer.rows()).values()):
                return None
            body = {"cost": cost, "at": at or time.time(), "file": file, "batch": batch, "keys": names}
            writer.add(self._key, (_RESERVED, "", json.dumps(body)))
            return writer.rows(self._key)[-1].number

        return self.log.write(add)

    def batch_ids(self) -> frozenset[str]:
        """The ids of the open batches of all judges."""
        return frozenset(batch.batch for batch in _batches(self.log.rows()).values())

    def set_file(self, number: int, file: str) -> None:
        """Note what the batch can be found by."""
        self.log.write(lambda writer: writer.add(self._key, (_FILE, str(number), file)))

    def set_batch(self, number: int, batch: str) -> None:
        """Note the service's id of the batch."""
        self.log.write(lambda writer: writer.add(self._key, (_BATCH, str(number), batch)))

    def close(self, number: int) -> None:
        """Free the questions of a batch: its replies are in the verdict store, or there will be none."""
        self.log.erase(lambda row: None if row.number == number or row.values[1] == str(number) else row.values)

    @property
    def _key(self) -> str:
        return json.dumps([self.url, self.judge])


def _batches(rows: Sequence[LogRow]) -> dict[int, OpenBatch]:
    """The batches that events describe, by number."""
    batches: dict[int, OpenBatch] = {}
    for row in rows:
        kind, number, text = (value or "" for value in row.values)
        if kind == _RESERVED:
            body = json.loads(text)
            batches[row.number] = OpenBatch(row.number, body["file"], body["batch"], body["cost"], body["at"],
                                          frozenset(map(bytes.fromhex, body["keys"])))
        elif int(number) in batches:
            batches[int(number)] = replace(batches[int(number)], **{kind: text})
    return batches


def copy_open_batches(source: VerdictStore, target: VerdictStore) -> int:
    """Note the open batches of a workspace in another one; how many the source has. Those that are there stay."""
    count = 0
    for url, judge in OpenBatches.at(source, "", "").all_judges():
        copied = OpenBatches.at(target, url, judge)
        for batch in OpenBatches.at(source, url, judge).read():
            copied.reserve(sorted(batch.keys), batch.cost, at=batch.reserved_at, file=batch.file, batch=batch.batch)
            count += 1
    return count
