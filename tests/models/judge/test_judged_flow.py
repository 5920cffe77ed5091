"""From the command that asks to the numbers: every judged metric over a served endpoint, paid for once."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from models.judge.scripted import case, value
from models.judge.server import SCRIPTS
from models.judge.test_judged_metrics import BY_HAND, ROWS

from ragdash.cli.main import main
from ragdash.io import write_run, write_truth

TASKS = ("Claims", "Verify", "Entailment", "ChunkUsefulness", "Faithfulness", "AnswerRelevance", "ContextRelevance",
         "Correctness", "ChunkUse", "Entities", "AnswerAccuracy", "NvContextRelevance", "Groundedness")


@pytest.fixture
def scripted(monkeypatch):
    """The endpoint's judge goes by the rules of the judge in the process."""
    def said(task):
        return lambda asked: value(SimpleNamespace(
            task=task, user=asked.user, ids=re.findall(r'<claim id="(\d+)">', asked.user)))

    for task in TASKS:
        monkeypatch.setitem(SCRIPTS, task, said(task))


def test_the_command_asks_what_every_metric_needs_and_a_second_time_nothing(tmp_path, scripted, serve, capsys):
    run, truth = tmp_path / "run.jsonl", tmp_path / "truth.jsonl"
    for write, record, path in zip((write_run, write_truth), case(ROWS), (run, truth), strict=True):
        write(record, path)
    files, metrics = [str(run), "--truth", str(truth)], ["--metrics", " ".join(BY_HAND)]
    server = serve()
    ask = ["judge", *files, *metrics, "--base-url", server.url, "--model", "toy", "--yes"]
    assert main(ask) == 0 and server.answered > 20
    paid = server.answered
    assert main(ask) == 0 and server.answered == paid
    capsys.readouterr()
    for name, expected in BY_HAND.items():
        assert main(["verdicts", *files, "-m", name]) == 0
        lines = {one["query_id"]: one["value"] for one in map(json.loads, capsys.readouterr().out.splitlines())}
        assert [lines[query] for query in ROWS] == pytest.approx(
            [None if number != number else number for number in expected], nan_ok=True), name
