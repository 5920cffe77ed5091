"""Read the details of a query from an object: answer, contexts, latencies, references, attributes ..."""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pyarrow as pa

from ragdash.core.records.details import STAGES, TOKENS
from ragdash.io.field_names import DOCUMENT_ALIASES, STAGE_TIMES, find_fields
from ragdash.io.json.exact_parser import to_python
from ragdash.io.json.typed_fields import (
    TEXT_FIELDS,
    Cell,
    is_missing,
    note_unread,
    read_earlier_messages,
    read_history,
    read_id,
    read_message,
    read_number,
    read_object,
    read_question,
    read_text,
    read_texts,
    read_whole_number,
    show_value,
)
from ragdash.io.tables.cells import UnreadableCell, parse_nested

ROUNDED = 2  # milliseconds by which the sum of rounded stages may differ from a rounded total
MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("text", pa.string())]))  # what was said before the query
RUN_TYPES = {
    "query": pa.string(), "chat_history": MESSAGES, "answer": pa.string(), "contexts": pa.list_(pa.string()),
    "latency_ms": pa.struct([(stage, pa.float64()) for stage in STAGES]),
    "prompt_tokens": pa.int64(), "completion_tokens": pa.int64(), "cost_usd": pa.float64(), "attributes": pa.string(),
}
TRUTH_TYPES = {
    "query": pa.string(), "chat_history": MESSAGES, "answers": pa.list_(pa.string()),
    "evidence": pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())])),
    "allowed": pa.list_(pa.string()), "attributes": pa.string(),
    "subtopics": pa.list_(pa.struct([("subtopic", pa.string()), ("doc_id", pa.string()), ("grade", pa.int64())])),
}


def run_details(fields: dict, schema: dict[str, str], cell: Cell) -> dict:
    """The details of a query in a run; absent values are left out. schema: {our name: key}."""
    if fields.keys() <= {schema.get("query_id"), schema.get("retrieved")}:
        return {}
    details = _read_fields(fields, schema, cell, _RUN_READERS)
    usage = read_object(fields.get(schema.get("usage", "usage")), Cell(cell.problems, cell.line, "usage"))
    if usage:
        note_unread((f"usage.{key}" for key in usage if key not in TOKENS), cell)
        details |= _read_fields(usage, {}, cell, dict.fromkeys(TOKENS, read_whole_number), attributes=False)
    return details


def truth_details(fields: dict, schema: dict[str, str], cell: Cell) -> dict:
    """The details of a query in a truth; absent values are left out."""
    return _read_fields(fields, schema, cell, _TRUTH_READERS)


def _read_fields(fields: dict, schema: dict[str, str], cell: Cell, readers: dict, attributes: bool = True) -> dict:
    """{name: value} of the fields with a reader; unknown fields are attributes."""
    values = {}
    for name, read in readers.items():
        key = schema.get(name, name)
        if key in fields:
            values[name] = read(fields[key], Cell(cell.problems, cell.line, key))
    if "query" in readers and values.get("chat_history") is None:
        values["chat_history"] = read_earlier_messages(fields.get(schema.get("query", "query")), fields.get("history"))
    if attributes:
        resolved = {field for name, field in schema.items() if name != "metrics"}  # moved to the scores later
        resolved |= {"history"} if "chat_history" not in schema and values.get("chat_history") else set()
        attribute_names = [name for name in fields if name not in resolved]
        if attribute_names or "attributes" in schema:
            key = schema.get("attributes", "attributes")
            values["attributes"] = _read_attributes(fields, attribute_names, Cell(cell.problems, cell.line, key))
    seconds = values.pop("latency_s", None)
    if seconds is not None and values.get("latency_ms") is None:
        values["latency_ms"] = {"total": seconds * 1000}
    if values.get("latency_ms") is None:
        values.pop("latency_ms", None)
    for name, (stage, milliseconds) in STAGE_TIMES.items():
        if (time := values.pop(name, None)) is not None:
            latency = values.setdefault("latency_ms", {})
            if latency.get(stage) is None:
                latency[stage] = time * milliseconds
    if "latency_ms" in values:
        _note_small_total(values["latency_ms"], Cell(cell.problems, cell.line, "latency_ms"))
    return {name: value for name, value in values.items() if value is not None}


def _read_latency(value, cell: Cell) -> dict | None:
    """{stage: milliseconds or None}; a single number is the total."""
    if type(value) is not dict:
        total = read_number(value, cell)
        return None if total is None else {"total": total}
    note_unread((f"latency_ms.{stage}" for stage in value if stage not in STAGES), cell)
    stages = {stage: read_number(value.get(stage), cell.member(stage)) for stage in STAGES}
    return stages if any(ms is not None for ms in stages.values()) else None


