"""Two workers on one queue, one of them killed in the middle of a job; the judge counts every call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from models.judge.server import Server

from ragdash.core.records import Run, Truth
from ragdash.dashboard.jobs import judging, shared_queue
from ragdash.matching.match import Match

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class TrialResult:
    """What a trial came to. calls: of each question; lost: calls in flight at the kill that the job admits to."""

    questions: int
    calls: Counter
    lost: int
    state: str
    seconds: float

    @property
    def twice(self) -> int:
        """Calls beyond one of each question."""
        return sum(self.calls.values()) - len(self.calls)


def wait(condition: Callable[[], object], seconds: float = 180.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def texts(count: int) -> tuple[Run, Truth]:
    """A run of this number of answers; each takes one question."""
    ids = [f"q{number}" for number in range(count)]
    truth = Truth.build("truth", ids, ["a"] * count, np.ones(count, int), details=pa.table(
        {"query_id": ids, "query": [f"What is the color of stone {number}?" for number in range(count)]}))
    return Run.build("stones", ids, ["a"] * count, np.ones(count), details=pa.table({
        "query_id": ids, "answer": [f"Stone {number} is grey." for number in range(count)],
        "contexts": [[f"Stone {number} is grey."] for number in range(count)]})), truth


def enqueue(server: Server, count: int, key: str = "truth", **order: object) -> str:
    """Put a judging job into the queue, as a page does; its id."""
    run, truth = texts(count)
    judge_order = judging.JudgeOrder("openai", server.url, "toy", None, ("Faithfulness",), **order)
    runs = {run.name: Match(run, truth).judged.cases}
    assert judging._enqueue((key, ("run",)), runs, judge_order, {"judge": "toy", "metrics": ("Faithfulness",)},
                            alone=False)
    return shared_queue.queue().listed("judge", 1)[0].id


@contextmanager
def workers(count: int, lease: float, log: Path) -> Iterator[list[subprocess.Popen]]:
    """Processes of `ragdash worker`, as on another machine: with the address of the workspace alone."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ragdash", "worker", "--lease", str(lease)]
    with log.open("ab") as stream:
        processes = [subprocess.Popen(command, env=environment, cwd=log.parent, stderr=stream) for _ in range(count)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def kill_the_busy_one(processes: list[subprocess.Popen], owner_place: str) -> None:
    """Kill the worker that has the job, so hard that it can say nothing more."""
    number = int(owner_place.rpartition(" ")[2])
    busy = next(process for process in processes if process.pid == number)
    busy.send_signal(signal.SIGKILL)
    busy.wait()


def trial(folder: Path, place_of: Callable[[str], str], questions: int = 40, lease: float = 5.0, delay: float = 0.05,
          concurrency: int = 4, kill_after: int = 12) -> TrialResult:
    """Run a job on two workers and kill the worker that has it after this number of calls.

    place_of: where the worker of a job is ("host number"). RAGDASH_WORKSPACE names the database.
    """
    queue = shared_queue.queue()
    with Server(delay=delay) as server, workers(2, lease, folder / "workers.log") as processes:
        wait(lambda: len(queue.workers()) >= 2)
        started, id = time.monotonic(), enqueue(server, questions, concurrency=concurrency)
        wait(lambda: len(server.asked) >= kill_after)
        kill_the_busy_one(processes, place_of(id))
        wait(lambda: not queue.find(id).active)
        job = queue.find(id)
        calls = Counter(json.dumps(body["messages"]) for body in server.asked)
        return TrialResult(questions, calls, job.lost, job.state, time.monotonic() - started)
