"""Metrics of a ranking by relevance judgments. Ranks count from 1; R is the number of relevant documents of a query.

Unless a docstring says otherwise: a document is relevant if its grade is at least rel, one without a judgment is not;
the value is undefined (NaN) for a query without a relevant document and 0 for an empty ranking. trec_eval gives 0 in
both cases (the convention unanswerable='zero' does too).
"""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.ranked import ALL, Cutoffs, Ranked, Values, ordinal
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.of_spans import average_precision_of_spans, f1_of_spans
from ragdash.metrics.rankings.sums import ratio, sum_before, undefined_without
from ragdash.metrics.registry import metric

_REL = {"rel": (1, 2**31)}
_RANX = "ranx and ir_measures agree if no scores are equal; they order ties differently."


def _precision_denominator(ranked: Ranked, k: Cutoffs, rel: int = 1, denominator: str = "k") -> np.ndarray:
    """What P divides by: (Q, K)."""
    return np.broadcast_to(k, (ranked.queries, len(k))) if denominator == "k" else ranked.returned_at(k)


@metric(
    "P",
    "Precision",
    formula=r"P@k = \frac{|relevant \cap top_k|}{k}",
    source="trec_eval P",
    cutoff="required",
    aliases=("precision", "prec"),
    allowed={**_REL, "denominator": ("k", "returned")},
    weight=_precision_denominator,
    by_evidence="ranks", bounds="monotone", curve=True,
    when="How much of the generator's input is useful. With one relevant document per query it cannot exceed 1/k: "
    "compare runs, not the value with 1.",
    differs="trec_eval: the same. LlamaIndex and RAGAS divide by what was returned (denominator='returned'). " + _RANX,
    example=Example("ranking", "P@5", 0.4, "2 of the 5 ranks have a relevant document (a, b): 2 / 5"),
)
def precision(ranked: Ranked, k: Cutoffs, *, rel: int = 1, denominator: str = "k") -> Values:
    """Share of the first k ranks with a relevant document.

    Divides by k even if fewer were returned, as trec_eval. denominator='returned' divides by min(k, returned), as
    LlamaIndex and others do (0 if nothing was returned). Returns (Q, K) in [0, 1].
    """
    hits = ranked.hits_at(k, rel)
    ranks = np.maximum(_precision_denominator(ranked, k, rel, denominator), 1)
    return undefined_without(ranked.relevant(rel), hits / ranks)


@metric("R", "Recall", formula=r"R@k = \frac{|relevant \cap top_k|}{R}", source="trec_eval recall",
        aliases=("rec", "set_recall", "SetR"), allowed=_REL, weight=lambda ranked, k, rel=1: ranked.relevant(rel),
        by_evidence="spans", bounds="monotone", curve=True,
        when="The first question of every RAG system: are the needed documents among the k that fit into the prompt? "
             "Choose k by the prompt's budget.",
        differs="trec_eval: the same. Some papers print the hit rate as recall. " + _RANX,
        example=Example("ranking", "R@5", 2 / 3, "2 of the 3 relevant documents are in the first 5: 2 / 3"))
def recall(ranked: Ranked, k: Cutoffs, *, rel: int = 1) -> Values:
    """Share of the relevant documents that are in the first k ranks (at any rank, without a cutoff).

    Returns (Q, K) in [0, 1].
    """
    return ratio(ranked.hits_at(k, rel), ranked.relevant(rel))


@metric("F1", "F1", formula=r"F1@k = \frac{2 \cdot P@k \cdot R@k}{P@k + R@k}", source="trec_eval set_F, at a cutoff",
        cutoff="required", aliases=("F",), allowed=_REL,
        weight=lambda ranked, k, rel=1: k + ranked.relevant(rel)[:, None],
        by_evidence=f1_of_spans, bounds="monotone", curve=True,
        when="One number for k between too few and too many documents. Read precision and recall too.",
        differs="trec_eval has it for sets only (set_F); others average first and take F1 of the means.",
        example=Example("ranking", "F1@5", 0.5, "2 · 0.4 · 0.667 / (0.4 + 0.667)"))
