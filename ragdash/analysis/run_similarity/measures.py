"""Likeness of rankings, pair by pair: rank-biased overlap, Kendall's tau, overlap at k.

Letters: Q queries, N runs, P = N (N - 1) / 2 pairs of them, U rows of the lists, C documents that both runs returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ragdash.analysis.run_similarity.top_k_lists import TopKLists
from ragdash.core.arrow_columns import on_all_cores
from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked

OVERLAPS = ("larger", "union")
_TOGETHER = 512  # queries, so that their ranks stay in the cache


@dataclass(frozen=True, eq=False)
class RunSimilarity:
    """A measure between each two of N runs.

    values (P, Q) float64: pairs as itertools.combinations(range(N), 2) has them, NaN = undefined; range: (lowest,
    highest) possible value. mean (N, N): of the defined queries, symmetric, NaN where there is none; n (N, N) int64:
    how many these are. On the diagonal a run with itself: 1 wherever it is defined.
    """

    title: str
    names: tuple[str, ...]
    range: tuple[float, float]
    values: np.ndarray
    mean: np.ndarray
    n: np.ndarray

    def values_of(self, a: int | str, b: int | str) -> np.ndarray:
        """The values of two different runs, by index or name: (Q,). KeyError for one that is not here."""
        first, second = sorted(self._index(run) for run in (a, b))
        if first == second:
            raise KeyError(f"{a!r} with itself")
        return self.values[first * len(self.names) - first * (first + 3) // 2 + second - 1]

    def _index(self, run: int | str) -> int:
        if run in self.names:
            return self.names.index(run)
        if not isinstance(run, int) or not 0 <= run < len(self.names):
            raise KeyError(run)
        return run


@checked
def rank_biased_overlap(lists: TopKLists, p: float = 0.9) -> RunSimilarity:
    """Compute rank-biased overlap (RBO_EXT): similarity for a reader who goes on to the next rank with probability p.

    Parameters
    ----------
    lists
        The lists of all runs; they may differ in length.
    p
        With 0.9 the first 10 ranks have 86% of the weight, the first 50 more than 99%.

    Returns
    -------
    RunSimilarity
        In [0, 1]: 1 for equal lists, 0 for lists with nothing in common or if one is empty; undefined if both are.

    Notes
    -----
    (1 - p) times the sum over depths d of p^(d-1) A_d, where A_d is the number of documents in both lists down to d,
    over d; extrapolated beyond the ends with the last agreement. Ties are ordered first, not shared as in the paper's
    variant for ties. Source: Webber, Moffat & Zobel 2010, equation 32.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> from ragdash.analysis.run_similarity import collect_top_k
    >>> rank_biased_overlap(collect_top_k([Match(run, truth), Match(other, truth)])).values.round(2).tolist()
    [[0.9, 0.0]]
    """
    if not 0 < p < 1:
        raise InputError([Problem("bad-persistence", {"p": str(p)}, field="p")])
    depth = np.arange(1, lists.lengths.max(initial=0) + 1)
    power = p ** depth
    harmonic = np.concatenate(([0.0], np.cumsum(power / depth)))  # sum of p^d / d for d <= index
    geometric = np.concatenate(([0.0], np.cumsum(power)))

    def work(a: int, b: int) -> np.ndarray:
        query, low, high = _common(lists, a, b)
        lengths = lists.lengths[[a, b]]
        short, long = lengths.min(axis=0), lengths.max(axis=0)
        deeper = np.maximum(low, high)  # the depth from which on the document is in both
        in_short = deeper <= short[query]
        x_short = np.bincount(query[in_short], minlength=len(short))
        x_long = np.bincount(query, minlength=len(short))
        total = np.bincount(query, harmonic[long[query]] - harmonic[deeper - 1], len(short))
        beyond = geometric[long] - geometric[short] - short * (harmonic[long] - harmonic[short])
        ratio = x_short / np.maximum(short, 1)
        rest = ((x_long - x_short) / np.maximum(long, 1) + ratio) * p ** long.astype(np.float64)
        value = (1 - p) / p * (total + ratio * beyond) + rest
        return np.where(long > 0, np.clip(np.where(short > 0, value, 0.0), 0.0, 1.0), np.nan)

    return _pairs(lists, f"Rank-biased overlap (p = {p:g})", (0.0, 1.0), work, 1)


@checked
def kendall_tau(lists: TopKLists) -> RunSimilarity:
    """Compute Kendall's tau-b of the documents that both runs returned within k.

    Parameters
    ----------
    lists
        The lists of all runs.

    Returns
    -------
    RunSimilarity
        In [-1, 1]: 1 for the same order, -1 for the opposite one; undefined with fewer than two common documents.

    Notes
    -----
    Documents that only one run returned are left out, so lists with little in common can have a tau of 1: read it
    together with their overlap. Ranks have no ties (the conventions order equal scores), so tau-b equals tau-a here;
    scipy.stats.kendalltau on the scores themselves differs where scores are equal. Source: Kendall 1945.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> from ragdash.analysis.run_similarity import collect_top_k
    >>> kendall_tau(collect_top_k([Match(run, truth), Match(other, truth)])).values.tolist()
    [[-1.0, nan]]
    """
    def work(a: int, b: int) -> np.ndarray:
        query, first, second = _common(lists, a, b)
        order = np.argsort(query * (lists.k + 1 if lists.k < 2**31 else 2**31) + first)
        query, second = query[order], second[order]
        common = np.bincount(query, minlength=len(lists.query_ids))
        pairs = common * (common - 1) / 2
        swapped = _inversions(query, second, len(common))
        return 1 - 2 * np.divide(swapped, pairs, out=np.full(len(common), np.nan), where=pairs > 0)

    return _pairs(lists, "Kendall's tau", (-1.0, 1.0), work, 2)


def overlap(lists: TopKLists, k: int, *, of: str = "larger") -> RunSimilarity:
    """Compute the share of documents within k that two runs have in common.

    Parameters
    ----------
    lists
        The lists of all runs.
    k
        The cutoff, from 1 to the depth of the lists; otherwise InputError.
    of : {"larger", "union"}
        What the shared documents are divided by: the larger list, or all documents of either list (Jaccard).

    Returns
    -------
    RunSimilarity
        In [0, 1]: 1 for equal sets in any order, 0 for disjoint ones; undefined where both lists are empty.

    Notes
    -----
    The larger list has k documents if enough were returned. Dividing by k always makes equal, shorter lists look
    different. With lists of one length and the share s, Jaccard is s / (2 - s).

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> from ragdash.analysis.run_similarity import collect_top_k
    >>> overlap(collect_top_k([Match(run, truth), Match(other, truth)]), 2).values.tolist()
    [[1.0, 0.0]]
    """
    if of not in OVERLAPS:
        raise InputError([Problem("unknown-overlap", {"overlap": of, "overlaps": list(OVERLAPS)}, field="of")])
    if not 1 <= k <= lists.k:
        raise InputError([Problem("bad-cutoff/depth", {"k": str(k), "depth": lists.k}, field="k")])
    lengths = np.minimum(lists.lengths, k)

    def work(a: int, b: int) -> np.ndarray:
        query, first, second = _common(lists, a, b)
        common = np.bincount(query[(first <= k) & (second <= k)], minlength=len(lists.query_ids))
        size = np.maximum(lengths[a], lengths[b]) if of == "larger" else lengths[a] + lengths[b] - common
        return np.divide(common, size, out=np.full(len(common), np.nan), where=size > 0)

    return _pairs(lists, f"Overlap@{k}" if of == "larger" else f"Jaccard@{k}", (0.0, 1.0), work, 1)


def _common(lists: TopKLists, a: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(query, rank in a, rank in b) of the documents that both returned: (C,) each, queries ascending."""
    rows = np.flatnonzero((lists.ranks[a] > 0) & (lists.ranks[b] > 0))
    return lists.queries[rows], lists.ranks[a][rows].astype(np.int64), lists.ranks[b][rows].astype(np.int64)


