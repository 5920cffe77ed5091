"""Before any tuning: how good could a fusion of these runs be at most, and what would one change?

Letters: Q queries of the truth, R judgments, W windows, C candidates of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.core.arrow_columns import on_all_cores
from ragdash.experiments.fusion.blocks import ranks_of_rows
from ragdash.experiments.fusion.judged_pool import JudgedPool, first_ranked, scores_of
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.metrics import Spec

WINDOWS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
SAME_VALUE = 1e-12  # values that differ by less are equal


@dataclass(frozen=True, eq=False)
class Ceiling:
    """Means at each window: best possible (W,), NaN without a defined query; hybrid (W,): of a setting with that
    window, NaN where none was asked for; single: of the best single run."""

    windows: tuple[int, ...]
    best: np.ndarray
    hybrid: np.ndarray
    single: float

    @property
    def value(self) -> float:
        """With all results of all runs; NaN without any."""
        return float(self.best[-1]) if len(self.best) else np.nan


@dataclass(frozen=True, eq=False)
class Changes:
    """The queries that a fused run changes against a single run.

    Attributes
    ----------
    k, queries
        The cutoff; how many queries were looked at: those that count, and that some run has.
    first, top, tied
        Ids of queries whose first result changes, whose top-k set changes, and whose ranks k and k + 1 have one score.
    gained, lost
        Ids of queries whose value becomes better or worse, the largest change first.
    is_depth
        Whether k is the depth of the single run, which returns fewer documents than were asked for.
    """

    k: int
    queries: int
    first: tuple[str, ...]
    top: tuple[str, ...]
    tied: tuple[str, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    is_depth: bool = False


@dataclass(frozen=True, eq=False)
class Churn:
    """What a fused run changes against a single run, for each query of the pool.

    first, top: whether the first result, and the set of the top k, differs: (queries,) bool each. tied: whether rank k
    and the next have the same fused score, so that another rule for ties gives another top k. k: the cutoff.
    """

    first: np.ndarray
    top: np.ndarray
    tied: np.ndarray
    k: int


def windows_of(pool: JudgedPool) -> list[int]:
    """The windows worth looking at: up to the depth of the deepest run."""
    depth = max((run.depth for run in pool.runs), default=0)
    return [*(window for window in WINDOWS if window < depth), depth] if depth else []


def ceiling(pool: JudgedPool, spec: Spec, windows: Sequence[int]) -> np.ndarray:
    """The value of each query if the documents of all runs within a window were in the best order: (W, Q).

    No fusion of these results can be better. It knows the judgments: an upper bound, not a system.
    """
    best = np.zeros(len(pool.truth.grades), np.int64)
    deepest = np.iinfo(np.int64).max
    sizes = np.zeros((len(windows), len(pool.truth)), np.int64)

    def work(index: int) -> None:
        block, (first, last) = pool.blocks[index], pool.pool.blocks[index]
        rank = np.full(len(block.candidates), deepest)
        for leg in block.candidates.legs:
            rank[leg.candidate] = np.minimum(rank[leg.candidate], leg.rank)
        best[block.judgment] = rank[block.hit]
        query = pool.truth_query[first:last]
        owner = np.repeat(np.arange(last - first), block.candidates.lengths)
        for row, window in enumerate(windows):
            counts = np.bincount(owner[rank <= window], minlength=last - first)
            sizes[row, query[query >= 0]] = counts[query >= 0]

    on_all_cores(work, range(len(pool.blocks)))
    values = [pool.values_of(_best_ranks(pool, (best > 0) & (best <= window)), sizes[row], [spec])[0]
              for row, window in enumerate(windows)]
    return np.stack(values) if values else np.zeros((0, len(pool.truth)))


def ceiling_means(pool: JudgedPool, spec: Spec, single: np.ndarray, queries: np.ndarray | None = None,
                  recipe: Recipe | None = None) -> Ceiling:
    """The ceiling at the windows worth looking at, and what this recipe reaches with them.

    single (Q,): values of the best single run; queries: as in `changes`.
    """
    windows = windows_of(pool)
    hybrid = np.full((len(windows), len(single)), np.nan)
    if recipe is not None and windows:
        recipes = [replace(recipe, window=window, cut=None if recipe.cut is None else window) for window in windows]
        hybrid = pool.values(recipes, [spec])[:, 0]
    values = np.vstack([ceiling(pool, spec, windows), hybrid, single])
    defined = ~np.isnan(values) & (True if queries is None else queries)
    count = defined.sum(axis=1)
    means = np.where(count > 0, np.where(defined, values, 0).sum(axis=1) / np.maximum(count, 1), np.nan)
    return Ceiling(tuple(windows), means[:len(windows)], means[len(windows):-1], float(means[-1]))


def _best_ranks(pool: JudgedPool, returned: np.ndarray) -> np.ndarray:
    """The returned judged documents of each query first, the highest grade before others: ranks (R,), 0 for the rest.

    A grade of 0 or less does not help: those documents are as good as last, and are left out.
    """
    counted = np.flatnonzero(returned & (pool.truth.grades > 0))
    query = pool.truth.queries[counted]
    order = np.lexsort((-pool.truth.grades[counted], query))
    rank = np.zeros(len(returned), np.int64)
    rank[counted[order]] = np.arange(len(order)) - np.searchsorted(query[order], query[order]) + 1
    return rank


def churn(pool: JudgedPool, recipe: Recipe, run: int, k: int) -> Churn:
    """What changes in the first k results if this recipe takes the place of the run with this index."""
    queries = len(pool.pool.query_ids)
    first, top, tied = (np.zeros(queries, bool) for _ in range(3))

    def work(index: int) -> None:
        candidates, (low, high) = pool.blocks[index].candidates, pool.pool.blocks[index]
        part, taken = candidates.part(recipe.legs, recipe.window)
        order, starts = first_ranked(part, recipe, k)
        place = ranks_of_rows(starts)
        owner = np.repeat(np.arange(high - low), np.diff(starts))
        leg = candidates.legs[run]
        top_rows = np.flatnonzero(leg.rank <= k)
        rank = np.zeros(len(candidates), np.int32)  # of the run, 0 below its top k
        rank[leg.candidate[top_rows]] = leg.rank[top_rows]
        rank = (rank if taken is None else rank[taken])[order]
        common = np.bincount(owner[(place <= k) & (rank > 0)], minlength=high - low)
        top[low:high] = common < np.maximum(np.minimum(np.diff(starts), k), np.minimum(leg.lengths, k))
        same = np.bincount(owner[(place == 1) & (rank == 1)], minlength=high - low)
        first[low:high] = (same == 0) & (np.maximum(np.diff(starts), leg.lengths) > 0)
        if len(part.legs) > 1:  # the ranks of one run alone are its own
            last, scores = np.flatnonzero(place == k + 1), scores_of(part, recipe)
            tied[low + owner[last]] = scores[order[last]] == scores[order[last - 1]]

    on_all_cores(work, range(len(pool.blocks)))
    return Churn(first, top, tied, k)


def changes(pool: JudgedPool, recipe: Recipe, run: int, gain: np.ndarray, k: int,
            queries: np.ndarray | None = None) -> Changes:
    """What changes if this recipe takes the place of the run with this index.

    gain (Q,): by how much the value of each query of the truth becomes better; queries (Q,) bool: those that count,
    None: all. A run that returns fewer than k documents is compared down to its depth: below it, every result is new.
    """
    row, depth = pool.truth_query, max(pool.runs[run].depth, 1)
    is_depth, k = depth < k, min(k, depth)
    counted = (row >= 0) & (True if queries is None else queries[row])
    churned = churn(pool, recipe, run, k)
    names = pool.pool.query_ids.to_pylist()
    first, top, tied = (tuple(names[index] for index in np.flatnonzero(mask & counted))
                        for mask in (churned.first, churned.top, churned.tied))
    gain = np.where(True if queries is None else queries, np.nan_to_num(gain), 0.0)
    order = np.argsort(-np.abs(gain), kind="stable")
    in_truth = pool.truth.query_ids.to_pylist()
    gained, lost = (tuple(in_truth[index] for index in order[sign * gain[order] > SAME_VALUE].tolist())
                    for sign in (1, -1))
    return Changes(k, int(counted.sum()), first, top, tied, gained, lost, is_depth)
