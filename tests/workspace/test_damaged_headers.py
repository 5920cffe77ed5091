"""Headers of recorded runs with any value in any place: each is a header whose dates can be used, or a problem."""

from __future__ import annotations

import copy
import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from helpers import call

import ragdash
from ragdash.analysis.tracking.gate import gate
from ragdash.analysis.tracking.pinned_baseline import pin, read_baseline
from ragdash.analysis.tracking.points import in_order, point_of
from ragdash.core.errors import InputError
from ragdash.core.records import RunHeader, Truth
from ragdash.evaluation.compare import ComparisonRules
from ragdash.io.recorded.folder import log_entries, unreadable_runs
from ragdash.io.recorded.question_log import read_log
from ragdash.reporting.tables.gate import render_gate
from ragdash.workspace.recording import RecordingWarning

ODD = (None, True, -1, 0, 1e308, 2**63 - 1, 2**53 + 1, "", "x", [], {}, [None], {"a": None}, [[1]],
       "2026-13-45T00:00:00+00:00", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-01-01")
TRUTH = {"q1": ["d1"]}


def changed(document: dict, odd_values: Sequence[object] = ODD):
    """The document with each odd value in each place."""
    def places(value: object, here: tuple = ()):
        yield here
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
                value, list) else ():
            yield from places(inner, (*here, key))

    for place in places(document):
        for odd in odd_values:
            copied = odd if not place else copy.deepcopy(document)
            if place:
                target = copied
                for key in place[:-1]:
                    target = target[key]
                target[place[-1]] = odd
            yield orjson.dumps(copied)


@pytest.fixture
def recorded(tmp_path) -> Path:
    """The folder of a recorded run, with everything in its header."""
    with ragdash.record("dense", settings={"k": 3}, tags=["a"], group="g", data={"truth": "d"}, folder=tmp_path) as run:
        run.add("q1", ["d1"])
    values = orjson.loads((run.path / "header.json").read_bytes())
    values |= {"git": {"commit": "abc", "branch": "main", "dirty": False, "origin": "o"}, "removed": ["key"]}
    (run.path / "header.json").write_bytes(orjson.dumps(values))
    return run.path


def test_a_header_with_an_odd_value_is_a_problem_or_can_be_used(recorded):
    run = ragdash.read_run(recorded)
    evaluation = ragdash.evaluate(run, TRUTH, "RR")
    points, refused = [], 0
    for content in changed(orjson.loads((recorded / "header.json").read_bytes())):
        try:
            header = RunHeader.from_json(content)
        except InputError as error:
            assert error.problems[0].kind == "recorded-header"
            refused += 1
        else:
            points.append(point_of(replace(run, header=header), evaluation))
    assert len(in_order(points)) > 50 and refused > 200
    assert all(point.ended is None or point.ended.year == 2026 for point in points)


def test_a_run_with_a_damaged_header_is_named_and_the_others_are_shown(recorded, capfdbinary):
    with ragdash.record("sparse", folder=recorded.parent) as run:
        run.add("q1", ["d1"])
    truth = recorded.parent / "truth.jsonl"
    truth.write_text('{"query": "q1", "relevant": ["d1"]}\n')
    header = orjson.loads((recorded / "header.json").read_bytes())
    (recorded / "header.json").write_bytes(orjson.dumps({**header, "created": "x", "tags": None}))
    assert [entry.path for entry in log_entries(recorded.parent)] == [run.path]
    assert [problem.file for problem in unreadable_runs(recorded.parent)] == [str(recorded / "header.json")]
    status, out, err = call(capfdbinary, "history", recorded.parent, "--truth", truth, "-m", "RR")
    assert status == 0 and "sparse" in out
    assert "wrong or absent: created, tags" in err and err.startswith("warning: ")


