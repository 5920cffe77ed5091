"""Kills, a full disk, damaged files, memory shortage, jumps of the clock: what was acknowledged must still be there.

    python benchmarks/faults.py [--times 60]

1 kill -9 of processes that keep runs, tags, notes and verdicts; 2 kill -9 and Ctrl+C of a server during uploads;
3 kill -9 of `ragdash judge` between replies; 4 a disk that is full (as root: a small file system in memory); 5 bytes of
the workspace changed, cut off and removed; 6 too little memory for a file, and in a server that computes; 7 clocks that
jump by ten years between writers. Prints for each what was acknowledged, what was lost, what was wrong. Ends with 1
if anything was.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "dashboard")]

from killed_uploads import killed_servers  # noqa: E402
from load import data  # noqa: E402
from sessions import Server, Session  # noqa: E402

from ragdash.core.errors import InputError  # noqa: E402
from ragdash.core.records import Run, Truth  # noqa: E402
from ragdash.models.judge import Question, Reply, Usage, VerdictStore  # noqa: E402
from ragdash.models.judge.endpoint import Judge  # noqa: E402
from ragdash.workspace import Workspace  # noqa: E402
from ragdash.workspace.reviews import Event, ReviewStore  # noqa: E402

SAMPLES = ROOT / "sample_runs"
TRUTH = "t" * 64
JUDGE = Judge("model", "host")
TEN_YEARS = 10 * 365 * 86_400


def main(arguments: Sequence[str] | None = None) -> int:
    """All trials; 1 where something acknowledged was lost or something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=60, help="kills of writers, and five times as many damages")
    times = parser.parse_args(arguments).times
    bad = 0
    trials: dict[str, Callable[[Path], Counter]] = {
        f"{times} writers killed": lambda folder: killed_writers(folder, times),
        "servers killed during uploads": killed_servers,
        "ragdash judge killed between replies": killed_judging,
        "a full disk": full_disk,
        f"{5 * times} damages of a workspace": lambda folder: damage(folder, 5 * times),
        "too little memory": little_memory,
        "too little memory in a server": short_server,
        "clocks ten years apart": lambda folder: killed_writers(folder, times // 3, clocks=(0, TEN_YEARS, -TEN_YEARS)),
    }
    for name, trial in trials.items():
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            counts = trial(Path(folder))
        bad += counts["lost"] + counts["wrong"]
        facts = ", ".join(f"{key} {value:,}" for key, value in counts.items() if key not in ("lost", "wrong"))
        print(f"{name}: {facts}; lost {counts['lost']}, wrong {counts['wrong']} ({time.monotonic() - start:.0f} s)",
              flush=True)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine over 1, 5 and 15 minutes: {load} on {os.cpu_count()} cores")
    return int(bad > 0)


def small_run(name: str) -> Run:
    return Run.build(name, ["q1", "q1", "q2"], [f"d {name}", "e", "f"], np.array([3.0, 2.0, 1.0]))


def question(number: int) -> Question:
    return Question("Task", "1", "system", f"user {number}", {"type": "object"})


def killed_writers(folder: Path, times: int, clocks: Sequence[float] = (0,)) -> Counter:
    """Children keep things and say so on a pipe, until they are killed; the parent looks for what they said."""
    rng, counts, said = random.Random(3), Counter(), []
    for child in range(times):
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            write_for_ever(folder, child, writing, clocks[child % len(clocks)])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            lines = [pipe.readline() for _ in range(rng.randrange(12))]
            time.sleep(rng.uniform(0.0, 0.05))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            said += [json.loads(line) for line in [*lines, *pipe] if line.endswith("\n")]
    workspace, reviews = Workspace(folder / "w"), ReviewStore(folder / "w")
    listed = {entry.digest: entry for entry in workspace.runs()}
    notes = {event.value for event in reviews.history(TRUTH)}
    verdicts = VerdictStore(folder / "verdicts.sqlite")
    for kind, *facts in said:
        counts[f"{kind}s acknowledged"] += 1
        if kind == "run":
            counts["lost"] += facts[0] not in listed
        elif kind == "tag":
            counts["lost"] += facts[0] not in listed or facts[1] not in listed[facts[0]].tags
        elif kind == "note":
            counts["lost"] += facts[0] not in notes
        else:
            key = JUDGE.key(question(facts[0]))
            counts["lost"] += key not in verdicts.get([key])
    for digest, entry in listed.items():
        run = workspace.load_run(digest)
        counts["wrong"] += run.digest != digest or bool(entry.broken)
    return counts


def write_for_ever(folder: Path, child: int, writing: int, clock: float) -> None:
    """Keep a run, its tag, a note and a verdict, again and again, each said when it is kept."""
    if clock:
        real = time.time
        time.time = lambda: real() + clock
    workspace, reviews = Workspace(folder / "w"), ReviewStore(folder / "w")
    verdicts = VerdictStore(folder / "verdicts.sqlite")
    for number in range(100_000):
        entry = workspace.add_run(small_run(f"run {child} {number}"))
        _say(writing, "run", entry.digest)
        workspace.tag(entry.digest, [f"tag {number}"])
        _say(writing, "tag", entry.digest, f"tag {number}")
        reviews.add(TRUTH, [Event("note", f"q{number}", f"note {child} {number}")])
        _say(writing, "note", f"note {child} {number}")
        asked = question(child * 100_000 + number)
        verdicts.save(JUDGE, [(asked, Reply({"score": 1}, raw="", usage=Usage(1, 1), model="model", attempts=1,
                                            at="2026-01-01T00:00:00+00:00", mode="text"))])
        _say(writing, "verdict", child * 100_000 + number)


def _say(writing: int, *facts: object) -> None:
    os.write(writing, f"{json.dumps(facts)}\n".encode())


def killed_judging(folder: Path) -> Counter:
    """`ragdash judge` is killed again and again and goes on: only calls in flight at a kill are repeated."""
    counts: Counter = Counter()
    concurrency = 2
    with endpoint() as (address, calls):
        command = [sys.executable, "-m", "ragdash", "judge", str(SAMPLES / "dense.jsonl"), "--truth",
                   str(SAMPLES / "truth.jsonl"), "--base-url", address, "--model", "m", "--sample", "40", "--yes",
                   "--concurrency", str(concurrency), "--seed", "1"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAGDASH_WORKSPACE": str(folder / "w"),
                       "XDG_CACHE_HOME": str(folder / "cache"), "RAGDASH_CACHE": str(folder / "cache")}
        status = None
        while status is None and counts["kills"] < 20:
            before = len(calls)
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while process.poll() is None and len(calls) < before + 8:
                time.sleep(0.01)
            if process.poll() is None:
                process.kill()
                counts["kills"] += 1
            else:
                status = process.returncode
            message = process.communicate()[1].decode()
        if status:
            print(message[-1500:])
        counts["questions"], counts["calls"] = len(set(calls)), len(calls)
        counts["wrong"] += status != 0
        repeated = len(calls) - len(set(calls))
        counts["calls repeated"] = repeated
        counts["lost"] += max(repeated - concurrency * counts["kills"], 0)
    return counts


@contextmanager
def endpoint() -> Iterator[tuple[str, list[str]]]:
    """A judge's endpoint that answers anything with a score; the questions it was asked."""
    calls: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            calls.append(json.dumps(body["messages"]))
            time.sleep(0.05)
            content = json.dumps({"reason": "because", "score": 1, "verdict": "yes"})
            reply = json.dumps({"model": "m", "choices": [{"message": {"content": content}, "finish_reason": "stop"}],
                                "usage": {"prompt_tokens": 1, "completion_tokens": 1}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            with suppress(OSError):  # who asked was killed
                self.end_headers()
                self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", calls
    finally:
        server.shutdown()


def full_disk(folder: Path) -> Counter:
    """A file system of 4 MB is filled while runs and notes are kept; what was refused may be missing, nothing else."""
    counts: Counter = Counter()
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True,
                      check=False).returncode:
        return Counter({"not tried, no file system can be mounted here": 1})
    try:
        workspace, reviews = Workspace(disk / "w"), ReviewStore(disk / "w")
        digests, notes = [], []
        for number in range(400):
            try:
                large = Run.build(f"r{number}", ["q"] * 3_000, [f"{number}-{i}" for i in range(3_000)],
                                  np.arange(3_000.0))
                digests.append(workspace.add_run(large).digest)
                notes.append(f"note {number}")
                reviews.add(TRUTH, [Event("note", f"q{number}", notes[-1])])
            except InputError:
                counts["refused"] += 1
                notes = notes[:len(reviews.history(TRUTH))] if shutil.disk_usage(disk).free else notes
                if counts["refused"] > 10:
                    break
        counts["kept"] = len(digests)
        while digests:  # what a deleted run frees may be less than the catalogue needs to say so
            try:
                workspace.delete(digests.pop())
                counts["deleted"] += 1
                break
            except InputError:
                counts["deletions refused"] += 1
        listed = {entry.digest for entry in Workspace(disk / "w").runs()}
        counts["lost"] = len(set(digests) - listed)
        counts["wrong"] = sum(workspace.load_run(digest).digest != digest for digest in digests)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
    return counts


def damage(folder: Path, times: int) -> Counter:
    """Change, cut or remove a file of a workspace: every run is read as it was, or refused with a message."""
    rng, counts = random.Random(11), Counter()
    original = folder / "original"
    workspace = Workspace(original)
    digests = {workspace.add_run(small_run(f"run {number}")).digest for number in range(6)}
    digests.add(workspace.add_truth(Truth.build("truth", ["q1", "q2"], ["d", "e"], [1, 2])).digest)
    ReviewStore(original).add(TRUTH, [Event("note", "q1", "note")])
    for number in range(times):
        copy = folder / f"copy {number}"
        shutil.copytree(original, copy)
        victim = rng.choice(sorted(path for path in copy.rglob("*") if path.is_file()))
        _damage_file(victim, rng)
        try:
            damaged = Workspace(copy)
            counts["entries listed"] += len(damaged.runs()) + len(damaged.truths())
            for entry in (*damaged.runs(), *damaged.truths()):
                try:
                    load = damaged.load_run if entry.kind == "run" else damaged.load_truth
                    counts["wrong"] += load(entry.digest).digest != entry.digest or entry.digest not in digests
                    counts["read as they were"] += 1
                except InputError:
                    counts["refused with a message"] += 1
            ReviewStore(copy).read(TRUTH)
        except InputError:
            counts["workspaces refused with a message"] += 1
        except Exception as error:  # what the trial looks for: an error that no user can understand
            counts["wrong"] += 1
            print(f"   {victim.relative_to(copy)}: {error!r}")
        shutil.rmtree(copy)
    return counts


def _damage_file(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "cut", "empty", "remove", "zeros", "other"))
    if kind == "remove":
        path.unlink()
        return
    place = rng.randrange(len(content) or 1)
    if kind == "flip" and content:
        content[place] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[place:]
    elif kind == "empty":
        content.clear()
    elif kind == "zeros":
        content[place:place + 64] = bytes(len(content[place:place + 64]))
    elif kind == "other":
        content = bytearray(rng.randbytes(200))
    path.write_bytes(content)


def little_memory(folder: Path) -> Counter:
    """`ragdash check` on a file that does not fit: exit status 2 and one message."""
    counts: Counter = Counter()
    path = folder / "large.trec"
    with path.open("wb") as file:
        for query in range(2_000):
            file.write(b"".join(b"q%d Q0 document-%d 1 %d t\n" % (query, i, 2_000 - i) for i in range(1_000)))
    for megabytes in (300, 450, 600, 900, 1_200):
        def limit(size: int = megabytes << 20) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

        done = subprocess.run([sys.executable, "-m", "ragdash", "check", str(path)], capture_output=True, text=True,
                              preexec_fn=limit, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        counts[f"status {done.returncode} with {megabytes} MiB"] = 1
        if done.returncode and not (done.returncode == 2 and "memory" in done.stderr):
            counts["wrong"] += 1
            print(f"   {megabytes} MiB: {done.stderr[-400:]}")
    return counts


def short_server(folder: Path) -> Counter:
    """A server that may take a few more MiB while its pages compute: it says so, and shows the same runs later."""
    paths, truth = data(folder, 3_000, 100)
    server = Server.start(folder / "server", paths, "--truth", str(truth))
    try:
        return asyncio.run(visit_short_server(server))
    finally:
        server.stop()


async def visit_short_server(server: Server) -> Counter:
    """Each page with 16, 24 and 40 MiB more than the server has, and Compare afterwards, without a limit."""
    counts: Counter = Counter()
    session = Session(server.address)
    await session.open()
    for extra in (16, 24, 40):
        size = next(line for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
                    if line.startswith("VmSize"))
        limit = (int(size.split()[1]) << 10) + (extra << 20)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        for page in ("", "compare", "failures", "score-cutoffs", "what-if"):
            counts["pages"] += 1
            await session.visit(page)
            counts["messages"] += "not enough memory" in session.texts()
            counts["wrong"] += bool(session.failed)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await session.visit("compare")
        counts["lost"] += bool(session.failed) or "not enough memory" in session.texts()
    await session.close()
    return counts


if __name__ == "__main__":
    sys.exit(main())
