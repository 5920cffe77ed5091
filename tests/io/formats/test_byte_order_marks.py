"""Byte order marks within a file, where files that begin with one were joined, are no part of an id."""

from __future__ import annotations

import pytest

from ragdash.io import read_run, read_truth

MARK = "\ufeff"
RUNS = {
    "trec": ["q1 Q0 d1 1 2.0 t\n", "q2 Q0 d2 1 2.0 t\n"],
    "csv": ["query_id,doc_id,score\nq1,d1,0.5\n", "q2,d2,0.5\n"],
    "tsv": ["query_id\tdoc_id\tscore\r\nq1\td1\t0.5\r\n", "q2\td2\t0.5\r\n"],
    "jsonl": ['{"query_id": "q1", "retrieved": ["d1"]}\n', '{"query_id": "q2", "retrieved": ["d2"]}\n'],
}


def warnings(record) -> list[tuple]:
    return [(problem.message, problem.severity, problem.line, problem.facts["count"]) for problem in record.problems]


@pytest.mark.parametrize("parts", RUNS.values(), ids=RUNS)
def test_marks_of_joined_files_are_removed_with_a_warning(parts, tmp_path):
    content = "".join(MARK + part for part in parts).encode()
    (tmp_path / "joined").write_bytes(content)
    for file in (tmp_path / "joined", ("joined", content)):
        run = read_run(file)
        assert run.query_ids.to_pylist() == ["q1", "q2"] and run.docs.to_pylist() == ["d1", "d2"]
        line = parts[0].count("\n") + 1
        assert warnings(run) == [("byte-order-marks", "warning", line, 1)]


def test_judgments_too():
    truth = read_truth(("qrels", f"{MARK}q1 0 d1 1\n{MARK}q2 0 d2 1\n{MARK}q3 0 d3 1\n".encode()))
    assert truth.query_ids.to_pylist() == ["q1", "q2", "q3"]
    assert warnings(truth) == [("byte-order-marks", "warning", 2, 2)]


def test_a_mark_in_a_file_that_begins_with_none_is_read_and_said():
    """It may be a part of an id, which files that ragdash writes keep."""
    run = read_run(("run", f"q1 Q0 d1 1 2.0 t\n{MARK}q2 Q0 d2 1 2.0 t\n".encode()))
    assert run.query_ids.to_pylist() == ["q1", f"{MARK}q2"]
    assert warnings(run) == [("byte-order-marks/read", "warning", 2, 1)]
