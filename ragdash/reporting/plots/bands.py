"""The Threshold bands page's picture: where each run is on the bands of a metric."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ragdash.core.console import query_count
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.metrics.bands import EDGE
from ragdash.reporting.plots.common.theme import (
    LIGHT,
    MARGIN,
    Axis,
    Look,
    Theme,
    annotate,
    escape,
    figure,
    looks,
    value_text,
)

LINE, MARK, FOOT = 17, 32, 24  # pixels: a line of text, the room of a symbol, the foot with the target's value
NARROW, LETTER = 300, 6.5  # pixels: the bands on a telephone, a letter of their words


def band_placement(names: Sequence[str], slots: Sequence[int], mean: np.ndarray, low: np.ndarray, high: np.ndarray,
              n: np.ndarray, edges: np.ndarray, labels: Sequence[str], *, axis: Axis,
              words: Sequence[str | None] | None = None, target: float | None = None,
              best: float = np.nan, height: int = 0, theme: Theme = LIGHT) -> go.Figure:
    """Each run as its symbol with its interval, in the order given, over the shaded and labeled bands.

    mean, low, high, n: (N,), NaN where undefined (such a run keeps its line and says so). edges: (B + 1,) ascending,
    the first and the last may be infinite; labels: (B,) words. words: (N,) what is written beside each run, such as
    "between fair and good". target: drawn as a stroke across each interval, with its value at the foot.
    best: the best possible value, NaN where it is not known. Where bands lie above it, a dashed line marks it next to
    each symbol, with its value at the foot, and these bands are gray. height: pixels at least.
    """
    mean, low, high, edges = (np.asarray(array, dtype=float) for array in (mean, low, high, edges))
    span = _span(edges, np.concatenate([mean, low, high, [np.nan if target is None else target]]))
    texts = [word or "" for word in words] if words is not None else [""] * len(names)
    row = MARK + 6 + LINE * (1 + any(texts))
    middle = 1 - 0.6 * MARK / row  # where in a row its symbol is
    limited = axis.better == "higher" and bool((edges[1:-1] > best + EDGE).any())
    rows, foot = max(len(names), 1), FOOT * ((target is not None) + limited)
    fig = figure(theme, height=row * rows + foot + 90)
    _shade(fig, edges, span, axis, theme, best if limited else np.inf)
    short = short_names(names, PAGE_NAME)
    headings, lines, dashed = [], [], {"color": theme.ink, "width": 1.5, "dash": "dash"}
    for index, look in enumerate(looks(names, slots, theme)):
        values = (float(mean[index]), float(low[index]), float(high[index]))
        fig.add_trace(_dot(index + middle, look, values, int(n[index]), axis, texts[index]))
        headings.append(_heading(index, look, short[index], values[0], texts[index], theme))
        if target is not None and np.isfinite(values[0]):
            half = 0.32 * MARK / row
            lines.append({"x0": target, "x1": target, "y0": index + middle - half, "y1": index + middle + half,
                          "line": {"color": theme.ink, "width": 3}})
        if limited:  # below the words of the row
            lines.append({"x0": best, "x1": best, "y0": index + 1 - MARK / row, "y1": index + 1,
                          "line": dashed})
        if index:
            lines.append({"xref": "paper", "x0": 0, "x1": 1, "y0": index, "y1": index,
                          "line": {"color": theme.paper, "width": 2}})
    annotate(fig, headings)
    fig.layout.shapes = [*fig.layout.shapes, *({"type": "line", "layer": "below", **line} for line in lines)]
    fig.update_yaxes(range=[rows + foot / row, 0], showgrid=False, fixedrange=True, showticklabels=False)
    _band_names(fig, edges, labels, span, theme, best if limited else np.inf)
    if target is not None:
        _mark_at_foot(fig, f"target {target:.4g}", target, span, rows + 0.4 * FOOT / row, theme)
    if limited:
        fig.add_shape(x0=best, x1=best, y0=rows + (foot - FOOT) / row, y1=rows + foot / row, line=dashed)
        _mark_at_foot(fig, f"best possible {best:.3f}", best, span, rows + (foot - 0.6 * FOOT) / row, theme, "")
    missing = max(height - fig.layout.height, 0)
    return fig.update_layout(height=fig.layout.height + missing, margin_t=fig.layout.margin.t + missing)


def _span(edges: np.ndarray, values: np.ndarray) -> list[float]:
    """From the lowest to the highest edge with a little air; where that is open or very wide, around the values."""
    inner, finite = edges[np.isfinite(edges)], values[np.isfinite(values)]
    if np.isfinite(edges[[0, -1]]).all() and edges[-1] - edges[0] <= 2:
        air = 0.015 * (edges[-1] - edges[0])
        return [float(edges[0]) - air, float(edges[-1]) + air]
    visible = np.concatenate([inner[1:] if len(inner) > 2 and np.isfinite(edges[0]) else inner, finite])
    low, high = float(visible.min()), float(visible.max())
    air = 0.25 * ((high - low) or 1.0)
    return [max(low - air, float(edges[0])), min(high + air, float(edges[-1]))]


def _shade(fig: go.Figure, edges: np.ndarray, span: Sequence[float], axis: Axis, theme: Theme, best: float) -> None:
    """A quiet ramp of gray, stronger towards the better end; run colors keep their meaning on it."""
    red, green, blue = (int(theme.muted[offset:offset + 2], 16) for offset in (1, 3, 5))
    strength = np.linspace(0.05, 0.30, len(edges) - 1)
    if axis.better == "lower":
        strength = strength[::-1]
    clipped = np.clip(edges, *span)
    clipped[[0, -1]] = span  # the air at both ends bears the shade of its band
    fig.update_layout(shapes=[
        {"type": "rect", "xref": "x", "yref": "paper", "x0": lower, "x1": upper, "y0": 0, "y1": 1, "layer": "below",
         "line": {"width": 1, "color": theme.paper},
         "fillcolor": theme.grid if edge > best + EDGE else f"rgba({red},{green},{blue},{shade:.3f})"}
        for edge, lower, upper, shade in zip(edges[:-1], clipped[:-1], clipped[1:], strength, strict=True)
        if upper > lower])
    inner = _drop_crowded_edges(
        edges[np.isfinite(edges) & (edges >= span[0]) & (edges <= span[1])], 0.07 * (span[1] - span[0])
    )
    fig.update_xaxes(title_text=escape(axis.label) + {"higher": " · higher is better →",
                                                      "lower": " · ← lower is better"}.get(axis.better or "", ""),
                     range=list(span), tickvals=inner, ticktext=[f"{edge:.4g}" for edge in inner], showgrid=False)


def _drop_crowded_edges(edges: np.ndarray, gap: float) -> np.ndarray:
    """The edges without an end that is nearer than gap to its neighbor: their numbers would lie on each other."""
    if len(edges) > 2 and edges[-1] - edges[-2] < gap:
        edges = edges[:-1]
    return edges[1:] if len(edges) > 2 and edges[1] - edges[0] < gap else edges


def _band_names(fig: go.Figure, edges: np.ndarray, labels: Sequence[str], span: Sequence[float], theme: Theme,
                best: float) -> None:
    """The bands' words above them, gray above `best`; a word without room is higher, with a line to its band."""
    clipped = np.clip(edges, *span)
    visible = [(float((lower + right) / 2), float(right - lower), label[:40], edge > best + EDGE)
               for edge, lower, right, label in zip(edges[:-1], clipped[:-1], clipped[1:], labels, strict=True)
               if right > lower]
    middles, widths = (np.array([band[field] for band in visible]) for field in (0, 1))
    size = float(span[1] - span[0])
    steps = _steps((middles - span[0]) / size * NARROW, widths / size * NARROW, [len(band[2]) for band in visible])
    right = middles > (span[0] + span[1]) / 2
    annotate(fig, [{
        "x": middle, "y": 1, "yref": "paper", "text": escape(label),
        "font": {"size": 13, "color": theme.muted if gray else theme.ink},
        "bgcolor": theme.paper if step else None, "showarrow": bool(step), "arrowhead": 0, "arrowwidth": 1,
        "arrowcolor": theme.muted, "ax": 0, "ay": -(LINE * step + 9), "yanchor": "middle" if step else "bottom",
        "xanchor": "center" if not step else "right" if on_right else "left"}
        for step, middle, on_right, (_, _, label, gray) in reversed(list(zip(steps, middles, right, visible,
                                                                             strict=True)))])
    extra = LINE * (1 + max(steps, default=0))
    fig.update_layout(margin_t=MARGIN["t"] + extra, height=fig.layout.height + extra)


