"""The value of a choice among settings on queries that had no part in it, with an interval that covers the choice.

Letters: Q queries, S settings, F folds, B resamples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats import LEVEL, SEED

FOLDS, REPEATS, RESAMPLES = 5, 20, 400
_EQUAL = 1e-12  # means closer than this are a tie, which the earlier setting wins
_CELLS = 1 << 24  # weights drawn together


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What choosing the best of S settings is worth.

    Attributes
    ----------
    chosen
        The setting with the best mean of all queries: what one would build.
    in_sample, value
        Its mean on the queries that chose it; the mean of choices on queries that had no part in them.
    error
        Standard error of `value` as an estimate of what the chosen setting has on new queries.
    per_query : (Q,)
        The value of each query under the settings that other queries chose, averaged over the repeats; NaN where
        undefined.
    worse
        Share of the test folds where the choice has a lower mean than the first setting, the default.
    picks : (S,)
        Share of the training sets that chose each setting.
    n
        Queries with a value.
    limits
        What the value can be at least and at most.
    """

    chosen: int
    in_sample: float
    value: float
    error: float
    per_query: np.ndarray
    worse: float
    picks: np.ndarray
    n: int
    limits: tuple[float, float] = (-np.inf, np.inf)

    @property
    def optimism(self) -> float:
        """How much the best mean on the choosing queries exceeds the held-out one."""
        return self.in_sample - self.value

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """The interval of the held-out value, within its limits; NaN with fewer than two queries."""
        from scipy.special import stdtrit  # scipy.stats has the same numbers and takes far longer to import

        if self.n < 2:
            return np.nan, np.nan
        half = float(stdtrit(self.n - 1, (1 + level) / 2)) * self.error
        return max(self.value - half, self.limits[0]), min(self.value + half, self.limits[1])


def held_out(values: np.ndarray, baseline: np.ndarray | None = None, *, sign: int = 1, folds: int = FOLDS,
             repeats: int = REPEATS, resamples: int = RESAMPLES, seed: int = SEED,
             measured: np.ndarray | None = None, limits: tuple[float, float] = (-np.inf, np.inf)) -> HeldOut:
    """Choose the best of the settings on some queries and read its value on the others, over and over.

    Parameters
    ----------
    values : (S, Q)
        The value of each setting for each query, the default first and simpler ones before others: ties go to the
        earlier one. Queries that are undefined for a setting are left out.
    baseline : (Q,)
        Values to subtract, so that the interval is that of a difference; the choice does not look at them.
    sign
        1 where a higher value is better, -1 where a lower one is.
    measured : (S, Q)
        By another metric: `values` choose, and the result is what the choices are worth by this one; None: `values`.
    limits
        The range of the metric that the result is of; a difference has the range of differences.

    Notes
    -----
    The queries of one training set choose for those of its test fold; `repeats` random divisions are averaged. The
    training sets overlap, so the spread of the held-out values alone is too small an error. The bootstrap repeats the
    whole choice on resampled queries, where the means of all queries play the truth, and measures how far the held-out
    mean is from what the setting chosen there is worth. The larger of both errors counts (benchmarks/fusion.py).

    Examples
    --------
    >>> values = np.array([[0.2, 0.4, 0.6, 0.8, 0.3, 0.5], [0.3, 0.5, 0.7, 0.9, 0.4, 0.6]])
    >>> result = held_out(values)
    >>> result.chosen, round(result.value, 3), result.worse, abs(result.optimism) < 1e-9
    (1, 0.567, 0.0, True)
    """
    defined = _defined(values, baseline, measured)
    used = sign * values[:, defined]
    worth = used if measured is None else sign * measured[:, defined]
    n = int(defined.sum())
    folds, per_query = min(folds, n), np.full(values.shape[1], np.nan)
    if n < 2:
        return _too_few(used, sign * worth, per_query)
    rng = np.random.default_rng(seed)
    total, chosen = used.sum(axis=1), first_best(used.mean(axis=1))
    out, worse, picks = np.zeros(n), [], np.zeros(len(values))
    for _ in range(repeats):
        fold = rng.permutation(n) % folds
        member = np.eye(folds)[fold]
        sums, sizes = used @ member, member.sum(axis=0)
        choice = first_best((total[:, None] - sums) / (n - sizes))
        out += worth[choice[fold], np.arange(n)]
        worse.append(sums[choice, np.arange(folds)] / sizes < sums[0] / sizes - _EQUAL)
        picks += np.bincount(choice, minlength=len(values))
    out, shift = sign * out / repeats, 0.0 if baseline is None else baseline[defined]
    errors = _choice_errors(used, worth - sign * shift, folds, resamples, rng)
    spread = float((out - shift).std(ddof=1) / np.sqrt(n))
    per_query[defined] = out
    return HeldOut(int(chosen), float((sign * worth[chosen] - shift).mean()), float((out - shift).mean()),
                   max(spread, float(np.sqrt((errors ** 2).mean()))), per_query, float(np.mean(worse)),
                   picks / (repeats * folds), n, _limits(limits, baseline is not None))


