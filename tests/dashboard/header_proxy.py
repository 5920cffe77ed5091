"""A small proxy for tests: it passes every byte on, and adds one header to each answer, as a real proxy would."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def proxy_with_header(server: str, header: str) -> Iterator[str]:
    """The address of a proxy before the server at this address."""
    host, _, port = server.removeprefix("http://").partition(":")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def accept() -> None:
            with suppress(OSError):  # closed: the test is over
                while True:
                    browser = listening.accept()[0]
                    upstream = socket.create_connection((host, int(port)))
                    for pair in ((browser, upstream, b""), (upstream, browser, f"{header}\r\n".encode())):
                        threading.Thread(target=_pass_on, args=pair, daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def _pass_on(source: socket.socket, target: socket.socket, header: bytes) -> None:
    """Bytes until the end; the server sends the head of an answer in a piece of its own."""
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            if header and piece.startswith(b"HTTP/1.1 ") and not piece.startswith(b"HTTP/1.1 101"):
                status, _, rest = piece.partition(b"\r\n")
                piece = b"\r\n".join((status, header + rest))
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()  # the other thread closes the target
