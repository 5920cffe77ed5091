"""Share of a ranking that has judgments, and plain counts."""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked, Values
from ragdash.metrics.example_setups import Example
from ragdash.metrics.registry import metric

_COUNT = {"range": (0.0, np.inf), "better": None, "unit": "documents", "relevance": False}
_SUM = {**_COUNT, "aggregate": "sum"}


@metric("Judged", "Judged", formula=r"Judged@k = \frac{|judged \cap top_k|}{\min(k, returned)}",
        source="ir_measures Judged", cutoff="required", better=None, relevance=False,
        weight=lambda ranked, k: ranked.returned_at(k),
        by_evidence="ranks",
        when="Before you trust a low value: is it caused by unjudged documents?",
        differs="ir_measures: the same except for ties.",
        example=Example("ranking", "Judged@5", 0.8, "x, a, b, y are judged, z is not: 4 / 5"))
def judged(ranked: Ranked, k: Cutoffs) -> Values:
    """Share of the first k documents with a judgment, of any grade (also negative).

    Neither good nor bad. If it is low, unjudged documents count as not relevant, and the other metrics may be too low.
    Undefined if nothing was returned. Returns (Q, K) in [0, 1].
    """
    returned = ranked.returned_at(k)
    judged_count = ranked.up_to(k, ranked.query, ranked.rank)
    return np.divide(judged_count, returned, out=np.full(judged_count.shape, np.nan), where=returned > 0)


@metric("RBPResidual", "RBP residual", formula=r"1 - (1 - p) \sum_{i\ judged} p^{i - 1}", source="Moffat & Zobel 2008",
        better="lower", relevance=False, allowed={"p": (0.0, 0.9999)},
        by_evidence="ranks",
        when="How much of a difference unjudged documents could explain.",
        example=Example("ranking", "RBPResidual", 0.4096, "1 - 0.2 · (1 + 0.8 + 0.64 + 0.512), the four judged ranks"))
def rbp_residual(ranked: Ranked, *, p: float = 0.8) -> Values:
    """The most that unjudged documents, and those after the last rank, could add to rank-biased precision.

    RBP is between its value and its value plus this. Returns (Q,) in [0, 1]; 1 for an empty ranking.
    """
    judged_weight = ranked.total(ranked.query, (1 - p) * p ** (ranked.rank - 1.0))
    return np.clip(1 - judged_weight, 0.0, 1.0)


@metric("n_ret", "Returned", formula=r"N", source="trec_eval num_ret", **_COUNT,
        by_evidence="ranks",
        when="Did every query get as many documents as it should?",
        differs="trec_eval prints the sum: NumRet.",
        example=Example("ranking", "n_ret", 5.0, "five documents"))
def n_ret(ranked: Ranked) -> Values:
    """Documents returned, repeats not counted. Its mean is per query. Returns (Q,)."""
    return ranked.returned.astype(np.float64)


@metric("n_rel", "Relevant", formula=r"R", source="trec_eval num_rel",
        allowed={"rel": (1, 2**31)}, **_COUNT,
        by_evidence="spans", bounds="monotone",
        when="How many documents a query could find; more than k of them cap Recall@k.",
        differs="trec_eval prints the sum: NumRel.",
        example=Example("ranking", "n_rel", 3.0, "a, b, c"))
def n_rel(ranked: Ranked, *, rel: int = 1) -> Values:
    """Relevant documents, returned or not. Its mean is per query. Returns (Q,)."""
    return ranked.relevant(rel).astype(np.float64)


@metric("n_rel_ret", "Relevant returned", formula=r"|relevant \cap returned|", source="trec_eval num_rel_ret",
        allowed={"rel": (1, 2**31)}, **{**_COUNT, "better": "higher"},
        by_evidence="spans", bounds="monotone",
        when="With n_rel: how many relevant documents are found at any depth.",
        differs="trec_eval prints the sum: NumRet(rel=1).",
        example=Example("ranking", "n_rel_ret", 2.0, "a, b"))
def n_rel_ret(ranked: Ranked, *, rel: int = 1) -> Values:
    """Relevant documents that were returned. Its mean is per query. Returns (Q,)."""
    return ranked.hits_at(np.array([ALL]), rel)[:, 0]


@metric("NumQ", "Queries", formula=r"Q", source="trec_eval num_q; ir_measures NumQ", aliases=("num_q",),
        **{**_SUM, "unit": "queries"},
        when="How many queries the means are over, in a table of numbers.",
        differs="trec_eval: the same with -c; without it, as missing='skip' here.",
        example=Example("ranking", "NumQ", 1.0, "one query"))
def num_queries(ranked: Ranked) -> Values:
    """1 for each query of the truth; the summary is the sum. Returns (Q,): 1."""
    return np.ones(ranked.queries)


@metric("NumRet", "Total returned", formula=r"\sum_q N_q", source="trec_eval num_ret, num_rel_ret; ir_measures NumRet",
        aliases=("num_ret",), presets={"num_rel_ret": {"rel": 1}}, allowed={"rel": (1, 2**31)}, **_SUM,
        when="trec_eval's totals, to see at once whether the same files were read.",
        differs="trec_eval num_ret and ir_measures NumRet: the same; NumRet(rel=1) is num_rel_ret.",
        example=Example("ranking", "NumRet(rel=1)", 2.0, "a, b"))
def num_returned(ranked: Ranked, *, rel: int | None = None) -> Values:
    """Documents returned, those of grade >= rel where rel is given; the summary is the sum. Returns (Q,)."""
    return n_ret(ranked) if rel is None else n_rel_ret(ranked, rel=rel)


@metric("NumRel", "Total relevant", formula=r"\sum_q R_q", source="trec_eval num_rel; ir_measures NumRel",
        aliases=("num_rel",), allowed={"rel": (1, 2**31)}, **_SUM,
        when="trec_eval's totals, to see at once whether the same judgments were read.",
        differs="trec_eval num_rel and ir_measures NumRel: the same.",
        example=Example("ranking", "NumRel", 3.0, "a, b, c"))
def num_relevant(ranked: Ranked, *, rel: int = 1) -> Values:
    """Relevant documents, returned or not; the summary is the sum. Returns (Q,)."""
    return n_rel(ranked, rel=rel)


@metric("NumNonRelRet", "Total judged non-relevant returned", formula=r"|\text{judged non-relevant} \cap returned|",
        source="trec_eval num_nonrel_judged_ret", aliases=("num_nonrel_judged_ret",), allowed={"rel": (1, 2**31)},
        **_SUM,
        when="How many of the returned documents somebody rejected, as opposed to nobody judged.",
        differs="trec_eval num_nonrel_judged_ret: the same.",
        example=Example("ranking", "NumNonRelRet", 2.0, "x, y"))
def num_nonrelevant_returned(ranked: Ranked, *, rel: int = 1) -> Values:
    """Returned documents with a grade from 0 to below rel; the summary is the sum. Returns (Q,)."""
    return ranked.total(ranked.query[(ranked.grade >= 0) & (ranked.grade < rel)])
