"""Metrics by an LLM judge; the verdicts come from the verdict store (ragdash.models.judge).

Undefined (NaN, never 0): a required text or a verdict is missing; each has its reason next to the numbers. judge: whose
verdicts, a model or "model at host"; "" is the judge with values on most queries of the runs; "A + B" the mean of these
judges, "majority of A + B" their most frequent value, "majority" that of the votes. votes: the mean of that many
verdicts on the same question. With several references, claims come from the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragdash.matching.views.ranked import Values
from ragdash.metrics.registry import METRICS, Spec, metric

if TYPE_CHECKING:  # the views need the whole of judges and models; a list of the metrics does not
    from ragdash.matching.views.cited import Cited
    from ragdash.matching.views.judged import Judged
    from ragdash.matching.views.nli import Entailed
    from ragdash.models.judge.tasks.rubrics import Rubric

_GUIDE = "published RAG evaluation guide, LLM as judge"
_RAGAS = "Es et al. 2024 (RAGAS); the algorithm of RAGAS 0.4 with other prompts"
_CHECKER = "Ru et al. 2024 (RAGChecker), with other prompts"
_VOTES = {"votes": (1, 99)}


def judge_request(spec: Spec) -> tuple[str, str, int]:
    """(what a judge is asked for: the canonical spelling without judge and votes; judge; votes) of a judged spec."""
    params = dict(spec.params)
    judge, votes = params.pop("judge", ""), params.pop("votes", 1)
    return str(Spec(spec.name, tuple(sorted(params.items())))), judge, votes


@metric("Faithfulness", "Faithfulness", formula=r"score \in \{0, 0.25, 0.5, 0.75, 1\}", source=_GUIDE, relevance=False,
        allowed=_VOTES,
        when="The cheapest judge metric of grounding, for many queries: one call each.")
def faithfulness(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Does the answer state only what its contexts state? A judge's grade of the whole answer.

    0.75: but for a detail; 0.5: about half of what answers the query; 0.25: only details. One call; a true statement
    that the contexts lack is not faithful. Undefined without an answer or contexts.
    Returns (Q,) in [0, 1].
    """
    return judged.values("Faithfulness", judge, votes)


@metric("ClaimFaithfulness", "Claim faithfulness", formula=r"\frac{|supported\ claims|}{|claims(answer)|}",
        source=_GUIDE, relevance=False, aliases=("claim_faithfulness",), allowed=_VOTES,
        when="Which claim is not supported, and which chunk supports which? For longer answers.",
        differs="DeepEval Faithfulness counts claims that are not contradicted; TruLens grades sentences.")
