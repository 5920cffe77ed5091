"""Score thresholds: a measure against the score cutoff, ROC curves, and precision against recall by score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.arrays import last_finite
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Axis,
    Look,
    Theme,
    axis_range,
    count_gray_runs,
    end_labels,
    escape,
    figure,
    looks,
    value_text,
)

POINTS = 800  # a curve has at most this many: more cannot be seen
TITLES = {"quantile": "Share of the returned documents cut off", "score": "Score cutoff"}


def sweep(names: Sequence[str], slots: Sequence[int], quantiles: Sequence[np.ndarray],
          thresholds: Sequence[np.ndarray], values: Sequence[np.ndarray], *, axis: Axis, n: Sequence[int],
          scale: str = "quantile", marked: Sequence[float] | None = None, theme: Theme = LIGHT) -> go.Figure:
    """One measure of each run against the score cutoff.

    quantiles, thresholds, values: one (T,) for each run, T may differ; NaN: no line there. scale: "quantile" puts the
    share of returned documents with a score below the cutoff on the x axis, where runs whose scores mean different
    things can be compared; "score" the cutoff itself. marked: (N,) a cutoff for each run in its own scores (its
    operating point), drawn as the run's symbol; NaN for none. n: (N,) queries.
    """
    fig = figure(theme, height=340)
    run_looks = looks(names, slots, theme)
    x_values = quantiles if scale == "quantile" else thresholds
    pooled = np.concatenate([np.ravel(run_values) for run_values in values]) if len(values) else np.empty(0)
    y_range = axis_range(axis, pooled) or [0, 1]
    for index, look in enumerate(run_looks):
        fig.add_trace(
            _curve(
                look,
                np.asarray(x_values[index], dtype=float),
                np.asarray(values[index], dtype=float),
                np.column_stack([thresholds[index], np.asarray(quantiles[index], dtype=float)]),
                axis,
                n[index],
            )
        )
    if marked is not None:
        for index, look in enumerate(run_looks):
            fig.add_traces(
                _operating_point(look, marked[index], thresholds[index], x_values[index], values[index], axis)
            )
    fig.update_xaxes(title_text=TITLES[scale], tickformat=".0%" if scale == "quantile" else ".3~g", nticks=7,
                     range=[-0.02, 1.02] if scale == "quantile" else None)
    fig.update_yaxes(title_text=escape(axis.label), range=y_range, tickformat=".2~f")
    end_labels(fig, run_looks, [last_finite(np.asarray(row, dtype=float)) for row in values], y_range)
    return fig


def roc(names: Sequence[str], slots: Sequence[int], fpr: Sequence[np.ndarray], tpr: Sequence[np.ndarray],
        auc: Sequence[float], n: Sequence[int], *, theme: Theme = LIGHT) -> go.Figure:
    """ROC curves: the share of relevant documents found against the share of the others returned with them.

    fpr, tpr: one (T,) for each run, ascending, in [0, 1]; auc: (N,), written beside each name, a dash where
    undefined; n: (N,) queries. The dotted diagonal is what chance gives.
    """
    fig = figure(theme, height=380)
    _unit_curves(fig, names, slots, fpr, tpr, "AUC", auc, n, theme,
                 ("false positive rate", "true positive rate"))
    fig.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, layer="below",
                  line={"color": theme.muted, "width": 1, "dash": "dot"})
    fig.add_annotation(x=0.8, y=0.8, text="chance", xanchor="left", yanchor="top", xshift=4, showarrow=False,
                       font={"size": 12, "color": theme.muted})
    fig.update_xaxes(title_text="False positive rate")
    fig.update_yaxes(title_text="True positive rate")
    return fig


def precision_recall(
    names: Sequence[str],
    slots: Sequence[int],
    recall: Sequence[np.ndarray],
    precision: Sequence[np.ndarray],
    average: Sequence[float],
    n: Sequence[int],
    *,
    base: float | None = None,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Precision against recall as the score cutoff falls.

    recall, precision: one (T,) for each run; average: (N,) average precision, written beside each name, a dash where
    undefined; n: (N,) queries. base: the share of relevant documents, drawn as a dotted line: what chance gives.
    """
    fig = figure(theme, height=380)
    _unit_curves(fig, names, slots, recall, precision, "AP", average, n, theme, ("recall", "precision"))
    if base is not None and np.isfinite(base):
        fig.add_hline(y=float(base), line={"color": theme.muted, "width": 1, "dash": "dot"}, layer="below")
        fig.add_annotation(x=0, y=float(base), text="chance", xanchor="left", yanchor="bottom", showarrow=False,
                           font={"size": 12, "color": theme.muted})
    fig.update_xaxes(title_text="Recall")
    fig.update_yaxes(title_text="Precision")
    return fig


