"""Bootstrap intervals of means over queries: vectorized, seeded, with the same resamples for everything compared.

Letters: Q queries, S series (columns), B resamples, T terms.
"""

from __future__ import annotations

import numpy as np

from ragdash.core.arrow_columns import on_all_cores
from ragdash.evaluation.stats.defaults import LEVEL, RESAMPLES, SEED
from ragdash.metrics.bands import unseen_share

METHODS = ("percentile", "bca", "expanded", "t")
METHOD = "expanded"  # chosen by benchmarks/calibration.py
_CELLS = 1 << 20  # weights drawn together
_SERIES = 4096  # columns resampled together: their means take 160 MB
_CLOSE = 1e-6  # of the largest deviation: a resampled mean no further from the mean is it, rounded
_SPREADLESS = 1e-4  # of the second moment: a resample's variance below it may be rounding


def bootstrap_intervals(values: np.ndarray, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED,
                        weights: np.ndarray | None = None, method: str = METHOD,
                        limits: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap interval of each column's mean over its defined (not NaN) values: (low (S,), high (S,)).

    values (Q, S). Queries are resampled with replacement, the same draw for all columns, so that intervals of
    differences are paired; a column's undefined queries drop out of its resamples. NaN where fewer than two are
    defined, or with fewer resamples than 2 / (1 - level), which leave no draw beyond an end; the mean itself where all
    are the same; never outside the values seen. weights: see resampled_sums.
    limits (S, 2): the lowest and highest value there can be, infinite where there is none. Where all values are the
    same, no resample shows that other queries may differ: the interval then reaches as far towards its limits as the
    share of other queries can be (`unseen_share`), so 1.0 for 20 of 20 queries is [0.832, 1].
    method: "percentile" (quantiles of the resampled means; too narrow for few queries); "expanded" (further out in
    the tails, by the t distribution with n - 1 degrees of freedom: Hesterberg 2015, section 5.3); "bca" (tails
    corrected for bias and skewness); "t" (quantiles of each resample's own t statistic, see _studentized_interval).
    Source: Efron & Tibshirani 1993, chapters 12 to 14; scipy.stats.bootstrap for "percentile" and "bca".

    Examples
    --------
    >>> low, high = bootstrap_intervals(np.array([[0.2], [0.4], [0.9]]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.2], [0.9])
    >>> low, high = bootstrap_intervals(np.ones((20, 1)), limits=np.array([[0.0, 1.0]]))
    >>> low.round(3).tolist(), high.tolist()
    ([0.832], [1.0])
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r} is none of {', '.join(METHODS)}")
    values = np.asarray(values, np.float64)
    if values.shape[1] > _SERIES:
        if weights is None and len(values):
            weights = resample_weights(len(values), resamples=resamples, seed=seed)
        draw = {"level": level, "resamples": resamples, "seed": seed, "weights": weights, "method": method}
        ends = [bootstrap_intervals(values[:, start:start + _SERIES], **draw,  # type: ignore[arg-type]
                                    limits=None if limits is None else limits[start:start + _SERIES])
                for start in range(0, values.shape[1], _SERIES)]
        return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])
    defined = ~np.isnan(values)
    n = defined.sum(axis=0)
    mean = column_sums(np.where(defined, values, 0.0)) / np.maximum(n, 1)
    deviations = np.where(defined, values - mean, 0.0)
    scale = np.abs(deviations).max(axis=0, initial=0.0)
    deviations /= np.where(scale > 0, scale, 1.0)
    lowest = np.where(defined, values, np.inf).min(axis=0, initial=np.inf)
    highest = np.where(defined, values, -np.inf).max(axis=0, initial=-np.inf)
    low, high = np.zeros((2, len(n)))
    if (drawn := (n >= 2) & (scale > 0)).any():  # the others have no interval, or one without width
        deviations, defined, size = deviations[:, drawn], defined[:, drawn], n[drawn]
        draws, spreads = _resampled_means(deviations, defined, method == "t", resamples, seed, weights)
        if method == "t":
            low[drawn], high[drawn] = _studentized_interval(draws, spreads, deviations, size, level)
        else:
            low[drawn], high[drawn] = _quantiles(draws, *_TAILS[method](deviations, size, draws, level))
    has_interval = (n >= 2) & ((scale == 0) | _are_enough(resamples, level))
    low, high = (np.clip(mean + scale * end, lowest, highest) for end in (low, high))
    if limits is not None:
        _add_unseen(low, high, n, np.flatnonzero((n >= 2) & (lowest == highest)), limits, level)
    return np.where(has_interval, low, np.nan), np.where(has_interval, high, np.nan)


