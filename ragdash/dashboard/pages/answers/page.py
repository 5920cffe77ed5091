"""Are the answers right and grounded?"""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.pages.answers import answer_browser
from ragdash.dashboard.pages.answers import sections as answers_sections
from ragdash.dashboard.widgets import elements


def render() -> None:
    """Draw the page."""
    elements.title("Answers", "Are the answers right and grounded?")
    context = page_context.current()

    finding = st.container(key="finding")
    bar = st.container(horizontal=True, vertical_alignment="bottom", key="answer_bar")
    with bar, st.popover("Choose metrics", icon=":material/tune:", key="choose"):
        columns = answers_sections.choose()

    wanted, unreadable = page_context.specs([*columns, *answers_sections.of_sidebar(context)], context.k)
    specs, unfit = context.results.computable([*wanted, *answers_sections.rule(context)])
    elements.problems([*unreadable, *unfit], "metrics")
    board = answers_sections.board(context, [spec for spec in wanted if spec in specs])
    with bar:
        spec = answers_sections.metric(board)
    answers_sections.finding(board, spec, finding)
    answers_sections.tables(board, spec)
    answers_sections.pictures(board, spec)
    answer_browser.one_by_one(board, spec)
    answers_sections.correlation(board)
