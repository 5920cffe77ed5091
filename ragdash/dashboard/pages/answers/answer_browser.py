"""The answers of one run, worst first, and one of them with its reference, its contexts and its unsupported words."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import tables as answers_tables
from ragdash.dashboard.pages.answers.data import KINDS, NAMES, REST, UNKNOWN, Told
from ragdash.dashboard.pages.answers.sections import Board
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt

ALL, DECLINED = "all", "declined"
CONTEXTS, LONG = 20, 1_500  # contexts shown, characters of each
WIDTHS = {"Question": 300, "Reading": 190, "Answer": 340, "Reference": 240}  # pixels
TALL = 320  # pixels of the table at most


def one_by_one(board: Board, spec: Spec) -> None:
    """A table of the queries of one run, worst first, and the chosen one below it."""
    context = board.context
    st.header(f"Answers one by one, {'worst' if spec.metric.better else 'highest'} {spec.title} first", anchor=False)
    held = [at for at in range(len(context.entries)) if any(at in board.defined(one) for one in board.specs)]
    names = {context.digests[at]: context.names[at] for at in held}
    usual = context.digests[context.baseline if context.baseline in held else held[0]]
    key = state.choice_key(state.LOOKED, list(names), usual)
    with st.container(horizontal=True, vertical_alignment="bottom", key="answer_choice"):
        if len(names) > 1:
            st.selectbox("Run", list(names), format_func=names.get, key=key, width=240, persist_state="session")
        at = context.digests.index(state.get(state.LOOKED))
        mask = _kind(board, at)
    told = answers_data.told(context.digests[at], context.scope)
    one, near = board.values[at], board.rules[at].column(answers_data.table().spec)
    order = answers_data.worst_first(spec, one.column(spec), near)
    rows = order[mask[order]]
    if not len(rows):
        st.caption("No query is of this kind.")
        return
    ids = [told.ids[row] for row in rows]
    state.choice_key(state.QUERY, ids, ids[0])
    table = answers_tables.queries(told, rows, spec, board.specs, one.values, board.kinds(at), board.refused[at])
    elements.frame(table, f"answer_rows_{state.get(state.KIND)}", f"{fmt.count(len(rows), 'query', 'queries')}, worst "
                  f"{spec.title} first", height=min(38 + 35 * len(rows), TALL), pick=partial(_show, ids), widths=WIDTHS)
    _steps(ids)
    kind = state.get(state.KIND)
    query_links.link("All runs side by side for these queries", context.digests[at],
                     **{state.READINGS: [] if kind == ALL else [kind], state.QUERY: state.get(state.QUERY),
                        state.RIGHT: state.get(state.RIGHT)})
    _one(board, at, told, told.ids.index(state.get(state.QUERY)))


def _kind(board: Board, at: int) -> np.ndarray:
    """Which queries of a run are shown: (Q,) bool; every kind bears its number of queries."""
    kinds, refused = board.kinds(at), board.refused[at] == 1
    masks = {ALL: np.ones(len(kinds), bool), **{name: kinds == place for place, name in enumerate(NAMES)},
             DECLINED: refused}
    titles = {ALL: "All", **{name: title for name, (title, _, _) in KINDS.items()}, UNKNOWN: REST, DECLINED: "Declined"}
    known = any(masks[name].any() for name in KINDS)
    options = [name for name, mask in masks.items() if mask.any() or name == ALL or (known and name in KINDS)]
    st.segmented_control("Queries", options, required=True, key=state.choice_key(state.KIND, options, ALL), wrap=True,
                         persist_state="session", format_func=lambda name: f"{titles[name]} {int(masks[name].sum()):,}",
                         help="The kinds of the picture above. Answers that decline are counted apart: each of them "
                              "is also of one of the other kinds.")
    return masks[state.get(state.KIND)]


def _show(ids: list[str], row: int) -> None:
    st.session_state[state.QUERY] = ids[row]


def _steps(ids: list[str]) -> None:
    """To the answer before and behind."""
    place = ids.index(state.get(state.QUERY))
    with st.container(horizontal=True, vertical_alignment="center", key="answer_steps"):
        st.button("Previous", icon=":material/arrow_back:", key="answer_before", disabled=place == 0, on_click=_show,
                  args=(ids, max(place - 1, 0)))
        st.button("Next", icon=":material/arrow_forward:", key="answer_next", disabled=place == len(ids) - 1,
                  on_click=_show, args=(ids, min(place + 1, len(ids) - 1)))
        st.caption(f"{place + 1:,} of {len(ids):,}; a click at the left edge of a row shows its answer.")


def _one(board: Board, at: int, told: Told, row: int) -> None:
    """One answer: marked, with its values, reference and contexts."""
    with st.container(border=True, key="answer_one"):
        question = told.questions[row]
        st.subheader(fmt.escape(told.ids[row] + (f": {question[:400]}" if question else "")), anchor=False)
        values = [f"{spec.title} **{fmt.number(board.values[at].values[row, place])}**"
                  for place, spec in enumerate(board.specs)]
        kind = [title for title, _, _ in KINDS.values()] + [REST]
        declined = ["declined"] if board.refused[at][row] == 1 else []
        st.caption(" · ".join([", ".join([kind[board.kinds(at)[row]], *declined]), *values]))
        left, right = st.columns(2, gap="large")
        with left:
            _answer(board, at, told, row)
            st.markdown("**Reference**" if len(told.references[row]) < 2 else "**References**, the best one counts")
            for text in told.references[row] or (None,):
                st.html(texts.paragraph_html(texts.text_html(text)))
        with right:
            _contexts(told, row)


def _answer(board: Board, at: int, told: Told, row: int) -> None:
    answer, contexts = told.answers[row], told.contexts[row]
    st.markdown(f"**Answer** of {elements.swatch(board.context.slots[at], board.context.names[at])}")
    page, said = answer_html.answer_support(answer, contexts, elements.theme())
    st.html(page)
    if answer is not None and len(answer) > texts.LONGEST:
        st.caption(f"The first {texts.LONGEST:,} of {len(answer):,} characters.")
    if said:
        st.caption(fmt.escape(said))


def _contexts(told: Told, row: int) -> None:
    contexts = told.contexts[row]
    if contexts is None:
        st.markdown("**Contexts**")
        st.caption("Not known: the run holds neither contexts nor texts for this query.")
        return
    st.markdown(f"**Contexts** ({len(contexts):,})" if told.given else
                f"**Texts of the first {fmt.count(len(contexts), 'document')}**")
    if not told.given:
        st.caption("They stand in for the contexts, which the run does not tell.")
    if not contexts:
        st.caption("None was given.")
    st.html(texts.list_html(contexts, CONTEXTS, LONG))
    if len(contexts) > CONTEXTS:
        st.caption(f"The first {CONTEXTS} of {len(contexts):,}.")
