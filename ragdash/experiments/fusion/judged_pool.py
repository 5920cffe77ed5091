"""Values of many recipes on the same runs, without building a run for any: only the ranks of judged documents count.

Letters: Q queries of the truth, C candidates of a block, H judged candidates (hits), T hits with ties, S recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import on_all_cores
from ragdash.core.errors import Problem
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.compute import compute_columns
from ragdash.experiments.fusion.blocks import ranges, ranks_of_rows
from ragdash.experiments.fusion.candidates import Candidates, Pool, gather
from ragdash.experiments.fusion.fuse import documents, fused_order, warnings_of
from ragdash.experiments.fusion.places import Places
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics import Spec

RANK_SCORES = "fusion-rank-scores"
LEAST_ALIKE = 10  # queries with two results or more; fewer may have the same scores by chance


@dataclass(frozen=True, eq=False)
class JudgedBlock:
    """The candidates of a block of queries, and which of them are judged.

    hit (H,): the judged candidates, ascending; judgment (H,): their index in the truth.
    """

    candidates: Candidates
    hit: np.ndarray
    judgment: np.ndarray

    def part(self, legs: Sequence[int], window: int | None) -> JudgedBlock:
        """The block with what the first `window` ranks of these legs hold."""
        candidates, taken = self.candidates.part(legs, window)
        if taken is None:
            return self
        number = np.cumsum(taken) - 1
        hits = taken[self.hit]
        return JudgedBlock(candidates, number[self.hit[hits]], self.judgment[hits])

    def ranks(self, recipe: Recipe, depth: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(rank of each hit in the fused lists, 0 where it is not in them: (H,); length of each list: (queries,)).

        depth: hits below the first `depth` ranks may have 0, too; None: none of them.
        """
        candidates = self.candidates
        scores = scores_of(candidates, recipe)
        whole = depth is None or self._places.are_few
        rank = self._all_ranks(recipe, scores) if whole else self._first_ranks(recipe, depth)
        lengths = candidates.lengths.copy()
        if np.isnan(scores.min(initial=0.0)):
            returned = ~np.isnan(scores)
            rank[~returned[self.hit]] = 0
            lengths = np.add.reduceat(np.append(returned, False), candidates.starts[:-1], dtype=np.int64)
            lengths[candidates.lengths == 0] = 0
        if recipe.cut is not None:
            rank[rank > recipe.cut] = 0
            lengths = np.minimum(lengths, recipe.cut)
        return rank, lengths

    def _first_ranks(self, recipe: Recipe, depth: int) -> np.ndarray:
        order, starts = first_ranked(self.candidates, recipe, depth)
        rank = np.zeros(len(self.candidates), np.int32)
        rank[order] = ranks_of_rows(starts)
        return rank[self.hit]

    def _all_ranks(self, recipe: Recipe, scores: np.ndarray) -> np.ndarray:
        leg = self.candidates.legs[0]
        if len(self.candidates.legs) == 1:  # the run's own order, with its ties
            scores = np.empty(len(self.candidates))
            scores[leg.candidate] = -leg.rank
        rank, tied = self._places.under(scores)
        rank += 1
        if len(tied):
            rank[tied] += self._before_in_ties(recipe, scores, tied)
        return rank

    def _before_in_ties(self, recipe: Recipe, scores: np.ndarray, tied: np.ndarray) -> np.ndarray:
        """How many candidates of the same score are before each of these hits: (T,) int64."""
        hit = self.hit[tied]
        owner, other = self._places.equals(scores, tied)
        if recipe.ties == "first":
            before = other < hit[owner]
        else:
            before = self._id_order[other] > self._id_order[hit][owner]
            if recipe.ties != "docid":
                before = ~before & (other != hit[owner])
        return np.bincount(owner[before], minlength=len(tied))

    @cached_property
    def _id_order(self) -> np.ndarray:
        """The place of each candidate in the order of the ids, byte by byte: (C,) int32."""
        ids = documents(self.candidates, np.arange(len(self.candidates))).cast(pa.binary())
        order = np.empty(len(ids), np.int32)
        order[pc.array_sort_indices(ids).to_numpy()] = np.arange(len(ids))
        return order

    @cached_property
    def _places(self) -> Places:
        return Places(self.candidates.starts, self.hit)


def scores_of(candidates: Candidates, recipe: Recipe) -> np.ndarray:
    """`recipe.scores`; those of the last recipe are remembered, as its values and its changes need them: (C,)."""
    known = candidates.latest.get("scores")
    if known is None or known[0] != recipe:
        known = candidates.latest["scores"] = recipe, recipe.scores(candidates)
    return known[1]


