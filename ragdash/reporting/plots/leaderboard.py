"""The Leaderboard's pictures: each run with its interval, by settings, and over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.evaluation.compare import best_first
from ragdash.reporting.plots.common.theme import (
    DIRECT_NAME,
    LIGHT,
    Axis,
    Look,
    Theme,
    annotate,
    axis_range,
    escape,
    figure,
    looks,
    tint,
    value_text,
)

CELL, MAX_HOVER_NAMES = 44, 6  # pixels; names of runs that a hover text lists
ABOVE = 14  # pixels that a name above its row takes
FEW_POINTS = 60  # of a history, up to which its marks are large
MANY = 12  # runs from which on rows are closer together


def means(names: Sequence[str], slots: Sequence[int], mean: np.ndarray, low: np.ndarray, high: np.ndarray,
          n: np.ndarray, *, axis: Axis, baseline: int | None = None, theme: Theme = LIGHT) -> go.Figure:
    """Dot plot: a line for each run, best on top, the mean as its symbol and the interval as a bar.

    Names that are long are above their lines: next to them they would take half of the picture of a phone.
    mean, low, high, n: (N,), NaN where undefined (such a run keeps its line and says so). baseline: index of the run
    whose mean is drawn as a dashed line.
    """
    mean, low, high = (np.asarray(array, dtype=float) for array in (mean, low, high))
    order = best_first(mean, axis.better)
    above = max(map(len, names), default=0) > DIRECT_NAME
    step = (38 if len(names) <= MANY else 24) + above * (6 if len(names) <= MANY else ABOVE)
    fig = figure(theme, height=72 + step * max(len(names), 2))
    run_looks = looks(names, slots, theme)
    annotate(fig, [_dot(fig, row, run_looks[index], mean[index], low[index], high[index], int(n[index]), axis)
                   for row, index in enumerate(order)])
    if baseline is not None and np.isfinite(mean[baseline]):
        fig.add_vline(x=float(mean[baseline]), line={"color": theme.muted, "width": 1, "dash": "dash"}, layer="below")
    short = short_names(names, PAGE_NAME)
    labels = [escape(short[index]) for index in order]
    fig.update_yaxes(tickvals=np.arange(len(order)), ticktext=labels, range=[len(order) - 0.5, -0.5], showgrid=False,
                     fixedrange=True, tickfont={"size": 13}, showticklabels=not above)
    if above:
        annotate(fig, [{"x": 0, "xref": "paper", "xanchor": "left", "y": row, "yref": "y", "yshift": ABOVE,
                        "text": text, "showarrow": False, "font": {"size": 13}, "bgcolor": theme.paper}
                       for row, text in enumerate(labels)])  # the dashed line does not cross them
        fig.update_layout(margin_l=12)
    fig.update_xaxes(title_text=escape(axis.label) + towards_better(axis), tickformat=".3~f",
                     range=interval_range(axis, np.concatenate([mean, low, high])))
    fig.update_layout(margin_r=64 if np.isfinite(mean).all() else 84)
    return fig


def _dot(fig: go.Figure, row: int, look: Look, mean: float, low: float, high: float, n: int, axis: Axis) -> dict:
    """Add one run's line, symbol and interval. Returns the annotation at the right end, the mean as a number."""
    value, low_text, high_text = value_text(np.array([mean, low, high]))
    text = f"{value} [{low_text}, {high_text}]" if np.isfinite(mean) else "undefined"
    fig.add_trace(go.Scatter(
        x=np.array([mean]), y=np.array([row]), mode="markers", name=look.name, marker=look.marker(12),
        error_x={"array": np.array([high - mean]), "arrayminus": np.array([mean - low]), "color": look.color,
                 "thickness": 2.5, "width": 5},
        hovertemplate=f"{look.name}<br>{escape(axis.title)} {text}<br>n = {query_count(n)}<extra></extra>"))
    return {"x": 1, "xref": "paper", "y": row, "yref": "y", "text": value if np.isfinite(mean) else "undefined",
            "xanchor": "left", "xshift": 8, "showarrow": False, "font": {"size": 13}}


