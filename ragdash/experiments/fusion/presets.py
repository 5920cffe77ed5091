"""Engines and libraries as presets: the formula, defaults and edge cases of the version that is named.

Order of the runs where the weights differ: keyword first, then vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PRESETS: dict[str, Preset] = {}
_ES = "elastic/elasticsearch x-pack/plugin/rank-rrf"
_OS = "opensearch-project/neural-search src/main/java"


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
    """

    name: str
    engine: str
    version: str
    method: str
    params: Mapping[str, object]
    source: str
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
        note="Equal scores are in the order of Lucene's internal ids there, by id here.")
_preset("elasticsearch-linear", "Elasticsearch", "", "weighted", {"norm": "none"},
        "elastic/elasticsearch LinearRetrieverBuilder.java, MinMaxScoreNormalizer.java, L2ScoreNormalizer.java",
        options=("norm", "weights"), window=10, cuts=True,
        note="norm is none, elasticsearch-minmax or elasticsearch-l2_norm. One normalizer for all "
             "retrievers needs version 9.2.")
_preset("opensearch-min_max", "OpenSearch", "", "arithmetic", {"norm": "opensearch-min_max"},
        f"{_OS} ScoreCombiner, MinMaxScoreNormalizationTechnique", options=("weights",),
        missing="counts as 0 in the mean", note="Normalization and combination by default: min_max, arithmetic_mean.")
_preset("opensearch-geometric", "OpenSearch", "", "geometric", {"norm": "opensearch-min_max"},
        f"{_OS} GeometricMeanScoreCombinationTechnique", options=("norm", "weights"), missing="is left out")
_preset("opensearch-harmonic", "OpenSearch", "", "harmonic", {"norm": "opensearch-min_max"},
        f"{_OS} HarmonicMeanScoreCombinationTechnique", options=("norm", "weights"), missing="is left out")
_preset("opensearch-l2", "OpenSearch", "", "arithmetic", {"norm": "opensearch-l2"},
        f"{_OS} L2ScoreNormalizationTechnique", options=("weights",), missing="counts as 0 in the mean")
_preset("opensearch-z_score", "OpenSearch", "", "arithmetic", {"norm": "opensearch-z_score"},
        f"{_OS} ZScoreNormalizationTechnique", options=("weights",), missing="counts as 0 in the mean",
        note="About half of each list ties at 0.001.")
_preset("opensearch-rrf", "OpenSearch", "2.19", "rrf", {"k": 60.0, "decimals": 10},
        f"{_OS} RRFScoreNormalizer.java, RRFScoreCombinationTechnique.java", options=("k", "weights"),
        allowed={"k": (1, 10_000)}, ties="id")
_preset("weaviate-relative", "Weaviate", "1.24 (default from then on)", "weighted", {"norm": "min-max", "alpha": 0.75},
        "weaviate usecases/traverser/hybrid/hybrid_fusion.go, searcher.go", options=("alpha",), allowed=_SHARE,
        window=100, weights="alpha", zero_weights_stay=False, tie_rule="raw scores",
        note="With alpha 0 or 1 one search alone runs. Equal scores are in the order of the raw scores there, by id "
             "here.")
_preset("weaviate-ranked", "Weaviate", "", "rrf", {"k": 60.0, "base": 0, "alpha": 0.75},
        "weaviate usecases/traverser/hybrid/hybrid_fusion.go", options=("alpha",), allowed=_SHARE, window=100,
        weights="alpha", zero_weights_stay=False, note="The first result gets weight / 60.")
_preset("qdrant-rrf", "Qdrant", "1.17 (before: k = 2 and no weights)", "rrf-stretched", {"k": 2.0},
        "qdrant lib/segment/src/common/reciprocal_rank_fusion.rs", options=("k", "weights"), single_precision=True,
        tie_rule="no fixed order",
        note="Weights stretch ranks: (1, 2) and (2, 4) differ. The paper's k = 60 is k = 61 here. Equal scores are in "
             "no fixed order there, by id here.")
_preset("qdrant-dbsf", "Qdrant", "", "weighted", {"norm": "dbsf"}, "qdrant lib/segment/src/common/score_fusion.rs",
        single_precision=True)
_preset("milvus-rrf", "Milvus", "pymilvus 3.0.2", "rrf", {"k": 60.0},
        "milvus internal/util/function/rerank/rrf_function.go", options=("k",), allowed={"k": (1e-6, 16383)}, ties="id",
        single_precision=True)
