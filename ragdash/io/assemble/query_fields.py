"""What objects say about a query beside its documents: answer, contexts, latencies, references, attributes ..."""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pyarrow as pa

from ragdash.io.field_names import DOCUMENT_ALIASES, find_fields
from ragdash.io.json.exact_parser import to_python
from ragdash.io.json.typed_fields import (
    Cell,
    is_missing,
    note_unread,
    read_message,
    read_number,
    read_object,
    read_question,
    read_text,
    read_texts,
    read_whole_number,
    show_value,
)

STAGES = ("retrieval", "rerank", "generation", "total")
TOKENS = ("prompt_tokens", "completion_tokens")
RUN_TYPES = {
    "query": pa.string(), "answer": pa.string(), "contexts": pa.list_(pa.string()),
    "latency_ms": pa.struct([(stage, pa.float64()) for stage in STAGES]),
    "prompt_tokens": pa.int64(), "completion_tokens": pa.int64(), "cost_usd": pa.float64(), "attributes": pa.string(),
}
TRUTH_TYPES = {
    "query": pa.string(), "answers": pa.list_(pa.string()),
    "evidence": pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())])), "attributes": pa.string(),
}


def run_details(fields: dict, known: dict[str, str], cell: Cell) -> dict:
    """What a run's object tells about its query; absent values are left out. known: {our name: key}."""
    found = _read_fields(fields, known, cell, _RUN_READERS)
    usage = read_object(fields.get(known.get("usage", "usage")), Cell(cell.problems, cell.line, "usage"))
    if usage:
        note_unread((f"usage.{key}" for key in usage if key not in TOKENS), cell)
        found |= _read_fields(usage, {}, cell, dict.fromkeys(TOKENS, read_whole_number), attributes=False)
    return found


def truth_details(fields: dict, known: dict[str, str], cell: Cell) -> dict:
    """What a truth's object tells about its query beside judgements; absent values are left out."""
    return _read_fields(fields, known, cell, _TRUTH_READERS)


def _read_fields(fields: dict, known: dict[str, str], cell: Cell, readers: dict, attributes: bool = True) -> dict:
    """{name: value} of the fields that have a reader; the fields that nobody knows are attributes."""
    found = {}
    for name, read in readers.items():
        key = known.get(name, name)
        if key in fields:
            found[name] = read(fields[key], Cell(cell.problems, cell.line, key))
    if attributes:
        taken = set(known.values())
        unknown = [name for name in fields if name not in taken]
        if unknown or "attributes" in known:
            key = known.get("attributes", "attributes")
            found["attributes"] = _read_attributes(fields, unknown, Cell(cell.problems, cell.line, key))
    return {name: value for name, value in found.items() if value is not None}


def _read_latency(value, cell: Cell) -> dict | None:
    """{stage: milliseconds or None}; a single number is the total."""
    if type(value) is not dict:
        total = read_number(value, cell)
        return None if total is None else {"total": total}
    note_unread((f"latency_ms.{stage}" for stage in value if stage not in STAGES), cell)
    stages = {stage: read_number(value.get(stage), cell.member(stage)) for stage in STAGES}
    return stages if any(ms is not None for ms in stages.values()) else None


def _read_evidence(value, cell: Cell) -> dict | None:
    """{"text", "source"} of a gold span, which may be bare text."""
    if type(value) is not dict:
        span = read_text(value, cell)
        return None if span is None else {"text": span, "source": None}
    known = find_fields(value, ("text", "source"))
    if "source" not in known and "doc_id" in (ids := find_fields(value, ("doc_id",), DOCUMENT_ALIASES)):
        known["source"] = ids["doc_id"]
    if "text" not in known and all(type(part) in (list, dict) for part in value.values()):
        return cell.note("wrong-type/evidence-by-document", {"value": show_value(value)})
    note_unread((name for name in value if name not in known.values()), cell)
    if "text" not in known or is_missing(value[known["text"]]):
        return cell.note_wrong_type(value, "an object with text")
    return {"text": read_text(value[known["text"]], cell.member("text")),
            "source": read_text(value[known["source"]], cell.member("source")) if "source" in known else None}


def _read_attributes(fields: dict, unknown: list[str], cell: Cell) -> str | None:
    """The field `attributes` and every field that is not known otherwise, as the text of a JSON object."""
    attributes = {**(read_object(fields.get(cell.field), cell) or {})}
    for name in unknown:
        if name in attributes:
            cell.member(name).note("duplicate-field", {"name": name})
        attributes[name] = fields[name]
    if not attributes:
        return None
    try:
        return orjson.dumps(to_python(attributes), option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONEncodeError, RecursionError):
        return cell.note("wrong-type/nested-attributes")


def details_table(seen: dict[str, int], details: dict[str, dict], with_rows: Iterable[str],
                  types: dict[str, pa.DataType]) -> pa.Table | None:
    """A row per query with the columns that hold anything; None where there are none and every query has rows."""
    present = [name for name in types if any(name in row for row in details.values())]
    if not present and not seen.keys() - set(with_rows):
        return None
    columns = {"query_id": pa.array(list(seen), pa.string())}
    for name in present:
        columns[name] = pa.array([details.get(query_id, {}).get(name) for query_id in seen], types[name])
    return pa.table(columns)


_RUN_READERS = {
    "query": read_question,
    "answer": read_message,
    "contexts": lambda value, cell: read_texts(value, cell, read_message),
    "latency_ms": _read_latency,
    "cost_usd": read_number,
    **dict.fromkeys(TOKENS, read_whole_number),
}
_TRUTH_READERS = {"query": read_question, "answers": lambda value, cell: read_texts(value, cell, read_message),
             "evidence": lambda value, cell: read_texts(value, cell, _read_evidence)}
