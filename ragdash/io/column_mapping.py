"""Columns and fields named by hand: {our field: their column}."""

from __future__ import annotations

from ragdash.core.errors import InputError, Problem
from ragdash.io.detected_format import Sniffed
from ragdash.io.field_names import FIELDS
from ragdash.io.source.source import HEAD, Source

_OF_BOTH = {"query_id", "query", "config", "doc_id", "attribute"}
RUN_FIELDS = set(FIELDS) - {"relevant", "grade", "evidence", "answers"}
TRUTH_FIELDS = _OF_BOTH | {"relevant", "grade", "evidence", "answers"}


def check_mapping(source: Source, sniffed: Sniffed, wanted: set[str]) -> None:
    """Raise InputError for a field that we do not have, and for a column that the file does not have.

    Files without columns (TREC, JSON dictionaries) and fields that play no part here are passed over, so that one
    mapping may serve the runs and the truth.
    """
    problems = []
    for name, column in source.mapping.items():
        if name not in FIELDS:
            problems.append(Problem("unknown-field/mapping", {"name": name, "fields": list(FIELDS)}, source.file,
                                    field=name))
        elif name in wanted and sniffed.columns and not _is_there(column, sniffed, source):
            problems.append(Problem("unknown-column", {"column": column, "columns": _shown(sniffed.columns),
                                    "name": name}, source.file, field=column))
    if problems:
        raise InputError(problems)


def _is_there(column: str, sniffed: Sniffed, source: Source) -> bool:
    """True for a column, and for a path into a field of JSON; fields may also begin behind what was looked at."""
    if sniffed.format.startswith("json") and (len(source.head) >= HEAD - 3 or column.split(".")[0] in sniffed.columns):
        return True
    return column in sniffed.columns


def _shown(columns: tuple[str, ...]) -> str:
    more = f" and {len(columns) - 20} more" if len(columns) > 20 else ""
    return ", ".join(columns[:20]) + more
