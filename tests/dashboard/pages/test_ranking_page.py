"""Pages about rankings: what is said where no query has a relevant document."""

from __future__ import annotations

import pytest
from page_cases import address, charts, opened, texts

from ragdash.core.records import Run, Truth
from ragdash.dashboard import page_list


@pytest.mark.parametrize("page", ["ranking", "precision-recall", "what-if"])
def test_without_a_relevant_document_a_page_says_so_instead_of_drawing_empty_pictures(page):
    truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], [0, 0])
    runs = [Run.build(docs, ["q1", "q2"], list(docs), [2.0, 1.0]) for docs in ("ab", "ba")]
    at = opened(page, **address(truth, runs))
    assert "No relevant document is known" in [one.value for one in at.header]
    assert "0%" not in texts(at) and not charts(at)


def test_pages_about_relevant_documents_are_grayed_where_none_is_known():
    needy = [entry for entry in page_list.entries() if page_list.RELEVANT in entry.needs]
    assert [entry.path for entry in needy] == ["precision-recall", "ranking", "what-if"]
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
