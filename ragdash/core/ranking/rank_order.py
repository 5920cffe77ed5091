"""From rows in file order to rankings: the order of the documents, and the repeated ones.

Letters: N rows (returned documents), Q queries. A *position* counts rows in ranking order, all queries one behind
the other; query q owns the positions starts[q] to starts[q + 1].
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import in_blocks, lanes_of, mix, on_all_cores, take, text_blocks

_GROUP = 1 << 16  # rows sorted together when duplicates are looked for
LARGEST_EXACT = 2.0**53  # from here on, neighboring whole numbers are one 64-bit float


def pair_hashes(query_hashes: np.ndarray, codes: np.ndarray, docs: pa.ChunkedArray) -> np.ndarray:
    """A 64-bit hash of every (query, document) pair: (N,) uint64, in file order."""
    out = np.empty(len(docs), np.uint64)

    def work(block) -> None:
        hasher, a, b = block
        out[a:b] = mix(hasher(0), query_hashes[codes[a:b]])

    on_all_cores(work, text_blocks(docs))
    return out


def row_digest(pairs: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Two sums (uint64) over the rows' (pair, number): the order of the rows does not matter, every row does."""
    def work(a: int, b: int) -> np.ndarray:
        h = mix(pairs[a:b], (keys[a:b] + 0.0).view(np.uint64))  # -0.0 is 0.0
        return lanes_of(h)

    return np.sum(in_blocks(work, len(pairs)), axis=0, dtype=np.uint64) if len(pairs) else np.zeros(2, np.uint64)


def ranking_digest(pairs: np.ndarray, keys: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """row_digest of rows in ranking order, and of the order in which rows with equal keys follow each other."""
    return row_digest(pairs, keys) + _tie_digest(pairs, keys, starts)


def positions_digest(pairs: np.ndarray, scores: np.ndarray | None, starts: np.ndarray) -> np.ndarray:
    """The digest of rankings in which the position counts, not the score: two sums (uint64). Scores, if any, take part.
    """
    keys = -1.0 - (np.arange(len(pairs)) - np.repeat(starts[:-1], np.diff(starts)))
    digest = ranking_digest(pairs, keys, starts)
    return digest if scores is None else digest + row_digest(mix(pairs, np.uint64(2)), scores)


def _tie_digest(pairs: np.ndarray, keys: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Two sums (uint64) over rows with equal keys that follow each other in a query."""
    tied = keys[1:] == keys[:-1]
    inner = starts[1:-1]
    tied[inner[(inner > 0) & (inner < len(keys))] - 1] = False  # the next row is another query's
    tied_rows = np.flatnonzero(tied)
    return lanes_of(mix(mix(pairs[tied_rows], np.uint64(3)), pairs[tied_rows + 1]))


def large_ties(keys: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Positions, ascending, of rows as high as the next one of their query, from LARGEST_EXACT on."""
    if max(keys.max(initial=0.0), -keys.min(initial=0.0)) < LARGEST_EXACT:
        return np.empty(0, np.int64)
    tied = np.flatnonzero((keys[1:] == keys[:-1]) & (np.abs(keys[1:]) >= LARGEST_EXACT))
    return tied[~np.isin(tied + 1, starts)]


def sort_keys(codes: np.ndarray, scores: np.ndarray | None, ranks) -> tuple[np.ndarray, str]:
    """((N,) float64, higher is better; what ranks). A given order in which scores strictly fall is ranked by score."""
    if scores is not None and ranks is None:
        return scores, "score"
    scores_or_ranks = (
        np.arange(len(codes), 0, -1, dtype=np.float64) if ranks is None else -np.asarray(ranks, np.float64)
    )
    order = np.lexsort((-scores_or_ranks, codes))
    code = codes[order]
    same_query = code[1:] == code[:-1]
    if scores is not None and np.all((scores[order][1:] < scores[order][:-1])[same_query]):
        return scores, "score"
    positions = np.arange(len(codes)) - query_starts(code, int(code.max(initial=-1)) + 1)[code]
    keys = np.empty(len(codes))
    keys[order] = -1.0 - positions
    return keys, "order" if ranks is None else "rank"


def ranking_order(codes: np.ndarray, keys: np.ndarray) -> np.ndarray | None:
    """Rows by query, then key descending, then file order: (N,) int64; None where the file is already in this order."""
    def stands(a: int, b: int) -> bool:
        a = max(a - 1, 0)
        code, key = codes[a:b], keys[a:b]
        same_query = code[1:] == code[:-1]
        return bool(np.all((code[1:] > code[:-1]) | (same_query & (key[1:] <= key[:-1]))))

    if all(in_blocks(stands, len(codes))):
        return None
    return _sorted_rows(codes, keys)


def _sorted_rows(codes: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """One stable sort of 64-bit words (query code, key as float32); equal words are put right by the exact key."""
    with np.errstate(over="ignore"):  # beyond the range of 32 bits all are equal, and put right like the others
        single = (keys + 0.0).astype(np.float32).view(np.uint32)
    descending = np.where(single >> np.uint32(31), single, ~(single | np.uint32(0x80000000)))
    words = (codes.astype(np.uint64) << np.uint64(32)) | descending
    order = np.argsort(words, kind="stable")
    words, exact = words[order], keys[order]
    wrong = np.flatnonzero((words[1:] == words[:-1]) & (exact[1:] > exact[:-1]))
    if not len(wrong):
        return order
    first = np.flatnonzero(np.concatenate(([True], words[1:] != words[:-1])))
    group = np.unique(np.searchsorted(first, wrong, "right") - 1)
    members = ranges(first[group], np.append(first, len(words))[group + 1])
    order[members] = order[members[np.lexsort((-exact[members], words[members]))]]
    return order


def ranges(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """All integers of the half-open ranges, one range behind the other."""
    lengths = stops - starts
    shift = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return shift + np.arange(lengths.sum())


def query_starts(codes: np.ndarray, n_queries: int) -> np.ndarray:
    """First position of each query and, last, N: (Q + 1,) int64."""
    if len(codes) and np.all(codes[1:] >= codes[:-1]):
        return np.searchsorted(codes, np.arange(n_queries + 1, dtype=codes.dtype)).astype(np.int64)
    return np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=n_queries), dtype=np.int64)))


