"""Work in blocks of whole queries, small enough for the cache, and sorting inside them.

Letters: Q queries, N rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

ROWS = 1 << 16
_SIGN = np.uint64(1 << 63)
_FEW = 256  # words that are sorted, not put into a table
_LONG = 48  # rows of a query from which it is sorted alone


def query_blocks(starts: np.ndarray, rows: int = ROWS) -> Iterator[tuple[int, int]]:
    """(first query, query after the last) of blocks of about this many rows; starts (Q + 1,) as everywhere."""
    queries = len(starts) - 1
    bounds = np.unique(np.searchsorted(starts[:-1], np.arange(0, starts[-1], rows), "left"))
    bounds = np.unique(np.concatenate(([0], bounds, [queries])))
    return iter(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


def ranges(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """All integers of the half-open ranges, one range behind the other."""
    lengths = stops - starts
    shift = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return shift + np.arange(lengths.sum())


def sorted_words(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(order of words (N,) uint64, ties in the given order; where a new word begins in it: (N,) bool).

    The index takes the place of the lowest bits, so that plain sorting does: much faster than argsort.
    """
    bits = np.uint64(max(len(words) - 1, 1).bit_length())
    mask = (np.uint64(1) << bits) - np.uint64(1)
    keys = (words & ~mask) | np.arange(len(words), dtype=np.uint64)
    keys.sort()
    order = (keys & mask).astype(np.int64)
    ordered = words[order]
    if len(words) > 1 and np.any(ordered[1:] < ordered[:-1]):  # words that differ in the lowest bits alone
        order = np.argsort(words, kind="stable")
        ordered = words[order]
    head = np.ones(len(words), bool)
    head[1:] = ordered[1:] != ordered[:-1]
    return order, head


def first_equal(words: np.ndarray, rounds: int = 3) -> np.ndarray:
    """The first row with the same word, for every row: (N,) int64. The upper bits of the words must be random.

    Each word goes to a slot of a table; words that lose their slot to another word try again with other bits.
    """
    count = len(words)
    if count < _FEW or not rounds:
        order, head = sorted_words(words)
        first = np.empty(count, np.int64)
        first[order] = order[head][np.cumsum(head) - 1]
        return first
    bits = np.uint64((4 * count).bit_length())
    slot = (words >> (np.uint64(64) - bits)).view(np.int64)
    rows = np.arange(count, dtype=np.int32)
    table = np.empty(1 << int(bits), np.int32)
    table[slot[::-1]] = rows[::-1]  # the last one written stays: the first row
    first = table[slot].astype(np.int64)
    lost = np.flatnonzero(words[first] != words)
    if len(lost):
        again = words[lost]
        first[lost] = lost[first_equal((again << bits) | (again >> (np.uint64(64) - bits)), rounds - 1)]
    return first


def falling_order(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Rows by query, then value descending, then as given: (N,) int64. starts (Q + 1,): the rows of each query.

    Sorted by as many bits of (query, value, index) as fit in a word, and then put right by the exact values. Long
    lists are sorted one by one, which is faster and leaves more bits for the value.
    """
    if len(values) < 2:
        return np.arange(len(values))
    queries = len(starts) - 1
    alone = len(values) >= _LONG * queries
    index_bits = np.uint64(len(values).bit_length())
    query_bits = np.uint64(0 if alone else (queries - 1).bit_length())
    word = (values + 0.0).view(np.uint64)
    word = np.where(word & _SIGN, word, ~(word | _SIGN))  # falls as the value rises
    word >>= query_bits + index_bits
    word <<= index_bits
    if query_bits:
        codes = np.repeat(np.arange(queries, dtype=np.uint64), np.diff(starts))
        word |= codes << (np.uint64(64) - query_bits)
    word |= np.arange(len(values), dtype=np.uint64)
    if alone:
        for start, stop in pairwise(starts.tolist()):
            word[start:stop].sort()
    else:
        word.sort()
    mask = (np.uint64(1) << index_bits) - np.uint64(1)
    order = (word & mask).view(np.int64)
    return _put_right(order, word >> index_bits, values[order], starts)


def _put_right(order: np.ndarray, word: np.ndarray, exact: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The order, with rows of one query and word (without the index) by their exact values, in this order."""
    same = word[1:] == word[:-1]
    same[starts[(starts > 0) & (starts < len(order))] - 1] = False  # the next row is another query's
    wrong = same & (exact[1:] > exact[:-1])
    if not wrong.any():
        return order
    group = np.concatenate(([0], np.cumsum(~same)))
    mixed = np.zeros(group[-1] + 1, bool)
    mixed[group[1:][wrong]] = True
    members = np.flatnonzero(mixed[group])
    order[members] = order[members[np.lexsort((order[members], -exact[members], group[members]))]]
    return order