def _add_unseen(low: np.ndarray, high: np.ndarray, n: np.ndarray, same: np.ndarray, limits: np.ndarray,
                level: float) -> None:
    """Widen the intervals of the columns without spread for queries that may have another value."""
    least, most = np.where(np.isfinite(limits[same]), limits[same], low[same, None]).T
    share = unseen_share(n[same], 1 - level)
    low[same] -= share * (low[same] - least)
    high[same] += share * (most - high[same])


def _are_enough(resamples: int, level: float) -> bool:
    """Whether a draw is expected beyond each end of an interval; with fewer it need not even hold its mean."""
    return resamples * (1 - level) > 2 - 1e-6


def _resampled_means(deviations: np.ndarray, defined: np.ndarray, studentized: bool, resamples: int, seed: int,
               weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Resampled mean of each column's deviations and, where asked, its standard error: (S, B) float32 each.

    apart (Q, S) in [-1, 1], 0 where undefined. NaN where a resample holds no defined value; error 0 where it holds one
    alone.
    """
    series = deviations.shape[1]
    masks, column = _distinct_columns(defined)
    columns = [deviations, deviations**2, masks] if studentized else [deviations, masks]
    sums = resampled_sums(np.concatenate(columns, axis=1), resamples=resamples, seed=seed, weights=weights)
    means = np.empty((series, resamples), np.float32)
    errors = np.empty_like(means) if studentized else None
    counts = np.ascontiguousarray(sums[:, sums.shape[1] - masks.shape[1]:].T)

    def average_column(i: int) -> None:
        count = counts[column[i]]
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(sums[:, i], count, out=means[i])
            if errors is not None:
                second = sums[:, series + i] / count
                variance = second - means[i]**2
                variance[variance < _SPREADLESS * second] = 0
                errors[i] = np.sqrt(variance / np.maximum(count - 1, 1))

    on_all_cores(average_column, range(series))
    return means, errors


def _percentile_tails(
    deviations: np.ndarray, n: np.ndarray, draws: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """The shares of resampled means below and up to the ends: (S,) each, the same for all."""
    tail = np.full(len(n), (1 - level) / 2)
    return tail, 1 - tail


def _expanded_tails(
    deviations: np.ndarray, n: np.ndarray, draws: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Hesterberg's tails: those at which a normal interval with the plug-in sd would be the t interval."""
    from scipy.special import ndtr, stdtrit

    n = np.maximum(n, 2)
    tail = ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 - level) / 2))
    return tail, 1 - tail


