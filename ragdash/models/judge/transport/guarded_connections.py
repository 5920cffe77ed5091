"""Connections that are closed, before anything is sent, where they lead to an address that may not be called.

A name can have another address when it is connected to than when it was checked; so the connection itself is checked.
"""

from __future__ import annotations

from collections.abc import Callable

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError


class GuardedAdapter(HTTPAdapter):
    """An adapter of `requests` whose direct connections are checked; a proxy chooses its own.

    Parameters
    ----------
    allows
        Whether an address may be called.
    """

    def __init__(self, allows: Callable[[str], bool]):
        class _Checked:
            def _new_conn(self):
                connection = super()._new_conn()
                address = connection.getpeername()[0]
                if not allows(address):
                    connection.close()
                    raise NewConnectionError(self, f"{address} may not be called")
                return connection

        class _Http(_Checked, HTTPConnection):
            pass

        class _Https(_Checked, HTTPSConnection):
            pass

        class _HttpPool(HTTPConnectionPool):
            ConnectionCls = _Http

        class _HttpsPool(HTTPSConnectionPool):
            ConnectionCls = _Https

        self._pools = {"http": _HttpPool, "https": _HttpsPool}
        super().__init__()

    def init_poolmanager(self, *arguments, **options) -> None:
        """Create the pools of this adapter."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools
