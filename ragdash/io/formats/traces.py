"""What tracing tools export: Phoenix's spans and LangSmith's runs as nested JSON, several objects for one question.

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
from ragdash.io.field_names import ALIASES, DOCUMENT_ALIASES, QUERY_ALIASES, find_fields, normalize_name
from ragdash.io.formats import jsonl
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
    """One step of a trace; parent: None for the first; value: {"query", "answer", "documents", ...} of what it says."""

    line: int
    trace: str
    name: str | None
    parent: str | None
    is_retriever: bool
    value: dict


def find_tracing_tool(keys: dict[KeyPath, list[str]]) -> tuple[str, KeyPath] | None:
    """("Phoenix" or "LangSmith", where its objects are), None for other files."""
    for path in _SPAN_PATHS:
        fields = set(keys.get(path, ()))
        if {"span_kind", "attributes"} <= fields or ({"context", "attributes"} <= fields and "trace_id" in keys.get(
                (*path, "context"), ())):
            return "Phoenix", path
        if {"run_type", "inputs", "outputs"} <= fields:
            return "LangSmith", path
    return None


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The run of a file of spans: a query for each trace."""
    return jsonl.read_runs(source, name, _entries)


def read_truth(source: Source) -> NoReturn:
    """Raise: spans tell what happened, not what is right."""
    fail_run_as_truth(source, "spans of a tracing tool", "a run")


def _entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    traces: dict[str, list[Span]] = {}
    problems = exact.problems if exact else source.collector()
    for line, fields, _ in _read_spans(source, exact):
        if type(fields) is not dict:
            Cell(problems, line, "span").note_wrong_type(fields, "an object")
            continue
        try:
            span = _phoenix_span(fields, line) if "attributes" in fields else _langsmith_span(fields, line)
        except RecursionError:
            problems.add("wrong-type/nested-spans", line=line)
            continue
        traces.setdefault(span.trace, []).append(span)
    found = [_trace_entry(spans, problems) for spans in traces.values()]
    empty = sum(one is None for one in found)
    if empty:
        problems.add("empty-trace", {"empty": empty, "traces": len(found)}, severity="warning")
    if exact is None and problems.problems:
        raise NeedsExact
    yield from (one for one in found if one)


