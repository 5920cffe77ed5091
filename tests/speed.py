"""How long work takes, in seconds of one known machine: how slow or busy this machine is does not matter."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np

Outcome = TypeVar("Outcome")
REFERENCE = 0.1  # seconds of the processor that `reference_work` takes on the known machine


def reference_work() -> None:
    """What most of the package does: texts, dictionaries, JSON and arrays."""
    names = [f"query-{at % 997} document-{at}" for at in range(20_000)]
    queries: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        queries.setdefault(name.partition(" ")[0], []).append(at)
    json.loads(json.dumps({name: at for at, name in enumerate(names)}))
    sorted(names)
    np.argsort(np.unique((np.arange(150_000) * 7919) % 100_003))


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of the processor, all threads together, without collecting the garbage that other tests left."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        if collecting:
            gc.enable()


@cache
def quickest() -> float:
    """How many times as long as on the known machine the reference work takes here at least."""
    return min(processor_seconds(reference_work) for _ in range(3)) / REFERENCE


def quick(work: Callable[[], Outcome], most: float, tries: int = 3) -> Outcome:
    """The outcome of the work. Fails if it takes more than `most` seconds of the known machine, each time it is tried.

    Where the work would take longer than that with this machine at its best, the reference work is measured again: the
    machine may be busy. Choose `most` a few times as long as the work takes: what it guards against, such as time that
    grows with the square of the size, takes many times as long.
    """
    outcomes: list[Outcome] = []
    taken: list[float] = []
    machine = quickest()
    for _ in range(tries):
        seconds = processor_seconds(lambda: outcomes.append(work()))
        if seconds > most * machine:
            machine = max(machine, *(processor_seconds(reference_work) / REFERENCE for _ in range(2)))
        taken.append(seconds / machine)
        if taken[-1] <= most:
            break
    print(f"\n{', '.join(f'{seconds:.3f}' for seconds in taken)} s of the known machine, of {most} s at most")
    assert taken[-1] <= most, f"took {taken} seconds of the known machine"
    return outcomes[-1]
