"""p-values of many tests read together: one family, adjusted so that each can be held against the same alpha."""

from __future__ import annotations

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values, of p's shape: the chance of any false mark in the family stays below alpha.

    p: any shape, one family; NaN stays NaN and does not count. The i-th smallest of m is multiplied by m - i + 1,
    none falls below a smaller one's, at most 1. Source: Holm 1979; statsmodels multipletests(method="holm").
    """
    return _adjusted(p, lambda ascending, m: np.maximum.accumulate(ascending * np.arange(m, 0, -1)))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's adjusted p-values, of p's shape: the expected share of false marks stays below alpha.

    p: any shape, one family; NaN stays NaN and does not count. The i-th smallest of m is multiplied by m / i, none
    exceeds a larger one's, at most 1. For independent or positively dependent tests. Source: Benjamini & Hochberg
    1995; statsmodels multipletests(method="fdr_bh").
    """
    return _adjusted(p, lambda ascending, m: np.minimum.accumulate(
        (ascending * (m / np.arange(1, m + 1)))[::-1])[::-1])


def _adjusted(p: np.ndarray, adjust) -> np.ndarray:
    """adjust(ascending p, m) put back in place, undefined left out."""
    p = np.asarray(p, np.float64)
    defined = ~np.isnan(p)
    values = p[defined]
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(adjust(values[order], len(values)), 1.0)
    result = np.full(p.shape, np.nan)
    result[defined] = adjusted
    return result
