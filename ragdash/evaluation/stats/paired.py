"""Paired tests of differences per query: columns are pairs of runs and metrics, all p-values are two-sided.

Letters: Q queries, S series (columns), B sign flips. A NaN (a side is undefined) drops out of its column.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from threading import Lock

import numpy as np

from ragdash.core.arrow_columns import on_all_cores
from ragdash.evaluation.stats.bootstrap import column_sums
from ragdash.evaluation.stats.defaults import PERMUTATIONS, SEED

EXACT_BELOW = 16  # with up to this many nonzero differences, all 2^m flips are counted
_CELLS = 1 << 23  # signs drawn together: part of what the seed means
_FEW_BATCHES, _FEW_SUMS, _REMEMBERED = 16, 1 << 20, 32  # of flips and of their sums; columns whose sums are remembered
_FLIPS, _TOGETHER = 5_000, 4  # flips and columns whose sums are added up together
_TABLE, _SUMS = 1 << 26, 1 << 16  # bytes of sums to look up; sums added up together, so that they stay in the cache
_CLOSE = 1e-10  # of the sum of |differences|: sums no further apart are the same sum, rounded
_EXACT_RANKS, _EXACT_TIED = 50, 13  # queries up to which scipy takes the exact distribution of rank sums
_remembered: OrderedDict[tuple[bytes, int, int], np.ndarray] = OrderedDict()  # sums of all flips, by column
_remembering = Lock()


def randomization_test(differences: np.ndarray, *, permutations: int = PERMUTATIONS, seed: int = SEED) -> np.ndarray:
    """Fisher's randomization test of the mean difference: p (S,), the share of sign flips with a mean as far from 0.

    differences (Q, S). Exact over all 2^m flips where m <= EXACT_BELOW differences are not zero; else Monte Carlo,
    p = (1 + count) / (1 + B), never below 1 / (1 + B). The flips depend on the seed and Q alone, the same for all
    columns, and a first part of them is that of a smaller B. Sums that differ by rounding alone count as equal.
    p = 1 where all differences are 0; NaN where fewer than two are defined. Source: Fisher 1935; Smucker, Allan &
    Carterette 2007; Phipson & Smyth 2010 for the 1 +; scipy.stats.permutation_test(permutation_type="samples").

    Examples
    --------
    >>> randomization_test(np.array([[1.0], [1.0], [1.0]])).tolist()
    [0.25]
    """
    values, n = _fill_undefined(differences)
    nonzero = (values != 0).sum(axis=0)
    p = np.where(n >= 2, 1.0, np.nan)
    exact = (n >= 2) & (nonzero > 0) & (nonzero <= EXACT_BELOW)
    sampled = (n >= 2) & (nonzero > EXACT_BELOW)
    if exact.any():
        p[exact] = _exact_p(values[:, exact])
    if sampled.any():
        p[sampled] = (1 + _count_extreme(values[:, sampled], permutations, seed)) / (1 + permutations)
    return p


def _exact_p(values: np.ndarray) -> np.ndarray:
    """Share of all flips whose sum is as far from 0: (S,). The first sign is fixed: the other half is its mirror."""
    m = int((values != 0).sum(axis=0).max())
    nonzero_first = np.take_along_axis(values, np.argsort(values == 0, axis=0, kind="stable")[:m], axis=0)
    flips = every_subset(m)[: 1 << (m - 1)]
    p = np.empty(values.shape[1])
    for start in range(0, len(p), 64):
        block = slice(start, start + 64)
        p[block] = 1 - _count_nearer(flips @ nonzero_first[:, block], *_edges(nonzero_first[:, block])) / len(flips)
    return p


def every_subset(m: int) -> np.ndarray:
    """All subsets of m things: (2^m, m) of 0 and 1; the first half holds those without the last thing."""
    return (np.arange(1 << m)[:, None] >> np.arange(m) & 1).astype(np.float64)


def _count_extreme(values: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """How many of B drawn flips give a sum as far from 0 as the one seen: (S,) integers.

    A flip is a bit for each query: which of the differences keep their sign. Eight queries are one byte, and what each
    of its 256 values adds to the sum is looked up.
    """
    width = max(1, _TABLE // (256 * len(values)))
    return np.concatenate([_count_extreme_block(values[:, start:start + width], permutations, seed)
                           for start in range(0, values.shape[1], width)])


def _count_extreme_block(values: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """_count_extreme for a block of columns whose table of sums fits in memory."""
    n, series = values.shape
    sums, (low, high) = byte_sums(values), _edges(values)
    block_rows = max(64, _SUMS // series)

    def batch(start: int) -> np.ndarray:
        flips = draw_flips(n, start, permutations, seed)
        return sum(_count_nearer(flipped_sums(sums, flips[first : first + block_rows]), low, high)
                   for first in range(0, len(flips), block_rows))

    return permutations - sum(on_all_cores(batch, flip_batches(n, permutations)))


def flip_batches(n: int, permutations: int) -> range:
    """Where each batch of flips of n queries starts; batches are part of what the seed means."""
    return range(0, permutations, max(1, _CELLS // n))


def draw_flips(n: int, start: int, permutations: int, seed: int) -> np.ndarray:
    """The flips of a batch: (rows, Q / 8) bytes, a bit for each query that keeps its sign; not to be written."""
    batch_size = max(1, _CELLS // n)
    rows, width = min(batch_size, permutations - start), -(-n // 8)
    random = np.random.default_rng((seed, start // batch_size)).bytes(rows * width)
    return np.frombuffer(random, np.uint8).reshape(rows, width)


def are_few(n: int, columns: int, permutations: int) -> bool:
    """Whether the sums that flips of n queries keep are few enough to remember them."""
    return columns * permutations <= _FEW_SUMS and len(flip_batches(n, permutations)) <= _FEW_BATCHES


def remembered_sums(columns: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """Sums of what each flip keeps of the columns (Q, D): (B, D).

    Those of each column are remembered: a slider tests one new column against the same others again and again. New
    columns are looked up side by side, four in twice the time of one.
    """
    keys = [(column.tobytes(), permutations, seed) for column in columns.T]
    with _remembering:
        sums = {key: _remembered[key] for key in keys if key in _remembered}
    new = list({key: index for index, key in enumerate(keys) if key not in sums}.values())
    for start in range(0, len(new), _TOGETHER):
        block = new[start:start + _TOGETHER]
        sums |= zip([keys[index] for index in block], _drawn_sums(columns[:, block], permutations, seed), strict=True)
    with _remembering:
        for key in keys:
            _remembered[key] = sums[key]
            _remembered.move_to_end(key)
        while len(_remembered) > _REMEMBERED:
            _remembered.popitem(last=False)
    return np.stack([sums[key] for key in keys], axis=1)


def _drawn_sums(columns: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """Sums of what all flips keep of the columns: (D, B)."""
    flips, sums = _all_flips(len(columns), permutations, seed), byte_sums(columns)
    parts = on_all_cores(lambda start: flipped_sums(sums, flips[:, start:start + _FLIPS].T),
                         range(0, permutations, _FLIPS))
    return np.ascontiguousarray(np.concatenate(parts).T)


@lru_cache(maxsize=2)
def _all_flips(n: int, permutations: int, seed: int) -> np.ndarray:
    """The flips of all batches, the bytes of eight queries one behind the other: (Q / 8, B)."""
    batches = on_all_cores(lambda start: draw_flips(n, start, permutations, seed).T, flip_batches(n, permutations))
    return np.concatenate(batches, axis=1, out=np.empty((-(-n // 8), permutations), np.uint8))


def byte_sums(values: np.ndarray) -> np.ndarray:
    """What a byte adds to the sum of each column, for every 8 queries: (Q / 8, 256, S); bit i keeps the i-th query."""
    eights = np.concatenate([values, np.zeros((-len(values) % 8, values.shape[1]))]).reshape(-1, 8, values.shape[1])
    sums = np.zeros((len(eights), 256, values.shape[1]))
    for bit in range(8):
        sums[:, 1 << bit:2 << bit] = sums[:, :1 << bit] + eights[:, bit, None]
    return sums


def flipped_sums(sums: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """Sums of what each flip (a row of bytes) keeps: (flips, S)."""
    columns = np.ascontiguousarray(flips.T)
    total = sums[0].take(columns[0], axis=0)
    addend = np.empty_like(total)
    for eight, byte in zip(sums[1:], columns[1:], strict=True):
        total += eight.take(byte, axis=0, out=addend, mode="clip")
    return total


def _edges(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Between which sums of the differences that keep their sign a flipped mean is nearer to 0: two (S,).

    With T the sum of all and K of those kept, the flipped sum is 2 K - T: |2 K - T| < |T| is min(T, 0) < K < max(T, 0).
    """
    total, margin = column_sums(values), _CLOSE * column_sums(np.abs(values))
    return np.minimum(total, 0) + margin, np.maximum(total, 0) - margin


