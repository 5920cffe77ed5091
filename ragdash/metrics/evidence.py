"""Was the evidence found? Gold spans that returned chunks cover, and the retrieval metrics with spans for documents.

Unless a docstring says otherwise: undefined (NaN) for a query without gold spans, 0 for an empty ranking. What covers
what depends on the similarity and its threshold (docs/reference/evidence.md), which are in the settings of an
evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ragdash.core.errors import Unavailable
from ragdash.matching.views.evidence import Covered
from ragdash.matching.views.ranked import Cutoffs, Ranked, Values
from ragdash.metrics.example_setups import Example
from ragdash.metrics.rankings.retrieval import average_precision, precision
from ragdash.metrics.rankings.sums import ratio, undefined_without
from ragdash.metrics.registry import CorpusValue, Metric, metric


@metric("EvidenceRecall", "Evidence recall",
        formula=r"\frac{\sum_q |spans_q \text{ covered by } top_k|}{\sum_q |spans_q|}",
        source="TAT-RAG evaluation (EvidenceRecall@3, @10)", aggregate="corpus", aliases=("evidence_recall",),
        when="The evidence matters, not the chunk that contains it: for comparing chunk sizes.",
        differs="TAT-RAG: the same, with another similarity.",
        example=Example("evidence", "EvidenceRecall@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"))
def evidence_recall(covered: Covered, k: Cutoffs) -> tuple[CorpusValue, ...]:
    """Share of all gold spans, of all queries together, that the first k chunks cover (micro).

    A query with many spans has more weight; PerQueryCoverage weights all queries equally. Returns a CorpusValue for
    each cutoff, whose values (Q,) are the shares of the queries, in [0, 1].
    """
    gold = covered.gold.astype(np.float64)
    covered_spans = covered.covered_at(k)
    shares = ratio(covered_spans.copy(), covered.gold)
    return tuple(CorpusValue(shares[:, i], 0.0, ((1.0, covered_spans[:, i], gold),)) for i in range(len(k)))


@metric("PerQueryCoverage", "Coverage per query", formula=r"\frac{|spans \text{ covered by } top_k|}{|spans|}",
        source="TAT-RAG evaluation (PerQueryCoverage@k)", aliases=("per_query_coverage",),
        when="Like EvidenceRecall, with equal weight per query: the usual choice.",
        differs="RAGAS NonLLMContextRecall with its own similarity and threshold.",
        example=Example("evidence", "PerQueryCoverage@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"))
def per_query_coverage(covered: Covered, k: Cutoffs) -> Values:
    """Share of the gold spans of a query that the first k chunks cover, averaged over the queries (macro).

    A span counts once, however many chunks cover it. The same as R@k by evidence. Returns (Q, K) in [0, 1].
    """
    return ratio(covered.covered_at(k), covered.gold)


@metric("FullCoverageRate", "Full coverage", formula=r"1 \text{ if } top_k \text{ covers every span, else } 0",
        source="TAT-RAG evaluation (FullCoverageRate@k)", aliases=("full_coverage_rate",),
        when="Answers that need all the evidence: multi-hop questions, comparisons, lists.",
        example=Example("evidence", "FullCoverageRate@3", 0.0, "not every span is covered by the first 3 chunks"))
def full_coverage_rate(covered: Covered, k: Cutoffs) -> Values:
    """1 if the first k chunks cover every gold span of the query, else 0; its mean is the share of such queries.

    Returns (Q, K): 0 or 1.
    """
    return undefined_without(covered.gold, covered.covered_at(k) == covered.gold[:, None])


@metric("ContextPrecision", "Context precision",
        formula=r"\frac{\sum_{i \leq k} P@i \cdot hit_i}{\sum_{i \leq k} hit_i},\ "
                r"hit_i = 1 \text{ if chunk i covers a span}",
        source="RAGAS NonLLMContextPrecisionWithReference; form='share': IDBasedContextPrecision",
        aliases=("context_precision",), allowed={"form": ("ranked", "share")},
        when="Are the chunks that cover the evidence at the top of the prompt?",
        differs="RAGAS NonLLMContextPrecisionWithReference; with a judge (LLMContextPrecision) it is another metric.",
        example=Example("evidence", "ContextPrecision@3", 0.5,
                        "the only covering chunk is at rank 2, where precision is 1/2"))
def context_precision(covered: Covered, k: Cutoffs, *, form: str = "ranked") -> Values:
    """How high the covering chunks are ranked: the mean of the precisions at their ranks.

    Divides by the covering chunks that were returned, so it ignores spans that were not found: read it with
    ContextRecall. 0 if no chunk covers anything. The same as AP(denominator='retrieved') by evidence. RAGAS adds 1e-10
    to the denominator and uses a threshold of 0.5 on whole strings. form='share': covering chunks over returned ones,
    in any order. It asks no model; RAGAS metrics of the same name with a judge are different.
    Returns (Q, K) in [0, 1].
    """
    if form == "share":
        return precision(covered.ranks, k, denominator="returned")
    return average_precision(covered.ranks, k, denominator="retrieved")


@metric("ContextRecall", "Context recall", formula=r"\frac{|spans \text{ covered by the chunks}|}{|spans|}",
        source="RAGAS NonLLMContextRecall, IDBasedContextRecall", aliases=("context_recall",),
        when="For comparison with RAGAS tables.",
        differs="RAGAS: threshold 0.5 on whole strings; its LLMContextRecall asks a model.",
        example=Example("evidence", "ContextRecall@3", 0.5, "1 of 2 spans is covered by the first 3 chunks"))
def context_recall(covered: Covered, k: Cutoffs) -> Values:
    """Share of the gold spans of a query that some chunk covers: PerQueryCoverage under its RAGAS name.

    RAGAS compares whole strings with a threshold of 0.5; here the settings of the match decide. Returns (Q, K) in
    [0, 1].
    """
    return per_query_coverage(covered, k)


@metric("NoiseShare", "Noise share",
        formula=r"1 - \frac{|\{i \leq k: \text{chunk i covers a span}\}|}{\min(k, returned)}",
        source="complement of the precision over what was returned", better="lower", relevance=False,
        aliases=("noise_share",),
        weight=lambda covered, k: covered.ranks.returned_at(k) * (covered.gold > 0)[:, None],
        when="How much of the prompt is useless or misleading.",
        differs="RAGAS NoiseSensitivity asks a model what the noise did; it is another metric.",
        example=Example("evidence", "NoiseShare@3", 2 / 3, "chunks 1 and 3 cover nothing: 2 of 3"))
def noise_share(covered: Covered, k: Cutoffs) -> Values:
    """Share of the first k chunks that cover no gold span. Lower is better.

    Noise by the gold spans: a chunk may help in ways that nobody marked. Also undefined if nothing was returned.
    Returns (Q, K) in [0, 1].
    """
    returned = covered.ranks.returned_at(k)
    useless = returned - covered.ranks.hits_at(k)
    return undefined_without(covered.gold, ratio(useless.astype(np.float64), returned))


@metric("TokensToFullCoverage", "Tokens to full coverage",
        formula=r"\sum_{i \leq r} |tokens_i|,\ r = \text{rank by which every span is covered}",
        source="what a generator has to read until all the evidence is there", range=(0.0, np.inf), better="lower",
        unit="words", relevance=False, aliases=("tokens_to_full_coverage",),
        when="How much text the prompt needs to contain all evidence: cost and chunk size.",
        example=Example("evidence", "TokensToFullCoverage", 40.0, "chunks 1 to 4 have 7 + 15 + 9 + 9 words"))
def tokens_to_full_coverage(covered: Covered) -> Values:
    """Tokens of the chunks down to the rank by which every gold span of the query is covered. Lower is better.

    A token is a word here, or a character of a script without spaces; a model counts more of them. Undefined if some
    span is not covered, so read it with FullCoverageRate. Also undefined if a chunk on the way has no text.
    Returns (Q,) >= 0.
    """
    until_full = covered.chunk_rank <= np.nan_to_num(covered.full_rank, nan=0.0)[covered.chunk_query]
    total = np.bincount(covered.chunk_query[until_full], covered.words[until_full], covered.queries)
    return np.where(np.isnan(covered.full_rank), np.nan, total)


@dataclass(frozen=True)
class EvidenceForm:
    """A metric under match='evidence': function(covered, *cutoffs, **parameters), and the weight of its micro average.

    unit: what counts as its documents: "ranks", "spans", "ranks and spans"; "evidence" for a metric of the evidence.
    """

    unit: str
    function: Callable
    weight: Callable | None = None


def by_evidence(definition: Metric, params: Mapping[str, object], k: int | None = None) -> EvidenceForm:
    """How a metric is computed under match='evidence'; params, k: as in its Spec (average may be among them).

    The definition says which (`@metric(by_evidence=...)`). Ranks: a rank is a hit if its chunk covers any span (P,
    Success, RR ...; R is the number of spans). Spans: each counts once, at its first covering rank (R, nDCG ...).
    AP is of spans, AP(denominator='retrieved') of ranks.
    Raises Unavailable where the metric, or this form of it, has no meaning for spans.
    """
    name, form = definition.name, definition.by_evidence
    if definition.view == "Covered":
        return EvidenceForm("evidence", definition.function, definition.weight)
    needs = _unmet_need(name, params, k)
    if needs or definition.view != "Ranked" or form is None:
        raise Unavailable(f"by-evidence{needs}", {"metric": name}, "metric")
    if isinstance(form, str):
        return _form_by_unit(form, definition)
    if params.get("denominator") == "retrieved":
        return _form_by_unit("ranks", definition)
    return EvidenceForm("ranks and spans", form)


def ranked_by_unit(covered: Covered, unit: str) -> Ranked:
    """The view with ranks or with spans for documents, by unit."""
    return {"ranks": covered.ranks, "spans": covered.spans}[unit]


def _unmet_need(name: str, params: Mapping[str, object], k: int | None) -> str:
    """What parameters ask for that spans do not have, as the wording of the message; empty where they fit."""
    if params.get("rel", 1) != 1:
        return "-without-grades"
    of_corpus = params.get("form") == "material" or {"threshold", "corpus_size"} & params.keys()
    if name == "AQWV" and (k is None or of_corpus):
        return "-at-a-cutoff"
    if name == "AUC" and params.get("unretrieved") == "last":
        return "-of-returned"
    if name == "F1" and params.get("average") == "micro":
        return "-without-micro"
    return ""


def _form_by_unit(unit: str, definition: Metric) -> EvidenceForm:
    """The definition by id, over ranks or spans in place of documents."""
    def function(covered: Covered, *args, **params) -> object:
        return definition.function(ranked_by_unit(covered, unit), *args, **params)

    def weight(covered: Covered, *args, **params) -> np.ndarray:
        return definition.weight(ranked_by_unit(covered, unit), *args, **params)

    return EvidenceForm(unit, function, weight if definition.weight else None)
