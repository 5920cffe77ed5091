"""Read tables row by row: slow, exact, with a line number for each problem. Used where fast reading fails."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Collector, shorten
from ragdash.core.text.quoted import cut_middle, quoted
from ragdash.io.field_names import MISSING_TEXTS
from ragdash.io.json.numbers import is_usable, note_bad_value, parse_number
from ragdash.io.source.source import Source, not_utf8_problem
from ragdash.io.tables.header import Header

ID_COLUMNS = ("query_id", "doc_id", "config")
TEXT_COLUMNS = ("text", "source")
NUMBER_COLUMNS = ("score", "rank", "grade")


@dataclass(frozen=True)
class TableColumns:
    """{our name: (N,) column}: ids and texts as Arrow strings, numbers as float64; fractions: scores such as 0.73.

    lines (N,) are known only where the table was read row by row.
    """

    columns: dict
    row_count: int
    lines: list[int] | None
    fraction_count: int

    def __getitem__(self, name: str):
        return self.columns[name]

    def get(self, name: str):
        """The column of this name, or None."""
        return self.columns.get(name)


def read_rows(source: Source, header: Header, indices: dict[str, int], problems: Collector) -> TableColumns:
    """Read every row, noting each problem with its line; rows with problems are left out."""
    reader = _ColumnCollector(header, indices, problems)
    for line, row in read_records(source, header, problems):
        reader.add(line, row)
    return reader.columns()


class _ColumnCollector:
    """Collects the values of some columns."""

    def __init__(self, header: Header, indices: dict[str, int], problems: Collector):
        self.header, self.indices, self.problems = header, indices, problems
        self.values: dict[str, list] = {name: [] for name in indices}
        self.lines: list[int] = []
        self.fraction_count = self.number_count = 0
        self.config_lines: dict[bool, int] = {}

    def add(self, line: int, row: list[str]) -> None:
        """Take one row."""
        width = len(self.header.names)
        if len(row) != width:
            row_text = shorten(self.header.delimiter.join(row), 80)
            self.problems.add("column-count", {"count": len(row), "row": row_text, "width": width}, line=line)
            return
        values = {name: self._value(name, row[index], line) for name, index in self.indices.items()}
        if "config" in values:
            self.config_lines.setdefault(values["config"] is not None, line)
        if any(
            value is None for name, value in values.items() if name in ID_COLUMNS + NUMBER_COLUMNS and name != "config"
        ):
            return
        for name, value in values.items():
            self.values[name].append(value)
        self.lines.append(line)

    def _value(self, name: str, cell_text: str, line: int) -> str | float | None:
        if name not in ID_COLUMNS + NUMBER_COLUMNS:
            return None if cell_text in MISSING_TEXTS else cell_text
        if name in NUMBER_COLUMNS:
            return self._number(name, cell_text, line)
        if name == "config" and cell_text.strip(" \t") in MISSING_TEXTS:
            return None
        return self._id(name, cell_text, line)

    def _id(self, name: str, cell_text: str, line: int) -> str | None:
        value, field = cell_text.strip(" \t"), self.header.names[self.indices[name]]
        if not value:
            self.problems.add("missing-id/row", {"name": name}, line=line, field=field)
        elif value != cell_text:
            written = quoted(cut_middle(cell_text, 60))
            self.problems.add("padded-id", {"written": written, "value": value}, line=line, field=field,
                              severity="warning")
        return value or None

    def _number(self, name: str, cell_text: str, line: int) -> float | None:
        value, field = parse_number(cell_text), self.header.names[self.indices[name]]
        if value is not None and math.isfinite(value):
            self.number_count += name in ("score", "grade")
            self.fraction_count += name in ("score", "grade") and not value.is_integer()
            if is_usable(value, name):
                return value
        if cell_text.strip():
            note_bad_value(name, repr(cell_text), value, self.problems, line, field)
        else:
            self.problems.add(f"missing-{name}/row", line=line, field=field)
        return None

    def columns(self) -> TableColumns:
        """The collected columns."""
        if len(self.config_lines) == 2:
            self.problems.add(
                "missing-config",
                {"with_line": self.config_lines[True], "without_line": self.config_lines[False]},
                line=self.config_lines[False],
                field="config",
            )
        columns = {name: np.array(values, np.float64) if name in NUMBER_COLUMNS else
                   pa.chunked_array([pa.array(values, pa.string())]) for name, values in self.values.items()}
        return TableColumns(columns, max(len(self.lines), self.number_count), self.lines, self.fraction_count)


def read_records(source: Source, header: Header, problems: Collector) -> Iterator[tuple[int, list[str]]]:
    """(first line, fields) of each row after the header; empty lines are skipped."""
    text = source.data.decode(errors="surrogateescape")  # bytes that are not UTF-8 are reported with their row
    for line, row in csv_rows(text, header.delimiter, problems):
        if line > header.line and row and not _note_not_utf8(row, line, problems):
            yield line, row


def csv_rows(text: str, delimiter: str, problems: Collector) -> Iterator[tuple[int, list[str]]]:
    """(first line, fields) of each row of a CSV text, with fields of any length.

    Wrong quotes end the reading and are noted with the line where their row begins.
    """
    with _unlimited_field_size():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        line = 1
        try:
            for row in reader:
                yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            problems.add("bad-quotes", {"error": str(error)}, line=line)


def _note_not_utf8(row: list[str], line: int, problems: Collector) -> bool:
    """True after noting a byte that is not UTF-8."""
    odd = next((value for value in row if not _is_utf8(value)), None)
    if odd is None:
        return False
    byte = next(char for char in odd if "\udc80" <= char <= "\udcff").encode(errors="surrogateescape")
    problems.take(not_utf8_problem(problems.file, byte, line))
    return True


def _is_utf8(text: str) -> bool:
    return text.isascii() or not any("\udc80" <= char <= "\udcff" for char in text)


@contextmanager
def _unlimited_field_size() -> Iterator[None]:
    """Python's reader refuses fields of more than 128 KiB; contexts may be longer."""
    previous_limit = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(previous_limit)


def has_whole_quotes(content: bytes, delimiter: str) -> bool:
    """False where a quoted cell is not closed, or holds a line end and is followed by text: a quote is missing.

    A cell that begins with a quoted word goes on to its end. Quotes within a cell are as they are written.

    Examples
    --------
    >>> [has_whole_quotes(row, ",") for row in (b'q1,"a ""b"" c"', b'q1,5" pipe', b'q1,"open', b'q1,"a\\nq2,"b"')]
    [True, True, False, False]
    """
    match = _pattern(delimiter).match(content)
    return match is not None and match.end() == len(content)


@cache
def _pattern(delimiter: str) -> re.Pattern[bytes]:
    """What well-formed quotes look like, from the beginning; nothing in it is tried a second time."""
    end = re.escape(delimiter).encode() + rb"\r\n"
    begin = rb"(?<![^%s])" % end
    whole = begin + rb'"[^"]*+(?:""[^"]*+)*+"(?![^%s])' % end
    word = begin + rb'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"'
    return re.compile(rb'(?:[^"]++|%s|%s|%s")*+' % (whole, word, rb"(?<=[^%s])" % end))
