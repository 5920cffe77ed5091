"""How many more clicks do two servers of one workspace serve than one?

    python benchmarks/replicas.py [--sessions 20] [--clicks 200] [--rounds 2]

Sessions are websocket clients (sessions.py), each clicks again as soon as its page is drawn: cutoffs, metrics and pages
as in load.py. In turn all of them use the first server, and half of them each server, with the same clicks. The
workspace is in PostgreSQL; three runs of 700 queries x 100 are shown, and everything was looked at before.

Printed: clicks for each second of processor time of the busiest server, and how many times more two serve. That is what
wall time shows where every server has a core of its own, which Python cannot leave. Clients, servers and database share
the cores of this machine, so with fewer than four idle ones the wall time, printed too, shows the machine and not the
servers. What they share is PostgreSQL: its processor time a click is printed, because it is what would hold them back.

Exit code 1 where two servers serve less than 1.8 times as much by processor time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from load import choose_everything, click, data  # noqa: E402  (the path comes first)
from sessions import TICKS, Server, Session  # noqa: E402
from team_services import Postgres  # noqa: E402

from ragdash.core.storage.addresses import database_address  # noqa: E402
from ragdash.core.storage.shared import open_database  # noqa: E402

RATIO = 1.8


def database_time(postgres: Postgres) -> float:
    """Processor seconds of PostgreSQL and all its processes so far."""
    first = postgres._process.pid
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if first in (int(path.parent.name), int(fields[1])):
            total += sum(map(int, fields[11:13]))
    return total / TICKS


async def clicks_of(servers: Sequence[Server], options: argparse.Namespace, seed: int) -> dict[str, float]:
    """All sessions click, each on its server; clicks a second of processor of the busiest server, and of waiting."""
    sessions = [Session(servers[number % len(servers)].address) for number in range(options.sessions)]
    for session in sessions:
        await session.open()

    async def work(number: int) -> None:
        rng = random.Random(seed * 1000 + number)
        for _ in range(options.clicks // options.sessions):
            await click(sessions[number], rng)
            if sessions[number].failed:
                raise SystemExit(f"a page failed:\n{servers[number % len(servers)].log.read_text()[-5000:]}")

    before, started = [server.own_processor() for server in servers], time.perf_counter()
    await asyncio.gather(*(work(number) for number in range(options.sessions)))
    seconds = time.perf_counter() - started
    used = [server.own_processor() - start for server, start in zip(servers, before, strict=True)]
    count = options.clicks // options.sessions * options.sessions
    for session in sessions:
        await session.close()
    return {"busiest": count / max(used), "wall": count / seconds, "each": sum(used) / count}


async def measure(servers: Sequence[Server], postgres: Postgres, options: argparse.Namespace) -> int:
    for server in servers:
        session = Session(server.address)
        await session.open()
        await choose_everything(session)
        await session.close()
    rows: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    used, total = database_time(postgres), 0
    for number in range(options.rounds):
        for count in (1, 2) if number % 2 == 0 else (2, 1):
            rows[count].append(await clicks_of(servers[:count], options, number))
            total += options.clicks // options.sessions * options.sessions
            row = rows[count][-1]
            print(f"{count} server{'s' if count > 1 else ''}: {row['busiest']:.1f} clicks a second of processor of the "
                  f"busiest, {row['each'] * 1e3:.0f} ms each, {row['wall']:.1f} a second of waiting; load "
                  f"{os.getloadavg()[0]:.1f}", flush=True)
    ratio = {name: statistics.median(two[name] / one[name] for one, two in zip(rows[1], rows[2], strict=True))
             for name in ("busiest", "wall")}
    print(f"two servers serve {ratio['busiest']:.2f} times the clicks of one with a core for each (processor time of "
          f"the busiest), {ratio['wall']:.2f} times on this machine; PostgreSQL took "
          f"{(database_time(postgres) - used) / total * 1e3:.1f} ms of processor a click")
    return int(ratio["busiest"] < RATIO)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--clicks", type=int, default=200, help="of all sessions, in each trial")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    postgres, servers = Postgres(durable=True), []
    try:
        open_database(database_address(postgres.url)).upgrade()
        with tempfile.TemporaryDirectory() as folder:
            paths, truth = data(Path(folder), 700, 100)
            for name in ("first", "second"):
                servers.append(Server.start(Path(folder, name), paths, "--truth", str(truth), "--workspace",
                                            postgres.url, RAGDASH_AHEAD="0"))
            return asyncio.run(measure(servers, postgres, options))
    finally:
        for server in servers:
            server.stop()
        postgres.close()


if __name__ == "__main__":
    sys.exit(main())
