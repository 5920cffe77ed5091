"""The scoring process as a page sees it, with a stand-in that writes what `python -m ragdash score` writes."""

from __future__ import annotations

import os
import sys

import pytest
from helpers import until

from ragdash.evaluation.scoring.score_worker import Worker, command, line

TALK = """
import sys, time, os
from ragdash.evaluation.scoring.score_worker import line
assert sys.argv[1:] == ["--progress", "json"], sys.argv
assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
def say(kind, content):
    sys.stdout.buffer.write(line(kind, content)); sys.stdout.flush()
say("plan", "m: 3 texts")
for done in (1, 2):
    say("progress", {"done": done})
"""


def started(rest: str) -> Worker:
    return Worker.start([sys.executable, "-c", TALK + rest])


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)  # a model that was loaded in this process has set it


def test_progress_and_the_report_arrive():
    worker = started("say('report', {'computed': 3})")
    until(lambda: "report" in worker.messages and not worker.running)
    assert worker.messages == {"plan": "m: 3 texts", "progress": {"done": 2}, "report": {"computed": 3}}
    assert worker.failed is None


def test_cancelling_ends_the_process_and_is_no_failure():
    worker = started("time.sleep(600)")
    until(lambda: worker.messages.get("progress") == {"done": 2})
    assert worker.running and worker.failed is None
    worker.cancel()
    assert not worker.running and worker.cancelled and worker.failed is None
    worker.cancel()  # a second time does nothing


@pytest.mark.parametrize(("rest", "says"), [
    ("say('problems', [{'found': 'no model', 'expected': 'one', 'fix': 'Name it.'}]); sys.exit(2)",
     "no model; expected one. Name it."),
    ("print('no json'); raise MemoryError('too large')", "MemoryError: too large"),
    ("sys.exit(3)", "The process ended with status 3."),
    pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
                 "The process was ended by SIGKILL, as the system does where memory is short. Start it again: what",
                 marks=pytest.mark.skipif(os.name == "nt", reason="a system without signals")),
])
def test_a_failure_is_told_in_words(rest, says):
    worker = started(rest)
    until(lambda: not worker.running and says in (worker.failed or ""))


def test_the_command_is_the_one_that_a_person_types():
    assert command(["a.jsonl", "b.jsonl"], "t.jsonl", "SBERT", "folder") == [
        sys.executable, "-m", "ragdash", "score", "a.jsonl", "b.jsonl", "--truth", "t.jsonl", "--metrics", "SBERT",
        "--model", "folder"]
    assert command(["a"], None, "CrossEncoder", None, "x", "--hub")[-5:] == [
        "--metrics", "CrossEncoder", "--cross-encoder", "x", "--hub"]


def test_a_line_is_one_line():
    assert line("plan", "a\nb") == b'{"plan":"a\\nb"}\n'