def _read_spans(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The objects, where they are in this file."""
    _, path = find_tracing_tool(keys_by_path(source.head.decode(errors="replace")))
    if path in ((), (LIST,)):
        return jsonl.read_objects(source, exact)
    if exact:
        return exact.list_elements(path[:-1])
    value = parse_fast(source.data)
    found = value.get(path[0]) if type(value) is dict else None
    if type(found) is not list or len(value) > 1:
        raise NeedsExact
    return (InputEntry(0, part) for part in found)


def _trace_entry(spans: list[Span], problems: Collector) -> InputEntry | None:
    """One trace as an object of ours, None where it asks or gives nothing."""
    inside = {span.name for span in spans}
    roots = [span for span in spans if span.parent not in inside] or spans
    searches = [span for span in spans if span.is_retriever and "documents" in span.value]
    if len(searches) > 1:
        problems.add("several-retrievers", {"count": len(searches), "trace": spans[0].trace,
                     "lines": [str(span.line) for span in searches[:5]]}, line=searches[1].line)
    value: dict = {}
    for span in (*roots[:1], *searches[:1]):
        value = {**span.value, **value}
    if roots[0].is_retriever:
        value.pop("answer", None)  # what it put out are the documents
    documents = value.pop("documents", None)
    if documents is not None:
        with_ids = all("doc_id" in one for one in documents)
        value["retrieved" if with_ids else "contexts"] = documents if with_ids else [
            one["text"] for one in documents if one.get("text") is not None]
    asks = value.get("query") is not None
    return InputEntry(roots[0].line, value) if asks and {"retrieved", "contexts", "answer"} & value.keys() else None


def _phoenix_span(fields: dict, line: int) -> Span:
    about = _unflatten(fields["attributes"] if type(fields["attributes"]) is dict else {})
    context = fields.get("context") if type(fields.get("context")) is dict else fields
    kind = fields.get("span_kind") or _value_at_path(about, "openinference", "span", "kind")
    value = {"query": _payload_text(_value_at_path(about, "input"), _QUESTION_NAMES, USER_ROLES),
             "answer": _payload_text(_value_at_path(about, "output"), _ANSWER_NAMES, MODEL_ROLES)}
    documents = _value_at_path(about, "retrieval", "documents")
    if type(documents) is list:
        value["documents"] = [_document_fields(one) for one in documents if type(one) is dict]
    return _make_span(line, context.get("trace_id"), context.get("span_id"), fields.get("parent_id"), kind, value)


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
        value["documents"] = [_document_fields(one) if type(one) is dict else {"text": one} for one in documents]
    kind = fields.get("run_type") if documents is not None else None
    own = fields.get("id")
    return _make_span(line, fields.get("trace_id") or own, own, fields.get("parent_run_id"), kind, value)


def _make_span(line: int, trace, own, parent, kind, value: dict) -> Span:
    trace, own = str(trace or f"line {line}"), str(own or f"line {line}")
    return Span(line, trace, own, str(parent) if parent else None, str(kind).upper() == "RETRIEVER",
                {name: one for name, one in value.items() if one is not None})


def _document_fields(fields: dict) -> dict:
    """A returned document in our names; its id may stand in its metadata."""
    for name in ("document", "kwargs"):
        fields = fields[name] if type(fields.get(name)) is dict else fields
    metadata = fields.get("metadata")
    if type(metadata) is str:
        metadata = _parse_json(metadata)
    told = {**(metadata if type(metadata) is dict else {}), **fields}
    known = find_fields((name for name, value in told.items() if value is not None), DOCUMENT_ALIASES, DOCUMENT_ALIASES)
    return {name: told[field] for name, field in known.items() if name in ("doc_id", "text", "score", "source")}


def _payload_text(part, names: set[str], who: set[str]):
    """The text of {"value", "mime_type"}, where that is JSON the part of it that was asked or answered."""
    value = part.get("value") if type(part) is dict else part
    inner = _parse_json(value) if type(value) is str and value[:1] in ("{", "[") else None
    found = _message_text(inner, names, who) if inner is not None else None
    return value if found is None else found


def _message_text(value, names: set[str], who: set[str]):
    """What was asked or answered in an object: under a name we know, or the last message of these people."""
    if type(value) is str:
        return value
    if type(value) is list:
        return last_message(value, who)
    if type(value) is not dict:
        return None
    fields = {normalize_name(name): part for name, part in value.items()}
    for name in ("messages", "chathistory", "generations", "inputmessages", "outputmessages", "choices"):
        if type(fields.get(name)) is list and (found := last_message(fields[name], who)) is not None:
            return found
    found = next((fields[name] for name in names if type(fields.get(name)) in (str, dict, list)), None)
    if found is None and len(value) == 1 and type(only := next(iter(value.values()))) in (str, dict, list):
        found = only
    return found if type(found) is str or found is None else _message_text(found, names, who) or message_text(found)


def _unflatten(flat: dict) -> dict:
    """{"retrieval.documents.0.document.id": x} as objects in objects, with lists where the keys are numbers."""
    out: dict = {}
    for name, value in flat.items():
        here, *rest = str(name).split(".")
        at, parts = out, [here, *rest]
        for part in parts[:-1]:
            at = at.setdefault(part, {}) if type(at.setdefault(part, {})) is dict else {}
        at[parts[-1]] = _unflatten(value) if type(value) is dict else value
    return _indices_to_lists(out)


def _indices_to_lists(value):
    if type(value) is not dict:
        return value
    if value and all(name.isdecimal() for name in value):
        return [_indices_to_lists(value[name]) for name in sorted(value, key=int)]
    return {name: _indices_to_lists(part) for name, part in value.items()}


def _value_at_path(value, *path: str):
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value


def _parse_json(text: str):
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
