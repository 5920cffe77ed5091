"""Separate the columns of a file that hold the values of metrics from those that describe its queries.

A field without a meaning for a run or a truth is an attribute of the query. One
of numbers or labels whose name is that of a metric, or whose value differs between the runs of the file, is a metric.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import orjson

from ragdash.core.errors import Collector
from ragdash.core.file_scores import FileScores
from ragdash.core.text.metric_names import (
    LONGEST_LABEL,
    are_verdicts,
    at_cutoff,
    is_measured,
    labels_in,
    may_be_metric,
    may_differ,
    may_group_scores,
    may_hold_labels,
    may_hold_scores,
)
from ragdash.io.assemble.times_without_units import take_times
from ragdash.io.json.typed_fields import note_attribute_columns
from ragdash.io.tables.failed_scores import note_failures, without_failures

NATIVE = "metrics"  # the field of our own files
_TRUTH_VALUES = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_MISSING = ("", "nan", "none", "null", "n/a", "na", "-")
_CUTOFFS = ("k", "top_k", "topk")  # next to values of metrics
_MEMBERS = ("score", "value")  # of a metric that is an object: {"score": 0.5, "reason": "..."}
_FEWEST = 3  # queries of a category
Value = float | str | None
Cells = dict[tuple[str | None, str], object]  # {(configuration, query): value}
Attributes = dict[tuple[str | None, str], dict[str, object]]


def take_scores(details: Mapping[str | None, Mapping[str, dict]], problems: Collector,
                mapped: str | None = None, *, of_run: bool = True) -> dict[str | None, list[tuple[str, str, Value]]]:
    """Move the columns of metrics out of the attributes of all queries; {configuration: (query, metric, value)}.

    details: {configuration: {query: its details}}; "attributes" in them loses these columns. mapped: a column that the
    user has declared an attribute; of_run: False for a truth. What was taken for a metric, for an attribute and for a
    time, is noted.
    """
    attributes: Attributes = {(config, query): orjson.loads(fields["attributes"])
                              for config, queries in details.items() for query, fields in queries.items()
                              if fields.get("attributes")}
    columns: dict[str, Cells] = {}
    for key, fields in attributes.items():
        for name, value in fields.items():
            if name != mapped:
                columns.setdefault(name, {})[key] = value
    for column in take_times(details, columns, problems, _number, of_run=of_run):
        for key in columns.pop(column):
            del attributes[key][column]
    scores: dict[str | None, list[tuple[str, str, Value]]] = {}
    noted: list[str] = []
    scored = {column: dict(zip(cells, without_failures(list(cells.values())), strict=True))
              for column, cells in columns.items()}
    by_column = {column: _metrics_in(column, cells) for column, cells in scored.items()}
    repeated = Counter(name for metrics in by_column.values() for name in metrics)
    for column, cells in columns.items():
        metrics = {name if repeated[name] == 1 or name == column else f"{column}.{name}": values
                   for name, values in by_column[column].items()}  # two judges have a verdict each
        for name, values in metrics.items():
            for (config, query), value in values.items():
                scores.setdefault(config, []).append((query, name, value))
        if metrics:
            noted += [name for name in metrics if column != NATIVE]
            for key in cells:
                del attributes[key][column]
            note_failures(column, list(cells.values()), list(scored[column].values()), problems)
    for (config, query), left in attributes.items():
        _replace_attributes(details[config][query], left)
    if noted:
        problems.add("file-metrics", {"names": noted[:20], "count": len(noted)}, field=noted[0], severity="note")
    unclear = [column for column in columns if may_be_metric(column) and any(column in left
                                                                           for left in attributes.values())]
    if unclear:
        note_attribute_columns(unclear, problems, 1)
    return scores


def refuse_content_beside_scores(details: Mapping[str | None, Mapping[str, dict]], scores: Mapping,
                                 problems: Collector) -> None:
    """Note an error where a file that seems to hold nothing but metrics has lists or long texts too, or no metric."""
    values: dict[str, list[object]] = {}
    for fields in (fields for queries in details.values() for fields in queries.values() if "attributes" in fields):
        for name, value in orjson.loads(fields["attributes"]).items():
            values.setdefault(name, []).append(value)
    columns = [name for name, cells in values.items() if any(map(_is_content, cells)) and may_differ(name) and not (
        _are_categories(cells))]
    if columns:
        problems.add("missing-field/content", {"columns": list(columns)[:10], "example": next(iter(columns))},
                     field=next(iter(columns)))
    elif not scores:
        problems.add("no-rows/returned")


def _is_content(value: object) -> bool:
    """Whether this may be something returned: a list, an object or a long text."""
    if isinstance(value, str):
        return len(value) > LONGEST_LABEL or value.lstrip()[:1] in ("[", "{")
    return isinstance(value, (list, dict)) and bool(value)


def _are_categories(cells: Sequence[object]) -> bool:
    """True for texts of which each is that of several queries, such as "grounded + correct retrieval"."""
    return all(isinstance(cell, str) and cell.lstrip()[:1] not in ("[", "{") for cell in cells) and (
        len(cells) >= _FEWEST * len(set(map(str, cells))))


def without_scores(details: Mapping[str, dict], problems: Collector, mapped: str | None = None) -> None:
    """Take the columns of metrics out of the attributes of a truth that is in the rows of a run."""
    take_scores({None: details}, Collector(problems.file), mapped, of_run=False)


def note_unread_attributes(details: Iterable[Mapping[str, dict]], names: Collection[str], problems: Collector) -> None:
    """Warn of attributes of these names that hold something measured or returned which is not read: fractions that
    differ, and lists, objects or long texts of which most queries have their own.
    """
    cells_by_name: dict[str, list[object]] = {}
    for fields in (fields for queries in details for fields in queries.values() if names and fields.get("attributes")):
        for name, value in orjson.loads(fields["attributes"]).items():
            if name in names:
                cells_by_name.setdefault(name, []).append(value)
    note_attribute_columns([name for name, cells in cells_by_name.items() if _are_fractions(cells) or _are_contents(
        cells)], problems, 1)


def _are_fractions(cells: Sequence[object]) -> bool:
    """True for numbers that differ and are not all whole."""
    return len(set(map(str, cells))) > 1 and all(isinstance(cell, (int, float)) for cell in cells) and any(
        isinstance(cell, float) and not cell.is_integer() for cell in cells)


def _are_contents(cells: Sequence[object]) -> bool:
    """True for lists, objects or long texts of which most queries have their own."""
    contents = [orjson.dumps(cell, option=orjson.OPT_SORT_KEYS) for cell in cells if _is_content(cell)]
    return 2 * len(set(contents)) > len(cells)


def attach(scores: Iterable[tuple[str, str, Value]], run_name: str) -> FileScores:
    """The scores of one configuration as those of the run of this name."""
    return FileScores.build((query, run_name, metric, value) for query, metric, value in scores)


def _replace_attributes(fields: dict, left: dict) -> None:
    if left:
        fields["attributes"] = orjson.dumps(left, option=orjson.OPT_SORT_KEYS).decode()
    else:
        del fields["attributes"]


def _metrics_in(column: str, cells: Cells) -> dict[str, dict[tuple[str | None, str], Value]]:
    """{metric: its values} of a column; none where it is an attribute."""
    cells = {key: value for key, value in cells.items() if not _is_missing(value)}
    if not cells:
        return {}
    if any(isinstance(value, dict) for value in cells.values()):
        return _members(column, cells) if may_group_scores(column) else {}
    differs = may_differ(column) and _differs(cells)
    are_percents = all(isinstance(value, str) and value.strip().endswith("%") for value in cells.values())
    numbers = {key: _number(value.strip()[:-1] if are_percents and isinstance(value, str) else value)
               for key, value in cells.items()}
    if all(number is not None for number in numbers.values()):
        is_metric = may_hold_scores(column) or differs or (
            may_hold_labels(column) and all(isinstance(value, (bool, str)) for value in cells.values())) or (
            not any(_is_truth_value(value) for value in cells.values())
            and is_measured(column, [number for number in numbers.values() if number is not None]))
        return {column: dict(numbers)} if is_metric else {}
    texts = {key: value.strip() for key, value in cells.items() if isinstance(value, str) and value.strip()}
    if len(texts) < len(cells):
        return {}
    labels = labels_in(list(texts.values()))
    if labels and (may_hold_labels(column) or may_hold_scores(column) or differs or (
            may_differ(column) and are_verdicts(labels))):
        return {column: dict(texts)}
    return {}


def _members(column: str, cells: Cells) -> dict[str, dict[tuple[str | None, str], Value]]:
    """The metrics in a column of objects: {"mrr": 0.5}, {"faithfulness": {"score": 1.0, "reason": "..."}}, and by their
    cutoffs, {"1": 0.5, "10": 0.8}.
    """
    members: dict[str, dict[tuple[str | None, str], Value]] = {}
    for key, value in cells.items():
        for name, member in (value.items() if isinstance(value, dict) else ()):
            name = at_cutoff(column, name)
            if isinstance(member, dict):
                member = next((member[inner] for inner in _MEMBERS if inner in member), None)
            number = None if name in _CUTOFFS else _number(member)
            if number is not None:
                members.setdefault(column if name in _MEMBERS else name, {})[key] = number
            elif isinstance(member, str) and may_hold_labels(name):
                members.setdefault(name, {})[key] = member.strip()
    return {name: values for name, values in members.items() if _is_uniform(values)}


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().casefold() in _MISSING) or (
        isinstance(value, float) and math.isnan(value))


def _is_truth_value(value: object) -> bool:
    """True or false, also as the text that a CSV file has: a property of the query more often than a score."""
    return isinstance(value, bool) or (isinstance(value, str) and value.strip().casefold() in _TRUTH_VALUES)


def _is_uniform(values: Mapping[tuple[str | None, str], Value]) -> bool:
    """All numbers, or a few labels."""
    texts = [value for value in values.values() if isinstance(value, str)]
    return not texts or (len(texts) == len(values) and bool(labels_in(texts)))


def _differs(cells: Cells) -> bool:
    """Whether a query has different values in different configurations."""
    first: dict[str, object] = {}
    return any(first.setdefault(query, value) != value for (_, query), value in cells.items())


def _number(value: object) -> float | None:
    """A number, true or false, or a text that is one of these; None for anything else, and for no finite number."""
    if isinstance(value, str):
        text = value.strip().casefold()
        if text in _TRUTH_VALUES:
            return _TRUTH_VALUES[text]
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, (bool, int, float)):
        return float(value) if math.isfinite(value) else None
    return None
