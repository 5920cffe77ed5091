"""Which two of many runs are worth fusing first, and their hybrid in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis.run_similarity import collect_top_k
from ragdash.analysis.verdict import HybridGain
from ragdash.analysis.verdict.detect import NEARLY_EQUAL
from ragdash.core.records import Run
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.outcomes import direction
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.matching.match import Match
from ragdash.metrics import Spec

LEAST_SAME = 5  # equal ranks of every query that make a run the same fusion
EQUAL = 1e-9  # values that differ by less are the same
QUICK = 30_000  # results of two runs: trying hybrids of as many takes a few seconds
SPELLED_APART = "fusion-spellings"  # the warning of a pool whose runs name documents in two ways


def is_hybrid(run: Run, name: str) -> bool:
    """Whether a run was fused from others, here or elsewhere."""
    return "fusion" in run.settings or "hybrid" in name.lower()


def runs_to_fuse(values: np.ndarray, spec: Spec, hybrids: Sequence[bool]) -> list[int]:
    """The best run, and the run that adds most to it: whose better queries would raise the mean of the best most.

    Hybrids have what their searches found already: they take part only where there are no two other runs that differ.
    A run that is nearly the best one again (check "nearly-same") comes after all others.

    Parameters
    ----------
    values : (N, Q)
        The metric of each run for each query, NaN where undefined.
    spec
        The metric.
    hybrids : (N,)
        Which runs are hybrids.

    Returns
    -------
    list of int
        Indices of at most two runs, ascending.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> values = np.array([[0.2, 0.1, 0.9], [1.0, 1.0, 0.0], [1.0, 1.0, 0.1], [1.0, 1.0, 0.1]])
    >>> runs_to_fuse(values, parse_spec("RR"), [False] * 4)
    [0, 2]
    >>> runs_to_fuse([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], parse_spec("RR"), [False, False, True])
    [0, 2]
    """
    singles = [index for index, hybrid in enumerate(hybrids) if not hybrid]
    oriented = direction(spec) * np.asarray(values, float)
    chosen, differ = _best_and_addition(oriented[singles]) if len(singles) > 1 else ([], False)
    if differ:
        return sorted(singles[index] for index in chosen)
    return sorted(_best_and_addition(oriented)[0])


def _best_and_addition(oriented: np.ndarray) -> tuple[list[int], bool]:
    """The best run and the one that adds most to it, and whether these differ. oriented: (N, Q), higher is better."""
    defined = ~np.isnan(oriented)
    count = defined.sum(axis=1)
    means = np.where(count > 0, np.where(defined, oriented, 0).sum(axis=1) / np.maximum(count, 1), np.nan)
    best, *others = best_first(means, "higher")

    def worth(other: int) -> tuple[bool, float]:
        ahead = oriented[other] - oriented[best]
        return bool(np.mean(np.abs(ahead) < EQUAL) < NEARLY_EQUAL), float(np.nansum(np.maximum(ahead, 0)))

    if not others:
        return [best], False
    addition = max(others, key=worth)
    return [best, addition], worth(addition)[0]


def gain_of(choice: Choice, pool: JudgedPool, hybrids: Mapping[str, Run] | None = None) -> HybridGain | None:
    """The hybrid that a choice says to build; None where it says to keep a single run.

    pool: the runs of the choice; hybrids: those among the runs shown that are not fused, by name.
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
    return HybridGain(choice.runs, METHODS[recipe.method].title, choice.spec, value, against.baseline,
                      against.mean_difference, against.low, against.high,
                      tuple(name for name in hybrids or {} if name not in same), same)


def recommended(choice: Choice) -> Recipe | None:
    """The setting that a choice says to build; None for a single run."""
    return {"tuned": choice.recipe, "default": choice.recipes[0]}.get(choice.decision)


def same_fusions(hybrids: Mapping[str, Run], recipe: Recipe, pool: JudgedPool) -> tuple[str, ...]:
    """Which hybrids are this fusion of the runs of the pool: by their recorded recipe, else by their rankings."""
    wanted = _comparable(recipe.settings(pool.runs))
    fused: Run | None = None
    same: list[str] = []
    for name, hybrid in hybrids.items():
        recorded = hybrid.settings.get("fusion")
        if isinstance(recorded, Mapping) and "digests" in recorded:
            is_same = _comparable(recorded) == wanted
        else:
            fused = fused or fuse(pool.runs, recipe.method, recipe.window, ties=pool.conventions.ties, **recipe.given)
            is_same = _has_rankings_of(hybrid, fused, pool)
        same += [name] * is_same
    return tuple(same)


def _comparable(recorded: Mapping) -> dict:
    """A recorded recipe without names, and without the order of the runs."""
    digests = list(recorded["digests"])
    order = sorted(range(len(digests)), key=digests.__getitem__)
    params = {name: [value[index] for index in order] if isinstance(value, list) and len(value) == len(order) else value
              for name, value in dict(recorded.get("params", {})).items()}
    facts = {name: recorded.get(name) for name in ("method", "window", "cut", "preset", "version", "ties")}
    return {**facts, "params": params, "digests": sorted(digests)}


def _has_rankings_of(hybrid: Run, fused: Run, pool: JudgedPool) -> bool:
    """Whether a run has the first documents of the fused one for every query, down to its last rank."""
    if not len(hybrid.docs):
        return False
    lists = collect_top_k([Match(run, pool.truth, pool.conventions) for run in (hybrid, fused)],
                          max(hybrid.depth, LEAST_SAME))
    listed = lists.ranks[0] > 0
    enough = lists.lengths[0] >= np.minimum(lists.lengths[1], LEAST_SAME)
    return bool(enough.all() and listed.any() and np.array_equal(lists.ranks[0][listed], lists.ranks[1][listed]))
