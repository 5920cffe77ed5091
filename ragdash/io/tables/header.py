"""The header line of a table: separator, columns and what they mean."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ragdash.io.field_names import (
    ROW_FIELDS,
    RUN_MARKERS,
    TRUTH_MARKERS,
    find_fields,
    is_document_row,
    normalize_name,
    resolve_fields,
    role_of,
)
from ragdash.io.json.numbers import parse_number
from ragdash.io.tables import promptfoo_header
from ragdash.io.tables.whitespace import normalize_line_ends

DELIMITERS = "\t,;|"
MAX_HEADER_LINES = 500  # of a header with line ends in its names
BEIR_COLUMNS = {"queryid", "corpusid", "score"}


@dataclass(frozen=True)
class Header:
    """names (C,): the columns as written; columns: {our name: index}; line: its line in the file, from 1."""

    names: tuple[str, ...]
    delimiter: str
    line: int
    mapping: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, int]:
        """{our name: index of the column} of a row for each document; the first of several columns with one name."""
        mapped = {name: column for name, column in self.mapping.items() if column in self.names}
        free = [name for name in self.names if name not in mapped.values()]
        columns = {**find_fields(free, ROW_FIELDS), **mapped}
        return {name: self.names.index(column) for name, column in columns.items() if name in ROW_FIELDS}

    @cached_property
    def outputs(self) -> tuple[promptfoo_header.OutputColumn, ...]:
        """The columns of answers in a table of promptfoo."""
        return () if "answer" in self.mapping else promptfoo_header.find_outputs(self.names)

    @cached_property
    def schema(self) -> dict[str, str]:
        """{our name: column}, for rows of queries or of documents."""
        if self.outputs:
            return promptfoo_header.output_schema(self.names, self.outputs, self.mapping)
        return resolve_fields(self.names, self.mapping)

    @property
    def has_query_rows(self) -> bool:
        """True if a row is a query with everything returned for it, or with its ground truth."""
        return not is_document_row(self.schema) and any(name in self.schema for name in (*RUN_MARKERS, *TRUTH_MARKERS))

    @property
    def recognized_count(self) -> int:
        """Number of columns that have a meaning."""
        return max(len(self.columns), len(self.schema) if self.has_query_rows else 0)

    @property
    def is_beir(self) -> bool:
        """True for the header of BEIR qrels, `query-id corpus-id score`."""
        return {normalize_name(name) for name in self.names} == BEIR_COLUMNS

    @property
    def format(self) -> str:
        """csv or tsv."""
        return "tsv" if self.delimiter == "\t" else "csv"


def describe_query_rows(header: Header) -> tuple[str, str]:
    """(role, reason) of a table with a row for each query."""
    markers = [name for name in (*RUN_MARKERS, *TRUTH_MARKERS) if name in header.schema]
    if header.outputs:
        configs = ", ".join(output.config for output in header.outputs[:5])
        return role_of(markers), f"a table of promptfoo, with answers of {configs}"
    return role_of(markers), f"a header line with {', '.join(header.schema[name] for name in markers)}"


def read_header(head: bytes, mapping: Mapping[str, str] | None = None) -> Header | None:
    """The header of a table with at least one known column, else None."""
    headers = [header for header in _candidates(head, mapping or {}) if header.recognized_count]
    return max(headers, key=lambda header: header.recognized_count, default=None)


def unknown_header(head: bytes) -> tuple[Header, list[str]] | None:
    """(header, first row) of a probable table: names that are not numbers, and a row with as many values."""
    lines = normalize_line_ends(head).decode(errors="replace").split("\n")
    for header in sorted(_candidates(head, {}), key=lambda header: -len(header.names)):
        names = header.names
        if len(names) > 1 and all(names) and len(set(names)) == len(names) and set(map(parse_number, names)) == {None}:
            rows = (line for line in lines[header.line:] if line.strip())
            row = _split(next(rows, ""), header.delimiter)
            if len(row) == len(names):
                return header, row
    return None


def widest_header(head: bytes) -> tuple[str, ...]:
    """The names in the first line, known or not, split by the separator that gives the most columns."""
    return max((header.names for header in _candidates(head, {})), key=len, default=())


def _candidates(head: bytes, mapping: Mapping[str, str]) -> list[Header]:
    """The first line that is not empty, split by each separator in it."""
    lines = normalize_line_ends(head).decode(errors="replace").split("\n")
    index = next((i for i, line in enumerate(lines) if line.strip()), None)
    if index is None:
        return []
    splits = [(delimiter, *_split_lines(lines[index:index + MAX_HEADER_LINES], delimiter)) for delimiter in DELIMITERS
             if delimiter in lines[index]]
    return [Header(tuple(names), delimiter, index + count, mapping) for delimiter, names, count in splits] or [
        Header((lines[index].strip(),), ",", index + 1, mapping)]


def _split(line: str, delimiter: str) -> list[str]:
    return _split_lines([line], delimiter)[0]


def _split_lines(lines: list[str], delimiter: str) -> tuple[list[str], int]:
    """(names, number of lines) of a header; quoted names may contain line ends."""
    try:
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
        names, count = [name.strip() for name in next(reader)], reader.line_num
    except csv.Error:
        return [], 1
    return (names, count) if count < max(len(lines), 2) else _split_lines(lines[:1], delimiter)
