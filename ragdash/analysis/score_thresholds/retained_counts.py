"""How many documents, and how many relevant ones, each query keeps at each threshold; the measures made of that.

Letters: T thresholds, Q queries (of the truth), X queries of a block, N returned documents, H relevant ones of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import ALL
from ragdash.metrics import parse_spec
from ragdash.metrics.rankings.score_detection import aqwv

MOST = 200
"""Thresholds that are tried where none are given."""
_CELLS = 1 << 20  # thresholds times queries counted together


def why_unscored(match: Match) -> str | None:
    """Why there are no score thresholds for this run, as a sentence part; None where there are.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> unscored = Run.build("order", ["q1"], ["a"])
    >>> why_unscored(Match(unscored, Truth.build("qrels", ["q1"], ["a"], [1])))
    "run 'order' has no scores"
    """
    ranked = match.ranked
    if match.run.scores is None:
        return f"run {match.run.name!r} has no scores"
    if ranked.scores is None:
        return f"run {match.run.name!r} is ranked by its {match.run.ranked_by}, from which its scores differ"
    if not ranked.returned.any():
        return f"run {match.run.name!r} returns no document for a query of the ground truth"
    return None


def scored(match: Match) -> bool:
    """Whether the run is ranked by scores, so that there are thresholds.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> scored(Match(run, truth))
    True
    """
    return why_unscored(match) is None


@dataclass(frozen=True, eq=False)
class RetainedCounts:
    """What a threshold looks at: score and query of the returned documents (N,) and of the relevant ones of them (H,),
    both sorted by query; relevant (Q,).

    Queries with a say, under the conventions of the match: `answerable` (Q,) bool in the means (one without a relevant
    document is out, unless it counts 0), `asked` (Q,) bool in all else (one that the run lacks is out if skipped).
    """

    scores: np.ndarray
    queries: np.ndarray
    score: np.ndarray
    query: np.ndarray
    relevant: np.ndarray
    answerable: np.ndarray
    asked: np.ndarray
    beta: float
    corpus_size: int | None

    @classmethod
    def of(cls, match: Match, rel: int, beta: float = 40.0, corpus_size: int | None = None) -> RetainedCounts:
        """From a match; InputError where the run has no scores or a parameter is out of its range."""
        parse_spec(f"AQWV(beta={float(beta)!r}, rel={rel})@1")  # says what is wrong with a value
        reason = why_unscored(match)
        if reason:
            raise InputError([Problem("no-scores", {"reason": reason}, field="score")])
        ranked = match.ranked
        if corpus_size is not None:
            aqwv(ranked, np.array([ALL]), beta=beta, rel=rel, form="material", corpus_size=corpus_size)
        is_rel, relevant = ranked.grade >= rel, ranked.relevant(rel)
        evaluated = ~ranked.missing if match.conventions.missing == "skip" else np.ones(ranked.queries, bool)
        answerable = evaluated & ((relevant > 0) | (match.conventions.unanswerable == "zero"))
        scores, queries = ranked.all_scores()
        return cls(scores, queries, ranked.score[is_rel], ranked.query[is_rel], relevant, answerable, evaluated,
                   float(beta), corpus_size)

    def only(self, keep: np.ndarray) -> RetainedCounts:
        """The same with a say for these queries (Q,) bool alone."""
        docs, hits = keep[self.queries], keep[self.query]
        return replace(self, scores=self.scores[docs], queries=self.queries[docs], score=self.score[hits],
                       query=self.query[hits], answerable=self.answerable & keep, asked=self.asked & keep)

    @cached_property
    def ascending(self) -> np.ndarray:
        """All scores, sorted: (N,)."""
        return np.sort(self.scores)

    def thresholds(self, count: int = MOST) -> np.ndarray:
        """At most `count` quantiles of the scores, each a score, lowest and highest among them: (T,) ascending."""
        n = len(self.scores)
        return np.unique(self.ascending[np.linspace(0, max(n - 1, 0), min(count, n)).round().astype(int)])

    def share_below(self, thresholds: np.ndarray) -> np.ndarray:
        """Share of the returned documents with a score below each threshold: (T,) in [0, 1]."""
        return np.searchsorted(self.ascending, thresholds, "left") / len(self.ascending)

    def blocks(self, thresholds: np.ndarray) -> Iterator[ThresholdCounts]:
        """The counts at each threshold, block by block of queries, so that memory stays small."""
        width = max(1, _CELLS // (len(thresholds) + 1))
        for start in range(0, len(self.relevant), width):
            block = slice(start, start + width)
            size = len(self.relevant[block])
            yield ThresholdCounts(_counts(thresholds, self.query, self.score, start, size),
                        _counts(thresholds, self.queries, self.scores, start, size),
                        self.relevant[block], self.answerable[block], self.asked[block], self.corpus_size)


def _counts(thresholds: np.ndarray, query: np.ndarray, score: np.ndarray, start: int, size: int) -> np.ndarray:
    """Documents with a score >= each threshold, for the queries start to start + size: (T, X) int64."""
    first, last = np.searchsorted(query, [start, start + size])
    cell = np.searchsorted(thresholds, score[first:last], "right")
    cells = np.bincount(cell * size + query[first:last] - start, minlength=(len(thresholds) + 1) * size)
    cells = cells.reshape(-1, size)[:0:-1]
    return np.cumsum(cells, axis=0, out=cells)[::-1]


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """Counts of a block of queries: hits, retained (T, X); relevant, answerable, asked (X,)."""

    hits: np.ndarray
    retained: np.ndarray
    relevant: np.ndarray
    answerable: np.ndarray
    asked: np.ndarray
    corpus_size: int | None

    def component(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A part of a measure: (value of each query at each threshold (T, X), queries with a say (X,) bool)."""
        hits, retained, relevant = self.hits, self.retained, self.relevant
        some = np.maximum(relevant, 1)
        if name == "miss":
            return 1 - hits / some, self.asked & (relevant > 0)
        if name == "alarm":
            return (retained - hits) / (self.corpus_size - relevant), self.asked
        if name == "empty":
            return retained == 0, self.asked
        values = {"precision": lambda: hits / np.maximum(retained, 1), "recall": lambda: hits / some,
                  "f1": lambda: 2 * hits / np.maximum(retained + relevant, 1), "hit_rate": lambda: hits > 0,
                  "false_share": lambda: (retained - hits) * (relevant > 0) / np.maximum(retained, 1)}
        return values[name](), self.answerable


