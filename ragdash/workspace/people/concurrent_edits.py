"""What is stored when two people change one thing at the same time: the changes of both, or the last with a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ragdash.core.errors import Problem

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


class TypedText:
    """Makes what was typed of a stored text, and notes which one was stored."""

    def __init__(self, typed: str):
        self.typed, self.replaced = typed, typed

    def __call__(self, stored: str) -> str:
        self.replaced = stored
        return self.typed

    def warnings(self, shown: str, what: str, name: str) -> list[Problem]:
        """That somebody else has changed the text (what: the description; name: of what) since it was shown, and how it
        was: what was typed replaced it.
        """
        return [] if self.replaced in (shown, self.typed) else [_changed(what, name, self.replaced)]


def overwritten(shown: Mapping[str, str], typed: Mapping[str, str], stored: Mapping[str, str],
                name: str) -> list[Problem]:
    """A warning for each value that somebody else has changed since it was shown and that `merged_values` replaces.

    Examples
    --------
    >>> warnings = overwritten(shown={"k": "5"}, typed={"k": "10"}, stored={"k": "20", "model": "bm25"}, name="run")
    >>> [warning.facts["value"] for warning in warnings]
    ['20']
    """
    return [_changed(f"value of {key}", name, value) for key, value in stored.items()
            if typed.get(key) not in (shown.get(key), value) and value != shown.get(key)]


def _changed(what: str, name: str, value: str) -> Problem:
    return Problem("text-changed", {"what": what, "name": name, "value": value}, severity="warning")
