"""Kill a worker in the middle of a judging job, again and again: is every question asked, and none twice in silence?

    python benchmarks/workers.py [--trials 20] [--kills 20] [--postgres postgresql://owner@host/database]

Each trial: a job of 40 questions, two processes of `ragdash worker`, a judge on this machine that counts its calls and
takes 50 ms. After 12 calls and more the worker that has the job is killed (SIGKILL). Then one job whose worker is
killed as often (--kills), the time from a request to cancel until the job has ended, and the time from the queue to
the first call. Without --postgres a server is started in
a temporary folder, with the settings of a real one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from models.judge.server import Server  # noqa: E402  (the path comes first)
from team_services import Postgres  # noqa: E402
from workspace.team.worker_trial import enqueue, kill_the_busy_one, trial, wait, workers  # noqa: E402

from ragdash.core.storage.addresses import database_address  # noqa: E402
from ragdash.core.storage.shared import open_database  # noqa: E402
from ragdash.dashboard.jobs import shared_queue  # noqa: E402

_PLACE = ("select place from ragdash.jobs join ragdash.workers on workers.project = jobs.project and "
          "workers.id = split_part(owner, '-', 1) where jobs.id = %s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--kills", type=int, default=20, help="of the worker of one job")
    parser.add_argument("--lease", type=float, default=2.0, help="seconds")
    parser.add_argument("--postgres", metavar="ADDRESS")
    options = parser.parse_args()
    server = None if options.postgres else Postgres(durable=True)
    try:
        measure(options.postgres or server.url, options.trials, options.kills, options.lease)
    finally:
        if server is not None:
            server.close()


def measure(url: str, trials: int, kills: int, lease: float) -> None:
    import psycopg

    open_database(database_address(url)).upgrade()

    def place_of(id: str) -> str:
        with psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(_PLACE, (id,)).fetchone()[0]

    folder = Path(tempfile.mkdtemp(prefix="ragdash-workers-"))
    totals = {"questions": 0, "calls": 0, "twice": 0, "lost": 0}
    for number in range(trials):
        os.environ["RAGDASH_WORKSPACE"] = f"{url}?project=trial-{os.getpid()}-{number}"
        result = trial(folder, place_of, lease=lease, kill_after=12 + number % 20)
        assert result.state == "done" and len(result.calls) == result.questions, result
        assert result.twice <= result.lost, "a call that was paid twice without a word"
        for name, value in (("questions", result.questions), ("calls", sum(result.calls.values())),
                            ("twice", result.twice), ("lost", result.lost)):
            totals[name] += value
        print(f"{number + 1:2}  done after {result.seconds:4.1f} s, asked again {result.twice}, "
              f"in flight at the kill {result.lost}", flush=True)
    print(f"trials {trials}: questions {totals['questions']}, calls {totals['calls']}, asked again {totals['twice']}, "
          f"calls in flight that jobs name {totals['lost']}")
    os.environ["RAGDASH_WORKSPACE"] = f"{url}?project=kills-{os.getpid()}"
    kill_again_and_again(folder, place_of, kills, lease)
    times(folder)


def kill_again_and_again(folder: Path, place_of: Callable[[str], str], kills: int, lease: float) -> None:
    """One job whose worker is killed so often, each time after some more calls."""
    queue = shared_queue.queue()
    with Server(delay=0.05) as server:
        id = enqueue(server, 20 * kills)
        for _ in range(kills):
            with workers(1, lease, folder / "workers.log") as processes:
                count = len(server.asked)
                wait(lambda count=count: len(server.asked) >= count + 12, 120)
                wait(lambda: queue.find(id).progress.get("done"))
                kill_the_busy_one(processes, place_of(id))
        with workers(1, lease, folder / "workers.log"):
            wait(lambda: not queue.find(id).active, 120)
        calls = Counter(json.dumps(body["messages"]) for body in server.asked)
    job, twice = queue.find(id), sum(calls.values()) - len(calls)
    assert job.state == "done" and len(calls) == 20 * kills and twice <= job.lost, (job.state, len(calls), twice)
    print(f"one job whose worker was killed {kills} times: {job.state}, {len(calls)} questions, asked again {twice}, "
          f"in flight at the kills {job.lost}", flush=True)


def times(folder: Path) -> None:
    """From the queue to the first call, and from a request to cancel to the end of the job."""
    queue, starts, ends = shared_queue.queue(), [], []
    with Server(delay=0.05) as server, workers(1, 15, folder / "workers.log"):
        wait(lambda: queue.workers())
        for number in range(10):
            count, started = len(server.asked), time.monotonic()
            id = enqueue(server, 400, str(number))
            wait(lambda count=count: len(server.asked) > count)
            starts.append(time.monotonic() - started)
            time.sleep(0.3)
            started = time.monotonic()
            queue.cancel(id)
            wait(lambda id=id: not queue.find(id).active)
            ends.append(time.monotonic() - started)
    print(f"from the page to the first call: median {statistics.median(starts):.2f} s, most {max(starts):.2f} s")
    print(f"from cancel to the end of the job: median {statistics.median(ends):.2f} s, most {max(ends):.2f} s")


if __name__ == "__main__":
    main()
