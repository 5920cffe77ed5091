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
from ragdash.io.assemble.query_ids import as_id
from ragdash.io.assemble.row_query_details import RowDetails
from ragdash.io.assemble.run_chunks import Part
from ragdash.io.field_names import DETAILS, OF_QUERY, RETURNED, find_all
from ragdash.io.json.typed_fields import Cell
from ragdash.io.tables import cells
from ragdash.io.tables.header import Header
from ragdash.io.tables.row_reader import Columns

ABOUT = "about "  # before the names of such columns, to tell them from those of documents


class Beside:
    """The columns of a header that tell of queries: `wanted` {name to read it by: index}.

    documents: {our name: index} of the columns about documents; where there is no id of the query, the question is the
    id, and is added to them.
    """

    def __init__(self, header: Header, documents: dict[str, int], problems: Collector, is_truth: bool = False):
        names, passed = ((*TRUTH_TYPES,), (*RETURNED, *DETAILS[2:-1])) if is_truth else (DETAILS, None)
        self.header, self.problems, self.is_truth = header, problems, is_truth
        self.by_text = "query_id" not in documents and "query" in header.columns
        self._rows = RowDetails(problems, header.mapping, names, passed) if passed else RowDetails(problems,
                                                                                                   header.mapping)
        taken = {name: header.names[at] for name, at in documents.items()}
        fields = self._rows.fields(dict.fromkeys(header.names), taken)
        if self.by_text:
            documents["query_id"] = header.columns["query"]
        self.wanted = {f"{ABOUT}{field}": header.names.index(field) for field in fields}

    def unread(self, documents: Mapping[str, int]) -> list[str]:
        """The columns that are read by nobody; those of the other role are passed over without a word."""
        header, read = self.header, {*self.wanted.values(), *documents.values()}
        other = set(find_all(header.names, self._rows.passed, OF_QUERY).values())
        return [name for at, name in enumerate(header.names) if at not in read and name not in other]

    def ids(self, columns: Columns) -> Columns:
        """The columns with the ids of the queries: where there are none, the text of the questions."""
        if not self.by_text:
            return columns
        names, codes = encode(columns["query_id"])
        asked = pa.array([as_id(name) for name in names.to_pylist()], pa.string()).dictionary_encode()
        codes = asked.indices.to_numpy()[codes].astype(np.int32)
        ids = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), asked.dictionary)
        return replace(columns, columns={**columns.columns, "query_id": pa.chunked_array([ids])})

    def add_to_runs(self, parts: Mapping[str | None, Rows]) -> None:
        """Give the rows of each configuration what their queries tell, and its settings."""
        if not self.wanted:
            return
        told = {config: Part(config) for config in parts}
        for config, rows in parts.items():
            self._rows.add_columns(config, rows.query_ids, rows.about, self._value, rows.lines, ABOUT)
        self._rows.tell(told)
        for config, rows in parts.items():
            seen = encode(rows.query_ids)[0].to_pylist()
            rows.details = details_table(dict.fromkeys(seen, 0), told[config].details, seen, RUN_TYPES)
            rows.settings = told[config].settings

    def of_truth(self, columns: Columns) -> pa.Table | None:
        """The details of a truth."""
        if not self.wanted:
            return None
        about = {name: column for name, column in columns.columns.items() if name.startswith(ABOUT)}
        self._rows.add_columns(None, columns["query_id"], about, self._value, columns.lines, ABOUT)
        details = {query_id: truth_details(told.fields, self._rows.known, Cell(self.problems, told.line, ""))
                   for (_, query_id), told in self._rows.queries()}
        seen = encode(columns["query_id"])[0].to_pylist()
        return details_table(dict.fromkeys(seen, 0), details, seen, TRUTH_TYPES)

    def _value(self, field: str, written: str, line: int | None):
        """The value of a cell."""
        name = next((name for name, known in self._rows.known.items() if known == field), None)
        if name is None:
            return cells.attribute(written)
        return cells.value_of(name, written, Cell(self.problems, line, field))
