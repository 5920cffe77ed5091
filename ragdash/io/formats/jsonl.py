"""Files of JSON objects: native JSONL, arrays, single objects, and lists inside of an object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.core.text.sentences import asks
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.kilt_objects import is_gold, is_kilt
from ragdash.io.assemble.plain_rows import read_plain_rows
from ragdash.io.assemble.run_builder import RunReader
from ragdash.io.assemble.truth_builder import TruthReader
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
    role_of,
)
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format, Writer
from ragdash.io.json.exact_parser import (
    ExactReader,
    InputEntry,
    NeedsExact,
    StrictCollector,
    parse_fast,
    parse_lines_fast,
)
from ragdash.io.json.head import LIST, WRAPPERS, KeyPath, fields_at_path, find_wrapped_list, keys_by_path
from ragdash.io.json.late_fields import is_unsearched
from ragdash.io.source.source import Source
from ragdash.io.write import format_writers
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

_EMPTY_LIST = re.compile(r'\{\s*"(?:' + "|".join(WRAPPERS) + r')"\s*:\s*\[\s*\]')
_FAILURES = re.compile(r"fail(?:ed|ures?|s)(?![a-z])", re.IGNORECASE)  # in the name of a list
_FEWEST_TEXTS = 5  # below empty titles, whose length says what they are
_LONG_TEXT = 60  # characters, of documents rather than of queries
_ID_FIELDS = {normalize_name(name) for name in (*QUERY_ALIASES, "doc_id")}


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes objects: one a line, in an array, in a list inside of one object, or a single one."""
    keys, objects = start.keys, start.objects
    if start.json_text.startswith("["):
        return _describe_objects(start, "json-array", "a JSON array of objects", (LIST,))
    if _EMPTY_LIST.match(start.json_text):
        return DetectedFormat("json-results", "unknown", "an empty list in a JSON object")
    path = find_wrapped_list(keys)
    if path and len(objects) < 2 and not find_field(keys.get((), []), "query_id", QUERY_ALIASES):
        detection = _describe_objects(start, "json-results", f"a list of objects under {path[0]}", (*path, LIST))
        return None if _lists_failures(path[-1], detection, start) else detection
    if not _is_query_or_document(start):
        return None
    if len(start.json_lines) > 1 and not objects and not start.json_lines[1].startswith("{"):
        return _describe_objects(start, "json-object", "one JSON object over several lines", ())
    detection = _describe_objects(start, "jsonl", "JSON objects, one a line", ())
    return _describe_kilt(detection, objects) if any(map(is_kilt, objects)) else detection


def _lists_failures(name: str, detection: DetectedFormat, start: FileStart) -> bool:
    """True for the cases that failed in a report, with marks alone: their mean says nothing of the run."""
    content = {"query", "doc_id", *RUN_MARKERS, *TRUTH_MARKERS} - {"metrics"}
    return not start.mapping and _FAILURES.search(name) is not None and content.isdisjoint(detection.guess)


def _is_query_or_document(start: FileStart) -> bool:
    """True for several objects, and for one with a field of a query or a document."""
    top = list(start.objects[0]) if start.objects else start.keys.get((), [])[:1]
    return (len(start.objects) > 1 or any(normalize_name(key) in _ID_FIELDS for key in top)
            or find_field(top, "query_id") is not None
            or role_of(resolve_fields(top, start.mapping)) != "unknown" or {"inputs", "outputs"} <= set(top))


def _holds_documents(columns: Iterable[str], objects: list[dict]) -> bool:
    """True for lines of an id and a long text that is no question, and of nothing else."""
    schema = corpus_fields(columns)
    return schema.keys() == {"doc_id", "text"} and len(tuple(columns)) == 2 and bool(objects) and _are_long(
        schema, objects)


def _are_titled(columns: Iterable[str], start: FileStart) -> bool:
    """False for several texts below titles of which none has a word: they are documents where they are long, or where
    the name of the file says corpus."""
    schema, objects = corpus_fields(columns), start.objects
    if len(objects) < _FEWEST_TEXTS or "corpus" in start.source.name.lower() or (
            find_field(columns, "doc_id") is not None or not {"title", "text"} <= schema.keys()):
        return True
    return any(fields.get(schema["title"]) for fields in objects) or _are_long(schema, objects)


def _are_long(schema: Mapping[str, str], objects: list[dict]) -> bool:
    """True for long texts that are no questions."""
    texts = [str(fields.get(schema["text"], "")) for fields in objects]
    return sum(map(len, texts)) > _LONG_TEXT * len(texts) and 5 * sum(map(asks, texts)) <= len(texts)


