"""Metrics that add up gains along the ranking: DCG and what trec_eval makes of it.

Undefined (NaN) for a query without a document of grade 1 or more, 0 for an empty ranking. A negative or missing grade
gains nothing.
"""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import Cutoffs, Ranked, Values, ordinal
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.retrieval import grade_gain
from ragdash.metrics.rankings.sums import RunningSums, sum_before, undefined_without
from ragdash.metrics.registry import metric

_AT_A = (3 / np.log2(3)) / (3 + 2 / np.log2(3))  # NDCG at rank 2 of the worked example
_AT_B = (3 / np.log2(3) + 0.5) / (3 + 2 / np.log2(3) + 0.5)

@metric("DCG", "DCG", formula=r"\sum_{i \leq k} \frac{gain_i}{\log_2(i + 1)}", source="Järvelin & Kekäläinen 2002",
        range=(0.0, np.inf), unit="gain", allowed={"gain": ("linear", "exp", "binary")},
        peer_params={"dcg": ("gain", {"log2": "linear", "exp-log2": "exp"})},
        when="As a step of NDCG. Its mean is ruled by the queries with many relevant documents: prefer NDCG.",
        differs="trec_eval and ir_measures print NDCG alone: this is its numerator, with ir_measures' dcg='log2' (the "
                "default) or 'exp-log2'. ranx dcg: the same; its dcg_burges is gain='exp'.",
        example=Example("ranking", "DCG@5", float(3 / np.log2(3) + 0.5), "3/log2(3) + 1/log2(4)"))
def dcg(ranked: Ranked, k: Cutoffs, *, gain: str = "linear") -> Values:
    """Discounted cumulative gain of the first k ranks, not divided by the highest possible one.

    gain: as in nDCG. Returns (Q, K), 0 or more.
    """
    gains = grade_gain(ranked.grade, gain, 0)
    return undefined_without(ranked.relevant(),
                             ranked.up_to(k, ranked.query, ranked.rank, gains / np.log2(ranked.rank + 1)))


@metric("nDCGRel", "NDCG at relevant documents", formula=r"\frac{1}{R} \sum_{r} nDCG@rank(r)",
        source="trec_eval ndcg_rel", aliases=("ndcg_rel",),
        when="For comparison with trec_eval's tables: NDCG without the choice of a cutoff.",
        differs="trec_eval ndcg_rel: the same.",
        example=Example("ranking", "nDCGRel", float(_AT_A + _AT_B + _AT_B) / 3,
                        "at a 1.893/4.262 = 0.444, at b 2.393/4.762 = 0.502, for c the end, 0.502; over 3"))
def ndcg_at_relevant(ranked: Ranked) -> Values:
    """NDCG at the rank of each relevant document, averaged.

    A relevant document that was not returned has the NDCG of the whole ranking. Returns (Q,) in [0, 1].
    """
    positive = ranked.relevant()
    query, rank, gained = _gained(ranked)
    ideal = _ideal_dcg(ranked)
    at_hits = ranked.total(query, (sum_before(query, gained) + gained) / ideal.until(query, rank))
    whole = ideal.until(np.arange(ranked.queries), positive)
    end = ranked.total(query, gained) / np.where(positive > 0, whole, 1.0)
    return undefined_without(positive, (at_hits + (positive - ranked.total(query)) * end) / np.maximum(positive, 1))


@metric("RnDCG", "NDCG at grade levels", formula=r"\frac{1}{L} \sum_{l} nDCG@n_l", source="trec_eval Rndcg",
        aliases=("Rndcg",),
        when="For comparison with trec_eval's tables: R-precision for grades.",
        differs="trec_eval Rndcg: the same.",
        example=Example("ranking", "RnDCG", float(_AT_A + _AT_B + _AT_B) / 4,
                        "at ranks 1, 2, 3 and the end: (0 + 0.444 + 0.502 + 0.502) / 4"))
