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
_FEW = 256  # words that are sorted, not put into a table
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
    add_to_each(numbers, starts - ends[:-1], ends)
    return numbers


def add_to_each(values: np.ndarray, amounts: np.ndarray, starts: np.ndarray) -> None:
    """Add to the rows of each query its amount, in place. values (N,), amounts (Q,), starts (Q + 1,).

    Long lists are taken one by one: that spares the amount of each row.
    """
    if len(values) < _LONG * len(amounts):
        values += np.repeat(amounts, np.diff(starts))
        return
    for amount, (start, stop) in zip(amounts.tolist(), pairwise(starts.tolist()), strict=True):
        values[start:stop] += amount


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
    be equal, and a list has no word twice. Two long lists are sorted query by query: equal words are neighbors then.
    """
    if len(words) == 2 and len(words[0]) + len(words[1]) >= _LONG * (len(starts[0]) - 1):
        left, right = _alike_neighbors(words, starts)
        if right.min(initial=len(words[0])) >= len(words[0]):
            matched = words[0].take(left, mode="clip"), words[1].take(right - len(words[0]), mode="clip")
            if np.array_equal(*matched):
                return right, left
    first = first_equal(np.concatenate(words))
    later = np.flatnonzero(first != np.arange(len(first)))
    return later, first[later]


def _alike_neighbors(words: Sequence[np.ndarray], starts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(rows of the first list, rows of the second) that are neighbors in a query sorted by all but the lowest bits.

    The index of a row takes the place of these bits.
    """
    place = rows_by_query(np.stack((starts[0], starts[1] + starts[0][-1])))
    mask = _index_mask(len(place))
    if all(np.all(np.diff(listed) == listed[1]) for listed in starts):  # lists of one length need no place for each row
        word = np.concatenate([word.reshape(len(starts[0]) - 1, -1) for word in words], axis=1).ravel()
    else:
        word = np.concatenate(words).take(place, mode="clip")  # a row is never outside: "clip" only spares the look
    word &= ~mask
    word |= place.view(np.uint64)
    for a, b in pairwise((starts[0] + starts[1]).tolist()):
        word[a:b].sort()
    at = np.flatnonzero((word[1:] ^ word[:-1]) <= mask)
    left, right = word.take(at, mode="clip"), word[1:].take(at, mode="clip")
    left &= mask
    right &= mask
    return left.view(np.int64), right.view(np.int64)


def ranks_of_rows(starts: np.ndarray) -> np.ndarray:
    """1, 2, 3 ... for the rows of each query: (N,) int64, not to be written; shared like `rows_by_query`."""
    return _ranks_of_rows(starts.tobytes())


@lru_cache(maxsize=8)
def _ranks_of_rows(starts: bytes) -> np.ndarray:
    begin = np.frombuffer(starts, np.int64)
    ranks = ranges(np.ones(len(begin) - 1, np.int64), np.diff(begin) + 1)
    ranks.setflags(write=False)
    return ranks


def _index_mask(count: int) -> np.uint64:
    """The bits that an index of this many rows takes."""
    return np.uint64((1 << max(count - 1, 1).bit_length()) - 1)


def rows_by_query(bounds: np.ndarray) -> np.ndarray:
    """Rows of several lists in order of query, list and row: (N,) int64, not to be written.

    bounds (lists, Q + 1): where the rows of each query begin in each list. Blocks of as many rows share their answer.
    """
    return _rows_by_query(bounds.tobytes(), len(bounds))


@lru_cache(maxsize=8)
def _rows_by_query(bounds: bytes, lists: int) -> np.ndarray:
    table = np.frombuffer(bounds, np.int64).reshape(lists, -1)
    rows = ranges(table[:, :-1].T.ravel(), table[:, 1:].T.ravel())
    rows.setflags(write=False)
    return rows


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
    add_to_each(order, starts[:-1], starts)
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
