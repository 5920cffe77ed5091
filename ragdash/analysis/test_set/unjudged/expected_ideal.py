"""What a judgment changes where relevant documents also make the ideal longer: nDCG and recall with many unknown ones.

Their value is (K + sum x d) / I(m): K and d are what known and unjudged documents bring, x = 1 for a relevant one, I(m)
is the ideal with m relevant unjudged ones. A first step from the judgments of today takes I(0) for I(m), which is far
too small where many relevant documents are unknown. Here m has its distribution under the chances.

Letters: Q queries, U unjudged documents, C: numbers of relevant unjudged documents, from 0 to C - 1, the last or more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.analysis.test_set.unjudged.unjudged_documents import top_grade
from ragdash.matching.views.ranked import ALL, Ranked, ordinal
from ragdash.metrics import Spec
from ragdash.metrics.rankings.retrieval import grade_gain

RATIOS = ("nDCG", "R")  # metrics that are such a ratio
MOST_CELLS = 200_000_000  # documents times numbers beyond which the first step has to do
_BLOCK = 1 << 22  # cells at once


@dataclass(frozen=True, eq=False)
class RelevantCounts:
    """How many unjudged documents of a query are relevant, if each is so with its chance, independently.

    query, chance (U,): sorted by query; total (Q,): expected; share (Q, C): P(m); without (U, C): P(m) among the others
    of the query.
    """

    query: np.ndarray
    chance: np.ndarray
    total: np.ndarray
    share: np.ndarray
    without: np.ndarray


@dataclass(frozen=True, eq=False)
class Ratio:
    """A metric that is a ratio, of one run: known (Q,), brings (U,), ideal (Q, C + 1)."""

    known: np.ndarray
    brings: np.ndarray
    ideal: np.ndarray

    def means(self, counts: RelevantCounts) -> tuple[np.ndarray, np.ndarray]:
        """(expected value of each query: (Q,), what a relevant document changes in it: (U,))."""
        query, chance = counts.query, counts.chance
        brought = np.bincount(query, chance * self.brings, len(self.known))
        inverse = np.divide(1.0, self.ideal, out=np.zeros_like(self.ideal), where=self.ideal > 0)
        numbers = _expected_numbers(counts.share, counts.total)
        each = np.divide(brought, counts.total, out=np.zeros(len(brought)), where=counts.total > 1e-12)
        value = ((self.known[:, None] * counts.share + each[:, None] * numbers) * inverse[:, :-1]).sum(axis=1)
        left = counts.total[query] - chance
        others = np.divide(brought[query] - chance * self.brings, left, out=np.zeros_like(left), where=left > 1e-12)
        change = np.empty(len(query))
        step = max(_BLOCK // inverse.shape[1], 1)
        for first in range(0, len(query), step):
            part = slice(first, first + step)
            share, rows = counts.without[part], query[part]
            numbers = _expected_numbers(share, left[part])
            before, after = inverse[rows, :-1], inverse[rows, 1:]
            known, mine, each = self.known[rows], self.brings[part], others[part]
            change[part] = ((known + mine) * (share * after).sum(axis=1) - known * (share * before).sum(axis=1)
                            + each * (numbers * (after - before)).sum(axis=1))
        return value, change


def relevant_counts(query: np.ndarray, chance: np.ndarray, queries: int, most: int) -> RelevantCounts:
    """The distribution of the number of relevant documents, up to `most` or more; query (U,) ascending.

    Examples
    --------
    >>> counts = relevant_counts(np.array([0, 0]), np.array([0.5, 0.2]), 1, 3)
    >>> counts.share.round(2).tolist(), counts.without.round(2).tolist()
    ([[0.4, 0.5, 0.1, 0.0]], [[0.8, 0.2, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    """
    share = np.zeros((queries, most + 1))
    share[:, 0] = 1.0
    starts = np.searchsorted(query, np.arange(queries + 1))
    lengths = np.diff(starts)
    for place in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > place)
        share[rows] = _with_one(share[rows], chance[starts[rows] + place])
    return RelevantCounts(query, chance, np.bincount(query, chance, queries), share,
                          _without_one(share, query, chance, starts))


def _with_one(share: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """The distribution with another document; the last number collects what is above."""
    more = share * chance[:, None]
    out = share - more
    out[:, 1:] += more[:, :-1]
    out[:, -1] += more[:, -1]
    return out


def _without_one(share: np.ndarray, query: np.ndarray, chance: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The distribution among the other documents of the query. Taking one out is exact up to a chance of one half; for
    greater ones the errors would grow, so the others are put together anew.
    """
    out = np.zeros((len(query), share.shape[1]))
    likely = chance > 0.5
    rows = np.flatnonzero(~likely)
    p, before = chance[rows], np.zeros(len(rows))
    for number in range(share.shape[1] - 1):
        before = np.maximum((share[query[rows], number] - p * before) / (1 - p), 0.0)
        out[rows, number] = before
    out[rows, -1] = np.maximum(1 - out[rows].sum(axis=1), 0.0)
    rows = np.flatnonzero(likely)
    lengths = np.diff(starts)[query[rows]]
    again = np.zeros((len(rows), share.shape[1]))
    again[:, 0] = 1.0
    for place in range(int(lengths.max(initial=0))):
        other = starts[query[rows]] + place
        inside = (place < lengths) & (other != rows)
        again[inside] = _with_one(again[inside], chance[other[inside]])
    out[rows] = again
    return out


def _expected_numbers(share: np.ndarray, total: np.ndarray) -> np.ndarray:
    """m P(m); the last entry has what is left of the expected number, for all numbers from there."""
    numbers = share * np.arange(share.shape[1])
    numbers[:, -1] = np.maximum(total - numbers[:, :-1].sum(axis=1), 0.0)
    return numbers


def most_relevant(spec: Spec, query: np.ndarray) -> int | None:
    """The number from which more relevant documents no longer change the ideal.

    None for a metric that is no such ratio, and where there are too many cells.
    """
    if spec.name not in RATIOS:
        return None
    longest = int(np.bincount(query).max(initial=0)) if len(query) else 0
    most = min(longest, spec.k or ALL) if spec.name == "nDCG" else longest
    return most if len(query) * (most + 1) <= MOST_CELLS else None


def ratio_of(ranked: Ranked, spec: Spec, rank: np.ndarray, most: int) -> Ratio:
    """The metric of a run; rank (U,): of the unjudged documents in it, 0 where it lacks them."""
    params, k = dict(spec.params), spec.k or ALL
    inside = (rank > 0) & (rank <= k)
    within = ranked.rank <= k
    if spec.name == "R":
        rel = params.get("rel", 1)
        relevant = ranked.relevant(rel)
        hits = within & (ranked.grade >= rel)
        return Ratio(ranked.total(ranked.query[hits], np.ones(int(hits.sum()))), inside.astype(np.float64),
                     relevant[:, None] + np.arange(most + 2.0))
    gain, top = params.get("gain", "linear"), top_grade(ranked, spec)
    best = float(grade_gain(np.array([top]), gain, top)[0])
    gains = np.where(within, grade_gain(ranked.grade, gain, top) / np.log2(ranked.rank + 1), 0.0)
    brings = np.where(inside, best / np.log2(np.maximum(rank, 1) + 1), 0.0)
    return Ratio(ranked.total(ranked.query, gains), brings, _ideals(ranked, gain, top, best, k, most))


def _ideals(ranked: Ranked, gain: str, top: int, best: float, k: int, most: int) -> np.ndarray:
    """The ideal DCG with 0 to most + 1 more documents of the highest grade, which come before the judged ones: (Q, C).
    """
    query, place = ranked.judged_query, ordinal(ranked.judged_query)
    gains = grade_gain(ranked.judged_grade, gain, top)
    more = np.arange(1, most + 2)
    first = np.concatenate(([0.0], np.cumsum(np.where(more <= k, best / np.log2(more + 1), 0.0))))
    ideal = np.empty((ranked.queries, most + 2))
    for number in range(most + 2):
        shifted_rank = place + number
        ideal[:, number] = first[number] + ranked.total(query, np.where(
            shifted_rank <= k, gains / np.log2(shifted_rank + 1), 0.0))
    return ideal
