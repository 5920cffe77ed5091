"""Is it good enough? The runs on their bands and targets; speed and cost against quality as a second part."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import judge_note, repeat_lines, run_picker, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare import leaderboard
from ragdash.dashboard.pages.threshold_bands import bands_file
from ragdash.dashboard.pages.threshold_bands import sections as threshold_bands_sections
from ragdash.dashboard.pages.threshold_bands.speed_cost import page as speed_cost_page
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements

PARTS = {"bands": "Bands and targets", "speed": "Speed and cost"}
QUESTIONS = {"bands": "Is it good enough?", "speed": "Is it worth its time and money?"}


def render() -> None:
    """Draw the page."""
    part = state.get(state.choice_key(state.BANDS_PART, list(PARTS), next(iter(PARTS))))
    elements.title("Threshold bands", QUESTIONS[part])
    context = page_context.current()
    part = elements.choose_part("Threshold bands", PARTS, state.BANDS_PART)
    {"bands": render_bands, "speed": render_speed}[part](context)


def render_speed(context: PageContext) -> None:
    """Speed and cost against quality."""
    verdict_panel.render_warnings(context)
    speed_cost_page.render(context)


def render_bands(context: PageContext) -> None:
    """Every run on its bands, against the targets, and by slice."""
    finding = st.container(key="finding")
    verdict_panel.render_warnings(context)
    repeat_lines.note_singles(context)
    with st.container(horizontal=True, vertical_alignment="bottom", key="band_bar"):
        source_container = st.container(width="content")
        with st.popover("Choose metrics", icon=":material/tune:", key="choose"):
            columns = leaderboard.choose_metrics()
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
        drawn = run_picker.choose_drawn(context)
        threshold_bands_sections.render_figures(context, drawn, rated)
        threshold_bands_sections.render_targets(context, drawn, rated)
        judge_note.render_judge_note(context, specs)
        threshold_bands_sections.render_slices(context, drawn, rated)