_preset("milvus-weighted", "Milvus", "pymilvus 3.0.2 (norm_score on)", "weighted",
        {"norm": ("milvus-bm25", "milvus-cosine")}, "milvus weighted_function.go, util.go", options=("norm", "weights"),
        ties="id", single_precision=True,
        note="One normalization for each run, by its metric: milvus-cosine, milvus-ip, milvus-bm25, milvus-l2; none "
             "with norm_score off.")
_preset("vespa-rrf", "Vespa", "", "rrf", {"k": 60.0}, "vespa container-search ReciprocalRankNormalizer.java",
        options=("k",), window=100,
        note="Vespa ranks every document by every feature, so none is missing there. The runs only show what each "
             "search returned.")
_preset("vespa-linear", "Vespa", "", "combsum", {"norm": "vespa-linear"},
        "vespa container-search LinearNormalizer.java", window=100,
        note="Vespa ranks every document by every feature, so none is missing there. The runs only show what each "
             "search returned.")
_preset("azure-rrf", "Azure AI Search", "", "rrf", {"k": 60.0},
        "learn.microsoft.com/azure/search/hybrid-search-ranking", options=("weights",), window=50,
        note="The documentation calls k a small value like 60 and does not say whether ranks begin at 0 or 1.")
_preset("lancedb-rrf", "LanceDB", "0.40.0", "rrf", {"k": 60.0}, "lancedb rerankers/rrf.py", options=("k",))
_preset("lancedb-linear", "LanceDB", "0.40.0 (older versions differ)", "weighted",
        {"norm": "lancedb-linear", "weight": 0.7}, "lancedb rerankers/linear_combination.py, query.py",
        options=("weight",), allowed={"weight": (0.0, 1.0)}, weights="first", missing="counts as 0")
_preset("pinecone-hybrid", "Pinecone", "", "weighted", {"norm": "none", "alpha": 0.75},
        "docs.pinecone.io guides/search/hybrid-search", options=("alpha",), allowed=_SHARE, weights="alpha",
        note="One index with sparse and dense vectors; raw dot products. There is no default; the guide suggests 0.75, "
             "0.5 or 0.25 by kind of query. Pinecone scores every document in both parts; the runs only show what each "
             "search returned.")
_preset("mongodb-rankfusion", "MongoDB", "", "rrf", {"k": 60.0},
        "mongodb.com docs atlas-vector-search/hybrid-search", options=("weights",))
_preset("redis-rrf", "Redis", "8.4", "rrf", {"k": 60.0}, "redis/docs content/commands/ft.hybrid.md", options=("k",),
        window=20)
_preset("langchain-ensemble", "LangChain", "langchain_classic 1.0.8", "rrf", {"k": 60.0},
        "langchain_classic retrievers/ensemble.py", options=("k", "weights"), weights="share", ties="first",
        note="LangChain takes documents with the same text as one, unless id_key is set.")
_preset("llamaindex-reciprocal", "LlamaIndex", "llama-index-core 0.14.25", "rrf", {"k": 60.0, "base": 0},
        "llama_index/core/retrievers/fusion_retriever.py", ties="first", note="Weights have no effect there.")
_preset("llamaindex-relative", "LlamaIndex", "llama-index-core 0.14.25", "weighted", {"norm": "llamaindex-relative"},
        "llama_index/core/retrievers/fusion_retriever.py", options=("weights",), weights="share", ties="first",
        note="Scores are for one query per question (num_queries = 1).")
_preset("llamaindex-dist", "LlamaIndex", "llama-index-core 0.14.25", "weighted", {"norm": "llamaindex-dist"},
        "llama_index/core/retrievers/fusion_retriever.py", options=("weights",), weights="share", ties="first",
        note="Scores are for one query per question (num_queries = 1).")
_preset("haystack-rrf", "Haystack", "3.4.1", "rrf", {"k": 60.0}, "haystack utils/misc.py", options=("weights",),
        weights="share", scale=61.0, ties="first")
_preset("haystack-dbsf", "Haystack", "3.4.1", "combmax", {"norm": "dbsf-population"}, "haystack utils/misc.py",
        ties="first", missing="does not matter", note="The best of the lists counts, not their sum.")
_preset("autorag-rrf", "AutoRAG", "0.3.27", "rrf", {"k": 60.0, "shared_ranks": True},
        "autorag/nodes/hybridretrieval", options=("k",), note="Documents with equal scores share a rank.")
_preset("trectools-rrf", "trectools", "0.0.50", "rrf", {"k": 60.0}, "trectools/fusion.py", options=("k",),
        window=1000)