MEASURES = ("precision", "recall", "f1", "hit_rate", "aqwv", "aqwv_material")
"""What a threshold can be judged by; all are better when higher."""


def composition(measure: str, beta: float) -> tuple[float, tuple[tuple[float, str], ...]]:
    """A measure as constant + sum of coefficient * mean of a part."""
    if measure == "aqwv":
        return 0.0, ((1.0, "recall"), (-beta, "false_share"))
    if measure == "aqwv_material":
        return 1.0, ((-1.0, "miss"), (-beta, "alarm"))
    return 0.0, ((1.0, measure),)


def means(retained: RetainedCounts, thresholds: np.ndarray, measures: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Measures over the queries with a say, at each threshold: name -> (T,), NaN where no query has one.

    "hits", "retained" and "relevant" are sums over the answerable queries.
    """
    compositions = {name: composition(name, retained.beta) for name in measures}
    names = {component for _, terms in compositions.values() for _, component in terms}
    sums = {name: np.zeros(len(thresholds)) for name in (*names, "hits", "retained")}
    counts = dict.fromkeys(names, 0)
    for block in retained.blocks(thresholds):
        for name in names:
            values, say = block.component(name)
            sums[name] += values @ say.astype(np.float64)
            counts[name] += int(say.sum())
        sums["hits"] += block.hits @ block.answerable.astype(np.float64)
        sums["retained"] += block.retained @ block.answerable.astype(np.float64)
    mean = {name: sums[name] / counts[name] if counts[name] else np.full(len(thresholds), np.nan) for name in names}
    result = {measure: constant + sum(c * mean[component] for c, component in terms)
              for measure, (constant, terms) in compositions.items()}
    relevant = np.full(len(thresholds), float(retained.relevant[retained.answerable].sum()))
    return {**result, "hits": sums["hits"], "retained": sums["retained"], "relevant": relevant}


def divide_or_nan(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator / denominator, NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)
