"""A Parquet run that is read by whole columns equals the one that is read row by row."""

from __future__ import annotations

import datetime
import io
import json
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs
from ragdash.io.assemble.run_pieces import run_pieces
from ragdash.io.formats import excel_parquet
from ragdash.io.recorded.question_log import read_log
from ragdash.io.tables import parquet_columns

N = 400
RANDOM = np.random.default_rng(3)
QUERIES = [f"q{i // 20}" for i in range(N)]
DOCS = [f"d{i * 7 % N}" for i in range(N)]
SCORES = RANDOM.normal(size=N)
RANKS = [i % 20 + 1 for i in range(N)]
LONG_DOCS = pa.DictionaryArray.from_arrays(np.arange(N, dtype=np.int32) % 2, ["d1", "x" * 2_000_000])  # texts
PLAIN = {
    "scores": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES},
    "other names": {"qid": QUERIES, "docno": DOCS, "sim": SCORES},
    "ranks": {"query_id": QUERIES, "doc_id": DOCS, "rank": RANKS},
    "scores against ranks": {"query_id": QUERIES, "doc_id": DOCS, "rank": RANKS, "score": SCORES},
    "equal ranks": {"query_id": QUERIES, "doc_id": DOCS, "rank": [1] * N, "score": SCORES},
    "float32": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES.astype(np.float32)},
    "whole scores": {"query_id": QUERIES, "doc_id": DOCS, "score": np.arange(N)},
    "texts": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES, "text": [f"text {i % 9}" for i in range(N)]},
    "three configurations": {
        "query_id": QUERIES,
        "doc_id": DOCS,
        "score": SCORES,
        "config": ["a", "b", "c", "b"] * (N // 4),
    },
    "large strings": {
        "query_id": pa.array(QUERIES, pa.large_string()),
        "doc_id": pa.array(DOCS, pa.large_string()),
        "score": SCORES,
    },
    "numbers as ids": {"query_id": np.arange(N) // 20, "doc_id": np.arange(N), "score": SCORES},
    "a document twice": {"query_id": ["q"] * N, "doc_id": ["d", "e"] * (N // 2), "score": SCORES},
}
ODD = {
    "a missing id": {"query_id": [None, *QUERIES[1:]], "doc_id": DOCS, "score": SCORES},
    "an empty id": {"query_id": QUERIES, "doc_id": ["", *DOCS[1:]], "score": SCORES},
    "a blank around an id": {"query_id": QUERIES, "doc_id": [" d ", *DOCS[1:]], "score": SCORES},
    "a missing score": {"query_id": QUERIES, "doc_id": DOCS, "score": [None, *SCORES[1:]]},
    "a score that is no number": {"query_id": QUERIES, "doc_id": DOCS, "score": [float("nan"), *SCORES[1:]]},
    "scores as text": {"query_id": QUERIES, "doc_id": DOCS, "score": [str(score) for score in SCORES]},
    "a rank of 1.5": {"query_id": QUERIES, "doc_id": DOCS, "rank": [1.5, *map(float, RANKS[1:])]},
    "a missing text": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES, "text": [None, *["t"] * (N - 1)]},
    "an empty text": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES, "text": ["", *["t"] * (N - 1)]},
    "another column": {"query_id": QUERIES, "doc_id": DOCS, "score": SCORES, "split": ["test"] * N},
    "no order": {"query_id": QUERIES, "doc_id": DOCS},
    "no rows": {
        "query_id": pa.array([], pa.string()),
        "doc_id": pa.array([], pa.string()),
        "score": pa.array([], pa.float64()),
    },
    "a missing configuration": {
        "query_id": QUERIES,
        "doc_id": DOCS,
        "score": SCORES,
        "config": [None, *["a"] * (N - 1)],
    },
}


def outcome(path) -> tuple:
    """What reading a file gives: runs with everything that is kept of them, or the kinds of its problems."""
    try:
        runs = read_runs(path)
    except InputError as error:
        return ("refused", sorted({problem.kind for problem in error.problems}))
    return tuple((run.name, run.digest, sorted({(problem.kind, problem.field) for problem in run.problems}))
                 for run in runs)


def written(tmp_path, columns: dict) -> str:
    pq.write_table(pa.table(columns), tmp_path / "run.parquet")
    return str(tmp_path / "run.parquet")


@pytest.mark.parametrize("name", [*PLAIN, *ODD])
def test_columns_and_rows_give_the_same(tmp_path, monkeypatch, name):
    path = written(tmp_path, {**PLAIN, **ODD}[name])
    by_columns = outcome(path)
    monkeypatch.setattr(excel_parquet.parquet_columns, "read_runs", lambda source, name: None)
    assert by_columns == outcome(path)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_files_are_not_read_row_by_row(tmp_path, monkeypatch, name):
    def slow(*arguments):
        raise LookupError("row by row")

    monkeypatch.setattr(excel_parquet, "_parquet_rows", slow)
    monkeypatch.setattr(excel_parquet, "read_table", slow)
    assert parquet_columns.read_runs(excel_parquet.Source(written(tmp_path, PLAIN[name])), None)


def test_a_text_that_its_dictionary_does_not_have_is_a_damaged_file():
    content = io.BytesIO()
    pq.write_table(pa.table({"query_id": QUERIES[:80], "doc_id": DOCS[:80], "score": SCORES[:80]}), content,
                   compression="none")
    whole = content.getvalue()
    kinds = set()
    for place in range(4, whole.index(b"d7") + 200):  # the pages of the first column
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        try:
            read_runs(("run.parquet", bytes(changed)))
        except InputError as error:
            kinds |= {problem.message for problem in error.problems if "out of bounds" in str(error)}
    assert kinds == {"corrupt-file"}


@pytest.mark.parametrize("field", ["query_id", "doc_id", "config", "text"])
@pytest.mark.parametrize("row", [0, N - 1])
def test_a_text_that_is_no_utf_8_is_a_damaged_file(tmp_path, field, row):
    columns = {**PLAIN["three configurations"], "text": [f"text {i % 9}" for i in range(N)]}
    binary = pa.array([b"\x8e" if at == row else value.encode() for at, value in enumerate(columns[field])])
    path = written(tmp_path, {**columns, field: pa.StringArray.from_buffers(N, *binary.buffers()[1:])})
    for read in (lambda: read_runs(path), lambda: list(run_pieces(path))):
        with pytest.raises(InputError, match=r"0x8e|rows 1 to|configurations"):
            read()


def test_columns_are_much_faster_than_rows(tmp_path, monkeypatch):
    n = 40_000
    path = written(
        tmp_path,
        {
            "query_id": [f"q{i // 100}" for i in range(n)],
            "doc_id": [f"d{i % 9000}" for i in range(n)],
            "score": np.linspace(1, 0, n),
        },
    )

    def seconds() -> float:
        start = time.process_time()
        read_runs(path)
        return time.process_time() - start

    read_runs(path)  # imports
    fast = min(seconds() for _ in range(3))
    monkeypatch.setattr(excel_parquet.parquet_columns, "read_runs", lambda source, name: None)
    assert seconds() > 4 * fast


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_with_repeated_documents_and_no_other_column_is_read_once(monkeypatch, ending):
    from ragdash.io.proposals import guards

    monkeypatch.setattr(guards, "propose", lambda source: pytest.fail("read again, row by row"))
    table = pa.table({"query_id": ["q1", "q1", "q2"], "doc_id": ["d", "d", "e"], "score": [3.0, 2.0, 1.0]})
    content = io.BytesIO()
    if ending == "csv":
        csv.write_csv(table, content)
    else:
        pq.write_table(table, content)
    (run,) = read_runs((f"run.{ending}", content.getvalue()))
    assert [problem.kind for problem in run.problems] == ["duplicate-document"]


@pytest.mark.parametrize(("docs", "options", "is_plain"), [
    (DOCS, {}, True), (DOCS, {"row_group_size": 150}, True), (DOCS, {"use_dictionary": False}, False),
    (["d1"] * N, {}, False), (LONG_DOCS, {"dictionary_pagesize_limit": 1 << 24, "store_schema": False}, False)],
    ids=["short", "several row groups", "no dictionary", "one text", "a long text that many rows share"])
def test_ids_are_read_without_a_dictionary_where_they_are_sure_to_stay_small(tmp_path, monkeypatch, docs, options,
                                                                             is_plain):
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"query_id": QUERIES, "doc_id": docs, "score": SCORES}), path, **options)
    opened = []
    monkeypatch.setattr(parquet_columns, "open_parquet", lambda source, encoded=True, but=None, open_=(
        parquet_columns.open_parquet): opened.append(but) or open_(source, encoded, but))
    read = outcome(path)
    assert ("doc_id" in opened) is is_plain
    monkeypatch.setattr(parquet_columns, "_is_small", lambda file, name: False)
    assert outcome(path) == read


