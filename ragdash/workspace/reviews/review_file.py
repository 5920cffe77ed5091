"""An SQLite file of reviews as an event log: `ragdash.workspace.reviews.event_file` says how it is kept safe."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from ragdash.core.errors import Problem
from ragdash.core.storage.protocols import LogRow
from ragdash.core.storage.sqlite_file import has_content, unwritable_text
from ragdash.workspace.reviews.event_file import (
    COLUMNS,
    add_rows,
    erase_rows,
    erasures,
    set_aside,
    shorten_log,
    with_file,
)
from ragdash.workspace.reviews.events import Event

T = TypeVar("T")
_SELECT = f"select number, truth, {', '.join(COLUMNS)} from events"
_EVERY = 2 ** 62


class ReviewFile:
    """The file, which is opened and closed by every call; a reader of one that is not there finds nothing."""

    def __init__(self, path: Path):
        self.path = path

    @property
    def location(self) -> str:
        """The path."""
        return str(self.path)

    def rows(self, key: str | None = None, until: int | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order; until: those up to this number."""
        try:
            return with_file(self.path, lambda db: [] if db is None else _rows(db, key, until))
        except UnicodeEncodeError:
            return []  # the file cannot have such a key

    def keys(self) -> dict[str, int]:
        """How many events each key has, the key with the newest event last."""
        def work(db: sqlite3.Connection | None) -> dict[str, int]:
            return {} if db is None else dict(db.execute("select truth, count(*) from events group by truth "
                                                         "order by max(number)"))

        return with_file(self.path, work)

    def stamp(self) -> str:
        """Changes with every event; "" for an empty file."""
        def work(db: sqlite3.Connection | None) -> tuple[str, int]:
            row = db and db.execute("select id from events order by number desc limit 1").fetchone()
            return row[0] if row else "", erasures(db) if db is not None else 0

        stamp, erased = with_file(self.path, work)
        broken = len(set_aside(self.path))
        return "-".join(map(str, (stamp, *([broken] if broken or erased else ()), *([erased] if erased else ()))))

    def write(self, work: Callable[[ReviewFileWriter], T]) -> T:
        """What `work` returns; what it adds is added all together or not at all."""
        try:
            return with_file(self.path, lambda db: work(ReviewFileWriter(db)), write=True)
        except UnicodeEncodeError as error:
            raise unwritable_text(self.location, error) from None

    def erase(self, change: Callable[[LogRow], Sequence[str | None] | None]) -> int:
        """Delete or change events for good; how many. The bytes of the file are overwritten."""
        def work(db: sqlite3.Connection | None) -> int:
            rows = [] if db is None else _rows(db, None, None)
            changed = [(row.number, values) for row in rows
                       if (values := change(row)) is None or tuple(values) != row.values]
            if db is not None and changed:
                erase_rows(db, changed)
            return len(changed)

        if not has_content(self.path):
            return 0
        count = with_file(self.path, work, write=True)
        if count:
            shorten_log(self.path)
        return count

    def problems(self) -> tuple[Problem, ...]:
        """The broken files that were set aside next to this one."""
        return tuple(Problem("broken-reviews", {}, str(path), severity="warning") for path in set_aside(self.path))


class ReviewFileWriter:
    """The file within a transaction."""

    def __init__(self, db: sqlite3.Connection):
        self._db = db

    def rows(self, key: str | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order."""
        return _rows(self._db, key, None)

    def has(self, key: str, id: str) -> bool:
        """Whether there is an event of this key and id."""
        return self._db.execute("select 1 from events where truth = ? and id = ?", (key, id)).fetchone() is not None

    def add(self, key: str, values: Iterable[str | None], id: str = "") -> str | None:
        """Add an event; returns its id. None where the file has one of this id already."""
        added = add_rows(self._db, [(key, Event(*(value or "" for value in values), id=id))])
        return added[0].id if added else None


def _rows(db: sqlite3.Connection, key: str | None, until: int | None) -> list[LogRow]:
    where, which = ("where truth = ? and", (key,)) if key is not None else ("where", ())
    return [LogRow(number, truth, values[-1], tuple(values[:-1])) for number, truth, *values in db.execute(
        f"{_SELECT} {where} number <= ? order by number", (*which, _EVERY if until is None else until))]
