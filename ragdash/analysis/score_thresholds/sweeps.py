"""Every measure against the score threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.analysis.score_thresholds.retained_counts import MEASURES, RetainedCounts, divide_or_nan, means
from ragdash.core.errors import InputError, Problem
from ragdash.matching.match import Match


@dataclass(frozen=True, eq=False)
class Sweep:
    """What remains of a run at each threshold, where documents with a score >= threshold are kept: arrays (T,).

    thresholds: ascending; quantiles: share of the returned documents with a score below, in [0, 1].
    Means over n queries, those with a relevant document (all under unanswerable="zero"): precision, of the kept ones
    (P(denominator='returned')), 0 where none is kept; recall; f1, harmonic mean of the two, of each query first;
    hit_rate: a relevant document is kept; aqwv: the thresholdless form, recall - beta * non-relevant / kept, 0 where
    none is kept. empty: share of all `queries` that keep no document, the unanswerable ones among them.
    aqwv_material: the corpus value of AQWV(form='material'), None without a corpus size.
    pooled_precision, pooled_recall, pooled_f1: of the sums over the same n queries; NaN where their denominator is
    0: precision where none keeps a document. All but empty are NaN where n is 0.
    """

    thresholds: np.ndarray
    quantiles: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray
    hit_rate: np.ndarray
    empty: np.ndarray
    aqwv: np.ndarray
    aqwv_material: np.ndarray | None
    pooled_precision: np.ndarray
    pooled_recall: np.ndarray
    pooled_f1: np.ndarray
    n: int
    queries: int
    rel: int
    beta: float
    corpus_size: int | None


def sweep(match: Match, thresholds=None, rel: int = 1, beta: float = 40.0, *, corpus_size: int | None = None) -> Sweep:
    """Compute every measure at every score threshold, in one pass over the scores.

    Parameters
    ----------
    match
        A run with scores.
    thresholds
        Numbers in any order; default: at most 200 quantiles of all scores, with the lowest and the highest.
    rel
        The lowest relevant grade.
    beta
        The weight of false alarms in AQWV.
    corpus_size
        Documents that could be returned, for the MATERIAL form of AQWV.

    Returns
    -------
    Sweep
        The metrics of the run cut at each threshold. A query that retains nothing is an empty ranking.

    Raises
    ------
    InputError
        The run has no scores, a threshold is NaN, or the corpus is smaller than what was returned.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.matching.match import Match
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["x", "a", "b"], [2.0, 1.0, 1.0])
    >>> result = sweep(Match(run, truth), thresholds=[1.0, 1.5])
    >>> result.precision.tolist(), result.recall.tolist()
    ([0.75, 0.0], [1.0, 0.0])
    """
    retained = RetainedCounts.of(match, rel, beta, corpus_size)
    thresholds = retained.thresholds() if thresholds is None else _ascending(thresholds)
    measures = (*(name for name in MEASURES if name != "aqwv_material" or corpus_size is not None), "empty")
    values = means(retained, thresholds, measures)
    hits, returned, relevant = (values.pop(name) for name in ("hits", "retained", "relevant"))
    return Sweep(
        thresholds,
        retained.share_below(thresholds),
        aqwv_material=values.pop("aqwv_material", None),
        **values,
        pooled_precision=divide_or_nan(hits, returned),
        pooled_recall=divide_or_nan(hits, relevant),
        pooled_f1=divide_or_nan(2 * hits, returned + relevant),
        n=int(retained.answerable.sum()),
        queries=int(retained.asked.sum()),
        rel=rel,
        beta=retained.beta,
        corpus_size=corpus_size,
    )


def _ascending(thresholds) -> np.ndarray:
    """The distinct thresholds, ascending: (T,) float64."""
    values = np.asarray(thresholds, np.float64).ravel()
    if not len(values) or np.isnan(values).any():
        raise InputError([Problem("threshold/nan" if len(values) else "threshold", field="thresholds")])
    return np.unique(values)
