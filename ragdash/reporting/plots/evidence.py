"""A metric by evidence against the similarity from which on a chunk covers a gold span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.reporting.plots.common.arrays import last_finite
from ragdash.reporting.plots.common.theme import LIGHT, Axis, Look, Theme, axis_range, end_labels, escape, figure, looks

BANDED = 4  # runs up to which each has its band; of more only the lines can be read
PAD = 0.01


def by_threshold(
    names: Sequence[str],
    slots: Sequence[int],
    thresholds: np.ndarray,
    mean: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    axis: Axis,
    threshold: float,
    mean_at_threshold: Sequence[float],
    n: Sequence[int],
    theme: Theme = LIGHT,
) -> go.Figure:
    """A line with its interval for each run over the thresholds; the one in use is marked.

    thresholds (T,) ascending; mean, low, high (N, T), NaN: no line. threshold: the one in use, a vertical line with
    each run's symbol at mean_at_threshold (N,). n: (N,) queries. The y axis zooms to the values.
    """
    mean = np.asarray(mean, dtype=float)
    fig = figure(theme, height=380)
    run_looks = looks(names, slots, theme)
    pooled = [mean.ravel(), np.asarray(mean_at_threshold, dtype=float)]
    pooled += [np.ravel(low), np.ravel(high)] if len(run_looks) <= BANDED else []
    y_range = axis_range(replace(axis, high=None), np.concatenate(pooled)) or [0, 1]
    fig.add_vline(x=threshold, line={"color": theme.muted, "width": 1.4, "dash": "dot"}, layer="below")
    for index, look in enumerate(run_looks):
        if len(run_looks) <= BANDED:
            _band(fig, thresholds, low[index], high[index], look)
        fig.add_trace(_line(look, thresholds, mean[index], low[index], high[index], axis, n[index]))
    for look, value in zip(run_looks, mean_at_threshold, strict=True):
        fig.add_trace(
            go.Scatter(
                x=np.array([threshold]),
                y=np.array([value], dtype=float),
                mode="markers",
                name="in use",
                showlegend=False,
                legendgroup=look.group,
                marker=look.marker(11),
                hovertemplate=f"{look.name}<br>in use: %{{x:.2f}}<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>",
            )
        )
    right = threshold > (thresholds[0] + thresholds[-1]) / 2
    fig.add_annotation(
        x=threshold,
        y=1,
        yref="paper",
        yanchor="top",
        xanchor="right" if right else "left",
        showarrow=False,
        xshift=-5 if right else 5,
        text=f"in use: {threshold:.2f}",
        font={"size": 12, "color": theme.muted},
    )
    fig.update_xaxes(title_text="Minimum similarity to a gold span", tickformat=".2f",
                     range=[float(thresholds[0]) - PAD, float(thresholds[-1]) + PAD], nticks=7)
    fig.update_yaxes(title_text=escape(axis.label), range=y_range, tickformat=".2~f")
    end_labels(fig, run_looks, [last_finite(row) for row in mean], y_range)
    return fig


def _line(look: Look, thresholds: np.ndarray, mean: np.ndarray, low: np.ndarray, high: np.ndarray, axis: Axis,
          n: int) -> go.Scatter:
    title = escape(axis.title).replace("%", "&#37;")
    return go.Scatter(
        x=thresholds, y=mean, customdata=np.column_stack([low, high]), mode="lines", name=look.name,
        legendgroup=look.group, line=look.line(),
        hovertemplate=f"%{{fullData.name}}<br>from %{{x:.2f}}<br>{title} %{{y:.3f}} [%{{customdata[0]:.3f}}, "
                      f"%{{customdata[1]:.3f}}]<br>n = {query_count(n)}<extra></extra>")


def _band(fig: go.Figure, thresholds: np.ndarray, low: np.ndarray, high: np.ndarray, look: Look) -> None:
    finite = np.isfinite(low) & np.isfinite(high)
    if finite.any():
        x = thresholds[finite]
        fig.add_trace(go.Scatter(x=np.concatenate([x, x[::-1]]), y=np.concatenate([high[finite], low[finite][::-1]]),
                                 fill="toself", fillcolor=look.translucent(0.13), line={"width": 0}, mode="lines",
                                 name="band", showlegend=False, legendgroup=look.group, hoverinfo="skip"))
