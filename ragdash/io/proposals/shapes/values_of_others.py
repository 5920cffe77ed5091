"""Members of a file that belong to a list next to them.

Scores next to parallel lists: {"inputs": {"question": [...]}, "results": {"mrr": {"individual_scores": [...]}}}.
Answers of several models next to the questions they answer, by their ids: {"tasks": [...], "evaluations": [...]}.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdash.io.proposals.names import DOCUMENT, ID, QUESTION, words

_DEEPEST = 3
_VALUE = "value"


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


def joined_with_questions(root: Mapping, name: str) -> list[dict]:
    """The records of a list, each with those of another list that its id names; [] where no list has such ids.

    The other list has every id once and is shorter: the tasks of several models. Values of raters become their mean.
    """
    rows = _records(root.get(name))
    if len(rows) < 2:
        return []
    for other, value in root.items():
        tasks = _records(value)
        if other == name or len(tasks) < 2 or len(tasks) >= len(rows):
            continue
        for key in tasks[0]:
            if _names_query(str(key)) and key in rows[0]:
                by_id = {repr(task.get(key)): task for task in tasks}
                if len(by_id) == len(tasks) and all(repr(row.get(key)) in by_id for row in rows):
                    return [{**by_id[repr(row[key])], **_with_means(row)} for row in rows]
    return []


def _records(value) -> list[dict]:
    return value if type(value) is list and all(type(item) is dict and item for item in value) else []


def _names_query(name: str) -> bool:
    names = set(words(name))
    return bool(names & ID) and names.isdisjoint(DOCUMENT | {"model", "user", "rater", "annotator"})


def _with_means(row: dict) -> dict:
    """The record with one value of each annotation: {"fluency": {"rater 1": {"value": 4}, "rater 2": {"value": 3}}}."""
    return {name: {key: _one_value(member) for key, member in value.items()} if _is_rated(value) else value
            for name, value in row.items()}


def _is_rated(value) -> bool:
    return type(value) is dict and bool(value) and all(
        type(member) is dict and member and all(type(rated) is dict and _VALUE in rated for rated in member.values())
        for member in value.values())


def _one_value(member: dict):
    """The mean of numbers, or the value that all raters gave; None where they differ in words."""
    values = [rated[_VALUE] for rated in member.values()]
    numbers = _numbers(values)
    if numbers:
        return sum(numbers) / len(numbers)
    return values[0] if all(value == values[0] for value in values) else None


def _numbers(values: Sequence) -> list[float]:
    try:
        return [float(value) for value in values if type(value) is not bool]
    except (TypeError, ValueError):
        return []


def with_questions_of(root: dict, rows: list[dict], key: str) -> list[dict]:
    """The records with the questions that a list has under their keys: {"queries": [...], "runs": {...}}."""
    keys = {row[key] for row in rows}
    for items in root.values():
        if type(items) is not list or len(items) < 2 or not all(type(item) is dict for item in items):
            continue
        for name in items[0]:
            by_id = {str(item.get(name)): item for item in items}
            if len(by_id) == len(items) and keys <= by_id.keys():
                return [{key: row[key], **by_id[row[key]], **row} for row in rows]
    return rows


def with_texts_of(root: object, rows: list[dict], key: str) -> list[dict]:
    """The records with the texts that an object of queries has under their keys: {"queries": {"q1": "Who?"}, ...}."""
    keys = {row.get(key) for row in rows}
    for name, texts in root.items() if type(root) is dict and not any("query" in row for row in rows) else ():
        if type(texts) is dict and not QUESTION.isdisjoint(words(str(name))) and keys and keys <= texts.keys() and all(
                type(texts[key]) is str for key in keys):
            return [{"query": texts[row[key]], **row} for row in rows]
    return rows
