"""The hybrid that a choice says to build, in short: what it is, what it gains and what it takes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragdash.analysis.verdict import HybridGain
from ragdash.core.records import Run
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.price import more_of_searches
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.pair import recommended, same_fusions
from ragdash.experiments.fusion.tuning.choice import Choice


def gain_of(choice: Choice, pool: JudgedPool, hybrids: Mapping[str, Run] | None = None,
            queries: np.ndarray | None = None) -> HybridGain | None:
    """The hybrid that a choice says to build; None where it says to keep a single run.

    pool: the runs of the choice; hybrids: those among the runs shown that are not fused, by name; queries (Q,) bool:
    those whose time and cost count (default all).
    """
    recipe = recommended(choice)
    if recipe is None:
        return None
    if choice.decision == "tuned":
        value, against = choice.held_out.value, choice.against_single
    else:
        default = choice.evaluations[len(choice.runs)].column(choice.spec)
        value, against = float(np.nanmean(default)), choice.default_against_single
    same = same_fusions(hybrids or {}, recipe, pool)
    params = {name: list(value) if isinstance(value, tuple) else value for name, value in recipe.params.items()}
    time, cost = more_of_searches(pool, recipe, choice.best_run, queries)
    return HybridGain(choice.runs, METHODS[recipe.method].title, choice.spec, value, against.baseline,
                      against.mean_difference, against.low, against.high,
                      tuple(name for name in hybrids or {} if name not in same), same, params, recipe.window, time,
                      cost)
