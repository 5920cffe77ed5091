"""Which run brings each relevant document to a fused system, and at which step is it lost?

Letters: P legs, Q queries of the truth, H relevant documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import factorial

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.latency_cost import Amount, amount
from ragdash.experiments.fusion.judged_pool import JudgedPool, judged_pool
from ragdash.experiments.fusion.legs.price import search_times
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.matching.match import Match
from ragdash.metrics import Spec

STEPS = ("found", "search", "depth", "fusion", "rerank")
MOST_LEGS = 10  # Shapley values try every subset


@dataclass(frozen=True, eq=False)
class Attribution:
    """What each leg gives.

    Attributes
    ----------
    legs, spec, k
        Names of the runs; the metric of the Shapley values; how many results count as found.
    truth, document : (H,)
        The judgments; index of each relevant document among them.
    leg_rank : (P, H); fused_rank, reranked_rank : (H,)
        Ranks from 1, 0 where a run lacks the document. reranked_rank: None without a re-ranked run.
    step : (H,) of STEPS
        found: in the first k results of the last step. search: no leg returned it. depth: a leg returned it, below
        its first k, and no later step lifted it there. fusion: a leg had it in its first k, the fused run has not.
        rerank: the fused run had it in its first k, the re-ranked run has not.
    alone : (H,)
        The one leg that returned a document, -1 where several or none did.
    shapley : (P, Q)
        The share of each leg in the metric of each query; over the legs they add up to the value of their fusion.
    times : (P, Q)
        Milliseconds of each leg's search.
    fused_by
        The fusion of the Shapley values.
    """

    legs: tuple[str, ...]
    spec: Spec
    k: int
    truth: Truth
    document: np.ndarray
    leg_rank: np.ndarray
    fused_rank: np.ndarray
    reranked_rank: np.ndarray | None
    step: np.ndarray
    alone: np.ndarray
    shapley: np.ndarray
    times: np.ndarray
    fused_by: Recipe

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each relevant document: (H,) index in the truth."""
        return self.truth.queries[self.document]

    def counts(self) -> dict[str, int]:
        """Relevant documents by step."""
        return {step: int((self.step == step).sum()) for step in STEPS
                if step != "rerank" or self.reranked_rank is not None}

    def brought_alone(self, leg: int, only_shown: bool = True) -> np.ndarray:
        """Which documents this leg alone returned, of those that reach the end or of all: (H,) bool."""
        mine = self.alone == leg
        return mine & (self.step == "found") if only_shown else mine

    def queries_of(self, documents: np.ndarray) -> list[str]:
        """The ids of the queries of these documents (H,) bool, each once."""
        ids = self.truth.query_ids
        return [ids[int(query)].as_py() for query in np.unique(self.query[documents])]

    def value(self, leg: int) -> Amount:
        """The mean Shapley value of a leg with its interval."""
        return amount(self.shapley[leg])

    def time(self, leg: int) -> Amount:
        """The mean time of a leg's search in milliseconds."""
        return amount(self.times[leg])


def attribute(legs: Sequence[Run], truth: Truth, spec: Spec, *, fused: Run | Recipe | None = None,
              reranked: Run | None = None, k: int = 10, conventions: Conventions | None = None,
              pool: JudgedPool | None = None, queries: np.ndarray | None = None) -> Attribution:
    """Follow every relevant document from the searches over the fusion to the re-ranked list.

    Parameters
    ----------
    legs, truth, spec
        What the searches returned, the judgments, and a metric of rankings for the Shapley values.
    fused
        The fused run, or its recipe; None: RRF with k = 60 of the legs.
    reranked
        The run after re-ranking, if there is one.
    k
        A document is found if it is in the first k results of the last step.
    pool
        What `judged_pool` gave for the legs, where it is there already.
    queries : (Q,) bool
        Those that count; None: all.

    Notes
    -----
    The Shapley value of a leg is the mean gain from adding it to the legs before it, over all orders of the legs. The
    fusion is that of the recipe where it has weights, else RRF with k = 60; one leg alone keeps its own ranking.

    Raises
    ------
    InputError
        Fewer than two legs, more than 10, or a metric that does not read rankings.

    Examples
    --------
    >>> from ragdash import parse_specs
    >>> legs = [Run.build("bm25", ["q", "q"], ["a", "x"]), Run.build("dense", ["q", "q"], ["x", "b"])]
    >>> truth = Truth.build("qrels", ["q", "q", "q"], ["a", "b", "c"], [1, 1, 1])
    >>> result = attribute(legs, truth, parse_specs("R@2")[0], k=2)
    >>> result.counts(), [result.brought_alone(leg).sum().item() for leg in (0, 1)]
    ({'found': 1, 'search': 1, 'depth': 0, 'fusion': 1}, [1, 0])
    """
    _check(legs, spec)
    pool = pool or judged_pool(legs, truth, conventions)
    recipe = fused if isinstance(fused, Recipe) else make_recipe(pool.runs)
    counted = np.ones(len(truth), bool) if queries is None else queries
    document = np.flatnonzero((truth.grades >= 1) & counted[truth.queries])
    leg_rank = np.stack([_ranks(run, pool)[document] for run in pool.runs])
    all_fused = _ranks(fused, pool) if isinstance(fused, Run) else pool.ranks([recipe])[0][0]
    fused_rank = all_fused[document]
    reranked_rank = None if reranked is None else _ranks(reranked, pool)[document]
    returned = leg_rank > 0
    alone = np.where(returned.sum(axis=0) == 1, returned.argmax(axis=0), -1)
    basis = recipe if recipe.preset is None and "weights" in recipe.params else make_recipe(pool.runs)
    return Attribution(tuple(run.name for run in pool.runs), spec, k, truth, document, leg_rank, fused_rank,
                       reranked_rank, _steps(leg_rank, fused_rank, reranked_rank, k), alone,
                       np.where(counted, shapley(pool, basis, spec), np.nan),
                       np.where(counted, search_times(pool), np.nan), basis)