def _describe_objects(start: FileStart, name: str, container: str, path: KeyPath) -> DetectedFormat:
    """What the objects at this path are."""
    columns = tuple(fields_at_path(start.keys, path, (*FLATTENED, "response")))
    if not start.mapping and ((is_corpus_document(columns) and _are_titled(columns, start))
                              or _holds_documents(columns, start.objects)):
        schema = corpus_fields(columns)
        content = "text" if "text" in schema else "title"
        return DetectedFormat(name, "corpus", f"{container}, each a document with its {content}", columns, schema)
    schema = _without_empty(start, resolve_fields(columns, start.mapping))
    markers = [field for field in (*RUN_MARKERS, *TRUTH_MARKERS) if field in schema]
    if is_document_row(schema):
        run = "score" in schema or "rank" in schema
        role = "run" if run else "truth" if "grade" in schema else "unknown"
        content = "a judgment" if role == "truth" else "a returned document"
        return DetectedFormat(name, role, f"{container}, each {content}", columns, schema)
    shown_fields = [schema[field] for field in markers] or list(columns[:5]) or ["no fields"]
    return DetectedFormat(name, role_of(markers), f"{container}, with {', '.join(shown_fields)}", columns, schema)


def _without_empty(start: FileStart, schema: dict[str, str]) -> dict[str, str]:
    """The schema of a run without fields of the truth that have no value in the whole file: ground_truth: null."""
    if start.is_cut or start.mapping or role_of(schema) != "both":
        return schema
    return {name: field for name, field in schema.items() if name not in TRUTH_MARKERS or re.search(
        rf'"{re.escape(field.rpartition(".")[2])}"\s*:(?!\s*(?:null|""|\[\s*\]|NaN)\s*[,}}])', start.json_text)}


def _describe_kilt(detection: DetectedFormat, objects: list[dict]) -> DetectedFormat:
    """What KILT's objects are."""
    gold = any(is_gold(fields) for fields in objects if is_kilt(fields))
    content = "gold data" if gold else "outputs"
    return replace(detection, role="truth" if gold else "run", reason=f"KILT's {content} with provenance")


def read_runs(source: Source, name: str | None, entries: Callable | None = None) -> list[Run]:
    """The runs of a file of objects, one per configuration."""
    if entries is None and not source.head.lstrip().startswith(b"["):
        runs = read_plain_rows(source, name)
        if runs is not None:
            return runs

    def read(problems: Collector, entries: Iterable[InputEntry]) -> list[Run]:
        reader = RunReader(problems, source.mapping)
        for entry in entries:
            reader.add(entry)
        if reader.is_truth and not reader.is_run:
            fail_truth_as_run(
                source, "its objects have relevant documents, references or evidence and nothing retrieved"
            )
        rows = reader.finish()
        if reader.of_truth and is_unsearched(source):
            problems.add("unread-field/of-truth", {"names": list(reader.of_truth)}, field=next(iter(reader.of_truth)),
                         severity="warning")
        return build_runs(rows, source, name, problems)

    return read_fast_or_exact(source, read, entries or read_objects)


def read_truth(source: Source, entries: Callable | None = None) -> Truth:
    """The truth in a file of objects."""
    def read(problems: Collector, entries: Iterable[InputEntry]) -> Truth:
        reader = TruthReader(problems, source.mapping)
        for entry in entries:
            reader.add(entry)
        if reader.looks_like_run:
            fail_run_as_truth(source, "it holds retrieved documents or scores and no grades")
        return reader.finish(source)

    return read_fast_or_exact(source, read, entries or read_objects)


def read_fast_or_exact(source: Source, read: Callable, entries: Callable):
    """Parse fast; if that raises NeedsExact, parse again exactly, which notes problems with their lines."""
    try:
        return read(StrictCollector(source.file), entries(source, None))
    except NeedsExact:
        problems = source.collector()
        return read(problems, entries(source, ExactReader(source, problems)))


def read_objects(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The objects of a JSONL file, of a JSON array, or a single one."""
    start = source.head.lstrip()
    if start.startswith(b"["):
        return exact.elements() if exact else (InputEntry(0, value) for value in parse_fast(source.data))
    return exact.lines() if exact else parse_lines_fast(source)


def read_single_object(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The one object of a file, written over several lines."""
    return exact.single_value() if exact else iter([InputEntry(0, parse_fast(source.data))])


def read_wrapped_objects(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The list of objects inside of one object, as tools write them."""
    path = find_wrapped_list(keys_by_path(source.head.decode(errors="replace"))) or ("results",)
    if exact:
        return exact.list_elements(path)
    value = parse_fast(source.data)
    for key in path:
        if type(value) is not dict or key not in value or len(value) > 1:
            raise NeedsExact
        value = value[key]
    if type(value) is not list:
        raise NeedsExact
    return (InputEntry(0, item) for item in value)


def format_of_objects(name: str, title: str, entries: Callable) -> Format:
    """A format whose runs and truth are in the same objects: those that entries gives for a source."""
    return Format(name, title, lambda source, run_name: read_runs(source, run_name, entries),
                  lambda source: read_truth(source, entries))


FORMATS.register(
    Format("jsonl", "JSONL", read_runs, read_truth), Format("json-array", "JSON list", read_runs, read_truth),
    format_of_objects("json-object", "JSON object", read_single_object),
    format_of_objects("json-results", "JSON results", read_wrapped_objects),
    kind="json", order=50, detect=detect,
    writer=Writer("jsonl", 2, (".jsonl", ".ndjson"), format_writers.write_jsonl_run, format_writers.write_jsonl_truth))
