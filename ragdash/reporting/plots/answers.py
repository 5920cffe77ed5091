"""The Answers page's pictures: how values spread, found against right, retrieval metrics against answer metrics.

Letters: N runs, Q queries, B bins, K kinds of queries, R rows and C columns of a correlation table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.core.text.template import percent
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Axis,
    Look,
    Theme,
    annotate,
    escape,
    figure,
    looks,
    value_text,
    wrap_title,
)

ROW, TALLEST = 58, 0.66  # pixels of a run's row; the share of it that the highest bar takes
BINS = 10  # in a stretch of the axis as long as 1
NARROW = 0.055  # a part of a bar below this share bears no number
PUOR = {"light": ("#b35806", "#f1a340", "#fee0b6", "#f7f7f7", "#d8daeb", "#998ec3", "#542788"),
        "dark": ("#a3530b", "#7d430f", "#4b3019", "#22272d", "#37315a", "#51478a", "#6f5aac")}
"""{theme: orange to violet}; what is near 0 is near the page's ground."""


def distribution(names: Sequence[str], slots: Sequence[int], values: Sequence[np.ndarray], *, axis: Axis,
                 theme: Theme = LIGHT) -> go.Figure:
    """A row for each run: the share of its answers in each tenth of the range, all rows on one scale.

    values: one (Q,) for each run, NaN left out. Answers at the very ends of the range (all wrong, all right) are
    apart, with their share in figures: most metrics of answers pile up there.
    """
    defined = [array[np.isfinite(array)] for array in (np.asarray(run_values, dtype=float) for run_values in values)]
    low, high = _bounds(axis, defined)
    edges = np.linspace(low, high, (BINS if high - low <= 1 or axis.high is None else 2 * BINS) + 1)
    counts = [_count_bins(run_values, edges) for run_values in defined]
    shares = [bin_counts / max(bin_counts.sum(), 1) for bin_counts in counts]
    top = max((float(share.max(initial=0)) for share in shares), default=0.0) or 1.0
    fig = figure(theme, height=76 + ROW * max(len(names), 1))
    run_looks = looks(names, slots, theme)
    for row, (look, bin_counts, share) in enumerate(zip(run_looks, counts, shares, strict=True)):
        fig.add_trace(_row(row, look, bin_counts, share / top * TALLEST, edges, axis))
        fig.add_shape(type="line", xref="paper", x0=0, x1=1, y0=-row, y1=-row, line={"color": theme.grid, "width": 1},
                      layer="below")
        if not bin_counts.sum():
            fig.add_annotation(x=0.5, xref="paper", y=0.3 - row, text="undefined", showarrow=False,
                               font={"color": theme.muted})
    width = edges[1] - edges[0]
    fig.update_xaxes(title_text=escape(axis.label) + _arrow(axis), showgrid=False, tickangle=0,
                     range=[low - 1.9 * width, high + 1.9 * width],
                     tickvals=[low - width, *edges[2:-2:2], high + width],
                     ticktext=[f"{edge:.3g}".replace("-", "−") for edge in (low, *edges[2:-2:2], high)])
    fig.update_yaxes(tickvals=[0.3 - row for row in range(len(names))], fixedrange=True, showgrid=False,
                     ticktext=_signed_names(run_looks, names),
                     range=[-len(names) + 0.9, 1], tickfont={"size": 13, "color": theme.ink})
    fig.update_layout(barmode="overlay")
    return fig


def _bounds(axis: Axis, values: Sequence[np.ndarray]) -> tuple[float, float]:
    """The range of the registry, and where that is open the values'."""
    pooled = np.concatenate([*values, []]) if values else np.empty(0)
    low = axis.low if axis.low is not None else float(pooled.min(initial=0.0))
    high = axis.high if axis.high is not None else float(pooled.max(initial=low + 1))
    return float(low), float(high)


