"""An index of judged (query, document) pairs by their hash: which rows of a run could be one of them?

Letters: R judged pairs, N rows, X rows that are looked up.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ragdash.core.arrow_columns import in_blocks, on_all_cores
from ragdash.core.ranking.rank_order import ranges

SLOTS_PER_PAIR, MIN_BITS, MAX_BITS = 16, 16, 23  # of a table that sieves the rows; at most 8 MiB
BLOCK = 1 << 16
GROUP = 1 << 15  # rows of whole queries that are looked up in a table of their own judgments
MANY = 1 << 15  # judged pairs from which on tables of single queries are quicker: a table of all leaves the cache


class PairIndex:
    """The judged pairs' hashes in two tables of bits, to sieve millions of rows, and sorted, to find the few left.

    Hashes only sort out: what is found has to be compared by its texts, at every depth below `depth`.
    """

    def __init__(self, hashes: np.ndarray):
        bits = int(np.ceil(np.log2(max(len(hashes), 1) * SLOTS_PER_PAIR)))
        self.bits = np.uint64(min(max(bits, MIN_BITS), MAX_BITS))
        self.coarse, self.fine = self._table(hashes), self._table(hashes << self.bits)
        self.unsorted = hashes
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

    def same_hashes(self, hashes: np.ndarray, starts: np.ndarray, first: np.ndarray,
                    stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows with the hash of a judged pair of their query, ascending; the pair): (X,) and (X,) int64.

        hashes (N,) of rows, those of query q at starts[q]:starts[q + 1]; its judged pairs are first[q]:stop[q], of
        which no two have the same hash (`depth` is 1). Work and memory stay in the cache: a table for some queries.
        """
        groups = np.searchsorted(starts, np.arange(0, starts[-1] + GROUP, GROUP))
        bounds = np.flatnonzero(np.bincount(np.minimum(groups, len(starts) - 1)))

        all_pairs, ends = ranges(first, stop), np.concatenate(([0], np.cumsum(stop - first)))

        def work(bound: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
            a, b = bound
            pairs = all_pairs[ends[a]:ends[b]]
            rows, places = _lookup(hashes[starts[a]:starts[b]], self.unsorted[pairs])
            return rows + starts[a], pairs[places]

        parts = on_all_cores(work, pairwise(bounds)) or [(np.zeros(0, np.int64),) * 2]
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([pairs for _, pairs in parts])

    def _slots(self, hashes: np.ndarray) -> np.ndarray:
        return (hashes >> (np.uint64(64) - self.bits)).view(np.int64)

    def _table(self, hashes: np.ndarray) -> np.ndarray:
        table = np.zeros(1 << int(self.bits), bool)
        table[self._slots(hashes)] = True
        return table


def _lookup(hashes: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(indices of hashes (N,) that are among the distinct keys, ascending; the key's index).

    A table of truth values, small enough to stay in the cache, sieves the hashes. A table of slots names the last key
    of each slot; the few keys that share their slot with a later one are searched.
    """
    bits = np.uint64(max(MIN_BITS, int(np.ceil(np.log2(max(len(keys), 1) * SLOTS_PER_PAIR)))))
    shift, numbers = np.uint64(64) - bits, np.arange(len(keys), dtype=np.int32)
    slots = (keys >> shift).view(np.int64)
    used, table = np.zeros(1 << int(bits), bool), np.empty(1 << int(bits), np.int32)
    used[slots], table[slots] = True, numbers
    hidden = np.flatnonzero(table[slots] != numbers)
    rows = np.flatnonzero(used.take((hashes >> shift).view(np.int64), mode="clip"))  # "clip": never outside, no look
    hashes = hashes.take(rows)
    slots_of_rows = (hashes >> shift).view(np.int64)
    key = table.take(slots_of_rows, mode="clip")
    equal = keys.take(key) == hashes
    if len(hidden):
        used[:] = False
        used[slots[hidden]] = True
        hidden = hidden[np.argsort(keys[hidden])]
        others = np.flatnonzero(~equal & used.take(slots_of_rows, mode="clip"))
        place = np.minimum(np.searchsorted(keys[hidden], hashes[others]), len(hidden) - 1)
        key[others] = hidden[place]
        equal[others] = keys[hidden[place]] == hashes[others]
    judged = np.flatnonzero(equal)
    return rows.take(judged), key.take(judged)
