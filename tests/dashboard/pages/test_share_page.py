"""The Share page: what is asked for is what the report, the tables and the links hold."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from page_cases import ROOT, address, opened, widget
from test_compare_page import session

from ragdash import read_run, read_truth
from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.share import links
from ragdash.dashboard.pages.share import sections as share_sections
from ragdash.reporting import figure_files
from ragdash.reporting.html.sections import ASKED, SECTIONS


@pytest.fixture()
def asked(monkeypatch):
    """The requests that the page made."""
    found = []
    made = share_sections.build_request

    def noted(*args):
        found.append(made(*args))
        return found[-1]

    monkeypatch.setattr(share_sections, "build_request", noted)
    return found


def test_the_report_is_that_of_the_view(asked):
    opened("share", **session(baseline="new", k="5", slice="kind=hard"))
    request = asked[-1]
    assert request.names == ("old", "new", "same") and request.names[request.baseline] == "new" and request.k == 5
    assert request.slice_title == "kind: hard" and request.queries.sum() == 20
    assert request.sections == tuple(name for name in SECTIONS if name not in ASKED) and request.texts
    assert str(request.specs[0]) == "RR"


def test_sections_and_texts_come_from_the_address(asked):
    at = opened("share", **session(texts="no"), sections=["ledger", "verdict"])
    assert asked[-1].sections == ("verdict", "ledger") and not asked[-1].texts
    assert at.query_params["texts"] in ("no", ["no"]) and set(at.query_params["sections"]) == {"ledger", "verdict"}


def test_without_a_section_there_is_no_report(asked):
    at = opened("share", **session(sections=""))
    assert asked[-1].sections == () and "Choose a section" in "".join(one.value for one in at.caption)


def test_the_full_report_is_next_to_the_one_page_report(asked):
    at = opened("share", **session())
    places = {getattr(block, "label", None) or getattr(block, "value", None): place
              for place, block in enumerate(at.main)}
    assert places["Full report: the page with an appendix"] < places["Link"]


def test_the_links_lead_to_the_page_that_is_chosen_and_leave_this_pages_choices_out():
    at = opened("share", **session())
    widget(at, "selectbox", "to").set_value("compare").run()
    plain, embedded = (one.value for one in at.main.get("code")[:2])
    assert urlsplit(plain).path.endswith("/compare")
    held = parse_qs(urlsplit(plain).query)
    assert held["metric"] == ["RR"] and len(held["run"]) == 3 and not held.keys() & {"sections", "texts", "as", "to"}
    assert {**parse_qs(urlsplit(embedded).query)} == {**held, "embed": ["true"]}


def test_a_link_has_the_appearance_that_is_chosen_and_none_at_first():
    at = opened("share", **session())
    control = next(one for one in at.get("button_group") if "Dark" in one.options)
    for look in ("", "light", "dark"):
        if look:
            next(one for one in at.get("button_group") if one.key == control.key).set_value(look).run()
        plain, embedded = (urlsplit(one.value).query for one in at.main.get("code")[:2])
        assert not at.exception and all((f"{look}_theme" in query if look else "_theme" not in query)
                                        for query in (plain, embedded)), (look, plain)


def test_one_run_alone_has_no_table_of_differences():
    assert "tests" not in str(widget(opened("share", **session(("old",))), "selectbox", "table").options)


def test_the_report_of_one_run_compares_nothing():
    one, two = (opened("share", **session(names)) for names in (("old",), ("old", "new")))
    titles = [next(field.placeholder for field in at.text_input if field.label == "Title") for at in (one, two)]
    assert titles == ["One retrieval configuration measured", "Retrieval configurations compared"]


def test_all_pictures_need_neither_kaleido_nor_a_browser_on_the_server(monkeypatch):
    monkeypatch.setattr(figure_files, "find_browser", lambda: None)
    at = opened("share", **session(), state={"browser_pictures": True})
    assert "Install Chromium" not in "".join(item.value for item in at.caption)
    assert [item.label for item in at.get("download_button")].count("Download all as Plotly JSON (ZIP)") == 1
    charts = at.get("plotly_chart")
    assert len(charts) > 5 and f"{len(charts)} pictures: scroll down" in "".join(item.value for item in at.caption)
    heights = [json.loads(chart.proto.spec)["layout"]["height"] for chart in charts]
    assert max(heights) + 40 <= share_sections.PREVIEW_HEIGHT, "each is seen as a whole"


FUSING = "What to build next"  # how the sentence on a better hybrid begins


def test_a_report_says_whether_a_hybrid_would_help_where_it_is_asked_to(monkeypatch):
    folder, reports = ROOT / "sample_runs", []
    made = share_sections._report_maker
    monkeypatch.setattr(share_sections, "_report_maker", lambda *args: reports.append(made(*args)) or reports[-1])
    runs = [read_run(folder / f"{name}.jsonl") for name in ("sparse", "dense")]
    where = address(read_truth(folder / "truth.jsonl"), runs)
    at = opened("share", **where)
    assert "hybrid" not in at.session_state["sections"]
    widget(at, "button_group", "_report_hybrid").set_value("section").run()
    one_page = reports[-2]().decode()
    assert "Would a hybrid help?" in one_page and "Yes: build this hybrid: Weighted sum of scores" in one_page
    assert "No router beats one weight" in one_page
    assert "Yes: build this hybrid" not in reports[0]().decode() and FUSING in reports[0]().decode()
    widget(at, "button_group", "_report_hybrid").set_value("none").run()
    assert FUSING not in reports[-2]().decode()
    at = opened("share", **where, sections=["hybrid"])
    assert at.session_state["sections"] == ["hybrid"] and "No router beats one weight" in reports[-1]().decode()
    at = opened("share", **address(read_truth(folder / "truth.jsonl"), runs[:1]), sections=["hybrid", "verdict"])
    assert at.session_state["sections"] == ["verdict"]  # one run has nothing to fuse


def test_typed_texts_are_there_after_a_visit_to_another_page(asked):
    at = opened("share", **session())
    texts = {"_report_title": "Spring", "_report_author": "Search team", "view_name": "Old or new", "view_note": "Why"}
    for key, text in texts.items():
        at.text_input(key=key).set_value(text).run()
    at.switch_page("pages/compare.py").run()
    at.switch_page("pages/share.py").run()
    assert not at.exception and {key: at.text_input(key=key).value for key in texts} == texts
    assert (asked[-1].title, asked[-1].author) == ("Spring", "Search team")


def test_the_address_to_embed_is_folded_away_since_it_is_as_long_as_the_link():
    at = opened("share", **session())
    (fold,) = [block for block in at.main.get("expander") if "iframe" in block.label]
    assert not fold.proto.expanded and "embed=true" in fold.get("code")[0].value
    assert sum("embed=true" in code.value for code in at.main.get("code")) == 1


def test_the_link_opens_the_page_that_the_visitor_came_from():
    at = opened("compare", **session())
    for page in ("compare", "queries"):
        at.switch_page(f"pages/{page}.py").run()
        at.switch_page("pages/share.py").run()
        assert widget(at, "selectbox", "to").value == page
        assert urlsplit(at.main.get("code")[0].value).path.endswith(f"/{page}")
    widget(at, "selectbox", "to").set_value("failures").run()
    assert widget(at.run(), "selectbox", "to").value == "failures"
    assert widget(opened("share", **session()), "selectbox", "to").value == "overview"
    assert widget(opened("share", **session(to="ranking")), "selectbox", "to").value == "ranking"


def test_the_links_of_thirty_runs_are_shown_whole(monkeypatch):
    """Runs with names of their own, which the link spells out."""
    drawn = {}
    monkeypatch.setattr(links.st, "code", lambda text, **more: drawn.update({text: more["height"]}))
    runs = [Run.build(f"run-{number:02}", ["q1", "q1"], ["a", f"b{number}"]) for number in range(30)]
    of_runs = address(Truth.build("qrels", ["q1"], ["a"], [1]), runs)
    opened("share", **of_runs | {"run": [f"{token}-by-hand" for token in of_runs["run"]]})
    assert [(len(text) > 350, height) for text, height in drawn.items() if "run=" in text] == [(True, "content")] * 2