def _defined(values: np.ndarray, baseline: np.ndarray | None, measured: np.ndarray | None) -> np.ndarray:
    """The queries with a value under all settings, and in what they are compared with or measured by: (Q,) bool."""
    defined = ~np.isnan(values).any(axis=0)
    if baseline is not None:
        defined &= ~np.isnan(baseline)
    return defined if measured is None else defined & ~np.isnan(measured).any(axis=0)


def _limits(limits: tuple[float, float], is_difference: bool) -> tuple[float, float]:
    """The range of the result: of a difference from the lowest less the highest value up."""
    return (limits[0] - limits[1], limits[1] - limits[0]) if is_difference else limits


def _too_few(used: np.ndarray, worth: np.ndarray, per_query: np.ndarray) -> HeldOut:
    """Of no query or one: a choice, but nothing held out."""
    settings, n = used.shape
    chosen = int(first_best(used.mean(axis=1))) if n else 0
    mean = float(worth[chosen].mean()) if n else np.nan
    return HeldOut(chosen, mean, np.nan, np.nan, per_query, np.nan, np.zeros(settings), n)


def first_best(means: np.ndarray) -> np.ndarray:
    """The first of the settings (rows) whose mean is the highest, but for rounding."""
    return (means >= means.max(axis=0) - _EQUAL).argmax(axis=0)


def _choice_errors(used: np.ndarray, relative: np.ndarray, folds: int, resamples: int,
                   rng: np.random.Generator) -> np.ndarray:
    """Held-out mean minus the worth of the setting chosen on all queries, in resamples of the queries: (B,).

    used (S, Q) chooses; relative (S, Q) is what is estimated. A query's copies are in one fold.
    """
    settings, n = used.shape
    worth = relative.mean(axis=1)
    errors = []
    step = max(1, _CELLS // (n * folds + settings * folds))
    stacked = np.concatenate([used, relative]).T.astype(np.float32)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=count).astype(np.float32)
        fold = rng.permutation(n) % folds
        member = np.eye(folds, dtype=np.float32)[fold].T
        sums = ((weights[:, None, :] * member).reshape(count * folds, n) @ stacked).reshape(count, folds, -1)
        sizes = (weights @ member.T)[:, :, None]
        choosing, measured = sums[:, :, :settings], sums[:, :, settings:]
        total = choosing.sum(axis=1)
        choice = ((total[:, None] - choosing) / np.maximum(n - sizes, 1)).argmax(axis=2)
        value = np.take_along_axis(measured, choice[:, :, None], axis=2)[:, :, 0].sum(axis=1) / n
        errors.append(value - worth[total.argmax(axis=1)])
    return np.concatenate(errors).astype(np.float64)
