"""A widget that is used while the server draws a page without it: the choice comes too late, and breaks nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import streamlit as st

from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import clicks, fields

DASHBOARD = Path(clicks.__file__).parents[1]


@pytest.fixture
def session(monkeypatch):
    values: dict = {state.UNSAVED_TEXTS: {}}
    monkeypatch.setattr(st, "session_state", values)
    return values


def test_a_late_choice_is_not_taken(session):
    taken: list = []
    clicks.take_choice("role", taken.append)
    assert taken == []
    session["role"] = "a run"
    clicks.take_choice("role", taken.append)
    assert taken == ["a run"]


def test_a_late_text_is_said_not_to_be_saved(session):
    fields._store("note", pytest.fail, "note", None)
    (problem,) = state.notice()
    assert problem.kind == "late-text" and "note" in str(problem) and "not saved" in str(problem)


def test_callbacks_take_their_choice_by_the_helper():
    """A callback that reads its widget with st.session_state[key] raises a KeyError where the widget is gone."""
    found = []
    for file in DASHBOARD.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if not isinstance(call, ast.keyword) or call.arg not in ("on_change", "on_click"):
                continue
            found += [f"{file.name}:{node.lineno}" for node in ast.walk(call.value)
                      if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.session_state"]
    assert found == []


def test_labels_become_no_examples_where_their_number_has_left_the_page():
    """The button is pressed on what the browser still shows."""
    source = (DASHBOARD / "pages" / "answers" / "validation" / "example_labels.py").read_text()
    (button,) = [call for call in ast.walk(ast.parse(source)) if isinstance(call, ast.Call) and call.args
                 and ast.unparse(call.args[0]) == "'Use labels as examples'"]
    click = {keyword.arg: ast.unparse(keyword.value) for keyword in button.keywords}
    assert click["on_click"] == "clicks.take_choice" and click["args"].startswith("(state.EXAMPLES_PER_CLASS, ")


def test_a_choice_that_is_no_option_any_more_has_a_text():
    """Streamlit takes the text of such a choice where its format function raises; None it cannot send."""
    found = []
    for file in DASHBOARD.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in (
                    "multiselect", "pills", "segmented_control", "select_slider"):
                found += [f"{file.name}:{call.lineno}" for keyword in call.keywords
                          if keyword.arg == "format_func" and ast.unparse(keyword.value).endswith(".get")]
    assert found == []