def _note_small_total(latency: dict, cell: Cell) -> None:
    """Warn where the stages took longer than all together, by more than rounded numbers can."""
    total, stages = latency.get("total"), [latency.get(stage) for stage in STAGES if stage != "total"]
    parts = sum(ms for ms in stages if ms is not None)
    if total is not None and parts > total + max(0.01 * total, ROUNDED):
        cell.note("small-total", {"total": total, "parts": parts}, severity="warning")


def _parse_printed(value):
    """The texts of a list that was printed, "['a text', 'another']"; any other value as it is."""
    if type(value) is not str or value[:2] not in ("['", '["') or value[-2:] not in ("']", '"]'):
        return value
    try:
        texts = parse_nested(value)
    except UnreadableCell:
        return value
    return texts if type(texts) is list and all(type(text) is str for text in texts) else value


def _read_context(value, cell: Cell) -> str | None:
    """The text of a context. Other members of an object, such as its source, are not read, which is noted once."""
    if type(value) is dict and len(value) > 1:
        above = cell.field.partition("[")[0]
        unread = [f"{above}[].{name}" for name, member in value.items()
                  if name not in (*TEXT_FIELDS, "role") and not is_missing(member)]
        note_unread([name for name in unread if not cell.problems.has("unread-field", {"name": name})], cell)
    return read_message(value, cell)


def _read_evidence(value, cell: Cell) -> dict | None:
    """{"text", "source"} of a gold span, which may be plain text."""
    if type(value) is not dict:
        span = read_text(value, cell)
        return None if span is None else {"text": span, "source": None}
    schema = find_fields(value, ("text", "source"))
    if "source" not in schema and "doc_id" in (ids := find_fields(value, ("doc_id",), DOCUMENT_ALIASES)):
        schema["source"] = ids["doc_id"]
    if "text" not in schema and all(type(member) in (list, dict) for member in value.values()):
        return cell.note("wrong-type/evidence-by-document", {"value": show_value(value)})
    note_unread((name for name in value if name not in schema.values()), cell)
    if "text" not in schema or is_missing(value[schema["text"]]):
        return cell.note_wrong_type(value, "an object with text")
    return {"text": read_text(value[schema["text"]], cell.member("text")),
            "source": read_text(value[schema["source"]], cell.member("source")) if "source" in schema else None}


def _read_attributes(fields: dict, names: list[str], cell: Cell) -> str | None:
    """The field `attributes` and all unknown fields, as the text of a JSON object."""
    attributes = {**(read_object(fields.get(cell.field), cell) or {})}
    for name in names:
        if name in attributes:
            cell.member(name).note("duplicate-field", {"name": name})
        attributes[name] = fields[name]
    if not attributes:
        return None
    try:
        return orjson.dumps(to_python(attributes), option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONEncodeError, RecursionError):
        return cell.note("wrong-type/nested-attributes")


def details_table(query_lines: dict[str, int], details: dict[str, dict], with_rows: Iterable[str],
                  types: dict[str, pa.DataType]) -> pa.Table | None:
    """One row per query, with the columns that have values; None without such columns if every query has rows."""
    present = [name for name in types if any(name in row for row in details.values())]
    if not present and not query_lines.keys() - set(with_rows):
        return None
    columns = {"query_id": pa.array(list(query_lines), pa.string())}
    for name in present:
        columns[name] = pa.array([details.get(query_id, {}).get(name) for query_id in query_lines], types[name])
    return pa.table(columns)


def _read_subtopics(value, cell: Cell) -> list[dict] | None:
    """Judgments of subtopics: a list of {"subtopic", "doc_id", "grade"}."""
    if value is None:
        return None
    is_list = type(value) is list and all(type(row) is dict and {"subtopic", "doc_id", "grade"} <= row.keys()
                                          for row in value)
    if not is_list:
        return cell.note_wrong_type(value, "a list of objects with subtopic, doc_id and grade")
    rows = [{"subtopic": read_id(row["subtopic"], cell), "doc_id": read_id(row["doc_id"], cell),
             "grade": read_whole_number(row["grade"], cell)} for row in value]
    return rows if all(field is not None for row in rows for field in row.values()) else None


_RUN_READERS = {
    "query": read_question,
    "chat_history": read_history,
    "answer": read_message,
    "contexts": lambda value, cell: read_texts(_parse_printed(value), cell, _read_context),
    "latency_ms": _read_latency,
    "latency_s": read_number,
    **dict.fromkeys(STAGE_TIMES, read_number),
    "cost_usd": read_number,
    **dict.fromkeys(TOKENS, read_whole_number),
}
_TRUTH_READERS = {"query": read_question, "chat_history": read_history,
             "answers": lambda value, cell: read_texts(value, cell, read_message),
             "evidence": lambda value, cell: read_texts(value, cell, _read_evidence),
             "allowed": lambda value, cell: read_texts(value, cell, read_id), "subtopics": _read_subtopics}
