"""How long each query took: with a unit in the name of the field, or with one that the values show or that is asked."""

from __future__ import annotations

from dataclasses import replace

from ragdash.io.proposals.assignment import CONTENT, Assignment, is_inside, take
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.times import is_seconds, is_whole_time, likely_units, names_time, time_stage
from ragdash.io.proposals.fields import Field, as_number
from ragdash.io.proposals.names import words

_CONTENT = ("answer", "retrieved", "contexts", "doc_id")  # of a system, next to which a time is its time
_WORK = {"step", "call", "trace", "event", "span"}  # what an agent did on the way
_PEOPLE = {"human", "expert", "manual", "annotator", "reviewer"}  # whose time is no system's
_LATEST = 1e7  # numbers above it are points in time


def assign_times(result: Assignment, free: dict[str, Field], has_runs: bool) -> None:
    """The times of stages, of those with a unit, else of those without; has_runs: only those of each configuration."""
    fields = [item for item in free.values() if ("{run}" in item.path or not has_runs) and _PEOPLE.isdisjoint(
        item.words)]
    stages = {time_stage(item.path) for item in fields if _may_be_duration(item)}
    is_of_system = any(name in result.roles for name in _CONTENT) or len(stages) > 1  # of what a system did
    if times := _one_of_each_stage([item for item in fields if ratings.is_duration(item) and (
            not is_seconds(item.path) or ("answer" in result.roles and is_seconds(item.path, _numbers([item]))))]):
        take(result, free, "latency_s" if all(is_seconds(item.path) for item in times) else "latency_ms", *times)
    elif is_of_system and (
            times := _one_of_each_stage([item for item in fields if _may_be_duration(item)])):
        role = likely_units(_numbers(times), "answer" in result.roles)[0]
        take(result, free, role, *times)


def settle_units_of_times(result: Assignment) -> list[Assignment]:
    """The reading with the other unit, where neither the names nor the values say which it is."""
    role = next((role for role in ("latency_s", "latency_ms") if role in result.roles), "")
    fields = [result.fields[path] for path in result.roles.get(role, "").split("+") if path in result.fields]
    if not fields or not all(map(_may_be_duration, fields)):
        return []
    others = [unit for unit in likely_units(_numbers(fields), "answer" in result.roles) if unit != role]
    roles = {others[0] if name == role else name: path for name, path in result.roles.items()} if others else {}
    return [replace(result, roles=roles)] if others else []


def _one_of_each_stage(fields: list[Field]) -> list[Field]:
    """The time of each stage; as the total the one of the whole query before that of a part without a name here."""
    times: dict[str, Field] = {}
    for item in sorted(fields, key=lambda item: not is_whole_time(item.path)):
        times.setdefault(time_stage(item.path), item)
    chosen = {item.path for item in times.values()}
    return [item for item in fields if item.path in chosen]


def _may_be_duration(item: Field) -> bool:
    """True for numbers under the name of a duration without a unit."""
    return not item.is_list and item.is_number and not item.path.startswith("*.") and "[]" not in item.path and (
        names_time(item.path) and min(_numbers([item])) >= 0 and max(_numbers([item])) < _LATEST)


def _numbers(fields: list[Field]) -> list[float]:
    return [as_number(value) or 0.0 for item in fields for value in item.items]


def settle_times(result: Assignment) -> None:
    """How long each query took, and nothing else, is what such a file measures."""
    if not {"query_id", "latency_ms"} <= result.roles.keys() or set(CONTENT) & result.roles.keys() or (
            len(result.records.rows) < 2):
        return
    rest = [item for path, item in result.fields.items() if not is_inside(path, result.roles)
            and _WORK.isdisjoint(words(path.partition("[]")[0]))]
    if not any(item.is_list or item.is_object or item.is_long_text for item in rest):
        result.roles["scores"] = result.roles.pop("latency_ms")
