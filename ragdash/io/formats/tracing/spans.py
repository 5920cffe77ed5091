"""Exports of tracing tools: spans of Phoenix and runs of LangSmith, several objects per question.

The objects of a trace become one query: the question and the answer of its root, the documents of its retriever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import orjson

from ragdash.core.errors import Collector
from ragdash.core.records import Run
from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message, message_text
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import ALIASES, DOCUMENT_ALIASES, QUERY_ALIASES, find_fields, normalize_name
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.json.head import LIST, KeyPath, keys_by_path
from ragdash.io.json.typed_fields import Cell
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_run_as_truth

_SPAN_PATHS: tuple[KeyPath, ...] = ((LIST,), (), ("data", LIST), ("runs", LIST), ("spans", LIST))
_QUESTION_NAMES = {normalize_name(name) for name in ALIASES["query"]} - {"input"}
_ANSWER_NAMES = {normalize_name(name) for name in QUERY_ALIASES["answer"]}
_TOKENS = ("prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class Span:
    """One step of a trace. parent: None for the root; value: its query, answer, documents ..."""

    line: int
    trace: str
    name: str | None
    parent: str | None
    is_retriever: bool
    value: dict


def find_tracing_tool(keys: dict[KeyPath, list[str]]) -> tuple[str, KeyPath] | None:
    """("Phoenix" or "LangSmith", path to its objects); None for other files."""
    for path in _SPAN_PATHS:
        fields = set(keys.get(path, ()))
        if {"span_kind", "attributes"} <= fields or ({"context", "attributes"} <= fields and "trace_id" in keys.get(
                (*path, "context"), ())):
            return "Phoenix", path
        if {"run_type", "inputs", "outputs"} <= fields:
            return "LangSmith", path
    return None


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes spans of Phoenix and runs of LangSmith; with a mapping, their objects are read as rows."""
    tool = None if start.mapping else find_tracing_tool(start.keys)
    if tool is None:
        return None
    name, path = tool
    return DetectedFormat("json-spans", "run", f"what {name} traced, step by step", tuple(start.keys[path]))


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The run of a file of spans: a query for each trace."""
    return jsonl.read_runs(source, name, _entries)


def read_truth(source: Source) -> NoReturn:
    """Raise: traces are runs, not ground truth."""
    fail_run_as_truth(source, "spans of a tracing tool", "a run")


def _entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    traces: dict[str, list[Span]] = {}
    problems = exact.problems if exact else source.collector()
    for line, fields, _ in _read_spans(source, exact):
        if type(fields) is not dict:
            Cell(problems, line, "span").note_wrong_type(fields, "an object")
            continue
        try:
            span = phoenix_span(fields, line) if "attributes" in fields else _langsmith_span(fields, line)
        except RecursionError:
            problems.add("wrong-type/nested-spans", line=line)
            continue
        traces.setdefault(span.trace, []).append(span)
    yield from trace_entries([trace_entry(spans, problems) for spans in traces.values()], problems, exact)


def trace_entries(entries: list[InputEntry | None], problems: Collector, exact: ExactReader | None
                  ) -> Iterator[InputEntry]:
    """The queries of all traces; traces without one are counted in a warning. NeedsExact where lines are wanted."""
    empty = sum(entry is None for entry in entries)
    if empty:
        problems.add("empty-trace", {"empty": empty, "traces": len(entries)}, severity="warning")
    if exact is None and problems.problems:
        raise NeedsExact
    yield from (entry for entry in entries if entry)


def _read_spans(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The spans of the file."""
    _, path = find_tracing_tool(keys_by_path(source.head.decode(errors="replace")))
    if path in ((), (LIST,)):
        return jsonl.read_objects(source, exact)
    if exact:
        return exact.list_elements(path[:-1])
    value = parse_fast(source.data)
    spans = value.get(path[0]) if type(value) is dict else None
    if type(spans) is not list or len(value) > 1:
        raise NeedsExact
    return (InputEntry(0, span) for span in spans)


def trace_entry(spans: list[Span], problems: Collector) -> InputEntry | None:
    """One trace as a native object; None without a question, or without an answer and documents."""
    span_names = {span.name for span in spans}
    roots = [span for span in spans if span.parent not in span_names] or spans
    searches = [span for span in spans if span.is_retriever and "documents" in span.value]
    if len(searches) > 1:
        problems.add("several-retrievers", {"count": len(searches), "trace": spans[0].trace,
                     "lines": [str(span.line) for span in searches[:5]]}, line=searches[1].line)
    value: dict = {}
    for span in (*roots[:1], *searches[:1]):
        value = {**span.value, **value}
    if roots[0].is_retriever:
        value.pop("answer", None)  # its output is the documents
    documents = value.pop("documents", None)
    if documents is not None:
        with_ids = all("doc_id" in document for document in documents)
        value["retrieved" if with_ids else "contexts"] = documents if with_ids else [
            document["text"] for document in documents if document.get("text") is not None]
    asks = value.get("query") is not None
    return InputEntry(roots[0].line, value) if asks and {"retrieved", "contexts", "answer"} & value.keys() else None


