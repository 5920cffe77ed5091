"""OpenTelemetry's export of spans as JSON (OTLP), with attributes of OpenInference or of the GenAI conventions.

The collector writes an object per line, other exporters one object per file. A trace becomes one query: the question of
its root, retrieval or model call, in this order; the documents of its retrieval; the answer of its root or, where that
has none, of its last model call outside of the retrieval.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import orjson

from ragdash.core.errors import Collector
from ragdash.core.records import Run
from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.formats.tracing import spans
from ragdash.io.json.exact_parser import ExactReader, InputEntry, to_python
from ragdash.io.source.source import Source

_TOP = "resourceSpans"
_TOKENS = {"prompt_tokens": ("input_tokens", "prompt_tokens"),
           "completion_tokens": ("output_tokens", "completion_tokens")}


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes objects with resourceSpans."""
    if start.mapping or _TOP not in start.keys.get((), ()):
        return None
    return DetectedFormat("otlp-spans", "run", "what OpenTelemetry traced, span by span", (_TOP,))


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The run of an export: a query for each trace."""
    return jsonl.read_runs(source, name, _entries)


def _entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    problems = exact.problems if exact else source.collector()
    traces: dict[str, list[spans.Span]] = {}
    for line, export, _ in _exports(source, exact):
        for fields in spans_of(to_python(export)):
            span = _span(fields, line)
            traces.setdefault(span.trace, []).append(span)
    yield from spans.trace_entries([_trace_entry(trace, problems) for trace in traces.values()], problems, exact)


def _exports(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The objects of a file: one a line, or a single one over several lines."""
    first = source.head.strip().split(b"\n", 1)[0]
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return jsonl.read_single_object(source, exact)
    return jsonl.read_objects(source, exact)


def spans_of(export: object) -> Iterator[dict]:
    """The spans of an export; what has another shape is passed over."""
    for resource in _objects(export, _TOP):
        for scope in (*_objects(resource, "scopeSpans"), *_objects(resource, "instrumentationLibrarySpans")):
            yield from _objects(scope, "spans")


def attributes_of(span: dict) -> dict[str, object]:
    """The attributes of a span by their names, as plain values."""
    return {str(item.get("key")): _plain(item.get("value")) for item in _objects(span, "attributes")}


def _objects(value: object, name: str) -> list[dict]:
    members = value.get(name) if type(value) is dict else None
    return [member for member in members if type(member) is dict] if type(members) is list else []


def _span(fields: dict, line: int) -> spans.Span:
    """A span with its values under our names, of OpenInference first."""
    attributes = attributes_of(fields)
    context = {"trace_id": fields.get("traceId"), "span_id": fields.get("spanId")}
    span = spans.phoenix_span({"context": context, "parent_id": fields.get("parentSpanId"), "attributes": attributes},
                              line)
    gen_ai = _gen_ai_values(attributes)
    value = {**gen_ai, **span.value}
    milliseconds = _milliseconds(fields)
    is_retriever = span.is_retriever or "documents" in gen_ai
    if milliseconds is not None:
        value["latency_ms"] = {"retrieval" if is_retriever else "total": milliseconds}
    return spans.Span(line, span.trace, span.name, span.parent, is_retriever, value)


def _trace_entry(trace: list[spans.Span], problems: Collector) -> InputEntry | None:
    """One trace as a native object, as of other tools, with what its model calls add."""
    parents = {span.name: span.parent for span in trace}
    inside = {span.name for span in trace if span.is_retriever}
    roots = [span for span in trace if span.parent not in parents] or trace
    calls = [span for span in trace if "answer" in span.value and span is not roots[0]
             and not span.is_retriever and not _is_below(span.name, parents, inside)]
    searches = [span for span in trace if span.is_retriever and "documents" in span.value]
    added: dict = {}
    for span in (*searches[:1], *calls[-1:]):
        query_fields = {name: value for name, value in span.value.items() if name not in ("documents", "latency_ms")}
        added = {**query_fields, **added}
    if searches and not roots[0].is_retriever:
        times = {stage: value for span in (*searches[:1], roots[0]) for stage, value in span.value.get(
            "latency_ms", {}).items()}
        added |= {"latency_ms": times} if times else {}
        roots[0].value.pop("latency_ms", None)
    root = spans.Span(roots[0].line, roots[0].trace, roots[0].name, roots[0].parent, roots[0].is_retriever,
                      {**added, **roots[0].value})
    return spans.trace_entry([root if span is roots[0] else span for span in trace], problems)


