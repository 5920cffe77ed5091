"""Tables with a row for each document: what they tell of the queries is kept, and never silently where rows differ."""

from __future__ import annotations

import json

import pytest
from helpers import frame_bytes, json_lines

from ragdash.io import detect, read_run, read_runs, read_truth

ROWS = [{"query_id": "q1", "doc_id": "d1", "score": 0.5, "query": "who?", "answer": "she", "topic": "a", "n": 1,
         "latency_ms": 12.5, "title": "T"},
        {"query_id": "q1", "doc_id": "d2", "score": 0.4, "query": "who?", "answer": None, "topic": "a", "n": 1,
         "latency_ms": None, "title": "U"},
        {"query_id": "q2", "doc_id": "d1", "score": 0.5, "query": "when?", "answer": "then", "topic": "b", "n": 2,
         "latency_ms": 3, "title": "T"}]
DETAILS = [{"query": "who?", "answer": "she", "attributes": '{"n":1,"topic":"a"}'},
           {"query": "when?", "answer": "then", "attributes": '{"n":2,"topic":"b"}'}]


FORMS = {
    "csv": frame_bytes(ROWS, "to_csv", index=False), "tsv": frame_bytes(ROWS, "to_csv", index=False, sep="\t"),
    "csv, row by row": frame_bytes(ROWS, "to_csv", index=False).replace(b"q2,", b"q2 ,"),
    "jsonl": json_lines(ROWS), "json": json.dumps(ROWS).encode(),
    "parquet": frame_bytes(ROWS, "to_parquet"), "xlsx": frame_bytes(ROWS, "to_excel", index=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_query_details_in_rows(form):
    run = read_run(("x", FORMS[form]))
    details = run.details.to_pylist()
    assert [{name: row[name] for name in DETAILS[0]} for row in details] == DETAILS
    assert [row["latency_ms"]["total"] for row in details] == [12.5, 3]
    kinds = {problem.kind: problem for problem in run.problems}
    assert kinds.keys() - {"padded-id"} == {"unknown-columns", "unread-column"}
    assert "'title'" in kinds["unread-column"].actual and "'T' and 'U'" in kinds["unread-column"].actual
    assert "topic" in kinds["unknown-columns"].actual and "title" not in kinds["unknown-columns"].actual
    assert run.ranking("q1")["doc_id"].to_pylist() == ["d1", "d2"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_conflicting_query_details_in_rows(form):
    rows = [ROWS[0], {**ROWS[1], "answer": "he", "query": "who else?"}, ROWS[2]]
    content = json_lines(rows) if form == "jsonl" else frame_bytes(rows, f"to_{form}", index=False)
    run = read_run(("x", content))
    found = {(problem.field, problem.severity): problem.actual for problem in run.problems
             if problem.kind == "conflicting-values"}
    assert found.keys() == {("answer", "warning"), ("query", "warning")}
    assert "'q1'" in found["answer", "warning"] and "'she' and 'he'" in found["answer", "warning"]
    assert run.details["answer"].to_pylist() == ["she", "then"]


def test_each_configuration_has_its_own_details():
    rows = [{**ROWS[i], "config": config, "answer": f"{config} {i}", "title": "T"} for config in ("dense", "sparse")
            for i in (0, 2)]
    dense, sparse = read_runs(("x", frame_bytes(rows, "to_csv", index=False)))
    assert dense.details["answer"].to_pylist() == ["dense 0", "dense 2"]
    assert sparse.details["answer"].to_pylist() == ["sparse 0", "sparse 2"]
    again = read_runs(("x", frame_bytes(rows, "to_parquet")))
    assert [run.digest for run in again] == [dense.digest, sparse.digest]


def test_the_question_is_the_id_without_an_id_column():
    run = read_run(("x", b"question,doc_id,score\n Who  is it?,d1,0.5\nWho is it?,d2,0.25\nWhen?,d1,1\n"))
    assert run.query_ids.to_pylist() == ["Who is it?", "When?"]
    assert run.lengths.tolist() == [2, 1]
    assert run.details["query"].to_pylist()[1] == "When?"
    truth = read_truth(("x", b"question,doc_id,grade,type\nWho is it?,d1,1,fact\nWhen?,d1,0,date\n"))
    assert truth.query_ids.to_pylist() == ["Who is it?", "When?"]
    assert truth.details["attributes"].to_pylist() == ['{"type":"fact"}', '{"type":"date"}']
    assert detect(("x", b"question,doc_id,score\nWho?,d1,0.5\n")).role == "run"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_judgments_keep_questions_and_answers(form):
    rows = [{"query_id": "q1", "doc_id": "d1", "grade": 1, "query": "who?", "reference": "she"},
            {"query_id": "q1", "doc_id": "d2", "grade": 0, "query": "who?", "reference": "she"}]
    content = json_lines(rows) if form == "jsonl" else frame_bytes(rows, f"to_{form}", index=False)
    truth = read_truth(("x", content))
    assert truth.details.to_pylist() == [{"query": "who?", "answers": ["she"]}]
    assert truth.grades.tolist() == [1, 0] and not truth.problems
