"""Which unjudged documents could change which run is best?

Letters: Q queries, N runs, U rows: an unjudged document of a query that some run returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.run_similarity import TopKLists, collect_top_k
from ragdash.analysis.run_similarity.top_k_lists import check_matches
from ragdash.analysis.test_set.unjudged.bounds import Bounds, bounds
from ragdash.analysis.test_set.unjudged.unjudged_documents import check_spec, top_grade, values_of, with_grades
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.matching.match import Match
from ragdash.matching.question_types import kinds
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics import Spec

DEPTH = 10  # ranks whose documents are offered where the metric has no cutoff
_DECIMALS = 12  # of an influence, the rest is rounding
_TOGETHER = 50_000  # rows tried at once


@dataclass(frozen=True, eq=False)
class DocumentsToJudge:
    """table: query_id, doc_id, runs (names of those that returned it), ranks (as runs), influence; the greatest first.

    bounds (N,): of each run; contenders: names of the runs that could have the best mean; total: rows of the table
    before it was cut; unanswerable: queries that the truth marks so, whose unjudged documents are not offered.
    """

    spec: Spec
    table: pa.Table
    bounds: tuple[Bounds, ...]
    contenders: tuple[str, ...]
    total: int
    unanswerable: int = 0


@checked
def judge_next(
    matches: Sequence[Match], spec: Spec, *, k: int | None = None, limit: int | None = 100
) -> DocumentsToJudge:
    """Unjudged documents within k, first those whose judgment could move the means of contending runs apart most.

    Influence: how much the differences of the means of the contenders change in all, summed over pairs of them, if this
    document alone gets the highest grade. A run contends if the upper bound of its mean reaches the highest of the
    lower bounds; with one contender nothing unjudged can change which run is best, and the table is empty. (That holds
    for sure; that several contend does not say that the order will change: they may share their documents.) For one run
    alone the influence is the change of its mean. One document at a time: two that matter only together may rank low.
    Queries that the truth marks as unanswerable are left out. k: ranks whose documents are offered (default: the spec's
    cutoff, else 10); limit: rows.
    Raises Unavailable as `bounds`, and for a metric without a better direction; InputError as `collect_top_k`.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> other = Run.build("dense", ["q1", "q1", "q2"], ["a", "x", "c"], [2.0, 1.0, 1.0])
    >>> from ragdash import parse_specs
    >>> result = judge_next([Match(run, truth), Match(other, truth)], parse_specs("P@1")[0])
    >>> result.table.select(["query_id", "doc_id"]).to_pylist()
    [{'query_id': 'q1', 'doc_id': 'x'}, {'query_id': 'q2', 'doc_id': 'c'}]
    """
    k = k or spec.k or DEPTH
    check_matches(matches, k)
    for match in matches:
        check_spec(match, spec, directed=True)
    run_bounds = tuple(bounds(match, spec) for match in matches)
    contenders = _contenders(run_bounds, -1 if spec.metric.better == "lower" else 1)
    top_lists = collect_top_k(matches, spec.k or max(k, *(match.run.depth for match in matches)))
    rows, unanswerable = without_unanswerable(top_lists, matches[0].truth, offered_rows(top_lists, matches[0], k))
    if len(contenders) < 2 and len(matches) > 1:
        rows = rows[:0]
    changes = (
        np.stack(
            [
                mean_changes(
                    matches[i], spec, run_bounds[i], top_lists.queries[rows], top_lists.ranks[i][rows].astype(np.int64)
                )
                for i in contenders
            ]
        )
        if len(rows)
        else np.zeros((1, 0))
    )
    influence = np.abs(changes[0]) if len(changes) == 1 else sum(
        np.abs(changes[a] - changes[b]) for a, b in combinations(range(len(changes)), 2))
    influence = np.round(influence, _DECIMALS)
    influential = np.flatnonzero(influence)
    influential = influential[np.argsort(-influence[influential], kind="stable")]
    table = documents_table(top_lists, rows[influential[:limit]])
    table = table.append_column("influence", pa.array(influence[influential[:limit]], pa.float64()))
    return DocumentsToJudge(spec, table, run_bounds, tuple(top_lists.names[i] for i in contenders), len(influential),
                            unanswerable)


def _contenders(run_bounds: Sequence[Bounds], sign: int) -> list[int]:
    """The runs that could have the best mean; sign 1 where a higher value is better."""
    worst = [interval.mean_low if sign > 0 else -interval.mean_high for interval in run_bounds]
    best = [interval.mean_high if sign > 0 else -interval.mean_low for interval in run_bounds]
    bar = max((value for value in worst if not np.isnan(value)), default=-np.inf)
    return [i for i, value in enumerate(best) if value >= bar - 10.0**-_DECIMALS]


def offered_rows(top_lists: TopKLists, match: Match, k: int) -> np.ndarray:
    """Rows of the lists that are unjudged and within k of some run: (U,) int64."""
    truth = match.truth
    code = pc.fill_null(pc.index_in(truth.docs, value_set=top_lists.doc_ids), -1).to_numpy().astype(np.int64)
    width = max(len(top_lists.doc_ids), 1)
    judged = np.isin(top_lists.queries * width + top_lists.codes, (truth.queries * width + code)[code >= 0])
    within = ((top_lists.ranks > 0) & (top_lists.ranks <= k)).any(axis=0)
    return np.flatnonzero(within & ~judged)


def without_unanswerable(top_lists: TopKLists, truth: Truth, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """(the rows without those of queries that the truth marks as unanswerable or out of scope; how many queries).

    A document of such a query is not relevant, whoever returned it: nobody has to judge it.
    """
    marks = kinds(truth)
    marked = (marks["no_answer"] | marks["out_of_scope"])[top_lists.queries[rows]]
    return rows[~marked], len(np.unique(top_lists.queries[rows[marked]]))


def mean_changes(match: Match, spec: Spec, run_bounds: Bounds, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """By how much the mean of a run changes with each document alone at the highest grade: (U,); rank 0: not returned.

    A query that is defined only then joins the mean.
    """
    blocks = [slice(start, start + _TOGETHER) for start in range(0, len(query), _TOGETHER)]
    after = np.concatenate([_values_after(match, spec, query[block], rank[block]) for block in blocks])
    before = run_bounds.value[query]
    mean = 0.0 if np.isnan(run_bounds.mean) else run_bounds.mean
    change = np.where(np.isnan(before), (after - mean) / (run_bounds.n + 1), (after - before) / max(run_bounds.n, 1))
    return np.where(np.isnan(after), 0.0, change)


def _values_after(match: Match, spec: Spec, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """The value of the query with each document at the highest grade: (U,). Each row is taken as a query of its own."""
    ranked = match.ranked
    copies = copied_queries(ranked, query)
    grade = np.full(len(query), top_grade(ranked, spec))
    return values_of(with_grades(copies, np.arange(len(query)), rank, grade), spec, match)


def copied_queries(ranked: Ranked, query: np.ndarray) -> Ranked:
    """A ranking whose queries are copies of these."""
    hit, hit_of = _gathered(ranked.query, ranked.queries, query)
    judged, judged_of = _gathered(ranked.judged_query, ranked.queries, query)
    return replace(ranked, query=hit_of, rank=ranked.rank[hit], grade=ranked.grade[hit], score=ranked.score[hit],
                   judged_query=judged_of, judged_grade=ranked.judged_grade[judged], returned=ranked.returned[query],
                   missing=ranked.missing[query], scores=None, bounds=np.zeros((len(query), 2), np.int64),
                   repeated=np.zeros(0, np.int64))


def _gathered(owner: np.ndarray, count: int, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows of each of these queries, one behind the other; which of them each belongs to); owner ascends."""
    ends = np.searchsorted(owner, np.arange(count + 1))
    sizes = (ends[1:] - ends[:-1])[query]
    starts = np.cumsum(sizes) - sizes
    return (np.arange(int(sizes.sum())) + np.repeat(ends[query] - starts, sizes),
            np.repeat(np.arange(len(query)), sizes))


def documents_table(top_lists: TopKLists, rows: np.ndarray) -> pa.Table:
    """query_id, doc_id, and the names and ranks of the runs that returned it, of these rows."""
    ranks = top_lists.ranks[:, rows]
    names = [[name for name, rank in zip(top_lists.names, column, strict=True) if rank] for column in ranks.T.tolist()]
    return pa.table(
        {
            "query_id": top_lists.query_ids.take(pa.array(top_lists.queries[rows])),
            "doc_id": top_lists.docs(rows),
            "runs": pa.array(names, pa.list_(pa.string())),
            "ranks": pa.array([[rank for rank in column if rank] for column in ranks.T.tolist()], pa.list_(pa.int64())),
        }
    )
