"""The tables beside the pictures: plain data frames with readable column names, a row per run (and cutoff)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from ragdash.analysis.comparability import ComparabilityReport, ConventionEffect
from ragdash.analysis.comparability.findings import MIRRORED
from ragdash.core.records import Run, Truth
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.curves import Curves
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import METRICS, Metric
from ragdash.reporting.sentences import comparability
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import NBSP


def means_table(context: PageContext, summaries: Sequence[Summary], order: Sequence[int]) -> pd.DataFrame:
    """One metric, a row per run."""
    return pd.DataFrame(
        [
            {
                "Run": context.names[row],
                summaries[row].spec.average.capitalize(): summaries[row].mean,
                "Low": summaries[row].low,
                "High": summaries[row].high,
                "n": summaries[row].n,
                "Undefined": summaries[row].undefined,
            }
            for row in order
        ]
    )


def cutoff_table(context: PageContext, curves: Sequence[Curves], name: str) -> pd.DataFrame:
    """One metric at every cutoff, a row per run and cutoff; intervals where they were computed."""
    frames = []
    for run, curve in zip(context.names, curves, strict=True):
        low, high = (np.full(len(curve.ks), np.nan) for _ in range(2))
        positions = np.searchsorted(curve.ks, curve.interval_ks)
        low[positions], high[positions] = curve.low[name], curve.high[name]
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


def trade_off_table(context: PageContext, precision: Sequence[Curves], recall: Sequence[Curves]) -> pd.DataFrame:
    """Precision and recall at every cutoff, a row per run and cutoff."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "k": p.ks, "Precision": p.mean["P"], "Recall": r.mean["R"]})
            for run, p, r in zip(context.names, precision, recall, strict=True)
        ],
        ignore_index=True,
    )


def interpolated_table(
    context: PageContext, levels: np.ndarray, curves: Sequence[tuple[np.ndarray, int]]
) -> pd.DataFrame:
    """Interpolated precision, a row per run and recall level."""
    return pd.concat(
        [
            pd.DataFrame({"Run": run, "Recall level": levels, "Interpolated precision": values, "n": n})
            for run, (values, n) in zip(context.names, curves, strict=True)
        ],
        ignore_index=True,
    )


def round_cutoffs_table(context: PageContext, summaries: Sequence[Sequence[Summary]]) -> pd.DataFrame:
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


def first_rank_table(context: PageContext, bins: Sequence[str], shares: np.ndarray, n: Sequence[int]) -> pd.DataFrame:
    """Share and number of queries in each bin of first relevant ranks; n: queries of each run."""
    return pd.DataFrame(
        [
            {"Run": run, "First relevant rank": label, "Share": share, "Queries": round(share * query_count)}
            for run, row, query_count in zip(context.names, shares, n, strict=True)
            for label, share in zip(bins, row, strict=True)
        ]
    )


def pair_table(query_ids: Sequence[str], names: tuple[str, str], x: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """Both values of each query and their difference."""
    left, right = (names[0], names[1]) if names[0] != names[1] else (names[0], f"{names[1]} (again)")
    return pd.DataFrame({"Query": query_ids, left: x, right: y, "Difference": y - x})


def metrics_table(metrics: Sequence[Metric]) -> pd.DataFrame:
    """Every metric, a row each."""
    better = {"higher": "higher", "lower": "lower", None: "neither"}
    return pd.DataFrame(
        [
            {
                "Metric": metric.title,
                "Name": metric.name,
                "Better": better[metric.better],
                "Range": fmt.range_text(*metric.range),
                "Meaning": metric.summary_line.split(". ")[0].rstrip(".") + ".",
            }
            for metric in metrics
        ]
    )


def preview_table(item: Run | Truth, queries: int = 3, ranks: int = 3) -> pd.DataFrame:
    """The first queries of a run or a truth, with their first documents and what is known of each query."""
    ids = item.query_ids[:queries].to_pylist()
    if isinstance(item, Run):
        frames = [item.ranking(name, ranks).to_pandas().assign(query_id=name) for name in ids]
        frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"query_id": []})
        frame = frame[["query_id", *(name for name in frame if name != "query_id" and frame[name].notna().any())]]
    else:
        positions = np.flatnonzero(item.queries < queries)[: queries * ranks]
        frame = pd.DataFrame(
            {
                "query_id": item.query_ids.take(pa.array(item.queries[positions])).to_pylist(),
                "doc_id": item.docs.take(pa.array(positions)).to_pylist(),
                "grade": item.grades[positions],
            }
        )
    if item.details is not None:
        details = item.details.slice(0, queries)
        columns = [
            name for name in details.column_names if name != "query_id" and details[name].null_count < len(details)
        ]
        details_frame = pd.DataFrame(
            {"query_id": ids, **{name: [_short_text(value) for value in details[name].to_pylist()] for name in columns}}
        )
        frame = frame.astype({"query_id": object}).merge(details_frame, on="query_id", how="outer", sort=False)
    return frame


def _short_text(value) -> str | None:
    """A value of any kind as text, as much of it as a table shows."""
    return None if value is None else str(value)[:200]


KIND_TITLES = {"unanswerable-queries": "queries without a relevant document"}  # which may have an answer


def counts_table(report: ComparabilityReport) -> pd.DataFrame:
    """Everything that was counted, a row each."""
    rows = []
    for entry in report.entries:
        words = entry.words("page")
        rows.append({
            "Run": entry.run or "all",
            "What": KIND_TITLES.get(entry.kind, entry.kind.replace("-", " ")) + (f" at {entry.k}" if entry.k else ""),
            "Count": entry.count,
            "Of": entry.total,
            "Share": entry.count / entry.total if entry.total else np.nan,
            "Severity": entry.severity,
            "Found": words.actual,
            "Effect": words.expected,
            "Fix": words.fix,
            "Option": entry.flags,
        })
    return pd.DataFrame(rows)


def effects_table(report: ComparabilityReport, convention: str, runs: Sequence[SessionRun]) -> pd.DataFrame:
    """The mean of each run under each choice of a convention, in markdown; empty where no choice moves anything."""
    rows = [effect for effect in report.effects if effect.convention == convention]
    if not any(effect.marked for effect in rows):
        return pd.DataFrame()
    choices = {**comparability.CHOICES[convention], MIRRORED: "The other way"}
    table = []
    for entry in runs:
        effects_by_choice = {effect.choice: effect for effect in rows if effect.run == entry.name}
        cells = {text: _effect_cell(effects_by_choice[choice]) if choice in effects_by_choice else fmt.UNDEFINED
                 for choice, text in choices.items() if choice in {effect.choice for effect in rows}}
        table.append({"Run": f"**{elements.swatch(entry.slot, entry.name)}**", **cells})
    return pd.DataFrame(table)


def _effect_cell(effect: ConventionEffect) -> str:
    """Mean, n and change under one choice; the choice in force is bold."""
    if effect.refused:
        return ":gray[refused]"
    mean = f"**{fmt.number(effect.mean)}**" if effect.chosen else fmt.number(effect.mean)
    change = f" · {fmt.number(effect.change, signed=True)}" if abs(effect.change) >= 5e-4 else ""
    return f"{mean}{NBSP}:gray[{fmt.escape(f'n = {effect.n:,}{change}')}]"
