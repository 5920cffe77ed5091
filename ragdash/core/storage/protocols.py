"""What a store must do, so that it can be a folder on one machine or a database of several servers.

An event log carries reviews, labels, decisions and saved views. Blobs carry runs and truths. Jobs are work for
`ragdash worker`. The catalogue is described
in `ragdash.workspace.protocols`; the verdicts of judges have the methods of `ragdash.models.judge.VerdictStore`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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
    """Events that are only ever added, but for `erase`. Any number of processes and threads may share it.

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

    def erase(self, change: Callable[[LogRow], Sequence[str | None] | None]) -> int:
        """Delete or change events for good, for the rights of a person; how many.

        `change` returns the values that an event shall have: the same ones leave it as it is, None deletes it. Numbers
        stay, with gaps. The stamp is another one where anything changed. Earlier states cannot be read again. `change`
        may be called more than once.
        """
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

    def names(self, folder: str) -> list[str]:
        """The names below a folder, such as "a/b" for "a"; for a folder with few of them."""
        ...

    def check(self) -> None:
        """Raise InputError unless a content can be written, read and deleted."""
        ...


class Files(Protocol):
    """Small contents under names of letters, digits, "-" and "_", such as sets of drafts; each is replaced as a whole.

    All raise InputError where they cannot be used.
    """

    @property
    def location(self) -> str:
        """Where they are, for people: a folder, or the address of a database without its password."""
        ...

    def put(self, name: str, content: bytes) -> None:
        """Keep a content; one of the same name is replaced."""
        ...

    def change(self, name: str, work: Callable[[bytes | None], bytes | None]) -> None:
        """Keep what `work` makes of the content, None for none; nobody else changes it in between.

        What `work` raises changes nothing. It may be called more than once.
        """
        ...

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        ...

    def names(self) -> dict[str, float]:
        """{name: when it was written, in seconds since 1970}, the newest first."""
        ...

    def delete(self, name: str) -> None:
        """Delete a content; nothing where there is none."""
        ...

    def stamp(self) -> int | None:
        """Rises with every change of any process; None where reading again costs no more than asking."""
        ...


@dataclass(frozen=True)
class JobRecord:
    """A job as the queue knows it.

    Parameters
    ----------
    id, kind
        Its name, and what kind of work it is.
    body
        What is to be done: made by whoever put it there, read by the worker. Never a secret.
    state
        "waiting", "running", "done", "failed" or "canceled".
    upload
        The upload with its files; "" for none.
    progress, result
        What the worker says while it works, and at the end.
    cancel
        What people asked for: 0 nothing, 1 to stop after the requests in flight, 2 at once.
    attempts
        How many workers have begun it since it last got further.
    lost
        Calls that were in flight as a worker ended without a word: they may have been paid without a reply.
    seconds
        Since it was put into the queue.
    """

    id: str
    kind: str
    body: Mapping[str, Any]
    state: str
    upload: str
    progress: Mapping[str, Any]
    result: Mapping[str, Any]
    cancel: int
    attempts: int
    lost: int
    seconds: float

    @property
    def active(self) -> bool:
        """Whether it waits for a worker or has one."""
        return self.state in ("waiting", "running")


class JobQueue(Protocol):
    """Work for other processes. A worker has a job for some seconds at a time, and says again and again that it lives.

    Times are those of the queue, not of the servers. All raise InputError where the queue cannot be used.
    """

    def enqueue(self, kind: str, key: bytes, body: Mapping[str, Any], upload: str = "") -> tuple[str, bool]:
        """Put a job there; (its id, True). The same work that waits or runs already is not put there again: False."""
        ...

    def lease(self, kinds: Sequence[str], owner: str, seconds: float) -> JobRecord | None:
        """Take the oldest waiting job for some seconds; None where nothing waits. No other worker gets it meanwhile.

        owner: a name that no other attempt has.
        """
        ...

    def beat(self, id: str, owner: str, seconds: float, progress: Mapping[str, Any] | None = None) -> int | None:
        """Keep a job for some more seconds, and say how far it is ("done"); `cancel` of the job. None: it is no longer
        ours.
        """
        ...

    def finish(self, id: str, owner: str, state: str, result: Mapping[str, Any]) -> bool:
        """End a job ("done", "failed", "canceled"), or give it back ("waiting"); False where it is no longer ours."""
        ...

    def cancel(self, id: str, at_once: bool = False) -> None:
        """Ask the worker to stop, or end the job without waiting for the worker. One that has ended stays as it is."""
        ...

    def sweep(self) -> int:
        """Let other workers take the jobs whose worker has been silent for too long; how many.

        After three attempts in a row without progress a job has failed. Calls in flight are counted.
        """
        ...

    def find(self, id: str) -> JobRecord | None:
        """The job whose id begins so; None where several do."""
        ...

    def listed(self, kind: str | None = None, limit: int = 50) -> list[JobRecord]:
        """Jobs of a kind (None: of every kind), the newest first."""
        ...

    def counts(self) -> dict[str, int]:
        """How many jobs are in each state."""
        ...

    def greet(self, worker: str, place: str) -> None:
        """Say that a worker lives, and where."""
        ...

    def leave(self, worker: str) -> None:
        """Say that a worker has ended."""
        ...

    def workers(self) -> list[str]:
        """Where the workers are that reported within the last minute."""
        ...