def ndcg_at_levels(ranked: Ranked) -> Values:
    """NDCG at the ranks where the ideal order changes its grade, averaged, and at the end of a longer ranking.

    With 5 documents of grade 3 and 3 of grade 2 the ranks are 5 and 8. The last one, the whole ranking, counts if it
    is longer than all relevant documents by two or more. Returns (Q,) in [0, 1].
    """
    positive = ranked.relevant()
    keep = ranked.judged_grade > 0
    owner, grade = ranked.judged_query[keep], ranked.judged_grade[keep]
    last = np.append((owner[1:] != owner[:-1]) | (grade[1:] != grade[:-1]), True)[:len(owner)]
    owner, depth = owner[last], ordinal(owner)[last]
    longer = np.flatnonzero((ranked.returned > positive + 1) & (positive > 0))
    owner, depth = np.concatenate([owner, longer]), np.concatenate([depth, ranked.returned[longer]])
    order = np.lexsort((depth, owner))
    owner, depth = owner[order], depth[order]
    values = RunningSums(*_gained(ranked)).until(owner, depth) / _ideal_dcg(ranked).until(owner, depth)
    return undefined_without(positive, ranked.total(owner, values) / np.maximum(ranked.total(owner), 1))


@metric("G", "Normalized gain", formula=r"\frac{1}{\sum_d g_d} \sum_i \frac{g_i}{\log_2(2 + cost_i - gained_i)}",
        source="trec_eval G (Buckley, experimental)",
        when="For comparison with trec_eval's tables.",
        differs="trec_eval G: the same.",
        example=Example("ranking", "G", 1 / 3,
                        "a: 3/log2(2 + 5 - 3) = 1.5, b: 1/log2(2 + 6 - 4) = 0.5; over 3 + 2 + 1"))
def normalized_gain(ranked: Ranked) -> Values:
    """Gain discounted by what an ideal ranking would have gained more by then, over all gain.

    cost_i is the gain of the ideal ranking's first i ranks, and 1 for each rank after its relevant documents; gained_i
    is what the ranking gained up to rank i. Returns (Q,) in [0, 1].
    """
    positive = ranked.relevant()
    hit = ranked.grade > 0
    query, rank, grade = ranked.query[hit], ranked.rank[hit], ranked.grade[hit].astype(np.float64)
    ideal = RunningSums(*_ideal_gains(ranked))
    cost = ideal.until(query, rank) + np.maximum(rank - positive[query], 0)
    gained = sum_before(query, grade) + grade
    total = ideal.until(np.arange(ranked.queries), positive)
    return undefined_without(positive, ranked.total(query, grade / np.log2(2 + cost - gained)) / np.maximum(total, 1))


@metric("binG", "Binary gain", formula=r"\frac{1}{R} \sum_r \frac{1}{\log_2(2 + \text{non-relevant above } r)}",
        source="trec_eval binG (Buckley, experimental)", allowed={"rel": (1, 2**31)},
        when="For comparison with trec_eval's tables: like MAP, with a gentler discount.",
        differs="trec_eval binG: the same.",
        example=Example("ranking", "binG", float(2 / np.log2(3) / 3),
                        "one non-relevant document above a and b: 2/log2(3), over 3"))
def binary_gain(ranked: Ranked, *, rel: int = 1) -> Values:
    """Relevant documents, each discounted by the non-relevant ones above it, over all relevant ones.

    Returns (Q,) in [0, 1].
    """
    query, rank = ranked.hits(rel)
    relevant = ranked.relevant(rel)
    gained = ranked.total(query, 1 / np.log2(2 + rank - ordinal(query)))
    return undefined_without(relevant, gained / np.maximum(relevant, 1))


def _gained(ranked: Ranked) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(query, rank, discounted gain) of the returned documents of grade 1 or more: (H,) each."""
    hit = ranked.grade > 0
    return ranked.query[hit], ranked.rank[hit], ranked.grade[hit] / np.log2(ranked.rank[hit] + 1)


def _ideal_gains(ranked: Ranked) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(query, rank, grade) of the ideal ranking: every document of grade 1 or more, highest grade first."""
    keep = ranked.judged_grade > 0
    return ranked.judged_query[keep], ordinal(ranked.judged_query)[keep], ranked.judged_grade[keep].astype(np.float64)


def _ideal_dcg(ranked: Ranked) -> RunningSums:
    query, rank, grade = _ideal_gains(ranked)
    return RunningSums(query, rank, grade / np.log2(rank + 1))
