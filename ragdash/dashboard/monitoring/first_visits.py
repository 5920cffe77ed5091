"""First visits in turn: when a server ends, all its pages come to the others at once.

A first visit may read runs and compute what nobody asked for yet. A hundred at the same time would share one core, and
everybody's click would wait for all of them. So few are drawn at a time; the others wait, and clicks do not.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from threading import BoundedSemaphore

AT_ONCE = 3  # first visits of a server
PATIENCE = 5.0  # seconds; then a visit is drawn all the same: those before it may read large runs
_VISITED = "_visited"  # in the state of a session


class FirstVisits:
    """Lets a few first visits in at a time. Threads may share it."""

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE):
        self._places, self._patience = BoundedSemaphore(at_once), patience

    @contextmanager
    def in_turn(self, session: MutableMapping) -> Iterator[None]:
        """Wait for a place before the first run of a session; later runs do not wait."""
        has_place = False
        if _VISITED not in session:
            session[_VISITED] = True
            has_place = self._places.acquire(timeout=self._patience)
        try:
            yield
        finally:
            if has_place:
                self._places.release()


FIRST_VISITS = FirstVisits()
"""Those of this server."""
