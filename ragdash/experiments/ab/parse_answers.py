"""What configurations said, as runs: the JSON objects of single queries, read as every file of objects is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import orjson

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.records import Run
from ragdash.experiments.ab.subprocess import Failed
from ragdash.io.field_names import ALIASES, QUERY_ALIASES, RUN_MARKERS, find_field, normalize_name
from ragdash.io.formats import jsonl
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NumberText, parse_fast
from ragdash.io.source.source import Source
from ragdash.io.write.serializers import run_objects

TRIED = 50  # places in a text where JSON may begin
SMALL_STEP = 1e-6  # between the scores of documents that came without, as a share of the lowest score
MIXED = {"missing-score", "missing-rank", "mixed-rows"}  # what can differ from answer to answer
OURS = ("query_id", "query", "config")  # what we know of an answer; what it says itself is kept where it differs
EXAMPLE = '{"answer": "...", "retrieved": [{"doc_id": "...", "score": 0.9, "text": "..."}]}'


class Row(NamedTuple):
    """One answer. line: its line in the journal; text: the JSON text of its object; ms: by our clock."""

    line: int
    query_id: str
    question: str
    ms: float
    text: bytes


def checker(name: str, query_id: str, question: str) -> Callable[[bytes], None]:
    """A function that raises Failed for a text that is no answer to this query."""
    def check(text: bytes) -> None:
        value = _object(text)
        ids_in_reply = [
            value[key]
            for key in value
            if normalize_name(key) in {normalize_name(alias) for alias in ALIASES["query_id"]}
        ]
        if any(str(alias) != query_id for alias in ids_in_reply):
            raise Failed(
                "other-query", f"an answer to query {shorten(str(ids_in_reply[0]), 60)!r}, not to {query_id!r}"
            )
        try:
            _read(name, [Row(1, query_id, question, 0.0, text)], name)
        except InputError as error:
            first = next(problem for problem in error.problems if problem.severity == "error")
            if first.kind == "missing-field":
                keys = ", ".join(value) or "none"
                raise Failed("unusable-answer", f"an object with the fields {shorten(keys, 100)}; expected one of "
                             f"{', '.join(RUN_MARKERS)}, such as {EXAMPLE}") from None
            field = f" ({first.field})" if first.field else ""
            raise Failed("unusable-answer", f"{first.actual}{field}; expected {first.expected}") from None

    return check


def one_line(text: bytes) -> str:
    """A JSON text on one line: line ends are between its parts only."""
    return text.removeprefix(b"\xef\xbb\xbf").decode().strip().replace("\r", " ").replace("\n", " ")


def run_of(name: str, rows: Sequence[Row], file: str) -> Run:
    """The run of answers that were checked one by one.

    Where a few have no scores and the others do, the documents of the few keep their order with scores just below the
    lowest of all; where half or more have none, all are taken in their order and without scores. Both with a warning.
    """
    try:
        return _read(name, rows, file)
    except InputError as error:
        if {problem.kind for problem in error.problems if problem.severity == "error"} - MIXED:
            raise
    answers = [next(run_objects(_read(name, [row], file))) for row in rows]
    with_documents = [fields["retrieved"] for fields in answers if fields["retrieved"]]
    scores = [score for documents in with_documents for score in map(_score, documents) if score is not None]
    without = sum(any(_score(document) is None for document in documents) for documents in with_documents)
    fill = 2 * without < len(with_documents)
    lowest = min(scores, default=0.0)
    lines = [orjson.dumps({**fields, "retrieved": _below(fields["retrieved"], lowest) if fill
                           else [_unscored(document) for document in fields["retrieved"]]}) for fields in answers]
    run, = jsonl.read_runs(Source((file, b"\n".join(lines))), name)
    warning = Problem("scores-below" if fill else "scores-left-out", {"answers": without}, file, field="score",
                      severity="warning")
    return replace(run, problems=(*run.problems, warning))


def _score(document: object) -> float | None:
    """The score of a document in an answer, None where it has none."""
    return document.get("score") if isinstance(document, dict) else None


def _unscored(document: object) -> object:
    """The document without its score."""
    return {key: value for key, value in document.items() if key != "score"} if isinstance(document, dict) else document


def _below(documents: Sequence, lowest: float) -> list:
    """The documents of an answer; where one has no score, all get scores that fall from just below the lowest."""
    if all(_score(document) is not None for document in documents):
        return list(documents)
    step = SMALL_STEP * max(abs(lowest), 1.0)
    return [{**(document if isinstance(document, dict) else {"doc_id": document}), "score": lowest - step * rank}
            for rank, document in enumerate(documents, 1)]


def _read(name: str, rows: Sequence[Row], file: str) -> Run:
    def entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
        for row in rows:
            if exact is None:
                yield InputEntry(row.line, _merged(parse_fast(row.text), name, row))
            else:
                whole = ExactReader(Source((file, row.text)), exact.problems).single_value()
                yield from (InputEntry(row.line, _merged(item.value, name, row)) for item in whole)

    run, = jsonl.read_runs(Source((file, b"{}")), name, entries)
    return run


def _merged(value: dict, name: str, row: Row) -> dict:
    """The object with what we know of it: query, question, configuration and time. What it says otherwise is kept
    under told_...; its own times of stages stay, and its own total is told_latency_ms.
    """
    row_fields = {"query_id": row.query_id, "query": row.question, "config": name}
    ids = {normalize_name(name_of_field) for name_of_field in ALIASES["query_id"]}
    fields, reply_fields = {}, {}
    for key, name_of_field in value.items():
        if normalize_name(key) in map(normalize_name, OURS) and normalize_name(key) not in ids:
            reply_fields |= (
                {}
                if name_of_field == row_fields[normalize_name(key)]
                else {f"told_{normalize_name(key)}": name_of_field}
            )
        elif normalize_name(key) not in ids:
            fields[key] = name_of_field
    key = find_field(fields, "latency_ms", QUERY_ALIASES)
    latency = fields.pop(key) if key else None
    stages = latency if isinstance(latency, dict) else {}
    total = stages.get("total") if isinstance(latency, dict) else latency
    if isinstance(total, NumberText | int | float):
        reply_fields["told_latency_ms"] = total
    elif total is not None:
        stages = {**stages, "wrong": total}
    return {**row_fields, **fields, **reply_fields, "latency_ms": {**stages, "total": round(row.ms, 3)}}


def _object(text: bytes) -> dict:
    """The JSON object of a text; Failed with advice where it is none."""
    try:
        decoded = text.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Failed("no-json", "text that is not UTF-8") from None
    try:
        value = json.loads(decoded)
    except (json.JSONDecodeError, RecursionError) as error:
        before = _before_json(decoded)
        if before is not None:
            raise Failed("no-json", f"other text next to the JSON object: {shorten(before, 100)!r}; print logs to "
                         "standard error") from None
        raise Failed("no-json", f"no JSON on standard output ({str(error)[:80]}): "
                     f"{shorten(decoded[:300], 100)!r}") from None
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else f"{shorten(decoded, 60)!r}"
        raise Failed("unusable-answer", f"{kind}; expected one object such as {EXAMPLE}")
    return value


def _before_json(text: str) -> str | None:
    """The text before and after an object; None where there is no object."""
    start = -1
    for _ in range(TRIED):
        start = text.find("{", start + 1)
        if start < 0:
            return None
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            return text[:start].strip() or text[end:].strip()
    return None
