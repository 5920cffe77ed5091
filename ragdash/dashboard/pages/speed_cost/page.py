"""What does it cost?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.speed_cost import data, price_table
from ragdash.dashboard.pages.speed_cost import sections as speed_cost_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Speed & cost", "How long do the configurations take, what do they cost, and what does that buy?")
    context = page_context.current()
    elements.problems(state.notice(), "notice")

    prices = price_table.current()
    board = data.board(context, prices)
    with st.container(key="finding"):
        speed_cost_sections.finding(board)
    speed_cost_sections.tables(board)
    for spec in speed_cost_sections.measured(context):
        speed_cost_sections.trade(board, spec)
    speed_cost_sections.times(board)
    price_table.editor(context, prices)
