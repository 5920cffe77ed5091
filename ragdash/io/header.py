"""The header line of a table: its separator, its columns, and what they tell about the file."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from ragdash.io.names import NAMES, find_all, plain
from ragdash.io.white import one_line_end

DELIMITERS = "\t,;|"
BEIR = {"queryid", "corpusid", "score"}


@dataclass(frozen=True)
class Header:
    """names (C,): the columns as written; columns: {our name: index}; line: its line in the file, from 1."""

    names: tuple[str, ...]
    delimiter: str
    line: int

    @property
    def columns(self) -> dict[str, int]:
        """{our name: index of the column}; the first of several columns with one name."""
        return {name: self.names.index(given) for name, given in find_all(self.names, NAMES).items()}

    @property
    def is_beir(self) -> bool:
        """True for the header of BEIR qrels, `query-id corpus-id score`."""
        return {plain(name) for name in self.names} == BEIR

    @property
    def format(self) -> str:
        """csv or tsv."""
        return "tsv" if self.delimiter == "\t" else "csv"


def read_header(head: bytes) -> Header | None:
    """The header of a table with at least one column that we know, else None."""
    lines = one_line_end(head).decode(errors="replace").split("\n")
    at = next((i for i, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return None
    headers = [Header(tuple(_split(lines[at], delimiter)), delimiter, at + 1) for delimiter in DELIMITERS
               if delimiter in lines[at]]
    headers = [header for header in headers if header.columns]
    return max(headers, key=lambda header: len(header.columns), default=None)


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error:
        return []
