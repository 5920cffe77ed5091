"""The Compare page's pictures: how the queries' differences to the baseline are spread, and query against query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.forest import (
    difference_axis_title,
    difference_range,
    difference_ticks,
    sides_note,
    signed,
)
from ragdash.reporting.plots.common.theme import LIGHT, Axis, Look, Theme, annotate, escape, figure, looks, shorten
from ragdash.reporting.plots.ranking import per_query

POINTS, PANEL_POINTS = 500, 250  # most steps of a sorted area: alone, and with many panels
FEW_PANELS = 3
HEADING, BELOW = 50, 62  # pixels above each panel, and under the last one
CUT = 3.0  # a bar of equal queries that is higher than every other bar by this factor is cut, and says so
TIE = 5e-13  # a difference no further from zero is rounding
OUTCOME_LABELS = {"higher": ("better", "worse"), "lower": ("better", "worse"), None: ("higher", "lower")}


@dataclass(frozen=True)
class OutcomeCounts:
    """How many queries gain, stay equal, lose and are undefined on a side; better None counts higher and lower."""

    better: int
    equal: int
    worse: int
    undefined: int
    labels: tuple[str, str] = ("better", "worse")

    @property
    def n(self) -> int:
        """Queries with a difference."""
        return self.better + self.equal + self.worse

    def summary(self) -> str:
        """The counts as a line of words and signs."""
        return f"▲ {self.better:,} {self.labels[0]} · {self.equal:,} equal · ▼ {self.worse:,} {self.labels[1]}"

    def undefined_note(self) -> str:
        """The undefined queries, as words that follow others; nothing where there are none."""
        return f" · {self.undefined:,} undefined" if self.undefined else ""


def count_outcomes(difference: np.ndarray, better: str | None, tolerance: float = TIE) -> OutcomeCounts:
    """Wins, ties and losses of candidate minus baseline, (Q,); NaN is undefined.

    Equal: not further from zero than tolerance. Where lower is better, a negative difference is a win.
    """
    gain = _oriented(difference, better)
    return OutcomeCounts(int((gain > tolerance).sum()), int((np.abs(gain) <= tolerance).sum()),
                   int((gain < -tolerance).sum()), int(np.isnan(gain).sum()), OUTCOME_LABELS[better])


def differences(names: Sequence[str], slots: Sequence[int], values: Sequence[np.ndarray], *, axis: Axis,
                baseline: str, labels: Sequence[str] | None = None, tolerance: float = TIE,
                theme: Theme = LIGHT) -> go.Figure:
    """Each candidate's differences to the baseline, sorted from the greatest gain to the greatest loss.

    values: one (Q,) for each candidate, candidate minus baseline, NaN where a side is undefined (left out and
    counted in words). A panel for each candidate on shared axes; the two areas stop where queries are equal. Up is
    better: the axis of a metric where lower is better runs backwards. labels: (Q,) query ids for the hover text.
    """
    fig = figure(theme)
    run_looks, counts = (
        looks(names, slots, theme),
        [count_outcomes(run_values, axis.better, tolerance) for run_values in values],
    )
    *headings, base = short_names([*names, baseline], NARROW_NAME)
    _panels(fig, headings, run_looks, counts, theme)
    points = POINTS if len(run_looks) <= FEW_PANELS else PANEL_POINTS
    for panel, (look, run_values, count) in enumerate(zip(run_looks, values, counts, strict=True)):
        for side in (0, 1):
            fig.add_trace(
                _area(panel, look, np.asarray(run_values, dtype=float), count, side, points, axis, labels, theme)
            )
    largest = max([count.n for count in counts], default=0)
    pooled = (
        np.concatenate([np.asarray(run_values, dtype=float) for run_values in values]) if len(values) else np.empty(0)
    )
    fig.update_xaxes(title_text=f"Queries, greatest gain first<br>{shorten(axis.label, 20)}, difference to "
                                f"{escape(base)}", range=[-0.01 * max(largest, 1), 1.01 * max(largest, 1)],
                     tickformat=",d", nticks=8, showgrid=False)
    span = difference_range(pooled, axis.better)
    ticks, text = difference_ticks(span, 4 if len(values) <= FEW_PANELS else 3)
    fig.update_yaxes(range=span, tickvals=ticks, ticktext=text, zeroline=True,
                     zerolinecolor=theme.muted, zerolinewidth=1)
    fig.update_layout(hovermode="x")
    return fig


def histogram(names: Sequence[str], slots: Sequence[int], values: Sequence[np.ndarray], *, axis: Axis,
              baseline: str, tolerance: float = TIE, theme: Theme = LIGHT) -> go.Figure:
    """How many queries differ from the baseline by how much: a panel for each candidate on shared axes.

    values: one (Q,) for each candidate, candidate minus baseline, NaN left out and counted in words. Bins are
    around zero; the middle one holds equal queries and small gains and losses, stacked. A bar of equal queries that
    would flatten all others is cut and bears its number. Right is better, as in the forest plot.
    """
    fig = figure(theme)
    run_looks, counts = (
        looks(names, slots, theme),
        [count_outcomes(run_values, axis.better, tolerance) for run_values in values],
    )
    *headings, base = short_names([*names, baseline], NARROW_NAME)
    _panels(fig, headings, run_looks, counts, theme)
    pooled = (
        np.concatenate([np.asarray(run_values, dtype=float) for run_values in values]) if len(values) else np.empty(0)
    )
    width = bin_width(pooled, max([count.n for count in counts], default=0))
    heights = [_bins(np.asarray(run_values, dtype=float), width, tolerance) for run_values in values]
    for panel, (look, count, (positions, stacks)) in enumerate(zip(run_looks, counts, heights, strict=True)):
        for row, name in enumerate(("down", "equal", "up")):
            fig.add_trace(_bars(panel, look, positions, stacks[row], width, name, count, axis, theme))
    top = _top([stacks for _, stacks in heights])
    fig.update_layout(barmode="stack")
    _cut_notes(fig, [stacks for _, stacks in heights], top, width if axis.better != "lower" else -width, theme)
    reach = float(np.max(np.abs(pooled[np.isfinite(pooled)]), initial=0.0)) + 0.6 * width
    span = [-reach, reach] if axis.better != "lower" else [reach, -reach]
    ticks, text = difference_ticks(span)
    fig.update_xaxes(title_text=difference_axis_title(axis, base, "Queries by difference"), range=span,
                     tickvals=ticks, ticktext=text, tickangle=0, showgrid=False)
    annotate(fig, [note | {"yref": "paper"} for note in sides_note(axis, 0, theme)])
    fig.update_yaxes(range=[0, top * 1.08], tickformat=",d", nticks=4)
    return fig


def scatter(baseline: str, name: str, x: np.ndarray, y: np.ndarray, *, axis: Axis,
            labels: Sequence[str] | None = None, slots: tuple[int, int] = (0, 1), tolerance: float = TIE,
            theme: Theme = LIGHT) -> go.Figure:
    """Each query once: its value in the baseline (across) against its value in the candidate (up).

    x, y: (Q,), queries undefined on a side are left out and counted in words. Each side of the diagonal says what it
    means and how many queries are there. Equal points are one larger mark; many are a 2-D histogram.
    """
    fig = per_query(baseline, name, x, y, axis=axis, labels=labels, slots=slots, theme=theme)
    count = count_outcomes(np.asarray(y, dtype=float) - np.asarray(x, dtype=float), axis.better, tolerance)
    above_text, below_text = f"▲ {count.better:,} {count.labels[0]}", f"▼ {count.worse:,} {count.labels[1]}"
    if axis.better == "lower":
        above_text, below_text = below_text, above_text
    text = f"Above the line {above_text}<br>Below {below_text} · {count.equal:,} equal{count.undefined_note()}"
    fig.add_annotation(x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=4, text=text,
                       showarrow=False, align="left", font={"size": 12, "color": theme.ink})
    fig.update_layout(margin_t=48)
    return fig


def bin_width(values: np.ndarray, n: int) -> float:
    """A round width (1, 2 or 5 times a power of ten) that gives at most 10 bins a side, 20 from 200 queries on."""
    finite = np.abs(values[np.isfinite(values)])
    reach = float(finite.max(initial=0.0))
    if reach == 0:
        return 0.1
    minimum = reach / (10 if n < 200 else 20)
    power = 10.0 ** np.floor(np.log10(minimum))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= minimum * (1 - 1e-9)))


def _oriented(difference: np.ndarray, better: str | None) -> np.ndarray:
    return np.asarray(difference, dtype=float) * (-1 if better == "lower" else 1)


def _panels(fig: go.Figure, names: Sequence[str], run_looks: Sequence[Look], counts: Sequence[OutcomeCounts],
            theme: Theme) -> None:
    """A y axis for each candidate over one x axis, each with its name and its counts in words above it."""
    panels = max(len(run_looks), 1)
    panel = 260 if panels == 1 else 132 if panels <= FEW_PANELS else 84
    room = panels * (panel + HEADING)
    notes, axes = [], {}
    for index, (name, look, count) in enumerate(zip(names, run_looks, counts, strict=True)):
        bottom = 1 - (index + 1) * (panel + HEADING) / room
        key = "" if index == 0 else str(index + 1)
        axes[f"yaxis{key}"] = {"domain": [max(bottom, 0.0), bottom + panel / room], "anchor": "x"}
        notes.append(
            {
                "x": 0,
                "xref": "paper",
                "y": 1,
                "yref": f"y{key} domain",
                "xanchor": "left",
                "yanchor": "bottom",
                "yshift": 3,
                "showarrow": False,
                "align": "left",
                "font": {"size": 12, "color": theme.ink},
                "text": f'<span style="color:{look.color}">{look.sign}</span> <b>{escape(name)}</b>'
                f"{count.undefined_note()}<br>{count.summary()}",
            }
        )
    last = "y" if panels == 1 else f"y{panels}"
    fig.update_layout(annotations=notes, height=room + BELOW + 8, margin={"t": 8, "b": BELOW}, xaxis={"anchor": last},
                      **axes)


def _area(panel: int, look: Look, values: np.ndarray, count: OutcomeCounts, side: int, points: int, axis: Axis,
          labels: Sequence[str] | None, theme: Theme) -> go.Scatter:
    """The gains (side 0) or the losses (side 1) of one candidate as a stepped area over their places."""
    defined = np.flatnonzero(np.isfinite(values))
    gain = _oriented(values[defined], axis.better)
    order = defined[np.argsort(-gain, kind="stable")]
    start, length = (0, count.better) if side == 0 else (count.better + count.equal, count.worse)
    positions = start + np.unique(np.linspace(0, max(length - 1, 0), min(length, points)).round().astype(int))
    rows = order[positions]
    hover = [f"{position + 1:,} of {count.n:,}" + (f", query {escape(str(labels[row]))}" if labels is not None else "")
            for position, row in zip(positions, rows, strict=True)]
    color = (theme.better, theme.worse)[side] if axis.better else look.color
    ends = ([start, *(positions + 0.5), start + length], [rows[0], *rows, rows[-1]]) if length else ([], [])
    return go.Scatter(
        x=np.array(ends[0], dtype=float),
        y=values[np.array(ends[1], dtype=int)],
        xaxis="x",
        yaxis=_y(panel),
        mode="lines",
        line={"color": color, "width": 1.2, "shape": "hvh"},
        fill="tozeroy",
        fillcolor=_faint(color, 0.35),
        name=look.name,
        showlegend=False,  # the color says better or worse; each panel names its run
        customdata=np.array(hover[:1] + hover + hover[-1:], dtype=object),
        hovertemplate="%{fullData.name}<br>%{customdata}<br>difference %{y:+.3f}<extra></extra>",
    )


def _bins(values: np.ndarray, width: float, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the bins (C,), and how many values below, at and above zero each holds (3, C)."""
    values = values[np.isfinite(values)]
    bins = (np.sign(values) * np.floor(np.abs(values) / width + 0.5 + 1e-9)).astype(int)
    reach = int(np.abs(bins).max(initial=0))
    stacks = np.stack([np.bincount(bins[mask] + reach, minlength=2 * reach + 1) for mask in
                       (values < -tolerance, np.abs(values) <= tolerance, values > tolerance)])
    return np.arange(-reach, reach + 1) * width, stacks


