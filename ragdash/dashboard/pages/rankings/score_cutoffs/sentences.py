"""The Score cutoffs page in words: measures, operating points, and what the curves are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.score_thresholds import Half, OperatingPoint, PrecisionRecall, Roc
from ragdash.core.text.template import percent
from ragdash.reporting.plots.common.theme import Axis
from ragdash.reporting.sentences.formatting import UNDEFINED, escape, listed, number, query_count, query_range

# measure -> (title, lowest, highest, which end is better, what it says of how many queries)
MEASURES = {
    "precision": ("Precision", 0.0, 1.0, "higher", "Share of the kept documents that are relevant, mean over "
                  "{queries}; one that keeps nothing counts 0."),
    "recall": ("Recall", 0.0, 1.0, "higher", "Share of a query's relevant documents that are kept, mean over "
               "{queries}."),
    "f1": ("F1", 0.0, 1.0, "higher", "Balance (harmonic mean) of a query's precision and recall, mean over "
           "{queries}."),
    "hit_rate": ("Hit rate", 0.0, 1.0, "higher", "Share of {queries} that keep at least one relevant document."),
    "aqwv": ("AQWV, thresholdless form", -40.0, 1.0, "higher", "Actual query weighted value: recall minus 40 times the "
             "share of the kept documents that are not relevant. 1 is perfect, 0 is what keeping nothing gives. Over "
             "{queries}."),
    "aqwv_material": ("AQWV, MATERIAL form", -40.0, 1.0, "higher", "Actual query weighted value as the MATERIAL "
                      "programme defines it: 1 minus the share of relevant documents missed minus 40 times the share "
                      "of the corpus's other documents that are let through. Needs the size of the corpus. Over "
                      "{queries}."),
    "empty": ("Queries left with nothing", 0.0, 1.0, "lower", "Share of all {queries} for which no document is kept: "
              "the system would have to say that it does not know."),
}
AVERAGE_TITLES = {"pooled": "Pooled", "queries": "Mean over queries"}
AVERAGE_MEANINGS = {
    "pooled": "Pooled: the documents of all queries together, as if their scores had one scale.",
    "queries": "Mean over queries: a curve for each query, then the mean. Each query counts the same.",
}
CUTOFF_AXES = {"quantile": "Share cut off", "score": "Score"}


def measure_axis(measure: str) -> Axis:
    """The axis of a measure of score cutoffs."""
    title, low, high, better, _ = MEASURES[measure]
    return Axis(title, low, high, "", better)


def half_text(value: Half) -> str:
    """0.512 [0.450, 0.570]"""
    has_interval = np.isfinite([value.low, value.high]).all()
    return number(value.value) + (f" [{number(value.low)}, {number(value.high)}]" if has_interval else "")


def score_text(value: float) -> str:
    """A score cutoff to four digits."""
    return f"{value:.4g}".replace("-", "−") if np.isfinite(value) else UNDEFINED


def operating_point_sentence(name: str, point: OperatingPoint) -> str:
    """The operating point of one run as a sentence."""
    title, n = MEASURES[point.measure][0], query_count(point.checked.n)
    checked, bare = escape(half_text(point.checked)), escape(half_text(point.unfiltered))
    first = f"**{escape(name)}**: "
    if np.isinf(point.threshold):
        return (f"{first}no cutoff helps: {title} is highest if nothing is returned, {checked} on {n}, against "
                f"{bare} with every document kept.")
    if point.quantile == 0:
        return f"{first}no cutoff helps: {title} is highest with every document kept, {bare} on {n}."
    before = escape(number(point.unfiltered.value))
    return (f"{first}with documents below a score of {escape(score_text(point.threshold))} dropped, {title} goes from "
            f"{before} to {checked} on {n} held out. {_price_of(point)}")


def rank_scores_sentence(names: Sequence[str]) -> str:
    """That a cutoff by the scores of these runs is one by rank, and where to look instead.

    Examples
    --------
    >>> rank_scores_sentence(["dense"])[:61]
    'The scores of **dense** follow from the rank alone, such as 1'
    """
    more = [f"{len(names) - 3:,} more"] if len(names) > 4 else []
    shown = [f"**{escape(name)}**" for name in (names[:3] if more else names)]
    return (f"The scores of {listed([*shown, *more])} follow from the rank alone, such as 1/rank: a cutoff keeps "
            "the same number of documents for every query. **Precision-recall** shows the result for each number. "
            "To choose a cutoff by score, export the scores of the search.")


def has_price(point: OperatingPoint) -> bool:
    """Whether a cutoff that surely helps loses relevant documents or leaves queries with nothing."""
    (recall, recall_kept), (empty, left_empty) = point.recall, point.empty
    helps = np.isfinite(point.threshold) and point.quantile > 0 and point.checked.low > point.unfiltered.value
    return bool(helps and (recall_kept < recall or left_empty > empty))


def _price_of(point: OperatingPoint) -> str:
    """What the cutoff takes away on held-out queries, and so what to do."""
    if not point.checked.low > point.unfiltered.value:
        return "A gain on new queries is not certain."
    (recall, recall_kept), (empty, left_empty) = point.recall, point.empty
    if not has_price(point):
        return "Use it: no relevant document is lost."
    others = "" if point.queries == point.checked.n else ", with or without a relevant document,"
    return (f"The price: recall over all ranks goes from {escape(number(recall))} to {escape(number(recall_kept))}. "
            f"Of the {query_count(point.queries)} held out{others} {percent(left_empty)} keep no document "
            f"({percent(empty)} without the cutoff).")


def roc_basis(curves: Sequence[Roc]) -> str:
    """What the ROC curves are made of, and where there is none, why."""
    hollow = [curve for curve in curves if not (curve.relevant and curve.other)]
    if len(hollow) == len(curves):
        if any(curve.relevant for curve in curves):
            return (
                "No ROC curve: no returned document is judged as not relevant (grade 0). Read precision-recall "
                "instead: it counts unjudged documents as not relevant."
            )
        return "No run returns a relevant document: no ROC curve."
    low, high = (min(curve.relevant for curve in curves), max(curve.relevant for curve in curves))
    relevant_text = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    other_counts = [curve.other for curve in curves]
    other_text = (
        f"{min(other_counts):,}"
        if min(other_counts) == max(other_counts)
        else f"{min(other_counts):,} to {max(other_counts):,}"
    )
    return (
        f"Of the documents that are judged and were returned: {relevant_text} relevant, {other_text} not. AUC is the "
        "chance that a relevant one scores above one that is not; 0.5 is chance."
    )


def precision_recall_basis(curves: Sequence[PrecisionRecall], average: str) -> str:
    """What the precision-recall curves are made of."""
    if not any(curve.relevant for curve in curves):
        return "No query has a relevant document: no precision-recall curve."
    over = query_range([curve.n for curve in curves])
    end = " Relevant documents that were not returned count in recall; unjudged ones as not relevant."
    if average == "queries":
        return (f"AP, over {over}: mean precision along this curve. A query that keeps nothing counts with precision 0."
                + end)
    return (f"AP, average precision, over {over}: mean precision along the curve, weighted by the gain in recall."
            + end)
