"""Engines and libraries as presets: the formula, defaults and edge cases of the version that is named.

Each has a query or call in `WRITERS` of `ragdash/experiments/fusion/export/engine_queries.py`.
Order of the runs where the weights differ: keyword first, then vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PRESETS: dict[str, Preset] = {}
_ES = "elastic/elasticsearch x-pack/plugin/rank-rrf"
_OS = "opensearch-project/neural-search src/main/java"
_RUN = "run on {}"
_TYPES = "compared with what {} builds"
_OPENSEARCH = "checked with the types of @opensearch-project/opensearch 3.9.0"
_AUTORAG = _RUN.format("AutoRAG 0.3.27")
_ELASTIC = "checked with the types of @elastic/elasticsearch 9.4.3"


@dataclass(frozen=True)
class Preset:
    """How one engine fuses.

    Attributes
    ----------
    name, engine, version
        The preset; whose it is; the version from which, or with which, it holds; empty: no source states it.
    method, params
        A fusion method with the engine's values. options: the parameters that may be changed.
    window, cuts
        How many results of each list take part by default, None: all; whether the fused list is cut to that.
    weights
        What a weight is: "factor"; "share" (default 1 / lists); "alpha" (1 - alpha for the first run, alpha for the
        second); "first" (the weight is that of the second run, the vector search; the first gets the rest).
    ties, single_precision
        The order of equal scores (see `Recipe.ties`), computed with 32 bits.
    tie_rule
        The engine's own order of equal scores, in words, where "docid" is used instead.
    zero_weights_stay
        Whether the documents of a list with weight 0 stay in the fused list.
    missing, note, source
        What a document gets that a list lacks; what else to know; where all this was read.
    tried
        How the query or call that `export` writes for it was checked.
    """

    name: str
    engine: str
    version: str
    method: str
    params: Mapping[str, object]
    source: str
    tried: str
    options: tuple[str, ...] = ()
    allowed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    window: int | None = None
    cuts: bool = False
    weights: str = "factor"
    scale: float = 1.0
    ties: str = "docid"
    tie_rule: str = "not documented"
    single_precision: bool = False
    zero_weights_stay: bool = True
    missing: str = "adds nothing"
    note: str = ""

    @property
    def two_runs(self) -> bool:
        """Whether it takes exactly two runs, keyword and vector."""
        return self.weights in ("alpha", "first")

    def resolve(self, given: Mapping[str, object], runs: int) -> dict[str, object]:
        """The parameters of the method for this many runs, from those that are given."""
        values = {**self.params, **given}
        if self.two_runs:
            share = values.pop("alpha" if self.weights == "alpha" else "weight", None)
            if isinstance(share, (int, float)):
                values["weights"] = (1 - share, share)
        elif self.weights == "share" and values.get("weights") is None:
            values["weights"] = (1 / runs,) * runs
        weights = values.get("weights")
        if self.scale != 1 and isinstance(weights, (list, tuple)):
            values["weights"] = tuple(self.scale * weight for weight in weights)
        return values


def _preset(name: str, engine: str, version: str, method: str, params: Mapping[str, object], source: str,
            **facts) -> None:
    PRESETS[name] = Preset(name, engine, version, method, params, source, **facts)


_SHARE = {"alpha": (0.0, 1.0)}
_preset("elasticsearch-rrf", "Elasticsearch", "9.2 (before: without weights)", "rrf", {"k": 60.0},
        f"{_ES} RRFRetrieverBuilder.java; docs retrievers/rrf-retriever", options=("k", "weights"), window=10,
        cuts=True, tie_rule="Lucene's internal ids",
        note="Equal scores are in the order of Lucene's internal ids there, by id here.",
        tried=_ELASTIC)
_preset("elasticsearch-linear", "Elasticsearch", "", "weighted", {"norm": "none"},
        "elastic/elasticsearch LinearRetrieverBuilder.java, MinMaxScoreNormalizer.java, L2ScoreNormalizer.java",
        options=("norm", "weights"), window=10, cuts=True,
        note="norm is none, elasticsearch-minmax or elasticsearch-l2_norm. One normalizer for all "
             "retrievers needs version 9.2.",
        tried=_ELASTIC)
_preset("opensearch-min_max", "OpenSearch", "", "arithmetic", {"norm": "opensearch-min_max"},
        f"{_OS} ScoreCombiner, MinMaxScoreNormalizationTechnique", options=("weights",),
        missing="counts as 0 in the mean", note="Normalization and combination by default: min_max, arithmetic_mean.",
        tried=_OPENSEARCH)
_preset("opensearch-geometric", "OpenSearch", "", "geometric", {"norm": "opensearch-min_max"},
        f"{_OS} GeometricMeanScoreCombinationTechnique", options=("norm", "weights"), missing="is left out",
        tried=_OPENSEARCH)
_preset("opensearch-harmonic", "OpenSearch", "", "harmonic", {"norm": "opensearch-min_max"},
        f"{_OS} HarmonicMeanScoreCombinationTechnique", options=("norm", "weights"), missing="is left out",
        tried=_OPENSEARCH)
_preset("opensearch-l2", "OpenSearch", "", "arithmetic", {"norm": "opensearch-l2"},
        f"{_OS} L2ScoreNormalizationTechnique", options=("weights",), missing="counts as 0 in the mean",
        tried=_OPENSEARCH)
_preset("opensearch-z_score", "OpenSearch", "", "arithmetic", {"norm": "opensearch-z_score"},
        f"{_OS} ZScoreNormalizationTechnique", options=("weights",), missing="counts as 0 in the mean",
        note="About half of each list ties at 0.001.",
        tried="checked against the source of neural-search")
_preset("opensearch-rrf", "OpenSearch", "2.19 (weights: after 3.0)", "rrf", {"k": 60.0, "decimals": 10},
        f"{_OS} RRFScoreNormalizer.java, RRFScoreCombinationTechnique.java", options=("k", "weights"),
        allowed={"k": (1, 10_000)}, ties="id",
        tried="checked against the documentation of OpenSearch 3.9")
_preset("weaviate-relative", "Weaviate", "1.24 (default from then on)", "weighted", {"norm": "min-max", "alpha": 0.75},
        "weaviate usecases/traverser/hybrid/hybrid_fusion.go, searcher.go", options=("alpha",), allowed=_SHARE,
        window=100, weights="alpha", zero_weights_stay=False, tie_rule="raw scores",
        note="With alpha 0 or 1 one search alone runs. Equal scores are in the order of the raw scores there, by id "
             "here.",
        tried=_TYPES.format("weaviate-client 4.23.1"))
_preset("weaviate-ranked", "Weaviate", "", "rrf", {"k": 60.0, "base": 0, "alpha": 0.75},
        "weaviate usecases/traverser/hybrid/hybrid_fusion.go", options=("alpha",), allowed=_SHARE, window=100,
        weights="alpha", zero_weights_stay=False, note="The first result gets weight / 60.",
        tried=_TYPES.format("weaviate-client 4.23.1"))
_preset("qdrant-rrf", "Qdrant", "1.17 (before: k = 2 and no weights)", "rrf-stretched", {"k": 2.0},
        "qdrant lib/segment/src/common/reciprocal_rank_fusion.rs", options=("k", "weights"), window=10,
        single_precision=True, tie_rule="no fixed order", tried=_RUN.format("qdrant-client 1.20.0, in memory"),
        note="Weights stretch ranks: (1, 2) and (2, 4) differ. The paper's k = 60 is k = 61 here. Equal scores are in "
             "no fixed order there, by id here.")
_preset("qdrant-dbsf", "Qdrant", "", "weighted", {"norm": "dbsf"}, "qdrant lib/segment/src/common/score_fusion.rs",
        window=10, single_precision=True, tried=_RUN.format("qdrant-client 1.20.0, in memory"))
_preset("milvus-rrf", "Milvus", "pymilvus 3.0.2", "rrf", {"k": 60.0},
        "milvus internal/util/function/rerank/rrf_function.go", options=("k",), allowed={"k": (1e-6, 16383)}, ties="id",
        single_precision=True,
        tried=_RUN.format("milvus-lite 3.2.2"))
_preset("milvus-weighted", "Milvus", "pymilvus 3.0.2 (norm_score on)", "weighted",
        {"norm": ("milvus-bm25", "milvus-cosine")}, "milvus weighted_function.go, util.go", options=("norm", "weights"),
        ties="id", single_precision=True,
        note="One normalization for each run, by its metric: milvus-cosine, milvus-ip, milvus-bm25, milvus-l2; none "
             "with norm_score off.",
        tried=_RUN.format("milvus-lite 3.2.2"))
_preset("vespa-rrf", "Vespa", "", "rrf", {"k": 60.0}, "vespa container-search ReciprocalRankNormalizer.java",
        options=("k",), window=100,
        note="Vespa ranks every document by every feature, so none is missing there. The runs only show what each "
             "search returned.",
        tried=_TYPES.format("pyvespa 1.2.9"))
_preset("vespa-linear", "Vespa", "", "combsum", {"norm": "vespa-linear"},
        "vespa container-search LinearNormalizer.java", window=100,
        note="Vespa ranks every document by every feature, so none is missing there. The runs only show what each "
             "search returned.",
        tried=_TYPES.format("pyvespa 1.2.9"))
_preset("azure-rrf", "Azure AI Search", "", "rrf", {"k": 60.0},
        "learn.microsoft.com/azure/search/hybrid-search-ranking", options=("weights",), window=50,
        note="The documentation calls k a small value like 60 and does not say whether ranks begin at 0 or 1.",
        tried=_TYPES.format("azure-search-documents 12.0.0"))
_preset("lancedb-rrf", "LanceDB", "0.40.0", "rrf", {"k": 60.0}, "lancedb rerankers/rrf.py, query.py", options=("k",),
        window=10, cuts=True, tried=_RUN.format("lancedb 0.40.0"),
        note="One limit holds for both searches and for the fused list.")
_preset("lancedb-linear", "LanceDB", "0.40.0 (older versions differ)", "weighted",
        {"norm": "lancedb-linear", "weight": 0.7}, "lancedb rerankers/linear_combination.py, query.py",
        options=("weight",), allowed={"weight": (0.0, 1.0)}, window=10, cuts=True, weights="first",
        missing="counts as 0", tried=_RUN.format("lancedb 0.40.0"),
        note="One limit holds for both searches and for the fused list.")
_preset("pinecone-hybrid", "Pinecone", "", "weighted", {"norm": "none", "alpha": 0.75},
        "docs.pinecone.io guides/search/hybrid-search", options=("alpha",), allowed=_SHARE, weights="alpha",
        note="One index with sparse and dense vectors; raw dot products. There is no default; the guide suggests 0.75, "
             "0.5 or 0.25 by kind of query. Pinecone scores every document in both parts; the runs only show what each "
             "search returned.",
        tried="checked with the signature of pinecone 10.2.0")
_preset("mongodb-rankfusion", "MongoDB", "8.0", "rrf", {"k": 60.0},
        "mongodb.com docs atlas-vector-search/hybrid-search", options=("weights",),
        tried="checked against the documentation of MongoDB 8.3")
_preset("redis-rrf", "Redis", "8.4", "rrf", {"k": 60.0}, "redis/docs content/commands/ft.hybrid.md", options=("k",),
        window=20,
        tried=_TYPES.format("redis-py 8.1.0"))
_preset("chroma-rrf", "Chroma", "1.5.9", "rrf-common", {"k": 60.0, "base": 0},
        "chromadb execution/expression/operator.py; chroma rust/worker operators/rank.rs",
        options=("k", "weights", "default"),
        allowed={"default": (0.0, 1e12)}, window=16, single_precision=True, tie_rule="no fixed order",
        missing="leaves it out; with default, has that as its rank",
        note="Chroma leaves out what one of the searches lacks, unless each Knn has a default, the rank of such a "
             "document. Ranks begin at 0. Only Chroma's servers search like this, not the local client.",
        tried=_TYPES.format("chromadb 1.5.9"))
_preset("typesense-hybrid", "Typesense", "29.0", "reciprocal", {"alpha": 0.3}, "typesense src/index.cpp",
        options=("alpha",), allowed=_SHARE, window=100, weights="alpha", single_precision=True,
        tie_rule="internal ids, newest first",
        note="Texts that match equally well share a rank. The text search takes part with up to 250 results.",
        tried="checked against the source of Typesense 29.0")
_preset("langchain-ensemble", "LangChain", "langchain_classic 1.0.8", "rrf", {"k": 60.0},
        "langchain_classic retrievers/ensemble.py", options=("k", "weights"), weights="share", ties="first",
        note="LangChain takes documents with the same text as one, unless id_key is set.",
        tried=_RUN.format("langchain-classic 1.0.8"))
_preset("llamaindex-reciprocal", "LlamaIndex", "llama-index-core 0.14.25", "rrf", {"k": 60.0, "base": 0},
        "llama_index/core/retrievers/fusion_retriever.py", ties="first", note="Weights have no effect there.",
        tried=_RUN.format("llama-index-core 0.14.25"))
_preset("llamaindex-relative", "LlamaIndex", "llama-index-core 0.14.25", "weighted", {"norm": "llamaindex-relative"},
        "llama_index/core/retrievers/fusion_retriever.py", options=("weights",), weights="share", ties="first",
        note="Scores are for one query per question (num_queries = 1).",
        tried=_RUN.format("llama-index-core 0.14.25"))
_preset("llamaindex-dist", "LlamaIndex", "llama-index-core 0.14.25", "weighted", {"norm": "llamaindex-dist"},
        "llama_index/core/retrievers/fusion_retriever.py", options=("weights",), weights="share", ties="first",
        note="Scores are for one query per question (num_queries = 1).",
        tried=_RUN.format("llama-index-core 0.14.25"))
_preset("haystack-rrf", "Haystack", "3.4.1", "rrf", {"k": 60.0}, "haystack utils/misc.py", options=("weights",),
        weights="share", scale=61.0, ties="first",
        tried=_RUN.format("haystack-ai 3.4.0"))
_preset("haystack-dbsf", "Haystack", "3.4.1", "combmax", {"norm": "dbsf-population"}, "haystack utils/misc.py",
        ties="first", missing="does not matter", note="The best of the lists counts, not their sum.",
        tried=_RUN.format("haystack-ai 3.4.0"))
_preset("autorag-rrf", "AutoRAG", "0.3.27", "rrf", {"k": 60.0, "shared_ranks": True},
        "autorag/nodes/hybridretrieval", options=("k",), tie_rule="no fixed order", tried=_AUTORAG,
        note="Documents with equal scores share a rank.")
_CC = "autorag/nodes/hybridretrieval/hybrid_cc.py"
for _name, _norm, _words in (
        ("mm", "autorag-mm", ""), ("tmm", ("autorag-tmm-lexical", "autorag-tmm-semantic"),
                                   "The lowest possible scores are 0 for the lexical search, -1 for the semantic one."),
        ("z", "z-score", "What a list lacks counts like its mean."), ("dbsf", "autorag-dbsf", "")):
    _preset(f"autorag-cc-{_name}", "AutoRAG", "0.3.27", "weighted", {"norm": _norm, "weight": 0.5}, _CC,
            options=("weight",), allowed={"weight": (0.0, 1.0)}, weights="first", missing="counts as 0",
            tie_rule="no fixed order", tried=_AUTORAG,
            note=f"{_words} No weight is the default: AutoRAG tries 101 on the queries it reports on.".strip())
_preset("ragbuilder-ensemble", "RAGBuilder", "0.1.6", "rrf", {"k": 60.0},
        "ragbuilder retriever/pipeline.py, config/retriever.py", options=("weights",), window=20, weights="share",
        ties="first", note="LangChain's ensemble. RAGBuilder's own BM25 search returns 4 results, unless its "
                           "retriever_kwargs has k.",
        tried="checked against the source of RAGBuilder 0.1.6")
_preset("trectools-rrf", "trectools", "0.0.50", "rrf", {"k": 60.0}, "trectools/fusion.py", options=("k",),
        window=1000, cuts=True, ties="id", tried=_RUN.format("trectools 0.0.50"),
        note="It reads 1,000 results of each run whatever the window is; max_docs cuts the fused list.")
