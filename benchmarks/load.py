"""Many people at once: real websocket sessions against one server process.

    python benchmarks/load.py                            20 and 50 sessions, an upload of 300 MB, 1,000 reruns
    python benchmarks/load.py --sessions 20 --seconds 30 --upload 0 --reruns 0
    python benchmarks/load.py --sessions --reruns 0 --steady 30     four sessions for 30 minutes, a click each 1.8 s

Three runs of 7,000 queries x 100 with their judgments are loaded. Each session (sessions.py: Streamlit's own messages,
not a browser) opens the dashboard, then thinks for 2 s on average and clicks: another cutoff, metric or page.
The time of a click ends when the server has sent the whole page; drawing it in a browser is not part of it.

Printed: the first page of all sessions after a cold start; for each number of sessions clicks, median and 95th
percentile of their time, processor time per click, memory: with first choices, while another session uploads a large
file, and when every choice was made before; memory over the reruns of one session; processor time of a warm choice and
of a section that is drawn again alone. Clients share the machine with the server. How slow the machine is meanwhile
is measured by a small program next to them: on one with other work, times are longer by at least that factor.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

import pyarrow as pa  # noqa: E402
from generate import judgments, ranking, write  # noqa: E402
from sessions import Server, Session  # noqa: E402

PAGES = ("", "compare", "failures", "queries", "ranking")
METRICS = ("nDCG@k", "Recall@k", "Precision@k", "Hit rate@k")
CUTOFFS = ("1", "3", "5", "10", "20", "50", "100")
PROBE = """import select, sys, time
work, wall = 0.0, 0.0
while not select.select([sys.stdin], [], [], 0.5)[0]:
    start, used = time.perf_counter(), time.process_time()
    while time.process_time() - used < 0.02:
        sum(range(1000))
    work, wall = work + time.process_time() - used, wall + time.perf_counter() - start
