"""A click on the chunk that supports a claim leads to it in the ranking, opened and marked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from judged_cases import judge
from live_dashboard import first_visit, start_server, stop

from ragdash.io import read_runs, read_truth

pytestmark = pytest.mark.browser

AXE_ON_QUERY = "axe.run('.st-key-one_query', {runOnly: ['wcag2a', 'wcag2aa']})"
MARKED_CELLS = "nodes => nodes.filter(node => getComputedStyle(node).outlineStyle === 'solid').length"
SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
FILES = [str(SAMPLES / f"{name}.jsonl") for name in ("dense", "hybrid", "truth")]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A server whose workspace has verdicts of the scripted judge on one query of the samples."""
    folder = tmp_path_factory.mktemp("judged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDASH_WORKSPACE", str(folder / "workspace"))
        for name in FILES[:2]:
            judge(read_runs(name)[0], read_truth(FILES[2]))
    process, url = start_server(folder / "server.log", RAGDASH_FILES=json.dumps(FILES))
    yield url
    stop(process, folder / "server.log")


def test_a_click_on_a_chunk_leads_to_it_and_the_next_query_has_no_mark_of_the_one_before(visit, judged, axe_source):
    app = first_visit(visit(judged), "compare?k=5")
    for scheme, width in (("light", 1440), ("dark", 390)):
        app.page.emulate_media(color_scheme=scheme)
        app.page.set_viewport_size({"width": width, "height": 900})
        app.open("queries?query=q003").calm()
        before = app.page.url
        link = app.page.get_by_role("region", name="Claims of each run").get_by_role("link").first
        place = link.get_attribute("href").removeprefix("#")
        chunk = app.page.locator(f"#{place}")
        assert chunk.count() == 1 and not chunk.is_visible(), "its text is folded away"
        link.click()
        chunk.wait_for()  # it is opened
        app.settle()
        assert chunk.is_visible(), "it stays open"
        top = "node.getBoundingClientRect().top"
        app.page.wait_for_function(f"node => 50 < {top} && {top} < 900", arg=chunk.element_handle())  # below the header
        cell = app.page.locator(f"td:has(#{place})")
        assert cell.evaluate("node => getComputedStyle(node).outlineStyle") == "solid", "it is marked"
        assert app.page.locator("td").evaluate_all(MARKED_CELLS) == 1
        assert app.page.url.endswith(f"#{place}") and re.sub("#.*", "", app.page.url) == re.sub("#.*", "", before)
        app.calm()
        if axe_source:
            app.page.evaluate(axe_source)
            result = app.page.evaluate(AXE_ON_QUERY)
            assert not result["violations"], [(rule["id"], rule["nodes"][0]["html"]) for rule in result["violations"]]
    app.page.get_by_role("button", name="Next").click()
    app.settle().calm()
    app.page.get_by_role("region", name="Claims of each run").wait_for()
    assert app.page.locator("td").evaluate_all(MARKED_CELLS) == 0
