"""Margins that hold the labels of the axes from the start.

Plotly widens a margin that is too narrow for the labels, and then draws the whole figure a second time. A margin that
is estimated here is wide enough at once; where it is too narrow after all, plotly widens it as ever.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate, takewhile

LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", (  # thousandths of the size, Source Sans
    504, 553, 456, 555, 496, 292, 504, 544, 246, 247, 495, 255, 829, 547, 542, 555, 555, 347, 419, 338, 544, 467, 719,
    446, 467, 425, 544, 588, 571, 615, 527, 494, 617, 652, 263, 480, 579, 486, 817, 645, 664, 569, 664, 569, 534, 536,
    645, 515, 786, 513, 476, 539), strict=True))
SIGNS = {" ": 200, "-": 311, "/": 350, "_": 500, "%": 824, "@": 847, "&": 609, "…": 948,
         **dict.fromkeys(".,:;'", 249), **dict.fromkeys("!|", 289), **dict.fromkeys("()[]{}", 303)}
DIGIT, FOREIGN, SQUARE = 497, 650, 1_000  # of a digit, of a foreign letter, of a Chinese one or a picture
BOLD = 1.08  # how much wider a letter of weight 600 is at most, but for "." and its kind
LINE = 1.3  # heights of a line of text, in sizes of its font
NUMBER, SHARE = "0.05", "100%"  # the widest label that most axes of numbers have, and of percentages
EDGE, TITLE, TICK = 12, 21, 8  # pixels at the edge, if the other margins have them; next to a title; of a tick
LEGEND_ROW = 29  # pixels of a legend with one row


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels of the widest line of a text with tags, in the font of the pages.

    Examples
    --------
    >>> [round(text_width(text, 12)) for text in ("0.05", "Not<br>grounded", "<b>Not</b> grounded")]
    [21, 49, 70]
    >>> round(text_width("Not grounded", 12, bold=True))
    75
    """
    lines = re.split(r"<br\s*/?>", text)
    plain = [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in lines]
    return max(sum(_letter(letter) for letter in line) for line in plain) * size * (BOLD if bold else 1) / 1_000


def letters_that_fit(text: str, size: float, room: float) -> int:
    """How many of the first letters of a plain text this many pixels have room for, in the font of the pages.

    Examples
    --------
    >>> letters_that_fit("illicit", 14, 30), letters_that_fit("MMMMMMM", 14, 30)
    (7, 2)
    """
    ends = accumulate(_letter(letter) for letter in text)
    return sum(1 for _ in takewhile(lambda end: end * size <= room * 1_000, ends))


def label_margins(layout: Mapping) -> dict[str, float]:
    """The margins of a figure with the layout of a page, in pixels: its own, or more where its labels need more.

    Examples
    --------
    >>> label_margins({"margin": {"l": 10, "r": 16, "t": 14, "b": 10}, "yaxis": {
    ...     "tickfont": {"size": 13}, "ticktext": ["easy", "medium"], "title": {}}})["l"]
    57
    """
    margin = dict(layout.get("margin", {}))
    needs = {"top": float(LEGEND_ROW)} if layout.get("showlegend") else {}
    for name, axis in layout.items():
        if re.fullmatch(r"[xy]axis\d*", name) and axis.get("visible", True) and axis.get("showticklabels", True):
            side = axis.get("side", "bottom" if name[0] == "x" else "left")
            needs[side] = max(needs.get(side, 0.0), _labels(axis, name[0]) + _title(axis))
    needs = {side[0]: pixels for side, pixels in needs.items() if pixels and side != "right"}
    edge = min([EDGE, *(margin.get(side, 0) for side in "lrtb" if side not in needs)])
    return {**margin, **{side: max(margin.get(side, 0), math.ceil(pixels + edge)) for side, pixels in needs.items()}}


@lru_cache(maxsize=4_096)
def _letter(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    base = unicodedata.normalize("NFD", letter)[0]  # an accent takes no room
    other = FOREIGN if letter.isalpha() and unicodedata.east_asian_width(letter) not in "WF" else SQUARE
    return LETTERS.get(base) or SIGNS.get(letter) or (DIGIT if letter.isdigit() or letter in "+=−–<>" else other)


def _title(axis: Mapping) -> float:
    """Pixels of the title of an axis with the room between it and the labels; 0 without a title."""
    title = axis.get("title", {})
    return title["font"]["size"] * (1 + LINE * title["text"].count("<br>")) + TITLE if title.get("text") else 0.0


def _labels(axis: Mapping, direction: str) -> float:
    """Pixels of the labels of an axis; 0 for numbers without a title, which plotly places."""
    size, texts = axis["tickfont"]["size"], axis.get("ticktext")
    if texts is None and not _title(axis):
        return 0.0
    number = SHARE if "%" in axis.get("tickformat", "") else NUMBER
    labels = [number] if texts is None else [str(text) for text in texts]
    tick = TICK if axis.get("ticks") == "outside" else 0
    if direction == "y":
        widest = max((text_width(text, size) for text in labels), default=0.0)
        return widest + axis.get("ticklabelstandoff", 0) + tick + 1
    lines = max((text.count("<br>") for text in labels), default=0)
    return size * (1 + LINE * lines) + tick + (0 if _title(axis) else size * (LINE - 1))