def _steps(middles: np.ndarray, widths: np.ndarray, letters: Sequence[int]) -> list[int]:
    """How many lines above the lowest one each word is: 0 for all where none touches another.

    middles, widths: (B,) of the bands in pixels, from left to right. Else the words that are wider than their bands
    rise like stairs towards the nearer end, the right stairs above the left ones where they would meet.
    """
    words = np.array(letters) * LETTER
    if (middles[1:] - middles[:-1] >= (words[1:] + words[:-1]) / 2).all():
        return [0] * len(words)
    wide, right = words > widths, middles > NARROW / 2
    right_stairs, left_stairs = wide & right, wide & ~right
    meet = (middles + words)[left_stairs].max(initial=0) > (middles - words)[right_stairs].min(initial=NARROW)
    rising = np.cumsum(right_stairs) + (int(left_stairs.sum()) if meet else 0)
    return np.where(right_stairs, rising, np.where(left_stairs, np.cumsum(left_stairs[::-1])[::-1], 0)).tolist()


def _dot(y: float, look: Look, values: tuple[float, float, float], n: int, axis: Axis, words: str) -> go.Scatter:
    """One run's symbol and interval. values: mean, low, high."""
    value, low_text, high_text = value_text(np.array(values))
    mean, low, high = values
    text = f"{value} [{low_text}, {high_text}]" if np.isfinite(mean) else "undefined"
    meaning = f"<br>{escape(words)}" if words else ""
    return go.Scatter(
        x=np.array([mean]), y=np.array([y]), mode="markers", name=look.name, marker=look.marker(12),
        error_x={"array": np.array([high - mean]), "arrayminus": np.array([mean - low]), "color": look.color,
                 "thickness": 2.5, "width": 5},
        hoverinfo="text", hovertext=[f"{look.name}<br>{escape(axis.title)} {text}{meaning}<br>n = {query_count(n)}"])


