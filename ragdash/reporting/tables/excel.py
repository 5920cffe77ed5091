"""A table as an Excel workbook: one sheet, text as text, numbers as numbers. Nothing in it is a formula.

The format is ECMA-376 (Office Open XML); texts stand in the sheet itself (inline strings), so that an id such as 007
or 2506.00500 keeps its zeros and "=1+1" stays what it is.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from xml.sax.saxutils import escape

import pyarrow as pa

from ragdash.core.errors import InputError, Problem

MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_576, 16_384, 32_767  # what Excel holds
EXACT = 2**53  # whole numbers from here on lose digits there and are written as text
CUT = " … [cut: a cell of Excel holds 32,767 characters]"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")  # Excel reads _x0041_ as a character
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="'
    'application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{_OFFICE}/styles" '
    'Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/>'
    '</borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" '
    'fontId="1" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles></styleSheet>",
}


def workbook(table: pa.Table, sheet: str = "ragdash") -> bytes:
    """An .xlsx file of the table: a bold header that stays in sight, an empty cell for null and NaN.

    Infinities and whole numbers from 2**53 on are written as text; texts longer than a cell holds are cut and say so;
    characters that XML cannot hold become U+FFFD. The same table gives the same bytes. InputError for a table that is
    larger than a sheet.
    """
    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise InputError([Problem("sheet-too-small", {"rows": table.num_rows, "columns": table.num_columns,
                                  "most_rows": MOST_ROWS, "most_columns": MOST_COLUMNS}, field="--format")])
    name = escape(re.sub(r"[\[\]:*?/\\]", " ", sheet)[:31] or "Sheet", {'"': "&quot;"})
    book = (f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="{name}" sheetId="1" r:id="rId1"/>'
            "</sheets></workbook>")
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**_PARTS, "xl/workbook.xml": book, "xl/worksheets/sheet1.xml": _sheet(table)}.items():
            info = zipfile.ZipInfo(path)  # of 1980: no clock in the file
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, _HEAD + content)
    return sink.getvalue()


def _sheet(table: pa.Table) -> str:
    columns = [column.to_pylist() for column in table.columns]
    header = "".join(_text(name, ' s="1"') for name in table.column_names)
    rows = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in zip(*columns, strict=True))
    return (f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
            'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
            f"<row>{header}</row>{rows}</sheetData></worksheet>")


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float) and math.isfinite(value) and (isinstance(value, float) or abs(value) < EXACT):
        return f"<c><v>{value!r}</v></c>"
    return _text(str(value))


def _text(text: str, style: str = "") -> str:
    text = text if len(text) <= LONGEST else text[:LONGEST - len(CUT)] + CUT
    text = _ESCAPED.sub("_x005F_", _FORBIDDEN.sub("\ufffd", text))
    return f'<c t="inlineStr"{style}><is><t xml:space="preserve">{escape(text)}</t></is></c>'
