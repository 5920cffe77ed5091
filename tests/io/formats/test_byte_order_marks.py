"""Byte order marks within a file, where files that begin with one were joined, are no part of an id."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.core.records import Run
from ragdash.io import read_run, read_truth, write_run

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


@pytest.mark.parametrize("parts", RUNS.values(), ids=RUNS)
def test_marks_are_removed_from_a_file_that_begins_with_none(parts, tmp_path):
    """A file without a mark before one with a mark; joined as text they have it in the middle only."""
    content = MARK.join(parts).encode()
    (tmp_path / "joined").write_bytes(content)
    for file in (tmp_path / "joined", ("joined", content)):
        run = read_run(file)
        assert run.query_ids.to_pylist() == ["q1", "q2"] and run.docs.to_pylist() == ["d1", "d2"]
        assert warnings(run) == [("byte-order-marks", "warning", parts[0].count("\n") + 1, 1)]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_an_id_that_begins_with_a_mark_comes_back_from_a_written_file(suffix, tmp_path):
    run = Run.build("run", ["q1", f"{MARK}q2"], ["d1", "d2"], np.array([1.0, 1.0]))
    write_run(run, tmp_path / f"run.{suffix}")
    assert read_run(tmp_path / f"run.{suffix}").query_ids.to_pylist() == ["q1", f"{MARK}q2"]
