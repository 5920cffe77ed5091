"""Sums and ratios per query that the metrics of rankings share; NaN where a denominator is 0."""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import ordinal


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator / denominator per query, NaN where the denominator is 0; written over the numerator if that can be.

    (Q,) or (Q, K) over (Q,) or (Q, K).
    """
    if numerator.ndim > denominator.ndim:
        denominator = denominator[:, None]
    return np.divide(numerator, np.where(denominator > 0, denominator, np.nan),
                     out=numerator if numerator.flags.writeable else None)


def undefined_without(relevant: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values, NaN for queries without a relevant document."""
    values = values.astype(np.float64, copy=False)
    values[relevant == 0] = np.nan
    return values


def sum_before(query: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum of the values (flags or floats) of the same query before each entry: (H,) float64; query is sorted."""
    if not len(query):
        return np.zeros(0)
    total = np.cumsum(values, dtype=np.longdouble) - values  # over all queries: more digits than the answer needs
    return (total - total[np.arange(len(query)) - ordinal(query) + 1]).astype(np.float64)


def suffix_max(query: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The greatest value from each entry to the last one of the same query: (H,); query is sorted."""
    best, step = values.copy(), 1
    longest = int(ordinal(query).max(initial=0))
    while step < longest:  # doubles the length that is looked at
        same = query[:-step] == query[step:]
        best[:-step][same] = np.maximum(best[:-step], best[step:])[same]
        step *= 2
    return best


class RunningSums:
    """Sums of values along the ranks of each query. query, position, values (H,), sorted by query and position."""

    def __init__(self, query: np.ndarray, position: np.ndarray, values: np.ndarray):
        self._stride = int(position.max(initial=0)) + 1
        self._key = query * self._stride + position
        self._total = np.concatenate(([0], np.cumsum(values, dtype=np.longdouble)))

    def until(self, query: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Sum of the values of these queries at positions <= depth: (X,) float64."""
        end = np.searchsorted(self._key, query * self._stride + np.minimum(depth, self._stride - 1), "right")
        start = np.searchsorted(self._key, query * self._stride, "left")
        return (self._total[end] - self._total[start]).astype(np.float64)
