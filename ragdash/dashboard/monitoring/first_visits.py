"""First visits in turn: when a server ends, all its pages come to the others at once.

A first visit may read runs and compute what nobody asked for yet. A hundred at the same time would share one core, and
everybody's click would wait for all of them. So few are drawn at a time; the others wait, and clicks do not.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from threading import Event, Lock

AT_ONCE = 3  # first visits of a server
PATIENCE = 5.0  # seconds in which none was drawn: then one more is let in, as those inside may read large runs
_VISITED = "_visited"  # in the state of a session


class FirstVisits:
    """Lets a few first visits in at a time, in the order in which they came. Threads may share it."""

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE):
        self._at_once, self._patience = at_once, patience
        self._lock, self._waiting, self._inside = Lock(), deque[Event](), 0
        self._moved = time.monotonic()  # when a visit was last let in or drawn

    @contextmanager
    def in_turn(self, session: MutableMapping) -> Iterator[None]:
        """Wait for a place before the first run of a session; later runs do not wait."""
        if _VISITED in session:
            yield
            return
        session[_VISITED] = True
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        """Wait until the visits before this one are inside and there is a place, or none was drawn for a while."""
        turn = Event()  # set where the first of the waiting should look again
        with self._lock:
            self._waiting.append(turn)
        while True:
            with self._lock:
                is_first = self._waiting[0] is turn
                left = self._moved + self._patience - time.monotonic()
                if is_first and (self._inside < self._at_once or left <= 0):
                    self._waiting.popleft()
                    self._inside += 1
                    self._call_next()
                    return
                turn.clear()
            turn.wait(left if is_first else None)

    def _leave(self) -> None:
        with self._lock:
            self._inside -= 1
            self._call_next()

    def _call_next(self) -> None:
        """Something has moved: the first of the waiting looks again. The lock is held."""
        self._moved = time.monotonic()
        if self._waiting:
            self._waiting[0].set()


FIRST_VISITS = FirstVisits()
"""Those of this server."""
