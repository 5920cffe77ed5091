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
from ragdash.reporting.sentences import fmt

POOLED = ("precision", "recall", "f1")


def standings(names: Sequence[str], summaries: Sequence[Summary], table: Bands | None,
              target: Target | None) -> pd.DataFrame:
    """A row per run: mean, interval, n, the band and the verdict on the target."""
    return pd.DataFrame([_row({"Run": name}, one, table, target)
                         for name, one in zip(names, summaries, strict=True)])


def slice_numbers(names: Sequence[str], found: Sequence[tuple[Slice, list[Summary]]], table: Bands | None,
                  target: Target | None) -> pd.DataFrame:
    """The same, a row per slice and run."""
    return pd.DataFrame([_row({"Slice": one.value, "Run": name}, summary, table, target)
                         for one, row in found for name, summary in zip(names, row, strict=True)])


def _row(row: dict, one: Summary, table: Bands | None, target: Target | None) -> dict:
    row |= {"Mean": one.mean, "Low": one.low, "High": one.high, "n": one.n, "Undefined": one.undefined}
    if table:
        row |= {
            "Band": place_in_bands(table, one.mean, one.low, one.high).words() or fmt.UNDEFINED,
            "Source": table.source,
        }
    if target:
        row |= {"Target": target.value, "Verdict": verdict(target, one)}
    return row


def verdict(target: Target, one: Summary) -> str:
    """pass, fail or undecided, by the interval."""
    return target_outcome(target, one.mean, one.low, one.high, one.spec.metric.better)


def by_slice(context: PageContext, found: Sequence[tuple[Slice, list[Summary]]], table: Bands | None,
             target: Target | None) -> pd.DataFrame:
    """The table to read, in markdown: a row per slice, a column per run; n stands apart where all runs share it."""
    shared = all(len({summary.n for summary in row}) == 1 for _, row in found)
    columns: dict[str, list[str]] = {"Slice": [f"**{fmt.escape(one.value)}**" for one, _ in found]}
    if shared:
        columns["n"] = [f"{row[0].n:,}" for _, row in found]
    for at, (slot, name) in enumerate(zip(context.slots, context.names, strict=True)):
        columns[elements.swatch(slot, name)] = [_cell(row[at], table, target, not shared) for _, row in found]
    return pd.DataFrame(columns)


def _cell(one: Summary, table: Bands | None, target: Target | None, with_n: bool) -> str:
    if not np.isfinite(one.mean):
        return f"{fmt.UNDEFINED} :gray[undefined for every query]"
    place = place_in_bands(table, one.mean, one.low, one.high) if table else None
    said = [fmt.escape(threshold_bands_sentences.placement_text(place, verdict(target, one) if target else None))]
    said += [f"n = {one.n:,}"] if with_n else []
    first = f"**{fmt.number(one.mean)}**{NBSP}:gray[{fmt.escape(fmt.interval(one).replace(' ', NBSP))}]"
    return first + "".join(f"  \n{part}" for part in said if part)


def sweep(names: Sequence[str], found: Sequence[Sweep], measure: str, values: Sequence[np.ndarray]) -> pd.DataFrame:
    """One measure at every cutoff tried, a row per run and cutoff; the pooled form beside it where there is one."""
    title = threshold_bands_sentences.MEASURES[measure][0]
    frames = []
    for name, one, own in zip(names, found, values, strict=True):
        pooled = {f"{title}, pooled": getattr(one, f"pooled_{measure}")} if measure in POOLED else {}
        frames.append(pd.DataFrame({"Run": name, "Score cutoff": one.thresholds, "Cut off": one.quantiles, title: own,
                                    **pooled, "Queries left with nothing": one.empty,
                                    "n": one.queries if measure == "empty" else one.n}))
    return pd.concat(frames, ignore_index=True)


def points(names: Sequence[str], found: Sequence[OperatingPoint]) -> pd.DataFrame:
    """The operating point of each run with its numbers on both halves of the queries."""
    rows = []
    for name, one in zip(names, found, strict=True):
        rows.append({"Run": name, "Score cutoff": one.threshold if np.isfinite(one.threshold) else np.nan,
                     "Cut off": one.quantile, "Where checked": one.checked.value, "Low": one.checked.low,
                     "High": one.checked.high, "n checked": one.checked.n, "There without cutoff": one.unfiltered.value,
                     "Where found": one.selected.value, "n found": one.selected.n,
                     "Reading": "keep nothing" if np.isinf(one.threshold) else "keep all" if one.quantile == 0
                     else "cut off"})
    return pd.DataFrame(rows)


def roc(names: Sequence[str], found: Sequence[Roc]) -> pd.DataFrame:
    """Both areas of each run, pooled and as the mean over queries."""
    return pd.DataFrame([{"Run": name, "AUC, pooled": one.auc, "Relevant": one.relevant, "Not relevant": one.other,
                          "AUC, mean over queries": one.macro_auc, "n": one.n}
                         for name, one in zip(names, found, strict=True)])


def precision_recall(names: Sequence[str], found: Sequence[PrecisionRecall],
                     averaged: Sequence[float]) -> pd.DataFrame:
    """Both average precisions of each run; averaged: that of the curve averaged over the queries."""
    return pd.DataFrame([{"Run": name, "AP, pooled": one.average_precision, "AP, mean over queries": mean,
                          "Relevant": one.relevant, "n": one.n}
                         for name, one, mean in zip(names, found, averaged, strict=True)])


def title(spec: Spec) -> str:
    """What a chart of a metric is called by: letters, figures and underscores."""
    return "".join(char if char.isalnum() else "_" for char in str(spec))
