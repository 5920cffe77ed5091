"""A row or an object for each query: lists in cells, what tools write, both roles, questions as ids, names by hand."""

from __future__ import annotations

import csv
import datetime
import io
import json

import pytest
from helpers import frame_bytes, json_lines

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_runs, read_truth
from ragdash.io.tables.cells import parse_nested

ROWS = [{"query_id": "007", "query": "who?", "retrieved": ["d1", "2506.00500"], "answer": "me",
         "contexts": ["a|b", "c"], "answers": ["she"], "relevant": {"d1": 2}},
        {"query_id": "1e5", "query": "when?", "retrieved": [], "answer": "then", "contexts": [],
         "answers": ["now", "then"], "relevant": {"x": 1, "d1": 0}}]


def table(rows: list[dict], write=json.dumps) -> bytes:
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(rows[0])
    lines.writerows([value if isinstance(value, str) else write(value) for value in row.values()] for row in rows)
    return out.getvalue().encode()


FORMS = {
    "csv, json": table(ROWS), "csv, python": table(ROWS, repr), "tsv": table(ROWS).replace(b",", b"\t", 0),
    "jsonl": json_lines(ROWS), "json": json.dumps(ROWS, indent=1).encode(),
    "results": json.dumps({"results": ROWS}).encode(), "xlsx": frame_bytes(ROWS, "to_excel", index=False),
    "parquet": frame_bytes(ROWS, "to_parquet"),
    "other names": json.dumps([{"qid": row["query_id"], "user_input": row["query"], "retrieved_ids": row["retrieved"],
                                "response": row["answer"], "retrieved_contexts": row["contexts"],
                                "ground_truths": row["answers"], "gold_ids": row["relevant"]}
                               for row in ROWS]).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(form):
    run, truth = read_run(("x", FORMS[form])), read_truth(("x", FORMS[form]))
    assert run.digest == read_run(("x", FORMS["jsonl"])).digest
    assert truth.digest == read_truth(("x", FORMS["jsonl"])).digest
    assert run.ranking("007")["doc_id"].to_pylist() == ["d1", "2506.00500"]
    assert run.lengths.tolist() == [2, 0] and truth.grades.tolist() == [2, 1, 0]
    assert not run.problems and not truth.problems
    detected = detect(("x", FORMS[form]))
    assert detected.role == "both"
    assert detected.guess["retrieved"] in detected.columns


LISTS = {
    '["d1", "2506.00500"]': ["d1", "2506.00500"], "['d1', 'it''s']".replace("''", "\\'"): ["d1", "it's"],
    "[2506.00500, 1e5, -7]": ["2506.00500", "1e5", "-7"], "('a', 'b')": ["a", "b"], "a | b|c": ["a", "b", "c"],
    "d 1": ["d 1"], "array(['a', 'b'], dtype=object)": ["a", "b"], "[]": [], "": [], "NaN": [],
}


@pytest.mark.parametrize("cell", LISTS)
def test_lists_of_ids(cell):
    content = table([{"query_id": "q", "retrieved": cell, "answer": "a"}])
    assert read_run(("x", content)).docs.to_pylist() == LISTS[cell]


@pytest.mark.parametrize("cell", ["['a' 'b']", "['a'\n 'b']", "[1 2 3]", "['a', ...]", "['a', 'b'", "[a, b]", "[[1]]",
                                  "{'a': 1, 'a': 2}", "__import__('os')[0]", "[" * 5000 + "]" * 5000, "[0x10]",
                                  "['a'] + ['b']", "[f'{1}']"])
def test_texts_that_are_not_lists(cell):
    with pytest.raises(InputError) as caught:
        read_run(("x", table([{"query_id": "q", "retrieved": f"[{cell[1:-1]}" + cell[-1] if cell[0] == "_" else cell,
                               "answer": "a"}])))
    problem = [problem for problem in caught.value.problems if problem.severity == "error"][-1]
    assert problem.kind in ("bad-list", "wrong-type", "missing-id") and problem.line == 2
    assert problem.field.startswith("retrieved")


def test_a_cell_of_blanks_is_empty():
    content = table([
        {"question": "who?", "answer": "me", "contexts": " ", "reference": "she", "reference_contexts": "\t"},
        {"question": "when?", "answer": "then", "contexts": ["c"], "reference": "now", "reference_contexts": ["e"]}])
    assert read_run(("x.csv", content)).details["contexts"].to_pylist() == [None, ["c"]]
    assert read_truth(("x.csv", content)).details["evidence"].to_pylist()[0] is None


def test_brackets_in_texts_are_not_lists():
    content = table([{"question": "q", "answer": "[1] says", "contexts": "[1] says so", "reference": "a | b"}])
    assert read_run(("x", content)).details.to_pylist()[0]["contexts"] == ["[1] says so"]
    assert read_truth(("x", content)).details["answers"].to_pylist() == [["a | b"]]
    assert parse_nested("['a | b', \"it's\"]") == ["a | b", "it's"]


def test_parallel_lists():
    content = table([{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [0.5, 0.25],
                      "retrieved_texts": ["A", "B"]}])
    run = read_run(("x", content))
    assert run.scores.tolist() == [0.5, 0.25] and run.texts.to_pylist() == ["A", "B"]
    with pytest.raises(InputError, match="equal length"):
        read_run(("x", table([{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [0.5]}])))


def test_questions_are_ids_without_an_id_column():
    run = read_run(("x", "question,generated_answer\n  Cafe\u0301 \n au lait? ,a\n".replace(" \n ", "  ").encode()))
    assert run.query_ids.to_pylist() == ["Café au lait?"]
    with pytest.raises(InputError) as caught:
        read_run(("x", b"question,generated_answer\nWho?,a\nWhen?,b\n Who? ,c\n"))
    assert [(p.kind, p.line, p.field) for p in caught.value.problems] == [
        ("proposed-reading", None, None), ("duplicate-query", 4, "question")]
    assert "lines 2 and 4" in caught.value.problems[1].actual
    assert "the question is the id" in caught.value.problems[1].fix


def test_several_configurations_with_one_truth():
    rows = [{"question": q, "answer": f"{q}{c}", "reference": q, "config": c, "score": 1, "kind": "x"}
            for c in ("dense", "sparse") for q in ("a", "b")]
    assert [run.name for run in read_runs(("x", table(rows)))] == ["dense", "sparse"]
    assert len(read_truth(("x", table(rows)))) == 2
    with pytest.raises(InputError, match="another ground truth"):
        read_truth(("x", table([*rows[:3], {**rows[3], "reference": "other"}])))


def test_unknown_columns_are_attributes():
    run = read_run(("x", b"question,generated_answer,topic,n\nq,a,fact,3\nr,b,,007\n"))
    assert run.details["attributes"].to_pylist() == ['{"n":3,"topic":"fact"}', '{"n":"007"}']
    assert [(p.kind, p.severity) for p in run.problems] == [("unknown-columns", "warning")]
    assert "topic, n" in run.problems[0].actual
    assert not read_run(("x", b"question,generated_answer,topic\nq,a,fact\n"), mapping={"attribute": "topic"}).problems


def test_numbers_as_ids_give_their_shortest_text():
    rows = [{"query_id": 7.0, "retrieved": "d1", "answer": "a"},
            {"query_id": 2506.00500, "retrieved": "d2", "answer": 1.50}]
    for form in ("to_excel", "to_parquet"):
        run = read_run(("x", frame_bytes([{**row, "answer": str(row["answer"])} for row in rows], form)))
        assert run.query_ids.to_pylist() == ["7", "2506.005"]
        assert "number-as-text" in [problem.kind for problem in run.problems]


@pytest.mark.parametrize(("value", "text"), [
    (datetime.date(2020, 1, 1), "2020-01-01"), (datetime.datetime(2020, 1, 1, 12), "2020-01-01T12:00:00"),
    (True, "TRUE")])
@pytest.mark.parametrize("form", ["to_excel", "to_parquet"])
def test_dates_and_truth_values_as_ids_are_read_with_a_warning(value, text, form):
    run = read_run(("x", frame_bytes([{"query_id": "q1", "doc_id": value, "score": 1.5}], form, index=False)))
    assert run.docs.to_pylist() == [text]
    assert [(p.kind, p.field, p.severity) for p in run.problems] == [("number-as-text", "doc_id", "warning")]
    assert f"read as '{text}'" in run.problems[0].fix
    by_query = frame_bytes([{"query_id": value, "retrieved": ["d1"], "answer": "a"}], "to_parquet")
    assert [p.field for p in read_run(("x", by_query)).problems] == ["query_id"]


def test_dates_in_lists_of_ids_are_read_with_a_warning():
    rows = [{"query_id": "q1", "retrieved": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]}]
    run = read_run(("x", frame_bytes(rows, "to_parquet")))
    assert run.docs.to_pylist() == ["2020-01-01", "2020-01-02"]
    assert [p.kind for p in run.problems] == ["number-as-text"] * 2




