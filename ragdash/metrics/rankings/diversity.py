"""Does a ranking serve all meanings of a query? Read from judgments of subtopics, as in TREC's web track.

A document gains 1 for each subtopic that it is relevant to, and less for one that documents before it had: each of them
leaves the share 1 - alpha. Undefined (NaN) for a query without a document of grade rel for some subtopic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ragdash.matching.views.ranked import Cutoffs, Values
from ragdash.matching.views.subtopics import Diversified, Grades
from ragdash.metrics.registry import metric

_REL = {"rel": (1, 2**31)}
_LONGEST = 2000  # ranks after which a gain that is halved at each rank adds nothing
_NDEVAL = "ndeval and ir_measures {0}: the same per query where no scores are equal"


@metric("alpha_nDCG", "Alpha-nDCG",
        formula=r"\frac{1}{ideal} \sum_{i \leq k} \frac{\sum_s g_{i,s} (1 - \alpha)^{c_{i,s}}}{\log_2(i + 1)}",
        source="Clarke et al. 2008; ndeval", cutoff="required", relevance=False,
        allowed={**_REL, "alpha": (0.0, 1.0)}, aliases=("alpha-nDCG", "andcg"),
        when="Queries with several meanings: a list of near-duplicates must not score like one that covers them all.",
        differs=_NDEVAL.format("alpha_nDCG") + "; the ideal ranking is built greedily there too.")
def alpha_ndcg(diversified: Diversified, k: Cutoffs, *, alpha: float = 0.5, rel: int = 1) -> Values:
    """Discounted gain of new subtopics, over that of the ideal ranking.

    The ideal ranking takes the document with the highest gain at each rank, of equal ones the higher id, as in ndeval.
    Returns (Q, K) in [0, 1].
    """
    deepest = int(min(k.max(initial=1), max(map(len, diversified.judged), default=1)))
    gained = np.array([_at(k, _gains(documents, alpha, rel)) for documents in diversified.returned])
    best = np.array([_at(k, _ideal_gains(documents, alpha, rel, deepest)) for documents in diversified.judged])
    return _where_judged(diversified, rel, gained, best)


@metric("ERR_IA", "Intent-aware ERR",
        formula=r"\frac{1}{ideal} \sum_{i \leq k} \frac{1}{i} \sum_s g_{i,s} \left(\tfrac{1}{2}\right)^{c_{i,s}}",
        source="Chapelle et al. 2011; ndeval", cutoff="required", relevance=False, allowed=_REL,
        aliases=("ERR-IA", "err_ia"),
        when="As alpha-nDCG, for readers who stop at the first document that answers them.",
        differs=_NDEVAL.format("ERR_IA") + ", except at 1, where ndeval does not divide by the ideal.")
def err_intent_aware(diversified: Diversified, k: Cutoffs, *, rel: int = 1) -> Values:
    """Gain of new subtopics over the rank, over that of documents that are all relevant to every subtopic.

    Returns (Q, K) in [0, 1].
    """
    gained = np.array([_at(k, _gains(documents, 0.5, rel), by_rank=True) for documents in diversified.returned])
    every = [(rank, 0.5 ** (rank - 1)) for rank in range(1, int(min(k.max(initial=1), _LONGEST)) + 1)]
    best = np.outer(diversified.subtopics(rel), _at(k, every, by_rank=True))
    return _where_judged(diversified, rel, gained, best)


@metric("NRBP", "Novelty- and rank-biased precision",
        formula=r"\frac{1 - (1 - \alpha)\beta}{S} \sum_i \beta^{i - 1} \sum_s g_{i,s} (1 - \alpha)^{c_{i,s}}",
        source="Clarke et al. 2009; ndeval", relevance=False,
        allowed={**_REL, "alpha": (0.0, 1.0), "beta": (0.0, 0.9999)}, aliases=("nrbp",),
        when="Diversity without a cutoff, for a reader who goes on to the next rank with probability beta.",
        differs=_NDEVAL.format("NRBP") + ".")
def novelty_rank_biased_precision(diversified: Diversified, *, alpha: float = 0.5, beta: float = 0.5,
                                  rel: int = 1) -> Values:
    """Gain of new subtopics, weighted by how likely the reader gets to each rank. Returns (Q,) in [0, 1]."""
    gained = np.array([sum(gain * beta ** (rank - 1) for rank, gain in _gains(documents, alpha, rel))
                       for documents in diversified.returned], np.float64)
    best = diversified.subtopics(rel) / (1 - (1 - alpha) * beta)
    return _where_judged(diversified, rel, gained[:, None], best[:, None])[:, 0]


@metric("StRecall", "Subtopic recall", formula=r"\frac{|\text{subtopics of } top_k|}{S}",
        source="Zhai et al. 2003; ndeval", cutoff="required", relevance=False, allowed=_REL,
        aliases=("strec", "subtopic_recall", "S_recall"),
        when="The share of the meanings of a query that the first k documents serve at all.",
        differs=_NDEVAL.format("StRecall") + ".")
def subtopic_recall(diversified: Diversified, k: Cutoffs, *, rel: int = 1) -> Values:
    """Share of the subtopics that a document in the first k ranks is relevant to. Returns (Q, K) in [0, 1]."""
    covered = np.array([_at(k, _gains(documents, 1.0, rel), discounted=False) for documents in diversified.returned])
    best = np.broadcast_to(diversified.subtopics(rel).astype(np.float64)[:, None], covered.shape)
    return _where_judged(diversified, rel, covered, best)


def _gains(documents: Iterable[tuple[int, Grades]], alpha: float, rel: int) -> Iterator[tuple[int, float]]:
    """(rank, gain) of documents in the order of their ranks."""
    left: dict[str, float] = {}
    for rank, grades in documents:
        gain = 0.0
        for subtopic, grade in grades.items():
            if grade >= rel:
                gain += left.get(subtopic, 1.0)
                left[subtopic] = left.get(subtopic, 1.0) * (1 - alpha)
        if gain:
            yield rank, gain


def _ideal_gains(documents: Iterable[Grades], alpha: float, rel: int, deepest: int) -> Iterator[tuple[int, float]]:
    """(rank, gain) of the greedy ideal ranking. documents: by id, descending, which decides among equal gains."""
    remaining = [topics for grades in documents if (topics := [name for name, grade in grades.items() if grade >= rel])]
    left: dict[str, float] = {}
    for rank in range(1, deepest + 1):
        gains = [sum(left.get(subtopic, 1.0) for subtopic in topics) for topics in remaining]
        best = max(gains, default=0.0)
        if not best:
            return
        topics = remaining.pop(gains.index(best))
        left.update({subtopic: left.get(subtopic, 1.0) * (1 - alpha) for subtopic in topics})
        yield rank, best


def _at(k: Cutoffs, gains: Iterable[tuple[int, float]], *, by_rank: bool = False,
        discounted: bool = True) -> np.ndarray:
    """Sum of the gains at a rank <= k, over log2(rank + 1), over the rank, or as they are: (K,)."""
    pairs = list(gains)
    ranks = np.array([rank for rank, _ in pairs], np.float64)
    weights = (1 / ranks if by_rank else 1 / np.log2(ranks + 1)) if discounted else np.ones(len(pairs))
    total = np.concatenate(([0.0], np.cumsum(np.array([gain for _, gain in pairs], np.float64) * weights)))
    return total[np.searchsorted(ranks, k, "right")]


def _where_judged(diversified: Diversified, rel: int, gained: np.ndarray, best: np.ndarray) -> Values:
    """gained / best, NaN for queries without a relevant document: (Q, K)."""
    judged = diversified.subtopics(rel)[:, None] > 0
    return np.where(judged, gained / np.where(judged & (best > 0), best, 1.0), np.nan)
