"""Query details in rows of documents: a value that is the same in all rows of a query is a detail of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode, take
from ragdash.core.errors import Collector
from ragdash.io.assemble.query_fields import run_details
from ragdash.io.assemble.row_buffer import RowBuffer
from ragdash.io.field_names import ALIASES, DETAIL_FIELDS, QUERY_ALIASES, TRUTH_MARKERS, find_fields, normalize_name
from ragdash.io.json.typed_fields import Cell, is_missing, note_attribute_columns, show_value

_DOCUMENT_NAMES = {normalize_name(alias) for name, aliases in ALIASES.items() if name != "query" for alias in aliases}
QueryKey = tuple[str | None, str]  # configuration, query


class QueryValues(NamedTuple):
    """The query details in the rows of a query: {field: value}, and the line of the first row."""

    fields: dict
    line: int | None


class RowDetails:
    """Collects the values of fields that do not describe a document; `queries` returns them by query.

    names: our names of query details; ignored: our names of fields of the other role. Fields with other names are
    attributes, unless they differ between the rows of a query. schema: {our name: field}.
    """

    def __init__(self, problems: Collector, mapping: Mapping[str, str], names: tuple[str, ...] = DETAIL_FIELDS,
                 passed: tuple[str, ...] = TRUTH_MARKERS):
        self.problems, self.mapping, self.names, self.ignored = problems, mapping, names, passed
        self.schema: dict[str, str] = {}
        self._values: dict[QueryKey, QueryValues] = {}
        self._attribute_fields: dict[str, None] = {}
        self._conflicts: dict[str, dict] = {}  # field -> the facts of the first difference
        self._selected: dict[tuple, list[str]] = {}

    def select_fields(self, fields: Iterable[str], row: Mapping[str, str]) -> list[str]:
        """The fields that describe the query; row: {our name: field} of those that describe the document."""
        fields = tuple(fields)
        if fields not in self._selected:
            document_fields = {field for name, field in row.items() if name not in ("query", "attribute")}
            free = [field for field in fields if field not in document_fields]
            mapped = {name: field for name, field in self.mapping.items() if name in self.names and field in free}
            marked = self.mapping.get("attribute")
            schema = {**find_fields([field for field in free if field != marked], self.names, QUERY_ALIASES), **mapped}
            passed = set(find_fields(free, self.ignored, QUERY_ALIASES).values())
            self.schema |= schema
            detail_fields = set(schema.values())
            attribute_fields = [
                field
                for field in free
                if field == marked
                or (field not in detail_fields and field not in passed and normalize_name(field) not in _DOCUMENT_NAMES)
            ]
            self._attribute_fields |= dict.fromkeys(attribute_fields)
            self._selected[fields] = [field for field in free if field in detail_fields or field in attribute_fields]
        return self._selected[fields]

    def add_row(self, key: QueryKey, fields: dict, names: list[str], line: int | None) -> None:
        """Take the details in one row."""
        values = self._values.setdefault(key, QueryValues({}, line)).fields
        for name in names:
            value = fields.get(name)
            if not is_missing(value):
                first_value = values.setdefault(name, value)
                if first_value is not value and not _are_equal(first_value, value):
                    self._note_conflict(name, key[1], first_value, value, line)

    def add_columns(self, config: str | None, query_ids, columns: Mapping[str, pa.ChunkedArray],
                    read: Callable, lines: list[int] | None, prefix: str = "") -> None:
        """Take the details in the rows of a table: (N,) columns of text, null for missing values, named prefix + field.

        read(field, text, line) gives the value of a cell.
        """
        names, codes = encode(query_ids)
        names = names.to_pylist()
        for name, column in columns.items():
            field = name.removeprefix(prefix)
            present = np.flatnonzero(column.is_valid().to_numpy())
            queries, first = np.unique(codes[present], return_index=True)
            row_of = np.zeros(len(names), np.int64)
            row_of[queries] = present[first]
            equal = pc.equal(take(column, present), take(column, row_of[codes[present]]))
            values = take(column, row_of[queries]).to_pylist()
            for query, row, text in zip(queries.tolist(), row_of[queries].tolist(), values, strict=True):
                line = None if lines is None else lines[row]
                fields = self._values.setdefault((config, names[query]), QueryValues({}, line)).fields
                fields[field] = read(field, text, line)
            odd = present[~equal.to_numpy(zero_copy_only=False)] if len(present) else present
            _, first_indices = np.unique(codes[odd], return_index=True)
            for row in odd[np.sort(first_indices)].tolist():
                first = take(column, row_of[codes[row:row + 1]])[0].as_py()
                self._note_conflict(field, names[codes[row]], first, take(column, np.array([row]))[0].as_py(),
                           None if lines is None else lines[row])

    def _note_conflict(self, field: str, query_id: str, first_value, other_value, line: int | None) -> None:
        """Note different values in two rows of a query; for a known field, the first one counts."""
        if field in self.schema.values():
            name = next(name for name, schema_field in self.schema.items() if schema_field == field)
            self.problems.add(
                "conflicting-values",
                {
                    "query": query_id,
                    "field": field,
                    "value": show_value(first_value),
                    "other": show_value(other_value),
                    "meaning": name,
                },
                line=line,
                field=field,
                severity="warning",
            )
        else:
            self._conflicts.setdefault(
                field, {"value": show_value(first_value), "other": show_value(other_value), "query": query_id}
            )

    def queries(self) -> Iterator[tuple[QueryKey, QueryValues]]:
        """The details of each query, after notes on fields that become attributes and fields that are not read."""
        for field, facts in self._conflicts.items():
            self.problems.add("unread-column/differs", facts, line=1, field=field, severity="warning")
        marked = self.mapping.get("attribute")
        attribute_fields = [field for field in self._attribute_fields if field not in self._conflicts]
        if [field for field in attribute_fields if field != marked]:
            note_attribute_columns([field for field in attribute_fields if field != marked], self.problems, 1,
                                   of_run=self.ignored == TRUTH_MARKERS)
        for key, values in self._values.items():
            fields = {field: value for field, value in values.fields.items() if field not in self._conflicts}
            if fields:
                yield key, QueryValues(fields, values.line)


    def add_to_buffers(self, buffers: Mapping[str | None, RowBuffer]) -> None:
        """Add the details and settings of its queries to the buffer of each configuration."""
        for (config, query_id), values in self.queries():
            buffer, cell = buffers[config], Cell(self.problems, values.line, "")
            buffer.details[query_id] = run_details(values.fields, self.schema, cell)
            settings = self.schema.get("settings")
            buffer.note_settings(values.fields.get(settings), Cell(self.problems, values.line, settings or "settings"))


def _are_equal(left, right) -> bool:
    try:
        return left == right
    except RecursionError:
        return False
