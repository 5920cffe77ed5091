"""Are the answers right and grounded?"""

from ragdash.ui import shell

shell.ensure()

import streamlit as st  # noqa: E402  (the shell must run first)

from ragdash.ui import answer_reading, answering, view, widgets  # noqa: E402

widgets.title("Answers", "Are the answers right and grounded?")
now = view.current()

finding = st.container(key="finding")
bar = st.container(horizontal=True, vertical_alignment="bottom", key="answer_bar")
with bar, st.popover("Choose metrics", icon=":material/tune:", key="choose"):
    columns = answering.choose()

wanted, unreadable = view.specs([*columns, *answering.of_sidebar(now)], now.k)
specs, unfit = view.measurable(now, [*wanted, *answering.rule(now)])
widgets.problems([*unreadable, *unfit], "metrics")
board = answering.board(now, [spec for spec in wanted if spec in specs])
with bar:
    spec = answering.metric(board)
answering.finding(board, spec, finding)
answering.tables(board, spec)
answering.pictures(board, spec)
answer_reading.one_by_one(board, spec)
answering.correlation(board)
