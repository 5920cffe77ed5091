"""Each engine's preset against values worked out from its source, for a keyword list and a vector list.

bm25: a 12, b 9, c 3; dense: c 0.82, d 0.80, a 0.61. Sources are in ragdash/experiments/fusion/presets.py. The values of
Qdrant's unit test (reciprocal_rank_fusion.rs) and of the example in Weaviate's documentation are checked too.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from fusion_cases import run_of, two_runs

from ragdash import fuse
from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.experiments.fusion.presets import PRESETS

RRF = {"a": 0.032266, "b": 0.016129, "c": 0.032266, "d": 0.016129}
# (preset, what is changed, fused scores)
VALUES = [
    ("elasticsearch-rrf", {}, RRF), ("opensearch-rrf", {}, RRF), ("milvus-rrf", {}, RRF), ("vespa-rrf", {}, RRF),
    ("azure-rrf", {}, RRF), ("lancedb-rrf", {}, RRF), ("mongodb-rankfusion", {}, RRF), ("redis-rrf", {}, RRF),
    ("autorag-rrf", {}, RRF), ("trectools-rrf", {}, RRF), ("qdrant-rrf", {"k": 61}, RRF),
    ("langchain-ensemble", {}, {"a": 0.016133, "b": 0.008065, "c": 0.016133, "d": 0.008065}),
    ("llamaindex-reciprocal", {}, {"a": 0.032796, "b": 0.016393, "c": 0.032796, "d": 0.016393}),
    ("haystack-rrf", {}, {"a": 0.984127, "b": 0.491935, "c": 0.984127, "d": 0.491935}),
    ("weaviate-ranked", {}, {"a": 0.016263, "b": 0.004098, "c": 0.016532, "d": 0.012295}),
    ("qdrant-rrf", {}, {"a": 0.75, "b": 0.333333, "c": 0.75, "d": 0.333333}),
    ("qdrant-rrf", {"weights": (3, 1)}, {"a": 1.0, "b": 0.6, "c": 1.0, "d": 0.333333}),
    ("qdrant-dbsf", {}, {"a": 0.953746, "b": 0.53637, "c": 0.928398, "d": 0.581486}),
    ("haystack-dbsf", {}, {"a": 0.678174, "b": 0.544544, "c": 0.635023, "d": 0.5998}),
    ("llamaindex-dist", {}, {"a": 0.471675, "b": 0.272272, "c": 0.456153, "d": 0.2999}),
    ("llamaindex-relative", {}, {"a": 0.5, "b": 1 / 3, "c": 0.5, "d": 19 / 42}),
    ("weaviate-relative", {}, {"a": 0.25, "b": 0.166667, "c": 0.75, "d": 0.678571}),
    ("opensearch-min_max", {}, {"a": 0.5005, "b": 0.333333, "c": 0.5005, "d": 0.452381}),
    ("opensearch-min_max", {"weights": (0.3, 0.7)}, {"a": 0.3007, "b": 0.2, "c": 0.7003, "d": 0.633333}),
    ("opensearch-geometric", {}, {"a": 0.001 ** 0.5, "b": 2 / 3, "c": 0.001 ** 0.5, "d": 19 / 21}),
    ("opensearch-harmonic", {}, {"a": 2 / 1001, "b": 2 / 3, "c": 2 / 1001, "d": 19 / 21}),
    # bm25: mean 8, sd sqrt(21); dense: mean 0.743333, sd 0.115902; values of 0 or less become 0.001
    ("opensearch-z_score", {}, {"a": (4 / 21 ** 0.5 + 0.001) / 2, "b": 1 / 21 ** 0.5 / 2,
                                "c": (0.661475 + 0.001) / 2, "d": 0.488917 / 2}),
    # l2 norms: bm25 sqrt(234) = 15.297059, dense 1.297883
    ("opensearch-l2", {}, {"a": 1.254461 / 2, "b": 0.588348 / 2, "c": 0.827914 / 2, "d": 0.616388 / 2}),
    ("elasticsearch-linear", {}, {"a": 12.61, "b": 9.0, "c": 3.82, "d": 0.8}),
    ("elasticsearch-linear", {"norm": "elasticsearch-minmax"}, {"a": 1.0, "b": 0.666667, "c": 1.0, "d": 0.904762}),
    ("elasticsearch-linear", {"norm": "elasticsearch-l2_norm"},
     {"a": 1.254461, "b": 0.588348, "c": 0.827914, "d": 0.616388}),
    ("vespa-linear", {}, {"a": 1.0, "b": 2 / 3, "c": 1.0, "d": 19 / 21}),
    ("milvus-weighted", {"weights": (0.5, 0.5)}, {"a": 0.876035, "b": 0.464777, "c": 0.852584, "d": 0.45}),
    ("milvus-weighted", {"weights": (0.5, 0.5), "norm": "none"}, {"a": 6.305, "b": 4.5, "c": 1.91, "d": 0.4}),
    ("lancedb-linear", {}, {"a": 0.3, "b": 0.2, "c": 0.7, "d": 0.7 * 19 / 21}),
    ("pinecone-hybrid", {"alpha": 0.5}, {"a": 6.305, "b": 4.5, "c": 1.91, "d": 0.4}),
    ("chroma-rrf", {}, {"a": 1 / 60 + 1 / 62, "c": 1 / 62 + 1 / 60}),
    ("chroma-rrf", {"default": 1000, "weights": (2, 1)}, {
        "a": 2 / 60 + 1 / 62, "b": 2 / 61 + 1 / 1060, "c": 2 / 62 + 1 / 60, "d": 2 / 1060 + 1 / 61}),
    ("typesense-hybrid", {}, {"a": 0.8, "b": 0.35, "c": 0.7 / 3 + 0.3, "d": 0.15}),
    ("autorag-cc-mm", {}, {"a": 0.5, "b": 1 / 3, "c": 0.5, "d": 19 / 42}),
    ("autorag-cc-mm", {"weight": 0.7}, {"a": 0.3, "b": 0.2, "c": 0.7, "d": 0.7 * 19 / 21}),
    ("autorag-cc-tmm", {}, {"a": 0.942308, "b": 0.375, "c": 0.625, "d": 0.494505}),
    # population sds: bm25 sqrt(14), dense 0.0946338
    ("autorag-cc-z", {}, {"a": -0.169947, "b": 0.133631, "c": -0.263083, "d": 0.2994}),
    ("autorag-cc-dbsf", {}, {"a": 0.471675, "b": 0.272272, "c": 0.456153, "d": 0.2999}),
    ("ragbuilder-ensemble", {}, {"a": 0.016133, "b": 0.008065, "c": 0.016133, "d": 0.008065}),
]
TIES = {"milvus-rrf": "acbd", "opensearch-rrf": "acbd", "langchain-ensemble": "acbd", "haystack-rrf": "acbd",
        "elasticsearch-rrf": "cadb"}


@pytest.mark.parametrize(("preset", "changes", "expected"), VALUES)
def test_a_preset_gives_the_values_of_its_engine(preset, changes, expected):
    table = fuse(two_runs(), preset=preset, **changes).ranking("q")
    scores = dict(zip(table["doc_id"].to_pylist(), table["score"].to_pylist(), strict=True))
    assert scores == pytest.approx(expected, abs=2e-6)
    if not changes and preset in TIES:
        assert "".join(table["doc_id"].to_pylist()) == TIES[preset]


def test_libraries_keep_equal_scores_in_order_of_first_appearance():
    """Expected: what functions of langchain-classic 1.0.8, llama-index-core 0.14.25 and haystack-ai 3.4.1 return."""
    by_rank, by_score = ("langchain-ensemble", "haystack-rrf", "llamaindex-reciprocal"), (
        "haystack-dbsf", "llamaindex-relative", "llamaindex-dist")
    cases = [({"z": 12.0, "y": 9.0, "x": 3.0}, {"x": 0.82, "w": 0.8, "z": 0.61}, "zxyw", "zxwy"),
             ({"b": 5.0, "c": 5.0, "a": 5.0}, {"e": 2.0, "d": 2.0}, "becda", "bcaed")]
    for first, second, ranked, scored in cases:
        runs = [run_of("first", {"q": first}), run_of("second", {"q": second})]
        for preset in (*by_rank, *by_score):
            docs = fuse(runs, preset=preset, ties="file").ranking("q")["doc_id"].to_pylist()
            assert "".join(docs) == (ranked if preset in by_rank else scored), preset


def test_typesense_gives_texts_that_match_equally_well_one_rank_and_the_next_ones_the_next():
    """The last case: the values in the test of Typesense's own hybrid search."""
    text = {"a": 9.0, "b": 9.0, "c": 9.0, "d": 4.0}
    runs = [run_of("text", {"p": {"z": 1.0}, "q": text, "r": text}),
            run_of("vector", {"q": {"d": 1.0}, "r": {"x": 1.0}})]
    fused = fuse(runs, preset="typesense-hybrid")
    for query, d in (("q", 0.7 / 2 + 0.3), ("r", 0.7 / 2)):
        table = fused.ranking(query)
        scores = dict(zip(table["doc_id"].to_pylist(), table["score"].to_pylist(), strict=True))
        assert [scores[doc] for doc in "abcd"] == pytest.approx([0.7, 0.7, 0.7, d]), query
    names = ("butter", "butterfly", "butterball")
    runs = [run_of("text", {"q": dict(zip(names, (3.0, 2.0, 1.0), strict=True))}),
            run_of("vector", {"q": dict(zip((names[0], names[2], names[1]), (3.0, 2.0, 1.0), strict=True))})]
    table = fuse(runs, preset="typesense-hybrid").ranking("q")
    assert table["doc_id"].to_pylist() == list(names)
    assert table["score"].to_pylist() == pytest.approx([1.0, 0.45, 0.7 / 3 + 0.3 / 2])


