"""Multiple choice with the options as objects, of which a mark says whether each is right."""

from __future__ import annotations

from ragdash.io.proposals.names import words

RIGHT = "correct_answers"  # the name of the field with the right options
_MARKS = {"correct", "right", "true"}
_LISTS = {"answer", "option", "choice", "alternative"}
_TEXTS = ("text", "content", "answer", "option", "choice", "value", "label", "answer_text", "option_text")


def with_right_options(rows: list[dict]) -> list[dict]:
    """The records with the texts of the right options in place of all options."""
    name = next((key for row in rows[:20] for key, value in row.items() if _are_options(key, value)), None)
    if name is None or any(RIGHT in row for row in rows):
        return rows
    return [_with_right(row, name) if _are_options(name, row.get(name)) else row for row in rows]


def _are_options(name: object, value) -> bool:
    """True for a list of objects with a text and a mark each, of which some are right and some are wrong."""
    if type(value) is not list or len(value) < 2 or _LISTS.isdisjoint(words(str(name))):
        return False
    if not all(type(item) is dict and _mark(item) and _text(item) for item in value):
        return False
    return len({item[_mark(item)] for item in value}) == 2


def _mark(item: dict) -> str | None:
    return next((key for key, value in item.items() if type(value) is bool and not _MARKS.isdisjoint(words(key))), None)


def _text(item: dict) -> str | None:
    return next((key for key in _TEXTS if type(item.get(key)) is str and item[key].strip()), None)


def _with_right(row: dict, name: str) -> dict:
    right = [item[_text(item)] for item in row[name] if item[_mark(item)]]
    return {**{key: value for key, value in row.items() if key != name}, RIGHT: right}
