"""A file in which every name is one of ours is read once: nothing is proposed for it."""

from __future__ import annotations

import json

import pytest

from ragdash.io import read_runs, read_truth
from ragdash.io.proposals import guards

RECORD = {"query_id": "q1", "query": "Which one?",
          "retrieved": [{"doc_id": "d1", "score": 0.5, "text": "It is the first."}],
          "answer": "The first.", "contexts": ["It is the first."], "config": "dense", "latency_ms": 12.0}


@pytest.fixture
def looked_at(monkeypatch) -> list[str]:
    """The files for which readings were looked for."""
    files: list[str] = []
    propose = guards.propose
    monkeypatch.setattr(guards, "propose", lambda source: files.append(source.file) or propose(source))
    return files


def test_a_run_in_our_names_is_believed(tmp_path, looked_at):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({**RECORD, "query_id": f"q{number}"}) + "\n" for number in range(3)))
    (run,) = read_runs(path)
    assert (len(run), run.name, looked_at) == (3, "dense", [])


def test_a_truth_in_our_names_is_believed(tmp_path, looked_at):
    path = tmp_path / "truth.jsonl"
    path.write_text(json.dumps({"query_id": "q1", "query": "Which one?", "relevant": ["d1"], "answers": ["the first"],
                                "evidence": ["It is the first."]}) + "\n")
    assert (len(read_truth(path)), looked_at) == (1, [])


def test_one_other_name_is_a_reason_to_look(tmp_path, looked_at):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({**RECORD, "gold_doc_ids": ["d1"]}) + "\n")
    read_runs(path)
    assert looked_at