@pytest.mark.parametrize("copied", [["header.json"], ["header.json", "results.jsonl"]])
@pytest.mark.parametrize("header", [None, b"{}"])
def test_files_of_a_run_that_were_copied_into_a_log_folder_hide_no_run(recorded, capfdbinary, copied, header):
    truth = recorded.parent / "truth.jsonl"
    truth.write_text('{"query": "q1", "relevant": ["d1"]}\n')
    with ragdash.record("sparse", folder=recorded.parent) as run:
        run.add("q1", ["d1"])
    for name in copied:
        shutil.copy(recorded / name, recorded.parent)
    if header:
        (recorded.parent / "header.json").write_bytes(header)
    status, out, _ = call(capfdbinary, "history", recorded.parent, "--truth", truth, "-m", "RR")
    assert status == 0 and "sparse" in out and "dense" in out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_named_pipe_in_a_log_folder_is_no_packed_run(recorded):
    os.mkfifo(recorded.parent / "run.zip")
    finder = threading.Thread(target=lambda: found.extend(log_entries(recorded.parent)), daemon=True)
    found: list = []
    finder.start()
    finder.join(20)  # opening a pipe that nobody writes has no end
    assert [entry.path for entry in found] == [recorded]


def test_a_baseline_with_an_odd_value_is_a_problem_or_can_be_compared(recorded):
    run, truth = ragdash.read_run(recorded), Truth.of(TRUTH)
    baseline = pin(ragdash.evaluate(run, truth, "RR"), truth, version="1", run={"git": {"commit": "a"}})
    gates, refused = 0, 0
    written = orjson.loads(baseline.to_bytes())
    del written["header_digest"]  # as in a file of an earlier version, which is not refused for it
    for content in changed(written, ODD[1::4]):
        try:
            result = gate([run], truth, read_baseline(content), rules=ComparisonRules(resamples=40, permutations=10))
            gates += bool(render_gate(result, "table"))
        except InputError:
            refused += 1
    assert gates > 50 and refused > 50


def test_a_closed_run_without_a_query_is_named_and_the_others_are_used(tmp_path, capfdbinary):
    logs, truth = tmp_path / "logs", tmp_path / "truth.jsonl"
    truth.write_text("".join(f'{{"query": "q{number}", "relevant": ["d1"]}}\n' for number in range(8)))
    ragdash.record("nothing", folder=logs).start().close()
    for k in range(4):
        with ragdash.record(f"dense {k}", settings={"k": k}, folder=logs) as run:
            for number in range(8):
                run.add(f"q{number}", ["d1"][:k + number - 2], query="Who?")
    empty = next(logs.glob("*-nothing-*")).name
    for command in ("history", "variants", "bundle"):
        out = ("-o", tmp_path / "site") if command == "bundle" else ()
        status, _, err = call(capfdbinary, command, logs, "--truth", truth, "-m", "RR", *out)
        assert (command, status) == (command, 0)
        assert f"1 recorded run that cannot be read and is left out: {empty}" in err and "without a result" in err
    status, _, err = call(capfdbinary, "history", *sorted(logs.glob("2*")), "--truth", truth, "-m", "RR")
    assert status == 0 and err.count("warning") == 1 and "without a result" in err and empty in err
    assert [problem.message for problem in read_log(logs).problems] == ["recorded-run/empty", "recorded-run/left-out"]
    judged = ragdash.read_truth(truth)
    for function in (ragdash.history, ragdash.variants):
        with pytest.warns(RecordingWarning, match=f"1 recorded run .* left out: {empty}"):
            function(logs, judged, "RR")
    for path in logs.iterdir():
        if path.name.startswith("2") and path.name != empty:
            shutil.rmtree(path)
    status, _, err = call(capfdbinary, "history", logs, "--truth", truth, "-m", "RR")
    assert status == 2 and "without a result" in err


def test_a_run_without_a_judged_query_is_warned_of_in_python(recorded):
    with ragdash.record("other", folder=recorded.parent) as run:
        run.add("q9", ["d1"])
    with pytest.warns(RecordingWarning, match="other"):
        assert len(ragdash.history(recorded.parent, TRUTH, "RR").lines) == 1
