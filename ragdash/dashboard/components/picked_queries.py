"""A free choice of queries, as a lasso on the map makes it, as a text that fits into an address.

Letters: Q queries of the truth.
"""

from __future__ import annotations

import base64
import hashlib
import zlib

import numpy as np

from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.scope import Scope

_CHECK = 6  # characters that name the queries of the truth


def pack(scope: Scope, queries: np.ndarray) -> str:
    """These queries (Q,) bool as a text; it opens on every truth with the same queries in the same order."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = compressor.compress(np.packbits(queries).tobytes()) + compressor.flush()
    return f"{_check(scope)}.{base64.urlsafe_b64encode(content).rstrip(b'=').decode()}"


def unpack(scope: Scope, text: str) -> np.ndarray | None:
    """The queries (Q,) bool that `pack` wrote; None for those of another truth, and for another text."""
    check, _, packed = text.partition(".")
    count = len(scope.truth)
    if check != _check(scope):
        return None
    try:
        content = base64.urlsafe_b64decode(packed.encode() + b"=" * (-len(packed) % 4))
        decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
        bits = decompressor.decompress(content, (count + 7) // 8)
    except (zlib.error, ValueError):
        return None
    queries = np.unpackbits(np.frombuffer(bits, np.uint8)).astype(bool)[:count]
    return queries if len(queries) == count and queries.any() else None


@shared(max_entries=16, key=lambda scope: (scope.truth_digest,))
def _check(scope: Scope) -> str:
    return hashlib.blake2b("\0".join(scope.truth.query_ids.to_pylist()).encode(), digest_size=8).hexdigest()[:_CHECK]
