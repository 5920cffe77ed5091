"""Speed & cost: how long the runs take, what they cost, and which quality that buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash import costs
from ragdash.costs import SHARES, Prices, Speed, Spent
from ragdash.errors import InputError, Unavailable
from ragdash.metrics import Spec
from ragdash.plots import costs as plots
from ragdash.stats import bootstrap_intervals
from ragdash.ui import cache, spending_tables, state, view, widgets, words
from ragdash.ui.scope import facts
from ragdash.ui.spending_tables import money, took
from ragdash.ui.store import LOADED
from ragdash.ui.view import View
from ragdash.view_timed import Timed

STAGES = {"total": "Whole", "retrieval": "Retrieval", "rerank": "Reranking", "generation": "Generation"}
PAID = {"mean": "Average latency", "p90": "P90 latency", "cost": "Cost per query"}


@dataclass(frozen=True)
class Board:
    """What each run shown took: times, tokens and dollars of the queries in scope.

    taken: None for a run of which nothing is told; faults: why, in words.
    """

    now: View
    taken: list[Timed | None]
    speeds: list[dict[str, Speed]]
    spent: list[Spent | None]
    inside: np.ndarray
    faults: list[str]
    prices: Prices

    def stages(self) -> list[str]:
        """The stages that some run tells of, in order."""
        return [stage for stage in (*list(STAGES)[1:], "total") if any(stage in own for own in self.speeds)]

    def values(self, at: int, paid: str) -> np.ndarray:
        """What each query in scope took of a run: milliseconds, or dollars: (q,), NaN where it is not told."""
        one = self.taken[at]
        nothing = np.full(int(self.inside.sum()), np.nan)
        if paid == "cost":
            return nothing if self.spent[at] is None else self.spent[at].values[self.inside]
        return nothing if one is None or "total" not in one.stages else one.stages["total"][self.inside]

    def paid(self, paid: str) -> np.ndarray:
        """Mean (or P90) with its interval of every run: (3, N)."""
        return np.array([self._paid(at, paid) for at in range(len(self.taken))]).T.reshape(3, -1)

    def _paid(self, at: int, paid: str) -> tuple[float, float, float]:
        total, spent, place = self.speeds[at].get("total"), self.spent[at], SHARES.index(90)
        if paid == "cost" and spent is not None:
            return _interval(self.now.digests[at], *facts(self.now.scope), spent.how, repr(self.prices),
                             _values=self.values(at, paid), _weights=cache.weights(self.now.scope))
        if paid == "cost" or total is None:
            return (np.nan,) * 3
        return (total.mean, total.low, total.high) if paid == "mean" else (
            total.at[place], total.at_low[place], total.at_high[place])


def board(now: View, prices: Prices) -> Board:
    """Everything that the page shows; where no run tells of anything, what would help, and an end."""
    inside = cache.queries(now.scope)
    taken, speeds, spent, faults = [], [], [], []
    for entry in now.entries:
        try:
            one = cache.match(entry.digest, now.scope).timed
        except Unavailable as fault:
            faults.append(f"{entry.name}: {fault.problem.found}. {fault.problem.fix}")
            one = None
        taken.append(one)
        speeds.append({} if one is None else _speeds(entry.digest, *facts(now.scope), _one=one,
                                                     _inside=inside, _weights=cache.weights(now.scope)))
        spent.append(None if one is None else costs.spent(one, LOADED.run(entry.digest).settings, prices, entry.name))
    found = Board(now, taken, speeds, spent, inside, faults, prices)
    if not any(speeds) and not any(one and one.how for one in spent) and not _has_tokens(found):
        _nothing(found)
    return found


@st.cache_resource(max_entries=256, show_spinner="Computing percentiles …")
def _speeds(run: str, *scope: object, _one: Timed, _inside: np.ndarray,
            _weights: np.ndarray | None) -> dict[str, Speed]:
    return {one.stage: one for one in costs.speeds(_one, _inside, weights=_weights)}


@st.cache_resource(max_entries=256, show_spinner=False)
def _interval(run: str, *key: object, _values: np.ndarray, _weights: np.ndarray | None) -> tuple[float, float, float]:
    low, high = bootstrap_intervals(_values[:, None], weights=_weights)
    return float(np.nanmean(_values)) if np.isfinite(_values).any() else np.nan, float(low[0]), float(high[0])


def _has_tokens(board: Board) -> bool:
    return any(one is not None and np.isfinite([one.prompt, one.completion]).any() for one in board.taken)


def _nothing(board: Board) -> None:
    faults = "".join(f"- {words.escape(fault)}\n" for fault in board.faults)
    widgets.empty(
        "Neither times nor tokens are told",
        f"{faults}\nA run may tell of each query, beside its documents:\n\n"
        "- `latency_ms`: milliseconds, a number or {retrieval, rerank, generation, total}\n"
        "- `prompt_tokens` and `completion_tokens` (or `usage` with both)\n"
        "- `cost_usd`: dollars, where your provider tells them\n\n"
        "The samples show measured latencies.")
    st.page_link("pages/runs.py", label="Go to Runs", icon=":material/upload_file:")
    raise view.PageEnds


def finding(board: Board) -> None:
    """In words: which run is fastest, which cheapest, by how much."""
    names, lines = board.now.names, []
    mean, tail = board.paid("mean")[0], board.paid("p90")[0]
    order = [int(at) for at in np.argsort(mean) if np.isfinite(mean[at])]
    if order:
        first, last = order[0], order[-1]
        said = (f"**{words.escape(names[first])}** "
                + ("is the fastest" if len(order) > 1 else "takes")
                + f": {took(mean[first])} on average, one query in ten takes {took(tail[first])} or more")
        if len(order) > 1 and mean[first] > 0:
            said += f"; **{words.escape(names[last])}** takes {spending_tables.times(mean[last] / mean[first])} as long"
        lines.append(said + ".")
    dollars = board.paid("cost")[0]
    order = [int(at) for at in np.argsort(dollars) if np.isfinite(dollars[at])]
    if order:
        said = f"**{words.escape(names[order[0]])}** costs {money(dollars[order[0]])} a query"
        if len(order) > 1:
            said += f", the least; **{words.escape(names[order[-1]])}** {money(dollars[order[-1]])}"
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
            st.table(spending_tables.runs(board), border="horizontal", hide_index=True,
                     alt="Latency, tokens and cost of each run")
    if parts.open:
        with parts:
            st.table(spending_tables.stages(board, STAGES), border="horizontal", hide_index=True,
                     alt="Latency of each run by stage")
    if everything.open:
        with everything:
            widgets.frame(spending_tables.numbers(board), "spending_numbers", "Every number of speed and cost",
                          formats={"Value": "%.6g", "Low": "%.6g", "High": "%.6g"})
    st.caption("With 95 % bootstrap intervals. P90: one query in ten takes longer; percentiles are numpy's linear "
               "ones. With fewer than 100 queries P99 is hardly more than the slowest one. Times are those that the "
               "runs tell; they compare where they were measured alike.")
    for line in [*board.faults, *spending_tables.unknown(board)]:
        st.caption(f":material/info: {words.escape(line)}")


def times(board: Board) -> None:
    """The share of queries within each time, of the whole or of one stage."""
    stages = board.stages()
    if not stages:
        return
    st.header("How long queries take", anchor=False, help="The share of the queries that took at most so long. Further "
              "left is faster; a flat end is a slow tail.")
    key = state.one(state.STAGE, stages, "total" if "total" in stages else stages[0])
    if len(stages) > 1:
        st.segmented_control("Stage", stages, format_func=STAGES.get, key=key, required=True, persist_state="session",
                             label_visibility="collapsed")
    stage = state.get(state.STAGE)
    held = [at for at, one in enumerate(board.taken) if one is not None and stage in one.stages]
    values = [board.taken[at].stages[stage][board.inside] for at in held]
    names, slots = ([part[at] for at in held] for part in (board.now.names, board.now.slots))
    figure = plots.ecdf(names, slots, values, title=f"Latency, {STAGES[stage].lower()}", theme=widgets.theme())
    widgets.chart(figure, spending_tables.ecdf(names, values), "ecdf",
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
                         key=state.one(state.PAID, options, options[0]), label_visibility="collapsed")
    paid = state.get(state.PAID)
    price, unit = board.paid(paid), "$" if paid == "cost" else "ms"
    found = [row[0] for row in board.now.summary([spec])]
    quality = np.array([[getattr(one, part) for one in found] for part in ("mean", "low", "high")], float)
    on = costs.front(quality[0], price[0], spec.metric.better)
    steps = costs.steps(quality[0], price[0], spec.metric.better, draws=_draws(board, spec, paid))
    _said(spending_tables.front(board.now.names, on, steps, spec, PAID[paid], unit))
    figure = plots.pareto(board.now.names, board.now.slots, price, quality, on, axis=words.axis(spec),
                          title=PAID[paid] if unit == "$" else f"{PAID[paid]} (ms)", unit=unit,
                          n=[one.n for one in found], theme=widgets.theme())
    widgets.chart(figure, spending_tables.pareto(board, price, quality, on, steps, spec, PAID[paid]), "pareto",
                  f"{spec.title} against {PAID[paid].lower()} of each run; on the front: " + words.listed(
                      [board.now.names[at] for at in np.flatnonzero(on)] or ["none"]),
                  formats={PAID[paid]: "%.6g", "Cost of one more point": "%.4g", "Paid low": "%.6g",
                           "Paid high": "%.6g"})
    st.caption(f"One more point is 0.01 of {words.escape(spec.title)}. Bars are 95 % intervals; hollow runs are not on "
               "the front, which goes by the means: whether a difference is real, the Compare page tells.")


def _draws(board: Board, spec: Spec, paid: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Resampled means of quality and cost for the intervals of steps; None where either is no mean."""
    evaluations = board.now.evaluations([spec])
    if paid == "p90" or spec.metric.aggregate != "mean" or any(spec in one.corpus for one in evaluations):
        return None
    weights = cache.weights(board.now.scope)
    return (costs.means([one.column(spec) for one in evaluations], weights=weights),
            costs.means([board.values(at, paid) for at in range(len(evaluations))], weights=weights))


def measured(now: View) -> Sequence[Spec]:
    """The metric of the sidebar where it can be measured; its problems are told."""
    try:
        wanted = [now.spec]
    except InputError as error:
        widgets.problems(error.problems, "metric")
        return []
    specs, unfit = view.measurable(now, wanted)
    widgets.problems(unfit, "metric")
    return specs
