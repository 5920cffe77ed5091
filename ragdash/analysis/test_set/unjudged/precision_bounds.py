"""Bounds of AP and R-precision over the grades of unjudged documents, all numbers of relevant ones in one pass.

Letters: Q queries, U unjudged documents within k, x of a query's unjudged documents that are taken for relevant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.test_set.unjudged.unjudged_documents import UnjudgedDocuments
from ragdash.matching.views.ranked import ALL, Ranked
from ragdash.metrics import Spec

QUERIES_SUMMED = 16  # queries that are added up in one go


def ap_bounds(ranked: Ranked, spec: Spec, open_: UnjudgedDocuments, top: int,
              sides: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(least, greatest) AP of each query with x >= 1 relevant ones, the last or the best ranks: (Q,), NaN for none.

    One more relevant document at rank r adds its own precision there, and 1 / s to the precision at each relevant
    rank s below it. sides: "low" and "high", or one of them; what is not asked for is NaN.
    """
    params = dict(spec.params)
    rel = params.get("rel", 1)
    is_relevant = (ranked.grade >= rel) & (ranked.rank <= (ALL if spec.k is None else spec.k))
    query, rank = ranked.query[is_relevant], ranked.rank[is_relevant]
    present = np.repeat(ranked.total(query, (_within(query) + 1) / rank), open_.count)
    hits = np.bincount(query, minlength=ranked.queries)
    above, below = _around(ranked, is_relevant, open_)
    relevant = np.repeat(hits if params.get("denominator") == "retrieved" else ranked.relevant(rel), open_.count)
    x, reciprocal = open_.position, 1 / open_.rank
    low, high = np.full((2, ranked.queries), np.nan)
    if "high" in sides:
        best = summed((above + x) * reciprocal + below, open_) + present
        high = per_query(best / (relevant + x), open_, np.maximum)
    if "low" in sides:
        added = (above + 1) * reciprocal + below + summed(reciprocal, open_, from_last=True) - reciprocal
        worst = summed(added, open_, from_last=True) + present
        low = per_query(worst / (relevant + np.repeat(open_.count, open_.count) - x + 1), open_, np.minimum)
    return low, high


def rprec_bounds(ranked: Ranked, spec: Spec, open_: UnjudgedDocuments, top: int,
                 sides: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(least, greatest) R-precision of each query with x >= 1 relevant ones, the last or the best ranks: (Q,).

    With x more relevant documents the first R + x ranks count. NaN for queries without an unjudged document.
    """
    rel = dict(spec.params).get("rel", 1)
    query, rank = ranked.hits(rel)
    x, owner = open_.position, open_.query
    depth = ranked.relevant(rel)[owner] + x
    hits = _down_to(query, rank, owner, depth)
    unjudged = _down_to(owner, open_.rank, owner, depth)
    worst = hits + np.maximum(x - open_.count[owner] + unjudged, 0)
    return (per_query(worst / depth, open_, np.minimum),
            per_query((hits + np.minimum(x, unjudged)) / depth, open_, np.maximum))


def _down_to(query: np.ndarray, rank: np.ndarray, owner: np.ndarray, deepest: np.ndarray) -> np.ndarray:
    """How many of the sorted (query, rank) belong to each owner and have a rank <= deepest: (U,) int64."""
    width = max(int(rank.max(initial=0)), int(deepest.max(initial=0))) + 1
    return np.searchsorted(query * width + rank, owner * width + deepest, "right") - np.searchsorted(query, owner)


def summed(values: np.ndarray, open_: UnjudgedDocuments, *, from_last: bool = False) -> np.ndarray:
    """Sum of a query's values down to each row, or from its last row up to it; the row counts: (U,) float64."""
    down = _running(values, open_.count)
    if not from_last:
        return down
    ends = np.cumsum(open_.count)
    all_of_query = np.where(open_.count > 0, np.append(down, 0.0)[ends - 1], 0.0)
    return np.repeat(all_of_query, open_.count) - (down - values)


def _running(values: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Sum down to each value within its query; count (Q,): values of each query, which lie next to each other.

    A sum over all queries would need more digits than a double has: it begins again every QUERIES_SUMMED queries.
    """
    total, ends = np.empty(len(values)), np.cumsum(count)
    start = 0
    for end in [*ends[QUERIES_SUMMED - 1::QUERIES_SUMMED].tolist(), len(values)]:
        np.cumsum(values[start:end], out=total[start:end])
        start = end
    starts = ends - count
    before = np.append(total, 0.0)[starts - 1]
    before[(starts == 0) | (np.arange(len(count)) % QUERIES_SUMMED == 0)] = 0.0
    return total - np.repeat(before, count)


def per_query(values: np.ndarray, open_: UnjudgedDocuments, extreme: np.ufunc) -> np.ndarray:
    """The least or greatest value (np.minimum, np.maximum) of each query: (Q,), NaN without a row."""
    result = np.full(len(open_.count), np.nan)
    if len(values):
        result[open_.count > 0] = extreme.reduceat(values, open_.starts)
    return result


def _within(query: np.ndarray) -> np.ndarray:
    """0, 1, ... within each query; query ascends."""
    return np.arange(len(query)) - np.searchsorted(query, query)


def _around(ranked: Ranked, is_relevant: np.ndarray, open_: UnjudgedDocuments) -> tuple[np.ndarray, np.ndarray]:
    """(relevant documents above, sum of 1 / rank of those below) each unjudged one: (U,) each.

    is_relevant (H,): of the judged documents returned. A query has one place more than judged documents in `above` and
    `below`: the first is that above all of them. An unjudged document has as many judged ones above as its rank is
    beyond its position.
    """
    places = np.bincount(ranked.query, minlength=ranked.queries) + 1
    is_counted, share = np.zeros((2, len(ranked.query) + ranked.queries))
    place = np.arange(len(ranked.query)) + ranked.query + 1
    is_counted[place] = is_relevant
    share[place[is_relevant]] = 1 / ranked.rank[is_relevant]
    above, down = _running(is_counted, places), _running(share, places)
    ends = np.cumsum(places)
    below = np.repeat(down[ends - 1], places) - down
    judged_above = np.repeat(ends - places, open_.count) + open_.rank - open_.position
    return above[judged_above], below[judged_above]