def _check(legs: Sequence[Run], spec: Spec) -> None:
    runs, problems = [run.name for run in legs], []
    if spec.metric.view != "Ranked":
        problems.append(Problem("fusion-metric", {"spec": str(spec)}, field="--tune"))
    if len(legs) < 2:
        problems.append(Problem("fusion-runs", {"runs": runs}, field="RUN"))
    if len(legs) > MOST_LEGS:
        problems.append(Problem("fusion-runs/many", {"runs": runs, "most": MOST_LEGS}, field="RUN"))
    if problems:
        raise InputError(problems)


def _ranks(run: Run, pool: JudgedPool) -> np.ndarray:
    """The rank of every judged document in a run, 0 where it lacks it."""
    match = Match(run, pool.truth, pool.conventions)
    rank = np.zeros(len(pool.truth.grades), np.int64)
    rank[match.judgment] = match.ranked.rank
    return rank


def _steps(leg_rank: np.ndarray, fused_rank: np.ndarray, reranked_rank: np.ndarray | None, k: int) -> np.ndarray:
    def shown(rank: np.ndarray) -> np.ndarray:
        return (rank > 0) & (rank <= k)

    last = fused_rank if reranked_rank is None else reranked_rank
    conditions = [shown(last), ~(leg_rank > 0).any(axis=0), shown(fused_rank), shown(leg_rank).any(axis=0)]
    return np.select(conditions, ["found", "search", "rerank", "fusion"], "depth")


def shapley(pool: JudgedPool, recipe: Recipe, spec: Spec) -> np.ndarray:
    """The Shapley value of each leg for every query: (P, Q); NaN where the metric is undefined.

    recipe: of a method with weights; a leg that takes no part has weight 0. No legs are worth 0.
    """
    legs = range(len(pool.runs))
    subsets = [subset for size in range(1, len(pool.runs) + 1) for subset in combinations(legs, size)]
    weights = recipe.params["weights"] or (1.0,) * len(pool.runs)
    recipes = [_only(pool.runs, recipe, tuple(weight if leg in subset else 0.0  # type: ignore[arg-type]
               for leg, weight in enumerate(weights)), subset) for subset in subsets]  # type: ignore[arg-type]
    values: Mapping[tuple[int, ...], np.ndarray] = {
        (): np.zeros(len(pool.truth)), **dict(zip(subsets, pool.values(recipes, [spec])[:, 0], strict=True))}
    out = np.zeros((len(pool.runs), len(pool.truth)))
    count = len(pool.runs)
    for subset, value in values.items():
        share = factorial(len(subset)) * factorial(count - len(subset) - 1) / factorial(count) \
            if len(subset) < count else 0.0
        for leg in set(legs) - set(subset):
            out[leg] += share * (values[tuple(sorted((*subset, leg)))] - value)
    return out


def _only(runs: Sequence[Run], recipe: Recipe, weights: tuple[float, ...], subset: tuple[int, ...]) -> Recipe:
    """The recipe with some legs alone; legs of weight 0 count as one alone where all of a subset have that."""
    if sum(weights) == 0:
        weights = tuple(float(leg in subset) for leg in range(len(runs)))
    return make_recipe(runs, recipe.method, recipe.window, None, {**recipe.given, "weights": weights})
