"""Readiness and metrics of a server."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from threading import Event

import page_cases
import pytest
from helpers import until
from live_dashboard import free_port

from ragdash.cli.main import main
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.monitoring import status_server
from ragdash.dashboard.monitoring.reruns import Reruns

ROOT = Path(__file__).parents[2]


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_runs_are_counted_by_their_duration_however_they_end():
    reruns = Reruns()
    with reruns.timed():
        pass
    with pytest.raises(ZeroDivisionError), reruns.timed():
        raise ZeroDivisionError
    lines = reruns.lines()
    assert lines[0] == "# TYPE ragdash_rerun_seconds histogram" and lines[-1] == "ragdash_rerun_seconds_count 2"
    assert 'ragdash_rerun_seconds_bucket{le="0.05"} 2' in lines and 'ragdash_rerun_seconds_bucket{le="+Inf"} 2' in lines


def test_a_server_is_ready_only_while_its_workspace_answers(monkeypatch):
    broken = [InputError([Problem("unusable-database/away", {"reason": "gone"}, "postgresql://db/x")])]

    def check() -> None:
        if broken:
            raise broken[0]

    real = status_server.Readiness
    monkeypatch.setattr(status_server, "Readiness", lambda check: real(check, every=0.02))
    server = status_server.serve(f"127.0.0.1:{free_port()}", check)
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        until(lambda: "gone" in fetch(f"{url}/ready")[1])
        status, text = fetch(f"{url}/ready")
        assert status == 503 and json.loads(text)["ready"] is False and "ragdash_ready 0" in fetch(f"{url}/metrics")[1]
        broken.clear()
        until(lambda: fetch(f"{url}/ready") == (200, '{"ready": true, "problems": []}'))
        before = fetch(f"{url}/metrics")[1]
        page_cases.opened("metrics")
        after = fetch(f"{url}/metrics")[1]
        counts = [int(text.rpartition("ragdash_rerun_seconds_count ")[2].split()[0]) for text in (before, after)]
        assert counts[1] > counts[0] and "ragdash_sessions 0" in after and "ragdash_jobs" not in after
        assert fetch(f"{url}/other")[0] == 404
        with urllib.request.urlopen(urllib.request.Request(f"{url}/ready", method="HEAD"), timeout=60) as reply:
            assert (reply.status, reply.read()) == (200, b"") and int(reply.headers["Content-Length"]) > 2
        monkeypatch.setattr(status_server, "STALE", -1.0)
        assert "does not answer" in fetch(f"{url}/ready")[1]
    finally:
        server.shutdown()


class Queue:
    """Two jobs and a worker."""

    def counts(self) -> dict[str, int]:
        return {"waiting": 2, "running": 0}

    def workers(self) -> list[str]:
        return ["one"]


@pytest.mark.parametrize(("problem", "counted"), [("unusable-blobs/rights", True), ("unusable-database/away", False)])
def test_jobs_are_counted_while_only_the_bucket_is_away(problem, counted, monkeypatch):
    def check() -> None:
        raise InputError([Problem(problem, {"reason": "gone"}, "s3://bucket/x")])

    monkeypatch.setattr(status_server.shared_queue, "queue", Queue)
    server = status_server.serve(f"127.0.0.1:{free_port()}", check)
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        until(lambda: "gone" in fetch(f"{url}/ready")[1])
        text = fetch(f"{url}/metrics")[1]
        assert "ragdash_ready 0" in text and ('ragdash_jobs{state="waiting"} 2' in text) is counted
        assert ("ragdash_workers 1" in text) is counted
    finally:
        server.shutdown()


def test_a_server_is_not_ready_before_its_pages_are_served():
    """A proxy would send people to a port where nobody listens, and tell them that no server is left."""
    port, status = free_port(), free_port()
    server = status_server.serve(f"127.0.0.1:{status}", lambda: None,
                                 ["run", "app.py", f"--server.port={port}", "--server.address=0.0.0.0"])
    try:
        until(lambda: "not checked yet" not in fetch(f"http://127.0.0.1:{status}/ready")[1])
        code, said = fetch(f"http://127.0.0.1:{status}/ready")
        assert code == 503 and json.loads(said)["problems"] == ["the pages are not served yet"]
        with socket.create_server(("127.0.0.1", port)):
            assert fetch(f"http://127.0.0.1:{status}/ready")[0] == 200
        assert fetch(f"http://127.0.0.1:{status}/ready")[0] == 200, "asked until it answers, not at every look"
    finally:
        server.shutdown()


@pytest.mark.slow
def test_a_client_that_goes_before_its_answer_leaves_no_traceback(capfd):
    server = status_server.serve(f"127.0.0.1:{free_port()}", lambda: None)
    answered = Event()

    class Slow(server.RequestHandlerClass):
        def do_GET(self):
            answered.wait(10)
            raise ConnectionResetError(104, "Connection reset by peer")

    server.RequestHandlerClass = Slow
    with socket.create_connection(server.server_address) as client:
        client.sendall(b"GET /ready HTTP/1.0\r\n\r\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    answered.set()
    server.daemon_threads = False
    server.shutdown()
    server.server_close()  # waits for the thread of the request
    assert capfd.readouterr().err == ""


def test_the_command_starts_it_on_a_port_of_its_own_and_only_when_asked(tmp_path, capsys):
    port, status = free_port(), free_port()
    command = [sys.executable, "-m", "ragdash", "dashboard", "--no-browser", "--port", str(port), "--status",
               str(status), "--workspace", str(tmp_path / "kept"), "--", "--server.fileWatcherType=none"]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path,
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def answers(url: str) -> bool:
        assert process.poll() is None
        try:
            return fetch(url)[0] == 200
        except OSError:
            return False

    try:
        printed = next(line for line in process.stderr if "http" in line)
        assert printed == f"ragdash: http://127.0.0.1:{port} (stop with Ctrl+C)\n"
        assert answers(f"http://127.0.0.1:{port}/_stcore/health"), "the address is printed once it can be opened"
        until(lambda: answers(f"http://127.0.0.1:{status}/ready"))
        until(lambda: answers(f"http://127.0.0.1:{port}/_stcore/health"))
        assert "ragdash_sessions 0" in fetch(f"http://127.0.0.1:{status}/metrics")[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert main(["dashboard", "--status", "x"]) == 2 and "--status 9101" in capsys.readouterr().err
    code = ("import sys\nfrom ragdash.dashboard import shell\n"
            "print('ragdash.dashboard.monitoring.status_server' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["False"], done.stderr


@pytest.mark.parametrize(("host", "shown"), [("::1", "http://[::1]:8501"), ("127.0.0.1", "http://127.0.0.1:8501")])
def test_the_printed_address_is_one_that_a_browser_opens(monkeypatch, capsys, host, shown):
    from streamlit import config

    from ragdash.dashboard.monitoring import __main__ as start

    options = {"server.address": host, "server.port": 8501, "server.baseUrlPath": "", "server.sslCertFile": ""}
    real = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: options.get(name) if name in options else real(name))
    start._print_address(None)
    start._started.clear()
    assert f"ragdash: {shown} (stop with Ctrl+C)" in "".join(capsys.readouterr())