def duplicate_positions(pairs: np.ndarray, starts: np.ndarray, docs: pa.ChunkedArray,
                        order: np.ndarray | None) -> np.ndarray:
    """Positions, ascending, of documents that already have a better rank in the same ranking.

    Equal hashes only raise a suspicion; the strings decide.
    """
    at_least = np.searchsorted(starts, np.arange(0, starts[-1] + _GROUP, _GROUP))
    bounds = starts[np.flatnonzero(np.bincount(np.minimum(at_least, len(starts) - 1)))]

    def suspects(bound: tuple[int, int]) -> np.ndarray:
        a, b = bound
        h = np.sort(pairs[a:b])
        repeated = h[1:][h[1:] == h[:-1]]
        return np.flatnonzero(np.isin(pairs[a:b], repeated)) + a if len(repeated) else np.zeros(0, np.int64)

    hashes = on_all_cores(suspects, pairwise(bounds))
    rows = np.concatenate(hashes) if hashes else np.zeros(0, np.int64)
    if not len(rows):
        return rows
    names = take(docs, rows if order is None else order[rows]).dictionary_encode()
    code = names.indices.to_numpy().astype(np.int64)
    query = np.searchsorted(starts, rows, "right") - 1
    _, first = np.unique(query * len(names.dictionary) + code, return_index=True)
    later = np.ones(len(rows), bool)
    later[first] = False
    return rows[later]


def bisect_falling(scores: np.ndarray, low: np.ndarray, high: np.ndarray, value, *, past_equal: bool) -> np.ndarray:
    """First index of each range low:high whose score is < value (past_equal) or <= value; else high. All at once.

    scores fall within each range; low, high and the answer are (X,) int64; value is a number or (X,).
    """
    low, high = low.copy(), high.copy()
    while (active := low < high).any():
        middle = (low + high) >> 1
        score = scores[np.minimum(middle, len(scores) - 1)]
        above = active & ((score >= value) if past_equal else (score > value))
        low, high = np.where(above, middle + 1, low), np.where(active & ~above, middle, high)
    return low
