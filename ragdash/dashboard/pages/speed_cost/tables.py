"""The tables and sentences of the Speed & cost page. No streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ragdash.dashboard.widgets import elements
from ragdash.evaluation.latency_cost import SHARES, CostStep, StageLatency
from ragdash.metrics import Spec
from ragdash.reporting.sentences import fmt
from ragdash.reporting.sentences.fmt import UNDEFINED
from ragdash.reporting.sentences.latency_cost import duration, front_sentences, money  # noqa: F401  (used by the page)

if TYPE_CHECKING:
    from ragdash.dashboard.pages.speed_cost.data import Board

POINTS = 200  # rows of a run in the table of times


def times(ratio: float) -> str:
    """1.3 times, 377 times."""
    return f"{ratio:,.{1 if ratio < 10 else 0}f} times"


def runs(board: Board) -> pd.DataFrame:
    """A row per run: the whole latency, tokens, cost; what no run tells is left out."""
    rows = []
    for at, entry in enumerate(board.context.entries):
        one, total, spent = board.taken[at], board.speeds[at].get("total"), board.spent[at]
        row = {"Run": f"**{elements.swatch(entry.slot, entry.name)}**", **_times(total)}
        tokens = (None, None) if one is None else (one.prompt, one.completion)
        for name, values in zip(("Prompt tokens", "Completion tokens"), tokens, strict=True):
            row[name] = _mean(values, board)
        cost = board.paid("cost")[:, at]
        how = "" if spent is None or not spent.basis else "as recorded" if spent.basis == "recorded" else \
            "by price of " + fmt.listed([fmt.escape(name) for name in spent.price_names])
        row["Cost per query"] = UNDEFINED if np.isnan(cost[0]) else _cell(cost, money) + f"  \n:gray[{how}]"
        rows.append(row | {"n": f"{int(np.isfinite(board.values(at, 'mean')).sum()):,}"})
    table = pd.DataFrame(rows)
    kept = [name for name in table if name in ("Run", "n") or (table[name] != UNDEFINED).any()]
    return _escaped(table[kept])


def stages(board: Board, titles: Mapping[str, str]) -> pd.DataFrame:
    """A row per stage and run."""
    rows = []
    for stage in board.stages():
        for at, entry in enumerate(board.context.entries):
            one = board.speeds[at].get(stage)
            rows.append({"Stage": titles[stage], "Run": f"**{elements.swatch(entry.slot, entry.name)}**", **_times(one),
                         "n": UNDEFINED if one is None else f"{one.n:,}"})
    return _escaped(pd.DataFrame(rows, columns=None if rows else ["Stage", "Run"]))


def numbers(board: Board) -> pd.DataFrame:
    """Every number, a row each."""
    rows = []
    for at, name in enumerate(board.context.names):
        for stage, one in board.speeds[at].items():
            rows.append((name, f"latency, {stage}", "mean", one.mean, one.low, one.high, one.n, "ms"))
            rows += [
                (
                    name,
                    f"latency, {stage}",
                    f"P{share}",
                    *(float(part[place]) for part in (one.percentiles, one.percentiles_low, one.percentiles_high)),
                    one.n,
                    "ms",
                )
                for place, share in enumerate(SHARES)
            ]
        taken = board.taken[at]
        for what, values in () if taken is None else (("prompt tokens", taken.prompt),
                                                      ("completion tokens", taken.completion)):
            held = values[board.inside]
            held = held[np.isfinite(held)]
            if len(held):
                rows += [(name, what, how, float(value), np.nan, np.nan, len(held), "tokens")
                         for how, value in (("mean", held.mean()), ("sum", held.sum()))]
        held = board.values(at, "cost")
        held = held[np.isfinite(held)]
        if len(held):
            rows.append((name, "cost", "mean", *board.paid("cost")[:, at].tolist(), len(held), "$"))
            rows.append((name, "cost", "sum", float(held.sum()), np.nan, np.nan, len(held), "$"))
    return pd.DataFrame(rows, columns=["Run", "What", "Number", "Value", "Low", "High", "n", "Unit"])


def ecdf(names: Sequence[str], values: Sequence[np.ndarray]) -> pd.DataFrame:
    """The line of each run, at most 200 rows of it."""
    parts = []
    for name, row in zip(names, values, strict=True):
        held = np.sort(row[np.isfinite(row)])
        kept = np.unique(np.linspace(0, len(held) - 1, min(len(held), POINTS)).round().astype(int)) if len(held) else []
        parts.append(pd.DataFrame({"Run": name, "Milliseconds": held[kept], "Share": (np.array(kept) + 1) / max(
            len(held), 1)}))
    return pd.concat(parts, ignore_index=True)


def pareto(board: Board, price: np.ndarray, quality: np.ndarray, on: np.ndarray, steps: Sequence[CostStep], spec: Spec,
           paid: str) -> pd.DataFrame:
    """A row per run, the cheapest first, with what one more point cost from the run before it on the front."""
    per_point = {step.dearer: step.per_point for step in steps}
    order = np.argsort(price[0], kind="stable")
    return pd.DataFrame([{
        "Run": board.context.names[at], spec.title: quality[0, at], "Low": quality[1, at], "High": quality[2, at],
        paid: price[0, at], "Paid low": price[1, at], "Paid high": price[2, at], "On the front": bool(on[at]),
        "Cost of one more point": per_point.get(at, np.nan)} for at in order.tolist()])


def unknown(board: Board) -> list[str]:
    """Why the cost of a run is not known, where that of another is or tokens are told."""
    if not any(one is not None and (one.basis or one.price_names) for one in board.spent) and not any(
            one is not None and np.isfinite(one.prompt).any() for one in board.taken):
        return []
    return [f"{name}, cost unknown: {one.reason}." for name, one in zip(board.context.names, board.spent, strict=True)
            if one is not None and one.reason]


def _times(one: StageLatency | None) -> dict[str, str]:
    if one is None:
        return dict.fromkeys(("Average", *(f"P{share}" for share in SHARES)), UNDEFINED)
    cells = {"Average": _cell((one.mean, one.low, one.high), duration)}
    return cells | {
        f"P{share}": _cell((one.percentiles[at], one.percentiles_low[at], one.percentiles_high[at]), duration)
        for at, share in enumerate(SHARES)
    }


def _mean(values: np.ndarray | None, board: Board) -> str:
    if values is None or not np.isfinite(values[board.inside]).any():
        return UNDEFINED
    return f"{np.nanmean(values[board.inside]):,.0f}"


def _cell(three: Sequence[float], form) -> str:
    """A number with its interval below it."""
    value, low, high = (float(part) for part in three)
    if not np.isfinite(value):
        return UNDEFINED
    interval = f"  \n:gray[\\[{form(low)}, {form(high)}\\]]" if np.isfinite([low, high]).all() else ""
    return f"**{form(value)}**{interval}"


def _escaped(table: pd.DataFrame) -> pd.DataFrame:
    """Dollars that markdown does not take for formulas."""
    return table.map(lambda cell: cell.replace("$", "\\$") if isinstance(cell, str) else cell)