def first_ranked(candidates: Candidates, recipe: Recipe, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(the first `depth` candidates of each fused list and the next one, in order; starts (Q + 1,)).

    Those of the last recipe are remembered, and where the next recipe begins to look.
    """
    known = candidates.latest.get("first")
    if known is not None and known[:2] == (recipe, depth):
        return known[2:]
    scores, most = scores_of(candidates, recipe), min(depth + 1, recipe.cut or depth + 1)
    chosen = None
    if len(candidates.legs) > 1:
        some = known[2:] if known is not None else _first_of_lists(candidates.starts, most)
        chosen = np.flatnonzero(scores >= candidates.spread(least_scores(scores, *some, most)))
    order, starts, *_ = fused_order(candidates, replace(recipe, cut=most), scores, chosen)
    candidates.latest["first"] = recipe, depth, order, starts
    return order, starts


def _first_of_lists(starts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(the first `most` rows of each list, and their starts)."""
    lengths = np.minimum(np.diff(starts), most)
    return ranges(starts[:-1], starts[:-1] + lengths), np.concatenate(([0], np.cumsum(lengths)))


def least_scores(scores: np.ndarray, some: np.ndarray, starts: np.ndarray, most: int) -> np.ndarray:
    """A score of each list that its `most` highest ones reach; -inf where too little is known: (Q,).

    some: places of scores of each list, some[starts[q]:starts[q+1]], the higher the better; NaN: not in the list.

    Examples
    --------
    >>> scores = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 4.0])  # a list of four and one of two
    >>> least_scores(scores, np.array([0, 3, 4]), np.array([0, 2, 3]), 2).tolist()
    [2.0, -inf]
    """
    lengths = np.diff(starts)
    least = np.full(len(lengths), -np.inf)
    filled = np.flatnonzero(lengths)
    if len(filled):
        least[filled] = np.minimum.reduceat(scores[some], starts[filled])
    least[(lengths < most) | np.isnan(least)] = -np.inf
    return least


@dataclass(frozen=True, eq=False)
class JudgedPool:
    """Runs brought together, matched with a truth: gives the values of any recipe. Make it with `judged_pool`."""

    runs: tuple[Run, ...]
    truth: Truth
    conventions: Conventions
    pool: Pool
    blocks: tuple[JudgedBlock, ...]

    @cached_property
    def _match(self) -> Match:
        stub = Run.build("fused", pa.array([], pa.string()), pa.array([], pa.string()),
                         details=pa.table({"query_id": self.pool.query_ids}))
        return Match(stub, self.truth, self.conventions)

    @cached_property
    def truth_query(self) -> np.ndarray:
        """The truth's index of each query of the pool, -1 where it lacks it."""
        index = pc.index_in(self.pool.query_ids, value_set=self.truth.query_ids)
        return pc.fill_null(index, -1).to_numpy().astype(np.int64)

    @cached_property
    def warnings(self) -> list[Problem]:
        """What to know of the runs before they are fused: equal ones, no common document, other ids, missing queries,
        scores that say no more than the ranks.
        """
        overlap = any(sum(len(leg.rank) for leg in block.candidates.legs) > len(block.candidates)
                      for block in self.blocks)
        return warnings_of(self.runs, self.pool, overlap) + rank_score_warnings(self.runs)

    def ranks(self, recipes: Sequence[Recipe], depth: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(rank of every judged document in every fused run, 0: not returned: (S, R); lengths: (S, Q)).

        depth: documents below the first `depth` ranks may have 0, too; None: none of them. Recipes that share runs and
        window should follow each other: what they have in common is computed once.
        """
        rank = np.zeros((len(recipes), len(self.truth.grades)), np.int32)
        lengths = np.zeros((len(recipes), len(self.truth)), np.int64)
        in_truth = self.truth_query

        def work(index: int) -> None:
            block, (first, last) = self.blocks[index], self.pool.blocks[index]
            inside, shared, part = in_truth[first:last] >= 0, None, block
            for row, recipe in enumerate(recipes):
                if shared != (recipe.legs, recipe.window):
                    shared = (recipe.legs, recipe.window)
                    part = block.part(*shared)
                hit_ranks, sizes = part.ranks(recipe, depth)
                rank[row, part.judgment] = hit_ranks
                lengths[row, in_truth[first:last][inside]] = sizes[inside]

        on_all_cores(work, range(len(self.blocks)))
        return rank, lengths

    def values(self, recipes: Sequence[Recipe], specs: Sequence[Spec]) -> np.ndarray:
        """The value of each recipe and metric for every query of the truth: (S, M, Q); NaN = undefined.

        The metrics read rankings alone (`metric.view == "Ranked"`).
        """
        ranks, lengths = self.ranks(recipes, deepest(specs))
        return np.stack([self.values_of(rank, size, specs) for rank, size in zip(ranks, lengths, strict=True)]) \
            if len(recipes) else np.zeros((0, len(specs), len(self.truth)))

    def values_of(self, rank: np.ndarray, lengths: np.ndarray, specs: Sequence[Spec]) -> np.ndarray:
        """The values (M, Q) of rankings of these lengths (Q,), given by the ranks of all judged documents (R,)."""
        match = self._match.ranked_as(self.ranked(rank, lengths))
        values = np.empty((len(self.truth), len(specs)))
        for index, spec in enumerate(specs):
            params = {**spec.metric.params, **dict(spec.params)}
            compute_columns(values, {}, match, spec.name, params, specs, [index])
        return values.T

    def ranked(self, rank: np.ndarray, lengths: np.ndarray) -> Ranked:
        """The view that metrics read, from the ranks of all judged documents: rank (R,), lengths (Q,)."""
        truth = self.truth
        returned = np.flatnonzero(rank)
        queries = truth.queries[returned]
        if not np.all(queries[1:] > queries[:-1]):  # with one judged document a query they are in order
            returned = returned[np.lexsort((rank[returned], queries))]
        none = np.zeros(0, np.int64)
        return Ranked(truth.queries[returned], rank[returned].astype(np.int64), truth.grades[returned],
                      np.full(len(returned), np.nan), truth.queries, truth.grades, lengths, self._match.missing, None,
                      np.zeros((len(truth), 2), np.int64), none)


def rank_score_warnings(runs: Sequence[Run]) -> list[Problem]:
    """A warning where scores say no more than the ranks: to sum them is a fusion of ranks."""
    by_rank = [run.name for run in runs if has_scores_of_ranks(run)]
    return [Problem(RANK_SCORES, {"runs": by_rank}, severity="warning")] if by_rank else []


def scores_add_to_ranks(runs: Sequence[Run]) -> bool:
    """Whether to try sums of scores: every run has scores, and none has scores that say no more than its ranks."""
    return all(run.scores is not None and not has_scores_of_ranks(run) for run in runs)


def has_scores_of_ranks(run: Run) -> bool:
    """Whether its scores say no more than its ranks, such as 1 / rank: at each rank all queries have the same one.

    Examples
    --------
    >>> queries = [str(number // 2) for number in range(20)]
    >>> has_scores_of_ranks(Run.build("a", queries, list("ab") * 10, [1.0, 0.5] * 10))
    True
    """
    lengths = np.diff(run.starts)
    if run.scores is None or (lengths > 1).sum() < LEAST_ALIKE:
        return False
    longest = int(np.argmax(lengths))
    scores = run.scores[run.starts[longest]:run.starts[longest + 1]]
    return bool(scores[0] > scores[-1] and np.array_equal(run.scores, scores[ranks_of_rows(run.starts) - 1]))


def deepest(specs: Sequence[Spec]) -> int | None:
    """The last rank that these metrics look at; None: there is none, or a metric is not ours, and we do not know."""
    ours = all(spec.metric.function.__module__.startswith("ragdash.") for spec in specs)
    cutoffs = [spec.k for spec in specs if spec.k is not None]
    return max(cutoffs) if ours and len(cutoffs) == len(specs) > 0 else None


def judged_pool(runs: Sequence[Run], truth: Truth, conventions: Conventions | None = None) -> JudgedPool:
    """Bring runs together and find the judged documents among their candidates.

    Examples
    --------
    >>> from ragdash import parse_specs
    >>> from ragdash.experiments.fusion.recipe import make_recipe
    >>> runs = [Run.build("a", ["q", "q"], ["d1", "d2"]), Run.build("b", ["q", "q"], ["d2", "d3"])]
    >>> pool = judged_pool(runs, Truth.build("qrels", ["q"], ["d2"], [1]))
    >>> recipes = [make_recipe(runs, params={"weights": weights}) for weights in ((1, 0), (0.5, 0.5))]
    >>> pool.values(recipes, parse_specs("RR")).tolist()
    [[[0.5]], [[1.0]]]
    """
    conventions = conventions or Conventions()
    pool = gather(runs, None, conventions.ties)
    matches = [Match(run, truth, conventions) for run in runs]
    query_of = pc.fill_null(pc.index_in(truth.query_ids, value_set=pool.query_ids), -1).to_numpy().astype(np.int64)
    rows = [ranking.starts[query_of[match.ranked.query]] + match.ranked.rank - 1
            for ranking, match in zip(pool.rankings, matches, strict=True)]

    def work(block: tuple[int, int]) -> JudgedBlock:
        candidates = pool.candidates(block)
        hits, judgments = [], []
        for leg, ranking, match, row in zip(candidates.legs, pool.rankings, matches, rows, strict=True):
            low, high = ranking.starts[block[0]], ranking.starts[block[1]]
            mine = (row >= low) & (row < high)
            hits.append(leg.candidate[row[mine] - low])
            judgments.append(match.judgment[mine])
        hit, index = np.unique(np.concatenate(hits), return_index=True)
        return JudgedBlock(candidates, hit, np.concatenate(judgments)[index])

    return JudgedPool(tuple(runs), truth, conventions, pool, tuple(on_all_cores(work, pool.blocks)))

