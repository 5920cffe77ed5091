"""Find the format and the role of a file by looking at its beginning; its name does not count."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from ragdash.io.details import OF_TRUTH, OWN, RETURNED
from ragdash.io.header import Header, read_header
from ragdash.io.names import find, plain
from ragdash.io.source import HEAD, Source
from ragdash.io.trec_lines import QRELS, RUN, Layout, data_lines, split
from ragdash.io.values import as_number
from ragdash.io.white import one_line_end

LOOKED_AT = 50  # lines
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')
_NUMBER = re.compile(r":\s*(-?\d[\d.eE+-]*)\s*[,}]")
_FIELDS = {plain(name) for name in (*RETURNED, *OF_TRUTH, *OWN, "query_id", "query", "doc_id", "config")}


@dataclass(frozen=True)
class Sniffed:
    """What a file seems to be.

    format: trec-run, trec-qrels, jsonl, json-array, json-object, json-dict, csv, tsv or unknown;
    role: run, truth or unknown; reason: why, in words; compression: gzip, bzip2 or None.
    """

    format: str
    role: str
    reason: str
    compression: str | None = None


def sniff(source: str | os.PathLike | tuple[str, bytes], *, encoding: str = "utf-8") -> Sniffed:
    """Look at a file; raises InputError where it is empty, binary, or cannot be opened."""
    return sniff_source(Source(source, encoding))


def sniff_source(source: Source) -> Sniffed:
    """As `sniff`, for an open source."""
    compression = source.compression.name if source.compression else None
    head = one_line_end(source.head)
    start = head.lstrip()
    if start.startswith(b"{") or re.match(rb"\[\s*[\[\]{\"]", start):
        found = _json(start)
    else:
        found = _text(head if len(source.head) < HEAD - 3 else head[:head.rfind(b"\n") + 1] or head)
    return Sniffed(*found, compression)


def _text(head: bytes) -> tuple[str, str, str]:
    """(format, role, reason) of lines of columns."""
    header = read_header(head)
    if header and {"query_id", "doc_id"} <= header.columns.keys():
        return _table(header, head)
    lines = [(split(line, RUN), split(line, QRELS)) for _, line in islice(data_lines(head), LOOKED_AT)]
    runs = sum(_fits(run, RUN) for run, _ in lines)
    qrels = sum(_fits(judged, QRELS) for _, judged in lines)
    if runs and runs >= qrels:
        return "trec-run", "run", "lines of query, Q0, document, rank, score and tag"
    if qrels:
        return "trec-qrels", "truth", "lines of query, iteration, document and grade"
    if header:
        return header.format, "unknown", f"a header line with {', '.join(header.columns)}"
    width = Counter(len(run) for run, _ in lines).most_common(1)[0][0] if lines else 0
    if width >= len(RUN.columns) and all(b"Q0" in run[1:2] for run, _ in lines[:1]):
        return "trec-run", "run", f"{width} columns, with Q0 as the second"
    if width in (5, 6):
        return "trec-run", "unknown", f"{width} columns; a TREC run has 6"
    if width == len(QRELS.columns):
        return "trec-qrels", "unknown", "4 columns, as TREC qrels have"
    return "unknown", "unknown", "neither JSON, nor a header with known column names, nor the columns of TREC files"


def _fits(fields: list[bytes], layout: Layout) -> bool:
    """True for a line with the right number of columns and a number where one belongs."""
    width = len(layout.columns)
    right = len(fields) == width or (len(fields) > width and layout.wider)
    return right and as_number(fields[layout.value_at]) is not None


def _table(header: Header, head: bytes) -> tuple[str, str, str]:
    names = header.columns
    shown = ", ".join(header.names[names[name]] for name in ("query_id", "doc_id", "rank", "score", "grade")
                      if name in names)
    reason = f"a header line with {shown}"
    if header.is_beir and _whole_scores(header, head):
        return header.format, "truth", f"{reason} and whole numbers (BEIR qrels)"
    if "rank" in names or "score" in names:
        return header.format, "run", reason
    return header.format, "truth" if "grade" in names else "unknown", reason


def _whole_scores(header: Header, head: bytes) -> bool:
    """True where the first rows hold whole numbers up to 10, as grades are."""
    rows = csv.reader(head.decode(errors="replace").split("\n")[header.line:], delimiter=header.delimiter)
    at = header.columns["score"]
    try:
        values = [as_number(row[at]) for row in islice(rows, LOOKED_AT) if len(row) > at]
    except csv.Error:
        return False
    return all(value is not None and value.is_integer() and value <= 10 for value in values)


def _json(start: bytes) -> tuple[str, str, str]:
    """(format, role, reason) of JSON text that begins here."""
    text = start.decode(errors="replace")
    keys = _KEY.findall(text)
    if text.startswith("["):
        return "json-array", *_role_of_objects(keys, "a JSON array of objects")
    lines = [line for line in text.split("\n") if line.strip()][:LOOKED_AT]
    objects = [fields for fields in map(_object, lines) if fields is not None]
    top = list(objects[0]) if objects else keys[:1]
    if len(objects) > 1 or any(plain(key) in _FIELDS for key in top) or find(top, "query_id"):
        if len(lines) > 1 and not objects and not lines[1].startswith("{"):
            return "json-object", *_role_of_objects(keys, "one JSON object over several lines")
        top = [key for fields in objects for key in fields] or keys
        return "jsonl", *_role_of_objects(top, "JSON objects, one a line")
    return "json-dict", *_role_of_dictionary(text)


def _object(line: str) -> dict | None:
    """The object on a line, where there is a whole one."""
    try:
        value = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


def _role_of_objects(keys: list[str], what: str) -> tuple[str, str]:
    """(role, reason) of objects with these keys."""
    for role, names in (("run", RETURNED), ("truth", OF_TRUTH)):
        there = [name for name in names if name in keys]
        if there:
            return role, f"{what}, with {', '.join(there)}"
    fields = list(dict.fromkeys(keys))[:20]
    if find(fields, "doc_id"):
        if find(fields, "score") or find(fields, "rank"):
            return "run", f"{what}, each a returned document with its score or rank"
        if find(fields, "grade"):
            return "truth", f"{what}, each a judgement"
    return "unknown", f"{what}, with {', '.join(fields[:5]) or 'no fields'}"


def _role_of_dictionary(text: str) -> tuple[str, str]:
    """(role, reason) of {"query": {"document": number}} or {"query": [...]}."""
    values = [float(value) for value in _NUMBER.findall(text) if as_number(value) is not None]
    if not values:
        return "unknown", "a JSON dictionary of queries with lists of documents"
    if all(value.is_integer() and value <= 10 for value in values) and "." not in "".join(_NUMBER.findall(text)):
        return "truth", "a JSON dictionary of documents with whole grades"
    return "run", "a JSON dictionary of documents with scores"