def _is_below(name: str | None, parents: dict[str | None, str | None], above: set[str | None]) -> bool:
    """Whether one of the spans above a span is among these."""
    seen = set()
    while name is not None and name not in seen:
        seen.add(name)
        name = parents.get(name)
        if name in above:
            return True
    return False


def _gen_ai_values(attributes: dict) -> dict:
    """Query, answer, documents and tokens of the GenAI conventions, also of their form before version 1.37."""
    def first(*names: str) -> object:
        return next((attributes[name] for name in names if attributes.get(name) is not None), None)

    documents = _parsed(first("gen_ai.retrieval.documents"))
    question = first("gen_ai.retrieval.query.text", "gen_ai.retrieval.query")
    values = {
        "query": question if type(question) is str else _message(first("gen_ai.input.messages"), USER_ROLES),
        "answer": _message(first("gen_ai.output.messages"), MODEL_ROLES),
        "documents": [spans.document_fields(document) for document in documents if type(document) is dict]
        if type(documents) is list else None,
        **{name: first(*(f"gen_ai.usage.{alias}" for alias in aliases)) for name, aliases in _TOKENS.items()},
    }
    nested = spans.unflatten({name: value for name, value in attributes.items() if name.startswith("gen_ai.")})
    older = nested.get("gen_ai") if type(nested.get("gen_ai")) is dict else {}
    for name, member, roles in (("query", "prompt", USER_ROLES), ("answer", "completion", MODEL_ROLES)):
        if values[name] is None and type(older.get(member)) is list:
            values[name] = last_message(older[member], roles)
    return {name: value for name, value in values.items() if value is not None}


def _message(messages: object, roles: set[str]) -> str | None:
    """The text of the last message of these roles; its parts are joined."""
    messages = _parsed(messages)
    if type(messages) is not list:
        return None
    plain = []
    for message in messages:
        if type(message) is dict:
            parts = [part.get("content") for part in _objects(message, "parts") if part.get("type", "text") == "text"]
            texts = [text for text in parts if type(text) is str]
            plain.append({**message, "content": "\n".join(texts)} if texts else message)
    return last_message(plain, roles)


def _parsed(value: object) -> object:
    """A value that was exported as the text of JSON, or as it is."""
    if type(value) is str:
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value


def _plain(value: object) -> object:
    """The value of an attribute: {"stringValue": "x"} as "x"."""
    if type(value) is not dict:
        return value
    if "arrayValue" in value:
        return [_plain(item) for item in _objects(value["arrayValue"], "values")]
    if "kvlistValue" in value:
        return {str(item.get("key")): _plain(item.get("value")) for item in _objects(value["kvlistValue"], "values")}
    if "intValue" in value:
        with suppress(ValueError, TypeError, OverflowError):
            return int(value["intValue"])
    return next((value[name] for name in ("stringValue", "doubleValue", "boolValue") if name in value), None)


def _milliseconds(fields: dict) -> float | None:
    with suppress(ValueError, TypeError, OverflowError):
        began, ended = (int(fields[name]) for name in ("startTimeUnixNano", "endTimeUnixNano") if name in fields)
        return (ended - began) / 1e6 if ended >= began > 0 else None
    return None


FORMATS.register(Format("otlp-spans", "JSON of OpenTelemetry spans", read_runs, spans.read_truth), kind="json",
                 order=29, detect=detect)
