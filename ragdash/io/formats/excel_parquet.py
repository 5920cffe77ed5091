"""Excel workbooks and Parquet files: one row per query or per document."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pyarrow as pa

from ragdash.core.errors import Collector, InputError
from ragdash.core.records import Run, Truth
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import PARALLEL_FIELDS, corpus_fields, is_corpus_document, is_document_row
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format, Writer
from ragdash.io.json.exact_parser import InputEntry, NumberText
from ragdash.io.json.typed_fields import Cell
from ragdash.io.source import zip_file
from ragdash.io.source.limits import MAX_COLUMNS
from ragdash.io.source.source import CHUNK_BYTES, Source, not_utf8_problem
from ragdash.io.tables import cells, excel_sheets, parquet_columns, query_rows
from ragdash.io.tables.excel_sheets import fail_damaged
from ragdash.io.tables.header import Header, describe_query_rows
from ragdash.io.write import format_writers

ID_FIELDS = ("query_id", "doc_id", "config")
TEXT_FIELDS = ("query", "answer")
_WRITTEN = (bool, datetime.date, datetime.time, datetime.timedelta)  # types whose text each tool writes its own way


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes workbooks and Parquet files, whatever their columns are."""
    source = start.source
    if source.container == "zip" and zip_file.is_workbook(source):
        source.container = "xlsx"
    if source.container not in ("xlsx", "parquet"):
        return None
    header, _ = read_table(source, source.collector())
    if not source.mapping and is_corpus_document(header.names):
        return DetectedFormat(source.container, "corpus", "columns of documents with their texts", header.names,
                              corpus_fields(header.names))
    schema = header.schema
    if header.has_query_rows or not is_document_row(schema):
        role, reason = describe_query_rows(header)
        role = role if header.has_query_rows else "unknown"
    else:
        role = "run" if {"score", "rank"} & schema.keys() else "truth" if "grade" in schema else "unknown"
        reason = f"columns {', '.join(schema.values())}"
    reason = reason.replace("a header line", "columns")
    return DetectedFormat(source.container, role, reason, header.names, dict(schema))


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a workbook or Parquet file, one for each configuration."""
    runs = parquet_columns.read_runs(source, name) if source.container == "parquet" else None
    if runs is not None:
        return runs
    problems = source.collector()
    header, rows = read_table(source, problems)
    return query_rows.build_runs_from_rows(
        source, name, header, _entries(header, rows, problems, _missing_texts(source)), problems
    )


def read_truth(source: Source) -> Truth:
    """The truth in a workbook or Parquet file."""
    problems = source.collector()
    header, rows = read_table(source, problems)
    return query_rows.build_truth_from_rows(
        source, header, _entries(header, rows, problems, _missing_texts(source)), problems
    )


def _missing_texts(source: Source) -> tuple[str, ...]:
    """Texts that mean "no value": Parquet has nulls instead, a workbook has empty texts."""
    return () if source.container == "parquet" else cells.MISSING_TEXTS


def read_table(source: Source, problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    """(header, (row number, values) of each row). Rows count from 1, in a workbook with the header's."""
    header, rows = (_read_parquet if source.container == "parquet" else excel_sheets.read_sheet)(source, problems)
    if len(header.names) > MAX_COLUMNS:
        source.fail("too-many-columns", {"count": len(header.names), "most": MAX_COLUMNS})
    for name, count in Counter(name for name in header.names if name).items():
        if count > 1:
            problems.add("unread-column/repeated", {"name": name}, line=header.line, field=name, severity="warning",
                         count=count - 1)
    return header, rows


