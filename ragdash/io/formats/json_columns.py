"""JSON column by column: {"question": [...], "answer": [...]}, or each column as {row: value}, as pandas does.

Also pandas' split form, {"columns": [...], "data": [[...], ...]}, as MLflow writes its tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, resolve_fields, role_of
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.source.source import Source

_TEXT_VALUES = r'"\s*:\s*(?:\[\s*"|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*")'  # behind a key: a list or an object of texts
_LIST = r'"\s*:\s*\[[^][]*\]\s*,\s*"'
_PANDAS_SPLIT = re.compile(rf'\{{\s*"(?:columns{_LIST}(?:index|data)|index{_LIST}columns)"')
_SPLIT_COLUMNS = re.compile(r'"columns"\s*:\s*(\[(?:\s*"(?:[^"\\]|\\.)*"\s*(?:,|(?=\])))*\])')
_TEXTS_OR_IDS = {"retrieved_context": "retrieved_ids", "ground_truth_context": "relevant_ids"}  # lists of MLflow


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes known columns, and pandas' split form."""
    if start.json_text.startswith("["):
        return None
    if _PANDAS_SPLIT.match(start.json_text):
        return _describe_split(start)
    top = start.keys.get((), [])
    if len(start.objects) > 1 or not _is_json_columns(start.json_text, top, start.is_cut):
        return None
    schema = resolve_fields(top, start.mapping)
    return DetectedFormat("json-columns", role_of(schema), "columns in a JSON object", tuple(top), schema)


def _describe_split(start: FileStart) -> DetectedFormat:
    """What the columns of a table in pandas' split form are."""
    written = _SPLIT_COLUMNS.search(start.json_text)
    columns = _parse_names(written[1]) if written else ()
    schema = resolve_fields(columns, start.mapping)
    role = role_of(schema)
    name = "unknown" if role == "unknown" else "json-split"
    return DetectedFormat(name, role, "pandas' split form of a table", columns, schema)


def _parse_names(text: str) -> tuple[str, ...]:
    try:
        names = json.loads(text)
        "".join(names).encode()  # a name may have half of a surrogate pair
    except ValueError:
        return ()
    return tuple(names)


def _is_json_columns(text: str, top: list[str], is_cut: bool) -> bool:
    """True for columns with questions or ids as texts, and with a field of a run or of the truth.

    is_cut: the text ends before its end, perhaps in the first column.
    """
    schema = resolve_fields(top)
    question_fields = [schema[name] for name in ("query", "query_id") if name in schema]
    return (is_cut or any(name in schema for name in (*RUN_MARKERS, *TRUTH_MARKERS))) and any(
        re.search(f'"{re.escape(field)}{_TEXT_VALUES}', text) for field in question_fields)


def _entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    if exact is None:
        value = parse_fast(source.data)
        if type(value) is not dict:
            raise NeedsExact
        members = [InputEntry(0, column, key) for key, column in value.items()]
    else:
        members = list(exact.members())
    columns = {}
    for line, column, key in members:
        if type(column) in (list, dict):
            columns[key] = dict(enumerate(column)) if type(column) is list else column
        elif exact is None:
            raise NeedsExact
        else:
            exact.problems.add("wrong-type/beside-columns", {"key": key}, line=line, field=key)
    rows = list(next(iter(columns.values()), {}))
    odd = next((key for key, column in columns.items() if list(column) != rows), None)
    if odd is not None and exact is None:
        raise NeedsExact
    if odd is not None:
        exact.problems.add("unequal-lists/columns", {"count": len(columns[odd]), "name": odd, "other_count": len(rows),
                           "other": next(iter(columns))}, line=1, field=odd)
        return
    line = members[0].line if members else 1
    for row in rows:
        yield InputEntry(line, {key: column[row] for key, column in columns.items()})


def _split_entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    read = list(exact.single_value()) if exact else [InputEntry(0, parse_fast(source.data))]
    if not read:
        return
    line, table, _ = read[0]
    columns, rows = (table.get(name) if type(table) is dict else None for name in ("columns", "data"))
    if type(columns) is not list or type(rows) is not list or not all(
            type(row) is list and len(row) == len(columns) for row in rows):
        if exact is None:
            raise NeedsExact
        return exact.problems.add("wrong-type/split", line=line)
    names = [_name_of_ids(str(name), [row[i] for row in rows]) for i, name in enumerate(columns)]
    for row in rows:
        yield InputEntry(line, dict(zip(names, row, strict=True)))


def _name_of_ids(name: str, cells: list) -> str:
    """The name of a column, or one for ids: MLflow has ids under names of contexts."""
    items = [item for cell in cells if type(cell) is list for item in cell]
    are_ids = bool(items) and not any(type(item) is not str or " " in item for item in items)
    return _TEXTS_OR_IDS.get(name, name) if are_ids else name


FORMATS.register(jsonl.format_of_objects("json-split", "JSON table", _split_entries),
                 jsonl.format_of_objects("json-columns", "JSON columns", _entries),
                 kind="json", order=40, detect=detect)
