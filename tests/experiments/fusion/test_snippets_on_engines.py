"""Snippets on the engines themselves: the fused list of each is that of its preset on what its searches returned.

Where an engine cannot run here, its client builds the request. Packages that are not installed are skipped.
"""

from __future__ import annotations

import json
import re
import types

import numpy as np
import pytest
from fusion_cases import run_of

from ragdash import Run, fuse
from ragdash.experiments.fusion.export.snippets import engine_snippet
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.io import write_run

DEPTH = 6  # of each search; smaller than what the searches could return
WORDS = ["engine", "program", "query", "vector", "search", "index", "bread", "cat", "first", "table"]


def installed(name: str):
    return pytest.importorskip(name, reason=f"{name} is not installed: the snippet is not run on it")


def corpus() -> tuple[list[str], np.ndarray, list[dict[int, float]]]:
    """(texts, dense vectors, sparse vectors) of 30 documents; the last one of each is the question's."""
    rng = np.random.default_rng(7)
    counts = rng.multinomial(8, np.ones(len(WORDS)) / len(WORDS), size=31)
    texts = [" ".join(word for word, n in zip(WORDS, row, strict=True) for _ in range(n)) for row in counts]
    sparse = [{word: float(n) + rng.random() / 9 for word, n in enumerate(row) if n} for row in counts]
    return texts, rng.normal(size=(31, 4)).astype(np.float32), sparse


def snippet(preset: str, runs: int = 2, window: int = DEPTH, **params) -> str:
    lists = [run_of(str(index), {"q": {"a": 1.0}}) for index in range(runs)]
    code = engine_snippet(make_recipe(lists, preset=preset, window=window, params=params))
    assert code is not None
    return code


def filled(code: str, **names: str) -> str:
    """A call with the names in angle brackets filled in; spaces in them are underscores here."""
    for name, value in names.items():
        code = code.replace(f"<{name.replace('_', ' ')}>", value)
    assert not re.search(r"<(?!float>)[a-z ]+\d?>", code), code
    return code


def body(code: str, values: dict[str, object]) -> dict:
    """The body of a request with the texts in angle brackets replaced by values."""
    def replaced(node):
        if isinstance(node, dict):
            return {values.get(key, key): replaced(value) for key, value in node.items()}
        if isinstance(node, list):
            return [replaced(value) for value in node]
        return values.get(node, node) if isinstance(node, str) else node

    return replaced(json.loads(code.partition("\n")[2]))


def assert_same(found: list[tuple[str, float]], lists: list[list[tuple[str, float]]], preset: str, *,
                factor: float = 1.0, **params) -> None:
    """The engine's (document, score), best first, are what the preset makes of the lists of its searches.

    Documents with equal scores may change places, and the engine may return fewer than all.
    """
    runs = [Run.build(str(index), ["q"] * len(rows), [doc for doc, _ in rows], [score for _, score in rows])
            for index, rows in enumerate(lists)]
    fused = fuse(runs, preset=preset, window=DEPTH, ties="file", **params).ranking("q")
    ours = dict(zip(fused["doc_id"].to_pylist(), fused["score"].to_pylist(), strict=True))
    assert len(found) >= DEPTH and len({doc for rows in lists for doc, _ in rows}) > DEPTH, "some overlap, some not"
    assert [score * factor for _, score in found] == pytest.approx([ours[doc] for doc, _ in found], abs=2e-6)
    assert [score * factor for _, score in found] == pytest.approx(list(ours.values())[:len(found)], abs=2e-6)


@pytest.mark.parametrize(("preset", "params"), [
    ("qdrant-rrf", {}), ("qdrant-rrf", {"k": 61, "weights": (3, 1)}), ("qdrant-dbsf", {})])
