"""Pages about rankings: what is said where no query has a relevant document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import pyarrow as pa
import pytest
from page_cases import address, charts, keys, opened, texts, widget

from ragdash.core.records import Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard import page_list


@pytest.mark.parametrize("page", ["ranking", "precision-recall", "what-if"])
def test_without_a_relevant_document_a_page_says_so_instead_of_drawing_empty_pictures(page):
    truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], [0, 0])
    runs = [Run.build(docs, ["q1", "q2"], list(docs), [2.0, 1.0]) for docs in ("ab", "ba")]
    at = opened(page, **address(truth, runs))
    assert "No relevant document is known" in [one.value for one in at.header]
    assert "0%" not in texts(at) and not charts(at)


def test_pages_about_relevant_documents_are_grayed_where_none_is_known():
    needy = {entry.path for entry in page_list.entries() if page_list.RELEVANT in entry.needs}
    assert needy >= {"precision-recall", "ranking", "what-if"}
    assert needy.isdisjoint({"compare", "score-cutoffs", "answers", "failures", "queries", "threshold-bands"})
    run = Run.build("run", ["q1"], ["a"], [0.5])
    for grade, grayed in ((0, True), (1, False)):
        at = opened("overview", **address(Truth.build("truth", ["q1"], ["a"], [grade]), [run]))
        assert ("Needs relevance judgments" in [one.value for one in at.sidebar.caption]) is grayed, grade


def test_one_run_alone_has_neither_a_baseline_nor_a_choice_of_runs_and_no_ready_comparison():
    queries, docs = [f"q{n}" for n in range(24)], list("ab" * 12)
    run = Run.build("alone", queries, docs, [0.5] * 24)
    at = opened("overview", **address(Truth.build("truth", queries, ["a"] * 24, [1] * 24), [run]))
    assert {"Baseline", "Runs shown"}.isdisjoint(one.label for one in (*at.sidebar.selectbox, *at.sidebar.multiselect))
    assert "More queries would make the interval narrower." in texts(at)


def many_runs(count: int, places: Iterable[int] = (), **more) -> dict:
    """The address of a session with runs of which the later ones rank the relevant document lower, or at these places.
    """
    queries = [f"q{n}" for n in range(8)]
    runs = [Run.build(f"run-{place:02d}", [query for query in queries for _ in range(count)],
                      [*("a" if rank == place else f"x{rank}" for rank in range(count))] * len(queries),
                      [*range(count, 0, -1)] * len(queries)) for place in places or range(count)]
    return address(Truth.build("truth", queries, ["a"] * len(queries), [1] * len(queries)), runs, **more)


@pytest.mark.parametrize(("page", "key"), [("ranking", "at_RR"), ("precision-recall", "curve_P"),
                                           ("score-cutoffs", "sweep"), ("compare/similarity", "likeness_matrix"),
                                           ("threshold-bands", "bands_R_10"), ("compare/differences", "forest")])
def test_of_many_runs_pictures_draw_the_best_and_the_baseline_say_so_and_draw_all_when_asked(page, key):
    def names(at) -> set[str]:
        chart = charts(at)[key]
        labels = json.dumps([chart["layout"].get("yaxis", {}).get("ticktext", []),
                             [note["text"] for note in chart["layout"].get("annotations", [])],
                             [trace.get("name") for trace in chart["data"]]])
        return set(re.findall(r"run-\d\d", labels))

    at = opened(page, **many_runs(14, baseline="run-12", candidate="run-11"))
    best = {"run-00", "run-01", "run-02", "run-03", "run-11", "run-12"}
    assert names(at) == (best - {"run-12"} if key == "forest" else best)
    assert "show 6 of 14 runs" in texts(at) and "tab has all 14" in texts(at)
    widget(at, "button_group", "drawn").set_value("all").run()
    assert len(names(at)) == 14 - (key == "forest") and "6 of 14" not in texts(at)


def test_a_name_has_one_short_form_in_pictures_of_few_of_many_runs_and_on_the_page():
    """By themselves the best six would be called by what these six differ in."""
    queries = [f"q{n}" for n in range(8)]
    names = [f"e5-large-v2_chunk{256 if place < 6 else 512}_overlap_{place:02d}_rerank-bge-v2" for place in range(12)]
    runs = [Run.build(name, [query for query in queries for _ in names],
                      [*("a" if rank == place else f"x{rank}" for rank in range(len(names)))] * len(queries),
                      [*range(len(names), 0, -1)] * len(queries)) for place, name in enumerate(names)]
    at = opened("ranking", **address(Truth.build("truth", queries, ["a"] * 8, [1] * 8), runs))
    on_page, of_six = short_names(names, NARROW_NAME), short_names(names[:6], NARROW_NAME)
    assert not set(on_page) & set(of_six), "else this case shows nothing"
    chart = json.dumps(charts(at)["at_RR"], ensure_ascii=False)
    assert all(name in chart for name in on_page[:6]) and not any(name in chart for name in of_six)


def test_as_many_runs_as_there_are_colors_are_all_drawn_without_a_choice():
    at = opened("ranking", **many_runs(6))
    assert len(charts(at)["at_RR"]["data"]) == 6 and "drawn" not in keys(at, "button_group")


@pytest.mark.parametrize(("count", "shown"), [(5, 5), (14, 6)])
def test_pictures_have_the_runs_in_the_order_of_the_leaderboard_not_of_loading(count, shown):
    at = opened("ranking", **many_runs(count, range(count - 1, -1, -1), baseline="run-02"))
    heat_map, order = charts(at)["first_rank"], [f"run-{place:02d}" for place in range(shown)]
    assert heat_map["layout"]["yaxis"]["ticktext"] == order
    assert [row[0][0] for row in heat_map["data"][0]["customdata"]] == order
    assert [trace["name"] for trace in charts(at)["at_RR"]["data"]] == order


@pytest.mark.parametrize("page", ["overview", "compare/differences", "compare/slices", "compare/similarity", "ranking",
                                  "precision-recall", "score-cutoffs", "test-set"])
def test_sentences_call_runs_by_the_short_names_of_the_tables(page):
    """Names of 60 letters and more have no room, and the same run would have two names on one page."""
    queries = [f"q{n}" for n in range(30)]
    details = pa.table({"query_id": queries, "attributes": [json.dumps({"kind": "ab"[n % 2]}) for n in range(30)]})
    truth = Truth.build("truth", queries, ["a"] * 30, [1] * 30, details=details)
    runs = [Run.build(f"{word}-with-a-name-that-is-longer-than-every-row-has-room-for-{word}", [
        query for query in queries for _ in range(4)], [
            *("a" if rank == (at + n * (n % 3)) % 4 else f"x{rank}" for n in range(30) for rank in range(4))],
                      [score + n * 7 % 5 / 3 for n in range(30) for score in (4, 3, 2, 1)])
            for at, word in enumerate(("dense", "sparse", "hybrid"))]
    at = opened(page, **address(truth, runs))
    said = texts(at).replace("\\", "")
    assert "dense" in said and "that-is-longer-than-every-row" not in said


def test_two_runs_without_a_query_that_has_a_value_in_both_have_no_picture_of_it():
    truth = Truth.build("t", ["p", "q"], ["a", "b"], [1, 1])
    runs = [Run.build("x", ["p"], ["a"], [1.0]), Run.build("y", ["q"], ["b"], [1.0])]
    at = opened("ranking", **address(truth, runs, missing="skip"))
    assert not at.exception
    assert "No query has a value of NDCG@10 in both runs." in texts(at)
    assert "first_rank" in charts(at) and "per_query" not in charts(at)
