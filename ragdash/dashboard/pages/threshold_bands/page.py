"""Is it good enough?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.pages.leaderboard import sections as leaderboard_sections
from ragdash.dashboard.pages.threshold_bands import evidence_threshold, score_cutoffs
from ragdash.dashboard.pages.threshold_bands import sections as threshold_bands_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Threshold bands", "Is it good enough?")
    context = page_context.current()

    finding = st.container(key="finding")
    with st.container(horizontal=True, vertical_alignment="bottom", key="band_bar"):
        by = st.container(width="content")
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard_sections.choose()
        with st.popover("Bands file", icon=":material/upload_file:", key="bands_of_my_own"):
            threshold_bands_sections.file_panel()
    threshold_bands_sections.file_note()

    wanted, unreadable = page_context.specs([context.selection.template, *columns], context.k)
    specs, unfit = context.results.computable(wanted)
    elements.problems([*unreadable, *unfit], "metrics")
    if specs:
        with by:
            source = threshold_bands_sections.choose_source(specs)
        rated = threshold_bands_sections.rated(context, specs, source)
        threshold_bands_sections.findings(context, rated, finding)
        threshold_bands_sections.pictures(context, rated)
        threshold_bands_sections.targets(context, rated)
        judge_note.note(context, specs)
        threshold_bands_sections.by_slice(context, rated)
    score_cutoffs.panel(context)
    evidence_threshold.panel(context)
