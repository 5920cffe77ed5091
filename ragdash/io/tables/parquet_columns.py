"""Parquet files: opened within limits, and read by whole columns where every value is plain."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import is_valid
from ragdash.core.errors import Collector
from ragdash.core.records import Run
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.json.numbers import all_usable
from ragdash.io.source.limits import HARMLESS_ROWS, MAX_BYTES, MAX_COLUMNS, MAX_GROWTH, MAX_ROWS_PER_BYTE
from ragdash.io.source.source import Source
from ragdash.io.tables.excel_sheets import fail_damaged
from ragdash.io.tables.header import Header
from ragdash.io.tables.plain_columns import has_odd_ids, split_by_config
from ragdash.io.tables.row_reader import NUMBER_COLUMNS, TableColumns

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

PLAIN_COLUMNS = {"query_id", "doc_id", "config", "score", "rank", "text"}


def open_parquet(source: Source, but: str | None = None, in_pieces: bool = False) -> ParquetFile:
    """The file, its texts dictionary-encoded, `but` this column; InputError if it is damaged or expands too much.

    in_pieces: texts are as they are, and no bytes of the file are kept after they were read.
    """
    from pyarrow import parquet  # slow to import, and few files want it

    try:
        limits = {"thrift_string_size_limit": 100 << 20, "thrift_container_size_limit": 10 << 20}
        schema = parquet.ParquetFile(source.arrow_file(), **limits).schema
        leaves = map(schema.column, range(len(schema)))
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY" and leaf.path != but]
        file = parquet.ParquetFile(source.arrow_file(), read_dictionary=None if in_pieces else texts,
                                   pre_buffer=not in_pieces, **limits)
        values = _count_values(file.metadata)
    except (pa.ArrowException, OSError, ValueError) as error:
        fail_damaged(source, "a Parquet file", error)
    if values > HARMLESS_ROWS and values > MAX_ROWS_PER_BYTE * source.stored_size:
        source.fail("zip-bomb/parquet-rows", {"values": values, "packed": source.stored_size})
    return file


def python_values(column: pa.Array) -> list:
    """The values of a column as Python has them; times that it has no form for, such as the year 12,000 or
    nanoseconds, as their text.

    Examples
    --------
    >>> python_values(pa.array([0, 2**31 - 1], pa.date32()))
    [datetime.date(1970, 1, 1), '2147483647 date32[day]']
    """
    try:
        return column.to_pylist()
    except (OverflowError, ValueError):
        return [_python_value(scalar) for scalar in column]


def python_rows(table: pa.Table) -> list[dict]:
    """The rows of a table, with the values of `python_values`."""
    columns = [[value for chunk in column.chunks for value in python_values(chunk)] for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _python_value(scalar: pa.Scalar) -> object:
    if not scalar.is_valid:
        return None
    if isinstance(scalar, pa.MapScalar):  # which is a list too
        return [(_python_value(pair["key"]), _python_value(pair["value"])) for pair in scalar.values]
    if isinstance(scalar, pa.ListScalar | pa.LargeListScalar | pa.FixedSizeListScalar):
        return [_python_value(item) for item in scalar.values]
    if isinstance(scalar, pa.StructScalar):
        return {name: _python_value(item) for name, item in scalar.items()}
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        if not pa.types.is_temporal(scalar.type):
            raise  # such as a text that is not UTF-8
        text = f"{scalar.value} {scalar.type}"
    try:
        return scalar.cast(pa.string()).as_py().replace(" ", "T", 1) if pa.types.is_timestamp(scalar.type) else text
    except (pa.ArrowException, ValueError):  # such as a time zone that the system does not know
        return text


def _count_values(metadata) -> int:
    """The largest number of values in a column; each element of a list counts."""
    counts = [0] * metadata.num_columns
    for group_index in range(metadata.num_row_groups):
        group = metadata.row_group(group_index)
        counts = [count + group.column(i).num_values for i, count in enumerate(counts)]
    return max((metadata.num_rows, *counts))


def read_runs(source: Source, name: str | None) -> list[Run] | None:
    """The runs of a file with a row for each returned document, by whole columns.

    None where anything asks for the exact reader: other columns, missing or odd values, other types.
    """
    file = open_parquet(source)
    header = Header(tuple(file.schema_arrow.names), ",", 1, source.mapping)
    columns = header.columns
    is_plain = (len(columns) == len(header.names) <= MAX_COLUMNS and not header.is_beir
                and {"query_id", "doc_id"} <= columns.keys() <= PLAIN_COLUMNS
                and ({"score", "rank"} & columns.keys()))
    if not is_plain or not file.metadata.num_rows:
        return None
    doc_id = header.names[columns["doc_id"]]
    try:
        table = (open_parquet(source, but=doc_id) if _is_small(file, doc_id) else file).read()
        size = sum(expanded_size(chunk) for column in table.columns for chunk in column.chunks)
    except (pa.ArrowException, OSError, ValueError) as error:  # of the size: a value that its dictionary does not have
        fail_damaged(source, "a Parquet file", error)
    check_growth(source, size)
    problems = source.collector()
    values = plain_values(table, {field: header.names[index] for field, index in columns.items()}, problems)
    if values is None:
        return None
    return build_runs(split_by_config(TableColumns(values, len(table), None, 0)), source, name, problems)


def _is_small(file: ParquetFile, name: str) -> bool:
    """Whether a column of texts is sure to stay small without its dictionary. Such a column is read five times as fast.

    A text that many rows share is in the dictionary of its row group. The first row comes with the whole dictionary, or
    with its own text alone where it does not use the dictionary: then nothing is known.
    """
    most = 0
    for group in range(file.metadata.num_row_groups):
        for row in islice(file.iter_batches(1, [group], [name]), 1):
            column = row.column(0)
            if not pa.types.is_dictionary(column.type) or len(column.dictionary) < 2:
                return False
            most += file.metadata.row_group(group).num_rows * pc.max(pc.binary_length(column.dictionary)).as_py()
    return most <= MAX_BYTES // 2


def plain_values(table: pa.Table, names: Mapping[str, str], problems: Collector) -> dict | None:
    """{our field: (N,) column} of rows with {our field: the table's column}; None where a value is missing or odd.

    Whole numbers as ids become text, and are noted.
    """
    values = {}
    for field, name in names.items():
        column = table.column(name)
        if field in ("query_id", "doc_id") and pa.types.is_integer(column.type) and not column.null_count:
            column = column.cast(pa.string())
            problems.add("number-as-text/column", {"value": column[0].as_py()}, line=1, field=name,
                         severity="warning", count=len(column))
        plain = _numbers(column, field) if field in NUMBER_COLUMNS else _texts(column, field)
        if plain is None:
            return None
        values[field] = plain
    return values


def _numbers(column: pa.ChunkedArray, field: str) -> np.ndarray | None:
    """A column of numbers as float64; None where one is missing or cannot be used."""
    kind = column.type
    if column.null_count or not (pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)):
        return None
    if pa.types.is_float32(kind):
        column = column.cast(pa.string())  # the shortest digits, as other files have them
    values = column.cast(pa.float64(), safe=False).to_numpy()
    return values if all_usable(values, field) else None


def _texts(column: pa.ChunkedArray, field: str) -> pa.ChunkedArray | None:
    """A column of texts; None where one is missing or odd."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if column.null_count or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or not is_valid(column):
        return None
    if field == "text":
        column = column.cast(pa.string())
        return None if pc.any(pc.equal(column, "")).as_py() else column
    if not pa.types.is_dictionary(column.type) or not pa.types.is_string(kind):
        column = column.cast(pa.string())
    if has_odd_ids(column):
        return None
    return column if field == "query_id" else column.cast(pa.string())


def check_growth(source: Source, size: int) -> None:
    """Raise InputError where a file expands to too many bytes."""
    if size > MAX_BYTES or (size > MAX_BYTES // 2 and size > MAX_GROWTH * source.stored_size):
        source.fail("zip-bomb/parquet", {"packed": source.stored_size, "size": size, "most": MAX_BYTES})


def expanded_size(column: pa.Array) -> int:
    """Bytes of a column without dictionary encoding."""
    kind = column.type
    if pa.types.is_dictionary(kind) and (pa.types.is_string(kind.value_type) or pa.types.is_binary(kind.value_type)):
        return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
    if pa.types.is_struct(kind):
        return sum(map(expanded_size, column.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return expanded_size(column.flatten())
    return column.nbytes
