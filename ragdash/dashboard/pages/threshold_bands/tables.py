"""The tables of the Threshold bands page: where runs are, slice by slice, and what score cutoffs do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragdash.core.slices import Slice
from ragdash.dashboard.components.tables import NBSP
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.metrics.bands import Bands, Target, place_in_bands, target_outcome
from ragdash.reporting.sentences import bands as band_sentences
from ragdash.reporting.sentences import formatting as fmt


def bands_table(names: Sequence[str], summaries: Sequence[Summary], table: Bands | None,
              target: Target | None, unrated: str | None = None) -> pd.DataFrame:
    """A row per run: mean, interval, n, the band and the verdict on the target.

    unrated: what is said in place of a band, where most bands are out of reach.
    """
    frame = pd.DataFrame([_with_bands({"Run": name}, summary, table, target)
                          for name, summary in zip(names, summaries, strict=True)])
    return frame.assign(Band=unrated) if table and unrated else frame


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
            "Band": place_in_bands(table, summary.mean, summary.low, summary.high, summary.n).words() or fmt.UNDEFINED,
            "Source": table.source,
        }
    if target:
        row |= {"Target": target.value, "Verdict": target_result(target, summary)}
    return row


def target_result(target: Target, summary: Summary) -> str:
    """pass, fail or undecided, by the interval."""
    return target_outcome(target, summary.mean, summary.low, summary.high, summary.spec.metric.better, summary.n)


def slices_table(context: PageContext, names: Sequence[str], slices: Sequence[tuple[Slice, list[Summary]]],
                 table: Bands | None, target: Target | None) -> pd.DataFrame:
    """The table to read, in markdown: a row per slice, a column per run; n is separate if all runs share it.

    names: of the runs, as the pictures have them.
    """
    shared = all(len({summary.n for summary in row}) == 1 for _, row in slices)
    columns: dict[str, list[str]] = {"Slice": [f"**{fmt.escape(query_slice.value)}**" for query_slice, _ in slices]}
    if shared:
        columns["n"] = [f"{row[0].n:,}" for _, row in slices]
    for index, (slot, name) in enumerate(zip(context.slots, names, strict=True)):
        columns[elements.swatch(slot, name)] = [_mean_cell(row[index], table, target, not shared) for _, row in slices]
    return pd.DataFrame(columns)


def _mean_cell(summary: Summary, table: Bands | None, target: Target | None, with_n: bool) -> str:
    if not np.isfinite(summary.mean):
        return f"{fmt.UNDEFINED} :gray[undefined for every query]"
    placement = place_in_bands(table, summary.mean, summary.low, summary.high, summary.n) if table else None
    lines = [
        fmt.escape(
            band_sentences.placement_text(placement, target_result(target, summary) if target else None)
        )
    ]
    lines += [f"n = {summary.n:,}"] if with_n else []
    first = f"**{fmt.number(summary.mean)}**{NBSP}:gray[{fmt.unbroken(fmt.interval(summary))}]"
    return first + "".join(f"  \n{line}" for line in lines if line)


def chart_name(spec: Spec) -> str:
    """What a chart of a metric is called by: letters, figures and underscores."""
    return "".join(char if char.isalnum() else "_" for char in str(spec))
