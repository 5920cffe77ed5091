"""The Failures page's pictures: the way from gold to a right answer with what it loses, and stages by slice.

Letters: M steps, N other runs, L slices, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.analysis.diagnosis import Step
from ragdash.reporting.plots.common.theme import LIGHT, Theme, escape, figure, folded, looks, mark, short, tint

ROW, SLICE = 36, 30  # pixels of a step, and of a slice
START = "All with an answer"  # the queries that take the way


def waterfall(name: str, slot: int, steps: Sequence[Step], *, lost_at: Sequence[str], aside: int = 0,
              others: Sequence[tuple[str, int, Sequence[float]]] = (), theme: Theme = LIGHT) -> go.Figure:
    """A bar for each step: the queries of a run that come past it in the run's colour, those it loses behind them.

    steps: those that could be assessed; the last `aside` of them are reached by other queries than the way, and stand
    apart below it. lost_at: the stage of those whom each step loses, which is the customdata of that part of its bar.
    others: (name, slot, queries that come past each step, NaN where not assessed) of further runs, drawn as symbols.
    """
    m = len(steps)
    places = np.arange(m) + 1.0 + 0.5 * (np.arange(m) >= m - aside)
    way = [step for at, step in enumerate(steps) if at < m - aside]
    start = way[0].reached if way else 0
    passed = np.array([step.reached - step.lost for step in steps], float)
    lost = np.array([step.lost for step in steps], float)
    look = mark(slot, theme, name)
    fig = figure(theme, height=int(64 + ROW * (m + 1 + 0.5 * bool(aside))))
    solid = {"marker": {"opacity": 1}}
    y, said = [0.0, *places] if way else list(places), [*([f"{start:,} queries"] if way else []), *map(_said, steps)]
    fig.add_trace(go.Bar(
        x=[start, *passed] if way else passed, y=y, orientation="h", width=0.66, name=look.name, hoverinfo="text",
        hovertext=[f"{look.name}<br>{text}" for text in said], marker={"color": look.color}, unselected=solid,
        cliponaxis=False))
    fig.add_trace(go.Bar(
        x=lost, y=places, base=passed, orientation="h", width=0.66, name="lost", hoverinfo="text",
        customdata=list(lost_at), hovertext=[f"{look.name}<br>{text}<br>click: these queries" for text in said[-m:]],
        marker={"color": theme.worse, "pattern": {"shape": "/", "fillmode": "overlay", "fgcolor": theme.paper,
                                                  "size": 6, "solidity": 0.2}},
        unselected=solid, cliponaxis=False))
    _numbers(fig, y, [start, *passed] if way else passed, [0.0, *lost] if way else lost, theme)
    for drawn, (other, _, counts) in zip(looks([one[0] for one in others], [one[1] for one in others], theme), others,
                                         strict=True):
        fig.add_trace(go.Scatter(
            x=np.asarray(counts, float), y=places, mode="markers", name=drawn.name, marker=drawn.marker(9),
            hoverinfo="text", unselected=solid, cliponaxis=False,
            hovertext=[f"{escape(other)}<br>{escape(step.title)}: {value:,.0f}" for step, value in zip(
                steps, np.nan_to_num(counts), strict=True)]))
    fig.update_layout(barmode="overlay", margin={"r": 70})
    fig.update_xaxes(title_text="Queries", rangemode="tozero", fixedrange=True, tickformat=",d")
    fig.update_yaxes(tickvals=y, ticktext=[*([START] if way else []), *(folded(step.title) for step in steps)],
                     range=[(places[-1] if m else 0) + 0.6, (0 if way else 1) - 0.6], showgrid=False, fixedrange=True,
                     tickfont={"size": 13, "color": theme.ink})
    return fig


def _said(step: Step) -> str:
    parts = [f"{escape(step.title)}: {step.reached - step.lost:,} of {step.reached:,}", f"{step.lost:,} lost"]
    return "<br>".join([*parts, *([f"{step.unknown:,} of them cannot be assessed"] if step.unknown else [])])


def _numbers(fig: go.Figure, places: Sequence[float], passed: Sequence[float], lost: Sequence[float],
             theme: Theme) -> None:
    """How many come past each step, and how many it loses, at the right end."""
    here = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 6, "yref": "y", "showarrow": False,
            "font": {"size": 13, "color": theme.ink}}
    minus = [f' <span style="color:{theme.worse}">−{gone:,.0f}</span>' if gone else "" for gone in lost]
    fig.update_layout(annotations=[{**here, "y": float(place), "text": f"{many:,.0f}{less}"}
                                   for place, many, less in zip(places, passed, minus, strict=True)])


def by_slice(slices: Sequence[str], stages: Sequence[str], counts: np.ndarray, sizes: np.ndarray, *,
             theme: Theme = LIGHT) -> go.Figure:
    """A cell for each slice and stage: the number of queries, shaded by their share of the slice.

    counts (L, S); sizes (L,): queries of each slice, above 0.
    """
    counts, sizes = np.asarray(counts), np.asarray(sizes)
    shares = counts / np.maximum(sizes, 1)[:, None]
    top = max(float(shares.max(initial=0)), 1e-9)
    fig = figure(theme, height=112 + SLICE * max(len(slices), 1))
    fig.add_trace(go.Heatmap(
        z=shares, x=np.arange(len(stages)), y=np.arange(len(slices)), zmin=0, zmax=top, showscale=False, xgap=2, ygap=2,
        colorscale=[[0, theme.paper], [1, tint(theme, theme.worse)]], hoverinfo="text", texttemplate="%{text}",
        textfont={"size": 13, "color": theme.ink},
        text=[[f"{many:,}" if many else "·" for many in row] for row in counts.tolist()],
        hovertext=[[f"{escape(row)}<br>{escape(column)}: {counts[i, j]:,} of {sizes[i]:,} ({shares[i, j]:.0%})"
                    for j, column in enumerate(stages)] for i, row in enumerate(slices)]))
    fig.update_xaxes(tickvals=np.arange(len(stages)), ticktext=[folded(one) for one in stages], side="top",
                     showgrid=False, fixedrange=True, tickfont={"color": theme.ink}, autotickangles=[0, 90])
    fig.update_yaxes(tickvals=np.arange(len(slices)), ticktext=[short(one, 24) for one in slices], showgrid=False,
                     range=[len(slices) - 0.5, -0.5], fixedrange=True, tickfont={"size": 13, "color": theme.ink})
    return fig
