"""Runs grouped by their settings: the mean of a metric for each pair of values, such as retriever and chunk size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.compute import value_limits
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.outcomes import other_judges
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.metrics import Spec

ALL = ""  # the only column, where runs are grouped by one setting


@dataclass(frozen=True)
class SettingGrid:
    """A cell for each pair of values of two settings.

    Attributes
    ----------
    rows, columns
        The values of both settings: numbers by size, then words.
    runs
        {(row, column): indices of its runs}; cells without a run are left out.
    mean, low, high, n
        (R, C) mean over queries of the mean of a cell's runs, its 95% bootstrap interval, and the queries on which
        every run of the cell has a value. NaN and 0 where a cell is empty.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    runs: Mapping[tuple[int, int], tuple[int, ...]]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray


def varying_settings(settings: Sequence[Mapping[str, str]]) -> list[str]:
    """The settings in which runs differ, those with few values first.

    Examples
    --------
    >>> varying_settings([{"k": "5", "model": "a"}, {"k": "5", "model": "b"}, {"model": "b"}])
    ['k', 'model']
    """
    names = dict.fromkeys(name for run in settings for name in run)
    values = {name: {run.get(name) for run in settings} for name in names}
    return sorted((name for name in names if len(values[name]) > 1), key=lambda name: len(values[name]))


def group_by_settings(evaluations: Sequence[Evaluation], settings: Sequence[Mapping[str, str]], spec: Spec,
                      row: str, column: str | None = None) -> SettingGrid:
    """Group runs by one or two settings.

    Parameters
    ----------
    evaluations
        Of the same queries; values of spec.
    settings
        Of each run. A run without one of the two settings is in no cell.
    spec
        A metric whose mean over queries is meaningful.
    row, column
        Names of settings; without a column all runs are in the column ALL.

    Examples
    --------
    >>> from ragdash import Run, Truth, evaluate, parse_specs
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "a"], [1, 1])
    >>> first = Run.build("first", ["q1", "q2"], ["a", "a"], [1.0, 1.0])
    >>> second = Run.build("second", ["q1", "q2"], ["a", "b"], [1.0, 1.0])
    >>> grid = group_by_settings([evaluate(run, truth, "RR") for run in (first, second)],
    ...                          [{"chunk": "256"}, {"chunk": "512"}], parse_specs("RR")[0], "chunk")
    >>> grid.rows, grid.mean.tolist(), grid.n.tolist()
    (('256', '512'), [[1.0], [0.5]], [[2], [2]])
    """
    used = [index for index, run in enumerate(settings) if row in run and (column is None or column in run)]
    rows = ordered_values({settings[index][row] for index in used})
    columns = (ALL,) if column is None else ordered_values({settings[index][column] for index in used})
    runs: dict[tuple[int, int], tuple[int, ...]] = {}
    for index in used:
        cell = rows.index(settings[index][row]), 0 if column is None else columns.index(settings[index][column])
        runs[cell] = (*runs.get(cell, ()), index)
    mean, low, high = (np.full((len(rows), len(columns)), np.nan) for _ in range(3))
    n = np.zeros((len(rows), len(columns)), np.int64)
    if runs:
        values = np.stack([_mean_of([evaluations[index] for index in members], spec) for members in runs.values()],
                          axis=1)
        ends = bootstrap_intervals(values, limits=value_limits([spec] * values.shape[1]))
        for position, cell in enumerate(runs):
            defined = values[~np.isnan(values[:, position]), position]
            n[cell] = len(defined)
            mean[cell] = defined.mean() if len(defined) else np.nan
            low[cell], high[cell] = ends[0][position], ends[1][position]
    return SettingGrid(rows, columns, runs, mean, low, high, n)


def _mean_of(evaluations: Sequence[Evaluation], spec: Spec) -> np.ndarray:
    """The mean over runs of each query: (Q,); NaN where different judges gave the values."""
    values = np.mean([evaluation.column(spec) for evaluation in evaluations], axis=0)
    return np.full_like(values, np.nan) if other_judges(evaluations, spec) else values


def ordered_values(values: set[str]) -> tuple[str, ...]:
    """Numbers by size, then words."""
    def key(value: str) -> tuple[bool, float, str]:
        try:
            return False, float(value), value
        except ValueError:
            return True, 0.0, value

    return tuple(sorted(values, key=key))
