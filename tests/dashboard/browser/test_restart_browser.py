"""A restart of the server loses neither the view of an open page nor what a person has labeled and decided."""

from __future__ import annotations

import os
import signal

import pytest
from live_dashboard import App, first_visit, free_port, link_to, start_server, stop, visitor
from test_browser import copied_link
from test_testset_page import the_set
from trust_cases import a_run, judged, scores, the_truth

from ragdash import io
from ragdash.analysis.judge_validation import LabelStore
from ragdash.experiments.testset import drafts_jsonl

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NARROW = {"width": 390, "height": 844}
MAIN = "[data-testid=stMain]"
AXE_ON_DRAFTS = "axe.run('[data-testid=stMain]', {runOnly: ['wcag2a', 'wcag2aa']})"


class Restarts:
    """A server that is killed and started again at the same address, with the same workspace."""

    def __init__(self, folder):
        self.folder, self.port, self.starts = folder, free_port(), 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        self.process, self.url = start_server(self.folder / f"{self.starts}.log", port=self.port,
                                              RAGDASH_WORKSPACE=str(self.folder / "workspace"))

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(60)

    def restart_under(self, app: App) -> None:
        """Kill and start while a page is open, which asks for its view by itself."""
        self.kill()
        before = app.finished
        self.start()
        app.until(lambda: app.finished > before)
        app.drawn()


@pytest.fixture()
def restarts(tmp_path):
    server = Restarts(tmp_path)
    yield server
    stop(server.process, tmp_path / f"{server.starts}.log")


def label_three_answers(app: App) -> None:
    """By a click, by a key and by a click."""
    app.page.get_by_role("button", name="Label answers").last.click()
    app.settle()
    labeling = app.page.locator(".st-key-label_desk")
    labeling.get_by_text("0 of 50", exact=True).wait_for()
    app.page.locator("[class*=st-key-label_y-] button").click()
    labeling.get_by_text("1 of 50", exact=True).wait_for()
    app.settle()
    app.page.keyboard.press("n")
    labeling.get_by_text("2 of 50", exact=True).wait_for()
    app.settle()
    app.page.locator("[class*=st-key-label_i-] button").click()
    labeling.get_by_text("3 of 50", exact=True).wait_for()
    labeling.get_by_text("Answer 4 of 50").wait_for()
    app.settle().calm()


def drafts_fit_a_telephone_and_can_be_read_by_all(app: App, axe_source: str | None) -> None:
    app.page.set_viewport_size(NARROW)
    if axe_source:
        app.page.evaluate(axe_source)
    for scheme in ("light", "dark"):
        app.appear(scheme).calm()
        app.page.get_by_text("Draft 1 of 3 shown").wait_for()
        faults = app.page.evaluate(AXE_ON_DRAFTS)["violations"] if axe_source else []
        wrong = [(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in faults
                 if rule["impact"] in ("serious", "critical") and rule["id"] != "scrollable-region-focusable"]
        assert not wrong, wrong
    app.resize(1440).appear("light")


def decide_drafts_by_keys(app: App) -> None:
    """Accept the first, reject the second, edit the third."""
    app.page.keyboard.press("a")
    app.page.get_by_text("Draft 2 of 3 shown").wait_for()
    app.settle()
    app.page.keyboard.press("x")
    app.page.get_by_text("Draft 3 of 3 shown").wait_for()
    app.settle()
    field = app.page.locator("[class*=st-key-draft_question-] textarea")
    field.fill("What did Luna 24 weigh?")
    field.press("Control+Enter")
    app.page.get_by_text("Edited by you").wait_for()
    app.settle().calm()
    assert app.page.locator(".st-key-one_draft mark").count() == 0


def labels_are_there(app: App, runs: str) -> None:
    app.page.set_viewport_size(NARROW)
    app.follow(runs.replace("/?", "/answers?part=validation&desk=label&"))
    app.page.locator(".st-key-label_desk").get_by_text("3 of 50", exact=True).wait_for()
    app.settle().calm()


def decisions_are_there(app: App, runs: str) -> None:
    app.follow(runs.replace("/?", "/test-set?test_set_part=drafts&"))
    app.page.get_by_text("1 accepted").first.wait_for()
    assert "1 rejected by you" in app.settle().page.inner_text(MAIN)
    assert app.page.locator(".st-key-one_draft mark").inner_text() == "Luna 24 landed in the Sea of Crises in 1976."
    app.page.keyboard.press("n")
    app.page.get_by_text("Draft 2 of 3 shown").wait_for()
    app.settle().page.keyboard.press("n")
    app.page.get_by_text("Edited by you").wait_for()
    app.settle()


def no_runs_are_missing(app: App) -> None:
    assert app.page.get_by_text("No runs are loaded yet").count() == 0
    app.calm()


def test_views_links_labels_and_decisions_are_there_after_two_kills(browser, restarts, tmp_path, monkeypatch,
                                                                    axe_source):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    names = ("truth", "dense", "sparse")
    paths = [str(tmp_path / f"{name}.jsonl") for name in names]
    io.write_truth(the_truth(), paths[0])
    for name, path in zip(names[1:], paths[1:], strict=True):
        io.write_run(a_run(name), path)
    run, truth = io.read_run(paths[1]), io.read_truth(paths[0])
    judged(run, truth, scores(1))
    app, faults, context = visitor(browser, restarts.url)
    try:
        first_visit(app, "leaderboard?k=5").follow("/data").upload(*paths)
        runs = link_to(app, runs=2)
        label_three_answers(app.follow(runs.replace("/?", "/answers?part=validation&")))
        app.follow(runs.replace("/?", "/test-set?test_set_part=drafts&")).upload(
            {"name": "drafts.jsonl", "mimeType": "application/jsonl", "buffer": drafts_jsonl(the_set())})
        app.page.get_by_text("Draft 1 of 3 shown").wait_for()
        drafts_fit_a_telephone_and_can_be_read_by_all(app.settle(), axe_source)
        decide_drafts_by_keys(app)
        app.follow(runs.replace("/?", "/compare?"))
        link, leaderboard = copied_link(app), app.page.get_by_test_id("stTable").first.inner_text()
        app.go("Ranking")
        restarts.restart_under(app)
        assert sorted(LabelStore().read(run.digest, "Faithfulness").values()) == [0.0, 0.5, 1.0]
        choice = app.page.get_by_test_id("stSidebar").get_by_role("combobox", name="Metric")
        before = choice.input_value()
        choice.click()
        app.page.keyboard.press("ArrowDown")
        app.after_a_run(lambda: app.page.keyboard.press("Enter"))
        assert choice.input_value() != before, "the first click after a kill"
        no_runs_are_missing(app)
        restarts.restart_under(app)
        no_runs_are_missing(app.go("Failures"))
        app.go("Data").page.get_by_role("heading", name="Runs (2)").wait_for()
        context.close()
        other, more, context = visitor(browser, restarts.url)
        other.open(link).calm()
        assert other.page.get_by_test_id("stTable").first.inner_text() == leaderboard
        labels_are_there(other, runs)
        decisions_are_there(other, runs)
        assert not faults + more
    finally:
        context.close()
