"""Is the test set any good? The loaded one, or one whose questions a model writes."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard.pages.test_set import check_sections, creation, draft_editor, production, sections
from ragdash.dashboard.pages.test_set import data as test_set_data
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.experiments.testset import Sets

PARTS = {"check": "Check", "drafts": "Make questions", "production": "Production"}


def render() -> None:
    """Draw the page: the check of the loaded test set, or drafts, which come first where there is a set of them."""
    elements.title("Test set", "Is the test set any good?")
    has_drafts = state.DRAFTS in st.session_state or bool(Sets().names())
    order = ["drafts"] if not check_sections.has_judgments() else ["drafts", "check"] if has_drafts else list(PARTS)[:2]
    order += ["production"] if production.has_test_set() else []
    part = elements.choose_part("Test set", {name: PARTS[name] for name in order}, state.TEST_SET_PART)
    {"check": check_sections.render, "drafts": render_drafts, "production": production.render}[part]()


def render_drafts() -> None:
    """Make a set, review its drafts, export them."""
    creation.new_set()
    data = test_set_data.load()
    sections.summary(data)
    ids = sections.table(data)
    draft_editor.render_draft(data, ids)
    sections.export(data)
