"""The LLM judge tab: what does judging cost, how far is it, and what are its results?"""

from __future__ import annotations

import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import run_panel, sections, verdict_files


def render(context: PageContext) -> None:
    """Draw the tab."""
    data = judges_data.load(context)
    sections.summary(data)
    if data is not None:
        sections.results(data)
        st.header("Run a judge", anchor=False, help=tooltip("llm_judge"))
    run_panel.run_panel(context)
    verdict_files.verdict_files(context, data)
