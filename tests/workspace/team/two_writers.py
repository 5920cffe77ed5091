"""Two processes that write to one object of a workspace again and again, and how long each write took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OBJECT = "e" * 64  # the digest of a truth that both review
ROUNDS = 4
WRITER = """
import json, resource, sys, time
from ragdash.workspace import open_workspace
from ragdash.workspace.opening import user_workspace
from ragdash.workspace.reviews import Event, ReviewStore

name, what, thing, count, rounds = *sys.argv[1:4], *map(int, sys.argv[4:])
store, home = ReviewStore(), user_workspace()

def write(number):
    if what == "events":
        store.add(thing, [Event("note", f"{name}{number}", f"{name} {number}", by=f"{name}@example.org")])
    else:
        home.rename(thing, f"{name} {number}")

if what == "events":
    store.stamp()
else:
    home.find(thing)
used, times = time.process_time(), []
for number in range(count):
    if number % (count // rounds) == 0:
        print("ready", flush=True)
        sys.stdin.readline()
    start = time.perf_counter()
    write(number)
    times.append(time.perf_counter() - start)
print(json.dumps({"times": times, "processor": time.process_time() - used}), flush=True)
"""


@dataclass(frozen=True)
class Written:
    """How long the writes of both took (seconds), and the processor time of one."""

    times: list[float]
    processor: float

    @property
    def p95(self) -> float:
        return sorted(self.times)[int(len(self.times) * 0.95)]


def write_from_two(workspace: str, count: int, what: str = "events", thing: str = OBJECT) -> Written:
    """Let two processes write `count` times each, in rounds that they begin together. count: a multiple of ROUNDS.

    what: "events" adds notes on one truth; "name" renames one run, whose digest is `thing`.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAGDASH_WORKSPACE": workspace}
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, name, what, thing, str(count), str(ROUNDS)],
                                  text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
                 for name in "ab"]
    for _ in range(ROUNDS):
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
    results = [json.loads(process.communicate()[0]) for process in processes]
    return Written([seconds for result in results for seconds in result["times"]],
                   sum(result["processor"] for result in results) / (2 * count))
