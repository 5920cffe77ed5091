"""Retrieval seen as detection: is a document rightly let through? AUC and the actual query weighted value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked, Values
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.of_spans import aqwv_of_spans
from ragdash.metrics.rankings.sums import sum_before
from ragdash.metrics.registry import CorpusValue, metric

_BETA = {"beta": (0.0, 1e6), "rel": (1, 2**31)}


@metric("AUC", "ROC AUC", formula=r"\frac{|\{(r, n): r \text{ ranked above } n\}|}{|r| \cdot |n|}",
        source="Fawcett 2006; scikit-learn roc_auc_score", relevance=False, aliases=("roc_auc",),
        allowed={"rel": (1, 2**31), "unretrieved": ("ignore", "last")},
        by_evidence="ranks", bounds="search",
        when="Do scores separate relevant from non-relevant, at any cutoff? For thresholds and re-rankers.",
        differs="scikit-learn's roc_auc_score of the same documents; it counts equal scores half, here the order of "
                "the ranking counts.",
        example=Example("ranking", "AUC", 0.5,
                        "of the four pairs (a, x) (a, y) (b, x) (b, y) two have the relevant one higher"))
def auc(ranked: Ranked, *, rel: int = 1, unretrieved: str = "ignore") -> Values:
    """Probability that a relevant judged document is ranked above a non-relevant judged one; 0.5 is chance.

    Among the documents that are judged and returned. unretrieved='last' ranks the other judged ones after them, all
    tied. A negative grade counts as a judged non-relevant document. The order is that of the ranking, so equal scores
    are ordered as in every metric. Undefined if either class is empty. Returns (Q,) in [0, 1].
    """
    is_rel, count = ranked.grade >= rel, ranked.queries
    nonrelevant_above = sum_before(ranked.query, ~is_rel)[is_rel]
    found_rel = np.bincount(ranked.query[is_rel], minlength=count)
    found_non = np.bincount(ranked.query[~is_rel], minlength=count)
    ordered = found_rel * found_non - np.bincount(ranked.query[is_rel], nonrelevant_above, count)
    if unretrieved == "last":
        all_rel = ranked.relevant(rel)
        all_non = np.bincount(ranked.judged_query, minlength=count) - all_rel
        rest_rel, rest_non = all_rel - found_rel, all_non - found_non
        ordered = ordered + found_rel * rest_non + 0.5 * rest_rel * rest_non
        found_rel, found_non = all_rel, all_non
    pairs = found_rel * found_non
    return np.divide(ordered, pairs, out=np.full(count, np.nan), where=pairs > 0)


@metric("AQWV", "AQWV", formula=r"1 - P_{miss} - \beta \cdot P_{FA}",
        source="NIST MATERIAL evaluation plan; the thresholdless form from RAG practice", range=("-beta", 1.0),
        allowed={**_BETA, "form": ("thresholdless", "material"), "corpus_size": (1, 2**62)},
        by_evidence=aqwv_of_spans, bounds="monotone",
        when="False alarms are expensive and the system may return nothing: the measure of the MATERIAL program.",
        differs="Two forms have this name; the thresholdless one divides false alarms by the returned documents.",
        example=Example("ranking", "AQWV@5", 1 - 1 / 3 - 40 * 3 / 5, "1 - 1/3 missed - 40 · 3/5 false alarms"))
def aqwv(ranked: Ranked, k: Cutoffs, *, beta: float = 40.0, rel: int = 1, form: str = "thresholdless",
         corpus_size: int | None = None, threshold: float | None = None) -> Values:
    """Actual query weighted value: 1 minus the misses minus beta times the false alarms.

    form='thresholdless' (needs a cutoff): P_miss = 1 - R@k; P_FA = non-relevant documents in the first k over all in
    the first k, 0 where nothing was returned. With ten returned and one relevant the best possible is -35: read it
    on its own axis. form='material' (no cutoff) is the program's: detections are documents with a score >= threshold
    (default: all returned), P_FA = false alarms / (corpus_size - R); a value of the corpus, 1 - mean P_miss (queries
    with relevant documents) - beta * mean P_FA (all queries). In [-beta, 1]; returns (Q, K).
    """
    if form == "material":
        if k[-1] != ALL:
            raise _mistake("material-cutoff", {"cutoff": int(k[0])})
        return _material_aqwv(ranked, beta, rel, _checked_corpus_size(ranked, corpus_size, rel), threshold)
    if corpus_size is not None or threshold is not None:
        raise _mistake("material-only")
    if k[-1] == ALL:
        raise _mistake("aqwv-cutoff")
    relevant, hits = ranked.relevant(rel), ranked.hits_at(k, rel)
    returned = ranked.returned_at(k)
    false_alarms = np.divide(returned - hits, returned, out=np.zeros(hits.shape), where=returned > 0)
    recall = np.divide(hits, relevant[:, None], out=np.full(hits.shape, np.nan), where=relevant[:, None] > 0)
    return recall - beta * false_alarms


@metric("MQWV", "MQWV", formula=r"\max_t AQWV(t)", source="NIST MATERIAL evaluation plan", range=("-beta", 1.0),
        aggregate="corpus", allowed={**_BETA, "corpus_size": (1, 2**62)},
        when="The best value of any score cutoff; the gap to AQWV is the gain of a better threshold.",
        differs="As in the MATERIAL program, with the threshold chosen on these queries.",
        example=Example("ranking", "MQWV(corpus_size=1000)", 2 / 3 - 40 / 997,
                        "best with x, a, b kept: 1 - 1/3 - 40 · 1/997, in a corpus of 1,000"))
def mqwv(ranked: Ranked, *, beta: float = 40.0, rel: int = 1, corpus_size: int | None = None) -> Values:
    """Maximum query weighted value: AQWV(form='material') at the score threshold that makes it greatest.

    Found on the very queries it is reported for, so it flatters; its interval holds the threshold fixed.
    Returns (Q,) in [-beta, 1].
    """
    size = _checked_corpus_size(ranked, corpus_size, rel)
    return _material_aqwv(ranked, beta, rel, size, _best_threshold(ranked, beta, rel, size))


def _best_threshold(ranked: Ranked, beta: float, rel: int, size: int) -> float:
    """The score of a relevant document at which AQWV is greatest; infinity (no detection) if none is better.

    Between two such scores a lower threshold only adds false alarms. All thresholds are tried in one pass.
    """
    if ranked.scores is None:
        raise _mistake("mqwv-scores")
    relevant = ranked.relevant(rel)
    query, _ = ranked.hits(rel)
    score = ranked.score[ranked.grade >= rel]
    thresholds = np.unique(score)
    alarm, hit = 1 / (size - relevant), 1 / np.maximum(relevant, 1)
    all_scores, all_queries = ranked.all_scores()
    alarms = _sum_from(thresholds, all_scores, alarm[all_queries]) - _sum_from(thresholds, score, alarm[query])
    mean_recall = _sum_from(thresholds, score, hit[query]) / max((relevant > 0).sum(), 1)
    value = mean_recall - beta * alarms / max(ranked.queries, 1)
    best = int(np.argmax(value)) if len(value) else -1
    return float(thresholds[best]) if best >= 0 and value[best] > 0 else np.inf


def _sum_from(thresholds: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sum of the weights of the scores >= each threshold: (T,); thresholds ascend."""
    cell = np.searchsorted(thresholds, scores, "right")
    sums = np.bincount(cell, weights, len(thresholds) + 1)
    return np.cumsum(sums[::-1])[::-1][1:]


