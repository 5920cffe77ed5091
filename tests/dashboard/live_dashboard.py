"""A server and a Chromium for the browser tests; they are skipped, with the reason, where either is missing.

Environment: CHROMIUM (path of the browser), AXE_CORE (axe.min.js of the npm package axe-core), SHOTS (folder for a
screenshot of each test).
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.elements.widgets import button
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import local_script_runner
from warm_processes import Popen

from ragdash.evaluation.scoring import score_worker

ROOT = Path(__file__).resolve().parents[2]
# The first one takes a fifth less processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--disable-background-networking",
    "--no-first-run",
    "--process-per-site",  # a new page runs in the process of the visitor's page before, where Streamlit is compiled
    "--js-flags=--max-lazy",  # pages are too short for what compiling ahead costs
    # Streaming parses each script again, which this process has compiled for the page before: a tenth of the processor
    # time. The others are off because Playwright turns them off and Chromium heeds only the last such flag.
    "--disable-features=ScriptStreaming,AvoidUnnecessaryBeforeUnloadCheckSync,HttpsFirstBalancedModeAutoEnable,"
    "HttpsUpgrades,PaintHolding,ThirdPartyStoragePartitioning",
]
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BUFFERED = "() => new Promise(done => setTimeout(done, 50))"  # Streamlit collects what it draws for a moment
FOLLOW = """address => {
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate", {state: {}}));
}"""
GROUND_SHOWN = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}
LARGE = {"width": 1440, "height": 900}
SETTINGS = {"viewport": LARGE, "color_scheme": "light", "reduced_motion": "reduce", "locale": "en-US",
            "timezone_id": "UTC"}
KEPT_BY_PAGES = "cookies,local_storage,indexeddb,service_workers,cache_storage"  # all but the cache of scripts


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start_server(log: Path, *, folder: Path = ROOT, port: int = 0, **environment) -> tuple[subprocess.Popen, str]:
    """A fresh dashboard process, in a folder, and its address; it has no visitors yet, and its pages are imported."""
    chosen = port or free_port()
    url = f"http://127.0.0.1:{chosen}"
    settings = {
        "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
        "RAGDASH_WORKSPACE": str(log.parent / "workspace"),
        "RAGDASH_CACHE": str(log.parent / "cache"),  # never the user's
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        **{key: value for key, value in os.environ.items() if not key.startswith(("RAGDASH_", "PYTHONPATH"))},
    }
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "app.py"),
        "--server.address=127.0.0.1",
        f"--server.port={chosen}",
    ]
    with log.open("w") as stream:
        process = Popen(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT, env={**settings, **environment})
    for _ in range(9000):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=10).close()
            return process, url
        except OSError:
            if process.poll() is not None and not port and "is not available" in log.read_text():
                return start_server(log, folder=folder, **environment)  # another program has taken the port since
            assert process.poll() is None, f"the server ended:\n{log.read_text()}"
            time.sleep(0.02)
    process.kill()
    pytest.fail(f"the server does not answer:\n{log.read_text()}")


@pytest.fixture(autouse=True, scope="session")
def quick_app_tests():
    """Leave out what takes most of the time of a page in AppTest, and what pages do not do.

    For each page, Streamlit reads the metadata of every installed package again, and collects garbage after each run;
    while the script runs, AppTest asks a thousand times a second whether it has ended. Nobody reads the hashes of the
    messages: they serve the cache of a browser.
    """
    collects = config.get_option("runner.postScriptGC")
    config.set_option("runner.postScriptGC", False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        patch.setattr(button, "get_main_script_directory", cache(button.get_main_script_directory))
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
        patch.setattr(local_script_runner, "require_widgets_deltas", await_script)
        yield
    config.set_option("runner.postScriptGC", collects)


def await_script(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait for the end of the script, without asking again and again."""
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"The script did not end in {timeout} s")


