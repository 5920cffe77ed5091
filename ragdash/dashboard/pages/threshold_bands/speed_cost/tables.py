"""The tables and sentences of the speed and cost section. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.latency_cost import SHARES, CostStep, StageLatency
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import NBSP, UNDEFINED
from ragdash.reporting.sentences.latency_cost import COST_UNKNOWN, duration, markdown_money, unknown_cost_sentences

if TYPE_CHECKING:
    from ragdash.dashboard.pages.threshold_bands.speed_cost.data import SpeedCostData

MAX_ECDF_ROWS = 200  # rows of a run in the table of times
ADD_TOKENS = "Add prompt_tokens and completion_tokens (or cost_usd) to each query of the run file"
PRICES_PLACES = {True: "the box “Prices” below", False: "the price table of the workspace"}  # by who may change it


def times_text(ratio: float) -> str:
    """1.3 times, 377 times."""
    return f"{ratio:,.{1 if ratio < 10 else 0}f} times"


def runs_table(data: SpeedCostData) -> pd.DataFrame:
    """A row per run: the whole latency, tokens, cost; columns that no run has are left out."""
    rows, names = [], short_names(data.context.names, PAGE_NAME)
    for index, entry in enumerate(data.context.entries):
        timed, total, run_cost = data.timings[index], data.speeds[index].get("total"), data.costs[index]
        row = {"Run": f"**{elements.swatch(entry.slot, names[index])}**", **_latency_cells(total)}
        tokens = (None, None) if timed is None else (timed.prompt, timed.completion)
        for name, values in zip(("Prompt tokens", "Completion tokens"), tokens, strict=True):
            row[name] = _mean_tokens(values, data)
        cost = data.price_intervals("cost")[:, index]
        basis = "" if run_cost is None or not run_cost.basis else "as recorded" if run_cost.basis == "recorded" else \
            "by price of " + fmt.listed([fmt.escape(name) for name in run_cost.price_names])
        row["Cost per query"] = COST_UNKNOWN.partition(" ")[2] if np.isnan(cost[0]) else (
            _interval_cell(cost, markdown_money) + f"  \n:gray[{basis}]")
        rows.append(row | {"n": f"{int(np.isfinite(data.values(index, 'mean')).sum()):,}"})
    table = pd.DataFrame(rows)
    columns = [name for name in table if name in ("Run", "n") or (table[name] != UNDEFINED).any()]
    return table[columns]


def stages_table(data: SpeedCostData, titles: Mapping[str, str]) -> pd.DataFrame:
    """A row per stage and run."""
    rows, names = [], short_names(data.context.names, PAGE_NAME)
    for stage in data.stages():
        for index, entry in enumerate(data.context.entries):
            speed = data.speeds[index].get(stage)
            rows.append(
                {
                    "Stage": titles[stage],
                    "Run": f"**{elements.swatch(entry.slot, names[index])}**",
                    **_latency_cells(speed),
                    "n": UNDEFINED if speed is None else f"{speed.n:,}",
                }
            )
    return pd.DataFrame(rows, columns=None if rows else ["Stage", "Run"])


def numbers_table(data: SpeedCostData) -> pd.DataFrame:
    """Every number, a row each."""
    rows = []
    for index, name in enumerate(data.context.names):
        for stage in filter(data.speeds[index].__contains__, data.stages()):
            speed, label = data.speeds[index][stage], data.stage_titles[stage].lower()
            rows.append((name, f"latency, {label}", "mean", speed.mean, speed.low, speed.high, speed.n, "ms"))
            rows += [
                (
                    name,
                    f"latency, {label}",
                    f"P{share}",
                    *(
                        float(percentiles[position])
                        for percentiles in (speed.percentiles, speed.percentiles_low, speed.percentiles_high)
                    ),
                    speed.n,
                    "ms",
                )
                for position, share in enumerate(SHARES)
            ]
        timed = data.timings[index]
        for quantity, values in () if timed is None else (("prompt tokens", timed.prompt),
                                                      ("completion tokens", timed.completion)):
            defined = values[data.in_scope]
            defined = defined[np.isfinite(defined)]
            if len(defined):
                rows += [(name, quantity, statistic, float(value), np.nan, np.nan, len(defined), "tokens")
                         for statistic, value in (("mean", defined.mean()), ("sum", defined.sum()))]
        defined = data.values(index, "cost")
        defined = defined[np.isfinite(defined)]
        if len(defined):
            rows.append((name, "cost", "mean", *data.price_intervals("cost")[:, index].tolist(), len(defined), "$"))
            rows.append((name, "cost", "sum", float(defined.sum()), np.nan, np.nan, len(defined), "$"))
    return pd.DataFrame(rows, columns=["Run", "What", "Number", "Value", "Low", "High", "n", "Unit"])


def ecdf_table(names: Sequence[str], values: Sequence[np.ndarray]) -> pd.DataFrame:
    """The line of each run, at most 200 rows of it."""
    frames = []
    for name, row in zip(names, values, strict=True):
        milliseconds = np.sort(row[np.isfinite(row)])
        positions = (
            np.unique(np.linspace(0, len(milliseconds) - 1, min(len(milliseconds), MAX_ECDF_ROWS)).round().astype(int))
            if len(milliseconds)
            else []
        )
        frames.append(
            pd.DataFrame(
                {
                    "Run": name,
                    "Milliseconds": milliseconds[positions],
                    "Share": (np.array(positions) + 1) / max(len(milliseconds), 1),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def pareto_table(
    data: SpeedCostData,
    price: np.ndarray,
    quality: np.ndarray,
    on_front: np.ndarray,
    steps: Sequence[CostStep],
    spec: Spec,
    paid: str,
) -> pd.DataFrame:
    """A row per run, the cheapest first, with what one more point cost from the run before it on the front."""
    per_point = {step.dearer: step.per_point for step in steps}
    order = np.argsort(price[0], kind="stable")
    return pd.DataFrame(
        [
            {
                "Run": data.context.names[index],
                spec.title: quality[0, index],
                "Low": quality[1, index],
                "High": quality[2, index],
                paid: price[0, index],
                "Paid low": price[1, index],
                "Paid high": price[2, index],
                "On the front": bool(on_front[index]),
                "Cost of 0.01 more": per_point.get(index, np.nan),
            }
            for index in order.tolist()
        ]
    )


def unknown_costs(data: SpeedCostData, *, may_change: bool = True) -> list[str]:
    """Why the cost of runs is not known, and what makes it known; may_change: whether this visitor may add prices."""
    reasons, place = {}, PRICES_PLACES[may_change]
    names = short_names(data.context.names, PAGE_NAME)
    for name, cost, timed in zip(names, data.costs, data.timings, strict=True):
        if timed is not None and cost is not None and not cost.basis:
            has_tokens = bool(np.isfinite(timed.prompt).any())
            if not (has_tokens or cost.price_names):
                reasons[name] = f"neither costs nor token counts in the file. {ADD_TOKENS}, and prices in {place}"
            else:
                help_text = "" if has_tokens else f" {ADD_TOKENS}."
                reasons[name] = f"{cost.reason.rstrip('.')}.{help_text} Choose prices in {place}"
    return unknown_cost_sentences(reasons, len(data.context.names))


def _latency_cells(speed: StageLatency | None) -> dict[str, str]:
    if speed is None:
        return dict.fromkeys(("Average", *(f"P{share}" for share in SHARES)), UNDEFINED)
    cells = {"Average": _interval_cell((speed.mean, speed.low, speed.high), duration)}
    return cells | {
        f"P{share}": _interval_cell(
            (speed.percentiles[index], speed.percentiles_low[index], speed.percentiles_high[index]), duration
        )
        for index, share in enumerate(SHARES)
    }


def _mean_tokens(values: np.ndarray | None, data: SpeedCostData) -> str:
    if values is None or not np.isfinite(values[data.in_scope]).any():
        return UNDEFINED
    return f"{np.nanmean(values[data.in_scope]):,.0f}"


def _interval_cell(three: Sequence[float], form) -> str:
    """A number with its interval below it."""
    value, low, high = (float(number) for number in three)
    if not np.isfinite(value):
        return UNDEFINED
    interval = f"  \n:gray[\\[{form(low)},{NBSP}{form(high)}\\]]" if np.isfinite([low, high]).all() else ""
    return f"**{form(value)}**{interval}"
