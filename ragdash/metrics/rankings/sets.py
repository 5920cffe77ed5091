"""Metrics of the returned documents as a set: the order does not matter, only what was returned.

A document is relevant if its grade is at least rel. Undefined (NaN) for a query without a relevant document, 0 for an
empty ranking, as trec_eval gives.
"""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked, Values
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.sums import ratio, undefined_without
from ragdash.metrics.registry import metric

_REL = {"rel": (1, 2**31)}
_YES_NO = {True: "yes", False: "no"}


@metric("SetP", "Set precision", formula=r"\frac{|relevant \cap returned|}{N}", source="trec_eval set_P",
        aliases=("set_P",), presets={"set_relative_P": {"relative": "yes"}},
        allowed={**_REL, "relative": ("no", "yes")}, peer_params={"relative": ("relative", _YES_NO)},
        when="Systems that decide themselves how much to return: everything returned goes into the prompt.",
        differs="trec_eval set_P: the same. relative='yes' is its set_relative_P.",
        example=Example("ranking", "SetP", 0.4, "2 of the 5 returned documents are relevant: 2 / 5"))
def set_precision(ranked: Ranked, *, rel: int = 1, relative: str = "no") -> Values:
    """Share of the returned documents that are relevant.

    relative='yes' divides by the highest number that could be relevant, min(N, R). Returns (Q,) in [0, 1].
    """
    relevant, returned = ranked.relevant(rel), ranked.returned
    denominator = np.minimum(returned, relevant) if relative == "yes" else returned
    return undefined_without(relevant, _hits(ranked, rel) / np.maximum(denominator, 1))


@metric("SetF", "Set F", formula=r"\frac{(\beta + 1) P R}{\beta P + R}", source="trec_eval set_F", aliases=("set_F",),
        allowed={**_REL, "beta": (0.0, 1e6)},
        when="One number for a returned set of any size. Read precision and recall too.",
        differs="trec_eval set_F and ir_measures SetF: the same; their beta is not squared, other tools square it.",
        example=Example("ranking", "SetF", 0.5, "2 · 0.4 · 0.667 / (0.4 + 0.667)"))
def set_f(ranked: Ranked, *, rel: int = 1, beta: float = 1.0) -> Values:
    """Weighted harmonic mean of set precision and set recall; 0 if both are 0.

    beta is the weight of recall, not squared: 4 here is F2 elsewhere. Returns (Q,) in [0, 1].
    """
    relevant, hits = ranked.relevant(rel), _hits(ranked, rel)
    p, r = hits / np.maximum(ranked.returned, 1), hits / np.maximum(relevant, 1)
    total = beta * p + r
    return undefined_without(relevant, np.divide((beta + 1) * p * r, total, out=np.zeros(len(p)), where=total > 0))


@metric("SetAP", "Set AP", formula=r"\frac{|relevant \cap returned|^2}{N \cdot R}", source="trec_eval set_map",
        aliases=("set_map",), allowed=_REL,
        when="For comparison with tables that print it; set F shows the same trade-off.",
        differs="trec_eval set_map and ir_measures SetAP: the same.",
        example=Example("ranking", "SetAP", 4 / 15, "2 / 5 · 2 / 3"))
def set_average_precision(ranked: Ranked, *, rel: int = 1) -> Values:
    """Set precision times set recall. Returns (Q,) in [0, 1]."""
    relevant, hits = ranked.relevant(rel), _hits(ranked, rel)
    return undefined_without(relevant, hits**2 / np.maximum(ranked.returned * relevant, 1.0))


@metric("RelativeP", "Relative precision", formula=r"\frac{|relevant \cap top_k|}{\min(k, R)}",
        source="trec_eval relative_P", cutoff="required", aliases=("relative_P",), allowed=_REL,
        weight=lambda ranked, k, rel=1: np.minimum(ranked.relevant(rel)[:, None], k),
        when="Queries with fewer than k relevant documents, where precision cannot reach 1.",
        differs="trec_eval relative_P: the same. Also called capped recall or R-cap.",
        example=Example("ranking", "RelativeP@5", 2 / 3, "2 relevant of at most 3 in the first 5"))
def relative_precision(ranked: Ranked, k: Cutoffs, *, rel: int = 1) -> Values:
    """Precision at k over the highest possible precision at k: precision up to rank R, recall below.

    Returns (Q, K) in [0, 1].
    """
    return ratio(ranked.hits_at(k, rel), np.minimum(ranked.relevant(rel)[:, None], k))


@metric("Utility", "Utility", formula=r"a \cdot hits + b \cdot misses + c \cdot \text{relevant not returned}",
        source="trec_eval utility", range=(-np.inf, np.inf), relevance=False,
        allowed={**_REL, "hit": (-1e6, 1e6), "wrong": (-1e6, 1e6), "missed": (-1e6, 1e6)},
        when="A relevant document has a known worth, and a wrong one a known cost.",
        differs="trec_eval utility: the same; its fourth weight, of the rest of the corpus, is left out.",
        example=Example("ranking", "Utility", -1.0, "2 relevant returned minus 3 others"))
def utility(ranked: Ranked, *, rel: int = 1, hit: float = 1.0, wrong: float = -1.0, missed: float = 0.0) -> Values:
    """Worth of the returned set: hit for each relevant document, wrong for each other, missed for each not returned.

    Also defined without a relevant document: then everything returned is wrong. Returns (Q,).
    """
    relevant, hits = ranked.relevant(rel), _hits(ranked, rel)
    return hit * hits + wrong * (ranked.returned - hits) + missed * (relevant - hits)


def _hits(ranked: Ranked, rel: int) -> np.ndarray:
    """Relevant documents returned: (Q,) float64."""
    return ranked.hits_at(np.array([ALL]), rel)[:, 0]