@pytest.fixture(autouse=True)
def nothing_given(tmp_path, monkeypatch):
    """No files are named, and what one test keeps is not there for the next."""
    for name in ("RAGDASH_FILES", "RAGDASH_TRUTH", "RAGDASH_READ_ONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def warm_jobs(request, monkeypatch):
    """Jobs of pages are forked from a process that has imported their code, unless a test looks at their start."""
    if "cold_jobs" not in request.fixturenames:
        monkeypatch.setattr(score_worker, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": Popen}))


@pytest.fixture()
def cold_jobs():
    """Jobs of pages are started as the dashboard does it."""


@pytest.fixture()
def fresh_server(tmp_path):
    """A server without a visitor yet, for one test."""
    process, url = start_server(tmp_path / "server.log")
    yield url
    stop(process, tmp_path / "server.log")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A server that the tests share; sessions do not see each other's runs."""
    log = tmp_path_factory.mktemp("server") / "server.log"
    process, url = start_server(log)
    yield url
    stop(process, log)


def stop(process: subprocess.Popen, log: Path) -> None:
    process.terminate()
    process.wait(180)
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: browser tests are skipped"
    )
    if not CHROMIUM:
        pytest.skip(f"no Chromium found ({', '.join(NAMES)}; or set CHROMIUM): browser tests are skipped")
    with playwright.sync_playwright() as api:
        found = api.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield found
        found.close()


class App:
    """A browser page and the waits that Streamlit needs."""

    def __init__(self, page, url: str):
        self.page, self.url = page, url
        self.awaited = False  # a run of the script is asked for and has not begun,
        self.running = False  # or has not ended
        self.finished = 0  # runs that have ended, so far
        self.whole_runs = 0  # asked for, so far: those that do not draw a section alone
        self.files: set[str] = set()  # ids of the uploaded files that the server was told of
        page.on("websocket", self.listen)

    def listen(self, socket) -> None:
        """Hear what the page and the server say to each other."""
        if "/_stcore/stream" in socket.url:
            self.awaited = self.running = False
            socket.on("framesent", self.sent)
            socket.on("framereceived", self.received)

    def sent(self, frame: bytes) -> None:
        message = BackMsg.FromString(frame)
        if message.HasField("rerun_script"):
            self.awaited = True
            self.whole_runs += not message.rerun_script.fragment_id
            for widget in message.rerun_script.widget_states.widgets:
                self.files.update(file.file_id for file in widget.file_uploader_state_value.uploaded_file_info)

    def received(self, frame: bytes) -> None:
        said = ForwardMsg.FromString(frame)
        if said.HasField("new_session"):
            self.awaited, self.running = False, True
        elif said.HasField("script_finished") and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.running = False
            self.finished += 1

    def until(self, true) -> None:
        """Wait until this is so; what the page says is heard meanwhile."""
        end = time.monotonic() + 180
        while not true():
            assert time.monotonic() < end, "waited too long"
            self.page.wait_for_timeout(20)

    def open(self, path: str = "data") -> App:
        """Go to an address and wait until its first run of the script has ended and is drawn."""
        return self.after_a_run(lambda: self.page.goto(f"{self.url}/{path}" if "://" not in path else path))

    def follow(self, address: str) -> App:
        """Go to another address of the dashboard within the page that is open, as the back button does; or open it."""
        return self.after_a_run(lambda: self.page.evaluate(FOLLOW, address)) if self.finished else self.open(address)

    def reload(self) -> App:
        return self.after_a_run(self.page.reload)

    def rerun(self) -> App:
        """Run the script again, as Streamlit's key for it does: with the appearance that the browser has by then."""
        return self.after_a_run(lambda: self.page.keyboard.press("r"))

    def after_a_run(self, act) -> App:
        """Do what makes the script run, and wait until a run has ended and is drawn."""
        before = self.finished
        act()
        self.until(lambda: self.finished > before)
        return self.drawn()

    def appear(self, scheme: str) -> App:
        """Let the browser prefer light or dark, and run the script again once the page has followed."""
        self.page.emulate_media(color_scheme=scheme)
        return self.on_ground(scheme).rerun()

    def on_ground(self, scheme: str) -> App:
        """Wait until the page has the background of this scheme."""
        self.until(lambda: self.page.evaluate(GROUND_SHOWN) == GROUND[scheme])
        return self

    def resize(self, width: int) -> App:
        self.page.set_viewport_size({"width": width, "height": 900})
        return self.settle()

    def settle(self) -> App:
        """Wait until the script has run and everything is drawn: every run that the page asks for is awaited."""
        self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        self.page.wait_for_timeout(120)
        self.page.evaluate(DRAWN)  # what was clicked has been sent
        return self.drawn()

    def drawn(self) -> App:
        """Wait until no run is asked for or under way, and everything is drawn."""
        self.page.evaluate(BUFFERED)
        self.until(lambda: not self.awaited and not self.running)
        self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        self.until(lambda: not self.page.get_by_test_id("stSkeleton").count())  # a policy may forbid wait_for_function
        self.page.evaluate(DRAWN)
        return self

    def go(self, name: str) -> App:
        """Follow a link of the navigation, again where Streamlit undoes the click.

        What runs a page by itself, such as the end of an upload or a progress bar, names the page that the browser
        takes for the open one. Until the clicked page has begun, that is the page before. A visitor clicks again.
        """
        link = self.page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True)
        heading = self.page.get_by_role("heading", name=name, level=1)

        def is_open() -> bool:
            link.click()
            self.settle()
            return heading.count() == 1

        self.until(is_open)
        return self

    def part(self, key: str, name: str) -> App:
        """Open a tab of the page; key: of the choice of tabs."""
        tab = self.page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True)
        tab.click()
        self.settle()
        assert tab.get_attribute("aria-checked") == "true"
        return self

    def upload(self, *files) -> App:
        """Drop files, paths or {name, mimeType, buffer}."""
        field = self.page.locator("[data-testid=stFileUploader] input[type=file]")
        only = "document.querySelectorAll('[data-testid=stFileUploader] input[type=file]').length === 1"
        self.page.wait_for_function(only)  # that of the batch before may still be there
        before = len(self.files)
        field.set_input_files(list(files))
        self.until(lambda: len(self.files) >= before + len(files))  # all are sent, and a run with them is asked for
        return self.settle()

    def chart(self, key: str):
        """The plotly element of a chart, drawn."""
        found = self.page.locator(f".st-key-{key} .js-plotly-plot")
        found.locator(".main-svg").first.wait_for()
        done = "place => document.querySelector(place)?._fullLayout?._replotting === false"
        self.until(lambda: self.page.evaluate(done, f".st-key-{key} .js-plotly-plot"))
        return found

    def data(self, key: str) -> list[dict]:
        """The traces of a chart: name, type, number of points."""
        return self.chart(key).evaluate(
            "gd => gd.data.map((t, i) => ({name: t.name, type: t.type, points: gd.calcdata[i].length, "
            "color: t.line && t.line.color || t.marker && t.marker.color}))"
        )

    def calm(self) -> None:
        """No exception is shown, and nothing sticks out of the page sideways."""
        assert self.page.get_by_test_id("stException").count() == 0, self.page.get_by_test_id(
            "stException"
        ).all_inner_texts()
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")


