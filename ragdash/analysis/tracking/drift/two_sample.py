"""Permutation tests of two samples: if both come from one source, any split of them is as likely as the one seen.

So p is right for any distribution and any statistic: among tests without a true difference, at most 5% have p below
0.05. p = (1 + splits at least as extreme) / (1 + splits drawn). Source: Phipson and Smyth 2010.

Letters: n values of both samples, B splits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

SPLITS = 2_000
NEIGHBORS = 100  # of each value, among which its nearest one in the other sample is looked for
_CELLS = 1 << 23  # of splits times values held together
_ROUNDING = 1e-9
_LARGEST = 1e300  # the statistic of samples without any spread, whose means differ


def split_masks(first: int, total: int, splits: int, seed: int) -> Iterator[np.ndarray]:
    """Random splits in blocks, (B, n) bool: which values are in the first sample."""
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // max(total, 1))
    for start in range(0, splits, block):
        draws = rng.random((min(block, splits - start), total))
        yield draws <= np.partition(draws, first - 1, axis=1)[:, first - 1:first]


def permutation_p(observed: float, draws: np.ndarray) -> float:
    """p of a statistic that is large where samples differ; NaN where it is undefined."""
    if not np.isfinite(observed):
        return np.nan
    return float((1 + (draws >= observed - _ROUNDING * max(abs(observed), 1)).sum()) / (1 + len(draws)))


def mean_p(first: np.ndarray, second: np.ndarray, *, splits: int = SPLITS, seed: int = 0) -> float:
    """p of a difference of means, two-sided, by Welch's t of each split.

    The studentized statistic keeps its level for means also where the spread of the samples differs.

    Examples
    --------
    >>> round(mean_p(np.arange(20.0), np.arange(20.0) + 15), 4), mean_p(np.arange(20.0), np.arange(20.0))
    (0.0005, 1.0)
    """
    if min(len(first), len(second)) < 2:
        return np.nan
    values = np.concatenate([first, second])
    values = values - values.mean()
    if not values.any():
        return 1.0

    def statistic(masks: np.ndarray) -> np.ndarray:
        inside = masks.astype(float)
        n = np.array([len(first), len(second)])
        sums = np.stack([inside @ values, values.sum() - inside @ values])
        squares = np.stack([inside @ values**2, (values**2).sum() - inside @ values**2])
        variance = np.maximum(squares - sums**2 / n[:, None], 0) / (n[:, None] - 1)
        error = np.sqrt((variance / n[:, None]).sum(axis=0))
        gap = np.abs(sums[0] / n[0] - sums[1] / n[1])
        return np.where(error > 0, gap / np.where(error > 0, error, 1), np.where(gap > _ROUNDING, _LARGEST, 0))

    return _p(statistic, len(first), len(values), splits, seed)


def quantile_p(first: np.ndarray, second: np.ndarray, share: float, *, splits: int = SPLITS, seed: int = 0) -> float:
    """p of a difference between two quantiles, two-sided. It is exact if both samples have one distribution."""
    if min(len(first), len(second)) < 2:
        return np.nan
    order = np.sort(np.concatenate([first, second]))
    source = np.argsort(np.argsort(np.concatenate([first, second]), kind="stable"), kind="stable")
    wanted = [min(size - 1, max(0, int(np.ceil(share * size)) - 1)) for size in (len(first), len(second))]

    def statistic(masks: np.ndarray) -> np.ndarray:
        places = [np.flatnonzero(side.ravel()).reshape(len(masks), -1)[:, rank] % masks.shape[1]
                  for side, rank in ((masks, wanted[0]), (~masks, wanted[1]))]
        return np.abs(order[places[0]] - order[places[1]])

    seen = np.zeros(len(order), bool)
    seen[source[:len(first)]] = True
    return permutation_p(float(statistic(seen[None])[0]), np.concatenate([
        statistic(masks) for masks in split_masks(len(first), len(order), splits, seed)]))


def category_p(first: Sequence[str], second: Sequence[str], *, splits: int = SPLITS, seed: int = 0) -> float:
    """p of a difference of shares of categories, by the chi-square statistic of each split."""
    if not len(first) or not len(second):
        return np.nan
    names, codes = np.unique([*first, *second], return_inverse=True)
    if len(names) < 2:
        return 1.0
    one_hot = np.eye(len(names))[codes]
    totals, share = one_hot.sum(axis=0), len(first) / len(codes)

    def statistic(masks: np.ndarray) -> np.ndarray:
        return ((masks.astype(float) @ one_hot - share * totals) ** 2 / totals).sum(axis=1)

    return _p(statistic, len(first), len(codes), splits, seed)


def kernel_p(kernel: np.ndarray, first: int, *, splits: int = SPLITS, seed: int = 0) -> tuple[float, float]:
    """(maximum mean discrepancy, squared; its p) of the first values against the others.

    kernel: (n, n) similarity of all values, positive semidefinite. Source: Gretton et al. 2012.
    """
    total = len(kernel)
    if min(first, total - first) < 2:
        return np.nan, np.nan
    kernel = kernel.astype(np.float32)

    def statistic(masks: np.ndarray) -> np.ndarray:
        weights = np.where(masks, np.float32(1 / first), np.float32(-1 / (total - first))).astype(np.float32)
        return ((weights @ kernel) * weights).sum(axis=1)

    seen = np.arange(total) < first
    return float(statistic(seen[None])[0]), _p(statistic, first, total, splits, seed)


def nearest_p(similarity: np.ndarray, first: int, *, splits: int = SPLITS, seed: int = 0) -> float:
    """p that the first values are farther from the nearest of the others than the others are from each other.

    similarity: (n, n). Among the NEIGHBORS nearest values of each, the first that belongs to the others counts.
    Sources: nearest-neighbor two-sample tests, Henze 1988, Schilling 1986.
    """
    total = len(similarity)
    if min(first, total - first) < 2:
        return np.nan
    ranked = similarity.astype(np.float32)
    np.fill_diagonal(ranked, -np.inf)
    order = np.argsort(-ranked, axis=1, kind="stable")[:, :min(NEIGHBORS, total - 1)]
    values = np.take_along_axis(ranked, order, axis=1)
    rows = np.arange(total)

    def single(mask: np.ndarray) -> float:
        others = ~mask[order]
        nearest = np.where(others.any(axis=1), values[rows, others.argmax(axis=1)], values[:, -1])
        return float(nearest[~mask].mean() - nearest[mask].mean())

    return _p(lambda masks: np.array([single(mask) for mask in masks]), first, total, splits, seed)


def _p(statistic: Callable[[np.ndarray], np.ndarray], first: int, total: int, splits: int, seed: int) -> float:
    seen = (np.arange(total) < first)[None]
    draws = np.concatenate([statistic(masks) for masks in split_masks(first, total, splits, seed)])
    return permutation_p(float(statistic(seen)[0]), draws)
