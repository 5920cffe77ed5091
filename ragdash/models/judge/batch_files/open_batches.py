"""Batches that were submitted and not read yet, in one SQLite file of the workspace: no question is in two of them.

A question is reserved before anything is sent. So a second `submit`, of this or another process, leaves it out, and a
process that was killed in between is found out by the next one: see `ragdash.models.judge.batch_files.service`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.sqlite_file import transaction
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.verdict_store.store import VerdictStore

FILE = "judge_batches.sqlite"
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
        return cls(store.path.with_name(FILE), endpoint.url, f"{endpoint.judge} {endpoint.judge.parameters}")

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

    def reserve(self, keys: Sequence[bytes], cost: float | None) -> int | None:
        """Reserve these questions for a batch: the number of its record; None where another one has any of them."""
        with self._open(write=True) as db:
            db.execute("begin immediate")
            number = db.execute("insert into batches (url, judge, cost, at) values (?, ?, ?, ?)",
                                (self.url, self.judge, cost, time.time())).lastrowid
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
