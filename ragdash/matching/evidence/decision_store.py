"""A person's decisions on pairs of chunk and span, kept on disk from one session to the next.

One SQLite file to which rows are only added, the last one for a pair counts: several tabs and processes may write at
once, and every earlier state can be read again by its stamp. Files for others have the form of
ragdash.matching.evidence.decisions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.core.sqlite_file import transaction

FILE = "evidence-decisions-1.sqlite"  # the number grows with the table
_ALL = 2 ** 62
_TABLES = (  # accept: null where it was taken back; name: of this file, so that no other one has its stamps
    "create table if not exists decisions (id integer primary key autoincrement, query_id text not null, "
    "chunk text not null, span text not null, accept integer)",
    "create table if not exists file (name text)",
    "insert into file select hex(randomblob(8)) where not exists (select 1 from file)")
_STAMP = "select name || '-' || (select max(id) from decisions) from file"
_STATE = ("select query_id, chunk, span, accept from decisions where id in (select max(id) from decisions "
          "where id <= ? group by query_id, chunk, span) and accept is not null")


@dataclass(frozen=True)
class DecisionStore:
    """The file; a reader of one that is not there finds nothing. Every call opens and closes it, so that threads and
    processes may share it. Raises InputError where it cannot be read or written.
    """

    path: Path

    def stamp(self) -> str:
        """The state that it is in: another one after every decision, "" where there was none yet."""
        with self._open() as db:
            return "" if db is None else db.execute(_STAMP).fetchone()[0] or ""

    def read(self, stamp: str | None = None) -> dict[tuple[str, str, str], bool]:
        """{(query id, digest of the chunk, digest of the span): accepted} as it is, or was at a stamp of this
        file; nothing for a stamp of another one.
        """
        with self._open() as db:
            newest = "" if db is None else db.execute(_STAMP).fetchone()[0] or ""
            name, _, last = (newest if stamp is None else stamp).rpartition("-")
            rows = db.execute(_STATE, (int(last),)).fetchall() if name and name == newest.rpartition("-")[0] else []
        return {(query, chunk, span): bool(accept) for query, chunk, span, accept in rows}

    def keep(self, decisions: Mapping[tuple[str, str, str], bool | None]) -> int:
        """Add these; None takes a decision back. What says nothing new is not written. Returns how many were."""
        with self._open(write=True) as db:
            stored = {(query, chunk, span): bool(accept) for query, chunk, span, accept in db.execute(_STATE, (_ALL,))}
            new = [(*pair, accept if accept is None else int(accept)) for pair, accept in decisions.items()
                   if stored.get(pair) != accept]
            db.executemany("insert into decisions (query_id, chunk, span, accept) values (?, ?, ?, ?)", new)
        return len(new)

    @contextmanager
    def _open(self, write: bool = False) -> Iterator[sqlite3.Connection | None]:
        """A connection whose changes are kept at the end; None for a reader where there is no file."""
        try:
            with transaction(self.path, write=write, prepare=_prepare) as db:
                yield db
        except (OSError, sqlite3.Error) as error:
            raise InputError([Problem("unusable-decisions", {"error": str(error)}, str(self.path))]) from None


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("begin immediate")
    for statement in _TABLES:
        db.execute(statement)


def kept_decisions() -> DecisionStore:
    """The user's file."""
    return DecisionStore(workspace() / FILE)
