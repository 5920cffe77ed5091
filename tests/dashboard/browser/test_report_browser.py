"""The report in a real browser without a network, and the Share page: what is clicked is what is downloaded."""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "report"))
from hostile import runs_and_truth

from ragdash.core.records import Run, Truth
from ragdash.io import read_run, read_truth
from ragdash.matching.match import Match
from ragdash.reporting.html.content import ReportRequest
from ragdash.reporting.html.report_page import build_report
from ragdash.reporting.html.sections import ONE_PAGE

pytestmark = pytest.mark.browser
SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
INK = "getComputedStyle(document.querySelector('[data-figure=means] .annotation-text')).fill"  # of a label in a figure
COLOR_RULES = ["color-contrast", "link-in-text-block"]
PAPER = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    truth = read_truth(SAMPLES / "truth.jsonl")
    runs = [read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(build_report(ReportRequest(tuple(Match(run, truth) for run in runs))))
    return path


@pytest.fixture()
def show(browser):
    """Open a file without a network: show(path, **settings) -> (page, faults); faults: errors and requests."""
    contexts = []

    def start(path: Path, **settings):
        contexts.append(browser.new_context(offline=True, **settings))
        page, faults = contexts[-1].new_page(), []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith(
            ("file:", "data:", "blob:")) else None)
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.goto(path.as_uri())
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        return page, faults

    yield start
    for context in contexts:
        context.close()


