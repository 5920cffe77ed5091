"""Names next to marks, where they touch neither each other nor the edge of a small screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.theme import Figure, Theme, annotate, escape

WIDE, TALL = 270, 330  # pixels of the picture on a phone, which is the smallest
LETTER, LINE = 6.5, 16  # pixels of a letter and of a line of text
ASIDE, ABOVE = 9, 5  # pixels between a mark and its name
BAR = np.array([-2, 2, -2, 2])  # pixels of a bar on both sides of its middle
Box = tuple[float, float, float, float]  # left, right, bottom, top in pixels


def label_points(fig: Figure, points: np.ndarray, names: Sequence[str], x_range: Sequence[float],
                 y_range: Sequence[float], theme: Theme, bars: np.ndarray | None = None) -> list[int]:
    """Write names next to marks; one without room is left out, and the pointer shows it.

    A name is where no bar crosses it, if there is such a place.

    Parameters
    ----------
    points
        (N, 2) x and y of the marks as annotations take them (exponents on a logarithmic axis), those first whose name
        is wanted most.
    names
        (N,) long ones are shortened.
    x_range, y_range
        Both ends of each axis, in the same units.
    bars
        (M, 4) left, right, bottom and top of the intervals of all marks, in the same units; None: there are none.

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
    lines = [] if bars is None else [tuple(bar) for bar in ((np.asarray(bars, float) - start) * scale + BAR).tolist()]
    for index, (name, point) in enumerate(zip(short_names(names, NARROW_NAME), np.asarray(points, float), strict=True)):
        x = (point[0] - x_range[0]) / (x_range[1] - x_range[0]) * WIDE
        y = (point[1] - y_range[0]) / (y_range[1] - y_range[0]) * TALL
        width = LETTER * len(name)
        free = [place for place in _places(x, y, width) if not any(_touch(place[2], other) for other in taken)]
        clear = [place for place in free if not any(_touch(place[2], line) for line in lines)]
        for right, up, box in (clear or free)[:1]:
            notes.append({
                "x": float(point[0]), "y": float(point[1]), "text": escape(name), "showarrow": False,
                "xanchor": "left" if right else "right", "yanchor": "bottom" if up else "top",
                "xshift": ASIDE if right else -ASIDE, "yshift": ABOVE if up else -ABOVE,
                "font": {"size": 12, "color": theme.ink}})
            taken.append(box)
            labeled.append(index)
    annotate(fig, notes)
    return labeled


def _places(x: float, y: float, width: float) -> list[tuple[bool, bool, Box]]:
    """Where a name can be next to a mark, in pixels, inside the picture: whether right of it, above it, and its box."""
    places = []
    for right, up in ((True, True), (True, False), (False, True), (False, False)):
        left = x + ASIDE if right else x - ASIDE - width
        bottom = y + ABOVE if up else y - ABOVE - LINE
        if left >= 0 and left + width <= WIDE:
            places.append((right, up, (left, left + width, bottom, bottom + LINE)))
    return places


def _touch(one: Box, other: Box) -> bool:
    """Whether two boxes (left, right, bottom, top) overlap."""
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
