"""The Leaderboard: the sentence, the table, the differences to the baseline as a picture, the means of one metric."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.components import comparison_tables, query_links, recomputed_note, verdict_panel
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.components.curve_panels import means_and_intervals
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt


def render_finding(context: PageContext, spec: Spec) -> None:
    """In words: the verdict, and the checks that speak against it."""
    verdict_panel.render_line(context, spec)


def render_table(context: PageContext, specs: list[Spec]) -> None:
    """The runs with their means, intervals and outcomes, and the way to their worst queries."""
    order = _sorted_runs(context.results.summary(specs), specs)
    _render_tables(context, specs, order)
    _render_worst_links(context, order)


def _sorted_runs(summaries: list[tuple[Summary, ...]], specs: list[Spec]) -> list[int]:
    """The rows by the column that was chosen to sort by."""
    names = [str(spec) for spec in specs]
    column = names.index(state.get(state.SORT)) if state.get(state.SORT) in names else 0
    return best_first(np.array([row[column].mean for row in summaries]), specs[column].metric.better)


def _render_tables(
    context: PageContext,
    specs: list[Spec],
    order: list[int],
) -> None:
    summaries, deltas = context.results.summary(specs), context.results.compared(specs)
    verdict = verdict_panel.current_verdict(context, specs[0])
    marks = verdict_panel.marks(verdict)
    run_labels = {index: marks[name] for index, name in enumerate(context.names) if name in marks}
    readable, numbers_tab = st.tabs(["Leaderboard", "All numbers"], key="board", on_change="rerun")
    if readable.open is not False:
        with readable:
            table = comparison_tables.leaderboard_table(context, summaries, order, deltas, run_labels)
            badges = [verdict_panel.badge_line(verdict, context.names[index]) for index in order]
            table["Run"] = [f"{cell}  \n{line}" if line else cell
                            for cell, line in zip(table["Run"], badges, strict=True)]
            st.table(
                table,
                border="horizontal",
                hide_index=True,
                alt=f"Leaderboard: {fmt.count(len(order), 'run')} by {specs[0].title}",
            )
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(comparison_tables.leaderboard_numbers(context, summaries, order, deltas), "leaderboard",
                          "Every number of the leaderboard", formats={"p (corrected)": "%.4f"})
    sentences = [f"Mean over n queries with its 95 % bootstrap interval.{context.scope.basis}"]
    if len(order) > 1:
        sentences.append(
            f"Below it the difference to {fmt.escape(context.names[context.baseline])}, the baseline: ▲ better, ▼ "
            "worse, no mark: no significant difference."
        )
    if len(specs) > 2:
        sentences.append("On a narrow screen, scroll the table sideways for the other metrics.")
    st.caption(" ".join([*sentences, *context.results.notes_on_means()]),
               help=tooltip("leaderboard_test", family=comparison_sentences.family_sentence(
                   len(order), context.results.comparison_rules())) if len(order) > 1 else None)
    recomputed_note.render(context, specs)


def _render_worst_links(context: PageContext, order: list[int]) -> None:
    """From each run to the queries on which it does worst, by the metric of the sidebar."""
    with st.container(horizontal=True, vertical_alignment="center", key="worst_queries"):
        st.caption("Worst queries of", width="content")
        for index in order:
            query_links.link(fmt.escape(context.names[index]), context.digests[index])


def render_means(context: PageContext, spec: Spec) -> None:
    """One metric: the mean of each run with its interval."""
    summaries = [row[0] for row in context.results.summary([spec])]
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    mean, low, high = (column[:, 0] for column in means_and_intervals([(summary,) for summary in summaries]))
    st.header(fmt.escape(spec.title), anchor=False, help=fmt.escape(spec.metric.summary_line))
    figure = leaderboard.means(
        context.names,
        context.slots,
        mean,
        low,
        high,
        np.array([summary.n for summary in summaries]),
        axis=axes.axis_of(spec),
        baseline=context.baseline if len(order) > 1 else None,
        theme=elements.theme(),
    )
    elements.chart(
        figure,
        components_tables.means_table(context, summaries, order),
        "means",
        f"Means of {spec.title} with intervals",
    )


def choose_metrics() -> list[str]:
    """The metrics of the table, and the column that it is sorted by."""
    menu = file_metrics.menu()
    key = state.choices_key(state.METRICS, menu, file_metrics.default_columns(page_context.COLUMNS), free=True)
    typed = [template for template in state.get(state.METRICS) if template not in menu]
    st.multiselect("Metrics of the table", [*menu, *typed], format_func=fmt.template_title, key=key,
                   accept_new_options=True, persist_state="session",
                   help=tooltip("leaderboard_metrics"))
    return state.get(state.METRICS)


def choose_sort_column(specs: list[Spec]) -> None:
    """The column that the rows are sorted by: the metric of the sidebar unless chosen otherwise."""
    names = {str(spec): spec.title for spec in specs}
    st.selectbox(
        "Sort by",
        list(names),
        format_func=names.get,
        key=state.choice_key(state.SORT, list(names), str(specs[0])),
        persist_state="session",
        width=220,
    )