def test_chroma_leaves_out_what_a_list_lacks_and_says_so():
    [note] = [problem for problem in fuse(two_runs(), preset="chroma-rrf").problems if problem.kind == "fusion-common"]
    assert note.facts["count"] == 2 and note.severity == "note"
    assert not fuse(two_runs(), preset="chroma-rrf", default=50).problems


def test_every_preset_has_a_golden_value():
    assert {preset for preset, _, _ in VALUES} == set(PRESETS), "work its values out and add them to VALUES here"


def test_the_values_of_the_engines_own_tests():
    lists = [{"2": 0.9, "1": 0.8}, {"1": 0.7, "2": 0.6, "3": 0.5}, {"5": 0.9, "3": 0.5, "1": 0.4}]
    fused = fuse([run_of(f"r{i}", {"q": docs}) for i, docs in enumerate(lists)], preset="qdrant-rrf").ranking("q")
    assert dict(zip(fused["doc_id"].to_pylist(), fused["score"].to_pylist(), strict=True)) == pytest.approx(
        {"1": 1.0833334, "2": 0.8333334, "3": 0.5833334, "5": 0.5}, abs=1e-6)
    listed = {"a": 11.0, "b": 8.0, "c": 6.0, "d": 1.0}
    runs = [run_of("keyword", {"q": {"z": 1.0}}), run_of("vector", {"q": listed})]
    assert fuse(runs, preset="weaviate-relative", alpha=1.0).ranking("q")["score"].to_pylist() == pytest.approx(
        [1.0, 0.7, 0.5, 0.0])


