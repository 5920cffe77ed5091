"""Rows of documents also tell of their queries: what is the same in all rows of a query is a detail of it."""

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

_DOCUMENT_NAMES = {normalize_name(other) for name, others in ALIASES.items() if name != "query" for other in others}
QueryKey = tuple[str | None, str]  # configuration, query


class QueryValues(NamedTuple):
    """What the rows of a query tell: {field: value}, and the line of the first of them."""

    fields: dict
    line: int | None


class RowDetails:
    """Gathers the values of the fields that are not about a document; `queries` gives them, query by query.

    names: what may be told of a query; passed: our names of what belongs to the other role, and is passed over. Fields
    of other names are attributes, unless they differ between the rows of a query. known: {our name: field}.
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
        """Those fields that tell of the query; row: {our name: field} of what is about the document."""
        fields = tuple(fields)
        if fields not in self._selected:
            taken = {field for name, field in row.items() if name not in ("query", "attribute")}
            free = [field for field in fields if field not in taken]
            given = {name: field for name, field in self.mapping.items() if name in self.names and field in free}
            marked = self.mapping.get("attribute")
            found = {**find_fields([field for field in free if field != marked], self.names, QUERY_ALIASES), **given}
            passed = set(find_fields(free, self.ignored, QUERY_ALIASES).values())
            self.schema |= found
            mine = set(found.values())
            unknown = [field for field in free if field == marked or (field not in mine and field not in passed
                       and normalize_name(field) not in _DOCUMENT_NAMES)]
            self._attribute_fields |= dict.fromkeys(unknown)
            self._selected[fields] = [field for field in free if field in mine or field in unknown]
        return self._selected[fields]

    def add_row(self, key: QueryKey, fields: dict, names: list[str], line: int | None) -> None:
        """Take what one row tells."""
        told = self._values.setdefault(key, QueryValues({}, line)).fields
        for name in names:
            value = fields.get(name)
            if not is_missing(value):
                before = told.setdefault(name, value)
                if before is not value and not _are_equal(before, value):
                    self._note_conflict(name, key[1], before, value, line)

    def add_columns(self, config: str | None, query_ids, columns: Mapping[str, pa.ChunkedArray],
                    read: Callable, lines: list[int] | None, before: str = "") -> None:
        """Take what the rows of a table tell: (N,) columns of text, null where nothing stands, named `before` + field.

        read(field, text, line) gives the value of a cell.
        """
        names, codes = encode(query_ids)
        names = names.to_pylist()
        for name, column in columns.items():
            field = name.removeprefix(before)
            present = np.flatnonzero(column.is_valid().to_numpy())
            queries, first = np.unique(codes[present], return_index=True)
            row_of = np.zeros(len(names), np.int64)
            row_of[queries] = present[first]
            same = pc.equal(take(column, present), take(column, row_of[codes[present]]))
            values = take(column, row_of[queries]).to_pylist()
            for query, row, text in zip(queries.tolist(), row_of[queries].tolist(), values, strict=True):
                line = None if lines is None else lines[row]
                told = self._values.setdefault((config, names[query]), QueryValues({}, line)).fields
                told[field] = read(field, text, line)
            odd = present[~same.to_numpy(zero_copy_only=False)] if len(present) else present
            _, at = np.unique(codes[odd], return_index=True)
            for row in odd[np.sort(at)].tolist():
                first = take(column, row_of[codes[row:row + 1]])[0].as_py()
                self._note_conflict(field, names[codes[row]], first, take(column, np.array([row]))[0].as_py(),
                           None if lines is None else lines[row])

    def _note_conflict(self, field: str, query_id: str, one, other, line: int | None) -> None:
        """Two rows of a query tell different things: of a field with a meaning the first counts."""
        if field in self.schema.values():
            name = next(name for name, known in self.schema.items() if known == field)
            self.problems.add("conflicting-values", {"query": query_id, "field": field, "value": show_value(one),
                              "other": show_value(other), "meaning": name}, line=line, field=field, severity="warning")
        else:
            self._conflicts.setdefault(field, {"value": show_value(one), "other": show_value(other), "query": query_id})

    def queries(self) -> Iterator[tuple[QueryKey, QueryValues]]:
        """What was told of each query; first it is noted which fields become attributes and which are not read."""
        for field, facts in self._conflicts.items():
            self.problems.add("unread-column/differs", facts, line=1, field=field, severity="warning")
        marked = self.mapping.get("attribute")
        kept = [field for field in self._attribute_fields if field not in self._conflicts]
        if [field for field in kept if field != marked]:
            note_attribute_columns([field for field in kept if field != marked], self.problems, 1)
        for key, told in self._values.items():
            fields = {field: value for field, value in told.fields.items() if field not in self._conflicts}
            if fields:
                yield key, QueryValues(fields, told.line)


    def add_to_buffers(self, parts: Mapping[str | None, RowBuffer]) -> None:
        """Give each configuration's part the details and settings of its queries."""
        for (config, query_id), told in self.queries():
            part, cell = parts[config], Cell(self.problems, told.line, "")
            part.details[query_id] = run_details(told.fields, self.schema, cell)
            settings = self.schema.get("settings")
            part.note_settings(told.fields.get(settings), Cell(self.problems, told.line, settings or "settings"))


def _are_equal(one, other) -> bool:
    try:
        return one == other
    except RecursionError:
        return False
