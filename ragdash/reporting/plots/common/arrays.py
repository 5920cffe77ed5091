"""Numbers that a picture needs beyond a metric's values: bins of ranks, interpolated precision. Pure array functions.

Letters: Q queries, H relevant documents that were returned, B bins, L recall levels.
"""

from __future__ import annotations

import numpy as np

RECALL_LEVELS = np.linspace(0.0, 1.0, 11)
_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def rank_bins(depth: int) -> tuple[np.ndarray, list[str]]:
    """Upper edges (B,) of the bins of ranks down to depth, and their labels; "none" is not among them."""
    edges = [edge for edge in _EDGES if edge < depth]
    edges.append(max(depth, 1))
    lows = [1, *(edge + 1 for edge in edges[:-1])]
    return np.array(edges), [
        f"{low:,}" if low == high else f"{low:,}–{high:,}" for low, high in zip(lows, edges, strict=True)
    ]


def rank_shares(first: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(B + 1,) share of the queries in each bin, the last for queries whose ranking holds no relevant document.

    first: (Q,) rank of the first relevant document, NaN for none; edges (B,). Without queries every share is 0.
    """
    bins = np.searchsorted(edges, np.where(np.isfinite(first), first, np.inf))
    return np.bincount(bins, minlength=len(edges) + 1) / max(len(first), 1)


def first_ranks(query: np.ndarray, rank: np.ndarray, queries: int) -> np.ndarray:
    """(Q,) rank of the first relevant document, NaN for none. query, rank: (H,) sorted by query and rank."""
    first = np.full(queries, np.nan)
    owner, start = np.unique(query, return_index=True)
    first[owner] = rank[start]
    return first


def interpolated_precision(
    query: np.ndarray, rank: np.ndarray, relevant: np.ndarray, levels: np.ndarray = RECALL_LEVELS
) -> np.ndarray:
    """Interpolated precision at recall levels, per query: (Q, L), NaN for a query without a relevant document.

    The value at a level is the highest precision at any rank where recall reaches the level, 0 where it never does
    (trec_eval iprec_at_recall). query, rank: (H,) sorted by query and rank, gold spans that one chunk covers share
    theirs; relevant: (Q,) relevant documents of each query.
    """
    values = np.zeros((len(relevant), len(levels)))
    owner, start, count = np.unique(query, return_index=True, return_counts=True)
    if len(owner):
        ordinal = np.arange(len(query)) - np.repeat(start, count) + 1
        best = _falling_maximum(np.minimum(ordinal / rank, 1.0), np.repeat(np.arange(len(owner)), count))
        required = np.maximum(np.ceil(np.outer(relevant[owner], levels) - 1e-9).astype(int), 1)
        reached = required <= count[:, None]
        hit = np.where(reached, start[:, None] + required - 1, 0)
        values[owner] = np.where(reached, best[hit], 0.0)
    values[relevant == 0] = np.nan
    return values


def _falling_maximum(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """For each element the largest value from it to the end of its group: (H,). values in (0, 1], group ascending."""
    shifted = values[::-1] + 2.0 * (group[-1] - group[::-1])
    return np.maximum.accumulate(shifted)[::-1] - 2.0 * (group[-1] - group)


def cutoffs_until(depth: int) -> np.ndarray:
    """The round cutoffs up to depth, and depth itself where it adds something: (K,) ascending."""
    return np.array([*(k for k in CUTOFFS if k < depth), max(depth, 1)])


def last_finite(row: np.ndarray) -> float:
    """The last finite value of a line, where its label is; NaN for a line without any."""
    finite = row[np.isfinite(row)]
    return float(finite[-1]) if finite.size else float("nan")
