"""Scores next to parallel lists: {"inputs": {"question": [...]}, "results": {"mrr": {"individual_scores": [...]}}}."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_DEEPEST = 3


def with_values_of_others(rows: list[dict], root: dict, path: str) -> list[dict]:
    """The records with a number each of the lists as long as they are, which other members of the file have."""
    if not path or len(rows) < 2:
        return rows
    first = path.split(".")[0]
    columns = {name: values for key, member in root.items() if key != first
               for name, values in _lists(str(key), member, len(rows), _DEEPEST) if name not in rows[0]}
    return [{**row, **{name: values[index] for name, values in columns.items()}} for index, row in enumerate(rows)]


def _lists(path: str, value: Any, size: int, depth: int) -> Iterator[tuple[str, list]]:
    if type(value) is list and len(value) == size and all(
            item is None or (type(item) is not bool and type(item) not in (str, list, dict)) for item in value):
        yield path, value
    elif type(value) is dict and depth and len(value) <= 100:
        for key, member in value.items():
            yield from _lists(f"{path}.{key}", member, size, depth - 1)
