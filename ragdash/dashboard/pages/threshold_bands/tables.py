"""The tables of the Threshold bands page: where runs stand, slice by slice, and what score cutoffs do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragdash.analysis.score_thresholds import OperatingPoint, PrecisionRecall, Roc, Sweep
from ragdash.core.slices import Slice
from ragdash.dashboard.components.tables import NBSP
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands import sentences as threshold_bands_sentences
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.metrics.bands import Bands, Target, place_in_bands, target_outcome
from ragdash.reporting.sentences import bands as bands_sentences
from ragdash.reporting.sentences import formatting as fmt

POOLED_MEASURES = ("precision", "recall", "f1")


def bands_table(names: Sequence[str], summaries: Sequence[Summary], table: Bands | None,
              target: Target | None) -> pd.DataFrame:
    """A row per run: mean, interval, n, the band and the verdict on the target."""
    return pd.DataFrame([_with_bands({"Run": name}, summary, table, target)
                         for name, summary in zip(names, summaries, strict=True)])


def slice_numbers_table(names: Sequence[str], slices: Sequence[tuple[Slice, list[Summary]]], table: Bands | None,
                  target: Target | None) -> pd.DataFrame:
    """The same, a row per slice and run."""
    return pd.DataFrame([_with_bands({"Slice": query_slice.value, "Run": name}, summary, table, target)
                         for query_slice, row in slices for name, summary in zip(names, row, strict=True)])


def _with_bands(row: dict, summary: Summary, table: Bands | None, target: Target | None) -> dict:
    row |= {
        "Mean": summary.mean,
        "Low": summary.low,
        "High": summary.high,
        "n": summary.n,
        "Undefined": summary.undefined,
    }
    if table:
        row |= {
            "Band": place_in_bands(table, summary.mean, summary.low, summary.high).words() or fmt.UNDEFINED,
            "Source": table.source,
        }
    if target:
        row |= {"Target": target.value, "Verdict": target_result(target, summary)}
    return row


def target_result(target: Target, summary: Summary) -> str:
    """pass, fail or undecided, by the interval."""
    return target_outcome(target, summary.mean, summary.low, summary.high, summary.spec.metric.better)


def slices_table(context: PageContext, slices: Sequence[tuple[Slice, list[Summary]]], table: Bands | None,
             target: Target | None) -> pd.DataFrame:
    """The table to read, in markdown: a row per slice, a column per run; n stands apart where all runs share it."""
    shared = all(len({summary.n for summary in row}) == 1 for _, row in slices)
    columns: dict[str, list[str]] = {"Slice": [f"**{fmt.escape(query_slice.value)}**" for query_slice, _ in slices]}
    if shared:
        columns["n"] = [f"{row[0].n:,}" for _, row in slices]
    for index, (slot, name) in enumerate(zip(context.slots, context.names, strict=True)):
        columns[elements.swatch(slot, name)] = [_mean_cell(row[index], table, target, not shared) for _, row in slices]
    return pd.DataFrame(columns)


def _mean_cell(summary: Summary, table: Bands | None, target: Target | None, with_n: bool) -> str:
    if not np.isfinite(summary.mean):
        return f"{fmt.UNDEFINED} :gray[undefined for every query]"
    placement = place_in_bands(table, summary.mean, summary.low, summary.high) if table else None
    lines = [
        fmt.escape(
            bands_sentences.placement_text(placement, target_result(target, summary) if target else None)
        )
    ]
    lines += [f"n = {summary.n:,}"] if with_n else []
    first = f"**{fmt.number(summary.mean)}**{NBSP}:gray[{fmt.escape(fmt.interval(summary).replace(' ', NBSP))}]"
    return first + "".join(f"  \n{line}" for line in lines if line)


def sweep_table(
    names: Sequence[str], sweeps: Sequence[Sweep], measure: str, values: Sequence[np.ndarray]
) -> pd.DataFrame:
    """One measure at every cutoff tried, a row per run and cutoff; the pooled form beside it where there is one."""
    title = threshold_bands_sentences.MEASURES[measure][0]
    frames = []
    for name, sweep, run_values in zip(names, sweeps, values, strict=True):
        pooled = {f"{title}, pooled": getattr(sweep, f"pooled_{measure}")} if measure in POOLED_MEASURES else {}
        frames.append(
            pd.DataFrame(
                {
                    "Run": name,
                    "Score cutoff": sweep.thresholds,
                    "Cut off": sweep.quantiles,
                    title: run_values,
                    **pooled,
                    "Queries left with nothing": sweep.empty,
                    "n": sweep.queries if measure == "empty" else sweep.n,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def operating_points_table(names: Sequence[str], operating_points: Sequence[OperatingPoint]) -> pd.DataFrame:
    """The operating point of each run with its numbers on both halves of the queries."""
    rows = []
    for name, point in zip(names, operating_points, strict=True):
        rows.append(
            {
                "Run": name,
                "Score cutoff": point.threshold if np.isfinite(point.threshold) else np.nan,
                "Cut off": point.quantile,
                "Where checked": point.checked.value,
                "Low": point.checked.low,
                "High": point.checked.high,
                "n checked": point.checked.n,
                "There without cutoff": point.unfiltered.value,
                "Where found": point.selected.value,
                "n found": point.selected.n,
                "Reading": "keep nothing"
                if np.isinf(point.threshold)
                else "keep all"
                if point.quantile == 0
                else "cut off",
            }
        )
    return pd.DataFrame(rows)


def roc_table(names: Sequence[str], curves: Sequence[Roc]) -> pd.DataFrame:
    """Both areas of each run, pooled and as the mean over queries."""
    return pd.DataFrame(
        [
            {
                "Run": name,
                "AUC, pooled": curve.auc,
                "Relevant": curve.relevant,
                "Not relevant": curve.other,
                "AUC, mean over queries": curve.macro_auc,
                "n": curve.n,
            }
            for name, curve in zip(names, curves, strict=True)
        ]
    )


def precision_recall_table(names: Sequence[str], curves: Sequence[PrecisionRecall],
                     averaged: Sequence[float]) -> pd.DataFrame:
    """Both average precisions of each run; averaged: that of the curve averaged over the queries."""
    return pd.DataFrame([{"Run": name, "AP, pooled": curve.average_precision, "AP, mean over queries": mean,
                          "Relevant": curve.relevant, "n": curve.n}
                         for name, curve, mean in zip(names, curves, averaged, strict=True)])


def chart_name(spec: Spec) -> str:
    """What a chart of a metric is called by: letters, figures and underscores."""
    return "".join(char if char.isalnum() else "_" for char in str(spec))
