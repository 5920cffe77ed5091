"""Which two of many runs are worth fusing first, and which runs are such a hybrid already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from ragdash.analysis.run_similarity import collect_top_k
from ragdash.analysis.verdict.detect import NEARLY_EQUAL
from ragdash.core.errors import Problem
from ragdash.core.records import Run
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.outcomes import direction
from ragdash.evaluation.repeats import repeat_groups
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.matching.match import Match
from ragdash.metrics import Spec

LEAST_SAME = 5  # equal ranks of every query that make a run the same fusion
EQUAL = 1e-9  # values that differ by less are the same
MOST_PAIRED = 12  # other runs of which every two are tried as the default fusion
QUICK = 30_000  # results of two runs: trying hybrids of as many takes a few seconds
SPELLED_APART = "fusion-spellings"  # the warning of a pool whose runs name documents in two ways


def fused_from(runs: Sequence[Run]) -> list[tuple[int, ...]]:
    """Of each run the other runs here that it is a fusion of; () where it is of none.

    Its recorded recipe decides. A format without settings, such as TREC, has none: there, the scores of the default
    fusion decide (RRF of two of the runs, or of all others).

    Examples
    --------
    >>> bm25, dense = Run.build("bm25", ["q", "q"], ["a", "b"]), Run.build("dense", ["q", "q"], ["b", "c"])
    >>> fused_from([bm25, fuse([bm25, dense], name="both"), dense])
    [(), (0, 2), ()]
    """
    place = {run.digest: index for index, run in enumerate(runs)}
    result = []
    for index, run in enumerate(runs):
        recorded = run.settings.get("fusion")
        if isinstance(recorded, Mapping) and "digests" in recorded:
            digests = list(recorded["digests"])
            known = all(digest in place and place[digest] != index for digest in digests)
            result.append(tuple(sorted(place[digest] for digest in digests)) if known else ())
        else:
            result.append(_default_fusion(runs, index))
    return result


def _default_fusion(runs: Sequence[Run], index: int) -> tuple[int, ...]:
    """The runs whose default RRF has the scores of this one."""
    run, others = runs[index], [other for other in range(len(runs)) if other != index]
    if run.scores is None or not 0 < len(run.pairs) <= QUICK or len(others) < 2:
        return ()
    top = 1 / (make_recipe([runs[other] for other in others]).params["k"] + 1)
    if not 0 < run.scores.min() <= run.scores.max() <= top * len(others) + EQUAL:
        return ()
    pairs = combinations(others, 2) if len(others) <= MOST_PAIRED else ()
    for legs in dict.fromkeys([*pairs, tuple(others)]):
        inside = [runs[leg] for leg in legs]
        fits = sum(len(leg.pairs) for leg in inside) <= QUICK and run.scores.max() <= top * len(legs) + EQUAL
        if fits and _has_scores_of(run, fuse(inside)):
            return tuple(legs)
    return ()


def _has_scores_of(run: Run, fused: Run) -> bool:
    """Whether every result of a run is one of the fused run, with its score. The run may be cut."""
    order = np.argsort(fused.pairs)
    place = np.minimum(np.searchsorted(fused.pairs, run.pairs, sorter=order), len(order) - 1)
    same = order[place]
    return bool(np.array_equal(fused.pairs[same], run.pairs)
                and np.allclose(fused.scores[same], run.scores, rtol=1e-5, atol=0))


OF_HYBRIDS = (1, 2)  # places of `places_last`


def places_last(runs: Sequence[Run], names: Sequence[str], fused: Sequence[tuple[int, ...]]) -> list[int]:
    """How late each run comes among the runs to fuse: 0 a search; 1 a hybrid, by its settings or its name, whose
    searches are not here; 2 a fusion of others here (`fused_from`), which adds nothing to them; 3 a repeat of a run
    here: nobody builds a hybrid of one system with itself.
    """
    again = {index for group in repeat_groups(runs) for index in group[1:]}
    return [3 if index in again else 2 if legs else int(is_hybrid(run, name))
            for index, (run, name, legs) in enumerate(zip(runs, names, fused, strict=True))]


def searches_of(runs: Sequence[Run]) -> tuple[list[Run], list[Problem]]:
    """The runs that are no fusion of others here, and a warning for each of those left out."""
    fused = fused_from(runs)
    notes = [Problem("fusion-of-these", {"run": run.name, "legs": [runs[leg].name for leg in legs]}, field="RUN",
                     severity="warning") for run, legs in zip(runs, fused, strict=True) if legs]
    return [run for run, legs in zip(runs, fused, strict=True) if not legs], notes


def is_hybrid(run: Run, name: str) -> bool:
    """Whether a run was fused from others, here or elsewhere."""
    return "fusion" in run.settings or "hybrid" in name.lower()


def runs_to_fuse(values: np.ndarray, spec: Spec, hybrids: Sequence[int]) -> list[int]:
    """The best run, and the run that adds most to it: whose better queries would raise the mean of the best most.

    Hybrids have what their searches found already: they take part only where there are no two other runs that differ,
    and fusions of runs that are here only where there are no two others at all.
    A run that is nearly the best one again (check "nearly-same") comes after all others.

    Parameters
    ----------
    values : (N, Q)
        The metric of each run for each query, NaN where undefined.
    spec
        The metric.
    hybrids : (N,)
        How late each run comes, as `places_last` gives it.

    Returns
    -------
    list of int
        Indices of at most two runs, ascending.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> values = np.array([[0.2, 0.1, 0.9], [1.0, 1.0, 0.0], [1.0, 1.0, 0.1], [1.0, 1.0, 0.1]])
    >>> runs_to_fuse(values, parse_spec("RR"), [0] * 4)
    [0, 2]
    >>> runs_to_fuse([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], parse_spec("RR"), [0, 0, 1])
    [0, 2]
    """
    oriented = direction(spec) * np.asarray(values, float)
    chosen: list[int] = []
    for latest in (0, 1):
        offered = [index for index, place in enumerate(hybrids) if place <= latest]
        if len(offered) > 1:
            best, differ = _best_and_addition(oriented[offered])
            chosen = sorted(offered[index] for index in best)
            if differ:
                return chosen
    return chosen or sorted(_best_and_addition(oriented)[0])


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


def recommended(choice: Choice) -> Recipe | None:
    """The setting that a choice says to build; None for a single run."""
    return {"tuned": choice.recipe, "default": choice.recipes[0]}.get(choice.decision)


def results_outside(hybrid: Run, runs: Sequence[Run]) -> int:
    """How many results of a hybrid none of these runs returned for the same query.

    Examples
    --------
    >>> runs = [Run.build(name, ["q", "r"], docs) for name, docs in (("a", ["x", "y"]), ("b", ["z", "y"]))]
    >>> results_outside(Run.build("mix", ["q", "q", "r"], ["z", "w", "z"]), runs)
    2
    """
    return int((~np.isin(hybrid.pairs, np.concatenate([run.pairs for run in runs]))).sum())


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
