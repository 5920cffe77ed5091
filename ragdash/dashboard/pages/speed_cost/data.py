"""What the Speed & cost page shows of each run: times, tokens and dollars of the queries in scope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.core.errors import Unavailable
from ragdash.dashboard import page_context
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements
from ragdash.evaluation import latency_cost
from ragdash.evaluation.latency_cost import SHARES, PriceTable, RunCost, StageLatency
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.views.cost import Timed
from ragdash.reporting.sentences import fmt

STAGES = {"total": "Whole", "retrieval": "Retrieval", "rerank": "Reranking", "generation": "Generation"}
PAID = {"mean": "Average latency", "p90": "P90 latency", "cost": "Cost per query"}


@dataclass(frozen=True)
class Board:
    """What each run shown took: times, tokens and dollars of the queries in scope.

    taken: None for a run of which nothing is told; faults: why, in words.
    """

    context: PageContext
    taken: list[Timed | None]
    speeds: list[dict[str, StageLatency]]
    spent: list[RunCost | None]
    inside: np.ndarray
    faults: list[str]
    prices: PriceTable

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
            return _interval(self.context.digests[at], *self.context.scope.cache_key(), spent.basis, repr(self.prices),
                             _values=self.values(at, paid), _weights=self.context.scope.resample_weights)
        if paid == "cost" or total is None:
            return (np.nan,) * 3
        return (total.mean, total.low, total.high) if paid == "mean" else (
            total.percentiles[place], total.percentiles_low[place], total.percentiles_high[place])


def board(context: PageContext, prices: PriceTable) -> Board:
    """Everything that the page shows; where no run tells of anything, what would help, and an end."""
    inside = context.scope.queries
    taken, speeds, spent, faults = [], [], [], []
    for entry in context.entries:
        try:
            one = context.scope.match(entry.digest).timed
        except Unavailable as fault:
            words = fault.problem.words("page")
            faults.append(f"{entry.name}: {words.actual}. {words.fix}")
            one = None
        taken.append(one)
        speeds.append({} if one is None else _speeds(entry.digest, *context.scope.cache_key(), _one=one,
                                                     _inside=inside, _weights=context.scope.resample_weights))
        spent.append(
            None if one is None else latency_cost.run_cost(one, entry.run.settings, prices, entry.name)
        )
    found = Board(context, taken, speeds, spent, inside, faults, prices)
    if not any(speeds) and not any(one and one.basis for one in spent) and not _has_tokens(found):
        _nothing(found)
    return found


@st.cache_resource(max_entries=256, show_spinner="Computing percentiles …")
def _speeds(run: str, *scope: object, _one: Timed, _inside: np.ndarray,
            _weights: np.ndarray | None) -> dict[str, StageLatency]:
    return {one.stage: one for one in latency_cost.stage_latencies(_one, _inside, weights=_weights)}


@st.cache_resource(max_entries=256, show_spinner=False)
def _interval(run: str, *key: object, _values: np.ndarray, _weights: np.ndarray | None) -> tuple[float, float, float]:
    low, high = bootstrap_intervals(_values[:, None], weights=_weights)
    return float(np.nanmean(_values)) if np.isfinite(_values).any() else np.nan, float(low[0]), float(high[0])


def _has_tokens(board: Board) -> bool:
    return any(one is not None and np.isfinite([one.prompt, one.completion]).any() for one in board.taken)


def _nothing(board: Board) -> None:
    faults = "".join(f"- {fmt.escape(fault)}\n" for fault in board.faults)
    elements.empty(
        "Neither times nor tokens are told",
        f"{faults}\nA run may tell of each query, beside its documents:\n\n"
        "- `latency_ms`: milliseconds, a number or {retrieval, rerank, generation, total}\n"
        "- `prompt_tokens` and `completion_tokens` (or `usage` with both)\n"
        "- `cost_usd`: dollars, where your provider tells them\n\n"
        "The samples show measured latencies.")
    st.page_link("pages/runs.py", label="Go to Runs", icon=":material/upload_file:")
    raise page_context.PageEnds
