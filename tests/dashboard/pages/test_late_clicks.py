"""A click that arrives when the page already shows the next thing, and texts that cannot be stored."""

from __future__ import annotations

from dataclasses import replace

import pytest
from page_cases import opened, shown, texts, widget
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from test_compare_page import session
from test_files import with_runs
from test_queries_page import NOTES, the_truth
from test_queries_page import opened as queries
from test_testset_page import the_set

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import workspace
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.session import state
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.experiments.testset import DraftDecisionStore, Sets
from ragdash.workspace.reviews import ReviewStore
from ragdash.workspace.saved_views import SavedViews


def step(at: AppTest, key: str) -> AppTest:
    """Click a button; returns the page as the browser still shows it."""
    seen, button = at._tree, widget(at, "button", key)
    shown(button.click().run())
    button._value = False
    at._tree = seen
    return at


def reviewed() -> set[str]:
    """The queries that have a review."""
    return {event.query_id for event in ReviewStore().read(the_truth().judged_digest).events}


@pytest.mark.parametrize(("kind", "key", "value"), [
    ("button_group", "review_verdict", "wrong run"), ("text_area", "review_note", "a note"),
    ("button", "grade_2", None)])
def test_a_late_review_is_not_one_of_the_next_query(kind, key, value):
    at = queries(query="q03", tab=NOTES, case="", read="open")
    at.session_state["read"] = True
    shown(at.run())
    step(at, "query_next")
    late = widget(at, kind, key)
    shown((late.click() if value is None else late.set_value(value)).run())
    assert at.session_state["query"] != "q03" and reviewed() <= {"q03"}


def test_a_late_decision_is_not_one_of_the_next_draft():
    drafts = the_set()
    Sets().keep(drafts)
    at = opened("test-set", state={state.SET: "moon"})
    first = at.session_state["draft"]
    step(at, "draft_next")
    shown(widget(at, "button", "draft_accept").click().run())
    assert at.session_state["draft"] != first and set(DraftDecisionStore().read(drafts.digest)) <= {first}


def test_a_note_that_cannot_be_stored_stays_in_its_box(monkeypatch):
    def full(*_):
        facts = {"reason": "No space left on device", "nothing_kept": True}
        raise InputError([Problem("unusable-reviews/full", facts)])

    at = queries(query="q03", tab=NOTES)
    with monkeypatch.context() as patch:
        patch.setattr(ReviewStore, "add", full)
        shown(widget(at, "text_area", "review_note").set_value("an hour of thought").run())
        assert "No space left on device" in "".join(one.value for one in at.error) and "Not saved." in texts(at)
        assert widget(at, "text_area", "review_note").value == "an hour of thought"
        shown(widget(at, "button", "query_next").click().run())
        assert widget(at, "text_area", "review_note").value == "" and "Not saved." not in texts(at)
        shown(widget(at, "button", "query_before").click().run())
        assert widget(at, "text_area", "review_note").value == "an hour of thought"
    again = next(one for one in at.button if one.label == "Save again")
    shown(again.click().run())
    assert "Not saved." not in texts(at) and reviewed() == {"q03"}
    assert widget(at, "text_area", "review_note").value == "an hour of thought"


def test_the_view_in_the_question_is_replaced_and_no_other():
    at = opened("compare", **session(baseline="new", k="5", detail="queries"))
    at.switch_page("pages/share.py").run()
    for name, note in (("one", "first"), ("two", "first"), ("one", "second")):
        widget(at, "text_input", "view_name").set_value(name)
        widget(at, "text_input", "view_note").set_value(note)
        shown(widget(at, "button", "save_view").click().run())
    widget(at, "text_input", "view_name").set_value("two")  # typed after the question about "one"
    shown(widget(at, "button", "replace_view").click().run())
    assert {view.name: view.note for view in SavedViews(workspace()).list()} == {"one": "second", "two": "first"}


def test_what_was_seen_is_undone_removed_or_read_again_and_nothing_else(monkeypatch):
    at = opened("data", **with_runs(2))
    first, second = at.session_state["_runs"]
    monkeypatch.setattr(loading.st, "session_state", at.session_state)
    at.session_state[state.REMOVED_RUN] = (0, replace(first, digest="0" * 32, origin=""), False)
    loading.restore_run(second.digest)
    assert at.session_state["_runs"] == (first, second)
    truth = at.session_state["_truth"]
    loaded_truths.remove_used("another")
    assert at.session_state["_truth"] == truth
    files = at.session_state["_files"]
    loading.change_role(loading.FileRecord("gone.run", "", "run", "", content=b"q1 Q0 d1 1 2.0 a\n", key="ab"), "truth")
    assert at.session_state["_files"] == files


@pytest.mark.parametrize("kind", ["judgement", "verdict"])
@pytest.mark.parametrize("replaces", [False, True])
def test_what_another_tab_stored_meanwhile_is_not_taken_back_or_replaced_unseen(kind, replaces):
    at = queries(query="q03", tab=NOTES, case="", read="open")
    at.session_state["read"] = True
    at = shown(at.run())
    if kind == "judgement":
        button = widget(at, "button", "grade_1")
        shown(button.click().run())
        (event,) = ReviewStore().read(the_truth().judged_digest).events
        other, press = replace(event, value="2"), lambda: widget(
            at, "button", "grade_0" if replaces else "grade_none").click()
    else:
        shown(widget(at, "button_group", "review_verdict").set_value("fine").run())
        (event,) = ReviewStore().read(the_truth().judged_digest).events
        other, press = replace(event, value="wrong run"), lambda: widget(
            at, "button_group", "review_verdict").set_value("wrong gold" if replaces else None)
    ReviewStore().add(the_truth().judged_digest, [other])  # another tab
    shown(press().run())
    kept = ReviewStore().read(the_truth().judged_digest)
    assert {**kept.judgments, **kept.verdicts} == {
        (event.query_id, event.doc_id or event.run): 2 if kind == "judgement" else "wrong run"}
    assert any("changed elsewhere" in warning.value for warning in at.warning) or "changed elsewhere" in texts(at)
    shown(press().run())
    kept = ReviewStore().read(the_truth().judged_digest)
    stored = [*kept.judgments.values(), *kept.verdicts.values()]
    assert stored == (([0] if kind == "judgement" else ["wrong gold"]) if replaces else []), "what was seen is changed"


def test_a_click_before_the_sidebar_is_drawn_changes_no_choice_of_it():
    """The browser sends no value of a field that it has not drawn, and would draw it at its first option: k = 1."""
    at = queries()
    for name, key, value in (("selectbox", "k", "10"), ("selectbox", "metric", "nDCG@k")):
        field = widget(at, name, key)
        assert field.proto.set_value and field.value == value
    shown(at._run(WidgetStates()))
    for key in ("k", "metric"):
        assert widget(at, "selectbox", key).proto.set_value
    shown(at.run())
    assert not widget(at, "selectbox", "k").proto.set_value, "it is drawn now: what is chosen meanwhile stays"
    assert widget(at, "selectbox", "k").value == "10"
