"""Excel workbooks: their sheets, row by row, after a look at how large they become."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
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
_TAG = re.compile(rb"<(?:\w+:)?(row|c)(\s[^>]*)?>")
_REFERENCE = re.compile(rb'\sr="([A-Z]{0,3})(\d{1,7})"')
_SHARED = re.compile(rb't="s"[^>]*>\s*<(?:\w+:)?v>(\d+)<')


def read_sheet(source: Source, problems: Collector) -> tuple[Header, Iterator[tuple[int, list]]]:
    """(header, (row number, values) of each row) of the first sheet with columns that we know; the others are noted."""
    from python_calamine import CalamineError, CalamineWorkbook

    _check_size(source)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.raw))
        headers = {name: found for name in book.sheet_names if (found := _read_header(book, name, source))}
        if not headers:
            source.fail("empty-file/workbook")
        taken = next((name for name, header in headers.items() if header.recognized_count), next(iter(headers)))
        sheet = book.get_sheet_by_name(taken)
    except (CalamineError, OSError, ValueError) as error:
        fail_damaged(source, "an Excel workbook", error)
    for name in headers.keys() - {taken}:
        problems.add("unread-sheet", {"name": name, "taken": taken}, field=name, severity="warning")
    header = headers[taken]
    return header, ((at, row) for at, row in enumerate(sheet.iter_rows(), 1) if at > header.line)


def fail_damaged(source: Source, what: str, error: Exception) -> NoReturn:
    """Raise: the file cannot be read to its end."""
    source.fail("corrupt-file", {"type": what, "error": str(error)})


def _read_header(book, name: str, source: Source) -> Header | None:
    """The first row of a sheet that holds anything, None for an empty sheet."""
    sheet = book.get_sheet_by_name(name)
    for at, row in enumerate(sheet.iter_rows(), 1):
        if any(cell != "" for cell in row):
            return Header(tuple(str(cell).strip() for cell in row), ",", at, source.mapping)
    return None


def _check_size(source: Source) -> None:
    """Raise for sheets whose cells span or hold more than can be: two cells in opposite corners are enough for one,
    and a long text that many cells share for the other."""
    with source.stream() as stream, zip_file.open_archive(source, stream) as opened:
        total = sum(info.file_size for info in opened.infolist())
        if total > MAX_TEXT_BYTES:
            source.fail("zip-bomb/workbook", {"size": total, "most": MAX_TEXT_BYTES})
        lengths = (
            _text_lengths(opened.read("xl/sharedStrings.xml")) if "xl/sharedStrings.xml" in opened.namelist() else None
        )
        for info in opened.infolist():
            if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", info.filename):
                continue
            with opened.open(info) as sheet:
                rows, columns, text = _extent(sheet, lengths)
            if rows * columns > MAX_CELLS:
                source.fail("too-large-table", {"rows": rows, "columns": columns, "most": MAX_CELLS})
            if text > MAX_TEXT_BYTES:
                source.fail("zip-bomb/sheet", {"size": text, "most": MAX_TEXT_BYTES})


def _text_lengths(strings: bytes) -> np.ndarray:
    """Bytes of each text that cells share."""
    ends = np.array([match.start() for match in re.finditer(rb"</(?:\w+:)?si>", strings)], np.int64)
    return np.diff(ends, prepend=0)


def _extent(sheet: BinaryIO, lengths: np.ndarray | None) -> tuple[int, int, int]:
    """(last row, last column, bytes of shared texts) of the cells in a sheet's XML, as far as they may go.

    Cells that do not say where they are follow each other.
    """
    rows = columns = row = column = text = 0
    before = b""
    while (piece := sheet.read(1 << 20)) and rows * columns <= MAX_CELLS and text <= MAX_TEXT_BYTES:
        content = before + piece
        end = content.rfind(b"<") if piece else len(content)
        for tag, inside in _TAG.findall(content[:end]):
            place = _REFERENCE.search(inside)
            if tag == b"row":
                row, column = int(place[2]) if place else row + 1, 0
            else:
                column = _column_number(place[1]) if place else column + 1
                row = int(place[2]) if place else row
            rows, columns = max(rows, row), max(columns, column)
        if lengths is not None and len(lengths):
            shared = np.array(_SHARED.findall(content[:end]), dtype=np.int64)
            text += int(lengths[shared[shared < len(lengths)]].sum())
        before = content[end:][-4096:]
    return rows, columns, text


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