def _read_parquet(source: Source, _problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    file = parquet_columns.open_parquet(source)
    return Header(tuple(file.schema_arrow.names), ",", 1, source.mapping), _parquet_rows(source, file)


def _parquet_rows(source: Source, file) -> Iterator[tuple[int, list]]:
    """The rows. The expanded size is checked first, as many rows can share a long text."""
    row = grown = 0
    try:
        for batch in file.iter_batches(batch_size=4096):
            expanded_size = sum(map(parquet_columns.expanded_size, batch.columns))
            grown += expanded_size
            parquet_columns.check_growth(source, grown)
            step = max(1, len(batch) * CHUNK_BYTES // max(expanded_size, 1))
            for start in range(0, len(batch), step):
                columns = [_plain_column(column) for column in batch.slice(start, step).columns]
                for values in zip(*columns, strict=True):
                    row += 1
                    yield row, list(values)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        fail_damaged(source, "a Parquet file", error)


def _plain_column(column: pa.Array) -> list:
    """The values of a column; numbers of half precision and decimals as the text of their digits."""
    if pa.types.is_dictionary(column.type):
        return _plain_column(column.dictionary_decode())
    if pa.types.is_float32(column.type) or pa.types.is_decimal(column.type):
        return [None if text is None else NumberText(text) for text in column.cast(pa.string()).to_pylist()]
    return parquet_columns.python_values(column)


def _entries(header: Header, rows: Iterator[tuple[int, list]], problems: Collector,
             missing: tuple[str, ...]) -> Iterator[InputEntry]:
    """The rows as objects, as in native files. missing: texts that mean "no value", except in ids."""
    names_by_field = {field: name for name, field in header.schema.items()}
    is_wide = header.has_query_rows
    for line, row in rows:
        fields = {}
        for field, value in zip(header.names, row, strict=False):
            if field not in fields:
                if (
                    type(value) is str
                    and value in missing
                    and (names_by_field.get(field) not in ID_FIELDS or not value)
                ):
                    value = None
                value = _cell_value(names_by_field.get(field), value, Cell(problems, line, field), is_wide)
                if value is not None or field in names_by_field:
                    fields[field] = value
        if any(value is not None for value in fields.values()):
            yield InputEntry(line, fields)


def _cell_value(name: str | None, value, cell: Cell, is_wide: bool):
    """The value of a cell as in a native object; bytes of a known field, also those in a list, must be text."""
    for part in _bytes_in(value) if name is not None else ():
        try:
            part.decode()
        except UnicodeDecodeError as error:
            wrong = not_utf8_problem(cell.problems.file, part[error.start:error.start + 1], cell.line, cell.field)
            return cell.problems.take(wrong)
    if name in ID_FIELDS or name in cells.IDS:
        _note_written_ids(value, cell)
    value = plain_value(value)
    if value is None or (type(value) is float and math.isnan(value) and name not in ("score", "rank", "grade")):
        return None
    if name is None:
        return cells.parse_attribute(value) if type(value) is str else value
    if name in ID_FIELDS or name in TEXT_FIELDS:
        return _cell_text(value, cell)
    if type(value) is str and is_wide:
        return cells.parse_cell(name, value, cell)
    if is_wide and name in cells.LISTS and name not in PARALLEL_FIELDS and type(value) not in (list, dict):
        return [_cell_text(value, cell)]
    if type(value) is str and name in ("score", "rank", "grade"):
        return cells.parse_number(value)
    return _cell_text(value, cell) if name in ("text", "source") and not is_wide else value


def _bytes_in(value) -> Iterator[bytes]:
    """The bytes that a value is, or that lists and objects in it hold."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _bytes_in(part)


def _note_written_ids(value, cell: Cell) -> None:
    """Warn of dates, times and truth values as ids: other files may write them otherwise. Lists of ids hold no truth
    values.
    """
    if isinstance(value, (list, tuple)):
        for part in value:
            if type(part) is not bool:
                _note_written_ids(part, cell)
    elif isinstance(value, _WRITTEN):
        text = _cell_text(plain_value(value), cell)
        cell.note("number-as-text/written", {"type": "truth value" if type(value) is bool else "date or time",
                                             "value": text}, severity="warning")


def _cell_text(value, cell: Cell):
    """The text of a number cell, with a warning that its formatting is lost."""
    if isinstance(value, NumberText):
        cell.note("number-as-text/column", {"value": value}, severity="warning")
        return str(value)
    return ("TRUE" if value else "FALSE") if type(value) is bool else value


def plain_value(value):
    """A value with JSON types only; numbers as the shortest text of their digits."""
    if value is None or type(value) is bool or isinstance(value, NumberText):
        return value
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            return value
        return NumberText(int(value) if float(value).is_integer() and abs(value) < 1e15 else repr(value))
    if isinstance(value, dict):
        return {str(key): member for key, member in ((key, plain_value(member)) for key, member in value.items())
                if member is not None}
    if isinstance(value, (list, tuple)):
        pairs = bool(value) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)
        return (
            {str(key): plain_value(member) for key, member in value} if pairs else [plain_value(item) for item in value]
        )
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return NumberText(value)
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


FORMATS.register(
    Format("xlsx", "Excel workbook", read_runs, read_truth), Format("parquet", "Parquet", read_runs, read_truth),
    kind="container", order=10, detect=detect,
    writer=Writer("parquet", 4, (".parquet", ".pq"),
                  format_writers.write_parquet_run, format_writers.write_parquet_truth))
