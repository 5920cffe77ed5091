"""Names next to marks, where they touch neither each other nor the edge of a small screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.reporting.plots.common.theme import Figure, Theme, annotate, escape
from ragdash.reporting.sentences.formatting import short_names

WIDE, TALL = 270, 330  # pixels of the picture on a phone, which is the smallest
LETTER, LINE = 6.5, 16  # pixels of a letter and of a line of text
ASIDE, ABOVE = 9, 5  # pixels between a mark and its name
NAME = 18  # characters of a name


def label_points(fig: Figure, points: np.ndarray, names: Sequence[str], x_range: Sequence[float],
                 y_range: Sequence[float], theme: Theme) -> list[int]:
    """Write names next to marks; one without room is left out, and the pointer shows it.

    Parameters
    ----------
    points
        (N, 2) x and y of the marks as annotations take them (exponents on a logarithmic axis), those first whose name
        is wanted most.
    names
        (N,) long ones are shortened.
    x_range, y_range
        Both ends of each axis, in the same units.

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
    taken: list[tuple[float, float, float, float]] = []
    labeled, notes = [], []
    for index, (name, point) in enumerate(zip(short_names(names, NAME), np.asarray(points, float), strict=True)):
        x = (point[0] - x_range[0]) / (x_range[1] - x_range[0]) * WIDE
        y = (point[1] - y_range[0]) / (y_range[1] - y_range[0]) * TALL
        width = LETTER * len(name)
        for right, up in ((True, True), (True, False), (False, True), (False, False)):
            left = x + ASIDE if right else x - ASIDE - width
            bottom = y + ABOVE if up else y - ABOVE - LINE
            box = (left, left + width, bottom, bottom + LINE)
            if left >= 0 and left + width <= WIDE and not any(_touch(box, other) for other in taken):
                notes.append({
                    "x": float(point[0]), "y": float(point[1]), "text": escape(name), "showarrow": False,
                    "xanchor": "left" if right else "right", "yanchor": "bottom" if up else "top",
                    "xshift": ASIDE if right else -ASIDE, "yshift": ABOVE if up else -ABOVE,
                    "font": {"size": 12, "color": theme.ink}})
                taken.append(box)
                labeled.append(index)
                break
    annotate(fig, notes)
    return labeled


def _touch(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two boxes (left, right, bottom, top) overlap."""
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
