"""Arguments of Python programs: lists, ids, whole numbers."""

from __future__ import annotations

from numbers import Integral

from ragdash.core.errors import InputError, Problem, shorten


def items_of(value: object) -> list | None:
    """Return the items of a list, an array or an iterator; None for a text, and for what has no items.

    Examples
    --------
    >>> items_of(("a", "b")), items_of("ab"), items_of(5)
    (['a', 'b'], None, None)
    """
    if isinstance(value, str | bytes):
        return None
    try:
        return list(value)  # type: ignore[call-overload]
    except TypeError:  # an array of no dimension says that it has items, too
        return None


def id_of(value: object, field: str = "query_id") -> str:
    """Text as it is, whole numbers in digits; InputError for any other kind."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)
    raise InputError([Problem("python-object/id", {"value": repr(value), "kind": type(value).__name__}, field=field)])


def check_whole(least: int = 1, **values: object) -> None:
    """Raise InputError unless all values are whole numbers that are large enough.

    Examples
    --------
    >>> check_whole(repeats=0)
    Traceback (most recent call last):
    ragdash.core.errors.InputError: found repeats = 0; expected a whole number from 1. Give such a number.
    """
    wrong = [Problem("python-object/whole", {"name": name, "value": shorten(repr(value), 60), "least": least},
                     field=name)
             for name, value in values.items()
             if not isinstance(value, Integral) or isinstance(value, bool) or value < least]
    if wrong:
        raise InputError(wrong)
