"""Work in blocks of whole queries, small enough for the cache, and sorting inside them.

Letters: Q queries, N rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

ROWS = 1 << 17
_SIGN = np.uint64(1 << 63)
_SLOTS = 3  # of a table, at most, for each word that it takes
_ROUNDS = 3  # of words that lost their slot, before they are sorted
_LONG = 48  # rows of a query from which it is sorted alone
_INSERTED = 16  # rows out of order that are moved one by one
_LOST = 7  # bits of a single-precision value that its word may lack


def query_blocks(starts: np.ndarray, rows: int = ROWS) -> Iterator[tuple[int, int]]:
    """(first query, query after the last) of blocks of about this many rows; starts (Q + 1,) as everywhere."""
    queries = len(starts) - 1
    bounds = np.unique(np.searchsorted(starts[:-1], np.arange(0, starts[-1], rows), "left"))
    bounds = np.unique(np.concatenate(([0], bounds, [queries])))
    return iter(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


def ranges(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """All integers of the half-open ranges, one range behind the other."""
    lengths = stops - starts
    ends = np.concatenate(([0], np.cumsum(lengths)))
    numbers = np.arange(ends[-1])
    numbers += np.repeat(starts - ends[:-1], lengths)
    return numbers


def first_equal(words: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """The first row of the same query with the same word, for every row: (N,) int64.

    queries (N,) int64: that of each row, from 0. The bits of the words should be random. Each query has a table of its
    own, small enough for the nearest cache. Each word goes to a slot of it; words that lose their slot to another word
    try again with other bits, and in the end are sorted.
    """
    tables = int(queries.max(initial=0)) + 1
    bits = max((_SLOTS * len(words) // tables).bit_length() - 1, 1)
    table = np.empty(tables << bits, np.int32)
    first = np.empty(len(words), np.int64)
    rest: slice | np.ndarray = slice(None)
    rows = np.arange(len(words), dtype=np.int32)
    for turn in range(min(_ROUNDS, 64 // bits)):
        word = words[rest]
        slot = ((word << np.uint64(turn * bits)) >> np.uint64(64 - bits)).view(np.int64)
        slot += queries[rest] << bits
        table[slot[::-1].copy()] = rows[::-1].copy()  # the last one written stays: the first row
        owner = table.take(slot, mode="clip").astype(np.int64)
        first[rest] = owner
        lost = np.flatnonzero(words.take(owner, mode="clip") != word)
        if not len(lost):
            return first
        rows = rows[lost]
        rest = rows.astype(np.int64)
    order = np.lexsort((rows, words[rest], queries[rest]))
    ordered = rest[order]
    head = np.ones(len(rest), bool)
    head[1:] = (words[ordered[1:]] != words[ordered[:-1]]) | (queries[ordered[1:]] != queries[ordered[:-1]])
    first[ordered] = ordered[head][np.cumsum(head) - 1]
    return first


def matches_of_lists(words: Sequence[np.ndarray], starts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(rows whose word a list before theirs has; the first row that has it): (M,) and (M,) int64.

    Rows are those of the lists one behind the other; starts: those (Q + 1,) of each list. Only words of one query can
    be equal, and a list has no word twice.
    """
    first = first_equal(np.concatenate(words), queries_of_rows(np.stack(starts)))
    own = len(words[0])  # rows of the first list are the first ones themselves
    later = np.flatnonzero(first[own:] != np.arange(own, len(first))) + own
    return later, first.take(later, mode="clip")


def ranks_of_rows(starts: np.ndarray) -> np.ndarray:
    """1, 2, 3 ... for the rows of each query: (N,) int64, not to be written; shared like `queries_of_rows`."""
    return _ranks_of_rows(starts.tobytes())


@lru_cache(maxsize=8)
def _ranks_of_rows(starts: bytes) -> np.ndarray:
    begin = np.frombuffer(starts, np.int64)
    ranks = ranges(np.ones(len(begin) - 1, np.int64), np.diff(begin) + 1)
    ranks.setflags(write=False)
    return ranks


def queries_of_rows(starts: np.ndarray) -> np.ndarray:
    """The query of each row of several lists one behind the other: (N,) int64, not to be written; from 0.

    starts (lists, Q + 1): the rows of each query in each list. Blocks of as many rows share their answer.
    """
    return _queries_of_rows(starts.tobytes(), len(starts))


@lru_cache(maxsize=8)
def _queries_of_rows(starts: bytes, lists: int) -> np.ndarray:
    lengths = np.diff(np.frombuffer(starts, np.int64).reshape(lists, -1))
    queries = np.repeat(np.tile(np.arange(lengths.shape[1]), lists), lengths.ravel())
    queries.setflags(write=False)
    return queries


