"""How every picture looks: colors with a second channel, the template, and the parts that pictures share.

A run keeps its *slot*, a small integer, and with it one color, one symbol and one dash. The first six slots have
colors that stay apart for color-blind readers and reach 3:1 against the page; from the seventh on a run is gray.
Where more runs are shown than there are colors, `color_best` gives the colors to the best runs and the baseline.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from ragdash.core.text.quoted import cut_middle
from ragdash.core.text.short_names import NARROW_NAME, short_names

Figure = go.Figure
COLORED = 6
COMPUTED_SLOT = -1  # of a hybrid that was computed here, which is no loaded run: ink and a star
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "star",
    "hexagon",
    "triangle-down",
    "triangle-left",
    "triangle-right",
)
SIGNS = "●■◆▲✚★⬢▼◀▶"  # the same symbols as characters, for labels and tables
DASHES = ("solid", "dash", "dot", "dashdot", "12px,5px", "longdashdot")  # a legend has 30 pixels: two long dashes
MARGIN = {"l": 10, "r": 16, "t": 14, "b": 10, "pad": 0}
LISTED = 12  # runs whose names a legend has; of more it counts the gray ones
DIRECT_LABELS = 6  # more runs than this get a legend instead of a label at the end of each line
DIRECT_NAME = 14  # characters: next to a longer name, a phone has too little room for the lines


@dataclass(frozen=True)
class Theme:
    """Colors of one appearance. runs: of runs, and of other groups without an order; more: of the groups after them;
    sequential: from low to high."""

    name: str
    paper: str
    ink: str
    muted: str
    grid: str
    runs: tuple[str, ...]
    gray: str
    better: str
    worse: str
    sequential: tuple[str, ...]
    more: tuple[str, ...] = ()


CIVIDIS = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
LIGHT = Theme(
    "light",
    "#ffffff",
    "#0b1016",
    "#515b67",
    "#e3e7ec",
    ("#0072B2", "#AF8F2B", "#7A2A06", "#1896FB", "#AB5053", "#2F4087"),
    "#6B7480",
    "#0068a5",
    "#b8430b",
    tuple(reversed(CIVIDIS)),
    ("#202000", "#8000E0", "#FF00E0", "#400040", "#606000"),
)
DARK = Theme(
    "dark",
    "#101418",
    "#e8ecf1",
    "#a9b3bf",
    "#2a323b",
    ("#AAE0FF", "#F6C835", "#B75014", "#6F9EEF", "#F17074", "#5C58C1"),
    "#97A1AD",
    "#6cb8f0",
    "#ff9a62",
    CIVIDIS,
    ("#C020FF", "#00E0A0", "#60A020", "#E00080", "#E0FFC0"),
)
THEMES = {"light": LIGHT, "dark": DARK}


@dataclass(frozen=True)
class Axis:
    """What an axis says: its title, the range from the registry (None: open), the unit and which end is better."""

    title: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    better: str | None = "higher"

    @property
    def label(self) -> str:
        """The title with its unit, as it is written next to the axis."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True)
class Look:
    """The three channels that distinguish one run from the others, and its name as plotly writes it."""

    color: str
    symbol: str
    dash: str
    sign: str
    name: str = ""
    group: str = ""
    paper: str = "#ffffff"
    is_gray: bool = False

    def translucent(self, opacity: float = 0.16) -> str:
        """The color as rgba, for the band behind a line."""
        red, green, blue = (int(self.color[offset:offset + 2], 16) for offset in (1, 3, 5))
        return f"rgba({red},{green},{blue},{opacity})"

    def line(self, width: float = 2.2) -> dict:
        """A line in this color and dash."""
        return {"color": self.color, "dash": self.dash, "width": width}

    def marker(self, size) -> dict:
        """A mark in this color and symbol, set off from what lies behind it; size: a number or an array."""
        return {"color": self.color, "symbol": self.symbol, "size": size, "opacity": 1,
                "line": {"width": 1, "color": self.paper}}


def run_look(slot: int, theme: Theme = LIGHT, name: str = "", group: str = "") -> Look:
    """Color, symbol and dash of a slot; slots from 6 on are gray and differ by symbol and dash."""
    if slot == COMPUTED_SLOT:
        return Look(theme.ink, "star", "solid", "★", escape(name), group, theme.paper)
    color = theme.runs[slot] if 0 <= slot < COLORED else theme.gray
    return Look(color, SYMBOLS[slot % len(SYMBOLS)], DASHES[slot % len(DASHES)], SIGNS[slot % len(SIGNS)], escape(name),
                group, theme.paper, not 0 <= slot < COLORED)


