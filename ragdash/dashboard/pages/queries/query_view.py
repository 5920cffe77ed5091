"""One query, all runs side by side: expected documents, rankings, rank changes, texts, answers, verdicts and cost."""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis import query_rankings
from ragdash.analysis.diagnosis import FINE, STAGES, explain
from ragdash.analysis.query_rankings import QueryOutput
from ragdash.core.terms import tooltip
from ragdash.core.text import differing, tokens
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard.components import run_picker
from ragdash.dashboard.pages.queries import claims, file_facts, judge_next, ranking_html, reviews
from ragdash.dashboard.pages.queries import data as queries_data
from ragdash.dashboard.pages.queries import sections as queries_sections
from ragdash.dashboard.pages.queries import sentences as queries_sentences
from ragdash.dashboard.pages.queries.data import QueriesData, QueryCase
from ragdash.dashboard.pages.queries.ranking_html import RankingColumn
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements, texts
from ragdash.dashboard.widgets.conversation import earlier_messages
from ragdash.metrics import have_rankings
from ragdash.reporting.plots import queries
from ragdash.reporting.plots.common.theme import Theme, run_look
from ragdash.reporting.sentences import formatting as fmt

MAX_LINES = 8  # runs with a line each above a query
RANK_STEPS = (10, 50, 200, 1_000)  # ranks shown, one step after another
MOST_RANKS, MOST_DRAWN = RANK_STEPS[-1], 50  # ranks shown at most; ranks in the figure at most


def render_query(data: QueriesData, rows: list[int]) -> None:
    """Render the selected query below the table."""
    queries_sections.query_steps(data, rows)
    case = queries_data.load_query(data, data.ids.index(state.get(state.QUERY)))
    k = min(data.spec.k or data.context.k, MOST_RANKS)
    with st.container(border=True, key="one_query"):
        _header(case)
        ranks = _shown_ranks(case, k)
        _parts(case, k, ranks)
    judge_next.render_judge_next(data)
    reviews.saved_reviews(data)


def _parts(case: QueryCase, k: int, ranks: int) -> None:
    """The tabs of a query; only what is open is computed and sent."""
    verdicts = claims.load_verdicts(case)
    columns = file_facts.mark_forbidden(case, claims.add_verdicts(queries_data.columns(case, k), verdicts, ranks))
    ranked = have_rankings([match.run for match in case.matches])
    tabs = queries_sentences.query_tabs(ranked=ranked)
    containers = elements.tabs_of_view("Queries", tabs)
    rankings, changes, answers, notes = (containers[tabs.index(tab)] for tab in queries_sentences.QUERY_TABS)
    if rankings.open is not False:
        with rankings:
            if ranked:
                in_order = [columns[run] for run in case.data.run_order]
                _expected_documents(case, in_order, k)
                _rankings(case, in_order, ranks)
            else:
                st.caption("The files have no retrieved documents, so there are no rankings to show.")
            claims.render_verdicts(columns, verdicts)
    if changes.open:
        with changes:
            _moves(case, k)
    if not answers.open:
        state.choice_key(state.AGAINST, list(COMPARISONS), next(iter(COMPARISONS)))  # of the link, for when it opens
    else:
        with answers:
            _answers(case)
            _cost(case)
    if notes.open:
        with notes:
            _document_reader(case, columns, k)
            reviews.review_panel(case)