def f1(ranked: Ranked, k: Cutoffs, *, rel: int = 1) -> Values:
    """Harmonic mean of precision and recall at k; 0 if both are 0.

    Computed per query, then averaged; the F1 of two averages is another number. Returns (Q, K) in [0, 1].
    """
    relevant = ranked.relevant(rel)
    return undefined_without(relevant, 2 * ranked.hits_at(k, rel) / (k[None, :] + np.maximum(relevant, 1)[:, None]))


@metric("Success", "Hit rate", formula=r"Success@k = 1 \text{ if } relevant \cap top_k \neq \emptyset, \text{ else } 0",
        source="trec_eval success", cutoff="required", allowed=_REL,
        aliases=("HitRate", "hit", "hit_rate", "hits", "hit_ratio", "HR"),
        by_evidence="ranks", bounds="monotone", curve=True,
        when="One relevant document is enough for the answer.",
        differs="ranx: hit_rate. Often called recall if each query has one relevant document; the two are equal then.",
        example=Example("ranking", "Success@5", 1.0, "a relevant document is among the first 5"))
def success(ranked: Ranked, k: Cutoffs, *, rel: int = 1) -> Values:
    """1 if a relevant document is in the first k ranks, else 0.

    Some call this recall; the two differ if a query has several relevant documents. Returns (Q, K): 0 or 1.
    """
    return undefined_without(ranked.relevant(rel), (ranked.hits_at(k, rel) > 0).astype(np.float64))


def first_rank(ranked: Ranked, rel: int = 1) -> Values:
    """Rank of the first relevant document of each query: (Q,) float64, NaN where none was returned."""
    query, rank = ranked.hits(rel)
    first = np.full(ranked.queries, np.nan)
    first[query[::-1]] = rank[::-1]
    return first


@metric("RR", "MRR", formula=r"RR = \frac{1}{\text{rank of the first relevant document}}",
        source="trec_eval recip_rank", aliases=("recip_rank", "reciprocal_rank", "mean_reciprocal_rank"), allowed=_REL,
        by_evidence="ranks", bounds="monotone",
        when="The reader or the prompt uses the first relevant document, as in navigation or with k = 1. It ignores "
             "everything after it.",
        differs="trec_eval: the same. LlamaIndex: the same. ir_measures breaks ties the other way at a cutoff.",
        example=Example("ranking", "RR", 0.5, "the first relevant document, a, is at rank 2: 1 / 2"))
def reciprocal_rank(ranked: Ranked, k: Cutoffs, *, rel: int = 1) -> Values:
    """1 over the rank of the first relevant document; 0 if none is in the first k ranks.

    Its mean is the MRR. Falls harmonically: 1, 0.5, 0.33. ir_measures breaks ties the other way at a cutoff (RR@10);
    here all metrics share one rule. Returns (Q, K) in [0, 1].
    """
    first = first_rank(ranked, rel)[:, None]
    return undefined_without(ranked.relevant(rel), np.where(first <= k, 1 / first, 0.0))


@metric("AP", "MAP", formula=r"AP = \frac{1}{R} \sum_{i \leq k,\ i\ relevant} P@i", source="trec_eval map, map_cut",
        aliases=("map_cut", "average_precision", "mean_average_precision"),
        allowed={**_REL, "denominator": ("relevant", "retrieved")},
        by_evidence=average_precision_of_spans, bounds="search",
        when="All relevant documents matter and grades do not; the classic metric of IR evaluation.",
        differs="trec_eval: the same. RAGAS context precision and some papers divide by the relevant documents "
                "returned (denominator='retrieved'), which is higher.",
        example=Example("ranking", "AP", (1 / 2 + 2 / 3) / 3, "(1/2 at a + 2/3 at b + 0 for c) / 3"))
