"""Speed and cost: how long queries take, and quality against what it costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.point_labels import label_points
from ragdash.reporting.plots.common.theme import (
    COLORED,
    LIGHT,
    Axis,
    Look,
    Theme,
    axis_range,
    count_gray_runs,
    escape,
    figure,
    looks,
    shorten_legend,
)

POINTS = 400  # a line has at most this many: more cannot be seen
WIDE = 20  # largest over smallest from which on an axis is logarithmic
FEW_DECADES = 1_000  # largest over smallest up to which a logarithmic axis has ticks between powers of ten
MARKED = (0.5, 0.9, 0.99)
MOST_LABELS = 10  # runs that all have their name next to their mark


def ecdf(names: Sequence[str], slots: Sequence[int], values: Sequence[np.ndarray], *, title: str, unit: str = "ms",
         theme: Theme = LIGHT) -> go.Figure:
    """The share of queries that took at most so long, a line for each run.

    values: (n,) for each run, NaN left out; a run without any has no line. Dotted lines are at the median, the 90th
    and the 99th percentile.
    """
    fig = figure(theme, height=380)
    sorted_values = [np.sort(np.asarray(row, float)[np.isfinite(row)]) for row in values]
    log = is_wide(np.concatenate([*sorted_values, np.empty(0)]))
    for look, row in zip(looks(names, slots, theme), sorted_values, strict=True):
        if not len(row):
            continue
        shares = np.arange(1, len(row) + 1) / len(row)
        points = np.unique(np.linspace(0, len(row) - 1, min(len(row), POINTS)).round().astype(int))
        fig.add_trace(go.Scatter(
            x=row[points], y=shares[points], mode="lines" if len(points) > 1 else "markers", name=look.name,
            legendgroup=look.group, line={**look.line(), "shape": "hv"}, marker=look.marker(10),
            hovertemplate=f"{look.name}<br>%{{y:.1%}} of the queries within %{{x:.4~g}} {unit}<extra></extra>"))
    for share in MARKED:
        fig.add_hline(y=share, line={"color": theme.muted, "width": 1, "dash": "dot"}, layer="below")
        fig.add_annotation(x=0, xref="paper", y=share, text=f"P{share * 100:.0f}", xanchor="left", showarrow=False,
                           yanchor="bottom" if share < 0.95 else "top" if share < 0.98 else "bottom",
                           font={"size": 12, "color": theme.muted})
    fig.update_xaxes(title_text=escape(f"{title} ({unit})"), type="log" if log else "linear",
                     tickformat=",~g", nticks=7, rangemode="normal" if log else "tozero",
                     dtick=_log_ticks(np.concatenate(sorted_values)) if log else None)
    fig.update_yaxes(title_text="Share of the queries", range=[-0.04, 1.06], tickformat=".0%")  # 0%: not on 0 ms
    shorten_legend(fig, looks(names, slots, theme))
    entries = count_gray_runs(fig, looks(names, slots, theme))
    fig.update_layout(showlegend=True, height=fig.layout.height + 24 * ((entries + 1) // 2))
    return fig


def pareto(names: Sequence[str], slots: Sequence[int], cost: np.ndarray, quality: np.ndarray, on_front: np.ndarray, *,
           axis: Axis, title: str, unit: str, n: Sequence[int], height: int = 440, theme: Theme = LIGHT) -> go.Figure:
    """Quality against cost with the interval of each; the runs on the front are joined, the others are hollow.

    cost, quality: (3, N), mean, low and high each; NaN: no mark, or no interval. on_front: (N,) bool. unit "$" is
    written before numbers, others behind them. Of many runs, those with a color and those on the front have labels,
    as far as there is room.
    """
    cost, quality = np.asarray(cost, float), np.asarray(quality, float)
    fig = figure(theme, height=height)
    log = is_wide(cost)
    front = np.flatnonzero(np.asarray(on_front, bool))
    front = front[np.argsort(cost[0][front], kind="stable")]
    fig.add_trace(go.Scatter(x=cost[0][front], y=quality[0][front], mode="lines", name="front", hoverinfo="skip",
                             line={"color": theme.muted, "width": 1.5, "dash": "dot", "shape": "hv"}))
    for index, look in enumerate(looks(names, slots, theme)):
        if np.isfinite([cost[0, index], quality[0, index]]).all():
            fig.add_trace(
                _run(look, cost[:, index], quality[:, index], bool(on_front[index]), axis, unit, n[index], theme)
            )
    _label_runs(fig, names, slots, cost, quality, on_front, (_room(cost, log), _zoomed(axis, quality)), log, theme)
    fig.update_xaxes(title_text=escape(title) + " · ← lower is better", type="log" if log else "linear",
                     tickprefix="$" if unit == "$" else "", tickformat=",~g", nticks=7,
                     dtick=_log_ticks(cost) if log else None,
                     range=_room(cost, log))
    arrow = {"higher": " · higher is better ↑", "lower": " · ↓ lower is better"}.get(axis.better or "", "")
    fig.update_yaxes(title_text=escape(axis.label) + arrow, tickformat=".3~f", range=_zoomed(axis, quality))
    return fig


def _label_runs(fig: go.Figure, names: Sequence[str], slots: Sequence[int], cost: np.ndarray, quality: np.ndarray,
                on_front: np.ndarray, ranges: tuple[list[float] | None, list[float] | None], log: bool,
                theme: Theme) -> None:
    """Names next to the marks, those on the front first; of many runs, not those of gray ones behind it."""
    bars = _bars(np.log10(cost) if log else cost, quality, on_front)
    cost, ends, quality = np.log10(cost[0]) if log else cost[0], quality[1:].T, quality[0]
    visible = [index for index in np.argsort(~np.asarray(on_front, bool), kind="stable").tolist()
               if np.isfinite([cost[index], quality[index]]).all()
               and (len(names) <= MOST_LABELS or slots[index] < COLORED or on_front[index])]
    if visible and None not in ranges:
        marks, short = np.column_stack([cost, quality]), short_names(names, NARROW_NAME)
        run_looks = looks(names, slots, theme)
        label_points(fig, marks[visible], [short[index] for index in visible], *ranges, theme, bars,
                     marks[np.isfinite(marks).all(axis=1)], ends[visible],
                     [(run_looks[index].sign, run_looks[index].color) for index in visible])


def _bars(cost: np.ndarray, quality: np.ndarray, on_front: np.ndarray) -> np.ndarray:
    """Left, right, bottom and top of each interval of the cost and of the quality, and of the steps of the front."""
    front = np.flatnonzero(np.asarray(on_front, bool))
    x, y = (values[0][front[np.argsort(cost[0][front], kind="stable")]] for values in (cost, quality))
    bars = np.vstack([np.column_stack([cost[1], cost[2], quality[0], quality[0]]),
                      np.column_stack([cost[0], cost[0], quality[1], quality[2]]),
                      np.column_stack([x[:-1], x[1:], y[:-1], y[:-1]]),
                      np.column_stack([x[1:], x[1:], np.fmin(y[:-1], y[1:]), np.fmax(y[:-1], y[1:])])])
    return bars[np.isfinite(bars).all(axis=1)]


def _log_ticks(values: np.ndarray) -> str | int:
    """Where a logarithmic axis has ticks: at 1, 2, 5 and 10 where it spans few powers of ten, else at these alone."""
    finite = np.ravel(values)[np.isfinite(np.ravel(values))]
    return "D2" if finite.max() <= FEW_DECADES * finite.min() else 1


def is_wide(values: np.ndarray) -> bool:
    """Whether values span so much that only a logarithmic axis shows them all; never with a 0 among them."""
    values = np.ravel(values)[np.isfinite(np.ravel(values))]
    return bool(len(values) and values.min() > 0 and values.max() > WIDE * values.min())


def _run(look: Look, cost: np.ndarray, quality: np.ndarray, on_front: bool, axis: Axis, unit: str, n: int,
         theme: Theme) -> go.Scatter:
    def value_text(values: np.ndarray, form: str, head: str = "", tail: str = "") -> str:
        text = [f"{head}{value:{form}}{tail}" if np.isfinite(value) else "–" for value in values]
        return f"{text[0]} [{text[1]}, {text[2]}]"

    marker = look.marker(13) if on_front else {**look.marker(12), "symbol": f"{look.symbol}-open", "line": {"width": 2}}
    paid = value_text(cost, ",.4g", "$") if unit == "$" else value_text(cost, ",.4g", tail=f" {unit}")
    return go.Scatter(
        x=cost[:1],
        y=quality[:1],
        mode="markers",
        name=look.name,
        marker=marker,
        error_x=_bar(cost, look),
        error_y=_bar(quality, look),
        hoverinfo="text",
        hovertext=[
            f"{look.name}<br>{escape(axis.title)} {value_text(quality, '.3f')}<br>{paid}<br>n = {query_count(n)}<br>"
            + ("on the front" if on_front else "another run is as good and as cheap, and better in one")
        ],
    )


def _bar(values: np.ndarray, look: Look) -> dict:
    mean, low, high = values
    finite = bool(np.isfinite([low, high]).all())
    return {
        "array": np.array([high - mean if finite else 0.0]),
        "arrayminus": np.array([mean - low if finite else 0.0]),
        "color": look.translucent(0.7),
        "thickness": 1.6,
        "width": 4,
        "visible": finite,
    }


def _room(cost: np.ndarray, log: bool) -> list[float] | None:
    """The range of the cost axis, with room for names at the right; exponents for a logarithmic one."""
    values = cost[np.isfinite(cost)]
    if not len(values):
        return None
    if log:
        low, high = np.log10(values.min()), np.log10(values.max())
        air = max(high - low, 0.3)
        return [low - 0.06 * air, high + 0.3 * air]
    return [0 - 0.02 * values.max(), 1.3 * values.max() or 1.0]


def _zoomed(axis: Axis, values: np.ndarray) -> list[float] | None:
    """The stretch of the quality axis that the intervals use, with air."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return axis_range(axis, values)
    low, high = float(finite.min()), float(finite.max())
    air = max(0.12 * (high - low), 0.01 * max(abs(high), 1e-9))
    return [low - air, high + 1.4 * air]
