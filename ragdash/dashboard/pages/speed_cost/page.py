"""What does it cost?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.speed_cost import data as speed_cost_data
from ragdash.dashboard.pages.speed_cost import price_table
from ragdash.dashboard.pages.speed_cost import sections as speed_cost_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Speed & cost", "How long do the configurations take, what do they cost, and what does that buy?")
    context = page_context.current()
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