def average_precision(ranked: Ranked, k: Cutoffs, *, rel: int = 1, denominator: str = "relevant") -> Values:
    """Mean of the precisions at the ranks of the relevant documents; a document that was not returned counts 0.

    Divides by R at every cutoff, as trec_eval's map_cut. denominator='retrieved' divides by the relevant documents
    in the first k ranks (0 if there are none), as some RAG papers do. Such values are higher, not comparable, and can
    fall when a relevant document moves up. Its mean is the MAP. Returns (Q, K) in [0, 1].
    """
    query, rank = ranked.hits(rel)
    total = ranked.up_to(k, query, rank, ordinal(query) / rank)
    relevant = ranked.relevant(rel)
    if denominator == "relevant":
        return ratio(total, relevant)
    return undefined_without(relevant, total / np.maximum(ranked.hits_at(k, rel), 1))


def _share_of_highest(grade: np.ndarray, highest: int | np.ndarray) -> np.ndarray:
    """(2^grade - 1) / 2^highest, without overflow for great grades."""
    power = np.asarray(highest, np.float64)
    return np.exp2(grade - power) - np.exp2(-power)


def grade_gain(grade: np.ndarray, gain: str, highest: int | np.ndarray) -> np.ndarray:
    """What a document of each grade adds to DCG, before the discount; "exp" in units of 2^highest. Below 0 is 0.

    highest: one for all documents, or for each of them that of its query.
    """
    grade = np.maximum(grade, 0)
    if gain == "exp":
        return _share_of_highest(grade, highest)
    return (grade > 0).astype(np.float64) if gain == "binary" else grade.astype(np.float64)


def highest_grades(query: np.ndarray, grade: np.ndarray, queries: int) -> np.ndarray:
    """The highest grade of each query: (Q,), 0 where it has none above. One query's grades say nothing of another's."""
    highest = np.zeros(queries, np.int64)
    np.maximum.at(highest, query, grade)
    return highest


@metric("nDCG", "NDCG",
        formula=r"nDCG@k = \frac{DCG@k}{\text{ideal } DCG@k},\ DCG@k = \sum_{i \leq k} \frac{gain_i}{\log_2(i + 1)}",
        source="trec_eval ndcg, ndcg_cut; Järvelin & Kekäläinen 2002", aliases=("ndcg_cut",),
        allowed={"gain": ("linear", "exp", "binary")},
        peer_params={"dcg": ("gain", {"log2": "linear", "exp-log2": "exp"})},
        by_evidence="spans", bounds="search", curve=True,
        when="The order matters and judgments have grades; the usual main metric of retrieval.",
        differs="trec_eval: the same (linear gain). ranx ndcg too; its ndcg_burges and gdeval use 2^grade - 1 "
                "(gain='exp'). Tools with the ideal over the returned documents show higher values.",
        example=Example("ranking", "nDCG@5", 0.5024905,
                        "DCG = 3/log2(3) + 1/log2(4) = 2.393; ideal order a, c, b: 3 + 2/log2(3) + 1/log2(4) = 4.762"))
def ndcg(ranked: Ranked, k: Cutoffs, *, gain: str = "linear") -> Values:
    """How near the top of the first k ranks the relevant documents are; 1: in the best possible order.

    It is the discounted cumulative gain over the highest possible one. The gain is the grade (trec_eval). gain='exp'
    uses 2^grade - 1 (Burges; gdeval, many libraries). gain='binary' uses 1 for every grade >= 1. A negative or missing
    grade gains nothing. The ideal order contains all judged documents, returned or not, cut at k. Tools that use only
    the returned ones show higher numbers.
    Returns (Q, K) in [0, 1]; undefined without a document of grade 1 or more.
    """
    highest = highest_grades(ranked.judged_query, ranked.judged_grade, ranked.queries) if gain == "exp" else np.zeros(
        ranked.queries, np.int64)
    gainful = np.flatnonzero(ranked.grade > 0)  # others add nothing
    query, rank = ranked.query[gainful], ranked.rank[gainful]
    gains = grade_gain(ranked.grade[gainful], gain, highest[query])
    dcg = ranked.up_to(k, query, rank, gains / np.log2(rank + 1))
    gainful = np.flatnonzero(ranked.judged_grade > 0)  # the first ones of each query
    query = ranked.judged_query[gainful]
    ideal_rank = ordinal(query)
    gains = grade_gain(ranked.judged_grade[gainful], gain, highest[query])
    ideal = ranked.up_to(k, query, ideal_rank, gains / np.log2(ideal_rank + 1))
    return np.minimum(ratio(dcg, ideal), 1.0, out=dcg)


