"""References that the first 64 KiB of a file do not show: behind a long first record, and in later records alone."""

import json

import pytest

from ragdash.io import detect, read_runs, read_truth
from ragdash.io.json import late_fields

LONG = [f"part {number} of a long text " * 500 for number in range(10)]
RECORDS = [{"user_input": f"What is item {number}?", "retrieved_contexts": LONG, "response": f"It is {number}.",
            "reference": f"Item {number} it is."} for number in range(5)]
LAYOUTS = {
    "array": RECORDS, "wrapped": {"results": RECORDS},
    "columns": {name: [record[name] for record in RECORDS] for name in RECORDS[0]},
    "rows by number": {name: {str(row): record[name] for row, record in enumerate(RECORDS)} for name in RECORDS[0]},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_references_behind_a_long_first_record_are_read(layout):
    file = ("results.json", json.dumps(LAYOUTS[layout]).encode())
    assert detect(file).role == "both"
    assert read_truth(file).details["answers"].to_pylist() == [[record["reference"]] for record in RECORDS]


def test_references_of_later_records_are_read():
    rows = [{"question": f"What is {number}?", "answer": f"It is {number}. " * 20, "context": ["a", "b"]}
            for number in range(400)]
    rows[-1]["reference"] = "Nothing else."
    file = ("results.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert detect(file).role == "both"
    assert read_truth(file).details["answers"].to_pylist()[-1] == ["Nothing else."]


@pytest.mark.parametrize("empty", [None, "", []])
def test_references_that_are_empty_everywhere_make_no_truth(empty):
    rows = [{"question": f"What is {number}?", "retrieved_contexts": LONG, "answer": "It is.", "reference": empty}
            for number in range(5)]
    assert detect(("results.json", json.dumps(rows).encode())).role == "run"


def test_a_field_of_a_returned_document_makes_no_truth():
    rows = [{"question": f"What is {number}?", "retrieved": [
        {"doc_id": f"d{rank}", "text": LONG[rank], "relevant": rank == 2} for rank in range(6)]} for number in range(5)]
    assert detect(("results.json", json.dumps(rows).encode())).role == "run"


def test_references_of_a_file_too_large_to_search_are_named(monkeypatch):
    monkeypatch.setattr(late_fields, "_MOST_BYTES", 1 << 16)
    rows = [{"question": f"What is {number}?", "answer": f"It is {number}. " * 20, "context": ["a", "b"]}
            for number in range(400)]
    rows[-1]["reference"] = "Nothing else."
    file = ("results.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert detect(file).role == "run"
    assert [problem.facts["names"] for problem in read_runs(file)[0].problems
            if problem.message == "unread-field/of-truth"] == [["reference"]]


def test_lists_next_to_fields_with_our_names_are_named():
    rows = [{"query_id": f"q{number}", "query": "a?", "documents": [f"d{number}", "d7"], "contexts": ["moon"],
             "answer": "b", "tags": ["x"]} for number in range(12)]
    problems = read_runs(("run.jsonl", "\n".join(map(json.dumps, rows)).encode()))[0].problems
    assert [problem.facts["columns"] for problem in problems if problem.kind == "unknown-columns"] == [["documents"]]
