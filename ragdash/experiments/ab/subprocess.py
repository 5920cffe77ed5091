"""A command as a process: what it prints arrives with its time, and it ends with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, Full, Queue

from ragdash.core.errors import shorten

MOST = 16 << 20  # bytes of an answer
CHUNK = 1 << 16  # bytes read at once
HELD = 64  # chunks that wait to be looked at; then the command waits
TAIL = 2000  # bytes of standard error that are kept
POLL = 0.1  # seconds between two looks whether to stop
GRACE = 2.0  # seconds in which what an ended command left running may still print


class Failed(Exception):
    """A query without an answer. kind: a stable word; words: what was found, for people."""

    def __init__(self, kind: str, words: str):
        super().__init__(words)
        self.kind, self.words = kind, words


class Stopped(Exception):
    """The asking was stopped before there was an answer."""


def kill_group(process: subprocess.Popen) -> None:
    """End a command that was started with a session of its own, and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class Child:
    """A running command, in a process group of its own. Raises Failed where it cannot be started.

    rest: what it printed behind the last line that was taken; warm: whether it has been warmed up.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]):
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                env=dict(environment), start_new_session=os.name == "posix")
        except (OSError, ValueError) as error:  # ValueError: a sign that no command line can hold
            reason = getattr(error, "strerror", None) or str(error)
            raise Failed("not-started", f"a command that cannot be started ({reason})") from None
        self._arrived: Queue[tuple[float, bytes]] = Queue(HELD)
        self._errors = bytearray()
        self._ended = self._over = self.warm = False
        self.rest = bytearray()
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._listen, self._overhear)]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes, last: bool = False) -> None:
        """Write to its standard input without waiting for it to read; last: nothing follows."""
        threading.Thread(target=self._write, args=(data, last), daemon=True).start()

    def _write(self, data: bytes, last: bool) -> None:
        with suppress(OSError, ValueError):  # it does not read, or has ended: its output says why
            left = memoryview(data)
            while left:
                left = left[self._process.stdin.write(left):]
            if last:
                self._process.stdin.close()

    def _listen(self) -> None:
        with self._process.stdout as pipe, suppress(OSError, ValueError):
            while data := pipe.read(CHUNK):
                self._put(data)
        self._put(b"")

    def _put(self, data: bytes) -> None:
        arrived = time.monotonic(), data
        while not self._ended:
            with suppress(Full):
                return self._arrived.put(arrived, timeout=POLL)

    def _overhear(self) -> None:
        with self._process.stderr as pipe, suppress(OSError, ValueError):
            while data := pipe.read(CHUNK):
                self._errors += data
                del self._errors[:-TAIL]

    def chunk(self, deadline: float, stopped: Callable[[], bool]) -> tuple[float, bytes]:
        """(when it came, what was printed); b"" at the end. Raises Failed at the deadline, Stopped on request."""
        exit_status = None
        while True:
            with suppress(Empty):
                arrived, data = self._arrived.get(timeout=max(min(POLL, deadline - time.monotonic()), 0.001))
                self._over = self._over or not data
                return arrived, data
            clock = time.monotonic()
            if stopped():
                raise Stopped
            if clock >= deadline:
                raise Failed("timeout", f"no answer in time{self.complaint()}")
            if self._process.poll() is not None:  # something that it started holds the pipe
                exit_status = exit_status or clock
                if clock - exit_status > GRACE:
                    self._kill()
                if clock - exit_status > 2 * GRACE:
                    return exit_status, b""

    def waiting(self) -> bytes:
        """What it has printed that nobody waited for."""
        with suppress(Empty):
            while True:
                _, data = self._arrived.get_nowait()
                self._over = self._over or not data
                self.rest += data
        return bytes(self.rest).strip()

    @property
    def over(self) -> bool:
        """Whether it has ended, or will print nothing more."""
        return self._over or self._process.poll() is not None

    def status(self, deadline: float, stopped: Callable[[], bool]) -> int:
        """Its exit status, awaited until the deadline; below 0: the signal that ended it."""
        while True:
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(max(min(POLL, deadline - time.monotonic()), 0.001))
            if stopped():
                raise Stopped
            if time.monotonic() >= deadline:
                raise Failed("timeout", f"an answer, but no end in time{self.complaint()}")

    def complaint(self) -> str:
        """The end of what it wrote to standard error, to be put behind a sentence."""
        if self.over:
            self._threads[1].join(0.5)
        text = bytes(self._errors).decode(errors="replace").strip()
        return f"; standard error ends: {shorten(text[-300:], 300)!r}" if text else ""

    def end(self, wait: float = 0.0) -> None:
        """End it and all that it started; wait: seconds in which it may end by itself, its input being closed."""
        if wait and self._process.poll() is None:
            self._write(b"", last=True)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
        self._ended = True
        if self._process.poll() is None or not self._over:
            self._kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(POLL * 5)
        with suppress(OSError):
            self._process.stdin.close()

    def _kill(self) -> None:
        kill_group(self._process)
