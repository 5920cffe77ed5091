"""Two tables beside the metrics of runs: percentiles of latency, and what remains above score cutoffs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.score_thresholds import Sweep
from ragdash.evaluation.latency_cost import SHARES, StageLatency
from ragdash.reporting.tables.escaping import finite_or_none, note_text, number, table_text

_CUTOFF_COLUMNS = {"kept": "documents kept", "precision": "precision", "recall": "recall", "f1": "F1",
                   "hit_rate": "hit rate", "empty": "queries left empty"}


def latency_dicts(stages: Sequence[StageLatency]) -> dict[str, dict[str, float | int | None]]:
    """Stage -> mean, percentiles with intervals, number of queries, as JSON has it."""
    return {
        stage.stage: {
            "n": stage.n, "mean": finite_or_none(stage.mean), "low": finite_or_none(stage.low),
            "high": finite_or_none(stage.high),
            **{f"p{share}{end}": finite_or_none(float(values[index])) for index, share in enumerate(SHARES)
               for end, values in (("", stage.percentiles), ("_low", stage.percentiles_low),
                                   ("_high", stage.percentiles_high))}}
        for stage in stages
    }


def cutoff_dicts(sweep: Sweep) -> list[dict[str, float | None]]:
    """One row for each score cutoff, as JSON has it; kept is the share of returned documents with such a score."""
    columns = {"cutoff": sweep.thresholds, "kept": 1 - sweep.quantiles, "precision": sweep.precision,
               "recall": sweep.recall, "f1": sweep.f1, "hit_rate": sweep.hit_rate, "empty": sweep.empty}
    return [{name: finite_or_none(float(values[index])) for name, values in columns.items()}
            for index in range(len(sweep.thresholds))]


def latency_text(names: Sequence[str], runs: Sequence[Sequence[StageLatency]], form: str) -> str:
    """The percentiles of each run and stage with their 95% intervals, as "table", "markdown" or "latex"."""
    header = ["run", "stage (ms)", "mean", *(f"P{share}" for share in SHARES), "n"]
    rows = []
    for name, stages in zip(names, runs, strict=True):
        rows += [[name, stage.stage, _interval(stage.mean, stage.low, stage.high),
                  *map(_interval, stage.percentiles, stage.percentiles_low, stage.percentiles_high), str(stage.n)]
                 for stage in stages]
        rows += [] if stages else [[name, "not recorded", *["–"] * (len(SHARES) + 1), "0"]]
    return table_text(header, rows, form)


def cutoff_text(names: Sequence[str], sweeps: Sequence[Sweep], form: str) -> str:
    """What remains of each run at each score cutoff, as "table", "markdown" or "latex"."""
    rows = [[name, f"{row['cutoff']:.6g}", *(number(row[column]) for column in _CUTOFF_COLUMNS)]
            for name, sweep in zip(names, sweeps, strict=True) for row in cutoff_dicts(sweep)]
    counts = {f"{sweep.n:,} of {sweep.queries:,}" for sweep in sweeps}
    note = (f"Documents with a score of at least the cutoff. Means over {', '.join(sorted(counts))} queries, those "
            "with a relevant document; queries left empty: share of all queries.")
    return table_text(["run", "cutoff", *_CUTOFF_COLUMNS.values()], rows, form) + note_text(note, form)


def _interval(value: float, low: float, high: float) -> str:
    return f"{value:,.1f}" + ("" if np.isnan(low) else f" [{low:,.1f}, {high:,.1f}]")
