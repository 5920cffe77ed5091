"""A recipe as code: for Python with ragdash, and as a query for the engine of a preset.

Names in angle brackets are to be filled in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import Recipe


def python_snippet(recipe: Recipe, names: Sequence[str]) -> str:
    """The call of `ragdash.fuse` that makes this run.

    Examples
    --------
    >>> from ragdash import Run
    >>> from ragdash.experiments.fusion.recipe import make_recipe
    >>> runs = [Run.build(name, ["q"], ["d"]) for name in ("bm25", "dense")]
    >>> print(python_snippet(make_recipe(runs, params={"k": 20.0}), ["bm25", "dense"]).splitlines()[-2])
    hybrid = ragdash.fuse(runs, method='rrf', k=20.0)
    """
    options: dict[str, object] = {"preset": recipe.preset} if recipe.preset else {"method": recipe.method}
    if recipe.window is not None:
        options["window"] = recipe.window
    options |= recipe.given
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    files = ", ".join(f'"{name}.trec"' for name in names)
    return ("import ragdash\nfrom ragdash.io import write_run\n\n"
            f"runs = [ragdash.read_run(path) for path in ({files})]\n"
            f'hybrid = ragdash.fuse(runs, {arguments})\nwrite_run(hybrid, "hybrid.trec")\n')


def engine_snippet(recipe: Recipe) -> str | None:
    """The query that fuses like this in the engine of the preset; None where there is no snippet for it."""
    if recipe.preset is None:
        return None
    writer = _WRITERS.get(PRESETS[recipe.preset].name)
    return None if writer is None else writer(recipe)


def _weights(recipe: Recipe) -> list[float]:
    weights = recipe.params.get("weights")
    return [1.0] * recipe.runs if not isinstance(weights, (list, tuple)) else [round(float(w), 4) for w in weights]


def _k(recipe: Recipe) -> int:
    return int(float(str(recipe.params["k"])))


def _json(head: str, body: Mapping) -> str:
    return f"{head}\n{json.dumps(body, indent=2)}\n"


def _elasticsearch_rrf(recipe: Recipe) -> str:
    queries = [{"standard": {"query": {"match": {"<text field>": "<query>"}}}},
               *({"knn": {"field": "<vector field>", "query_vector": "<vector>", "k": recipe.window,
                          "num_candidates": 10 * (recipe.window or 10)}} for _ in range(recipe.runs - 1))]
    weights = _weights(recipe)
    legs = queries if len(set(weights)) == 1 else [
        {"retriever": query, "weight": weight} for query, weight in zip(queries, weights, strict=True)]
    return _json("GET /<index>/_search", {"retriever": {"rrf": {
        "retrievers": legs, "rank_constant": _k(recipe), "rank_window_size": recipe.window}}})


def _elasticsearch_linear(recipe: Recipe) -> str:
    norm = str(recipe.params["norm"]).removeprefix("elasticsearch-")
    queries = [{"standard": {"query": {"match": {"<text field>": "<query>"}}}},
               *({"knn": {"field": "<vector field>", "query_vector": "<vector>", "k": recipe.window,
                          "num_candidates": 10 * (recipe.window or 10)}} for _ in range(recipe.runs - 1))]
    return _json("GET /<index>/_search", {"retriever": {"linear": {
        "retrievers": [{"retriever": query, "weight": weight, "normalizer": norm}
                       for query, weight in zip(queries, _weights(recipe), strict=True)],
        "rank_window_size": recipe.window}}})


def _opensearch(recipe: Recipe) -> str:
    if recipe.preset == "opensearch-rrf":
        combination = {"technique": "rrf", "rank_constant": _k(recipe)}
        return _json("PUT /_search/pipeline/<name>", {"phase_results_processors": [
            {"score-ranker-processor": {"combination": combination}}]})
    total = sum(_weights(recipe))
    weights = [round(weight / total, 4) for weight in _weights(recipe)]
    return _json("PUT /_search/pipeline/<name>", {"phase_results_processors": [{"normalization-processor": {
        "normalization": {"technique": str(recipe.params["norm"]).removeprefix("opensearch-")},
        "combination": {"technique": f"{recipe.method}_mean", "parameters": {"weights": weights}}}}]})


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
    return f"client.hybrid_search(\n    \"<collection>\", reqs=[<requests>], ranker={ranker}, limit=10,\n)\n"


def _langchain(recipe: Recipe) -> str:
    retrievers = ", ".join(f"<retriever {index + 1}>" for index in range(recipe.runs))
    return (f"EnsembleRetriever(\n    retrievers=[{retrievers}], weights={_weights(recipe)}, "
            f"c={recipe.params['k']:g},\n)\n")


_WRITERS: Mapping[str, Callable[[Recipe], str]] = {
    "elasticsearch-rrf": _elasticsearch_rrf, "elasticsearch-linear": _elasticsearch_linear,
    "opensearch-min_max": _opensearch, "opensearch-l2": _opensearch, "opensearch-z_score": _opensearch,
    "opensearch-geometric": _opensearch, "opensearch-harmonic": _opensearch, "opensearch-rrf": _opensearch,
    "weaviate-relative": _weaviate, "weaviate-ranked": _weaviate, "qdrant-rrf": _qdrant, "qdrant-dbsf": _qdrant,
    "milvus-rrf": _milvus, "milvus-weighted": _milvus, "langchain-ensemble": _langchain}
