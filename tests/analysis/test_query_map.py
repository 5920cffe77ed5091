"""The map of the queries: vectors by hand and by scikit-learn, planted groups that are found, noise that is not."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pytest

from ragdash import InputError, Truth
from ragdash.analysis.failure_patterns.query_map import layout, measured_areas, process, query_map, word_vectors
from ragdash.analysis.failure_patterns.query_map.layout import pca, require_tsne, tsne
from ragdash.cli.main import main
from ragdash.evaluation.scoring.required_scores import plan_texts
from ragdash.models.local import ScoreCache
from ragdash.reporting.sentences.failures.query_map import map_caption

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"
TOPICS = ("engine oil pressure valve piston gear", "moon orbit landing crater probe rocket",
          "tax income invoice audit salary bank")


def planted(each: int = 20, seed: int = 0) -> list[str]:
    """Questions of three topics, `each` of each topic, of four words that no other topic has."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(topic.split(), 4, replace=False)) for topic in TOPICS for _ in range(each)]


def truth_of(texts: list[str | None]) -> Truth:
    ids = [f"q{number:03}" for number in range(len(texts))]
    return Truth.build("qrels", ids, ["d"] * len(ids), [1] * len(ids),
                       details=pa.table({"query_id": ids, "query": pa.array(texts, pa.string())}))


def neighbors_of_the_same_topic(places: np.ndarray, each: int) -> float:
    """The share of marks whose nearest mark has the same topic."""
    distance = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag(np.full(len(places), np.inf))
    return float((distance.argmin(axis=1) // each == np.arange(len(places)) // each).mean())


def test_word_vectors_have_the_cosines_worked_by_hand():
    vectors = word_vectors(["the engine oil", "engine oil", "moon engine", None, "a lonely word"])
    # of 4 texts 3 have "engine", 2 "oil"; "moon" and the rest are in one text alone and do not count
    engine, oil = np.log(5 / 4) + 1, np.log(5 / 3) + 1
    cosine = engine / np.hypot(engine, oil)
    assert np.allclose(vectors[:3] @ vectors[:3].T, [[1, 1, cosine], [1, 1, cosine], [cosine, cosine, 1]])
    assert np.isnan(vectors[3:]).all()
    assert np.isnan(word_vectors(["one", "two", None])).all()


def test_vectors_and_components_are_those_of_scikit_learn(monkeypatch):
    decomposition = pytest.importorskip("sklearn.decomposition")
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = planted()
    vectors = word_vectors(texts, 10)
    weights = TfidfVectorizer(min_df=2).fit_transform(texts)
    expected = decomposition.TruncatedSVD(10, algorithm="arpack", random_state=0).fit_transform(weights)
    assert np.allclose(abs(vectors), abs(expected))
    monkeypatch.setattr("ragdash.analysis.failure_patterns.query_map.words.DENSE", 0)  # as for large maps
    assert np.allclose(word_vectors(texts, 10), vectors)
    model = decomposition.PCA(2).fit(vectors)
    places, share = pca(vectors)
    assert np.allclose(places, model.transform(vectors)) and share == pytest.approx(
        model.explained_variance_ratio_.sum())


def test_components_by_hand_and_what_has_no_vector():
    vectors = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0], [np.nan, np.nan]])
    places, share = pca(vectors)
    assert np.allclose(places[:4], vectors[:4]) and np.isnan(places[4]).all() and share == pytest.approx(1)
    same, none = pca(np.ones((3, 4))), pca(np.full((2, 2), np.nan))
    assert np.allclose(same[0], 0) and np.isnan(same[1]) and np.isnan(none[0]).all()


