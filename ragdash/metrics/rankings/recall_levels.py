"""Precision at levels of recall: the points of the recall-precision graph.

Undefined (NaN) for a query without a relevant document; a level that the ranking does not reach has 0.
"""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import Ranked, Values, ordinal
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.sums import suffix_max, undefined_without
from ragdash.metrics.registry import metric

LEVELS = tuple(i / 10 for i in range(11))
_ROUNDING = {"rel": (1, 2**31), "rounding": ("up", "nearest")}


@metric("IPrec", "Interpolated precision", formula=r"\max_{i:\ R@i \geq r} P@i",
        source="trec_eval iprec_at_recall; ir_measures IPrec", cutoff="none", number="recall",
        aliases=("iprec_at_recall", "interpolated_precision"), allowed={**_ROUNDING, "recall": (0.0, 1.0)},
        by_evidence="ranks",
        when="A point of the recall-precision graph: what a required recall costs in precision.",
        differs="trec_eval 9, pytrec_eval and ir_measures: the same. trec_eval 10 rounds the number of documents at a "
                "level to the nearest (rounding='nearest').",
        example=Example("ranking", "IPrec(recall=0.5)", 2 / 3,
                        "0.5 · 3 relevant is 2 documents; b is the second, at rank 3: 2 / 3"))
def interpolated_precision(ranked: Ranked, *, recall: float = 0.0, rel: int = 1, rounding: str = "up") -> Values:
    """Highest precision at any rank with at least this recall; 0 if the ranking never reaches it.

    The level is a number of documents, recall · R plus 0.9 without its decimals, as trec_eval 9 counts.
    Written IPrec@0.2 or iprec_at_recall_0.20 too. Returns (Q,) in [0, 1].
    """
    return undefined_without(ranked.relevant(rel), _at_level(ranked, recall, rel, rounding))


@metric("IPrecAvg", "11-point precision", formula=r"\frac{1}{11} \sum_{r \in \{0, 0.1, ..., 1\}} IPrec@r",
        source="trec_eval 11pt_avg", aliases=("11pt_avg", "11-pt_avg", "iprec_avg"), allowed=_ROUNDING,
        by_evidence="ranks",
        when="For comparison with old tables; MAP has replaced it.",
        differs="trec_eval 9 and pytrec_eval: the same. trec_eval 10: rounding='nearest'.",
        example=Example("ranking", "IPrecAvg", 8 * (2 / 3) / 11,
                        "2/3 at the eight levels 0 to 0.7, which 2 of 3 documents reach; 0 above"))
def eleven_point_precision(ranked: Ranked, *, rel: int = 1, rounding: str = "up") -> Values:
    """Interpolated precision, averaged over the recall levels 0, 0.1, ... 1. Returns (Q,) in [0, 1]."""
    total = sum(_at_level(ranked, level, rel, rounding) for level in LEVELS)
    return undefined_without(ranked.relevant(rel), total / len(LEVELS))


@metric("RprecMult", "Precision at multiples of R", formula=r"P@(m \cdot R)", source="trec_eval Rprec_mult",
        cutoff="none", number="multiple", aliases=("Rprec_mult",),
        allowed={"rel": (1, 2**31), "multiple": (0.1, 1e6)}, by_evidence="ranks",
        when="Is a run better at the top (multiple 0.2) or deep down (multiple 2)?",
        differs="trec_eval Rprec_mult: the same. With multiple=1 it is R-precision.",
        example=Example("ranking", "RprecMult(multiple=2.0)", 2 / 6, "2 relevant in the first 2 · 3 ranks: 2 / 6"))
def precision_at_multiple(ranked: Ranked, *, multiple: float = 1.0, rel: int = 1) -> Values:
    """Precision at rank multiple · R, rounded as trec_eval does (plus 0.9, without decimals).

    Written Rprec_mult_0.20 too. Returns (Q,) in [0, 1].
    """
    relevant = ranked.relevant(rel)
    depth = np.floor(multiple * relevant + 0.9)
    query, rank = ranked.hits(rel)
    return undefined_without(relevant, ranked.total(query[rank <= depth[query]]) / np.maximum(depth, 1))


def _at_level(ranked: Ranked, level: float, rel: int, rounding: str) -> np.ndarray:
    """Highest precision from the rank on where this share of the relevant documents is reached: (Q,)."""
    query, rank = ranked.hits(rel)
    count = ordinal(query)
    best = suffix_max(query, count / rank)
    needed = np.floor(level * ranked.relevant(rel) + (0.9 if rounding == "up" else 0.5))
    at_level = count == np.maximum(needed, 1)[query]
    values = np.zeros(ranked.queries)
    values[query[at_level]] = best[at_level]
    return values
