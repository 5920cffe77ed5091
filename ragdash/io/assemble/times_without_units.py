"""Columns of times that no format has a name for. `time(s)` says its unit. Where the name has none, such as latency, or
is no more than one, such as seconds, the values show it, or the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ragdash.core.errors import Collector

_MAY_BE_TIME = re.compile(r"laten|elapsed|duration|runtime|time|took|timing|^\s*sec(?:ond)?s\s*$", re.IGNORECASE)
_LATEST = 1e7  # numbers above it are points in time
_MILLISECONDS = {"latency_s": 1000.0, "latency_ms": 1.0}  # of one unit
_UNITS = {"latency_s": "seconds", "latency_ms": "milliseconds"}

Cells = Mapping[tuple[str | None, str], object]  # {(configuration, query): value}


def take_times(details: Mapping[str | None, Mapping[str, dict]], columns: Mapping[str, Cells],
               problems: Collector, as_number: Callable[[object], float | None], *, of_run: bool) -> list[str]:
    """Read columns of times as latency where the name or the values show the unit; the columns that are taken.

    details: {configuration: {query: its details}}, which get `latency_ms`. of_run: False for the truth in the rows of
    a run: these times are none of its attributes, whatever their unit is.
    """
    taken = []
    has_answers = any("answer" in fields for queries in details.values() for fields in queries.values())
    for column, cells in columns.items():
        values = _times(column, cells, as_number)
        if not values:
            continue
        if not of_run:
            taken.append(column)
            continue
        from ragdash.io.proposals.content.times import is_seconds, likely_units, time_stage

        if is_seconds(column) and not has_answers:
            continue
        stage, named = time_stage(column), _named_unit(column)
        units = (named,) if named else likely_units(list(values.values()), has_answers)
        facts = {"name": column, "low": min(values.values()), "high": max(values.values()), "unit": _UNITS[units[0]]}
        other = next(unit for unit in _UNITS if unit != units[0])
        if len(units) > 1:
            problems.add("time-unit/unknown", {**facts, "other": _UNITS[other], "field": units[0],
                                               "other_field": other}, field=column, severity="warning")
        elif all(stage not in (details[config][query].get("latency_ms") or {}) for config, query in values):
            for (config, query), value in values.items():
                fields = details[config][query]
                fields["latency_ms"] = {**(fields.get("latency_ms") or {}), stage: value * _MILLISECONDS[units[0]]}
            taken.append(column)
            if not named:
                problems.add("time-unit", {**facts, "other": _UNITS[other], "other_field": other}, field=column,
                             severity="note")
    return taken


def _times(column: str, cells: Cells, as_number: Callable[[object], float | None]) -> dict[tuple[str | None, str],
                                                                                           float]:
    """The numbers of a column of times, empty cells left out; {} for any other column."""
    if not _MAY_BE_TIME.search(column):
        return {}
    from ragdash.io.proposals.content.times import is_seconds, names_time

    numbers = {key: as_number(value) for key, value in cells.items()
               if value is not None and not isinstance(value, bool) and str(value).strip()}
    times = {key: number for key, number in numbers.items() if number is not None and 0 <= number < _LATEST}
    is_time = names_time(column) or is_seconds(column, list(times.values())) or (
        _named_unit(column) and not is_seconds(column))
    return times if times and len(times) == len(numbers) and is_time else {}


def _named_unit(column: str) -> str:
    """latency_s or latency_ms for a column that names its unit, such as time(s); "" for any other."""
    from ragdash.io.proposals.content.times import time_stage, time_unit

    unit = time_unit(column) if time_stage(column) else ""
    return f"latency_{unit}" if unit else ""