def _header(case: QueryCase) -> None:
    """The question, and for each run its value and the reason of the diagnosis."""
    data, context = case.data, case.data.context
    question = case.question
    st.header(fmt.escape(fmt.query_title(data.ids[case.row], question)), anchor=False)
    if question and len(question) > 400:
        with st.expander("Full question", key="whole_question"):
            st.html(texts.paragraph_html(texts.text_html(question)))
    earlier_messages(case.history, "earlier_messages")
    slice_names = ", ".join(
        fmt.escape(query_slice.title)
        for query_slice in context.scope.slices.values()
        if query_slice.queries[case.query]
    )
    if slice_names:
        st.caption(slice_names)
    lines, values_of_files, passed = [], file_facts.value_texts(case), False
    names = short_names(context.names, PAGE_NAME)
    for index, digest in enumerate(context.digests):
        reason = explain(context.results.diagnosis(digest), case.query)
        passed = passed or reason.stage == STAGES[FINE]
        lines.append(f"{elements.swatch(context.slots[index], names[index])} {fmt.escape(data.spec.title)} "
                     f"**{fmt.number(data.values[index, case.row])}** :gray[·] **{reason.stage.title}**: "
                     f"{fmt.escape(reason.rule)}"
                     + (f" :gray[· from the file: {fmt.escape(values_of_files[index])}]" if values_of_files[index]
                        else ""))
    explanation = tooltip("no_failure") if passed else None
    if len(lines) <= MAX_LINES:
        st.markdown("  \n".join(lines), help=explanation)
        return
    st.markdown("  \n".join(lines[index] for index in sorted({data.run_index, context.baseline})), help=explanation)
    with st.expander(f"All {len(lines):,} runs", key="all_runs"):
        st.markdown("  \n".join(lines))


def _shown_ranks(case: QueryCase, k: int) -> int:
    """Number of ranks shown: the top k, then more on demand."""
    deepest = max([ranking.depth for ranking in case.rankings if ranking is not None], default=0)
    state.number_key(state.RANKS, MOST_RANKS, max(k, 1))
    return max(1, min(int(state.get(state.RANKS)), max(deepest, 1), MOST_RANKS))


def _expected_documents(case: QueryCase, columns: list[RankingColumn], k: int) -> None:
    table = ranking_html.expected_table(columns, case.grades, case.spans, k, elements.theme())
    if table:
        st.html(table)
        relevant = sum(grade >= 1 for grade in case.grades.values())
        hidden = [fmt.count(total - ranking_html.MOST_EXPECTED, *nouns) for total, *nouns in (
            (relevant, "more relevant document", "more relevant documents"),
            (len(case.spans), "more piece of evidence", "more pieces of evidence"))
            if total > ranking_html.MOST_EXPECTED]
        if hidden:
            st.caption(f"Not listed: {fmt.listed(hidden)}.")
        return
    st.caption("The ground truth has no relevant document and no evidence for this query, so no result can count as "
               "correct.")


def _rankings(case: QueryCase, columns: list[RankingColumn], ranks: int) -> None:
    """The rankings, and buttons to show more or fewer ranks."""
    st.markdown("### Rankings side by side" if len(columns) > 1 else "### Ranking")
    st.html(ranking_html.rankings_table(columns, ranks, elements.theme()))
    deepest = max([ranking.depth for ranking in case.rankings if ranking is not None], default=0)
    next_step = next((step for step in RANK_STEPS if step > ranks), MOST_RANKS)
    with st.container(horizontal=True, vertical_alignment="center", key="more_ranks"):
        if deepest > ranks and ranks < MOST_RANKS:
            st.button(f"Show {min(next_step, deepest):,} ranks", icon=":material/expand_more:", key="ranks_more",
                      on_click=_set_state, args=(state.RANKS, str(next_step)))
        if ranks > (case.data.spec.k or case.data.context.k):
            st.button("Show fewer", icon=":material/expand_less:", key="ranks_fewer", on_click=_set_state,
                      args=(state.RANKS, ""))
        notes = [f"Top {ranks:,} of {fmt.count(deepest, 'rank')}." if deepest > ranks else ""]
        if any(ranking is not None and ranking.run.texts is not None for ranking in case.rankings):
            notes.append("Click a document to open its text"
                        + (f" (top {ranking_html.TEXTS_SENT} only)." if ranks > ranking_html.TEXTS_SENT else "."))
        elif deepest:
            has_contexts = any(output.contexts is not None for output in case.outputs)
            notes.append("The rankings have ids and no texts." + (
                " The contexts that the answers were given are on the **Answers** tab." if has_contexts else ""))
        baseline = next(column.name for column in columns if column.baseline_ranks is None)
        notes += [] if len(columns) < 2 else [ranking_html.moves_note(baseline)]
        st.caption(" ".join(filter(None, notes)))


def _set_state(key: str, value: str) -> None:
    st.session_state[key] = value


