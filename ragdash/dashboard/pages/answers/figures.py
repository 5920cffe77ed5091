"""Answers in pictures: how the values spread, what was found against what is right, and what goes together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.caches.score_cutoff_cache import cached_figure
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import tables as answers_tables
from ragdash.dashboard.pages.answers.data import DEFAULT_BAND, KIND_NAMES, KINDS, QUADRANTS, UNKNOWN_TITLE
from ragdash.dashboard.pages.answers.sections import AnswersData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements
from ragdash.metrics import Spec
from ragdash.reporting.plots import answers as plots
from ragdash.reporting.plots.common import axes
from ragdash.reporting.sentences import formatting as fmt

RETRIEVAL_METRICS = ("Success@k", "R@k", "P@k", "nDCG@k", "RR")  # what answers are held against


def render_figures(data: AnswersData, spec: Spec) -> None:
    """How the values of the metric spread, and what was found against what is right."""
    with st.grid(2, min_column_width=elements.COLUMN, gap="medium", key="spread_grid"):
        with st.container(key="spread_box"):
            _render_distribution(data, spec)
        with st.container(key="right_box"):
            _render_quadrants(data)


def _render_distribution(data: AnswersData, spec: Spec) -> None:
    context = data.context
    answered = context.results.answered()  # a line above the tabs says which runs have no answers
    runs = [run for run, count in enumerate(answered) if count] or range(len(answered))
    names, slots = [context.names[run] for run in runs], [context.slots[run] for run in runs]
    values = [data.values[run].column(spec) for run in runs]
    st.header(f"How {fmt.escape(spec.title)} spreads", anchor=False, help=fmt.escape(spec.metric.summary_line))
    figure = cached_figure("spread", *_figure_key(context, [spec]), spec, draw=lambda: plots.distribution(
        _names_of_part(context, names), slots, values, axis=axes.axis_of(spec), theme=elements.theme()))
    over_queries = fmt.query_range([summary.n for summary in data.summaries_of(spec) if summary.n] or [0])
    elements.chart(figure, answers_tables.distribution_table(names, spec, values), "answer_spread",
                  f"Distribution of {spec.title} over the queries of each run",
                  caption=f"Share of the answers in each part of the range, {over_queries}; values at either end have "
                          "a bar of their own.")


def _names_of_part(context: PageContext, part: Sequence[str]) -> list[str]:
    """The names of a picture of these runs: where it leaves some out, the short ones of the page."""
    short = dict(zip(context.names, short_names(context.names, NARROW_NAME), strict=True))
    return list(part) if len(part) == len(context.names) else [short[name] for name in part]


def _render_quadrants(data: AnswersData) -> None:
    context, edges = data.context, answers_data.bands_by_label()
    key = state.choice_key(state.RIGHT, list(edges), DEFAULT_BAND)
    counts = np.array(
        [np.bincount(data.quadrants(index), minlength=len(KIND_NAMES)) for index in range(len(context.entries))]
    )
    st.header(
        "Found, and right?" if counts[:, :len(QUADRANTS)].any() else "Right?",
        anchor=False,
        help=tooltip(
            "retrieval_and_answer", k=f"{context.k:,}", metric=answers_data.token_f1_bands().spec.title,
            threshold=f"{edges[state.get(key)].low:g}", band=state.get(key), unknown=UNKNOWN_TITLE),
    )
    if not counts[:, :len(KINDS)].any():
        st.caption("Nothing shows which answers are right: the ground truth has no right answers.")
        return
    by_text = any(not context.results.diagnosis(digest, edges[state.get(key)].low).judge
                  for digest in context.digests)
    if by_text:
        st.selectbox("Least Token F1, where no other rule decides", list(edges), key=key, width=320,
                     persist_state="session", format_func=lambda label: f"{edges[label].low:g} ({label})")
    is_assessed = counts[:, :len(KINDS)].any(axis=1)
    names, slots = ([value for value, assessed in zip(column, is_assessed, strict=True) if assessed]
                    for column in (context.names, context.slots))
    rest = [index for index, assessed in enumerate(is_assessed) if not assessed]
    texts = [answers_data.read_answer_texts(context.digests[index], context.scope).answers for index in rest]
    counts = counts[is_assessed]
    st.markdown(verdict_panel.shorten_names(context, answer_html.right_answers_sentence(names, counts)))
    if note := answer_html.unassessed_note([context.names[index] for index in rest],
                                           [any(text is not None for text in answers) for answers in texts]):
        st.caption(verdict_panel.shorten_names(context, note))
    figure = cached_figure("kinds", *_figure_key(context), context.k, state.get(key), draw=lambda: plots.quadrants(
        _names_of_part(context, names), slots, counts, list(KINDS.values()), UNKNOWN_TITLE, theme=elements.theme()))
    elements.chart(
        figure,
        answers_tables.quadrants_table(names, counts),
        "answer_kinds",
        f"Queries by whether a relevant document was found at k = {context.k} and whether the answer is right",
        caption=f"{fmt.query_count(int(counts.sum(axis=1).max()))}. Right: as on Failures, "
                + (f"from a Token F1 of {edges[state.get(key)].low:g} where no other rule decides."
                   if by_text else "by the judge."),
    )


def render_correlation(data: AnswersData) -> None:
    """Do answers get better where retrieval does? Rank correlations of one run."""
    context = data.context
    run_index = chosen_run(data)
    retrieval = replace(context.results, selection=context.only([context.entries[run_index]]).selection)
    columns, _ = retrieval.computable(page_context.specs(RETRIEVAL_METRICS, context.k)[0])
    rows = [spec for spec in data.specs if run_index in data.runs_with_values(spec)]
    name = fmt.escape(short_names(context.names, PAGE_NAME)[run_index])
    st.header(f"Do better documents go with better answers? {name}", anchor=False,
              help=tooltip("rank_correlation"))
    rho, n = answers_data.rank_correlations(data.values[run_index], rows, retrieval.evaluations(columns)[0], columns)
    if not n.any():
        st.caption("No query has both a score of its answer and a relevant document in the ground truth.")
        return
    titles = [spec.title for spec in rows], [spec.title for spec in columns]
    st.markdown(answer_html.strongest_correlation(*titles, rho, n))
    with st.container(width=860, key="correlations"):
        figure = cached_figure(
            "correlation",
            *_figure_key(context, rows),
            run_index,
            *titles,
            draw=lambda: plots.correlation(*titles, rho, n, theme=elements.theme()),
        )
        elements.chart(figure, answers_tables.correlations_table(rows, columns, rho, n), "answer_correlation",
                      f"Rank correlation of retrieval and answer metrics in {context.names[run_index]}",
                      note=f"Spearman's rank correlation over {fmt.query_range([int(n.min()), int(n.max())])}; 0 means "
                           "no connection.")


def _figure_key(context: PageContext, specs: Sequence[Spec] = ()) -> tuple:
    """What every picture is made of: runs with names and colors, the scope, the appearance, what models have said."""
    return (
        context.digests,
        context.names,
        context.slots,
        context.scope,
        context.scope.cache_key(specs),
        elements.theme().name,
    )


def chosen_run(data: AnswersData) -> int:
    """The run whose answers are read one by one: the chosen one or the baseline, else the first with a score."""
    context = data.context
    scored = sorted({index for spec in data.specs for index in data.runs_with_values(spec)})
    usual = context.baseline if context.baseline in scored or not scored else scored[0]
    selected = state.get(state.LOOKED)
    index = context.digests.index(selected) if selected in context.digests else usual
    return index if index in scored else usual
