"""A visitor of the dashboard without a browser: Streamlit's own messages over a websocket, as its page sends them.

A session opens the page's address, keeps the cookie against forged requests, connects to /_stcore/stream and sends
what a click sends: the values of the widgets that the person has changed, and the page. It ends when the script has.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from live_dashboard import free_port
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Server:
    """A dashboard process of this benchmark."""

    process: subprocess.Popen
    address: str
    log: Path

    @classmethod
    def start(cls, folder: Path, files: Sequence[Path] = (), *options: str, port: int = 0, wait: bool = True,
              **environment: str) -> Server:
        """`ragdash dashboard` with its workspace and its log in the folder; returns when it answers."""
        folder.mkdir(parents=True, exist_ok=True)
        port, log = port or free_port(), folder / "server.log"
        command = [sys.executable, "-m", "ragdash", "dashboard", *map(str, files), "--no-browser", f"--port={port}",
                   "--workspace", str(folder / "workspace"), *options, "--", "--server.fileWatcherType=none"]
        with log.open("a") as stream:
            process = subprocess.Popen(command, stdout=stream, stderr=stream, cwd=folder, env={
                **os.environ, "PYTHONPATH": str(ROOT), **environment})
        server = cls(process, f"127.0.0.1:{port}", log)
        if wait:
            server.wait_until_it_answers()
        return server

    def wait_until_it_answers(self, seconds: float = 120) -> None:
        """Wait for the health address; SystemExit with the log if the process ends before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"http://{self.address}/_stcore/health", timeout=2).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"the server ended:\n{self.log.read_text()}") from None
                time.sleep(0.1)
        raise SystemExit("the server does not answer")

    def processor(self) -> float:
        """Processor seconds of the server and of its ended children so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS

    def own_processor(self) -> float:
        """The same without its children, such as the process that computes ahead."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / TICKS

    def memory(self) -> float:
        """Resident memory in MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


@dataclass
class Session:
    """One person's open page. `shown`: the elements that the last runs of the script drew, by place."""

    address: str
    query: str = ""
    page: str = ""
    session_id: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    values: dict[str, WidgetState] = field(default_factory=dict)
    shown: dict[tuple[int, ...], object] = field(default_factory=dict)
    blocks: dict[tuple[int, ...], object] = field(default_factory=dict)  # the same of tabs, expanders and containers
    fragments: dict[str, str] = field(default_factory=dict)  # of widgets: the section that is drawn again alone
    cookie: str = ""
    login: str = ""  # the cookie of a login, as name=value
    received: int = 0
    failed: str = ""
    _socket: ClientConnection | None = None
    _kept: dict[str, ForwardMsg] = field(default_factory=dict)
    _answers: dict[str, object] = field(default_factory=dict)

    async def open(self, path: str = "") -> float:
        """Connect and run the page once; the seconds until it is drawn."""
        start = time.perf_counter()
        await self.connect()
        await self._send_rerun(name=path)
        await self._until_finished()
        return time.perf_counter() - start

    async def connect(self) -> None:
        """The websocket alone, with the cookie and the token that the page's address gives."""
        self.cookie = await asyncio.to_thread(self._fetch_cookie)
        cookies = "; ".join(filter(None, (self.cookie, self.login)))
        protocols = ["streamlit", self.cookie.partition("=")[2] or "PLACEHOLDER"]
        self._socket = await connect(f"ws://{self.address}/_stcore/stream", subprotocols=protocols, max_size=None,
                                     origin=f"http://{self.address}", ping_interval=None, open_timeout=120,
                                     additional_headers={"Cookie": cookies} if cookies else None)

    def _fetch_cookie(self) -> str:
        for path in ("_stcore/health", ""):
            with urllib.request.urlopen(f"http://{self.address}/{path}", timeout=120) as answer:
                for header in answer.headers.get_all("Set-Cookie") or ():
                    if "xsrf" in header:
                        return header.split(";")[0]
        return ""

    async def close(self) -> None:
        """Leave the page."""
        if self._socket is not None:
            await self._socket.close()

    async def choose(self, label: str, value: str) -> float:
        """Choose an option of a select box; the seconds until the page is drawn again."""
        box = self.element("selectbox", label)
        return await self.set(WidgetState(id=box.id, string_value=value))

    async def visit(self, path: str) -> float:
        """Open another page by its link; the seconds until it is drawn."""
        start = time.perf_counter()
        self.page, self.query = self.pages[path], ""
        self.shown.clear()
        self.blocks.clear()
        await self._send_rerun()
        await self._until_finished()
        return time.perf_counter() - start

    async def redraw(self, fragment: str) -> float:
        """Draw a section of the page again alone; the seconds until it is drawn."""
        start = time.perf_counter()
        await self._send_rerun(fragment=fragment)
        await self._until_finished()
        return time.perf_counter() - start

    async def set(self, state: WidgetState) -> float:
        """Send the new value of a widget; the seconds until the page, or its section alone, is drawn again."""
        start = time.perf_counter()
        self.values[state.id] = state
        await self._send_rerun(fragment=self.fragments.get(state.id, ""))
        await self._until_finished()
        return time.perf_counter() - start

    async def upload(self, name: str, content: bytes) -> float:
        """Give a file to the first uploader of the page, as the browser does; the seconds until it is shown."""
        start = time.perf_counter()
        uploader = next(element.file_uploader for element in self.shown.values()
                        if element.WhichOneof("type") == "file_uploader")
        message, request = BackMsg(), str(uuid.uuid4())
        message.file_urls_request.request_id = request
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session_id
        await self._socket.send(message.SerializeToString())
        while request not in self._answers:
            await self._take_message()
        urls = self._answers.pop(request)
        await asyncio.to_thread(self._put, urls.upload_url, name, content)
        state = WidgetState(id=uploader.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(content), urls.file_id
        info.file_urls.CopyFrom(urls)
        await self.set(state)
        return time.perf_counter() - start

    def _put(self, path: str, name: str, content: bytes) -> None:
        mark = uuid.uuid4().hex
        head = (f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n").encode()
        request = urllib.request.Request(
            f"http://{self.address}{path}", b"".join((head, content, f"\r\n--{mark}--\r\n".encode())), method="PUT",
            headers={"Content-Type": f"multipart/form-data; boundary={mark}", "Cookie": self.cookie,
                     "X-Xsrftoken": self.cookie.partition("=")[2]})
        urllib.request.urlopen(request, timeout=600).close()

    def widgets(self) -> list[str]:
        """The ids of the widgets on the page."""
        ids = (getattr(getattr(element, element.WhichOneof("type")), "id", "") for element in self.shown.values())
        return [widget for widget in ids if widget in self.fragments]

    def element(self, kind: str, label: str):
        """The element of this kind and label on the page."""
        for element in self.shown.values():
            if element.WhichOneof("type") == kind and getattr(element, kind).label == label:
                return getattr(element, kind)
        raise LookupError(f"no {kind} {label!r} on the page{self.failed and ': ' + self.failed}")

    def texts(self) -> str:
        """What the page says in text elements, for looking something up."""
        return "\n".join(str(getattr(element, element.WhichOneof("type"))) for element in self.shown.values()
                         if element.WhichOneof("type") in ("markdown", "alert", "heading", "html", "exception"))

    async def _send_rerun(self, name: str = "", fragment: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.page_name = self.query, self.page, name
        state.widget_states.widgets.extend(self.values.values())
        state.cached_message_hashes.extend(self._kept)
        state.fragment_id = fragment
        state.context_info.timezone, state.context_info.locale = "UTC", "en-US"
        await self._socket.send(message.SerializeToString())

    async def _until_finished(self) -> None:
        self.failed = ""
        while (await self._take_message()) not in (ForwardMsg.FINISHED_SUCCESSFULLY,
                                                  ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
                                                  ForwardMsg.FINISHED_WITH_COMPILE_ERROR):
            pass

    async def _take_message(self) -> int | None:
        """Take one message; how the script ended where that is what it says."""
        raw = await asyncio.wait_for(self._socket.recv(), 300)
        self.received += len(raw)
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            known = self._kept[message.ref_hash]
            known.metadata.CopyFrom(message.metadata)
            message, kind = known, known.WhichOneof("type")
        elif message.metadata.cacheable and message.hash:
            self._kept[message.hash] = message
        if kind == "new_session":
            self.session_id = message.new_session.initialize.session_id or self.session_id
            self.page = message.new_session.page_script_hash
        elif kind == "navigation":
            self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
            self.page = message.navigation.page_script_hash or self.page
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "file_urls_response":
            self._answers[message.file_urls_response.response_id] = message.file_urls_response.file_urls[0]
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            self.shown[tuple(message.metadata.delta_path)] = element
            widget = getattr(getattr(element, element.WhichOneof("type")), "id", "")
            if widget:
                self.fragments[widget] = message.delta.fragment_id
            if element.WhichOneof("type") == "exception":
                self.failed = element.exception.message
        elif kind == "delta" and message.delta.WhichOneof("type") == "add_block":
            block = message.delta.add_block
            self.blocks[tuple(message.metadata.delta_path)] = block
            widget = getattr(getattr(block, block.WhichOneof("type") or "", None), "id", "")
            if widget:
                self.fragments[widget] = message.delta.fragment_id
        return message.script_finished if kind == "script_finished" else None
