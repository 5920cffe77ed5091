"""Strata, samples and estimates of totals with intervals that follow from the design alone.

Letters: M units of the population, n sampled ones, H strata.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats import LEVEL

LEAST = 4  # units of a stratum, so that its variance can be estimated


@dataclass(frozen=True)
class SampleEstimate:
    """A value with its interval; error: the standard error. Of a whole population low, value and high are one."""

    value: float
    low: float
    high: float
    error: float


def cut_strata(size: np.ndarray, budget: int, most: int) -> np.ndarray:
    """The stratum (M,) int64 of each unit: those of like size are together, and each has about the same total size.

    size: what the units are expected to contribute to the standard error, 0 or more. At most `most` strata, and few
    enough for LEAST units of the budget in each.

    Examples
    --------
    >>> cut_strata(np.array([1.0, 1.0, 1.0, 1.0, 2.0, 2.0]), 16, 2).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    strata = max(min(most, budget // (2 * LEAST)), 1)
    order = np.argsort(size, kind="stable")
    total = np.cumsum(size[order])
    middle = total - size[order] / 2
    share = middle / total[-1] if len(size) and total[-1] > 0 else (np.arange(len(size)) + 0.5) / max(len(size), 1)
    stratum = np.empty(len(size), np.int64)
    stratum[order] = np.minimum((share * strata).astype(np.int64), strata - 1)
    return np.unique(stratum, return_inverse=True)[1].reshape(len(size)) if len(size) else stratum


def allocate(counts: np.ndarray, size: np.ndarray, budget: int) -> np.ndarray:
    """How many units to draw from each stratum: (H,) in proportion to its total size, at least LEAST, or all of it.

    Units that a small stratum cannot take go to the others. (This is Neyman's allocation where size is the standard
    deviation that is expected of each unit.)

    Examples
    --------
    >>> allocate(np.array([100, 10, 5]), np.array([10.0, 10.0, 10.0]), 30).tolist()
    [15, 10, 5]
    """
    counts, budget = np.asarray(counts, np.int64), min(budget, int(np.sum(counts)))
    least = np.minimum(min(LEAST, max(budget // max(len(counts), 1), 2)), counts)
    taken = least.copy()
    while taken.sum() < budget:
        room = counts - taken
        weight = np.where(room > 0, np.maximum(size, 1e-300), 0.0)
        want = np.maximum(least, budget * weight / weight.sum()) - taken
        best = int(np.argmax(np.where(room > 0, want, -np.inf)))
        taken[best] += max(1, min(int(want[best]), int(room[best]), int(budget - taken.sum())))
    return taken


def draw(stratum: np.ndarray, taken: np.ndarray, seed: int) -> np.ndarray:
    """Units drawn at random without replacement, `taken` of each stratum: (n,) int64, ascending.

    Examples
    --------
    >>> draw(np.array([0, 0, 1]), np.array([2, 1]), 0).tolist()
    [0, 1, 2]
    """
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(np.flatnonzero(stratum == h))[:count] for h, count in enumerate(taken.tolist())]
    return np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)


def stratified_total(values: np.ndarray, stratum: np.ndarray, counts: np.ndarray,
                     floor: np.ndarray | None = None, level: float = LEVEL) -> SampleEstimate:
    """SampleEstimate the total of a population from a stratified random sample.

    Parameters
    ----------
    values, stratum
        (n,) what was seen of each sampled unit, and its stratum.
    counts
        (H,) units of the population in each stratum.
    floor
        (H,) a variance of units that each stratum has at least, such as that of rare events that were not seen.

    Notes
    -----
    The Horvitz-Thompson estimator: the sum of values / probability, here N_h / n_h times the sum of each stratum, and
    its variance N_h^2 (1 - n_h / N_h) s_h^2 / n_h, both unbiased (Cochran 1977, chapter 5). The interval uses the t
    distribution with Satterthwaite's degrees of freedom. NaN where a stratum that is not drawn in full has fewer than
    two units.

    Examples
    --------
    >>> estimate = stratified_total(np.array([1.0, 3.0, 10.0]), np.array([0, 0, 1]), np.array([4, 1]))
    >>> estimate.value, round(estimate.error, 3)  # 4 x 2 + 10; 4^2 (1 - 1/2) 2 / 2 = 8
    (18.0, 2.828)
    """
    from scipy.special import stdtrit

    strata = len(counts)
    n = np.bincount(stratum, minlength=strata)
    sums = np.bincount(stratum, values, strata)
    mean = sums / np.maximum(n, 1)
    squares = np.bincount(stratum, (values - mean[stratum]) ** 2, strata)
    spread = squares / np.maximum(n - 1, 1)
    spread = spread if floor is None else np.maximum(spread, floor)
    partial = n < counts
    variance = np.where(partial, counts ** 2 * (1 - n / np.maximum(counts, 1)) * spread / np.maximum(n, 1), 0.0)
    total = float((counts * mean).sum())
    if ((n < 2) & partial).any():
        return SampleEstimate(np.nan if ((n < 1) & partial).any() else total, np.nan, np.nan, np.nan)
    error = float(np.sqrt(variance.sum()))
    if error == 0:
        return SampleEstimate(total, total, total, 0.0)
    freedom = variance.sum() ** 2 / (variance ** 2 / np.maximum(n - 1, 1)).sum()
    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    return SampleEstimate(total, total - reach, total + reach, error)
