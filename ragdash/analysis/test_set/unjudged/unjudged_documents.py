"""The unjudged documents within the first k ranks, and rankings with grades laid on some of them.

Letters: Q queries, H judged documents that were returned, U unjudged ones within k, R judgments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ragdash.core.errors import Unavailable
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import ALL, Ranked
from ragdash.metrics import Spec


@dataclass(frozen=True, eq=False)
class UnjudgedDocuments:
    """query, rank (U,) int64: unjudged documents within k, sorted by query and rank; count (Q,): of each query."""

    query: np.ndarray
    rank: np.ndarray
    count: np.ndarray

    @cached_property
    def starts(self) -> np.ndarray:
        """First row of each query that has one, for reduceat."""
        count = self.count[self.count > 0]
        return np.cumsum(count) - count

    @cached_property
    def position(self) -> np.ndarray:
        """1, 2, ... within each query, from the best rank down: (U,) int64."""
        return np.arange(len(self.query)) - np.repeat(np.cumsum(self.count) - self.count, self.count) + 1

    def of_queries(self, wanted: np.ndarray) -> UnjudgedDocuments:
        """Those of the wanted (Q,) bool queries alone; the queries are numbered anew."""
        rows, count = np.repeat(wanted, self.count), self.count[wanted]
        return UnjudgedDocuments(np.repeat(np.arange(len(count)), count), self.rank[rows], count)


def find_unjudged(match: Match, k: int | None) -> UnjudgedDocuments:
    """The ranks within k (None: all that were returned) whose document has no judgment."""
    ranked = match.ranked
    depth = np.minimum(ranked.returned, ALL if k is None else k)
    query = np.repeat(np.arange(ranked.queries), depth)
    starts = np.cumsum(depth) - depth
    rank = np.arange(len(query)) - np.repeat(starts, depth) + 1
    unjudged = np.ones(len(query), bool)
    hit = ranked.rank <= depth[ranked.query]
    unjudged[starts[ranked.query[hit]] + ranked.rank[hit] - 1] = False
    query, rank = query[unjudged], rank[unjudged]
    return UnjudgedDocuments(query, rank, np.bincount(query, minlength=ranked.queries))


def top_grade(ranked: Ranked, spec: Spec) -> int:
    """The highest grade of the judgments, or where that is not relevant for the spec, the least that is."""
    params = dict(spec.params)
    return ranked.max_grade if params.get("gain") == "graded" else max(ranked.max_grade, params.get("rel", 1))


def with_grades(ranked: Ranked, query: np.ndarray, rank: np.ndarray, grade: np.ndarray) -> Ranked:
    """The ranking as if documents at these ranks, unjudged so far, had grades (U,); rank 0: one not returned."""
    returned = rank > 0
    queries, ranks = np.concatenate([ranked.query, query[returned]]), np.concatenate([ranked.rank, rank[returned]])
    order = _order_of(queries, ranks)
    judged, grades = np.concatenate([ranked.judged_query, query]), np.concatenate([ranked.judged_grade, grade])
    falling = _order_of(judged, -grades)
    score = np.concatenate([ranked.score, np.full(int(returned.sum()), np.nan)])
    return replace(ranked, query=queries[order], rank=ranks[order], score=score[order],
                   grade=np.concatenate([ranked.grade, grade[returned]])[order],
                   judged_query=judged[falling], judged_grade=grades[falling])


def _order_of(query: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The order of np.lexsort((value, query)), by one stable sort: quick where two sorted pieces are joined."""
    least, width = int(value.min(initial=0)), int(value.max(initial=0)) - int(value.min(initial=0)) + 1
    if width > 1 << 31:  # the key would not fit
        return np.lexsort((value, query))
    return np.argsort(query * width + (value - least), kind="stable")


def values_of(ranked: Ranked, spec: Spec, match: Match) -> np.ndarray:
    """The values of a spec of such a ranking, under the conventions of the match: (Q,); NaN where undefined."""
    params = {name: value for name, value in spec.params if name != "average"}
    cutoffs = () if spec.metric.cutoff == "none" else (np.array([spec.k or ALL]),)
    values = np.array(spec.metric.function(ranked, *cutoffs, **params), np.float64).reshape(ranked.queries)
    if match.conventions.unanswerable == "zero" and spec.metric.relevance:
        values[ranked.relevant(params.get("rel", 1)) == 0] = 0.0
    if match.conventions.missing == "skip":
        values[ranked.missing] = np.nan
    return values


def check_spec(match: Match, spec: Spec, *, directed: bool = False) -> None:
    """Raise Unavailable for what grades of unjudged documents do not decide, or not as a mean of queries.

    directed: a higher or a lower value has to be the better one.
    """
    params, reason = dict(spec.params), None
    if match.matching.by != "id" or spec.metric.view != "Ranked":
        reason = "does not look at judgments of documents"
    elif spec.metric.aggregate != "mean" or params.get("average") == "micro" or params.get("form") == "material":
        reason = "is no mean over queries"
    elif spec.metric.bounds is None:
        reason = "has no bounds over the grades of unjudged documents"
    elif params.get("probabilities") is not None:
        reason = "may fall as a grade rises"
    elif directed and spec.metric.better is None:
        reason = "has no better direction"
    if reason:
        raise Unavailable("no-gains", {"spec": str(spec), "reason": reason}, "metric")
