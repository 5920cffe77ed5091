"""How long the dashboard takes from a click to rest, in a real browser, and the processor time that a click costs.

    python benchmarks/pages.py [--runs 5] [--queries 7000] [--depth 100] [--rounds 6] [--only queries] [--data DIR]

Starts a dashboard on seeded runs and judgments, opens each page, and does what a reader does: next query, sort, tab,
cutoff, metric, baseline. A change is warm when the same values were shown before; the first time is printed apart.
Idle is the moment after which nothing on the page changes for 0.4 seconds; the targets are for it. Seen is the last
change but for the text that a table keeps for screen readers, which its grid renews 0.2 seconds after it is drawn.
Needs playwright and a Chromium on the path (or in CHROMIUM). Wall time is only worth reading on an idle machine, so
the load is printed with it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from generate import judgments, ranking, write
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
QUIET = 400  # milliseconds without a change: the page is idle
TARGETS = {"next query": 0.25, "k of RRF": 0.25, "weight": 0.25}  # seconds, p95 of the warm changes
TARGET = 0.4
TITLES = {"": "Overview", "precision-recall": "Precision-recall", "what-if": "What-if"}
WATCH = """() => {
    window.changed = window.seen = performance.now();
    const unseen = change => (change.target.parentElement ?? change.target).closest('canvas');
    const note = changes => {
        window.changed = performance.now();
        if (!changes.every(unseen)) window.seen = window.changed;
    };
    new MutationObserver(note).observe(document.querySelector('[data-testid=stMain]'),
        {subtree: true, childList: true, attributes: true, characterData: true});
    new MutationObserver(note).observe(document.querySelector('[data-testid=stApp]'),
        {attributes: true, attributeFilter: ['data-test-script-state']});
}"""
IDLE = f"""() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-testid=stSkeleton]') && performance.now() - window.changed > {QUIET}"""


def make_files(folder: Path, runs: int, queries: int, depth: int) -> tuple[list[Path], Path]:
    """Write seeded TREC files, about 20 graded judgments per query; what is there already is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = np.array([f"q{number:05d}" for number in range(queries)])
    judged = judgments(queries, 20, True, np.random.default_rng(16))
    qrels = folder / f"judged-{queries}.qrels"
    if not qrels.exists():
        write(qrels, [ids[judged[0]], np.full(len(judged[0]), "0"), judged[1], judged[2]])
    paths = []
    for number in range(runs):
        path = folder / f"run{number}-{queries}x{depth}.trec"
        if not path.exists():
            query, doc, score = ranking(queries, depth, judged, np.random.default_rng(100 + number))
            rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
            write(path, [ids[query], np.full(len(query), "Q0"), doc, rank, score, np.full(len(query), f"run{number}")])
        paths.append(path)
    return paths, qrels


@contextmanager
def dashboard(runs: list[Path], qrels: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """A server of its own on these files; gives its address and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {**os.environ, "RAGDASH_FILES": json.dumps(list(map(str, runs))),
                "RAGDASH_TRUTH": json.dumps([str(qrels)]),
                "RAGDASH_WORKSPACE": str(folder / "workspace"), "PYTHONPATH": str(ROOT),
                "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none"}
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.address=127.0.0.1",
               f"--server.port={port}", "--server.headless=true"]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=log, stderr=subprocess.STDOUT)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(30)


