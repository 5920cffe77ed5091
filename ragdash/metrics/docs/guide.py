"""When to use a metric, what other tools compute under its name, and which metrics matter for which use case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Guide:
    """when: the use of the metric; differs: what trec_eval, RAGAS, ranx and others compute under this name."""

    when: str
    differs: str = ""


@dataclass(frozen=True)
class Use:
    """A use case of a RAG system with its metrics, the most important first; judged: those that need an LLM judge."""

    title: str
    metrics: tuple[str, ...]
    why: str
    judged: tuple[str, ...] = ()


USES_SOURCE = "published RAG evaluation guide"
USES = (
    Use("General questions and answers", ("SupportCoverage", "HallucinationRate", "AnswerRelevance"),
        "The answer must agree with the contexts and address the question.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Looking up facts", ("R", "EM", "TokenF1"),
        "The one right passage must be among those read, and the answer must be right.", ("Correctness",)),
    Use("Research", ("nDCG", "ContextPrecision", "NoiseShare"),
        "Readers look at many documents: the best must come first, with little noise.", ("ContextRelevance",)),
    Use("Customer support", ("SupportCoverage", "HallucinationRate", "AnswerRelevance"),
        "An invented promise costs more than no answer. The reply must address the question.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Law and medicine", ("HallucinationRate", "UnsupportedNumbers", "FullCoverageRate"),
        "Faithfulness first, claim by claim: nothing unsupported, no evidence missing. Word overlap is only a hint; "
        "people or a judge must check the claims.", ("Faithfulness",)),
)

_RANX = "ranx and ir_measures agree if no scores are equal; they order ties differently."
_RAGAS_JUDGE = "RAGAS, TruLens and DeepEval ask a language model under similar names; their values are not comparable."
_ROUGE = "rouge-score with the same tokens (tokens='rouge'); RAGAS RougeScore calls rouge-score."

GUIDES: Mapping[str, Guide] = {
    "P": Guide("How much of the generator's input is useful. With one relevant document per query it cannot exceed "
               "1/k: compare runs, not the value with 1.", "trec_eval: the same. LlamaIndex and RAGAS divide by what "
               "was returned (denominator='returned'). " + _RANX),
    "R": Guide("The first question of every RAG system: are the needed documents among the k that fit into the prompt? "
               "Choose k by the prompt's budget.", "trec_eval: the same. Some papers print the hit rate as recall. "
               + _RANX),
    "F1": Guide("One number for k between too few and too many documents. Read precision and recall too.",
                "trec_eval has it for sets only (set_F); others average first and take F1 of the means."),
    "Success": Guide("One relevant document is enough for the answer.", "ranx: hit_rate. Often called "
                     "recall if each query has one relevant document; the two are equal then."),
    "RR": Guide("The reader or the prompt uses the first relevant document, as in navigation or with k = 1. It "
                "ignores everything after it.",
                "trec_eval: the same. LlamaIndex: the same. ir_measures breaks ties the other way at a cutoff."),
    "AP": Guide("All relevant documents matter and grades do not; the classic metric of IR evaluation.",
                "trec_eval: the same. RAGAS context precision and some papers divide by the relevant documents "
                "returned (denominator='retrieved'), which is higher."),
    "nDCG": Guide("The order matters and judgments have grades; the usual main metric of retrieval.",
                  "trec_eval: the same (linear gain). ranx ndcg too; its ndcg_burges and gdeval use "
                  "2^grade - 1 (gain='exp'). Tools with the ideal over the returned documents show higher values."),
    "Rprec": Guide("Queries have very different numbers of relevant documents, and no k fits all.",
                   "trec_eval and ranx: the same."),
    "bpref": Guide("Few of the returned documents are judged: unjudged ones are ignored instead of counted as not "
                   "relevant.", "trec_eval: the same."),
    "ERR": Guide("A reader stops when satisfied, and one perfect document makes the later ones unnecessary.",
                 "gdeval fixes the highest grade at 4: ERR(max_grade=4)@20."),
    "RBP": Guide("You know how patient readers are: p = 0.5 looks at two ranks on average, 0.8 at five.",
                 "trec_eval 10 and ranx compute other numbers under this name; ir_measures agrees."),
    "MeanRank": Guide("How far down a person must read. Use it only with the share of queries without a relevant "
                      "document.",
                      "Some count a query without a relevant document as depth + 1."),
    "FirstRank": Guide("The typical rank of the first relevant document; a few very late ones do not change it."),
    "Judged": Guide("Before you trust a low value: is it caused by unjudged documents?",
                    "ir_measures: the same except for ties."),
    "RBPResidual": Guide("How much of a difference unjudged documents could explain."),
    "n_ret": Guide("Did every query get as many documents as it should?", "trec_eval prints the sum, here the mean."),
    "n_rel": Guide("How many documents a query could find; more than k of them cap Recall@k.",
                   "trec_eval prints the sum, here the mean."),
    "n_rel_ret": Guide("With n_rel: how many relevant documents are found at any depth.",
                       "trec_eval prints the sum, here the mean."),
    "AUC": Guide("Do scores separate relevant from non-relevant, at any cutoff? For thresholds and re-rankers.",
                 "scikit-learn's roc_auc_score of the same documents; it counts equal scores half, here the order of "
                 "the ranking counts."),
    "AQWV": Guide("False alarms are expensive and the system may return nothing: the measure of the MATERIAL program.",
                  "Two forms have this name; the thresholdless one divides false alarms by the returned documents."),
    "MQWV": Guide("The best value of any score cutoff; the gap to AQWV is the gain of a better threshold.",
                  "As in the MATERIAL program, with the threshold chosen on these queries."),
    "EvidenceRecall": Guide("The evidence matters, not the chunk that contains it: for comparing chunk sizes.",
                            "TAT-RAG: the same, with another similarity."),
    "PerQueryCoverage": Guide("Like EvidenceRecall, with equal weight per query: the usual choice.",
                              "RAGAS NonLLMContextRecall with its own similarity and threshold."),
    "FullCoverageRate": Guide("Answers that need all the evidence: multi-hop questions, comparisons, lists."),
    "ContextPrecision": Guide("Are the chunks that cover the evidence at the top of the prompt?",
                              "RAGAS NonLLMContextPrecisionWithReference; with a judge (LLMContextPrecision) it is "
                              "another metric."),
    "ContextRecall": Guide("For comparison with RAGAS tables.",
                           "RAGAS: threshold 0.5 on whole strings; its LLMContextRecall asks a model."),
    "NoiseShare": Guide("How much of the prompt is useless or misleading.",
                        "RAGAS NoiseSensitivity asks a model what the noise did; it is another metric."),
    "TokensToFullCoverage": Guide("How much text the prompt needs to contain all evidence: cost and chunk size."),
    "EM": Guide("Short factual answers with one right wording. It is 0 for almost every long answer.",
                "SQuAD's script: the same. RAGAS ExactMatch compares the raw strings."),
    "CoverEM": Guide("Answers in whole sentences to questions with a short right answer: what most RAG systems write.",
                     "Lost in the Middle (best_subspan_em) and others search for characters, also within a word."),
    "TokenF1": Guide("Short answers with varying words. It ignores order and penalizes length.",
                     "SQuAD's script: the same; tokens='set' is another published form."),
    "ROUGE_L": Guide("Longer answers and summaries, where order matters.", _ROUGE),
    "ROUGE_1": Guide("For comparison with summarization papers.", _ROUGE),
    "ROUGE_2": Guide("Answers with wording close to the reference; useless for one-word answers.", _ROUGE),
    "AnswerRelevance": Guide("A cheap check that the answer addresses the question. It does not show whether it is "
                             "right.",
                             "RAGAS ResponseRelevancy embeds questions that a model writes; DeepEval uses a judge. "
                             "Both "
                             "are different metrics."),
    "Refusal": Guide("With unanswerable queries: does the system decline for these, and only for these?"),
    "SupportCoverage": Guide("A first check of grounding, without a model: do the contexts contain the words of the "
                             "answer?", _RAGAS_JUDGE),
    "SupportDensity": Guide("SupportCoverage with function words, so always higher; for comparison with other tools.",
                            _RAGAS_JUDGE),
    "HallucinationRate": Guide("Unsupported wording is dangerous; read the worst answers, not only the mean.",
                               _RAGAS_JUDGE),
    "UnsupportedNumbers": Guide("Amounts, dates, doses: harmful hallucinations that word overlap does not show."),
    "SBERT": Guide("Right answers in very different words. Use one model for all compared runs.",
                   "RAGAS SemanticSimilarity: the same idea with its own model."),
    "CrossEncoder": Guide("Like SBERT, slower and more precise; its training decides what it measures."),
    "SemanticRelevance": Guide("Does the answer address the question, in any words?",
                               "RAGAS ResponseRelevancy embeds questions that a model writes from the answer."),
    "Faithfulness": Guide("The cheapest judge metric of grounding, for many queries: one call each."),
    "ClaimFaithfulness": Guide("Which claim is not supported, and which chunk supports which? For longer answers.",
                               "DeepEval Faithfulness counts claims that are not contradicted; TruLens grades "
                               "sentences."),
    "ContextRelevance": Guide("Does retrieval fail? It needs no reference.", "DeepEval and TruLens count "
                              "relevant sentences; RAGAS grades in thirds."),
    "Correctness": Guide("Long answers, for which word overlap fails; it needs a reference.",
                         "RAGAS AnswerCorrectness mixes claim F1 with a cosine."),
    "RAGAS.Faithfulness": Guide("For comparison with RAGAS tables."),
    "RAGAS.ContextPrecision": Guide("Are the useful chunks at the top?", "ContextPrecision here needs gold spans and "
                                    "no judge."),
    "RAGAS.ContextRecall": Guide("Do the contexts contain everything the reference says?",
                                 "ContextRecall here needs gold spans and no judge."),
    "RAGChecker.Hallucination": Guide("Wrong claims that no chunk explains: the generator's fault, not retrieval's."),
    "RAGChecker.ContextUtilization": Guide("Was the evidence retrieved and not used? Then fix the prompt, not the "
                                          "retriever."),
    "NLIFaithfulness": Guide("Grounding in every build, without a key and without cost.",
                             "SummaC takes a mean over sentences of the highest entailment; here they are counted."),
}


def guide(name: str) -> Guide | None:
    """Return the guidance on a metric, None if it has no entry."""
    return GUIDES.get(name)
