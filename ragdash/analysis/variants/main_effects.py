"""Which setting matters: the effect of each value of each setting on a metric, over the variants of a configuration.

Letters: R runs, Q queries, L values of a setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ragdash.analysis.variants.design import NOT_SET, Design, Factor, design_of
from ragdash.core.errors import InputError, Problem, represent
from ragdash.core.records.arguments import check_whole, checked
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import other_judges
from ragdash.evaluation.stats import ALPHA, SEED
from ragdash.evaluation.stats.simultaneous import test_pairs
from ragdash.metrics import Spec

FEWEST_RUNS = 4
FLIPS = 10_000  # of the randomization test
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SettingEffect:
    """The effect of one setting, or of several that always change together.

    Attributes
    ----------
    title, levels
        Its name, and its values: numbers by size, then words. Numbers with many values are in groups.
    runs, raw
        (L,) runs of each value, and the mean of their means.
    effect, low, high, p
        (L,) how much better or worse a value is than the average over the values of the setting, in the metric's own
        sign, with the other settings as they are on average; interval and p are corrected over all values of all
        settings. NaN where it cannot be separated from other settings.
    share
        Share of the variance between the means of the runs that this setting alone explains; NaN where undefined.
    inseparable
        The settings that it cannot be separated from; empty where it can.
    together
        The names of the settings that always change together; empty for one.
    """

    title: str
    levels: tuple[str, ...]
    runs: np.ndarray
    raw: np.ndarray
    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    share: float
    inseparable: tuple[str, ...] = ()
    together: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """From the worst to the best value; NaN where undefined."""
        return float(self.effect.max() - self.effect.min()) if len(self.effect) else np.nan

    def is_significant(self, alpha: float = ALPHA) -> bool:
        """Whether some value differs significantly from the average."""
        return bool((self.p < alpha).any())


@dataclass(frozen=True, eq=False)
class MainEffects:
    """What `main_effects` found.

    Attributes
    ----------
    spec, n
        The metric, and the queries on which every run has a value.
    settings
        The effects, the largest share first; without shares, the largest spread first.
    left_out
        {setting: why}: "constant", "other-in-every-run" or "many-values".
    balanced
        Whether each value of a setting has the same share of each value of every other setting.
    combinations, possible
        Combinations of values that some run has, and those that there are.
    explained
        Share of the variance between the means of the runs that all settings together explain without interactions;
        NaN where there are as many values as runs.
    """

    spec: Spec
    n: int
    settings: tuple[SettingEffect, ...]
    left_out: Mapping[str, str]
    balanced: bool
    combinations: int
    possible: int
    explained: float


@checked
def main_effects(evaluations: Sequence[Evaluation], settings: Sequence[Mapping[str, str]], spec: Spec, *,
                 alpha: float = ALPHA, permutations: int = FLIPS, seed: int = SEED) -> MainEffects:
    """Estimate how much each value of each setting changes a metric.

    A linear model without interactions is fitted to each query; the mean over queries of a coefficient is tested with
    the single-step max-t method over sign flips of queries, over all values of all settings.

    Parameters
    ----------
    evaluations
        Of the same queries.
    settings
        Of each run, {name: value as text}. A setting that a run lacks has the value "not set" there.
    spec
        A metric whose mean over queries is meaningful.
    alpha, permutations, seed
        Of the intervals and tests.

    Examples
    --------
    >>> from ragdash import Run, Truth, evaluate, parse_specs
    >>> truth = Truth.from_dict({f"q{i}": ["a"] for i in range(8)})
    >>> good, poor = ({f"q{i}": documents for i in range(8)} for documents in (["a", "b"], ["b", "a"]))
    >>> runs = [evaluate(run, truth, "RR") for run in (good, good, poor, poor)]
    >>> settings = [{"k": k, "model": model} for model in ("large", "small") for k in ("5", "10")]
    >>> effects = main_effects(runs, settings, parse_specs("RR")[0])
    >>> [(setting.title, setting.levels, setting.effect.tolist()) for setting in effects.settings]
    [('model', ('large', 'small'), [0.25, -0.25]), ('k', ('5', '10'), [0.0, 0.0])]
    >>> effects.balanced, effects.settings[0].share
    (True, 1.0)
    """
    check_whole(0, seed=seed)
    check_whole(1, permutations=permutations)
    if not 0 < alpha < 1:
        raise InputError([Problem("interval-setting/alpha", {"value": represent(alpha)}, field="alpha")])
    if len(settings) != len(evaluations):
        raise InputError([Problem("variants/settings-count", {"count": len(settings), "runs": len(evaluations)},
                                  field="settings")])
    design = design_of(settings)
    values = np.stack([evaluation.column(spec) for evaluation in evaluations], axis=1)  # (Q, R)
    values = values[~np.isnan(values).any(axis=1) & (not other_judges(evaluations, spec))]
    matrix = design.matrix()
    weights = [_level_weights(design, index, matrix) for index in range(len(design.factors))]
    separable = [weight is not None for weight in weights]
    stacked = [weight for weight in weights if weight is not None]
    tests = _tests(values, np.concatenate(stacked), alpha, permutations, seed) if stacked else np.empty((4, 0))
    means = values.mean(axis=0) if len(values) else np.full(len(evaluations), np.nan)
    ends = np.cumsum([len(weight) if weight is not None else 0 for weight in weights])
    rows = []
    for index, factor in enumerate(design.factors):
        count = len(factor.levels)
        tested = tests[:, ends[index] - count:ends[index]] if separable[index] else np.full((4, count), np.nan)
        rows.append(_effect(design, factor, tested, means, matrix, () if separable[index] else design.tied_to(index)))
    rows.sort(key=lambda row: (-np.nan_to_num(row.share, nan=-1.0), -np.nan_to_num(row.spread, nan=-1.0)))
    combined = Counter(map(tuple, np.array([factor.codes for factor in design.factors]).T.tolist()))
    possible = int(np.prod([len(factor.levels) for factor in design.factors])) if design.factors else 0
    return MainEffects(spec, len(values), tuple(rows), design.left_out, _is_balanced(design), len(combined), possible,
                       _explained(matrix, means) if matrix.shape[1] < len(means) else np.nan)


def _level_weights(design: Design, index: int, matrix: np.ndarray) -> np.ndarray | None:
    """(L, R): the effect of each value as a weighted sum of runs; None where other settings cannot be separated."""
    columns = design.columns(index)
    others = np.delete(matrix, columns, axis=1)
    if np.linalg.matrix_rank(matrix) - np.linalg.matrix_rank(others) < len(columns):
        return None
    coefficients = np.linalg.pinv(matrix)[columns]  # of all values but the first, whose coefficient is 0
    by_level = np.vstack([np.zeros(matrix.shape[0]), coefficients])
    return by_level - by_level.mean(axis=0)


def _tests(values: np.ndarray, weights: np.ndarray, alpha: float, permutations: int, seed: int) -> np.ndarray:
    """(4, S): effect, low, high and corrected p of each weighted sum of runs."""
    effects = values @ weights.T
    if len(values) < 2:
        return np.vstack([effects.mean(axis=0) if len(values) else np.full(len(weights), np.nan),
                          np.full((3, len(weights)), np.nan)])
    columns = np.column_stack([effects, np.zeros(len(effects))])
    tests = test_pairs(columns, [(index, len(weights)) for index in range(len(weights))], alpha=alpha,
                       permutations=permutations, seed=seed)
    return np.vstack([tests.mean, tests.low, tests.high, tests.p])


def _effect(design: Design, factor: Factor, tested: np.ndarray, means: np.ndarray, matrix: np.ndarray,
            tied: tuple[str, ...]) -> SettingEffect:
    runs = np.bincount(factor.codes, minlength=len(factor.levels))
    raw = np.array([means[factor.codes == level].mean() for level in range(len(factor.levels))])
    share = np.nan
    if not tied and matrix.shape[1] <= len(means):
        others = np.delete(matrix, design.columns(design.factors.index(factor)), axis=1)
        share = _explained(matrix, means) - _explained(others, means)
    return SettingEffect(factor.title, factor.levels, runs, raw, *tested, max(share, 0.0), tied,
                         factor.names if len(factor.names) > 1 else ())


def _explained(matrix: np.ndarray, means: np.ndarray) -> float:
    """Share of the variance of the means that a linear model with these columns explains; NaN without variance."""
    total = float(((means - means.mean()) ** 2).sum())
    if not total > _ROUNDING * max(float((means ** 2).sum()), _ROUNDING):
        return np.nan
    fitted = matrix @ (np.linalg.pinv(matrix) @ means)
    return round(1.0 - float(((means - fitted) ** 2).sum()) / total, 12)


def _is_balanced(design: Design) -> bool:
    """Whether counts of each two settings are those of independent ones, so that no effect leaks into another."""
    for first, second in combinations(design.factors, 2):
        table = np.zeros((len(first.levels), len(second.levels)))
        np.add.at(table, (first.codes, second.codes), 1)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        if not np.allclose(table, expected):
            return False
    return True


__all__ = ["FEWEST_RUNS", "NOT_SET", "MainEffects", "SettingEffect", "main_effects"]
