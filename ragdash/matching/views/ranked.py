"""What a metric may look at: a run matched with the truth, as arrays.

Letters: Q queries (of the truth), H judged documents that were returned (hits), R judgments, K cutoffs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ragdash.core.ranking.rank_order import bisect_falling

Cutoffs: TypeAlias = np.ndarray
"""(K,) int64, strictly ascending; ALL means no cutoff."""

Values: TypeAlias = np.ndarray
"""Per-query values, (Q,) or (Q, K) float64; NaN = undefined."""

ALL = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Ranked:
    """Where the judged documents sit in the rankings.

    query, rank, grade, score (H,): a returned judged document each, sorted by query and rank (ranks from 1); score is
    NaN where a run has none. judged_query, judged_grade (R,): every judgment, sorted by query and grade descending.
    returned (Q,): documents returned, repeats not counted. missing (Q,) bool: the run does not name the query.
    scores (N,) never rising within a query, or None where the run has none or is ranked otherwise; bounds (Q, 2): query
    q's are scores[bounds[q, 0]:bounds[q, 1]], those at the indices `repeated` (D,) being repeats that do not count.
    top_grade: the highest grade of the whole truth, where these judgments are a part of it.
    """

    query: np.ndarray
    rank: np.ndarray
    grade: np.ndarray
    score: np.ndarray
    judged_query: np.ndarray
    judged_grade: np.ndarray
    returned: np.ndarray
    missing: np.ndarray
    scores: np.ndarray | None
    bounds: np.ndarray
    repeated: np.ndarray
    top_grade: int | None = None

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.returned)

    @property
    def max_grade(self) -> int:
        """Highest grade of the judgments, at least 1."""
        return self.top_grade or max(int(self.judged_grade.max(initial=1)), 1)

    def relevant(self, rel: int = 1) -> np.ndarray:
        """R: documents of grade >= rel for each query, returned or not: (Q,) int64, read-only: all metrics share it."""
        counts: dict[int, np.ndarray] = vars(self).setdefault("_relevant", {})
        if rel not in counts:
            counts[rel] = np.bincount(self.judged_query[self.judged_grade >= rel], minlength=self.queries)
            counts[rel].setflags(write=False)
        return counts[rel]

    def hits(self, rel: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """(query, rank) of the relevant documents that were returned; read-only: all metrics share them."""
        hits: dict[int, tuple[np.ndarray, np.ndarray]] = vars(self).setdefault("_hits", {})
        if rel not in hits:
            keep = np.flatnonzero(self.grade >= rel)
            hits[rel] = self.query[keep], self.rank[keep]
            for column in hits[rel]:
                column.setflags(write=False)
        return hits[rel]

    def total(self, query: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Sum of the weights (default 1) of each query: (Q,) float64."""
        return np.bincount(query, weights, self.queries).astype(np.float64, copy=False)

    def hits_at(self, k: Cutoffs, rel: int = 1) -> np.ndarray:
        """Relevant documents in the first k ranks: (Q, K) float64, read-only: metrics share those they asked for last.
        """
        key = rel, k.tobytes()
        last_key, counts = vars(self).get("_hits_at", (None, None))
        if last_key != key:
            counts = self.up_to(k, *self.hits(rel))
            counts.setflags(write=False)
            vars(self)["_hits_at"] = key, counts
        return counts

    def up_to(self, k: Cutoffs, query: np.ndarray, rank: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Sum of the weights (default 1) at a rank <= k: (Q, K) float64, all cutoffs in one pass."""
        first = np.searchsorted(k, rank)
        within = first < len(k)
        if not within.all():
            query, first, weights = query[within], first[within], None if weights is None else weights[within]
        weights = np.ones(len(query)) if weights is None else weights
        cells = np.bincount(first * self.queries + query, weights, self.queries * len(k)).astype(np.float64, copy=False)
        cells = cells.reshape(len(k), self.queries)  # a cutoff lies in one piece: adding up goes along the memory
        return np.cumsum(cells, axis=0, out=cells).T

    def returned_at(self, k: Cutoffs) -> np.ndarray:
        """Documents in the first k ranks, min(k, returned): (Q, K) int64."""
        return np.minimum(self.returned[:, None], k)

    def all_scores(self) -> tuple[np.ndarray, np.ndarray]:
        """(score, query) of every returned document of the truth's queries, repeats left out. Needs scores."""
        sizes = self.bounds[:, 1] - self.bounds[:, 0]
        query = np.repeat(np.arange(self.queries), sizes)
        positions = np.arange(len(query)) + np.repeat(self.bounds[:, 0] - np.cumsum(sizes) + sizes, sizes)
        if len(self.repeated):
            counted = ~np.isin(positions, self.repeated)
            query, positions = query[counted], positions[counted]
        return self.scores[positions], query

    def returned_from(self, threshold: float) -> np.ndarray:
        """Documents with a score >= threshold: (Q,) int64. Needs scores (ValueError where there are none)."""
        if self.scores is None:
            raise ValueError("the run is not ranked by scores")
        stop = bisect_falling(self.scores, self.bounds[:, 0], self.bounds[:, 1], threshold, past_equal=True)
        counts = stop - self.bounds[:, 0]
        if len(self.repeated):
            repeats_before = np.searchsorted(self.repeated, np.stack([self.bounds[:, 0], stop]))
            counts = counts - (repeats_before[1] - repeats_before[0])
        return counts


def ordinal(query: np.ndarray) -> np.ndarray:
    """1, 2, ... within each run of equal values of a sorted array: (H,) int64."""
    if not len(query):
        return np.zeros(0, np.int64)
    first = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1])))
    return np.arange(len(query)) - np.repeat(first, np.diff(np.append(first, len(query)))) + 1