@metric("Rprec", "R-precision", formula=r"Rprec = P@R", source="trec_eval Rprec", aliases=("r_precision",),
        allowed=_REL, weight=lambda ranked, rel=1: ranked.relevant(rel),
        by_evidence="ranks", bounds="search",
        when="Queries have very different numbers of relevant documents, and no k fits all.",
        differs="trec_eval and ranx: the same.",
        example=Example("ranking", "Rprec", 2 / 3, "R = 3, and 2 of the first 3 are relevant"))
def r_precision(ranked: Ranked, *, rel: int = 1) -> Values:
    """Precision at rank R, the number of relevant documents of the query. Returns (Q,) in [0, 1]."""
    relevant = ranked.relevant(rel)
    query, rank = ranked.hits(rel)
    return ratio(ranked.total(query[rank <= relevant[query]]), relevant)


@metric("bpref", "bpref", formula=r"bpref = \frac{1}{R} \sum_{r} 1 - \frac{\min(n_r, R)}{\min(N, R)}",
        source="trec_eval bpref; Buckley & Voorhees 2004", allowed=_REL,
        bounds="search",
        when="Few of the returned documents are judged: unjudged ones are ignored instead of counted as not relevant.",
        differs="trec_eval: the same.",
        example=Example("ranking", "bpref", 1 / 3,
                        "one of two judged non-relevant documents is above a and b: (1 - 1/2) + (1 - 1/2) + 0 for c, "
                        "over 3"))
def bpref(ranked: Ranked, *, rel: int = 1) -> Values:
    """How rarely a judged non-relevant document is ranked above a relevant one; unjudged documents are ignored.

    n_r counts the judged non-relevant documents above the relevant document r, N all of the query. A negative grade
    counts as unjudged here, as in trec_eval. Returns (Q,) in [0, 1].
    """
    relevant = ranked.relevant(rel)
    judged_non = (ranked.judged_grade < rel) & (ranked.judged_grade >= 0)
    non = np.bincount(ranked.judged_query[judged_non], minlength=ranked.queries)
    is_rel = ranked.grade >= rel
    query = ranked.query[is_rel]
    nonrelevant_above = np.minimum(
        sum_before(ranked.query, (ranked.grade < rel) & (ranked.grade >= 0))[is_rel], relevant[query]
    )
    max_above = np.minimum(non, relevant)[query]
    share = 1 - np.divide(nonrelevant_above, max_above, out=np.zeros(len(query)), where=nonrelevant_above > 0)
    return ratio(ranked.total(query, share), relevant)


@metric("infAP", "Inferred AP", formula=r"\frac{1}{R} \sum_r E[P@rank(r)]",
        source="trec_eval infAP; Yilmaz & Aslam 2006",
        allowed=_REL,
        when="Judgments are a random sample of a pool: grade -1 marks a document of the pool that was not judged.",
        differs="trec_eval and ir_measures: the same.",
        example=Example("ranking", "infAP", (1 / 2 + 1 / 2 * 1e-5 / 1.00002 + 2 / 3) / 3,
                        "a: 1/2 + 1/2 · (0 + ε)/(1 + 2ε), b: 1/3 + 2/3 · (1 + ε)/(2 + 2ε), 0 for c; over 3"))
