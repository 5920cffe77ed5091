"""The leaderboard of Compare: the verdict, the table of the runs, and the means of one metric as a picture."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import Verdict
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import figure_cache
from ragdash.dashboard.components import (
    comparison_tables,
    leaderboard_table,
    query_links,
    recomputed_note,
    verdict_panel,
)
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.components.curve_panels import means_and_intervals
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.compare.pairwise import MAX_CANDIDATES
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs.choice import ceiling_note, tied_note

PAIRWISE = ("queries", "slices", "differences")  # parts that show one candidate, the last where there are many
MAX_LINKS = 6  # runs that each have a link to their worst queries


def render_table(context: PageContext, specs: list[Spec]) -> None:
    """The runs with their means, intervals and outcomes, and the way to their worst queries."""
    summaries, deltas = context.results.summary(specs), context.results.compared(specs)
    order = best_first(np.array([row[0].mean for row in summaries]), specs[0].metric.better)
    verdict = verdict_panel.current_verdict(context, specs[0])
    readable, numbers_tab = st.tabs(["Leaderboard", "All numbers"], key="board", on_change="rerun")
    if readable.open is not False:
        with readable:
            leaderboard_table.render(
                context, summaries, order, deltas, verdict_panel.run_marks(verdict, context.entries),
                key="leaderboard_runs", pick=lambda index: _open_run(context, index))
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(comparison_tables.leaderboard_numbers(context, summaries, order, deltas),
                           "leaderboard", "Every number of the leaderboard",
                           formats={"p (corrected)": "%.4f"},
                           paper=comparison_tables.leaderboard_paper(context, summaries, order, deltas))
    base = summaries[context.baseline][0].mean
    _render_caption(context, specs, verdict, uneven=any(delta.left_out for delta in deltas.values()),
                    rounding=fmt.rounding_note([(summaries[index][0].mean, base, deltas[index, spec].mean_difference)
                                                for index, spec in deltas if spec == specs[0]]))
    _render_worst_links(context, order)


def _open_run(context: PageContext, index: int) -> None:
    """Show the comparison of a run with the baseline."""
    if index == context.baseline:
        return
    st.session_state[state.CANDIDATE] = context.digests[index]
    parts = PAIRWISE if len(context.selection.others()) > MAX_CANDIDATES else PAIRWISE[:-1]
    if state.get(state.COMPARE_PART) not in parts:
        st.session_state[state.COMPARE_PART] = parts[-1 if parts is PAIRWISE else 0]


def _render_caption(context: PageContext, specs: list[Spec], verdict: Verdict, *, uneven: bool,
                    rounding: str) -> None:
    """How to read the table and what to click. uneven: some queries have a value in one run of a pair only; rounding:
    what is said of differences that the means shown do not have.
    """
    runs = len(context.entries)
    counts = {summary.n for row in context.results.summary(specs) for summary in row}
    over = f", over {fmt.query_count(min(counts))}" if len(counts) == 1 else ""  # else in the cells
    sentences = [f"{fmt.escape(specs[0].title)} with its 95% bootstrap interval{over}.{context.scope.basis}"]
    baseline = short_names(context.names, PAGE_NAME)[context.baseline]
    if runs > 1:
        sentences.append(
            f"Difference: the run minus {fmt.escape(baseline)}, the baseline. ▲ better, ▼ worse; no mark: no "
            "significant difference. Click a heading to sort, a row to compare that run below.")
        sentences += [comparison_sentences.PAIRED_NOTE] if uneven else [rounding]
        sentences.append(verdict_panel.shorten_names(context, tied_note(verdict)))
    sentences.append(ceiling_note(specs, map(context.results.best_possible, specs)))
    rules = context.results.comparison_rules()
    sentences += [] if context.scope.by_evidence else [
        fmt.grades_note(context.scope.truth.grade_values, specs, where="this page")]
    st.caption(" ".join(filter(None, [*sentences, *context.results.notes_on_means()])), help=tooltip(
        "leaderboard_test", family=comparison_sentences.family_sentence(runs, rules)) if runs > 1 else None)
    recomputed_note.render(context, specs)


def _render_worst_links(context: PageContext, order: list[int]) -> None:
    """From a run to the queries on which it does worst by the metric of the sidebar; of many runs, from the best."""
    links = order if len(order) <= MAX_LINKS else order[:1]
    names = short_names(context.names, PAGE_NAME)
    with st.container(horizontal=True, vertical_alignment="center", key="worst_queries"):
        st.caption("Worst queries of", width="content")
        for index in links:
            query_links.link(fmt.escape(names[index]), context.digests[index])


def render_means(context: PageContext, spec: Spec) -> None:
    """One metric: the mean of each run with its interval."""
    summaries = [row[0] for row in context.results.summary([spec])]
    order = best_first(np.array([summary.mean for summary in summaries]), spec.metric.better)
    mean, low, high = (column[:, 0] for column in means_and_intervals([(summary,) for summary in summaries]))
    st.header(fmt.escape(spec.title), anchor=False, help=fmt.escape(spec.metric.summary_line))
    baseline = context.baseline if len(order) > 1 else None
    line = "" if baseline is None or np.isnan(mean[baseline]) else \
        f" Dashed line: the mean of {fmt.escape(short_names(context.names, PAGE_NAME)[baseline])}, the baseline."
    figure = figure_cache.draw(
        leaderboard.means,
        context.names,
        context.slots,
        mean,
        low,
        high,
        np.array([summary.n for summary in summaries]),
        axis=axes.axis_of(spec),
        baseline=baseline,
        theme=elements.theme(),
    )
    elements.chart(
        figure,
        components_tables.means_table(context, summaries, order),
        "means",
        f"Means of {spec.title} with intervals",
        caption=f"{spec.average.capitalize()} over {fmt.query_range([summary.n for summary in summaries])} with 95% "
                f"bootstrap intervals (bars).{line}{context.scope.basis}",
    )


def choose_metrics() -> list[str]:
    """The metrics of the table that the runs shown can have."""
    menu = file_metrics.menu()
    key = state.choices_key(state.METRICS, menu, file_metrics.default_columns(page_context.COLUMNS), free=True)
    typed = [template for template in state.get(state.METRICS) if template not in menu]
    st.multiselect("Metrics of the table", [*menu, *typed], key=key,
                   format_func=file_metrics.with_need(fmt.template_title, menu), accept_new_options=True,
                   persist_state="session", help=tooltip("leaderboard_metrics"), wrap=True)
    return file_metrics.of_shown_runs(state.get(state.METRICS))
