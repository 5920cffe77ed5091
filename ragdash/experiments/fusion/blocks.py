"""Work in blocks of whole queries, small enough for the cache, and sorting inside them.

Letters: Q queries, N rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

ROWS = 1 << 18
_SIGN = np.uint64(1 << 63)
_SLOTS = 4  # of a table, at most, for each word that it takes
_FEW_WORDS = 256  # are found sooner by sorting
_SHARED = np.int32(-1 << 31)  # marks a slot to which several words went
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


def matches_of_lists(words: Sequence[np.ndarray], starts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(rows whose word a list before theirs has; the first row that has it): (M,) and (M,) int64.

    Rows are those of the lists one behind the other; starts: those (Q + 1,) of each list. Only words of one query can
    be equal, and a list has no word twice. The bits of the words should be random.
    """
    tables = len(starts[0]) - 1
    queries = [queries_of_rows(start) for start in starts]
    known, known_queries = words[0], queries[0]
    known_rows = np.arange(len(known) if len(words) > 2 else 0)  # two lists have none in between
    offset, later, first = len(known), [known_rows[:0]], [known_rows[:0]]
    for index in range(1, len(words)):
        matched, owner = _equal_words(known, known_queries, words[index], queries[index], tables)
        later.append(matched + offset)
        first.append(owner if index == 1 else known_rows.take(owner))
        if index + 1 < len(words):
            new = np.ones(len(words[index]), bool)
            new[matched] = False
            known = np.concatenate((known, words[index][new]))
            known_queries = np.concatenate((known_queries, queries[index][new]))
            known_rows = np.concatenate((known_rows, np.flatnonzero(new) + offset))
        offset += len(words[index])
    return np.concatenate(later), np.concatenate(first)


def _equal_words(known: np.ndarray, known_queries: np.ndarray, words: np.ndarray, queries: np.ndarray, tables: int,
                 used: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(rows of words that are known, the row of each in known): (M,) and (M,) int64.

    Each query has a table of its own, small enough for the nearest cache. Each known word goes to a slot of it, by the
    bits behind the `used` ones. Where several went to one slot, the last one is found there, and the others are looked
    for among themselves, by other bits. Few words, and those for which no bits are left, are found by sorting.
    """
    bits = max((_SLOTS * len(known) // max(tables, 1)).bit_length() - 1, 1)
    if used + bits > 64 or len(known) <= _FEW_WORDS:
        order = np.argsort(known)
        place = np.searchsorted(known, words, sorter=order)
        place[place == len(known)] = 0
        matched = np.flatnonzero(known[order[place]] == words) if len(known) else order
        return matched, order[place[matched]]
    table = np.zeros(tables << bits, np.int32)
    rows = np.arange(len(known), dtype=np.int32)
    slot = _slots(known, known_queries, used, bits)
    table[slot] = rows
    lost = np.flatnonzero(table.take(slot, mode="clip") != rows)
    table[slot.take(lost)] |= _SHARED
    owner = table.take(_slots(words, queries, used, bits), mode="clip")
    shared = owner < 0
    owner &= ~_SHARED
    owner = owner.astype(np.int64)
    equal = known.take(owner, mode="clip") == words
    matched = np.flatnonzero(equal)
    owner = owner.take(matched)
    rest = np.flatnonzero(shared > equal)
    if not len(lost) or not len(rest):
        return matched, owner
    more, more_owner = _equal_words(known.take(lost), known_queries.take(lost), words.take(rest), queries.take(rest),
                                    tables, used + bits)
    return np.concatenate((matched, rest.take(more))), np.concatenate((owner, lost.take(more_owner)))


def _slots(words: np.ndarray, queries: np.ndarray, used: int, bits: int) -> np.ndarray:
    """The slot of each word among those of all tables, 2 to the power of bits for each query: (N,) int64."""
    word = words << np.uint64(used) if used else words
    slot = (word >> np.uint64(64 - bits)).view(np.int64)
    slot += queries << bits
    return slot


def ranks_of_rows(starts: np.ndarray) -> np.ndarray:
    """1, 2, 3 ... for the rows of each query: (N,) int64, not to be written; shared like `queries_of_rows`."""
    return _ranks_of_rows(starts.tobytes())


@lru_cache(maxsize=8)
def _ranks_of_rows(starts: bytes) -> np.ndarray:
    begin = np.frombuffer(starts, np.int64)
    ranks = ranges(np.ones(len(begin) - 1, np.int64), np.diff(begin) + 1)
    ranks.setflags(write=False)
    return ranks


def reciprocal_ranks(rank: np.ndarray, starts: np.ndarray, k: float, decimals: int | None) -> np.ndarray:
    """1 / (k + rank), perhaps rounded: (N,), not to be written; shared where the ranks are those of `ranks_of_rows`."""
    if rank is ranks_of_rows(starts):
        return _reciprocal_ranks_of_rows(starts.tobytes(), k, decimals)
    return _reciprocal_ranks(rank, k, decimals)


@lru_cache(maxsize=8)
def _reciprocal_ranks_of_rows(starts: bytes, k: float, decimals: int | None) -> np.ndarray:
    shares = _reciprocal_ranks(_ranks_of_rows(starts), k, decimals)
    shares.setflags(write=False)
    return shares


def _reciprocal_ranks(rank: np.ndarray, k: float, decimals: int | None) -> np.ndarray:
    shares = np.zeros(int(rank.max(initial=0)) + 1)
    shares[1:] = 1.0 / (k + np.arange(1, len(shares)))
    return (shares if decimals is None else np.round(shares, decimals)).take(rank, mode="clip")  # none is outside


def queries_of_rows(starts: np.ndarray) -> np.ndarray:
    """The query of each row, from 0: (N,) int64, not to be written. Blocks of as many rows share their answer."""
    return _queries_of_rows(starts.tobytes())


@lru_cache(maxsize=8)
def _queries_of_rows(starts: bytes) -> np.ndarray:
    lengths = np.diff(np.frombuffer(starts, np.int64))
    queries = np.repeat(np.arange(len(lengths)), lengths)
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