def inferred_average_precision(ranked: Ranked, *, rel: int = 1) -> Values:
    """AP, with the precision above each relevant document estimated from the judged documents above it.

    Documents without a judgment count as outside of the pool, so not relevant. A negative grade means in the pool and
    not judged: such documents count as relevant as often as the judged ones. Returns (Q,) in [0, 1].
    """
    epsilon = 1e-5
    is_rel = ranked.grade >= rel
    query, rank = ranked.query[is_rel], ranked.rank[is_rel]
    relevant_above = sum_before(ranked.query, is_rel)[is_rel]
    judged_above = sum_before(ranked.query, ranked.grade >= 0)[is_rel]
    pool_above = ordinal(ranked.query)[is_rel] - 1
    share = (relevant_above + epsilon) / (judged_above + 2 * epsilon)
    return ratio(ranked.total(query, 1 / rank + pool_above / rank * share), ranked.relevant(rel))


@metric("GMAP", "Geometric MAP", formula=r"\sqrt[Q]{\prod_q \max(AP_q, 0.00001)}",
        source="trec_eval gm_map; Robertson 2006", aggregate="geometric",
        aliases=("gm_map", "geometric_map"), allowed=_REL,
        when="The worst queries matter most: a query that improves from 0.01 to 0.02 counts as one from 0.4 to 0.8.",
        differs="trec_eval gm_map: the same.",
        example=Example("ranking", "GMAP", (1 / 2 + 2 / 3) / 3, "of one query it is AP"))
def geometric_average_precision(ranked: Ranked, *, rel: int = 1) -> Values:
    """AP of each query; the summary is the geometric mean over the queries.

    Values below 0.00001 count as that.     Returns (Q,) in [0, 1].
    """
    return average_precision(ranked, np.array([ALL]), rel=rel)[:, 0]


@metric("GMBpref", "Geometric bpref", formula=r"\sqrt[Q]{\prod_q \max(bpref_q, 0.00001)}", source="trec_eval gm_bpref",
        aggregate="geometric", aliases=("gm_bpref",), allowed=_REL,
        when="As GMAP, where many documents are not judged.",
        differs="trec_eval gm_bpref: the same.",
        example=Example("ranking", "GMBpref", 1 / 3, "of one query it is bpref"))
def geometric_bpref(ranked: Ranked, *, rel: int = 1) -> Values:
    """Binary preference of each query; the summary is the geometric mean over the queries.

    Values below 0.00001 count as that.     Returns (Q,) in [0, 1].
    """
    return bpref(ranked, rel=rel)


@metric("ERR", "Expected reciprocal rank",
        formula=r"ERR@k = \sum_{i \leq k} \frac{p_i}{i} \prod_{j < i} (1 - p_j),\quad p = \frac{2^g - 1}{2^{g_{max}}}",
        source="Chapelle et al. 2009; gdeval", allowed={"max_grade": (1, 2**31), "probabilities": (0.0, 1.0)},
        by_evidence="ranks", bounds="monotone",
        when="A reader stops when satisfied, and one perfect document makes the later ones unnecessary.",
        differs="gdeval fixes the highest grade at 4: ERR(max_grade=4)@20.",
        example=Example("ranking", "ERR@5", 0.875 / 2 + 0.125 / 3 * 0.125,
                        "p(a) = 7/8, p(b) = 1/8: 0.875/2 + 0.125/3 · (1 - 0.875)"))
