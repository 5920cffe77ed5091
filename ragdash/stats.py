"""Intervals of means over queries: vectorised, seeded, the same resamples for everything that is compared.

Letters: Q queries, S series (columns), B resamples, T terms.
"""

from __future__ import annotations

import numpy as np

from ragdash.columns import on_all_cores

LEVEL, RESAMPLES, SEED = 0.95, 10_000, 0
_CELLS = 1 << 20  # weights drawn together


def bootstrap_intervals(values: np.ndarray, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED,
                        weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Percentile bootstrap interval of each column's mean over its defined (not NaN) values: (low (S,), high (S,)).

    values (Q, S). Queries are resampled with replacement, the same draw for all columns, so that intervals of
    differences are paired; a column's undefined queries drop out of its resamples. NaN where fewer than two are
    defined. weights: see resampled_sums. Source: Efron & Tibshirani 1993, chapter 13; scipy.stats.bootstrap with
    method="percentile".
    """
    values = np.asarray(values, np.float64)
    defined = ~np.isnan(values)
    masks, column = _distinct_columns(defined)
    both = np.concatenate([np.where(defined, values, 0.0), masks], axis=1)
    sums = resampled_sums(both, resamples=resamples, seed=seed, weights=weights)
    counts = sums[:, values.shape[1]:][:, column]
    means = np.full(counts.shape, np.nan, np.float32)
    np.divide(sums[:, :values.shape[1]], counts, out=means, where=counts > 0)
    return _quantiles(means, level, defined.sum(axis=0) >= 2)


def _distinct_columns(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the distinct columns of a table of flags, which of them each column is): (Q, D) and (S,)."""
    seen: dict[bytes, int] = {}
    packed = np.ascontiguousarray(np.packbits(flags, axis=0).T)
    which = np.array([seen.setdefault(column.tobytes(), len(seen)) for column in packed], np.int64)
    first = np.unique(which, return_index=True)[1]
    return flags[:, first], which


def bootstrap_ratios(constant: float, terms, *, level: float = LEVEL, resamples: int = RESAMPLES,
                     seed: int = SEED, weights: np.ndarray | None = None) -> tuple[float, float]:
    """Percentile interval of constant + sum of coefficient * sum(numerator) / sum(denominator).

    terms: (coefficient, numerator (Q,), denominator (Q,)) each, all resampled together.
    weights: see resampled_sums. NaN where a denominator is 0 throughout.
    """
    columns = np.stack([column for _, numerator, denominator in terms for column in (numerator, denominator)], axis=1)
    sums = resampled_sums(columns, resamples=resamples, seed=seed, weights=weights).astype(np.float64)
    total = np.full(resamples, constant)
    for i, (coefficient, _, _) in enumerate(terms):
        top, bottom = sums[:, 2 * i], sums[:, 2 * i + 1]
        total += coefficient * np.divide(top, bottom, out=np.full(resamples, np.nan), where=bottom > 0)
    low, high = _quantiles(total[:, None], level, np.array([len(columns) >= 2]))
    return float(low[0]), float(high[0])


def resampled_sums(columns: np.ndarray, *, resamples: int = RESAMPLES, seed: int = SEED,
                   weights: np.ndarray | None = None) -> np.ndarray:
    """Column sums of B resamples of the rows: (B, S) float32. Depends on the seed, Q and B alone, not on the machine.

    A resample is a vector of multinomial weights over the queries, so a batch of them is one matrix product.
    weights: what resample_weights gave for this Q, seed and at least B resamples, to be drawn once and used often.
    """
    n = len(columns)
    out = np.zeros((resamples, columns.shape[1]), np.float32)
    if n == 0:
        return out
    table = np.ascontiguousarray(columns, np.float32)

    def batch(start: int) -> None:
        stop = min(start + _batch(n), resamples)
        drawn = _drawn(n, start, stop, seed) if weights is None else weights[start:stop]
        np.matmul(drawn.astype(np.float32), table, out=out[start:stop])

    on_all_cores(batch, range(0, resamples, _batch(n)))
    return out


def resample_weights(n: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> np.ndarray:
    """How often each of n queries stands in each resample: (B, n) uint8. The first rows are those of a smaller B."""
    weights = np.empty((resamples, n), np.uint8)

    def batch(start: int) -> None:
        stop = min(start + _batch(n), resamples)
        weights[start:stop] = _drawn(n, start, stop, seed)

    on_all_cores(batch, range(0, resamples, _batch(n)) if n else ())
    weights.setflags(write=False)
    return weights


def _batch(n: int) -> int:
    """Resamples drawn together; part of what the seed means."""
    return max(1, _CELLS // n)


def _drawn(n: int, start: int, stop: int, seed: int) -> np.ndarray:
    """Weights of the resamples start to stop, which begin a batch: (stop - start, n) integers."""
    rng = np.random.default_rng((seed, start // _batch(n)))
    picked = rng.integers(0, n, (stop - start, n), dtype=np.int32)
    picked += (np.arange(stop - start, dtype=np.int32) * n)[:, None]
    return np.bincount(picked.ravel(), minlength=picked.size).reshape(picked.shape)


def median_interval(values: np.ndarray, *, level: float = LEVEL) -> tuple[float, float]:
    """Distribution-free interval of the median between two order statistics (binomial); NaN below six values.

    values (n,) without NaN. Covers at least `level`. Source: Conover 1999, section 3.2.
    """
    n = len(values)
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    below = np.cumsum(np.exp(factorial[n] - factorial - factorial[::-1] - n * np.log(2.0)))
    rank = int(np.searchsorted(below, (1 - level) / 2, "right"))
    if rank < 1:
        return np.nan, np.nan
    ascending = np.sort(values)
    return float(ascending[rank - 1]), float(ascending[n - rank])


def _quantiles(draws: np.ndarray, level: float, enough: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper quantile of each column, NaN where the column has not enough values."""
    tail = (1 - level) / 2
    undefined = np.isnan(draws)
    enough = enough & ~undefined.all(axis=0)
    quantile = np.nanquantile if undefined.any() else np.quantile
    low, high = np.full((2, draws.shape[1]), np.nan)
    if enough.any():
        low[enough], high[enough] = quantile(draws[:, enough], [tail, 1 - tail], axis=0)
    return low, high
