"""Intervals of a mean or a paired difference from n labels and N verdicts, computed on tables of counts.

Each method takes a Table of many samples and returns the ends of their intervals. Letters: R samples, K kinds of
queries (pairs of a label and a verdict).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from ragdash.evaluation.stats.prediction_powered import Moments, ppi_of_moments

Z = 1.959963984540054
DRAWS = 300  # of posteriors and bootstraps
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Table:
    """Labeled queries by kind: (folds, K, R); others by verdict: (V, R). y, f: label and verdict of each kind (K,)."""

    folds: np.ndarray
    others: np.ndarray
    y: np.ndarray
    f: np.ndarray
    values: np.ndarray
    bounds: tuple[float, float]

    @property
    def n(self) -> int:
        return int(self.folds[:, :, 0].sum())

    @property
    def rest(self) -> int:
        return int(self.others[:, 0].sum())

    @property
    def labeled(self) -> np.ndarray:
        return self.folds.sum(axis=0)


def draw(rng: np.random.Generator, kinds: np.ndarray, y: np.ndarray, f: np.ndarray, n: int, rest: int, samples: int,
         bounds: tuple[float, float]) -> Table:
    """`samples` tables; kinds: probability of each kind."""
    values = np.unique(f)
    shares = np.array([kinds[f == value].sum() for value in values])
    sizes = [n // FOLDS + (k < n % FOLDS) for k in range(FOLDS)]
    folds = np.array([rng.multinomial(size, kinds / kinds.sum(), samples).T for size in sizes], float)
    return Table(folds, rng.multinomial(rest, shares / shares.sum(), samples).T.astype(float), y, f, values, bounds)


def moments(table: Table, counts: np.ndarray | None = None) -> Moments:
    """Moments of labels and verdicts scaled to [0, 1]; counts (K, R): other labeled queries than all."""
    counts = table.labeled if counts is None else counts
    low, width = table.bounds[0], table.bounds[1] - table.bounds[0]
    y, f, v = ((values - low)[:, None] / width for values in (table.y, table.f, table.values))
    n, rest = counts.sum(axis=0), table.others.sum(axis=0)

    def mean(values: np.ndarray) -> np.ndarray:
        return (counts * values).sum(axis=0) / n

    y_mean, f_mean, f_rest = mean(y), mean(f), (table.others * v).sum(axis=0) / rest
    every = (n * f_mean + rest * f_rest) / (n + rest)
    squares = n * mean((f - every)**2) + (table.others * (v - every)**2).sum(axis=0)
    dy, df = y - y_mean, f - f_mean
    cubes = None
    if table.bounds != (0.0, 1.0):
        verdicts = (n * mean((f - every)**3) + (table.others * (v - every)**3).sum(axis=0)) / (n + rest)
        cubes = np.array([mean(dy**3), mean(dy**2 * df), mean(dy * df**2), mean(df**3), verdicts])
    return Moments(n, rest, y_mean, f_mean, f_rest, mean(dy**2), mean(dy * df), mean(df**2),
                   squares / (n + rest - 1), cubes)


def adopted(table: Table, rng: np.random.Generator) -> tuple:
    """What ragdash does: ragdash.evaluation.stats.ppi."""
    result = ppi_of_moments(moments(table), bounds=table.bounds)
    return result.low, result.high


def labels_alone(table: Table, rng: np.random.Generator) -> tuple:
    """What ragdash does without a judge: `label_interval`."""
    every = moments(table)
    zero = np.zeros_like(every.yy)
    result = ppi_of_moments(Moments(every.n, every.n_unlabeled, every.y_mean, every.f_mean, every.f_rest, every.yy,
                                    zero, every.ff, every.f_all, every.cubes), bounds=table.bounds)
    return result.low, result.high


def wilson(table: Table, rng: np.random.Generator) -> tuple:
    every = moments(table)
    n, p = table.n, every.y_mean
    middle, spread = p + Z**2 / (2 * n), Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return (middle - spread) / (1 + Z**2 / n), (middle + spread) / (1 + Z**2 / n)


def bonett_price(table: Table, rng: np.random.Generator) -> tuple:
    """Of paired differences -1, 0, 1: one more of each sign. Bonett and Price 2012."""
    n = table.n + 2
    up, down = ((table.labeled * (table.y == sign)[:, None]).sum(axis=0) + 1 for sign in (1, -1))
    mean = (up - down) / n
    return _around(mean, np.sqrt(((up + down) / n - mean**2) / n), table)


def paired_t(table: Table, rng: np.random.Generator) -> tuple:
    every = _unscaled(table)
    error = np.sqrt(every["yy"] / (table.n - 1))
    return _around(every["y"], error * stdtrit(table.n - 1, 0.975) / Z, table)


def plain(table: Table, rng: np.random.Generator) -> tuple:
    """lambda = 1, as ARES (pp_mean_iid_asymptotic) and ppi-python's ppi_mean_ci(lam=1)."""
    return _normal(table, np.ones(1), 0)


