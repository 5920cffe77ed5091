"""The nginx recipe of docs/reference/deploy.md, tried with nginx before two small servers."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from team_services import free_port

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "deploy.md").read_text(encoding="utf-8")
RECIPE = re.search(r"^```nginx\n(map \$http_upgrade \$ragdash.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: the connection ends with a reset


class Handler(BaseHTTPRequestHandler):
    """Says the port of its server. An upload to it ends with a reset, a page stays open."""

    def do_GET(self) -> None:
        self.send_response(200)
        body = f"{self.server.server_port}".encode()
        self.send_header("Content-Length", str(len(body) + (self.path == "/page")))
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/page":
            self.wfile.flush()
            self.server.done.wait(10)

    def do_PUT(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.connection.close()

    def finish(self) -> None:
        """Close what is open."""
        if not self.wfile.closed:
            self.wfile.close()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serve(port: int) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.done = threading.Event()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def end(server: ThreadingHTTPServer) -> None:
    server.done.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def proxy(tmp_path):
    """(port of nginx, ports of the two servers)."""
    if not NGINX:
        pytest.skip("the recipe of the proxy needs nginx (apt install nginx-light)")
    port, ports = free_port(), [free_port(), free_port()]
    recipe = re.sub(r"^ *ssl_.*\n", "", RECIPE.replace("listen 443 ssl", f"listen 127.0.0.1:{port}"), flags=re.M)
    for fixed, number in zip((8501, 8502), ports, strict=True):
        recipe = recipe.replace(f":{fixed}", f":{number}")
    places = "".join(f"{name}_temp_path {tmp_path};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (tmp_path / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{places}{recipe}\n}}\n")
    process = subprocess.Popen([NGINX, "-c", str(tmp_path / "nginx.conf")], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 10
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert process.poll() is None and time.monotonic() < until, (tmp_path / "error.log").read_text()
            time.sleep(0.01)
        yield port, ports
    finally:
        process.terminate()
        process.wait(10)


def ask(port: int, node: int, method: str = "GET", path: str = "/") -> tuple[str, str]:
    """What a browser with this cookie gets: (text or status, the cookie it is given)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body=b"x" * 100 if method == "PUT" else None,
                       headers={"Cookie": f"rag_node={node}"})
    reply = connection.getresponse()
    cookie = (reply.getheader("Set-Cookie") or "").partition(";")[0]
    said = reply.read(5).decode() if path == "/page" else reply.read().decode()
    return said if reply.status == 200 else str(reply.status), cookie


def test_every_recipe_denies_what_has_no_login():
    compose = (ROOT / "docs" / "examples" / "compose" / "nginx.conf").read_text(encoding="utf-8")
    recipes = [block for block in [*re.findall(r"^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL), compose]
               if re.search(r"^ +(?:proxy_pass|reverse_proxy) ", block, re.MULTILINE)]
    denied = [re.findall(r"^ +(?:location = /_stcore/metrics \{ deny all; \}|respond /_stcore/metrics 403)", recipe,
                         re.MULTILINE) for recipe in recipes]
    assert [len(lines) for lines in denied] == [1] * 5


def test_pages_stay_with_their_server_whatever_happens_to_the_uploads_of_others(proxy):
    port, (first, second) = proxy
    servers = [serve(first), serve(second)]
    try:
        assert ask(port, 1) == (f"{first}", "rag_node=1") and ask(port, 2) == (f"{second}", "rag_node=2")
        assert ask(port, 1, "PUT", "/upload")[0] == "502"  # both servers refuse it
        assert ask(port, 1)[0] == f"{first}" and ask(port, 2)[0] == f"{second}"
    finally:
        for server in servers:
            end(server)


def test_another_server_takes_over_and_the_first_one_has_its_pages_at_once_when_it_is_back(proxy):
    port, (first, second) = proxy
    there = serve(second)
    back = None
    try:
        assert ask(port, 1) == (f"{second}", "rag_node=2"), "the page goes to the other server, and stays there"
        assert ask(port, 1, "PUT", "/upload")[0] == "502"
        assert ask(port, 1)[0] == f"{second}", "an upload that fails does not take the last server from others"
        back = serve(first)
        assert ask(port, 1, path="/page")[0] == f"{first}"
        assert ask(port, 1) == (f"{first}", "rag_node=1"), "while a page is open there"
    finally:
        for server in filter(None, (there, back)):
            end(server)
