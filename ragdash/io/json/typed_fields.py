"""Checked reading of single JSON values: text, numbers, lists. Problems name the line and the field."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ragdash.core.errors import Collector, InputError, Problem, shorten
from ragdash.core.text.metric_names import may_be_metric
from ragdash.io.chat_messages import TEXT_FIELDS, messages_of
from ragdash.io.json.exact_parser import NeedsExact, NumberText, StrictCollector
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
    """The position of a value (line and field) and the collector of its problems."""

    __slots__ = ("field", "line", "problems")

    def __init__(self, problems: Collector, line: int, field: str):
        self.problems, self.line, self.field = problems, line, field

    def member(self, key: str | int) -> Cell:
        """The cell of a member or element of this one."""
        return Cell(self.problems, self.line, f"{self.field}[{key}]" if type(key) is int else f"{self.field}.{key}")

    def note(self, message: str, facts: Mapping | None = None, severity: str = "error") -> None:
        """Note a problem of this cell."""
        self.problems.add(message, facts, line=self.line, field=self.field, severity=severity)

    def note_wrong_type(self, value, expected: str) -> None:
        """Note that the value has the wrong type."""
        self.note("wrong-type", {"type": _TYPE_NAMES.get(type(value), 'a value'), "value": show_value(value),
                  "expected": expected})


def show_value(value) -> str:
    """A value as messages show it."""
    return str(value) if isinstance(value, NumberText) else shorten(repr(value), 60)


def is_missing(value) -> bool:
    """True for null and NaN, which mean "no value" in optional fields."""
    return value is None or (type(value) is float and math.isnan(value))


def read_text(value, cell: Cell) -> str | None:
    """Text, or None for a missing value. A number keeps its digits, with a warning."""
    if type(value) is str or is_missing(value):
        return value if type(value) is str else None
    if isinstance(value, NumberText):
        cell.note("number-as-text", {"value": value}, severity="warning")
        return str(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        if isinstance(cell.problems, StrictCollector):
            raise NeedsExact  # its digits are lost
        cell.note("number-as-text", {"value": value}, severity="warning")  # inside a value that a tool has encoded
        return str(value)
    return cell.note_wrong_type(value, "text")


def read_question(value, cell: Cell) -> str | None:
    """The question: text, or the last message of a conversation."""
    if type(value) is list and value and all(type(message) is dict for message in value):
        return read_message(value[-1], cell.member(len(value) - 1))
    return read_message(value, cell)


def read_history(value, cell: Cell) -> list[dict] | None:
    """What was said before a query, oldest first: {"role", "text"} of each message; None where nothing was.

    Other values, such as true or a number, are no messages: they are left out with a warning.
    """
    if is_missing(value) or value in ("", [], {}):
        return None
    messages = messages_of(value)
    if messages is None:
        cell.note("no-messages", {"value": show_value(value)}, severity="warning")
    return messages


def read_earlier_messages(query, history) -> list[dict] | None:
    """The messages before the last one where the query is a list of messages, else those of a list called history."""
    earlier = query[:-1] if type(query) is list and len(query) > 1 else history
    return messages_of(earlier) or None if type(earlier) is list else None


def read_message(value, cell: Cell) -> str | None:
    """Text, plain or as a message: an object with text or content, or a list of one such object."""
    if type(value) is list and len(value) == 1 and type(value[0]) is dict:
        return read_message(value[0], cell.member(0))
    if type(value) is dict:
        key = next((name for name in TEXT_FIELDS if name in value), None)
        if key is None:
            return cell.note_wrong_type(value, "text")
        return read_text(value[key], cell.member(key))
    return read_text(value, cell)


def read_id(value, cell: Cell) -> str | None:
    """The id of a query or document; None, after noting the problem, where it is missing or has a wrong type."""
    if type(value) is str and value:
        return value
    if value == "" or is_missing(value):
        return cell.note("missing-id", {"value": "" if value is None else show_value(value)})
    return read_text(value, cell)


def read_number(value, cell: Cell) -> float | None:
    """A finite number; None for a missing value, or after noting that the value is not a number."""
    if is_missing(value):
        return None
    if type(value) in (int, float, NumberText):
        value = float(value)
        if math.isfinite(value):
            return value
        return cell.note("bad-number", {"value": str(value)})
    return cell.note_wrong_type(value, "a number")


_MOST_WHOLE = 2.0**63  # of a column of whole numbers


def read_whole_number(value, cell: Cell) -> int | None:
    """A whole number; None as in `read_number`."""
    value = read_number(value, cell)
    if value is not None and not (value.is_integer() and abs(value) < _MOST_WHOLE):
        return cell.note("bad-number/whole", {"value": str(value)})
    return None if value is None else int(value)


def read_score(value, cell: Cell, name: str = "score") -> float | None:
    """A required score, rank or grade; None after noting the problem."""
    if value is None:
        return cell.note(f"missing-{name}")
    if type(value) in (int, float, NumberText):
        value = float(value)
        if is_usable(value, name):
            return value
        note_bad_value(name, str(value), value, cell.problems, cell.line, cell.field)
    else:
        note_bad_value(name, show_value(value), None, cell.problems, cell.line, cell.field)
    return None


def read_texts(value, cell: Cell, read_item: Callable = read_text) -> list | None:
    """A list of texts (or of what `read_item` reads); a single value counts as a list of one."""
    if is_missing(value):
        return None
    if type(value) is not list:
        value = [value]
    return [
        item_value
        for item_value in (_read_present(item, cell.member(i), read_item) for i, item in enumerate(value))
        if item_value is not None
    ]


def _read_present(value, cell: Cell, read_item: Callable):
    if is_missing(value):
        return cell.note_wrong_type(value, "text")
    return read_item(value, cell)


def read_object(value, cell: Cell) -> dict | None:
    """An object; None for a missing value, or after noting that the value is not an object."""
    if type(value) is dict or is_missing(value):
        return value if type(value) is dict else None
    return cell.note_wrong_type(value, "an object")


def check_field_count(fields: dict, cell: Cell) -> None:
    """Raise for an object with more fields than a table may have columns."""
    if len(fields) > MAX_COLUMNS:
        raise InputError([Problem("too-many-columns/object", {"count": len(fields), "most": MAX_COLUMNS},
                                  cell.problems.file, cell.line or None, cell.field)])


def note_unread(fields: Iterable[str], cell: Cell) -> None:
    """Warn of fields that are not read."""
    for name in sorted(fields):
        cell.problems.add("unread-field", {"name": name}, line=cell.line, field=name, severity="warning")


def note_attribute_columns(fields: list[str], problems: Collector, line: int, of_run: bool = False) -> None:
    """Warn of all columns or fields that become attributes; of_run: those that may be metrics are noted elsewhere."""
    fields = [field for field in fields if not may_be_metric(field)] if of_run else fields
    if not fields:
        return
    problems.add("unknown-columns", {"count": len(fields), "columns": fields[:50], "unnamed": max(len(fields) - 50, 0)},
                 line=line, field=fields[0], severity="warning")
