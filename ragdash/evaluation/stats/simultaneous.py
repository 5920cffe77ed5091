"""Paired comparisons tested together: corrected p-values, and intervals that agree with them.

Letters: Q queries, C columns (runs), S pairs of columns (one family), B sign flips. A NaN drops out of its pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.core.arrow_columns import on_all_cores
from ragdash.evaluation.stats import paired
from ragdash.evaluation.stats.defaults import ALPHA, PERMUTATIONS, SEED
from ragdash.evaluation.stats.paired import EXACT_BELOW, mean_and_error
from ragdash.evaluation.stats.proportions import bonett_price

_DECIMALS = 12  # differences that are equal but for rounding tie
_LARGEST_T = 50.0  # of a critical value: r^2 reaches n where every query differs in the same way
_TIED = 1e-6  # statistics of flips that are no further apart are equal, but for rounding
_PAIR_CELLS = 1 << 18  # statistics computed together, so that they stay in the cache


@dataclass(frozen=True)
class PairTests:
    """The tests of one family: (S,) each; NaN for pairs with fewer than two queries.

    Attributes
    ----------
    n, mean, error
        Queries with a value on both sides, the mean difference and its standard error.
    p_single
        Of each pair alone: the randomization test.
    p
        Corrected: the chance of a statistic this large for any pair of the family, if no run differed.
    critical
        The t beyond which p is below alpha; infinite where no t can be.
    low, high
        mean -+ critical * error; of values that are 0 or 1: Bonett and Price's, with the same critical value. The
        interval excludes 0 exactly where p < alpha.
    """

    n: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    p_single: np.ndarray
    p: np.ndarray
    critical: np.ndarray
    low: np.ndarray
    high: np.ndarray


def pair_differences(values: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """First minus second column of each pair: (Q, S), NaN where one is undefined, rounded to 12 decimals."""
    first, second = np.asarray(pairs, np.int64).reshape(-1, 2).T
    return np.round(values[:, first] - values[:, second], _DECIMALS)


def test_pairs(values: np.ndarray, pairs: Sequence[tuple[int, int]], *, alpha: float = ALPHA,
               permutations: int = PERMUTATIONS, seed: int = SEED, corrected: bool = True,
               binary: bool = False) -> PairTests:
    """Test all pairs of a family with the single-step max-t method over sign flips.

    A flip gives every query a sign at random, the same for all pairs, so that their dependence stays. The statistic of
    a pair is |sum d| / sqrt(sum d^2), which rises with |t|. p is the share of flips in which the largest statistic of
    the family is at least that of the pair. The interval is t's, with the critical value of the same flips.

    Parameters
    ----------
    values : array (Q, C)
        A column per run; NaN where undefined.
    pairs : list of (int, int)
        The family: differences are first minus second column.
    alpha
        Chance of any false positive in the family; the intervals hold all true differences with 1 - alpha.
    permutations, seed
        Sign flips drawn; all flips are counted where at most 16 queries differ.
    corrected
        False: each pair is a family of its own.
    binary
        The metric is 0 or 1 at each query: intervals are Bonett and Price's, with t's critical value for one pair. For
        R runs it is where p, as a line between the statistics that occur, is alpha, at least t's at alpha / (R - 1).

    Returns
    -------
    PairTests

    References
    ----------
    Westfall & Young 1993, chapter 2; Romano & Wolf 2005; Carterette 2012 for retrieval; for one pair Fisher 1935.

    Examples
    --------
    >>> values = np.array([[0.9, 0.5, 0.5], [0.8, 0.4, 0.4], [0.7, 0.3, 0.4], [0.9, 0.4, 0.3], [0.6, 0.2, 0.2],
    ...                    [0.8, 0.3, 0.3], [0.9, 0.6, 0.5]])
    >>> tests = test_pairs(values, [(0, 1), (0, 2), (1, 2)])
    >>> tests.p.round(3).tolist()
    [0.016, 0.016, 1.0]
    >>> (tests.low > 0).tolist()
    [True, True, False]
    """
    differences = pair_differences(values, pairs := np.asarray(pairs, np.int64).reshape(-1, 2))
    mean, error, n = mean_and_error(differences)
    filled = np.nan_to_num(differences)
    length = np.sqrt((filled**2).sum(axis=0))
    statistic = np.divide(np.abs(filled.sum(axis=0)), length, out=np.zeros(len(pairs)), where=(length > 0) & (n >= 2))
    counts, top, total = _count_flips(values, pairs, differences, np.where(n >= 2, length, 0.0), statistic,
                                      permutations, seed, corrected)
    p_single, p, edge = _p_values(differences, statistic, counts, top, total, total == permutations + 1, alpha,
                                 binary)
    if binary:
        critical = _critical_binary(edge, n, alpha, len(np.unique(pairs)) if corrected else 2)
        low, high = _agreeing(*bonett_price(differences, critical), mean, p < alpha)
    else:
        critical = _critical_t(edge, n, alpha, statistic, p)
        low, high = _limits(mean, error, critical)
    return PairTests(n, mean, error, *(np.where(n < 2, np.nan, array) for array in (
        np.minimum(p_single, 1.0), np.minimum(p, 1.0), critical)), low, high)


setattr(test_pairs, "__test__", False)  # noqa: B010  the name is a verb, not a test of pytest


def _p_values(differences: np.ndarray, statistic: np.ndarray, counts: np.ndarray, top: np.ndarray, total: int,
              drawn: bool, alpha: float, binary: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p of each pair alone, p corrected, and the statistic from which on a pair is significant: (S,) each."""
    between = binary or not drawn
    p_single = (counts + drawn) / total
    few = (np.nan_to_num(differences) != 0).sum(axis=0) <= EXACT_BELOW
    if drawn and few.any():
        p_single[few] = paired.randomization_test(differences[:, few])
    if top.ndim == 2:  # not corrected
        return p_single, p_single, np.array([_edge(row, total, int(drawn), alpha, between) for row in top])
    below = np.searchsorted(top, statistic - _TIED)
    edge = _edge(top, total, int(drawn), alpha, between)
    return p_single, (len(top) - below + drawn) / total, np.full(len(counts), edge)


