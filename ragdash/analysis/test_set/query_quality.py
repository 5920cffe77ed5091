"""Which queries distinguish runs: saturated ones, spread and discrimination of each, reliability of all.

Letters: N runs, Q queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEWEST_RUNS = 3  # a correlation over two runs is always 1 or -1
_ROUNDING = 1e-9
_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class QueryQuality:
    """What each query contributes to a comparison of these runs.

    Attributes
    ----------
    defined : (Q,) bool
        Queries with a value in every run; the others are in nothing below.
    solved, failed : (Q,) bool
        Every run has the best value that a ranking can have there; every run has the worst one.
    equal : (Q,) bool
        All runs have one value, solved and failed ones included: the query says nothing about which run is better.
        False everywhere for one run.
    spread : (Q,)
        Standard deviation between the runs (of a sample of runs: with N - 1); NaN for one run.
    discrimination : (Q,)
        Corrected item-total correlation: between the runs' values at this query and their means over the other
        queries. Negative: the query prefers runs that do worse elsewhere. NaN for fewer than three runs, and where a
        query does not vary.
    reliability : (value, low, high)
        Cronbach's alpha of the ranking of runs, with Feldt's 95% interval. NaN for fewer than three runs.
    """

    defined: np.ndarray
    solved: np.ndarray
    failed: np.ndarray
    equal: np.ndarray
    spread: np.ndarray
    discrimination: np.ndarray
    reliability: tuple[float, float, float]


def query_quality(values: np.ndarray, best: np.ndarray, worst: float) -> QueryQuality:
    """Describe how far each query distinguishes runs.

    Parameters
    ----------
    values
        (N, Q) values of one metric; NaN where undefined.
    best
        (Q,) the best value that a run can have at each query; NaN where it is not known, then no query is solved.
    worst
        The worst value of the metric; NaN or infinite where it has none.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0, 1.0, 0.9], [1.0, 0.0, 0.5, 0.4], [1.0, 0.0, 0.2, 0.3]])
    >>> quality = query_quality(values, np.ones(4), 0.0)
    >>> quality.solved.tolist(), quality.failed.tolist(), quality.discrimination.round(2).tolist()
    ([True, False, False, False], [False, True, False, False], [nan, nan, 0.98, 0.98])
    """
    values = np.asarray(values, np.float64)
    runs = len(values)
    defined = ~np.isnan(values).any(axis=0) & (runs > 0)
    plain = np.where(defined, values, 0.0)
    with np.errstate(invalid="ignore"):
        solved = defined & np.all(np.abs(plain - best) <= _ROUNDING, axis=0)
    failed = defined & np.all(np.abs(plain - worst) <= _ROUNDING, axis=0) & ~solved
    spread, discrimination = np.full((2, values.shape[1]), np.nan)
    equal = np.zeros(len(defined), bool)
    if runs > 1:
        spread[defined] = plain[:, defined].std(axis=0, ddof=1)
        equal = defined & (np.ptp(plain, axis=0) <= _ROUNDING)
    reliability = (np.nan,) * 3
    if runs >= FEWEST_RUNS and defined.sum() > 1:
        discrimination[defined] = _item_total(plain[:, defined], equal[defined])
        reliability = alpha_interval(plain[:, defined])
    return QueryQuality(defined, solved, failed, equal, spread, discrimination, reliability)


def _item_total(values: np.ndarray, equal: np.ndarray) -> np.ndarray:
    """Correlation of each column with the sum of the others, over the rows; NaN where one of them does not vary."""
    centered = values - values.mean(axis=0)
    others = centered.sum(axis=1, keepdims=True) - centered
    size = np.sqrt((centered ** 2).sum(axis=0) * (others ** 2).sum(axis=0))
    varies = ~equal & (np.sqrt((others ** 2).sum(axis=0)) > _ROUNDING)
    return np.where(varies, (centered * others).sum(axis=0) / np.where(varies, size, 1.0), np.nan)


def alpha_interval(values: np.ndarray, level: float = _LEVEL) -> tuple[float, float, float]:
    """Cronbach's alpha of the runs' means over queries, with its interval: (value, low, high).

    Parameters
    ----------
    values
        (N, Q) without undefined ones, N of 2 or more, Q of 2 or more.

    Notes
    -----
    alpha = Q / (Q - 1) (1 - sum of the queries' variances / variance of the runs' sums). The interval is Feldt's
    (1965), exact where runs and errors are normal: (1 - alpha) / (1 - estimate) has the F distribution with N - 1 and
    (N - 1)(Q - 1) degrees of freedom. NaN where all runs have the same sum.

    Examples
    --------
    >>> value, low, high = alpha_interval(np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.5], [0.1, 0.3, 0.2]]))
    >>> round(value, 3), round(low, 3), high <= 1
    (0.971, 0.694, True)
    """
    from scipy.special import fdtri  # scipy.stats has the same numbers and takes far longer to import

    runs, queries = values.shape
    total = values.sum(axis=1).var(ddof=1)
    if not total > _ROUNDING ** 2:
        return np.nan, np.nan, np.nan
    alpha = queries / (queries - 1) * (1 - values.var(axis=0, ddof=1).sum() / total)
    tail, freedom = (1 - level) / 2, (runs - 1, (runs - 1) * (queries - 1))
    low, high = (1 - (1 - alpha) * fdtri(*freedom, share) for share in (1 - tail, tail))
    return float(alpha), float(low), float(high)
