"""Two processes write 500 times each to one object: is anything lost, and how long does a write take?

    python benchmarks/writes.py [--writes 500] [--postgres postgresql://owner@host/database]

Notes on one truth (events that are only added), and the name of one run (a row that is changed), in a folder and in
PostgreSQL. Without --postgres a server is started in a temporary folder, with the settings of a real one: every commit
waits for the disk. Exit code 1 where a write is lost or there twice, or the 95th percentile is 30 ms or more. The
processor time of a write does not depend on what else the machine does, as its waiting does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from team_services import Postgres  # noqa: E402  (the path comes first)
from workspace.team.two_writers import OBJECT, write_from_two  # noqa: E402

from ragdash.core.records import Run  # noqa: E402
from ragdash.core.storage.addresses import database_address  # noqa: E402
from ragdash.core.storage.shared import open_database  # noqa: E402
from ragdash.workspace import open_workspace  # noqa: E402
from ragdash.workspace.reviews import ReviewStore  # noqa: E402

P95 = 0.030  # seconds


def measure(title: str, address: str, count: int) -> bool:
    """Write, read and print; whether nothing is lost or double, and the writes were quick."""
    os.environ["RAGDASH_WORKSPACE"] = address
    home, good = open_workspace(address), True
    digest = home.add_run(Run.build("bm25", ["q"], ["d"])).digest
    for what, thing in (("events", OBJECT), ("name", digest)):
        before = home.stamp()
        written = write_from_two(address, count, what, thing)
        if what == "events":
            notes = Counter(event.value for event in ReviewStore().read(OBJECT).events)
            lost, double = 2 * count - len(notes), sum(notes.values()) - len(notes)
        else:
            lost, double = 2 * count - (open_workspace(address).stamp() - before), 0
        good &= not lost and not double and written.p95 < P95
        print(f"{title}, {what}: 2 x {count} writes, lost {lost}, double {double}; a write takes "
              f"{statistics.median(written.times) * 1e3:.1f} ms (median), {written.p95 * 1e3:.1f} ms (p95), "
              f"{max(written.times) * 1e3:.0f} ms at most, {written.processor * 1e3:.2f} ms of processor; "
              f"load {os.getloadavg()[0]:.1f}", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writes", type=int, default=500, help="of each process")
    parser.add_argument("--postgres", metavar="ADDRESS")
    options = parser.parse_args()
    server = None if options.postgres else Postgres(durable=True)
    address = options.postgres or server.url
    try:
        open_database(database_address(address)).upgrade()
        with tempfile.TemporaryDirectory(prefix="ragdash-writes-") as folder:
            good = measure("folder", folder, options.writes)
        good &= measure("PostgreSQL", f"{address}?project=writes-{os.getpid()}", options.writes)
    finally:
        if server is not None:
            server.close()
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
