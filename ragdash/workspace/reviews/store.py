"""The store of reviews: append-only, shared by several processes and tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.core.storage.protocols import EventLog, LogRow, LogWriter
from ragdash.core.storage.shared import shared_log
from ragdash.workspace.reviews.events import Event, Reviews, check_events, holding
from ragdash.workspace.reviews.review_file import ReviewFile

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

    Where the user's workspace is a database, the events are in it. `log` names another place.
    Events are kept under the digest of their truth: what was said of one state of the judgments is not taken for what
    holds of another. All calls raise InputError where the file cannot be read or written (full disk, no permission);
    a broken file is set aside under another name, and every snapshot says so as long as it lies there.
    """

    folder: Path | None = None
    name: str = FILE
    log: EventLog | None = field(default=None, compare=False)

    @property
    def path(self) -> Path:
        """The file, where it is one."""
        return (self.folder or workspace()) / self.name

    @property
    def location(self) -> str:
        """Where the events are, for people: the path of the file, or the address of the database."""
        return self._events.location

    @property
    def _events(self) -> EventLog:
        shared = None if self.folder else shared_log(Path(self.name).stem)
        return self.log or shared or ReviewFile(self.path)

    def add(self, truth: str, events: Sequence[Event] | Callable[[Reviews], Sequence[Event]]) -> tuple[Event, ...]:
        """Keep events of a truth (its digest), all or none; returns them with their ids once they are on the disk.

        A function makes them of what holds, and nobody else adds any in between. It may be called more than once.
        """
        given = None if callable(events) else _new(truth, events)

        def work(writer: LogWriter) -> list[Event]:
            if given is not None:
                return _add(writer, given)
            holds = Reviews(truth, holding([_event(row) for row in writer.rows(truth)]))
            return _add(writer, _new(truth, events(holds)))

        return tuple(self._events.write(work))

    def undo(self, truth: str, id: str, when: str = "", by: str = "") -> Event:
        """Take one event back: what held before it holds again. An undo can be undone. InputError for an unknown id."""
        event = Event("undo", "", id, when=when, by=by)
        check_events([event])

        def work(writer: LogWriter) -> Event:
            if not writer.has(truth, id):
                raise InputError([Problem("unknown-review", {"id": id}, self.location)])
            return _add(writer, [(truth, event)])[0]

        return self._events.write(work)

    def read(self, truth: str) -> Reviews:
        """What holds for a truth."""
        return Reviews(truth, holding(self.history(truth)), self._events.problems())

    def history(self, truth: str) -> tuple[Event, ...]:
        """Every event of a truth, undone ones and undos among them, in order."""
        return tuple(map(_event, self._events.rows(truth)))

    def truths(self) -> dict[str, int]:
        """Digest of each truth that has events, and how many of any kind."""
        return self._events.keys()

    def stamp(self) -> str:
        """Changes with every event kept: part of the key of whatever keeps a snapshot. "" for an empty store."""
        return self._events.stamp()

    def take_in(self, rows: Sequence[tuple[str, Event]]) -> Imported:
        """Keep (truth, event) from elsewhere, behind what is there, all or none; known ids are passed over."""
        check_events([event for _, event in rows])

        def work(writer: LogWriter) -> Imported:
            truths = dict.fromkeys(truth for truth, _ in rows)
            values_before = {truth: _values(writer, truth) for truth in truths}
            new_count = len(_add(writer, rows))
            values_after = {truth: _values(writer, truth) for truth in truths}
            replaced = sum(
                values_after[truth].get(key) != value for truth in truths for key, value in values_before[truth].items()
            )
            return Imported(new_count, len(rows) - new_count, replaced)

        return self._events.write(work)


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
        """The file, where it is one."""
        return self._store.path

    @property
    def location(self) -> str:
        """Where it is, for people: the path of the file, or the address of the database."""
        return self._store.location

    def problems(self, digest: str) -> tuple[Problem, ...]:
        """What became of the file; digest: what its events are kept under."""
        return self._store.read(digest).problems

    def stamp(self) -> str:
        """Changes with everything that is kept."""
        return self._store.stamp()


def _new(truth: str, events: Sequence[Event]) -> list[tuple[str, Event]]:
    """Events to be kept, with ids that are yet to be made; InputError for one that cannot be."""
    check_events(events)
    if any(event.kind == "undo" for event in events):
        raise InputError([Problem("bad-review/undo")])
    return [(truth, replace(event, id="")) for event in events]


def _add(writer: LogWriter, rows: Sequence[tuple[str, Event]]) -> list[Event]:
    """Add (truth, event); those whose id is there are passed over. Returns the new ones with their ids."""
    added = []
    for truth, event in rows:
        values = (event.kind, event.query_id, event.value, event.run, event.doc_id, event.when, event.by)
        if id := writer.add(truth, values, event.id):
            added.append(replace(event, id=id))
    return added


def _event(row: LogRow) -> Event:
    return Event(*(value or "" for value in row.values), id=row.id)


def _values(writer: LogWriter, truth: str) -> dict[tuple, str]:
    return {event.key: event.value for event in holding([_event(row) for row in writer.rows(truth)])}
