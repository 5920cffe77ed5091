"""A sweep records a run for each point of a grid, goes on where it was stopped, and keeps failures apart."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from helpers import call

import ragdash
from ragdash.core.errors import InputError
from ragdash.experiments.sweep import _read_output, _run_command, command_words, grid_points
from ragdash.io.recorded.folder import log_entries

QUESTIONS = {f"q{number}": f"question {number}" for number in range(5)}
SCRIPT = '''
import json, pathlib, sys
k, word, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
with open("calls.txt", "a") as calls:
    calls.write(f"{k} {word}\\n")
if word == "bad" and not pathlib.Path("fixed").exists():
    sys.exit("the index is missing")
rows = [{"query_id": f"q{n}", "retrieved": [f"d{i}" for i in range(k)], "answer": word, "metrics": {"mrr": 0.5}}
        for n in range(3)]
text = "".join(json.dumps(row) + "\\n" for row in rows)
sys.stdout.write(text) if out == "-" else pathlib.Path(out).write_text(text)
'''


def test_each_point_is_a_run_and_a_second_sweep_asks_nothing(tmp_path):
    made = []

    def search(settings):
        made.append(settings)
        return lambda question: [f"d{rank}" for rank in range(settings["k"])]

    steps = []
    grid = {"k": [1, 3], "chunk.size": [256, 512]}
    runs = ragdash.sweep(search, grid, QUESTIONS, folder=tmp_path, progress=lambda done, points: steps.append(done))
    assert [dict(run.settings) for run in runs] == grid_points(grid) and steps == [1, 2, 3, 4]
    assert [run.depth for run in runs] == [1, 1, 3, 3]
    assert [run.name for run in runs] == [f"search k={k} chunk.size={size}" for k in (1, 3) for size in (256, 512)]
    again = ragdash.sweep(search, {**grid, "k": [1, 3, 5]}, QUESTIONS, folder=tmp_path)
    assert len(made) == 6, "only the two new points were asked"
    assert [run.digest for run in again[:4]] == [run.digest for run in runs] and len(log_entries(tmp_path)) == 6
    ragdash.sweep(search, grid, {"q9": "another question"}, folder=tmp_path)
    assert len(made) == 10, "other questions are another sweep"


def test_a_point_that_was_recorded_under_the_name_of_the_sweep_alone_is_not_asked_again(tmp_path):
    old = ragdash.record_retriever(lambda question: ["d1"], QUESTIONS, name="search", settings={"k": 1},
                                   folder=tmp_path)
    runs = ragdash.sweep(lambda settings: lambda question: ["d2"], {"k": [1, 2]}, QUESTIONS, name="search",
                         folder=tmp_path)
    assert [run.name for run in runs] == ["search", "search k=2"] and runs[0].digest == old.digest


def test_a_point_that_raises_names_its_settings_and_the_others_go_on(tmp_path):
    def make(settings):
        if settings["k"] == 2:
            raise RuntimeError("no index for api_key=sk-abcdefghijklmnopqrstuvwx")
        return (lambda question: 1 / 0) if settings["k"] == 3 else (lambda question: ["d1"])

    with pytest.raises(InputError) as caught:
        ragdash.sweep(make, {"k": [1, 2, 3, 4]}, QUESTIONS, name="search", folder=tmp_path)
    messages = [str(problem) for problem in caught.value.problems]
    assert "'search k=2' failed: RuntimeError: no index" in messages[0] and "sk-abcdef" not in messages[0]
    assert "'search k=3' failed" in messages[1] and "ZeroDivisionError" in messages[1] and len(messages) == 2
    complete = [entry.header.name for entry in log_entries(tmp_path) if entry.state == "complete"]
    assert complete == ["search k=1", "search k=4"]
    with pytest.raises(KeyboardInterrupt):
        ragdash.sweep(_interrupt, {"k": [5]}, QUESTIONS, name="search", folder=tmp_path)


def _interrupt(settings):
    raise KeyboardInterrupt


def test_a_point_with_failed_queries_is_tried_again(tmp_path):
    broken = [True]

    def search(settings):
        def ask(question):
            if broken[0] and question.endswith("3"):
                raise RuntimeError("down")
            return ["d1"]
        return ask

    with pytest.warns(UserWarning, match="1 query of 5 failed"):
        first, = ragdash.sweep(search, {"k": [1]}, QUESTIONS, folder=tmp_path)
    broken[0] = False
    second, = ragdash.sweep(search, {"k": [1]}, QUESTIONS, folder=tmp_path)
    assert (len(first), len(second)) == (4, 5)


@pytest.mark.parametrize("output", ["{out}", "-"])
def test_a_command_runs_once_per_point_and_failures_are_tried_again(tmp_path, monkeypatch, capfdbinary, output):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.py").write_text(SCRIPT)
    arguments = ("sweep", f"{sys.executable} search.py {{k}} {{word}} {output}", "--set", "k=1,2", "--set",
                 "word=good; rm -rf $HOME,bad", "--name", "hybrid", "--tag", "night", "--logdir", "logs")
    status, out, err = call(capfdbinary, *arguments)
    assert status == 2 and out == "" and "2 of 4 points failed" in err and "the index is missing" in err
    assert "search.py 1 bad" in err
    (tmp_path / "fixed").touch()
    status, _, err = call(capfdbinary, *arguments)
    assert status == 0 and err.count("as before") == 2 and "4 runs in logs" in err
    assert (tmp_path / "calls.txt").read_text().splitlines().count("1 good; rm -rf $HOME") == 1
    runs = [ragdash.read_run(entry.path) for entry in log_entries(tmp_path / "logs")]
    assert {(run.settings["k"], run.settings["word"], run.depth) for run in runs} == {
        (k, word, k) for k in (1, 2) for word in ("good; rm -rf $HOME", "bad")}
    assert all(run.tags == ("night",) and run.file_scores is not None for run in runs)
    assert {run.name for run in runs} == {f"hybrid k={k} word={word}" for k in (1, 2) for word in (
        "good; rm -rf $HOME", "bad")}
    assert runs[0].details["answer"].to_pylist() == ["good; rm -rf $HOME"] * 3
    status, out, _ = call(capfdbinary, *arguments, "--dry-run")
    assert status == 0 and out.count("search.py") == 4 and "'good; rm -rf $HOME'" in out


@pytest.mark.parametrize(("command", "settings", "words"), [
    ("search {k}", ["k"], "--set k=5,10,20"), ("search {k}", ["k=1", "k=2"], "each name once"),
    ("search {k}", ["k=1,,2"], "NAME=VALUE"), ("search {x}", ["k=1"], "{x}, which is no setting"),
    ("search", ["k=1"], "does not use"), ("search 'a {k}", ["k=1"], "quotes"),
    ("search {token}", ["token=A,B"], "looks like a secret"),
    ("no-such-command-anywhere {k}", ["k=1"], "cannot be started"),
    ("true {k}", ["k=1"], "no run"), ("sleep {k}", ["k=30"], "no end within 0.2 seconds")])
def test_bad_sweeps_say_what_is_wrong(tmp_path, capfdbinary, command, settings, words):
    options = [word for text in settings for word in ("--set", text)]
    status, out, err = call(capfdbinary, "sweep", command, *options, "--logdir", tmp_path / "logs", "--timeout", "0.2")
    assert status == 2 and words in err and out == ""
    assert log_entries(tmp_path / "logs") == []


def test_grids_without_points_and_placeholders_of_values():
    with pytest.raises(InputError, match=r"no list of values for 'k'[^$]*\{'k': \[5\]\}"):
        ragdash.sweep(lambda settings: None, {"k": 5}, QUESTIONS)
    assert grid_points({"k": iter((5, 10))}) == [{"k": 5}, {"k": 10}]
    assert len(grid_points({"k": [5, 10], "api_key": ["A"]})) == 2, "one secret tells no points apart, and need not"
    for grid in ({}, {"k": []}, {"k": "abc"}, {"k": {5: 1}}, {"k": np.array(5)}, [], {"k": [5], "api_key": ["A", "B"]}):
        with pytest.raises(InputError):
            grid_points(grid)
    with pytest.raises(InputError, match="1,000,000,000,000"):
        grid_points({name: list(range(100)) for name in "abcdef"})
    assert command_words("a {k} '{b c}' {out}", {"k": True}, "o") == ["a", "true", "{b c}", "o"]


def test_a_command_that_makes_a_pipe_wrote_no_file(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")
    os.mkfifo(tmp_path / "run.out")
    assert _read_output(tmp_path / "run.out") == (None, "it wrote no file")


@pytest.mark.skipif(os.name != "posix", reason="groups of processes are ended on POSIX")
def test_a_command_that_does_not_end_leaves_nothing_at_work_and_little_in_memory(tmp_path):
    """Errors without end go to a file, not into memory; what the command has started is ended with it."""
    script = tmp_path / "noisy.py"
    script.write_text("import os, subprocess, sys\n"
                      "child = subprocess.Popen(['sleep', '1000'])\n"
                      "open(sys.argv[1], 'w').write(str(child.pid))\n"
                      "os.write(2, b'x' * 50_000_000)\n"
                      "child.wait()\n")
    words = [sys.executable, str(script), str(tmp_path / "pid")]
    tracemalloc.start()
    reason = _run_command(words, tmp_path / "run.out", True, 5)
    assert reason == "no end within 5 seconds" and tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    child = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    end = time.monotonic() + 20
    while child.exists() and child.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end, "what the command has started is still at work"
        time.sleep(0.02)
    failing = [sys.executable, "-c", "import sys; sys.stderr.write('y' * 9_000 + ' the end'); sys.exit(3)"]
    assert _run_command(failing, tmp_path / "run.out", True, None).endswith("y the end")
