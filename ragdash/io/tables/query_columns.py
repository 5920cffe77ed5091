"""What a table with a row for each document tells of its queries, beside the documents: columns read as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import encode
from ragdash.core.errors import Collector
from ragdash.io.assemble.assemble_runs import Rows
from ragdash.io.assemble.query_fields import RUN_TYPES, TRUTH_TYPES, details_table, truth_details
from ragdash.io.assemble.query_ids import question_as_id
from ragdash.io.assemble.row_buffer import RowBuffer
from ragdash.io.assemble.row_query_details import RowDetails
from ragdash.io.field_names import DETAIL_FIELDS, QUERY_ALIASES, RUN_MARKERS, find_fields
from ragdash.io.json.typed_fields import Cell
from ragdash.io.tables import cells
from ragdash.io.tables.header import Header
from ragdash.io.tables.row_reader import TableColumns

QUERY_PREFIX = "about "  # before the names of such columns, to tell them from those of documents


class QueryColumns:
    """The columns of a header that tell of queries: `wanted` {name to read it by: index}.

    documents: {our name: index} of the columns about documents; where there is no id of the query, the question is the
    id, and is added to them.
    """

    def __init__(self, header: Header, documents: dict[str, int], problems: Collector, is_truth: bool = False):
        names, passed = ((*TRUTH_TYPES,), (*RUN_MARKERS, *DETAIL_FIELDS[2:-1])) if is_truth else (DETAIL_FIELDS, None)
        self.header, self.problems, self.is_truth = header, problems, is_truth
        self.by_text = "query_id" not in documents and "query" in header.columns
        self._rows = RowDetails(problems, header.mapping, names, passed) if passed else RowDetails(problems,
                                                                                                   header.mapping)
        taken = {name: header.names[at] for name, at in documents.items()}
        fields = self._rows.select_fields(dict.fromkeys(header.names), taken)
        if self.by_text:
            documents["query_id"] = header.columns["query"]
        self.indices = {f"{QUERY_PREFIX}{field}": header.names.index(field) for field in fields}

    def unread_columns(self, documents: Mapping[str, int]) -> list[str]:
        """The columns that are read by nobody; those of the other role are passed over without a word."""
        header, read = self.header, {*self.indices.values(), *documents.values()}
        other = set(find_fields(header.names, self._rows.ignored, QUERY_ALIASES).values())
        return [name for at, name in enumerate(header.names) if at not in read and name not in other]

    def with_query_ids(self, columns: TableColumns) -> TableColumns:
        """The columns with the ids of the queries: where there are none, the text of the questions."""
        if not self.by_text:
            return columns
        names, codes = encode(columns["query_id"])
        asked = pa.array([question_as_id(name) for name in names.to_pylist()], pa.string()).dictionary_encode()
        codes = asked.indices.to_numpy()[codes].astype(np.int32)
        ids = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), asked.dictionary)
        return replace(columns, columns={**columns.columns, "query_id": pa.chunked_array([ids])})

    def add_to_runs(self, parts: Mapping[str | None, Rows]) -> None:
        """Give the rows of each configuration what their queries tell, and its settings."""
        if not self.indices:
            return
        told = {config: RowBuffer(config) for config in parts}
        for config, rows in parts.items():
            self._rows.add_columns(
                config, rows.query_ids, rows.query_columns, self._read_value, rows.lines, QUERY_PREFIX
            )
        self._rows.add_to_buffers(told)
        for config, rows in parts.items():
            seen = encode(rows.query_ids)[0].to_pylist()
            rows.details = details_table(dict.fromkeys(seen, 0), told[config].details, seen, RUN_TYPES)
            rows.settings = told[config].settings

    def truth_details_table(self, columns: TableColumns) -> pa.Table | None:
        """The details of a truth."""
        if not self.indices:
            return None
        about = {name: column for name, column in columns.columns.items() if name.startswith(QUERY_PREFIX)}
        self._rows.add_columns(None, columns["query_id"], about, self._read_value, columns.lines, QUERY_PREFIX)
        details = {query_id: truth_details(told.fields, self._rows.schema, Cell(self.problems, told.line, ""))
                   for (_, query_id), told in self._rows.queries()}
        seen = encode(columns["query_id"])[0].to_pylist()
        return details_table(dict.fromkeys(seen, 0), details, seen, TRUTH_TYPES)

    def _read_value(self, field: str, written: str, line: int | None):
        """The value of a cell."""
        name = next((name for name, known in self._rows.schema.items() if known == field), None)
        if name is None:
            return cells.parse_attribute(written)
        return cells.parse_cell(name, written, Cell(self.problems, line, field))
