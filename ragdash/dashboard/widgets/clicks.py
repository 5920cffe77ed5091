"""What a click on a row or a mark sends. A forged message may hold anything in its place, and then chooses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def pick_row(sent: object, items: Sequence[T], pick: Callable[[T], None]) -> None:
    """Call `pick` with the item of the row of a table that was clicked; items: one for each row."""
    match sent:
        case {"selection": {"rows": [int(row), *_]}} if 0 <= row < len(items):
            pick(items[row])


def pick_listed_row(sent: object, name: str, items: Sequence[T], pick: Callable[[T], None]) -> None:
    """The same for a list; name: of what it holds now. A click on what it held before counts for none."""
    match sent:
        case {"list": seen, "row": int(row)} if seen == name and 0 <= row < len(items):
            pick(items[row])


def marks(sent: object) -> list:
    """The customdata of the marks of a picture that were chosen.

    Examples
    --------
    >>> marks({"selection": {"points": [{"customdata": 0}, {"x": 1}]}}), marks("x")
    ([0], [])
    """
    match sent:
        case {"selection": {"points": [*points]}}:
            values = [point.get("customdata") for point in points if isinstance(point, Mapping)]
            return [value for value in values if value is not None]
    return []
