"""Columns about the queries in a table with one row per document. They are read as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import encode
from ragdash.core.errors import Collector
from ragdash.io.assemble.assemble_runs import Rows
from ragdash.io.assemble.columns_of_scores import take_scores
from ragdash.io.assemble.query_fields import RUN_TYPES, TRUTH_TYPES, details_table, truth_details
from ragdash.io.assemble.query_ids import question_as_id
from ragdash.io.assemble.row_buffer import RowBuffer
from ragdash.io.assemble.row_query_details import RowDetails
from ragdash.io.field_names import DETAIL_FIELDS, MEASURED_FIELDS, QUERY_ALIASES, RUN_MARKERS, find_fields
from ragdash.io.json.typed_fields import Cell
from ragdash.io.tables import cells
from ragdash.io.tables.header import Header
from ragdash.io.tables.row_reader import TableColumns

QUERY_PREFIX = "about "  # prefix that separates names of these columns from those about documents


class QueryColumns:
    """The columns of a header that describe queries; `indices` is {prefixed name: index}.

    documents: {our name: index} of the columns about documents; without a query id, the question
    is the id, and is added to them.
    """

    def __init__(self, header: Header, documents: dict[str, int], problems: Collector, is_truth: bool = False):
        names, passed = ((*TRUTH_TYPES,), (*RUN_MARKERS, *MEASURED_FIELDS)) if is_truth else (DETAIL_FIELDS, None)
        self.header, self.problems, self.is_truth = header, problems, is_truth
        self.by_text = "query_id" not in documents and "query" in header.columns
        self._rows = RowDetails(problems, header.mapping, names, passed) if passed else RowDetails(problems,
                                                                                                   header.mapping)
        document_columns = {name: header.names[index] for name, index in documents.items()}
        fields = self._rows.select_fields(dict.fromkeys(header.names), document_columns)
        if self.by_text:
            documents["query_id"] = header.columns["query"]
        self.indices = {f"{QUERY_PREFIX}{field}": header.names.index(field) for field in fields}

    def unread_columns(self, documents: Mapping[str, int]) -> list[str]:
        """The columns that are not read, without those of the other role, which are ignored silently."""
        header, read = self.header, {*self.indices.values(), *documents.values()}
        ignored = set(find_fields(header.names, self._rows.ignored, QUERY_ALIASES).values())
        return [name for index, name in enumerate(header.names) if index not in read and name not in ignored]

    def with_query_ids(self, columns: TableColumns) -> TableColumns:
        """The columns with query ids; without ids, the text of the question is the id."""
        if not self.by_text:
            return columns
        names, codes = encode(columns["query_id"])
        ids_by_question = pa.array(
            [question_as_id(name) for name in names.to_pylist()], pa.string()
        ).dictionary_encode()
        codes = ids_by_question.indices.to_numpy()[codes].astype(np.int32)
        ids = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), ids_by_question.dictionary)
        return replace(columns, columns={**columns.columns, "query_id": pa.chunked_array([ids])})

    def add_to_runs(self, rows_by_config: Mapping[str | None, Rows]) -> None:
        """Add query details and settings to the rows of each configuration."""
        if not self.indices:
            return
        buffers = {config: RowBuffer(config) for config in rows_by_config}
        for config, rows in rows_by_config.items():
            self._rows.add_columns(
                config, rows.query_ids, rows.query_columns, self._read_value, rows.lines, QUERY_PREFIX
            )
        self._rows.add_to_buffers(buffers)
        scores = take_scores({config: buffer.details for config, buffer in buffers.items()}, self.problems,
                             self.header.mapping.get("attribute"))
        for config, rows in rows_by_config.items():
            query_ids = encode(rows.query_ids)[0].to_pylist()
            rows.details = details_table(dict.fromkeys(query_ids, 0), buffers[config].details, query_ids, RUN_TYPES)
            rows.settings = buffers[config].settings
            rows.file_scores = scores.get(config, [])

    def truth_details_table(self, columns: TableColumns) -> pa.Table | None:
        """The details of a truth."""
        if not self.indices:
            return None
        query_columns = {name: column for name, column in columns.columns.items() if name.startswith(QUERY_PREFIX)}
        self._rows.add_columns(None, columns["query_id"], query_columns, self._read_value, columns.lines, QUERY_PREFIX)
        details = {query_id: truth_details(values.fields, self._rows.schema, Cell(self.problems, values.line, ""))
                   for (_, query_id), values in self._rows.queries()}
        query_ids = encode(columns["query_id"])[0].to_pylist()
        return details_table(dict.fromkeys(query_ids, 0), details, query_ids, TRUTH_TYPES)

    def _read_value(self, field: str, cell_text: str, line: int | None):
        """The value of a cell."""
        name = next((name for name, schema_field in self._rows.schema.items() if schema_field == field), None)
        if name is None:
            return cells.parse_attribute(cell_text)
        return cells.parse_cell(name, cell_text, Cell(self.problems, line, field))
