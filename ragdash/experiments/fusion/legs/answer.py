"""Everything that is said about a choice of a hybrid: price, ceiling, what changes, cascade, routers, other metrics,
what each run brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.outcomes import direction
from ragdash.evaluation.stats import SEED
from ragdash.experiments.fusion.alternatives import CascadeChoice, OtherMetric, cascade_choice, other_metrics
from ragdash.experiments.fusion.ceiling import Ceiling, Changes, ceiling_means, changes
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.attribution import MOST_LEGS, Attribution, attribute
from ragdash.experiments.fusion.legs.price import FusedPrice, fused_price, untimed_runs
from ragdash.experiments.fusion.legs.routing import Router, find_routers
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.metrics import Spec

CONTEXT = 10  # results that go into the context where the metric has no cutoff


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything that is said about a choice. legs: None for more runs than Shapley values are computed for.

    changes: of the chosen setting against the best single run.
    """

    choice: Choice
    ceiling: Ceiling
    changes: Changes
    price: FusedPrice
    untimed: Sequence[str]
    others: Sequence[OtherMetric]
    cascade: CascadeChoice | None
    legs: Attribution | None
    routers: Sequence[Router] = ()

    @staticmethod
    def method_title(recipe: Recipe) -> str:
        """What the method of a recipe is called."""
        return METHODS[recipe.method].title


def answer_of(pool: JudgedPool, choice: Choice, also: Sequence[Spec] = (), seed: int = SEED,
              queries: np.ndarray | None = None) -> Answer:
    """The answer for a choice among fusions of the pool's runs.

    also: further metrics to show; queries (Q,) bool: those that count, as in the choice; None: all.
    """
    k = choice.spec.k or CONTEXT
    legs = None
    if len(pool.runs) <= MOST_LEGS and choice.decision != "unknown":
        legs = attribute(pool.runs, pool.truth, choice.spec, fused=choice.recipe, k=k, pool=pool, queries=queries)
    best, single = choice.best_run, choice.single_values[choice.best_run]
    gain = direction(choice.spec) * (choice.values[choice.held_out.chosen] - single)
    changed = changes(pool, choice.recipe, best, gain, k, queries)
    return Answer(choice, ceiling_means(pool, choice.spec, single, queries, choice.recipe), changed,
                  fused_price(pool, choice.recipe, best, k, queries), untimed_runs(pool),
                  other_metrics(pool, choice, also, seed=seed, queries=queries),
                  cascade_choice(pool, choice, seed=seed, queries=queries), legs,
                  find_routers(pool, choice, seed=seed, queries=queries))
