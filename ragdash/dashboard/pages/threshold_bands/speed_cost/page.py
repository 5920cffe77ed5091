"""How long do the runs take, what do they cost, and what does that buy?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import data as speed_cost_data
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.pages.threshold_bands.speed_cost import sections as speed_cost_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render(context: PageContext) -> None:
    """Draw speed and cost against quality."""
    elements.problems(state.notice(), "notice")
    prices = price_table.current_prices()
    data = speed_cost_data.build_data(context, prices)
    with st.container(key="finding"):
        speed_cost_sections.render_finding(data)
    speed_cost_sections.render_tables(data)
    for spec in speed_cost_sections.measurable_specs(context):
        speed_cost_sections.render_trade_off(data, spec)
    speed_cost_sections.render_times(data)
    price_table.render_editor(context, prices)
