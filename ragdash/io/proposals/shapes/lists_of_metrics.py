"""Lists of metrics in records: [{"key": "correctness", "score": 1}, ...] under each query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragdash.io.proposals.names import SURE_METRICS, words

_NAMES = ("metric", "metric_name", "metricName", "evaluator", "criterion", "key", "name")
_VALUES = ("score", "value", "metric_score", "result")
_HOLDERS = {"metric", "evaluation", "evaluator", "score", "feedback", "assessment", "judgment"}  # in its path
_LOOKED_AT, _DEEPEST = 200, 3  # records; objects above a list
Path = tuple[str, ...]


def with_metrics_by_name(rows: Sequence[dict]) -> list[dict]:
    """The records; a list of metrics becomes an object of their values, {"correctness": 1}: it is no ranking."""
    sample = rows[:_LOOKED_AT]
    members = {path: names for path in _list_paths(sample[0] if sample else {}, ())
               if (names := _members([_at(row, path) for row in sample], path))}
    return [_replaced(row, members) for row in rows] if members else list(rows)


def _list_paths(value: dict, above: Path) -> Iterator[Path]:
    for name, member in value.items():
        path = (*above, str(name))
        if type(member) is list and member and all(type(item) is dict for item in member):
            yield path
        elif type(member) is dict and len(path) <= _DEEPEST:
            yield from _list_paths(member, path)


def _members(lists: list, path: Path) -> tuple[str, str] | None:
    """(the member that names a metric, the one with its value); None for lists of anything else.

    Metrics are the same in most records that were measured and come once in each; their names or that of the list are
    words for metrics.
    """
    lists = [values for values in lists if type(values) is list and values]
    items = [item for values in lists for item in values]
    if len(lists) < 2 or not items or not all(type(item) is dict for item in items):
        return None
    name = next((name for name in _NAMES if all(type(item.get(name)) is str for item in items)), None)
    value = next((value for value in _VALUES if all(value in item for item in items)), None)
    if name is None or value is None:
        return None
    counts = Counter(item[name] for item in items)
    rare = sum(2 * count < len(lists) for count in counts.values())
    repeated = any(len({item[name] for item in values}) < len(values) for values in lists)
    known = sum(not SURE_METRICS.isdisjoint(words(metric)) for metric in counts)
    is_held = any(not _HOLDERS.isdisjoint(words(part)) for part in path)
    return None if rare or repeated or not (is_held or name.startswith("metric") or 2 * known >= len(counts)) else (
        name, value)


def _at(row: dict, path: Path):
    for name in path:
        row = row.get(name) if type(row) is dict else None
    return row


def _replaced(row: dict, members: dict[Path, tuple[str, str]], above: Path = ()) -> dict:
    """The record with the values of the metrics by name at these paths."""
    out = {}
    for key, value in row.items():
        path = (*above, str(key))
        if path in members and type(value) is list:
            name, number = members[path]
            out[key] = {item[name]: item.get(number) for item in value}
        else:
            is_above = type(value) is dict and any(known[:len(path)] == path for known in members)
            out[key] = _replaced(value, members, path) if is_above else value
    return out