def falling_order(values: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows by query, then value descending, then as given: (N,) int64; the values in this order).

    starts (Q + 1,): the rows of each query. Sorted by as many bits of (query, value, index) as fit in a word, and then
    put right by the exact values. Long lists are sorted one by one, which leaves more bits for the value.
    """
    if len(values) < 2:
        return np.arange(len(values)), values
    if len(values) >= _LONG * (len(starts) - 1):
        order, head = _order_of_long_lists(values, starts)
    else:
        order, head = _order_of_short_lists(values, starts)
    exact = values.take(order, mode="clip")
    rises = exact[1:] > exact[:-1]
    rises[starts[(starts > 0) & (starts < len(order))] - 1] = False  # the next row is another query's
    wrong = np.flatnonzero(rises)
    if len(wrong) > _INSERTED:
        return _put_right(order, exact, wrong, head())
    for row, query in zip(wrong.tolist(), (np.searchsorted(starts, wrong, "right") - 1).tolist(), strict=True):
        _insert(order, exact, row + 1, int(starts[query]), int(starts[query + 1]))
    return order, exact


def _order_of_short_lists(values: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
    """(all rows sorted at once by words of query, value and index; where another word without the index begins)."""
    queries = len(starts) - 1
    index_bits, query_bits = np.uint64(len(values).bit_length()), np.uint64((queries - 1).bit_length())
    word = _falling_words(values)
    word >>= query_bits + index_bits
    word <<= index_bits
    if query_bits:
        codes = np.repeat(np.arange(queries, dtype=np.uint64), np.diff(starts))
        word |= codes << (np.uint64(64) - query_bits)
    word |= np.arange(len(values), dtype=np.uint64)
    word.sort()
    mask = (np.uint64(1) << index_bits) - np.uint64(1)
    return (word & mask).view(np.int64), lambda: _heads(word, mask, starts)


def _order_of_long_lists(values: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
    """As of short lists, but sorted one by one: by words of 32 bits, where these leave enough of them for the value."""
    lengths = np.diff(starts)
    word, bits = _narrow_words(values, int(lengths.max()))
    kind = word.dtype.type
    word <<= kind(bits)
    mask = kind((1 << bits) - 1)
    longest = np.arange(int(lengths.max()), dtype=kind)
    for start, stop in pairwise(starts.tolist()):
        part = word[start:stop]
        part |= longest[:stop - start]
        part.sort()
    order = (word & mask).astype(np.int64)
    order += np.repeat(starts[:-1], lengths)
    return order, lambda: _heads(word, mask, starts)


def _narrow_words(values: np.ndarray, longest: int) -> tuple[np.ndarray, int]:
    """(words (N,) that never rise with the value, with room for an index in the upper bits; bits of that index)."""
    bits = longest.bit_length()
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).view(np.int32)
    low, high = int(single.min()), int(single.max())
    if low >= 0:  # no value is negative: the bits rise with the value
        lost = (high - low).bit_length() + bits - 32
        if lost <= _LOST:
            word = np.subtract(high, single, dtype=np.int32).view(np.uint32)
            if lost > 0:
                word >>= np.uint32(lost)
            return word, bits
    word = _falling_words(values)
    word >>= np.uint64(bits)
    return word, bits


def _falling_words(values: np.ndarray) -> np.ndarray:
    """All bits of the values as words that fall as the value rises: (N,) uint64."""
    word = (values + 0.0).view(np.uint64)
    return np.where(word & _SIGN, word, ~(word | _SIGN))


def _heads(word: np.ndarray, mask: np.generic, starts: np.ndarray) -> np.ndarray:
    """First rows of groups of one query and word (without the index), ascending, and last the number of rows."""
    new = np.ones(len(word) + 1, bool)
    np.greater(word[1:] ^ word[:-1], mask, out=new[1:-1])
    new[starts] = True
    return np.flatnonzero(new)


def _insert(order: np.ndarray, exact: np.ndarray, row: int, begin: int, end: int) -> None:
    """Move a row, and those behind it as long as they rise, above all smaller values of its query: begin to end."""
    while row < end and exact[row] > exact[row - 1]:
        place, value, number = row, exact[row], order[row]
        while place > begin and exact[place - 1] < value:
            place -= 1
        order[place + 1:row + 1], exact[place + 1:row + 1] = order[place:row].copy(), exact[place:row].copy()
        order[place], exact[place] = number, value
        row += 1


def _put_right(order: np.ndarray, exact: np.ndarray, wrong: np.ndarray,
               heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(order, values) with the groups that have a wrong row, one below whose value the next one is, in order."""
    groups = np.unique(np.searchsorted(heads, wrong, "right"))
    begin, end = heads[groups - 1], heads[groups]
    members = ranges(begin, end)
    rows = members[np.lexsort((order[members], -exact[members], np.repeat(begin, end - begin)))]
    order[members], exact[members] = order[rows], exact[rows]
    return order, exact