def _moves(case: QueryCase, k: int) -> None:
    """Rank changes between runs, and what only one run found; nothing with a single run."""
    context = case.data.context
    if len(context.entries) < 2:
        st.caption("One run is shown. Show a second run to see how documents move between the two.")
        return
    depth = min(max(k, 5), MOST_DRAWN)
    docs, ranks, grades = queries_data.moves(case, depth)
    if not docs:
        return
    st.markdown("### How documents move between runs")
    runs = case.data.run_order[:run_picker.FEW]
    seen = [row for row, doc_grade in enumerate(grades) if doc_grade >= 1 or (ranks[row, runs] <= depth).any()]
    names = short_names(context.names, NARROW_NAME)
    figure = queries.bump([names[run] for run in runs], [context.slots[run] for run in runs],
                          [docs[row] for row in seen], ranks[np.ix_(seen, runs)], grades[seen], k=depth,
                          theme=elements.theme())
    table = pd.DataFrame({"Document": docs, "Grade": grades, **dict(zip(context.names, ranks.T, strict=True))})
    elements.chart(figure, table, "bump", f"Rank of each document in {fmt.count(len(context.names), 'run')}",
                  formats=dict.fromkeys(("Grade", *context.names), "%.0f"),
                  title=f"Rank of each document, query {fmt.query_title(case.data.ids[case.row], case.question, 120)}",
                  caption=queries_sentences.moves_note(grades[seen], len(runs), len(context.names)))
    first, doc_ranks = query_rankings.rank_moves(case.rankings, k)
    shown_names = short_names(context.names, PAGE_NAME)
    swatches = [elements.swatch(slot, name) for slot, name in zip(context.slots, shown_names, strict=True)]
    unique = query_rankings.unique_to_run(first, doc_ranks, k)
    lines = queries_sentences.unique_documents(swatches, unique, case.grades)
    st.markdown("  \n".join([f"Only in the top {k} of:", *lines])
                if lines else f"No run has a document in its top {k} that is in no other run's top {k}.")


def _document_reader(case: QueryCase, columns: list[RankingColumn], k: int) -> None:
    """Full text of one document with the evidence highlighted, and buttons to judge it."""
    good = [doc for doc, grade in case.grades.items() if grade >= 1]
    docs = list(dict.fromkeys([*good, *query_rankings.rank_moves(case.rankings, max(k, 10))[0]]))
    if not docs:
        return
    with st.expander("Read and judge a document", icon=":material/article:", key=state.READING,
                     on_change="rerun") as fold:
        if not fold.open:
            return
        st.selectbox(
            "Document", docs, key=state.choice_key(state.DOC, docs, docs[0]), persist_state="session", width=420
        )
        doc = state.get(state.DOC)
        reviews.judgment_buttons(case, doc)
        text, returned_by = queries_data.text_of(case, doc)
        if text is None:
            st.caption("Returned, but no run shown has its text." if returned_by else
                       "No run shown returned it, and its text is unknown.")
            return
        spans = [span for column in columns for span in column.spans.get(doc, ())]
        long = len(text) > texts.LONGEST
        show_all = long and st.toggle(f"Show all {len(text):,} characters", key="whole_text")
        st.html(texts.paragraph_html(texts.highlighted_html(text, spans, elements.theme().better, "covers the evidence",
                                              len(text) if show_all else texts.LONGEST)))
        st.caption(
            "Highlighted: text that covers the evidence."
            if spans
            else "No part of it covers the evidence word for word."
            if case.spans
            else ""
        )


def _cost(case: QueryCase) -> None:
    """Latency, tokens and cost of each run that reports them."""
    context = case.data.context
    names = short_names(context.names, NARROW_NAME)
    rows = [
        {
            "Run": f"**{elements.swatch(context.slots[index], names[index])}**",
            **queries_sentences.cost_columns(case.outputs[index]),
        }
        for index in case.data.run_order
        if queries_sentences.cost_columns(case.outputs[index])
    ]
    if rows:
        st.markdown("### Latency and cost")
        st.table(pd.DataFrame(rows).replace(np.nan, fmt.UNDEFINED), border="horizontal", hide_index=True,
                 alt="Latency, tokens and cost of this query")


