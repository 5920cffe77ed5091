"""The Queries page's picture: how each document moves between the rankings of the runs for one query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.text.quoted import cut_middle
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Theme,
    annotate,
    escape,
    figure,
    looks,
    spread_positions,
)

LABEL = 12  # characters of a line of a name next to its line: a longer one leaves a phone no room for the lines
MAX_LABELED = 12  # relevant documents with their names beside them
ON_TWO_LINES = 6  # relevant documents up to which a long name has two lines
LINE = 17  # pixels of a line of a name
FAINT = 400  # other documents that are drawn, best ranks first
DEEPER, NONE = "deeper", "not returned"


def bump(names: Sequence[str], slots: Sequence[int], docs: Sequence[str], ranks: np.ndarray, grades: np.ndarray, *,
         k: int, theme: Theme = LIGHT) -> go.Figure:
    """A line for each document through its rank in every run; relevant ones in color, judged ones too, others faint.

    ranks (D, N), NaN not returned; grades (D,), NaN unjudged; k: the ranks that are drawn one by one. Below them
    two lanes: returned deeper, and not returned at all.
    """
    ranks, grades = np.asarray(ranks, float), np.asarray(grades, float)
    fig = figure(theme, height=int(np.clip(120 + 22 * k, 260, 620)))
    gap = max(k / 14, 1.0)
    lanes = k + 1 + gap * np.array([0.5, 1.5])
    positions = np.where(np.isnan(ranks), lanes[1], np.where(ranks <= k, ranks, lanes[0]))
    judged, relevant = np.isfinite(grades), grades >= 1
    for rows, look in ((np.flatnonzero(~judged)[:FAINT], {"color": theme.muted, "opacity": 0.35, "name": "unjudged"}),
                       (np.flatnonzero(judged & ~relevant), {"color": theme.worse, "opacity": 0.8,
                                                             "name": "judged not relevant"})):
        if len(rows):
            fig.add_trace(_lines(rows, docs, ranks, positions, names, **look))
    for row in np.flatnonzero(relevant):
        fig.add_trace(_lines([row], docs, ranks, positions, names, color=theme.better, opacity=1,
                             name=f"relevant, grade {grades[row]:.0f}"))
    _labels(fig, np.flatnonzero(relevant)[:MAX_LABELED], docs, grades, positions, lanes[1], theme)
    run_looks = looks(names, slots, theme)
    fig.update_xaxes(tickvals=np.arange(len(names)), showgrid=False, side="top", range=[-0.25, len(names) - 0.75],
                     autotickangles=[0, 90],  # upright on a phone
                     ticktext=[f'<span style="color:{look.color}">{look.sign}</span> {escape(name)}'
                               for look, name in zip(run_looks, short_names(names, NARROW_NAME), strict=True)])
    ticks = sorted({1, *(rank for rank in (3, 5, 10, 20, 50, 100, 200, 500, 1000) if rank < k), k})
    fig.update_yaxes(tickvals=[*ticks, *lanes], ticktext=["Rank 1", *map(str, ticks[1:]), DEEPER, NONE],
                     range=[lanes[1] + gap / 2, 1 - gap / 2], showgrid=False)
    fig.add_shape(type="rect", xref="paper", x0=0, x1=1, y0=k + 1, y1=lanes[1] + gap / 2, layer="below",
                  line={"width": 0}, fillcolor=theme.grid, opacity=0.45)
    return fig


def _lines(rows: Sequence[int], docs: Sequence[str], ranks: np.ndarray, positions: np.ndarray, names: Sequence[str], *,
           color: str, opacity: float, name: str) -> go.Scatter:
    """Documents of one kind as one trace, a gap between them."""
    runs = positions.shape[1]
    x = np.tile(np.append(np.arange(runs, dtype=float), np.nan), len(rows))
    y = np.column_stack([positions[rows], np.full(len(rows), np.nan)]).ravel()
    rank_texts = [
        [NONE if np.isnan(rank) else f"rank {rank:.0f}" for rank in document_ranks] + [""]
        for document_ranks in ranks[rows]
    ]
    hover = np.array([[escape(docs[row]), *facts] for row, texts in zip(rows, rank_texts, strict=True)
                     for facts in zip([*map(escape, names), ""], texts, strict=True)], dtype=object)
    strong = opacity == 1
    return go.Scatter(x=x, y=y, customdata=hover, mode="lines+markers", name=name, opacity=opacity, cliponaxis=False,
                      line={"color": color, "width": 3 if strong else 1.2},
                      marker={"color": color, "size": 9 if strong else 5, "symbol": "diamond" if strong else "circle"},
                      hovertemplate="%{customdata[0]}<br>%{customdata[1]}: %{customdata[2]}<br>" + name
                                    + "<extra></extra>")


def _labels(fig: go.Figure, rows: Sequence[int], docs: Sequence[str], grades: np.ndarray, positions: np.ndarray,
            lowest: float, theme: Theme) -> None:
    """The relevant documents' names at the right ends of their lines, moved apart."""
    if not len(rows):
        return
    names = [_name_lines(docs[row], 2 if len(rows) <= ON_TWO_LINES else 1) for row in rows]
    share = LINE * max(map(len, names)) / max(fig.layout.height - 60, 1)
    heights = spread_positions(positions[rows, -1], share * lowest)
    texts = [[*lines[:-1], f"{lines[-1]} ({grades[row]:.0f})"] for lines, row in zip(names, rows, strict=True)]
    annotate(fig, [{"x": 1, "xref": "paper", "xanchor": "left", "xshift": 8, "y": float(height), "yref": "y",
                    "showarrow": False, "text": "<br>".join(map(escape, lines)), "align": "left",
                    "font": {"size": 12, "color": theme.better}}
                   for lines, height in zip(texts, heights, strict=True)])
    fig.update_layout(margin_r=16 + 7 * max(len(line) for lines in texts for line in lines))


def _name_lines(name: str, most: int) -> list[str]:
    """A name on one or two lines, cut in the middle where it is longer; split between words where it has them.

    >>> _name_lines("apollo-13-return", 2), _name_lines("apollo-13-return", 1)
    (['apollo-', '13-return'], ['apollo…eturn'])
    """
    name = cut_middle(name, LABEL * most, "…")
    if len(name) <= LABEL:
        return [name]
    ends = [end for end in range(len(name) - LABEL, LABEL + 1) if not name[end - 1].isalnum()]
    end = min(ends or [LABEL], key=lambda place: abs(place - len(name) / 2))
    return [name[:end], name[end:]]
