"""What one more visitor costs, with a workspace in a folder and in PostgreSQL: the figures of docs/scale.md.

    python benchmarks/scale.py [--clicks 100] [--storm 100]

Three runs of 700 queries x 100 are shown. Sessions are websocket clients (sessions.py), not browsers. Both servers run
at the same time and take turns, so that the load of the machine meets both alike. Printed, as processor time, which
does not depend on that load as waiting does: a first visit, a click whose values are known, memory a session, and a
storm: the number of sessions that come at once, as after the end of another server; --storm 0: none. Nothing is
computed ahead: that process ends at some time, and its seconds would be those of the clicks at that moment.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from load import data  # noqa: E402  (the path comes first)
from sessions import Server, Session  # noqa: E402
from team_services import Postgres  # noqa: E402

from ragdash.core.storage.addresses import database_address  # noqa: E402
from ragdash.core.storage.shared import open_database  # noqa: E402

PAGES = ("", "compare", "queries")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clicks", type=int, default=100, help="on each page")
    parser.add_argument("--storm", type=int, default=100, help="sessions")
    options = parser.parse_args()
    postgres = Postgres(durable=True)
    servers: dict[str, Server] = {}
    try:
        open_database(database_address(postgres.url)).upgrade()
        with tempfile.TemporaryDirectory() as folder:
            paths, truth = data(Path(folder), 700, 100)
            for name, more in (("folder", ()), ("PostgreSQL", ("--workspace", postgres.url))):
                servers[name] = Server.start(Path(folder, name), paths, "--truth", str(truth), *more, RAGDASH_AHEAD="0")
            asyncio.run(measure(servers, options))
    finally:
        for server in servers.values():
            server.stop()
        postgres.close()
    print("load of the machine:", *(f"{value:.1f}" for value in os.getloadavg()), f"on {os.cpu_count()} cores")


async def measure(servers: dict[str, Server], options: argparse.Namespace) -> None:
    sessions = {}
    for name, server in servers.items():
        sessions[name] = Session(server.address)
        await sessions[name].open()
    await visits(servers)
    for page in PAGES:
        used = dict.fromkeys(servers, 0.0)
        for session in sessions.values():
            await session.visit(page)
            for cutoff in ("5", "10", "5", "10"):
                await session.choose("Cutoff k", cutoff)
        for number in range(options.clicks // 10):
            for name in (servers, reversed(list(servers)))[number % 2]:
                before = servers[name].own_processor()
                for step in range(10):
                    await sessions[name].choose("Cutoff k", ("5", "10")[step % 2])
                used[name] += servers[name].own_processor() - before
        each = {name: seconds / (options.clicks // 10 * 10) * 1e3 for name, seconds in used.items()}
        ratio = each["PostgreSQL"] / each["folder"]
        listed = ", ".join(f"{name} {value:.0f} ms" for name, value in each.items())
        print(f"a known click on {page or 'overview'}: {listed} of processor, ratio {ratio:.2f}", flush=True)
    if options.storm:
        await storm(servers["PostgreSQL"], options.storm)


async def visits(servers: dict[str, Server], count: int = 20) -> None:
    """Processor time and memory of one more session."""
    for name, server in servers.items():
        opened = []
        for _ in range(3):
            opened.append(Session(server.address))
            await opened[-1].open()
        before, memory = server.own_processor(), server.memory()
        for _ in range(count):
            opened.append(Session(server.address))
            await opened[-1].open()
        print(f"{name}: a first visit {(server.own_processor() - before) / count:.2f} s of processor, memory "
              f"{server.memory():.0f} MiB, {(server.memory() - memory) / count:.1f} MiB a session", flush=True)
        for session in opened:
            await session.close()


async def storm(server: Server, count: int) -> None:
    """Sessions that all come at once, while another one clicks."""
    clicking = Session(server.address)
    await clicking.open()
    before, started, waits = server.own_processor(), time.perf_counter(), []
    opening = asyncio.gather(*(Session(server.address).open() for _ in range(count)))
    while not opening.done():
        waits.append(await clicking.choose("Cutoff k", ("5", "10")[len(waits) % 2]))
    seconds = await opening
    print(f"{count} sessions at once: all drawn after {time.perf_counter() - started:.0f} s, half of them after "
          f"{sorted(seconds)[count // 2]:.0f} s, {server.own_processor() - before:.0f} s of processor; a click of "
          f"somebody else meanwhile {max(waits):.1f} s at most", flush=True)


if __name__ == "__main__":
    main()
