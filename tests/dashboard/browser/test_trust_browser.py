"""Labelling in a browser: three answers by hand and by key, kept at once, there after the server was killed."""

from __future__ import annotations

import os
import signal

import pytest
from live_dashboard import free_port, start_server, stop, visitor
from trust_cases import a_run, judged, scores, the_truth

from ragdash import io
from ragdash.analysis.judge_validation import LabelStore

pytestmark = pytest.mark.browser


def test_three_answers_are_labelled_and_survive_the_server(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    truth_file, run_file = (str(tmp_path / f"{name}.jsonl") for name in ("truth", "dense"))
    io.write_truth(the_truth(), truth_file)
    io.write_run(a_run("dense"), run_file)
    run, truth = io.read_run(run_file), io.read_truth(truth_file)
    judged(run, truth, scores(1))
    port, settings = free_port(), {"RAGDASH_FILES": os.pathsep.join([truth_file, run_file]),
                                   "RAGDASH_WORKSPACE": str(tmp_path / "workspace")}
    process, url = start_server(tmp_path / "first.log", port=port, **settings)
    app, faults, context = visitor(browser, url)
    try:
        app.open("answers?part=validation")
        app.page.get_by_role("button", name="Label answers").last.click()
        app.settle()
        desk = app.page.locator(".st-key-label_desk")
        desk.get_by_text("0 of 50", exact=True).wait_for()
        app.page.locator(".st-key-label_y button").click()
        desk.get_by_text("1 of 50", exact=True).wait_for()
        app.settle()
        app.page.keyboard.press("n")
        desk.get_by_text("2 of 50", exact=True).wait_for()
        app.settle()
        app.page.locator(".st-key-label_i button").click()
        desk.get_by_text("3 of 50", exact=True).wait_for()
        desk.get_by_text("Answer 4 of 50").wait_for()
        app.calm()
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        assert sorted(LabelStore().read(run.digest, "Faithfulness").values()) == [0.0, 0.5, 1.0]
        context.close()
        process, url = start_server(tmp_path / "second.log", port=port, **settings)
        app, more, context = visitor(browser, url, viewport={"width": 390, "height": 844})
        app.open("answers?part=validation&desk=label")
        app.page.locator(".st-key-label_desk").get_by_text("3 of 50", exact=True).wait_for()
        app.calm()
        assert not faults + more
    finally:
        context.close()
        stop(process, tmp_path / "second.log")
