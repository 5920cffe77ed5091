"""The loop of a worker: take a job, do it, say how far it is, look whether people want it to stop."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any, Protocol

from ragdash.core.console import print_note
from ragdash.core.errors import InputError
from ragdash.core.storage.protocols import JobQueue, JobRecord

LEASE = 15.0  # seconds after which a worker that is silent has ended
LOOK = 0.5  # seconds between two looks at the job while it is done
IDLE = 0.5  # seconds between two looks at the queue
AGAIN = ("unusable-database/away", "unusable-database/busy", "unusable-database/pool")  # what goes by itself
GREET = 15.0  # seconds between two signs of life


@dataclass(frozen=True)
class Lease:
    """A job that is ours for now. owner: of everything that is done for it; cancel: set when it has to stop.

    keeps: whether a result may be kept now: not where another worker has the job, or is to get it.
    """

    job: JobRecord
    owner: str
    progress: Callable[[Mapping[str, Any]], None]
    cancel: Event
    keeps: Callable[[], bool]


class DoJob(Protocol):
    """Does a job of one kind; its result, with "report" or "problems". Returns early where `cancel` is set."""

    def __call__(self, lease: Lease) -> Mapping[str, Any]: ...


class JobWorker:
    """Does the jobs of a queue, one after the other.

    Parameters
    ----------
    queue
        Where they are.
    kinds
        How each kind is done.
    ended
        Set when the worker has to stop: calls in flight are awaited, and the job is given back for another worker.
    lease
        Seconds that a job is ours without a sign of life.
    """

    def __init__(self, queue: JobQueue, kinds: Mapping[str, DoJob], ended: Event, *, lease: float = LEASE):
        self._queue, self._kinds, self._ended, self._lease = queue, kinds, ended, lease
        self._id = secrets.token_hex(8)
        self._greeted = float("-inf")

    def run(self, once: bool = False) -> int:
        """Work until `ended` is set, or with `once` until nothing waits; the number of jobs that were done.

        A database that does not answer is waited for.
        """
        done = 0
        try:
            while not self._ended.is_set():
                try:
                    worked = self._next()
                except InputError as error:
                    if once:
                        raise
                    print_note(f"worker: {error}")
                    self._ended.wait(LOOK * 10)
                    continue
                done += worked
                if not worked and once:
                    return done
                if not worked:
                    self._ended.wait(IDLE)
        finally:
            self._queue.leave(self._id)
        return done

    def _next(self) -> bool:
        """Do one job; False where nothing waits."""
        self._greet()
        if stalled := self._queue.sweep():
            print_note(f"worker: jobs whose worker had ended: {stalled}")
        owner = f"{self._id}-{secrets.token_hex(8)}"
        job = self._queue.lease(list(self._kinds), owner, self._lease)
        if job is None:
            return False
        print_note(f"worker: job {job.id} ({job.kind}) begun")
        cancel, newest = Event(), _Newest()
        finished, wanted = Event(), Event()  # wanted: people asked for the end, else this worker ends

        def keeps() -> bool:
            return (wanted.is_set() or not cancel.is_set()) and \
                self._queue.beat(job.id, owner, self._lease) is not None

        lease = Lease(job, owner, newest.put, cancel, keeps)
        watcher = Thread(target=self._watch, args=(lease, newest, finished, wanted), daemon=True)
        watcher.start()
        try:
            result = self._kinds[job.kind](lease)
        except InputError as error:
            result = {"problems": [problem.as_dict() for problem in error.problems]}
        finally:
            finished.set()
            watcher.join()
        self._finish(lease, result, wanted.is_set())
        return True

    def _finish(self, lease: Lease, result: Mapping[str, Any], wanted: bool) -> None:
        """Say what came of a job; one that met a database that did not answer for a moment is given back."""
        report = result.get("report") or result
        problems = [problem["message"] for problem in report.get("problems", ())]
        state = "failed" if "problems" in result or report.get("stopped") == "error" else "done"
        if lease.cancel.is_set() or (state == "failed" and set(problems) & set(AGAIN)):
            state = "canceled" if wanted else "waiting"
        ours = self._queue.finish(lease.job.id, lease.owner, state, result)
        print_note(f"worker: job {lease.job.id} {state if ours else 'is another worker’s by now'}")

    def _watch(self, lease: Lease, newest: _Newest, finished: Event, wanted: Event) -> None:
        """Keep the job while it is done; stop it where people or the end of this worker want that."""
        renewed, silent = time.monotonic(), None
        while not finished.wait(LOOK):
            progress = newest.get()
            if progress is None and time.monotonic() - renewed > self._lease / 3:
                progress = newest.last
            try:
                self._greet()
                asked = self._queue.beat(lease.job.id, lease.owner, self._lease, progress)
                silent = None
            except InputError:  # the database is away: the job is another worker's when the lease has ended
                silent = silent or time.monotonic()
                asked = 0 if time.monotonic() - silent < self._lease else None
            if progress is not None:
                renewed = time.monotonic()
            if asked:
                wanted.set()
            if asked or asked is None or self._ended.is_set():
                lease.cancel.set()

    def _greet(self) -> None:
        if time.monotonic() - self._greeted > GREET:
            self._greeted = time.monotonic()
            self._queue.greet(self._id, f"{socket.gethostname()} {os.getpid()}")


class _Newest:
    """The newest progress; threads share it."""

    def __init__(self) -> None:
        self.last: Mapping[str, Any] = {}
        self._new, self._lock = False, Lock()

    def put(self, progress: Mapping[str, Any]) -> None:
        with self._lock:
            self.last, self._new = progress, True

    def get(self) -> Mapping[str, Any] | None:
        """What was put there since the last call; None where nothing was."""
        with self._lock:
            new, self._new = self._new, False
            return self.last if new else None
