"""How results that were computed ahead get from their process to the server.

Only caches that say so (`shared(ahead=True)`) send and take results. The ids of the queries, the same in every
evaluation, are not sent: the server has them.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
import pyarrow as pa

from ragdash.dashboard.caches.shared_cache import AHEAD

QUERY_IDS = "query ids"
MOST_BYTES, MOST_COLUMNS = 64 << 20, 10  # of the values of an evaluation that is sent
Result = tuple[str, Any, Any]  # name of a cache, key, value


class ResultWriter:
    """Sends what is new in the caches of this process."""

    def __init__(self, stream: IO[bytes], query_ids: pa.Array):
        self._stream, self._query_ids = stream, query_ids
        self._sent: set[tuple[str, Any]] = set()

    def send(self) -> None:
        """Send the results that were not sent yet, as one message."""
        new = [(name, key, value) for name, cache in AHEAD.items() for key, value in cache.items()
               if (name, key) not in self._sent]
        self._sent |= {(name, key) for name, key, _ in new}
        new = [result for result in new if _is_small(result[2])]
        if new:
            message = io.BytesIO()
            _Pickler(message, self._query_ids).dump(new)
            self._stream.write(message.getbuffer())
            self._stream.flush()


class _Pickler(pickle.Pickler):
    def __init__(self, stream: IO[bytes], query_ids: pa.Array):
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._query_ids = query_ids

    def persistent_id(self, thing: object) -> str | None:
        is_ids = isinstance(thing, pa.Array) and len(thing) == len(self._query_ids) and thing.equals(self._query_ids)
        return QUERY_IDS if is_ids else None


class Reader(pickle.Unpickler):
    """Reads one message of the process."""

    def __init__(self, stream: IO[bytes], query_ids: pa.Array):
        super().__init__(stream)
        self._query_ids = query_ids

    def persistent_load(self, pid: str) -> pa.Array:
        """The ids of the queries as this server has them."""
        return self._query_ids


def adopt(results: Sequence[Result]) -> None:
    """Put results where the pages look; what a page has computed meanwhile stays."""
    for name, key, value in results:
        if name in AHEAD:
            AHEAD[name].adopt(key, value)


def _is_small(value: object) -> bool:
    values = getattr(value, "values", None)
    return not isinstance(values, np.ndarray) or (values.nbytes <= MOST_BYTES and values.shape[-1] <= MOST_COLUMNS)
