"""Bounds of nDCG over the grades of unjudged documents.

A gain is a sum of steps: what grade 1 has, what grade 2 adds to it ... So DCG is the sum over the steps of the
discounts of the documents that reach them, and the ideal DCG that of the first n discounts, n being how many do.

Letters: Q queries, U unjudged documents within k, x of a query's unjudged documents that reach a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.analysis.test_set.unjudged.precision_bounds import per_query, summed
from ragdash.analysis.test_set.unjudged.unjudged_documents import UnjudgedDocuments
from ragdash.matching.views.ranked import ALL, Ranked
from ragdash.metrics import Spec
from ragdash.metrics.rankings.retrieval import grade_gain

ROUNDS = 60  # of Dinkelbach's method, which takes about six


@dataclass(frozen=True, eq=False)
class _Step:
    """size: what reaching it gains; open: whether an unjudged document can reach it; judged (Q,): how many do, found
    (Q,): the sum of discounts of those returned within k."""

    size: float
    open: bool
    judged: np.ndarray
    judged_dcg: np.ndarray


def ndcg_bounds(ranked: Ranked, spec: Spec, open_: UnjudgedDocuments, top: int,
                sides: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(least, greatest) nDCG of each query with an unjudged document: (Q,); NaN for the others.

    sides: "low" and "high", or one of them; what is not asked for is NaN.
    """
    steps = _steps(ranked, spec, top)
    deepest = max((int(step.judged.max(initial=0)) for step in steps), default=0) + int(open_.count.max(initial=0))
    ranks = np.arange(1, deepest + 1)
    first = np.concatenate(([0.0], np.cumsum(np.where(ranks <= (spec.k or ALL), 1 / np.log2(ranks + 1), 0.0))))
    discount = _discounts(open_.rank)[open_.rank]
    unknown = np.full(ranked.queries, np.nan)
    return (_least(steps, first, discount, open_) if "low" in sides else unknown,
            _greatest(steps, first, discount, open_) if "high" in sides else unknown)


def _discounts(rank: np.ndarray) -> np.ndarray:
    """The discount of every rank from 1 to the deepest of these; of rank 0, which no document has, 1: (deepest + 1,).

    Logarithms of ranks instead of documents: there are far fewer.
    """
    return 1 / np.log2(np.maximum(np.arange(int(rank.max(initial=0)) + 1), 1) + 1)


def _steps(ranked: Ranked, spec: Spec, top: int) -> list[_Step]:
    """A step for each different grade; between two of them all steps are alike."""
    gain = dict(spec.params).get("gain", "linear")
    grades = np.union1d(ranked.judged_grade[ranked.judged_grade > 0], [1, top])
    grades = grades[:1] if gain == "binary" else grades
    sizes = np.diff(grade_gain(grades, gain, int(grades[-1])), prepend=0.0)
    within = ranked.rank <= (ALL if spec.k is None else spec.k)
    query, grade, rank = (column[within] for column in (ranked.query, ranked.grade, ranked.rank))
    discount = _discounts(rank)[rank]
    return [_Step(float(size), bool(level <= top), ranked.relevant(int(level)),
                  ranked.total(query[grade >= level], discount[grade >= level]))
            for level, size in zip(grades, sizes, strict=True)]


def _least(steps: list[_Step], first: np.ndarray, discount: np.ndarray, open_: UnjudgedDocuments) -> np.ndarray:
    """With the last x of the ranks at the highest grade, over all x >= 1."""
    x = open_.count[open_.query] - open_.position + 1
    last = summed(discount, open_, from_last=True)
    dcg, ideal = np.zeros((2, len(x)))
    for step in steps:
        dcg += step.size * (step.judged_dcg[open_.query] + last * step.open)
        ideal += step.size * first[step.judged[open_.query] + x * step.open]
    return per_query(np.minimum(dcg / ideal, 1.0), open_, np.minimum)


def _greatest(steps: list[_Step], first: np.ndarray, discount: np.ndarray, open_: UnjudgedDocuments) -> np.ndarray:
    """Dinkelbach 1967: for a ratio so far, the x of each step that is best for DCG - ratio * ideal; then again.

    The x of a higher step is never above that of a lower one, since fewer judged documents reach it, so that grades
    come out; each is given to the best ranks. A query whose ratio stays is done; only the others go on.
    """
    ratio = np.where(open_.count > 0, 0.0, np.nan)
    rows = np.flatnonzero(open_.count > 0)
    best, left, documents = summed(discount, open_), _of_queries(steps, rows), open_.of_queries(open_.count > 0)
    for number in range(ROUNDS):
        before = ratio[rows]
        dcg, ideal = np.zeros((2, len(rows)))
        for step in left:
            x = np.zeros(len(rows), np.int64)
            if step.open:
                x = _best_x(step, before, first, best, documents) if number else documents.count
            row = np.cumsum(documents.count) - documents.count + x - 1
            dcg += step.size * (step.judged_dcg + np.where(x > 0, best[row] if len(best) else 0.0, 0.0))
            ideal += step.size * first[step.judged + x]
        ratio[rows] = np.maximum(np.divide(dcg, ideal, out=before.copy(), where=ideal > 0), before)
        open_again = ratio[rows] > before
        if not open_again.any():
            break
        best = best[np.repeat(open_again, documents.count)]
        rows, left, documents = rows[open_again], _of_queries(left, open_again), documents.of_queries(open_again)
    return np.minimum(ratio, 1.0)


def _of_queries(steps: list[_Step], rows: np.ndarray) -> list[_Step]:
    """The steps of some queries alone; rows: their indices or flags."""
    return [replace(step, judged=step.judged[rows], judged_dcg=step.judged_dcg[rows]) for step in steps]


def _best_x(
    step: _Step, ratio: np.ndarray, first: np.ndarray, best: np.ndarray, open_: UnjudgedDocuments
) -> np.ndarray:
    """The number of documents, best ranks first, that raises DCG - ratio * ideal most: (Q,), 0 where none does.

    Each query has an unjudged document.
    """
    count, judged = open_.count, step.judged
    ideal = first[np.repeat(judged, count) + open_.position] - np.repeat(first[judged], count)
    gained = best - np.repeat(ratio, count) * ideal
    if not len(gained):
        return np.zeros(len(count), np.int64)
    highest = np.maximum.reduceat(gained, open_.starts)
    is_highest = np.flatnonzero(gained == np.repeat(highest, count))
    leading = is_highest[np.diff(open_.query[is_highest], prepend=-1) > 0]
    return np.where(highest > 0, open_.position[leading], 0)
