"""The answers of one run, worst first, and one of them with its reference, its contexts and its unsupported words."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import tables as answers_tables
from ragdash.dashboard.pages.answers.data import KIND_NAMES, KINDS, QUADRANTS, UNKNOWN, UNKNOWN_TITLE, AnswerTexts
from ragdash.dashboard.pages.answers.sections import AnswersData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.dashboard.widgets.conversation import earlier_messages
from ragdash.dashboard.widgets.steps import steps
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt

ALL, DECLINED = "all", "declined"
MAX_CONTEXTS, MAX_CONTEXT_LENGTH = 20, 1_500  # contexts shown, characters of each
KIND_WIDTH = texts.text_width(f"{title}, declined" for title, *_ in QUADRANTS.values())
COLUMN_WIDTHS = {"Question": 300, "Kind": KIND_WIDTH, "Answer": 340, "Reference": 240}  # pixels
MAX_TABLE_HEIGHT = 283  # pixels of the table at most


def render(data: AnswersData, spec: Spec) -> None:
    """A table of the queries of one run, worst first, and the chosen one below it."""
    context = data.context
    extreme = "worst" if spec.metric.better else "highest"
    st.header(f"Answers one by one, {extreme} {fmt.escape(spec.title)} first", anchor=False)
    run_indices = [
        index
        for index in range(len(context.entries))
        if any(index in data.runs_with_values(column_spec) for column_spec in data.specs)
    ]
    short = short_names(context.names, PAGE_NAME)
    names = {context.digests[index]: short[index] for index in run_indices}
    usual = context.digests[context.baseline if context.baseline in run_indices else run_indices[0]]
    key = state.choice_key(state.LOOKED, list(names), usual)
    with st.container(horizontal=True, vertical_alignment="bottom", key="answer_choice"):
        if len(names) > 1:
            st.selectbox("Run", list(names), format_func=names.get, key=key, width=240, persist_state="session")
        run_index = context.digests.index(state.get(state.LOOKED))
        mask = _choose_queries(data, run_index)
    answer_texts = answers_data.read_answer_texts(context.digests[run_index], context.scope)
    evaluation, token_f1 = (
        data.values[run_index],
        data.quadrant_evaluations[run_index].column(answers_data.token_f1_bands().spec),
    )
    order = answers_data.worst_first(spec, evaluation.column(spec), token_f1)
    rows = order[mask[order]]
    if not len(rows):
        st.caption("No query is of this kind.")
        return
    ids = [answer_texts.ids[row] for row in rows]
    state.choice_key(state.QUERY, ids, ids[0])
    table = answers_tables.queries_table(
        answer_texts, rows, spec, data.specs, evaluation.values, data.quadrants(run_index), data.refusals[run_index]
    )
    elements.frame(
        table,
        f"answer_rows_{state.get(state.KIND)}",
        f"{fmt.query_count(len(rows))}, worst {spec.title} first",
        height=min(38 + 35 * len(rows), MAX_TABLE_HEIGHT),
        items=range(len(ids)),
        pick=partial(_select_query, ids),
        widths=COLUMN_WIDTHS,
    )
    _render_navigation(ids)
    kind = state.get(state.KIND)
    label = "All runs side by side for these queries" if len(context.names) > 1 else "Rankings of these queries"
    query_links.link(label, context.digests[run_index],
                     **{state.READINGS: [] if kind == ALL else [kind], state.QUERY: state.get(state.QUERY),
                        state.RIGHT: state.get(state.RIGHT)})
    _render_answer_card(data, run_index, answer_texts, answer_texts.ids.index(state.get(state.QUERY)))


def _choose_queries(data: AnswersData, run_index: int) -> np.ndarray:
    """Which queries of a run are shown: (Q,) bool; every kind bears its number of queries."""
    kinds, refused = data.quadrants(run_index), data.refusals[run_index] == 1
    masks = {ALL: np.ones(len(kinds), bool), **{name: kinds == index for index, name in enumerate(KIND_NAMES)},
             DECLINED: refused}
    titles = {
        ALL: "All",
        **{name: title for name, (title, _, _) in KINDS.items()},
        UNKNOWN: UNKNOWN_TITLE,
        DECLINED: "Declined",
    }
    assessable = any(masks[name].any() for name in QUADRANTS)
    options = [name for name, mask in masks.items() if mask.any() or name == ALL or (assessable and name in QUADRANTS)]
    st.segmented_control("Queries", options, required=True, key=state.choice_key(state.KIND, options, ALL), wrap=True,
                         persist_state="session", format_func=lambda name: f"{titles[name]} {int(masks[name].sum()):,}",
                         help=tooltip("answer_kinds"))
    return masks[state.get(state.KIND)]


def _select_query(ids: list[str], row: int) -> None:
    st.session_state[state.QUERY] = ids[row]


def _render_navigation(ids: list[str]) -> None:
    """To the answer before and behind."""
    index = ids.index(state.get(state.QUERY))
    with st.container(horizontal=True, vertical_alignment="center", key="answer_steps"):
        steps("answer", index, len(ids), partial(_select_query, ids))
        st.caption(f"{index + 1:,} of {len(ids):,}; a click at the left edge of a row shows its answer.")


def _render_answer_card(data: AnswersData, run_index: int, answer_texts: AnswerTexts, row: int) -> None:
    """One answer: marked, with its values, reference and contexts."""
    with st.container(border=True, key="answer_one"):
        question = answer_texts.questions[row]
        st.subheader(fmt.escape(fmt.query_title(answer_texts.ids[row], question)), anchor=False)
        earlier_messages(answer_texts.histories[row], "answer_earlier_messages")
        values = [f"{spec.title} **{fmt.number(data.values[run_index].values[row, index])}**"
                  for index, spec in enumerate(data.specs)]
        kind = [title for title, _, _ in KINDS.values()] + [UNKNOWN_TITLE]
        declined = ["declined"] if data.refusals[run_index][row] == 1 else []
        st.caption(" · ".join([", ".join([kind[data.quadrants(run_index)[row]], *declined]), *values]))
        left, right = elements.two_columns("answer_columns")
        with left:
            _render_answer(data, run_index, answer_texts, row)
            st.markdown(
                "**Reference**" if len(answer_texts.references[row]) < 2 else "**References**, the best one counts"
            )
            for text in answer_texts.references[row] or (None,):
                st.html(texts.paragraph_html(texts.text_html(text)))
        with right:
            _render_contexts(answer_texts, row)


def _render_answer(data: AnswersData, run_index: int, answer_texts: AnswerTexts, row: int) -> None:
    answer, contexts = answer_texts.answers[row], answer_texts.contexts[row]
    st.markdown(f"**Answer** of {elements.swatch(data.context.slots[run_index], data.context.names[run_index])}")
    page, unsupported_note = answer_html.answer_support(answer, contexts, answer_texts.questions[row],
                                                         elements.theme())
    st.html(page)
    if answer is not None and len(answer) > texts.LONGEST:
        st.caption(f"The first {texts.LONGEST:,} of {len(answer):,} characters.")
    if unsupported_note:
        st.caption(fmt.escape(unsupported_note))


def _render_contexts(answer_texts: AnswerTexts, row: int) -> None:
    contexts = answer_texts.contexts[row]
    if contexts is None:
        st.markdown("**Contexts**")
        st.caption("Not known: the run holds neither contexts nor texts for this query.")
        return
    st.markdown(f"**Contexts** ({len(contexts):,})" if answer_texts.contexts_recorded else
                f"**Texts of the first {fmt.count(len(contexts), 'document')}**")
    if not answer_texts.contexts_recorded:
        st.caption("They are used as contexts, because the run has none.")
    if not contexts:
        st.caption("None was given.")
    st.html(texts.list_html(contexts, MAX_CONTEXTS, MAX_CONTEXT_LENGTH))
    if len(contexts) > MAX_CONTEXTS:
        st.caption(f"The first {MAX_CONTEXTS} of {len(contexts):,}.")
