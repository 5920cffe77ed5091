"""A judge asked from the page, as a person does it: address, plan, start, progress, what came of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from live_dashboard import first_visit

pytestmark = pytest.mark.browser
SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
SECRET = "sk-typed-by-hand-4711"


def test_from_the_samples_to_verdicts(visit, serve, fresh_server):  # its verdicts would be on pages of other tests
    app = first_visit(visit(fresh_server), "metrics?about=AP")
    assert app.page.get_by_role("heading", name="MAP").count() == 1
    app.go("Data").upload(*(str(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse", "truth")))
    app.page.get_by_role("heading", name="Runs (2)").wait_for()
    app.settle().go("Answers").part("part", "LLM judge").calm()
    page = app.page
    server = serve(delay=1.0)  # at work until the other visitor has come
    address = page.locator(".st-key-_judge_url input")
    address.click()
    address.fill(server.url)
    page.wait_for_timeout(300)
    address.press("Enter")
    app.settle()
    page.locator(".st-key-_judge_model input").fill("toy")
    page.locator(".st-key-_judge_model input").press("Enter")
    app.settle()
    page.get_by_text("Typed key").click()
    app.settle()
    page.locator(".st-key-_judge_key input").fill(SECRET)
    page.locator(".st-key-_judge_key input").press("Enter")
    app.settle()
    assert page.locator(".st-key-_judge_key input").get_attribute("type") == "password"
    page.get_by_role("button", name="Plan", exact=True).click()
    page.locator(".st-key-judge_start").wait_for()
    app.settle().calm()
    said = page.inner_text(".st-key-judge_planned")
    assert "this machine" in said and re.search(r"Calls\s+4\d\d", said) and not server.asked
    page.locator(".st-key-judge_start button").click()
    page.locator(".st-key-judge_stop").wait_for()
    other = visit(fresh_server, color_scheme="dark", viewport={"width": 390, "height": 844})
    other.open(page.url)
    other.page.get_by_text(re.compile("is judging dense and sparse")).wait_for()
    other.calm()
    app.go("Compare")
    server.delay = 0.0
    app.go("Answers")
    assert "part=judge" in page.url, "the tab that was open"
    page.get_by_text(re.compile("Done: ")).wait_for(timeout=180_000)
    app.settle().calm()
    assert {one["Authorization"] for one in server.seen} == {f"Bearer {SECRET}"}
    assert len(server.asked) == len({str(body["messages"]) for body in server.asked})
    assert page.get_by_role("heading", name="Results").count() == 1
    assert SECRET not in page.url and SECRET not in page.inner_text("body")
    page.get_by_role("link", name="dense: worst first").click()
    page.get_by_role("heading", name="Queries", level=1).wait_for()
    assert "metric=Faithfulness" in app.settle().page.url
    app.go("Answers").part("part", "Judge validation").part("desk", "Label answers")
    page.locator(".st-key-of input").click()
    page.get_by_role("option", name="sparse", exact=True).click()
    app.until(lambda: page.evaluate("document.activeElement === document.body"))  # a field that was used lets go
    app.settle()
    assert "Answer 1 of 50" in page.inner_text(".st-key-label_desk")
    page.keyboard.press("s")
    page.get_by_text("Answer 2 of 50").wait_for()