def claim_faithfulness(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Share of the answer's claims that the contexts support; a judge extracts and checks each claim.

    An answer without a claim states nothing unsupported: 1, counted as vacuous. Claims, verdicts, reasons and the
    chunks that support each are stored. Undefined without an answer or contexts, and if one verdict is missing.
    Returns (Q,) in [0, 1].
    """
    return judged.values("ClaimFaithfulness", judge, votes)


@metric("AnswerRelevanceJudged", "Judged answer relevance", formula=r"score \in \{0, 0.25, 0.5, 0.75, 1\}",
        source=_GUIDE, relevance=False, aliases=("answer_relevance_judged",), allowed=_VOTES)
def answer_relevance_judged(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Does the answer address the question, completely and nothing else? A judge's grade, whether right or wrong.

    Undefined without an answer or the text of the query. Returns (Q,) in [0, 1].
    """
    return judged.values("AnswerRelevanceJudged", judge, votes)


@metric("ContextRelevance", "Context relevance", formula=r"score \in \{0, 0.25, 0.5, 0.75, 1\}", source=_GUIDE,
        relevance=False, aliases=("context_relevance",), allowed={"per": ("query", "chunk"), **_VOTES},
        when="Does retrieval fail? It needs no reference.",
        differs="DeepEval and TruLens count relevant sentences; RAGAS grades in thirds.")
def context_relevance(judged: Judged, *, per: str = "query", judge: str = "", votes: int = 1) -> Values:
    """Do the contexts contain what is needed to answer? A judge's grade of all of them together.

    per='chunk': each chunk is graded alone, and the mean is used, so every useless chunk lowers it. Undefined without
    contexts or the text of the query. Returns (Q,) in [0, 1].
    """
    return judged.values("ContextRelevance" if per == "query" else "ContextRelevance(per='chunk')", judge, votes)


@metric("Correctness", "Correctness", formula=r"score \in \{0, 0.25, 0.5, 0.75, 1\}", source=_GUIDE, relevance=False,
        aliases=("answer_correctness",), allowed={"how": ("grade", "claims"), **_VOTES},
        when="Long answers, for which word overlap fails; it needs a reference.",
        differs="RAGAS AnswerCorrectness mixes claim F1 with a cosine.")
def correctness(judged: Judged, *, how: str = "grade", judge: str = "", votes: int = 1) -> Values:
    """Does the answer say what a reference says? A judge's grade; agreement with any reference is enough.

    how='claims': F1 of the claims of answer and first reference that the other entails (RAGChecker.F1). A question
    that has no answer, by the truth's mark or an empty reference, needs no reference for the grade: declining is
    right. Else undefined without an answer or a reference. Returns (Q,) in [0, 1].
    """
    return judged.values("Correctness" if how == "grade" else "Correctness(how='claims')", judge, votes)


@metric("RAGAS.Faithfulness", "RAGAS faithfulness", formula=r"\frac{|supported\ claims|}{|claims(answer)|}",
        source=_RAGAS, relevance=False, aliases=("ragas_faithfulness",), allowed=_VOTES,
        when="For comparison with RAGAS tables.")
def ragas_faithfulness(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Claim faithfulness, undefined for an answer without a claim.

    RAGAS divides by the verdicts that came back; here a missing verdict leaves the value undefined. Returns (Q,) in
    [0, 1].
    """
    return judged.values("RAGAS.Faithfulness", judge, votes)


@metric("RAGAS.AnswerRelevancy", "RAGAS answer relevancy",
        formula=r"\frac{1}{3} \sum_{i=1}^{3} \cos(e(question_i), e(query))", source=_RAGAS, range=(-1.0, 1.0),
        relevance=False, aliases=("ragas_answer_relevancy", "response_relevancy",
                                   "RAGAS.ResponseRelevancy"), allowed=_VOTES)
def ragas_answer_relevancy(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Mean cosine of the query with three questions that a judge makes of the answer; 0 if it evades all three.

    The questions are embedded by a local model (`ragdash score`), the one last used. Undefined without an answer or
    the text of the query, and where a question was not embedded. Returns (Q,) in [-1, 1].
    """
    return judged.values("RAGAS.AnswerRelevancy", judge, votes)


@metric("RAGAS.ContextPrecision", "RAGAS context precision",
        formula=r"\frac{1}{|useful|} \sum_{i: useful_i} \frac{|useful\ in\ first\ i|}{i}", source=_RAGAS,
        relevance=False, aliases=("ragas_context_precision", "RAGAS.ContextPrecisionWithReference",
                                   "RAGAS.LLMContextPrecisionWithReference"), allowed=_VOTES,
        when="Are the useful chunks at the top?",
        differs="ContextPrecision here needs gold spans and no judge.")
def ragas_context_precision(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Average precision of the chunks that a judge finds useful for the reference, in their order; 0 if none is.

    Undefined without the text of the query, a reference or contexts, and if the verdict on a chunk is missing.
    Returns (Q,) in [0, 1].
    """
    return judged.values("RAGAS.ContextPrecision", judge, votes)


@metric("ContextPrecisionRatio", "Context precision ratio", formula=r"\frac{|useful\ chunks|}{|chunks|}", source=_GUIDE,
        relevance=False, aliases=("context_precision_ratio",), allowed=_VOTES)
def context_precision_ratio(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Share of the chunks that a judge finds useful for the reference, in any order.

    The same verdicts as RAGAS.ContextPrecision, and undefined for the same queries. Returns (Q,) in [0, 1].
    """
    return judged.values("ContextPrecisionRatio", judge, votes)


@metric("RAGAS.ContextRecall", "RAGAS context recall", formula=r"\frac{|supported\ claims|}{|claims(reference)|}",
        source=_RAGAS, relevance=False, aliases=("ragas_context_recall", "RAGAS.LLMContextRecall"), allowed=_VOTES,
        when="Do the contexts contain everything the reference says?",
        differs="ContextRecall here needs gold spans and no judge.")
def ragas_context_recall(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Share of the reference's claims that the contexts support.

    Undefined without a reference or contexts, for a reference without a claim, and where one verdict is missing.
    Returns (Q,) in [0, 1].
    """
    return judged.values("RAGAS.ContextRecall", judge, votes)


def _register_ragas(name: str, title: str, formula: str, doc: str, better: str = "higher", *, mode: str = "",
                    modes: tuple[str, ...] = (), **guide: object) -> None:
    """Register one of RAGAS's further metrics. mode, modes: the default of its parameter mode, and all values."""
    def value(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
        return judged.values(f"RAGAS.{name}", judge, votes)

    def value_of_mode(judged: Judged, *, mode: str = mode, judge: str = "", votes: int = 1) -> Values:
        return judged.values(f"RAGAS.{name}" + (f"(mode={mode!r})" if mode != modes[0] else ""), judge, votes)

    function = value_of_mode if mode else value
    function.__doc__ = f"""{doc} Undefined if a text or a verdict is missing. Returns (Q,) in [0, 1]."""
    metric(f"RAGAS.{name}", title, formula=formula, source=_RAGAS, relevance=False, better=better,
           allowed={**_VOTES, **({"mode": modes} if modes else {})}, **guide)(function)


_register_ragas(
    "FactualCorrectness", "RAGAS factual correctness", r"\frac{2 P R}{P + R}, P = \frac{TP}{TP + FP}, "
    r"R = \frac{TP}{TP + FN}", """F1 of the claims of answer and first reference, by what the other entails.

    TP and FP: the answer's claims that the reference entails or does not; FN: the reference's that the answer does not.
    mode='precision' and mode='recall' give its parts.""", mode="f1", modes=("f1", "precision", "recall"),
    differs="RAGChecker.F1 has another recall: the share of the reference's claims that the answer entails.")
_register_ragas(
    "NoiseSensitivity", "RAGAS noise sensitivity", r"\frac{|wrong \cap in\ a\ useful\ chunk|}{|claims(answer)|}",
    """Share of the answer's claims that are wrong and come from a chunk that entails a claim of the reference.

    mode='irrelevant': from other chunks only. The formula of RAGChecker's two metrics of this name.""", "lower",
    mode="relevant", modes=("relevant", "irrelevant"))
_register_ragas(
    "ContextUtilization", "RAGAS context utilization",
    r"\frac{1}{|useful|} \sum_{i: useful_i} \frac{|useful\ in\ first\ i|}{i}",
    """Average precision of the chunks that a judge finds useful for the answer, in their order; 0 if none is.""",
    aliases=("RAGAS.ContextPrecisionWithoutReference", "RAGAS.LLMContextPrecisionWithoutReference"),
    differs="RAGChecker.ContextUtilization is a share of claims.")
_register_ragas(
    "ContextEntityRecall", "RAGAS context entity recall", r"\frac{|E(reference) \cap E(contexts)|}{|E(reference)|}",
    """Share of the entities of the first reference that the contexts name, in any case; a judge lists both.""")
_register_ragas(
    "AnswerAccuracy", "RAGAS answer accuracy", r"\frac{s_1 + s_2}{2}, s \in \{0, 0.5, 1\}",
    """Mean of two ratings of the answer against the first reference; the second has them the other way round.""")
_register_ragas(
    "ContextRelevance", "RAGAS context relevance", r"\frac{s_1 + s_2}{2}, s \in \{0, 0.5, 1\}",
    """Mean of two ratings, by two prompts, of whether the contexts hold what is needed to answer.""",
    differs="ContextRelevance here is one grade of five.")
_register_ragas(
    "ResponseGroundedness", "RAGAS response groundedness", r"\frac{s_1 + s_2}{2}, s \in \{0, 0.5, 1\}",
    """Mean of two ratings, by two prompts, of whether the contexts support the answer.""")


@metric("CitationPrecision", "Citation precision", formula=r"\frac{|citations\ that\ support\ their\ sentence|}"
        r"{|citations|}", source="Gao et al. 2023 (ALCE), with a judge in place of an NLI model", relevance=False,
        aliases=("citation_precision",), allowed=_VOTES,
        when="Answers cite their sources, and readers rely on the citations.")
def citation_precision(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Share of the citations whose context supports the sentence that cites it; a judge checks each sentence.

    [2], [1, 3], [2-4], (source), [source], `[^1]` and superscripts are read. A number is the place of the context. A
    citation that means no context supports nothing. Undefined without an answer, contexts or a citation, and if a
    verdict is missing. Returns (Q,) in [0, 1].
    """
    return judged.values("CitationPrecision", judge, votes)


@metric("CitationRecall", "Citation recall",
        formula=r"\frac{|sentences\ that\ a\ cited\ context\ supports|}{|sentences|}",
        source="Gao et al. 2023 (ALCE), with a judge in place of an NLI model", relevance=False,
        aliases=("citation_recall",), allowed=_VOTES,
        when="Every statement should have a citation that supports it.")
def citation_recall(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
    """Share of the answer's sentences that one of the contexts they cite supports.

    The same verdicts as CitationPrecision. A sentence without a citation counts as not supported. Undefined without an
    answer, contexts or any citation, and if a verdict is missing. Returns (Q,) in [0, 1].
    """
    return judged.values("CitationRecall", judge, votes)


@metric("FabricatedCitations", "Fabricated citations", formula=r"\frac{|citations\ of\ no\ context|}{|citations|}",
        source="ragdash", better="lower", relevance=False, aliases=("fabricated_citations",),
        when="Citations that lead nowhere; no judge is needed.")
def fabricated_citations(cited: Cited) -> Values:
    """Share of the answer's citations that mean no context: a number beyond the contexts, a file that is not there.

    Undefined without an answer, contexts or a citation. Returns (Q,) in [0, 1].
    """
    from ragdash.models.judge.tasks.citations import fabricated_share

    return np.array([fabricated_share(case) for case in cited.cases], np.float64)


@metric("NLIFaithfulness", "NLI faithfulness", formula=r"\frac{|\{s \in sentences(answer): \max_w p(w \models s) \ge "
        r"0.5\}|}{|sentences(answer)|}", source="Laban et al. 2022 (SummaC), a natural language inference model",
        relevance=False, aliases=("nli_faithfulness",),
        when="Grounding in every build, without a key and without cost.",
        differs="SummaC takes a mean over sentences of the highest entailment; here they are counted.")
def nli_faithfulness(entailed: Entailed, *, model: str = "") -> Values:
    """Share of the answer's sentences that some window of the contexts entails, by a local model without a key.

    A window is three sentences of one context, and slides by two. A sentence is entailed at a probability of 0.5 or
    more. The model's own label names show which one means entailment. Undefined without an answer or contexts, and if
    a pair was not computed. model: which model's values; '' is the one used last. Returns (Q,) in [0, 1].
    """
    return entailed.values(model)


def register_rubrics() -> list[str]:
    """Make the stored rubrics metrics and tasks, under their names (Rubric.polite); returns the names.

    Rubrics that changed are registered again, those that are gone are taken out. Cheap where nothing changed.
    """
    from ragdash.models.judge.tasks import TASKS
    from ragdash.models.judge.tasks.rubrics import PREFIX, rubric_task, stored_rubrics

    rubrics = {rubric.metric: rubric for rubric in stored_rubrics()}
    for registry in (METRICS, TASKS):
        for name in [name for name in registry if name.startswith(PREFIX) and name not in rubrics]:
            registry.pop(name)
    for name, rubric in rubrics.items():
        if name not in TASKS or getattr(TASKS[name].ask, "args", ()) != (rubric,):
            TASKS[name] = rubric_task(rubric)
            _register_rubric(rubric)
    return list(rubrics)


RUBRIC_FORMULAS = {
    "pass": r"1\ if\ pass,\ 0\ if\ fail",
    "labels": r"\frac{place\ of\ the\ label - 1}{|labels| - 1}",
    "number": r"\frac{verdict - lowest}{highest - lowest}",
    "ranking": r"\frac{|ranked\ below| + |ties| / 2}{|other\ answers|}",
}


def _scale_of(rubric: Rubric) -> str:
    """What a verdict on the rubric's own scale counts."""
    if rubric.kind == "number":
        low, high = rubric.ends
        return f"The judge gives a number from {low:g} to {high:g}; {low:g} counts 0 and {high:g} counts 1."
    labels = rubric.labels if rubric.kind == "labels" else ("fail", "pass")
    return "The judge says one of: " + ", ".join(f"{label} ({rubric.value(label):.3g})" for label in labels) + "."


def _register_rubric(rubric: Rubric) -> None:
    def value(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
        return judged.values(rubric.metric, judge, votes)

    ranks = rubric.kind == "ranking"
    meaning = ("The answers of several runs are ranked against each other; the value is the share of the others that "
               "the run's answer is ranked above, ties half.") if ranks else _scale_of(rubric)
    value.__doc__ = f"""{rubric.question.strip()}

    A criterion of your own ({rubric.kind}). {meaning} Undefined if a text or the criterion of the query is missing, and
    if the judge cannot decide. Returns (Q,) in [0, 1].
    """
    metric(rubric.metric, rubric.title or f"{rubric.name} (rubric)", formula=RUBRIC_FORMULAS[rubric.kind],
           source=f"your rubric, digest {rubric.digest}", relevance=False, allowed=_VOTES)(value)


def _register_ragchecker(name: str, title: str, formula: str, doc: str, better: str = "higher",
                         **guide: str) -> None:
    """Register a metric of the RAGChecker family: all rest on the same claims and verdicts, asked for once."""
    def value(judged: Judged, *, judge: str = "", votes: int = 1) -> Values:
        return judged.values(f"RAGChecker.{name}", judge, votes)

    value.__doc__ = f"""{doc}

    The claims of answer and first reference are checked against the other text or each chunk. Contradicted is not
    entailed. A share of nothing is undefined (RAGChecker: 0), and so is one with a missing text or verdict.
    Returns (Q,) in [0, 1].
    """
    metric(f"RAGChecker.{name}", f"RAGChecker {title}", formula=formula, source=_CHECKER, better=better,
           relevance=False, aliases=(f"ragchecker_{title.replace(' ', '_')}",), allowed=_VOTES, **guide)(value)


_register_ragchecker("Precision", "precision", r"\frac{|right|}{|claims(answer)|}",
                     "Share of the answer's claims that the reference entails.")
_register_ragchecker("Recall", "recall", r"\frac{|found|}{|claims(reference)|}",
                     "Share of the reference's claims that the answer entails.")
_register_ragchecker("F1", "f1", r"\frac{2 P R}{P + R}", "Harmonic mean of RAGChecker's precision and recall.")
_register_ragchecker("ClaimRecall", "claim recall", r"\frac{|in\ some\ chunk|}{|claims(reference)|}",
                     "Share of the reference's claims that some chunk entails.")
_register_ragchecker("ContextPrecision", "context precision", r"\frac{|useful\ chunks|}{|chunks|}",
                     "Share of the chunks that entail a claim of the reference.")
_register_ragchecker(
    "ContextUtilization",
    "context utilization",
    r"\frac{|found \cap in\ some\ chunk|}{|in\ some\ chunk|}",
    "Of the reference's claims that some chunk entails, the share that the answer entails.",
    when="Was the evidence retrieved and not used? Then fix the prompt, not the retriever.")
_register_ragchecker("NoiseSensitivityRelevant", "noise sensitivity in relevant",
                     r"\frac{|wrong \cap in\ a\ useful\ chunk|}{|claims(answer)|}",
                     "Share of the answer's claims that are wrong and come from a chunk that is useful.", "lower")
_register_ragchecker("NoiseSensitivityIrrelevant", "noise sensitivity in irrelevant",
                     r"\frac{|wrong \cap in\ useless\ chunks\ only|}{|claims(answer)|}",
                     "Share of the answer's claims that are wrong and come from useless chunks only.", "lower")
_register_ragchecker("Hallucination", "hallucination", r"\frac{|wrong \cap in\ no\ chunk|}{|claims(answer)|}",
                     "Share of the answer's claims that are wrong and in no chunk.", "lower",
                     when="Wrong claims that no chunk explains: the generator's fault, not retrieval's.")
_register_ragchecker("SelfKnowledge", "self knowledge", r"\frac{|right \cap in\ no\ chunk|}{|claims(answer)|}",
                     "Share of the answer's claims that are right and in no chunk: the model knew them.", "lower")
_register_ragchecker("Faithfulness", "faithfulness", r"\frac{|in\ some\ chunk|}{|claims(answer)|}",
                     "Share of the answer's claims that some chunk entails.")
