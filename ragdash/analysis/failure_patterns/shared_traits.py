"""Which traits do bad queries share? The mean of a metric over the queries of a trait against the rest.

Letters: Q queries, T traits, B resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.core.records.arguments import check_whole, checked
from ragdash.core.slices import Slice
from ragdash.evaluation.stats import (
    ALPHA,
    FAST_RESAMPLES,
    MOST_RESAMPLES,
    SEED,
    benjamini_hochberg,
    holm,
    resampled_sums,
)

LEAST = 5  # queries that a trait and the rest must have
_CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": lambda p: p}


@dataclass(frozen=True)
class SharedTrait:
    """A trait, and how the queries that have it differ from the rest.

    n, others: queries with a value that have the trait, and that have it not; mean, rest: their means; difference:
    mean - rest, with its bootstrap interval [low, high]; p: Welch's t-test, two-sided, uncorrected; p_corrected: over
    all traits that were looked at. worse: in the metric's direction, and significant after correction.
    """

    slice: Slice
    n: int
    others: int
    mean: float
    rest: float
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float
    worse: bool


@checked
def compare_traits(
    values: np.ndarray,
    sign: int,
    traits: Sequence[Slice],
    *,
    min_queries: int = LEAST,
    correction: str = "holm",
    alpha: float = ALPHA,
    resamples: int = FAST_RESAMPLES,
    seed: int = SEED,
    weights: np.ndarray | None = None,
) -> list[SharedTrait]:
    """How each trait's queries differ from the rest: those that are surely worse first, each part worst first.

    values (Q,): of a metric, or 1 for a failing query and 0 for another (sign -1 then); NaN is left out on both sides.
    sign: 1 where a higher value is better, else -1. min_queries: a trait is looked at if this many queries with a value
    have it and as many do not. correction: of p over all that are looked at (holm or bh); traits overlap, so the rows
    are not independent of each other, which Holm's allows for. A trait that goes with failing need not be its cause.
    Intervals: queries are resampled, those of the trait and the rest together; weights: what resample_weights gave for
    Q queries and this seed, where it is used more than once.
    """
    check_whole(1, min_queries=min_queries)
    check_whole(1, MOST_RESAMPLES, resamples=resamples)
    values = np.asarray(values, np.float64)
    defined = ~np.isnan(values)
    masks = np.array([trait.queries & defined for trait in traits], bool).reshape(len(traits), len(values))
    n = masks.sum(axis=1)
    tested = np.flatnonzero((n >= min_queries) & (defined.sum() - n >= min_queries))
    masks, n = masks[tested], n[tested]
    if not len(tested):
        return []
    mean, spread = _moments(values, masks)
    rest, rest_spread = _moments(values, defined & ~masks)
    others = defined.sum() - n
    p = welch(mean, spread, n, rest, rest_spread, others)
    p_corrected = _CORRECTIONS[correction](p)
    low, high = _intervals(np.where(defined, values, 0.0), masks, defined, 1 - alpha, resamples, seed, weights)
    worse = ((mean - rest) * sign < 0) & (p_corrected < alpha)
    order = np.lexsort(((mean - rest) * sign, ~worse))
    return [
        SharedTrait(
            traits[tested[t]],
            int(n[t]),
            int(others[t]),
            float(mean[t]),
            float(rest[t]),
            float(mean[t] - rest[t]),
            float(low[t]),
            float(high[t]),
            float(p[t]),
            float(p_corrected[t]),
            bool(worse[t]),
        )
        for t in order
    ]


def _moments(values: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mean, variance with n - 1) of the values within each mask (T, Q): (T,) both."""
    n = masks.sum(axis=1)
    filled = np.nan_to_num(values)
    mean = (masks * filled).sum(axis=1) / n
    deviations = np.where(masks, filled - mean[:, None], 0.0)
    return mean, (deviations**2).sum(axis=1) / (n - 1)


def welch(mean: np.ndarray, variance: np.ndarray, n: np.ndarray, rest: np.ndarray, rest_variance: np.ndarray,
          others: np.ndarray) -> np.ndarray:
    """Welch's t-test of two means, p two-sided (T,); variances with n - 1, n >= 2.

    Where neither side varies, the error is 0 and t says nothing: then p is the normal approximation of the
    permutation test, z = r sqrt(N - 1), with r = 1 for the correlation of value and trait; 1 where the means are equal
    too. Source: Welch 1947; scipy.stats.ttest_ind(equal_var=False).
    """
    from scipy.special import ndtr, stdtr

    a, b = variance / n, rest_variance / others
    error = np.sqrt(a + b)
    constant = error <= 1e-12 * np.maximum(np.abs(mean), np.abs(rest))
    error, square = np.where(constant, 1.0, error), np.where(constant, 1.0, (a + b) ** 2)
    freedom = np.where(constant, 1.0, square / np.where(constant, 1.0, a**2 / (n - 1) + b**2 / (others - 1)))
    p = 2 * stdtr(freedom, -np.abs(mean - rest) / error)
    p_constant = np.where(np.isclose(mean, rest, rtol=1e-12, atol=0), 1.0, 2 * ndtr(-np.sqrt(n + others - 1.0)))
    return np.where(constant, p_constant, p)


def _intervals(values: np.ndarray, masks: np.ndarray, defined: np.ndarray, level: float, resamples: int,
               seed: int, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval of mean - rest, tails widened for few queries (Hesterberg 2015, section 5.3): (T,) both."""
    from scipy.special import ndtr, stdtrit

    columns = np.concatenate([masks * values, masks, [values, defined]]).T
    sums = resampled_sums(columns, resamples=resamples, seed=seed, weights=weights, kind=np.float64)
    t = len(masks)
    top, n = sums[:, :t], sums[:, t:2 * t]
    total, all_n = sums[:, [-2]], sums[:, [-1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = top / n - (total - top) / (all_n - n)
    draws[(n == 0) | (n == all_n)] = np.nan
    smaller_n = np.minimum(masks.sum(axis=1), defined.sum() - masks.sum(axis=1))
    tails = ndtr(np.sqrt(smaller_n / (smaller_n - 1)) * stdtrit(smaller_n - 1, (1 - level) / 2))
    ends = [np.nanquantile(draws[:, i], (tail, 1 - tail)) for i, tail in enumerate(tails)]
    low, high = np.array(ends).T
    return low, high