def _heading(row: int, look: Look, name: str, mean: float, words: str, theme: Theme) -> dict:
    """The annotation above a run's symbol: its name with its mean, and the words."""
    value = str(value_text(np.array(mean))) if np.isfinite(mean) else "undefined"
    text = f'<span style="color:{look.color}">{look.sign}</span> <b>{escape(name)}</b>  {value}'
    return {"x": 0, "xref": "paper", "y": row, "yref": "y", "xanchor": "left", "yanchor": "top", "yshift": -3,
            "xshift": 3, "showarrow": False, "align": "left", "font": {"size": 12, "color": theme.ink},
            "text": text + (f"<br>{escape(words)}" if words else "")}


def _mark_at_foot(fig: go.Figure, text: str, value: float, span: Sequence[float], y: float, theme: Theme,
                  sign: str = "┃") -> None:
    """What a value is, in the foot below it, kept inside the picture; the strokes in the rows above mark the value.

    sign: as these strokes look; "": one of them goes on through the foot.
    """
    right = value > (span[0] + span[1]) / 2
    fig.add_annotation(x=value, y=y, yref="y", xanchor="right" if right else "left",
                       xshift=(3 if sign else -6) * (1 if right else -1), showarrow=False,
                       text=(f"{text} {sign}" if right else f"{sign} {text}").strip(),
                       font={"size": 12, "color": theme.ink})
