"""The forest plot: differences to a baseline with their intervals, grouped by metric or by slice."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    Axis,
    Look,
    Theme,
    escape,
    figure,
    looks,
    shorten,
    value_text,
    wrap_title,
)

SIGNS = {"better": "▲", "worse": "▼", "equivalent": "≈"}
SIDES = {"higher": "← worse · better →", "lower": "← worse (higher) · better (lower) →"}
SIDES_BELOW = 22  # pixels from the axis, where the numbers of its ticks end
ROW, DENSE, GAP, BELOW = 28, 21, 84, 62  # pixels: a row, a row among many, between two scales, under the last one
TALL, LONG = 38, 22  # pixels of a row with a name on two lines, which longer ones take
AIR = 0.4  # rows of air above a heading
HEAD = 9  # pixels of half a heading: no line reaches above the first one
MANY_ROWS = 36


def forest(names: Sequence[str], slots: Sequence[int], difference: np.ndarray, low: np.ndarray, high: np.ndarray,
           mark: Sequence[Sequence[str]], *, axes: Sequence[Axis], n: np.ndarray, baseline: str,
           groups: Sequence[str] | None = None, p: np.ndarray | None = None, theme: Theme = LIGHT) -> go.Figure:
    """A row for each candidate in each group: the difference to the baseline as a symbol, its interval as a bar.

    difference, low, high, n, p: (N, G), candidate minus baseline in the metric's own sign; NaN where undefined (such
    a row stays and says so). mark: (N, G) words, "better", "worse", "equivalent" or anything else for undecided:
    better and worse fill the symbol and put ▲ or ▼ beside the number, the rest is hollow. p: corrected. axes: one for
    each group; groups: their titles, the axes' labels where None (for slices: the slices' names, and the metric's axis
    for each).

    Right is better on every scale: the axis of a metric where lower is better runs backwards. Groups of one scale
    are together, in the order given. A single candidate gets one row for each group, without headings.
    """
    arrays = [np.asarray(array, dtype=float) for array in (difference, low, high, np.asarray(n))]
    titles = [axis.label for axis in axes] if groups is None else list(groups)
    blocks = _blocks(axes)
    rows = [_rows(block, len(names)) for block in blocks]
    step = ROW if sum(map(len, rows)) <= MANY_ROWS else DENSE
    step = TALL if len(names) == 1 and any(len(title) > LONG for title in titles) else step
    tall = [(_row_positions(block_rows)[-1] + 1) * step for block_rows in rows]
    room = max(sum(tall) + GAP * (len(blocks) - 1), ROW)
    fig = figure(theme, height=room + 8 + BELOW)
    hover = _hover_texts(arrays, mark, axes, p)
    run_looks, notes, sides, top = looks(names, slots, theme), [], [], 0.0
    for scale, (block, block_rows) in enumerate(zip(blocks, rows, strict=True)):
        _scale(fig, scale, [1 - (top + tall[scale]) / room, 1 - top / room], axes[block[0]], arrays, block,
               short_names([*names, baseline], PAGE_NAME)[-1])
        _labels(fig, scale, block_rows, titles, run_looks, step)
        for run, look in enumerate(run_looks):
            fig.add_trace(_marks(scale, block_rows, run, look, arrays, mark, titles, hover, theme))
        sides += sides_note(axes[block[0]], scale, theme)
        notes += _notes(scale, block_rows, titles, arrays[0], mark, len(names), theme)
        top += tall[scale] + GAP
    fig.update_layout(annotations=[*notes, *sides], margin={"t": 8, "b": BELOW, "r": 84})
    return fig


def signed(values: np.ndarray, decimals: int = 3) -> np.ndarray:
    """Differences as people read them, with their sign; a dash where undefined. Any shape; strings in that shape."""
    values = np.asarray(values, dtype=float)
    text = value_text(values, decimals)
    return np.where(values > 0, "+" + text, text)


def difference_axis_title(axis: Axis, baseline: str, noun: str = "Difference") -> str:
    """The title of an axis of differences, below the line that `sides_note` writes."""
    unit = f" ({escape(axis.unit)})" if axis.unit else ""
    return f"{'<br>' if axis.better in SIDES else ''}{noun} to {shorten(baseline, PAGE_NAME)}{unit}"


def sides_note(axis: Axis, scale: int, theme: Theme) -> list[dict]:
    """What the two sides of zero mean, below the axis and centered at zero; right is better. None without a better end.
    """
    if axis.better not in SIDES:
        return []
    return [{"text": SIDES[axis.better], "x": 0, "xref": _axis("x", scale), "y": 0,
             "yref": f"{_axis('y', scale)} domain", "xanchor": "center", "yanchor": "top", "yshift": -SIDES_BELOW,
             "showarrow": False, "font": {"size": 12, "color": theme.muted}}]


def _blocks(axes: Sequence[Axis]) -> list[list[int]]:
    """Groups that can share a scale: bounded and at most 2 wide, or of one unit, or of one title; and one direction."""
    blocks: dict[tuple, list[int]] = {}
    for index, axis in enumerate(axes):
        narrow = None not in (axis.low, axis.high) and axis.high - axis.low <= 2 and not axis.unit
        blocks.setdefault(("" if narrow else axis.unit or axis.title, axis.better), []).append(index)
    return list(blocks.values())


def _rows(block: Sequence[int], runs: int) -> list[tuple[int, int]]:
    """(group, run) from top to bottom; run -1 is the heading of a group."""
    if runs == 1:
        return [(group, 0) for group in block]
    return [(group, run) for group in block for run in range(-1, runs)]


def _row_positions(rows: Sequence[tuple[int, int]]) -> np.ndarray:
    """The position of each row, from 0 down; a heading has some air above it."""
    heading = np.array([run < 0 for _, run in rows], dtype=float)
    return np.arange(len(rows)) + AIR * np.maximum(np.cumsum(heading) - 1, 0)


def _hover_texts(arrays: Sequence[np.ndarray], mark: Sequence[Sequence[str]], axes: Sequence[Axis],
          p: np.ndarray | None) -> np.ndarray:
    """The hover text of each row without its names: (N, G)."""
    text = np.empty(arrays[0].shape, dtype=object)
    texts = [signed(array) for array in arrays[:3]]
    for run, group in np.ndindex(text.shape):
        interval = f"[{texts[1][run, group]}, {texts[2][run, group]}]"
        defined = np.isfinite(arrays[0][run, group])
        lines = [f"difference {texts[0][run, group]} {interval}" if defined else "difference undefined",
                 f"n = {query_count(int(np.nan_to_num(arrays[3][run, group])))}"]
        if p is not None and np.isfinite(p[run][group]):
            lines.insert(1, "corrected " + ("p < 0.001" if p[run][group] < 0.001 else f"p = {p[run][group]:.3f}"))
        if defined:
            lines.append(escape(mark[run][group] or "undecided"))
        if axes[group].better == "lower":
            lines.append("lower is better")
        text[run, group] = "<br>".join(lines)
    return text


def _marks(scale: int, rows: Sequence[tuple[int, int]], run: int, look: Look, arrays: Sequence[np.ndarray],
           mark: Sequence[Sequence[str]], titles: Sequence[str], hover: np.ndarray, theme: Theme) -> go.Scatter:
    """One candidate's symbols and bars on one scale."""
    run_rows = [row for row, (_, owner) in enumerate(rows) if owner == run]
    positions, group = _row_positions(rows)[run_rows], [rows[row][0] for row in run_rows]
    middle, low, high = (array[run, group] for array in arrays[:3])
    decided = [mark[run][index] in ("better", "worse") for index in group]
    return go.Scatter(
        x=middle,
        y=positions,
        xaxis=_axis("x", scale),
        yaxis=_axis("y", scale),
        mode="markers",
        name=look.name,
        marker={
            "color": [look.color if filled else theme.paper for filled in decided],
            "symbol": look.symbol,
            "size": 10,
            "opacity": 1,
            "line": {"width": 2, "color": look.color},
        },
        error_x={"array": high - middle, "arrayminus": middle - low, "color": look.color, "thickness": 2, "width": 4},
        hoverinfo="text",
        hovertext=[f"{look.name}<br>{escape(titles[index])}<br>{hover[run, index]}" for index in group],
    )


