"""Bounds of AP and R-precision over the grades of unjudged documents, all numbers of relevant ones in one pass.

Letters: Q queries, U unjudged documents within k, x of a query's unjudged documents that are taken for relevant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.test_set.unjudged.unjudged_documents import UnjudgedDocuments
from ragdash.matching.views.ranked import ALL, Ranked
from ragdash.metrics import Spec


def ap_bounds(ranked: Ranked, spec: Spec, open_: UnjudgedDocuments, top: int,
              sides: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(least, greatest) AP of each query with x >= 1 relevant ones, the last or the best ranks: (Q,), NaN for none.

    One more relevant document at rank r adds its own precision there, and 1 / s to the precision at each relevant
    rank s below it.
    """
    params = dict(spec.params)
    query, rank = ranked.hits(params.get("rel", 1))
    within = rank <= (ALL if spec.k is None else spec.k)
    query, rank = query[within], rank[within]
    present = ranked.total(query, (_within(query) + 1) / rank)
    hits = np.bincount(query, minlength=ranked.queries)
    above, below = _around(query, rank, open_)
    relevant = hits if params.get("denominator") == "retrieved" else ranked.relevant(params.get("rel", 1))
    x = open_.position
    best = summed((above + x) / open_.rank + below, open_) + present[open_.query]
    last, count = 1 / open_.rank, open_.count[open_.query]
    added = (above + 1) / open_.rank + below + summed(last, open_, from_last=True) - last
    worst = summed(added, open_, from_last=True) + present[open_.query]
    denominator = relevant[open_.query]
    return (per_query(worst / (denominator + count - x + 1), open_, np.minimum),
            per_query(best / (denominator + x), open_, np.maximum))


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
    total = np.concatenate(([0.0], np.cumsum(values, dtype=np.longdouble)))  # over all queries: needs more digits
    ends = np.cumsum(open_.count)
    if from_last:
        return (np.repeat(total[ends], open_.count) - total[:-1]).astype(np.float64)
    return (total[1:] - np.repeat(total[ends - open_.count], open_.count)).astype(np.float64)


def per_query(values: np.ndarray, open_: UnjudgedDocuments, extreme: np.ufunc) -> np.ndarray:
    """The least or greatest value (np.minimum, np.maximum) of each query: (Q,), NaN without a row."""
    result = np.full(len(open_.count), np.nan)
    if len(values):
        result[open_.count > 0] = extreme.reduceat(values, open_.starts)
    return result


def _within(query: np.ndarray) -> np.ndarray:
    """0, 1, ... within each query; query ascends."""
    return np.arange(len(query)) - np.searchsorted(query, query)


def _around(query: np.ndarray, rank: np.ndarray, open_: UnjudgedDocuments) -> tuple[np.ndarray, np.ndarray]:
    """(relevant documents above, sum of 1 / rank of those below) each unjudged one: (U,) each."""
    width = max(int(rank.max(initial=0)), int(open_.rank.max(initial=0))) + 1
    row = np.searchsorted(query * width + rank, open_.query * width + open_.rank)
    ends = np.searchsorted(query, np.arange(len(open_.count) + 1))
    total = np.concatenate(([0.0], np.cumsum(1 / rank, dtype=np.longdouble)))
    return row - ends[open_.query], (total[ends[open_.query + 1]] - total[row]).astype(np.float64)
