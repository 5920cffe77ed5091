"""How long does the first page of a list of 100,000 runs take, in a folder and in PostgreSQL?

    python benchmarks/many_runs.py [--runs 100000] [--times 30]

One run is stored, and the list is filled with copies of its row. Then the list is opened as a page of the dashboard
does: how many there are, and the first twenty. Printed are the waiting, which depends on what else the machine does,
and the processor time of this process and of PostgreSQL. Exit code 1 where that is more than 0.15 s.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

import psycopg  # noqa: E402  (the path comes first)
from replicas import database_time  # noqa: E402
from team_services import Postgres  # noqa: E402

from ragdash.core.records import Run  # noqa: E402
from ragdash.core.storage.addresses import database_address  # noqa: E402
from ragdash.core.storage.shared import open_database  # noqa: E402
from ragdash.workspace import open_workspace  # noqa: E402

LIMIT, SHOWN = 0.15, 20


def fill_folder(folder: str, count: int) -> None:
    with sqlite3.connect(Path(folder) / "catalogue.sqlite") as db:
        columns = [row[1] for row in db.execute("pragma table_info(things)")]
        values = {"digest": "printf('%040d', n)", "name": "'run ' || n", "place": "n"}
        db.execute(f"with recursive counted(n) as (select 1 union all select n + 1 from counted where n < {count - 1}) "
                   f"insert into things ({', '.join(columns)}) "
                   f"select {', '.join(values.get(column, column) for column in columns)} from things, counted")
    db.close()


def fill_database(url: str, count: int) -> None:
    with psycopg.connect(url) as db:
        columns = [row[0] for row in db.execute(
            "select column_name from information_schema.columns where table_schema = 'ragdash' and "
            "table_name = 'things' and is_generated = 'NEVER' and is_identity = 'NO'")]
        values = {"digest": "lpad(n::text, 40, '0')", "name": "'run ' || n", "place": "n"}
        db.execute(f"insert into ragdash.things ({', '.join(columns)}) select "
                   f"{', '.join(values.get(column, column) for column in columns)} from ragdash.things, "
                   f"generate_series(1, {count - 1}) as n")


def measure(title: str, address: str, postgres: Postgres, options: argparse.Namespace) -> bool:
    """Print what the list takes; whether it is little enough."""
    home, waits = open_workspace(address), []

    def processor() -> float:
        return time.process_time() + database_time(postgres)

    home.summary(SHOWN)
    used = processor()
    for _ in range(options.times):
        start = time.perf_counter()
        summary = home.summary(SHOWN)
        waits.append(time.perf_counter() - start)
    used = (processor() - used) / options.times
    assert (summary.count, len(summary.first)) == (options.runs, SHOWN)
    print(f"{title}: the first {SHOWN} of {options.runs:,} runs in {used:.3f} s of processor, {min(waits):.3f} s of "
          f"waiting at least, {statistics.median(waits):.3f} s (median); load {os.getloadavg()[0]:.1f}", flush=True)
    return used <= LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args()
    postgres = Postgres(durable=True)
    try:
        open_database(database_address(postgres.url)).upgrade()
        with tempfile.TemporaryDirectory() as folder:
            run = Run.build("run", ["q"], ["d"])
            for address in (folder, postgres.url):
                open_workspace(address).add_run(run)
            fill_folder(folder, options.runs)
            fill_database(postgres.url, options.runs)
            places = {"folder": folder, "PostgreSQL": postgres.url}
            return int(not all([measure(title, place, postgres, options) for title, place in places.items()]))
    finally:
        postgres.close()


if __name__ == "__main__":
    sys.exit(main())
