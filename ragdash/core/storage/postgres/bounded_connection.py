"""A connection to PostgreSQL that is given up where the server is silent for too long."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import psycopg
from psycopg.waiting import Ready


class BoundedConnection(psycopg.Connection):
    """A server process that hangs keeps its connection open: neither keepalives nor timeouts of TCP notice it."""

    silence: Callable[[], float]
    """Seconds that the server may say nothing, as it is to be now."""

    def wait(self, gen: Generator[Any, Any, Any], *rest: Any, **options: Any) -> Any:
        """As psycopg, for at most as long as the server is silent."""
        return super().wait(self._bounded(gen), *rest, **options)

    def _bounded(self, steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """The same steps; OperationalError, on a closed connection, once none has gone on for long enough."""
        try:
            expected = next(steps)
            last = time.monotonic()
            while True:
                ready = yield expected
                if ready != Ready.NONE:
                    last = time.monotonic()
                elif time.monotonic() - last > (most := self.silence()):
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer for {most:g} seconds")
                expected = steps.send(ready)
        except StopIteration as end:
            return end.value
