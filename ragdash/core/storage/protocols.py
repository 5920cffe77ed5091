"""What a store must do, so that it can be a folder on one machine or a database of several servers.

An event log carries reviews, labels, decisions and saved views. Blobs carry runs and truths. The catalogue is described
in `ragdash.workspace.protocols`; the verdicts of judges have the methods of `ragdash.models.judge.VerdictStore`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ragdash.core.errors import Problem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LogRow:
    """An event of a log.

    Parameters
    ----------
    number
        Its position: 1 for the first event of the log, one more for each later one. Numbers follow the order of
        commits: who has seen a number has seen every smaller one.
    key
        What the event is about, such as the digest of a truth. Any text.
    id
        A name that no other event of the log has. Empty in logs that give none.
    values
        The event itself: texts, None where there is none.
    """

    number: int
    key: str
    id: str
    values: tuple[str | None, ...]


class LogWriter(Protocol):
    """A log within one transaction: no other writer comes between reading and adding."""

    def rows(self, key: str | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order, those that were added in this transaction too."""
        ...

    def has(self, key: str, id: str) -> bool:
        """Whether there is an event of this key and id."""
        ...

    def add(self, key: str, values: Iterable[str | None], id: str = "") -> str | None:
        """Add an event; returns its id, made where none is given. None where the log has one of this id already."""
        ...


class EventLog(Protocol):
    """Events that are only ever added. Any number of processes and threads may share it.

    What `write` has added when it returns survives the end of every process and of the database server. It is added
    once, also where the connection was lost in between and the work was done again. All raise InputError where the log
    cannot be used.
    """

    @property
    def location(self) -> str:
        """Where it is, for people: a path, or the address of a database without its password."""
        ...

    def rows(self, key: str | None = None, until: int | None = None) -> list[LogRow]:
        """The events of a key (None: of all keys) in their order; until: those up to this number."""
        ...

    def keys(self) -> dict[str, int]:
        """How many events each key has, the key with the newest event last."""
        ...

    def stamp(self) -> str:
        """Changes with every event, ends in the number of the last one; "" for an empty log."""
        ...

    def write(self, work: Callable[[LogWriter], T]) -> T:
        """What `work` returns; what it adds is added all together or not at all. It may be called more than once."""
        ...

    def problems(self) -> tuple[Problem, ...]:
        """What people should know of the log, such as a broken file that was set aside."""
        ...


class Blobs(Protocol):
    """Contents under names of letters, digits, "-", "_", "." and "/". A name is written once and never changed."""

    @property
    def location(self) -> str:
        """Where they are, for people, without keys and passwords."""
        ...

    def put(self, name: str, content: bytes) -> None:
        """Keep a content, whole or not at all. Raises FileExistsError where the name is taken."""
        ...

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Delete contents; a name that is not there is ignored."""
        ...

    def check(self) -> None:
        """Raise InputError unless a content can be written, read and deleted."""
        ...
