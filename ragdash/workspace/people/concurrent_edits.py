"""What is stored when two people change one thing at the same time: the changes of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Value = TypeVar("Value")


def merged_list(shown: Iterable[str], typed: Sequence[str], stored: Sequence[str]) -> list[str]:
    """A stored list with what one person added and removed.

    Parameters
    ----------
    shown
        What the person saw before the change.
    typed
        What the person made of it.
    stored
        What others have stored since.

    Examples
    --------
    >>> merged_list(shown=["old", "weekly"], typed=["weekly", "mine"], stored=["old", "weekly", "theirs"])
    ['weekly', 'mine', 'theirs']
    """
    return [*(item for item in typed if item in stored or item not in shown),
            *(item for item in stored if item not in shown and item not in typed)]


def merged_values(shown: Mapping[str, Value], typed: Mapping[str, Value],
                  stored: Mapping[str, Value]) -> dict[str, Value]:
    """Stored values with what one person changed of those shown; of one that two have changed, this person's.

    Examples
    --------
    >>> merged_values(shown={"k": "5"}, typed={"k": "10"}, stored={"k": "5", "model": "bm25"})
    {'k': '10', 'model': 'bm25'}
    """
    merged = {name: (stored if typed.get(name) == shown.get(name) else typed).get(name) for name in {**typed, **stored}}
    return {name: value for name, value in merged.items() if value is not None}
