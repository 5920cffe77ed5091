"""Excel workbooks and Parquet files: a row for each query or for each document. Ids are text here too."""

from __future__ import annotations

import datetime
import io
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import BinaryIO

import pyarrow as pa

from ragdash.errors import Collector
from ragdash.io import archive, cells, wide
from ragdash.io.fields import Cell
from ragdash.io.header import Header
from ragdash.io.jsontext import Entry, Number
from ragdash.io.limits import MOST_CELLS, MOST_COLUMNS, MOST_ROWS_A_BYTE, size
from ragdash.io.names import BESIDE
from ragdash.io.source import Source
from ragdash.records import Run, Truth

IDS = ("query_id", "doc_id", "config")
TEXTS = ("query", "answer")
_TAG = re.compile(rb"<(?:\w+:)?(row|c)(\s[^>]*)?>")
_PLACE = re.compile(rb'\sr="([A-Z]{0,3})(\d{1,7})"')


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a workbook or Parquet file, one for each configuration."""
    problems = source.collector()
    header, rows = table(source, problems)
    return wide.runs_of(source, name, header, _entries(header, rows, problems, _missing(source)), problems)


def read_truth(source: Source) -> Truth:
    """The truth in a workbook or Parquet file."""
    problems = source.collector()
    header, rows = table(source, problems)
    return wide.truth_of(source, header, _entries(header, rows, problems, _missing(source)), problems)


def _missing(source: Source) -> tuple[str, ...]:
    """Parquet has nulls of its own; the empty cells of a workbook are empty texts."""
    return () if source.container == "parquet" else cells.MISSING


def table(source: Source, problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    """(header, (row number, values) of each row). Rows count from 1, in a workbook with the header's."""
    header, rows = (_parquet if source.container == "parquet" else _workbook)(source, problems)
    if len(header.names) > MOST_COLUMNS:
        source.fail("too-many-columns", f"{len(header.names):,} columns", f"at most {MOST_COLUMNS:,}",
                    "Keep the columns that ragdash reads.")
    return header, rows


def _parquet(source: Source, _problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    from pyarrow import parquet  # slow to import, and few files want it

    try:
        file = parquet.ParquetFile(source.binary(), thrift_string_size_limit=100 << 20,
                                   thrift_container_size_limit=10 << 20)
    except (pa.ArrowException, OSError, ValueError) as error:
        _damaged(source, "a Parquet file", error)
    rows, packed = file.metadata.num_rows, source.packed
    if rows > MOST_ROWS_A_BYTE * packed:
        source.fail("zip-bomb", f"{rows:,} rows in {size(packed)}", "rows that hold something",
                    "Write it again with the rows that are needed.")
    return Header(tuple(file.schema_arrow.names), ",", 1, source.mapping), _batches(source, file)


def _batches(source: Source, file) -> Iterator[tuple[int, list]]:
    row = 0
    try:
        for batch in file.iter_batches(batch_size=4096):
            columns = [_plain_column(column) for column in batch.columns]
            for values in zip(*columns, strict=True):
                row += 1
                yield row, list(values)
    except (pa.ArrowException, OSError, ValueError) as error:
        _damaged(source, "a Parquet file", error)


def _plain_column(column: pa.Array) -> list:
    """The values of a column; numbers of half precision and decimals as the text of their digits."""
    if pa.types.is_float32(column.type) or pa.types.is_decimal(column.type):
        return [None if text is None else Number(text) for text in column.cast(pa.string()).to_pylist()]
    return column.to_pylist()


def _damaged(source: Source, what: str, error: Exception):
    source.fail("corrupt-file", f"{what}: {error}", "a complete file", "Copy or write the file again; it is damaged or "
                "its end is missing.")


def _workbook(source: Source, problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    """The first sheet with columns that we know; the others are noted."""
    from python_calamine import CalamineError, CalamineWorkbook

    _check_size(source)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.raw))
        sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    except (CalamineError, OSError, ValueError) as error:
        _damaged(source, "an Excel workbook", error)
    sheets = {name: rows for name, rows in sheets.items() if any(any(cell != "" for cell in row) for row in rows)}
    if not sheets:
        source.fail("empty-file", "a workbook without values", "a sheet with a header line and rows",
                    "Check that the workbook was saved.")
    headers = {name: _header(rows, source) for name, rows in sheets.items()}
    known = [name for name, header in headers.items() if header.understood]
    taken = known[0] if known else next(iter(sheets))
    for name in sheets.keys() - {taken}:
        problems.add("unread-sheet", f"the sheet {name!r}", f"one sheet, {taken!r}", "It is not read; save it as a "
                     "file of its own.", field=name, severity="warning")
    header, rows = headers[taken], sheets[taken]
    return header, ((at + 1, rows[at]) for at in range(header.line, len(rows)))


