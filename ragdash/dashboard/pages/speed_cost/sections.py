"""Speed & cost: how long the runs take, what they cost, and which quality that buys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.speed_cost import tables as speed_cost_tables
from ragdash.dashboard.pages.speed_cost.data import PAID, STAGES, Board
from ragdash.dashboard.pages.speed_cost.tables import duration, money
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation import latency_cost
from ragdash.metrics import Spec
from ragdash.reporting.plots import latency_cost as plots
from ragdash.reporting.plots.common import axes
from ragdash.reporting.sentences import fmt


def finding(board: Board) -> None:
    """In words: which run is fastest, which cheapest, by how much."""
    names, lines = board.context.names, []
    mean, tail = board.paid("mean")[0], board.paid("p90")[0]
    order = [int(at) for at in np.argsort(mean) if np.isfinite(mean[at])]
    if order:
        first, last = order[0], order[-1]
        said = (f"**{fmt.escape(names[first])}** "
                + ("is the fastest" if len(order) > 1 else "takes")
                + f": {duration(mean[first])} on average, one query in ten takes {duration(tail[first])} or more")
        if len(order) > 1 and mean[first] > 0:
            said += f"; **{fmt.escape(names[last])}** takes {speed_cost_tables.times(mean[last] / mean[first])} as long"
        lines.append(said + ".")
    dollars = board.paid("cost")[0]
    order = [int(at) for at in np.argsort(dollars) if np.isfinite(dollars[at])]
    if order:
        said = f"**{fmt.escape(names[order[0]])}** costs {money(dollars[order[0]])} a query"
        if len(order) > 1:
            said += f", the least; **{fmt.escape(names[order[-1]])}** {money(dollars[order[-1]])}"
        lines.append(said + ".")
    if lines:
        _said([line.replace("$", "\\$") for line in lines])


def _said(lines: Sequence[str]) -> None:
    """A sentence, or a list of several."""
    st.markdown("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0])


def tables(board: Board) -> None:
    """Runs with their times, tokens and cost; the stages and every number one tab away."""
    whole, parts, everything = st.tabs(["Runs", "By stage", "All numbers"], key="spending", on_change="rerun")
    if whole.open is not False:
        with whole:
            st.table(speed_cost_tables.runs(board), border="horizontal", hide_index=True,
                     alt="Latency, tokens and cost of each run")
    if parts.open:
        with parts:
            st.table(speed_cost_tables.stages(board, STAGES), border="horizontal", hide_index=True,
                     alt="Latency of each run by stage")
    if everything.open:
        with everything:
            elements.frame(speed_cost_tables.numbers(board), "spending_numbers", "Every number of speed and cost",
                          formats={"Value": "%.6g", "Low": "%.6g", "High": "%.6g"})
    st.caption("With 95 % bootstrap intervals. P90: one query in ten takes longer; percentiles are numpy's linear "
               "ones. With fewer than 100 queries P99 is hardly more than the slowest one. Times are those that the "
               "runs tell; they compare where they were measured alike.")
    for line in [*board.faults, *speed_cost_tables.unknown(board)]:
        st.caption(f":material/info: {fmt.escape(line)}")


def times(board: Board) -> None:
    """The share of queries within each time, of the whole or of one stage."""
    stages = board.stages()
    if not stages:
        return
    st.header("How long queries take", anchor=False, help="The share of the queries that took at most so long. Further "
              "left is faster; a flat end is a slow tail.")
    key = state.choice_key(state.STAGE, stages, "total" if "total" in stages else stages[0])
    if len(stages) > 1:
        st.segmented_control("Stage", stages, format_func=STAGES.get, key=key, required=True, persist_state="session",
                             label_visibility="collapsed")
    stage = state.get(state.STAGE)
    held = [at for at, one in enumerate(board.taken) if one is not None and stage in one.stages]
    values = [board.taken[at].stages[stage][board.inside] for at in held]
    names, slots = ([part[at] for at in held] for part in (board.context.names, board.context.slots))
    figure = plots.ecdf(names, slots, values, title=f"Latency, {STAGES[stage].lower()}", theme=elements.theme())
    elements.chart(figure, speed_cost_tables.ecdf(names, values), "ecdf",
                  f"Share of the queries of each run within a latency ({STAGES[stage].lower()})",
                  formats={"Milliseconds": "%.3f"})


def trade(board: Board, spec: Spec) -> None:
    """Quality against latency or cost, the front, and what one more point costs."""
    options = [paid for paid in PAID if np.isfinite(board.paid(paid)[0]).any()]
    if not options:
        return
    st.header(f"What quality costs: {spec.title}", anchor=False, help="A run on the front is beaten by no other: none "
              "is at least as good and at most as dear, and better in one.")
    st.segmented_control("Against", options, format_func=PAID.get, required=True, persist_state="session",
                         key=state.choice_key(state.PAID, options, options[0]), label_visibility="collapsed")
    paid = state.get(state.PAID)
    price, unit = board.paid(paid), "$" if paid == "cost" else "ms"
    found = [row[0] for row in board.context.results.summary([spec])]
    quality = np.array([[getattr(one, part) for one in found] for part in ("mean", "low", "high")], float)
    on = latency_cost.pareto_front(quality[0], price[0], spec.metric.better)
    steps = latency_cost.cost_steps(quality[0], price[0], spec.metric.better, draws=_draws(board, spec, paid))
    _said(speed_cost_tables.front_sentences(board.context.names, on, steps, spec, PAID[paid], unit))
    figure = plots.pareto(board.context.names, board.context.slots, price, quality, on, axis=axes.axis_of(spec),
                          title=PAID[paid] if unit == "$" else f"{PAID[paid]} (ms)", unit=unit,
                          n=[one.n for one in found], theme=elements.theme())
    elements.chart(figure, speed_cost_tables.pareto(board, price, quality, on, steps, spec, PAID[paid]), "pareto",
                  f"{spec.title} against {PAID[paid].lower()} of each run; on the front: " + fmt.listed(
                      [board.context.names[at] for at in np.flatnonzero(on)] or ["none"]),
                  formats={PAID[paid]: "%.6g", "Cost of one more point": "%.4g", "Paid low": "%.6g",
                           "Paid high": "%.6g"})
    st.caption(f"One more point is 0.01 of {fmt.escape(spec.title)}. Bars are 95 % intervals; hollow runs are not on "
               "the front, which goes by the means: whether a difference is real, the Compare page tells.")


def _draws(board: Board, spec: Spec, paid: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Resampled means of quality and cost for the intervals of steps; None where either is no mean."""
    evaluations = board.context.results.evaluations([spec])
    if paid == "p90" or spec.metric.aggregate != "mean" or any(spec in one.corpus for one in evaluations):
        return None
    weights = board.context.scope.resample_weights
    return (latency_cost.resampled_means([one.column(spec) for one in evaluations], weights=weights),
            latency_cost.resampled_means([board.values(at, paid) for at in range(len(evaluations))], weights=weights))


def measured(context: PageContext) -> Sequence[Spec]:
    """The metric of the sidebar where it can be measured; its problems are told."""
    try:
        wanted = [context.selection.spec]
    except InputError as error:
        elements.problems(error.problems, "metric")
        return []
    specs, unfit = context.results.computable(wanted)
    elements.problems(unfit, "metric")
    return specs
