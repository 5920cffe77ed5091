"""What objects say about a query beside its documents: answer, contexts, latencies, references, attributes ..."""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pyarrow as pa

from ragdash.io.field_names import OF_DOCUMENT, find_all
from ragdash.io.json.exact_parser import as_python
from ragdash.io.json.typed_fields import (
    Cell,
    asked,
    is_missing,
    members,
    note_unread,
    number,
    said,
    shown,
    text,
    texts,
    whole,
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
    found = _gather(fields, known, cell, _OF_RUN)
    usage = members(fields.get(known.get("usage", "usage")), Cell(cell.problems, cell.line, "usage"))
    if usage:
        note_unread((f"usage.{key}" for key in usage if key not in TOKENS), cell)
        found |= _gather(usage, {}, cell, dict.fromkeys(TOKENS, whole), attributes=False)
    return found


def truth_details(fields: dict, known: dict[str, str], cell: Cell) -> dict:
    """What a truth's object tells about its query beside judgements; absent values are left out."""
    return _gather(fields, known, cell, _OF_TRUTH)


def _gather(fields: dict, known: dict[str, str], cell: Cell, readers: dict, attributes: bool = True) -> dict:
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
            found["attributes"] = _attributes(fields, unknown, Cell(cell.problems, cell.line, key))
    return {name: value for name, value in found.items() if value is not None}


def _latency(value, cell: Cell) -> dict | None:
    """{stage: milliseconds or None}; a single number is the total."""
    if type(value) is not dict:
        total = number(value, cell)
        return None if total is None else {"total": total}
    note_unread((f"latency_ms.{stage}" for stage in value if stage not in STAGES), cell)
    stages = {stage: number(value.get(stage), cell.at(stage)) for stage in STAGES}
    return stages if any(ms is not None for ms in stages.values()) else None


def _evidence(value, cell: Cell) -> dict | None:
    """{"text", "source"} of a gold span, which may be bare text."""
    if type(value) is not dict:
        span = text(value, cell)
        return None if span is None else {"text": span, "source": None}
    known = find_all(value, ("text", "source"))
    if "source" not in known and "doc_id" in (ids := find_all(value, ("doc_id",), OF_DOCUMENT)):
        known["source"] = ids["doc_id"]
    if "text" not in known and all(type(part) in (list, dict) for part in value.values()):
        return cell.note("wrong-type/evidence-by-document", {"value": shown(value)})
    note_unread((name for name in value if name not in known.values()), cell)
    if "text" not in known or is_missing(value[known["text"]]):
        return cell.wrong(value, "an object with text")
    return {"text": text(value[known["text"]], cell.at("text")),
            "source": text(value[known["source"]], cell.at("source")) if "source" in known else None}


def _attributes(fields: dict, unknown: list[str], cell: Cell) -> str | None:
    """The field `attributes` and every field that is not known otherwise, as the text of a JSON object."""
    attributes = {**(members(fields.get(cell.field), cell) or {})}
    for name in unknown:
        if name in attributes:
            cell.at(name).note("duplicate-field", {"name": name})
        attributes[name] = fields[name]
    if not attributes:
        return None
    try:
        return orjson.dumps(as_python(attributes), option=orjson.OPT_SORT_KEYS).decode()
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


_OF_RUN = {"query": asked, "answer": said, "contexts": lambda value, cell: texts(value, cell, said),
           "latency_ms": _latency, "cost_usd": number, **dict.fromkeys(TOKENS, whole)}
_OF_TRUTH = {"query": asked, "answers": lambda value, cell: texts(value, cell, said),
             "evidence": lambda value, cell: texts(value, cell, _evidence)}
