"""One query of the Queries page, all runs side by side: what should be found, rankings, moves, texts, answers, cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import query_rankings
from ragdash.analysis.diagnosis import explain
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


def show(desk: Desk, rows: list[int]) -> None:
    """The chosen query below the table."""
    queries_sections.steps(desk, rows)
    one = query_data.case(desk, desk.ids.index(state.get(state.QUERY)))
    k = min(desk.spec.k or desk.context.k, MOST)
    with st.container(border=True, key="one_query"):
        _head(one)
        ranks = _ranks(one, k)
        said = claims.heard(one)
        columns = claims.beside(query_data.columns(one, k), said, ranks)
        _wanted(one, columns, k)
        _rankings(one, columns, ranks)
        _moves(one, k)
        _read(one, columns, k)
        answers.answers(one)
        claims.shown(columns, said)
        _cost(one)
        reviews.panel(one)
    judge_next.following(desk)
    reviews.kept(desk)


def _head(one: Case) -> None:
    """The question, and what every run makes of it."""
    desk, context = one.desk, one.desk.context
    question = one.question
    st.header(fmt.escape(desk.ids[one.row] + (f": {question[:400]}" if question else "")), anchor=False)
    if question and len(question) > 400:
        with st.expander("The whole question", key="whole_question"):
            st.html(texts.block(texts.shown(question)))
    parts = ", ".join(token.replace("=", ": ", 1) for token, part in context.scope.slices.items()
                      if part.queries[one.query])
    if parts:
        st.caption(fmt.escape(parts))
    lines = []
    for at, digest in enumerate(context.digests):
        found = explain(context.results.diagnosis(digest), one.query)
        lines.append(f"{elements.swatch(context.slots[at], context.names[at])} {desk.spec.title} "
                     f"**{fmt.number(desk.values[at, one.row])}** :gray[·] **{found.stage.title}**: "
                     f"{fmt.escape(found.rule)}")
    st.markdown("  \n".join(lines))


def _ranks(one: Case, k: int) -> int:
    """How many ranks are shown: the first k, then more on demand."""
    deepest = max([own.depth for own in one.rankings if own is not None], default=0)
    state.number(state.RANKS, MOST, max(k, 1))
    return max(1, min(int(state.get(state.RANKS)), max(deepest, 1), MOST))


def _wanted(one: Case, columns: list[Column], k: int) -> None:
    table = ranking_html.wanted(columns, one.grades, one.spans, k, elements.theme())
    if table:
        st.html(table)
        return
    st.caption("The truth knows no relevant document and no evidence for this query: whatever is returned, nothing is "
               "right by it.")


def _rankings(one: Case, columns: list[Column], ranks: int) -> None:
    """The rankings, and the buttons for more of them."""
    st.markdown("### Rankings side by side")
    st.html(ranking_html.rankings(columns, ranks, elements.theme()))
    deepest = max([own.depth for own in one.rankings if own is not None], default=0)
    more = next((step for step in STEPS if step > ranks), MOST)
    with st.container(horizontal=True, vertical_alignment="center", key="more_ranks"):
        if deepest > ranks and ranks < MOST:
            st.button(f"Show {min(more, deepest):,} ranks", icon=":material/expand_more:", key="ranks_more",
                      on_click=_set, args=(state.RANKS, str(more)))
        if ranks > (one.desk.spec.k or one.desk.context.k):
            st.button("Show fewer", icon=":material/expand_less:", key="ranks_fewer", on_click=_set,
                      args=(state.RANKS, ""))
        said = [f"The first {ranks:,} of {fmt.count(deepest, 'rank')}." if deepest > ranks else ""]
        if any(own is not None and own.run.texts is not None for own in one.rankings):
            said.append("A click on a document opens its text"
                        + (f" (of the first {ranking_html.READ})." if ranks > ranking_html.READ else "."))
        elif deepest:
            said.append("The runs hold no texts.")
        st.caption(" ".join(filter(None, said)))


def _set(key: str, value: str) -> None:
    st.session_state[key] = value


def _moves(one: Case, k: int) -> None:
    """How documents move between runs, and what one run alone found; nothing with a single run."""
    context = one.desk.context
    if len(context.entries) < 2:
        return
    drawn = min(max(k, 5), DRAWN)
    docs, ranks, grades = query_data.moves(one, drawn)
    if not docs:
        return
    st.markdown("### How documents move between runs")
    figure = queries.bump(context.names, context.slots, docs, ranks, grades, k=drawn, theme=elements.theme())
    table = pd.DataFrame({"Document": docs, "Grade": grades, **dict(zip(context.names, ranks.T, strict=True))})
    elements.chart(figure, table, "bump", f"Rank of each document in {fmt.count(len(context.names), 'run')}",
                  formats=dict.fromkeys(("Grade", *context.names), "%.0f"))
    first, places = query_rankings.moves(one.rankings, k)
    swatches = [elements.swatch(slot, name) for slot, name in zip(context.slots, context.names, strict=True)]
    lines = queries_sentences.only(swatches, query_rankings.alone(first, places, k), one.grades, k)
    st.markdown("  \n".join([f"Among its first {k}, only", *lines])
                if lines else f"No run has a document among its first {k} that no other has there.")


def _read(one: Case, columns: list[Column], k: int) -> None:
    """The whole text of one document, the evidence in it marked."""
    good = [doc for doc, grade in one.grades.items() if grade >= 1]
    docs = list(dict.fromkeys([*good, *query_rankings.moves(one.rankings, max(k, 10))[0]]))
    if not docs:
        return
    with st.expander("Read and judge a document", icon=":material/article:", key=state.READING,
                     on_change="rerun") as fold:
        if not fold.open:
            return
        st.selectbox("Document", docs, key=state.one(state.DOC, docs, docs[0]), persist_state="session", width=420)
        doc = state.get(state.DOC)
        reviews.judge(one, doc)
        text, held = query_data.text_of(one, doc)
        if text is None:
            st.caption("No run shown returned it with a text." if held else
                       "No run shown returned it, and its text is not known.")
            return
        places = [place for column in columns for place in column.places.get(doc, ())]
        long = len(text) > texts.LONGEST
        whole = long and st.toggle(f"Show all {len(text):,} characters", key="whole_text")
        st.html(texts.block(texts.highlighted(text, places, elements.theme().better, "covers the evidence",
                                              len(text) if whole else texts.LONGEST)))
        st.caption("Marked: what covers the evidence." if places else "Nothing in it covers the evidence by the words."
                   if one.spans else "")


def _cost(one: Case) -> None:
    """Latency, tokens and cost of each run that tells them."""
    context = one.desk.context
    rows = [{"Run": f"**{elements.swatch(context.slots[at], context.names[at])}**", **queries_sentences.cost(said)}
            for at, said in enumerate(one.said) if queries_sentences.cost(said)]
    if rows:
        st.markdown("### Latency and cost")
        st.table(pd.DataFrame(rows).replace(np.nan, fmt.UNDEFINED), border="horizontal", hide_index=True,
                 alt="Latency, tokens and cost of this query")
