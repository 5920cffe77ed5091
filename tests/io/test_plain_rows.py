"""Rows in JSONL are read by columns or one by one, with the same result."""

import json

import pytest

from ragdash import io
from ragdash.core.errors import InputError
from ragdash.io.assemble import plain_rows
from ragdash.io.formats import jsonl

ROWS = [{"query_id": f"q{query}", "doc_id": f"d{place}", "score": 1 - place / 7, "rank": place + 1}
        for query in range(3) for place in (2, 0, 1)]


def lines(rows, end="\n") -> bytes:
    return end.join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def without(*names) -> list[dict]:
    return [{key: value for key, value in row.items() if key not in names} for row in ROWS]


PLAIN = {
    "score and rank": lines(ROWS),
    "score": lines(without("rank")),
    "rank": lines(without("score")),
    "other names": lines([{"qid": row["query_id"], "docid": row["doc_id"], "sim": row["score"]} for row in ROWS]),
    "texts": lines([row | {"text": f"tëxt {row['rank']}"} for row in ROWS]),
    "empty text": lines([row | {"text": "" if row["rank"] == 1 else "t"} for row in ROWS]),
    "systems": lines([row | {"system": f"s{row['rank'] % 2}"} for row in ROWS]),
    "keys in another order": lines([ROWS[0], dict(reversed(ROWS[1].items())), *ROWS[2:]]),
    "blank lines and CRLF": b"\r\n" + lines(ROWS, "\r\n\r\n") + b"\r\n",
    "whole numbers as scores": lines([row | {"score": 9 - row["rank"]} for row in ROWS]),
    "blanks around ids": lines([row | {"doc_id": f" {row['doc_id']}"} for row in ROWS]),
}
OTHERS = {
    "numbers as ids": lines([row | {"doc_id": row["rank"]} for row in ROWS]),
    "a missing score": lines([ROWS[0], ROWS[1] | {"score": None}]),
    "a missing key": lines([ROWS[0], {"query_id": "q1", "doc_id": "d1"}]),
    "a text as score": lines([ROWS[0], ROWS[1] | {"score": "high"}]),
    "true as score": lines([ROWS[0], ROWS[1] | {"score": True}]),
    "an unknown key": lines([row | {"page": 3} for row in ROWS]),
    "a document twice": lines([*ROWS, ROWS[0]]),
    "an empty id": lines([ROWS[0], ROWS[1] | {"doc_id": ""}]),
    "NaN": lines(ROWS).replace(b'"score": 1.0', b'"score": NaN'),
    "a key twice": lines(ROWS).replace(b'"rank": 1}', b'"rank": 1, "rank": 2}'),
    "two objects on a line": lines(ROWS[:2]) + b"," + lines(ROWS[2:]),
    "an object over two lines": lines(ROWS).replace(b', "score"', b',\n "score"', 1),
    "a list of objects": json.dumps(ROWS).encode(),
    "nothing but blanks": b"\n\n",
}


def outcome(content: bytes, monkeypatch, *, by_columns: bool):
    """(the runs, whether they were read by columns), or the problems, of a file."""
    fast = []

    def read(source, name):
        fast.append(runs := plain_rows.read_plain_rows(source, name) if by_columns else None)
        return runs

    monkeypatch.setattr(jsonl, "read_plain_rows", read)
    try:
        runs = io.read_runs(("run.jsonl", content))
    except InputError as error:
        return [(problem.kind, problem.line, problem.facts) for problem in error.problems], any(fast)
    facts = [(run.name, run.digest, run.ranked_by, run.docs.to_pylist(), run.texts and run.texts.to_pylist(),
              None if run.scores is None else run.scores.tolist(),
              [(problem.kind, problem.facts) for problem in run.problems]) for run in runs]
    return facts, any(fast)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_rows_are_read_by_columns_as_one_by_one(name, monkeypatch):
    by_columns, fast = outcome(PLAIN[name], monkeypatch, by_columns=True)
    one_by_one, _ = outcome(PLAIN[name], monkeypatch, by_columns=False)
    assert fast and by_columns == one_by_one


@pytest.mark.parametrize("name", OTHERS)
def test_other_rows_are_left_to_the_reader_that_explains(name, monkeypatch):
    by_columns, fast = outcome(OTHERS[name], monkeypatch, by_columns=True)
    one_by_one, _ = outcome(OTHERS[name], monkeypatch, by_columns=False)
    assert not fast and by_columns == one_by_one


def test_many_batches_make_one_run(monkeypatch):
    monkeypatch.setattr(plain_rows, "ROWS_PER_CHUNK", 2)
    by_columns, fast = outcome(PLAIN["texts"], monkeypatch, by_columns=True)
    monkeypatch.setattr(plain_rows, "ROWS_PER_CHUNK", 100)
    assert fast and by_columns == outcome(PLAIN["texts"], monkeypatch, by_columns=False)[0]