def test_qdrant(preset, params):
    qdrant_client = installed("qdrant_client")
    models = qdrant_client.models
    _, dense, sparse = corpus()
    client = qdrant_client.QdrantClient(":memory:")
    client.create_collection("c", vectors_config={"dense": models.VectorParams(size=4, distance="Cosine")},
                             sparse_vectors_config={"sparse": models.SparseVectorParams()})
    vectors = [{"dense": d.tolist(), "sparse": {"indices": [*s], "values": [*s.values()]}}
               for d, s in zip(dense, sparse, strict=True)]
    client.upsert("c", [models.PointStruct(id=i, vector={"dense": v["dense"], "sparse": models.SparseVector(
        **v["sparse"])}) for i, v in enumerate(vectors[:-1])])
    request = models.QueryRequest.model_validate(body(snippet(preset, **params), {
        "<vector 1>": vectors[-1]["sparse"], "<name 1>": "sparse", "<vector 2>": vectors[-1]["dense"],
        "<name 2>": "dense"}))

    def rows(**arguments) -> list[tuple[str, float]]:
        return [(str(point.id), point.score) for point in client.query_points("c", **arguments).points]

    lists = [rows(query=search.query, using=search.using, limit=search.limit) for search in request.prefetch]
    assert [len(found) for found in lists] == [DEPTH, DEPTH]
    assert_same(rows(prefetch=request.prefetch, query=request.query, limit=request.limit), lists, preset, **params)


@pytest.mark.parametrize(("preset", "params"), [
    ("lancedb-rrf", {}), ("lancedb-rrf", {"k": 5}), ("lancedb-linear", {}), ("lancedb-linear", {"weight": 0.3})])
def test_lancedb(preset, params, tmp_path):
    lancedb = installed("lancedb")
    from lancedb.index import FTS
    from lancedb.rerankers import LinearCombinationReranker, RRFReranker

    texts, dense, _ = corpus()
    table = lancedb.connect(tmp_path).create_table("t", [
        {"id": str(i), "text": text, "vector": vector} for i, (text, vector) in
        enumerate(zip(texts[:-1], dense[:-1], strict=True))])
    table.create_index("text", config=FTS())
    call = filled(snippet(preset, **params), vector="vector", query=texts[-1])
    names = {"table": table, "vector": dense[-1], "RRFReranker": RRFReranker,
             "LinearCombinationReranker": LinearCombinationReranker}

    def rows(found, score: str, sign: int = 1) -> list[tuple[str, float]]:
        found = found.to_arrow()
        return [(doc, sign * value) for doc, value in zip(found["id"].to_pylist(), found[score].to_pylist(),
                                                          strict=True)]

    lists = [rows(table.search(texts[-1], query_type="fts").limit(DEPTH), "_score"),
             rows(table.search(dense[-1]).limit(DEPTH), "_distance", -1)]
    found = rows(eval(call, names), "_relevance_score")
    assert len(found) == DEPTH, "the limit of the searches is that of the fused list"
    assert_same(found, lists, preset, **params)


def test_milvus(tmp_path):
    installed("milvus_lite")
    pymilvus = installed("pymilvus")
    _, dense, sparse = corpus()
    client = pymilvus.MilvusClient(str(tmp_path / "milvus.db"))
    try:
        schema = client.create_schema()
        schema.add_field("id", pymilvus.DataType.INT64, is_primary=True)
        schema.add_field("dense", pymilvus.DataType.FLOAT_VECTOR, dim=4)
        schema.add_field("sparse", pymilvus.DataType.SPARSE_FLOAT_VECTOR)
        index = client.prepare_index_params()
        index.add_index("dense", index_type="FLAT", metric_type="COSINE")
        index.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        client.create_collection("c", schema=schema, index_params=index)
        client.insert("c", [{"id": i, "dense": d.tolist(), "sparse": s} for i, (d, s) in
                            enumerate(zip(dense[:-1], sparse[:-1], strict=True))])
        vectors = {"sparse": sparse[-1], "dense": dense[-1].tolist()}

        def rows(found) -> list[tuple[str, float]]:
            return [(str(hit["id"]), hit["distance"]) for hit in found[0]]

        lists = [rows(client.search("c", [vector], anns_field=name, limit=DEPTH)) for name, vector in vectors.items()]
        names = {**vars(pymilvus), "client": client, **vectors}
        places = {"collection": "c", "vector_1": "sparse", "field_1": "sparse", "vector_2": "dense", "field_2": "dense"}
        for params in ({}, {"k": 5}):
            found = rows(eval(filled(snippet("milvus-rrf", **params), **places), names))
            assert_same(found, lists, "milvus-rrf", **params)
        params = {"norm": ("milvus-ip", "milvus-cosine"), "weights": (0.3, 0.7)}
        found = rows(eval(filled(snippet("milvus-weighted", **params), **places), names))
        assert_same(found, lists, "milvus-weighted", **params)
    finally:
        client.close()