def _count_nearer(sums: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How many sums of each column lie strictly between its edges: (S,)."""
    inside = sums > low
    inside &= sums < high
    return np.count_nonzero(inside, axis=0)


def t_test(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Paired t-test: (t (S,), p (S,)), t = mean / (sd / sqrt(n)) with n - 1 degrees of freedom.

    differences (Q, S). All differences 0: t is NaN, p = 1 (no difference seen); all the same otherwise: t is infinite,
    p = 0. NaN where fewer than two are defined. Source: Student 1908; scipy.stats.ttest_1samp.

    Examples
    --------
    >>> t, p = t_test(np.array([[0.1], [0.2], [0.3]]))
    >>> t.round(3).tolist(), p.round(3).tolist()
    ([3.464], [0.074])
    """
    # Our own, as is the Wilcoxon test below: scipy.stats takes columns with missing values one by one, about 100 times
    # slower for a table of 300 columns, and its sums depend on the columns next to each other in the last bit.
    from scipy.special import stdtr

    mean, error, n = mean_and_error(differences)
    statistic = ratio(mean, error)
    p = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(statistic))
    return statistic, np.where((error == 0) & (mean == 0), 1.0, p)


def mean_and_error(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, its standard error (sd with n - 1) and n of each column's defined values: three (S,).

    NaN where fewer than two are defined; the error of a constant column is exactly 0.
    """
    values, n = _fill_undefined(differences)
    defined = ~np.isnan(np.asarray(differences, np.float64))
    n_or_nan = np.where(n >= 2, n, np.nan)
    mean = column_sums(values) / n_or_nan
    deviations = np.where(defined, values - mean, 0.0)
    error = np.sqrt(column_sums(deviations**2) / (n_or_nan - 1) / n_or_nan)
    constant = (np.where(defined, values, -np.inf).max(axis=0, initial=-np.inf)
            == np.where(defined, values, np.inf).min(axis=0, initial=np.inf))
    return mean, np.where(constant & (n >= 2), 0.0, error), n


def ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, infinite with top's sign over 0 and where it is too large, NaN for 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return top / bottom


def wilcoxon_test(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilcoxon's signed-rank test: (the smaller rank sum (S,), p (S,)); differences of 0 are dropped.

    differences (Q, S). As scipy.stats.wilcoxon(zero_method="wilcox", correction=False, method="auto") of scipy 1.17:
    exact for n <= 50 defined differences without zeros and ties of |difference|; with them, all 2^m flips of the
    ranks for n <= 13; else the normal approximation with its correction for ties. Ties are equal numbers: round first
    what must tie in spite of rounding. p = 1 and statistic 0 where all are 0; NaN where fewer than two are defined.
    Source: Wilcoxon 1945.

    Examples
    --------
    >>> rank_sum, p = wilcoxon_test(np.array([[0.1], [0.2], [0.3], [0.0]]))
    >>> rank_sum.tolist(), p.tolist()
    ([0.0], [0.25])
    """
    from scipy.special import ndtr

    values, n = _fill_undefined(differences)
    ranks, nonzero, ties = _midranks(np.abs(values))
    plus = np.where(values > 0, ranks, 0.0).sum(axis=0)
    total = nonzero * (nonzero + 1) / 2
    spread = np.sqrt((nonzero * (nonzero + 1) * (2 * nonzero + 1) - ties / 2) / 24)
    p = 2 * ndtr(-np.abs(ratio(plus - total / 2, spread)))
    clean = (ties == 0) & (nonzero == n)
    for size in np.unique(n[clean & (n >= 2) & (n <= _EXACT_RANKS)]):
        columns = clean & (n == size)
        cumulative = np.cumsum(_rank_sums(int(size))) / 2.0**size
        p[columns] = 2 * cumulative[np.minimum(plus, total - plus)[columns].astype(np.int64)]
    tied = ~clean & (nonzero > 0) & (n <= _EXACT_TIED)
    if tied.any():
        p[tied] = _flipped_ranks(ranks[:, tied], plus[tied])
    smaller = np.where(n >= 2, np.minimum(plus, total - plus), np.nan)
    return smaller, np.where(n < 2, np.nan, np.where(nonzero == 0, 1.0, np.minimum(p, 1.0)))


def _midranks(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks of each column's values above 0, ties sharing their mean; (Q, S), how many (S,), sum of t^3 - t (S,)."""
    queries, series = sizes.shape
    order = np.argsort(sizes, axis=0, kind="stable")
    ascending = np.take_along_axis(sizes, order, axis=0).T.ravel()  # column after column
    zeros = (sizes == 0).sum(axis=0)
    first = np.ones(len(ascending), bool)
    first[1:] = ascending[1:] != ascending[:-1]
    first[::queries or 1] = True
    start = np.flatnonzero(first)
    length = np.diff(start, append=len(ascending))
    column = start // (queries or 1)
    middle = start - column * queries - zeros[column] + (length + 1) / 2
    nonzero = ascending[start] > 0
    ranks = np.zeros_like(sizes)
    shared = np.repeat(np.where(nonzero, middle, 0.0), length).reshape(series, queries).T
    np.put_along_axis(ranks, order, shared, axis=0)
    ties = np.bincount(column, np.where(nonzero, length**3.0 - length, 0.0), minlength=series)
    return ranks, queries - zeros, ties


def _rank_sums(n: int) -> np.ndarray:
    """In how many of 2^n flips the positive ranks of 1..n sum to 0, 1, ..., n (n + 1) / 2; exact up to n = 50."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[:-rank]
    return counts


def _flipped_ranks(ranks: np.ndarray, plus: np.ndarray) -> np.ndarray:
    """p of positive rank sums among those of all flips, ties and all: twice the smaller tail (S,)."""
    m = int((ranks > 0).sum(axis=0).max())
    nonzero_first = np.take_along_axis(ranks, np.argsort(ranks == 0, axis=0, kind="stable")[:m], axis=0)
    sums = every_subset(m) @ nonzero_first  # halves: exact
    return 2 * np.minimum((sums <= plus).mean(axis=0), (sums >= plus).mean(axis=0))


def sign_test(differences: np.ndarray) -> np.ndarray:
    """Sign test: p (S,), exact binomial of wins among wins and losses; differences of 0 are dropped.

    differences (Q, S). p = 1 where all are 0; NaN where fewer than two are defined. Source: Conover 1999, section 3.4;
    scipy.stats.binomtest(wins, wins + losses).

    Examples
    --------
    >>> sign_test(np.array([[1.0], [1.0], [1.0], [0.0]])).tolist()
    [0.25]
    """
    from scipy.special import bdtr  # all columns at once; scipy.stats.binomtest takes one and is 1,000 times slower

    values, n = _fill_undefined(differences)
    wins, losses = (values > 0).sum(axis=0), (values < 0).sum(axis=0)
    p = np.minimum(2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5), 1.0)
    return np.where(n < 2, np.nan, np.where(wins + losses == 0, 1.0, p))


def _fill_undefined(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(differences with 0 in place of NaN, how many are defined): (Q, S) and (S,)."""
    differences = np.asarray(differences, np.float64)
    defined = ~np.isnan(differences)
    return np.where(defined, differences, 0.0), defined.sum(axis=0)
