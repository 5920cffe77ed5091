"""Find the format and the role of a file by looking at its beginning; its name does not count."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import islice

from ragdash.io.assemble.kilt_objects import is_kilt
from ragdash.io.detected_format import Sniffed
from ragdash.io.field_names import (
    LIFTED,
    OF_QUERY,
    OF_TRUTH,
    RETURNED,
    corpus_fields,
    find,
    is_corpus,
    is_row,
    plain,
    resolve,
)
from ragdash.io.formats import excel_parquet
from ragdash.io.formats.json_columns import is_columns
from ragdash.io.formats.llamaindex import is_data_set
from ragdash.io.formats.squad import is_squad
from ragdash.io.formats.traces import tool_at
from ragdash.io.formats.trec_strict import QRELS, RUN, Layout, data_lines, split
from ragdash.io.json.head import LIST, WRAPPERS, fields_at, keys_by_path, wrapped_at
from ragdash.io.json.numbers import as_number
from ragdash.io.source import zip_file
from ragdash.io.source.source import HEAD, Source
from ragdash.io.tables.header import Header, any_header, read_header
from ragdash.io.tables.whitespace import one_line_end

LOOKED_AT = 50  # lines
_LIST = r'"\s*:\s*\[[^][]*\]\s*,\s*"'
_SPLIT = re.compile(rf'\{{\s*"(?:columns{_LIST}(?:index|data)|index{_LIST}columns)"')
_NOTHING = re.compile(r'\{\s*"(?:' + "|".join(WRAPPERS) + r')"\s*:\s*\[\s*\]')
_NUMBER = re.compile(r":\s*(-?\d[\d.eE+-]*)\s*[,}]")
_FIELDS = {plain(name) for name in (*OF_QUERY, "doc_id")}


Found = tuple[str, str, str, tuple[str, ...], dict[str, str]]  # format, role, reason, columns, guess


def sniff_source(source: Source) -> Sniffed:
    """What an open source seems to be."""
    if source.container:
        return _container(source)
    head = one_line_end(source.head)
    start = head.lstrip()
    if re.match(rb"""\{\s*(['"}]|$)|\[\s*["{\[\]]""", start):
        found = _json(start, source.mapping)
    else:
        found = _text(head if len(source.head) < HEAD - 3 else head[:head.rfind(b"\n") + 1] or head, source.mapping)
    name, role, reason, columns, guess = found
    return Sniffed(name, role, reason, source.compression.name if source.compression else None, columns, guess)


def _container(source: Source) -> Sniffed:
    """What a workbook or a Parquet file seems to be; an archive holds files of its own."""
    if source.container == "zip" and zip_file.is_workbook(source):
        source.container = "xlsx"
    if source.container == "zip":
        return Sniffed("zip", "unknown", "a zip archive")
    header, _ = excel_parquet.table(source, source.collector())
    if not source.mapping and is_corpus(header.names):
        return Sniffed(source.container, "corpus", "columns of documents with their texts", None, header.names,
                       corpus_fields(header.names))
    if header.is_wide or not is_row(header.known):
        _, role, reason = of_header(header)
        role = role if header.is_wide else "unknown"
    else:
        found = header.known
        role = "run" if {"score", "rank"} & found.keys() else "truth" if "grade" in found else "unknown"
        reason = f"columns {', '.join(found.values())}"
    return Sniffed(source.container, role, reason.replace("a header line", "columns"), None, header.names,
                   dict(header.known))


def _text(head: bytes, mapping: Mapping[str, str]) -> Found:
    """What lines of columns are."""
    header = read_header(head, mapping)
    if header and header.outputs and _lines(head.split(b"\n", 1)[0], None)[2].startswith("lines of"):
        header = None  # "[1] Q0 d1 1 0.5 tag" only looks like promptfoo's "[provider] prompt"
    named = header.columns.keys() if header else ()
    if header and (header.is_wide or ("doc_id" in named and ("query_id" in named or "query" in named))):
        name, role, reason = of_header(header) if header.is_wide else _table(header, head)
        return name, role, reason, header.names, _guess(header)
    found = _lines(head, header)
    columns = any_header(head) if found[0] in ("unknown", "csv", "tsv") else ()
    return *found, columns, _guess(header) if header and columns else {}


def of_header(header: Header) -> tuple[str, str, str]:
    """(format, role, reason) of a table with a row for each query."""
    there = [name for name in (*RETURNED, *OF_TRUTH) if name in header.known]
    if header.outputs:
        found = ", ".join(output.config for output in header.outputs[:5])
        return header.format, role_of(there), f"a table of promptfoo, with answers of {found}"
    return header.format, role_of(there), f"a header line with {', '.join(header.known[name] for name in there)}"


def _guess(header: Header) -> dict[str, str]:
    if header.is_wide:
        return {name: field for name, field in header.known.items() if field in header.names}
    return {name: header.names[at] for name, at in header.columns.items()}


def _lines(head: bytes, header: Header | None) -> tuple[str, str, str]:
    """(format, role, reason) of lines that are no table with a row for each document or query."""
    lines = [line for _, line in islice(data_lines(head), LOOKED_AT)]
    fields = [split(line, RUN) for line in lines]
    runs = sum(_fits(run, RUN) for run in fields)
    qrels = 0 if runs == len(lines) else sum(_fits(split(line, QRELS), QRELS) for line in lines)
    if runs and runs >= qrels:
        return "trec-run", "run", "lines of query, Q0, document, rank, score and tag"
    if qrels:
        return "trec-qrels", "truth", "lines of query, iteration, document and grade"
    if header:
        return header.format, "unknown", f"a header line with {', '.join(header.columns)}"
    width = Counter(map(len, fields)).most_common(1)[0][0] if lines else 0
    if width >= len(RUN.columns) and all(b"Q0" in run[1:2] for run in fields[:1]):
        return "trec-run", "run", f"{width} columns, with Q0 as the second"
    if width in (5, 6):
        return "trec-run", "unknown", f"{width} columns; a TREC run has 6"
    if width == len(QRELS.columns):
        return "trec-qrels", "unknown", "4 columns, as TREC qrels have"
    return "unknown", "unknown", "neither JSON, nor a header with known column names, nor the columns of TREC files"


def role_of(names: Collection[str]) -> str:
    """run, truth, both or unknown, by our names of the fields that are there."""
    run, truth = any(name in names for name in RETURNED), any(name in names for name in OF_TRUTH)
    return ("both" if truth else "run") if run else ("truth" if truth else "unknown")


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


def _json(start: bytes, mapping: Mapping[str, str]) -> Found:
    """What JSON text is that begins here."""
    text = start.decode(errors="replace")
    keys = keys_by_path(text)
    if is_data_set(start):
        return "json-dataset", "truth", "a data set of LlamaIndex: queries with relevant_docs", (), {}
    if is_squad(keys):
        return "json-squad", "truth", "SQuAD's data: paragraphs with questions and answers", (), {}
    if (traced := tool_at(keys)) and not mapping:
        return "json-spans", "run", f"what {traced[0]} traced, step by step", tuple(keys[traced[1]]), {}
    if text.startswith("["):
        return _objects("json-array", "a JSON array of objects", keys, (LIST,), mapping)
    lines = [line for line in text.split("\n") if line.strip()][:LOOKED_AT]
    objects = [fields for fields in map(_object, lines) if fields is not None]
    top = list(objects[0]) if objects else keys.get((), [])[:1]
    if _SPLIT.match(text):
        return "unknown", "unknown", "pandas' split form of a table", (), {}
    if len(objects) < 2 and is_columns(text, keys.get((), []), len(start) >= HEAD - 4096):
        known = resolve(keys[()], mapping)
        return "json-columns", role_of(known), "columns in a JSON object", tuple(keys[()]), known
    if _NOTHING.match(text):
        return "json-results", "unknown", "an empty list in a JSON object", (), {}
    inside = wrapped_at(keys)
    if inside and len(objects) < 2 and not find(keys.get((), []), "query_id", OF_QUERY):
        return _objects("json-results", f"a list of objects under {inside[0]}", keys, (*inside, LIST), mapping)
    if len(objects) > 1 or any(plain(key) in _FIELDS for key in top) or find(top, "query_id") \
            or role_of(resolve(top, mapping)) != "unknown" or {"inputs", "outputs"} <= set(top):
        if len(lines) > 1 and not objects and not lines[1].startswith("{"):
            return _objects("json-object", "one JSON object over several lines", keys, (), mapping)
        found = _objects("jsonl", "JSON objects, one a line", keys, (), mapping)
        return _kilt(found, objects) if any(map(is_kilt, objects)) else found
    return "json-dict", *_role_of_dictionary(text), (), {}


def _kilt(found: Found, objects: list[dict]) -> Found:
    """What KILT's objects are: a system gives one output, gold data may have several."""
    name, _, _, columns, known = found
    gold = any(len(fields["output"]) > 1 for fields in objects if is_kilt(fields))
    what = "gold data, with several outputs" if gold else "outputs"
    return name, "truth" if gold else "run", f"KILT's {what} with provenance", columns, known


def _object(line: str) -> dict | None:
    """The object on a line, where there is a whole one."""
    try:
        value = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


def _objects(name: str, what: str, keys: dict, path: tuple[str, ...], mapping: Mapping[str, str]) -> Found:
    """What objects are with these keys at this path."""
    columns = tuple(fields_at(keys, path, (*LIFTED, "response")))
    if not mapping and is_corpus(columns):
        known = corpus_fields(columns)
        return name, "corpus", f"{what}, each a document with its {'text' if 'text' in known else 'title'}", columns, \
            known
    known = resolve(columns, mapping)
    there = [field for field in (*RETURNED, *OF_TRUTH) if field in known]
    if is_row(known):
        run = "score" in known or "rank" in known
        role = "run" if run else "truth" if "grade" in known else "unknown"
        reason = f"{what}, each " + ("a judgement" if role == "truth" else "a returned document")
        return name, role, reason, columns, known
    shown = [known[field] for field in there] or list(columns[:5]) or ["no fields"]
    return name, role_of(there), f"{what}, with {', '.join(shown)}", columns, known


def _role_of_dictionary(text: str) -> tuple[str, str]:
    """(role, reason) of {"query": {"document": number}} or {"query": [...]}."""
    values = [float(value) for value in _NUMBER.findall(text) if as_number(value) is not None]
    if not values:
        return "unknown", "a JSON dictionary of queries with lists of documents"
    if all(value.is_integer() and value <= 10 for value in values) and "." not in "".join(_NUMBER.findall(text)):
        return "truth", "a JSON dictionary of documents with whole grades"
    return "run", "a JSON dictionary of documents with scores"
