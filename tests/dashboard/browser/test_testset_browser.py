"""The Test set page as a person works with it: keys, an edit, a server that is killed, both themes, a narrow screen."""

from __future__ import annotations

import pytest
from live_dashboard import start_server
from test_testset_page import the_set

from ragdash.experiments.testset import Sets, drafts_jsonl

pytestmark = pytest.mark.browser


def test_decisions_made_by_keys_outlive_a_killed_server(browser, visit, tmp_path):
    Sets(tmp_path / "workspace").keep(the_set())
    process, url = start_server(tmp_path / "first.log")
    app = visit(url).open("test-set")
    app.page.keyboard.press("a")
    app.page.get_by_text("Draft 2 of 3 shown").wait_for()
    app.settle()
    app.page.keyboard.press("x")
    app.page.get_by_text("Draft 3 of 3 shown").wait_for()
    app.settle()
    field = app.page.locator(".st-key-draft_question textarea")
    field.fill("What did Luna 24 weigh?")
    field.press("Control+Enter")
    app.page.get_by_text("Edited by you").wait_for()
    app.settle().calm()
    assert app.page.locator(".st-key-one_draft mark").count() == 0
    process.kill()
    process.wait(60)
    process, again = start_server(tmp_path / "second.log")
    try:
        app = visit(again).open("test-set")
        assert "1 accepted" in app.page.inner_text("[data-testid=stMain]")
        assert "1 rejected by you" in app.page.inner_text("[data-testid=stMain]")
        assert app.page.locator(".st-key-one_draft mark").inner_text() == "Luna 24 landed in the Sea of Crises in 1976."
        app.page.keyboard.press("n")
        app.page.get_by_text("Draft 2 of 3 shown").wait_for()
        app.settle().page.keyboard.press("n")
        app.page.get_by_text("Edited by you").wait_for()
    finally:
        process.terminate()
        process.wait(60)


def test_it_fits_a_telephone_and_can_be_read_by_all(visit, axe, fresh_server):
    app = visit(fresh_server, viewport={"width": 390, "height": 844}).open("test-set")
    app.upload({"name": "drafts.jsonl", "mimeType": "application/jsonl", "buffer": drafts_jsonl(the_set())})
    app.page.get_by_text("Draft 1 of 3 shown").wait_for()
    app.settle()
    app.page.evaluate(axe)
    for scheme in ("light", "dark"):
        app.appear(scheme).calm()
        app.page.get_by_text("Draft 1 of 3 shown").wait_for()
        found = app.page.evaluate("axe.run('[data-testid=stMain]', {runOnly: ['wcag2a', 'wcag2aa']})")
        wrong = [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found["violations"]
                 if one["impact"] in ("serious", "critical") and one["id"] != "scrollable-region-focusable"]
        assert not wrong, wrong