def thin_curve(x: np.ndarray, y: np.ndarray, limit: int = POINTS) -> np.ndarray:
    """Indices of at most about `limit` points that keep a curve's shape, evenly spaced along its length.

    x, y: (T,) in units that are alike. Repeated points and those inside a straight horizontal or vertical stretch are
    dropped first; both ends stay.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    indices = np.flatnonzero(np.concatenate([[True] * (len(x) > 0), (np.diff(x) != 0) | (np.diff(y) != 0)]))
    if len(indices) > 2:
        unchanged = [np.diff(coordinates[indices]) == 0 for coordinates in (x, y)]
        flat = (unchanged[0][1:] & unchanged[0][:-1]) | (unchanged[1][1:] & unchanged[1][:-1])
        indices = indices[np.concatenate([[True], ~flat, [True]])]
    if len(indices) <= limit:
        return indices
    steps = np.abs(np.diff(x[indices])) + np.abs(np.diff(y[indices]))
    distance = np.concatenate([[0.0], np.nancumsum(steps)])
    nearest = np.searchsorted(distance, np.linspace(0.0, distance[-1], limit))
    return indices[np.unique(np.concatenate([nearest, [0, len(indices) - 1]]))]


def _curve(look: Look, x: np.ndarray, y: np.ndarray, cutoffs: np.ndarray, axis: Axis, n: int) -> go.Scatter:
    """One run's line; the hover text names the cutoff and the share it cuts off. cutoffs: (T, 2)."""
    order = np.argsort(x, kind="stable")
    return go.Scatter(
        x=x[order], y=y[order], customdata=cutoffs[order], mode="lines" if np.isfinite(y).sum() > 1 else "markers",
        name=look.name, legendgroup=look.group, line=look.line(), marker=look.marker(10),
        hovertemplate=f"%{{fullData.name}}<br>{_literal(axis.title)} %{{y:.3f}}<br>score from %{{customdata[0]:.4~g}}, "
                      f"%{{customdata[1]:.1%}} cut off<br>n = {query_count(n)}<extra></extra>")


def _operating_point(look: Look, marked: float, thresholds: np.ndarray, x: np.ndarray, y: np.ndarray,
                     axis: Axis) -> list[go.Scatter]:
    """The run's symbol on its line at the cutoff nearest to the marked one; nothing for NaN."""
    if not np.isfinite(marked) or not len(thresholds):
        return []
    nearest = int(np.argmin(np.abs(np.asarray(thresholds, dtype=float) - marked)))
    value = value_text(np.array(y[nearest], dtype=float))
    hover = f"{look.name}<br>operating point: score from {marked:.4g}<br>{escape(axis.title)} {value}"
    return [go.Scatter(x=np.array([x[nearest]]), y=np.array([y[nearest]]), mode="markers", name="operating point",
                       showlegend=False, legendgroup=look.group, marker=look.marker(10), hoverinfo="text",
                       hovertext=[hover])]


def _unit_curves(fig: go.Figure, names: Sequence[str], slots: Sequence[int], x: Sequence[np.ndarray],
                 y: Sequence[np.ndarray], area: str, areas: Sequence[float], n: Sequence[int], theme: Theme,
                 words: tuple[str, str]) -> None:
    """Curves in the unit square; the legend bears each run's name with its area, one a line."""
    short = short_names(names, NARROW_NAME)
    for index, look in enumerate(looks(names, slots, theme)):
        x_values, y_values = np.asarray(x[index], dtype=float), np.asarray(y[index], dtype=float)
        points = thin_curve(x_values, y_values)
        value = value_text(np.array(areas[index], dtype=float))
        fig.add_trace(go.Scatter(
            x=x_values[points], y=y_values[points], mode="lines" if len(points) > 1 else "markers",
            name=f"{escape(short[index])} · {area} {value}", line=look.line(), marker=look.marker(10),
            hovertemplate=f"{_literal(names[index])} · {area} {value}<br>{words[0]} %{{x:.3f}}<br>"
                          f"{words[1]} %{{y:.3f}}<br>n = {query_count(n[index])}<extra></extra>"))
    fig.update_xaxes(range=[-0.02, 1.02], tickformat=".1~f")
    fig.update_yaxes(range=[-0.02, 1.03], tickformat=".1~f")
    entries = count_gray_runs(fig, looks(names, slots, theme))
    fig.update_layout(showlegend=True, height=fig.layout.height + 22 * entries)


def _literal(text: str) -> str:
    """Text inside a hover template, drawn as written."""
    return escape(text).replace("%", "&#37;")
