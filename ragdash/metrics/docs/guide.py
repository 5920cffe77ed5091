"""When to look at a metric, how others compute what they call the same, and which metrics matter for which use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Guide:
    """when: what it is good for; differs: what trec_eval, RAGAS, ranx and others do under this name ("": the same)."""

    when: str
    differs: str = ""


@dataclass(frozen=True)
class Use:
    """A use of a RAG system with the metrics that matter for it, the first ones most; judged: need a judging model."""

    title: str
    metrics: tuple[str, ...]
    why: str
    judged: tuple[str, ...] = ()


USES_SOURCE = "published RAG evaluation guide"
USES = (
    Use("General questions and answers", ("SupportCoverage", "HallucinationRate", "AnswerRelevance"),
        "The answer has to say what the contexts say, and speak of what was asked.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Looking up facts", ("R", "EM", "TokenF1"),
        "The one right passage has to be among those read, and the answer has to be right.", ("Correctness",)),
    Use("Research", ("nDCG", "ContextPrecision", "NoiseShare"),
        "Many documents are read: the best ones first, with little noise between them.", ("ContextRelevance",)),
    Use("Customer support", ("SupportCoverage", "HallucinationRate", "AnswerRelevance"),
        "A made-up promise costs more than no answer; the reply has to meet the question.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Law and medicine", ("HallucinationRate", "UnsupportedNumbers", "FullCoverageRate"),
        "Faithfulness first, claim by claim: nothing unsupported, nothing of the evidence missing. Word overlap is a "
        "hint only; people or a judge have to check the claims.", ("Faithfulness",)),
)

_RANX = "ranx and ir_measures agree where no scores are equal; they settle ties otherwise."
_RAGAS_JUDGE = "RAGAS, TruLens and DeepEval ask a language model under similar names; their values are not comparable."
_ROUGE = "rouge-score with the same tokens (tokens='rouge'); RAGAS RougeScore calls rouge-score."

GUIDES: Mapping[str, Guide] = {
    "P": Guide("How much of what the generator reads is useful. With one relevant document per query it cannot exceed "
               "1/k: compare runs, not the number with 1.", "trec_eval: the same. LlamaIndex and RAGAS divide by what "
               "was returned (denominator='returned'). " + _RANX),
    "R": Guide("First question of every RAG system: is what is needed among the k documents that fit into the prompt? "
               "Take k from the prompt's budget.", "trec_eval: the same. Some papers print the hit rate as recall. "
               + _RANX),
    "F1": Guide("One number for k between too few and too many documents. Read precision and recall beside it.",
                "trec_eval has it for sets only (set_F); others average first and take F1 of the means."),
    "Success": Guide("Where one good document is enough for the answer.", "ranx: hit_rate. Often called "
                     "recall where each query has one relevant document, and is equal to it there."),
    "RR": Guide("Where the reader or the prompt takes the first good document, as in navigation or with k = 1. It "
                "looks at nothing behind it.", "trec_eval: the same. LlamaIndex: the same. ir_measures breaks ties the "
                "other way at a cutoff."),
    "AP": Guide("All relevant documents matter and grades do not; the classic of laboratory evaluation.",
                "trec_eval: the same. RAGAS context precision and some papers divide by the relevant documents "
                "returned (denominator='retrieved'), which is higher."),
    "nDCG": Guide("The order matters and judgements have grades; the usual first number of retrieval.",
                  "trec_eval: the same (linear gain). ranx ndcg too; its ndcg_burges and gdeval take "
                  "2^grade - 1 (gain='exp'). Tools that take the ideal over the returned documents show more."),
    "Rprec": Guide("Queries have very different numbers of relevant documents, and no k suits all.",
                   "trec_eval and ranx: the same."),
    "bpref": Guide("Few of the returned documents are judged: unjudged ones are passed over rather than counted as "
                   "wrong.", "trec_eval: the same."),
    "ERR": Guide("A reader stops when satisfied, and one perfect document makes those behind it superfluous.",
                 "gdeval fixes the highest grade at 4: ERR(max_grade=4)@20."),
    "RBP": Guide("You know how patient readers are: p = 0.5 looks at two ranks on average, 0.8 at five.",
                 "trec_eval 10 and ranx compute other numbers under this name; ir_measures agrees."),
    "MeanRank": Guide("How far down a person has to read. Only beside the share of queries without any.",
                      "Some count a query without a relevant document as depth + 1."),
    "FirstRank": Guide("The typical place of the first relevant document; a few very late ones do not move it."),
    "Judged": Guide("Before you believe a low number: does it come from documents that nobody judged?",
                    "ir_measures: the same but for ties."),
    "RBPResidual": Guide("How much of a difference unjudged documents could explain."),
    "n_ret": Guide("Did every query get as many documents as it should?", "trec_eval prints the sum, here the mean."),
    "n_rel": Guide("How many documents a query could find; more than k of them cap Recall@k.",
                   "trec_eval prints the sum, here the mean."),
    "n_rel_ret": Guide("Beside n_rel: what is found at all, at any depth.", "trec_eval prints the sum, here the mean."),
    "AUC": Guide("Do scores part right from wrong, whatever the cutoff? For thresholds and rerankers.",
                 "scikit-learn's roc_auc_score of the same documents; it counts equal scores half, here the order of "
                 "the ranking counts."),
    "AQWV": Guide("False alarms are expensive and the system may return nothing: the MATERIAL programme's measure.",
                  "Two forms bear this name; the thresholdless one divides false alarms by what was returned."),
    "MQWV": Guide("The best that a score cutoff could reach; the gap to AQWV is what a better threshold would gain.",
                  "The MATERIAL programme's, with the threshold found on these queries."),
    "EvidenceRecall": Guide("What matters is the evidence, not the chunk that holds it: for comparing chunk sizes.",
                            "TAT-RAG: the same, with another similarity."),
    "PerQueryCoverage": Guide("As EvidenceRecall, each query with the same weight: the usual choice.",
                              "RAGAS NonLLMContextRecall with its own similarity and threshold."),
    "FullCoverageRate": Guide("Answers that need all the evidence: several hops, comparisons, lists."),
    "ContextPrecision": Guide("Does what covers the evidence stand at the top of the prompt?",
                              "RAGAS NonLLMContextPrecisionWithReference; with a judge (LLMContextPrecision) it is "
                              "another metric."),
    "ContextRecall": Guide("For tables beside RAGAS's.", "RAGAS: threshold 0.5 on whole strings; its LLMContextRecall "
                           "asks a model."),
    "NoiseShare": Guide("How much of the prompt is wasted, or could mislead.",
                        "RAGAS NoiseSensitivity asks a model what the noise did; it is another metric."),
    "TokensToFullCoverage": Guide("What the prompt has to hold until all evidence is there: cost and chunk size."),
    "EM": Guide("Short factual answers with one right wording. 0 for almost every long answer.",
                "SQuAD's script: the same. RAGAS ExactMatch compares the raw strings."),
    "CoverEM": Guide("Answers in whole sentences to questions with a short right answer: what most RAG systems write.",
                     "Lost in the Middle (best_subspan_em) and others look for letters, also within a word."),
    "TokenF1": Guide("Short answers in changing words. It forgives order and punishes length.",
                     "SQuAD's script: the same; tokens='set' is another published form."),
    "ROUGE_L": Guide("Longer answers and summaries: the order counts.", _ROUGE),
    "ROUGE_1": Guide("For tables beside those of summarisation papers.", _ROUGE),
    "ROUGE_2": Guide("Wording close to the reference; useless for answers of one word.", _ROUGE),
    "AnswerRelevance": Guide("A cheap look at whether the answer speaks of the question. Not whether it is right.",
                             "RAGAS ResponseRelevancy lets a model ask back and embeds; DeepEval judges. Neither is "
                             "this."),
    "Refusal": Guide("Beside unanswerable queries: does the system decline where it should, and only there?"),
    "SupportCoverage": Guide("A first look at grounding, without a model: does what the answer names stand in its "
                             "contexts?", _RAGAS_JUDGE),
    "SupportDensity": Guide("As SupportCoverage with function words, so always higher; for comparison with others.",
                            _RAGAS_JUDGE),
    "HallucinationRate": Guide("Where unsupported wording is dangerous; read the worst answers, not the mean alone.",
                               _RAGAS_JUDGE),
    "UnsupportedNumbers": Guide("Amounts, dates, doses: the hallucinations that hurt and that words do not show."),
    "SBERT": Guide("Right answers in quite other words. One model for all runs that are compared.",
                   "RAGAS SemanticSimilarity: the same idea with its own model."),
    "CrossEncoder": Guide("As SBERT, slower and finer; what it was trained for decides what it measures."),
    "SemanticRelevance": Guide("Does the answer speak of the question, in whatever words?",
                               "RAGAS ResponseRelevancy embeds questions that a model makes of the answer."),
    "Faithfulness": Guide("The cheapest look of a judge at grounding, for many queries: one call each."),
    "ClaimFaithfulness": Guide("Which claim is not supported, and which chunk supports which? For longer answers.",
                               "DeepEval Faithfulness counts claims that are not contradicted; TruLens grades "
                               "sentences."),
    "ContextRelevance": Guide("Is it retrieval that fails? It needs no reference.", "DeepEval and TruLens count "
                              "relevant sentences; RAGAS grades in thirds."),
    "Correctness": Guide("Long answers that words do not compare; it needs a reference.",
                         "RAGAS AnswerCorrectness mixes claim F1 with a cosine."),
    "RAGAS.Faithfulness": Guide("For tables beside RAGAS's."),
    "RAGAS.ContextPrecision": Guide("Do the useful chunks stand on top?", "ContextPrecision here needs gold spans and "
                                    "no judge."),
    "RAGAS.ContextRecall": Guide("Is all that the reference says in the contexts?", "ContextRecall here needs gold "
                                 "spans and no judge."),
    "RAGChecker.Hallucination": Guide("Wrong claims that no chunk explains: the generator's fault, not retrieval's."),
    "RAGChecker.ContextUtilization": Guide("Was it there and not used? Then fix the prompt, not the retriever."),
    "NLIFaithfulness": Guide("Grounding on every run of a build, without a key and without cost.",
                             "SummaC takes a mean over sentences of the highest entailment; here they are counted."),
}


def guide(name: str) -> Guide | None:
    """What stands here of a metric; None for one that has no entry."""
    return GUIDES.get(name)