TOOLS = {
    "ragas": ([{"user_input": "q", "response": "a", "retrieved_contexts": ["c"], "reference": "r"}], "q", "a", ["r"]),
    "ragas, older": ([{"question": "q", "answer": "a", "contexts": ["c"], "ground_truth": "r"}], "q", "a", ["r"]),
    "deepeval": ([{"input": "q", "actual_output": "a", "retrieval_context": ["c"], "expected_output": "r",
                   "context": ["e"]}], "q", "a", ["r"]),
    "ragchecker": ({"results": [{"query_id": "0", "query": "q", "response": "a", "gt_answer": "r",
                                 "retrieved_context": [{"doc_id": "d", "text": "c"}]}]}, "q", "a", ["r"]),
    "langsmith": ([{"inputs": {"question": "q"}, "outputs": {"answer": "a", "contexts": ["c"]},
                    "reference": {"answer": "r"}, "example_id": "e"}], "q", "a", ["r"]),
    "promptfoo": ({"results": {"version": 3, "results": [{"vars": {"question": "q", "expected": "r"},
                                                          "response": {"output": "a"}}]}}, "q", "a", ["r"]),
    "trulens": ([{"input": "q", "output": "a", "app_id": "x", "expected_response": "r"}], "q", "a", ["r"]),
    "phoenix": ([{"attributes.input.value": "q", "attributes.output.value": "a", "attributes.retrieval.documents": [
        {"document.id": "d", "document.content": "c", "document.score": 0.5}], "reference": "r"}], "q", "a", ["r"]),
    "mtrag": ([{"task_id": "t", "input": [{"text": "p"}, {"text": "q"}], "predictions": [{"text": "a"}], "targets": [
        {"text": "r"}], "contexts": [{"document_id": "d", "text": "c", "score": 1.5}]}], "q", "a", ["r"]),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_output_of_tools(tool):
    content, query, answer, answers = TOOLS[tool]
    source = ("x", json.dumps(content).encode())
    run, truth = read_run(source), read_truth(source)
    details = run.details.to_pylist()[0]
    assert (details["query"], details["answer"]) == (query, answer)
    assert truth.details.to_pylist()[0]["answers"] == answers
    if tool in ("ragchecker", "phoenix", "mtrag"):
        assert run.docs.to_pylist() == ["d"]
    else:
        assert details.get("contexts", ["c"]) == ["c"]
    assert detect(source).role == "both"


def test_evidence_of_tools():
    truth = read_truth(("x", json.dumps(TOOLS["deepeval"][0]).encode()))
    assert truth.details["evidence"].to_pylist() == [[{"text": "e", "source": None}]]
    truth = read_truth(("x", b'{"examples": [{"query": "q", "reference_contexts": ["c"], "reference_answer": "r"}]}'))
    assert truth.details.column_names == ["query", "answers", "evidence"]


def test_columns_named_by_hand():
    content = ("x", b"frage,quellen,richtig\nWer?,d1|d2,d2\n")
    assert detect(content).columns == ("frage", "quellen", "richtig") and not detect(content).guess
    mapping = {"query": "frage", "retrieved": "quellen", "relevant": "richtig"}
    assert detect(content, mapping=mapping).role == "both"
    assert read_run(content, mapping=mapping).docs.to_pylist() == ["d1", "d2"]
    assert read_truth(content, mapping=mapping).docs.to_pylist() == ["d2"]
    assert read_run(("x", b"a,b,c\nq,d,0.5\n"), mapping={"query_id": "a", "doc_id": "b", "score": "c"}).scores[0] == 0.5
    nested = ("x", b'{"results": [{"query_id": "q", "per_k": {"10": {"ids": ["d"]}}}]}')
    assert read_run(nested, mapping={"retrieved": "per_k.10.ids"}).docs.to_pylist() == ["d"]
    assert read_run(("x", b"q Q0 d 1 0.5 t\n"), mapping=mapping).docs.to_pylist() == ["d"]


@pytest.mark.parametrize("mapping, kind", [({"querry": "a"}, "unknown-field"), ({"query": "x"}, "unknown-column")])
def test_bad_mappings(mapping, kind):
    with pytest.raises(InputError) as caught:
        read_run(("x", b"question,answer\nq,a\n"), mapping=mapping)
    assert caught.value.problems[0].kind == kind


BAD = {
    "no question": (b"answer,contexts\na,b\n", "missing-column", 1), "empty question": (b"question,answer\n,a\n",
                                                                                        "missing-id", 2),
    "ids and none": (b'[{"query_id": "q", "answer": "a"}, {"question": "r", "answer": "b"}]', "missing-field", 1),
    "columns": (b"question,answer\nq,a\nr\n", "column-count", 3),
    "truth": (b"question,reference\nq,a\n", "truth-as-run",
                                                                            None),
    "a list as an answer": (b'[{"question": "q", "answer": ["a", "b"], "contexts": []}]', "wrong-type", 1),
    "a document without id": (b'[{"question": "q", "retrieved": [{"text": "a"}]}]', "missing-id", 1),
    "cost": (b"question,answer,cost_usd\nq,a,much\n", "wrong-type", 2),
    "phoenix documents": (b"context.span_id,document_position,input,reference,document_score\ns,0,q,t,0.5\n",
                          "missing-column", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows(name):
    content, kind, line = BAD[name]
    with pytest.raises(InputError) as caught:
        read_runs(("x", content))
    assert (kind, line) in [(problem.kind, problem.line) for problem in caught.value.problems]
