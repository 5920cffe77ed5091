"""Runs and truths from dicts, data frames and lists of records: the same as from columns, and every problem at once."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import problems_of

from ragdash import InputError, Problem, Run, Truth, evaluate, read_run, read_truth
from ragdash.core.slices import slices

RANKINGS = {"q1": {"d2": 1.5, "d7": 3.0}, "q2": {"d1": 0.5}, "q3": {}}
JUDGMENTS = {"q1": {"d7": 2, "d2": 0}, "q2": {"d5": 1}, "q3": {}}
ROWS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["d2", "d7", "d1"], "score": [1.5, 3.0, 0.5]}


class WithStream:
    """A frame of another library: it offers its columns as an Arrow stream alone."""

    def __init__(self, table: pa.Table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


FRAMES = {"dict of columns": lambda rows: rows, "pandas": lambda rows: pd.DataFrame(rows, index=range(5, 8)),
          "arrow": pa.table, "stream": lambda rows: WithStream(pa.table(rows)),
          "category": lambda rows: pd.DataFrame(rows).astype({"query_id": "category"})}


def test_a_dict_of_scores_is_the_run_of_its_columns():
    run = Run.from_dict(RANKINGS, "bm25")
    built = Run.build("bm25", ["q1", "q1", "q2"], ["d2", "d7", "d1"], [1.5, 3.0, 0.5],
                      details=pa.table({"query_id": ["q1", "q2", "q3"]}))
    assert run.digest == built.digest and run.name == "bm25"
    assert run.query_ids.to_pylist() == ["q1", "q2", "q3"] and run.lengths.tolist() == [2, 1, 0]
    assert run.ranking("q1").column("doc_id").to_pylist() == ["d7", "d2"]


def test_a_dict_of_lists_is_ranked_in_their_order():
    run = Run.from_dict({1: ["b", "a"], 2: ("c",)})
    assert run.ranked_by == "order" and run.scores is None
    assert run.query_ids.to_pylist() == ["1", "2"]
    assert run.ranking("1").column("doc_id").to_pylist() == ["b", "a"]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_of_any_library_is_the_same_run(kind):
    rows = {name: list(values) for name, values in ROWS.items()}
    run = Run.from_frame(FRAMES[kind](rows), "bm25")
    assert run.digest == Run.build("bm25", *ROWS.values()).digest


@pytest.mark.parametrize("index", [pa.uint8(), pa.uint32(), pa.int64()])
@pytest.mark.parametrize("values", [pa.string_view(), pa.large_string(), pa.string()])
def test_categories_of_any_kind_are_ids(index, values):
    """Those of polars are views, which Arrow cannot cast from a dictionary."""
    def categories(texts: list) -> pa.ChunkedArray:
        names = list(dict.fromkeys(text for text in texts if text is not None))
        rows = pa.array([None if text is None else names.index(text) for text in texts], index)
        array = pa.DictionaryArray.from_arrays(rows, pa.array(names, values))
        return pa.chunked_array([array[:2], array[2:]])

    columns = {name: categories(list(ROWS[name])) if name in ("query_id", "doc_id") else list(ROWS[name])
               for name in ROWS}
    assert Run.from_frame(pa.table(columns), "bm25").digest == Run.build("bm25", *ROWS.values()).digest
    columns["doc_id"] = categories(["d1", None, "d2"])
    with pytest.raises(InputError) as raised:
        Run.from_frame(pa.table(columns))
    assert [problem.message for problem in raised.value.problems] == ["missing-id/rows"]


def test_a_polars_frame_is_the_same_run_and_truth():
    polars = pytest.importorskip("polars", reason="polars is not installed: frames of it are not read")
    run = Run.from_frame(polars.DataFrame(ROWS), "bm25")
    assert run.digest == Run.build("bm25", *ROWS.values()).digest == Run.of(polars.DataFrame(ROWS)).digest
    judged = polars.DataFrame({"query_id": [1, 1], "doc_id": ["a", "b"], "grade": [2, 0]})
    assert Truth.of(judged).digest == Truth.from_dict({1: {"a": 2, "b": 0}}).digest


def test_columns_of_other_names_and_of_whole_numbers():
    frame = pd.DataFrame({"qid": [1, 1], "pid": [10, 20], "sim": [0.5, 0.75], "passage": ["x", "y"]})
    run = Run.from_frame(frame, columns={"query_id": "qid", "doc_id": "pid", "score": "sim", "text": "passage"})
    table = run.ranking("1")
    assert table.column("doc_id").to_pylist() == ["20", "10"] and table.column("text").to_pylist() == ["y", "x"]


def test_numbers_under_another_name_are_not_left_out_without_a_word():
    judged = pd.DataFrame({"query_id": ["a", "a"], "doc_id": ["x", "y"], "relevance": [0, 1]})
    returned = pd.DataFrame({"query_id": ["a", "a"], "doc_id": ["x", "y"], "similarity": [0.1, 0.9]})
    for read, frame, field, name in ((Truth.from_frame, judged, "grade", "relevance"),
                                     (Run.from_frame, returned, "score", "similarity"),
                                     (Truth.from_frame, judged.astype({"relevance": bool}), "grade", "relevance")):
        with pytest.raises(InputError, match=f"no column '{field}', and numbers in {name}") as caught:
            read(frame)
        assert f"columns={{'{field}': '{name}'}}" in str(caught.value)
    assert Truth.from_frame(judged, columns={"grade": "relevance"}).grades.tolist() == [1, 0]
    run = Run.from_frame(returned, columns={"score": "similarity"})
    assert run.ranking("a").column("doc_id").to_pylist() == ["y", "x"] and run.problems == ()


def test_a_column_that_is_not_read_is_named():
    warned = Run.from_frame({**ROWS, "note": ["x", "y", "z"], "year": [1, 2, 3]}, problems=[Problem("no-worker")])
    assert [(problem.kind, problem.field) for problem in warned.problems] == [
        ("unread-column", "note"), ("unread-column", "year"), ("no-worker", None)]
    assert warned.digest == Run.from_frame(ROWS).digest


@pytest.mark.parametrize("records", [5, None, "text", {"query_id": "q1"}])
def test_what_is_no_list_of_records_is_refused(records):
    for read in (Run.from_records, Truth.from_records):
        with pytest.raises(InputError, match=r"as records|expected a list of a dict"):
            read(records)


def test_records_keep_texts_and_details():
    run = Run.from_records([
        {"query_id": "q1", "documents": [{"doc_id": "a", "score": 1.0, "text": "x"}, {"doc_id": "b", "score": 2.0}],
         "answer": "Paris", "latency_ms": 3.5},
        {"query_id": "q2", "documents": []}])
    assert run.ranking("q1").to_pylist()[0] == {"rank": 1, "doc_id": "a", "score": 1.0, "text": "x"}
    assert run.details.to_pylist() == [{"answer": "Paris", "latency_ms": 3.5}, {"answer": None, "latency_ms": None}]


def test_ranks_that_disagree_with_scores_are_reported_as_in_files():
    frame = {"query_id": ["q1", "q1", "q2", "q2"], "doc_id": list("abab"), "score": [1.0, 2.0, 2.0, 1.0],
             "rank": [1, 2, 1, 1]}
    run = Run.from_frame(frame)
    assert [(problem.message, problem.facts["query"], problem.severity) for problem in run.problems] == [
        ("equal-ranks", "q2", "warning"), ("rank-score-disagreement", "q1", "warning")]
    assert run.ranking("q1").column("doc_id").to_pylist() == ["a", "b"], "the rank counts"
    records = [{"query_id": "q1", "documents": [{"doc_id": "a", "score": 1.0, "rank": 1},
                                                {"doc_id": "b", "score": 2.0, "rank": 2}]}]
    assert [problem.message for problem in Run.from_records(records).problems] == ["rank-score-disagreement"]
    assert Run.from_frame({**frame, "score": [2.0, 1.0, 2.0, 1.0], "rank": [1, 2, 1, 2]}).problems == ()


def test_judgments_from_dicts_and_frames():
    truth = Truth.from_dict(JUDGMENTS, "qrels")
    assert (truth.query_ids.to_pylist(), truth.judgments) == (["q1", "q2", "q3"], 3)
    assert Truth.from_dict({"q1": ["a"], "q2": {"b"}}).grades.tolist() == [1, 1]
    frame = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "label": [2.0, 0.0]})
    assert Truth.from_frame(frame, columns={"grade": "label"}).grades.tolist() == [2, 0]
    assert Truth.from_frame(frame.drop(columns="label")).grades.tolist() == [1, 1]


def test_judgments_from_records():
    records = [{"query_id": "q1", "relevant": {"d7": 2, "d2": 0}, "query": "Who?"},
               {"query_id": "q2", "relevant": [{"doc_id": "d5", "grade": 1}]},
               {"query_id": "q3", "relevant": []}, {"query_id": 4, "relevant": ["d9", {"doc_id": 8}]}]
    truth = Truth.from_records(records, "qrels")
    assert truth.details.to_pylist() == [{"query": text} for text in ("Who?", None, None, None)]
    plain = [{name: record[name] for name in ("query_id", "relevant")} for record in records]
    assert Truth.of(plain).digest == Truth.from_dict({**JUDGMENTS, "4": ["d9", "8"]}).digest
    assert Truth.of([]).judgments == 0


def test_attributes_of_records_slice_the_queries():
    records = [{"query_id": name, "relevant": ["a"], "attributes": attributes}
               for name, attributes in (("q1", {"kind": "hard"}), ("q2", {"kind": "easy", "hops": 2}))]
    truth = Truth.of(records)
    lines = "\n".join(json.dumps(record) for record in records)
    assert truth.digest == read_truth(("truth.jsonl", lines.encode())).digest, "the same as from a file"
    assert {part.value: part.queries.tolist() for part in slices(truth)["kind"]} == {
        "hard": [True, False], "easy": [False, True]}


def test_of_takes_every_kind_and_keeps_what_is_built():
    run = Run.from_dict(RANKINGS)
    assert Run.of(run) is run and Run.of(RANKINGS).digest == run.digest
    assert Run.of(pd.DataFrame(ROWS)).digest == Run.build("run", *ROWS.values()).digest
    assert Run.of([{"query_id": "q", "documents": ["a"]}]).query_ids.to_pylist() == ["q"]
    truth = Truth.from_dict(JUDGMENTS)
    assert Truth.of(truth) is truth and Truth.of(JUDGMENTS).digest == truth.digest


def kinds(make) -> list[str]:
    return [problem.message for problem in problems_of(make)]


@pytest.mark.parametrize(("make", "expected"), [
    (lambda: Run.from_dict([1]), ["python-object/mapping"]),
    (lambda: Run.from_dict({"q": {"a": "x", "b": None, "c": True}, "r": 5, "s": "text"}),
     ["python-object/number"] * 3 + ["python-object/ranking"] * 2),
    (lambda: Run.from_dict({"q": {"a": 1.0}, "r": ["b"]}), ["python-object/scores"]),
    (lambda: Run.from_dict({1.0: ["a"]}), ["python-object/id"]),
    (lambda: Run.from_frame({"a": [1]}), ["python-object/column"] * 2),
    (lambda: Run.from_frame(ROWS, columns={"score": "sim"}), ["python-object/column"]),
    (lambda: Run.from_frame({"query_id": [1.0], "doc_id": ["a"]}), ["python-object/id-column"]),
    (lambda: Run.from_frame(3), ["python-object/frame"]),
    (lambda: Run.from_records([{"query_id": "q"}, {"query_id": "r", "documents": [{"doc_id": "a", "score": 1}, "b"]}]),
     ["python-object/record", "python-object/partly"]),
    (lambda: Run.from_records([{"query_id": name, "documents": [], "n": n} for name, n in (("q", 1), ("r", "x"))]),
     ["python-object/detail"]),
    (lambda: Truth.of([{"query_id": "q", "doc_id": "a", "grade": 1}, "text", {"query_id": "q", "relevant": "doc"},
                       {"query_id": "r", "relevant": {"a": 1.5}}, {"query_id": 1.0, "relevant": [{"grade": 1}]}]),
     ["python-object/record"] * 2 + ["python-object/judgments", "python-object/grade"] + ["python-object/id"] * 2),
    (lambda: Truth.of([{"query_id": "q", "relevant": ["a"], "attributes": {"x": {1}}}]), ["python-object/field"]),
    (lambda: Truth.of([{"query_id": "q", "relevant": ["a"]}] * 2), ["duplicate-query"]),
    (lambda: Truth.of([{"query_id": "q", "relevant": ["a", {"doc_id": "a", "grade": 2}]}]), ["conflicting-judgments"]),
    (lambda: Truth.from_dict({"q": {"a": 1.5}, "r": "doc"}), ["python-object/grade", "python-object/judgments"]),
    (lambda: Run.from_dict({"q": {"a": np.nan}}), ["nan-score/column"]),
])
def test_every_problem_is_reported(make, expected):
    assert sorted(kinds(make)) == sorted(expected)


@pytest.mark.parametrize("value", [Decimal("1.5"), b"\xff", timedelta(seconds=90)])
def test_fields_of_other_kinds_than_json_has_are_kept(value):
    runs = [Run.from_records([{"query_id": "q", "documents": ["d"], "extra": value}]) for _ in range(2)]
    assert runs[0].details.column("extra").to_pylist() == [value] and runs[0].digest == runs[1].digest


def test_a_frame_with_a_number_of_more_than_64_bits_is_refused():
    with pytest.raises(InputError, match="frame that cannot be read"):
        Run.from_frame({"query_id": ["q"], "doc_id": ["d"], "extra": [10**30]})


@pytest.mark.parametrize("frame", [{"query_id": ["a", ""], "doc_id": ["x", "y"]},
                                   {"query_id": ["a", "a"], "doc_id": ["x", ""]}])
def test_empty_ids_in_frames_are_errors(frame):
    for build in (Run.from_frame, Truth.from_frame):
        with pytest.raises(InputError) as caught:
            build(frame)
        assert [problem.message for problem in caught.value.problems] == ["missing-id/rows"]


@pytest.mark.parametrize("build", [
    lambda: Run.from_dict({"": ["d"]}), lambda: Run.from_dict({"q": {"": 1.0}}), lambda: Truth.from_dict({"q": [""]}),
    lambda: Run.from_records([{"query_id": "", "documents": ["d"]}])])
def test_empty_ids_in_dicts_and_records_are_errors(build):
    with pytest.raises(InputError) as caught:
        build()
    assert [problem.message for problem in caught.value.problems] == ["python-object/id"]


def test_fields_of_records_without_a_meaning_are_named():
    run = Run.from_records([{"query_id": "a", "documents": [{"doc_id": "d", "scor": 1}], "typo": 1, "answer": "x"}])
    assert [(p.message, p.field, p.severity) for p in run.problems] == [
        ("unread-field", "scor", "warning"), ("python-object/other-field", "typo", "warning")]
    assert run.details.column("typo").to_pylist() == [1]
    truth = Truth.from_records([{"query_id": "a", "relevant": ["d"], "grades": {"x": 2}, "query": "Who?"}])
    assert [(p.message, p.field) for p in truth.problems] == [("python-object/other-field", "grades")]


def test_the_order_of_a_list_of_documents_counts_as_in_files():
    documents = [{"doc_id": "d1", "score": 1.0}, {"doc_id": "d2", "score": 5.0}]
    run = Run.from_records([{"query_id": "q1", "documents": documents}])
    in_file = read_run(("x.jsonl", json.dumps({"query_id": "q1", "retrieved": documents}).encode()))
    assert run.ranking("q1")["doc_id"].to_pylist() == ["d1", "d2"] and run.digest == in_file.digest
    for one in (run, in_file):
        assert [p.message for p in one.problems] == ["rank-score-disagreement/list"]
    falling = Run.from_records([{"query_id": "q1", "documents": documents[::-1]}])
    assert falling.ranked_by == "score" and not falling.problems
    ranked = [{**doc, "rank": 2 - i} for i, doc in enumerate(documents)]
    by_rank = Run.from_records([{"query_id": "q1", "documents": ranked}])
    assert by_rank.ranking("q1")["doc_id"].to_pylist() == ["d2", "d1"]


def test_a_column_of_intervals_holds_no_ids():
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": pd.interval_range(0, 2)})
    for record in (Run, Truth):
        with pytest.raises(InputError, match="doc_id"):
            record.from_frame(frame)


@pytest.mark.parametrize("field", ["documents", "chat_history"])
def test_an_array_of_no_dimension_is_no_list_and_an_iterator_is_one(field):
    values = {"documents": ["d1"], "chat_history": [{"role": "user", "text": "Who?"}]}
    record = {"query_id": "q1", **values}
    assert Run.from_records([{**record, field: iter(values[field])}]).digest == Run.from_records([record]).digest
    with pytest.raises(InputError, match=field):
        Run.from_records([{**record, field: np.array(1.0)}])
    with pytest.raises(InputError, match="records"):
        Run.from_records(np.array(1.0))


def test_a_column_with_bytes_that_are_no_text_is_damaged():
    binary = pa.array([b"q1", b"q\xff", b"q2"])
    frame = pa.table({**ROWS, "query_id": pa.StringArray.from_buffers(3, *binary.buffers()[1:])})
    for record in (Run, Truth):
        with pytest.raises(InputError, match="column query_id is damaged"):
            record.from_frame(frame, columns={"grade": "score"} if record is Truth else {})


def test_an_attribute_without_fields_is_an_attribute_of_its_query():
    truth = Truth.from_records([{"query_id": "q1", "relevant": ["d1"], "notes": {}},
                                {"query_id": "q2", "relevant": ["d2"]}])
    other = Truth.from_records([{"query_id": "q1", "relevant": ["d1"]}, {"query_id": "q2", "relevant": ["d2"]}])
    assert evaluate({"q1": ["d1"], "q2": ["d2"]}, truth, "RR").summary()[0].mean == 1.0
    assert truth.digest != other.digest
