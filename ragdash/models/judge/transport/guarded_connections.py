"""Connections that are closed before anything is sent to an address that may not be called, and when a reply is late.

A name can have another address when it is connected to than when it was checked; so the connection itself is checked.
The time limits of `requests` hold for each piece of a reply, so that one in small pieces would never be late.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError


class GuardedAdapter(HTTPAdapter):
    """An adapter of `requests` for one thread, whose connections are limited and, where they are direct, checked.

    Parameters
    ----------
    allows
        Whether an address may be called; a proxy chooses its own.
    seconds
        How long a reply may take from its first byte asked for to its last one read, see `Deadline`.
    """

    def __init__(self, allows: Callable[[str], bool], seconds: float):
        self.deadline = deadline = Deadline(seconds)

        class _Limited:
            sock: socket.socket

            def getresponse(self):
                deadline.start(self.sock)
                return super().getresponse()

        class _Checked(_Limited):
            def _new_conn(self):
                connection = super()._new_conn()
                address = connection.getpeername()[0]
                if not allows(address):
                    connection.close()
                    raise NewConnectionError(self, f"{address} may not be called")
                return connection

        self._direct, self._proxied = _pools(_Checked), _pools(_Limited)
        super().__init__()

    def init_poolmanager(self, *arguments, **options) -> None:
        """Create the pools of this adapter."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = self._direct

    def proxy_manager_for(self, *arguments, **options):
        """The pools of a proxy."""
        manager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = self._proxied
        return manager


class Deadline:
    """The time limit of the reply that a thread reads: when it is over, nothing more arrives.

    Attributes
    ----------
    passed
        Whether it was over before `stop`: what was read may be the beginning of a reply.
    """

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._timer: threading.Timer | None = None
        self.passed = False

    def start(self, connection: socket.socket) -> None:
        """Limit what is read from a connection from now on."""
        self.stop()
        self.passed = False
        self._timer = threading.Timer(self._seconds, self._end, (connection,))
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """Everything has been read."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self, connection: socket.socket) -> None:
        self.passed = True
        with suppress(OSError):  # it is closed
            socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _pools(mixin: type) -> dict[str, type]:
    """The pools by scheme whose connections are of this kind."""
    class _Http(mixin, HTTPConnection):
        pass

    class _Https(mixin, HTTPSConnection):
        pass

    class _HttpPool(HTTPConnectionPool):
        ConnectionCls = _Http

    class _HttpsPool(HTTPSConnectionPool):
        ConnectionCls = _Https

    return {"http": _HttpPool, "https": _HttpsPool}