print(wall / work if work else 1)
"""
PAGE_SHARE = 0.3  # of the clicks; the others change a choice of the sidebar


def main(arguments: Sequence[str] | None = None) -> int:
    """Start a server, let the sessions work, print the figures; 1 if a page failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, nargs="*", default=[20, 50])
    parser.add_argument("--seconds", type=float, default=60, help="how long each number of sessions works")
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds between two clicks of a session")
    parser.add_argument("--queries", type=int, default=7_000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--upload", type=int, default=300, metavar="MB", help="size of the file; 0: none")
    parser.add_argument("--reruns", type=int, default=1_000, help="of one session, for its memory; 0: none")
    parser.add_argument("--steady", type=float, default=0, metavar="MINUTES", help="of four sessions at the end")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        paths, truth = data(Path(folder), options.queries, options.depth)
        print(f"3 runs of {options.queries:,} queries x {options.depth}", flush=True)
        server = Server.start(Path(folder, "server"), paths, "--truth", str(truth))
        try:
            failed = asyncio.run(trial(server, options, Path(folder)))
        finally:
            server.stop()
        if failed:
            print(server.log.read_text()[-3000:])
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine over 1, 5 and 15 minutes: {load} on {os.cpu_count()} cores")
    return int(failed)


def data(folder: Path, queries: int, depth: int, runs: int = 3) -> tuple[list[Path], Path]:
    """Run files and judgments (about 20 a query, graded) in a folder."""
    rng = np.random.default_rng(5)
    ids = pa.array([f"q{number}" for number in range(queries)])
    judged = judgments(queries, 20, True, rng)
    truth = folder / "judgments.qrels"
    write(truth, [ids.take(pa.array(judged[0])), pa.array(np.zeros(len(judged[0]), int)), pa.array(judged[1]),
                  pa.array(judged[2])])
    paths = [folder / f"run{number}.trec" for number in range(runs)]
    for number, path in enumerate(paths):
        query, doc, score = ranking(queries, depth, judged, np.random.default_rng(200 + number))
        rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
        write(path, [ids.take(pa.array(query)), pa.repeat("Q0", len(query)), pa.array(doc), pa.array(rank),
                     pa.array(score), pa.repeat(f"run{number}", len(query))])
    return paths, truth


async def trial(server: Server, options: argparse.Namespace, folder: Path) -> bool:
    """All measurements, in order; whether a page failed."""
    failed = False
    cold = True
    for count in options.sessions:
        start, used = time.perf_counter(), server.processor()
        sessions = [Session(server.address) for _ in range(count)]
        await asyncio.gather(*(session.open() for session in sessions))
        first = "the first page of all after a cold start" if cold else "the first page of all"
        print(f"\n{count} sessions: {first} {time.perf_counter() - start:.1f} s, processor "
              f"{server.processor() - used:.1f} s, memory {server.memory():.0f} MiB", flush=True)
        cold = False
        failed |= await phase(server, sessions, options, "first choices")
        if options.upload and count == options.sessions[0]:
            failed |= await phase(server, sessions, options, f"while {options.upload} MB are uploaded",
                                  large_file(folder, options.upload))
        await choose_everything(sessions[0])
        failed |= await phase(server, sessions, options, "choices made before")
        await asyncio.gather(*(session.close() for session in sessions))
    await alone(server, options.reruns)
    return failed | (await steady(server, options.steady) if options.steady else False)


async def phase(server: Server, sessions: list[Session], options: argparse.Namespace, about: str,
                upload: bytes | None = None) -> bool:
    """Let the sessions click, with an upload: until it is shown; print the figures; whether a page failed."""
    used, start = server.own_processor(), time.perf_counter()
    stop = asyncio.Event()
    slow = asyncio.create_task(slowness(stop))
    work = [asyncio.create_task(clicks(session, random.Random(number), options.think, stop))
            for number, session in enumerate(sessions)]
    if upload is None:
        await asyncio.sleep(options.seconds)
    else:
        other = Session(server.address)
        await other.open()
        await other.visit("data")
        print(f"   upload of {len(upload) / 1e6:.0f} MB shown after {await other.upload('large.trec', upload):.1f} s")
        await other.close()
    stop.set()
    rows = [row for rows in await asyncio.gather(*work) for row in rows]
    seconds, processor = time.perf_counter() - start, server.own_processor() - used
    each = processor / max(len(rows), 1) * 1e3
    print(f"   {about}: {len(rows):,} clicks in {seconds:.0f} s, processor {each:.0f} ms a click "
          f"({processor / seconds:.0%} of a core), memory {server.memory():.0f} MiB; load {os.getloadavg()[0]:.1f}, "
          f"work takes {await slow:.1f} times its processor time")
    for kind in ("choice", "page"):
        times = np.array([row[1] for row in rows if row[0] == kind])
        if len(times):
            print(f"      {kind:6s} {len(times):5,}   median {np.median(times):6.3f} s   p95 "
                  f"{np.percentile(times, 95):6.3f} s   longest {times.max():6.3f} s")
    times = np.array([row[1] for row in rows])
    print(f"      all    {len(times):5,}   median {np.median(times):6.3f} s   p95 {np.percentile(times, 95):6.3f} s",
          flush=True)
    faults = sorted({row[2] for row in rows if row[2]})
    if faults:
        print("      FAILED:", *faults[:5], sep="\n      ")
    return bool(faults)


async def slowness(stop: asyncio.Event) -> float:
    """How much longer a program takes than its processor time, measured by one that works 20 ms of each 500."""
    probe = await asyncio.create_subprocess_exec(sys.executable, "-c", PROBE, stdin=asyncio.subprocess.PIPE,
                                                 stdout=asyncio.subprocess.PIPE)
    await stop.wait()
    answer, _ = await probe.communicate(b"end")
    return float(answer)


async def choose_everything(session: Session) -> None:
    """Make each choice on each page once."""
    for page in PAGES:
        await session.visit(page)
        for metric in METRICS:
            await session.choose("Metric", metric)
            for cutoff in CUTOFFS:
                await session.choose("Cutoff k", cutoff)


async def clicks(session: Session, rng: random.Random, think: float, stop: asyncio.Event) -> list[tuple]:
    """What a person does: (kind, seconds, fault) of each click until the end. Thinking takes 0.5 to 1.5 of think."""
    rows: list[tuple] = []
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), rng.uniform(0.5, 1.5) * think)
        except TimeoutError:
            kind, seconds = await click(session, rng)
            rows.append((kind, seconds, session.failed))
    return rows


