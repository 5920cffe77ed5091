"""A person's decisions on pairs of chunk and span, kept from one session to the next.

Rows are only added, the last one for a pair counts: several tabs and processes may write at once, and every earlier
state can be read again by its stamp. They are in one SQLite file, or in the database that servers share. Files for
others have the form of ragdash.matching.evidence.decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.core.storage.protocols import EventLog, LogRow, LogWriter
from ragdash.core.storage.shared import shared_log
from ragdash.core.storage.shown_values import require_shown
from ragdash.core.storage.sqlite_log import SqliteLog

FILE = "evidence-decisions-1.sqlite"  # the number grows with the table
LOG = "evidence-decisions"
_TABLES = (  # accept: null where it was taken back; name: of this file, so that no other one has its stamps
    "create table if not exists decisions (id integer primary key autoincrement, query_id text not null, "
    "chunk text not null, span text not null, accept integer)",
    "create table if not exists file (name text)",
    "insert into file select hex(randomblob(8)) where not exists (select 1 from file)")
_STAMP = "select name || '-' || (select max(id) from decisions) from file"


def decision_file(path: Path) -> SqliteLog:
    """The event log in an SQLite file: the key is the query; the values are chunk, span, "1", "0" or None, and who
    decided: None where that is unknown.
    """
    def unusable(error: Exception) -> InputError:
        return InputError([Problem("unusable-decisions", {"error": str(error)}, str(path))])

    return SqliteLog(path, _TABLES, "select id, query_id, chunk, span, cast(accept as text), author from decisions",
                     "insert into decisions (query_id, chunk, span, accept, author)", "id", "query_id",
                     unusable, _STAMP, {"author": "text"})


@dataclass(frozen=True)
class DecisionStore:
    """The file; a reader of one that is not there finds nothing. Every call opens and closes it, so that threads and
    processes may share it. Raises InputError where it cannot be read or written. `log` names another place.
    """

    path: Path
    log: EventLog | None = field(default=None, compare=False)

    @property
    def _events(self) -> EventLog:
        return self.log or decision_file(self.path)

    def stamp(self) -> str:
        """The state that it is in: another one after every decision, "" where there was none yet."""
        return self._events.stamp()

    def read(self, stamp: str | None = None) -> dict[tuple[str, str, str], bool]:
        """{(query id, digest of the chunk, digest of the span): accepted} as it is, or was at a stamp of this
        file; nothing for a stamp of another one.
        """
        newest = self._events.stamp()
        name, _, last = (newest if stamp is None else stamp).rpartition("-")
        if not name or name != newest.rpartition("-")[0]:
            return {}
        return _state(self._events.rows(until=int(last)))

    def keep(self, decisions: Mapping[tuple[str, str, str], bool | None], by: str = "",
             shown: Mapping[tuple[str, str, str], bool | None] | None = None) -> int:
        """Add these; None takes a decision back. What says nothing new is not written. Returns how many were.

        by: who decided, "" where that is unknown. shown: the decisions that the person saw; InputError for one that
        somebody else has changed since, and that would be replaced or taken back.
        """
        def work(writer: LogWriter) -> int:
            stored = _state(writer.rows())
            for pair, accept in decisions.items() if shown is not None else ():
                if pair in stored:
                    require_shown(stored[pair], shown.get(pair), accept, f"the decision on a pair of query {pair[0]!r}")
            new = [(pair, accept) for pair, accept in decisions.items() if stored.get(pair) != accept]
            for (query, chunk, span), accept in new:
                writer.add(query, (chunk, span, None if accept is None else str(int(accept)), by or None))
            return len(new)

        return self._events.write(work)


def _state(rows: Iterable[LogRow]) -> dict[tuple[str, str, str], bool]:
    """What holds after these decisions, in the order in which it was decided last."""
    latest: dict[tuple[str, str, str], bool] = {}
    for row in rows:
        chunk, span, accept = row.values[:3]  # rows of a database may have three values: without who decided
        pair = (row.key, chunk or "", span or "")
        latest.pop(pair, None)
        if accept is not None:
            latest[pair] = accept == "1"
    return latest


def kept_decisions() -> DecisionStore:
    """The user's file, or the log of the database that servers share."""
    return DecisionStore(workspace() / FILE, shared_log(LOG))
