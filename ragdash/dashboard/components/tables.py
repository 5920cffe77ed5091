"""The tables beside the pictures: plain data frames with readable column names, a row per run (and cutoff)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from ragdash.analysis.comparability import Effect, Ledger
from ragdash.analysis.comparability.findings import MIRRORED
from ragdash.core.records import Run, Truth
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Curves, Summary
from ragdash.metrics import METRICS, Metric
from ragdash.reporting.sentences import comparability, fmt
from ragdash.reporting.sentences.fmt import NBSP


def means(context: PageContext, summaries: Sequence[Summary], order: Sequence[int]) -> pd.DataFrame:
    """One metric, a row per run."""
    return pd.DataFrame(
        [
            {
                "Run": context.names[row],
                "Mean": summaries[row].mean,
                "Low": summaries[row].low,
                "High": summaries[row].high,
                "n": summaries[row].n,
                "Undefined": summaries[row].undefined,
            }
            for row in order
        ]
    )


def by_cutoff(context: PageContext, found: Sequence[Curves], name: str) -> pd.DataFrame:
    """One metric at every cutoff, a row per run and cutoff; intervals where they were computed."""
    frames = []
    for run, curve in zip(context.names, found, strict=True):
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


def trade_off(context: PageContext, precision: Sequence[Curves], recall: Sequence[Curves]) -> pd.DataFrame:
    """Precision and recall at every cutoff, a row per run and cutoff."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "k": p.ks, "Precision": p.mean["P"], "Recall": r.mean["R"]})
            for run, p, r in zip(context.names, precision, recall, strict=True)
        ],
        ignore_index=True,
    )


def interpolated(context: PageContext, levels: np.ndarray, found: Sequence[tuple[np.ndarray, int]]) -> pd.DataFrame:
    """Interpolated precision, a row per run and recall level."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "Recall level": levels, "Interpolated precision": values, "n": n})
            for run, (values, n) in zip(context.names, found, strict=True)
        ],
        ignore_index=True,
    )


def at_cutoffs(context: PageContext, summaries: Sequence[Sequence[Summary]]) -> pd.DataFrame:
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
            for run, row in zip(context.names, summaries, strict=True)
            for summary in row
        ]
    )


def first_rank(context: PageContext, bins: Sequence[str], shares: np.ndarray, n: Sequence[int]) -> pd.DataFrame:
    """Share and number of queries in each bin of first relevant ranks; n: queries of each run."""
    return pd.DataFrame(
        [
            {"Run": run, "First relevant rank": label, "Share": share, "Queries": round(share * many)}
            for run, row, many in zip(context.names, shares, n, strict=True)
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
                "Range": fmt.range_text(*metric.range),
                "Says": metric.summary_line.split(". ")[0].rstrip(".") + ".",
            }
            for metric in found
        ]
    )


def preview(thing: Run | Truth, queries: int = 3, ranks: int = 3) -> pd.DataFrame:
    """The first queries of a run or a truth, with their first documents and what is known of each query."""
    ids = thing.query_ids[:queries].to_pylist()
    if isinstance(thing, Run):
        parts = [thing.ranking(name, ranks).to_pandas().assign(query_id=name) for name in ids]
        frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"query_id": []})
        frame = frame[["query_id", *(name for name in frame if name != "query_id" and frame[name].notna().any())]]
    else:
        at = np.flatnonzero(thing.queries < queries)[: queries * ranks]
        frame = pd.DataFrame({"query_id": thing.query_ids.take(pa.array(thing.queries[at])).to_pylist(),
                              "doc_id": thing.docs.take(pa.array(at)).to_pylist(), "grade": thing.grades[at]})
    if thing.details is not None:
        held = thing.details.slice(0, queries)
        kept = [name for name in held.column_names if name != "query_id" and held[name].null_count < len(held)]
        known = pd.DataFrame({"query_id": ids, **{name: [_short(value) for value in held[name].to_pylist()]
                                                  for name in kept}})
        frame = frame.astype({"query_id": object}).merge(known, on="query_id", how="outer", sort=False)
    return frame


def _short(value) -> str | None:
    """A value of any kind as text, as much of it as a table shows."""
    return None if value is None else str(value)[:200]


def ledger(found: Ledger) -> pd.DataFrame:
    """Everything that was counted, a row each."""
    return pd.DataFrame([
        {"Run": one.run or "all", "What": one.kind.replace("-", " ") + (f" at {one.k}" if one.k else ""),
         "Count": one.count, "Of": one.total, "Share": one.count / one.total if one.total else np.nan,
         "Reading": one.severity, "Found": one.found, "Effect": one.effect, "Fix": one.fix, "Option": one.flags}
        for one in found.entries])


def effects(found: Ledger, convention: str, runs: Sequence[SessionRun]) -> pd.DataFrame:
    """The mean of each run under each choice of a convention, in markdown; empty where no choice moves anything."""
    rows = [one for one in found.effects if one.convention == convention]
    if not any(one.marked for one in rows):
        return pd.DataFrame()
    choices = {**comparability.CHOICES[convention][1], MIRRORED: "The other way"}
    table = []
    for entry in runs:
        own = {one.choice: one for one in rows if one.run == entry.name}
        cells = {text: _choice(own[choice]) if choice in own else fmt.UNDEFINED
                 for choice, text in choices.items() if choice in {one.choice for one in rows}}
        table.append({"Run": f"**{elements.swatch(entry.slot, entry.name)}**", **cells})
    return pd.DataFrame(table)


def _choice(one: Effect) -> str:
    """Mean, n and change under one choice; the choice in force is bold."""
    if one.refused:
        return ":gray[refused]"
    mean = f"**{fmt.number(one.mean)}**" if one.chosen else fmt.number(one.mean)
    change = f" · {fmt.number(one.change, signed=True)}" if abs(one.change) >= 5e-4 else ""
    return f"{mean}{NBSP}:gray[{fmt.escape(f'n = {one.n:,}{change}')}]"
