"""Prediction-powered inference: a judge's verdicts on all queries, corrected by human labels on a few.

Letters: Q queries, S series (columns), N queries with a verdict and no label, n queries with both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats.bootstrap import column_sums
from ragdash.evaluation.stats.defaults import LEVEL
from ragdash.evaluation.stats.proportions import clopper_pearson

MIN_LABELS = 20  # labels below which no interval is given
MIN_UNLABELED = 2  # queries with a verdict alone
MIN_GROUPS = 10  # groups with a label; below, the variance between groups is too uncertain
PSEUDO_SQUARES = 2.0  # squares of the two additional rectifiers, +1 and -1
Bounds = tuple[float, float]
SHARE: Bounds = (0.0, 1.0)  # of a mean; the skewness of a share follows from it, that of a difference does not


@dataclass(frozen=True, eq=False)
class Ppi:
    """Of each column: estimate of the mean, ends of its interval, standard error, n and N: (S,) each; NaN undefined.

    weight: lambda, how much of the judge enters, from 0 (labels alone) to 1; effective_n: how many labels alone would
    have this variance.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: np.ndarray
    n: np.ndarray
    n_unlabeled: np.ndarray
    weight: np.ndarray
    effective_n: np.ndarray


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of labels y and verdicts f, both scaled to [0, 1]: (S,) each.

    y_mean, f_mean, yy, yf, ff: of the n labeled queries, the last three mean products of deviations; f_rest: mean of
    the verdicts of the others; f_all: variance of all verdicts (of n + N - 1). cubes (5, S): mean products of three
    deviations, yyy, yyf, yff and fff of the labeled queries and fff of all verdicts; None: skewness is left out.
    """

    n: np.ndarray
    n_unlabeled: np.ndarray
    y_mean: np.ndarray
    f_mean: np.ndarray
    f_rest: np.ndarray
    yy: np.ndarray
    yf: np.ndarray
    ff: np.ndarray
    f_all: np.ndarray
    cubes: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class GroupedSpread:
    """Spread of an estimate by groups of dependent queries: (S,) each. variance: by the jackknife over groups; cube:
    third cumulant; size: how many groups of equal size the labeled ones are worth; groups: how many are labeled.
    """

    variance: np.ndarray
    cube: np.ndarray
    size: np.ndarray
    groups: np.ndarray


def ppi(verdicts: np.ndarray, labels: np.ndarray, *, level: float = LEVEL, bounds: Bounds = (0.0, 1.0),
        groups: np.ndarray | None = None) -> Ppi:
    """Mean of the labels that all queries would have, by tuned prediction-powered inference.

    Parameters
    ----------
    verdicts
        (Q, S) values of the judge within bounds, NaN where it gave none.
    labels
        (Q, S) values of a person, NaN where there is none. The labeled queries must be a random sample of those with
        a verdict; with groups, of whole groups or of queries. For paired differences of two runs give the differences
        of verdicts and those of labels, and bounds (-1, 1).
    level
        Of the intervals.
    bounds
        The lowest and the highest possible value.
    groups
        (Q,) integers: queries of one group may depend on each other, such as questions about one document. None: every
        query is a group of its own.

    Returns
    -------
    Ppi
        Of each column. All but n are NaN for n = 0 or N = 0; the interval for fewer than MIN_LABELS labels, for N < 2
        or for fewer than MIN_GROUPS labeled groups.

    Notes
    -----
    estimate = mean_n(y) + lambda (mean_N(f) - mean_n(f)), of verdicts f and labels y. lambda minimizes the estimated
    variance within [0, 1], as in PPI++: cov_n(y, f) / (var(f) (1 + n / N)), var(f) of all verdicts. The variance is
    that of the rectifiers y - lambda f with two more, +1 and -1 from their mean whatever lambda is, plus
    lambda^2 var(f) / N. Without the two, a judge that agrees on every label would have an interval of no width. The
    interval is that of Clopper and Pearson for as many labels as have that variance (Korn and Graubard): the exact one
    of the labels alone where lambda is 0.
    Differences (bounds other than 0 and 1) are often one-sided. Both ends are then moved by (1 + 2 z^2) / 6 times the
    third cumulant of the estimate over its variance, as Johnson does for skewed samples; the width stays.
    Groups: deviations are summed within each group before they are squared, each divided by the share of labels outside
    of its group (the jackknife over groups, CR3); the two more rectifiers are then of a mean group, not of a query. The
    effective number shrinks by the squared ratio of the t quantiles, with as many groups of equal size as the labeled
    groups are worth (Kish). A group never makes an interval narrower.

    Sources: Angelopoulos, Duchi, Zrnic 2023, PPI++; Korn and Graubard 1998; Clopper and Pearson 1934; Johnson 1978,
    J. Am. Stat. Assoc. 73; Bell and McCaffrey 2002, Survey Methodology 28; Kish 1965. Coverage: benchmarks/ppi.py.

    Examples
    --------
    >>> verdicts = np.array([1.0, 0.0] * 100)[:, None]
    >>> labels = np.where(np.arange(200)[:, None] < 40, verdicts, np.nan)
    >>> result = ppi(verdicts, labels)
    >>> round(float(result.weight[0]), 2), round(float(result.low[0]), 2), round(float(result.high[0]), 2)
    (0.8, 0.41, 0.59)
    """
    verdicts, labels = np.asarray(verdicts, np.float64), np.asarray(labels, np.float64)
    y, f = ((values - bounds[0]) / (bounds[1] - bounds[0]) for values in (labels, verdicts))
    labeled, alone = ~np.isnan(f) & ~np.isnan(y), ~np.isnan(f) & np.isnan(y)
    moments = _moments(y, f, labeled, alone, skewed=tuple(bounds) != SHARE)
    if groups is None:
        return ppi_of_moments(moments, level=level, bounds=bounds)
    grouped = _grouped_spread(y, f, labeled, alone, np.asarray(groups), tuned_weight(moments))
    return ppi_of_moments(moments, level=level, bounds=bounds, grouped=grouped)


def label_interval(labels: np.ndarray, *, level: float = LEVEL, bounds: Bounds = (0.0, 1.0),
                   groups: np.ndarray | None = None) -> tuple[float, float]:
    """Interval of the mean of a random sample of labels, without a judge.

    Parameters
    ----------
    labels
        (n,) values within bounds, all defined.
    level, bounds, groups
        As in `ppi`.

    Returns
    -------
    (low, high)
        Clopper and Pearson's exact interval for values at the two bounds, else that of as many labels as have the
        variance (`ppi` with lambda = 0). NaN without labels, or with fewer than MIN_GROUPS groups.

    Examples
    --------
    >>> low, high = label_interval(np.array([1.0] * 18 + [0.0] * 2))
    >>> round(low, 3), round(high, 3)
    (0.683, 0.988)
    """
    y = (np.asarray(labels, np.float64) - bounds[0]) / (bounds[1] - bounds[0])
    n, width = len(y), bounds[1] - bounds[0]
    n_groups = n if groups is None else len(np.unique(groups))
    if not n or (groups is not None and n_groups < MIN_GROUPS):
        return float("nan"), float("nan")
    column, squares = y[:, None], PSEUDO_SQUARES / width**2
    mean, variance, cube = column.mean(axis=0), column.var(axis=0) / n, ((column - y.mean())**3).sum(axis=0) / n**3
    counts = grouped = None
    if groups is not None:
        every = np.ones_like(column, bool)
        grouped = _grouped_spread(column, column, every, ~every, np.asarray(groups), np.zeros(1))
        counts, variance, cube = grouped.size, np.maximum(variance, grouped.variance), grouped.cube
    sizes = np.array([n])
    effective = _effective(sizes, mean, variance, squares, counts)
    if counts is not None:
        effective = effective * _t_ratio(sizes, counts, level)
    ends = clopper_pearson(mean, effective, level)
    if tuple(bounds) != SHARE:
        ends = _moved(ends, mean, cube, variance + _pseudo_variance(sizes, squares, counts), level)
    return float(bounds[0] + width * ends[0][0]), float(bounds[0] + width * ends[1][0])


def ppi_of_moments(moments: Moments, *, level: float = LEVEL, bounds: Bounds = (0.0, 1.0),
                   grouped: GroupedSpread | None = None) -> Ppi:
    """The result of `ppi` from moments. grouped: the spread of the estimate by groups of dependent queries."""
    n, width, counts = moments.n, bounds[1] - bounds[0], None if grouped is None else grouped.size
    squares, weight = PSEUDO_SQUARES / width**2, tuned_weight(moments)
    known = (n > 0) & (moments.n_unlabeled > 0)
    defined = (n >= MIN_LABELS) & (moments.n_unlabeled >= MIN_UNLABELED)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = _variance(moments, weight)
        if grouped is not None:
            spread = np.maximum(spread, grouped.variance)
        variance = spread + _pseudo_variance(n, squares, counts)
        effective = _effective(n, moments.y_mean, spread, squares, counts)
        if grouped is not None:
            defined &= grouped.groups >= MIN_GROUPS
            effective = effective * _t_ratio(n, counts, level)
        error = width * np.sqrt(variance)
        estimate = np.clip(moments.y_mean + weight * (moments.f_rest - moments.f_mean), 0.0, 1.0)
        ends = clopper_pearson(estimate, effective, level)
        if moments.cubes is not None:
            cube = _third_cumulant(moments, weight) if grouped is None else grouped.cube
            ends = _moved(ends, estimate, cube, variance, level)
    low, high = (np.where(defined, bounds[0] + width * end, np.nan) for end in ends)
    return Ppi(np.where(known, bounds[0] + width * estimate, np.nan), low, high, np.where(defined, error, np.nan), n,
               moments.n_unlabeled, np.where(known, weight, np.nan), np.where(defined, effective, np.nan))


def tuned_weight(moments: Moments) -> np.ndarray:
    """lambda of each column: (S,) in [0, 1], 0 where the judge would not make the variance smaller."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.clip(moments.yf / moments.f_all / (1 + moments.n / moments.n_unlabeled), 0.0, 1.0)
        weight = np.where(moments.f_all > 1e-12, weight, 0.0)  # a constant judge says nothing
        return np.where(_variance(moments, weight) < _variance(moments, np.zeros(1)), weight, 0.0)


