"""JSON column by column: {"question": [...], "answer": [...]}, or each column as {row: value}, as pandas does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdash.core.records import Run, Truth
from ragdash.io.field_names import RUN_MARKERS, TRUTH_MARKERS, resolve_fields
from ragdash.io.formats import jsonl
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.source.source import Source

_TEXT_VALUES = r'"\s*:\s*(?:\[\s*"|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*")'  # behind a key: a list or an object of texts


def is_json_columns(text: str, top: list[str], is_cut: bool) -> bool:
    """True for columns that we know: the questions or their ids as texts, and what was returned or is right.

    is_cut: the text ends before its end, perhaps in the first column.
    """
    known = resolve_fields(top)
    asked = [known[name] for name in ("query", "query_id") if name in known]
    return (is_cut or any(name in known for name in (*RUN_MARKERS, *TRUTH_MARKERS))) and any(
        re.search(f'"{re.escape(field)}{_TEXT_VALUES}', text) for field in asked)


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
        members = [InputEntry(0, part, key) for key, part in value.items()]
    else:
        members = list(exact.members())
    columns = {}
    for line, part, key in members:
        if type(part) in (list, dict):
            columns[key] = dict(enumerate(part)) if type(part) is list else part
        elif exact is None:
            raise NeedsExact
        else:
            exact.problems.add("wrong-type/beside-columns", {"key": key}, line=line, field=key)
    rows = list(next(iter(columns.values()), {}))
    odd = next((key for key, part in columns.items() if list(part) != rows), None)
    if odd is not None and exact is None:
        raise NeedsExact
    if odd is not None:
        exact.problems.add("unequal-lists/columns", {"count": len(columns[odd]), "name": odd, "other_count": len(rows),
                           "other": next(iter(columns))}, line=1, field=odd)
        return
    line = members[0].line if members else 1
    for row in rows:
        yield InputEntry(line, {key: part[row] for key, part in columns.items()})