COMPARISONS = {"reference": "Compare with reference", "contexts": "Compare with contexts"}
CONTEXTS_HEIGHT = 260  # pixels: more is scrolled
ANSWER_WIDTH = "min(300px, 84%)"  # of an answer; on a narrow screen, the edge of the next one stays visible


def _answers(case: QueryCase) -> None:
    """Answers of the runs that have one, and how many have none; nothing if no run has one."""
    outputs = case.outputs
    if not any(output.answer is not None for output in outputs):
        st.caption("The runs contain no answers.")
        return
    options = [key for key, available in (("reference", case.references), ("contexts", any(
        output.contexts is not None for output in outputs))) if available]
    if len(options) > 1:
        st.segmented_control("Highlight", options, format_func=COMPARISONS.__getitem__, required=True,
                             persist_state="session", label_visibility="collapsed",
                             key=state.choice_key(state.AGAINST, options, options[0]))
    compare_with = state.get(state.choice_key(state.AGAINST, options, options[0])) if options else ""
    theme, context = elements.theme(), case.data.context
    for text in case.references:
        st.html(f'<b>Reference</b>{texts.paragraph_html(texts.text_html(text))}')
    cards, names = [], short_names(context.names, PAGE_NAME)
    for index in case.data.run_order:
        output = outputs[index]
        if output.answer is None:
            continue
        look = run_look(context.slots[index], theme)
        page, note = _compared_to_reference(output.answer, case.references, theme) if compare_with == "reference" else \
            answer_html.answer_support(output.answer, output.contexts, case.question, theme)
        if compare_with == "contexts" and output.contexts is None:
            note = "Its contexts are unknown."
        elif compare_with == "contexts" and not output.given:
            note += f" The texts of the top {fmt.count(len(output.contexts), 'document')} are used as contexts."
        contexts_html = _contexts_html(context.names[index], output, theme) if compare_with == "contexts" else ""
        cards.append(f'<div style="flex:1 0 {ANSWER_WIDTH}"><span style="color:{look.color}">{look.sign}</span> '
                     f"<b>{html.escape(names[index])}</b>{page}"
                     f'<div style="font-size:13px;color:{theme.muted}">{html.escape(note.strip())}</div>'
                     f"{contexts_html}</div>")
    st.html('<div role="region" tabindex="0" aria-label="Answers of the runs" style="display:flex;gap:20px;'
            f'overflow-x:auto">{"".join(cards)}</div>')
    without = [names[index] for index in case.data.run_order if outputs[index].answer is None]
    if without:
        st.caption(f"{fmt.escape(fmt.listed_few(without))} {'has' if len(without) == 1 else 'have'} no answer to this "
                   "query.")


def _contexts_html(name: str, output: QueryOutput, theme: Theme) -> str:
    """The contexts that an answer is compared with, in their order; "" where they are not known."""
    if not output.contexts:
        return ""
    items = "".join(f'<li dir="auto">{texts.text_html(text)}</li>' for text in output.contexts)
    return (f'<div role="region" tabindex="0" aria-label="Contexts of {html.escape(name)}" style="font-size:13px;'
            f'max-height:{CONTEXTS_HEIGHT}px;overflow-y:auto;color:{theme.ink}"><b>Contexts</b><ol>{items}</ol></div>')


def _compared_to_reference(answer: str | None, references: tuple[str, ...], theme: Theme) -> tuple[str, str]:
    """The answer as HTML, with words missing from the nearest reference highlighted, and what it lacks itself."""
    if answer is None or not references:
        return texts.paragraph_html(texts.text_html(answer)), ""
    answer = answer[:texts.LONGEST]
    differences = [(differing(answer, reference[:texts.LONGEST]), reference) for reference in references]
    (extra, missing), nearest = min(differences, key=lambda pair: len(pair[0][0]) + len(pair[0][1]))
    page = texts.paragraph_html(
        texts.highlighted_html(answer, extra, theme.worse, "not in the reference") or texts.text_html(answer)
    )
    if missing or extra:
        summary = f"Missing: {answer_html.word_list(nearest, missing)}." if missing else \
            "Contains all words of the reference."
        return page, summary + (" Underlined: not in the reference." if extra else "")
    order = "" if tokens(answer) == tokens(nearest) else ", in another order"
    return page, f"Same words as the reference{order}."
