"""A table as an Excel workbook: one sheet, text as text, numbers as numbers. No cell is a formula or a link."""

from __future__ import annotations

import io
import math
import re
from datetime import datetime

import pyarrow as pa

from ragdash.core.errors import InputError, Problem

MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS = 1_048_576, 16_384, 32_767  # limits of Excel
EXACT = 2**53  # Excel rounds whole numbers from here on, so they are written as text
CUT = " … [cut: a cell of Excel holds 32,767 characters]"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0


class _ExactFloat(float):
    """A float that keeps all its digits: XlsxWriter formats numbers with 16, and 0.1 + 0.2 needs 17."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


def workbook(table: pa.Table, sheet: str = "ragdash") -> bytes:
    """Write a table as an .xlsx file with a bold, frozen header; null and NaN become empty cells.

    Infinities and whole numbers from 2**53 on are written as text. Texts that are too long for a cell are cut, with a
    note. Characters that XML cannot hold become U+FFFD. The same table gives the same bytes.

    Raises
    ------
    InputError
        If the table is larger than a sheet.
    """
    if table.num_rows >= MAX_ROWS or table.num_columns > MAX_COLUMNS:
        raise InputError([Problem("sheet-too-small", {"rows": table.num_rows, "columns": table.num_columns,
                                  "most_rows": MAX_ROWS, "most_columns": MAX_COLUMNS}, field="--format")])
    from xlsxwriter import Workbook  # imported here: few need it

    sink = io.BytesIO()
    with Workbook(sink, {"in_memory": True}) as book:
        book.set_properties({"created": datetime(1980, 1, 1)})  # without a clock in the file, equal tables stay equal
        worksheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\]", " ", sheet)[:31].strip("'") or "Sheet")
        worksheet.freeze_panes(1, 0)
        bold = book.add_format({"bold": True})
        for column, name in enumerate(table.column_names):
            _write_text(worksheet, 0, column, name, bold)
            for row, value in enumerate(table.column(column).to_pylist(), 1):
                _write_cell(worksheet, row, column, value)
    return sink.getvalue()


def _write_cell(worksheet, row: int, column: int, value: object) -> None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return
    if isinstance(value, bool):
        worksheet.write_boolean(row, column, value)
    elif isinstance(value, float) and math.isfinite(value):
        worksheet.write_number(row, column, _ExactFloat(value))
    elif isinstance(value, int) and abs(value) < EXACT:
        worksheet.write_number(row, column, value)
    else:
        _write_text(worksheet, row, column, str(value))


def _write_text(worksheet, row: int, column: int, text: str, style=None) -> None:
    text = text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS - len(CUT)] + CUT
    text = _FORBIDDEN.sub("\ufffd", text)
    if text.startswith("<r>") and text.endswith("</r>"):  # XlsxWriter would take it for its own markup, unescaped
        worksheet.write_rich_string(row, column, text[0], text[1], text[2:])
    else:
        worksheet.write_string(row, column, text, style)
