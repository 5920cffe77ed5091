"""What failing queries share: traits of queries, differences from the rest against scipy, clusters by their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pytest
from helpers import over
from scipy import stats

from ragdash.analysis.failure_patterns import (
    LEAST,
    clusters,
    compare_traits,
    outcome_attributes,
    properties,
    question_vectors,
    traits,
)
from ragdash.analysis.failure_patterns.clusters import _initial_centers
from ragdash.core.corpus import Corpus
from ragdash.core.records import Truth
from ragdash.core.slices import Slice
from ragdash.evaluation.stats import holm
from ragdash.models.local import ENCODER, ScoreCache
from ragdash.models.local.score_cache import text_key


def truth_of_questions(questions: Iterable[str | None], evidence=None, attributes=None, gold=None) -> Truth:
    """Queries q0, q1, ... with these texts, spans, attributes and relevant documents."""
    questions = list(questions)
    names = [f"q{at}" for at in range(len(questions))]
    columns = {"query_id": names, "query": pa.array(questions, pa.string())}
    if evidence is not None:
        kind = pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))
        columns["evidence"] = pa.array([[{"text": text, "source": None}] if text else None for text in evidence], kind)
    if attributes is not None:
        columns["attributes"] = pa.array(list(map(json.dumps, attributes)), pa.string())
    rows = [(name, doc) for name, docs in zip(names, gold or [["d"]] * len(names), strict=True) for doc in docs]
    return Truth.build("t", [name for name, _ in rows], [doc for _, doc in rows], np.ones(len(rows), int),
                       details=pa.table(columns))


def test_the_question_word():
    asked = ["Who fell?", "In which year?", "How many fell?", "How did it fall?", "Name it.", None, "Wann fiel es?",
             "Did it come from there?"]
    assert properties(truth_of_questions(asked))["question word"] == [
        "who", "which", "how many", "how", "none", None, "wann", "none"]


def test_length_numbers_and_gold():
    found = properties(truth_of_questions(["one two", "one two 3", None], gold=[["a"], ["a", "b"], []]))
    assert found["words of the question"] == [2, 3, None]
    assert found["number in the question"] == [False, True, None]
    assert found["relevant documents"] == [1, 2, 0] and "evidence spans" not in found
    assert properties(truth_of_questions(["a"], evidence=["some span"]))["evidence spans"] == [1]
    assert properties(truth_of_questions(["a"]), rel=2)["relevant documents"] == [0]


def test_slices_of_the_same_queries_stand_once_and_those_of_all_or_none_not_at_all():
    attributes = [{"x": 1, "same": 0}, {"x": 1, "same": 0}, {"x": 2, "same": 0}, {"x": 2, "same": 0}]
    truth = truth_of_questions(["a b"] * 4, attributes=attributes, gold=[["a"], ["b"], ["a", "b"], ["a", "b"]])
    assert [one.title for one in traits(truth)] == ["x: 1", "x: 2"], "relevant documents: 1 are the queries of x: 1"


def test_edge_cases_and_properties_are_traits():
    attributes = [{"answerable": at % 3 > 0} for at in range(9)]
    found = {one.title: np.flatnonzero(one.queries).tolist()
             for one in traits(truth_of_questions(["Who?", "When?", "Why?"] * 3, attributes=attributes))}
    assert found["answerable: no"] == [0, 3, 6] and "edge case: no_answer" not in found, "the same queries"
    assert found["question word: when"] == [1, 4, 7] and found["question word: why"] == [2, 5, 8]


def test_words_shared_with_the_gold_and_the_rarest_word():
    """Of crater and moon one stands in the evidence, and crater in no other query; sea stands in three."""
    truth = truth_of_questions(["the crater moon", "the sea", "sea", "sea moon"],
                               evidence=["the moon itself", "the sea of crises", "nothing", None])
    found = properties(truth)
    assert found["words in relevant text"] == [0.5, 1, 0, None]
    assert found["queries with its rarest word"] == [1, 3, 3, 2]
    truth = truth_of_questions(["the crater", "the sea", "the"], gold=[["a"], ["b"], ["a"]])
    assert properties(truth, {"a": "A crater.", "b": "a crater"})["words in relevant text"] == [1, 0, None]
    assert "words in relevant text" not in properties(truth)
    corpus = Corpus.build("c", ["b", "a", "z"], ["the sea", None, "crater"])
    assert properties(truth.with_corpus(corpus))["words in relevant text"] == [None, 1, None]
    assert properties(truth)["queries with its rarest word"] == [1, 1, None], "a question of stop words has none"


def random_values(seed: int, q: int = 200) -> tuple[np.ndarray, list[Slice]]:
    rng = np.random.default_rng(seed)
    values = rng.random(q)
    values[rng.random(q) < 0.1] = np.nan
    return values, [Slice("trait", str(at), rng.random(q) < share) for at, share in enumerate((0.5, 0.2, 0.1, 0.05))]


@over(seed=range(5))
def test_differences_and_p_are_scipys(seed):
    values, some = random_values(seed)
    rows = compare_traits(values, 1, some)
    for row in rows:
        inside, rest = (values[mask & ~np.isnan(values)] for mask in (row.slice.queries, ~row.slice.queries))
        assert (row.n, row.others) == (len(inside), len(rest))
        assert row.mean == pytest.approx(inside.mean()) and row.rest == pytest.approx(rest.mean())
        assert row.difference == pytest.approx(inside.mean() - rest.mean())
        assert row.p == pytest.approx(stats.ttest_ind(inside, rest, equal_var=False).pvalue)
    assert [row.p_corrected for row in rows] == pytest.approx(holm(np.array([row.p for row in rows])))


def test_the_interval_is_near_that_of_welch_and_widens_for_few():
    rng = np.random.default_rng(1)
    values, big = rng.normal(size=2_000), np.arange(2_000) < 1_000
    row, = compare_traits(values, 1, [Slice("half", "first", big)], resamples=10_000)
    reference = stats.ttest_ind(values[big], values[~big], equal_var=False).confidence_interval()
    assert (row.low, row.high) == pytest.approx((reference.low, reference.high), abs=0.01)
    few, = compare_traits(values, 1, [Slice("few", "first", np.arange(2_000) < 6)])
    assert few.high - few.low > 5 * (row.high - row.low)


def test_the_surely_worse_come_first_in_the_direction_of_the_metric():
    rng = np.random.default_rng(0)
    values = rng.normal(0.7, 0.1, 300)
    bad, worst_but_few = np.arange(300) < 60, np.arange(300) >= 295
    values[bad] -= 0.2
    values[worst_but_few] = [0.0, 0.9, 0.0, 0.9, 0.1]
    good = (np.arange(300) >= 60) & (np.arange(300) < 120)
    values[good] += 0.2
    some = [Slice("t", "good", good), Slice("t", "few", worst_but_few), Slice("t", "bad", bad)]
    assert [(row.slice.value, row.worse) for row in compare_traits(values, 1, some)] == [
        ("bad", True), ("few", False), ("good", False)]
    first = compare_traits(values, -1, some)[0]
    assert (first.slice.value, first.worse) == ("good", True)


def test_what_does_not_hold_after_correction_is_not_called_worse():
    rng = np.random.default_rng(4)
    values, bad = rng.normal(size=100), np.arange(100) < 50
    values[bad] -= 0.45
    alone, = compare_traits(values, 1, [Slice("t", "bad", bad)])
    assert alone.p_corrected == alone.p < 0.05 and alone.worse
    among = compare_traits(values, 1, [Slice("t", "bad", bad), *(Slice("t", str(at), rng.random(100) < 0.5)
                                                         for at in range(20))])
    row = next(one for one in among if one.slice.value == "bad")
    assert row.p == alone.p and row.p_corrected > 0.05 and not row.worse


def test_a_trait_of_few_queries_is_not_looked_at_nor_counted_in_the_correction():
    values, some = random_values(3)
    small = Slice("small", "few", np.arange(200) < LEAST - 1)
    large = Slice("large", "most", np.arange(200) >= LEAST - 1)
    assert compare_traits(values, 1, [*some, small, large]) == compare_traits(values, 1, some)
    assert compare_traits(values, 1, [small]) == [] and compare_traits(np.full(200, np.nan), 1, some) == []


def test_where_neither_side_varies():
    """All 5 of the trait fail and none of the 5 others: z = sqrt(9) = 3. Where all are the same: p = 1."""
    some = [Slice("t", "x", np.arange(10) < 5)]
    row, = compare_traits(np.repeat([0.0, 1.0], 5), 1, some)
    assert row.p == pytest.approx(2 * stats.norm.sf(3)) and row.worse
    row, = compare_traits(np.ones(10), 1, some)
    assert (row.p, row.worse, row.low, row.high) == (1.0, False, 0.0, 0.0)


def test_clusters_find_the_groups_that_are_there():
    rng = np.random.default_rng(0)
    directions = np.eye(8)[[0, 1, 2]]
    group = rng.integers(0, 3, 90)
    vectors = directions[group] + rng.normal(0, 0.1, (90, 8))
    texts = [f"{('lunar crater', 'solar wind', 'radio mast')[at]} question" for at in group]
    failing = np.arange(90) < 60
    found = clusters(vectors, texts, failing, k=3)
    assert sorted(map(tuple, (sorted(one.queries.tolist()) for one in found))) == sorted(
        tuple(np.flatnonzero(failing & (group == at)).tolist()) for at in range(3))
    assert [len(one.queries) for one in found] == sorted((len(one.queries) for one in found), reverse=True)
    for one in found:
        kind = group[one.queries[0]]
        assert set(one.words[:2]) == set(("lunar crater", "solar wind", "radio mast")[kind].split())
        assert (np.diff(one.likeness) <= 0).all() and one.likeness.max() <= 1 + 1e-6
    again = clusters(vectors, texts, failing, k=3)
    assert all((a.queries == b.queries).all() and a.words == b.words for a, b in zip(found, again, strict=True))


def test_clusters_leave_out_what_has_no_vector_and_survive_equal_ones():
    vectors = np.array([[1.0, 0], [np.nan, np.nan], [1, 0], [0, 0], [0, 1]])
    found = clusters(vectors, ["a", "b", None, "d", "e"], np.array([True, True, True, True, False]), k=3)
    assert [one.queries.tolist() for one in found] == [[0, 2]]
    assert clusters(vectors, ["a"] * 5, np.zeros(5, bool)) == []
    with pytest.raises(ValueError, match="k = 0"):
        clusters(vectors, ["a"] * 5, np.ones(5, bool), k=0)


def test_clusters_of_many_are_found_on_a_part_of_them():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 5_000)
    vectors = np.eye(4)[group] + rng.normal(0, 0.1, (5_000, 4))
    found = clusters(vectors, [None] * 5_000, np.ones(5_000, bool), k=2)
    assert sum(len(one.queries) for one in found) == 5_000
    assert all(len(set(group[one.queries].tolist())) == 1 for one in found)


def test_vectors_come_from_the_cache(tmp_path):
    store, truth = ScoreCache(tmp_path / "semantic.sqlite"), truth_of_questions(["a", "b", None, "a"])
    assert question_vectors(truth, store) is None
    model = store.use(ENCODER, "letters", "w" * 16, 20)
    assert question_vectors(truth, store) is None, "no text of it yet"
    store.save("vectors", model, [text_key("a")], np.zeros(1, bool), np.array([[3.0, 4.0]], np.float32))
    found = question_vectors(truth, store)
    assert found.shape == (4, 2) and np.isnan(found[[1, 2]]).all()
    assert found[[0, 3]] == pytest.approx(np.array([[0.6, 0.8]] * 2), abs=1e-3)
    assert question_vectors(truth_of_questions([None]), store) is None


@over(seed=range(5))
def test_k_means_begins_with_no_vector_twice(seed):
    rows = np.repeat(np.eye(3, 4), [5, 1, 2], axis=0)
    centers = _initial_centers(rows, 6, np.random.default_rng(seed))
    assert sorted(centers.tolist()) == sorted(np.eye(3, 4).tolist())
    assert _initial_centers(rows[:5], 3, np.random.default_rng(seed)).tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize(("name", "values", "is_outcome"), [
    ("failure_type", ["HIT", "FP2_MISSED_TOP_RANK", "FP7_INCOMPLETE"], True),
    ("mrr", [0.5, 1.0, 0.0], True),
    ("faithfulness_score", [0.5, 0.25, 0.0], True),
    ("checked", ["correct", "incorrect", "correct"], True),
    ("retrieved_pages", ["3", "4", "5"], True),
    ("type", ["fact", "list", "fact"], False),
    ("difficulty", ["easy", "hard", "hard"], False),
    ("year", [2020, 2021, 2022], False),
    ("is_multi_hop", [True, False, True], False),
])
def test_a_label_of_the_outcome_is_no_trait(name, values, is_outcome):
    """A failure does not explain a failure."""
    texts = [json.dumps({name: value}) for value in values]
    details = pa.table({"query_id": [f"q{i}" for i in range(len(values))], "attributes": texts})
    truth = Truth.build("t", ["q0", "q1", "q2"], ["a"] * 3, [1] * 3, details=details)
    assert (name in outcome_attributes(truth)) == is_outcome
    assert (name in {trait.attribute for trait in traits(truth)}) != is_outcome
