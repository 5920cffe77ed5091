"""Metrics of a ranking whose form by evidence counts both ranks and gold spans."""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.evidence import Covered
from ragdash.matching.views.ranked import Cutoffs, Values, ordinal
from ragdash.metrics.rankings.sums import ratio


def average_precision_of_spans(covered: Covered, k: Cutoffs, *, rel: int = 1, denominator: str = "relevant") -> Values:
    """AP with each span credited once, at its first covering rank r, with precision c / max(r, c): (Q, K) in [0, 1].

    c: spans covered by rank r. It may be greater than r, as a chunk can cover several.
    """
    spans = covered.spans
    query, rank = spans.hits()
    last = np.append((query[1:] != query[:-1]) | (rank[1:] != rank[:-1]), True)[:len(query)]
    last_index = np.flatnonzero(last)[np.cumsum(last) - last]  # the last of the spans that share query and rank
    count = ordinal(query)[last_index]
    return ratio(spans.up_to(k, query, rank, count / np.maximum(rank, count)), covered.gold)


def f1_of_spans(covered: Covered, k: Cutoffs, *, rel: int = 1) -> Values:
    """Harmonic mean of P@k (of ranks) and R@k (of spans), 0 if both are 0: (Q, K) in [0, 1]."""
    p = covered.ranks.hits_at(k) / k
    r = ratio(covered.covered_at(k), covered.gold)
    return 2 * p * r / np.where(p + r == 0, 1, p + r)


def aqwv_of_spans(covered: Covered, k: Cutoffs, *, beta: float = 40.0, **params: object) -> Values:
    """The thresholdless AQWV@k: R@k of spans minus beta times the share of ranks without a hit: (Q, K)."""
    returned = covered.ranks.returned_at(k)
    alarms = (returned - covered.ranks.hits_at(k)) / np.maximum(returned, 1)
    return ratio(covered.covered_at(k), covered.gold) - beta * alarms
