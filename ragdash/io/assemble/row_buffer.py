"""Buffer for the rows of one configuration. Rows are packed into columns in chunks, to save memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import plain_array
from ragdash.io.assemble.assemble_runs import Rows
from ragdash.io.assemble.query_fields import RUN_TYPES, details_table
from ragdash.io.json.exact_parser import to_python
from ragdash.io.json.typed_fields import Cell, read_object

ROWS_PER_CHUNK = 1 << 16  # rows held as Python values before they are packed
NUMBERS, TEXTS = ("score", "rank"), ("text", "source")


class RowBuffer:
    """The rows of one configuration. has_lists: each query came with an ordered list."""

    def __init__(self, config: str | None = None) -> None:
        self.config = config
        self.number_lines: dict[
            tuple[str, bool], int
        ] = {}  # (score or rank, is it there) -> line of the first such rows
        self.query_lines: dict[str, int] = {}
        self.details: dict[str, dict] = {}
        self.settings: dict = {}
        self.has_lists: bool | None = None
        self._with_rows: set[str] = set()
        self._packed: dict[str, list] = {name: [] for name in ("query_id", "doc_id", "place", *NUMBERS, *TEXTS)}
        self._clear()

    def _clear(self) -> None:
        self._queries: list[str] = []
        self._counts: list[int] = []
        self._docs: list[str] = []
        self._columns: dict[str, list] = {name: [] for name in (*NUMBERS, *TEXTS)}

    def append(self, query_id: str, docs: list, columns: dict[str, list]) -> None:
        """The documents of a query, in their order."""
        self._with_rows.add(query_id)
        self._queries.append(query_id)
        self._counts.append(len(docs))
        before = len(self._docs)
        self._docs.extend(docs)
        for name, given in columns.items():
            if given:
                values = self._columns[name]
                values.extend([None] * (before - len(values)))
                values.extend(given)
        if len(self._docs) >= ROWS_PER_CHUNK:
            self._pack()

    def note_settings(self, value, cell: Cell) -> None:
        """Take the settings of an object or row; the first ones count."""
        settings = read_object(value, cell)
        if settings is None:
            return
        try:
            settings = to_python(settings)
            differ = bool(self.settings) and settings != self.settings
        except RecursionError:
            cell.note("wrong-type/nested-settings")
            return
        if differ:
            cell.note("settings-differ", {"settings": settings}, severity="warning")
        self.settings = self.settings or settings

    def _pack(self) -> None:
        counts = np.array(self._counts, np.int64)
        queries = pa.array(self._queries, pa.string()).dictionary_encode()
        codes = np.repeat(queries.indices.to_numpy(), counts)
        self._packed["query_id"].append(pa.DictionaryArray.from_arrays(plain_array(codes), queries.dictionary))
        self._packed["place"].append(counts)
        self._packed["doc_id"].append(pa.array(self._docs, pa.string()))
        for name, values in self._columns.items():
            values.extend([None] * (len(self._docs) - len(values)))
            if name in TEXTS:
                self._packed[name].append(pa.array(values, pa.string()))
            else:
                self._packed[name].append(np.array(values, np.float64) if values.count(None) < len(values) else None)
        self._clear()

    def to_rows(self) -> Rows:
        """The columns for Run.build."""
        self._pack()
        columns = {name: _concatenate(self._packed.pop(name)) for name in list(self._packed)}
        columns |= {name: None for name in TEXTS if columns[name].null_count == len(columns[name])}
        ranks = columns["rank"]
        order_source = "list" if ranks is None else "ranked list" if self.has_lists else "rank"
        if ranks is None and self.has_lists and columns["score"] is not None:
            ranks = _list_positions(columns["place"])
        return Rows(columns["query_id"], columns["doc_id"], columns["score"], ranks, columns["text"],
                    columns["source"],
                    details_table(self.query_lines, self.details, self._with_rows, RUN_TYPES), self.settings,
                    order_source)


def _list_positions(counts: np.ndarray) -> np.ndarray:
    """0, 1, 2 ... for each query."""
    starts = np.cumsum(counts) - counts
    return np.arange(counts.sum(), dtype=np.float64) - np.repeat(starts, counts)


def _concatenate(chunks: list):
    """One column from its chunks; None if no row has a value."""
    if all(chunk is None for chunk in chunks):
        return None
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    return pa.chunked_array([chunk for packed in chunks
                             for chunk in (packed.chunks if isinstance(packed, pa.ChunkedArray) else [packed])])
