"""How large a difference is, how small a one could be seen, and whether it stays within a margin.

Letters: Q queries, S series (columns). A NaN (a side is undefined) drops out of its column. Differences are candidate
minus baseline with higher being better: the caller turns the sign of metrics where lower is.
"""

from __future__ import annotations

import numpy as np

from ragdash.evaluation.stats.defaults import ALPHA, POWER
from ragdash.evaluation.stats.paired import mean_and_error, ratio

_STEPS = 200  # halvings; an interval of doubles is used up long before


def cohens_dz(differences: np.ndarray) -> np.ndarray:
    """Cohen's d_z: mean / sd (n - 1) of the differences, (S,); t / sqrt(n).

    differences (Q, S). NaN where all are 0 or fewer than two are defined; infinite where all are the same otherwise.
    Source: Cohen 1988, section 2.3.5; Lakens 2013.

    Examples
    --------
    >>> cohens_dz(np.array([[0.1], [0.2], [0.3]])).round(3).tolist()
    [2.0]
    """
    mean, error, n = mean_and_error(differences)
    return ratio(mean, error * np.sqrt(n))


def superiority(differences: np.ndarray) -> np.ndarray:
    """Probability of superiority, (wins + ties / 2) / n in [0, 1]: (S,); 0.5 is none. NaN where none is defined.

    differences (Q, S). Source: Grissom 1994; Vargha & Delaney 2000 (paired form).

    Examples
    --------
    >>> superiority(np.array([[1.0], [1.0], [0.0], [-1.0]])).tolist()
    [0.625]
    """
    differences = np.asarray(differences, np.float64)
    n = (~np.isnan(differences)).sum(axis=0)
    won = (differences > 0).sum(axis=0) + (differences == 0).sum(axis=0) / 2
    return won / np.where(n > 0, n, np.nan)


def detectable_difference(sd, n, *, power: float = POWER, alpha: float = ALPHA) -> np.ndarray:
    """Compute the smallest mean difference that a two-sided paired t-test over n queries detects with this power.

    Parameters
    ----------
    sd
        Standard deviation (n - 1) of the differences. 0 gives NaN: nothing shows how much they vary.
    n
        Queries; below 2 the result is NaN.
    power, alpha
        Of the test. All parameters are numbers or arrays, broadcast.

    Returns
    -------
    ndarray
        Infinite where alpha is 0.

    Notes
    -----
    Solved with the noncentral t distribution. Source: Cohen 1988, section 2.3.5; statsmodels
    TTestPower().solve_power(nobs=n, power=power, alpha=alpha) * sd.

    Examples
    --------
    >>> float(detectable_difference(0.3, 110).round(3))
    0.081
    """
    sd, n, alpha = np.broadcast_arrays(*(np.asarray(array, np.float64) for array in (sd, n, alpha)))
    is_known = (n >= 2) & (sd > 0)
    solvable = is_known & (alpha > 0)
    root = np.sqrt(n[solvable])
    shift = _smallest_reaching(lambda shift: _reaches_power(shift, n[solvable], power, alpha[solvable]),
                               np.zeros(len(root)))
    result = np.where(is_known & (alpha == 0), np.inf, np.nan)
    result[solvable] = shift / root * sd[solvable]
    return result[()]


def queries_needed(difference, sd, *, power: float = POWER, alpha: float = ALPHA) -> np.ndarray:
    """Compute how many queries a two-sided paired t-test needs to detect this mean difference with this power.

    Parameters
    ----------
    difference, sd
        Mean and standard deviation (n - 1) of the differences.
    power, alpha
        Of the test. All parameters are numbers or arrays, broadcast.

    Returns
    -------
    ndarray
        Not rounded, at least 2. Infinite where the difference is 0; NaN where only sd is 0, or either is NaN.

    Notes
    -----
    Source: as `detectable_difference`; statsmodels TTestPower().solve_power(effect_size=difference / sd, power=power,
    alpha=alpha).

    Examples
    --------
    >>> float(queries_needed(0.02, 0.3).round())
    1768.0
    """
    difference, sd, alpha = np.broadcast_arrays(np.abs(np.asarray(difference, np.float64)), np.asarray(sd, np.float64),
                                                np.asarray(alpha, np.float64))
    result = np.where((difference == 0) & ~np.isnan(sd), np.inf, np.nan)
    result[(alpha == 0) & (difference > 0) & (sd > 0)] = np.inf
    solvable = (difference > 0) & (sd > 0) & (alpha > 0)
    effect = difference[solvable] / sd[solvable]
    result[solvable] = _smallest_reaching(
        lambda n: _reaches_power(effect * np.sqrt(n), n, power, alpha[solvable]), np.full(len(effect), 2.0)
    )
    return result[()]


