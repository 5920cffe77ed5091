"""A small server on a port of its own: `/ready` for load balancers, `/metrics` for Prometheus. No texts of users."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread

from ragdash.core.errors import InputError
from ragdash.dashboard.jobs import shared_queue
from ragdash.dashboard.monitoring.reruns import RERUNS
from ragdash.workspace.opening import user_workspace

VARIABLE = "RAGDASH_STATUS"  # host:port
EVERY = 10.0  # seconds between two looks at the workspace
STALE = 30.0  # seconds after which a look says nothing: a database that hangs makes a server not ready


class Readiness:
    """Whether the workspace can be used: its database with tables of this version, and its bucket.

    Parameters
    ----------
    check
        Raises InputError where it cannot.
    every
        Seconds between two checks, which a thread makes: a request never waits for a database.
    """

    def __init__(self, check: Callable[[], None], every: float = EVERY):
        self._check, self._every, self._lock = check, every, Lock()
        self._looked, self._problems, self._has_database = float("-inf"), ["not checked yet"], False
        self.ended = Event()
        Thread(target=self._watch, daemon=True).start()

    def problems(self) -> list[str]:
        """Why the server is not ready, a line each; empty where it is."""
        with self._lock:
            if self._problems == [] and time.monotonic() - self._looked > STALE:
                return ["the workspace does not answer"]
            return list(self._problems)

    def has_database(self) -> bool:
        """Whether the database answered at the last look, whatever the blobs did."""
        return self._has_database

    def _watch(self) -> None:
        while True:
            try:
                self._check()
                problems, kinds = [], set()
            except InputError as error:
                problems = [str(problem) for problem in error.problems]
                kinds = {problem.kind for problem in error.problems}
            with self._lock:
                self._looked, self._problems = time.monotonic(), problems
                self._has_database = kinds <= {"unusable-blobs"}
            if self.ended.wait(self._every):
                return


def metrics(ready: bool, has_database: bool) -> str:
    """The numbers of this server, and the jobs of its workspace, in the text format of Prometheus."""
    lines = ["# TYPE ragdash_ready gauge", f"ragdash_ready {int(ready)}", "# TYPE ragdash_sessions gauge",
             f"ragdash_sessions {_sessions()}", "# TYPE ragdash_cpu_seconds_total counter",
             f"ragdash_cpu_seconds_total {time.process_time():.3f}", *RERUNS.lines()]
    queue = shared_queue.queue()
    if queue is not None and has_database:
        lines += ["# TYPE ragdash_jobs gauge",
                  *(f'ragdash_jobs{{state="{state}"}} {count}' for state, count in queue.counts().items()),
                  "# TYPE ragdash_workers gauge", f"ragdash_workers {len(queue.workers())}"]
    return "\n".join([*lines, ""])


def _sessions() -> int:
    """Open pages of this server."""
    from streamlit import runtime

    return len(runtime.get_instance()._session_mgr.list_active_sessions()) if runtime.exists() else 0


class Pages:
    """Whether the pages are served: a server that still starts must get nobody.

    Parameters
    ----------
    words
        The command line of Streamlit, with --server.address and --server.port; without them nothing is asked.
    """

    def __init__(self, words: Sequence[str]):
        options = dict(word.split("=", 1) for word in words if word.startswith("--server.") and "=" in word)
        self._address = options.get("--server.address", "127.0.0.1"), int(options.get("--server.port", 0))
        self._served = not self._address[1]

    def problems(self) -> list[str]:
        """Why nobody should be sent here; empty once the port answers."""
        if not self._served:
            host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._address[0], self._address[0])
            with suppress(OSError), socket.create_connection((host, self._address[1]), timeout=1):
                self._served = True
        return [] if self._served else ["the pages are not served yet"]


class _StatusServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing where the client has gone before its answer, as scanners of ports do."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def serve(address: str, check: Callable[[], None] | None = None, words: Sequence[str] = ()) -> ThreadingHTTPServer:
    """Answer at "host:port" in threads of this process, until the process ends or `shutdown` is called.

    words: the command line of Streamlit.
    """
    host, _, port = address.rpartition(":")
    readiness, pages = Readiness(check or user_workspace().check), Pages(words)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            problems = [*pages.problems(), *readiness.problems()]
            if self.path == "/ready":
                content = json.dumps({"ready": not problems, "problems": problems}).encode()
                self._send(503 if problems else 200, "application/json", content)
            elif self.path == "/metrics":
                try:
                    text = metrics(not problems, readiness.has_database())
                except InputError:  # the database went away after the last look
                    text = metrics(False, has_database=False)
                self._send(200, "text/plain; version=0.0.4", text.encode())
            else:
                self._send(404, "text/plain", b"/ready or /metrics\n")

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_HEAD = do_GET  # as some load balancers ask

        def log_message(self, *_: object) -> None:
            """Nothing: a load balancer asks every few seconds."""

    server = _StatusServer((host.strip("[]") or "127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return server