async def click(session: Session, rng: random.Random) -> tuple[str, float]:
    """One click: another page, or another choice in the sidebar."""
    if rng.random() < PAGE_SHARE:
        return "page", await session.visit(rng.choice(PAGES))
    if rng.random() < 0.5:
        return "choice", await session.choose("Cutoff k", rng.choice(CUTOFFS))
    return "choice", await session.choose("Metric", rng.choice(METRICS))


def large_file(folder: Path, megabytes: int) -> bytes:
    """A TREC run of about this size."""
    depth = max(megabytes * 1_000_000 // (7_000 * 36), 1)
    (path,), _ = data(folder, 7_000, depth, runs=1)
    return path.read_bytes()


async def alone(server: Server, reruns: int) -> None:
    """One session: processor time of a warm choice on each page, and memory over many reruns."""
    session = Session(server.address)
    await session.open()
    print("\none session, each choice seen before: processor time and time of a change of the cutoff")
    for page in PAGES:
        await session.visit(page)
        for cutoff in ("5", "10", "5", "10"):
            await session.choose("Cutoff k", cutoff)
        used, times = server.own_processor(), []
        for _ in range(5):
            times += [await session.choose("Cutoff k", "5"), await session.choose("Cutoff k", "10")]
        print(f"   {page or 'overview':10s} {(server.own_processor() - used) / len(times) * 1e3:4.0f} ms of processor, "
              f"median {np.median(times) * 1e3:.0f} ms{await sections_alone(server, session)}", flush=True)
    if not reruns:
        return
    rng, memory = random.Random(1), []
    for number in range(reruns):
        await click(session, rng)
        if (number + 1) % (reruns // 5 or 1) == 0:
            memory.append(server.memory())
    await session.close()
    print(f"memory over {reruns:,} reruns, at each fifth: {', '.join(f'{value:.0f}' for value in memory)} MiB, from "
          f"lowest to highest {max(memory) / min(memory) - 1:.1%}")


async def sections_alone(server: Server, session: Session, times: int = 10) -> str:
    """What a section costs that is drawn again alone, of all sections of the page that can be."""
    costs = []
    for fragment in sorted({session.fragments[widget] for widget in session.widgets()} - {""}):
        used = server.own_processor()
        for _ in range(times):
            await session.redraw(fragment)
        costs.append(f"{(server.own_processor() - used) / times * 1e3:.0f}")
    return f"; each section alone: {', '.join(costs)} ms of processor" if costs else ""


async def steady(server: Server, minutes: float, count: int = 4, think: float = 7.0) -> bool:
    """Some sessions at a low rate, each choice computed before: the memory at each tenth; whether a page failed."""
    sessions = [Session(server.address) for _ in range(count)]
    await asyncio.gather(*(session.open() for session in sessions))
    await choose_everything(sessions[0])
    stop, memory, used = asyncio.Event(), [server.memory()], server.processor()
    work = [asyncio.create_task(clicks(session, random.Random(number), think, stop))
            for number, session in enumerate(sessions)]
    for _ in range(10):
        await asyncio.sleep(minutes * 6)
        memory.append(server.memory())
    stop.set()
    rows = [row for rows in await asyncio.gather(*work) for row in rows]
    times = np.array([row[1] for row in rows])
    each = (server.processor() - used) / len(rows) * 1e3
    print(f"\n{count} sessions for {minutes:.0f} minutes: {len(rows):,} clicks, median {np.median(times):.3f} s, p95 "
          f"{np.percentile(times, 95):.3f} s, processor {each:.0f} ms a click\n"
          f"   memory at each tenth: {', '.join(f'{value:.0f}' for value in memory)} MiB, from lowest to highest "
          f"{max(memory) / min(memory) - 1:.1%}, failed {sum(bool(row[2]) for row in rows)}", flush=True)
    await asyncio.gather(*(session.close() for session in sessions))
    return any(row[2] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