def _header(rows: list[list], source: Source) -> Header:
    at = next(i for i, row in enumerate(rows) if any(cell != "" for cell in row))
    return Header(tuple(str(cell).strip() for cell in rows[at]), ",", at + 1, source.mapping)


def _check_size(source: Source) -> None:
    """Raise for sheets whose cells span more than can be held: two cells in opposite corners are enough."""
    with source.stream() as stream, archive.opened(source, stream) as opened:
        for info in opened.infolist():
            if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", info.filename):
                continue
            with opened.open(info) as sheet:
                rows, columns = _extent(sheet)
            if rows * columns > MOST_CELLS:
                source.fail("too-large-table", f"a sheet of {rows:,} rows and {columns:,} columns",
                            f"at most {MOST_CELLS:,} cells", "Delete cells far from the table, or save it as CSV.")


def _extent(sheet: BinaryIO) -> tuple[int, int]:
    """(last row, last column) of the cells in a sheet's XML; cells that do not say where they are follow each other."""
    rows = columns = row = column = 0
    before = b""
    while piece := sheet.read(1 << 20):
        text = before + piece
        end = text.rfind(b">") + 1
        for tag, inside in _TAG.findall(text[:end]):
            place = _PLACE.search(inside)
            if tag == b"row":
                row, column = int(place[2]) if place else row + 1, 0
            else:
                column = _column(place[1]) if place else column + 1
                row = int(place[2]) if place else row
            rows, columns = max(rows, row), max(columns, column)
        before = text[end:][-4096:]
    return rows, columns


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _entries(header: Header, rows: Iterator[tuple[int, list]], problems: Collector,
             missing: tuple[str, ...]) -> Iterator[Entry]:
    """The rows as objects, as those of native files. missing: texts that stand for nothing, but in ids."""
    named = {field: name for name, field in header.known.items()}
    is_wide = header.is_wide
    for line, row in rows:
        fields = {}
        for field, value in zip(header.names, row, strict=False):
            if field not in fields:
                if type(value) is str and value in missing and (named.get(field) not in IDS or not value):
                    value = None
                value = _value(named.get(field), value, Cell(problems, line, field), is_wide)
                if value is not None or field in named:
                    fields[field] = value
        if any(value is not None for value in fields.values()):
            yield Entry(line, fields)


def _value(name: str | None, value, cell: Cell, is_wide: bool):
    """The value of a cell as a native object would hold it."""
    value = _simple(value)
    if value is None or (type(value) is float and math.isnan(value) and name not in ("score", "rank", "grade")):
        return None
    if name is None:
        return cells.attribute(value) if type(value) is str else value
    if name in IDS or name in TEXTS:
        return _text(value, cell)
    if type(value) is str and is_wide:
        return cells.value_of(name, value, cell)
    if is_wide and name in cells.LISTS and name not in BESIDE and type(value) not in (list, dict):
        return [_text(value, cell)]
    if type(value) is str and name in ("score", "rank", "grade"):
        return cells.number(value)
    return _text(value, cell) if name in ("text", "source") and not is_wide else value


def _text(value, cell: Cell):
    """Text of a number cell, with a warning: what it looked like before is lost."""
    if isinstance(value, Number):
        cell.note("number-as-text", f"the number {value}", "a text", "It is read with its shortest digits; zeros "
                  "around it are lost. Store the column as text to keep ids as they are.", severity="warning")
        return str(value)
    return ("TRUE" if value else "FALSE") if type(value) is bool else value


def _simple(value):
    """A value without types that JSON does not have; numbers as the shortest text of their digits."""
    if value is None or type(value) is bool or isinstance(value, Number):
        return value
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            return value
        return Number(int(value) if float(value).is_integer() and abs(value) < 1e15 else repr(value))
    if isinstance(value, dict):
        return {str(key): part for key, part in ((key, _simple(part)) for key, part in value.items())
                if part is not None}
    if isinstance(value, (list, tuple)):
        pairs = bool(value) and all(isinstance(part, tuple) and len(part) == 2 for part in value)
        return {str(key): _simple(part) for key, part in value} if pairs else [_simple(part) for part in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return Number(value)
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
