"""The quick way through results of recorded runs gives what the reader of JSONL gives, or leaves the file to it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ragdash import io
from ragdash.io.recorded.lines import parsed_lines
from ragdash.io.recorded.plain_results import read_plain_results
from ragdash.io.source.source import Source

SCORED = [{"doc_id": "d2", "score": 3}, {"doc_id": "d7", "score": 3.0}, {"doc_id": "ü", "score": -1.5}]
PLAIN = [
    [{"query_id": "q1", "retrieved": ["d2", "d7"]}, {"query_id": "q2", "retrieved": []}],
    [{"query_id": "q1", "retrieved": SCORED}, {"query_id": " q 2 ", "retrieved": SCORED[:1]}],
    [{"query_id": "q1", "retrieved": SCORED, "query": "Who?", "latency_ms": 12.5, "cost_usd": 0.25, "answer": "Ada"},
     {"query_id": "q2", "retrieved": SCORED[1:], "latency_ms": {"retrieval": 3, "total": 5.5}, "answer": ""}],
    [{"query_id": "q1", "retrieved": [], "answer": "No documents."}]]
OTHER = [
    [{"query_id": "q1", "retrieved": ["d1"]}, {"query_id": "q2", "retrieved": SCORED}],
    [{"query_id": "q1", "retrieved": [{"doc_id": "d1", "score": True}]}],
    [{"query_id": "q1", "retrieved": [{"doc_id": 7, "score": 1}]}],
    [{"query_id": "q1", "retrieved": [{"doc_id": "d1", "text": "long", "score": 1.0}]}],
    [{"query_id": "q1", "retrieved": ["d1"], "color": "red"}],
    [{"query_id": "q1", "retrieved": ["d1"], "query": 'a ":" in a text'}],
    [{"query_id": 5, "retrieved": ["d1"]}], [{"query_id": "q1", "retrieved": ["d1", ""]}],
    [{"query_id": "q1", "answer": "only an answer"}]]


def lines_of(rows) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() for row in rows]


def parsed(lines) -> Iterator[tuple[bytes, dict]]:
    return parsed_lines(b"\n".join(lines), "results.jsonl", {})


@pytest.mark.parametrize("rows", PLAIN)
def test_plain_lines_are_the_run_that_the_reader_of_jsonl_gives(rows):
    source = Source(("results.jsonl", b"\n".join(lines_of(rows)) + b"\n"))
    quick, exact = read_plain_results(parsed(lines_of(rows)), source.file, "dense"), io._results(source, "dense")[0]
    assert quick is not None and quick.digest == exact.digest and quick.problems == exact.problems
    assert quick.frame().equals(exact.frame()) and quick.query_ids.equals(exact.query_ids)
    assert (quick.details is None) == (exact.details is None)
    assert quick.details is None or quick.details.equals(exact.details)


@pytest.mark.parametrize("lines", [*map(lines_of, OTHER), [b'{"query_id": "q1", "query_id": "q2", "retrieved": []}'],
                                   [b'{"query_id" :"q1", "query_id":"q2", "retrieved": ["d1"]}'],
                                   [b'{"query_id": "q1", "retrieved": [{"doc_id": "d1", "score": 1, "score": 2}]}']])
def test_anything_else_is_left_to_the_reader_of_jsonl(lines):
    assert read_plain_results(parsed(lines), "results.jsonl", "dense") is None