def color_best(slots: Sequence[int], order: Sequence[int], baseline: int | None = None) -> list[int]:
    """Slots with a color for the best runs and the baseline, where there are more runs than colors.

    Parameters
    ----------
    slots
        (N,) the runs' slots. Returned as they are where N is at most COLORED.
    order
        (N,) indices of the runs, best first.
    baseline
        Index of a run that has a color whatever its rank; None: there is none.

    Returns
    -------
    list of int
        (N,) distinct slots. A run that keeps a color keeps its own where it has one; all others are gray.

    Examples
    --------
    >>> color_best(list(range(8)), [7, 6, 5, 4, 3, 2, 1, 0], baseline=0)
    [0, 6, 7, 3, 4, 5, 2, 1]
    """
    if len(slots) <= COLORED:
        return list(slots)
    best = [index for index in order if index != baseline][:COLORED - 1]
    colored = best if baseline is None else [*best, baseline]
    result = {index: slots[index] for index in colored if 0 <= slots[index] < COLORED}
    free = iter(sorted(set(range(COLORED)) - set(result.values())))
    result |= {index: next(free) for index in colored if index not in result}
    taken = {slot for index, slot in enumerate(slots) if index not in result and slot >= COLORED}
    grays = (slot for slot in range(COLORED, COLORED + 2 * len(slots)) if slot not in taken)
    for index, slot in enumerate(slots):
        if index not in result:
            result[index] = slot if slot >= COLORED else next(grays)
    return [result[index] for index in range(len(slots))]


def looks(names: Sequence[str], slots: Sequence[int], theme: Theme) -> list[Look]:
    """The look of each run of a picture, in order."""
    return [
        run_look(slot, theme, name, f"run{index}") for index, (name, slot) in enumerate(zip(names, slots, strict=True))
    ]


def shorten(name: str, limit: int = 16) -> str:
    """A name that fits beside a mark, cut in the middle, safe for plotly's markup."""
    return escape(cut_middle(name, limit, "…"))


def wrap_title(title: str, longest: int = 14) -> str:
    """A title on two lines where it is longer, parted near its middle, each of at most 24 letters; safe for plotly."""
    if len(title) <= longest or " " not in title:
        return shorten(title, 24)
    cut = min(
        (position for position, char in enumerate(title) if char == " "),
        key=lambda position: abs(position - len(title) / 2),
    )
    return f"{shorten(title[:cut], 24)}<br>{shorten(title[cut + 1:], 24)}"


def tint(theme: Theme, color: str, share: float = 0.55) -> str:
    """A color between the page and another, on which the page's ink can be read: ground of a table's cell."""
    ends = ([int(hex_color[offset:offset + 2], 16) for offset in (1, 3, 5)] for hex_color in (theme.paper, color))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


