"""The query or call of each engine that fuses as its preset does. Names in angle brackets are to be filled in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from ragdash.experiments.fusion.recipe import Recipe


def _weights(recipe: Recipe) -> list[float]:
    weights = recipe.params.get("weights")
    return [1.0] * recipe.runs if not isinstance(weights, (list, tuple)) else [round(float(w), 4) for w in weights]


def _shares(recipe: Recipe) -> list[float]:
    """The weights as shares of 1."""
    weights = _weights(recipe)
    return [round(weight / sum(weights), 4) for weight in weights]


def _k(recipe: Recipe) -> float:
    """k, as a whole number where it is one."""
    k = float(str(recipe.params["k"]))
    return int(k) if k.is_integer() else k


MOST = 10_000  # candidates that Elasticsearch and MongoDB look at


def _candidates(window: int | None, default: int) -> int:
    """How many candidates a vector search looks at: ten times as many as it returns, if the engine allows that."""
    return max(min(10 * (window or default), MOST), window or default)


def _json(head: str, body: Mapping | Sequence) -> str:
    return f"{head}\n{json.dumps(body, indent=2)}\n"


def _elasticsearch_queries(recipe: Recipe) -> list[dict]:
    return [{"standard": {"query": {"match": {"<text field>": "<query>"}}}},
            *({"knn": {"field": "<vector field>", "query_vector": "<vector>", "k": recipe.window,
                       "num_candidates": _candidates(recipe.window, 10)}} for _ in range(recipe.runs - 1))]


def _elasticsearch_rrf(recipe: Recipe) -> str:
    queries = _elasticsearch_queries(recipe)
    weights = _weights(recipe)
    legs = queries if len(set(weights)) == 1 else [
        {"retriever": query, "weight": weight} for query, weight in zip(queries, weights, strict=True)]
    return _json("GET /<index>/_search", {"retriever": {"rrf": {
        "retrievers": legs, "rank_constant": _k(recipe), "rank_window_size": recipe.window}}})


def _elasticsearch_linear(recipe: Recipe) -> str:
    norm = str(recipe.params["norm"]).removeprefix("elasticsearch-")
    queries = _elasticsearch_queries(recipe)
    return _json("GET /<index>/_search", {"retriever": {"linear": {
        "retrievers": [{"retriever": query, "weight": weight, "normalizer": norm}
                       for query, weight in zip(queries, _weights(recipe), strict=True)],
        "rank_window_size": recipe.window}}})


def _opensearch(recipe: Recipe) -> str:
    """The pipeline that fuses, and the query that goes through it."""
    size = recipe.window or 100
    searches: list[dict] = [{"match": {"<text field>": {"query": "<query>"}}},
                            *({"knn": {"<vector field>": {"vector": "<vector>", "k": size}}}
                              for _ in range(recipe.runs - 1))]
    query = {"query": {"hybrid": {"queries": searches, "pagination_depth": size}}, "size": 10}
    if recipe.preset == "opensearch-rrf":
        combination: dict[str, object] = {"technique": "rrf", "rank_constant": _k(recipe)}
        if len(set(_weights(recipe))) > 1:
            combination["parameters"] = {"weights": _shares(recipe)}
        processor: dict = {"score-ranker-processor": {"combination": combination}}
    else:
        processor = {"normalization-processor": {
            "normalization": {"technique": str(recipe.params["norm"]).removeprefix("opensearch-")},
            "combination": {"technique": f"{recipe.method}_mean", "parameters": {"weights": _shares(recipe)}}}}
    return (_json("PUT /_search/pipeline/<name>", {"phase_results_processors": [processor]})
            + _json("GET /<index>/_search?search_pipeline=<name>", query))


def _weaviate(recipe: Recipe) -> str:
    kind = "RANKED" if recipe.preset == "weaviate-ranked" else "RELATIVE_SCORE"
    return (f"collection.query.hybrid(\n    query=\"<query>\", alpha={_weights(recipe)[-1]:g},\n"
            f"    fusion_type=HybridFusion.{kind}, limit={recipe.window},\n)\n")


def _qdrant(recipe: Recipe) -> str:
    fusion = {"fusion": "dbsf"} if recipe.preset == "qdrant-dbsf" else {"rrf": {
        "k": _k(recipe),
        **({"weights": _weights(recipe)} if len(set(_weights(recipe))) > 1 else {})}}
    searches = [{"query": f"<vector {index + 1}>", "using": f"<name {index + 1}>", "limit": recipe.window or 100}
                for index in range(recipe.runs)]
    return _json("POST /collections/<collection>/points/query", {"prefetch": searches, "query": fusion, "limit": 10})


def _milvus(recipe: Recipe) -> str:
    if recipe.preset == "milvus-rrf":
        ranker = f"RRFRanker(k={recipe.params['k']:g})"
    else:
        weights = ", ".join(f"{weight:g}" for weight in _weights(recipe))
        ranker = f"WeightedRanker({weights}, norm_score={recipe.params['norm'] != 'none'})"
    searches = "".join(f"        AnnSearchRequest(data=[<vector {index}>], anns_field=\"<field {index}>\", param={{}}, "
                       f"limit={recipe.window or 100}),\n" for index in range(1, recipe.runs + 1))
    return (f"client.hybrid_search(\n    collection_name=\"<collection>\",\n    reqs=[\n{searches}    ],\n"
            f"    ranker={ranker}, limit=10,\n)\n")


def _chroma(recipe: Recipe) -> str:
    default = recipe.params.get("default")
    more = "" if default is None else f", default={float(str(default)):g}"
    ranks = "".join(f"    Knn(query=<vector {index}>, key=\"<field {index}>\", limit={recipe.window or 100}, "
                    f"return_rank=True{more}),\n" for index in range(1, recipe.runs + 1))
    return (f"ranks = [\n{ranks}]\nsearch = Search().rank(Rrf(ranks, k={_k(recipe)}, weights={_weights(recipe)}))"
            ".limit(10)\ncollection.search(search)\n")


def _typesense(recipe: Recipe) -> str:
    return _json("POST /multi_search", {"searches": [{
        "collection": "<collection>", "q": "<query>", "query_by": "<text field>",
        "vector_query": f"<vector field>:([<vector>], k: {recipe.window or 100}, "
                        f"alpha: {_weights(recipe)[-1]:g})"}]})


def _langchain(recipe: Recipe) -> str:
    return (f"EnsembleRetriever(\n    retrievers=[{_retrievers(recipe)}], weights={_weights(recipe)}, "
            f"c={recipe.params['k']:g},\n)\n")


def _vespa(recipe: Recipe) -> str:
    features = ["bm25(<text field>)", *("closeness(field, <vector field>)" for _ in range(recipe.runs - 1))]
    if recipe.preset == "vespa-rrf":
        terms = [f"reciprocal_rank({feature}, {recipe.params['k']:g})" for feature in features]
    else:
        terms = [f"normalize_linear({feature})" for feature in features]
    return ("rank-profile hybrid {\n    inputs {\n        query(<vector>) tensor<float>(x[<dimensions>])\n    }\n"
            "    global-phase {\n"
            f"        expression: {' + '.join(terms)}\n        rerank-count: {recipe.window or 100}\n    }}\n}}\n")


def _azure(recipe: Recipe) -> str:
    text, *others = _weights(recipe)
    searches = [{"kind": "vector", "vector": "<vector>", "fields": "<vector field>", "k": recipe.window or 50,
                 "weight": round(weight / text, 4) if text else weight} for weight in others]
    return _json("POST /indexes/<index>/docs/search", {"search": "<query>", "vectorQueries": searches, "top": 10})


def _lancedb(recipe: Recipe) -> str:
    ranker = (f"RRFReranker(K={_k(recipe)})" if recipe.preset == "lancedb-rrf"
              else f"LinearCombinationReranker(weight={_weights(recipe)[-1]:g})")
    return ("table.search(query_type=\"hybrid\").vector(<vector>).text(\"<query>\")"
            f".rerank({ranker}).limit({recipe.window or 10})\n")


def _pinecone(recipe: Recipe) -> str:
    return (f"alpha = {_weights(recipe)[-1]:g}\nindex.query(\n    vector=[alpha * value for value in <vector>],\n"
            "    sparse_vector={\"indices\": <indices>, \"values\": [(1 - alpha) * value for value in <values>]},\n"
            f"    top_k={recipe.window or 10},\n)\n")


def _mongodb(recipe: Recipe) -> str:
    size = recipe.window or 100
    names = ["keyword", *(f"vector{index or ''}" for index in range(recipe.runs - 1))]
    searches: list[list[dict]] = [[{"$search": {"index": "<text index>", "text": {
        "query": "<query>", "path": "<text field>"}}}, {"$limit": size}]]
    searches += [[{"$vectorSearch": {"index": "<vector index>", "path": "<vector field>", "queryVector": "<vector>",
                                     "numCandidates": _candidates(size, size), "limit": size}}] for _ in names[1:]]
    stage = {"input": {"pipelines": dict(zip(names, searches, strict=True))},
             "combination": {"weights": dict(zip(names, _weights(recipe), strict=True))}}
    return _json("db.<collection>.aggregate: stages", [{"$rankFusion": stage}, {"$limit": 10}])


def _redis(recipe: Recipe) -> str:
    size = recipe.window or 20
    return (f"FT.HYBRID <index> SEARCH \"<query>\" VSIM @<vector field> $vector KNN 2 K {size} "
            f"COMBINE RRF 4 CONSTANT {_k(recipe)} WINDOW {size} LIMIT 0 10 PARAMS 2 vector \"<vector>\"\n")


def _llamaindex(recipe: Recipe) -> str:
    mode = {"llamaindex-reciprocal": "reciprocal_rerank", "llamaindex-relative": "relative_score",
            "llamaindex-dist": "dist_based_score"}[str(recipe.preset)]
    weights = "" if mode == "reciprocal_rerank" else f"    retriever_weights={_weights(recipe)},\n"
    return (f"QueryFusionRetriever(\n    [{_retrievers(recipe)}],\n    mode=\"{mode}\",\n{weights}"
            f"    num_queries=1,\n    similarity_top_k={recipe.window or 10},\n)\n")


def _haystack(recipe: Recipe) -> str:
    if recipe.preset == "haystack-dbsf":
        return "DocumentJoiner(join_mode=\"distribution_based_rank_fusion\", top_k=10)\n"
    return f"DocumentJoiner(join_mode=\"reciprocal_rank_fusion\", weights={_shares(recipe)}, top_k=10)\n"


def _autorag(recipe: Recipe) -> str:
    if recipe.preset == "autorag-rrf":
        k = _k(recipe)
        module = f"hybrid_rrf\n      weight_range: ({k}, {k})\n"
    else:
        weight = _weights(recipe)[-1]
        module = (f"hybrid_cc\n      normalize_method: {str(recipe.preset).rpartition('-')[2]}\n"
                  f"      weight_range: ({weight:g}, {weight:g})\n      test_weight_size: 1\n")
    return ("- node_type: hybrid_retrieval\n  strategy:\n    metrics: [retrieval_ndcg]\n  top_k: 10\n  modules:\n"
            f"    - module_type: {module}")


def _ragbuilder(recipe: Recipe) -> str:
    size = recipe.window or 20
    kinds = [f"type=\"bm25\", retriever_kwargs={{\"k\": {size}}}",
             *[f"type=\"vector_similarity\", retriever_k=[{size}]"] * (recipe.runs - 1)]
    retrievers = "".join(f"    BaseRetrieverConfig({kind}, weight={weight}),\n"
                         for kind, weight in zip(kinds, _weights(recipe), strict=True))
    return f"RetrievalConfig(retrievers=[\n{retrievers}], top_k=10)\n"


def _trectools(recipe: Recipe) -> str:
    runs = ", ".join(f"TrecRun(\"<run {index + 1}>\")" for index in range(recipe.runs))
    return f"fusion.reciprocal_rank_fusion([{runs}], k={_k(recipe)}, max_docs={recipe.window or 1000})\n"


def _retrievers(recipe: Recipe) -> str:
    return ", ".join(f"<retriever {index + 1}>" for index in range(recipe.runs))


WRITERS: Mapping[str, Callable[[Recipe], str]] = {
    "elasticsearch-rrf": _elasticsearch_rrf, "elasticsearch-linear": _elasticsearch_linear,
    "opensearch-min_max": _opensearch, "opensearch-l2": _opensearch, "opensearch-z_score": _opensearch,
    "opensearch-geometric": _opensearch, "opensearch-harmonic": _opensearch, "opensearch-rrf": _opensearch,
    "weaviate-relative": _weaviate, "weaviate-ranked": _weaviate, "qdrant-rrf": _qdrant, "qdrant-dbsf": _qdrant,
    "milvus-rrf": _milvus, "milvus-weighted": _milvus, "vespa-rrf": _vespa, "vespa-linear": _vespa,
    "azure-rrf": _azure, "lancedb-rrf": _lancedb, "lancedb-linear": _lancedb, "pinecone-hybrid": _pinecone,
    "mongodb-rankfusion": _mongodb, "redis-rrf": _redis, "langchain-ensemble": _langchain,
    "llamaindex-reciprocal": _llamaindex, "llamaindex-relative": _llamaindex, "llamaindex-dist": _llamaindex,
    "haystack-rrf": _haystack, "haystack-dbsf": _haystack, "autorag-rrf": _autorag, "autorag-cc-mm": _autorag,
    "autorag-cc-tmm": _autorag, "autorag-cc-z": _autorag, "autorag-cc-dbsf": _autorag,
    "ragbuilder-ensemble": _ragbuilder, "chroma-rrf": _chroma, "typesense-hybrid": _typesense,
    "trectools-rrf": _trectools}