def _material_aqwv(ranked: Ranked, beta: float, rel: int, size: int, threshold: float | None) -> CorpusValue:
    """AQWV of the MATERIAL program at one threshold; None takes every returned document as a detection."""
    relevant = ranked.relevant(rel)
    query, _ = ranked.hits(rel)
    if threshold is None:
        detected = ranked.returned
    else:
        if ranked.scores is None:
            raise _mistake("threshold-scores")
        query = query[ranked.score[ranked.grade >= rel] >= threshold]
        detected = ranked.returned_from(threshold)
    hits = np.bincount(query, minlength=ranked.queries)
    has_relevant = (relevant > 0).astype(np.float64)
    miss = np.divide(relevant - hits, relevant, out=np.zeros(ranked.queries), where=relevant > 0)
    alarm = (detected - hits) / (size - relevant)
    values = np.where(relevant > 0, 1 - miss - beta * alarm, np.nan)
    unit_weight = np.ones(ranked.queries)
    return CorpusValue(values, 1.0, ((-1.0, miss, has_relevant), (-beta, alarm, unit_weight)))


def _checked_corpus_size(ranked: Ranked, corpus_size: int | None, rel: int) -> int:
    smallest = int(max(ranked.relevant(rel).max(initial=0), ranked.returned.max(initial=0))) + 1
    if corpus_size is None or corpus_size < smallest:
        raise _mistake("corpus-size-needed", {"size": str(corpus_size), "needed": smallest})
    return corpus_size


def _mistake(wording: str, facts: Mapping | None = None) -> InputError:
    return InputError([Problem(f"metric-parameter/{wording}", facts or {}, field="metric")])
