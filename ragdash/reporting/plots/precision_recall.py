"""The Precision-recall page's pictures: a metric against the cutoff k, and precision against recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.reporting.plots.common.arrays import CUTOFFS, last_finite
from ragdash.reporting.plots.common.theme import (
    DIRECT_LABELS,
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
    shorten_legend,
)

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
MOST_TICKS = 6  # of more, a phone has room for the powers of ten alone


def by_cutoff(names: Sequence[str], slots: Sequence[int], ks: np.ndarray, values: np.ndarray,
              interval_ks: np.ndarray, low: np.ndarray, high: np.ndarray, *, axis: Axis, cutoff: int | None = None,
              log: bool = True, theme: Theme = LIGHT) -> go.Figure:
    """A line for each run over every cutoff, with its confidence band.

    ks (K,), values (N, K); interval_ks (J,), low and high (N, J): the band is drawn at fewer cutoffs than the line.
    NaN: no line there. cutoff: the one marked by a vertical line. log: a logarithmic k axis gives the first ranks
    their room.
    """
    values = np.asarray(values, dtype=float)
    fig = figure(theme, height=380)
    y_range = axis_range(axis, np.concatenate([values.ravel(), np.ravel(low), np.ravel(high)])) or [0, 1]
    run_looks = looks(names, slots, theme)
    for index, look in enumerate(run_looks):
        _band(fig, interval_ks, low[index], high[index], look, _strength(len(run_looks)))
        fig.add_trace(go.Scatter(
            x=ks, y=values[index], mode="lines" if len(ks) > 1 else "markers", name=look.name, legendgroup=look.group,
            line=look.line(), marker=look.marker(10),
            hovertemplate=f"{look.name}<br>k = %{{x:,}}<br>{escape(axis.title)} %{{y:.3f}}<extra></extra>"))
    _mark_chosen(fig, cutoff, ks, values, run_looks, theme)
    _cutoff_axis(fig, ks, log)
    fig.update_yaxes(title_text=escape(axis.label), range=y_range, tickformat=".2~f")
    end_labels(fig, run_looks, [last_finite(row) for row in values], y_range)
    return fig


def trade_off(names: Sequence[str], slots: Sequence[int], ks: np.ndarray, precision: np.ndarray, recall: np.ndarray,
              *, cutoff: int | None = None, theme: Theme = LIGHT) -> go.Figure:
    """Mean precision against mean recall: each curve runs from k = 1 (left) to the deepest rank.

    ks (K,), precision and recall (N, K). Round cutoffs have a small mark, the chosen one a large mark.
    """
    fig = figure(theme, height=420)
    noted = np.flatnonzero(np.isin(ks, CUTOFFS) | (ks == cutoff))
    sizes = np.where(ks[noted] == cutoff, 14, 7)
    for index, look in enumerate(looks(names, slots, theme)):
        hover = (f"{look.name}<br>k = %{{customdata:,}}<br>recall %{{x:.3f}}<br>precision %{{y:.3f}}"
                 "<extra></extra>")
        fig.add_trace(go.Scatter(x=recall[index], y=precision[index], customdata=ks, mode="lines", name=look.name,
                                 legendgroup=look.group, line=look.line(), hovertemplate=hover))
        fig.add_trace(go.Scatter(x=recall[index][noted], y=precision[index][noted], customdata=ks[noted],
                                 mode="markers", showlegend=False, legendgroup=look.group, marker=look.marker(sizes),
                                 hovertemplate=hover))
    _unit_square(fig, "Recall@k", "Precision@k", looks(names, slots, theme), np.asarray(precision))
    return fig


def interpolated(names: Sequence[str], slots: Sequence[int], levels: np.ndarray, precision: np.ndarray, *,
                 theme: Theme = LIGHT) -> go.Figure:
    """Interpolated precision at the standard recall levels: levels (11,), precision (N, 11)."""
    fig = figure(theme, height=420)
    for index, look in enumerate(looks(names, slots, theme)):
        fig.add_trace(go.Scatter(
            x=levels, y=precision[index], mode="lines+markers", name=look.name, line=look.line(),
            marker=look.marker(9),
            hovertemplate=f"{look.name}<br>recall %{{x:.1f}}<br>precision %{{y:.3f}}<extra></extra>"))
    _unit_square(fig, "Recall level", "Interpolated precision", looks(names, slots, theme), np.asarray(precision))
    fig.update_xaxes(tickvals=np.asarray(levels)[::2])
    return fig


def _strength(runs: int) -> float:
    """How solid a band is; with many runs bands lie over each other."""
    return 0.16 if runs <= 3 else 0.10 if runs <= DIRECT_LABELS else 0.05


def _band(fig: go.Figure, ks: np.ndarray, low: np.ndarray, high: np.ndarray, look: Look, strength: float) -> None:
    """The interval as one closed polygon, silent on hover."""
    finite = np.isfinite(low) & np.isfinite(high)
    if finite.sum() < 2:
        return
    ks, low, high = np.asarray(ks)[finite], low[finite], high[finite]
    fig.add_trace(go.Scatter(x=np.concatenate([ks, ks[::-1]]), y=np.concatenate([high, low[::-1]]), fill="toself",
                             fillcolor=look.translucent(strength), mode="lines", line={"width": 0}, hoverinfo="skip",
                             showlegend=False, legendgroup=look.group, name="band"))


def _mark_chosen(fig: go.Figure, cutoff: int | None, ks: np.ndarray, values: np.ndarray, run_looks: Sequence[Look],
                 theme: Theme) -> None:
    """A dotted line at the chosen cutoff and the run's symbol where its line crosses."""
    column = np.flatnonzero(np.asarray(ks) == cutoff)
    if not column.size:
        return
    fig.add_vline(x=int(cutoff), line={"color": theme.muted, "width": 1, "dash": "dot"})
    fig.add_trace(
        go.Scatter(
            x=np.full(len(run_looks), cutoff),
            y=values[:, column[0]],
            mode="markers",
            hoverinfo="skip",
            showlegend=False,
            name="chosen k",
            marker={
                "color": [look.color for look in run_looks],
                "symbol": [look.symbol for look in run_looks],
                "size": 10,
                "line": {"width": 1, "color": theme.paper},
            },
        )
    )


