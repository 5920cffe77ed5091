"""What an engine is, and the one of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ragdash.core.errors import InputError

Shard = TypeVar("Shard")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Task(Generic[Shard, Result]):
    """What is done with each shard, and what that needs.

    Parameters
    ----------
    work
        A function of a shard. For another machine it must be picklable: a function of a module, or an object with
        `__call__` that loads what is large when it is first called. A worker keeps it from one shard to the next.
    cores, gpus
        What a call uses while it runs; less than 1 for one that waits for the network.
    repeatable
        Whether a shard may be done again where its worker was killed.

    Examples
    --------
    >>> Task(len).cores
    1.0
    """

    work: Callable[[Shard], Result]
    cores: float = 1.0
    gpus: float = 0.0
    repeatable: bool = True


class Engine(Protocol):
    """Does a task for many shards. name: of ENGINES."""

    name: str

    def map(self, task: Task[Shard, Result], shards: Iterable[Shard]) -> Iterator[Result]:
        """The result of each shard, in the order of the shards.

        Closing the iterator cancels what is under way. Only a few results are held at a time, whatever the number of
        shards. Raises InputError for what a user can fix, and whatever the task raises.
        """
        ...


class WorkerLost(InputError):
    """The process that did a shard was killed, and the shard may not be done again, or was tried often enough."""


class LocalEngine:
    """The engine of this process: one shard after another.

    Examples
    --------
    >>> list(LocalEngine().map(Task(sum), [[1, 2], [3]]))
    [3, 3]
    """

    name = "local"

    def map(self, task: Task[Shard, Result], shards: Iterable[Shard]) -> Iterator[Result]:
        """The result of each shard, computed when it is asked for."""
        return (task.work(shard) for shard in shards)


LOCAL = LocalEngine()
