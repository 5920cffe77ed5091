"""What does it cost?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import pricing, spending, state, view, widgets  # noqa: E402

widgets.title("Speed & cost", "How long do the configurations take, what do they cost, and what does that buy?")
now = view.current()
widgets.problems(state.notice(), "notice")

prices = pricing.current()
board = spending.board(now, prices)
with st.container(key="finding"):
    spending.finding(board)
spending.tables(board)
for spec in spending.measured(now):
    spending.trade(board, spec)
spending.times(board)
pricing.editor(now, prices)
