"""Rank correlation: do two values of a query rise together?"""

from __future__ import annotations

import numpy as np


def midranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, equal values share their mean: (Q,) float64. values (Q,), no NaN."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[group]


def spearman(x: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """(Spearman's rho in [-1, 1], n queries where both are defined): Pearson's correlation of the midranks.

    x, y: (Q,), NaN undefined. NaN where fewer than 3 queries have both or one of them is the same for all.
    """
    defined = ~(np.isnan(x) | np.isnan(y))
    n = int(defined.sum())
    if n < 3:
        return np.nan, n
    a, b = (midranks(values[defined]) - (n + 1) / 2 for values in (x, y))
    spread = np.sqrt((a @ a) * (b @ b))
    return (float(np.clip(a @ b / spread, -1, 1)) if spread > 0 else np.nan), n
