"""The Failures page's pictures: the way from retrieval to a right answer with what it loses, and stages by slice.

Letters: M steps, N other runs, L slices, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.analysis.diagnosis import WaterfallStep
from ragdash.core.console import query_count
from ragdash.core.text.template import percent
from ragdash.reporting.plots.common.forest import signed
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Theme,
    escape,
    figure,
    looks,
    run_look,
    shorten,
    tint,
    wrap_title,
)

ROW, SLICE = 36, 30  # pixels of a step, and of a slice
START, ANSWERABLE = "Queries", "Answerable queries"  # that take the way; where those without an answer are apart


def waterfall(name: str, slot: int, steps: Sequence[WaterfallStep], *, lost_at: Sequence[str], separate: int = 0,
              other_runs: Sequence[tuple[str, int, Sequence[float]]] = (), theme: Theme = LIGHT) -> go.Figure:
    """A bar for each step: the queries of a run that come past it in the run's color, those it loses behind them.

    steps: those that could be assessed; the last `separate` of them have other queries and are drawn below, with a gap.
    lost_at: the stage of the queries that each step loses, the customdata of that part of its bar. other_runs: (name,
    slot, queries that pass each step, NaN where not assessed), drawn as symbols.
    """
    m = len(steps)
    positions = np.arange(m) + 1.0 + 0.5 * (np.arange(m) >= m - separate)
    path = [step for index, step in enumerate(steps) if index < m - separate]
    start = path[0].reached if path else 0
    passed = np.array([step.reached - step.lost for step in steps], float)
    losses = np.array([step.lost for step in steps], float)
    look = run_look(slot, theme, name)
    fig = figure(theme, height=int(64 + ROW * (m + 1 + 0.5 * bool(separate))))
    solid = {"marker": {"opacity": 1}}
    y, hover = (
        [0.0, *positions] if path else list(positions),
        [*([query_count(start)] if path else []), *map(_hover_text, steps)],
    )
    fig.add_trace(go.Bar(
        x=[start, *passed] if path else passed, y=y, orientation="h", width=0.66, name=look.name, hoverinfo="text",
        hovertext=[f"{look.name}<br>{text}" for text in hover], marker={"color": look.color}, unselected=solid,
        cliponaxis=False))
    fig.add_trace(go.Bar(
        x=losses, y=positions, base=passed, orientation="h", width=0.66, name="lost", hoverinfo="text",
        customdata=list(lost_at), hovertext=[f"{look.name}<br>{text}<br>click: these queries" for text in hover[-m:]],
        marker={"color": theme.worse, "pattern": {"shape": "/", "fillmode": "overlay", "fgcolor": theme.paper,
                                                  "size": 6, "solidity": 0.2}},
        unselected=solid, cliponaxis=False))
    _numbers(fig, y, [start, *passed] if path else passed, [0.0, *losses] if path else losses, theme)
    shifts = 0.28 * (np.arange(len(other_runs)) - (len(other_runs) - 1) / 2)  # equal counts are not on each other
    for other_look, shift, (other_name, _, counts) in zip(
        looks([run[0] for run in other_runs], [run[1] for run in other_runs], theme), shifts, other_runs, strict=True
    ):
        fig.add_trace(go.Scatter(
            x=np.asarray(counts, float), y=positions + shift, mode="markers", name=other_look.name,
            marker={**other_look.marker(8), "line": {"width": 1.5, "color": LIGHT.ink}},  # dark on bars of any theme
            hoverinfo="text", unselected=solid, cliponaxis=False,
            hovertext=[f"{escape(other_name)}<br>{escape(step.title)}: {value:,.0f}" for step, value in zip(
                steps, np.nan_to_num(counts), strict=True)]))
    fig.update_layout(barmode="overlay", margin={"r": 70})
    fig.update_xaxes(title_text="Queries", rangemode="tozero", fixedrange=True, tickformat=",d")
    fig.update_yaxes(
        tickvals=y,
        ticktext=[*([ANSWERABLE if separate else START] if path else []), *(wrap_title(step.title) for step in steps)],
        range=[(positions[-1] if m else 0) + 0.6, (0 if path else 1) - 0.6],
        showgrid=False,
        fixedrange=True,
        tickfont={"size": 13, "color": theme.ink},
        ticklabelstandoff=6,
    )
    return fig


def _hover_text(step: WaterfallStep) -> str:
    lines = [f"{escape(step.title)}: {step.reached - step.lost:,} of {step.reached:,}", f"{step.lost:,} lost"]
    return "<br>".join([*lines, *([f"{step.unknown:,} of them cannot be assessed"] if step.unknown else [])])


def _numbers(fig: go.Figure, positions: Sequence[float], passed: Sequence[float], losses: Sequence[float],
             theme: Theme) -> None:
    """How many pass each step, and how many it loses, at the right end."""
    anchor = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 6, "yref": "y", "showarrow": False,
            "font": {"size": 13, "color": theme.ink}}
    minus = [f' <span style="color:{theme.worse}">−{loss:,.0f}</span>' if loss else "" for loss in losses]
    fig.update_layout(annotations=[{**anchor, "y": float(position), "text": f"{count:,.0f}{loss_text}"}
                                   for position, count, loss_text in zip(positions, passed, minus, strict=True)])


def by_slice(slices: Sequence[str], stages: Sequence[str], counts: np.ndarray, sizes: np.ndarray, *,
             unshaded: str = "", theme: Theme = LIGHT) -> go.Figure:
    """A cell for each slice and stage: the number of queries, shaded by their share of the slice.

    counts (L, S); sizes (L,): queries of each slice, above 0; unshaded: a stage that is no failure.
    """
    counts, sizes = np.asarray(counts), np.asarray(sizes)
    shares = counts / np.maximum(sizes, 1)[:, None]
    shade = np.where(np.array(stages) == unshaded, 0, shares)
    top = max(float(shade.max(initial=0)), 1e-9)
    fig = figure(theme, height=112 + SLICE * max(len(slices), 1))
    fig.add_trace(go.Heatmap(
        z=shade, x=np.arange(len(stages)), y=np.arange(len(slices)), zmin=0, zmax=top, showscale=False, xgap=2, ygap=2,
        colorscale=[[0, theme.paper], [1, tint(theme, theme.worse)]], hoverinfo="text", texttemplate="%{text}",
        textfont={"size": 13, "color": theme.ink},
        text=[[f"{count:,}" if count else "·" for count in row] for row in counts.tolist()],
        hovertext=[[f"{escape(row)}<br>{escape(column)}: {counts[i, j]:,} of {sizes[i]:,} ({percent(shares[i, j])})"
                    for j, column in enumerate(stages)] for i, row in enumerate(slices)]))
    fig.update_xaxes(tickvals=np.arange(len(stages)), ticktext=[wrap_title(stage) for stage in stages], side="top",
                     showgrid=False, fixedrange=True, tickfont={"color": theme.ink}, autotickangles=[0, 90])
    fig.update_yaxes(
        tickvals=np.arange(len(slices)),
        ticktext=[shorten(slice_name, 24) for slice_name in slices],
        showgrid=False,
        range=[len(slices) - 0.5, -0.5],
        fixedrange=True,
        tickfont={"size": 13, "color": theme.ink},
    )
    return fig


MANY_MARKS = 1_000  # from here on marks are drawn by the graphics card


def map_by_group(places: np.ndarray, hover: Sequence[str], groups: np.ndarray, names: Sequence[str], *,
                 colors: Sequence[str], symbols: Sequence[str], axes: tuple[str, str] = ("", ""),
                 theme: Theme = LIGHT) -> go.Figure:
    """A mark for each query at its place on a map, colored by group.

    places (Q, 2), NaN: not on the map; hover (Q,): texts; groups (Q,): index of a name, -1 for none; names, colors,
    symbols (G,): drawn in this order, later ones above. customdata: the index of the query.
    """
    fig = _map(axes, theme)
    shown = ~np.isnan(places[:, 0])
    for group, (name, color, symbol) in enumerate(zip(names, colors, symbols, strict=True)):
        rows = np.flatnonzero(shown & (groups == group))
        if len(rows):
            fig.add_trace(_marks(places, rows, hover, int(shown.sum()), f"{escape(name)} ({len(rows):,})",
                                 {"color": color, "symbol": symbol, "line": {"width": 1, "color": theme.paper}}))
    fig.update_layout(showlegend=True)
    return fig


def map_by_value(places: np.ndarray, hover: Sequence[str], values: np.ndarray, title: str, *,
                 limits: tuple[float, float], scale: Sequence[str], words: tuple[str, str] | None = None,
                 axes: tuple[str, str] = ("", ""), theme: Theme = LIGHT) -> go.Figure:
    """The same, colored by a value (Q,) on a scale of colors between two limits; undefined ones are hollow.

    words: what the ends of a scale of differences mean; 0 is in its middle.
    """
    fig = _map(axes, theme)
    shown = ~np.isnan(places[:, 0])
    total = int(shown.sum())
    missing, rows = np.flatnonzero(shown & np.isnan(values)), np.flatnonzero(shown & ~np.isnan(values))
    if len(missing):
        fig.add_trace(_marks(places, missing, hover, total, f"undefined ({len(missing):,})",
                             {"color": theme.gray, "symbol": "circle-open"}))
        fig.update_layout(showlegend=True)
    fig.add_trace(_marks(places, rows, hover, total, f"{len(rows):,} with a value", {
        "color": values[rows], "cmin": limits[0], "cmax": limits[1], "colorscale": list(scale), "showscale": True,
        "line": {"width": 1, "color": theme.muted},
        "colorbar": {"title": {"text": escape(title), "side": "right"}, "thickness": 12, "outlinewidth": 0,
                     **(_signed_ticks(limits, words) if words else {})}}))
    return fig


def _signed_ticks(limits: tuple[float, float], words: tuple[str, str]) -> dict:
    """Ticks of a scale of differences, with what its ends mean."""
    low, high = limits
    values = [low, low / 2, 0.0, high / 2, high]
    texts = signed(np.array(values))
    return {"tickvals": values, "ticktext": [f"{texts[0]}<br>{words[0]}", *texts[1:4], f"{texts[4]}<br>{words[1]}"]}


def _map(axes: tuple[str, str], theme: Theme) -> go.Figure:
    fig = figure(theme, height=520)
    # the legend is below, so that the buttons above the picture do not cover it
    fig.update_layout(dragmode="lasso", hovermode="closest", margin_t=36,
                      legend={"yref": "container", "y": 0, "yanchor": "bottom"})
    fig.update_xaxes(title_text=escape(axes[0]), title_standoff=4, showticklabels=False, ticks="")
    fig.update_yaxes(title_text=escape(axes[1]), showticklabels=False, ticks="")
    return fig


def _marks(places: np.ndarray, rows: np.ndarray, hover: Sequence[str], total: int, name: str,
           marker: dict) -> go.Scatter | go.Scattergl:
    kind = go.Scattergl if total > MANY_MARKS else go.Scatter
    size = 9 if total <= 300 else 7 if total <= MANY_MARKS else 5
    return kind(x=places[rows, 0], y=places[rows, 1], mode="markers", name=name, customdata=rows, hoverinfo="text",
                hovertext=[hover[row] for row in rows.tolist()], marker={**marker, "size": size},
                unselected={"marker": {"opacity": 0.5}})
