"""The picture of a metric over time, of the points of one line: for the History page and for bundles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.tracking import HistoryPoint, MetricHistory, PinnedBaseline
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.theme import LIGHT, Figure, Theme
from ragdash.reporting.tables.history import settings_text, short_commit


def history_figure(line: Sequence[HistoryPoint], metric: MetricHistory, theme: Theme = LIGHT,
                   baseline: PinnedBaseline | None = None) -> Figure:
    """Means with intervals over time, significant changes marked, the accepted run or the pinned baseline dotted."""
    rows = metric.rows
    column = {name: np.array([getattr(row.summary, name) for row in rows], float) for name in ("mean", "low", "high")}
    times = [point.time.replace(tzinfo=None) for point in line if point.time]
    changed = setting_changes(line)
    hover = [[text for text in (short_commit(point), point.branch, changed[index]) if text]
             for index, point in enumerate(line)]
    pinned = np.nan if baseline is None else float(np.nanmean(baseline.evaluation.column(metric.spec)))
    accepted = [None if row.accepted is None else rows[row.accepted].summary.mean if row.accepted >= 0 else pinned
                for row in rows]
    return leaderboard.history(times if len(times) == len(line) else list(range(1, len(line) + 1)),
                               [point.label for point in line], column["mean"], column["low"], column["high"],
                               [row.change for row in rows], hover, [row.summary.n for row in rows], accepted,
                               axis=axis_of(metric.spec), theme=theme)


def setting_changes(line: Sequence[HistoryPoint]) -> list[str]:
    """For each point the settings that changed since the one before; "" for none."""
    return ["" if not index else settings_text(line[index - 1], point) for index, point in enumerate(line)]
