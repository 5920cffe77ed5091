"""Read TREC files line by line: slow, exact, with a line number for each problem. Used where fast reading fails.

Columns are separated by runs of blanks and tabs, as in trec_eval. A line with exactly one tab between its columns may
have blanks in its ids, and an empty tag. Otherwise there are no empty columns. Empty lines are skipped; lines that
start with # are comments. A first line of names of columns is skipped as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Collector, shorten
from ragdash.io.field_names import ALIASES, find_field, normalize_name
from ragdash.io.json.numbers import is_usable, note_bad_value, parse_number
from ragdash.io.source.source import not_utf8_problem
from ragdash.io.tables.whitespace import normalize_line_ends

MAX_COLUMNS = 1000  # columns of a line
CHUNK_ROWS = 1 << 16  # rows an Arrow chunk
TRAILING_TAB = re.compile(rb"\t *(?=[\r\n]|\Z)")
_QUERY_COLUMNS = set(map(normalize_name, (*ALIASES["query_id"], "query", "topic", "topic_id")))
_DOCUMENT_COLUMNS = set(map(normalize_name, (*ALIASES["doc_id"], "passage", "chunk")))
_NAMED = ("query_id", "doc_id", "rank", "score", "grade")
COMMENT = re.compile(rb"^[ \t]*#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of TREC file; `value` is the column that is read as a number."""

    name: str
    columns: tuple[str, ...]
    value: str
    allows_extra: bool

    @property
    def value_index(self) -> int:
        """Index of the column of the value."""
        return self.columns.index(self.value)

    def __str__(self) -> str:
        return f"{len(self.columns)} columns: {' '.join(self.columns)}"


RUN = Layout("TREC run", ("query_id", "Q0", "doc_id", "rank", "score", "tag"), "score", allows_extra=True)
QRELS = Layout("TREC qrels", ("query_id", "iteration", "doc_id", "grade"), "grade", allows_extra=False)


@dataclass(frozen=True)
class TrecColumns:
    """Rows in file order: query_ids (N,) dictionary<int32, string>, docs (N,) string, values (N,) float64.

    lines (N,) int64 are known only where the file was read line by line.
    """

    query_ids: pa.DictionaryArray
    docs: pa.ChunkedArray
    values: np.ndarray
    lines: np.ndarray | None = None


def split_line(line: bytes, layout: Layout) -> list[bytes]:
    """Split a line into its fields, without the white space around them."""
    fields = [field.strip(b" ") for field in line.split(b"\t")]
    required, remaining = fields[:layout.value_index + 1], fields[layout.value_index + 1:]
    if len(fields) >= len(layout.columns) and all(required):
        return required + ([field for field in remaining if field] or remaining[:len(layout.columns) - len(required)])
    return [field for field in line.replace(b"\t", b" ").split(b" ") if field]


