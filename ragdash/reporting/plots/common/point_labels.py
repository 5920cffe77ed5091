"""Names next to marks, where they touch neither each other nor the edge of a small screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragdash.reporting.plots.common.margins import text_width
from ragdash.reporting.plots.common.theme import Figure, Theme, annotate, escape

WIDE, TALL = 270, 330  # pixels of the picture on a phone, which is the smallest
SIZE, SIGN, LINE = 12, 11, 16  # pixels of the font, of a sign with its blank, and of a line of text
ASIDES = {"left": 9, "center": 0, "right": -9}  # pixels from a mark to this side of its name
ABOVE = 5  # pixels between the height of a mark, or the end of a bar, and a name
BAR, MARK = np.array([-2, 2, -2, 2]), 8  # pixels of a bar, and of a mark, on each side of its middle
Box = tuple[float, float, float, float]  # left, right, bottom, top in pixels


def label_points(fig: Figure, points: np.ndarray, names: Sequence[str], x_range: Sequence[float],
                 y_range: Sequence[float], theme: Theme, bars: np.ndarray | None = None,
                 marks: np.ndarray | None = None, ends: np.ndarray | None = None,
                 signs: Sequence[tuple[str, str]] = ()) -> list[int]:
    """Write names next to marks; one without room is left out, and the pointer shows it.

    No name covers a mark. A name is where no bar crosses it, if there is such a place next to its mark or at an end of
    its bar; else next to its mark, where the fewest bars do.

    Parameters
    ----------
    points
        (N, 2) x and y of the marks as annotations take them (exponents on a logarithmic axis), those first whose name
        is wanted most.
    names
        (N,) short ones.
    x_range, y_range
        Both ends of each axis, in the same units.
    bars
        (M, 4) left, right, bottom and top of the intervals of all marks, in the same units; None: there are none.
    marks
        (L, 2) all marks of the picture; None: the points alone.
    ends
        (N, 2) lower and upper end of the interval of each point, where its name can be too; None: it cannot.
    signs
        (N,) the sign of each mark and its color, before its name: close to several marks, it says whose name it is.

    Returns
    -------
    list of int
        The indices of the points that have a name.

    Examples
    --------
    >>> from ragdash.reporting.plots.common.theme import LIGHT, figure
    >>> label_points(figure(), np.array([[0.1, 0.5], [0.1, 0.5], [0.9, 0.5]]), ["a", "b", "c"], [0, 1], [0, 1], LIGHT)
    [0, 1, 2]
    """
    taken: list[Box] = []
    labeled, notes = [], []
    scale = np.array([WIDE / (x_range[1] - x_range[0])] * 2 + [TALL / (y_range[1] - y_range[0])] * 2)
    start = np.array([x_range[0]] * 2 + [y_range[0]] * 2)
    around = MARK * np.array([-1, 1, -1, 1])
    covered = [tuple(mark) for mark in ((np.repeat(np.asarray(points if marks is None else marks, float), 2, axis=1)
                                         - start) * scale + around).tolist()]
    lines = [] if bars is None else [tuple(bar) for bar in ((np.asarray(bars, float) - start) * scale + BAR).tolist()]
    uppers, lowers = (np.full(len(points), np.nan) if ends is None else np.asarray(ends, float)[:, at] for at in (1, 0))
    for index, (name, point) in enumerate(zip(names, np.asarray(points, float), strict=True)):
        x, *heights = ((np.array([point[0], point[1], uppers[index], lowers[index]]) - start[[0, 2, 2, 2]])
                       * scale[[0, 2, 2, 2]]).tolist()
        free = [place for place in _places(x, *heights, text_width(escape(name), SIZE) + (SIGN if signs else 0))
                if not any(_touch(place.box, other) for other in (*taken, *covered))]
        crossed = {place: sum(_touch(place.box, line) for line in lines) for place in free}
        for place in sorted((place for place in free if not crossed[place] or place.anchor == 0), key=crossed.get)[:1]:
            notes.append(_note(place, (point[1], uppers[index], lowers[index]), theme, x=float(point[0]),
                               text=_signed(name, *signs[index:index + 1])))
            taken.append(place.box)
            labeled.append(index)
    annotate(fig, notes)
    return labeled


def _signed(name: str, sign: tuple[str, str] = ("", "")) -> str:
    """A name behind its sign in its color, as HTML."""
    return f'<span style="color:{sign[1]}">{sign[0]}</span> {escape(name)}' if sign[0] else escape(name)


class _Place(NamedTuple):
    """Where a name can be: at the mark (0) or at the upper (1) or lower (2) end of its bar; the side of the name that
    is there, whether it is above, and its box in pixels.
    """

    anchor: int
    side: str
    up: bool
    box: Box


def _note(place: _Place, heights: Sequence[float], theme: Theme, **more) -> dict:
    """The annotation of a name; heights: of the mark and of both ends of its bar."""
    return {"y": float(heights[place.anchor]), "showarrow": False, "xanchor": place.side,
            "yanchor": "bottom" if place.up else "top", "xshift": ASIDES[place.side] if place.anchor == 0 else 0,
            "yshift": ABOVE if place.up else -ABOVE, "font": {"size": SIZE, "color": theme.ink}, **more}


def _places(x: float, mark: float, upper: float, lower: float, width: float) -> list[_Place]:
    """The places of a name inside the picture, in pixels, the best first; upper, lower: NaN without a bar."""
    corners = [(0, mark, side, up) for side in ("left", "right") for up in (True, False)]
    tips = [(anchor, y, side, anchor == 1) for anchor, y in ((1, upper), (2, lower)) if np.isfinite(y)
            for side in ("center", "left", "right")]
    places = []
    for anchor, y, side, up in (*corners, *tips):
        left = x + (ASIDES[side] if anchor == 0 else 0) - width * ("left", "center", "right").index(side) / 2
        bottom = y + ABOVE if up else y - ABOVE - LINE
        if left >= 0 and left + width <= WIDE and (anchor == 0 or 0 <= bottom <= TALL - LINE):
            places.append(_Place(anchor, side, up, (left, left + width, bottom, bottom + LINE)))
    return places


def _touch(one: Box, other: Box) -> bool:
    """Whether two boxes (left, right, bottom, top) overlap."""
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