def towards_better(axis: Axis) -> str:
    """Which way is better, as the end of an axis's title."""
    return {"higher": " · higher is better →", "lower": " · ← lower is better"}.get(axis.better or "", "")


def interval_range(axis: Axis, values: np.ndarray) -> list[float] | None:
    """The stretch of the axis that the intervals use, at least a quarter of a bounded one, inside its range unless
    values of somebody's own metric are outside.

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
    bounds = [-np.inf if axis.low is None else min(axis.low, finite.min()),
              np.inf if axis.high is None else max(axis.high, finite.max())]
    return [max(low - air, bounds[0] - air / 2), min(high + air, bounds[1] + air / 2)]


def setting_grid(rows: Sequence[str], columns: Sequence[str], mean: np.ndarray, low: np.ndarray, high: np.ndarray,
                 n: np.ndarray, runs: Sequence[Sequence[Sequence[str]]], *, axis: Axis, titles: tuple[str, str],
                 theme: Theme = LIGHT) -> go.Figure:
    """Heat map of a metric by two settings: the better a group of runs, the stronger its color.

    Parameters
    ----------
    rows, columns
        Values of the two settings.
    mean, low, high, n
        (R, C) mean of each group, its interval, and its queries. NaN: the cell stays empty.
    runs
        (R, C) the names of each group's runs.
    titles
        Names of the two settings; an empty second one: there is one column without a name.
    """
    mean = np.asarray(mean, float)
    finite = mean[np.isfinite(mean)]
    ends = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    pad = (ends[1] - ends[0]) * 0.15 or 0.01
    text, ends_text = value_text(mean), (value_text(low), value_text(high))
    hover = np.full(mean.shape, "", dtype=object)
    for row, column in np.ndindex(mean.shape):
        names = runs[row][column]
        value = f"{text[row, column]} [{ends_text[0][row, column]}, {ends_text[1][row, column]}]"
        listed = [escape(name) for name in names[:MAX_HOVER_NAMES]]
        listed += [f"and {len(names) - MAX_HOVER_NAMES} more"] if len(names) > MAX_HOVER_NAMES else []
        hover[row, column] = "<br>".join([f"{escape(axis.title)} {value}", f"n = {query_count(int(n[row, column]))}",
                                          *listed]) if names else "no run"
    text[~np.isfinite(mean)] = ""
    fig = figure(theme, height=86 + CELL * max(len(rows), 1))
    fig.add_trace(go.Heatmap(
        z=mean, x=np.arange(len(columns)), y=np.arange(len(rows)), zmin=ends[0] - pad, zmax=ends[1], showscale=False,
        xgap=3, ygap=3, colorscale=[[0, tint(theme, theme.better, 0.04)], [1, tint(theme, theme.better)]],
        reversescale=axis.better == "lower", text=text, texttemplate="%{text}", hoverongaps=False, hoverinfo="text",
        textfont={"size": 14, "color": theme.ink}, hovertext=hover))
    fig.update_xaxes(tickvals=np.arange(len(columns)), ticktext=[escape(name) for name in short_names(columns, 18)],
                     side="top", tickangle=0, showgrid=False, fixedrange=True, title_text=escape(titles[1]),
                     tickfont={"color": theme.ink})
    fig.update_yaxes(tickvals=np.arange(len(rows)), ticktext=[escape(name) for name in short_names(rows, 18)],
                     showgrid=False, range=[len(rows) - 0.5, -0.5], fixedrange=True, title_text=escape(titles[0]),
                     tickfont={"size": 13, "color": theme.ink})
    return fig


def history(times: Sequence, labels: Sequence[str], mean: np.ndarray, low: np.ndarray, high: np.ndarray,
            changes: Sequence[str], details: Sequence[Sequence[str]], n: Sequence[int],
            accepted: Sequence[float | None], *, axis: Axis, theme: Theme = LIGHT) -> go.Figure:
    """A metric over time: a line with its band, marks at significant changes, the mean of the accepted run dotted.

    times: (T,) times or numbers of runs. mean, low, high: (T,), NaN leaves a gap. changes: (T,) "", "better", "worse"
    or "not-comparable" (a new line begins). details: (T,) lines of the hover text, such as the commit. accepted: (T,)
    mean of the accepted run of each point; None for that run itself.
    """
    fig, look = figure(theme, height=420), looks([axis.title], [0], theme)[0]
    mean, low, high = (np.asarray(array, float) for array in (mean, low, high))
    starts = [0, *(index for index, change in enumerate(changes) if change == "not-comparable"), len(mean)]
    text = value_text(mean), value_text(low), value_text(high)
    hover = ["<br>".join([escape(labels[index]), f"{escape(axis.title)} {value} [{text[1][index]}, {text[2][index]}]",
                          f"n = {query_count(n[index])}", *map(escape, details[index])])
             for index, value in enumerate(text[0])]
    size, mode = 9 if len(mean) <= FEW_POINTS else 4, "lines+markers" if len(mean) > 1 else "markers"
    for start, end in pairwise(starts):
        part = slice(start, end)
        fig.add_trace(go.Scatter(x=[*times[part], *times[part][::-1]], y=np.concatenate([high[part], low[part][::-1]]),
                                 fill="toself", fillcolor=look.translucent(), line={"width": 0}, mode="lines",
                                 hoverinfo="skip"))
        bars = {"array": high[part] - mean[part], "arrayminus": mean[part] - low[part], "color": look.color,
                "visible": end - start == 1}  # a band has no width around one point
        fig.add_trace(go.Scatter(x=list(times[part]), y=mean[part], mode=mode, line=look.line(1.6), error_y=bars,
                                 marker=look.marker(size), hoverinfo="text", hovertext=hover[part]))
    level = [np.nan if value is None else value for value in accepted]
    fig.add_trace(go.Scatter(x=list(times), y=level, mode="lines", hoverinfo="skip",
                             line={"color": theme.muted, "width": 1.2, "dash": "dot", "shape": "hv"}))
    for change, symbol, color in (("better", "triangle-up", theme.better), ("worse", "triangle-down", theme.worse)):
        where = [index for index, value in enumerate(changes) if value == change]
        fig.add_trace(go.Scatter(
            x=[times[index] for index in where], y=mean[where], mode="markers+text", name=change,
            marker={"symbol": symbol, "size": 16, "color": color, "line": {"width": 1.5, "color": theme.paper}},
            text=[change] * len(where), textposition=[_beyond(mean, level, index) for index in where],
            textfont={"size": 13, "color": theme.ink},
            hoverinfo="text", hovertext=[f"{change}<br>{hover[index]}" for index in where], cliponaxis=False))
    for start in starts[1:-1]:
        fig.add_vline(x=times[start], line={"color": theme.muted, "width": 1, "dash": "dash"})
    dated = isinstance(times[0], datetime)
    fig.update_xaxes(nticks=6, tickangle=0, title_text="" if dated else "Run")
    if len(times) == 1:
        around = timedelta(hours=12) if dated else 0.5
        fig.update_xaxes(range=[times[0] - around, times[0] + around], tickvals=[times[0]],
                         tickformat="%b %-d, %Y" if dated else "")
    arrow = {"higher": " · higher is better ↑", "lower": " · ↓ lower is better"}.get(axis.better or "", "")
    fig.update_yaxes(title_text=escape(axis.label) + arrow, tickformat=".3~f",
                     range=interval_range(axis, np.concatenate([mean, low, high])))
    return fig


def _beyond(mean: np.ndarray, level: Sequence[float], index: int) -> str:
    """Where the word of a change is: beyond it, and away from the points that follow on the new level."""
    return f"{'bottom' if mean[index] < level[index] else 'top'} {'left' if index else 'right'}"