def _cutoff_axis(fig: go.Figure, ks: np.ndarray, log: bool) -> None:
    """The k axis with round ticks; the range of a logarithmic axis is given in exponents, as plotly wants it."""
    last = int(ks[-1])
    if log and last > 1:
        ticks = [k for k in TICKS if k <= last]
        ticks = ticks if len(ticks) <= MOST_TICKS else [k for k in ticks if np.log10(k) % 1 == 0]
        fig.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks],
                         range=[-0.03, float(np.log10(last)) + 0.03])
    else:
        fig.update_xaxes(range=[1 - 0.02 * last, last * 1.02], tickformat=",d", nticks=8)
    fig.update_xaxes(title_text="Cutoff k (documents looked at)")


def _unit_square(fig: go.Figure, x_title: str, y_title: str, run_looks: Sequence[Look], precision: np.ndarray) -> None:
    """Recall from 0 to 1; the precision axis ends early where no run comes near 1."""
    top = float(np.nanmax(precision)) if np.isfinite(precision).any() else 1.0
    top = next(step for step in (0.25, 0.5, 1.0) if top <= step * 0.98 or step == 1.0)
    fig.update_xaxes(title_text=x_title, range=[-0.02, 1.02], tickformat=".1~f")
    fig.update_yaxes(title_text=y_title, range=[-0.02 * top, 1.03 * top], tickformat=".2~f")
    shorten_legend(fig, run_looks)
    entries = count_gray_runs(fig, run_looks)
    rows = (entries + 1) // 2 if len(run_looks) > 1 else 0
    fig.update_layout(showlegend=len(run_looks) > 1, height=fig.layout.height + 24 * rows)
