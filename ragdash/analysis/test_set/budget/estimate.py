"""Means of runs and their differences from judgments that were drawn with known probabilities.

Letters: N runs, U unjudged documents of the pool, n sampled units, H strata.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.test_set.budget.design import JudgmentPool, contributions
from ragdash.analysis.test_set.budget.stratified import SampleEstimate, stratified_total
from ragdash.analysis.test_set.unjudged.unjudged_documents import values_of, with_grades
from ragdash.core.errors import Collector, InputError, Problem
from ragdash.evaluation.stats import LEVEL
from ragdash.metrics import Spec


@dataclass(frozen=True)
class BudgetEstimate:
    """What the judgments of a sample show.

    Attributes
    ----------
    runs
        Names, as everything below.
    current
        The mean of each run with all unjudged documents taken as not relevant: no estimate.
    means
        The estimated mean of each run if every unjudged document within k were judged.
    differences
        {(first, second): the estimated first minus second}, of all pairs of indices.
    judged, population
        Units (documents or queries) that were judged, and units in all.
    """

    spec: Spec
    unit: str
    runs: tuple[str, ...]
    current: tuple[float, ...]
    means: tuple[SampleEstimate, ...]
    differences: dict[tuple[int, int], SampleEstimate]
    judged: int
    population: int


@dataclass(frozen=True)
class JudgedRow:
    """A row of a sample that came back: stratum and probability as it went out; grade None: not judged."""

    query: str
    doc: str
    stratum: int
    probability: float
    grade: int | None


def estimate_means(pool: JudgmentPool, rows: Sequence[JudgedRow], unit: str = "document", *,
                   level: float = LEVEL) -> BudgetEstimate:
    """SampleEstimate the means that full judgments of the pool would give.

    Parameters
    ----------
    pool
        Of `judgment_pool`: the same runs, judgments, metric and k as when it was drawn.
    rows
        All rows of the sample, judged or not.

    Notes
    -----
    Single documents: the generalized regression estimator (Cassel, Sarndal and Wretman 1976) with one coefficient, the
    rate of relevant documents in the sample weighted by 1 / probability; unbiased but for a share of order 1 / n. A
    stratum has at least the variance of documents that are relevant as often as (relevant + 1) / (judged + 2): else
    one without a relevant document would seem certain. Whole queries: the Horvitz-Thompson estimator, unbiased for
    every metric; ideal and recall are those of the judged pool. Formulas: docs/reference/statistics.md. Values and
    limits stay in the metric's range; queries that are all alike give no interval.

    Units without a grade are taken to be missing at random within their stratum; a query counts as judged if all its
    documents are. The intervals are about the judgments that are missing, not about other queries: add those of
    `ragdash.compare`. Differences are not corrected for their number.

    Raises
    ------
    InputError
        A document that is not in the pool or is there twice, probabilities that do not fit it, or nothing judged.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> from ragdash.analysis.test_set.budget.design import judgment_pool
    >>> from ragdash.matching.match import Match
    >>> run = Run.build("bm25", ["q1"] * 3 + ["q2"] * 3, ["a", "b", "c", "d", "e", "f"])
    >>> match = Match(run, Truth.build("qrels", ["q1", "q2"], ["a", "d"], [1, 0]))
    >>> pool = judgment_pool([match], parse_specs("P@3")[0])
    >>> rows = [JudgedRow("q1", "b", 0, 0.5, 1), JudgedRow("q2", "e", 0, 0.5, 0)]
    >>> estimate = estimate_means(pool, rows)
    >>> round(estimate.current[0], 3), round(estimate.means[0].value, 3)  # 1 of 6; 2 more of the 4 unjudged ones
    (0.167, 0.5)
    """
    place, strata, counts = _checked(pool, rows, unit)
    graded, grade = np.array([(row.grade is not None, row.grade or 0) for row in rows]).T
    seen, expected, stratum, floor = (_of_queries if unit == "query" else _of_documents)(
        pool, place, strata, graded.astype(bool), grade, counts)
    if not len(stratum):
        raise InputError([Problem("no-judged-units", {"unit": unit}, field="grade")])
    current, unity, is_sample = pool.base.mean(axis=1), np.eye(len(pool.names)), len(stratum) < counts.sum()

    def total(weights: np.ndarray) -> SampleEstimate:
        """Of a sum of runs with these weights (N,)."""
        rest = stratified_total(weights @ seen, stratum, counts, floor(weights), level)
        return _in_range(pool.spec, weights, float(weights @ (current + expected)), rest,
                         has_spread=unit == "document" or rest.error != 0 or not is_sample)

    runs = range(len(pool.names))
    return BudgetEstimate(
        pool.spec, unit, pool.names, tuple(current.tolist()), tuple(total(unity[i]) for i in runs),
        {(i, j): total(unity[i] - unity[j]) for i in runs for j in runs if i < j}, len(stratum), int(counts.sum()))


def _in_range(spec: Spec, weights: np.ndarray, start: float, rest: SampleEstimate, *, has_spread: bool
              ) -> SampleEstimate:
    """What was there plus the rest, within what the metric can be; no interval where all that was seen is alike."""
    ends = np.array([spec.range] * len(weights))
    low, high = ends[weights > 0].sum(axis=0) - ends[weights < 0].sum(axis=0)[::-1]
    value, *limits = np.clip(start + np.array([rest.value, rest.low, rest.high]), low, high).tolist()
    return SampleEstimate(value, *limits, rest.error) if has_spread else SampleEstimate(value, np.nan, np.nan, np.nan)


def _checked(pool: JudgmentPool, rows: Sequence[JudgedRow], unit: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(index in the pool of each row, its stratum from 0 up, units of the population in each stratum)."""
    collector = Collector(None)
    place = [pool.place.get((row.query, row.doc), -1) for row in rows]
    for row, index in zip(rows, place, strict=True):
        if index < 0:
            collector.add("sheet-document", {"query": row.query, "document": row.doc}, field="doc_id")
        elif not 0 < row.probability <= 1:
            collector.add("sheet-probability", {"value": row.probability}, field="probability")
    for (query, doc), times in Counter((row.query, row.doc) for row in rows).items():
        if times > 1:
            collector.add("sheet-document/twice", {"query": query, "document": doc, "times": times}, field="doc_id")
    collector.raise_errors()
    if not rows:
        raise InputError([Problem("no-judged-units", {"unit": unit}, field="grade")])
    index = np.array(place, np.int64)
    names, strata = np.unique([row.stratum for row in rows], return_inverse=True)
    units = np.unique(np.stack([strata, pool.query[index] if unit == "query" else index]), axis=1)[0]
    probability = np.zeros(len(names))
    probability[strata] = [row.probability for row in rows]
    counts = np.rint(np.bincount(units, minlength=len(names)) / probability).astype(np.int64)
    expected = len(pool.queries) if unit == "query" else len(pool.query)
    if counts.sum() != expected:
        raise InputError([Problem("sheet-pool", {"units": int(counts.sum()), "expected": expected},
                                  field="probability")])
    return index, strata, counts


