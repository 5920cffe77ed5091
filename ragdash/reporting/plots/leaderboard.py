"""The Leaderboard's picture: one mean with its interval for each run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.evaluation.compare import best_first
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Axis,
    Look,
    Theme,
    axis_range,
    escape,
    figure,
    looks,
    shorten,
    value_text,
)


def means(names: Sequence[str], slots: Sequence[int], mean: np.ndarray, low: np.ndarray, high: np.ndarray,
          n: np.ndarray, *, axis: Axis, baseline: int | None = None, theme: Theme = LIGHT) -> go.Figure:
    """Dot plot: a line for each run, best on top, the mean as its symbol and the interval as a bar.

    mean, low, high, n: (N,), NaN where undefined (such a run keeps its line and says so). baseline: index of the run
    whose mean is drawn as a dotted line.
    """
    mean, low, high = (np.asarray(array, dtype=float) for array in (mean, low, high))
    order = best_first(mean, axis.better)
    fig = figure(theme, height=72 + 38 * max(len(names), 2))
    run_looks = looks(names, slots, theme)
    for row, index in enumerate(order):
        _dot(fig, row, run_looks[index], mean[index], low[index], high[index], int(n[index]), axis)
    if baseline is not None and np.isfinite(mean[baseline]):
        fig.add_vline(x=float(mean[baseline]), line={"color": theme.muted, "width": 1, "dash": "dot"}, layer="below")
    labels = [shorten(names[index], 22) for index in order]
    fig.update_yaxes(tickvals=np.arange(len(order)), ticktext=labels, range=[len(order) - 0.5, -0.5], showgrid=False,
                     fixedrange=True, tickfont={"size": 13})
    fig.update_xaxes(title_text=escape(axis.label) + _arrow(axis), tickformat=".3~f",
                     range=_zoomed(axis, np.concatenate([mean, low, high])))
    fig.update_layout(margin_r=64 if np.isfinite(mean).all() else 84)
    return fig


def _dot(fig: go.Figure, row: int, look: Look, mean: float, low: float, high: float, n: int, axis: Axis) -> None:
    """One run's line: symbol, interval, and the mean as a number at the right end."""
    value, low_text, high_text = value_text(np.array([mean, low, high]))
    text = f"{value} [{low_text}, {high_text}]" if np.isfinite(mean) else "undefined"
    fig.add_trace(go.Scatter(
        x=np.array([mean]), y=np.array([row]), mode="markers", name=look.name, marker=look.marker(12),
        error_x={"array": np.array([high - mean]), "arrayminus": np.array([mean - low]), "color": look.color,
                 "thickness": 2.5, "width": 5},
        hovertemplate=f"{look.name}<br>{escape(axis.title)} {text}<br>n = {n:,} queries<extra></extra>"))
    fig.add_annotation(x=1, xref="paper", y=row, yref="y", text=value if np.isfinite(mean) else "undefined",
                       xanchor="left", xshift=8, showarrow=False, font={"size": 13})


def _arrow(axis: Axis) -> str:
    return {"higher": " · higher is better →", "lower": " · ← lower is better"}.get(axis.better or "", "")


def _zoomed(axis: Axis, values: np.ndarray) -> list[float] | None:
    """The stretch of the axis that the intervals use, at least a quarter of a bounded one, inside its range.

    Dots, unlike bars, need no zero to be compared.
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return axis_range(axis, values)
    low, high = float(finite.min()), float(finite.max())
    if None not in (axis.low, axis.high):
        missing = max(0.0, min(0.25 * (axis.high - axis.low), 0.25) - (high - low))
        low, high = low - missing / 2, high + missing / 2
    air = max((high - low) * 0.15, 0.01 * max(abs(high), abs(low), 1e-9))
    bounds = [-np.inf if axis.low is None else axis.low, np.inf if axis.high is None else axis.high]
    return [max(low - air, bounds[0] - air / 2), min(high + air, bounds[1] + air / 2)]
