"""Would a hybrid help, which, and how sure is that? Tuned on some queries, read on the others, against the single runs.

Letters: Q queries, S settings, P runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.compare import best_first, detectable_within, select_comparable, test_family
from ragdash.evaluation.evaluate import Evaluation, Summary, evaluate_match, summaries
from ragdash.evaluation.outcomes import Comparison, ComparisonRules, direction
from ragdash.evaluation.stats import LEVEL, SEED, queries_needed
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.judged_pool import JudgedPool, judged_pool
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.grids import settings
from ragdash.experiments.fusion.tuning.held_out import HeldOut, held_out
from ragdash.matching.match import Match
from ragdash.metrics import Spec

TUNED, DEFAULT = "tuned hybrid (held out)", "RRF, k = 60"


@dataclass(frozen=True, eq=False)
class Choice:
    """The answer to "would a hybrid help?".

    Attributes
    ----------
    spec, runs, window
        The metric that chooses, named beforehand; the names of the runs; results of each that take part.
    recipes, values : (S, Q)
        Every setting that was tried, the default first, and its value for every query.
    held_out
        What the choice is worth on queries that had no part in it.
    best_run
        Index of the single run with the best mean.
    single_values : (P, Q); evaluations
        The values of the single runs; evaluations of the runs, the default and the tuned hybrid, in this order.
    against_single, against_default, default_against_single
        Outcomes: tuned against the best run, tuned against the default, default against the best run. Those of the
        tuned hybrid have intervals that allow for the choice.
    decision : tuned, default, single or unknown
        tuned: build the chosen setting. default: RRF with k = 60 is better than every single run, and tuning is not
        shown to add to it. single: no hybrid is shown to be better than the best run. unknown: nothing can be compared.
    survives
        Share of the gain over the best run that is left on held-out queries; NaN where the choosing queries show none.
    flat
        Range of the weight of the first run, or of k, over which no setting is worse than the chosen one: (name, low,
        high); None where it cannot be said.
    unscored
        Names of the runs without scores; where there is one, methods that need scores were not tried.
    """

    spec: Spec
    runs: tuple[str, ...]
    window: int | None
    recipes: tuple[Recipe, ...]
    values: np.ndarray
    held_out: HeldOut
    best_run: int
    single_values: np.ndarray
    evaluations: tuple[Evaluation, ...]
    against_single: Comparison
    against_default: Comparison
    default_against_single: Comparison
    decision: str
    survives: float
    flat: tuple[str, float, float] | None
    unscored: tuple[str, ...] = ()

    @property
    def recipe(self) -> Recipe:
        """The chosen setting."""
        return self.recipes[self.held_out.chosen]

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """Mean and interval of each of the evaluations; the interval of the tuned hybrid allows for the choice."""
        *others, tuned = (summary for (summary,) in summaries(self.evaluations))
        low, high = self.held_out.interval()
        return (*others, replace(tuned, low=low, high=high))

    def known_outcome(self, recipe: Recipe, values: np.ndarray) -> Comparison | None:
        """The comparison with the best run that the answer has for this setting with these values (Q,); else None.

        That of the chosen setting is held out, whatever its values on the queries that chose it.
        """
        if recipe == self.recipe:
            return self.against_single
        return self.default_against_single if np.array_equal(values, self.values[0], equal_nan=True) else None

    @property
    def queries_needed(self) -> float:
        """Queries that the observed difference from the best run would need at 80% power; NaN where there is none."""
        return self.against_single.queries_needed


def choose(runs: Sequence[Run], truth: Truth, spec: Spec, *, window: int | None = None, family: str = "all",
           conventions: Conventions | None = None, pool: JudgedPool | None = None, seed: int = SEED,
           queries: np.ndarray | None = None) -> Choice:
    """Tune a hybrid of these runs on some queries and measure it on the others.

    Parameters
    ----------
    runs, truth
        Two runs or more, and the relevance judgments.
    spec
        The metric that chooses: of rankings, a mean over the queries.
    window, family
        Results of each run that take part; the methods that are tried, see
        `ragdash.experiments.fusion.tuning.grids.settings`.
    pool
        What `judged_pool` gave for these runs, where it is there already.
    queries : (Q,) bool
        The queries of the truth that count; None: all.

    Raises
    ------
    InputError
        The metric does not read rankings, or has no better direction.
    """
    pool = pool or judged_pool(runs, truth, conventions)
    recipes = settings(runs, window, family)
    singles = single_evaluations(pool, spec)
    values = pool.values(recipes, [spec])[:, 0]
    if queries is not None:
        values = np.where(queries, values, np.nan)
        singles = [replace(row, values=np.where(queries[:, None], row.values, np.nan)) for row in singles]
    single_values = np.stack([evaluation.column(spec) for evaluation in singles])
    sign = direction(spec)
    best = best_single(single_values, spec)
    result = held_out(values, sign=sign, seed=seed, limits=spec.range)
    against = [held_out(values, base, sign=sign, seed=seed, limits=spec.range)
               for base in (single_values[best], values[0])]
    evaluations = (*singles, evaluation_of(singles[0], DEFAULT, values[0]),
                   evaluation_of(singles[0], TUNED, result.per_query))
    tests = test_family(evaluations, spec, ComparisonRules(seed=seed))
    default, tuned = len(runs), len(runs) + 1
    rows = tests.compare([(tuned, best), (tuned, default), (default, best)])
    tuned_rows = [allow_for_choice(row, gain) for row, gain in zip(rows[:2], against, strict=True)]
    in_sample_gain = sign * against[0].in_sample
    survives = sign * against[0].value / in_sample_gain if in_sample_gain > 1e-12 else np.nan
    return Choice(spec, tuple(run.name for run in runs), window, tuple(recipes), values, result, best, single_values,
                  evaluations, *tuned_rows, rows[2], _decision(*tuned_rows, rows[2]), survives,
                  flat_range(recipes, values, result.chosen, sign),
                  tuple(run.name for run in runs if run.scores is None))


def chosen_run(runs: Sequence[Run], choice: Choice, truth: Truth, name: str = "hybrid") -> Run:
    """The run of the chosen setting. It remembers what it was tuned on: its values there are too good, and it says so.

    settings["fusion"]["tuned_on"]: metric, digest of the judgments, number of queries, optimism.
    """
    recipe, result = choice.recipe, choice.held_out
    fused = fuse(runs, recipe.method, recipe.window, name=name, **recipe.given)
    tuned_on = {"metric": str(choice.spec), "truth": truth.judged_digest, "queries": result.n, "held_out": result.value,
                "optimism": result.optimism}
    problem = Problem("fusion-tuned", {"run": name, "metric": choice.spec.title, "count": result.n,
                                       "held_out": round(result.value, 3)}, severity="warning")
    return replace(fused, settings={"fusion": {**fused.settings["fusion"], "tuned_on": tuned_on}},
                   problems=(*fused.problems, problem))


def best_single(values: np.ndarray, spec: Spec) -> int:
    """The index of the run with the best mean: values (P, Q)."""
    means = np.array([np.nanmean(row) if (~np.isnan(row)).any() else np.nan for row in values])
    return best_first(means, spec.metric.better)[0]


def single_evaluations(pool: JudgedPool, spec: Spec) -> list[Evaluation]:
    """The evaluations of the runs; InputError for a metric that cannot choose a hybrid."""
    evaluations = [evaluate_match(Match(run, pool.truth, pool.conventions), [spec]) for run in pool.runs]
    problems = [replace(problem, severity="error") for problem in select_comparable(evaluations[0], [spec])[1]]
    if spec.metric.view != "Ranked":
        problems.append(Problem("fusion-metric", {"spec": str(spec)}, field="--tune"))
    if problems:
        raise InputError(problems)
    return evaluations


def evaluation_of(like: Evaluation, name: str, values: np.ndarray) -> Evaluation:
    """An evaluation with these values (Q,) in place of its own, for comparisons with it."""
    return replace(like, name=name, digest=f"{like.digest}:{name}", values=values[:, None], problems=())


def allow_for_choice(row: Comparison, gain: HeldOut) -> Comparison:
    """The outcome with the interval of the choice where that is wider: held-out values share their training sets.

    The detectable difference and the queries needed allow for the choice as well, as its interval does.
    """
    from scipy.special import stdtr  # scipy.stats has the same numbers and takes far longer to import

    low, high = gain.interval(LEVEL)
    if gain.n < 2 or np.isnan(low):
        return row
    p = 2 * float(stdtr(gain.n - 1, -abs(gain.value) / gain.error)) if gain.error > 0 else float(gain.value == 0)
    outcome = "undecided" if row.outcome in ("better", "worse") and not p < 1 - LEVEL else row.outcome
    sd = gain.error * np.sqrt(gain.n)
    return replace(row, low=float(np.fmin(row.low, low)), high=float(np.fmax(row.high, high)),
                   p_corrected=max(row.p_corrected, p), outcome=outcome,
                   detectable=float(np.fmax(row.detectable, detectable_within(row.spec, sd, gain.n))),
                   queries_needed=float(np.fmax(row.queries_needed, queries_needed(gain.value, sd))))


def _decision(tuned_single: Comparison, tuned_default: Comparison, default_single: Comparison) -> str:
    if tuned_single.outcome == "undefined" or tuned_single.n < 2:
        return "unknown"
    if default_single.outcome == "better" and tuned_default.outcome != "better":
        return "default"
    return "tuned" if tuned_single.outcome == "better" else "single"


def flat_range(recipes: Sequence[Recipe], values: np.ndarray, chosen: int,
               sign: int = 1) -> tuple[str, float, float] | None:
    """How far the chosen weight (else k) can move before the mean is significantly lower, all else as chosen.

    Neighbors are compared with the chosen setting query by query, by a t interval of 95%.
    """
    from scipy.special import stdtrit

    name, line = sweep_line(recipes, chosen)
    if len(line) < 2:
        return None
    differences = sign * (values[[index for _, index in line]] - values[chosen])
    n = (~np.isnan(differences)).sum(axis=1)
    if n.min() < 2:
        return None
    error = np.nanstd(differences, axis=1, ddof=1) / np.sqrt(n)
    as_good = np.nanmean(differences, axis=1) + stdtrit(n - 1, 0.975) * error >= -1e-12
    place = next(place for place, (_, index) in enumerate(line) if index == chosen)
    low = high = place
    while low > 0 and as_good[low - 1]:
        low -= 1
    while high < len(line) - 1 and as_good[high + 1]:
        high += 1
    return name, line[low][0], line[high][0]


def sweep_line(recipes: Sequence[Recipe], chosen: int) -> tuple[str, list[tuple[float, int]]]:
    """("weight" or "k", the settings that differ from the chosen one in that alone: (value, index), ascending).

    The weight is that of the last of two runs. With more runs, or for a method without weights, it is k.
    """
    recipe = recipes[chosen]
    if recipe.runs == 2 and "weights" in recipe.params:
        line = {_share(other): index for index, other in reversed(list(enumerate(recipes)))
                if other.window == recipe.window
                and (_is_single(other) or (other.method == recipe.method and _same(other, recipe)))}
        return "weight", sorted(line.items())
    line = {float(str(other.params["k"])): index for index, other in enumerate(recipes)
            if other.method == recipe.method == "rrf" and _same(other, recipe, "k")}
    return "k", sorted(line.items())


def _share(recipe: Recipe) -> float:
    """The share of the last run among the weights."""
    weights = recipe.params["weights"]
    if weights is None:
        return 1 / recipe.runs
    return float(weights[-1] / sum(weights))  # type: ignore[arg-type, index]


def _is_single(recipe: Recipe) -> bool:
    """Whether one run alone has all the weight: then the method does not matter."""
    return len(recipe.legs) == 1


def _same(other: Recipe, recipe: Recipe, but: str = "weights") -> bool:
    """Whether the window and all parameters but one are equal."""
    if other.window != recipe.window:
        return False
    first, second = ({name: value for name, value in row.params.items() if name != but} for row in (other, recipe))
    return first == second