# (preset, changes, score of x in a constant list [x 5, y 5], score of one result [x 5]; a second list lacks both)
EDGES = [("weaviate-relative", {}, 0.25, 0.25), ("opensearch-min_max", {}, 0.5, 0.5), ("vespa-linear", {}, 0.5, 0.5),
         ("elasticsearch-linear", {"norm": "elasticsearch-minmax"}, 5.0, 5.0), ("qdrant-dbsf", {}, 0.5, 0.5),
         ("haystack-dbsf", {}, 5.0, 5.0), ("llamaindex-relative", {}, 0.5, 0.5), ("lancedb-linear", {}, 0.0, 0.0),
         ("opensearch-z_score", {}, 2.5, 2.5), ("opensearch-l2", {}, math.sqrt(0.5) / 2, 0.5),
         ("autorag-cc-mm", {}, 0.0, 0.0), ("autorag-cc-z", {}, 0.0, 0.0), ("autorag-cc-dbsf", {}, 0.0, 0.0),
         ("autorag-cc-tmm", {}, 0.5, 0.5), ("typesense-hybrid", {}, 0.7, 0.7)]


@pytest.mark.parametrize(("preset", "changes", "constant", "single"), EDGES)
def test_a_constant_list_and_a_single_result_follow_the_engine(preset, changes, constant, single):
    for docs, expected in (({"y": 5.0, "x": 5.0}, constant), ({"x": 5.0}, single)):
        runs = [run_of("keyword", {"q": docs}), run_of("vector", {"q": {"z": 2.0, "w": 1.0}})]
        table = fuse(runs, preset=preset, **changes).ranking("q")
        scores = dict(zip(table["doc_id"].to_pylist(), table["score"].to_pylist(), strict=True))
        assert scores["x"] == pytest.approx(expected)