def unmoved(table: Table, rng: np.random.Generator) -> tuple:
    """What ragdash does, without moving the ends of a skewed difference."""
    result = ppi_of_moments(replace(moments(table), cubes=None), bounds=table.bounds)
    return result.low, result.high


def fixed(table: Table, rng: np.random.Generator) -> tuple:
    """lambda = 1 with the two rectifiers +1 and -1."""
    every, n = _unscaled(table), table.n
    mean = (every["y"] - every["f"]) * n / (n + 2)
    squares = n * (every["yy"] - 2 * every["yf"] + every["ff"] + (every["y"] - every["f"])**2) + 2 - (n + 2) * mean**2
    error = np.sqrt(squares / (n + 1) / (n + 2) + every["others"] / (table.rest - 1))
    return _around(every["rest"] + mean, error, table)


def plus_plus(table: Table, rng: np.random.Generator) -> tuple:
    """PPI++ as ppi-python's ppi_mean_ci: lambda of the least variance, no additional rectifiers."""
    return _normal(table, _weight(moments(table)), 0)


def truescore(table: Table, rng: np.random.Generator) -> tuple:
    """truescore 0.7.4, ppi_estimate and ppi_compare: PPI++ widened to Wilson's width below five of one class."""
    low, high = _normal(table, _weight(moments(table)), 1)
    if table.bounds != (0.0, 1.0):
        return low, high
    ends = wilson(table, rng)
    share = moments(table).y_mean
    few = np.minimum(share, 1 - share) * table.n < 5 - 1e-9
    middle = (low + high) / 2
    half = np.where(few, np.maximum((high - low) / 2, (ends[1] - ends[0]) / 2), (high - low) / 2)
    return middle - half, middle + half


def rectified(table: Table, rng: np.random.Generator) -> tuple:
    """lambda of the least variance with the two rectifiers and a normal interval, without the effective number."""
    every = moments(table)
    result = ppi_of_moments(every, bounds=table.bounds)
    return _around(result.estimate, result.error, table)


def cross_fitted(table: Table, rng: np.random.Generator) -> tuple:
    """lambda of each fold from the labels of the others; the two rectifiers, a normal interval."""
    n, total, squares = table.n, 0.0, 2.0
    every = _unscaled(table)
    weights = []
    for k in range(FOLDS):
        weight = _weight(moments(table, table.labeled - table.folds[k]))
        part = (table.folds[k] * (table.y[:, None] - weight * table.f[:, None])).sum(axis=0)
        total = total + part
        squares = squares + (table.folds[k] * (table.y[:, None] - weight * table.f[:, None])**2).sum(axis=0)
        weights.append(weight * table.folds[k][:, 0].sum() / n)
    weight = np.sum(weights, axis=0)
    mean = total / n
    error = np.sqrt((squares - n * mean**2) / n**2 + weight**2 * every["others"] / table.rest)
    return _around(weight * every["rest"] + mean, error, table)


def stratified(table: Table, rng: np.random.Generator) -> tuple:
    """Mean of the labels within each verdict, weighted by its share; labels alone where a verdict has none."""
    shares = np.array([(table.labeled[table.f == v]).sum(axis=0) + others
                       for v, others in zip(table.values, table.others, strict=True)])
    shares = shares / shares.sum(axis=0)
    mean, variance = 0.0, 0.0
    means = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for v, share in zip(table.values, shares, strict=True):
            counts, y = table.labeled[table.f == v], table.y[table.f == v][:, None]
            size = counts.sum(axis=0)
            inside = np.where(size > 0, (counts * y).sum(axis=0) / size, 0.0)
            spread = (counts * (y - inside)**2).sum(axis=0) / np.maximum(size - 1, 1)
            mean, variance = mean + share * inside, variance + share**2 * spread / np.where(size > 0, size, 1)
            means.append(inside)
        between = (shares * (np.array(means) - mean)**2).sum(axis=0) / (table.n + table.rest)
        ends = _around(mean, np.sqrt(variance + between), table)
    alone = labels_alone(table, rng)
    empty = np.any([(table.labeled[table.f == v].sum(axis=0) == 0) & (share > 0)
                    for v, share in zip(table.values, shares, strict=True)], axis=0)
    return tuple(np.where(empty, other, end) for end, other in zip(ends, alone, strict=True))


