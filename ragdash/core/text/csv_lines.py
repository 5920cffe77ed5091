"""Lines of a CSV file that every reader splits as they were meant."""

from __future__ import annotations

from collections.abc import Iterable


def csv_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    r"""Rows as CSV with line feeds; None is an empty cell.

    Cells with a separator, a quotation mark or any line end are quoted, and those that begin with a byte order mark,
    which readers take off a line. Python's writer leaves a lone carriage return bare, which readers take for the end
    of the row.

    Examples
    --------
    >>> csv_text([["id", "answer"], ["q1", "a\rb"], [None, 1.5]])
    'id,answer\nq1,"a\rb"\n,1.5\n'
    """
    lines = []
    for row in rows:
        cells = [_cell(value, separator) for value in row]
        lines.append(separator.join(cells) if cells != [""] else '""')
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object, separator: str) -> str:
    if value is None:
        return ""
    text = str(value)
    if separator in text or '"' in text or "\n" in text or "\r" in text or text.startswith("\ufeff"):
        return '"' + text.replace('"', '""') + '"'
    return text