def _moments(y: np.ndarray, f: np.ndarray, labeled: np.ndarray, alone: np.ndarray, *, skewed: bool) -> Moments:
    y_mean, f_mean, f_rest, f_all = (_mean(values, use) for values, use in (
        (y, labeled), (f, labeled), (f, alone), (f, labeled | alone)))
    dy, df = y - y_mean, f - f_mean
    count = (labeled | alone).sum(axis=0)
    spread = column_sums(np.where(labeled | alone, (f - f_all)**2, 0.0)) / np.maximum(count - 1, 1)
    cubes = np.array([*(_mean(product, labeled) for product in (dy**3, dy**2 * df, dy * df**2, df**3)),
                      _mean((f - f_all)**3, labeled | alone)]) if skewed else None
    return Moments(labeled.sum(axis=0), alone.sum(axis=0), y_mean, f_mean, f_rest, _mean(dy * dy, labeled),
                   _mean(dy * df, labeled), _mean(df * df, labeled), spread, cubes)


def _mean(values: np.ndarray, use: np.ndarray) -> np.ndarray:
    """Mean of the used values of each column, NaN for none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return column_sums(np.where(use, values, 0.0)) / np.where(use.any(axis=0), use.sum(axis=0), np.nan)


def _variance(moments: Moments, weight: np.ndarray) -> np.ndarray:
    """Variance of the estimate with this lambda, without the two additional rectifiers."""
    rectifiers = moments.yy - 2 * weight * moments.yf + weight**2 * moments.ff
    return np.maximum(rectifiers, 0.0) / moments.n + weight**2 * moments.f_all / moments.n_unlabeled


def _third_cumulant(moments: Moments, weight: np.ndarray) -> np.ndarray:
    """Third cumulant of the estimate with this lambda; the two additional rectifiers are symmetric."""
    yyy, yyf, yff, fff, f_all = moments.cubes
    rectifiers = yyy - 3 * weight * yyf + 3 * weight**2 * yff - weight**3 * fff
    return rectifiers / moments.n**2 + weight**3 * f_all / moments.n_unlabeled**2


def _moved(ends: tuple[np.ndarray, np.ndarray], estimate: np.ndarray, cube: np.ndarray, variance: np.ndarray,
           level: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends moved to the longer side of a skewed estimate (Johnson 1978), which they still contain."""
    from scipy.special import ndtri

    shift = cube / variance * (1 + 2 * ndtri((1 + level) / 2)**2) / 6
    low, high = (np.clip(end + shift, 0.0, 1.0) for end in ends)
    return np.minimum(low, estimate), np.maximum(high, estimate)


