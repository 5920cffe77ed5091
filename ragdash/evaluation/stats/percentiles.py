"""Percentiles with bootstrap intervals, for skewed values such as latencies. Letters: n values, P shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.evaluation.stats.bootstrap import resample_weights
from ragdash.evaluation.stats.defaults import FAST_RESAMPLES, LEVEL, SEED

_CELLS = 1 << 22  # cumulated weights held together


def percentiles(values: np.ndarray, shares: Sequence[float], *, level: float = LEVEL, resamples: int = FAST_RESAMPLES,
                seed: int = SEED, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(percentile, low, high), (P,) each, of the values (n,) that are defined; shares in 0 to 100.

    Percentiles are numpy's linear ones. Intervals are percentile bootstrap intervals of resamples with replacement;
    they are never wider than the values seen: with fewer than about 100 values that of P99 says little of the tail.
    weights: resample_weights for this number of values, this seed and at least these resamples; drawn where None.
    NaN without a value, intervals NaN below two. Source: Efron & Tibshirani 1993, chapter 13.
    """
    values = np.sort(np.asarray(values, np.float64)[~np.isnan(values)])
    n, shares = len(values), np.asarray(shares, np.float64)
    if n < 2:
        undefined = np.full(len(shares), np.nan)
        return (np.full(len(shares), values[0]) if n else undefined), undefined, undefined
    position = shares / 100 * (n - 1)
    index = np.floor(position).astype(np.int64)
    resampled = np.empty((resamples, len(shares)))
    if weights is None or weights.shape[1] != n or len(weights) < resamples:
        weights = resample_weights(n, resamples=resamples, seed=seed)
    step = max(1, _CELLS // n)
    ranks = np.minimum(np.stack([index, index + 1]), n - 1).ravel()
    for start in range(0, resamples, step):
        batch_weights = weights[start:min(start + step, resamples)]
        low, high = values[_ranked_indices(batch_weights, ranks)].reshape(-1, 2, len(shares)).swapaxes(0, 1)
        resampled[start:start + step] = low + (position - index) * (high - low)
    low, high = np.percentile(resampled, [50 * (1 - level), 50 * (1 + level)], axis=0)
    return np.percentile(values, shares), low, high


def _ranked_indices(weights: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Which of the ascending values is at each rank (from 0) of each resample: (B, ranks). weights (B, n)."""
    rows, n = weights.shape
    reached = np.cumsum(weights, axis=1, dtype=np.int64)
    first = np.arange(rows)[:, None]
    reached += first * (n + 1)  # row by row ascending, all in one piece
    return np.searchsorted(reached.ravel(), ranks + first * (n + 1), "right") - first * n
