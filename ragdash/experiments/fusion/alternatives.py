"""What else to weigh before a hybrid is built: its worth by other metrics, a cascade in its place, any other mix.

Letters: Q queries, S settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.compare import test_family
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.outcomes import Comparison, ComparisonRules, direction
from ragdash.evaluation.stats import SEED
from ragdash.experiments.fusion.ceiling import Ceiling, Changes, ceiling_means, changes
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import (
    Choice,
    allow_for_choice,
    best_single,
    evaluation_of,
    single_evaluations,
)
from ragdash.experiments.fusion.tuning.held_out import HeldOut, first_best, held_out
from ragdash.matching.match import Match
from ragdash.metrics import Spec

DEPTHS = (5, 10, 20, 50, 100, 200)  # of cascades that are tried
CASCADE = "cascade (held out)"
CUTOFF = 10  # of what changes, where the metric has none


@dataclass(frozen=True, eq=False)
class OtherMetric:
    """The chosen hybrid by a metric that had no part in the choice.

    value, gain: of the settings that the choosing metric picks, on held-out queries: their value, and how much it
    exceeds that of the best single run (`best_run` of the choice); single: the mean of that run. best, best_mean: the
    setting that this metric itself would pick on all queries, and its mean there, which is too good; same: whether
    it is the chosen one.
    """

    spec: Spec
    value: HeldOut
    gain: HeldOut
    single: float
    best: Recipe
    best_mean: float
    same: bool


def other_metrics(pool: JudgedPool, choice: Choice, specs: Sequence[Spec], *, seed: int = SEED,
                  queries: np.ndarray | None = None) -> tuple[OtherMetric, ...]:
    """The hybrid that one metric chose, by other metrics: the choosing metric is named beforehand and stays.

    Parameters
    ----------
    pool, choice
        The runs, and what `choose` gave for them.
    specs
        Metrics of rankings with a better direction; the choosing one is passed over.
    queries : (Q,) bool
        Those that count; None: all.

    Raises
    ------
    InputError
        A metric does not read rankings, or has no better direction.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> from ragdash.experiments.fusion.tuning.choice import choose
    >>> from ragdash.experiments.fusion.judged_pool import judged_pool
    >>> runs = [Run.build(name, [q for q in "1234" for _ in "ab"], docs * 4)
    ...         for name, docs in (("bm25", ["a", "b"]), ("dense", ["b", "c"]))]
    >>> pool = judged_pool(runs, Truth.build("qrels", list("1234"), ["b"] * 4, [1] * 4))
    >>> [row] = other_metrics(pool, choose(runs, pool.truth, parse_specs("RR")[0], pool=pool), parse_specs("P@1"))
    >>> row.value.value, row.single, row.same
    (1.0, 1.0, True)
    """
    specs = [spec for spec in specs if spec != choice.spec]
    wrong = [spec for spec in specs if spec.metric.view != "Ranked" or spec.metric.better is None]
    if wrong:
        raise InputError([Problem("fusion-metric", {"spec": str(spec)}, field="--also") for spec in wrong])
    if not specs:
        return ()
    counted = np.ones(len(pool.truth), bool) if queries is None else queries
    values = np.where(counted, pool.values(choice.recipes, specs), np.nan)
    single = evaluate_match(Match(pool.runs[choice.best_run], pool.truth, pool.conventions), specs)
    rows, sign = [], direction(choice.spec)
    for index, spec in enumerate(specs):
        measured, base = values[:, index], np.where(counted, single.column(spec), np.nan)
        value, gain = (held_out(choice.values, baseline, sign=sign, seed=seed, measured=measured, limits=spec.range)
                       for baseline in (None, base))
        defined = ~np.isnan(measured).any(axis=0)
        means = measured[:, defined].mean(axis=1) if defined.any() else np.full(len(measured), np.nan)
        best = int(first_best(direction(spec) * means)) if defined.any() else choice.held_out.chosen
        known = base[~np.isnan(base)]
        rows.append(OtherMetric(spec, value, gain, float(known.mean()) if len(known) else np.nan,
                                choice.recipes[best], float(means[best]), best == choice.held_out.chosen))
    return tuple(rows)


@dataclass(frozen=True, eq=False)
class CascadeChoice:
    """The best cascade, held out, against the tuned hybrid, held out. recipe: chosen on all queries."""

    recipe: Recipe
    held_out: HeldOut
    against_tuned: Comparison


def cascade_choice(pool: JudgedPool, choice: Choice, *, seed: int = SEED,
                   queries: np.ndarray | None = None) -> CascadeChoice | None:
    """Would it be better to re-rank the first run by the second than to fuse them? None unless there are two runs.

    The depth of the cascade is chosen on other queries than those that measure it, as the hybrid is.
    """
    if len(pool.runs) != 2 or choice.decision == "unknown":
        return None
    deepest = max(run.depth for run in pool.runs)
    depths = [depth for depth in DEPTHS if depth < deepest] or [max(deepest, 1)]
    recipes = [make_recipe(pool.runs, "cascade", choice.window, params={"depth": depth}) for depth in depths]
    values = pool.values(recipes, [choice.spec])[:, 0]
    if queries is not None:
        values = np.where(queries, values, np.nan)
    sign = direction(choice.spec)
    result = held_out(values, sign=sign, seed=seed, limits=choice.spec.range)
    gain = held_out(values, choice.held_out.per_query, sign=sign, seed=seed, limits=choice.spec.range)
    tuned = choice.evaluations[-1]
    rows = test_family([tuned, evaluation_of(tuned, CASCADE, result.per_query)], choice.spec,
                       ComparisonRules(seed=seed))
    [comparison] = rows.compare([(1, 0)])
    return CascadeChoice(recipes[result.chosen], result, allow_for_choice(comparison, gain))


@dataclass(frozen=True, eq=False)
class Mix:
    """A fusion that is named, not tuned: its mean, its outcome against the best single run, the ceiling, what changes.
    """

    spec: Spec
    mean: float
    comparison: Comparison
    ceiling: Ceiling
    changes: Changes


def mix_of(pool: JudgedPool, spec: Spec, recipe: Recipe) -> Mix:
    """What this recipe would be worth, and what it changes against the best single run.

    Raises
    ------
    InputError
        The metric does not read rankings, or has no better direction.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> from ragdash.experiments.fusion.judged_pool import judged_pool
    >>> runs = [Run.build(name, ["q", "q"], docs) for name, docs in (("bm25", ["a", "b"]), ("dense", ["b", "a"]))]
    >>> truth = Truth.build("qrels", ["q"], ["a"], [1])
    >>> mix = mix_of(judged_pool(runs, truth), parse_specs("RR")[0], make_recipe(runs, params={"weights": (0, 1)}))
    >>> mix.mean, mix.ceiling.value, mix.changes.first, mix.changes.top, mix.changes.lost
    (0.5, 1.0, ('q',), (), ('q',))
    """
    singles = single_evaluations(pool, spec)
    best = best_single(np.stack([row.column(spec) for row in singles]), spec)
    values = pool.values([recipe], [spec])[0, 0]
    single = singles[best].column(spec)
    mean = float(np.nanmean(values)) if (~np.isnan(values)).any() else np.nan
    return Mix(spec, mean, against_best(singles, best, values, spec, ComparisonRules()),
               ceiling_means(pool, spec, single, None, recipe),
               changes(pool, recipe, best, direction(spec) * (values - single), spec.k or CUTOFF))


def against_best(singles: Sequence[Evaluation], best: int, values: np.ndarray, spec: Spec,
                 rules: ComparisonRules) -> Comparison:
    """The outcome of a mix with these values (Q,) against the best run; the family: all pairs of the runs and the mix.
    """
    rows = [*singles, evaluation_of(singles[0], "mix", values)]
    return test_family(rows, spec, rules).compare([(len(singles), best)])[0]