def two_lists() -> list[list[tuple[str, float]]]:
    """What two searches return, more than a fused list of DEPTH takes."""
    rng = np.random.default_rng(11)
    return [sorted(((f"d{doc}", float(score)) for doc, score in
                    zip(rng.permutation(9)[:DEPTH], rng.random(DEPTH) * scale, strict=True)), key=lambda row: -row[1])
            for scale in (20, 1)]


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
def test_langchain(weights):
    ensemble = installed("langchain_classic.retrievers.ensemble").EnsembleRetriever
    document = installed("langchain_core.documents").Document
    runnable = installed("langchain_core.runnables").RunnableLambda
    lists = two_lists()
    names = {f"search_{i}": runnable(lambda question, rows=rows: [document(page_content=doc) for doc, _ in rows])
             for i, rows in enumerate(lists, 1)}
    call = filled(snippet("langchain-ensemble", weights=weights, k=7), retriever_1="search_1", retriever_2="search_2")
    found = eval(call, {"EnsembleRetriever": ensemble, **names}).invoke("q")
    runs = [run_of(name, {"q": dict(rows)}) for name, rows in zip(names, lists, strict=True)]
    ours = fuse(runs, preset="langchain-ensemble", weights=weights, k=7).ranking("q")["doc_id"].to_pylist()
    assert [document.page_content for document in found] == ours


@pytest.mark.parametrize(("preset", "params"), [
    ("llamaindex-reciprocal", {}), ("llamaindex-relative", {"weights": (0.3, 0.7)}),
    ("llamaindex-dist", {"weights": (0.3, 0.7)})])
def test_llamaindex(preset, params, monkeypatch):
    core = installed("llama_index.core")
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    class Search(BaseRetriever):
        def __init__(self, rows):
            self._rows = rows
            super().__init__()

        def _retrieve(self, query_bundle):
            return [NodeWithScore(node=TextNode(id_=doc, text=doc), score=score) for doc, score in self._rows]

    monkeypatch.setattr(core.Settings, "_llm", MockLLM())
    lists = two_lists()
    call = filled(snippet(preset, **params), retriever_1="Search(lists[0])", retriever_2="Search(lists[1])")
    call = call.replace("similarity_top_k=6", "use_async=False, similarity_top_k=6")
    nodes = eval(call, {"QueryFusionRetriever": QueryFusionRetriever, "Search": Search, "lists": lists}).retrieve("q")
    assert_same([(node.node.node_id, node.score) for node in nodes], lists, preset, **params)


@pytest.mark.parametrize(("preset", "params"), [
    ("haystack-rrf", {}), ("haystack-rrf", {"weights": (0.3, 0.7)}), ("haystack-dbsf", {})])
def test_haystack(preset, params):
    joiner = installed("haystack.components.joiners").DocumentJoiner
    document = installed("haystack").Document
    lists = two_lists()
    documents = [[document(id=doc, content=doc, score=score) for doc, score in rows] for rows in lists]
    found = eval(snippet(preset, **params), {"DocumentJoiner": joiner}).run(documents=documents)["documents"]
    assert_same([(document.id, document.score) for document in found], lists, preset, **params)


def test_trectools(tmp_path):
    trectools = installed("trectools")
    lists = two_lists()
    for index, rows in enumerate(lists, 1):
        write_run(run_of(str(index), {"1": dict(rows)}), tmp_path / f"{index}.trec")
    call = filled(snippet("trectools-rrf", k=7), run_1=str(tmp_path / "1.trec"), run_2=str(tmp_path / "2.trec"))
    fusion = installed("trectools.fusion")
    table = eval(call, {"fusion": fusion, "TrecRun": trectools.TrecRun}).run_data
    found = list(zip(map(str, table["docid"]), table["score"], strict=True))
    assert_same(found, lists, "trectools-rrf", k=7)
    runs = [run_of("a", {"1": {"d2": 9.0, "d3": 5.0}}), run_of("b", {"1": {"d1": 9.0, "d4": 5.0}})]
    for run in runs:
        write_run(run, tmp_path / f"{run.name}.trec")
    read = [trectools.TrecRun(str(tmp_path / f"{run.name}.trec")) for run in runs]
    table = fusion.reciprocal_rank_fusion(read).run_data
    ours = fuse(runs, preset="trectools-rrf").ranking("1")["doc_id"].to_pylist()
    assert [*map(str, table["docid"])] == ours == ["d1", "d2", "d3", "d4"], "equal scores by id"


