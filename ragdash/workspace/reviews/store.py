"""The store of reviews: append-only, shared by several processes and tabs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.workspace.reviews.event_file import SELECT, add_rows, set_aside, with_file
from ragdash.workspace.reviews.events import Event, Reviews, check_events, holding

FILE = "reviews.sqlite"


@dataclass(frozen=True)
class Imported:
    """added: events taken in; known: events that were there already; replaced: values that held and no longer do."""

    added: int
    known: int
    replaced: int


@dataclass(frozen=True)
class ReviewStore:
    """reviews.sqlite in a folder (default: the user's workspace), or `name` there. Every call opens and closes it.

    Events are kept under the digest of their truth: what was said of one state of the judgments is not taken for what
    holds of another. All calls raise InputError where the file cannot be read or written (full disk, no permission);
    a broken file is set aside under another name, and every snapshot says so as long as it lies there.
    """

    folder: Path | None = None
    name: str = FILE

    @property
    def path(self) -> Path:
        """The file."""
        return (self.folder or workspace()) / self.name

    def add(self, truth: str, events: Sequence[Event]) -> tuple[Event, ...]:
        """Keep events of a truth (its digest), all or none; returns them with their ids once they are on the disk."""
        check_events(events)
        if any(event.kind == "undo" for event in events):
            raise InputError([Problem("bad-review/undo")])
        new = [replace(event, id="") for event in events]
        return tuple(with_file(self.path, lambda db: add_rows(db, [(truth, event) for event in new]), write=True))

    def undo(self, truth: str, id: str, when: str = "", by: str = "") -> Event:
        """Take one event back: what held before it holds again. An undo can be undone. InputError for an unknown id."""
        event = Event("undo", "", id, when=when, by=by)
        check_events([event])

        def work(db: sqlite3.Connection) -> Event:
            if db.execute("select 1 from events where truth = ? and id = ?", (truth, id)).fetchone() is None:
                raise InputError([Problem("unknown-review", {"id": id}, str(self.path))])
            return add_rows(db, [(truth, event)])[0]

        return with_file(self.path, work, write=True)

    def read(self, truth: str) -> Reviews:
        """What holds for a truth."""
        return Reviews(truth, holding(self.history(truth)), self._problems())

    def history(self, truth: str) -> tuple[Event, ...]:
        """Every event of a truth, undone ones and undos among them, in order."""
        return with_file(self.path, lambda db: tuple(_events(db, truth)))

    def truths(self) -> dict[str, int]:
        """Digest of each truth that has events, and how many of any kind."""
        def work(db: sqlite3.Connection | None) -> dict[str, int]:
            return {} if db is None else dict(db.execute("select truth, count(*) from events group by truth "
                                                         "order by max(number)"))

        return with_file(self.path, work)

    def stamp(self) -> str:
        """Changes with every event kept: part of the key of whatever keeps a snapshot. "" for an empty store."""
        def work(db: sqlite3.Connection | None) -> str:
            row = db and db.execute("select id from events order by number desc limit 1").fetchone()
            return row[0] if row else ""

        stamp = with_file(self.path, work)
        broken = len(set_aside(self.path))
        return f"{stamp}-{broken}" if broken else stamp

    def take_in(self, rows: Sequence[tuple[str, Event]]) -> Imported:
        """Keep (truth, event) from elsewhere, behind what is there, all or none; known ids are passed over."""
        check_events([event for _, event in rows])

        def work(db: sqlite3.Connection) -> Imported:
            truths = dict.fromkeys(truth for truth, _ in rows)
            values_before = {truth: _values(db, truth) for truth in truths}
            new_count = len(add_rows(db, rows))
            values_after = {truth: _values(db, truth) for truth in truths}
            replaced = sum(
                values_after[truth].get(key) != value for truth in truths for key, value in values_before[truth].items()
            )
            return Imported(new_count, len(rows) - new_count, replaced)

        return with_file(self.path, work, write=True)

    def _problems(self) -> tuple[Problem, ...]:
        return tuple(Problem("broken-reviews", {}, str(path), severity="warning")
                     for path in set_aside(self.path))


@dataclass(frozen=True)
class EventStore:
    """A file in a folder (default: the user's workspace) for what else a person says, next to the reviews and
    kept as these are: only ever added to, the latest holds. InputError where it cannot be used, as in ReviewStore.
    """

    FILE: ClassVar[str]
    folder: Path | None = None

    @property
    def _store(self) -> ReviewStore:
        return ReviewStore(self.folder, self.FILE)

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    def problems(self, digest: str) -> tuple[Problem, ...]:
        """What became of the file; digest: what its events are kept under."""
        return self._store.read(digest).problems

    def stamp(self) -> str:
        """Changes with everything that is kept."""
        return self._store.stamp()


def _events(db: sqlite3.Connection | None, truth: str) -> list[Event]:
    if db is None:
        return []
    return [Event(*row[1:]) for row in db.execute(f"{SELECT} where truth = ? order by number", (truth,))]


def _values(db: sqlite3.Connection, truth: str) -> dict[tuple, str]:
    return {event.key: event.value for event in holding(_events(db, truth))}
