"""Intervals of shares, and of differences between paired shares: of queries answered right by one run and another."""

from __future__ import annotations

import numpy as np


def bonett_price(differences: np.ndarray, critical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the mean of each column of differences that are -1, 0 or 1.

    One query is added where the first is better and one where the second is. So the interval has a width where all
    queries tie, and holds the true difference as often as it says with few queries that differ.

    Parameters
    ----------
    differences : array (Q, S)
        First minus second value of each pair, NaN where undefined.
    critical : array (S,)
        Standard errors to each side, such as 1.96.

    Returns
    -------
    low, high : array (S,)
        In [-1, 1].

    References
    ----------
    Bonett & Price 2012, Adjusted Wald confidence interval for a difference of binomial proportions based on paired
    data. Journal of Educational and Behavioral Statistics 37(4).

    Examples
    --------
    >>> differences = np.array([[1.0]] * 6 + [[-1.0]] * 2 + [[0.0]] * 17)
    >>> [round(float(end[0]), 3) for end in bonett_price(differences, np.array([1.96]))]
    [-0.075, 0.371]
    """
    n = (~np.isnan(differences)).sum(axis=0) + 2
    mean = np.nansum(differences, axis=0) / n
    error = np.sqrt(((np.nansum(differences**2, axis=0) + 2) / n - mean**2) / n)
    return np.maximum(mean - critical * error, -1.0), np.minimum(mean + critical * error, 1.0)


def clopper_pearson(mean: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Clopper and Pearson's interval of a share of n yes-or-no values, which holds the true share at least that often.

    Parameters
    ----------
    mean : array
        The share, in [0, 1]; NaN stays NaN.
    n : array
        How many values, of any size above 0: an effective number is not whole.
    level
        How often the interval holds the true share, such as 0.95.

    Returns
    -------
    low, high : arrays
        In [0, 1].

    References
    ----------
    Clopper & Pearson 1934; scipy.stats.binomtest(k, n).proportion_ci(level, "exact") for whole numbers.

    Examples
    --------
    >>> [round(float(end), 3) for end in clopper_pearson(0.0, 100, 0.95)]
    [0.0, 0.036]
    """
    from scipy.special import betaincinv

    yes, no = np.multiply(mean, n), np.multiply(np.subtract(1, mean), n)
    tiny = 1e-9  # a beta distribution has parameters above 0
    low = np.where(yes > tiny, betaincinv(np.maximum(yes, tiny), no + 1, (1 - level) / 2), 0.0)
    high = np.where(no > tiny, betaincinv(yes + 1, np.maximum(no, tiny), (1 + level) / 2), 1.0)
    undefined = np.isnan(mean) | np.isnan(n)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