def processor_time(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@dataclass
class Timings:
    """Seconds of one kind of change, (idle, seen, processor time of the server) of each: the first time and warm."""

    first: list[tuple[float, float, float]] = field(default_factory=list)
    warm: list[tuple[float, float, float]] = field(default_factory=list)


class Reader:
    """A browser page that does what a reader does, and takes the time."""

    def __init__(self, page: Page, url: str, server: int, runs: tuple[str, str]):
        self.page, self.url, self.server, self.runs = page, url, server, runs
        self.timings: dict[tuple[str, str], Timings] = {}
        self.place = ""

    def open(self, path: str) -> None:
        """Go to a page by its link in the sidebar; the first page by its address."""
        self.place = path
        if self.page.url.startswith(self.url):
            title = TITLES.get(path, path.replace("-", " ").capitalize())
            self.page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click()
        else:
            self.page.goto(f"{self.url}/{path}")
            self.page.get_by_test_id("stMain").wait_for()
            self.page.evaluate(WATCH)
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_timeout(150)
        self.page.wait_for_function(IDLE, timeout=180_000)

    def take(self, change: str, act: Callable[[], None], *, first: bool) -> None:
        """Do something that changes the page and note how long it takes until nothing changes."""
        spent = processor_time(self.server)
        begun = self.page.evaluate("performance.now()")
        act()
        self.settle()
        idle, seen = self.page.evaluate(f"[window.changed - {begun}, window.seen - {begun}]")
        timings = self.timings.setdefault((self.place, change), Timings())
        row = (idle / 1e3, seen / 1e3, processor_time(self.server) - spent)
        (timings.first if first else timings.warm).append(row)

    def choose(self, label: str, option: str) -> Callable[[], None]:
        """Open a list now; the action clicks on the option."""
        box = self.page.get_by_role("combobox", name=label).first
        box.click()
        choice = self.page.get_by_role("option", name=option, exact=True).first
        choice.wait_for()
        return choice.click

    def alternate(self, change: str, label: str, options: tuple[str, str], rounds: int) -> None:
        """Choose the two options in turn; the first of each is not warm."""
        for number in range(rounds + 2):
            act = self.choose(label, options[number % 2])
            self.page.wait_for_timeout(200)
            self.take(change, act, first=number < 2)


def read_queries(reader: Reader, rounds: int) -> None:
    for number in range(2 * rounds):
        reader.take("next query", reader.page.get_by_role("button", name="Next").click, first=number == 0)
    reader.alternate("sort", "Sort by", ("Best first", "Worst first"), rounds)
    for number in range(rounds + 2):
        name = ("Rank changes", "Rankings and verdicts")[number % 2]
        reader.take("tab", reader.page.get_by_role("tab", name=name).click, first=number < 2)


def read_table(reader: Reader, rounds: int) -> None:
    """The tabs of the first picture."""
    for number in range(rounds + 2):
        tab = reader.page.get_by_role("tab", name=("Table", "Picture")[number % 2]).first
        reader.take("tab", tab.click, first=number < 2)


def read_sidebar(reader: Reader, rounds: int) -> None:
    """Cutoff, metric and baseline."""
    reader.alternate("k", "Cutoff k", ("20", "10"), rounds)
    reader.alternate("metric", "Metric", ("Recall@k", "NDCG@k"), rounds)
    reader.alternate("baseline", "Baseline", reader.runs, rounds)


def read_mix(reader: Reader, rounds: int) -> None:
    """The sliders of two methods, moved by keyboard: each place on a slider is new at first."""
    for change, method, label in (("k of RRF", "Reciprocal rank fusion", "k"),
                                  ("weight", "Weighted sum of scores", "Weight of")):
        reader.page.get_by_role("combobox", name="Method or engine").click()
        reader.page.keyboard.type(method)  # the list is long: it is drawn in part
        reader.page.get_by_role("option", name=method, exact=True).click()
        reader.settle()
        slider = reader.page.locator(f'input[type=range][aria-label^="{label}"]')
        for number in range(2 * rounds):
            key = ("ArrowRight", "ArrowLeft")[number % 2]
            reader.take(change, partial(slider.press, key), first=number < 2)


PAGES: dict[str, tuple[Callable[[Reader, int], None], ...]] = {
    "": (read_sidebar,), "compare": (read_sidebar,), "queries": (read_queries, read_sidebar),
    "failures": (read_table, read_sidebar), "precision-recall": (read_table, read_sidebar),
    "ranking": (read_table, read_sidebar), "threshold-bands": (read_sidebar,), "what-if": (read_mix,)}


def report(reader: Reader, shown: str) -> None:
    """One line per change on a page."""
    for (place, change), timings in reader.timings.items():
        if place != shown:
            continue
        wall, seen, spent = np.array(timings.warm).T
        p95, target = np.quantile(wall, 0.95), TARGETS.get(change, TARGET)
        print(f"{place or 'overview':18s}{change:12s}{max(row[0] for row in timings.first):8.2f}{np.median(wall):9.2f}"
              f"{p95:8.2f}{target:8.2f}{np.quantile(seen, 0.95):10.2f}{np.median(spent):11.3f}   "
              f"{'' if p95 <= target else 'too slow'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in (("runs", 5), ("queries", 7_000), ("depth", 100), ("rounds", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", nargs="*", choices=[*filter(None, PAGES), "overview"], help="pages")
    parser.add_argument("--data", type=Path, default=Path(__file__).parent / "data")
    options = parser.parse_args()
    runs, qrels = make_files(options.data, options.runs, options.queries, options.depth)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with (tempfile.TemporaryDirectory() as folder, dashboard(runs, qrels, Path(folder)) as (url, pid),
          sync_playwright() as api):
        browser = api.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale="en-US")
        page.set_default_timeout(60_000)
        reader, begun = Reader(page, url, pid, (runs[1].stem, runs[0].stem)), time.perf_counter()
        reader.open("")
        print(f"{options.runs} runs x {options.queries:,} queries x {options.depth}: read and shown after "
              f"{time.perf_counter() - begun:.1f} s; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} "
              "processors\n"
              f"{'page':18s}{'change':12s}{'first':>8s}{'median':>9s}{'p95':>8s}{'target':>8s}{'seen p95':>10s}"
              f"{'processor':>11s}   seconds")
        for place, parts in PAGES.items():
            if not options.only or (place or "overview") in options.only:
                reader.open(place)
                for part in parts:
                    part(reader, options.rounds)
                report(reader, place)
        print(f"load of the machine at the end {os.getloadavg()[0]:.1f}")
        browser.close()


if __name__ == "__main__":
    main()
