"""Looks at a series of runs that stay valid however often one looks: alpha is spent over looks and window lengths.

Letters: T runs (nights) after the accepted run, Q queries. All runs have the same queries, so their differences to the
accepted run share the queries and the noise of that run: nights are not independent. Each look is therefore a test over
queries, and the false alarms of all looks are bounded by the sum of their levels, which holds under any dependence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats.defaults import ALPHA
from ragdash.evaluation.stats.paired import mean_and_error, t_test


@dataclass(frozen=True, eq=False)
class SequentialTests:
    """Every look at a series against the accepted run.

    Attributes
    ----------
    mean, low, high : (T,)
        Difference of each run to the accepted one, with an interval; all intervals hold together with 1 - alpha. Where
        a window is flagged, those of its mean.
    flagged : (T,) int
        Length of the shortest window ending at this run that differs significantly; 0: none does.
    n : (T,) int
        Queries with a value on both sides.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    flagged: np.ndarray
    n: np.ndarray


def look_level(look: int, scale: int, alpha: float = ALPHA) -> float:
    """The level of the look-th test of windows of 2 ** scale runs; the levels of all looks and scales sum to alpha.

    Half of alpha is for single runs, 1 / 4 for windows of two, 1 / 8 for windows of four, and so on. Of each share the
    k-th look has 1 / (k (k + 1)).

    Examples
    --------
    >>> look_level(1, 0), look_level(2, 0), look_level(1, 1)
    (0.0125, 0.004166666666666667, 0.00625)
    >>> 0.0499 < sum(look_level(k, scale) for k in range(1, 5000) for scale in range(20)) < 0.05
    True
    """
    return alpha / 2 ** (scale + 1) / (look * (look + 1))


def sequential_tests(differences: np.ndarray, alpha: float = ALPHA) -> SequentialTests:
    """Test each run, and windows of 2, 4, 8, ... runs, against the accepted run, at levels that sum to alpha.

    Parameters
    ----------
    differences : (T, Q)
        Run minus accepted run for each query, in order of time; NaN where a side is undefined.
    alpha
        Share of series without a true change in which any look is flagged, at most.

    Returns
    -------
    SequentialTests
        Each p is that of a paired t-test over queries, and at least 2 ** (1 - m) for m differences that are not 0: the
        smallest p of a randomization test. So a few queries cannot raise an alarm.

    Examples
    --------
    >>> same, drop = np.zeros((3, 40)), np.tile([-0.3, -0.1], (2, 20))
    >>> sequential_tests(np.concatenate([same, drop])).flagged.tolist()
    [0, 0, 0, 1, 1]
    """
    differences = np.asarray(differences, float)
    looks = len(differences)
    flagged = np.zeros(looks, int)
    mean, low, high, n = _intervals(differences, _levels(looks, 0, alpha))
    for scale in range(max(looks, 1).bit_length()):
        length = 1 << scale
        windows = _window_means(differences, length)
        if not len(windows):
            break
        levels = _levels(len(windows), scale, alpha)
        intervals = _intervals(windows, levels)[:3]
        for index in np.flatnonzero(bounded_p(windows.T) < levels):
            end = (index + 1) * length - 1
            if not flagged[end]:
                flagged[end] = length
                mean[end], low[end], high[end] = (array[index] for array in intervals)
    return SequentialTests(mean, low, high, flagged, n)


def bounded_p(differences: np.ndarray) -> np.ndarray:
    """p of paired t-tests, at least the smallest p that a randomization test can have: (S,); differences (Q, S).

    Examples
    --------
    >>> bounded_p(np.array([[0.1], [0.1001], [0.1]])).tolist()
    [0.25]
    """
    p = t_test(differences)[1]
    nonzero = (np.nan_to_num(differences) != 0).sum(axis=0)
    return np.fmax(np.where(np.isnan(p), 1.0, p), np.minimum(1.0, 2.0 ** (1 - nonzero)))


def _window_means(differences: np.ndarray, length: int) -> np.ndarray:
    """Mean of each query over consecutive windows: (T // length, Q)."""
    whole = len(differences) // length * length
    blocks = differences[:whole].reshape(-1, length, differences.shape[1])
    defined = ~np.isnan(blocks)
    count = defined.sum(axis=1)
    total = np.where(defined, blocks, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _levels(looks: int, scale: int, alpha: float) -> np.ndarray:
    return np.array([look_level(k, scale, alpha) for k in range(1, looks + 1)])


def _intervals(differences: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(mean, low, high, n) of every row, at the level of its look."""
    from scipy.special import stdtrit

    mean, error, n = mean_and_error(differences.T)
    width = -stdtrit(np.maximum(n - 1, 1), levels / 2) * error
    return mean, mean - width, mean + width, n
