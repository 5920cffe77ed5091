"""Between which values a metric lies, whatever grades the unjudged documents of the first k ranks have.

Letters: Q queries, U unjudged documents within k, x of a query's unjudged documents that are taken for relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.analysis.test_set.unjudged.ndcg_bounds import ndcg_bounds
from ragdash.analysis.test_set.unjudged.precision_bounds import ap_bounds, rprec_bounds
from ragdash.analysis.test_set.unjudged.unjudged_documents import (
    UnjudgedDocuments,
    check_spec,
    find_unjudged,
    top_grade,
    values_of,
    with_grades,
)
from ragdash.core.records.arguments import checked
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics import Spec

_BY_FORMULA: dict[str, Callable] = {"AP": ap_bounds, "Rprec": rprec_bounds, "nDCG": ndcg_bounds}
Ends = tuple[np.ndarray, np.ndarray]
BOTH = ("low", "high")


@dataclass(frozen=True, eq=False)
class Bounds:
    """low, value, high (Q,): least, present and greatest value of each query; NaN where undefined whatever the grades.

    unjudged (Q,) int64: documents in question; appears (Q,) bool: undefined now, defined under some grades (value is
    NaN, low and high are of the cases where it is defined). mean_low, mean, mean_high: of the mean over the queries,
    those that appear counted where that moves it further; n: queries of the present mean.
    """

    spec: Spec
    low: np.ndarray
    value: np.ndarray
    high: np.ndarray
    unjudged: np.ndarray
    appears: np.ndarray
    mean_low: float
    mean: float
    mean_high: float
    n: int


@checked
def bounds(match: Match, spec: Spec, sides: Sequence[str] = BOTH) -> Bounds:
    """The least and the greatest value of a spec over all grades that its unjudged documents could have.

    In question are the documents within the spec's cutoff (all returned, without one) that have no judgment; each
    may have any whole grade from 0 to the highest of the judgments. Documents that no one returned stay out of it, so
    recall's denominator may still be too small. The bounds are attained, each query by itself:

    - P, R, F1, Success, RR, ERR, RBP, AQWV@k, MeanRank never get worse as a grade rises: all irrelevant is one end,
      all of the highest grade the other.
    - AP and nDCG may fall as a document becomes relevant, since R or the ideal order grows with it: one relevant
      document at rank 1 has AP 1; with another one found at rank 10 it is 0.6. For a number x of relevant documents
      the value is greatest with the best x ranks and least with the last x, so all x are tried. nDCG falls least
      where all assigned grades are 0 or the highest (it is a quotient of a linear and a convex function of the gains);
      the greatest value over all grades is found by Dinkelbach's method, which is exact here.
    - Rprec, bpref and AUC: all x are tried in the same way (one after the other for the last two: slow for deep
      rankings). These two pass unjudged documents over, so that a grade of 0 also changes them; the present value is
      taken into the bounds.

    sides: the ends that are asked for; another one is not to be read. For nDCG each of them takes half of the time.

    Raises Unavailable for metrics that grades do not decide or that are no mean over queries, and where documents are
    matched by evidence.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> from ragdash import parse_specs
    >>> result = bounds(Match(run, truth), parse_specs("P@1")[0])
    >>> result.low.tolist(), result.value.tolist(), result.high.tolist()
    ([0.0, 1.0], [0.0, 1.0], [1.0, 1.0])
    """
    check_spec(match, spec)
    ranked, open_ = match.ranked, find_unjudged(match, spec.k)
    value = values_of(ranked, spec, match)
    top = top_grade(ranked, spec)
    if spec.metric.bounds == "monotone":
        low, high = _monotone_bounds(match, spec, open_, top, value, sides)
    elif spec.name in _BY_FORMULA:
        low, high = _BY_FORMULA[spec.name](ranked, spec, open_, top, sides)
    else:
        low, high = _exhaustive_bounds(match, spec, open_, top)
    low, high = np.fmin(low, value), np.fmax(high, value)
    if match.conventions.missing == "skip":
        low[ranked.missing] = high[ranked.missing] = np.nan
    for array in (low, value, high):
        array.setflags(write=False)
    appears = np.isnan(value) & ~(np.isnan(low) & np.isnan(high))
    n = int((~np.isnan(value)).sum())
    least, greatest = (_furthest(end, appears, sign) if side in sides else np.nan
                       for side, end, sign in (("low", low, -1), ("high", high, 1)))
    return Bounds(spec, low, value, high, open_.count, appears, least,
                  float(value[~np.isnan(value)].mean()) if n else np.nan, greatest, n)


def present_mean(match: Match, spec: Spec) -> float:
    """The mean that the bounds are around: of the defined values; NaN without any. Raises Unavailable as `bounds`."""
    check_spec(match, spec)
    value = values_of(match.ranked, spec, match)
    return float(value[~np.isnan(value)].mean()) if not np.isnan(value).all() else np.nan


def _monotone_bounds(match: Match, spec: Spec, open_: UnjudgedDocuments, top: int, value: np.ndarray,
                     sides: Sequence[str]) -> Ends:
    """Of a metric that never gets worse: none and all relevant. A query undefined without a relevant document is
    least, where it is defined, with the last of its documents alone, at the least grade that is relevant."""
    worst = all_relevant = value
    if tuple(sides) != ("low",) or spec.metric.better != "higher":
        all_relevant = values_of(_with_unjudged_grades(match.ranked, open_, np.full(len(open_.query), top)), spec,
                                 match)
    if np.isnan(value).any():
        last = open_.position == open_.count[open_.query]
        lowest_grade = np.full(int(last.sum()), dict(spec.params).get("rel", 1))
        one_relevant = with_grades(match.ranked, open_.query[last], open_.rank[last], lowest_grade)
        worst = np.where(np.isnan(value), values_of(one_relevant, spec, match), value)
    return np.fmin(worst, all_relevant), np.fmax(worst, all_relevant)


def _exhaustive_bounds(match: Match, spec: Spec, open_: UnjudgedDocuments, top: int) -> Ends:
    """Every x: the x best ranks relevant for the greatest value, the x last ones for the least; the others 0."""
    low, high = np.full((2, match.ranked.queries), np.nan)
    position, count, mark = open_.position, open_.count[open_.query], np.iinfo(np.int64).min
    template = _with_unjudged_grades(match.ranked, open_, np.full(len(position), mark))
    rows, judged = template.grade == mark, template.judged_grade == mark  # sorted once: these metrics count grades only

    def with_grades(relevant: np.ndarray) -> np.ndarray:
        grade, judged_grade, grades = template.grade.copy(), template.judged_grade.copy(), np.where(relevant, top, 0)
        grade[rows] = judged_grade[judged] = grades
        return values_of(replace(template, grade=grade, judged_grade=judged_grade), spec, match)

    for x in range(int(open_.count.max(initial=0)) + 1):
        low, high = np.fmin(low, with_grades(position > count - x)), np.fmax(high, with_grades(position <= x))
    return low, high


def _with_unjudged_grades(ranked: Ranked, open_: UnjudgedDocuments, grade: np.ndarray) -> Ranked:
    return with_grades(ranked, open_.query, open_.rank, grade)


def _furthest(values: np.ndarray, appears: np.ndarray, sign: int) -> float:
    """The least (sign -1) or greatest (1) mean of values, those that appear being in it or not; NaN without any."""
    sure = values[~appears & ~np.isnan(values)]
    free = np.sort(sign * values[appears])[::-1]
    if not len(sure):
        return float(sign * free[0]) if len(free) else np.nan
    means = (sign * sure.sum() + np.concatenate(([0.0], np.cumsum(free)))) / (len(sure) + np.arange(len(free) + 1))
    return float(sign * means.max())