def poststratified_jeffreys(table: Table, rng: np.random.Generator) -> tuple:
    """Posterior of the shares of right answers among the verdicts yes and no, and of their share (priors 1/2)."""
    def beta(yes: np.ndarray, no: np.ndarray) -> np.ndarray:
        return rng.beta(yes + 0.5, no + 0.5, (DRAWS, len(yes)))

    right_yes, right_no, wrong_yes, wrong_no = _cells(table)
    total = right_yes + wrong_yes + table.others[-1]
    share = beta(total, table.n + table.rest - total)
    draws = share * beta(right_yes, wrong_yes) + (1 - share) * beta(right_no, wrong_no)
    return tuple(np.quantile(draws, (0.025, 0.975), axis=0))


def judgy(table: Table, rng: np.random.Generator) -> tuple:
    """judgy 0.1.0: Rogan and Gladen's correction, labels resampled; all of [0, 1] where it raises an error."""
    cells = np.array(_cells(table))
    n, judge_share = table.n, table.others[-1] / table.rest
    draws = rng.multinomial(n, (cells / n).T, (DRAWS, cells.shape[1]))
    right_yes, right_no, wrong_yes, wrong_no = np.moveaxis(draws, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit, reject = right_yes / (right_yes + right_no), wrong_no / (wrong_yes + wrong_no)
        value = np.clip((judge_share + reject - 1) / (hit + reject - 1), 0, 1)
        value = np.where(hit + reject > 1, value, np.nan)
        known = (cells[0] / (cells[0] + cells[1]) + cells[3] / (cells[2] + cells[3])) > 1
    known &= ~np.isnan(value).all(axis=0)
    value[:, ~known] = 0.5
    low, high = np.nanquantile(value, (0.025, 0.975), axis=0)
    return np.where(known, low, 0.0), np.where(known, high, 1.0)


MEANS = {"adopted": adopted, "lambda 1 with +1, -1": fixed, "plain PPI (ARES)": plain, "PPI++ (ppi-python)": plus_plus,
         "truescore": truescore, "tuned with +1, -1, normal": rectified, "cross-fitted lambda": cross_fitted,
         "stratified by verdict": stratified, "labels: Wilson": wilson, "labels: exact (adopted)": labels_alone}
SAMPLED = {"adopted": adopted, "post-stratified Jeffreys": poststratified_jeffreys, "judgy": judgy,
           "labels: exact (adopted)": labels_alone}  # these draw random numbers and take long
DIFFERENCES = {"adopted": adopted, "adopted, ends not moved": unmoved, "lambda 1 with +1, -1": fixed,
               "plain PPI": plain, "PPI++ (ppi-python)": plus_plus, "truescore": truescore,
               "tuned with +1, -1, normal": rectified, "cross-fitted lambda": cross_fitted,
               "stratified by verdict": stratified, "labels: t": paired_t, "labels: Bonett-Price": bonett_price,
               "labels: adopted": labels_alone}


def _cells(table: Table) -> list[np.ndarray]:
    """Counts of right and judged yes, right and no, wrong and yes, wrong and no."""
    return [table.labeled[(table.y == y) & (table.f == f)].sum(axis=0) for y in (1, 0) for f in (1, 0)]


def _unscaled(table: Table) -> dict[str, np.ndarray]:
    every = moments(table)
    low, width = table.bounds[0], table.bounds[1] - table.bounds[0]
    rest = (table.others * table.values[:, None]).sum(axis=0) / table.rest
    others = (table.others * (table.values[:, None] - rest)**2).sum(axis=0) / table.rest
    return {"y": low + width * every.y_mean, "f": low + width * every.f_mean, "rest": rest, "others": others,
            "yy": width**2 * every.yy, "yf": width**2 * every.yf, "ff": width**2 * every.ff}


def _weight(every: Moments) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.clip(every.yf / every.f_all / (1 + every.n / every.n_unlabeled), 0, 1)
        return np.where(every.f_all > 1e-12, weight, 0.0)


def _normal(table: Table, weight: np.ndarray, ddof: int) -> tuple:
    every, n = _unscaled(table), table.n
    spread = np.maximum(every["yy"] - 2 * weight * every["yf"] + weight**2 * every["ff"], 0.0)
    error = np.sqrt(spread / (n - ddof) + weight**2 * every["others"] / (table.rest - ddof))
    return _around(every["y"] + weight * (every["rest"] - every["f"]), error, table, clip=False)


def _around(mean: np.ndarray, error: np.ndarray, table: Table, clip: bool = True) -> tuple:
    bounds = table.bounds if clip else (-np.inf, np.inf)
    return np.clip(mean - Z * error, *bounds), np.clip(mean + Z * error, *bounds)
