"""A corpus, as BEIR's corpus.jsonl: one object or row per document.

JSONL is read by pyarrow's JSON reader, in columns; a file with anything odd in it is read once more, object by object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.corpus import Corpus
from ragdash.core.errors import Collector, InputError
from ragdash.io.field_names import corpus_fields
from ragdash.io.formats import excel_parquet
from ragdash.io.json.exact_parser import (
    ExactReader,
    InputEntry,
    NeedsExact,
    StrictCollector,
    parse_fast,
    parse_lines_fast,
)
from ragdash.io.json.head import LIST, keys_by_path
from ragdash.io.json.typed_fields import Cell, is_missing, read_id, read_text
from ragdash.io.source.source import Source
from ragdash.io.tables.header import read_header
from ragdash.io.tables.row_reader import read_records

BLOCK_BYTES = 16 << 20  # bytes read at once; a longer line sends the file the other way


def read_corpus(source: Source) -> Corpus:
    """The documents of a file: JSONL, a JSON array, CSV, TSV, Parquet, XLSX. Raises InputError where it has no ids.

    A text that is a list is joined with blanks. Fields other than id, title and text are not read.
    """
    if source.container:
        return _build_corpus(source, *_read_entries(_table_entries(source), problems := source.collector()), problems)
    head = source.head.lstrip()
    if head[:1] not in (b"{", b"["):
        problems = source.collector()
        return _build_corpus(source, *_read_entries(_text_entries(source, problems), problems), problems)
    keys = keys_by_path(head.decode(errors="replace"))
    schema = corpus_fields(keys.get((LIST,) if head.startswith(b"[") else (), ()), source.mapping)
    if "doc_id" not in schema:
        _fail_no_corpus(source)
    columns = _read_columns(source, schema) if head.startswith(b"{") else None
    if columns is not None:
        try:
            return Corpus.build(source.name, *columns, file=source.file)
        except InputError:
            pass  # read again, with lines
    try:
        return _build_corpus(
            source, *_read_entries(_json_entries(source, None), problems := StrictCollector(source.file)), problems
        )
    except NeedsExact:
        problems = source.collector()
        return _build_corpus(
            source, *_read_entries(_json_entries(source, ExactReader(source, problems)), problems), problems
        )


def build_corpus_from_texts(name: str, file: str, texts: dict, problems: Collector) -> Corpus:
    """The documents of {id: text}."""
    ids, contents = [], []
    for doc, value in texts.items():
        ids.append(doc)
        contents.append(_join_text(value, Cell(problems, 1, doc)))
    return Corpus.build(name, ids, contents, file=file)


def fail_corpus_alone(source: Source) -> NoReturn:
    """Raise: a corpus in place of a run or the truth."""
    source.fail("corpus-alone")


def _fail_no_corpus(source: Source) -> NoReturn:
    source.fail("unknown-format/documents", line=1)


def _read_columns(source: Source, names: dict[str, str]) -> tuple[pa.ChunkedArray | None, ...] | None:
    """(ids, texts, titles) as Arrow reads them; None for anything that needs exact reading."""
    from pyarrow import json  # slow to import, and few files want it

    names = {"text": "text", "title": "title", **names}  # the first documents may have none
    schema = pa.schema([(field, pa.string()) for field in dict.fromkeys(names.values())])
    try:
        with source.arrow_text() as stream:
            table = json.read_json(stream, json.ReadOptions(block_size=BLOCK_BYTES), json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"))
        table.validate(full=True)
    except pa.ArrowException:
        return None
    columns = [table[names[name]] for name in ("doc_id", "text", "title")]
    odd = columns[0].null_count or pc.any(pc.equal(columns[0], "")).as_py()
    return None if odd or not len(table) else tuple(columns)


def _json_entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    head = source.head.lstrip()
    if head.startswith(b"["):
        return exact.elements() if exact else (InputEntry(0, value) for value in parse_fast(source.data))
    return exact.lines() if exact else parse_lines_fast(source)


def _table_entries(source: Source) -> Iterator[InputEntry]:
    header, rows = excel_parquet.read_table(source, source.collector())
    schema = corpus_fields(header.names, source.mapping)
    if "doc_id" not in schema:
        _fail_no_corpus(source)
    empty_value = None if source.container == "parquet" else ""  # an empty cell of a workbook
    for line, row in rows:
        fields = {name: value for name, value in zip(header.names, row, strict=False) if value != empty_value}
        if fields:
            yield InputEntry(line, {name: excel_parquet.plain_value(value) for name, value in fields.items()})


def _text_entries(source: Source, problems: Collector) -> Iterator[InputEntry]:
    """The documents of a CSV or TSV file."""
    header = read_header(source.head, source.mapping)
    schema = corpus_fields(header.names, source.mapping) if header else {}
    if "doc_id" not in schema or len(schema) < 2:
        _fail_no_corpus(source)
    for line, row in read_records(source, header, problems):
        fields = {name: cell for name, cell in zip(header.names, row, strict=False) if cell}
        if fields:
            yield InputEntry(line, fields)


def _read_entries(entries: Iterable[InputEntry], problems: Collector) -> tuple[list, list, list, list]:
    """(ids, texts, titles, lines) of objects."""
    ids, texts, titles, lines = [], [], [], []
    for line, value, _ in entries:
        if type(value) is not dict:
            Cell(problems, line, "object").note_wrong_type(value, "an object")
            continue
        schema = corpus_fields(value)
        ids.append(read_id(value.get(schema.get("doc_id")), Cell(problems, line, schema.get("doc_id", "_id"))))
        for name, column in (("text", texts), ("title", titles)):
            column.append(_join_text(value.get(schema.get(name)), Cell(problems, line, schema.get(name, name))))
        lines.append(line)
    return ids, texts, titles, lines


def _join_text(value, cell: Cell) -> str | None:
    if type(value) is list and all(type(item) is str for item in value):
        return " ".join(value)
    return None if is_missing(value) else read_text(value, cell)


def _build_corpus(source: Source, ids: list, texts: list, titles: list, lines: list, problems: Collector) -> Corpus:
    problems.raise_errors()
    if not ids:
        problems.add("no-rows/documents")
        problems.raise_errors()
    try:
        return Corpus.build(source.name, ids, texts, titles, problems=problems.problems, file=source.file, lines=lines)
    except InputError:
        if lines and not lines[0]:
            raise NeedsExact from None  # the quick way through an array knows no lines
        raise
