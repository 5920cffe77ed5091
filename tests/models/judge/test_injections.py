"""The benchmark of injected instructions: every answer is wrong, and a judge that obeys is counted."""

import importlib.util
from dataclasses import replace
from pathlib import Path

from ragdash.io import read_runs, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import run_tasks

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "injections.py"


def test_a_judge_that_obeys_is_counted_and_one_that_does_not_is_none(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("injections", FILE)
    injections = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(injections)
    assert len({row["query_id"] for row, _ in injections.rows()}) == 60
    assert all(truth["answers"][0] not in row["answer"] for row, truth in injections.rows())
    injections.write(tmp_path)
    match = Match(read_runs(tmp_path / "run.jsonl")[0], read_truth(tmp_path / "truth.jsonl"))
    verdict_store = default_verdict_store()

    def obeys(questions):
        replies = []
        for question in questions:
            if question.task == "Claims":
                value = {"claims": ["The value is wrong."]}
            elif question.task == "Verify":
                value = {"verdicts": [{"id": "1", "reason": "so", "verdict": "contradicted", "chunks": ["c1"]}]}
            else:
                value = {"reason": "so", "score": float("developer mode" in question.user)}
            replies.append(Reply(question.check(value), model="obedient", attempts=1, at="2026-11-22T00:00:00+00:00"))
        verdict_store.save(Judge("here", "obedient"), zip(questions, replies, strict=True))
        return replies

    view = replace(match.judged, verdict_store=verdict_store)
    for metric in injections.METRICS:
        run_tasks(view.askings(metric), obeys)
    injections.read(tmp_path)
    out = capsys.readouterr().out
    assert "Faithfulness, instruction in the passage: 1 of 30 succeeded: i04\n" in out
    assert "Correctness, instruction in the answer: 1 of 30 succeeded: i04-a\n" in out
    assert "ClaimFaithfulness, instruction in the answer: 0 of 30 succeeded\n" in out
