"""The tables beside the pictures: plain data frames with readable column names, a row per run (and cutoff)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragdash.evaluation import Curves, Summary
from ragdash.metrics import METRICS, Metric
from ragdash.ui import widgets, words
from ragdash.ui.view import View

NBSP = "\u00a0"


def leaderboard(view: View, summaries: Sequence[Sequence[Summary]], order: Sequence[int]) -> pd.DataFrame:
    """The table to read, in markdown: a row per run, a column per metric (mean, interval, difference)."""
    several_n = len({summary.n for row in summaries for summary in row}) > 1
    columns = {
        "Run": [
            f"**{widgets.swatch(view.slots[row], view.names[row])}**"
            + ("  \n:gray[baseline]" if row == view.baseline and len(order) > 1 else "")
            for row in order
        ]
    }
    for at, base in enumerate(summaries[view.baseline]):
        columns[base.spec.title] = [_cell(summaries[row][at], base, row == view.baseline, several_n) for row in order]
    n = max((summary.n for row in summaries for summary in row), default=0)
    if not several_n:
        columns["n"] = [f"{n:,}"] * len(order)
    return pd.DataFrame(columns)


def _cell(summary: Summary, base: Summary, is_base: bool, several_n: bool) -> str:
    """Mean and interval on the first line, the difference to the baseline (and n where it varies) on the second."""
    if not np.isfinite(summary.mean):
        return f"{words.UNDEFINED} :gray[no query where it is defined]"
    first = f"**{words.number(summary.mean)}**{NBSP}:gray[{words.escape(words.interval(summary).replace(' ', NBSP))}]"
    text, verdict = words.delta(summary.mean - base.mean, summary.spec.metric.better)
    color = {"better": "blue", "worse": "orange"}.get(verdict, "gray")
    second = [f":gray[n = {summary.n:,}]"] if several_n else []
    second += [] if is_base else [f":{color}[{words.escape(text.replace(' ', NBSP))}]"]
    return first + ("  \n" + " · ".join(second) if second else "")


def numbers(view: View, summaries: Sequence[Sequence[Summary]], order: Sequence[int]) -> pd.DataFrame:
    """Every number of the leaderboard, a row per run and metric, for sorting, searching and the download."""
    rows = []
    for row in order:
        for summary, base in zip(summaries[row], summaries[view.baseline], strict=True):
            _, verdict = words.delta(summary.mean - base.mean, summary.spec.metric.better)
            rows.append(
                {
                    "Run": view.names[row],
                    "Metric": summary.spec.title,
                    "Mean": summary.mean,
                    "Low": summary.low,
                    "High": summary.high,
                    "n": summary.n,
                    "Undefined": summary.undefined,
                    "Difference to baseline": summary.mean - base.mean,
                    "Reading": verdict or "–",
                    "Metric name": str(summary.spec),
                }
            )
    return pd.DataFrame(rows)


def means(view: View, summaries: Sequence[Summary], order: Sequence[int]) -> pd.DataFrame:
    """One metric, a row per run."""
    return pd.DataFrame(
        [
            {
                "Run": view.names[row],
                "Mean": summaries[row].mean,
                "Low": summaries[row].low,
                "High": summaries[row].high,
                "n": summaries[row].n,
                "Undefined": summaries[row].undefined,
            }
            for row in order
        ]
    )


def by_cutoff(view: View, found: Sequence[Curves], name: str) -> pd.DataFrame:
    """One metric at every cutoff, a row per run and cutoff; intervals where they were computed."""
    frames = []
    for run, curve in zip(view.names, found, strict=True):
        low, high = (np.full(len(curve.ks), np.nan) for _ in range(2))
        at = np.searchsorted(curve.ks, curve.interval_ks)
        low[at], high[at] = curve.low[name], curve.high[name]
        frames.append(
            pd.DataFrame(
                {
                    "Run": run,
                    "k": curve.ks,
                    METRICS[name].title: curve.mean[name],
                    "Low": low,
                    "High": high,
                    "n": curve.n[name],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def trade_off(view: View, precision: Sequence[Curves], recall: Sequence[Curves]) -> pd.DataFrame:
    """Precision and recall at every cutoff, a row per run and cutoff."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "k": p.ks, "Precision": p.mean["P"], "Recall": r.mean["R"]})
            for run, p, r in zip(view.names, precision, recall, strict=True)
        ],
        ignore_index=True,
    )


def interpolated(view: View, levels: np.ndarray, found: Sequence[tuple[np.ndarray, int]]) -> pd.DataFrame:
    """Interpolated precision, a row per run and recall level."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "Recall level": levels, "Interpolated precision": values, "n": n})
            for run, (values, n) in zip(view.names, found, strict=True)
        ],
        ignore_index=True,
    )


def at_cutoffs(view: View, summaries: Sequence[Sequence[Summary]]) -> pd.DataFrame:
    """One metric at a few cutoffs, a row per run and cutoff."""
    return pd.DataFrame(
        [
            {
                "Run": run,
                "k": summary.spec.k,
                "Mean": summary.mean,
                "Low": summary.low,
                "High": summary.high,
                "n": summary.n,
            }
            for run, row in zip(view.names, summaries, strict=True)
            for summary in row
        ]
    )


def first_rank(view: View, bins: Sequence[str], shares: np.ndarray, n: int) -> pd.DataFrame:
    """Share and number of queries in each bin of first relevant ranks."""
    return pd.DataFrame(
        [
            {"Run": run, "First relevant rank": label, "Share": share, "Queries": round(share * n)}
            for run, row in zip(view.names, shares, strict=True)
            for label, share in zip(bins, row, strict=True)
        ]
    )


def per_query(query_ids: Sequence[str], names: tuple[str, str], x: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """Both values of each query and their difference."""
    left, right = (names[0], names[1]) if names[0] != names[1] else (names[0], f"{names[1]} (again)")
    return pd.DataFrame({"Query": query_ids, left: x, right: y, "Difference": y - x})


def registry(found: Sequence[Metric]) -> pd.DataFrame:
    """Every metric, a row each."""
    better = {"higher": "▲ higher", "lower": "▼ lower", None: "neither"}
    return pd.DataFrame(
        [
            {
                "Metric": metric.title,
                "Name": metric.name,
                "Better": better[metric.better],
                "Range": words.range_text(*metric.range),
                "Says": metric.summary_line.split(". ")[0].rstrip(".") + ".",
            }
            for metric in found
        ]
    )
