"""Kills under a page of the team set-up, which team_setup.py brings up: what the page shows, and what is stored, after.

Each takes a page that is open through the proxy and leaves one open: it ends the server that has the page, waits until
the same view is back, and makes the next click count. Printed with each wait: the processor time that the other server
took, which does not depend on what else the machine does.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from live_dashboard import App
from models.judge.server import Server
from sessions import Session
from trust_cases import a_run, judged, scores, the_truth
from workspace.team.worker_trial import enqueue, wait

from ragdash.analysis.judge_validation import LabelStore
from ragdash.core.records import Run, Truth
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.session.data_store import SHORT, SessionRun
from ragdash.workspace import Workspace, open_workspace
from ragdash.workspace.reviews import Event as Review
from ragdash.workspace.reviews import ReviewStore

BACK = 6.0  # seconds until the same view is back
LABELED = re.compile(r"(\d+) of 50 labeled")
UPLOADER = "[data-testid=stFileUploader]"


def report(what: str, seconds: float | None = None) -> None:
    print(what if seconds is None else f"{what}: {seconds:.1f} s", flush=True)


def shared_workspace() -> Workspace:
    return open_workspace(os.environ["RAGDASH_WORKSPACE"], os.environ["RAGDASH_BLOBS"])


def store(truth: Truth, runs: list[Run]) -> str:
    """Store runs in the workspace; the part of an address that shows them."""
    workspace = shared_workspace()
    workspace.add_truth(truth)
    for run in runs:
        workspace.add_run(run)
    tokens = "&".join(f"run={SessionRun(run.digest, run.name, slot).token}" for slot, run in enumerate(runs))
    return f"{tokens}&truth={truth.digest[:SHORT]}"


def view_of(app: App) -> str:
    return re.sub(r"\s+", " ", app.page.locator("[data-testid=stMain]").inner_text())


class Kills:
    """Kills of whichever server has the one open page. waits: seconds until the view was back."""

    def __init__(self, setup: Any, app: App, server: list[str]):
        self.setup, self.app, self.server = setup, app, server
        self.waits: list[float] = []
        self._sockets = 0
        app.page.on("websocket", self._count)

    def _count(self, _: Any) -> None:
        self._sockets += 1

    @property
    def port(self) -> int:
        """Of the server that has the page."""
        return next(port for port in self.setup.ports if self.setup.sessions(port) > 0)

    def open(self, path: str) -> str:
        """Open an address in the page; what it shows."""
        self.app.open(f"http://127.0.0.1:{self.setup.proxy}/{path}").drawn()
        return view_of(self.app)

    @contextmanager
    def kill(self, what: str, same: Callable[[str], bool]) -> Iterator[None]:
        """End the server, wait for the view; the server starts again after the block, which clicks."""
        port = self.port
        other = next(number for number in self.setup.ports if number != port)
        used, sockets, started = self.setup.processor_time(other), self._sockets, time.monotonic()
        self.setup.kill(str(port))
        self.app.until(lambda: self._sockets > sockets)
        finished = self.app.finished
        self.app.until(lambda: self.app.finished > finished)
        self.app.until(lambda: same(view_of(self.app)))
        self.waits.append(time.monotonic() - started)
        report(f"server killed {what}: the same view (processor time of the other server "
               f"{self.setup.processor_time(other) - used:.1f} s, load {os.getloadavg()[0]:.1f}) after", self.waits[-1])
        yield
        self.setup.start(str(port), self.server, port)
        wait(lambda: self.setup.ready(port), 600)


def kill_at_rest(kills: Kills, runs: str) -> None:
    """A page that nobody touches; the next click opens another page with the same runs."""
    app, before = kills.app, kills.open(f"compare?{runs}")
    with kills.kill("under a page at rest", lambda view: view == before):
        app.page.locator("[data-testid=stSidebar]").get_by_role("link", name="Ranking", exact=True).click()
        app.page.get_by_role("heading", name="Ranking", level=1).wait_for()
        app.drawn()
        assert "No runs" not in view_of(app)
        assert app.page.get_by_role("button", name="Log out").count() == 1
    report("   still logged in, and the next click opened another page with the same runs")


def trec(name: str, rows: int) -> dict[str, Any]:
    """A file for the upload field."""
    lines = b"".join(b"q%d Q0 %s-%d 1 %d t\n" % (number % 50, name.encode(), number, rows - number)
                     for number in range(rows))
    return {"name": f"{name}.trec", "mimeType": "text/plain", "buffer": lines}


def kill_during_upload(kills: Kills, number: int) -> None:
    """One file is shown, another on its way: the first one stays, the second is dropped again and is there once."""
    app, first, second = kills.app, f"shown{number}", f"cut{number}"
    kills.open("data")
    app.upload(trec(first, 50))
    app.page.get_by_role("heading", name="Runs (1)").wait_for()
    network = app.page.context.new_cdp_session(app.page)
    network.send("Network.emulateNetworkConditions",
                 {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000})
    sent, ended = [], []
    for event, urls in (("request", sent), ("requestfinished", ended), ("requestfailed", ended)):
        app.page.on(event, lambda request, urls=urls: urls.append(request.url) if request.method == "PUT" else None)
    app.page.locator(f"{UPLOADER} input[type=file]").set_input_files([trec(second, 200_000)])  # 5 MB: 10 seconds
    app.until(lambda: bool(sent))
    app.page.wait_for_timeout(1500)
    with kills.kill("during an upload", lambda view: "Runs (1)" in view and first in view):
        network.send("Network.emulateNetworkConditions",
                     {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        app.until(lambda: bool(ended))  # the page says that this upload failed
        app.drawn()
        app.upload(trec(second, 200_000))
        app.page.get_by_role("heading", name="Runs (2)").wait_for()
    app.upload(trec(f"third{number}", 50))  # the server that was killed is back: the page stays with the other one
    app.page.get_by_role("heading", name="Runs (3)").wait_for()
    workspace = shared_workspace()
    entries = [entry for entry in workspace.runs() if entry.name in (first, second)]
    assert sorted(entry.name for entry in entries) == [second, first], [entry.name for entry in entries]
    assert all(workspace.load_run(entry.digest).digest == entry.digest for entry in entries)
    report("   what was shown is stored; the interrupted file was dropped again, and is stored once")


def kill_while_judging(kills: Kills, runs: str) -> None:
    """The page watches a job; after the kill it still does, all questions are asked once, and Stop counts."""
    app, queue = kills.app, shared_queue.queue()
    with Server(delay=0.3) as judge:
        id = enqueue(judge, 60, f"kill-{time.monotonic()}", concurrency=2)
        kills.open(f"answers?part=judge&{runs}")
        app.page.get_by_text("is judging stones").wait_for()
        with kills.kill("while a judge works", lambda view: "is judging stones" in view or not queue.find(id).active):
            wait(lambda: not queue.find(id).active, 600)
        asked = Counter(json.dumps(body["messages"]) for body in judge.asked)
        assert queue.find(id).state == "done" and len(asked) == 60 == sum(asked.values()), (queue.find(id), len(asked))
        report(f"   job {queue.find(id).state}: 60 questions, asked {sum(asked.values())} times in all")
        judge.delay = 1
        id = enqueue(judge, 300, f"stop-{time.monotonic()}", concurrency=2)
        kills.open(f"answers?part=judge&{runs}")
        with kills.kill("while a judge works", lambda view: "is judging stones" in view):
            app.page.locator(".st-key-judge_stop button").click()
            started = time.monotonic()
            wait(lambda: not queue.find(id).active)
            seconds = time.monotonic() - started
        assert queue.find(id).state == "canceled"
        report("   Stop, as the next click, ended the job after", seconds)


def labels_shown(app: App) -> int:
    """How many labels the page says there are; -1 while it is drawn."""
    found = LABELED.search(view_of(app))
    return int(found[1]) if found else -1


def kill_while_labeling(kills: Kills, rounds: int) -> None:
    """Between two labels, and in the middle of a click: a label that the page counts is stored, once."""
    run, truth = a_run("labeled"), the_truth()
    runs = store(truth, [run])
    judged(run, truth, scores(1))
    app = kills.app
    kills.open(f"answers?part=validation&desk=label&{runs}")

    def click(button: str, count: int) -> None:
        app.page.locator(f"[class*=st-key-label_{button}-] button").click()
        app.until(lambda: labels_shown(app) == count)

    def stored() -> int:
        return len(LabelStore().read(run.digest, "Faithfulness"))

    click("y", 1)
    app.drawn()
    before = view_of(app)
    with kills.kill("between two labels", lambda view: view == before):
        click("n", 2)
    for number in range(rounds):
        app.drawn()
        shown = labels_shown(app)
        app.page.locator("[class*=st-key-label_y-] button").click(no_wait_after=True)
        app.page.wait_for_timeout(60 * number)
        with kills.kill("in the middle of a click on a label",
                        lambda view: LABELED.search(view) is not None and labels_shown(app) == stored()):
            assert stored() in (shown, shown + 1), (shown, stored())
            kept = "kept" if stored() > shown else "not made"
            click("n", stored() + 1)
        assert labels_shown(app) == stored()
    events = ReviewStore(name="labels.sqlite").read(run.digest).events
    keys = Counter((event.query_id, event.value) for event in events)
    assert len(events) == stored() == len(keys), "a label was stored twice"
    report(f"   {stored()} labels shown and stored once each; the last click in progress was {kept}")


async def storm(setup: Any, cookie: str, runs: str, count: int) -> None:
    """Sessions of one server come back at once as it ends; a person on the other one goes on clicking."""
    address = f"127.0.0.1:{setup.proxy}"

    def person(node: str) -> Session:
        return Session(address, query=f"?{runs}", login=f"{cookie}; rag_node={node}")

    wait(lambda: not any(map(setup.sessions, setup.ports)), 200)  # those of closed pages end
    sessions: list[Session] = []
    for _ in range(count):
        sessions.append(person(setup.node(setup.ports[0])))
        await sessions[-1].open()
    clicking = person(setup.node(setup.ports[1]))
    await clicking.open()
    new = [setup.sessions(port) for port in setup.ports]
    assert new == [count, 1], f"all sessions with one server, the other person elsewhere: {new}"
    used = setup.processor_time(setup.ports[1])
    setup.kill(str(setup.ports[0]))
    started, waits = time.monotonic(), []
    back = asyncio.gather(*(person(setup.node(setup.ports[0])).open() for _ in range(count)))
    while not back.done():
        before = time.monotonic()
        await clicking.choose("Cutoff k", ("5", "10")[len(waits) % 2])
        waits.append(time.monotonic() - before)
    seconds = sorted(await back)
    wait(lambda: setup.sessions(setup.ports[1]) > count)
    report(f"{count} sessions reconnect at once to the other server: half of them drawn after "
           f"{seconds[count // 2]:.1f} s, all after {time.monotonic() - started:.1f} s, processor time "
           f"{setup.processor_time(setup.ports[1]) - used:.1f} s, {len(waits)} clicks of somebody else meanwhile, the "
           f"longest {max(waits, default=0):.1f} s; load {os.getloadavg()[0]:.1f}")


def restart_the_database(kills: Kills, restarts: int) -> None:
    """PostgreSQL ends at once and starts again while a page labels and others write: none lost, none twice."""
    run, truth, app = a_run("restarted"), the_truth(), kills.app
    runs, stop, confirmed = store(truth, [run]), Event(), []
    judged(run, truth, scores(2))
    kills.open(f"answers?part=validation&desk=label&{runs}")

    def write(writer: int) -> None:
        number = 0
        while not stop.is_set():
            note = f"{writer}-{number}"
            ReviewStore().add("f" * 64, [Review("note", f"q{note}", note, by="ada@example.org")])
            confirmed.append(note)
            number += 1

    writers = [Thread(target=write, args=(number,), daemon=True) for number in range(2)]
    for thread in writers:
        thread.start()
    longest = 0.0
    for _ in range(restarts):
        count = len(confirmed)
        wait(lambda count=count: len(confirmed) > count + 20)
        app.drawn()
        shown = labels_shown(app)
        kills.setup.postgres.stop()
        started = time.monotonic()
        app.page.locator("[class*=st-key-label_y-] button").click(no_wait_after=True)
        time.sleep(0.5)
        kills.setup.postgres.start()
        app.until(lambda shown=shown: labels_shown(app) == shown + 1)
        longest = max(longest, time.monotonic() - started)
    stop.set()
    for thread in writers:
        thread.join()
    notes = Counter(event.value for event in ReviewStore().read("f" * 64).events)
    assert notes == Counter(confirmed), "a note was lost or stored twice"
    assert len(LabelStore().read(run.digest, "Faithfulness")) == restarts == labels_shown(app)
    for port in kills.setup.ports:
        wait(lambda port=port: kills.setup.ready(port), 120)
    report(f"PostgreSQL ended at once {restarts} times while it was written: {len(confirmed)} notes and {restarts} "
           f"labels, none lost, none twice; a click took at most", longest)


def cookie_of(app: App) -> str:
    """The login of a page, as clients that are no browser send it."""
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in app.page.context.cookies()
                     if cookie["name"] not in ("rag_node", "_streamlit_xsrf"))


def all_kills(setup: Any, app: App, server: list[str], runs: str, rounds: int, sessions: int) -> bool:
    """Every kill, in order; whether each view was back in time."""
    kills = Kills(setup, app, server)
    for number in range(rounds):
        kill_at_rest(kills, runs)
        kill_during_upload(kills, number)
    kill_while_judging(kills, runs)
    kill_while_labeling(kills, rounds)
    restart_the_database(kills, rounds)
    cookie = cookie_of(app)
    app.page.context.close()
    if sessions:
        with ThreadPoolExecutor(1) as pool:  # the browser has the event loop of this thread
            pool.submit(lambda: asyncio.run(storm(setup, cookie, runs, sessions))).result()
        setup.start(str(setup.ports[0]), server, setup.ports[0])
        wait(lambda: setup.ready(setup.ports[0]), 600)
    late = [seconds for seconds in kills.waits if seconds > BACK]
    report(f"{len(kills.waits)} kills under a page: the view was back within {max(kills.waits):.1f} s"
           + (f", {len(late)} times later than {BACK:.0f} s" if late else ""))
    return not late
