"""What is written reads back as the same."""

from __future__ import annotations

import errno
import json
import os

import numpy as np
import pyarrow as pa
import pytest

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io import read_run, read_truth, write_jsonl, write_qrels, write_run, write_trec_run

QUERIES = ["q1", "q1", "007", "q1", "007"]
DOCS = ["b", "a", "1e5", "b", "文"]


def run_of(**facts) -> Run:
    return Run.build("bm25", QUERIES, DOCS, **facts)


SCORED = {"scores": np.array([0.1 + 0.2, 1e-9, 3, 0.2, 2.5])}
RUNS = {
    "scores": SCORED,
    "equal scores": {"scores": np.array([1.0, 1, 2, 0.5, 2])},
    "order only": {},
    "ranks against scores": {**SCORED, "ranks": np.array([2, 1, 2, 3, 1])},
}


def rankings(run: Run) -> dict[str, list[str]]:
    return {query: run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("file", ["bm25.trec", "bm25.trec.gz"])
def test_trec_run(name, file, tmp_path):
    run = run_of(**RUNS[name])
    write_trec_run(run, tmp_path / file)
    back = read_run(tmp_path / file)
    assert rankings(back) == rankings(run)
    assert back.name == "bm25"
    if name == "scores":
        assert back.digest == Run.build("", ["q1", "q1", "007", "007"], ["b", "a", "1e5", "文"],
                                        np.array([0.1 + 0.2, 1e-9, 3, 2.5])).digest


@pytest.mark.parametrize("name", RUNS)
def test_jsonl_run(name, tmp_path):
    run = run_of(**RUNS[name])
    write_jsonl(run, tmp_path / "x.jsonl")
    back = read_run(tmp_path / "x.jsonl")
    assert rankings(back) == rankings(run)
    assert (back.scores is None) == (run.scores is None)


def test_jsonl_run_with_everything(tmp_path):
    lines = [
        {"query_id": "q1", "retrieved": [{"doc_id": "d1", "score": 0.5, "text": "T", "source": "S"},
                                         {"doc_id": "d2", "score": 0.25}],
         "query": "who?", "answer": "me", "contexts": ["a"], "latency_ms": {"retrieval": 1.5, "total": 9.0},
         "cost_usd": 0.25, "attributes": {"n": 1}, "usage": {"prompt_tokens": 3}, "settings": {"k": 2}},
        {"query_id": "q2", "retrieved": [], "latency_ms": 4.0, "settings": {"k": 2}},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = read_run(path)
    write_jsonl(run, tmp_path / "y.jsonl")
    assert [json.loads(line) for line in (tmp_path / "y.jsonl").read_text().splitlines()] == lines
    assert read_run(tmp_path / "y.jsonl").digest == run.digest


def test_truth(tmp_path):
    truth = Truth.build("t", QUERIES[:3], DOCS[:3], np.array([2, 0, -1]))
    write_qrels(truth, tmp_path / "t.qrels.gz")
    write_jsonl(truth, tmp_path / "t.jsonl")
    assert read_truth(tmp_path / "t.qrels.gz").digest == read_truth(tmp_path / "t.jsonl").digest == truth.digest


def test_truth_with_everything(tmp_path):
    lines = [{"query_id": "q1", "relevant": {"d1": 2, "d2": 0}, "query": "who?", "answers": ["me"],
              "evidence": ["span", {"text": "x", "source": "d1"}], "attributes": {"n": 1}},
             {"query_id": "q2", "relevant": {}}]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    truth = read_truth(path)
    write_jsonl(truth, tmp_path / "y.jsonl")
    assert [json.loads(line) for line in (tmp_path / "y.jsonl").read_text().splitlines()] == lines
    assert read_truth(tmp_path / "y.jsonl").digest == truth.digest


def test_ids_with_blanks_are_separated_by_tabs(tmp_path):
    run = Run.build("my run", ["q 1", "q 1"], ["d 1", "d2"], np.array([2.0, 1.0]))
    write_trec_run(run, tmp_path / "x")
    assert read_run(tmp_path / "x").digest == run.digest
    assert (tmp_path / "x").read_text().endswith("\tmy_run\n")


@pytest.mark.parametrize("bad", ["a\tb", "a\nb", " a", "a ", "#a", "", "a\0b", "\ufeffa"])
def test_ids_that_trec_files_cannot_hold(bad, tmp_path):
    with pytest.raises(InputError, match="JSONL"):
        write_trec_run(Run.build("r", ["q"], [bad]), tmp_path / "x")
    write_jsonl(Run.build("r", ["q"], pa.array(["d"])), tmp_path / "x")


@pytest.mark.parametrize("first", ['{"a":1}', "{}", "[]", "PAR1", "BZh9", "%PDF-1", "PK\x03\x04"])
def test_a_first_query_that_makes_a_trec_file_look_like_another_kind_is_refused(first, tmp_path):
    def write(queries):
        write_trec_run(Run.build("r", queries, ["d", "d"], np.array([1.0, 1.0])), tmp_path / "x.trec")
        write_qrels(Truth.build("t", queries, ["d", "d"], np.array([1, 1])), tmp_path / "x.qrels")

    for call in (lambda: write([first, "q"]), lambda: write_qrels(
            Truth.build("t", [first], ["d"], np.array([1])), tmp_path / "x.qrels")):
        with pytest.raises(InputError) as error:
            call()
        assert error.value.problems[0].message == "unwritable-id/first" and repr(first) in str(error.value)
    assert not list(tmp_path.iterdir())
    write(["q", first])
    assert read_run(tmp_path / "x.trec").query_ids.to_pylist() == ["q", first]
    assert read_truth(tmp_path / "x.qrels").query_ids.to_pylist() == ["q", first]


def test_a_carriage_return_in_a_text_survives_csv_and_a_null_character_is_said(tmp_path):
    details = pa.table({"query_id": ["q1", "q2"], "answer": ["a\rb", 'c\r\nd "e"'], "query": ["x\r", "y"]})
    run = Run.build("r", ["q1", "q2"], ["d", "d"], np.array([1.0, 1.0]), details=details)
    assert not write_run(run, tmp_path / "x.csv")
    assert read_run(tmp_path / "x.csv").details["answer"].to_pylist() == ["a\rb", 'c\r\nd "e"']
    lossy = Run.build("r", ["q1"], ["d"], np.array([1.0]), details=pa.table({"query_id": ["q1"], "answer": ["a\0b"]}))
    warning, = write_run(lossy, tmp_path / "y.csv")
    assert warning.message == "lost-content/null-character" and "a text in answer" in str(warning)
    again = read_run(tmp_path / "y.csv")
    assert again.details["answer"].to_pylist() == ["ab"] and not again.problems, "what was written is a text file"


@pytest.mark.parametrize("name", ["x.trec", "x.jsonl.gz", "x.csv", "x.parquet"])
def test_a_disk_that_is_full_leaves_no_half_file_and_an_older_one_as_it_was(name, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    run = Run.build("r", ["q"], ["d"], np.array([1.0]))
    (tmp_path / name).write_text("older")
    for written, before in ((name, "older"), (f"new-{name}", None)):
        with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
            patch.setattr(os, "replace", full)
            write_run(run, tmp_path / written)
        assert not (tmp_path / written).exists() if before is None else (tmp_path / written).read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("latency", [12.5, {"total": 12.5}])
def test_one_latency_for_all_stages_is_written_as_a_number(tmp_path, latency):
    run = Run.from_records([{"query_id": "q", "documents": ["d"], "latency_ms": latency}])
    write_run(run, tmp_path / "run.jsonl")
    assert json.loads((tmp_path / "run.jsonl").read_text()) == {"query_id": "q", "retrieved": ["d"], "latency_ms": 12.5}