def phoenix_span(fields: dict, line: int) -> Span:
    """A span of Phoenix, or of OpenInference: its attributes nested or with dotted names."""
    attributes = unflatten(fields["attributes"] if type(fields["attributes"]) is dict else {})
    context = fields.get("context") if type(fields.get("context")) is dict else fields
    kind = fields.get("span_kind") or _value_at_path(attributes, "openinference", "span", "kind")
    value = {"query": _payload_text(_value_at_path(attributes, "input"), _QUESTION_NAMES, USER_ROLES),
             "answer": _payload_text(_value_at_path(attributes, "output"), _ANSWER_NAMES, MODEL_ROLES)}
    value |= {name: _value_at_path(attributes, "llm", "token_count", name.removesuffix("_tokens")) for name in _TOKENS}
    documents = _value_at_path(attributes, "retrieval", "documents")
    if type(documents) is list:
        value["documents"] = _with_ids([document_fields(document) for document in documents if type(document) is dict],
                                       _value_at_path(attributes, "output", "value"))
    return _make_span(line, context.get("trace_id"), context.get("span_id"), fields.get("parent_id"), kind, value)


def _with_ids(documents: list[dict], output: object) -> list[dict]:
    """The documents, with what only the output of their retriever says, such as the ids of LangChain's documents."""
    inner = _parse_json(output) if type(output) is str else None
    given = inner.get("documents") if type(inner) is dict else inner
    if type(given) is not list or len(given) != len(documents) or not all(type(item) is dict for item in given):
        return documents
    if all("doc_id" in document for document in documents):
        return documents
    return [{**document_fields(item), **document} for item, document in zip(given, documents, strict=True)]


def _langsmith_span(fields: dict, line: int) -> Span:
    outputs = fields.get("outputs") if type(fields.get("outputs")) is dict else {}
    value = {
        "query_id": fields.get("reference_example_id"),
        "query": _message_text(fields.get("inputs"), _QUESTION_NAMES | {"input"}, USER_ROLES),
        "answer": _message_text(outputs, _ANSWER_NAMES, MODEL_ROLES),
        **{name: fields.get(name) for name in _TOKENS},
    }
    documents = next((outputs[name] for name in ("documents", "contexts", "source_documents", "context")
                      if type(outputs.get(name)) is list), None)
    if documents is not None:
        value["documents"] = [
            document_fields(document) if type(document) is dict else {"text": document} for document in documents
        ]
    kind = fields.get("run_type") if documents is not None else None
    span_id = fields.get("id")
    return _make_span(line, fields.get("trace_id") or span_id, span_id, fields.get("parent_run_id"), kind, value)


def _make_span(line: int, trace, span_id, parent, kind, value: dict) -> Span:
    trace, span_id = str(trace or f"line {line}"), str(span_id or f"line {line}")
    return Span(line, trace, span_id, str(parent) if parent else None, str(kind).upper() == "RETRIEVER",
                {name: content for name, content in value.items() if content is not None})


def document_fields(fields: dict) -> dict:
    """A returned document with our field names; its id may be in its metadata."""
    for name in ("document", "kwargs"):
        fields = fields[name] if type(fields.get(name)) is dict else fields
    metadata = fields.get("metadata")
    if type(metadata) is str:
        metadata = _parse_json(metadata)
    members = {**(metadata if type(metadata) is dict else {}), **fields}
    schema = find_fields(
        (name for name, value in members.items() if value is not None), DOCUMENT_ALIASES, DOCUMENT_ALIASES
    )
    return {name: members[field] for name, field in schema.items() if name in ("doc_id", "text", "score", "source")}


def _payload_text(payload, names: set[str], speakers: set[str]):
    """The text of {"value", "mime_type"}; from a JSON value, the question or the answer in it."""
    value = payload.get("value") if type(payload) is dict else payload
    inner = _parse_json(value) if type(value) is str and value[:1] in ("{", "[") else None
    text = _message_text(inner, names, speakers) if inner is not None else None
    return value if text is None else text


def _message_text(value, names: set[str], speakers: set[str]):
    """The question or answer in an object: under a known name, or the last message of these roles."""
    if type(value) is str:
        return value
    if type(value) is list:
        return last_message(value, speakers)
    if type(value) is not dict:
        return None
    fields = {normalize_name(name): member for name, member in value.items()}
    for name in ("messages", "chathistory", "generations", "inputmessages", "outputmessages", "choices"):
        if type(fields.get(name)) is list and (text := last_message(fields[name], speakers)) is not None:
            return text
    text = next((fields[name] for name in names if type(fields.get(name)) in (str, dict, list)), None)
    if text is None and len(value) == 1 and type(single_value := next(iter(value.values()))) in (str, dict, list):
        text = single_value
    return text if type(text) is str or text is None else _message_text(text, names, speakers) or message_text(text)


def unflatten(flat: dict) -> dict:
    """{"retrieval.documents.0.document.id": x} as nested objects, with lists for numeric keys."""
    root: dict = {}
    for name, value in flat.items():
        first_key, *other_keys = str(name).split(".")
        node, keys = root, [first_key, *other_keys]
        for key in keys[:-1]:
            node = node.setdefault(key, {}) if type(node.setdefault(key, {})) is dict else {}
        node[keys[-1]] = unflatten(value) if type(value) is dict else value
    return _indices_to_lists(root)


def _indices_to_lists(value):
    if type(value) is not dict:
        return value
    if value and all(name.isdecimal() for name in value):
        return [_indices_to_lists(value[name]) for name in sorted(value, key=int)]
    return {name: _indices_to_lists(member) for name, member in value.items()}


def _value_at_path(value, *path: str):
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value


def _parse_json(text: str):
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


FORMATS.register(Format("json-spans", "JSON of traces", read_runs, read_truth), kind="json", order=30, detect=detect)
