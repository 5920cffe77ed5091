"""What a click on a row or a mark sends. A forged message may hold anything in its place, and then chooses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")


def take_choice(key: str, use: Callable[[Any], object]) -> None:
    """Call `use` with the choice of a widget. One that is no longer on the page chooses nothing.

    A person may use a widget while the server draws a page without it: the browser showed it still.
    """
    if key in st.session_state:
        use(st.session_state[key])


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