def _bars(
    panel: int,
    look: Look,
    positions: np.ndarray,
    counts: np.ndarray,
    width: float,
    name: str,
    count: OutcomeCounts,
    axis: Axis,
    theme: Theme,
) -> go.Bar:
    """The bars of one outcome in one panel; empty bins are not drawn."""
    filled = counts > 0
    good, bad = (theme.better, theme.worse) if axis.better else (look.color, look.color)
    colors = {"up": good, "down": bad, "equal": theme.gray}
    words = {"up": count.labels[0], "down": count.labels[1], "equal": "equal"}
    if axis.better == "lower":
        colors["up"], colors["down"], words["up"], words["down"] = bad, good, words["down"], words["up"]
    low, high = signed(positions[filled] - width / 2), signed(positions[filled] + width / 2)
    hover = [f"{look.name}<br>{words[name]}: {queries:,} of {query_count(count.n)}" + (
        "" if name == "equal" else f"<br>difference {lower} to {upper}")
        for queries, lower, upper in zip(counts[filled], low, high, strict=True)]
    return go.Bar(
        x=positions[filled],
        y=counts[filled],
        width=0.9 * width,
        xaxis="x",
        yaxis=_y(panel),
        name=words[name],
        marker={"color": colors[name], "line": {"width": 0}},
        hoverinfo="text",
        hovertext=hover,
        textposition="none",
    )


