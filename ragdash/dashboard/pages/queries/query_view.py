"""One query of the Queries page, all runs side by side: what should be found, rankings, moves, texts, answers, cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import query_rankings
from ragdash.analysis.diagnosis import explain
from ragdash.dashboard.caches import diagnosis_cache, evaluation_cache
from ragdash.dashboard.pages.queries import answers, claims, judge_next, query_data, ranking_html, reviews
from ragdash.dashboard.pages.queries import sections as queries_sections
from ragdash.dashboard.pages.queries import sentences as queries_sentences
from ragdash.dashboard.pages.queries.query_data import Case
from ragdash.dashboard.pages.queries.ranking_html import Column
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements, texts
from ragdash.reporting.plots import queries
from ragdash.reporting.sentences import fmt

STEPS = (10, 50, 200, 1_000)  # ranks that are shown, one step after another
MOST, DRAWN = STEPS[-1], 50  # ranks shown at most; of the picture


def show(data: Desk, rows: list[int]) -> None:
    """The chosen query below the table."""
    queries_sections.steps(data, rows)
    case = query_data.case(data, data.ids.index(state.get(state.QUERY)))
    k = min(data.spec.k or data.context.k, MOST)
    with st.container(border=True, key="one_query"):
        _head(case)
        ranks = _ranks(case, k)
        verdicts = claims.heard(case)
        columns = claims.beside(query_data.columns(case, k), verdicts, ranks)
        _wanted(case, columns, k)
        _rankings(case, columns, ranks)
        _moves(case, k)
        _read(case, columns, k)
        answers.answers(case)
        claims.shown(columns, verdicts)
        _cost(case)
        reviews.panel(case)
    judge_next.following(data)
    reviews.kept(data)


def _head(case: Case) -> None:
    """The question, and what every run makes of it."""
    data, context = case.desk, case.desk.context
    question = case.question
    st.header(fmt.escape(data.ids[case.row] + (f": {question[:400]}" if question else "")), anchor=False)
    if question and len(question) > 400:
        with st.expander("The whole question", key="whole_question"):
            st.html(texts.block(texts.shown(question)))
    slice_names = ", ".join(
        token.replace("=", ": ", 1)
        for token, query_slice in evaluation_cache.parts(context.scope.truth).items()
        if query_slice.queries[case.query]
    )
    if slice_names:
        st.caption(fmt.escape(slice_names))
    lines = []
    for index, digest in enumerate(context.digests):
        reason = explain(diagnosis_cache.diagnosis(digest, context.scope, context.k), case.query)
        lines.append(f"{elements.swatch(context.slots[index], context.names[index])} {data.spec.title} "
                     f"**{fmt.number(data.values[index, case.row])}** :gray[·] **{reason.stage.title}**: "
                     f"{fmt.escape(reason.rule)}")
    st.markdown("  \n".join(lines))


def _ranks(case: Case, k: int) -> int:
    """How many ranks are shown: the first k, then more on demand."""
    deepest = max([ranking.depth for ranking in case.rankings if ranking is not None], default=0)
    state.number(state.RANKS, MOST, max(k, 1))
    return max(1, min(int(state.get(state.RANKS)), max(deepest, 1), MOST))


def _wanted(case: Case, columns: list[Column], k: int) -> None:
    table = ranking_html.wanted(columns, case.grades, case.spans, k, elements.theme())
    if table:
        st.html(table)
        return
    st.caption("The truth knows no relevant document and no evidence for this query: whatever is returned, nothing is "
               "right by it.")


def _rankings(case: Case, columns: list[Column], ranks: int) -> None:
    """The rankings, and the buttons for more of them."""
    st.markdown("### Rankings side by side")
    st.html(ranking_html.rankings(columns, ranks, elements.theme()))
    deepest = max([ranking.depth for ranking in case.rankings if ranking is not None], default=0)
    next_step = next((step for step in STEPS if step > ranks), MOST)
    with st.container(horizontal=True, vertical_alignment="center", key="more_ranks"):
        if deepest > ranks and ranks < MOST:
            st.button(f"Show {min(next_step, deepest):,} ranks", icon=":material/expand_more:", key="ranks_more",
                      on_click=_set, args=(state.RANKS, str(next_step)))
        if ranks > (case.desk.spec.k or case.desk.context.k):
            st.button("Show fewer", icon=":material/expand_less:", key="ranks_fewer", on_click=_set,
                      args=(state.RANKS, ""))
        notes = [f"The first {ranks:,} of {fmt.count(deepest, 'rank')}." if deepest > ranks else ""]
        if any(ranking is not None and ranking.run.texts is not None for ranking in case.rankings):
            notes.append("A click on a document opens its text"
                        + (f" (of the first {ranking_html.READ})." if ranks > ranking_html.READ else "."))
        elif deepest:
            notes.append("The runs hold no texts.")
        st.caption(" ".join(filter(None, notes)))


def _set(key: str, value: str) -> None:
    st.session_state[key] = value


def _moves(case: Case, k: int) -> None:
    """How documents move between runs, and what one run alone found; nothing with a single run."""
    context = case.desk.context
    if len(context.entries) < 2:
        return
    depth = min(max(k, 5), DRAWN)
    docs, ranks, grades = query_data.moves(case, depth)
    if not docs:
        return
    st.markdown("### How documents move between runs")
    figure = queries.bump(context.names, context.slots, docs, ranks, grades, k=depth, theme=elements.theme())
    table = pd.DataFrame({"Document": docs, "Grade": grades, **dict(zip(context.names, ranks.T, strict=True))})
    elements.chart(figure, table, "bump", f"Rank of each document in {fmt.count(len(context.names), 'run')}",
                  formats=dict.fromkeys(("Grade", *context.names), "%.0f"))
    first, doc_ranks = query_rankings.moves(case.rankings, k)
    swatches = [elements.swatch(slot, name) for slot, name in zip(context.slots, context.names, strict=True)]
    lines = queries_sentences.only(swatches, query_rankings.alone(first, doc_ranks, k), case.grades, k)
    st.markdown("  \n".join([f"Among its first {k}, only", *lines])
                if lines else f"No run has a document among its first {k} that no other has there.")


def _read(case: Case, columns: list[Column], k: int) -> None:
    """The whole text of one document, the evidence in it marked."""
    good = [doc for doc, grade in case.grades.items() if grade >= 1]
    docs = list(dict.fromkeys([*good, *query_rankings.moves(case.rankings, max(k, 10))[0]]))
    if not docs:
        return
    with st.expander("Read and judge a document", icon=":material/article:", key=state.READING,
                     on_change="rerun") as fold:
        if not fold.open:
            return
        st.selectbox("Document", docs, key=state.one(state.DOC, docs, docs[0]), persist_state="session", width=420)
        doc = state.get(state.DOC)
        reviews.judge(case, doc)
        text, returned_by = query_data.text_of(case, doc)
        if text is None:
            st.caption("No run shown returned it with a text." if returned_by else
                       "No run shown returned it, and its text is not known.")
            return
        spans = [span for column in columns for span in column.places.get(doc, ())]
        long = len(text) > texts.LONGEST
        show_all = long and st.toggle(f"Show all {len(text):,} characters", key="whole_text")
        st.html(texts.block(texts.highlighted(text, spans, elements.theme().better, "covers the evidence",
                                              len(text) if show_all else texts.LONGEST)))
        st.caption("Marked: what covers the evidence." if spans else "Nothing in it covers the evidence by the words."
                   if case.spans else "")


def _cost(case: Case) -> None:
    """Latency, tokens and cost of each run that tells them."""
    context = case.desk.context
    rows = [
        {"Run": f"**{elements.swatch(context.slots[index], context.names[index])}**", **queries_sentences.cost(output)}
        for index, output in enumerate(case.said)
        if queries_sentences.cost(output)
    ]
    if rows:
        st.markdown("### Latency and cost")
        st.table(pd.DataFrame(rows).replace(np.nan, fmt.UNDEFINED), border="horizontal", hide_index=True,
                 alt="Latency, tokens and cost of this query")
