"""Intervals of differences between paired shares: of queries answered right by one run and by another."""

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
