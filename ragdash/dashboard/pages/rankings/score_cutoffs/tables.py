"""The tables of the Score cutoffs page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragdash.analysis.score_thresholds import OperatingPoint, PrecisionRecall, Roc, Sweep
from ragdash.dashboard.pages.rankings.score_cutoffs import sentences as score_sentences

POOLED_MEASURES = ("precision", "recall", "f1")


def sweep_table(
    names: Sequence[str], sweeps: Sequence[Sweep], measure: str, values: Sequence[np.ndarray]
) -> pd.DataFrame:
    """One measure at every cutoff tried, a row per run and cutoff; the pooled form beside it where there is one."""
    title = score_sentences.MEASURES[measure][0]
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
    """The operating point of each run: what it does on the queries held out, and on those that chose it."""
    rows = []
    for name, point in zip(names, operating_points, strict=True):
        title = score_sentences.MEASURES[point.measure][0]
        rows.append(
            {
                "Run": name,
                "Score cutoff": point.threshold if np.isfinite(point.threshold) else np.nan,
                "Cut off": point.quantile,
                f"{title}": point.checked.value,
                "Low": point.checked.low,
                "High": point.checked.high,
                "n": point.checked.n,
                "Without cutoff": point.unfiltered.value,
                "Recall": point.recall[1],
                "Left with nothing": point.empty[1],
                f"{title}, choosing half": point.selected.value,
                "n, choosing half": point.selected.n,
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