def _notes(scale: int, rows: Sequence[tuple[int, int]], titles: Sequence[str], difference: np.ndarray,
           mark: Sequence[Sequence[str]], runs: int, theme: Theme) -> list[dict]:
    """Headings of the groups, and each difference as a number with its sign at the right end."""
    colors = {"better": theme.better, "worse": theme.worse}
    notes = []
    for row, (group, run) in zip(_row_positions(rows), rows, strict=True):
        position = {"xref": "paper", "yref": _axis("y", scale), "y": row, "xanchor": "left", "showarrow": False}
        if run < 0:
            notes.append({**position, "x": 0, "xshift": 2, "text": f"<b>{shorten(titles[group], 28)}</b>",
                          "font": {"size": 13, "color": theme.ink}, "bgcolor": theme.paper})
            continue
        word = mark[run][group]
        sign = f' <span style="color:{colors.get(word, theme.muted)}">{SIGNS[word]}</span>' if word in SIGNS else ""
        defined = np.isfinite(difference[run, group])
        text = f"{signed(difference[run, group])}{sign}" if defined else "undefined"
        notes.append({**position, "x": 1, "xshift": 8, "text": text, "font": {"size": 13 if runs == 1 else 12}})
    return notes


def _labels(
    fig: go.Figure,
    scale: int,
    rows: Sequence[tuple[int, int]],
    titles: Sequence[str],
    run_looks: Sequence[Look],
    step: int,
) -> None:
    """Names beside the rows with their symbol; the groups' titles where there is one candidate only."""
    positions = _row_positions(rows)
    visible = [(row, group, run) for row, (group, run) in zip(positions, rows, strict=True) if run >= 0]
    names = short_names([html.unescape(look.name) for look in run_looks], NARROW_NAME)
    text = [
        wrap_title(titles[group], LONG) if len(run_looks) == 1 else _signed_name(names[run], run_looks[run])
        for _, group, run in visible
    ]
    fig.update_layout({_axis("yaxis", scale): {
        "tickvals": [row for row, _, _ in visible], "ticktext": text,
        "range": [positions[-1] + 0.5, -HEAD / step if rows[0][1] < 0 else -0.5],
        "showgrid": False, "fixedrange": True, "tickfont": {"size": 13 if step >= ROW else 12}}})


