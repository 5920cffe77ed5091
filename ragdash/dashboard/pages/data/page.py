"""What is loaded, and can it be compared?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import link_notes, page_context
from ragdash.dashboard.components import page_links
from ragdash.dashboard.jobs import first_view
from ragdash.dashboard.pages.data import (
    audit_panel,
    comparability,
    corpus_upload,
    file_metrics,
    workspace_list,
)
from ragdash.dashboard.pages.data import sections as data_sections
from ragdash.dashboard.pages.data.columns import column_mapping, proposed_reading
from ragdash.dashboard.pages.data.evidence import evidence_threshold
from ragdash.dashboard.pages.data.relink import relink_section
from ragdash.dashboard.session import relevance, state
from ragdash.dashboard.widgets import elements

PARTS = {"loaded": "Runs and judgments", "evidence": "Evidence threshold", "relink": "Re-link judgments"}
OFFERED = {"evidence": relevance.evidence_available, "relink": relink_section.available}


def render() -> None:
    """Draw the page."""
    elements.title("Data", "What is loaded, and can it be compared?")
    elements.notice(state.notice(), "notice")
    parts = [part for part in PARTS if part not in OFFERED or OFFERED[part]()]
    part = elements.choose_part("Data", {part: PARTS[part] for part in parts}, state.DATA_PART)
    {"loaded": render_loaded, "evidence": render_evidence, "relink": relink_section.render}[part]()


def render_evidence() -> None:
    """The evidence threshold and the pairs that are close to it."""
    evidence_threshold.render(page_context.current())


def render_loaded() -> None:
    """The drop field, the runs and judgments of this session, and what the workspace has."""
    link_notes.note_missing_data()
    data_sections.render_upload_field()
    data_sections.note_repeated_files()
    data_sections.render_files()
    proposed_reading.render()
    proposed_reading.render_joined_ids()
    column_mapping.render()
    data_sections.render_removed_run()

    if state.runs():
        st.header(f"Runs ({len(state.runs())})", anchor=False)
        data_sections.render_runs()
        file_metrics.render()
        comparability.render()
        st.header("Judgments", anchor=False)
        data_sections.render_truth()
        if state.truth():
            page_links.link("overview", "See the result", icon=":material/home:")
    elif state.truth():
        st.header("Judgments", anchor=False)
        data_sections.render_truth()
        elements.empty("No runs yet", "Drop the files that your retrieval configurations wrote, one file for each.")
    else:
        corpus_upload.render_note(None)
        elements.empty(
            "Nothing is loaded yet",
            "Drop the result files of your configurations together with the relevance judgments (qrels), "
            "or open the samples.",
        )
    workspace_list.render()
    audit_panel.render()
    if request := page_context.compute_ahead():
        first_view.begin(request)
    page_links.link("test-set", "Test set: check it, make and review questions", icon=":material/quiz:")
