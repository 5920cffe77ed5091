"""The What-if page's pictures: a metric against a weight or k, and the best possible value by window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.reporting.plots.common.theme import LIGHT, Axis, Theme, axis_range, escape, figure, looks, shorten


def sweep(parameter: str, x: np.ndarray, mean: np.ndarray, chosen: float, flat: tuple[float, float] | None,
          names: Sequence[str], slots: Sequence[int], singles: np.ndarray, *, axis: Axis,
          theme: Theme = LIGHT) -> go.Figure:
    """The mean of a hybrid against one parameter, the chosen value marked, the flat range shaded.

    x, mean (S,); singles (P,): means of the single runs, as dashed lines. parameter: the title of the axis.
    """
    fig = figure(theme, height=320)
    if flat is not None and flat[1] > flat[0]:
        fig.add_vrect(x0=flat[0], x1=flat[1], fillcolor=theme.muted, opacity=0.14, line_width=0, layer="below",
                      name="not significantly worse", showlegend=True)
    for look, value in zip(looks(names, slots, theme), singles, strict=True):
        if np.isfinite(value):
            fig.add_trace(go.Scatter(
                x=[x.min(), x.max()], y=[value, value], mode="lines", name=look.name,
                line={"color": look.color, "width": 1.8, "dash": "dash"},
                hovertemplate=f"{look.name} alone<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    fig.add_trace(go.Scatter(
        x=x, y=mean, mode="lines+markers", name="tuned hybrid", line={"color": theme.ink, "width": 2.4},
        marker={"color": theme.ink, "size": 5},
        hovertemplate=f"{escape(parameter)} %{{x:.3~g}}<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    place = int(np.argmin(np.abs(x - chosen)))
    fig.add_trace(go.Scatter(
        x=[x[place]], y=[mean[place]], mode="markers", name="chosen",
        marker={"color": theme.ink, "size": 14, "symbol": "star", "line": {"color": theme.paper, "width": 1}},
        hovertemplate=f"chosen: {escape(parameter)} %{{x:.3~g}}<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    log = bool(x.min() > 0 and x.max() / x.min() > 20)
    fig.update_xaxes(title_text=escape(parameter), type="log" if log else "linear", tickformat="~g",
                     tickvals=[value for value in (1, 2, 5, 10, 20, 50, 100, 200) if x.min() <= value <= x.max()]
                     if log else None)
    fig.update_yaxes(title_text=escape(axis.label), tickformat=".3~f",
                     range=_zoomed(axis, np.concatenate([mean, singles])))
    fig.update_layout(showlegend=True)
    return fig


def ceiling(windows: Sequence[int], best: np.ndarray, hybrid: np.ndarray, names: Sequence[str], slots: Sequence[int],
            singles: np.ndarray, *, axis: Axis, theme: Theme = LIGHT) -> go.Figure:
    """The mean of a hybrid (W,) and the best possible one by window (W,), single runs' means (P,) as dashed lines."""
    fig = figure(theme, height=320)
    positions = np.arange(len(windows))
    for look, value in zip(looks(names, slots, theme), singles, strict=True):
        if np.isfinite(value):
            fig.add_trace(go.Scatter(
                x=[-0.3, len(windows) - 0.7], y=[value, value], mode="lines", name=look.name,
                line={"color": look.color, "width": 1.8, "dash": "dash"},
                hovertemplate=f"{look.name} alone<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    for name, words, values, look in (
            ("tuned hybrid", "", hybrid, {"line": {"color": theme.ink, "width": 2.4}, "marker_size": 8}),
            ("best order of all results", "at most ", best,
             {"line": {"color": theme.muted, "width": 2.4, "dash": "dot"}, "marker_size": 7})):
        fig.add_trace(go.Scatter(
            x=positions, y=values, mode="lines+markers", name=name, marker_color=look["line"]["color"], **look,
            customdata=[f"{window:,}" for window in windows],
            hovertemplate=f"window %{{customdata}}<br>{words}{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    fig.update_xaxes(title_text="Window: results used of each run", tickvals=positions,
                     ticktext=[shorten(f"{window:,}") for window in windows], showgrid=False)
    fig.update_yaxes(title_text=escape(axis.label), tickformat=".2~f",
                     range=_zoomed(axis, np.concatenate([best, hybrid, singles])))
    fig.update_layout(showlegend=True)
    return fig


def _zoomed(axis: Axis, values: np.ndarray) -> list[float] | None:
    """The stretch of the axis that the values use, with air: differences between settings are small."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return axis_range(axis, values)
    low, high = float(finite.min()), float(finite.max())
    air = max(0.15 * (high - low), 0.01)
    return [low - air, high + air]
