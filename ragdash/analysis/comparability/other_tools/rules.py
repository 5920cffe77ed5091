"""What a tool does where definitions of a metric leave a choice, and the presets of the tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

_NAMES = {"P": "precision@{k}", "R": "recall@{k}", "RR": "mrr@{k}", "AP": "map@{k}", "nDCG": "ndcg@{k}",
          "Success": "hit_rate@{k}"}


@dataclass(frozen=True)
class Rules:
    """One metric as a tool computes it.

    Attributes
    ----------
    duplicates : {"first", "ranks", "count"}
        A repeated document is removed; or takes up a rank and counts once; or counts each time.
    ties : {"docid", "ascending", "trec_eval", "file"}
        Documents with equal scores: by id, descending; by id, ascending; as docid with scores of 32 bits; as returned.
    same_id
        Whether a document with the id of its query is removed.
    depth
        The results that are looked at where the metric has no cutoff; None: all.
    rel
        The lowest grade of a relevant document.
    gain : {"linear", "exp", "binary"}
        Of nDCG.
    ideal : {"relevant", "uncut", "returned", "found"}
        The ideal ranking of nDCG holds the best k relevant documents; all of them; as many as results were returned at
        most; or those that the run returned.
    denominator : {"k", "returned", "distinct", "relevant", "found"}
        What P and AP divide by: k, the results up to k, the distinct ones; the relevant documents, those returned.
    per_document
        Whether RR and AP are means over the relevant documents, each for itself.
    every
        Whether RR adds 1 / rank of every relevant result, not of the first one alone.
    queries : {"judged", "run", "returned"}
        The queries in the mean: all of the judgments; those in the run; those with a result.
    unanswerable : {"skip", "zero", "judged"}
        A query without a relevant document has no value, or 0; judged: 0 if it has a judgment, which a file of qrels
        needs to know the query, and no value otherwise.
    decimals
        Digits that the mean is rounded to; None: not rounded.
    """

    duplicates: str = "first"
    ties: str = "docid"
    same_id: bool = False
    depth: int | None = None
    rel: int = 1
    gain: str = "linear"
    ideal: str = "relevant"
    denominator: str = "k"
    per_document: bool = False
    every: bool = False
    queries: str = "judged"
    unanswerable: str = "skip"
    decimals: int | None = None


STEPS = tuple(Rules.__dataclass_fields__)
"""The choices in the order in which a gap is split into their parts."""


@dataclass(frozen=True)
class Tool:
    """A tool: name, title, the version that was read, where; rules of a metric here, and its name there."""

    name: str
    title: str
    version: str
    source: str
    metrics: Mapping[str, Rules] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def metric_name(self, metric: str, k: int | None) -> str:
        """The metric as the tool writes it: ndcg_cut_10, and ndcg without a cutoff."""
        text = self.names.get(metric, _NAMES[metric])
        return text.replace("{k}", str(k)) if k is not None else re.sub(r"@\{k\}|(_cut)?_\{k\}", "", text)


_TREC = Rules(ties="trec_eval", queries="run", unanswerable="judged")
_ALL = replace(_TREC, queries="judged")
_RANX = Rules(ties="file", unanswerable="judged")
_BEIR = replace(_TREC, same_id=True, decimals=5)
_LIST = Rules(duplicates="ranks", ties="file", gain="binary", queries="returned")
_COUNTED = replace(_LIST, duplicates="count")
_PHOENIX = replace(_COUNTED, gain="linear", unanswerable="zero")
_TRULENS = replace(_LIST, gain="linear", queries="run")
_GUIDE = Rules(duplicates="ranks", ties="file", unanswerable="zero")
_COURSE = Rules(duplicates="count", ties="file", gain="exp")
_NO_NAME_CUTOFF = {"P": "precision", "R": "recall", "RR": "mrr", "AP": "ap", "nDCG": "ndcg", "Success": "hit_rate"}

TOOLS = {tool.name: tool for tool in (
    Tool("trec_eval", "trec_eval", "pytrec_eval-terrier 0.5.11", "compared with pytrec_eval",
         {name: _TREC for name in ("P", "R", "RR", "AP", "nDCG", "Success")},
         {"P": "P_{k}", "R": "recall_{k}", "RR": "recip_rank", "AP": "map_cut_{k}", "nDCG": "ndcg_cut_{k}",
          "Success": "success_{k}"},
         "Without -c it averages over the queries of the run. recip_rank has no cutoff there: the run is cut."),
    Tool("ir_measures", "ir_measures", "0.4.3", "ir_measures/providers/{base,pytrec_eval_provider,msmarco_provider}.py",
         {name: _ALL for name in ("P", "R", "AP", "nDCG", "Success")} | {"RR": replace(_ALL, ties="ascending")},
         {"P": "P@{k}", "R": "R@{k}", "RR": "RR@{k}", "AP": "AP@{k}", "nDCG": "nDCG@{k}", "Success": "Success@{k}"},
         "RR with a cutoff comes from another provider, which orders equal scores by ascending id."),
    Tool("ranx", "ranx", "0.3.21", "ranx/metrics/*.py, ranx/meta/evaluate.py",
         {name: _RANX for name in ("P", "R", "RR", "AP", "nDCG", "Success")}, {},
         "With make_comparable=True; without it, queries that differ are an error. Its order of equal scores is not "
         "documented: shown as in the file."),
    Tool("beir", "BEIR", "2.2.0", "beir/retrieval/{evaluation,custom_metrics}.py",
         {name: _BEIR for name in ("P", "R", "AP", "nDCG")}
         | {name: Rules(ties="file", unanswerable="judged", decimals=5) for name in ("RR", "Success")},
         {"P": "P@{k}", "R": "Recall@{k}", "RR": "MRR@{k}", "AP": "MAP@{k}", "nDCG": "NDCG@{k}",
          "Success": "Accuracy@{k}"},
         "Removes documents with the id of their query (ignore_identical_ids). MRR and Accuracy divide by all judged "
         "queries, the others by those with results."),
    Tool("mteb", "MTEB", "2.26.24", "mteb/_evaluators/retrieval_metrics.py",
         {name: replace(_TREC, decimals=5) for name in ("P", "R", "AP", "nDCG", "Success")}
         | {"RR": Rules(queries="run", unanswerable="judged")},
         {"P": "precision_at_{k}", "R": "recall_at_{k}", "RR": "mrr_at_{k}", "AP": "map_at_{k}", "nDCG": "ndcg_at_{k}",
          "Success": "hit_rate_at_{k}"}),
    Tool("ragas", "RAGAS", "0.4.3", "ragas/metrics/{_context_precision,_context_recall}.py",
         {"P": replace(_LIST, denominator="distinct", unanswerable="zero"), "R": replace(_LIST, queries="run"),
          "AP": replace(_COUNTED, denominator="found", queries="run", unanswerable="zero")},
         {"P": "id_based_context_precision", "R": "id_based_context_recall", "AP": "context_precision"},
         "context_precision with the judgments in place of its LLM's verdicts. Undefined values are left out of the "
         "mean. It has no NDCG, MRR or hit rate."),
    Tool("llamaindex", "LlamaIndex", "llama-index-core 0.14.25", "llama_index/core/evaluation/retrieval/metrics.py",
         {"P": replace(_LIST, denominator="distinct"), "R": _LIST, "RR": _LIST, "Success": _LIST, "AP": _COUNTED,
          "nDCG": replace(_COUNTED, ideal="uncut")},
         _NO_NAME_CUTOFF, "Relevant or not, no grades. The ideal of NDCG holds all expected documents, also beyond the "
         "results asked for. A query without results raises an error: it is left out here."),
    Tool("langchain", "LangChain", "langchain-classic 1.0.8", "langchain_classic/evaluation", {}, {},
         "It has no metric of rankings: its evaluators judge answers."),
    Tool("phoenix", "Phoenix", "arize-phoenix 20.26.1", "phoenix/metrics/retrieval_metrics.py",
         {"P": _PHOENIX, "RR": _PHOENIX, "Success": _PHOENIX, "nDCG": replace(_PHOENIX, ideal="found")},
         {"P": "precision@{k}", "RR": "reciprocal rank", "Success": "hit", "nDCG": "ndcg@{k}"},
         "It knows the returned documents only, so it has no recall, and its ideal order is that of what was returned. "
         "Documents without a judgment count as evaluated and not relevant: its evaluator sees all of them."),
    Tool("trulens", "TruLens", "trulens-feedback 2.16.0", "trulens/feedback/groundtruth.py",
         {"P": replace(_TRULENS, duplicates="count", denominator="returned", queries="returned"), "R": _TRULENS,
          "RR": _TRULENS, "Success": _TRULENS, "nDCG": _TRULENS},
         {"P": "precision_at_k", "R": "recall_at_k", "RR": "mrr", "Success": "ir_hit_rate", "nDCG": "ndcg_at_k"},
         "Without relevance_scores, with the relevant documents as ground truth. Undefined values are left out of the "
         "mean."),
    Tool("autorag", "AutoRAG", "0.3.27", "autorag/evaluation/metric/retrieval.py",
         {"P": replace(_LIST, denominator="returned"), "R": _LIST, "RR": replace(_LIST, per_document=True),
          "AP": replace(_COUNTED, per_document=True),
          "nDCG": replace(_LIST, duplicates="count", ideal="returned")},
         {"P": "retrieval_precision", "R": "retrieval_recall", "RR": "retrieval_mrr", "AP": "retrieval_map",
          "nDCG": "retrieval_ndcg"},
         "With each relevant document as a group of its own in retrieval_gt. A query without results has no value."),
    Tool("qdrant", "Qdrant's recipe", "its documentation of 2026, ranx 0.3.21",
         "qdrant.tech/documentation/improve-search/retrieval-relevance",
         {name: replace(_RANX, depth=10) for name in ("P", "R", "RR", "AP", "nDCG", "Success")}, {},
         "ranx on the first 10 results of each query, so its MRR is MRR@10."),
    Tool("rag-guide", "RAG evaluation guide", "its printed code", "the guide's recall_at_k, precision_at_k, "
         "mean_reciprocal_rank, ndcg_at_k, hit_rate_at_k",
         {name: _GUIDE for name in ("P", "R", "RR", "Success")} | {"nDCG": replace(_GUIDE, duplicates="count")},
         {"P": "precision_at_{k}", "R": "recall_at_{k}", "RR": "mean_reciprocal_rank", "nDCG": "ndcg_at_{k}",
          "Success": "hit_rate_at_{k}"},
         "Its example of NDCG says about 0.85; its code gives 0.921. With fewer lists of relevant documents than "
         "rankings it drops the rest without a word and divides by all. A negative grade, which it would subtract, "
         "counts 0 here."),
    Tool("zoomcamp", "LLM Zoomcamp", "2024 to 2026", "DataTalksClub/llm-zoomcamp 03-vector-search: evaluate-text.ipynb "
         "(code), eval/evaluation-metrics.md (formulas)",
         {name: _COURSE for name in ("P", "R", "AP", "nDCG")}
         | {"RR": replace(_COURSE, every=True, unanswerable="zero"), "Success": replace(_COURSE, unanswerable="zero")},
         {"P": "P@{k}", "R": "Recall", "RR": "mrr", "AP": "MAP", "nDCG": "NDCG", "Success": "hit_rate"},
         "Its code has hit_rate and mrr, for one relevant document per question; with several, mrr can exceed 1, while "
         "its text counts the first alone. P, recall, MAP and NDCG are formulas in its text. It calls the hit rate "
         "recall too."),
)}
