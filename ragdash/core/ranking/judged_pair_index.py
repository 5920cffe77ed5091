"""An index of judged (query, document) pairs by their hash: which rows of a run could be one of them?

Letters: R judged pairs, N rows, X rows that are looked up.
"""

from __future__ import annotations

import numpy as np

from ragdash.core.arrow_columns import in_blocks

SLOTS_PER_PAIR, MIN_BITS, MAX_BITS = 16, 16, 23  # of a table that sieves the rows; at most 8 MiB
BLOCK = 1 << 16


class PairIndex:
    """The judged pairs' hashes in two tables of bits, to sieve millions of rows, and sorted, to find the few left.

    Hashes only sort out: what is found has to be compared by its texts, at every depth below `depth`.
    """

    def __init__(self, hashes: np.ndarray):
        bits = int(np.ceil(np.log2(max(len(hashes), 1) * SLOTS_PER_PAIR)))
        self.bits = np.uint64(min(max(bits, MIN_BITS), MAX_BITS))
        self.coarse, self.fine = self._table(hashes), self._table(hashes << self.bits)
        self.order = np.argsort(hashes, kind="stable")
        self.hashes = hashes[self.order]
        first_rows = np.flatnonzero(np.diff(self.hashes, prepend=~self.hashes[:1]) != 0)
        self.depth = int(np.diff(np.append(first_rows, len(hashes))).max(initial=0))

    def sieve(self, hashes: np.ndarray) -> np.ndarray:
        """Rows of hashes (N,) that may be judged: (X,) int64, ascending. None that is judged is missing."""
        def work(a: int, b: int) -> np.ndarray:  # a slot is never outside: "clip" only spares NumPy the look
            remaining = np.flatnonzero(self.coarse.take(self._slots(hashes[a:b]), mode="clip")) + a
            return remaining[self.fine.take(self._slots(hashes[remaining] << self.bits), mode="clip")]

        positions = in_blocks(work, len(hashes), BLOCK)
        return np.concatenate(positions) if positions else np.zeros(0, np.int64)

    def first(self, hashes: np.ndarray) -> np.ndarray:
        """Place in the sorted hashes of the first that is not smaller: (X,). Sorted needles make the search quick."""
        order = np.argsort(hashes)
        positions = np.empty(len(hashes), np.int64)
        positions[order] = np.searchsorted(self.hashes, hashes[order])
        return positions

    def pairs_at(self, positions: np.ndarray, hashes: np.ndarray) -> np.ndarray:
        """The pair at each place of the sorted hashes, -1 where it has another hash: (X,) int64."""
        inside = np.minimum(positions, len(self.hashes) - 1)
        return np.where((inside == positions) & (self.hashes[inside] == hashes), self.order[inside], -1)

    def _slots(self, hashes: np.ndarray) -> np.ndarray:
        return (hashes >> (np.uint64(64) - self.bits)).view(np.int64)

    def _table(self, hashes: np.ndarray) -> np.ndarray:
        table = np.zeros(1 << int(self.bits), bool)
        table[self._slots(hashes)] = True
        return table