def data_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of the lines that are not empty, a comment or a header; line ends must be LF."""
    lines = _content_lines(text)
    first = list(islice(lines, 2))
    yield from first[_begins_with_header(first):]
    yield from lines


def header_line(text: bytes) -> tuple[int, bytes] | None:
    """(line number, line) of a header of names of columns; None where the lines begin without one."""
    first = list(islice(_content_lines(text), 2))
    return first[0] if _begins_with_header(first) else None


def _begins_with_header(lines: list[tuple[int, bytes]]) -> bool:
    """True for `query_id Q0 passage_id ...` above a line of another query."""
    if len(lines) < 2:
        return False
    words, (query, *_) = lines[0][1].decode(errors="replace").split(), lines[1][1].decode(errors="replace").split()
    return query != words[0] and normalize_name(words[0]) in _QUERY_COLUMNS and not _DOCUMENT_COLUMNS.isdisjoint(
        map(normalize_name, words[1:3]))


def _content_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """(line number, line) of the lines that are neither empty nor a comment."""
    for number, line in enumerate(_split_lines(text), 1):
        stripped = line.strip(b" \t")
        if stripped and not stripped.startswith(b"#"):
            yield number, line


def _split_lines(text: bytes) -> Iterator[bytes]:
    """The lines one after the other, without a list of them all."""
    start = 0
    while (end := text.find(b"\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def read_lines(data: bytes, layout: Layout, problems: Collector) -> TrecColumns:
    """Read every line, noting each problem with its line; lines with problems are left out."""
    text = normalize_line_ends(data)
    _note_comments(text, problems)
    note_header(text, layout.columns, problems)
    queries, docs, values, numbers = [], [], [], []
    for number, line in data_lines(text):
        row = _read_row(line, number, layout, problems)
        if row is not None:
            queries.append(row[0])
            docs.append(row[1])
            values.append(row[2])
            numbers.append(number)
    chunks = [pa.array(docs[i:i + CHUNK_ROWS], pa.string()) for i in range(0, len(docs), CHUNK_ROWS)]
    return TrecColumns(pa.array(queries, pa.string()).dictionary_encode(), pa.chunked_array(chunks, pa.string()),
                   np.array(values, np.float64), np.array(numbers, np.int64))


def note_header(text: bytes, columns: Sequence[str], problems: Collector) -> None:
    """Warn of a header line, which is skipped; one that names the columns in another order is an error."""
    header = header_line(text)
    if header is None:
        return
    names = header[1].decode(errors="replace").split()
    differs = any(find_field([name], other) for name, column in zip(names, columns, strict=False)
                  for other in _NAMED if other != column)
    facts = {"header": _quote(header[1]), "columns": " ".join(columns)}
    problems.add("header-line/order" if differs else "header-line", facts, line=header[0],
                 severity="error" if differs else "warning")


def _note_comments(text: bytes, problems: Collector) -> None:
    comments = COMMENT.finditer(text)
    first = next(comments, None)
    if first:
        line, count = text.count(b"\n", 0, first.start()) + 1, 1 + sum(1 for _ in comments)
        problems.add("comment", {"comment": _quote(first.group())}, line=line, severity="warning", count=count)


def _read_row(line: bytes, number: int, layout: Layout, problems: Collector) -> tuple[str, str, float] | None:
    """(query, document, value) of a line; None after noting a problem."""
    fields = split_line(line, layout)
    width = len(layout.columns)
    if len(fields) < width or (len(fields) > width and not layout.allows_extra):
        problems.add(_column_count(len(fields), layout),
                     {"count": len(fields), "row": _quote(line), "layout": str(layout)}, line=number)
        return None
    if len(fields) > width:
        note_wide(len(fields), layout, problems, number)
    value = _read_value(fields[layout.value_index], number, layout, problems)
    try:
        query, doc = fields[0].decode(), fields[2].decode()
    except UnicodeDecodeError as error:
        problems.take(not_utf8_problem(problems.file, error.object[error.start:error.start + 1], number))
        return None
    return None if value is None else (query, doc, value)


def note_wide(width: int, layout: Layout, problems: Collector, line: int, count: int = 1) -> None:
    """Warn of extra columns, which are not read; a very wide file is not a TREC file."""
    if width > MAX_COLUMNS:
        problems.add("too-many-columns/trec", {"count": width, "layout": str(layout)}, line=line, count=count)
        return
    problems.add("extra-columns", {"count": width, "layout": str(layout), "last": len(layout.columns)}, line=line,
                 severity="warning", count=count)


def _column_count(width: int, layout: Layout) -> str:
    """The message for a line of this many columns."""
    if layout is QRELS and width >= len(RUN.columns):
        return "column-count/run-line"
    if layout is RUN and width == len(QRELS.columns):
        return "column-count/qrels-line"
    return "column-count/preferences" if width == 5 else "column-count/trec"


def _read_value(field: bytes, number: int, layout: Layout, problems: Collector) -> float | None:
    """The score or grade; None after noting a problem."""
    value = parse_number(field)
    if is_usable(value, layout.value):
        return value
    note_bad_value(layout.value, _quote(field), value, problems, number)
    return None


def _quote(field: bytes) -> str:
    return repr(shorten(field.decode(errors="replace"), 80))
