"""Pictures of variants: the effect of each setting, and all settings of all runs as parallel coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.analysis.variants import SettingEffect
from ragdash.analysis.variants.design import NOT_SET
from ragdash.analysis.variants.setting_groups import ordered_values
from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.forest import HEAD, difference_ticks, signed
from ragdash.reporting.plots.common.point_labels import label_points
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Axis,
    Theme,
    annotate,
    escape,
    figure,
    looks,
    shorten,
    tint,
    value_text,
)

ROW, AIR = 26, 0.7  # pixels of a row; rows of air above the name of a setting
NAME, LABEL = 24, 14  # characters
MOST_AXES, MOST_TICKS = 8, 12  # of parallel coordinates
ROOM = 40  # letters of titles that fit side by side above the axes of a phone
MOST_NAMES = 8  # of best compromises that are written next to their marks
ALPHA = 0.05
FAINTEST = 0.8  # share of gray in the line of the worst run: thin lines need as much contrast as marks


def effects(settings: Sequence[SettingEffect], *, axis: Axis, n: int, theme: Theme = LIGHT,
            withheld: bool = False) -> go.Figure:
    """A row for each value of each setting: how much better or worse it is than the average, with its interval.

    Filled: significant; withheld: none is, while the runs are not comparable. Right is better: the axis of a metric
    where lower is better runs backwards. A setting that cannot be separated from others keeps its rows and says so.
    """
    positions, names, headings, row = [], [], [], 0.0
    for setting in settings:
        headings.append((row, shorten(setting.title, 44)))
        row += 1
        for level, runs in zip(setting.levels, setting.runs, strict=True):
            positions.append(row)
            names.append(f"{shorten(level, NAME)} <span style='font-size:11px'>({runs})</span>")
            row += 1
        row += AIR
    fig = figure(theme, height=int(72 + ROW * max(row, 2)))
    effect, low, high, p = (np.concatenate([getattr(setting, name) for setting in settings])
                            for name in ("effect", "low", "high", "p"))
    hover = _effect_texts(settings, axis, n)
    p = np.ones_like(p) if withheld else p
    better = effect * (-1 if axis.better == "lower" else 1) > 0
    color = [theme.muted if not value < ALPHA else theme.better if good else theme.worse
             for value, good in zip(p, better, strict=True)]
    fig.add_trace(go.Scatter(
        x=effect, y=positions, mode="markers", hoverinfo="text", hovertext=hover,
        marker={"size": 10, "color": [shade if value < ALPHA else theme.paper for shade, value in
                                      zip(color, p, strict=True)],
                "opacity": 1, "line": {"width": 2, "color": color}},
        error_x={"array": high - effect, "arrayminus": effect - low, "color": theme.muted, "thickness": 1.6,
                 "width": 4}))
    annotate(fig, [{"x": 1, "xref": "paper", "y": position, "yref": "y", "xanchor": "left", "xshift": 8,
                    "text": text if text != "–" else "not separable", "showarrow": False, "font": {"size": 12}}
                   for position, text in zip(positions, signed(effect), strict=True)])
    annotate(fig, [{"x": 0, "xref": "paper", "y": position, "yref": "y", "text": f"<b>{title}</b>", "xanchor": "left",
                    "xshift": 4, "showarrow": False, "font": {"size": 13}, "bgcolor": theme.paper}
                   for position, title in headings])
    fig.add_vline(x=0, line={"color": theme.muted, "width": 1}, layer="below")
    fig.update_yaxes(tickvals=positions, ticktext=names, range=[row - 0.4, -HEAD / ROW], showgrid=False,
                     fixedrange=True, tickfont={"size": 12, "color": theme.ink})
    finite = np.concatenate([low, high, effect])
    reach = float(np.abs(finite[np.isfinite(finite)]).max(initial=0.01)) * 1.08
    ends = [reach, -reach] if axis.better == "lower" else [-reach, reach]
    ticks, labels = difference_ticks(ends)
    fig.update_xaxes(title_text=f"← worse · better →<br>{escape(axis.title)} against the average value of the setting",
                     tickvals=ticks, ticktext=labels, range=ends, tickangle=0)
    fig.update_layout(margin={"t": 8, "r": 92, "b": 62})
    return fig


def _effect_texts(settings: Sequence[SettingEffect], axis: Axis, n: int) -> list[str]:
    texts = []
    for setting in settings:
        shown = zip(setting.levels, setting.runs, value_text(setting.raw), signed(setting.effect), signed(setting.low),
                    signed(setting.high), setting.p, strict=True)
        for level, runs, raw, effect, low, high, p in shown:
            tested = f"{effect} [{low}, {high}], corrected p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}" \
                if not setting.inseparable else "changes together with other settings"
            texts.append(f"{escape(setting.title)}: {escape(level)}<br>{tested}<br>mean of its {runs} runs: "
                         f"{escape(axis.title)} {raw}<br>n = {query_count(n)}")
    return texts


def parallel(names: Sequence[str], settings: Sequence[Mapping[str, str]], shown: Sequence[str], mean: np.ndarray, *,
             axis: Axis, theme: Theme = LIGHT) -> go.Figure:
    """A line for each run across its settings to its mean; the better, the stronger its color.

    shown: settings, at most MOST_AXES are drawn. Drag along an axis to keep the runs of some values.
    """
    mean = np.asarray(mean, float)
    dimensions = [_dimension(name, [run.get(name, NOT_SET) for run in settings]) for name in shown[:MOST_AXES]]
    finite = mean[np.isfinite(mean)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    air = (high - low) * 0.04 or 0.01
    dimensions.append({"label": shorten(axis.title, LABEL), "values": np.where(np.isfinite(mean), mean, low - air),
                       "range": [high + air, low - air] if axis.better == "lower" else [low - air, high + air],
                       "tickformat": ".3~f"})
    first = max(map(len, dimensions[0].get("ticktext", [""])), default=0)  # characters at the left edge
    tilted = sum(len(dimension["label"]) for dimension in dimensions) > ROOM
    fig = figure(theme, height=420)
    fig.add_trace(go.Parcoords(
        dimensions=dimensions, labelfont={"size": 13, "color": theme.ink}, tickfont={"size": 11, "color": theme.ink},
        rangefont={"size": 1, "color": "rgba(0, 0, 0, 0)"},  # the ends of an axis of numbers would be on its title
        labelangle=-20 if tilted else 0, labelside="top",
        unselected={"line": {"color": theme.grid, "opacity": 0.3}},
        line={"color": mean, "colorscale": [[0, tint(theme, theme.gray, FAINTEST)], [1, theme.better]],
              "reversescale": axis.better == "lower", "cmin": low, "cmax": high, "showscale": False}))
    fig.update_layout(margin={"t": 72 if tilted else 56, "l": max(70, 20 + 7 * first), "r": 60, "b": 24})
    return fig


def _dimension(name: str, texts: Sequence[str]) -> dict:
    """An axis with a tick for each value; numbers of many values are on a scale of their own."""
    levels = ordered_values(set(texts))
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        numbers = None
    if numbers is not None and len(levels) > MOST_TICKS:
        return {"label": shorten(name, LABEL), "values": numbers}
    ticks = range(len(levels)) if len(levels) <= MOST_TICKS else ()
    return {"label": shorten(name, LABEL), "values": [levels.index(text) for text in texts], "tickvals": list(ticks),
            "ticktext": [shorten(levels[tick], LABEL) for tick in ticks], "range": [-0.3, len(levels) - 0.7]}


def compromises(names: Sequence[str], paid: np.ndarray, quality: np.ndarray, best: np.ndarray, *, axis: Axis,
                title: str, unit: str, slots: Sequence[int] = (), theme: Theme = LIGHT) -> go.Figure:
    """Quality against what is paid: the runs that no other run beats are large, with names where they are few.

    paid: (R,) means; quality: (3, R), mean, low and high; best: (R,) bool; slots: (R,), by which these runs have the
    symbols that they have elsewhere, also before their names; () for circles.
    """
    paid, quality, best = np.asarray(paid, float), np.asarray(quality, float), np.asarray(best, bool)
    fig = figure(theme, height=440)
    texts = value_text(quality)
    amounts = [f"${value:.4g}" if unit == "$" else f"{value:,.4g} {unit}" for value in paid]
    hover = [f"{escape(names[run])}<br>{escape(axis.title)} {texts[0][run]} [{texts[1][run]}, {texts[2][run]}]<br>"
             f"{escape(title)} {amounts[run]}<br>"
             + ("a best compromise" if best[run] else "another run is at least as good in everything")
             for run in range(len(names))]
    run_looks = looks(names, slots, theme) if slots else []
    for chosen, size, color in ((False, 7, theme.gray), (True, 12, theme.better)):
        rows = np.flatnonzero((best == chosen) & np.isfinite(paid) & np.isfinite(quality[0]))
        bars = {"array": quality[2][rows] - quality[0][rows], "arrayminus": quality[0][rows] - quality[1][rows],
                "color": theme.muted, "thickness": 1.2, "width": 3}
        fig.add_trace(go.Scatter(
            x=paid[rows], y=quality[0][rows], mode="markers", hoverinfo="text", hovertext=[hover[row] for row in rows],
            name="best" if chosen else "other", error_y=bars if chosen else None,
            marker={"size": size, "color": color, "opacity": 1 if chosen else 0.6,
                    "symbol": [run_looks[row].symbol for row in rows] if slots and chosen else "circle",
                    "line": {"width": 1, "color": theme.paper}}))
    highest = float(np.nanmax(paid)) if np.isfinite(paid).any() else 1.0
    x_range = [-0.02 * highest, 1.25 * highest or 1.0]
    y_range = _room(np.append(quality[:, best], quality[:1], axis=None))
    marks = np.column_stack([paid, quality[0]])
    labeled = [row for row in np.flatnonzero(best) if np.isfinite([paid[row], quality[0][row]]).all()]
    if len(labeled) <= MOST_NAMES:
        short = short_names(names, NARROW_NAME)  # as on the page, where the other runs have names too
        label_points(fig, marks[labeled], [short[row] for row in labeled], x_range, y_range, theme,
                     bars=np.column_stack([paid, paid, quality[1], quality[2]])[labeled],
                     marks=marks[np.isfinite(marks).all(axis=1)], ends=quality[1:].T[labeled],
                     signs=[(run_looks[row].sign, theme.better) for row in labeled] if slots else ())
    fig.update_xaxes(title_text=f"{escape(title)}{'' if unit == '$' else f' ({unit})'} · ← lower is better",
                     tickprefix="$" if unit == "$" else "", tickformat=",~g", nticks=7, range=x_range)
    arrow = {"higher": " · higher is better ↑", "lower": " · ↓ lower is better"}.get(axis.better or "", "")
    fig.update_yaxes(title_text=escape(axis.label) + arrow, tickformat=".3~f", range=y_range)
    return fig


def _room(values: np.ndarray) -> list[float]:
    """A range of an axis around these values, with a little room at both ends."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05
    return [low - room, high + room]