def test_the_window_of_an_engine_limits_its_lists():
    docs = {f"d{i:03}": 200.0 - i for i in range(150)}
    runs = [run_of("a", {"q": docs}), run_of("b", {"q": {doc: -score for doc, score in docs.items()}})]
    returned = {preset: fuse(runs, preset=preset).depth
                for preset in ("elasticsearch-rrf", "redis-rrf", "azure-rrf", "weaviate-ranked", "trectools-rrf",
                              "qdrant-rrf", "lancedb-rrf", "typesense-hybrid", "ragbuilder-ensemble")}
    assert returned == {"elasticsearch-rrf": 10, "redis-rrf": 40, "azure-rrf": 100, "weaviate-ranked": 150,
                        "trectools-rrf": 150, "qdrant-rrf": 20, "lancedb-rrf": 10, "typesense-hybrid": 150,
                        "ragbuilder-ensemble": 40}
    assert fuse(runs, preset="chroma-rrf").depth == 0 and fuse(runs, preset="chroma-rrf", window=80).depth == 10
    assert fuse(runs, preset="elasticsearch-rrf", window=50).depth == 50


def test_a_cut_list_is_the_start_of_the_whole_one_also_where_scores_are_equal():
    """Scores of 0 to 3, so that groups of equal scores begin before the cut and end after it."""
    rng = np.random.default_rng(5)
    runs = [run_of(name, {f"q{q}": {f"d{d:02}": float(rng.integers(0, 4)) for d in rng.permutation(40)[:q]}
                          for q in range(30)}) for name in ("keyword", "vector")]
    for window in (1, 5, 10):
        whole = fuse(runs, "weighted", window, norm="none")
        short = fuse(runs, preset="elasticsearch-linear", window=window)
        for query in whole.query_ids.to_pylist():
            expected = whole.ranking(query).slice(0, window)
            assert short.ranking(query)["doc_id"] == expected["doc_id"], (window, query)
            assert short.ranking(query)["score"] == expected["score"], (window, query)


def test_a_weight_of_zero_keeps_or_drops_the_documents_as_the_engine_does():
    assert len(fuse(two_runs(), preset="weaviate-relative", alpha=0.0).docs) == 3
    stays = fuse(two_runs(), preset="qdrant-rrf", weights=(1, 0)).ranking("q")
    assert stays["doc_id"].to_pylist()[-1] == "d" and stays["score"].to_pylist()[-1] == 0.0


def test_a_method_that_contradicts_the_preset_is_refused():
    runs = [Run.build(name, ["q"], ["d"], [1.0]) for name in ("a", "b")]
    with pytest.raises(InputError, match="next to the preset 'elasticsearch-rrf', which is 'rrf'"):
        fuse(runs, "weighted", preset="elasticsearch-rrf")
    assert fuse(runs, "rrf", preset="elasticsearch-rrf").digest == fuse(runs, preset="elasticsearch-rrf").digest
