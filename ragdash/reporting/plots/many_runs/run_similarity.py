"""How alike each two runs are, as a matrix.

Letters: N runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.theme import LIGHT, Theme, escape, figure, looks, tint, value_text

CELL, MAX_LABELED = 46, 3  # pixels; runs with their names above the columns, more have their symbols there
DENSE = 24  # pixels of a cell among many
LARGE_TEXTS, MAX_TEXTS = 6, 8  # runs with numbers in the cells, large or small, that fit on a phone


def matrix(names: Sequence[str], slots: Sequence[int], mean: np.ndarray, n: np.ndarray, *, title: str,
           span: tuple[float, float], theme: Theme = LIGHT) -> go.Figure:
    """A cell for each two runs with the mean of a measure: the stronger the color, the more alike they are.

    mean (N, N) symmetric, NaN undefined (a dash), the diagonal is left bare; n (N, N): queries; span: lowest and
    highest possible value.
    """
    mean, n = np.asarray(mean, float), np.asarray(n)
    values = np.where(np.eye(len(names), dtype=bool), np.nan, mean)
    text = value_text(values, 2)
    text[np.eye(len(names), dtype=bool)] = ""
    exact = value_text(values)
    hover = [[f"{escape(a)} and {escape(b)}<br>{escape(title)} {exact[i, j]}<br>n = {query_count(n[i, j])}"
             if i != j else escape(a) for j, b in enumerate(names)] for i, a in enumerate(names)]
    many = len(names) > MAX_TEXTS
    fig = figure(theme, height=60 + (DENSE if many else CELL) * max(len(names), 1))
    fig.add_trace(
        go.Heatmap(
            z=np.where(np.isnan(values), span[0], values),
            x=np.arange(len(names)),
            y=np.arange(len(names)),
            zmin=span[0],
            zmax=span[1],
            showscale=False,
            xgap=2,
            ygap=2,
            colorscale=[[0, theme.paper], [1, tint(theme, theme.better)]],
            text=text,
            texttemplate="" if many else "%{text}",
            textfont={"size": 13 if len(names) <= LARGE_TEXTS else 10, "color": theme.ink},
            hoverinfo="text",
            hovertext=hover,
        )
    )
    run_looks = looks(names, slots, theme)
    signs = [f'<span style="color:{look.color}">{look.sign}</span>' for look in run_looks]
    rows = [f"{escape(name)} {sign}" for name, sign in zip(short_names(names, NARROW_NAME), signs, strict=True)]
    top = [f"{sign} {escape(name)}" for name, sign in zip(short_names(names, 9), signs, strict=True)]
    fig.update_xaxes(tickvals=np.arange(len(names)), ticktext=top if len(names) <= MAX_LABELED else signs, side="top",
                     tickangle=0, showgrid=False, fixedrange=True, tickfont={"color": theme.ink})
    fig.update_yaxes(tickvals=np.arange(len(names)), ticktext=rows, range=[len(names) - 0.5, -0.5], showgrid=False,
                     fixedrange=True, tickfont={"size": 13, "color": theme.ink})
    return fig