def _edge(top: np.ndarray, total: int, extra: int, alpha: float, between: bool) -> float:
    """The smallest statistic of the flips that gives p < alpha; infinite where none does. top rises.

    between: p jumps from one statistic to the next, as with few queries that differ or with values of 0 and 1, and the
    larger one would make intervals too wide. Then the point at which the straight line between the two has p = alpha.
    """
    allowed = int(np.ceil(alpha * total - extra)) - 1  # flips that may reach the statistic
    if allowed < 1 or not len(top):
        return np.inf
    largest_not = float(top[len(top) - 1 - min(allowed, len(top) - 1)])
    above = np.searchsorted(top, largest_not + 2 * _TIED)
    if above >= len(top) or not between:
        return float(top[above]) if above < len(top) else np.inf
    reached = len(top) - np.searchsorted(top, largest_not - _TIED)
    chances = [(count + extra) / total for count in (reached, len(top) - above)]
    share = (chances[0] - alpha) / (chances[0] - chances[1])
    return largest_not + float(share) * (float(top[above]) - largest_not)


def _critical_binary(edge: np.ndarray, n: np.ndarray, alpha: float, runs: int) -> np.ndarray:
    """The critical t of each pair of these runs; see test_pairs."""
    from scipy.special import stdtrit

    least = stdtrit(np.maximum(n - 1, 1), 1 - alpha / 2 / max(runs - 1, 1))
    if runs <= 2 or not np.isfinite(edge[0]):
        return least
    return np.maximum(np.minimum(_t_of(edge, n), _LARGEST_T), least)