Floor = Callable[[np.ndarray], np.ndarray]  # weights of the runs (N,) -> the least variance of each stratum (H,)
Units = tuple[np.ndarray, np.ndarray, np.ndarray, Floor]


def _of_documents(pool: JudgmentPool, place: np.ndarray, strata: np.ndarray, graded: np.ndarray, grade: np.ndarray,
                  counts: np.ndarray) -> Units:
    """(what each judged document adds beyond what was expected (N, n), expected total (N,), strata (n,), floor)."""
    place, strata, grade = place[graded], strata[graded], grade[graded]
    query, ranks = pool.query[place], pool.ranks[:, place]
    added = np.stack([contributions(match, pool.spec, query, rank, grade, base) for match, rank, base in
                      zip(pool.matches, ranks, pool.base, strict=True)])
    n = np.bincount(strata, minlength=len(counts))
    weight = pool.weight[:, place]
    size = (weight ** 2).sum(axis=0)
    gain = np.divide((added * weight).sum(axis=0), size, out=np.zeros(len(place)), where=size > 0)
    inverse = (counts / np.maximum(n, 1))[strata]
    rate = float((gain * inverse).sum() / inverse.sum()) if len(place) else 0.0
    share = (np.bincount(strata, grade >= 1, len(n)) + 1) / (n + 2)

    def floor(weights: np.ndarray) -> np.ndarray:
        squares = np.bincount(strata, (weights @ weight) ** 2, len(n))
        return share * (1 - share) * squares / np.maximum(n, 1)

    return added - rate * weight, rate * pool.weight.sum(axis=1), strata, floor


def _of_queries(pool: JudgmentPool, place: np.ndarray, strata: np.ndarray, graded: np.ndarray, grade: np.ndarray,
                counts: np.ndarray) -> Units:
    """The same of queries all of whose documents are judged; a floor of 0."""
    query = pool.query[place]
    missing = np.bincount(query, ~graded, pool.base.shape[1]) > 0
    rows = ~missing[query]
    queries, first = np.unique(query[rows], return_index=True)
    judged = [with_grades(match.ranked, query[rows], rank[place][rows], grade[rows])
              for match, rank in zip(pool.matches, pool.ranks, strict=True)]
    after = np.stack([np.nan_to_num(values_of(ranked, pool.spec, match))
                      for match, ranked in zip(pool.matches, judged, strict=True)])
    seen = (after - pool.base)[:, queries] / pool.base.shape[1]
    return seen, np.zeros(len(pool.names)), strata[rows][first], lambda weights: np.zeros(len(counts))
