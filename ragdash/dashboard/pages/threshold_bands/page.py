"""Is it good enough?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note
from ragdash.dashboard.pages.leaderboard import sections as leaderboard_sections
from ragdash.dashboard.pages.threshold_bands import bands_file, evidence_threshold, score_cutoffs
from ragdash.dashboard.pages.threshold_bands import sections as threshold_bands_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Threshold bands", "Is it good enough?")
    context = page_context.current()

    finding = st.container(key="finding")
    with st.container(horizontal=True, vertical_alignment="bottom", key="band_bar"):
        source_container = st.container(width="content")
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard_sections.choose_metrics()
        with st.popover("Bands file", icon=":material/upload_file:", key="bands_of_my_own"):
            bands_file.render_file_panel()
    bands_file.render_file_note()

    requested, unreadable = page_context.specs([context.selection.template, *columns], context.k)
    specs, unfit = context.results.computable(requested)
    elements.problems([*unreadable, *unfit], "metrics")
    if specs:
        with source_container:
            source = threshold_bands_sections.choose_source(specs)
        rated = threshold_bands_sections.rate_metrics(context, specs, source)
        threshold_bands_sections.render_finding(context, rated, finding)
        threshold_bands_sections.render_figures(context, rated)
        threshold_bands_sections.render_targets(context, rated)
        judge_note.render_judge_note(context, specs)
        threshold_bands_sections.render_slices(context, rated)
    score_cutoffs.render(context)
    evidence_threshold.render(context)