def expected_reciprocal_rank(ranked: Ranked, k: Cutoffs, *, max_grade: int | None = None,
                             probabilities: tuple | None = None) -> Values:
    """Expected 1 / rank at which a reader stops, who reads from the top and stops with probability p.

    max_grade defaults to the highest grade of the judgments. gdeval fixes it at 4 (`ERR(max_grade=4)@20`), so a
    perfect binary hit scores 0.0625 there and 0.5 here. probabilities=(p0, p1, ...) gives the probability of each
    grade instead; the last one applies to all higher grades. Returns (Q, K) in [0, 1]; undefined without a document of
    grade 1 or more.
    """
    if probabilities is None:
        top = ranked.max_grade if max_grade is None else max_grade
        chance = _share_of_highest(np.clip(ranked.grade, 0, top), top)
    else:
        table = np.asarray(probabilities, np.float64)
        chance = table[np.clip(ranked.grade, 0, len(table) - 1)]
    going_on = np.log1p(-np.minimum(chance, 1 - 2.0**-53))
    reached = np.exp(sum_before(ranked.query, going_on))
    values = ranked.up_to(k, ranked.query, ranked.rank, chance * reached / ranked.rank)
    return undefined_without(ranked.relevant(), values)


@metric("RBP", "Rank-biased precision", formula=r"RBP = (1 - p) \sum_i rel_i \, p^{i - 1}",
        source="Moffat & Zobel 2008; ir_measures RBP",
        allowed={**_REL, "p": (0.0, 0.9999), "gain": ("binary", "graded")},
        by_evidence="ranks", bounds="monotone",
        when="You know how patient readers are: p = 0.5 looks at two ranks on average, 0.8 at five.",
        differs="trec_eval 10 and ranx compute other numbers under this name; ir_measures agrees.",
        example=Example("ranking", "RBP", 0.288, "0.2 · (0.8 at rank 2 + 0.64 at rank 3)"))
def rank_biased_precision(ranked: Ranked, k: Cutoffs, *, p: float = 0.8, rel: int = 1, gain: str = "binary") -> Values:
    """Expected rate of gain for a reader who continues to the next rank with probability p.

    gain='graded' uses grade / highest grade of the judgments (TREC-COVID). RBPResidual is the most that unjudged
    documents could add. trec_eval 10 and ranx compute other numbers under this name. Returns (Q, K) in [0, 1].
    """
    if gain == "graded":
        relevant, query, rank = ranked.relevant(), ranked.query, ranked.rank
        weights = np.maximum(ranked.grade, 0) / ranked.max_grade
    else:
        relevant, (query, rank) = ranked.relevant(rel), ranked.hits(rel)
        weights = np.ones(len(query))
    return undefined_without(relevant, ranked.up_to(k, query, rank, weights * (1 - p) * p ** (rank - 1.0)))


@metric("MeanRank", "Mean rank", formula=r"\text{rank of the first relevant document}",
        source="the rank whose reciprocal trec_eval's recip_rank is",
        range=(1.0, np.inf), better="lower", unit="rank", relevance=False, aliases=("mean_rank",), allowed=_REL,
        by_evidence="ranks", bounds="monotone",
        when="How far down a person must read. Use it only with the share of queries without a relevant document.",
        differs="Some count a query without a relevant document as depth + 1.",
        example=Example("ranking", "MeanRank", 2.0, "the first relevant document is at rank 2"))
def mean_rank(ranked: Ranked, *, rel: int = 1) -> Values:
    """Rank of the first relevant document, averaged over the queries with one.

    Lower is better. Undefined if none was returned, so read it with the number of undefined queries: a system that
    finds only the easy documents looks good here. Returns (Q,) >= 1.
    """
    return first_rank(ranked, rel)


@metric("FirstRank", "First relevant rank", formula=r"\text{rank of the first relevant document, median over queries}",
        source="the rank whose reciprocal trec_eval's recip_rank is", range=(1.0, np.inf), better="lower", unit="rank",
        aggregate="median", relevance=False, aliases=("first_rank",), allowed=_REL,
        by_evidence="ranks",
        when="The typical rank of the first relevant document; a few very late ones do not change it.",
        example=Example("ranking", "FirstRank", 2.0, "the first relevant document is at rank 2"))
def first_relevant_rank(ranked: Ranked, *, rel: int = 1) -> Values:
    """Rank of the first relevant document; the summary is its median over the queries with one.

    Lower is better; undefined if none was returned. Returns (Q,) >= 1.
    """
    return first_rank(ranked, rel)