def _top(stacks: Sequence[np.ndarray]) -> float:
    """The height of the y axis: the highest bar, unless equal queries alone would flatten the rest."""
    highest = max([int(stack.sum(axis=0).max(initial=0)) for stack in stacks], default=0)
    other_bars = max(
        [int(np.delete(stack.sum(axis=0), stack.shape[1] // 2).max(initial=0)) for stack in stacks], default=0
    )
    return float(2 * other_bars if other_bars and highest > CUT * other_bars else max(highest, 1))


def _cut_notes(fig: go.Figure, stacks: Sequence[np.ndarray], top: float, width: float, theme: Theme) -> None:
    """The height of each bar that is cut, beside its head; width: a bin's, negative where the axis runs backwards."""
    for panel, stack in enumerate(stacks):
        height = int(stack.sum(axis=0).max(initial=0))
        if height > top * 1.08:
            fig.add_annotation(x=width / 2, y=1, xref="x", yref=f"{_y(panel)} domain", xanchor="left", yanchor="top",
                               showarrow=False, text=f"↑ {height:,}, bar cut", font={"size": 12, "color": theme.muted})


def _faint(color: str, opacity: float) -> str:
    red, green, blue = (int(color[offset:offset + 2], 16) for offset in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def _y(panel: int) -> str:
    return "y" if panel == 0 else f"y{panel + 1}"
