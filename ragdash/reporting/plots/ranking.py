"""The Ranking page's pictures: a metric at each cutoff, the first relevant rank, and two runs query by query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.core.text.template import percent
from ragdash.reporting.plots.common.theme import (
    DIRECT_LABELS,
    LIGHT,
    Axis,
    Look,
    Theme,
    axis_range,
    end_labels,
    escape,
    figure,
    looks,
    tint,
)

MANY_POINTS = 1_000  # more marks than this are drawn as a 2-D histogram
GROUPED_BARS = 4  # more runs than this are drawn as a heat map
PATTERNS = ("", "/", ".", "x")
# labels of bins are level, and upright where they would touch
RANK_AXIS = {"type": "category", "showgrid": False, "tickmode": "linear", "dtick": 1, "tickfont": {"size": 11},
             "autotickangles": [0, 90]}


def at_cutoffs(names: Sequence[str], slots: Sequence[int], ks: np.ndarray, mean: np.ndarray, low: np.ndarray,
               high: np.ndarray, *, axis: Axis, theme: Theme = LIGHT) -> go.Figure:
    """Mean and interval of each run at a few cutoffs, side by side at each.

    ks (K,) evenly spaced on the page whatever their size; mean, low, high: (N, K), NaN where undefined.
    """
    fig = figure(theme, height=340)
    mean, low, high = (np.asarray(array, dtype=float) for array in (mean, low, high))
    y_range = _used_range(axis, np.concatenate([mean.ravel(), low.ravel(), high.ravel()]))
    positions = np.arange(len(ks), dtype=float)
    run_looks = looks(names, slots, theme)
    step = min(0.12, 0.75 / max(len(run_looks), 1))
    for index, look in enumerate(run_looks):
        x = positions + (index - (len(run_looks) - 1) / 2) * step
        fig.add_trace(_interval_line(look, x, ks, mean[index], low[index], high[index], axis,
                                     len(run_looks) > DIRECT_LABELS, look.color != theme.gray))
    fig.update_xaxes(title_text="Cutoff k", tickvals=positions, ticktext=[f"{k:,}" for k in ks],
                     range=[-0.5, len(ks) - 0.5], showgrid=False)
    fig.update_yaxes(title_text=escape(axis.label), range=y_range, tickformat=".2~f")
    end_labels(fig, run_looks, mean[:, -1], y_range)
    return fig


def _used_range(axis: Axis, values: np.ndarray) -> list[float]:
    """The part of the axis that values and intervals use, with some space: on the whole range, runs look the same."""
    whole = axis_range(axis, values) or [0.0, 1.0]
    finite = values[np.isfinite(values)]
    if not finite.size:
        return whole
    low, high = float(finite.min()), float(finite.max())
    space = 0.08 * ((high - low) or (whole[1] - whole[0]))
    return [max(whole[0], low - space), min(whole[1], high + space)]


def _interval_line(look: Look, x: np.ndarray, ks: np.ndarray, mean: np.ndarray, low: np.ndarray, high: np.ndarray,
                   axis: Axis, crowded: bool, colored: bool) -> go.Scatter:
    """One run at all cutoffs; among many it is thinner, and a gray one has its intervals on hover alone."""
    bars = {"visible": colored or not crowded, "array": high - mean, "arrayminus": mean - low, "color": look.color,
            "thickness": 1.0 if crowded else 1.8, "width": 0 if crowded else 3}
    return go.Scatter(
        x=x, y=mean, error_y=bars, customdata=np.column_stack([ks, low, high]), mode="lines+markers", name=look.name,
        line=look.line(1.5), marker=look.marker(7 if crowded else 9),
        hovertemplate=f"{look.name}<br>{escape(axis.title)} at k = %{{customdata[0]:,}}<br>%{{y:.3f}} "
                      "[%{customdata[1]:.3f}, %{customdata[2]:.3f}]<extra></extra>")


def first_rank(names: Sequence[str], slots: Sequence[int], bins: Sequence[str], shares: np.ndarray, *,
               theme: Theme = LIGHT) -> go.Figure:
    """Share of the queries whose first relevant document is in each bin of ranks.

    bins: (B,) labels, the last for "none"; shares: (N, B) in [0, 1]. Up to four runs as grouped bars, more as a heat
    map.
    """
    shares = np.asarray(shares, dtype=float)
    if len(names) > GROUPED_BARS:
        return _rank_map(names, bins, shares, theme)
    fig = figure(theme, height=340)
    for index, look in enumerate(looks(names, slots, theme)):
        pattern = {"shape": PATTERNS[index], "fillmode": "overlay", "fgcolor": theme.paper, "fgopacity": 0.55,
                   "size": 6, "solidity": 0.25}
        fig.add_trace(go.Bar(
            x=list(bins), y=shares[index], name=look.name, legendgroup=look.group,
            marker={"color": look.color, "pattern": pattern},
            hovertemplate=f"{look.name}<br>first relevant at rank %{{x}}<br>%{{y:.1%}} of queries<extra></extra>"))
    fig.update_layout(showlegend=len(names) > 1, bargap=0.25, bargroupgap=0.08)
    fig.update_xaxes(title_text="Rank of the first relevant document", **RANK_AXIS)
    fig.update_yaxes(title_text="Share of queries", tickformat=".0%", rangemode="tozero")
    return fig


def _rank_map(names: Sequence[str], bins: Sequence[str], shares: np.ndarray, theme: Theme) -> go.Figure:
    """Runs down, bins across, the share as a shade and as a number; where there is no query the cell stays bare."""
    fig = figure(theme, height=110 + 32 * len(names))
    positions = np.arange(len(names))
    full = np.repeat(np.array([escape(name) for name in names], dtype=object)[:, None], len(bins), axis=1)
    sign = np.where(np.arange(len(bins)) < len(bins) - 1, 1.0, -1.0)  # "none" has a scale of its own: many are bad
    most = max(float(np.nanmax(shares)), 0.01)
    fig.add_trace(go.Heatmap(
        x=list(bins), y=positions, z=np.where(shares > 0, shares, np.nan) * sign, zmin=-most, zmax=most, xgap=2, ygap=2,
        colorscale=_two_scales(theme), showscale=False, customdata=np.dstack([full, shares]),
        text=np.where(shares > 0, [[percent(share) for share in row] for row in shares], ""), texttemplate="%{text}",
        textfont={"color": theme.ink},
        hovertemplate="%{customdata[0]}<br>first relevant at rank %{x}<br>%{customdata[1]:.1%} of queries"
                      "<extra></extra>"))
    fig.update_xaxes(title_text="Rank of the first relevant document", **RANK_AXIS)
    fig.update_yaxes(tickvals=positions, ticktext=[escape(name) for name in short_names(names, NARROW_NAME)],
                     autorange="reversed", showgrid=False)
    return fig


def per_query(x_name: str, y_name: str, x: np.ndarray, y: np.ndarray, *, axis: Axis,
              labels: Sequence[str] | None = None, slots: tuple[int, int] = (0, 1), theme: Theme = LIGHT) -> go.Figure:
    """Each query once: its value in one run against its value in the other; above the diagonal the second has more.

    x, y: (Q,), queries undefined in either run are left out. Equal points become one larger mark; with more than 1,000
    different points the picture is a 2-D histogram. labels: (Q,) query ids for the hover text of single points.
    """
    fig = figure(theme, height=460)
    defined = np.isfinite(x) & np.isfinite(y)
    points, first, count = np.unique(np.column_stack([x[defined], y[defined]]), axis=0, return_index=True,
                                     return_counts=True)
    span = axis_range(axis, points) or [0, 1]
    if len(points) > MANY_POINTS:
        _density(fig, x[defined], y[defined], span, theme)
    elif len(points):
        ids = [escape(str(labels[row])) if labels is not None else "" for row in np.flatnonzero(defined)[first]]
        _bubbles(fig, points, count, ids, looks([y_name], slots[1:], theme)[0])
    fig.add_shape(type="line", x0=span[0], y0=span[0], x1=span[1], y1=span[1], layer="below",
                  line={"color": theme.muted, "width": 1, "dash": "dot"})
    short = short_names([x_name, y_name], PAGE_NAME)
    fig.update_xaxes(title_text=f"{escape(axis.label)}, {escape(short[0])}", range=span, tickformat=".2~f")
    fig.update_yaxes(title_text=f"{escape(axis.label)}, {escape(short[1])}", range=span, tickformat=".2~f")
    return fig


def _bubbles(fig: go.Figure, points: np.ndarray, count: np.ndarray, ids: Sequence[str], look: Look) -> None:
    """One mark a distinct point, its area the number of queries there; points (M, 2), count (M,)."""
    hover = [f"query {name}" if queries == 1 and name else query_count(queries) for name, queries in
            zip(ids, count, strict=True)]
    size = np.sqrt(81 + 900 * (count - 1) / max(int(count.max()) - 1, 1))
    fig.add_trace(go.Scatter(
        x=points[:, 0], y=points[:, 1], mode="markers", customdata=np.array(hover, dtype=object), name="queries",
        cliponaxis=False, marker={**look.marker(size), "symbol": "circle", "opacity": 0.7},
        hovertemplate="%{customdata}<br>%{x:.3f} → %{y:.3f}<extra></extra>"))


def _density(fig: go.Figure, x: np.ndarray, y: np.ndarray, span: Sequence[float], theme: Theme,
             cells: int = 40) -> None:
    """Counts in cells; an empty cell stays bare, shades grow with the logarithm of the count."""
    edges = np.linspace(span[0], span[1], cells + 1)
    counts, _, _ = np.histogram2d(y, x, bins=(edges, edges))
    middle = (edges[1:] + edges[:-1]) / 2
    shade = np.where(counts > 0, np.log10(np.maximum(counts, 1)), np.nan)
    ticks = np.arange(0, int(np.floor(np.nanmax(shade))) + 1)
    fig.add_trace(go.Heatmap(
        x=middle, y=middle, z=shade, customdata=counts, colorscale=_scale(theme), name="queries",
        colorbar={"title": {"text": "Queries"}, "tickvals": ticks, "thickness": 12,
                  "ticktext": [f"{10 ** int(tick):,}" for tick in ticks]},
        hovertemplate="about %{x:.2f} → %{y:.2f}<br>queries: %{customdata:,}<extra></extra>"))


def _scale(theme: Theme) -> list[list]:
    return [[index / (len(theme.sequential) - 1), color] for index, color in enumerate(theme.sequential)]


def _two_scales(theme: Theme) -> list[list]:
    """From much that is bad over nothing to much; the page's ink is readable on each shade."""
    return [[0, tint(theme, theme.worse)], [0.5, tint(theme, theme.worse, 0.04)],
            [0.5, tint(theme, theme.better, 0.04)], [1, tint(theme, theme.better)]]
