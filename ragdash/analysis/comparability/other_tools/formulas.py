"""The six metrics of rankings under any rules: one value per query, before it is decided which queries count.

Letters: Q queries, H hits. A query without a relevant document has 0 here.
"""

from __future__ import annotations

import numpy as np

from ragdash.analysis.comparability.other_tools.ranks import Ranks
from ragdash.analysis.comparability.other_tools.rules import Rules
from ragdash.matching.views.ranked import ordinal
from ragdash.metrics.rankings.retrieval import grade_gain, highest_grades


def values_under(metric: str, k: int | None, ranks: Ranks, rules: Rules) -> np.ndarray:
    """The value of each query: (Q,) float64; metric: P, R, RR, AP, nDCG or Success."""
    cutoff = k if k is not None else rules.depth if rules.depth is not None else np.iinfo(np.int64).max
    hit = (ranks.grade >= rules.rel) & (ranks.rank <= cutoff)
    query, rank, judgment = ranks.query[hit], ranks.rank[hit], ranks.judgment[hit]
    first = _first_time(judgment)
    relevant = np.bincount(ranks.judged_query[ranks.judged_grade >= rules.rel], minlength=len(ranks.returned))
    queries = len(relevant)
    if metric == "nDCG":
        return _ndcg(ranks, rules, cutoff)
    if metric == "P":
        counted = query if rules.duplicates == "count" else query[first]
        return _over(np.bincount(counted, minlength=queries), _precision_size(ranks, rules, cutoff))
    if metric == "AP":
        return _average_precision(query, rank, judgment, first, relevant, rules)
    distinct = np.bincount(query[first], minlength=queries)
    if metric == "R":
        return _over(distinct, relevant)
    if metric == "Success":
        return (distinct > 0).astype(np.float64)
    if rules.per_document:
        return _over(np.bincount(query[first], 1 / rank[first], queries), relevant)
    if rules.every:
        counted = np.ones(len(query), bool) if rules.duplicates == "count" else first
        return np.bincount(query[counted], 1 / rank[counted], queries)
    out = np.zeros(queries)
    out[query[::-1]] = 1 / rank[::-1]
    return out


def _first_time(judgment: np.ndarray) -> np.ndarray:
    """Whether a document is here for the first time: (H,) bool."""
    first = np.zeros(len(judgment), bool)
    first[np.unique(judgment, return_index=True)[1]] = True
    return first


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return part / np.maximum(whole, 1)


def _precision_size(ranks: Ranks, rules: Rules, cutoff: int) -> np.ndarray:
    """What P divides by: (Q,)."""
    if rules.denominator == "k":
        return np.full(len(ranks.returned), cutoff)
    sizes = np.minimum(ranks.returned, cutoff)
    if rules.denominator == "distinct":
        again = ranks.repeat_query[ranks.repeat_rank <= cutoff]
        sizes = sizes - np.bincount(again, minlength=len(sizes))
    return sizes


def _average_precision(query: np.ndarray, rank: np.ndarray, judgment: np.ndarray, first: np.ndarray,
                       relevant: np.ndarray, rules: Rules) -> np.ndarray:
    queries = len(relevant)
    if rules.duplicates != "count":
        query, rank, judgment = query[first], rank[first], judgment[first]
    if rules.per_document:  # the mean of each document's own average precision
        _, group, times = np.unique(judgment, return_inverse=True, return_counts=True)
        order = np.argsort(group, kind="stable")
        nth = np.empty(len(group), np.int64)
        nth[order] = ordinal(group[order])
        return _over(np.bincount(query, nth / rank / times[group], queries), relevant)
    total = np.bincount(query, ordinal(query) / rank, queries)
    return _over(total, relevant if rules.denominator != "found" else np.bincount(query, minlength=queries))


def _ndcg(ranks: Ranks, rules: Rules, cutoff: int) -> np.ndarray:
    queries = len(ranks.returned)
    shown = ranks.rank <= cutoff
    if rules.duplicates != "count":
        shown &= _first_time(ranks.judgment)
    highest = highest_grades(ranks.judged_query, ranks.judged_grade, queries)
    gains = grade_gain(ranks.grade, rules.gain, highest[ranks.query])
    dcg = np.bincount(ranks.query[shown], (gains / np.log2(ranks.rank + 1))[shown], queries)
    query, grade = ranks.judged_query, ranks.judged_grade
    if rules.ideal == "found":
        order = np.lexsort((-ranks.grade, ranks.query))
        query, grade = ranks.query[order], ranks.grade[order]
    place = ordinal(query)
    limit = np.full(queries, np.iinfo(np.int64).max if rules.ideal == "uncut" else cutoff)
    if rules.ideal == "returned":
        limit = np.minimum(limit, ranks.returned)
    inside = place <= limit[query]
    gains = grade_gain(grade, rules.gain, highest[query]) / np.log2(place + 1)
    best = np.bincount(query[inside], gains[inside], queries)
    return np.divide(dcg, best, out=np.zeros(queries), where=best > 0)