def _bca_tails(
    deviations: np.ndarray, n: np.ndarray, draws: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """BCa's tails: bias from the share of resampled means below the mean, acceleration from the jackknife."""
    from scipy.special import ndtr, ndtri

    share_below = np.empty(len(n))

    def count_below(i: int) -> None:
        lower, higher = np.count_nonzero(draws[i] < -_CLOSE), np.count_nonzero(draws[i] > _CLOSE)
        share_below[i] = (
            1 + (lower - higher) / max(lower + higher + np.count_nonzero(np.abs(draws[i]) <= _CLOSE), 1)
        ) / 2

    on_all_cores(count_below, range(len(n)))
    second, third = column_sums(deviations**2), column_sums(deviations**3)
    acceleration = np.divide(third, 6 * second**1.5, out=np.zeros(len(n)), where=second > 0)
    bias = ndtri(np.clip(share_below, 1e-6, 1 - 1e-6))
    ends = [bias + ndtri(tail) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (ndtr(bias + end / (1 - acceleration * end)) for end in ends)
    return low, high


_TAILS = {"percentile": _percentile_tails, "expanded": _expanded_tails, "bca": _bca_tails}


def _studentized_interval(draws: np.ndarray, errors: np.ndarray, deviations: np.ndarray, n: np.ndarray,
                 level: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends, as deviations from the mean, by quantiles of t = (resampled mean - mean) / resampled error.

    A resample without spread counts with the smallest error any resample of the column has. Where more resamples are
    without than a tail holds (most values are alike), an end is never nearer than that of "expanded".
    """
    error = np.sqrt(column_sums(deviations**2) / np.maximum(n - 1, 1) / np.maximum(n, 1))
    ratios, without_spread = np.empty_like(draws), np.zeros(len(n))

    def standardize_row(i: int) -> None:
        smallest = errors[i].min(where=errors[i] > 0, initial=np.inf)
        np.divide(draws[i], np.maximum(errors[i], smallest), out=ratios[i])
        without_spread[i] = np.mean(errors[i] == 0)

    on_all_cores(standardize_row, range(len(draws)))
    last, first = _quantiles(ratios, *_percentile_tails(deviations, n, draws, level))
    low, high = -first * error, -last * error
    degenerate = without_spread > (1 - level) / 2
    if degenerate.any():
        tails = _expanded_tails(deviations, n, draws, level)
        lowest, highest = _quantiles(draws[degenerate], *(tail[degenerate] for tail in tails))
        low[degenerate] = np.minimum(low[degenerate], lowest)
        high[degenerate] = np.maximum(high[degenerate], highest)
    return low, high


def column_sums(table: np.ndarray) -> np.ndarray:
    """Sum of each column (S,), the same to the last bit whatever the other columns are, unlike numpy's sum."""
    return np.ascontiguousarray(table.T).sum(axis=1)


def _distinct_columns(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the distinct columns of a table of flags, which of them each column is): (Q, D) and (S,)."""
    index_of: dict[bytes, int] = {}
    packed = np.ascontiguousarray(np.packbits(flags, axis=0).T)
    group = np.array([index_of.setdefault(column.tobytes(), len(index_of)) for column in packed], np.int64)
    first = np.unique(group, return_index=True)[1]
    return flags[:, first], group


def bootstrap_ratios(constant: float, terms, *, level: float = LEVEL, resamples: int = RESAMPLES,
                     seed: int = SEED, weights: np.ndarray | None = None) -> tuple[float, float]:
    """Expanded percentile interval of constant + sum of coefficient * sum(numerator) / sum(denominator).

    terms: (coefficient, numerator (Q,), denominator (Q,)) each, all resampled together; n of the t distribution is the
    number of queries with a denominator. weights: see resampled_sums. NaN where a denominator is 0 throughout, and for
    fewer resamples than 2 / (1 - level).
    """
    columns = np.stack([column for _, numerator, denominator in terms for column in (numerator, denominator)], axis=1)
    sums = resampled_sums(columns, resamples=resamples, seed=seed, weights=weights, kind=np.float64)
    total = np.full(resamples, constant)
    for i, (coefficient, _, _) in enumerate(terms):
        top, bottom = sums[:, 2 * i], sums[:, 2 * i + 1]
        total += coefficient * np.divide(top, bottom, out=np.full(resamples, np.nan), where=bottom > 0)
    n = np.count_nonzero((columns[:, 1::2] > 0).any(axis=1), keepdims=True)
    if n < 2 or not _are_enough(resamples, level):
        return np.nan, np.nan
    low, high = _quantiles(total[None, :], *_expanded_tails(columns, n, total[None, :], level))
    return float(low[0]), float(high[0])


def resampled_sums(columns: np.ndarray, *, resamples: int = RESAMPLES, seed: int = SEED,
                   weights: np.ndarray | None = None, kind: type[np.floating] = np.float32) -> np.ndarray:
    """Column sums of B resamples of the rows: (B, S) of this kind. Depends on the seed, Q and B alone, not the machine.

    A resample is a vector of multinomial weights over the queries, so a batch of them is one matrix product. It is one
    of whole numbers below 2**53: sums are exact, in whatever order the machine adds, and for each column as if alone.
    weights: what resample_weights gave for this Q, seed and at least B resamples, to be drawn once and used often.
    """
    n = len(columns)
    sums = np.zeros((resamples, columns.shape[1]), kind)
    if n == 0:
        return sums
    unit = _unit(columns)
    table = np.rint(columns / unit)

    def batch(start: int) -> None:
        stop = min(start + _batch_size(n), resamples)
        batch_weights = _draw_weights(n, start, stop, seed) if weights is None else weights[start:stop]
        sums[start:stop] = batch_weights.astype(np.float64) @ table * unit

    on_all_cores(batch, range(0, resamples, _batch_size(n)))
    return sums


def _unit(columns: np.ndarray) -> np.ndarray:
    """The power of 2 of each column of which n times its largest value is fewer than 2**53: (S,)."""
    _, exponents = np.frexp(np.abs(columns).max(axis=0))
    return np.ldexp(1.0, np.maximum(exponents + len(columns).bit_length() - 53, -1022))


def resample_weights(n: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> np.ndarray:
    """Return how often each of n queries is in each resample: (B, n) uint8. The first rows are those of a smaller B."""
    weights = np.empty((resamples, n), np.uint8)

    def batch(start: int) -> None:
        stop = min(start + _batch_size(n), resamples)
        weights[start:stop] = _draw_weights(n, start, stop, seed)

    on_all_cores(batch, range(0, resamples, _batch_size(n)) if n else ())
    weights.setflags(write=False)
    return weights


def _batch_size(n: int) -> int:
    """Resamples drawn together; part of what the seed means."""
    return max(1, _CELLS // n)


def _draw_weights(n: int, start: int, stop: int, seed: int) -> np.ndarray:
    """Weights of the resamples start to stop, which begin a batch: (stop - start, n) uint8."""
    rng = np.random.default_rng((seed, start // _batch_size(n)))
    picked = rng.integers(0, n, (stop - start, n), dtype=np.int32)
    picked += (np.arange(stop - start, dtype=np.int32) * n)[:, None]
    weights = np.zeros(picked.size, np.uint8)  # a query is drawn once on average, never 256 times
    np.add.at(weights, picked.ravel(), np.uint8(1))  # bincount would count in 8 bytes: 2.5 times as long
    return weights.reshape(picked.shape)


def median_interval(values: np.ndarray, *, level: float = LEVEL) -> tuple[float, float]:
    """Distribution-free interval of the median between two order statistics (binomial); NaN below six values.

    values (n,) without NaN. Covers at least `level`. Source: Conover 1999, section 3.2.

    Examples
    --------
    >>> median_interval(np.arange(10.0))
    (1.0, 8.0)
    """
    n = len(values)
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    cumulative = np.cumsum(np.exp(factorial[n] - factorial - factorial[::-1] - n * np.log(2.0)))
    rank = int(np.searchsorted(cumulative, (1 - level) / 2, "right"))
    if rank < 1:
        return np.nan, np.nan
    ascending = np.sort(values)
    return float(ascending[rank - 1]), float(ascending[n - rank])


def _quantiles(draws: np.ndarray, *shares: np.ndarray) -> tuple[np.ndarray, ...]:
    """Quantiles of each row (S, B), NaN left out, at shares (S,) of its own; linear between two draws; (S,) each."""
    ends = np.full((len(shares), len(draws)), np.nan)

    def fill_row(i: int) -> None:
        row = np.sort(draws[i])
        n_defined = int(np.searchsorted(row, np.nan))  # NaN sort last
        for end, share in zip(ends, shares, strict=True):
            if n_defined and not np.isnan(share[i]):
                position = share[i] * (n_defined - 1)
                index = int(position)
                left, right = float(row[index]), float(row[min(index + 1, n_defined - 1)])
                end[i] = left + (position - index) * (right - left)

    on_all_cores(fill_row, range(len(draws)))
    return tuple(ends)
