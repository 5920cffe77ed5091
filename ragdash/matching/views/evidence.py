"""What the evidence metrics look at: the rank by which each gold span is covered, and which ranks cover something.

Letters: Q queries (of the truth), E gold spans, C returned chunks of the queries that have spans, K cutoffs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked

NEVER = ALL


@dataclass(frozen=True, eq=False)
class Covered:
    """A run's chunks matched with the gold spans at one threshold.

    span_query (E,) ascending; span_rank (E,): the first rank by which the span is covered (all its parts, by one
    chunk or several), NEVER where it is not. chunk_query, chunk_rank (C,), sorted; hit (C,) bool: the chunk covers a
    span, or a part of a span that was split; read (C,) bool: it has a text. returned (Q,): chunks returned, repeats
    not counted; missing (Q,) bool: the run does not name the query. how, threshold: the settings it was made with.
    count: gives the words of each chunk, (C,) float64, NaN without a text.
    """

    span_query: np.ndarray
    span_rank: np.ndarray
    chunk_query: np.ndarray
    chunk_rank: np.ndarray
    hit: np.ndarray
    read: np.ndarray
    returned: np.ndarray
    missing: np.ndarray
    how: str
    threshold: float
    count: Callable[[], np.ndarray]

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.returned)

    @cached_property
    def gold(self) -> np.ndarray:
        """Gold spans of each query: (Q,) int64. The metrics are undefined where it is 0."""
        return np.bincount(self.span_query, minlength=self.queries)

    @cached_property
    def words(self) -> np.ndarray:
        """Words of each chunk: (C,) float64, NaN without a text."""
        return self.count()

    def covered_at(self, k: Cutoffs) -> np.ndarray:
        """Spans covered by the first k ranks: (Q, K) float64."""
        return self.spans.hits_at(k)

    @cached_property
    def full_rank(self) -> np.ndarray:
        """The rank by which every span of a query is covered: (Q,) float64, NaN where that never is so."""
        last = np.zeros(self.queries, np.int64)
        np.maximum.at(last, self.span_query, self.span_rank)
        return np.where((self.gold > 0) & (last < NEVER), last.astype(np.float64), np.nan)

    @cached_property
    def ranks(self) -> Ranked:
        """Chunks as documents: one that covers a span has grade 1, another that has a text 0; R is the spans."""
        return self._ranked(self.chunk_query[self.read], self.chunk_rank[self.read],
                            self.hit[self.read].astype(np.int64))

    @cached_property
    def spans(self) -> Ranked:
        """Spans as documents, each at its first covering rank (several may share one); R is the spans."""
        covered = np.flatnonzero(self.span_rank < NEVER)
        covered = covered[np.lexsort((self.span_rank[covered], self.span_query[covered]))]
        return self._ranked(self.span_query[covered], self.span_rank[covered], np.ones(len(covered), np.int64))

    def _ranked(self, query: np.ndarray, rank: np.ndarray, grade: np.ndarray) -> Ranked:
        return Ranked(query, rank, grade, np.full(len(query), np.nan), self.span_query,
                      np.ones(len(self.span_query), np.int64), self.returned, self.missing, None,
                      np.zeros((self.queries, 2), np.int64), np.zeros(0, np.int64))
