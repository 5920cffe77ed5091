"""How often pages were drawn, and how long that took."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

LIMITS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds


class Reruns:
    """Counts script runs by their duration. Threads may share it."""

    def __init__(self) -> None:
        self._counts, self._seconds, self._lock = [0] * (len(LIMITS) + 1), 0.0, Lock()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the block as a run, however it ends."""
        started = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - started
            with self._lock:
                self._counts[bisect_left(LIMITS, seconds)] += 1
                self._seconds += seconds

    def lines(self) -> list[str]:
        """A histogram in the text format of Prometheus."""
        with self._lock:
            counts, seconds = list(self._counts), self._seconds
        total, lines = 0, ["# TYPE ragdash_rerun_seconds histogram"]
        for limit, count in zip((*map(str, LIMITS), "+Inf"), counts, strict=True):
            total += count
            lines.append(f'ragdash_rerun_seconds_bucket{{le="{limit}"}} {total}')
        return [*lines, f"ragdash_rerun_seconds_sum {seconds:.6f}", f"ragdash_rerun_seconds_count {total}"]


RERUNS = Reruns()
"""Those of this server."""
