"""Does a router beat one weight for all queries? Both kinds, held out on the folds of the hybrid's own choice.

Letters: Q queries of the truth, A actions, S rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from ragdash.evaluation.compare import test_family
from ragdash.evaluation.latency_cost import Amount, amount
from ragdash.evaluation.outcomes import Comparison, ComparisonRules, direction
from ragdash.evaluation.stats import SEED
from ragdash.experiments.fusion.judged_pool import JudgedPool, scores_add_to_ranks
from ragdash.experiments.fusion.legs.price import fused_price, search_times
from ragdash.experiments.fusion.legs.routing.features import list_features, question_features
from ragdash.experiments.fusion.legs.routing.rules import Rule, conditions_of, one_split, two_splits
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import Choice, allow_for_choice, evaluation_of
from ragdash.experiments.fusion.tuning.grids import NORMS
from ragdash.experiments.fusion.tuning.held_out import HeldOut, held_out

BEFORE, AFTER = "before", "after"
TITLES = {BEFORE: "router before retrieval (held out)", AFTER: "router after retrieval (held out)"}
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # weights of the last run that a router moves between
FEWEST = 20  # queries that a router needs


@dataclass(frozen=True, eq=False)
class Router:
    """The best rule of a kind, and what it is worth on queries that had no part in its choice.

    Attributes
    ----------
    kind : {"before", "after"}
        Before retrieval it chooses one run by the question; after retrieval it moves the weight by the lists.
    rule, actions
        Chosen on all queries; the names of what it chooses among.
    held_out
        What choosing a rule of this kind is worth.
    against_global
        Outcome against one weight for all queries, both held out.
    tried
        Rules tried, those without a condition among them.
    oracle
        Mean of the best action of every query: an upper bound that knows the judgments, not a system.
    share
        Share of the queries for which the conditions hold.
    saved
        Milliseconds that it saves on average against the searches of the tuned hybrid in parallel; n = 0 where times
        are not recorded, and after retrieval, when all searches have run.
    """

    kind: str
    rule: Rule
    actions: tuple[str, ...]
    held_out: HeldOut
    against_global: Comparison
    tried: int
    oracle: float
    share: float
    saved: Amount

    @property
    def words(self) -> str:
        """The rule in words."""
        return self.rule.words(self.actions)

    @property
    def beats_one_weight(self) -> bool:
        """Whether it has a condition, and is better than one weight on held-out queries."""
        return bool(self.rule.conditions) and self.against_global.outcome == "better"


def find_routers(pool: JudgedPool, choice: Choice, *, seed: int = SEED,
                 queries: np.ndarray | None = None) -> tuple[Router, ...]:
    """The best router before and after retrieval, each against one weight for all queries.

    Parameters
    ----------
    pool, choice
        The runs, and what `choose` gave for them.
    queries : (Q,) bool
        Those that count; None: all.

    Returns
    -------
    tuple of Router
        Without the one before retrieval where no question has a text; none with fewer than FEWEST queries.

    Notes
    -----
    A rule is chosen on four folds and measured on the fifth, with the folds of the hybrid's choice. Rules without a
    condition come first and win ties. Both routers are compared in one family, and the intervals allow for the choice
    of a rule (`ragdash.experiments.fusion.tuning.held_out`).
    """
    counted = np.ones(len(pool.truth), bool) if queries is None else queries
    counted = counted & ~np.isnan(choice.held_out.per_query)
    if choice.decision == "unknown" or counted.sum() < FEWEST:
        return ()
    kinds = [_Family(kind, *parts) for kind, parts in ((BEFORE, _before(pool, choice, counted)),
                                                      (AFTER, _after(pool, choice, counted))) if parts]
    results = []
    for family in kinds:
        values = np.where(counted, family.values(), np.nan)
        result, gain = (held_out(values, baseline, sign=direction(choice.spec), seed=seed, limits=choice.spec.range)
                        for baseline in (None, choice.held_out.per_query))
        results.append((result, gain))
    tuned = choice.evaluations[-1]
    rows = [tuned, *(evaluation_of(tuned, TITLES[family.kind], result.per_query)
                     for family, (result, _) in zip(kinds, results, strict=True))]
    compared = test_family(rows, choice.spec, ComparisonRules(seed=seed)).compare(
        [(index + 1, 0) for index in range(len(kinds))]) if kinds else []
    return tuple(_router(pool, choice, family, result, allow_for_choice(row, gain), counted)
                 for family, (result, gain), row in zip(kinds, results, compared, strict=True))


@dataclass(frozen=True, eq=False)
class _Family:
    """Rules of a kind over actions with values (A, Q)."""

    kind: str
    rules: Sequence[Rule]
    actions: Sequence[str]
    action_values: np.ndarray

    def values(self) -> np.ndarray:
        """The value of each rule for each query: (S, Q)."""
        count = self.action_values.shape[1]
        return np.stack([self.action_values[rule.chosen(count), np.arange(count)] for rule in self.rules])


def _before(pool: JudgedPool, choice: Choice, counted: np.ndarray) -> tuple | None:
    """(rules, actions, their values): single runs, chosen by the question."""
    features = question_features(pool.truth)
    if not features:
        return None
    runs = len(choice.runs)
    conditions = conditions_of(features, counted, "the question")
    order = [choice.best_run, *(run for run in range(runs) if run != choice.best_run)]
    rules = [Rule((), run, run) for run in order]
    rules += one_split(conditions, list(permutations(range(runs), 2)))
    rules += two_splits(features, conditions, counted, runs) if runs == 2 else []
    return rules, choice.runs, choice.single_values


def _after(pool: JudgedPool, choice: Choice, counted: np.ndarray) -> tuple:
    """(rules, actions, their values): every setting for all queries, and weights that move with the lists."""
    recipes = _mixes(pool, choice.window)
    names = [_mix_name(recipe, choice.runs) for recipe in recipes]
    values = np.concatenate([choice.values, pool.values(recipes, [choice.spec])[:, 0]])
    first = len(choice.recipes)
    rules = [Rule((), index, index) for index in range(first)]
    conditions = conditions_of(list_features(pool), counted, "the query")
    pairs = [(first + a, first + b) for a, b in permutations(range(len(recipes)), 2)
             if recipes[a].params.get("norm") == recipes[b].params.get("norm")]
    rules += one_split(conditions, pairs)
    return rules, [*("the tuned setting" for _ in range(first)), *names], values


def _mixes(pool: JudgedPool, window: int | None) -> list[Recipe]:
    """The settings that a router moves between: weights of one method, or for more than two runs single runs too."""
    count = len(pool.runs)
    if count == 2:
        weights = [(1 - share, share) for share in SHARES]
    else:
        weights = [tuple(float(index == run) for index in range(count)) for run in range(count)]
        weights.append((1 / count,) * count)
    if scores_add_to_ranks(pool.runs):
        return [make_recipe(pool.runs, "weighted", window, None, {"norm": norm, "weights": parts})
                for norm in NORMS for parts in weights]
    return [make_recipe(pool.runs, "rrf", window, None, {"weights": parts}) for parts in weights]


def _mix_name(recipe: Recipe, names: Sequence[str]) -> str:
    weights = recipe.params["weights"]
    if len(recipe.legs) == 1:
        return f"{names[recipe.legs[0]]} alone"
    if len(names) == 2:
        return f"weight {weights[1]:g} for {names[1]}"  # type: ignore[index]
    return "equal weights"


def _router(pool: JudgedPool, choice: Choice, family: _Family, result: HeldOut, against: Comparison,
            counted: np.ndarray) -> Router:
    sign = direction(choice.spec)
    rule = family.rules[result.chosen]
    actions = sorted({action for rule in family.rules for action in (rule.then, rule.otherwise)})
    best = sign * (sign * family.action_values[actions]).max(axis=0)
    best = best[counted & ~np.isnan(best)]
    chosen = rule.chosen(len(counted))
    holds = chosen[counted] == rule.then
    saved = np.full(len(counted), np.nan)
    if family.kind == BEFORE:
        times = search_times(pool)
        hybrid = fused_price(pool, choice.recipe, choice.best_run).parallel
        saved = np.where(counted, hybrid - times[chosen, np.arange(len(counted))], np.nan)
    return Router(family.kind, rule, tuple(family.actions), result, against, len(family.rules),
                  float(best.mean()) if len(best) else np.nan, float(holds.mean()) if rule.conditions else 1.0,
                  amount(saved))
