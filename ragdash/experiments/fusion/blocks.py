"""Work in blocks of whole queries, small enough for the cache, and sorting inside them.

Letters: Q queries, N rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

ROWS = 1 << 16
_SIGN = np.uint64(1 << 63)


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


def falling_order(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Rows by query, then value descending, then as given: (N,) int64. starts (Q + 1,): the rows of each query.

    Sorted by as many bits of (query, value, index) as fit in a word, and then put right by the exact values.
    """
    if len(values) < 2:
        return np.arange(len(values))
    codes = np.repeat(np.arange(len(starts) - 1, dtype=np.uint64), np.diff(starts))
    index_bits, query_bits = np.uint64(len(values).bit_length()), np.uint64(int(codes[-1]).bit_length())
    word = (values + 0.0).view(np.uint64)
    word = np.where(word & _SIGN, word, ~(word | _SIGN))  # falls as the value rises
    word >>= query_bits + index_bits
    word <<= index_bits
    if query_bits:
        word |= codes << (np.uint64(64) - query_bits)
    keys = word | np.arange(len(values), dtype=np.uint64)
    keys.sort()
    mask = (np.uint64(1) << index_bits) - np.uint64(1)
    order, word = (keys & mask).astype(np.int64), keys & ~mask
    exact = values[order]
    same = word[1:] == word[:-1]
    wrong = same & (exact[1:] > exact[:-1])
    if wrong.any():
        group = np.concatenate(([0], np.cumsum(~same)))
        members = np.flatnonzero(np.isin(group, group[1:][wrong]))
        order[members] = order[members[np.lexsort((order[members], -exact[members], group[members]))]]
    return order