def _reaches_power(shift: np.ndarray, n: np.ndarray, power: float, alpha: float) -> np.ndarray:
    """Where a two-sided t-test over n queries reaches the power at this noncentrality; beyond its range it does."""
    from scipy.special import nctdtr, stdtrit

    edge = stdtrit(n - 1, 1 - alpha / 2)
    missed = nctdtr(n - 1, shift, edge) - np.nan_to_num(nctdtr(n - 1, shift, -edge))  # NaN where next to nothing
    return ~(missed > 1 - power)


def _smallest_reaching(reached, low: np.ndarray) -> np.ndarray:
    """The smallest x >= low with reached(x), which stays true above it, by doubling and halving."""
    high = np.maximum(2 * low, 1.0)
    for _ in range(_STEPS):
        short = ~reached(high)
        if not short.any():
            break
        high = np.where(short, 2 * high, high)
    high = np.where(reached(low), low, high)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        good = reached(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
        if (high - low <= 1e-12 * high).all():
            break
    return high


def equivalence(differences: np.ndarray, margin) -> np.ndarray:
    """Two one-sided t-tests that the mean lies between -margin and margin: p (S,), the larger of the two.

    differences (Q, S); margin > 0, a number or (S,). Where all differences are the same: p = 0 inside the margin, else
    1. NaN where fewer than two are defined. Source: Schuirmann 1987; Lakens 2017; statsmodels ttost_paired.

    Examples
    --------
    >>> equivalence(np.array([[0.01], [-0.01], [0.0]]), 0.05).round(4).tolist()
    [0.0065]
    """
    mean, error, n = mean_and_error(differences)
    return np.maximum(_one_sided_p(mean + margin, error, n), _one_sided_p(margin - mean, error, n))


def noninferiority(differences: np.ndarray, margin) -> np.ndarray:
    """One-sided t-test that the mean is above -margin: p (S,); small where the candidate is at most margin worse.

    differences (Q, S); margin >= 0, a number or (S,). Where all differences are the same: p = 0 above -margin, else 1.
    NaN where fewer than two are defined. Source: Piaggio et al. 2012; scipy.stats.ttest_1samp(differences, -margin,
    alternative="greater").

    Examples
    --------
    >>> noninferiority(np.array([[0.01], [-0.01], [0.0]]), 0.05).round(4).tolist()
    [0.0065]
    """
    mean, error, n = mean_and_error(differences)
    return _one_sided_p(mean + margin, error, n)


def _one_sided_p(mean: np.ndarray, error: np.ndarray, n: np.ndarray) -> np.ndarray:
    """One-sided p against a mean <= 0."""
    from scipy.special import stdtr

    p = stdtr(np.maximum(n - 1, 1), -ratio(mean, error))
    return np.where((error == 0) & (mean == 0), 1.0, p)


def influence(differences: np.ndarray) -> np.ndarray:
    """Compute how the mean changes if one query is left out, for each query.

    Parameters
    ----------
    differences
        (Q,), NaN where undefined.

    Returns
    -------
    ndarray
        (Q,) (mean - difference) / (n - 1); NaN where undefined, and everywhere with fewer than two defined differences.

    Notes
    -----
    Source: the jackknife's leave-one-out; Efron & Tibshirani 1993, chapter 11.

    Examples
    --------
    >>> influence(np.array([0.0, 0.0, 0.9])).round(2).tolist()
    [0.15, 0.15, -0.3]
    """
    differences = np.asarray(differences, np.float64)
    defined = differences[~np.isnan(differences)]
    if len(defined) < 2:
        return np.full(differences.shape, np.nan)
    return (defined.mean() - differences) / (len(defined) - 1)
