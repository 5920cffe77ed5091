"""A small checker of JSON schemas: what the questions to judges need of them, and no more.

Understood: type (a word or several), properties, required, items, minItems, maxItems, enum, minimum, maximum,
minLength. Keys that the schema does not name are left out of the result, the raw reply keeps them. A whole number
is accepted where a text is asked for (ids come back as numbers); nothing else is converted: "0.5" is no number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite

from ragdash.core.errors import shorten

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class SchemaMismatch(ValueError):
    """A value that does not have the shape asked for; its text says to the judge what to fix."""


def fitted(value: object, schema: Mapping, ids: Sequence[str] = ()) -> object:
    """The value with only what the schema names. ids: the first list of objects with an "id" holds exactly these, and
    is put in their order. Raises Unfit.
    """
    fit = _fit(value, schema, "the reply")
    if ids and isinstance(fit, dict):
        name = next((name for name, inner in schema.get("properties", {}).items()
                     if "id" in inner.get("items", {}).get("properties", {})), None)
        if name is None:
            raise SchemaMismatch("no list with ids in the schema")
        fit[name] = _in_order(fit.get(name) or [], ids)
    return fit


def _fit(value: object, schema: Mapping, where: str) -> object:
    value = _typed(value, schema.get("type"), where)
    if "enum" in schema and not any(value == item and isinstance(value, bool) == isinstance(item, bool)
                                    for item in schema["enum"]):
        raise SchemaMismatch(
            f"{where} is {shorten(repr(value), 60)}, not one of {', '.join(map(repr, schema['enum']))}"
        )
    if isinstance(value, dict):
        return _object(value, schema, where)
    if isinstance(value, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        if not least <= len(value) <= most:
            raise SchemaMismatch(f"{where} has {len(value)} entries, not {least} to {most}")
        return [_fit(item, schema.get("items", {}), f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, str) and len(value.strip()) < schema.get("minLength", 0):
        raise SchemaMismatch(f"{where} is empty")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_bounds(value, schema, where)
    return value


def _typed(value: object, wanted: str | Sequence[str] | None, where: str) -> object:
    names = (wanted,) if isinstance(wanted, str) else tuple(wanted or ())
    if not names or any(_is(value, name) for name in names):
        return value
    if "string" in names and _is(value, "integer"):
        return str(int(value))
    raise SchemaMismatch(f"{where} is {shorten(repr(value), 60)}, not of type {' or '.join(names)}")


def _is(value: object, name: str) -> bool:
    if name in ("number", "integer"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return isinstance(value, int) or (isfinite(value) and (name == "number" or value == int(value)))
    return isinstance(value, _TYPES[name])


def _object(value: dict, schema: Mapping, where: str) -> dict:
    properties = schema.get("properties", {})
    absent = [name for name in schema.get("required", ()) if name not in value]
    if absent:
        raise SchemaMismatch(f"{where} lacks {', '.join(map(repr, absent))}")
    return {name: _fit(value[name], inner, f"{where}.{name}") for name, inner in properties.items() if name in value}


def _check_bounds(value: float, schema: Mapping, where: str) -> None:
    low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    if not low <= value <= high:
        raise SchemaMismatch(f"{where} is {value}, not in [{low}, {high}]")


def _in_order(verdicts: list[dict], ids: Sequence[str]) -> list[dict]:
    given = Counter(str(identifier.get("id")) for identifier in verdicts)
    wrong = [f"{word} {', '.join(map(repr, unexpected[:5]))}" for word, unexpected in (
        ("it lacks the ids", [identifier for identifier in ids if identifier not in given]),
        ("it has the unknown ids", [identifier for identifier in given if identifier not in set(ids)]),
        ("it repeats the ids", [identifier for identifier, n in given.items() if n > 1])) if unexpected]
    if wrong:
        raise SchemaMismatch("; ".join(wrong))
    by_id = {str(identifier["id"]): identifier for identifier in verdicts}
    return [by_id[identifier] for identifier in ids]
