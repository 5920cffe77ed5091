"""Work in blocks of whole queries, small enough for the cache, and sorting inside them.

Letters: Q queries, N rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ragdash.core.arrow_columns import mix

ROWS = 1 << 15
_SIGN = np.uint64(1 << 63)
_FEW = 256  # words that are sorted, not put into a table
_SLOTS = 32  # slots of a table for each of its words, at most
_LONG = 48  # rows of a query from which it is sorted alone
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


def matches_of_lists(words: Sequence[np.ndarray], starts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(rows whose word a list before theirs has; the first row that has it): (M,) and (M,) int64.

    Rows are those of the lists one behind the other; starts: those (Q + 1,) of each list. Only words of one query can
    be equal, and a list has no word twice. Two lists of queries that are about as long as each other need a small
    table for each query, whose slots are near each other: twice as fast.
    """
    if len(words) == 2 and len(words[0]) and len(words[1]):
        bits = (4 * int(np.diff(starts[0]).max())).bit_length()
        size = (len(starts[0]) - 1) << bits
        if size <= _SLOTS * len(words[0]):
            slots = [_slots_by_query(word, listed, bits) for word, listed in zip(words, starts, strict=True)]
            left, right = _matches(*words, *slots, size)
            return right + len(words[0]), left
    first = first_equal(np.concatenate(words))
    later = np.flatnonzero(first != np.arange(len(first)))
    return later, first[later]


def _matches(left: np.ndarray, right: np.ndarray, left_slots: np.ndarray, right_slots: np.ndarray,
             size: int, rounds: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """(rows of left, rows of right) with equal words, which have equal slots of a table of this size.

    Left words that lose their slot to another one try again, with the right words that did not find theirs.
    """
    table = np.full(size, -1, np.int32)
    rows = np.arange(len(left), dtype=np.int32)
    table[left_slots] = rows
    holder = table.take(right_slots, mode="clip")  # a slot is never outside: "clip" only spares NumPy the look
    equal = left.take(holder, mode="clip") == right
    equal &= holder >= 0
    places = np.flatnonzero(equal)
    matched = holder.take(places).astype(np.int64), places
    lost = np.flatnonzero(table.take(left_slots, mode="clip") != rows)
    if not len(lost):
        return matched
    np.logical_not(equal, out=equal)
    equal &= holder >= 0
    open_rows = np.flatnonzero(equal)
    again = _matches_of_few(left.take(lost), right.take(open_rows), rounds - 1)
    return np.concatenate((matched[0], lost[again[0]])), np.concatenate((matched[1], open_rows[again[1]]))


def _matches_of_few(left: np.ndarray, right: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """`_matches` of words that shared a slot: other bits name their slot, or they are sorted."""
    if len(left) < _FEW or not rounds:
        order = np.argsort(left, kind="stable")
        place = np.minimum(np.searchsorted(left[order], right), len(left) - 1)
        places = np.flatnonzero(left[order[place]] == right)
        return order[place[places]], places
    bits = (4 * len(left)).bit_length()
    slots = [(mix(words, np.uint64(rounds)) >> np.uint64(64 - bits)).view(np.int64) for words in (left, right)]
    return _matches(left, right, *slots, 1 << bits, rounds)


def _slots_by_query(words: np.ndarray, starts: np.ndarray, bits: int) -> np.ndarray:
    """The slot of each word, in a table of 2 ** bits slots for each query: (N,) int64."""
    slot = words >> np.uint64(64 - bits)
    slot += np.repeat(np.arange(len(starts) - 1, dtype=np.uint64) << np.uint64(bits), np.diff(starts))
    return slot.view(np.int64)


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
    exact = values[order]
    rises = exact[1:] > exact[:-1]
    rises[starts[(starts > 0) & (starts < len(order))] - 1] = False  # the next row is another query's
    wrong = np.flatnonzero(rises)
    return _put_right(order, exact, wrong, head()) if len(wrong) else (order, exact)


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


def _put_right(order: np.ndarray, exact: np.ndarray, wrong: np.ndarray,
               heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(order, values) with the groups that have a wrong row, one below whose value the next one is, in order."""
    groups = np.unique(np.searchsorted(heads, wrong, "right"))
    begin, end = heads[groups - 1], heads[groups]
    members = ranges(begin, end)
    rows = members[np.lexsort((order[members], -exact[members], np.repeat(begin, end - begin)))]
    order[members], exact[members] = order[rows], exact[rows]
    return order, exact
