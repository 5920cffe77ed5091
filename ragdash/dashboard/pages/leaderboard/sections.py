"""The Leaderboard: the sentence, the table, the differences to the baseline as a picture, the means of one metric."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.components import comparison_tables, judge_note, query_links
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.components.comparison_tables import ComparisonGrid
from ragdash.dashboard.components.curve_panels import means_and_intervals
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare.sections import TEST_FORMATS, forest_figure
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt

MAX_FOREST_METRICS = 6  # metrics of the picture of differences


def render_leaderboard(context: PageContext, specs: list[Spec], finding) -> None:
    """The whole page below its choices, and the finding in its place above them; specs[0] is the sidebar's metric."""
    summaries = context.results.summary(specs)
    sidebar_summaries = [row[0] for row in summaries]
    best = _best_run(sidebar_summaries)
    comparisons = (
        {}
        if best is None
        else {index: comparison for (index, _), comparison in context.results.compared(specs[:1], best).items()}
    )
    finding.markdown(comparison_sentences.leader_sentence(context.names, sidebar_summaries, comparisons))
    deltas = context.results.compared(specs)
    order = _sorted_runs(summaries, specs)
    _render_tables(context, specs, summaries, order, deltas, _rank_labels(best, comparisons))
    judge_note.render_judge_note(context, specs)
    _render_worst_links(context, order)
    _render_differences(context, specs, deltas)
    _render_means(
        context,
        sidebar_summaries,
        best_first(np.array([summary.mean for summary in sidebar_summaries]), specs[0].metric.better),
    )


def _best_run(summaries: list[Summary]) -> int | None:
    """The run with the best mean; None where the metric has no better end or no run has a mean."""
    order = best_first(np.array([summary.mean for summary in summaries]), summaries[0].spec.metric.better)
    return order[0] if summaries[0].spec.metric.better and np.isfinite(summaries[order[0]].mean) else None


def _rank_labels(best: int | None, comparisons: dict) -> dict[int, str]:
    """Labels of runs in the table: the best, and those without a significant difference from it."""
    if not comparisons:
        return {}
    level = {index: "tied for best" for index, comparison in comparisons.items()
             if comparison.outcome in ("undecided", "equivalent") and comparison.n >= 2}
    return {best: "best", **level}


def _sorted_runs(summaries: list[tuple[Summary, ...]], specs: list[Spec]) -> list[int]:
    """The rows by the column that was chosen to sort by."""
    names = [str(spec) for spec in specs]
    column = names.index(state.get(state.SORT)) if state.get(state.SORT) in names else 0
    return best_first(np.array([row[column].mean for row in summaries]), specs[column].metric.better)


def _render_tables(
    context: PageContext,
    specs: list[Spec],
    summaries: list[tuple[Summary, ...]],
    order: list[int],
    deltas: ComparisonGrid,
    run_labels: dict[int, str],
) -> None:
    readable, numbers_tab = st.tabs(["Leaderboard", "All numbers"], key="board", on_change="rerun")
    if readable.open is not False:
        with readable:
            st.table(
                comparison_tables.leaderboard_table(context, summaries, order, deltas, run_labels),
                border="horizontal",
                hide_index=True,
                alt=f"Leaderboard: {fmt.count(len(order), 'run')} by {specs[0].title}",
            )
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(comparison_tables.leaderboard_numbers(context, summaries, order, deltas), "leaderboard",
                          "Every number of the leaderboard", formats={"p (Holm)": "%.4f"})
    sentences = [f"Mean over n queries with its 95 % bootstrap interval.{context.scope.basis}"]
    if len(order) > 1:
        sentences.append(
            f"Below it the difference to {fmt.escape(context.names[context.baseline])}, the baseline: ▲ better, ▼ "
            "worse, no mark: no significant difference."
        )
    st.caption(" ".join([*sentences, *context.results.notes_on_means()]),
               help=tooltip("leaderboard_test") if len(order) > 1 else None)


def _render_worst_links(context: PageContext, order: list[int]) -> None:
    """From each run to the queries on which it does worst, by the metric of the sidebar."""
    with st.container(horizontal=True, vertical_alignment="center", key="worst_queries"):
        st.caption("Worst queries of", width="content")
        for index in order:
            query_links.link(fmt.escape(context.names[index]), context.digests[index])


def _render_differences(context: PageContext, specs: list[Spec], deltas: ComparisonGrid) -> None:
    """The differences to the baseline on every metric of the table, with their intervals."""
    specs = [spec for spec in context.results.comparable(specs) if deltas][:MAX_FOREST_METRICS]
    if not specs:
        return
    name = context.names[context.baseline]
    grid = [[deltas[index, spec] for spec in specs] for index in context.selection.others()]
    st.header(f"Differences to {fmt.escape(name)}", anchor=False,
              help=tooltip("leaderboard_differences"))
    flat = [comparison for row in grid for comparison in row]
    elements.chart(
        forest_figure(context, context.selection.others(), grid, specs),
        comparison_tables.test_table(flat),
        "forest",
        f"Differences to {name} with intervals",
        formats=TEST_FORMATS,
    )


def _render_means(context: PageContext, summaries: list[Summary], order: list[int]) -> None:
    """One metric: the mean of each run with its interval."""
    spec = summaries[0].spec
    mean, low, high = (column[:, 0] for column in means_and_intervals([(summary,) for summary in summaries]))
    st.header(spec.title, anchor=False, help=spec.metric.summary_line)
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
    menu = fmt.metric_templates()
    key = state.choices_key(state.METRICS, menu, page_context.COLUMNS, free=True)
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
