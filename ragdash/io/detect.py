"""Find the format and the role of a file by looking at its beginning; its name does not count."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import islice

from ragdash.io.assemble.kilt_objects import is_kilt
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import (
    FLATTENED,
    QUERY_ALIASES,
    RUN_MARKERS,
    TRUTH_MARKERS,
    corpus_fields,
    find_field,
    is_corpus_document,
    is_document_row,
    normalize_name,
    resolve_fields,
)
from ragdash.io.formats import excel_parquet
from ragdash.io.formats.json_columns import is_json_columns
from ragdash.io.formats.llamaindex import is_llamaindex
from ragdash.io.formats.squad import is_squad
from ragdash.io.formats.traces import find_tracing_tool
from ragdash.io.formats.trec_lines import QRELS, RUN, Layout, data_lines, split_line
from ragdash.io.json.head import LIST, WRAPPERS, fields_at_path, find_wrapped_list, keys_by_path
from ragdash.io.json.numbers import parse_number
from ragdash.io.source import zip_file
from ragdash.io.source.source import HEAD_BYTES, Source
from ragdash.io.tables.header import Header, read_header, widest_header
from ragdash.io.tables.whitespace import normalize_line_ends

SAMPLED_LINES = 50  # lines
_LIST = r'"\s*:\s*\[[^][]*\]\s*,\s*"'
_PANDAS_SPLIT = re.compile(rf'\{{\s*"(?:columns{_LIST}(?:index|data)|index{_LIST}columns)"')
_EMPTY_LIST = re.compile(r'\{\s*"(?:' + "|".join(WRAPPERS) + r')"\s*:\s*\[\s*\]')
_NUMBER = re.compile(r":\s*(-?\d[\d.eE+-]*)\s*[,}]")
_ID_FIELDS = {normalize_name(name) for name in (*QUERY_ALIASES, "doc_id")}


Detection = tuple[str, str, str, tuple[str, ...], dict[str, str]]  # format, role, reason, columns, guess


def detect_source(source: Source) -> DetectedFormat:
    """What an open source seems to be."""
    if source.container:
        return _detect_container(source)
    head = normalize_line_ends(source.head)
    start = head.lstrip()
    if re.match(rb"""\{\s*(['"}]|$)|\[\s*["{\[\]]""", start):
        found = _detect_json(start, source.mapping)
    else:
        found = _detect_text(
            head if len(source.head) < HEAD_BYTES - 3 else head[: head.rfind(b"\n") + 1] or head, source.mapping
        )
    name, role, reason, columns, guess = found
    return DetectedFormat(name, role, reason, source.compression.name if source.compression else None, columns, guess)


def _detect_container(source: Source) -> DetectedFormat:
    """What a workbook or a Parquet file seems to be; an archive holds files of its own."""
    if source.container == "zip" and zip_file.is_workbook(source):
        source.container = "xlsx"
    if source.container == "zip":
        return DetectedFormat("zip", "unknown", "a zip archive")
    header, _ = excel_parquet.read_table(source, source.collector())
    if not source.mapping and is_corpus_document(header.names):
        return DetectedFormat(source.container, "corpus", "columns of documents with their texts", None, header.names,
                       corpus_fields(header.names))
    if header.has_query_rows or not is_document_row(header.schema):
        _, role, reason = describe_header(header)
        role = role if header.has_query_rows else "unknown"
    else:
        found = header.schema
        role = "run" if {"score", "rank"} & found.keys() else "truth" if "grade" in found else "unknown"
        reason = f"columns {', '.join(found.values())}"
    return DetectedFormat(source.container, role, reason.replace("a header line", "columns"), None, header.names,
                   dict(header.schema))


def _detect_text(head: bytes, mapping: Mapping[str, str]) -> Detection:
    """What lines of columns are."""
    header = read_header(head, mapping)
    if header and header.outputs and _detect_lines(head.split(b"\n", 1)[0], None)[2].startswith("lines of"):
        header = None  # "[1] Q0 d1 1 0.5 tag" only looks like promptfoo's "[provider] prompt"
    named = header.columns.keys() if header else ()
    if header and (header.has_query_rows or ("doc_id" in named and ("query_id" in named or "query" in named))):
        name, role, reason = describe_header(header) if header.has_query_rows else _detect_table(header, head)
        return name, role, reason, header.names, _guess(header)
    found = _detect_lines(head, header)
    columns = widest_header(head) if found[0] in ("unknown", "csv", "tsv") else ()
    return *found, columns, _guess(header) if header and columns else {}


def describe_header(header: Header) -> tuple[str, str, str]:
    """(format, role, reason) of a table with a row for each query."""
    there = [name for name in (*RUN_MARKERS, *TRUTH_MARKERS) if name in header.schema]
    if header.outputs:
        found = ", ".join(output.config for output in header.outputs[:5])
        return header.format, role_of(there), f"a table of promptfoo, with answers of {found}"
    return header.format, role_of(there), f"a header line with {', '.join(header.schema[name] for name in there)}"


def _guess(header: Header) -> dict[str, str]:
    if header.has_query_rows:
        return {name: field for name, field in header.schema.items() if field in header.names}
    return {name: header.names[at] for name, at in header.columns.items()}


def _detect_lines(head: bytes, header: Header | None) -> tuple[str, str, str]:
    """(format, role, reason) of lines that are no table with a row for each document or query."""
    lines = [line for _, line in islice(data_lines(head), SAMPLED_LINES)]
    fields = [split_line(line, RUN) for line in lines]
    runs = sum(_matches_layout(run, RUN) for run in fields)
    qrels = 0 if runs == len(lines) else sum(_matches_layout(split_line(line, QRELS), QRELS) for line in lines)
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
    run, truth = any(name in names for name in RUN_MARKERS), any(name in names for name in TRUTH_MARKERS)
    return ("both" if truth else "run") if run else ("truth" if truth else "unknown")


def _matches_layout(fields: list[bytes], layout: Layout) -> bool:
    """True for a line with the right number of columns and a number where one belongs."""
    width = len(layout.columns)
    right = len(fields) == width or (len(fields) > width and layout.allows_extra)
    return right and parse_number(fields[layout.value_index]) is not None


def _detect_table(header: Header, head: bytes) -> tuple[str, str, str]:
    names = header.columns
    shown = ", ".join(header.names[names[name]] for name in ("query_id", "doc_id", "rank", "score", "grade")
                      if name in names)
    reason = f"a header line with {shown}"
    if header.is_beir and _has_whole_scores(header, head):
        return header.format, "truth", f"{reason} and whole numbers (BEIR qrels)"
    if "rank" in names or "score" in names:
        return header.format, "run", reason
    return header.format, "truth" if "grade" in names else "unknown", reason


def _has_whole_scores(header: Header, head: bytes) -> bool:
    """True where the first rows hold whole numbers up to 10, as grades are."""
    rows = csv.reader(head.decode(errors="replace").split("\n")[header.line:], delimiter=header.delimiter)
    at = header.columns["score"]
    try:
        values = [parse_number(row[at]) for row in islice(rows, SAMPLED_LINES) if len(row) > at]
    except csv.Error:
        return False
    return all(value is not None and value.is_integer() and value <= 10 for value in values)


def _detect_json(start: bytes, mapping: Mapping[str, str]) -> Detection:
    """What JSON text is that begins here."""
    text = start.decode(errors="replace")
    keys = keys_by_path(text)
    if is_llamaindex(start):
        return "json-dataset", "truth", "a data set of LlamaIndex: queries with relevant_docs", (), {}
    if is_squad(keys):
        return "json-squad", "truth", "SQuAD's data: paragraphs with questions and answers", (), {}
    if (traced := find_tracing_tool(keys)) and not mapping:
        return "json-spans", "run", f"what {traced[0]} traced, step by step", tuple(keys[traced[1]]), {}
    if text.startswith("["):
        return _detect_objects("json-array", "a JSON array of objects", keys, (LIST,), mapping)
    lines = [line for line in text.split("\n") if line.strip()][:SAMPLED_LINES]
    objects = [fields for fields in map(_parse_object, lines) if fields is not None]
    top = list(objects[0]) if objects else keys.get((), [])[:1]
    if _PANDAS_SPLIT.match(text):
        return "unknown", "unknown", "pandas' split form of a table", (), {}
    if len(objects) < 2 and is_json_columns(text, keys.get((), []), len(start) >= HEAD_BYTES - 4096):
        known = resolve_fields(keys[()], mapping)
        return "json-columns", role_of(known), "columns in a JSON object", tuple(keys[()]), known
    if _EMPTY_LIST.match(text):
        return "json-results", "unknown", "an empty list in a JSON object", (), {}
    inside = find_wrapped_list(keys)
    if inside and len(objects) < 2 and not find_field(keys.get((), []), "query_id", QUERY_ALIASES):
        return _detect_objects("json-results", f"a list of objects under {inside[0]}", keys, (*inside, LIST), mapping)
    if len(objects) > 1 or any(normalize_name(key) in _ID_FIELDS for key in top) or find_field(top, "query_id") \
            or role_of(resolve_fields(top, mapping)) != "unknown" or {"inputs", "outputs"} <= set(top):
        if len(lines) > 1 and not objects and not lines[1].startswith("{"):
            return _detect_objects("json-object", "one JSON object over several lines", keys, (), mapping)
        found = _detect_objects("jsonl", "JSON objects, one a line", keys, (), mapping)
        return _detect_kilt(found, objects) if any(map(is_kilt, objects)) else found
    return "json-dict", *_dictionary_role(text), (), {}


def _detect_kilt(found: Detection, objects: list[dict]) -> Detection:
    """What KILT's objects are: a system gives one output, gold data may have several."""
    name, _, _, columns, known = found
    gold = any(len(fields["output"]) > 1 for fields in objects if is_kilt(fields))
    what = "gold data, with several outputs" if gold else "outputs"
    return name, "truth" if gold else "run", f"KILT's {what} with provenance", columns, known


def _parse_object(line: str) -> dict | None:
    """The object on a line, where there is a whole one."""
    try:
        value = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None


def _detect_objects(name: str, what: str, keys: dict, path: tuple[str, ...], mapping: Mapping[str, str]) -> Detection:
    """What objects are with these keys at this path."""
    columns = tuple(fields_at_path(keys, path, (*FLATTENED, "response")))
    if not mapping and is_corpus_document(columns):
        known = corpus_fields(columns)
        return name, "corpus", f"{what}, each a document with its {'text' if 'text' in known else 'title'}", columns, \
            known
    known = resolve_fields(columns, mapping)
    there = [field for field in (*RUN_MARKERS, *TRUTH_MARKERS) if field in known]
    if is_document_row(known):
        run = "score" in known or "rank" in known
        role = "run" if run else "truth" if "grade" in known else "unknown"
        reason = f"{what}, each " + ("a judgement" if role == "truth" else "a returned document")
        return name, role, reason, columns, known
    shown = [known[field] for field in there] or list(columns[:5]) or ["no fields"]
    return name, role_of(there), f"{what}, with {', '.join(shown)}", columns, known


def _dictionary_role(text: str) -> tuple[str, str]:
    """(role, reason) of {"query": {"document": number}} or {"query": [...]}."""
    values = [float(value) for value in _NUMBER.findall(text) if parse_number(value) is not None]
    if not values:
        return "unknown", "a JSON dictionary of queries with lists of documents"
    if all(value.is_integer() and value <= 10 for value in values) and "." not in "".join(_NUMBER.findall(text)):
        return "truth", "a JSON dictionary of documents with whole grades"
    return "run", "a JSON dictionary of documents with scores"
