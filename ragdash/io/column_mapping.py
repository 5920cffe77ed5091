"""Check the mapping {our field: their column} that the user gives."""

from __future__ import annotations

from ragdash.core.errors import InputError, Problem
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import FIELDS
from ragdash.io.source.source import HEAD_BYTES, Source

_SHARED_FIELDS = {"query_id", "query", "config", "doc_id", "attribute"}
RUN_FIELDS = set(FIELDS) - {"relevant", "grade", "evidence", "answers"}
TRUTH_FIELDS = _SHARED_FIELDS | {"relevant", "grade", "evidence", "answers"}


def check_mapping(source: Source, detected: DetectedFormat, fields: set[str]) -> None:
    """Raise InputError for an unknown field and for a column that the file does not have.

    Files without columns (TREC, JSON dictionaries) and fields that play no part here are passed over, so that one
    mapping may serve the runs and the truth.
    """
    problems = []
    for name, column in source.mapping.items():
        if name not in FIELDS:
            problems.append(Problem("unknown-field/mapping", {"name": name, "fields": list(FIELDS)}, source.file,
                                    field=name))
        elif name in fields and detected.columns and not _has_column(column, detected, source):
            problems.append(Problem("unknown-column", {"column": column, "columns": _list_columns(detected.columns),
                                    "name": name}, source.file, field=column))
    if problems:
        raise InputError(problems)


def _has_column(column: str, detected: DetectedFormat, source: Source) -> bool:
    """True for a column, and for a path into a field of JSON; fields may also begin behind what was looked at."""
    if detected.format.startswith("json") and (
        len(source.head) >= HEAD_BYTES - 3 or column.split(".")[0] in detected.columns
    ):
        return True
    return column in detected.columns


def _list_columns(columns: tuple[str, ...]) -> str:
    suffix = f" and {len(columns) - 20} more" if len(columns) > 20 else ""
    return ", ".join(columns[:20]) + suffix
