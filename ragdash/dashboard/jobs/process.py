"""Processes that pages have started: one at a time for the whole server, seen by every session."""

from __future__ import annotations

import atexit
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import orjson

from ragdash.core.errors import Problem
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.evaluation.scoring.score_worker import Worker


class JobView(Protocol):
    """A job as pages show it, whether a process of this server does it or a worker elsewhere."""

    key: tuple
    names: tuple[str, ...]
    details: Mapping[str, Any]
    began: float
    id: str

    @property
    def running(self) -> bool:
        """Whether it is at work, or will be."""
        ...

    @property
    def waiting(self) -> bool:
        """Whether nobody works at it yet."""
        ...

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked for its end."""
        ...

    @property
    def messages(self) -> Mapping[str, Any]:
        """What it says: "plan", "progress", and at the end "report" or "problems"."""
        ...

    @property
    def failed(self) -> str | None:
        """Why it came to nothing, in words; None where the messages say so, or it did not fail."""
        ...

    @property
    def remarks(self) -> Sequence[Problem]:
        """What people should know of it besides."""
        ...


@dataclass(eq=False)
class Job:
    """A process at work, or one that has ended. key: what it is about; names: of its runs; about: what pages say about
    it, never a secret.
    """

    worker: Worker
    folder: tempfile.TemporaryDirectory
    key: tuple
    names: tuple[str, ...]
    details: dict = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def running(self) -> bool:
        return self.worker.running

    @property
    def waiting(self) -> bool:
        return False

    @property
    def cancelled(self) -> bool:
        return self.worker.cancelled

    @property
    def messages(self) -> Mapping[str, Any]:
        return self.worker.messages

    @property
    def failed(self) -> str | None:
        return self.worker.failed

    @property
    def remarks(self) -> Sequence[Problem]:
        return ()

    def finish(self) -> None:
        """Ask it to stop after what is on its way."""
        if self.running:
            self.worker.cancelled = True
            self.worker.process.terminate()

    def cancel(self, wait: float = 10.0) -> None:
        """Stop it; it is killed if it has not ended after `wait` seconds."""
        self.worker.cancel(wait)

    def end(self, wait: float = 10.0) -> None:
        """Stop it where it runs, and take away its files."""
        self.cancel(wait)
        self.folder.cleanup()


def write_rows(path: Path, rows: Iterable[dict]) -> str:
    """Write what a process is to read as JSON lines; returns the path."""
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return str(path)


class JobSlot:
    """Room for one process. name: of its folder."""

    def __init__(self, name: str):
        self._name, self._lock, self._job = name, threading.Lock(), None
        atexit.register(self.forget)

    def current(self) -> Job | None:
        """The process at work, or the last one that was."""
        return self._job

    def start(self, key: tuple, names: tuple[str, ...], begin: Callable[[Path], Worker],
              details: dict | None = None) -> bool:
        """Start a process; False where one is at work already. begin: writes its files into a folder of its own and
        starts it.
        """
        with self._lock:
            if self._job is not None and self._job.running:
                return False
            self.forget()
            self._job = start_job(self._name, key, names, begin, details)
            return True

    def forget(self) -> None:
        """Take away what the last process left behind, itself too where it runs."""
        if self._job is not None:
            self._job.end()
        self._job = None


def start_job(name: str, key: tuple, names: tuple[str, ...], begin: Callable[[Path], Worker],
            details: dict | None = None) -> Job:
    """A process with a folder of its own, which goes away where it cannot be started."""
    with ExitStack() as undo:
        folder = temporary_folder(name)
        undo.callback(folder.cleanup)
        job = Job(begin(Path(folder.name)), folder, key, names, details or {})
        undo.pop_all()
        return job
