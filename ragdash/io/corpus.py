"""The ids of all documents of a corpus: JSONL as BEIR's, a table with a header, or an id on each line."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import orjson
import pyarrow as pa

from ragdash.errors import Collector
from ragdash.io.fields import Cell, identifier
from ragdash.io.names import OF_DOCUMENT, find
from ragdash.io.source import Source

_NAMES = {"doc_id": (*OF_DOCUMENT["doc_id"], "passageid", "chunkid")}


def read_corpus_ids(source) -> pa.StringArray:
    """The ids, in file order, as they are written; source: a path, or (name, bytes); compressed or not.

    JSON: an object on each line, or an array of objects or of ids; the id is the field doc_id (also id, _id, docno,
    ...). A table: comma or tab separated, with a header line that names the id. Else the id is what stands on a line
    before its first tab. Raises InputError with the lines whose id is missing or is none.
    """
    opened = Source(source)
    problems = opened.collector()
    text = opened.text
    found = (_of_json if text.lstrip()[:1] in ("{", "[") else _of_lines)(text, problems)
    ids = [one for one in found if one is not None]
    if not ids:
        problems.add("no-rows", "no id of a document", "at least one", "Give the file of the whole corpus.")
    problems.raise_errors()
    return pa.array(ids, pa.string())


def _of_json(text: str, problems: Collector) -> Iterator[str | None]:
    """The id of each object."""
    if text.lstrip().startswith("["):
        try:
            entries = enumerate(orjson.loads(text), 1)
        except orjson.JSONDecodeError as error:
            problems.add("bad-json", str(error), "a JSON array", "Write the file again.", line=error.lineno)
            return
    else:
        entries = _objects(text, problems)
    for line, value in entries:
        key = find(value, "doc_id", _NAMES) if isinstance(value, dict) else None
        if isinstance(value, dict) and key is None:
            problems.add("missing-field", f"the fields {', '.join(value) or 'none'}", "doc_id (also id, _id, docno)",
                         "Give every document its id.", line=line, field="doc_id")
            continue
        yield _id(value[key] if key is not None else value, Cell(problems, line, key or "doc_id"))


def _id(value: object, cell: Cell) -> str | None:
    """An id in JSON: text, or a whole number, as it is written."""
    if type(value) is int:
        return str(value)
    return cell.wrong(value, "text in quotes") if type(value) is float else identifier(value, cell)


def _objects(text: str, problems: Collector) -> Iterator[tuple[int, object]]:
    for line, row in enumerate(text.split("\n"), 1):
        if row.strip():
            try:
                yield line, orjson.loads(row)
            except orjson.JSONDecodeError as error:
                problems.add("bad-json", str(error), "a JSON object", "Write the line again.", line=line)


def _of_lines(text: str, problems: Collector) -> Iterator[str | None]:
    """The column of the header that names the id, or what stands before the first tab."""
    lines = text.splitlines(keepends=True)
    first = lines[0].rstrip("\r\n")
    split = "\t" if "\t" in first else ","
    header = next(csv.reader([first], delimiter=split), [])
    key = find([name.strip() for name in header], "doc_id", _NAMES)
    if key is None:
        yield from (line.split("\t", 1)[0].strip() for line in lines if line.strip())
        return
    at = [name.strip() for name in header].index(key)
    rows = csv.reader(lines[1:], delimiter=split)
    for row in rows:
        if row:
            yield identifier(row[at] if at < len(row) else None, Cell(problems, rows.line_num + 1, key))