def _count_bins(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How many values are at the lowest end, within each bin, and at the highest end: (B + 2,)."""
    ends = values <= edges[0] + 1e-9, values >= edges[-1] - 1e-9
    inner, _ = np.histogram(values[~(ends[0] | ends[1])], edges)
    return np.array([ends[0].sum(), *inner, ends[1].sum()])


def _row(row: int, look: Look, counts: np.ndarray, heights: np.ndarray, edges: np.ndarray, axis: Axis) -> go.Bar:
    width, n = edges[1] - edges[0], int(counts.sum())
    positions = np.concatenate([[edges[0] - width], (edges[:-1] + edges[1:]) / 2, [edges[-1] + width]])
    spans = [f"exactly {edges[0]:.3g}", *(f"{a:.3g} to {b:.3g}" for a, b in pairwise(edges)),
             f"exactly {edges[-1]:.3g}"]
    bins = np.flatnonzero(counts)
    hover = [f"{look.name}<br>{escape(axis.title)} {spans[i]}: {counts[i]:,} of {query_count(n)}" for i in bins]
    text = [percent(counts[i] / n) if i in (0, len(counts) - 1) else "" for i in bins]
    return go.Bar(x=positions[bins], y=heights[bins], base=np.full(len(bins), -float(row)), width=0.92 * width,
                  name=look.name, marker={"color": look.color, "line": {"width": 0}}, hoverinfo="text", hovertext=hover,
                  text=text, textposition="outside", textangle=0, cliponaxis=False, textfont={"size": 12},
                  constraintext="none", customdata=counts[bins])  # else it shrinks to the width of a bar


def quadrants(names: Sequence[str], slots: Sequence[int], counts: np.ndarray,
              kinds: Sequence[tuple[str, bool | None, bool]], unclassified: str, *,
              theme: Theme = LIGHT) -> go.Figure:
    """A bar for each run, parted by whether the documents were found and the answer is right.

    counts: (N, K + 1) queries of each kind, the last the unclassified (its label: `unclassified`); kinds:
    (words, found, right) each. Right or wrong is the color, not found is hatched, and where that is known of other
    queries only it is dotted. Each part bears its number.
    """
    counts = np.asarray(counts, dtype=int)
    is_known = any(counts[:, kind].any() for kind, (_, retrieved, _) in enumerate(kinds) if retrieved is not None)
    looked = [(title, retrieved or (retrieved is None and not is_known), right) for title, retrieved, right in kinds]
    total = np.maximum(counts.sum(axis=1), 1)
    run_looks = looks(names, slots, theme)
    fig = figure(theme, height=124 + 44 * max(len(names), 2))  # on a telephone the legend takes five lines
    for kind, (title, retrieved, right) in enumerate((*looked, (unclassified, True, None))):
        color = theme.gray if right is None else theme.better if right else theme.worse
        share = counts[:, kind] / total
        hover = [f"{look.name}<br>{escape(title)}: {count:,} of {query_count(run_total)} ({percent(fraction)})"
                for look, count, run_total, fraction in zip(run_looks, counts[:, kind], total, share, strict=True)]
        shape = "/" if kind < len(kinds) and kinds[kind][1] is False else "."
        pattern = {} if retrieved else {"pattern": {"shape": shape, "fgcolor": color, "bgcolor": theme.paper, "size": 7,
                                                "solidity": 0.35}}
        fig.add_trace(go.Bar(
            y=np.arange(len(names)), x=share, orientation="h", name=escape(title), customdata=counts[:, kind],
            marker={"color": color, "line": {"width": 1, "color": color if not retrieved else theme.paper}, **pattern},
            hoverinfo="text", hovertext=hover, textposition="none", showlegend=bool(counts[:, kind].any())))
    _numbers(fig, counts, total, [retrieved for _, retrieved, _ in looked] + [True], theme)
    fig.update_xaxes(title_text="Share of the queries", tickformat=".0%", range=[0, 1], showgrid=False)
    fig.update_yaxes(tickvals=np.arange(len(names)), range=[len(names) - 0.5, -0.5], fixedrange=True, showgrid=False,
                     ticktext=_signed_names(run_looks, names),
                     tickfont={"size": 13, "color": theme.ink})
    fig.update_layout(barmode="stack", bargap=0.34 if len(names) > 1 else 0.5, showlegend=True,
                      legend_traceorder="normal")
    return fig


def _numbers(fig: go.Figure, counts: np.ndarray, total: np.ndarray, solid: Sequence[bool], theme: Theme) -> None:
    """The number of queries in the middle of each part that is wide enough, on a plate where the part is hatched."""
    share = counts / total[:, None]
    middle = np.cumsum(share, axis=1) - share / 2
    annotate(fig, [{"x": float(middle[row, kind]), "y": int(row), "text": f"{counts[row, kind]:,}", "showarrow": False,
                    "font": {"size": 12, "color": theme.paper if solid[kind] else theme.ink},
                    **({} if solid[kind] else {"bgcolor": theme.paper, "borderpad": 1})}
                   for row, kind in zip(*np.nonzero(share >= NARROW), strict=True)])


def correlation(rows: Sequence[str], columns: Sequence[str], rho: np.ndarray, n: np.ndarray, *,
                theme: Theme = LIGHT) -> go.Figure:
    """Rank correlations as a table whose cells are shaded: orange below 0, violet above; the number and n in each.

    rho: (R, C) in [-1, 1], NaN undefined (a dash on bare ground); n: (R, C) queries.
    """
    rho = np.asarray(rho, dtype=float).reshape(len(rows), len(columns))
    n = np.asarray(n).reshape(rho.shape)
    text = value_text(rho, 2)
    hover = [[f"{escape(row)} and {escape(column)}<br>Spearman {text[i, j]} over {query_count(n[i, j])}"
             for j, column in enumerate(columns)] for i, row in enumerate(rows)]
    fig, scale = figure(theme, height=84 + 42 * max(len(rows), 1)), PUOR[theme.name]
    fig.add_trace(go.Heatmap(
        z=rho, x=np.arange(len(columns)), y=np.arange(len(rows)), zmin=-1, zmax=1, showscale=False, xgap=2, ygap=2,
        colorscale=[[index / (len(scale) - 1), color] for index, color in enumerate(scale)], hoverinfo="text",
        text=hover, hoverongaps=False))
    colors = np.where(np.isnan(rho), theme.muted, np.where((rho > 0.75) | (rho < -0.95), "#ffffff", theme.ink))
    annotate(fig, [{"x": j, "y": i, "showarrow": False, "font": {"size": 13, "color": colors[i, j]},
                    "text": f"<b>{text[i, j]}</b><br><span style='font-size:10px'>n = {n[i, j]:,}</span>"}
                   for i, j in np.ndindex(*rho.shape)])
    fig.update_xaxes(tickvals=np.arange(len(columns)), ticktext=[escape(title) for title in columns], side="top",
                     autotickangles=[0, 90], showgrid=False, fixedrange=True, tickfont={"color": theme.ink})
    fig.update_yaxes(tickvals=np.arange(len(rows)), ticktext=[wrap_title(title, 20) for title in rows], showgrid=False,
                     range=[len(rows) - 0.5, -0.5], fixedrange=True, tickfont={"size": 13, "color": theme.ink})
    return fig


def _signed_names(run_looks: Sequence[Look], names: Sequence[str]) -> list[str]:
    """Each run's sign in its color and its name."""
    return [f'<span style="color:{look.color}">{look.sign}</span> {escape(name)} '
            for look, name in zip(run_looks, short_names(names, NARROW_NAME), strict=True)]


def _arrow(axis: Axis) -> str:
    return {"higher": " · higher is better →", "lower": " · ← lower is better"}.get(axis.better or "", "")
