"""A server and a Chromium for the browser tests; they are skipped, with the reason, where either is missing.

Environment: CHROMIUM (path of the browser), AXE_CORE (axe.min.js of the npm package axe-core), SHOTS (folder for a
screenshot of each test).
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--disable-background-networking",
    "--no-first-run",
]
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start_server(log: Path, *, folder: Path = ROOT, port: int = 0, **environment) -> tuple[subprocess.Popen, str]:
    """A fresh dashboard process, started in a folder, and its address; it has no visitors yet."""
    url = f"http://127.0.0.1:{(port := port or free_port())}"
    settings = {
        "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
        "RAGDASH_WORKSPACE": str(log.parent / "workspace"),
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
        f"--server.port={port}",
    ]
    with log.open("w") as stream:
        process = subprocess.Popen(
            command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT, env={**settings, **environment}
        )
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
            return process, url
        except OSError:
            assert process.poll() is None, f"the server ended:\n{log.read_text()}"
            time.sleep(0.1)
    process.kill()
    pytest.fail(f"the server does not answer:\n{log.read_text()}")


@pytest.fixture(autouse=True, scope="session")
def scan_for_components_once():
    """AppTest reads the metadata of every installed package for each page it opens: half of the time of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def nothing_given(tmp_path, monkeypatch):
    """No files are named, and what one test keeps is not there for the next."""
    for name in ("RAGDASH_FILES", "RAGDASH_TRUTH", "RAGDASH_READ_ONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))


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
    process.wait(60)
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
        self.asked = 0  # runs of the script, so far; and whether one
        self.awaited = False  # is asked for and has not begun,
        self.running = False  # or has not ended
        page.on("websocket", self.listen)

    def listen(self, socket) -> None:
        """Hear what the page and the server say to each other."""
        if "/_stcore/stream" in socket.url:
            self.awaited = self.running = False
            socket.on("framesent", self.sent)
            socket.on("framereceived", self.received)

    def sent(self, frame: bytes) -> None:
        if BackMsg.FromString(frame).HasField("rerun_script"):
            self.asked, self.awaited = self.asked + 1, True

    def received(self, frame: bytes) -> None:
        said = ForwardMsg.FromString(frame)
        if said.HasField("new_session"):
            self.awaited, self.running = False, True
        elif said.HasField("script_finished") and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.running = False

    def until(self, true) -> None:
        """Wait until this is so; what the page says is heard meanwhile."""
        end = time.monotonic() + 60
        while not true():
            assert time.monotonic() < end, "waited too long"
            self.page.wait_for_timeout(20)

    def open(self, path: str = "") -> App:
        self.page.goto(f"{self.url}/{path}" if "://" not in path else path)
        self.settle()
        self.page.wait_for_timeout(300)
        return self.settle()

    def settle(self) -> App:
        """Wait until the script has run and everything is drawn: every run that the page asks for is awaited."""
        idle = self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
        idle.wait_for()
        self.page.wait_for_timeout(120)
        self.page.evaluate(DRAWN)  # what was clicked has been sent
        self.until(lambda: not self.awaited and not self.running)
        idle.wait_for()
        self.page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
        self.page.evaluate(DRAWN)
        return self

    def go(self, name: str) -> App:
        """Follow a link of the navigation."""
        self.page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()
        self.page.get_by_role("heading", name=name, level=1).wait_for()
        return self.settle()

    def upload(self, *files) -> App:
        """Drop files, paths or {name, mimeType, buffer}."""
        field = self.page.locator("[data-testid=stFileUploader] input[type=file]")
        only = "document.querySelectorAll('[data-testid=stFileUploader] input[type=file]').length === 1"
        self.page.wait_for_function(only)  # that of the batch before may still be there
        before = self.asked
        field.set_input_files(list(files))
        self.until(lambda: self.asked > before)  # all are sent
        return self.settle()

    def chart(self, key: str):
        """The plotly element of a chart, drawn."""
        found = self.page.locator(f".st-key-{key} .js-plotly-plot")
        found.locator(".main-svg").first.wait_for()
        self.page.wait_for_function("place => document.querySelector(place)?._fullLayout?._replotting === false",
                                    arg=f".st-key-{key} .js-plotly-plot")
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


def visitor(browser, url: str, **settings):
    """(App, faults, context): a new visitor; faults fills with page errors and with requests that leave the server."""
    options = {
        "viewport": {"width": 1440, "height": 900},
        "color_scheme": "light",
        "reduced_motion": "reduce",
        "locale": "en-US",
        "timezone_id": "UTC",
    }
    context = browser.new_context(**{**options, **settings})
    page = context.new_page()
    page.set_default_timeout(60_000)
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
    return App(page, url), faults, context


@pytest.fixture()
def visit(browser, server, request):
    """Open a new visitor's page: visit(color_scheme="dark", ...) -> App."""
    opened = []

    def start(url: str = server, **settings) -> App:
        opened.append(visitor(browser, url, **settings))
        return opened[-1][0]

    yield start
    for at, (app, _, context) in enumerate(opened):
        if os.environ.get("SHOTS"):
            folder = Path(os.environ["SHOTS"])
            folder.mkdir(parents=True, exist_ok=True)
            app.page.screenshot(path=folder / f"{request.node.name.replace('/', '-')}-{at}.png")
        context.close()
    faults = [fault for _, found, _ in opened for fault in found]
    assert not faults, faults


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found = os.environ.get("AXE_CORE")
    path = Path(found) if found else ROOT / "node_modules/axe-core/axe.min.js"
    path = path / "axe.min.js" if path.is_dir() else path
    if not path.is_file():
        pytest.skip("axe-core is not found (npm install axe-core, then set AXE_CORE): accessibility is not checked")
    return path.read_text()
