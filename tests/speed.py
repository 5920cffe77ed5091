"""How long work takes, in seconds of one known machine: how slow or busy this machine is does not matter."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
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


def quick(work: Callable[[], Outcome], most: float, tries: int = 3) -> Outcome:
    """The outcome of the work. Fails if it takes more than `most` seconds of the known machine, each time it is tried.

    The reference work is measured before and after it. Choose `most` a few times as long as the work takes: what it
    guards against, such as time that grows with the square of the size, takes many times as long.
    """
    outcomes: list[Outcome] = []
    taken: list[float] = []
    for _ in range(tries):
        before = processor_seconds(reference_work)
        seconds = processor_seconds(lambda: outcomes.append(work()))
        machine = max(before, processor_seconds(reference_work)) / REFERENCE
        taken.append(seconds / machine)
        if taken[-1] <= most:
            break
    print(f"\n{', '.join(f'{seconds:.3f}' for seconds in taken)} s of the known machine, of {most} s at most")
    assert taken[-1] <= most, f"took {taken} seconds of the known machine"
    return outcomes[-1]
