"""Single values of JSON files: text, numbers, lists, each checked, with its line and field where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ragdash.core.errors import Collector, InputError, Problem, shorten
from ragdash.io.chat_messages import TEXT_FIELDS
from ragdash.io.json.exact_parser import NeedsExact, NumberText
from ragdash.io.json.numbers import is_usable, note_bad_value
from ragdash.io.source.limits import MAX_COLUMNS

_TYPE_NAMES = {
    dict: "an object",
    list: "a list",
    bool: "true or false",
    str: "text",
    type(None): "null",
    int: "a number",
    float: "a number",
    NumberText: "a number",
}


class Cell:
    """Where a value stands: its line and field, and who gathers what is wrong with it."""

    __slots__ = ("field", "line", "problems")

    def __init__(self, problems: Collector, line: int, field: str):
        self.problems, self.line, self.field = problems, line, field

    def member(self, part: str | int) -> Cell:
        """The cell of a member or element of this one."""
        return Cell(self.problems, self.line, f"{self.field}[{part}]" if type(part) is int else f"{self.field}.{part}")

    def note(self, message: str, facts: Mapping | None = None, severity: str = "error") -> None:
        """Note a problem of this cell."""
        self.problems.add(message, facts, line=self.line, field=self.field, severity=severity)

    def note_wrong_type(self, value, expected: str) -> None:
        """Note that the value has the wrong type."""
        self.note("wrong-type", {"type": _TYPE_NAMES.get(type(value), 'a value'), "value": show_value(value),
                  "expected": expected})


def show_value(value) -> str:
    """A value for messages."""
    return str(value) if isinstance(value, NumberText) else shorten(repr(value), 60)


def is_missing(value) -> bool:
    """True for null and NaN, which stand for nothing in optional fields."""
    return value is None or (type(value) is float and math.isnan(value))


def read_text(value, cell: Cell) -> str | None:
    """Text, or None where nothing stands. A number is taken as it is written, with a warning."""
    if type(value) is str or is_missing(value):
        return value if type(value) is str else None
    if isinstance(value, NumberText):
        cell.note("number-as-text", {"value": value}, severity="warning")
        return str(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        raise NeedsExact  # its digits are lost
    return cell.note_wrong_type(value, "text")


def read_question(value, cell: Cell) -> str | None:
    """The question: text, or of a conversation (a list of what was said) the last part."""
    if type(value) is list and value and all(type(part) is dict for part in value):
        return read_message(value[-1], cell.member(len(value) - 1))
    return read_message(value, cell)


def read_message(value, cell: Cell) -> str | None:
    """Text, bare or as what was said: an object with text or content, or a list of one such."""
    if type(value) is list and len(value) == 1 and type(value[0]) is dict:
        return read_message(value[0], cell.member(0))
    if type(value) is dict:
        key = next((name for name in TEXT_FIELDS if name in value), None)
        if key is None:
            return cell.note_wrong_type(value, "text")
        return read_text(value[key], cell.member(key))
    return read_text(value, cell)


def read_id(value, cell: Cell) -> str | None:
    """The id of a query or document, or None after noting that it is missing or of a wrong type."""
    if type(value) is str and value:
        return value
    if value == "" or is_missing(value):
        return cell.note("missing-id", {"value": "" if value is None else show_value(value)})
    return read_text(value, cell)


def read_number(value, cell: Cell) -> float | None:
    """A finite number, or None where nothing stands or after noting that it is none."""
    if is_missing(value):
        return None
    if type(value) in (int, float, NumberText):
        value = float(value)
        if math.isfinite(value):
            return value
        return cell.note("bad-number", {"value": str(value)})
    return cell.note_wrong_type(value, "a number")


def read_whole_number(value, cell: Cell) -> int | None:
    """A whole number, or None as in `number`."""
    value = read_number(value, cell)
    if value is not None and not value.is_integer():
        return cell.note("bad-number/whole", {"value": str(value)})
    return None if value is None else int(value)


def read_score(value, cell: Cell, what: str = "score") -> float | None:
    """A score, rank or grade, which must be there and be a number; None after noting what is wrong."""
    if value is None:
        return cell.note(f"missing-{what}")
    if type(value) in (int, float, NumberText):
        value = float(value)
        if is_usable(value, what):
            return value
        note_bad_value(what, str(value), value, cell.problems, cell.line, cell.field)
    else:
        note_bad_value(what, show_value(value), None, cell.problems, cell.line, cell.field)
    return None


def read_texts(value, cell: Cell, each: Callable = read_text) -> list | None:
    """A list of text (or of what `each` reads); a single one counts as a list of one."""
    if is_missing(value):
        return None
    if type(value) is not list:
        value = [value]
    return [
        part for part in (_read_present(item, cell.member(i), each) for i, item in enumerate(value)) if part is not None
    ]


def _read_present(value, cell: Cell, each: Callable):
    if is_missing(value):
        return cell.note_wrong_type(value, "text")
    return each(value, cell)


def read_object(value, cell: Cell) -> dict | None:
    """An object, or None where nothing stands or after noting that it is none."""
    if type(value) is dict or is_missing(value):
        return value if type(value) is dict else None
    return cell.note_wrong_type(value, "an object")


def check_field_count(fields: dict, cell: Cell) -> None:
    """Raise for an object with more fields than any table may have columns; nothing else is looked for then."""
    if len(fields) > MAX_COLUMNS:
        raise InputError([Problem("too-many-columns/object", {"count": len(fields), "most": MAX_COLUMNS},
                                  cell.problems.file, cell.line or None, cell.field)])


def note_unread(fields: Iterable[str], cell: Cell) -> None:
    """Warn of fields that are not read."""
    for name in sorted(fields):
        cell.problems.add("unread-field", {"name": name}, line=cell.line, field=name, severity="warning")


def note_attribute_columns(fields: list[str], problems: Collector, line: int) -> None:
    """Warn of all columns or fields that become attributes."""
    problems.add("unknown-columns", {"count": len(fields), "columns": fields[:50], "unnamed": max(len(fields) - 50, 0)},
                 line=line, field=fields[0], severity="warning")