def drawn_at(page, *widths: int) -> None:
    """Everything is drawn, and fits a window of each of these widths."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth + 1", timeout=10_000)
        count = page.locator("[data-figure]").count()
        assert count >= 10 and page.locator("[data-figure] .main-svg").count() >= count


def accessible(page, axe_source: str | None, **options) -> None:
    if axe_source:
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe_source)
        result = page.evaluate(
            "async options => (await axe.run(document, {resultTypes: ['violations'], ...options}))"
            ".violations.flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 200), n.failureSummary]))", options)
        assert not result, result[:5]


def test_the_report_draws_itself_without_a_network_changes_its_appearance_and_offers_no_upload(show, file, axe_source):
    page, faults = show(file, color_scheme="light", bypass_csp=bool(axe_source))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    drawn_at(page, 1200)
    names = page.locator(".modebar-btn").evaluate_all("buttons => buttons.map(button => button.dataset.title)")
    assert names and not [name for name in names if "share" in name.lower() or "cloud" in name.lower()]
    assert not page.locator("a[href*=plotly]").count()
    drawn_at(page, 390)
    assert page.evaluate(PAPER) == "rgb(255, 255, 255)" and page.evaluate(INK) == "rgb(11, 16, 22)"
    accessible(page, axe_source)
    button = page.get_by_role("button", name="Change to the dark appearance")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"{INK} === 'rgb(232, 236, 241)'")
    assert page.get_by_role("button", name="Change to the light appearance").count() == 1
    assert page.evaluate(PAPER) == "rgb(16, 20, 24)"
    accessible(page, axe_source, runOnly=COLOR_RULES)  # the rules that an appearance can break
    assert not faults


def test_a_dark_screen_gets_a_dark_report_and_paper_is_white_whatever_the_screen_is(show, file):
    page, faults = show(file, color_scheme="dark", viewport={"width": 390, "height": 900})
    drawn_at(page, 390, 1200)
    assert page.evaluate(PAPER) == "rgb(16, 20, 24)"
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(PAPER) == "rgb(255, 255, 255)"
    page.wait_for_function(f"{INK} === 'rgb(11, 16, 22)'")
    assert page.evaluate("Math.max(...[...document.querySelectorAll('.main-svg')].map(s => s.clientWidth))") <= 680
    assert page.pdf(format="A4").startswith(b"%PDF") and not faults


@pytest.fixture(scope="module")
def one_page(tmp_path_factory) -> dict[str, Path]:
    """The one-page report of the samples, and of 30 runs with long names, long questions and five kinds of checks."""
    truth = read_truth(SAMPLES / "truth.jsonl")
    runs = [read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    long_names = [f"retriever-with-a-long-name-and-settings-{index:02}-" + "chunk-" * 20 for index in range(30)]
    rows = [f"q{row}" for row in range(12)]
    long_text = "a question that goes on and on " * 60
    hard = Truth.build("t" * 200, rows, [f"{'d' * 150}{row}" for row in range(12)], np.ones(12, int), details=pa.table(
        {"query_id": rows, "query": [long_text] * 12, "answers": [[long_text]] * 12}))
    many = [Run.build(name, rows[:12 - index % 3], [f"{'d' * 150}{row + (row % 4 == index % 4)}"
                                                    for row in range(12 - index % 3)],
                      [1.0] * (12 - index % 3), texts=[long_text] * (12 - index % 3))
            for index, name in enumerate(long_names)]
    folder, paths = tmp_path_factory.mktemp("page"), {}
    for name, own, judged in (("samples", runs, truth), ("many", many, hard)):
        paths[name] = folder / f"{name}.html"
        paths[name].write_bytes(build_report(ReportRequest(tuple(Match(run, judged) for run in own), title="A title",
                                                           sections=ONE_PAGE, author="A", date="2026-11-22")))
    return paths


@pytest.mark.parametrize("name", ["samples", "many"])
def test_the_one_page_report_prints_on_two_pages_at_most(show, one_page, name):
    page, faults = show(one_page[name])
    assert page.locator("#summary article").count() == 3 and page.locator("#summary .dots").count() == 1
    for paper in ("A4", "Letter"):
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) <= 2, paper
    assert not faults


def test_on_a_phone_the_table_reads_without_scrolling_and_no_toolbar_covers_a_picture(show, one_page):
    page, _ = show(one_page["samples"], viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    assert page.locator(".modebar-btn").count() == 0
    table = page.locator("#summary .wide")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert "scrolls" not in (table.get_attribute("class") or ""), "no hint where there is nothing to scroll"
    title = "getComputedStyle(document.querySelector('#summary td'), '::before').content"
    assert page.evaluate(title) == '"NDCG@10"', "each number has the heading of its column"
    row, name, track = (f".dots-row:first-child{part}" for part in ("", " .dots-name", " .dots-track"))
    assert page.locator(name).bounding_box()["width"] == page.locator(row).bounding_box()["width"], "long names"
    assert page.locator(name).bounding_box()["y"] < page.locator(track).bounding_box()["y"]
    page.set_viewport_size({"width": 1300, "height": 800})
    assert page.evaluate(title) == "none"


def test_the_one_page_report_fits_a_tablet(show, one_page):
    """No text leaves the card of its query, and no column of the table is hidden."""
    page, faults = show(one_page["samples"], viewport={"width": 900, "height": 900})
    outside = """[...document.querySelectorAll(".query")].flatMap(card => [...card.querySelectorAll("*")].filter(
        part => part.getBoundingClientRect().right > card.getBoundingClientRect().right).map(part => part.outerHTML))"""
    assert not page.evaluate(outside) and page.locator(".query").count() == 3
    assert not page.locator("#summary .scrolls").count() and not faults


def test_without_scripts_the_words_and_tables_are_there(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert "has the highest NDCG@10" in page.inner_text("#verdict")
    assert "Mean NDCG@10 of each run" in page.inner_text("[data-figure=means]")
    context.close()


def test_no_script_of_the_data_runs_and_no_request_leaves(show, tmp_path):
    runs, truth = runs_and_truth()
    path = tmp_path / "hostile.html"
    path.write_bytes(build_report(ReportRequest(tuple(Match(run, truth) for run in runs))))
    page, faults = show(path)
    for place in page.locator("summary").all():
        place.click()
    for figure in page.locator("[data-figure]").all()[:4]:
        figure.hover()
    page.wait_for_timeout(500)
    assert page.evaluate("typeof window.pwned") == "undefined" and not faults
    assert "<script>window.pwned=1</script> 0" in page.inner_text("#leaderboard")


def test_the_policy_stops_what_got_in(browser, one_page, tmp_path):
    """Were the escaping to fail, the content security policy would still hold: nothing runs, nothing is asked for."""
    asked: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    bad = (f"<script>window.pwned=1</script><img src='http://127.0.0.1:{server.server_port}/x.png' onerror='pwned=2'>"
           f"<link rel=stylesheet href='http://127.0.0.1:{server.server_port}/x.css'><main")
    path = tmp_path / "broken.html"
    path.write_bytes(one_page["samples"].read_bytes().replace(b"<main", bad.encode(), 1))
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    page.evaluate(f"fetch('http://127.0.0.1:{server.server_port}/f').catch(() => 0)")
    page.wait_for_timeout(300)
    assert page.evaluate("typeof window.pwned") == "undefined" and not asked
    context.close()
    server.shutdown()


def downloaded(app, name: str) -> Path:
    with app.page.expect_download(timeout=60_000) as download:
        app.page.get_by_role("button", name=name, exact=True).click()
    return Path(download.value.path())


def test_the_share_page_gives_links_the_report_the_tables_and_every_picture_as_data(visit, samples_link):
    app, other = visit().open(samples_link.replace("/?", "/share?") + "&to=compare"), visit()
    app.page.get_by_text("Address for a wiki or a slide").click()
    app.settle()
    links = [code.inner_text().strip() for code in app.page.get_by_test_id("stCode").all()]
    assert "/compare?" in links[0] and parse_qs(urlsplit(links[1]).query)["embed"] == ["true"]
    for link in links[:2]:
        other.open(link)
        assert "has the highest NDCG@10" in other.page.inner_text(".st-key-finding")
        other.calm()
    one_page = downloaded(app, "Download the one-page report").read_text()
    assert 'id="summary"' in one_page and 'id="verdict"' not in one_page
    app.page.get_by_text("Full report: the page with an appendix").click()
    app.settle()
    app.page.locator(".st-key-sections").get_by_text("Threshold bands").click()
    app.settle()
    app.page.locator(".st-key-texts").get_by_text("Left out", exact=True).click()
    app.settle()
    content = downloaded(app, "Download the full report").read_text()
    assert 'id="bands"' not in content and 'id="verdict"' in content and "left out on request" in content
    lines = downloaded(app, "Download the table").read_text().splitlines()
    assert lines[0] == "Run,NDCG@10,Recall@10,Precision@10,MRR,Hit rate@10,n" and len(lines) == 1 + 3
    app.calm()
    app.go("Compare").part("detail", "Means")
    app.page.get_by_role("tab", name="Download").last.click()
    app.settle()
    figure = json.loads(downloaded(app, "Plotly JSON").read_text())
    assert len(figure["data"]) == 3
    app.calm()