def as_file(columns: list, names: list[str]) -> tuple[str, bytes]:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns, names=names), stream)
    return "run.parquet", stream.getvalue()


def test_a_column_that_is_there_twice_is_named():
    (run,) = read_runs(as_file([["q"], ["d"], [1.0], [9.0]], ["query_id", "doc_id", "score", "score"]))
    assert run.scores.tolist() == [1.0]
    assert [(problem.message, problem.facts["name"]) for problem in run.problems] == [
        ("unread-column/repeated", "score")]


def test_ids_in_bytes_that_are_no_text_are_refused_and_others_are_read():
    with pytest.raises(InputError) as caught:
        read_runs(as_file([[b"\xff", b"\xfe"], ["d", "e"], [1.0, 2.0]], ["query_id", "doc_id", "score"]))
    assert "wrong-encoding/byte" in [problem.message for problem in caught.value.problems]
    (run,) = read_runs(as_file([["é".encode()], ["d"], [1.0]], ["query_id", "doc_id", "score"]))
    assert run.query_ids.to_pylist() == ["é"]
    with pytest.raises(InputError) as caught:  # in a list they would all become one id
        read_runs(as_file([["q"], [[b"\xff", b"\xfe", b"d"]]], ["query_id", "retrieved"]))
    assert "wrong-encoding/byte" in [problem.message for problem in caught.value.problems]
    (run,) = read_runs(as_file([["q"], [["é".encode(), b"d"]]], ["query_id", "retrieved"]))
    assert run.docs.to_pylist() == ["é", "d"]


