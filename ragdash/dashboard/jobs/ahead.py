"""What pages ask for first, computed before they ask: in a process of its own, with the lowest priority.

A page that is shown offers its runs. The process gets them as files, computes with the functions of the pages, and
sends each result as it is ready; it is put where the pages look. No page waits for it. Where it is too late, the page
has computed the same.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from streamlit import runtime

from ragdash.core.records import Run, Truth
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.core.validation import is_switched_on
from ragdash.dashboard.jobs.ahead_results import Reader, adopt
from ragdash.dashboard.monitoring.short_memory import left_to_pages
from ragdash.dashboard.session import data_store
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.repeats import digests_of
from ragdash.workspace import parquet

VARIABLE = "RAGDASH_AHEAD"  # on where a server shall compute ahead, as `ragdash dashboard` sets it
SHARE = 8  # of the memory for loaded runs: what runs may take to be computed ahead
MOST_RUNS = 12
WAITING, REMEMBERED = 4, 256  # requests
DELAY = 0.5  # seconds after the page that offers them


@dataclass(frozen=True)
class AheadRequest:
    """What is to be computed.

    Parameters
    ----------
    runs
        Digest and name of each run shown.
    baseline
        Which of them is the baseline.
    scope
        What they are measured against.
    template, k
        Metric and cutoff of the sidebar: they come first.
    truth_names
        Files with judgments, where several are loaded.
    may_keep
        Whether values may be kept in the workspace.
    """

    runs: tuple[tuple[str, str], ...]
    baseline: int
    scope: Scope
    template: str
    k: int
    truth_names: tuple[str, ...]
    may_keep: bool

    @property
    def key(self) -> tuple:
        """Requests with the same key compute nearly the same: another baseline costs little."""
        return self.runs, self.scope.cache_key(), self.truth_names

    def includes(self, other: AheadRequest) -> bool:
        """Whether this is the other view with more runs, as files give it that are uploaded one after another."""
        return self.key[1:] == other.key[1:] and set(other.runs) < set(self.runs)


class AheadQueue:
    """Does requests one after another, the newest first, but for those that a newer one includes.

    start: begins the process of a request in a folder.
    """

    def __init__(self, start: Callable[[Path], subprocess.Popen]):
        self._start = start
        self._waiting: OrderedDict[tuple, AheadRequest] = OrderedDict()
        self._known: OrderedDict[tuple, None] = OrderedDict()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._current: tuple[AheadRequest, subprocess.Popen] | None = None

    def offer(self, request: AheadRequest, *, starts: bool = True) -> bool:
        """Note a request, unless it was noted before; returns at once, whether it is new. starts: also do it."""
        key = request.key
        with self._changed:
            if key in self._known:
                return False
            self._known[key] = None
            if starts:
                self._waiting[key] = request
            for earlier in [other for other in self._waiting.values() if request.includes(other)]:
                del self._waiting[earlier.key]
            if self._current is not None and request.includes(self._current[0]):
                self._current[1].kill()
            for noted, most in ((self._known, REMEMBERED), (self._waiting, WAITING)):
                while len(noted) > most:
                    noted.popitem(last=False)
            if starts and self._thread is None:
                self._thread = threading.Thread(target=self._work, name="ragdash-ahead", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return True

    def forget(self, digest: str) -> None:
        """Stop what is done for a run that somebody took away; whoever still shows it may offer it again."""
        with self._changed:
            for key in [key for key in self._known if digest in {run for run, _ in key[0]}]:
                del self._known[key]
                self._waiting.pop(key, None)
            if self._current is not None and digest in dict(self._current[0].runs):
                self._current[1].kill()

    def stop(self) -> None:
        """End the process at work."""
        with self._changed:
            self._waiting.clear()
            if self._current is not None:
                self._current[1].kill()

    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is at work."""
        with self._changed:
            return not self._waiting and self._current is None

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                self._changed.wait(DELAY)  # the page that offered it is drawn first
                if not self._waiting:
                    continue
                _, request = self._waiting.popitem()
            try:
                with left_to_pages():
                    self._do(request)
            except OSError:  # no process can be started, the disk is full: pages compute by themselves
                continue

    def _do(self, request: AheadRequest) -> None:
        records = records_of(request)
        if not records:
            return
        with temporary_folder("ahead") as name:
            folder = Path(name)
            for record in records:
                write_record(folder, record)
            query_ids = records[-1].query_ids
            del records
            process = self._start(folder)
            with self._changed:
                self._current = request, process
            try:
                with process.stdin as stdin, process.stdout as stdout:
                    pickle.dump(request, stdin)
                    stdin.close()
                    while (result := _next(stdout, query_ids)) is not None:
                        adopt(result)
            except (BrokenPipeError, pickle.UnpicklingError):  # it was stopped
                pass
            finally:
                process.kill()
                process.wait()
                with self._changed:
                    self._current = None


def _next(stdout: IO[bytes], query_ids: pa.Array) -> list[tuple[str, Any, Any]] | None:
    """The next results of the process; None at its end."""
    try:
        return Reader(stdout, query_ids).load()
    except EOFError:
        return None


def records_of(request: AheadRequest) -> list[Run | Truth]:
    """The runs and, last, the truth; none where one of them is gone or they are too large."""
    records = [*(LOADED.run(digest) for digest, _ in request.runs), LOADED.truth(request.scope.truth_digest)]
    if any(record is None for record in records):
        return []
    return records if sum(map(data_store.weight, records)) <= LOADED.limit // SHARE else []


def write_record(folder: Path, record: Run | Truth) -> None:
    """Write a record where `read_record` finds it, without compression: it is read once."""
    for stem, table in parquet.pack(record).items():
        path = str(folder / f"{record.digest}.{stem}")
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)


def read_record(folder: Path, digest: str) -> Run | Truth:
    """The record of a digest."""
    tables = {path.suffix[1:]: pa.ipc.open_file(pa.memory_map(str(path))).read_all()
              for path in sorted(folder.glob(f"{digest}.*"))}
    return parquet.unpack(tables)


def start_worker(folder: Path) -> subprocess.Popen:
    """The process; it reads the request from its standard input."""
    return subprocess.Popen(
        [sys.executable, "-m", "ragdash.dashboard.jobs.ahead_worker", str(folder)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, VARIABLE: ""}, cwd=folder)


QUEUE = AheadQueue(start_worker)
atexit.register(QUEUE.stop)


def offer(runs: Sequence[tuple[str, str]], baseline: int, scope: Scope, template: str, k: int,
          truth_names: Sequence[str]) -> AheadRequest | None:
    """Compute ahead for a view, where this server does: of all queries, of runs that are no repeats of each other.

    Returns the request, also where the server has no process for it; None where there is none, or where it was there
    already.
    """
    starts = is_switched_on(VARIABLE)
    if not (starts or runtime.exists()) or scope.part or len(runs) > MOST_RUNS:
        return None
    if any(len(digests_of(digest)) > 1 for digest, _ in runs):
        return None
    request = AheadRequest(tuple(runs), baseline, scope, template, k, tuple(truth_names), not data_store.read_only())
    return request if QUEUE.offer(request, starts=starts) else None


def forget(digest: str) -> None:
    """Stop what is done for a run that was taken away."""
    QUEUE.forget(digest)