def watched(context, url: str):
    """(App, faults): a new page; faults fills with page errors and with requests that leave the server."""
    page = context.new_page()
    page.set_default_timeout(180_000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda request: (
            faults.append(f"leaves the server: {request.url}")
            if not request.url.startswith((url, url.replace("http", "ws"), "data:", "blob:"))
            else None
        ),
    )
    return App(page, url), faults


def visitor(browser, url: str, **settings):
    """(App, faults, context): a new visitor with a browser of their own."""
    context = browser.new_context(**{**SETTINGS, **settings})
    return *watched(context, url), context


def new_profile(browser, url: str):
    """A browser of a visitor; its first page stays open, so that others run in its process with compiled scripts."""
    context = browser.new_context(**SETTINGS)
    context.new_page().goto(f"{url}/_stcore/health")
    return context


@pytest.fixture(scope="session")
def arrive(browser):
    """Open the page of a new visitor, in the browser with a number: arrive(0, url, color_scheme, viewport) -> (App,
    faults). The browsers stay for test after test: the scripts that they load stay cached, and nothing else."""
    contexts = []

    def start(number: int, url: str, color_scheme: str, viewport: dict):
        if number == len(contexts):
            contexts.append(new_profile(browser, url))
        app, faults = watched(contexts[number], url)
        app.page.context.new_cdp_session(app.page).send(
            "Storage.clearDataForOrigin", {"origin": url, "storageTypes": KEPT_BY_PAGES})
        app.page.emulate_media(color_scheme=color_scheme)
        app.page.set_viewport_size(viewport)
        return app, faults

    yield start
    for context in contexts:
        context.close()