@pytest.mark.parametrize(("preset", "weight"), [
    ("autorag-rrf", None), ("autorag-cc-mm", 0.3), ("autorag-cc-tmm", 0.3), ("autorag-cc-z", 0.5),
    ("autorag-cc-dbsf", 0.8)])
def test_autorag(preset, weight):
    nodes = installed("autorag.nodes.hybridretrieval")
    import yaml
    from autorag.nodes.hybridretrieval.hybrid_cc import HybridCC
    from autorag.nodes.hybridretrieval.hybrid_rrf import HybridRRF
    from autorag.utils.util import convert_string_to_tuple_in_dict

    assert nodes
    params = {} if weight is None else {"weight": weight}
    [node] = [convert_string_to_tuple_in_dict(node) for node in yaml.safe_load(snippet(preset, **params))]
    [module] = node["modules"]
    kind = {"hybrid_rrf": HybridRRF, "hybrid_cc": HybridCC}[module.pop("module_type")]
    low, high = module.pop("weight_range")
    assert low == high and "weight" not in module, "its evaluator tries the weights of this range"
    module.pop("test_weight_size", None)
    lexical, semantic = two_lists()
    info = {f"{what}_{leg}": [[row[part] for row in rows]] for leg, rows in
            (("semantic", semantic), ("lexical", lexical)) for part, what in ((0, "retrieved_ids"),
                                                                             (1, "retrieve_scores"))}
    (docs,), (scores,) = kind._pure(None, info, top_k=node["top_k"], weight=low, **module)
    assert_same(list(zip(docs, scores, strict=True)), [lexical, semantic], preset, **params)


def evaluated(node: dict, lists: dict[str, list[str]]) -> dict[str, float]:
    """Chroma's expression as its servers evaluate it: {document: score}; documents that a Knn lacks have none.

    A constant holds for every document; an operation has those that both sides have.
    """
    [(kind, value)] = node.items()
    if kind == "$val":
        return {doc: value for docs in lists.values() for doc in docs}
    if kind == "$knn":
        docs = lists[value["key"]][:value["limit"]]
        known = {doc: float(rank) for rank, doc in enumerate(docs)}
        missing = value.get("default")
        return known if missing is None else {doc: known.get(doc, missing) for found in lists.values()
                                              for doc in found[:value["limit"]]}
    parts = [evaluated(part, lists) for part in (value if isinstance(value, list) else value.values())]
    common = [doc for doc in parts[0] if all(doc in part for part in parts)]
    operation = {"$sum": np.sum, "$mul": np.prod, "$div": lambda pair: pair[0] / pair[1]}[kind]
    return {doc: float(operation([part[doc] for part in parts])) for doc in common}


@pytest.mark.parametrize("params", [{"weights": (0.3, 0.7)}, {"default": 50.0, "k": 7}])
def test_the_expression_of_chromas_client(params):
    expression = installed("chromadb.execution.expression")
    lists = two_lists()
    code = filled(snippet("chroma-rrf", **params), vector_1="[1.0]", field_1="0", vector_2="[2.0]", field_2="1")
    names = {name: getattr(expression, name) for name in ("Search", "Rrf", "Knn")}
    searches = []
    exec(code, {**names, "collection": types.SimpleNamespace(search=searches.append)})
    [search] = searches
    scores = evaluated(search.to_dict()["rank"], {str(index): [doc for doc, _ in rows]
                                                  for index, rows in enumerate(lists)})
    runs = [run_of(str(index), {"q": dict(rows)}) for index, rows in enumerate(lists)]
    fused = fuse(runs, preset="chroma-rrf", window=DEPTH, **params).ranking("q")
    ours = dict(zip(fused["doc_id"].to_pylist(), fused["score"].to_pylist(), strict=True))
    assert {doc: -score for doc, score in scores.items()} == pytest.approx(ours, abs=1e-6) and len(ours) > 2
    assert search.to_dict()["limit"]["limit"] == 10