def _pairs(lists: TopKLists, title: str, bounds: tuple[float, float], work: Callable[[int, int], np.ndarray],
           min_documents: int) -> RunSimilarity:
    """The measure of every pair, skipped queries undefined; least: documents that make a run like itself."""
    count = len(lists.names)
    pairs = list(combinations(range(count), 2))
    values = np.full((len(pairs), len(lists.query_ids)), np.nan)

    def one(pair: int) -> None:
        a, b = pairs[pair]
        values[pair] = np.where(lists.skipped[a] | lists.skipped[b], np.nan, work(a, b))

    on_all_cores(one, range(len(pairs)))
    values.setflags(write=False)
    mean, n = np.full((count, count), np.nan), np.zeros((count, count), np.int64)
    n[np.diag_indices(count)] = ((lists.lengths >= min_documents) & ~lists.skipped).sum(axis=1)
    mean[np.diag_indices(count)] = np.where(n.diagonal() > 0, 1.0, np.nan)
    for (a, b), row in zip(pairs, values, strict=True):
        defined = row[~np.isnan(row)]
        n[a, b] = n[b, a] = len(defined)
        mean[a, b] = mean[b, a] = defined.mean() if len(defined) else np.nan
    return RunSimilarity(title, lists.names, bounds, values, mean, n)


def _inversions(query: np.ndarray, value: np.ndarray, count: int) -> np.ndarray:
    """For each query the pairs of entries of which the former has the greater value: (Q,) int64.

    query (C,) ascending; value (C,) whole numbers. Queries of about the same size are compared together, an entry with
    all behind it at once: quicker than counting by sorting up to some thousand entries.
    """
    kind = np.int16 if value.max(initial=0) < np.iinfo(np.int16).max else np.int32
    sizes = np.bincount(query, minlength=count)
    starts, order = np.cumsum(sizes) - sizes, np.argsort(sizes, kind="stable")
    swapped = np.zeros(count, np.int64)
    for begin in range(int((sizes < 2).sum()), count, _TOGETHER):
        block = order[begin:begin + _TOGETHER]
        block_sizes, depth = sizes[block], int(sizes[block[-1]])
        column = np.repeat(np.arange(len(block)), block_sizes)
        position = np.arange(len(column)) - np.repeat(np.cumsum(block_sizes) - block_sizes, block_sizes)
        table = np.full((depth, len(block)), np.iinfo(kind).max, kind)  # what fills up is greater than all before it
        table[position, column] = value[np.repeat(starts[block], block_sizes) + position]
        for row in range(depth - 1):
            swapped[block] += np.add.reduce(table[row] > table[row + 1:], axis=0, dtype=np.int16)
    return swapped