def test_a_column_of_durations_becomes_an_attribute():
    waited = [datetime.timedelta(seconds=90)] * 2
    table = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "waited": waited})
    file = io.BytesIO()
    pq.write_table(table, file)
    (run,) = read_runs(("x.parquet", file.getvalue()))
    assert run.ranking("q").column("doc_id").to_pylist() == ["a", "b"]
    assert "0:01:30" in run.details.column("attributes")[0].as_py()


@pytest.mark.parametrize(("values", "text"), [
    (pa.array([2**31 - 1, 0], pa.date32()), "2147483647 date32[day]"),
    (pa.array([2**62, 0], pa.duration("s")), f"{2**62} duration[s]"),
    (pa.array([1, 0], pa.timestamp("ns")), "1970-01-01T00:00:00.000000001"),
    (pa.array([2**60, 0], pa.timestamp("us", "Nowhere/Land")), f"{2**60} timestamp[us, tz=Nowhere/Land]"),
    (pa.array([[{"at": 2**31 - 1}], None], pa.list_(pa.struct([("at", pa.date32())]))),
     [{"at": "2147483647 date32[day]"}]),
    (pa.array([[("at", 2**31 - 1)], None], pa.map_(pa.string(), pa.date32())), {"at": "2147483647 date32[day]"}),
])
def test_a_time_that_python_has_no_form_for_is_read_as_its_text(values, text):
    content = io.BytesIO()
    pq.write_table(pa.table({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0], "at": values}),
                   content)
    (run,) = read_runs(("run.parquet", content.getvalue()))
    assert json.loads(run.details["attributes"][0].as_py())["at"] == text


def test_a_log_with_such_a_time_is_read():
    content = io.BytesIO()
    pq.write_table(pa.table({"question": ["Who?", "When?"], "day": pa.array([2**31 - 1, 0], pa.date32())}), content)
    assert list(read_log(("log.parquet", content.getvalue())).questions) == ["Who?", "When?"]
