"""Stored verdicts asked again: has the judge changed? Versions of a model are not mixed without a word."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from models.judge.scripted import Scripted, case
from models.judge.server import toy

from ragdash.cli.main import main
from ragdash.core.paths import workspace
from ragdash.io import write_run, write_truth
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store

ROWS = {f"q{i}": {"question": "What?", "answer": f"Paris lies on Seine number {i}.",
                  "contexts": [f"Surely Paris lies on Seine number {i}."]} for i in range(30)}


def harsher(asked):
    """The toy with another opinion of a third of the answers."""
    text = toy(asked)
    return {**text, "score": 0} if int(asked.all("answer")[0].split()[-1].rstrip(".")) % 3 == 0 else text


def test_a_judge_that_changed_is_told_apart_from_one_that_did_not(serve, tmp_path, capsys):
    run, truth = case(ROWS)
    write_run(run, tmp_path / "run.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    server = serve()

    def judge(*options):
        status = main(["judge", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m",
                       "Faithfulness", "--base-url", server.url, "--model", "toy", *options])
        return status, "".join(capsys.readouterr())

    status, text = judge("--drift")
    assert status == 2 and "0 verdicts of toy" in text and "20 or more" in text
    assert judge()[0] == 0
    stored, paid = default_verdict_store().stamp(), server.answered
    assert judge("--drift", "--dry-run")[0] == 0 and server.answered == paid == 30
    status, text = judge("--drift", "25")
    assert status == 0 and server.answered == paid + 25 and "25 the same, mean change +0.000" in text
    assert "No drift shown; a mean change of up to 0." in text
    server.judge = harsher
    status, text = judge("--drift", "--progress", "json")
    result = next(row for row in map(json.loads, text.splitlines()) if "drift" in row)["drift"]
    assert status == 1 and result["drifted"] and (result["n"], result["same"]) == (30, 20)
    assert result["change"] == pytest.approx(-1 / 3) and result["high"] < 0 and "has drifted" in result["words"]
    assert default_verdict_store().stamp() == stored, "the ledger is as before"
    lines = (workspace() / "judge_drift.jsonl").read_text().splitlines()
    assert [json.loads(line)["same"] for line in lines] == [25, 20]
    assert judge("--drift", "--max-calls", "5")[0] == 2


def test_verdicts_of_two_versions_of_a_model_are_told():
    class Renamed(Scripted):
        def _reply(self, question):
            number = int(question.user.split("number ")[-1].split(".")[0])
            return replace(super()._reply(question), model=f"scripted-{'new' if number >= 25 else 'old'}",
                           at=f"2026-{'11' if number >= 25 else '08'}-02T10:00:00+00:00")
    run, truth = case(ROWS)
    judged = Match(run, truth).judged
    Renamed(default_verdict_store()).judge_all(judged, "Faithfulness")
    problem, = (problem for problem in judged.warnings("Faithfulness") if problem.kind == "judge-versions")
    assert "scripted-old (25, 2026-08-02 to 2026-08-02), scripted-new (5, 2026-11-02 to 2026-11-02)" in problem.actual
    assert np.isfinite(judged.values("Faithfulness")).all()
