"""MLflow traces: the table of `mlflow.genai.evaluate`, what `mlflow.search_traces` returns, and traces as JSON.

A table has a row per trace; its column `trace` holds the trace as JSON, with the scores of the scorers and the expected
answers as assessments. Exported by pandas it is JSON ({"columns", "data"}, a list or lines) or CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import orjson

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import ALIASES
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS
from ragdash.io.formats.tools.conversion import Keys, ToolFile, member, objects, present, register
from ragdash.io.json.exact_parser import ExactReader, InputEntry
from ragdash.io.source.source import Source
from ragdash.io.tables.row_reader import csv_rows

NAME, CONTENT = "mlflow-traces", "traces of MLflow with their assessments"
_MARKS = ("mlflow.trace", "mlflow.span")  # how the names of metadata begin that every trace has
_TEXTS = ("content", "text", "answer", "response", "output")  # where an answer in an object has its text
_AT_K = re.compile(r'"(?:precision|recall|ndcg)_at_\d+\\?/score"')
_COLUMNS = {"trace_id", "trace", "request", "response"}


def _is_traces(keys: Keys) -> bool:
    return any(str(name).startswith(_MARKS) for names in keys.values() for name in names)


def _queries(values: list) -> Iterator[dict]:
    """A query for each trace of a table, a list or lines."""
    value = values[0] if len(values) == 1 else values
    if type(value) is dict and type(value.get("columns")) is list and type(value.get("data")) is list:
        rows = [dict(zip(value["columns"], row, strict=False)) for row in value["data"] if type(row) is list]
    elif type(value) is dict:
        rows = objects(value.get("traces")) or [value]
    else:
        rows = objects(value)
    yield from (query for query in map(_query, rows) if query)


def _query(row: Mapping) -> dict | None:
    """The query of a row of a table, or of a trace; None for one without a question."""
    trace = row if "info" in row and "data" in row else _parsed(row.get("trace"))
    info, spans = member(trace, "info"), objects(member(trace, "data", "spans")) or objects(row.get("spans"))
    root = next((span for span in spans if not span.get("parent_span_id") and not span.get("parent_id")), {})
    attributes = root.get("attributes") if type(root.get("attributes")) is dict else {}
    asked = _parsed(attributes.get("mlflow.spanInputs", row.get("request", member(info, "request_preview"))))
    question = _text(asked, (*ALIASES["query"], "prompt"), USER_ROLES)
    if not question:
        return None
    returned = _parsed(attributes.get("mlflow.spanOutputs", row.get("response", member(info, "response_preview"))))
    assessments = objects(member(info, "assessments")) or objects(row.get("assessments"))
    expected = {str(item.get("assessment_name") or item.get("name")): member(item, "expectation", "value")
                for item in assessments if "expectation" in item}
    documents = _documents(spans)
    answer = expected.get("expected_response")
    return present(
        query_id=member(info, "client_request_id") or row.get("client_request_id"), query=question,
        answer=_text(returned, _TEXTS, MODEL_ROLES), latency_ms=member(info, "execution_duration_ms") or
        row.get("execution_duration"), answers=None if answer is None else [str(answer)],
        relevant=_relevant(expected.get("expected_retrieved_context")) or None,
        metrics=_scores(assessments) or None, **documents)


def _documents(spans: list[dict]) -> dict:
    """What the first retriever returned: ids where each document has one, else the texts."""
    for span in spans:
        attributes = span.get("attributes") if type(span.get("attributes")) is dict else {}
        if _parsed(attributes.get("mlflow.spanType")) != "RETRIEVER":
            continue
        documents = objects(_parsed(attributes.get("mlflow.spanOutputs")))
        ids = [_document_id(document) for document in documents]
        texts = [document.get("page_content") for document in documents]
        if documents and all(ids):
            return {"retrieved": [present(doc_id=str(name), text=text if type(text) is str else None)
                                  for name, text in zip(ids, texts, strict=True)]}
        return {"contexts": [text for text in texts if type(text) is str]}
    return {}


def _document_id(document: Mapping) -> object:
    """Its URI, which MLflow's own metrics compare, else its id."""
    return member(document, "metadata", "doc_uri") or document.get("id")


def _relevant(expected: object) -> list[str]:
    return [str(item["doc_uri"]) for item in objects(_parsed(expected)) if item.get("doc_uri")]


def _scores(assessments: list[dict]) -> dict:
    """{scorer: its value} of the feedback that was not replaced by a later one."""
    scores = {}
    for item in assessments:
        value = member(item, "feedback", "value")
        if isinstance(value, int | float | str) and item.get("valid", True):
            name = str(item.get("assessment_name") or item.get("name"))
            scores[name] = float(value) if type(value) is bool else value
    return scores


def _text(value: object, names: tuple[str, ...], roles: set[str]) -> str | None:
    """The text in a text, a message list, or an object with such a field or with a single text."""
    if type(value) is dict:
        for name in (*names, "messages", "choices"):
            if value.get(name) is not None:
                return _text(value[name], names, roles)
        texts = [item for item in value.values() if type(item) is str]
        return texts[0] if len(texts) == 1 else None
    if type(value) is list:
        return last_message(value, roles)
    return value if type(value) is str else None


def _parsed(value: object) -> object:
    """The value of a JSON text; other texts and values as they are."""
    if type(value) is not str:
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


register(NAME, "MLflow traces", 12, (ToolFile(CONTENT, "both", _is_traces, _queries),))


def detect_retriever_table(start: FileStart) -> DetectedFormat | None:
    """Recognizes the table of `mlflow.models.evaluate` for a retriever whose targets are in a column `source`."""
    if start.mapping or not _AT_K.search(start.json_text) or set(start.keys.get((), ())) != {"columns", "data"}:
        return None
    if '"source"' not in start.json_text.partition("]")[0]:
        return None
    return DetectedFormat("mlflow-retriever", "both", "a retriever evaluated by MLflow")


def _retriever_entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    value = orjson.loads(source.data)
    for cells in value["data"]:
        row = dict(zip(value["columns"], cells, strict=False))
        lists = [name for name, cell in row.items() if type(cell) is list and name != "source"]
        asked = [cell for name, cell in row.items() if type(cell) is str and name != "source"]
        relevant = row.get("source")
        yield InputEntry(1, present(
            query=asked[0] if asked else None, retrieved=[str(name) for name in row[lists[-1]]] if lists else None,
            relevant=[str(name) for name in (relevant if type(relevant) is list else [relevant])],
            metrics={name: cell for name, cell in row.items() if name.endswith("/score") and cell is not None} or None))


FORMATS.register(jsonl.format_of_objects("mlflow-retriever", "MLflow evaluation of a retriever", _retriever_entries),
                 kind="json", order=11, detect=detect_retriever_table)


def detect_csv(start: FileStart) -> DetectedFormat | None:
    """Recognizes a table of traces that pandas wrote as CSV."""
    header = start.head.partition(b"\n")[0].decode(errors="replace")
    names = {name.strip().strip('"') for name in header.split(",")}
    return None if start.mapping or not names >= _COLUMNS else DetectedFormat("mlflow-traces-csv", "both", CONTENT)


def _csv_entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    rows = csv_rows(source.text, ",", source.collector())
    _, names = next(rows)
    for line, cells in rows:
        row = dict(zip(names, cells, strict=False))
        if query := _query({"trace": row.get("trace"), "request": row.get("request"),
                            "response": row.get("response")}):
            yield InputEntry(line, query)


FORMATS.register(jsonl.format_of_objects("mlflow-traces-csv", "MLflow traces as CSV", _csv_entries), kind="text",
                 order=2, detect=detect_csv)