def test_planted_groups_are_neighbors_with_their_words_and_the_failing_one_is_surely_worse():
    texts = planted()
    result = query_map(truth_of(texts), vectors="words")
    assert neighbors_of_the_same_topic(result.places, 20) == 1.0
    values = np.where(np.arange(60) // 20 == 1, 0.2, 0.7) + np.random.default_rng(1).normal(0, 0.1, 60)
    values[3] = np.nan
    areas = measured_areas(result.vectors, texts, values, 1, k=3)
    topics = [set(area.words) <= set(topic.split()) for area in areas for topic in TOPICS]
    assert sum(topics) == 3 and sum(area.n for area in areas) == 59
    [worse] = [area for area in areas if area.worse]
    assert "moon" in worse.words and worse.queries[20:40].all() and worse.queries.sum() == 20
    assert worse.mean == pytest.approx(values[20:40].mean()) and worse.low < worse.mean < worse.high < 0.3
    lower = measured_areas(result.vectors, texts, values, -1, k=3)  # where lower is better, the others are worse
    assert [area.worse for area in lower] == [not area.worse for area in areas]


def test_values_without_a_pattern_are_seldom_called_worse_in_any_cluster():
    texts = planted()
    vectors = word_vectors(texts)
    alarms = 0
    for seed in range(100):
        values = np.random.default_rng(seed).random(60)
        alarms += any(area.worse for area in measured_areas(vectors, texts, values, 1, k=3))
    assert alarms <= 11  # 5 expected at most; 12 or more has a probability below 0.005


def test_tsne_keeps_neighbors_and_gives_the_same_map_again(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(layout, "ITERATIONS", 300)
    vectors, steps = word_vectors(planted(10)), []
    vectors[4] = np.nan
    first = tsne(vectors, 1, lambda *step: steps.append(step))
    assert np.array_equal(first, tsne(vectors, 1), equal_nan=True) and np.isnan(first[4]).all()
    assert steps[-1] == (300, 300) and len(steps) > 2
    rest = np.delete(np.arange(30), 4)
    distance = np.linalg.norm(first[rest][:, None] - first[rest][None], axis=2) + np.diag(np.full(29, np.inf))
    assert (rest[distance.argmin(axis=1)] // 10 == rest // 10).mean() > 0.9
    with pytest.raises(InputError, match="5 or more for t-SNE"):
        tsne(vectors[:4])


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(layout, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="scikit-learn is not installed"):
        require_tsne()
    for options, words in (({"layout": "umap"}, "layout = umap"), ({"vectors": "embeddings"}, "no embeddings")):
        with pytest.raises(InputError, match=words):
            query_map(truth_of(planted(2)), store=ScoreCache(tmp_path / "none.sqlite"), **options)
    with pytest.raises(InputError, match="no texts of the questions"):
        query_map(Truth.build("qrels", ["q"], ["d"], [1]))


def test_of_too_many_queries_the_same_random_ones_are_shown(monkeypatch):
    monkeypatch.setattr("ragdash.analysis.failure_patterns.query_map.build.MOST_QUERIES", 25)
    maps = [query_map(truth_of(planted()), vectors="words", seed=seed) for seed in (0, 0, 1)]
    assert [(int(row.shown.sum()), row.left_out) for row in maps] == [(25, 35)] * 3
    assert "sample of 25 queries is on the map; 35 others are left out." in map_caption(
        "pca", "words", 0.5, 10, 25, 35, maps[0].left_out)
    assert (maps[0].shown == maps[1].shown).all() and (maps[0].shown != maps[2].shown).any()


class Lengths:
    """A model that knows the length of a text and whether it has an o."""

    weights, max_length = "lengths-1", 0

    def encode(self, texts):
        return np.array([[len(text), 5.0 * ("o" in text), 1.0] for text in texts], np.float32)

    def cut(self, texts):
        return np.zeros(len(texts), bool)


def test_the_process_makes_the_map_of_the_function_by_words_by_a_model_and_by_what_it_embedded_before(
        monkeypatch, tmp_path, capfdbinary):
    texts = [*planted(4), None, "  "]
    (tmp_path / "in.jsonl").write_bytes(b"".join(orjson.dumps({"text": text}) + b"\n" for text in texts))
    store = ScoreCache(tmp_path / "vectors.sqlite")
    monkeypatch.setattr(process, "default_score_cache", lambda: store)
    monkeypatch.setattr(process, "plan_texts", lambda texts, model, store: plan_texts(texts, Lengths(), store))
    made = {}
    for name, model, stored in (("words", None, None), ("model", "any", None), ("stored", None, "Lengths")):
        out = tmp_path / f"{name}.npz"
        arguments = process.arguments_of(str(tmp_path / "in.jsonl"), str(out), "pca", model, stored)
        assert process.main([*arguments, "--progress", "json"]) == 0
        sys.__stdout__.flush()
        lines = [orjson.loads(row) for row in capfdbinary.readouterr().out.splitlines()]
        assert "progress" in lines[0] and lines[-1] == {"report": {"queries": 12}}
        made[name] = process.read_map(out)
    expected = query_map(truth_of(texts), vectors="words")
    assert np.array_equal(made["words"].places, expected.places, equal_nan=True)
    embedded = query_map(truth_of(texts), store=store)
    assert embedded.source == made["model"].source == "Lengths"
    assert np.array_equal(embedded.places, made["model"].places, equal_nan=True)
    assert np.array_equal(embedded.places, made["stored"].places, equal_nan=True)
    (tmp_path / "few.jsonl").write_bytes(b'{"text": "engine oil"}\n{"text": "engine"}\n')
    assert process.main([str(tmp_path / "few.jsonl"), str(tmp_path / "few.npz"), "--layout", "tsne"]) == 2
    sys.__stdout__.flush()
    assert b'"problems"' in capfdbinary.readouterr().out and not (tmp_path / "few.npz").exists()


def test_the_command_writes_a_row_per_query(tmp_path, capsys):
    out, runs = tmp_path / "map.csv", [str(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse")]
    assert main(["diagnose", *runs, "--truth", str(SAMPLES / "truth.jsonl"), "--query-map", str(out)]) == 0
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == 122 and set(rows[0]) == {"query_id", "x", "y", "cluster", "words", "dense stage",
                                                 "dense nDCG@10", "sparse stage", "sparse nDCG@10"}
    on_map = [row for row in rows if row["x"]]
    assert 100 < len(on_map) < 122 and all(row["cluster"] for row in on_map)
    assert "dense is not significantly worse in any of the" in capsys.readouterr().err
    assert main(["diagnose", *runs, "--truth", str(SAMPLES / "truth.jsonl"), "--query-map", "map.doc"]) == 2
