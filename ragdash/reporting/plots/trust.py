"""Pictures of judge validation: what the judge says alone, what the labels say alone, and what both say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.forest import (
    difference_axis_title,
    difference_range,
    difference_ticks,
    sides_note,
    signed,
)
from ragdash.reporting.plots.common.theme import LIGHT, Axis, Look, Theme, annotate, escape, figure, looks, value_text

LABELS, CORRECTED = "labels alone", "corrected"
ROW, DENSE, MANY = 64, 50, 4  # pixels of a run, of one among more than this many
STEP = 0.27  # of a row: the distance between the three
NARROWEST = 0.3  # of the axis that is shown


def intervals(names: Sequence[str], slots: Sequence[int], judge: np.ndarray, labels: np.ndarray, corrected: np.ndarray,
              n: np.ndarray, unlabeled: np.ndarray, *, axis: Axis, baseline: str | None = None,
              source: str = "judge", theme: Theme = LIGHT) -> go.Figure:
    """For each run three lines: the judge's mean (hollow), the labels' interval (thin), the corrected one (bold).

    judge (N,); labels, corrected (N, 3): mean, low, high; NaN where undefined: nothing is drawn, and the right end
    says which range is. n, unlabeled: (N,), labeled queries and those with a verdict only. baseline: its name where the
    values are differences to it; the axis then includes zero, and right is better. source: of the values that labels
    correct, such as "metric".
    """
    judge, labels, corrected = (np.asarray(array, float) for array in (judge, labels, corrected))
    spelled = value_text if baseline is None else signed
    run_looks = looks(names, slots, theme)
    row = ROW if len(names) <= MANY else DENSE
    fig = figure(theme, height=row * len(names) + 100)
    for index, look in enumerate(run_looks):
        _alone(fig, index, look, judge[index], spelled, f"{source} alone", theme)
        _bar(fig, index, look, labels[index], LABELS, spelled, theme.muted, 1.5, look.name)
        _bar(fig, index + STEP, look, corrected[index], CORRECTED, spelled, look.color, 3.5, look.name)
        _annotate_right(fig, index, corrected[index], labels[index], int(n[index]), int(unlabeled[index]), spelled,
                        theme)
    _legend(fig, {f"{source} alone": judge, LABELS: labels, CORRECTED: corrected}, theme)
    fig.update_yaxes(tickvals=np.arange(len(names)), range=[len(names) - 0.5, -0.5], showgrid=False, fixedrange=True,
                     ticktext=[f'{escape(name)} <span style="color:{look.color}">{look.sign}</span>'
                               for name, look in zip(short_names(names, NARROW_NAME), run_looks, strict=True)],
                     tickfont={"size": 13})
    _scale(fig, np.concatenate([judge, labels.ravel(), corrected.ravel()]), axis, baseline, theme)
    fig.update_layout(margin={"t": 34, "b": 62, "r": 140}, showlegend=True)
    return fig


def _alone(fig: go.Figure, index: int, look: Look, value: float, spelled, name: str, theme: Theme) -> None:
    fig.add_trace(go.Scatter(
        x=np.array([value]), y=np.array([index - STEP]), mode="markers", name=name, showlegend=False,
        marker={"color": theme.paper, "symbol": look.symbol, "size": 10, "opacity": 1,
                "line": {"width": 2, "color": look.color}},
        hovertemplate=f"{look.name}<br>{name} {spelled(np.array([value]))[0]}<br>an interval of sampling only would "
                      "leave out what it gets wrong<extra></extra>"))


def _bar(fig: go.Figure, y: float, look: Look, ends: np.ndarray, estimate: str, spelled, color: str, thick: float,
         name: str) -> None:
    """An interval with its mean; nothing where there is no interval."""
    mean, low, high = ends
    if not np.isfinite(ends).all():
        return
    text = spelled(ends)
    bold = estimate == CORRECTED
    fig.add_trace(go.Scatter(
        x=np.array([mean]), y=np.array([y]), mode="markers", name=estimate, showlegend=False,
        marker={"color": color, "symbol": look.symbol if bold else "line-ns-open", "size": 10 if bold else 8,
                "opacity": 1, "line": {"width": 0 if bold else 2, "color": color}},
        error_x={"array": np.array([high - mean]), "arrayminus": np.array([mean - low]), "color": color,
                 "thickness": thick, "width": 4},
        hovertemplate=f"{name}<br>{estimate} {text[0]} [{text[1]}, {text[2]}]<extra></extra>"))


def _annotate_right(fig: go.Figure, index: int, corrected: np.ndarray, labels: np.ndarray, n: int, unlabeled: int,
                    spelled, theme: Theme) -> None:
    """At the right end: the corrected range, n and N; without one, that of the labels if it is drawn."""
    if np.isfinite(corrected).all():
        first = f"<b>{_range(corrected, spelled)}</b>"
    elif np.isfinite(labels).all():
        first = f"labels {_range(labels, spelled)}"
    else:
        first = "no interval" if n else "no labels"
    fig.add_annotation(x=1, xref="paper", y=index, yref="y", xanchor="left", xshift=8, showarrow=False, align="left",
                       text=f'{first}<br><span style="color:{theme.muted}">n {n:,} · N {unlabeled:,}</span>',
                       font={"size": 12})


def _range(ends: np.ndarray, spelled) -> str:
    """0.720 to 0.986, of mean, low and high."""
    _, low, high = spelled(ends)
    return f"{low} to {high}"


def _legend(fig: go.Figure, drawn: Mapping[str, np.ndarray], theme: Theme) -> None:
    """What the lines are that some run has, in the page's own ink: the colors belong to the runs."""
    for (estimate, values), (symbol, line) in zip(
            drawn.items(), (("circle-open", 0), ("line-ns-open", 1.5), ("circle", 3.5)), strict=True):
        if not np.isfinite(values).any():
            continue
        fig.add_trace(go.Scatter(
            x=[None], y=[None], name=estimate, mode="lines+markers" if line else "markers", hoverinfo="skip",
            line={"color": theme.muted, "width": line or 1},
            marker={"symbol": symbol, "size": 9, "color": theme.muted, "opacity": 1,
                    "line": {"width": 2, "color": theme.muted}}))


def _scale(fig: go.Figure, values: np.ndarray, axis: Axis, baseline: str | None, theme: Theme) -> None:
    finite = values[np.isfinite(values)]
    if baseline is not None:
        span = difference_range(values, axis.better)
        ticks, text = difference_ticks(span)
        fig.update_xaxes(range=span, tickvals=ticks, ticktext=text, zeroline=True, zerolinewidth=1.5, tickangle=0,
                         zerolinecolor=theme.muted, title_text=difference_axis_title(axis, baseline))
        annotate(fig, sides_note(axis, 0, theme))
        return
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    missing = max(0.0, NARROWEST - (high - low))
    low, high = max(low - missing / 2 - 0.04, -0.03), min(high + missing / 2 + 0.04, 1.03)
    arrow = {"higher": " · higher is better →", "lower": " · ← lower is better"}.get(axis.better or "", "")
    fig.update_xaxes(range=[low, high], tickformat=".3~f", title_text=escape(axis.label) + arrow)