def _agreeing(low: np.ndarray, high: np.ndarray, mean: np.ndarray,
              significant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends next to 0 moved to the side of 0 on which p puts them; NaN where the mean is."""
    low, high = (np.where(np.isnan(mean), np.nan, end) for end in (low, high))
    nearest = np.where(significant, mean * 1e-9, 0.0)
    low = np.where(significant & (mean > 0), np.maximum(low, nearest), np.where(significant, low, np.minimum(low, 0)))
    high = np.where(significant & (mean < 0), np.minimum(high, nearest),
                    np.where(significant, high, np.maximum(high, 0)))
    return low, high


def _t_of(size: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The t of statistics over n queries: r sqrt((n - 1) / (n - r^2)), infinite where r^2 reaches n."""
    room = n - np.minimum(size, np.sqrt(n) + 1) ** 2
    return np.divide(size * np.sqrt(np.maximum(n - 1, 1)), np.sqrt(np.maximum(room, 0)), out=np.full(len(n), np.inf),
                     where=room > 1e-9)


def _critical_t(edge: np.ndarray, n: np.ndarray, alpha: float, statistic: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The critical t of each pair: that of the edge, and at least that of the t-test of the pair alone.

    It stays below the t of every significant pair, so that their intervals exclude 0, and reaches that of every other.
    """
    from scipy.special import stdtrit

    free = np.maximum(n - 1, 1)
    significant = p < alpha
    lowest = np.min(statistic[significant], initial=np.inf) if significant.any() else np.inf
    edge = np.minimum(edge, lowest) if len(set(edge)) <= 1 else np.where(significant, np.minimum(edge, statistic), edge)
    wide = np.where(np.isinf(edge), np.inf, _t_of(np.where(np.isinf(edge), 0.0, edge), n))
    observed = _t_of(statistic, n)
    attainable = np.where(np.isinf(edge), np.maximum(observed * (1 + 1e-9), 0.0), wide)
    alone = stdtrit(free, 1 - alpha / 2)
    critical = np.maximum(attainable, alone)
    limit = np.where(np.isinf(observed), alone, observed * (1 - 1e-9))  # infinite: all differences are the same
    return np.where(significant, np.minimum(critical, limit), critical)


def _limits(mean: np.ndarray, error: np.ndarray, critical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """mean -+ critical * error; an infinite critical value gives no limit unless all differences are 0."""
    with np.errstate(invalid="ignore"):
        width = np.where(np.isinf(critical) & ~((error == 0) & (mean == 0)), np.inf, critical * error)
    width = np.where((error == 0) & (mean == 0), 0.0, width)
    return mean - width, mean + width


def _count_flips(values: np.ndarray, pairs: np.ndarray, differences: np.ndarray, length: np.ndarray,
                 statistic: np.ndarray, permutations: int, seed: int,
                 corrected: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """How many flips reach each pair's own statistic (S,), the rising largest statistic of each flip, and their number.

    Not corrected: the rising statistics of each pair, (S, B). The number is B + 1 where the flips are drawn, because
    the flip that was seen counts too.
    """
    columns, first, second = _flip_columns(values, pairs, differences)
    differ = np.flatnonzero((np.nan_to_num(differences) != 0).any(axis=1))
    sums = columns.sum(axis=0)
    totals = (sums[first] - sums[second])[:, None]
    scale = np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)[:, None]
    tied = (statistic - _TIED)[:, None]

    def reduce_block(kept_sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        by_column = np.ascontiguousarray(kept_sums.T)  # whole rows are taken faster than columns
        flipped = by_column[first]
        flipped -= by_column[second]
        flipped *= 2
        flipped -= totals
        np.abs(flipped, out=flipped)
        flipped *= scale
        return (flipped >= tied).sum(axis=1), flipped.max(axis=0, initial=0.0) if corrected else flipped

    if len(differ) <= EXACT_BELOW:
        subsets = paired.every_subset(len(differ))[: 1 << max(len(differ) - 1, 0)]
        blocks = [reduce_block(subsets @ columns[differ])]
        total = len(subsets)
    else:
        blocks, total = _drawn_blocks(columns, permutations, seed, len(pairs), reduce_block), permutations + 1
    counts = sum(counts for counts, _ in blocks)
    return counts, np.sort(np.concatenate([top for _, top in blocks], axis=-1), axis=-1), total


def _drawn_blocks(columns: np.ndarray, permutations: int, seed: int, pairs: int, reduce_block) -> list[tuple]:
    """reduce_block of the sums that drawn flips keep; the flips are those of the randomization test."""
    rows_at_once = max(64, _PAIR_CELLS // max(pairs, columns.shape[1]))
    if paired.are_few(*columns.shape, permutations):
        all_sums = paired.remembered_sums(columns, permutations, seed)
        return on_all_cores(lambda start: reduce_block(all_sums[start:start + rows_at_once]),
                            range(0, permutations, rows_at_once))
    sums = paired.byte_sums(columns)

    def batch(flips: np.ndarray) -> list[tuple]:
        return [reduce_block(paired.flipped_sums(sums, flips[start:start + rows_at_once]))
                for start in range(0, len(flips), rows_at_once)]

    starts = paired.flip_batches(len(columns), permutations)
    batches = on_all_cores(lambda start: batch(paired.draw_flips(len(columns), start, permutations, seed)), starts)
    return [block for blocks in batches for block in blocks]


def _flip_columns(values: np.ndarray, pairs: np.ndarray,
                  differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns (Q, D) to flip, and of each pair its two: the difference of their sums is that of the pair.

    Runs that are defined for the same queries share columns, so that 30 runs need 30 columns and not 435. Other pairs
    have a column of differences of their own, against a column of zeros. Shared columns are differences from the first
    of them: its place does not depend on the values of the others, whose sums can be remembered.
    """
    defined = ~np.isnan(values)
    pattern = {index: defined[:, index].tobytes() for index in range(values.shape[1])}
    shared = np.array([pattern[first] == pattern[second] for first, second in pairs], bool)
    columns = np.zeros((len(values), values.shape[1] + 1))
    for key in set(pattern.values()):
        members = [index for index in pattern if pattern[index] == key]
        block = np.nan_to_num(values[:, members])
        columns[:, members] = block - block[:, :1]
    first, second = pairs[:, 0].copy(), pairs[:, 1].copy()
    lone = np.flatnonzero(~shared)
    first[lone] = values.shape[1] + 1 + np.arange(len(lone))
    second[lone] = values.shape[1]
    return np.concatenate([columns, np.nan_to_num(differences[:, lone])], axis=1), first, second
