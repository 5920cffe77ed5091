"""ROC and precision-recall by score: pooled over all queries, and ROC as the mean over queries.

Letters: P points of a curve, G points of the grid, Q queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.analysis.score_thresholds.retained_counts import RetainedCounts, divide_or_nan
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import Ranked, ordinal
from ragdash.metrics.rankings.score_detection import auc

GRID = 100
"""Steps of the false positive rate at which curves of queries are averaged."""
POINTS = 1000
"""Points of a pooled curve that are kept for a picture, from each end more densely; areas come from all of them."""


@dataclass(frozen=True, eq=False)
class Roc:
    """Rates of the documents that are judged and were returned, as in the metric AUC.

    Pooled, as if the scores of all queries were on one scale: threshold, fpr, tpr (P,), from (0, 0) at infinity to
    (1, 1); auc: area under all points, equal scores counting half; relevant, other: documents of either class.
    Mean over the n queries that have both classes, in ranking order: grid_fpr, mean_tpr (G,); macro_auc: mean of the
    metric AUC. NaN and empty where a class is.
    """

    threshold: np.ndarray
    fpr: np.ndarray
    tpr: np.ndarray
    auc: float
    relevant: int
    other: int
    grid_fpr: np.ndarray
    mean_tpr: np.ndarray
    macro_auc: float
    n: int


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Pooled precision and recall of what n queries keep at each score: threshold, precision, recall: (P,).

    From the highest score downwards; unjudged documents are not relevant, relevant ones that were not returned count
    in recall, so it may end below 1. average_precision: sum over the scores of precision * gain in recall, as
    scikit-learn's but over all relevant documents. Over the queries of the metric P. NaN and empty if none is
    relevant.
    """

    threshold: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    average_precision: float
    relevant: int
    n: int


def roc(match: Match, rel: int = 1) -> Roc:
    """Pooled and mean ROC of a run. Raises InputError for a run without scores.

    Source: Fawcett 2006, algorithms 1 (pooled) and 4 (vertical averaging).
    """
    RetainedCounts.of(match, rel)
    ranked = match.ranked
    is_rel = ranked.grade >= rel
    level, relevant, other = _falling(ranked.score, is_rel, ~is_rel)
    p, n = int(is_rel.sum()), int((~is_rel).sum())
    grid, mean_tpr, values = np.arange(GRID + 1) / GRID, _mean_curve(ranked, is_rel), auc(ranked, rel=rel)
    queries = int((~np.isnan(values)).sum())
    macro = float(np.nanmean(values)) if queries else np.nan
    if not p or not n:
        return Roc(*np.zeros((3, 0)), np.nan, p, n, grid, mean_tpr, macro, queries)
    threshold = np.concatenate(([np.inf], level))
    tp, fp = (np.concatenate(([0], counts)) for counts in (relevant, other))
    area = float((np.diff(fp) * (tp[1:] + tp[:-1])).sum() / (2 * p * n))
    points = _thinned(len(threshold))
    return Roc(threshold[points], fp[points] / n, tp[points] / p, area, p, n, grid, mean_tpr, macro, queries)


def pr_by_score(match: Match, rel: int = 1) -> PrecisionRecall:
    """Pooled precision and recall of a run at each of its scores. Raises InputError for a run without scores."""
    retained = RetainedCounts.of(match, rel)
    retained = retained.only(retained.answerable)
    relevant, queries = int(retained.relevant[retained.answerable].sum()), int(retained.answerable.sum())
    if not relevant:
        return PrecisionRecall(*np.zeros((3, 0)), np.nan, relevant, queries)
    scores = np.concatenate((retained.scores, retained.score))
    is_hit = np.arange(len(scores)) >= len(retained.scores)
    level, returned, hits = _falling(scores, ~is_hit, is_hit)
    precision, recall = divide_or_nan(hits, returned), hits / relevant
    average = float((np.diff(recall, prepend=0) * precision).sum())
    points = _thinned(len(level))
    return PrecisionRecall(level[points], precision[points], recall[points], average, relevant, queries)


def _falling(scores: np.ndarray, *flags: np.ndarray) -> tuple[np.ndarray, ...]:
    """(distinct scores, falling, how many flagged entries have that score or more, for each of flags): (P,) each."""
    order = np.argsort(-scores)
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(ordered) else np.zeros(0, np.int64)
    return ordered[last], *(np.cumsum(flag[order])[last] for flag in flags)


def _mean_curve(ranked: Ranked, is_rel: np.ndarray) -> np.ndarray:
    """Mean over the queries with both classes of the true positive rate at each rate of false ones: (G,).

    A query's curve is a staircase: between the false positives j and j + 1 it is at the share of its relevant
    documents above the latter. At a riser its upper end counts.
    """
    count = ranked.queries
    relevant, other = (np.bincount(ranked.query[flag], minlength=count) for flag in (is_rel, ~is_rel))
    both = np.flatnonzero((relevant > 0) & (other > 0))
    if not len(both):
        return np.full(GRID + 1, np.nan)
    query = ranked.query[~is_rel]
    above = ordinal(ranked.query)[~is_rel] - ordinal(query)  # entries before it, less the other ones
    start = np.cumsum(other) - other
    mean = np.ones(GRID + 1)
    for step in range(GRID):
        mean[step] = (above[start[both] + step * other[both] // GRID] / relevant[both]).mean()
    return mean


def _thinned(count: int) -> np.ndarray:
    """At most POINTS of 0 .. count - 1, both ends among them: evenly, and closer together near the start."""
    if count <= POINTS:
        return np.arange(count)
    half = POINTS // 2
    spread = np.concatenate((np.linspace(0, count - 1, half), np.geomspace(1, count, half) - 1))
    return np.unique(spread.round().astype(np.int64))
