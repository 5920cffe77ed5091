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
from ragdash.io.assemble.run_chunks import Part
from ragdash.io.field_names import DETAILS, NAMES, OF_QUERY, OF_TRUTH, find_all, plain
from ragdash.io.json.typed_fields import Cell, is_missing, note_unknown, shown

_OF_DOCUMENTS = {plain(other) for name, others in NAMES.items() if name != "query" for other in others}
Key = tuple[str | None, str]  # configuration, query


class Told(NamedTuple):
    """What the rows of a query tell: {field: value}, and the line of the first of them."""

    fields: dict
    line: int | None


class RowDetails:
    """Gathers the values of the fields that are not about a document; `queries` gives them, query by query.

    names: what may be told of a query; passed: our names of what belongs to the other role, and is passed over. Fields
    of other names are attributes, unless they differ between the rows of a query. known: {our name: field}.
    """

    def __init__(self, problems: Collector, mapping: Mapping[str, str], names: tuple[str, ...] = DETAILS,
                 passed: tuple[str, ...] = OF_TRUTH):
        self.problems, self.mapping, self.names, self.passed = problems, mapping, names, passed
        self.known: dict[str, str] = {}
        self._told: dict[Key, Told] = {}
        self._unknown: dict[str, None] = {}
        self._differ: dict[str, dict] = {}  # field -> the facts of the first difference
        self._fields: dict[tuple, list[str]] = {}

    def fields(self, fields: Iterable[str], row: Mapping[str, str]) -> list[str]:
        """Those fields that tell of the query; row: {our name: field} of what is about the document."""
        fields = tuple(fields)
        if fields not in self._fields:
            taken = {field for name, field in row.items() if name not in ("query", "attribute")}
            free = [field for field in fields if field not in taken]
            given = {name: field for name, field in self.mapping.items() if name in self.names and field in free}
            marked = self.mapping.get("attribute")
            found = {**find_all([field for field in free if field != marked], self.names, OF_QUERY), **given}
            passed = set(find_all(free, self.passed, OF_QUERY).values())
            self.known |= found
            mine = set(found.values())
            unknown = [field for field in free if field == marked or (field not in mine and field not in passed
                       and plain(field) not in _OF_DOCUMENTS)]
            self._unknown |= dict.fromkeys(unknown)
            self._fields[fields] = [field for field in free if field in mine or field in unknown]
        return self._fields[fields]

    def add(self, key: Key, fields: dict, names: list[str], line: int | None) -> None:
        """Take what one row tells."""
        told = self._told.setdefault(key, Told({}, line)).fields
        for name in names:
            value = fields.get(name)
            if not is_missing(value):
                before = told.setdefault(name, value)
                if before is not value and not _same(before, value):
                    self._note(name, key[1], before, value, line)

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
                told = self._told.setdefault((config, names[query]), Told({}, line)).fields
                told[field] = read(field, text, line)
            odd = present[~same.to_numpy(zero_copy_only=False)] if len(present) else present
            _, at = np.unique(codes[odd], return_index=True)
            for row in odd[np.sort(at)].tolist():
                first = take(column, row_of[codes[row:row + 1]])[0].as_py()
                self._note(field, names[codes[row]], first, take(column, np.array([row]))[0].as_py(),
                           None if lines is None else lines[row])

    def _note(self, field: str, query_id: str, one, other, line: int | None) -> None:
        """Two rows of a query tell different things: of a field with a meaning the first counts."""
        if field in self.known.values():
            name = next(name for name, known in self.known.items() if known == field)
            self.problems.add("conflicting-values", {"query": query_id, "field": field, "value": shown(one),
                              "other": shown(other), "meaning": name}, line=line, field=field, severity="warning")
        else:
            self._differ.setdefault(field, {"value": shown(one), "other": shown(other), "query": query_id})

    def queries(self) -> Iterator[tuple[Key, Told]]:
        """What was told of each query; first it is noted which fields become attributes and which are not read."""
        for field, facts in self._differ.items():
            self.problems.add("unread-column/differs", facts, line=1, field=field, severity="warning")
        marked = self.mapping.get("attribute")
        kept = [field for field in self._unknown if field not in self._differ]
        if [field for field in kept if field != marked]:
            note_unknown([field for field in kept if field != marked], self.problems, 1)
        for key, told in self._told.items():
            fields = {field: value for field, value in told.fields.items() if field not in self._differ}
            if fields:
                yield key, Told(fields, told.line)


    def tell(self, parts: Mapping[str | None, Part]) -> None:
        """Give each configuration's part the details and settings of its queries."""
        for (config, query_id), told in self.queries():
            part, cell = parts[config], Cell(self.problems, told.line, "")
            part.details[query_id] = run_details(told.fields, self.known, cell)
            settings = self.known.get("settings")
            part.note_settings(told.fields.get(settings), Cell(self.problems, told.line, settings or "settings"))


def _same(one, other) -> bool:
    try:
        return one == other
    except RecursionError:
        return False
