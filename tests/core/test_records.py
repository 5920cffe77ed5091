"""Run and Truth: what is put in comes out again, in order, as text, and cannot be changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from helpers import over, random_case, run_of, truth_of

from ragdash.core.errors import Problem
from ragdash.core.ranking.rank_order import ranking_order
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("error")

TRICKY = ["007", "7", "1e5", "100000", "2506.00500", "2506.005", "NA", "nan", "None", "null", "true", "-", "94e17563",
          "\u00e9", "e\u0301", "語", "🦉", "a b", " a", "a\t", "A", "a", "x" * 1000, "\u200b", "\u2126", "\u03a9"]


def table(run: Run, query: str, limit: int | None = None) -> dict:
    return run.ranking(query, limit).to_pydict()


def test_a_ranking_is_rank_document_score_and_text_best_first():
    run = Run.build("run", ["q", "p", "q", "q"], ["a", "x", "b", "c"], np.array([1.0, 9.0, 3.0, 1.0]),
                    texts=pa.array(["A", "X", None, "C"]), sources=pa.array(["s", "t", "u", None]))
    found = table(run, "q")
    assert {name: found[name] for name in ("rank", "doc_id", "score", "text")} == {
        "rank": [1, 2, 3], "doc_id": ["b", "c", "a"], "score": [3.0, 1.0, 1.0], "text": [None, "C", "A"]}
    assert table(run, "p")["doc_id"] == ["x"] and table(run, "p")["text"] == ["X"]
    assert (len(run), run.depth, run.ranked_by, run.duplicates) == (2, 3, "score", 0)
    assert run.query_ids.to_pylist() == ["q", "p"] and run.lengths.tolist() == [3, 1]


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 99, None])
def test_a_ranking_can_be_limited(limit):
    run = Run.build("run", ["q"] * 4, ["b", "b", "a", "c"], np.array([2.0, 2.0, 2.0, 2.0]))
    assert table(run, "q", limit)["doc_id"] == ["c", "b", "a"][:limit]
    assert table(run, "q", limit)["rank"] == [1, 2, 3][:limit]


def test_a_query_that_is_not_there_is_a_key_error():
    with pytest.raises(KeyError, match="nobody"):
        run_of({"q": ["a"]}).ranking("nobody")


@pytest.mark.parametrize("scores", ["any", "close"])
@over(seed=range(40))
def test_rankings_come_out_as_they_were_put_in(seed, scores):
    case = random_case(seed, scores)
    run = case.run()
    assert sorted(run.query_ids.to_pylist()) == sorted(case.rankings)
    assert run.depth == max(map(len, case.rankings.values()))
    assert run.duplicates == len(case.columns["docs"]) - sum(map(len, case.rankings.values()))
    for query, scores in case.rankings.items():
        found = table(run, query)
        expected = sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)
        assert found["doc_id"] == expected and found["score"] == [scores[doc] for doc in expected]
        assert found["rank"] == list(range(1, len(expected) + 1))


@over(seed=range(20))
def test_texts_and_sources_stay_with_their_documents(seed):
    case = random_case(seed)
    docs = case.columns["docs"]
    docs = docs if isinstance(docs, list) else docs.to_pylist()
    run = Run.build("run", **case.columns, texts=pa.array([f"text of {doc}" for doc in docs]))
    for query in case.rankings:
        found = table(run, query)
        assert found["text"] == [f"text of {doc}" for doc in found["doc_id"]]


def test_ids_are_text_as_written():
    scores = {doc: float(i) for i, doc in enumerate(TRICKY)}
    run, truth = run_of({query: scores for query in TRICKY}), truth_of({query: [query] for query in TRICKY})
    assert run.query_ids.to_pylist() == TRICKY == truth.query_ids.to_pylist()
    for query in TRICKY:
        assert table(run, query)["doc_id"] == TRICKY[::-1]
    found = evaluate(run, truth, "RR n_ret").values
    assert (1 / found[:, 0]).tolist() == pytest.approx(range(len(TRICKY), 0, -1))
    assert set(found[:, 1]) == {len(TRICKY)}


@pytest.mark.parametrize("run_id, truth_id", [("7", "007"), ("1e5", "100000"), ("2506.00500", "2506.005"), ("a", "A"),
                                              ("a", "a "), ("\u00e9", "e\u0301"), ("q" * 8, "q" * 9),
                                              ("q" * 40 + "1", "q" * 40 + "2")])
def test_ids_that_only_look_alike_do_not_match(run_id, truth_id):
    assert evaluate(run_of({"q": [run_id]}), truth_of({"q": [truth_id]}), "RR").values[0, 0] == 0
    found = evaluate(run_of({"x": ["d"], run_id: ["d"]}), truth_of({"x": ["d"], truth_id: ["d"]}), "RR", missing="skip")
    assert np.isnan(found.values[1, 0]) and found.counts["extra"] == found.counts["missing"] == 1


DETAILS = pa.table({
    "query_id": ["q3", "only here", "q1"], "query": ["Three?", "Else?", None], "answer": [None, "", "One."],
    "contexts": pa.array([["a", "b"], None, []], pa.list_(pa.string())), "cost_usd": [0.1, None, 0.3],
})


def test_details_stand_beside_their_queries():
    run = Run.build("run", ["q1", "q2", "q3"], ["a", "b", "c"], details=DETAILS)
    known = {row["query_id"]: {name: value for name, value in row.items() if name != "query_id"}
             for row in DETAILS.to_pylist()}
    assert sorted(run.query_ids.to_pylist()) == ["only here", "q1", "q2", "q3"]
    assert run.details.num_rows == len(run) == 4
    for query, row in zip(run.query_ids.to_pylist(), run.details.to_pylist(), strict=True):
        row.pop("query_id", None)
        assert row == known.get(query, dict.fromkeys(row)), query


def test_queries_that_only_details_know_have_an_empty_ranking():
    run = Run.build("run", ["q1"], ["a"], details=DETAILS)
    assert table(run, "only here")["doc_id"] == [] and run.lengths.sum() == 1
    found = evaluate(run, truth_of({"only here": ["a"], "q1": ["a"], "gone": ["a"]}), "RR", missing="skip")
    assert found.values[:, 0].tolist() == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert found.counts["missing"] == 1


def test_a_run_of_answers_alone_has_no_rankings():
    run = Run.build("run", [], [], details=DETAILS)
    assert len(run) == 3 and run.depth == 0
    assert all(table(run, query)["rank"] == [] for query in run.query_ids.to_pylist())


def test_details_of_a_truth_stand_beside_their_queries():
    details = pa.table({"query_id": ["b", "only here", "a"], "query": ["B?", "Else?", "A?"],
                        "answers": [["x"], [], None]})
    truth = truth_of({"a": ["d"], "b": {"d": 0}, "c": ["d"]}, details=details)
    rows = dict(zip(truth.query_ids.to_pylist(), truth.details.to_pylist(), strict=True))
    assert {query: row["query"] for query, row in rows.items()} == {"a": "A?", "b": "B?", "only here": "Else?",
                                                                    "c": None}
    assert rows["b"]["answers"] == ["x"] and rows["only here"]["answers"] == [] and rows["a"]["answers"] is None
    assert (len(truth), truth.judgments, truth.queries_without_relevant) == (4, 3, 2)


def test_an_empty_run_and_an_empty_truth_can_be_built():
    assert (len(Run.build("run", [], [])), len(Truth.build("truth", [], [], np.array([], int)))) == (0, 0)


def test_records_are_frozen():
    for record in (run_of({"q": {"a": 1.0}}), truth_of({"q": ["a"]})):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.name = "new"
    run = run_of({"q": {"a": 1.0, "b": 2.0}})
    with pytest.raises(ValueError, match="read-only"):
        run.scores[0] = 5.0


def test_a_run_does_not_change_with_what_it_was_built_from():
    scores, grades = np.array([2.0, 1.0]), np.array([1, 0])
    run, truth = Run.build("run", ["q", "q"], ["a", "b"], scores), Truth.build("truth", ["q", "q"], ["a", "b"], grades)
    scores[:], grades[:] = [1.0, 2.0], [0, 1]
    assert table(run, "q")["doc_id"] == ["a", "b"]
    assert evaluate(run, truth, "RR").values[0, 0] == 1.0


def test_a_renamed_run_is_the_same_run():
    note = Problem("empty-file", severity="warning")
    run = Run.build("run", ["q"], ["a"], np.array([1.0]), settings={"top_k": 5}, problems=[note])
    new = run.renamed("new")
    assert (new.name, run.name) == ("new", "run") and new.digest == run.digest
    assert dict(new.settings) == {"top_k": 5} and note in new.problems and table(new, "q") == table(run, "q")


@pytest.mark.parametrize("facts", [
    {"query_ids": ["q"], "docs": ["a", "b"]},
    {"query_ids": ["q", "q"], "docs": ["a"]},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "scores": np.array([1.0])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "scores": np.array([1.0, 2.0, 3.0])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "ranks": np.array([1])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "texts": pa.array(["A"])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "scores": np.array([1.0, np.nan])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "scores": np.array([1.0, -np.inf])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "ranks": np.array([1.0, np.nan])},
    {"query_ids": ["q", None], "docs": ["a", "b"]},
    {"query_ids": ["q", "q"], "docs": ["a", None]},
    {"query_ids": ["q"], "docs": ["a"], "details": pa.table({"query_id": ["q", "q"], "answer": ["x", "y"]})},
], ids=["queries short", "documents short", "scores short", "scores long", "ranks short", "texts short", "NaN score",
        "infinite score", "NaN rank", "no query id", "no document id", "query twice in the details"])
def test_columns_that_make_no_run_are_refused(facts):
    """Nothing is dropped, cut or filled without a word."""
    with pytest.raises(ValueError):
        Run.build("run", **facts)


@pytest.mark.parametrize("facts", [
    {"query_ids": ["q"], "docs": ["a", "b"], "grades": np.array([1, 1])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "grades": np.array([1])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "grades": np.array([1, 0.5])},
    {"query_ids": ["q", "q"], "docs": ["a", "b"], "grades": np.array([1, np.nan])},
    {"query_ids": ["q", None], "docs": ["a", "b"], "grades": np.array([1, 1])},
    {"query_ids": ["q", "q"], "docs": ["a", None], "grades": np.array([1, 1])},
], ids=["queries short", "grades short", "half a grade", "NaN grade", "no query id", "no document id"])
def test_columns_that_make_no_truth_are_refused(facts):
    with pytest.raises(ValueError):
        Truth.build("truth", **facts)


def test_the_problem_of_repeated_documents_names_the_first_and_counts_the_others():
    run = Run.build("run", ["p", *["q"] * 5], ["a", "a", "b", "a", "b", "a"], np.arange(6.0)[::-1])
    (problem,) = run.problems
    assert problem.kind == "duplicate-document"
    assert (problem.facts["query"], problem.facts["document"], problem.facts["others"]) == ("q", "a", 2)


@pytest.mark.parametrize(("queries", "keys", "rows"), [
    ([0, 0, 0, 1, 1], [3.0, 2.0, 2.0, 5.0, 1.0], None),
    ([0, 0, 0, 1, 1], [3.0, 2.0, 2.5, 5.0, 1.0], [0, 2, 1, 3, 4]),
    ([0, 1, 0], [1.0, 1.0, 1.0], [0, 2, 1]),
    ([], [], None),
])
def test_rows_are_sorted_by_query_and_score_unless_they_stand_so_already(queries, keys, rows):
    order = ranking_order(np.array(queries, int), np.array(keys, float))
    assert (None if order is None else order.tolist()) == rows


@pytest.mark.parametrize(("scores", "pairs"), [
    ([2**53, 2**53 + 1], 1), ([-2**53, -2**53 - 1, -2**53 - 1], 2), ([1e300, 1e300], 1),
    ([2**53, 2**53 + 2], 0), ([2**53 - 1, 2**53 - 1], 0), ([1.0, 1.0], 0)])
def test_scores_that_may_have_become_equal_are_named(scores, pairs):
    run = Run.build("a", ["q"] * len(scores), [f"d{i}" for i in range(len(scores))], scores)
    expected = [("large-scores", "warning", pairs)] if pairs else []
    assert [(p.kind, p.severity, p.facts["count"]) for p in run.problems] == expected
    apart = Run.build("a", [f"q{i}" for i in range(len(scores))], ["d"] * len(scores), scores)
    ranked = Run.build("a", ["q"] * len(scores), [f"d{i}" for i in range(len(scores))], scores, range(len(scores)))
    assert not apart.problems and (not ranked.problems or ranked.ranked_by == "score")


@pytest.mark.parametrize(("details", "columns"), [
    ({"cost_usd": [0.5, -1.0]}, ["cost_usd"]), ({"latency_ms": [1e308, 5.0]}, ["latency_ms (total)"]),
    ({"latency_ms": [{"retrieval": -5.0, "total": None}] * 2, "prompt_tokens": [-4, 2]},
     ["latency_ms (retrieval)", "prompt_tokens"]),
    ({"prompt_tokens": [10**16, -2**62]}, ["prompt_tokens"]),
    ({"cost_usd": [0.0, None], "latency_ms": [0.0, 1e15]}, []), ({"latency_ms": ["5", "-5"]}, [])])
def test_times_and_costs_that_none_can_be_are_named(details, columns):
    table = pa.table({"query_id": ["q1", "q2"], **details})
    run = Run.build("a", ["q1", "q2"], ["d", "d"], [1.0, 2.0], details=table)
    assert [(p.kind, p.severity, p.facts["column"]) for p in run.problems] == [
        ("impossible-amount", "warning", column) for column in columns]
