"""Pictures of one run or one truth alone: how many queries have how many of something, and scores by rank."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from ragdash.reporting.plots.common.theme import LIGHT, Theme, escape, figure, run_look

MOST_BARS = 30  # more values than this share bars


def counts(name: str, values: np.ndarray, *, x_title: str, y_title: str, theme: Theme = LIGHT) -> go.Figure:
    """How often each whole number occurs: a bar for each from the lowest on, or for a range where there are many.

    values: (n,) whole numbers, 0 or more.
    """
    fig, look = figure(theme, height=340), run_look(0, theme, name)
    values = np.asarray(values, np.int64)
    lowest = int(values.min()) if len(values) else 0
    width = max(1, int(np.ceil((int(values.max()) - lowest + 1) / MOST_BARS))) if len(values) else 1
    heights = np.bincount((values - lowest) // width)
    starts = lowest + np.arange(len(heights)) * width
    labels = [f"{start:,}" if width == 1 else f"{start:,} to {start + width - 1:,}" for start in starts.tolist()]
    fig.add_trace(go.Bar(x=labels, y=heights, name=look.name, marker={"color": look.color},
                         hovertemplate=f"{escape(x_title)}: %{{x}}<br>{escape(y_title)}: %{{y:,}}<extra></extra>"))
    fig.update_layout(showlegend=False, bargap=0.15)
    fig.update_xaxes(title_text=escape(x_title), type="category", showgrid=False)
    fig.update_yaxes(title_text=escape(y_title), tickformat=",d", rangemode="tozero")
    return fig


def scores_by_rank(name: str, ranks: np.ndarray, scores: np.ndarray, theme: Theme = LIGHT) -> go.Figure:
    """The median score at each rank, and the middle half of the queries as a band.

    ranks, scores: (n,) of all returned documents; ranks from 1.
    """
    fig, look = figure(theme, height=340), run_look(0, theme, name)
    present = np.unique(ranks)
    low, middle, high = np.array([np.quantile(scores[ranks == rank], [0.25, 0.5, 0.75]) for rank in present]
                                 or np.empty((0, 3))).T
    fig.add_trace(go.Scatter(x=np.concatenate([present, present[::-1]]), y=np.concatenate([low, high[::-1]]),
                             fill="toself", fillcolor=look.translucent(), line={"width": 0}, hoverinfo="skip",
                             name="middle half of the queries"))
    fig.add_trace(go.Scatter(x=present, y=middle, name="median", mode="lines", line=look.line(),
                             hovertemplate="rank %{x:,}<br>median score %{y:.4g}<extra></extra>"))
    fig.update_layout(showlegend=True)
    fig.update_xaxes(title_text="Rank", showgrid=False)
    fig.update_yaxes(title_text="Score")
    return fig
