"""Read the sheets of Excel workbooks row by row, after a check of their size."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from tempfile import TemporaryFile
from threading import Lock
from typing import BinaryIO, NoReturn

import numpy as np

from ragdash.core.errors import Collector
from ragdash.io.source import zip_file
from ragdash.io.source.limits import MAX_BYTES, MAX_CELLS
from ragdash.io.source.source import Source
from ragdash.io.tables.header import Header

MAX_TEXT_BYTES = (
    MAX_BYTES // 2
)  # bytes of a workbook's XML, and of the texts in its cells: they are held more than once
ROWS_AT_ONCE = 1_000
_one_at_a_time = Lock()
_TAG = re.compile(rb"<(?:\w+:)?(row|c)(\s[^>]*)?>")
_REFERENCE = re.compile(rb'''\sr\s*=\s*["']([A-Za-z]*)(\d+)["']''')
_SHARED = re.compile(rb't="s"[^>]*>\s*<(?:\w+:)?v>(\d+)<')


def read_sheet(source: Source, problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    """(header, (row number, values) of each row) of the first sheet with known columns; other sheets are noted.

    A hidden sheet is read only where no sheet that is shown has known columns.
    """
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    _check_size(source)
    with _reading(source):
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.raw))
        shown_first = sorted(book.sheets_metadata, key=lambda sheet: sheet.visible != SheetVisibleEnum.Visible)
    headers = {sheet.name: header for sheet in shown_first if (header := _read_header(book, sheet.name, source))}
    if not headers:
        source.fail("empty-file/workbook")
    sheet_name = next((name for name, header in headers.items() if header.recognized_count), next(iter(headers)))
    for name in headers.keys() - {sheet_name}:
        problems.add("unread-sheet", {"name": name, "taken": sheet_name}, field=name, severity="warning")
    header = headers[sheet_name]
    rows = _rows(book, sheet_name, source)
    return header, ((row_number, row) for row_number, row in rows if row_number > header.line)


def _rows(book, name: str, source: Source) -> Iterator[tuple[int, list]]:
    """(row number, values) of each row, which are read a few at a time."""
    with _reading(source):
        rows = enumerate(book.get_sheet_by_name(name).iter_rows(), 1)
    count = 1
    while True:
        with _reading(source):
            some = list(islice(rows, count))
        if not some:
            return
        yield from some
        count = ROWS_AT_ONCE


@contextmanager
def _reading(source: Source) -> Iterator[None]:
    """Read a part of a workbook: raise InputError where it is damaged, and hide what compiled code says of it.

    Such code writes on the standard error of the process before Python knows of an error. What others write there
    meanwhile follows when the part is read.
    """
    with _one_at_a_time, TemporaryFile() as words:
        is_broken, usual = False, os.dup(2)
        os.dup2(words.fileno(), 2)
        try:
            yield
        except _damages() as error:
            is_broken = True
            fail_damaged(source, "an Excel workbook", error)
        finally:
            os.dup2(usual, 2)
            os.close(usual)
            words.seek(0)
            written = words.read()
            os.write(2, written.partition(b"\nthread '")[0] if is_broken else written)


def _damages() -> tuple[type[BaseException], ...]:
    """The errors of a damaged workbook: a duration of a billion days is an OverflowError, a cell ZZZZZZ99999999 one by
    which compiled code says that it met what it does not expect."""
    from python_calamine import CalamineError

    panics = (kind for kind in BaseException.__subclasses__() if kind.__name__ == "PanicException")
    return CalamineError, OSError, ValueError, OverflowError, *panics


def fail_damaged(source: Source, content: str, error: BaseException) -> NoReturn:
    """Raise: the file is damaged."""
    source.fail("corrupt-file", {"type": content, "error": str(error)})


def _read_header(book, name: str, source: Source) -> Header | None:
    """The first row with a value, None for an empty sheet."""
    for row_number, row in _rows(book, name, source):
        if any(cell != "" for cell in row):
            return Header(tuple(str(cell).strip() for cell in row), ",", row_number, source.mapping)
    return None


def _check_size(source: Source) -> None:
    """Raise for sheets that are too large: two cells in opposite corners can span too many cells,
    and a long text that many cells share can hold too much."""
    with source.stream() as stream, zip_file.open_archive(source, stream) as archive:
        total = sum(info.file_size for info in archive.infolist())
        if total > MAX_TEXT_BYTES:
            source.fail("zip-bomb/workbook", {"size": total, "most": MAX_TEXT_BYTES})
        lengths = (
            _text_lengths(archive.read("xl/sharedStrings.xml"))
            if "xl/sharedStrings.xml" in archive.namelist()
            else None
        )
        for info in archive.infolist():
            if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", info.filename):
                continue
            with archive.open(info) as sheet:
                rows, columns, text = _extent(sheet, lengths)
            if rows * columns > MAX_CELLS:
                source.fail("too-large-table", {"rows": rows, "columns": columns, "most": MAX_CELLS})
            if text > MAX_TEXT_BYTES:
                source.fail("zip-bomb/sheet", {"size": text, "most": MAX_TEXT_BYTES})


def _text_lengths(strings: bytes) -> np.ndarray:
    """Bytes of each shared text."""
    ends = np.array([match.start() for match in re.finditer(rb"</(?:\w+:)?si>", strings)], np.int64)
    return np.diff(ends, prepend=0)


def _extent(sheet: BinaryIO, lengths: np.ndarray | None) -> tuple[int, int, int]:
    """(last row, last column, bytes of shared texts) of the cells in a sheet's XML, as far as they may go.

    Cells that do not say where they are follow each other.
    """
    rows = columns = row = column = text = 0
    remainder = b""
    while (chunk := sheet.read(1 << 20)) and rows * columns <= MAX_CELLS and text <= MAX_TEXT_BYTES:
        content = remainder + chunk
        end = content.rfind(b"<") if chunk else len(content)
        for tag, attributes in _TAG.findall(content[:end]):
            reference = _REFERENCE.search(attributes)
            if tag == b"row":
                row, column = _row_number(reference[2]) if reference else row + 1, 0
            else:
                column = _column_number(reference[1]) if reference else column + 1
                row = _row_number(reference[2]) if reference else row
            rows, columns = max(rows, row), max(columns, column)
        if lengths is not None and len(lengths):
            shared = np.array(_SHARED.findall(content[:end]), dtype=np.int64)
            text += int(lengths[shared[shared < len(lengths)]].sum())
        remainder = content[end:][-4096:]
    return rows, columns, text


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters[:20].upper():  # more letters are past every sheet already
        number = number * 26 + letter - 64
    return number


def _row_number(digits: bytes) -> int:
    return int(digits[:20])


def read_all_sheets(source: Source) -> Iterator[tuple[str, list[list]]]:
    """(name, rows) of each sheet that is not empty; of the hidden ones where no other is shown."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    _check_size(source)
    with _reading(source):
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.raw))
        shown = [sheet.name for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
    for name in shown or book.sheet_names:
        if rows := [row for _, row in _rows(book, name, source)]:
            yield name, rows
