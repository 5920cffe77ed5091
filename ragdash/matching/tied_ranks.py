"""Ranks from positions: equal scores are ordered as the convention says, repeated documents are not counted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take
from ragdash.core.ranking.rank_order import bisect_falling
from ragdash.core.records import Run


def ranks_of(run: Run, positions: np.ndarray, ties: str) -> np.ndarray:
    """Rank from 1 of each position, repeats not counted; equal scores as the convention ties says."""
    query = run.query_of(positions)
    start = run.starts[query]
    rank = positions - start + 1 - _repeats(run, start, positions)
    if run.ranked_by != "score" or ties == "file" or not len(positions):
        return rank
    scores = compared_scores(run, ties)
    tied = _tied(run, scores, positions, query)
    if len(tied):
        rank[tied] = _tied_ranks(run, scores, positions[tied], start[tied], run.starts[query[tied] + 1])
    return rank


def compared_scores(run: Run, ties: str) -> np.ndarray:
    """The scores as the convention compares them: trec_eval 9 keeps 32 bits of each."""
    if ties != "trec_eval":
        return run.scores
    with np.errstate(over="ignore"):  # beyond the range of 32 bits all are equal, as there
        return run.scores.astype(np.float32)


def mirrored_ranks(run: Run, positions: np.ndarray, rank: np.ndarray, ties: str) -> np.ndarray:
    """The ranks of positions if every group of equal scores were in reverse order."""
    if run.ranked_by != "score" or not len(positions):
        return rank
    query, scores = run.query_of(positions), compared_scores(run, ties)
    tied = _tied(run, scores, positions, query)
    positions, start, stop = positions[tied], run.starts[query[tied]], run.starts[query[tied] + 1]
    first = bisect_falling(scores, start, positions, scores[positions], past_equal=False)
    last = bisect_falling(scores, positions, stop, scores[positions], past_equal=True)
    earlier = first - start - _repeats(run, start, first)
    mirrored = rank.copy()
    mirrored[tied] = 2 * earlier + last - first - _repeats(run, first, last) + 1 - rank[tied]
    return mirrored


def _repeats(run: Run, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Repeated documents at the positions start to stop (exclusive)."""
    if not len(run.repeated):
        return np.zeros(len(start), np.int64)
    return np.searchsorted(run.repeated, stop) - np.searchsorted(run.repeated, start)


def _tied(run: Run, scores: np.ndarray, positions: np.ndarray, query: np.ndarray) -> np.ndarray:
    """The indices of positions whose neighbor in the ranking of their query has the same score, ascending."""
    score = scores.take(positions)
    equal = scores.take(positions - 1, mode="clip") == score
    equal |= scores.take(positions + 1, mode="clip") == score
    near = np.flatnonzero(equal)  # a few, of which some are equal to another query's row, or to themselves
    position, score = positions[near], score[near]
    previous = np.maximum(position - 1, run.starts[query[near]])
    following = np.minimum(position + 1, run.starts[query[near] + 1] - 1)
    return near[((previous < position) & (scores[previous] == score))
                | ((following > position) & (scores[following] == score))]


def _tied_ranks(run: Run, scores: np.ndarray, positions: np.ndarray, start: np.ndarray,
                stop: np.ndarray) -> np.ndarray:
    """Ranks of positions inside groups of equal scores, the groups sorted by document id descending (bytes)."""
    score = scores[positions]
    first = bisect_falling(scores, start, positions, score, past_equal=False)
    last = bisect_falling(scores, positions, stop, score, past_equal=True)
    groups, first_of_group, group_of = np.unique(first, return_index=True, return_inverse=True)
    sizes = last[first_of_group] - groups
    begin = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    group = np.repeat(np.arange(len(groups)), sizes)
    member = np.repeat(groups - begin, sizes) + np.arange(sizes.sum())
    if len(run.repeated):
        counted = ~np.isin(member, run.repeated)
        group, member = group[counted], member[counted]
    table = pa.table({"group": group, "doc": take(run.docs, run.rows(member)).cast(pa.binary())})
    order = pc.sort_indices(table, [("group", "ascending"), ("doc", "descending")]).to_numpy()
    order_in_group = np.empty(len(member), np.int64)
    order_in_group[order] = np.arange(len(member)) - np.searchsorted(group, group)
    base = groups - start[first_of_group] + 1 - _repeats(run, start[first_of_group], groups)
    return base[group_of] + order_in_group[np.searchsorted(member, positions)]
