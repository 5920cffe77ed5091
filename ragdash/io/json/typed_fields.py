"""Single values of JSON files: text, numbers, lists, each checked, with its line and field where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ragdash.core.errors import Collector, InputError, Problem, shorten
from ragdash.io.chat_messages import SPOKEN
from ragdash.io.json.exact_parser import NeedsExact, Number
from ragdash.io.json.numbers import is_usable, note_bad_value
from ragdash.io.source.limits import MOST_COLUMNS

_KINDS = {dict: "an object", list: "a list", bool: "true or false", str: "text", type(None): "null", int: "a number",
          float: "a number", Number: "a number"}


class Cell:
    """Where a value stands: its line and field, and who gathers what is wrong with it."""

    __slots__ = ("field", "line", "problems")

    def __init__(self, problems: Collector, line: int, field: str):
        self.problems, self.line, self.field = problems, line, field

    def at(self, part: str | int) -> Cell:
        """The cell of a member or element of this one."""
        return Cell(self.problems, self.line, f"{self.field}[{part}]" if type(part) is int else f"{self.field}.{part}")

    def note(self, message: str, facts: Mapping | None = None, severity: str = "error") -> None:
        """Note a problem of this cell."""
        self.problems.add(message, facts, line=self.line, field=self.field, severity=severity)

    def wrong(self, value, expected: str) -> None:
        """Note that the value has the wrong type."""
        self.note("wrong-type", {"type": _KINDS.get(type(value), 'a value'), "value": shown(value),
                  "expected": expected})


def shown(value) -> str:
    """A value for messages."""
    return str(value) if isinstance(value, Number) else shorten(repr(value), 60)


def is_missing(value) -> bool:
    """True for null and NaN, which stand for nothing in optional fields."""
    return value is None or (type(value) is float and math.isnan(value))


def text(value, cell: Cell) -> str | None:
    """Text, or None where nothing stands. A number is taken as it is written, with a warning."""
    if type(value) is str or is_missing(value):
        return value if type(value) is str else None
    if isinstance(value, Number):
        cell.note("number-as-text", {"value": value}, severity="warning")
        return str(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        raise NeedsExact  # its digits are lost
    return cell.wrong(value, "text")


def asked(value, cell: Cell) -> str | None:
    """The question: text, or of a conversation (a list of what was said) the last part."""
    if type(value) is list and value and all(type(part) is dict for part in value):
        return said(value[-1], cell.at(len(value) - 1))
    return said(value, cell)


def said(value, cell: Cell) -> str | None:
    """Text, bare or as what was said: an object with text or content, or a list of one such."""
    if type(value) is list and len(value) == 1 and type(value[0]) is dict:
        return said(value[0], cell.at(0))
    if type(value) is dict:
        key = next((name for name in SPOKEN if name in value), None)
        if key is None:
            return cell.wrong(value, "text")
        return text(value[key], cell.at(key))
    return text(value, cell)


def identifier(value, cell: Cell) -> str | None:
    """The id of a query or document, or None after noting that it is missing or of a wrong type."""
    if type(value) is str and value:
        return value
    if value == "" or is_missing(value):
        return cell.note("missing-id", {"value": "" if value is None else shown(value)})
    return text(value, cell)


def number(value, cell: Cell) -> float | None:
    """A finite number, or None where nothing stands or after noting that it is none."""
    if is_missing(value):
        return None
    if type(value) in (int, float, Number):
        value = float(value)
        if math.isfinite(value):
            return value
        return cell.note("bad-number", {"value": str(value)})
    return cell.wrong(value, "a number")


def whole(value, cell: Cell) -> int | None:
    """A whole number, or None as in `number`."""
    value = number(value, cell)
    if value is not None and not value.is_integer():
        return cell.note("bad-number/whole", {"value": str(value)})
    return None if value is None else int(value)


def score(value, cell: Cell, what: str = "score") -> float | None:
    """A score, rank or grade, which must be there and be a number; None after noting what is wrong."""
    if value is None:
        return cell.note(f"missing-{what}")
    if type(value) in (int, float, Number):
        value = float(value)
        if is_usable(value, what):
            return value
        note_bad_value(what, str(value), value, cell.problems, cell.line, cell.field)
    else:
        note_bad_value(what, shown(value), None, cell.problems, cell.line, cell.field)
    return None


def texts(value, cell: Cell, each: Callable = text) -> list | None:
    """A list of text (or of what `each` reads); a single one counts as a list of one."""
    if is_missing(value):
        return None
    if type(value) is not list:
        value = [value]
    return [part for part in (_present(item, cell.at(i), each) for i, item in enumerate(value)) if part is not None]


def _present(value, cell: Cell, each: Callable):
    if is_missing(value):
        return cell.wrong(value, "text")
    return each(value, cell)


def members(value, cell: Cell) -> dict | None:
    """An object, or None where nothing stands or after noting that it is none."""
    if type(value) is dict or is_missing(value):
        return value if type(value) is dict else None
    return cell.wrong(value, "an object")


def check_width(fields: dict, cell: Cell) -> None:
    """Raise for an object with more fields than any table may have columns; nothing else is looked for then."""
    if len(fields) > MOST_COLUMNS:
        raise InputError([Problem("too-many-columns/object", {"count": len(fields), "most": MOST_COLUMNS},
                                  cell.problems.file, cell.line or None, cell.field)])


def note_unread(fields: Iterable[str], cell: Cell) -> None:
    """Warn of fields that are not read."""
    for name in sorted(fields):
        cell.problems.add("unread-field", {"name": name}, line=cell.line, field=name, severity="warning")


def note_unknown(fields: list[str], problems: Collector, line: int) -> None:
    """Warn of all columns or fields that become attributes."""
    problems.add("unknown-columns", {"count": len(fields), "columns": fields[:50], "unnamed": max(len(fields) - 50, 0)},
                 line=line, field=fields[0], severity="warning")
