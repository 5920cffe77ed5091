"""A quick way to read the results of a recorded run, where every line has the fields that most recordings have.

History reads hundreds of runs at once. Everything else is read by the reader of JSONL, which gives the same run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragdash.core.records import Run
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.query_fields import run_details
from ragdash.io.assemble.row_buffer import RowBuffer
from ragdash.io.json.exact_parser import NeedsExact, StrictCollector
from ragdash.io.json.typed_fields import Cell
from ragdash.io.source.source import Source

DETAILS = frozenset(("query", "latency_ms", "cost_usd", "answer"))
LONGEST = 1e9  # milliseconds; other times are checked as in any file
_KNOWN = DETAILS | {"query_id", "retrieved"}
_DOCUMENT = {"doc_id", "score"}
_SPACED_KEY = re.compile(rb'"\s+:')


def read_plain_results(lines: Iterable[tuple[bytes, dict]], file: str, name: str) -> Run | None:
    """The run of these lines; None where there is none, or one of them has anything else than plain fields.

    Parameters
    ----------
    lines
        A line per query and the fields of it, no query twice.
    file
        Its name in problems.
    """
    problems, buffer = StrictCollector(file), RowBuffer()
    scored: set[bool] = set()
    line = b""
    try:
        for number, (line, fields) in enumerate(lines, 1):
            if not fields.keys() <= _KNOWN or not _add(buffer, fields, number, problems, scored) or (
                    _has_repeated_keys(fields, line)):
                return None
        if not line or len(scored) > 1:
            return None
        return build_runs({None: buffer.to_rows()}, Source((file, line)), name, problems)[0]
    except NeedsExact:
        return None


def _has_repeated_keys(fields: dict, line: bytes) -> bool:
    """Whether the line may have a key twice, of which parsing keeps one; true for texts that look like a key too."""
    documents = fields["retrieved"]
    keys = len(fields) + (len(_DOCUMENT) * len(documents) if documents and type(documents[0]) is dict else 0)
    keys += len(fields["latency_ms"]) if type(fields.get("latency_ms")) is dict else 0
    return line.count(b'":') != keys or _SPACED_KEY.search(line) is not None


def _add(buffer: RowBuffer, fields: dict, number: int, problems: StrictCollector, scored: set[bool]) -> bool:
    """Take the fields of a query; False where they are not plain. scored: whether documents have scores, of all."""
    query_id, retrieved = fields.get("query_id"), fields.get("retrieved")
    if type(query_id) is not str or not query_id.strip() or type(retrieved) is not list:
        return False
    buffer.query_lines[query_id] = number
    latency = fields.get("latency_ms")
    if len(fields) == 3 and type(latency) is float and 0 <= latency < LONGEST:  # what most recordings have
        buffer.details[query_id] = {"latency_ms": {"total": latency}}
    elif len(fields) > 2:
        given = {key: fields[key] for key in DETAILS & fields.keys()}
        if details := run_details(given, dict(zip(given, given, strict=True)), Cell(problems, number, "")):
            buffer.details[query_id] = details
    if not retrieved:
        return True
    buffer.has_lists = True
    docs, columns = _columns_of(retrieved)
    if not docs or set(map(type, docs)) != {str} or not set(map(type, columns.get("score", ()))) <= {int, float}:
        return False
    if "" in docs:
        return False
    scored.add(bool(columns))
    buffer.append(query_id, docs, columns)
    return True


def _columns_of(retrieved: list) -> tuple[list, dict[str, list]]:
    """The ids and scores of documents; no ids where they are neither ids nor objects with an id and a score."""
    kinds = set(map(type, retrieved))
    if kinds == {str}:
        return retrieved, {}
    if kinds != {dict} or set(map(len, retrieved)) != {len(_DOCUMENT)}:
        return [], {}
    try:
        return [item["doc_id"] for item in retrieved], {"score": [item["score"] for item in retrieved]}
    except KeyError:
        return [], {}