def _signed_name(name: str, look: Look) -> str:
    return f'{escape(name)} <span style="color:{look.color}">{look.sign}</span>'


def _scale(fig: go.Figure, scale: int, domain: Sequence[float], axis: Axis, arrays: Sequence[np.ndarray],
           block: Sequence[int], baseline: str) -> None:
    """The two axes of one block: zero is always on the scale, and marked."""
    values = np.concatenate([array[:, block].ravel() for array in arrays[:3]])
    span = difference_range(values, axis.better)
    ticks, text = difference_ticks(span)
    fig.update_layout(
        {
            _axis("yaxis", scale): {"domain": [max(domain[0], 0.0), domain[1]], "anchor": _axis("x", scale)},
            _axis("xaxis", scale): {
                "anchor": _axis("y", scale),
                "range": span,
                "zeroline": True,
                "zerolinewidth": 1.5,
                "zerolinecolor": fig.layout.template.layout.xaxis.tickfont.color,
                "tickvals": ticks,
                "ticktext": text,
                "tickangle": 0,
                "title": {"text": difference_axis_title(axis, baseline)},
            },
        }
    )


def difference_range(values: np.ndarray, better: str | None) -> list[float]:
    """A range that holds zero and every finite value with a little air, running backwards where lower is better."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min(initial=0.0))), max(0.0, float(finite.max(initial=0.0)))
    air = 0.06 * (high - low) or 1.0
    span = [low - air, high + air]
    return span[::-1] if better == "lower" else span


def difference_ticks(span: Sequence[float], steps: float = 4.0) -> tuple[np.ndarray, list[str]]:
    """Zero and round differences on both sides of it, and their labels: at most steps + 1, so few fit a phone."""
    low, high = sorted(span)
    minimum = (high - low) / steps
    power = 10.0 ** np.floor(np.log10(minimum))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= minimum * (1 - 1e-9))
    ticks = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    return ticks * step, [f"{tick * step:+.4g}".replace("-", "−") if tick else "0" for tick in ticks]


def _axis(name: str, scale: int) -> str:
    return name if scale == 0 else f"{name}{scale + 1}"