def _grouped_spread(y: np.ndarray, f: np.ndarray, labeled: np.ndarray, alone: np.ndarray, groups: np.ndarray,
                    weight: np.ndarray) -> GroupedSpread:
    """From the summed deviations of each group, of which labeled and other queries may be: columns of (Q, S)."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order][:1] - 1))

    def sums(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values[order], starts, axis=0)

    n, rest = labeled.sum(axis=0), np.maximum(alone.sum(axis=0), 1)
    rectifiers = np.where(labeled, y - weight * f, 0.0)
    others = np.where(alone, weight * f, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrections = sums(np.where(labeled, rectifiers - rectifiers.sum(axis=0) / n, 0.0)) / n
        judged = sums(np.where(alone, others - others.sum(axis=0) / rest, 0.0)) / rest
        sizes = sums(labeled.astype(np.float64))
        count = (sizes > 0).sum(axis=0)
        outside = np.maximum(1 - sizes / n, 1 / np.maximum(n, 2))  # a single group has no jackknife, and no interval
        variance = ((corrections / outside + judged)**2).sum(axis=0) * (count - 1) / count
        return GroupedSpread(variance, ((corrections + judged)**3).sum(axis=0), n**2 / (sizes**2).sum(axis=0), count)


def _pseudo_variance(n: np.ndarray, squares: float, groups: np.ndarray | None) -> np.ndarray:
    """Of the two additional rectifiers: each is of a query, or of a mean group of queries."""
    return squares / n**2 if groups is None else squares / (n * groups)


def _effective(n: np.ndarray, mean: np.ndarray, variance: np.ndarray, squares: float,
               groups: np.ndarray | None = None) -> np.ndarray:
    """How many labels of 0 and 1 with this mean have this variance, both with the two additional rectifiers."""
    return n * (mean * (1 - mean) / n + squares / n**2) / (variance + _pseudo_variance(n, squares, groups))


def _t_ratio(n: np.ndarray, n_groups: np.ndarray, level: float) -> np.ndarray:
    from scipy.special import stdtrit

    return (stdtrit(n - 1.0, (1 + level) / 2) / stdtrit(n_groups - 1.0, (1 + level) / 2))**2