def test_the_command_of_the_client_of_redis():
    query = installed("redis.commands.search.hybrid_query")
    words = filled(snippet("redis-rrf", k=7), index="idx", query="text", vector_field="v", vector="0101")
    built = ["FT.HYBRID", "idx", *query.HybridQuery(
        query.HybridSearchQuery("text"), query.HybridVsimQuery("@v", "$vector", query.VectorSearchMethods.KNN,
                                                               {"K": DEPTH})).get_args(),
        *query.CombineResultsMethod(query.CombinationMethods.RRF, CONSTANT=7, WINDOW=DEPTH).get_args(),
        *query.HybridPostProcessingConfig().limit(0, 10).build_args(), "PARAMS", 2, "vector", "0101"]
    assert words.replace('"', "").split() == [str(word) for word in built]


def test_the_request_of_azures_client():
    models = installed("azure.search.documents.models")
    request = body(snippet("azure-rrf", weights=(0.3, 0.7)), {"<vector>": [0.1], "<vector field>": "v"})
    [vector] = request["vectorQueries"]
    built = models.VectorizedQuery(vector=[0.1], fields="v", k_nearest_neighbors=DEPTH, weight=vector["weight"])
    assert dict(built) == vector and vector["weight"] == pytest.approx(7 / 3, abs=1e-4)


@pytest.mark.parametrize("preset", ["weaviate-relative", "weaviate-ranked"])
def test_the_request_of_weaviates_client(preset):
    grpc = installed("weaviate.collections.grpc.query")
    classes = installed("weaviate.classes.query")
    from weaviate.util import _ServerVersion

    build = grpc._QueryGRPC(_ServerVersion(1, 34, 0), "C", None, None, True, True, True)
    collection = types.SimpleNamespace(query=types.SimpleNamespace(hybrid=build.hybrid))
    call = filled(snippet(preset, alpha=0.3), query="text")
    request = eval(call, {"collection": collection, "HybridFusion": classes.HybridFusion})
    search = request.hybrid_search
    kinds = {"weaviate-relative": "FUSION_TYPE_RELATIVE_SCORE", "weaviate-ranked": "FUSION_TYPE_RANKED"}
    assert search.alpha_param == pytest.approx(0.3) or search.alpha == pytest.approx(0.3)
    assert type(search).FusionType.Name(search.fusion_type) == kinds[preset] and request.limit == DEPTH


@pytest.mark.parametrize("preset", ["vespa-rrf", "vespa-linear"])
def test_the_rank_profile_of_vespas_client(preset):
    package = installed("vespa.package")
    code = filled(snippet(preset), vector="q", dimensions="4", text_field="text", vector_field="v")
    [expression] = re.findall(r"expression: (.*)", code)
    profile = package.RankProfile("hybrid", inputs=[("query(q)", "tensor<float>(x[4])")], first_phase="",
                                  global_phase=package.GlobalPhaseRanking(expression, rerank_count=DEPTH))
    schema = package.Schema("s", package.Document(), rank_profiles=[profile]).schema_to_text
    written = {line.strip() for line in code.replace("expression: " + expression, "").splitlines()} - {""}
    assert written <= {line.strip() for line in schema.splitlines()} and expression in schema


def test_the_call_of_pinecones_client():
    pinecone = installed("pinecone")
    import inspect

    calls = []
    code = filled(snippet("pinecone-hybrid", alpha=0.3), vector="[1.0, 2.0]", indices="[3]", values="[10.0]")
    exec(code, {"index": types.SimpleNamespace(query=lambda **arguments: calls.append(arguments))})
    [arguments] = calls
    inspect.signature(pinecone.Index.query).bind(None, **arguments)
    assert arguments["vector"] == pytest.approx([0.3, 0.6]) and arguments["top_k"] == DEPTH
    assert arguments["sparse_vector"] == {"indices": [3], "values": pytest.approx([7.0])}
