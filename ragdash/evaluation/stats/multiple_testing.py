"""Adjusted p-values for many tests read together, so that each can be compared with the same alpha."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Return Holm's adjusted p-values: the chance of any false positive in the family stays below alpha.

    Parameters
    ----------
    p : array of any shape
        The p-values of one family. NaN stays NaN and does not count.

    Returns
    -------
    array of p's shape
        The i-th smallest of m values is multiplied by m - i + 1; no value falls below a smaller one's; at most 1.

    References
    ----------
    Holm 1979; statsmodels multipletests(method="holm").

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjust(p, _holm)


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Return Benjamini and Hochberg's adjusted p-values: the expected share of false positives stays below alpha.

    Parameters
    ----------
    p : array of any shape
        The p-values of one family of independent or positively dependent tests. NaN stays NaN and does not count.

    Returns
    -------
    array of p's shape
        The i-th smallest of m values is multiplied by m / i; no value exceeds a larger one's; at most 1.

    References
    ----------
    Benjamini & Hochberg 1995; scipy.stats.false_discovery_control, whose package takes half a second to import.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, np.nan])).round(3).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    return _adjust(p, _benjamini_hochberg)


def _holm(values: np.ndarray) -> np.ndarray:
    # scipy.stats has no Holm correction, and statsmodels would be a dependency for these three lines.
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1.0)
    return adjusted


def _benjamini_hochberg(values: np.ndarray) -> np.ndarray:
    order = np.argsort(values, kind="stable")
    shares = values[order] * len(values) / np.arange(1, len(values) + 1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.minimum.accumulate(shares[::-1])[::-1], 1.0)
    return adjusted


def _adjust(p: np.ndarray, adjust: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Adjust the defined p-values (n,) and leave NaN where it is."""
    p = np.asarray(p, np.float64)
    defined = ~np.isnan(p)
    result = np.full(p.shape, np.nan)
    if defined.any():
        result[defined] = adjust(p[defined])
    return result
