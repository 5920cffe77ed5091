"""The first k documents of N runs in one table: a row for each document of a query that any of them returned.

Letters: Q queries of the truth, N runs, U rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.errors import InputError, Problem
from ragdash.core.ranking.rank_order import bisect_falling
from ragdash.core.records.arguments import checked
from ragdash.matching.match import Match

DEPTH = 100  # ranks that are looked at where nothing else is said


@dataclass(frozen=True, eq=False)
class TopKLists:
    """What N runs returned for each query within the first k ranks.

    names (N,); queries (U,) int64 ascending, index into query_ids; codes (U,) int64 index into doc_ids, ascending
    within a query; ranks (N, U) int32, 0 where the run did not return it within k; lengths (N, Q) int64: documents
    within k; skipped (N, Q) bool: the run does not name the query, and missing="skip" leaves such queries out.
    """

    names: tuple[str, ...]
    query_ids: pa.StringArray
    k: int
    queries: np.ndarray
    codes: np.ndarray
    doc_ids: pa.StringArray
    ranks: np.ndarray
    lengths: np.ndarray
    skipped: np.ndarray

    def docs(self, rows: np.ndarray) -> pa.StringArray:
        """The documents of these rows."""
        return self.doc_ids.take(pa.array(self.codes[rows]))


@checked
def collect_top_k(matches: Sequence[Match], k: int = DEPTH) -> TopKLists:
    """Collect the first k documents of each run, aligned by their ids.

    Parameters
    ----------
    matches
        Runs matched with one truth.
    k
        Depth of the lists.

    Returns
    -------
    TopKLists
        Without repeats, ties as in the matching. A query that a run does not name is an empty list.

    Raises
    ------
    InputError
        There is no match, k is below 1, or the matches are not of one truth.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> lists = collect_top_k([Match(run, truth), Match(other, truth)], 10)
    >>> lists.names
    ('bm25', 'dense')
    """
    check_matches(matches, k)
    tops = [_first(match, k) for match in matches]
    names = pa.chunked_array([take(match.run.docs, match.run.rows(positions)) for match, (positions, _, _) in
                              zip(matches, tops, strict=True)], pa.string()).dictionary_encode().combine_chunks()
    names = pa.concat_arrays(names.chunks) if isinstance(names, pa.ChunkedArray) else names
    width = max(len(names.dictionary), 1)
    query = np.concatenate([query for _, query, _ in tops])
    keys, row = _distinct(query * width + names.indices.to_numpy())
    ranks = np.zeros((len(matches), len(keys)), np.int32)
    run = np.repeat(np.arange(len(matches)), [len(positions) for positions, _, _ in tops])
    ranks[run, row] = np.concatenate([rank for _, _, rank in tops])
    lengths = np.stack([np.bincount(query, minlength=len(matches[0].truth)) for _, query, _ in tops])
    skipped = np.stack([match.missing & (match.conventions.missing == "skip") for match in matches])
    return TopKLists(tuple(match.run.name for match in matches), matches[0].query_ids, k, keys // width, keys % width,
                 names.dictionary, ranks, lengths, skipped)


def check_matches(matches: Sequence[Match], k: int) -> None:
    """Raise InputError where these cannot be laid side by side."""
    problems = []
    if not matches:
        problems.append(Problem("no-run/likeness"))
    if k < 1:
        problems.append(Problem("bad-cutoff", {"k": str(k)}, field="k"))
    problems += [Problem("different-queries/truth", {"run": match.run.name, "other": matches[0].run.name},
                         field="query_id") for match in matches[1:] if not match.query_ids.equals(matches[0].query_ids)]
    if problems:
        raise InputError(problems)


def _first(match: Match, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(position, query of the truth, rank) of the documents within k of the queries that the truth knows."""
    run, in_truth = match.run, match.truth_query >= 0
    start, stop = run.starts[:-1][in_truth], run.starts[1:][in_truth]
    repeats = np.bincount(run.query_of(run.repeated), minlength=len(run))[in_truth]
    last = np.minimum(start + min(k, int(run.starts[-1])) + repeats, stop)  # past here only by a tie
    if run.ranked_by == "score" and len(last):
        tied = last > start
        last[tied] = bisect_falling(run.scores, last[tied], stop[tied], run.scores[last[tied] - 1], past_equal=True)
    sizes = last - start
    positions = np.arange(sizes.sum()) + np.repeat(start - np.cumsum(sizes) + sizes, sizes)
    query = np.repeat(match.truth_query[in_truth], sizes)
    if len(run.repeated):
        keep = ~np.isin(positions, run.repeated)
        positions, query = positions[keep], query[keep]
    rank = match.ranks(positions)
    keep = rank <= k
    return (positions, query, rank) if keep.all() else (positions[keep], query[keep], rank[keep])


def _distinct(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the distinct keys, ascending; the place of each key among them): (U,) and (X,)."""
    order = np.argsort(keys)
    ascending = keys[order]
    new = np.diff(ascending, prepend=-1) != 0
    row = np.empty(len(keys), np.int64)
    row[order] = np.cumsum(new) - 1
    return ascending[new], row
