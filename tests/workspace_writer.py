"""Run by the kill test: children that add runs until they are killed; each tells on standard output what it kept.

    python workspace_writer.py FOLDER TIMES
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time

import numpy as np

from ragdash.core.records import Run, Truth
from ragdash.workspace import Workspace


def main(folder: str, times: int) -> None:
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as other:  # so that no child spends its life importing
        Workspace(other).add_run(Run.build("first", ["q"], ["d"]))
    for child in range(times):
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            write(Workspace(folder), child, tell)
        os.close(tell)
        with os.fdopen(told) as lines:
            said = [lines.readline() for _ in range(rng.randrange(4))]
            time.sleep(rng.uniform(0.0, 0.03))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            print(*said, lines.read(), sep="", end="", flush=True)


def write(workspace: Workspace, child: int, tell: int) -> None:
    for at in range(10_000):
        name = f"run {child} {at}"
        run = Run.build(name, ["q1", "q1", "q2"], [f"d{child}", f"e{at}", "d"], np.array([3.0, 2.0, 1.0]))
        kept = workspace.add_run(run)
        os.write(tell, f"{kept.digest} {name}\n".encode())
        if at % 3 == 0:
            workspace.tag(kept.digest, [f"t{at}"])
            os.write(tell, f"{kept.digest} tag t{at}\n".encode())
            truth = workspace.add_truth(Truth.build(f"truth {child} {at}", ["q1"], [f"d{child}-{at}"], [1]))
            workspace.delete(truth.digest)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
