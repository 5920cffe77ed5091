"""Which setting matters? Many runs of one configuration with other settings."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.components import repeat_lines, verdict_panel
from ragdash.dashboard.components.fragments import redrawn_alone
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare import setting_grid
from ragdash.dashboard.pages.compare.variants import sections, table
from ragdash.dashboard.pages.compare.variants.data import VariantsData, build_data
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements

PARTS = {"effects": "Effects", "runs": "Runs", "parallel": "All settings", "settings": "Two settings",
         "compromises": "Quality, latency, cost"}


def render() -> None:
    """Draw the page."""
    elements.title("Variants", "Which setting matters?")
    singles = page_context.current()
    verdict_panel.render_warnings(singles)
    context = repeat_lines.merged(singles, same_settings=True)
    data = build_data(context)
    with st.container(key="finding"):
        sections.render_finding(data)
        if repeat_lines.has_repeats(singles, same_settings=True):
            repeat_lines.render_switch()
    render_parts(context, data)


@redrawn_alone("variants")
def render_parts(context: PageContext, data: VariantsData) -> None:
    """One part of the page at a time."""
    part = elements.choose_part("Variants", PARTS, state.VARIANTS_PART)
    if part == "settings":
        if setting_grid.groupable(context):
            setting_grid.render(context, data.spec, data.by_effect)
        else:
            elements.empty("Nothing to group", "No setting has at most 15 values that runs share.")
        return
    {"effects": sections.render_effects, "runs": table.render, "parallel": sections.render_parallel,
     "compromises": sections.render_compromises}[part](data)