@pytest.fixture()
def visit(arrive, server, request):
    """Open a new visitor's page: visit(color_scheme="dark", viewport=...) -> App; each has a browser of their own."""
    opened = []

    def start(url: str = server, *, color_scheme: str = "light", viewport: dict = LARGE) -> App:
        opened.append(arrive(len(opened), url, color_scheme, viewport))
        return opened[-1][0]

    yield start
    for number, (app, _) in enumerate(opened):
        if os.environ.get("SHOTS"):
            folder = Path(os.environ["SHOTS"])
            folder.mkdir(parents=True, exist_ok=True)
            app.page.screenshot(path=folder / f"{request.node.name.replace('/', '-')}-{number}.png")
        app.page.close()
    faults = [fault for _, seen in opened for fault in seen]
    assert not faults, faults


@pytest.fixture(scope="session")
def samples_link(arrive, server) -> str:
    """The address of the three samples and their truth, read from files on a small dark screen."""
    app, faults = arrive(0, server, "dark", {"width": 390, "height": 900})
    names = ("dense", "sparse", "hybrid", "truth")
    app.open().upload(*(str(ROOT / "sample_runs" / f"{name}.jsonl") for name in names)).calm()
    link = link_to(app, runs=3)
    app.page.close()
    assert not faults, faults
    return link


def first_visit(app: App, path: str) -> App:
    """Open an address of a server that has had no visitor yet: the whole page is there, with its navigation."""
    app.open(path).calm()
    navigation = app.page.get_by_test_id("stSidebarNav")
    for name in ("Overview", "Data"):
        assert navigation.get_by_role("link", name=name, exact=True).count() == 1
    assert app.page.get_by_role("heading", level=1).count() == 1
    assert app.page.get_by_role("dialog").count() == 0 and app.page.get_by_text("Page not found").count() == 0
    return app


def link_to(app: App, runs: int) -> str:
    """The address, once this many runs and a truth are read and are in it."""
    app.page.get_by_role("heading", name=f"Runs ({runs})").wait_for()
    app.settle().page.wait_for_url(re.compile(r"[?&]truth=\w"))
    return app.page.url.replace("/data?", "/?")


@pytest.fixture(scope="session")
def axe_source() -> str | None:
    """The source of axe-core, where it is found."""
    given = os.environ.get("AXE_CORE")
    path = Path(given) if given else ROOT / "node_modules/axe-core/axe.min.js"
    path = path / "axe.min.js" if path.is_dir() else path
    return path.read_text() if path.is_file() else None


@pytest.fixture(scope="session")
def axe(axe_source) -> str:
    """The source of axe-core; the test is skipped without it."""
    if axe_source is None:
        pytest.skip("axe-core is not found (npm install axe-core, then set AXE_CORE): accessibility is not checked")
    return axe_source
