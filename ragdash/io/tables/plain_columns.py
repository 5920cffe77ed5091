"""Columns of rows of returned documents, read as a whole: checks of ids, and one part per configuration."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.io.assemble.assemble_runs import Rows
from ragdash.io.tables.query_columns import QUERY_PREFIX
from ragdash.io.tables.row_reader import TableColumns


def has_odd_ids(column: pa.ChunkedArray) -> bool:
    """Whether an id is empty or has blanks or tabs around it."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary for chunk in column.chunks], pa.string())
    is_clean = pc.and_(pc.equal(pc.ascii_trim(column, " \t"), column), pc.greater(pc.binary_length(column), 0))
    return not pc.all(is_clean).as_py()


def split_by_config(columns: TableColumns) -> dict[str | None, Rows]:
    """{configuration: its rows}, in order of appearance; {None: all} without a column of configurations."""
    configs = columns.get("config")
    if configs is None:
        return {None: _select_rows(columns, None)}
    values = pc.unique(configs.cast(pa.string())).to_pylist()
    if len(values) < 2:
        return {value: _select_rows(columns, None) for value in values or [None]}
    return {value: _select_rows(columns, pc.equal(configs.cast(pa.string()), value)) for value in values}


def _select_rows(columns: TableColumns, mask: pa.ChunkedArray | None) -> Rows:
    def column(name: str):
        values = columns.get(name)
        if values is None or mask is None:
            return values
        return values[mask.to_numpy()] if isinstance(values, np.ndarray) else values.filter(mask)

    texts, sources = column("text"), column("source")
    return Rows(column("query_id"), column("doc_id"), column("score"), column("rank"),
                None if texts is None or texts.null_count == len(texts) else texts,
                None if sources is None or sources.null_count == len(sources) else sources,
                query_columns={name: column(name) for name in columns.columns if name.startswith(QUERY_PREFIX)},
                lines=columns.lines if mask is None or columns.lines is None else
                np.array(columns.lines)[mask.to_numpy()].tolist())