def escape(text: str) -> str:
    """Text that plotly draws as written: its labels understand a subset of HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def figure(theme: Theme = LIGHT, height: int = 360) -> go.Figure:
    """An empty figure in the house style: no frame, light grid, quiet text."""
    return go.Figure(layout={"template": _template(theme), "height": height, "margin": MARGIN, "showlegend": False})


def annotate(fig: go.Figure, notes: Iterable[Mapping[str, object]]) -> None:
    """Add the annotations all at once: plotly checks all earlier ones again with each that is added alone."""
    fig.layout.annotations = [*fig.layout.annotations, *notes]


@lru_cache(maxsize=4)
def _template(theme: Theme) -> go.layout.Template:
    axis = {
        "gridcolor": theme.grid,
        "zeroline": False,
        "linecolor": theme.grid,
        "automargin": True,
        "tickfont": {"size": 12, "color": theme.muted},
        "title": {"font": {"size": 13, "color": theme.muted}, "standoff": 8},
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(theme.runs),
            "font": {"family": "Source Sans, Source Sans Pro, DejaVu Sans, sans-serif", "size": 13, "color": theme.ink},
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"font": {"size": 13}, "align": "left"},
            "dragmode": "zoom",
            "legend": {
                "font": {"size": 12, "color": theme.ink},
                "orientation": "h",
                "x": 0,
                "yref": "container",  # its place does not depend on the margin, which is old when a window is resized
                "y": 1,
                "yanchor": "top",
                "borderwidth": 6,  # room between it and the picture
                "bordercolor": "rgba(0,0,0,0)",
                "title": {"text": ""},
            },
        }
    )


def axis_range(axis: Axis, values: np.ndarray, pad: float = 0.04) -> list[float] | None:
    """The registry's range with a little air where both ends are bounded and the values use a fair part of it.

    values: any shape, NaN ignored. An open or a hugely wide range (AQWV's [-40, 1]) follows the values; None lets
    plotly choose.
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    bounded = axis.low is not None and axis.high is not None and np.isfinite([axis.low, axis.high]).all()
    if bounded and axis.high - axis.low <= 2:
        return [axis.low - pad * (axis.high - axis.low), axis.high + pad * (axis.high - axis.low)]
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    air = (high - low or abs(high) or 1.0) * 0.12
    floor = axis.low if axis.low is not None and np.isfinite(axis.low) else -np.inf
    return [max(low - air, floor - air / 3), high + air]


def spread_positions(positions: Sequence[float], gap: float, limits: Sequence[float] = (-np.inf, np.inf)) -> np.ndarray:
    """Move positions apart to at least gap, keeping their order and the center of each cluster.

    positions: (N,); returned (N,), same unit. limits: the lowest and the highest place, as far as there is room.

    Examples
    --------
    >>> spread_positions([0.0, 0.0, 0.9], 0.2, (0.0, 1.0)).tolist()
    [0.0, 0.2, 0.9]
    """
    positions = np.asarray(positions, dtype=float)
    order = np.argsort(positions, kind="stable")
    groups: list[tuple[float, int]] = []  # (center, members), from low to high
    for position in positions[order]:
        center, members = float(position), 1
        while groups and center - groups[-1][0] < gap * (members + groups[-1][1]) / 2:
            neighbor, size = groups.pop()
            center, members = (center * members + neighbor * size) / (members + size), members + size
        groups.append((center, members))
    spaced = np.concatenate(
        [center + gap * (np.arange(size) - (size - 1) / 2) for center, size in groups] or [positions]
    )
    steps = gap * np.arange(len(spaced))
    spaced = np.minimum(np.maximum(spaced, limits[0] + steps), limits[1] - steps[::-1])
    result = np.empty_like(positions)
    result[order] = spaced
    return result


def end_labels(fig: go.Figure, run_looks: Sequence[Look], heights: Sequence[float], y_range: Sequence[float]) -> None:
    """Write each run's name at the right end of its line, moved apart where lines meet.

    A legend with many runs, or where a name is long. heights: (N,) where each line ends, in units of the y axis; NaN
    means no line and no label.
    """
    short = short_names([html.unescape(look.name) for look in run_looks], NARROW_NAME)
    if len(run_looks) > DIRECT_LABELS or max(map(len, short), default=0) > DIRECT_NAME:
        shorten_legend(fig, run_looks)
        entries = count_gray_runs(fig, run_looks)
        fig.update_layout(showlegend=True, height=fig.layout.height + 24 * ((entries + 1) // 2))
        return
    visible = [index for index, height in enumerate(heights) if np.isfinite(height)]
    share = 17 / max((fig.layout.height or 360) - 70, 1)
    gap = share * (y_range[1] - y_range[0])
    limits = (y_range[0] + gap / 2, y_range[1])  # no name below the axis, where its labels are
    positions = spread_positions([heights[index] for index in visible], gap, limits)
    width, notes = 0, []
    for index, position in zip(visible, positions, strict=True):
        look, text = run_looks[index], escape(short[index])
        notes.append({"x": 1, "xref": "paper", "y": float(position), "yref": "y", "xanchor": "left", "xshift": 6,
                      "showarrow": False, "text": f'<span style="color:{look.color}">{look.sign}</span> {text}',
                      "font": {"size": 12}, "align": "left"})
        width = max(width, len(html.unescape(text)))
    annotate(fig, notes)
    fig.update_layout(margin_r=24 + 7 * width)


def count_gray_runs(fig: go.Figure, run_looks: Sequence[Look]) -> int:
    """Of many runs the legend counts the gray ones, whose names appear on hover; they are below the others.

    Returns the number of entries.
    """
    gray = [look for look in run_looks if look.is_gray]
    lines = [trace for trace in fig.data if gray and isinstance(trace, go.Scatter)
             and gray[0].color in (trace.line.color, trace.marker.color)]
    for trace in lines:
        trace.zorder = -1
    if len(run_looks) <= LISTED or not gray:
        return len(run_looks)
    for trace in lines:
        trace.showlegend = False
    fig.update_layout(legend_title_text=f"Gray: {len(gray)} other runs, named on hover")
    return len(run_looks) - len(gray) + 2


def shorten_legend(fig: go.Figure, run_looks: Sequence[Look]) -> None:
    """Cut long names in the middle where they are traces of a legend, so that none is wider than a phone."""
    names = [html.unescape(look.name) for look in run_looks]
    short = dict(zip(names, short_names(names, NARROW_NAME), strict=True))
    for trace in fig.data:
        name = html.unescape(trace.name or "")
        if short.get(name, name) != name:
            trace.name = escape(short[name])


def value_text(values: np.ndarray, decimals: int = 3) -> np.ndarray:
    """Numbers as people read them, a dash where undefined. values: any shape; returns strings in that shape."""
    values = np.asarray(values, dtype=float)
    text = [f"{value:.{decimals}f}".replace("-", "−") if np.isfinite(value) else "–" for value in values.ravel()]
    return np.array(text, dtype=object).reshape(values.shape)
