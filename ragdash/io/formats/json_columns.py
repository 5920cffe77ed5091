"""JSON column by column: {"question": [...], "answer": [...]}, or each column as {row: value}, as pandas does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdash.core.records import Run, Truth
from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, resolve_fields, role_of
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Detection, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.source.source import Source

_TEXT_VALUES = r'"\s*:\s*(?:\[\s*"|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*")'  # behind a key: a list or an object of texts
_LIST = r'"\s*:\s*\[[^][]*\]\s*,\s*"'
_PANDAS_SPLIT = re.compile(rf'\{{\s*"(?:columns{_LIST}(?:index|data)|index{_LIST}columns)"')


def detect(start: FileStart) -> Detection | None:
    """Recognizes known columns, and pandas' split form, which is not read."""
    if start.json_text.startswith("["):
        return None
    if _PANDAS_SPLIT.match(start.json_text):
        return Detection("unknown", "unknown", "pandas' split form of a table")
    top = start.keys.get((), [])
    if len(start.objects) > 1 or not _is_json_columns(start.json_text, top, start.is_cut):
        return None
    schema = resolve_fields(top, start.mapping)
    return Detection("json-columns", role_of(schema), "columns in a JSON object", tuple(top), schema)


def _is_json_columns(text: str, top: list[str], is_cut: bool) -> bool:
    """True for columns with questions or ids as texts, and with a field of a run or of the truth.

    is_cut: the text ends before its end, perhaps in the first column.
    """
    schema = resolve_fields(top)
    question_fields = [schema[name] for name in ("query", "query_id") if name in schema]
    return (is_cut or any(name in schema for name in (*RUN_MARKERS, *TRUTH_MARKERS))) and any(
        re.search(f'"{re.escape(field)}{_TEXT_VALUES}', text) for field in question_fields)


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a file of columns."""
    return jsonl.read_runs(source, name, _entries)


def read_truth(source: Source) -> Truth:
    """The truth of a file of columns."""
    return jsonl.read_truth(source, _entries)


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


FORMATS.register(Format("json-columns", "JSON columns", read_runs, read_truth), kind="json", order=40, detect=detect)
