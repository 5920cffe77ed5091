"""What the speed and cost section shows of each run: times, tokens and dollars of the queries in scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.core.errors import Unavailable
from ragdash.dashboard import page_context
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import elements
from ragdash.evaluation import latency_cost
from ragdash.evaluation.latency_cost import SHARES, PriceTable, RunCost, StageLatency
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.cost import Timed
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import search_title

STAGE_TITLES = {"total": "Whole", "retrieval": "Retrieval", "rerank": "Reranking", "generation": "Generation"}
PRICE_TITLES = {"mean": "Average latency", "p90": "P90 latency", "cost": "Cost per query"}


@dataclass(frozen=True)
class SpeedCostData:
    """What each run shown took: times, tokens and dollars of the queries in scope.

    timings: None for a run of which nothing is known; reasons: why, in words.
    """

    context: PageContext
    timings: list[Timed | None]
    speeds: list[dict[str, StageLatency]]
    costs: list[RunCost | None]
    in_scope: np.ndarray
    reasons: list[str]
    prices: PriceTable

    def stages(self) -> list[str]:
        """The stages that some run has times of, in order; the whole alone where a single stage is all of it."""
        timed = [stage for stage in (*list(STAGE_TITLES)[1:], "total")
                 if any(stage in run_speeds for run_speeds in self.speeds)]
        return ["total"] if len(timed) == 2 and self.is_search_alone else timed

    @property
    def search_alone(self) -> list[str]:
        """The runs of which nothing but retrieval and re-ranking was timed."""
        return [name for name, timed in zip(self.context.names, self.timings, strict=True)
                if timed is not None and timed.is_search_alone]

    @property
    def is_search_alone(self) -> bool:
        """Whether no run has a time of anything but retrieval and re-ranking."""
        return sum("total" in run_speeds for run_speeds in self.speeds) == len(self.search_alone)

    @property
    def stage_titles(self) -> dict[str, str]:
        """The titles of the stages; the whole is called by its stages where nothing else was timed."""
        return STAGE_TITLES | ({"total": self.search_title()} if self.is_search_alone else {})

    def search_title(self, runs: Sequence[int] | None = None) -> str:
        """What the times of these runs (default all) are of, where no answers were timed."""
        speeds = self.speeds if runs is None else [self.speeds[run] for run in runs]
        return search_title({stage for run_speeds in speeds for stage in run_speeds}).capitalize()

    @property
    def search_note(self) -> str:
        """Whose times are those of retrieval only; "" where the title of the stage says it, or of none."""
        names = self.search_alone if not self.is_search_alone else []
        return f"Retrieval only: {fmt.listed(names)}. No time of answers was recorded." if names else ""

    def values(self, run_index: int, paid: str) -> np.ndarray:
        """What each query in scope took of a run: milliseconds, or dollars: (q,), NaN where it is not known."""
        timed = self.timings[run_index]
        undefined = np.full(int(self.in_scope.sum()), np.nan)
        if paid == "cost":
            return undefined if self.costs[run_index] is None else self.costs[run_index].values[self.in_scope]
        return undefined if timed is None or "total" not in timed.stages else timed.stages["total"][self.in_scope]

    def price_intervals(self, paid: str) -> np.ndarray:
        """Mean (or P90) with its interval of every run: (3, N)."""
        return np.array([self._price_interval(index, paid) for index in range(len(self.timings))]).T.reshape(3, -1)

    def _price_interval(self, run_index: int, paid: str) -> tuple[float, float, float]:
        total, cost, p90_index = self.speeds[run_index].get("total"), self.costs[run_index], SHARES.index(90)
        if paid == "cost" and cost is not None:
            return _interval(
                self.context.digests[run_index], self.context.scope.cache_key(), cost.basis, repr(self.prices),
                _values=self.values(run_index, paid), _scope=self.context.scope)
        if paid == "cost" or total is None:
            return (np.nan,) * 3
        return (total.mean, total.low, total.high) if paid == "mean" else (
            total.percentiles[p90_index], total.percentiles_low[p90_index], total.percentiles_high[p90_index])


def build_data(context: PageContext, prices: PriceTable) -> SpeedCostData:
    """Everything that the page shows; if no run has data for it, what would help, and the page ends."""
    data = collect(context, prices)
    if not any(data.speeds) and not any(cost and cost.basis for cost in data.costs) and not _has_tokens(data):
        _render_empty(data)
    return data


def collect(context: PageContext, prices: PriceTable) -> SpeedCostData:
    """Times, tokens and dollars of the runs shown, and the reasons where there are none."""
    in_scope = context.scope.queries
    timings, speeds, costs, faults = [], [], [], []
    for entry in context.entries:
        try:
            timed = context.scope.match(entry.digest).timed
        except Unavailable as fault:
            words = fault.problem.words("page")
            faults.append(f"{entry.name}: {words.actual}. {words.fix}")
            timed = None
        timings.append(timed)
        speeds.append({} if timed is None else _speeds(entry.digest, context.scope.cache_key(), _timed=timed,
                                                     _in_scope=in_scope, _scope=context.scope))
        costs.append(
            None if timed is None else latency_cost.run_cost(timed, entry.run.settings, prices, entry.name)
        )
    return SpeedCostData(context, timings, speeds, costs, in_scope, faults, prices)


@shared(max_entries=256, show_spinner="Computing percentiles …")
def _speeds(run: str, scope: tuple, _timed: Timed, _in_scope: np.ndarray, _scope: Scope) -> dict[str, StageLatency]:
    weights = _scope.resample_weights if _timed.stages else None  # a second of work, for times only
    return {speed.stage: speed for speed in latency_cost.stage_latencies(_timed, _in_scope, weights=weights)}


@shared(max_entries=256)
def _interval(run: str, scope: tuple, basis: str, prices: str, _values: np.ndarray,
              _scope: Scope) -> tuple[float, float, float]:
    if not np.isfinite(_values).any():
        return (np.nan,) * 3
    low, high = bootstrap_intervals(_values[:, None], weights=_scope.resample_weights)
    return float(np.nanmean(_values)), float(low[0]), float(high[0])


def _has_tokens(data: SpeedCostData) -> bool:
    return any(timed is not None and np.isfinite([timed.prompt, timed.completion]).any() for timed in data.timings)


def _render_empty(data: SpeedCostData) -> None:
    faults = "".join(f"- {fmt.escape(fault)}\n" for fault in data.reasons)
    elements.empty(
        "No latency or token data",
        f"{faults}\nEach query in a run file can include, next to its documents:\n\n"
        "- `latency_ms`: milliseconds, a number or {retrieval, rerank, generation, total}\n"
        "- `prompt_tokens` and `completion_tokens` (or `usage` with both)\n"
        "- `cost_usd`: dollars, where your provider reports them\n\n"
        "The samples show measured latencies.")
    st.page_link("pages/data.py", label="Go to Data", icon=":material/upload_file:")
    raise page_context.PageEnds
