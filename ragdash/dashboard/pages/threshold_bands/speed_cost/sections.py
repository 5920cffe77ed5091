"""Speed & cost: how long the runs take, what they cost, and which quality that buys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.components import run_picker
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import tables as speed_cost_tables
from ragdash.dashboard.pages.threshold_bands.speed_cost.data import PRICE_TITLES, SpeedCostData
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation import latency_cost
from ragdash.metrics import Spec
from ragdash.reporting.plots import latency_cost as plots
from ragdash.reporting.plots.common import axes
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import duration, front_sentences, markdown_money, percentile_note

if TYPE_CHECKING:
    import pandas as pd

TABS = ("Runs", "By stage", "All numbers")
SAME_TIME = 1.05  # times as long, up to which no run is called the fastest
MOST_ROWS, TALL_TABLE = 10, 480  # rows that a table shows without scrolling; pixels of a longer one


def render_finding(data: SpeedCostData) -> None:
    """In words: which run is fastest, which cheapest, by how much."""
    names, lines = short_names(data.context.names, PAGE_NAME), []
    mean, tail = data.price_intervals("mean")[0], data.price_intervals("p90")[0]
    order = [int(index) for index in np.argsort(mean) if np.isfinite(mean[index])]
    if order:
        first, last = order[0], order[-1]
        fast = [run for run in order if mean[run] <= SAME_TIME * mean[first]]
        who = (f"**{fmt.escape(names[first])}** {'is the fastest:' if len(order) > 1 else 'takes'}" if len(fast) == 1
               else "All runs take as long:" if len(fast) == len(order) else
               f"{fmt.listed_few([f'**{fmt.escape(names[run])}**' for run in fast])} are the fastest:")
        slow = f"one query in ten takes {duration(tail[first])} or more"
        alone = f" ({data.search_title().lower()})" if data.is_search_alone else ""
        sentence = f"{who} {duration(mean[first])} on average{alone}, and {slow}"
        if len(fast) < len(order) and mean[first] > 0:
            ratio = speed_cost_tables.times_text(mean[last] / mean[first])
            sentence += f"; **{fmt.escape(names[last])}** takes {ratio} as long"
        lines.append(sentence + ".")
    dollars = data.price_intervals("cost")[0]
    order = [int(index) for index in np.argsort(dollars) if np.isfinite(dollars[index])]
    if order:
        sentence = f"**{fmt.escape(names[order[0]])}** costs {markdown_money(dollars[order[0]])} a query"
        if len(order) > 1:
            sentence += f", the least; **{fmt.escape(names[order[-1]])}** {markdown_money(dollars[order[-1]])}"
        lines.append(sentence + ".")
    lines += [fmt.escape(line) for line in speed_cost_tables.unknown_costs(
        data, may_change=not data_store.read_only())]
    if lines:
        st.markdown(bulleted(lines))


def _render_table(table: pd.DataFrame, alt: str) -> None:
    """Rows to read; of many the first, and how many there are."""
    is_tall = len(table) > MOST_ROWS
    st.table(table, border="horizontal", hide_index=True, alt=alt, height=TALL_TABLE if is_tall else "content")
    if is_tall:
        st.caption(f"{fmt.count(len(table), 'row')}: scroll down in the table.")


def render_tables(data: SpeedCostData) -> None:
    """Runs with their times, tokens and cost; the stages and every number one tab away."""
    runs_tab, stages_tab, numbers_tab = st.tabs(
        TABS, key=state.choice_key(state.TAB, TABS, TABS[0]), on_change="rerun")
    if runs_tab.open is not False:
        with runs_tab:
            _render_table(speed_cost_tables.runs_table(data), "Latency, tokens and cost of each run")
    if stages_tab.open:
        with stages_tab:
            _render_table(speed_cost_tables.stages_table(data, data.stage_titles), "Latency of each run by stage")
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(speed_cost_tables.numbers_table(data), "spending_numbers", "Every number of speed and cost",
                          formats={"Value": "%.6g", "Low": "%.6g", "High": "%.6g"})
    counts = [speed.n for run_speeds in data.speeds for speed in run_speeds.values()]
    st.caption(f"With 95% bootstrap intervals. P90: one query in ten takes longer.{percentile_note(counts)} The times "
               "come from the runs: compare them only if they were measured in the same way.",
               help=tooltip("percentiles"))
    for line in [*filter(None, [data.search_note]), *data.reasons]:
        st.caption(f":material/info: {fmt.escape(line)}")


def render_times(data: SpeedCostData) -> None:
    """The share of queries within each time, of the whole or of one stage."""
    stages = data.stages()
    if not stages:
        return
    st.header("How long queries take", anchor=False, help=tooltip("latency_distribution"))
    key = state.choice_key(state.STAGE, stages, "total" if "total" in stages else stages[0])
    if len(stages) > 1:
        st.segmented_control(
            "Stage",
            stages,
            format_func=data.stage_titles.__getitem__,
            key=key,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
        )
    stage = state.get(state.STAGE)
    timed_runs = [index for index, timed in enumerate(data.timings) if timed is not None and stage in timed.stages]
    values = [data.timings[index].stages[stage][data.in_scope] for index in timed_runs]
    names, slots = ([column[index] for index in timed_runs] for column in (data.context.names, data.context.slots))
    drawn = run_picker.choose_drawn(data.context)
    row_of = {data.context.digests[index]: row for row, index in enumerate(timed_runs)}
    lines = {name: row_of[digest] for name, digest in zip(drawn.names, drawn.digests, strict=True) if digest in row_of}
    figure = plots.ecdf(list(lines), *([column[row] for row in lines.values()] for column in (slots, values)),
                        title=f"Latency, {data.stage_titles[stage].lower()}", theme=elements.theme())
    elements.chart(figure, speed_cost_tables.ecdf_table(names, values), "ecdf",
                  f"Share of the queries of each run within a latency ({data.stage_titles[stage].lower()})",
                  formats={"Milliseconds": "%.3f"},
                  note=f"{fmt.query_range([int(np.isfinite(row).sum()) for row in values])} with a latency.")


def render_trade_off(data: SpeedCostData, spec: Spec) -> None:
    """Quality against latency or cost, the front, and what one more point costs."""
    options = [paid for paid in PRICE_TITLES if np.isfinite(data.price_intervals(paid)[0]).any()]
    if not options:
        return
    st.header(f"What quality costs: {fmt.escape(spec.title)}", anchor=False, help=tooltip("pareto_front"))
    st.segmented_control("Against", options, format_func=PRICE_TITLES.__getitem__, required=True,
                         persist_state="session", label_visibility="collapsed",
                         key=state.choice_key(state.PAID, options, options[0]))
    paid = state.get(state.PAID)
    price, unit = data.price_intervals(paid), "$" if paid == "cost" else "ms"
    summaries = [row[0] for row in data.context.results.summary([spec])]
    quality = np.array([[getattr(summary, field) for summary in summaries] for field in ("mean", "low", "high")], float)
    on_front = latency_cost.pareto_front(quality[0], price[0], spec.metric.better)
    steps = latency_cost.cost_steps(quality[0], price[0], spec.metric.better, draws=_resampled_means(data, spec, paid))
    st.markdown(bulleted(front_sentences(
        short_names(data.context.names, PAGE_NAME), on_front, steps, spec, PRICE_TITLES[paid], unit,
        known=np.isfinite(quality[0]) & np.isfinite(price[0]))))
    figure = plots.pareto(data.context.names, data.context.slots, price, quality, on_front, axis=axes.axis_of(spec),
                          title=PRICE_TITLES[paid] if unit == "$" else f"{PRICE_TITLES[paid]} (ms)", unit=unit,
                          n=[summary.n for summary in summaries], theme=elements.theme())
    elements.chart(
        figure,
        speed_cost_tables.pareto_table(data, price, quality, on_front, steps, spec, PRICE_TITLES[paid]),
        "pareto",
        f"{spec.title} against {PRICE_TITLES[paid].lower()} of each run; on the front: "
        + fmt.listed([data.context.names[index] for index in np.flatnonzero(on_front)] or ["none"]),
        formats={PRICE_TITLES[paid]: "%.6g", "Cost of 0.01 more": "%.4g", "Paid low": "%.6g", "Paid high": "%.6g"},
        caption="Bars are 95% intervals." if len(data.context.entries) < 2 else
                "Filled: on the Pareto front, by the means. Hollow: not on it. Bars are 95% intervals. Compare shows "
                "whether a difference is real.",
        note=f"Mean over {fmt.query_range([summary.n for summary in summaries])}.",
    )


def _resampled_means(data: SpeedCostData, spec: Spec, paid: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Resampled means of quality and cost for the intervals of steps; None where either is no mean."""
    evaluations = data.context.results.evaluations([spec])
    if paid == "p90" or spec.metric.aggregate != "mean" or any(spec in evaluation.corpus for evaluation in evaluations):
        return None
    weights = data.context.scope.resample_weights
    return (
        latency_cost.resampled_means([evaluation.column(spec) for evaluation in evaluations], weights=weights),
        latency_cost.resampled_means([data.values(index, paid) for index in range(len(evaluations))], weights=weights),
    )


def measurable_specs(context: PageContext) -> Sequence[Spec]:
    """The metric of the sidebar where it can be measured; its problems are shown."""
    try:
        requested = [context.selection.spec]
    except InputError as error:
        elements.problems(error.problems, "metric")
        return []
    specs, unfit = context.results.computable(requested)
    elements.problems(unfit, "metric")
    return specs
