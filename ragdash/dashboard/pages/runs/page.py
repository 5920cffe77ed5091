"""What have I loaded?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.runs import column_mapping, comparability, corpus_upload, workspace_list
from ragdash.dashboard.pages.runs import sections as runs_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Runs", "What is loaded, and can it be compared?")
    page_context.note_missing_runs()
    elements.problems(state.notice(), "notice")
    runs_sections.render_upload_field()
    runs_sections.render_files()
    column_mapping.render()

    if state.runs():
        st.header(f"Runs ({len(state.runs())})", anchor=False)
        runs_sections.render_runs()
        comparability.render()
        st.header("Judgements", anchor=False)
        runs_sections.render_truth()
        if state.truth():
            st.page_link("pages/leaderboard.py", label="See which run is best", icon=":material/leaderboard:")
    elif state.truth():
        st.header("Judgements", anchor=False)
        runs_sections.render_truth()
        elements.empty("No runs yet", "Drop the files that your retrieval configurations wrote, one file for each.")
    else:
        corpus_upload.render_note(None)
        elements.empty(
            "Nothing is loaded yet",
            "Drop the result files of your configurations together with the relevance judgements (qrels), "
            "or open the samples.",
        )
    workspace_list.render()
