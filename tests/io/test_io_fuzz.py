"""Whatever bytes come: a run or a truth, or an InputError with problems that name the file. Never anything else."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pytest
from both_ways import read_both_ways
from fixed_cases import with_cases
from hypothesis import strategies as st

from ragdash.core.errors import InputError
from ragdash.io import detect, read_corpus, read_runs, read_truth
from ragdash.io.formats.text.trec_lines import QRELS, RUN
from ragdash.io.json.exact_parser import NeedsExact
from ragdash.io.source.source import Source

pytestmark = pytest.mark.slow
CASES = 150
TREC = b"q1 Q0 d1 1 0.9 t\nq1\tQ0\td 2\t2\t0.8\tt\nq2  Q0 d1 1 5e-1 t\n"
SEEDS = [
    TREC, TREC.replace(b"\n", b"\r\n"), b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n",
    b'{"query_id": "q1", "query": "?", "retrieved": [{"doc_id": "d1", "score": 0.5, "text": "\\u00e9"}, '
    b'{"doc_id": "d2", "score": 0.4}], "answer": "a", "contexts": ["c"], "latency_ms": {"retrieval": 5}, '
    b'"usage": {"prompt_tokens": 1}, "settings": {"k": 5}, "x": [1]}\n'
    b'{"query_id": 7, "retrieved": [], "cost_usd": NaN}\n',
    b'{"query_id": "q1", "relevant": {"d1": 1}, "answers": ["a"], "evidence": [{"text": "e", "source": "s"}], '
    b'"attributes": {"t": 1}}\n{"query_id": "q2", "relevant": ["d"]}\n',
    b'{"q1": {"d1": 0.5, "d2": 1}, "q2": {}}', b'{"q1": ["d1", "d2"],\n "q2": [3]}',
    b'[{"query_id": "q1", "doc_id": "d1", "score": 0.5, "rank": 1, "config": "a"}]',
    b'query_id,doc_id,score,rank,text,config\nq1,d1,0.5,1,"a ""text""\n",x\nq1,d2,0.25,2,,y\n',
    b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t0\n", "é Q0 ü 1 0.5 t\n".encode("utf-16"),
    gzip.compress(TREC, mtime=0), b"\xef\xbb\xbf" + TREC, b"# comment\n" + TREC,
]
WIDE = [
    b'question,answer,contexts,retrieved_ids,scores,reference,config,n\nq 1,a,"[""x"", 1]",d1|d2,"[0.5, 1]",r,x,3\n'
    b'"q\n2",b,"[\'x\', \'it\\\'s\']","[\'d1\']",[2],r|s,x,\n',
    b'query_id\tquery\trelevant\tevidence\tsettings\n1\t?\t"{""d"": 2}"\t[1] x\t{}\n',
]
OBJECTS = [
    b'{"results": [{"query": "q", "response": "a", "gt_answer": "g", "retrieved_context": [{"doc_id": "d", '
    b'"text": "t"}]}], "metrics": {"a": 1}}',
    b'{"evalId": 1, "results": {"version": 3, "results": [{"vars": {"question": "q"}, "response": {"output": "a"}}]}}',
    b'[{"inputs": {"question": "q"}, "outputs": {"answer": "a"}, "reference": {"answer": "r"}, "example_id": "e"},'
    b' {"user_input": [{"content": "a"}], "retrieved_ids": ["d", 7], "scores": [1, 0.5], "x": NaN}]',
    b'[{"context": {"trace_id": "t", "span_id": "s"}, "span_kind": "RETRIEVER", "parent_id": null, "attributes": '
    b'{"input": {"value": "{\\"question\\": 1}"}, "retrieval.documents.0.document.id": "d", "retrieval": {"documents": '
    b'[{"document": {"content": "c", "metadata": "{}"}}]}}}]',
    b'{"id": "r", "run_type": "chain", "inputs": {"messages": [{"role": "user", "content": "q"}]}, "outputs": '
    b'{"generations": [[{"text": "a"}]], "documents": [{"page_content": "x", "metadata": {"id": 5}}, "t"]}}\n',
    b'{"data": [{"title": "T", "paragraphs": [{"context": "c", "qas": [{"id": 1, "question": "q", "answers": [{"text": '
    b'"a"}, "b"], "is_impossible": false}]}]}]}',
]


def _frame_of_documents() -> bytes:
    out = io.BytesIO()
    pd.DataFrame({"_id": ["d1", "d2"], "title": ["T", None], "text": ["x", "y"]}).to_parquet(out)
    return out.getvalue()


def _archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.trec", TREC)
        archive.writestr("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        archive.writestr("queries.jsonl", '{"_id": "q1", "text": "?", "metadata": {"answers": ["a"]}}\n')
    return out.getvalue()


def _frame(method: str, **options) -> bytes:
    out = io.BytesIO()
    frame = pd.DataFrame({"question": ["q", "r"], "answer": ["a", None], "retrieved": [["d1", "d2"], ["d1"]],
                          "reference": ["x", "y"], "n": [1, 2.5]})
    getattr(frame, method)(out, **options)
    return out.getvalue()


CORPORA = [b'{"_id": "d1", "title": "T", "text": "t"}\n{"_id": "d2", "text": ["a", "b"]}\n',
           b'[{"doc_id": 7, "title": null, "contents": "\\u00e9"}]', _frame_of_documents()]
BINARY = [_archive(), _frame("to_parquet"), _frame("to_excel", index=False),
          pa.compress(TREC, codec="zstd", asbytes=True)]
PIECES = [b" ", b"\t", b"\n", b"\r", b"\r\n", b'"', b"'", b",", b":", b"{", b"}", b"[", b"]", b"\\", b"\\u", b"\\ud800",
          b"\0", b"\xff", b"\xc3", b"nan", b"NaN", b"Infinity", b"1e999", b"-", b"+1", b"0", b"#", b"null", b"true",
          b"1_0", b"\x0b", b"\x0c", b"\xc2\xa0", b"\xe2\x80\xa8", b"9" * 30, b"[" * 200, b'"a":{' * 20, b"\xef\xbb\xbf",
          b"\x1f\x8b"]


@st.composite
def mutated(draw, seeds=SEEDS) -> bytes:
    """A file with a few bytes or pieces replaced, removed, doubled or put in."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 8)))
        doubled = data[start:stop] * 2
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3), st.just(doubled), st.just(b"")))
        data = data[:start] + piece + data[stop:]
    return data


@st.composite
def trec_lines(draw) -> bytes:
    """Lines of a TREC file with any white space between and around their columns, and some empty or missing."""
    gaps = st.sampled_from([" ", "\t", "  ", "\t\t", " \t", "\t ", " \t ", "\t \t"])
    edges = st.sampled_from(["", "", "", " ", "\t", " \t", "\t ", "\t\t"])
    fields = st.sampled_from(["", "q", "q 1", "Q0", "0", "1", "0.5", "d", "d  2", "t", "my tag", "#"])
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        usual = draw(gaps)
        gap = draw(st.sampled_from([st.just(usual), gaps]))
        line = draw(st.sampled_from([["q1", "Q0", "d1", "1", "0.5", "t"], ["q1", "0", "d1", "1"]]))
        changed = dict(draw(st.lists(st.tuples(st.integers(0, len(line) - 1), fields), max_size=3)))
        line = [changed.get(i, field) for i, field in enumerate(line)] + draw(st.lists(fields, max_size=2))
        lines.append(draw(edges) + "".join(field + draw(gap) for field in line[:-1]) + line[-1] + draw(edges))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return (end.join(lines) + draw(st.sampled_from(["", end]))).encode()


def check(read, content: bytes, **options) -> None:
    try:
        found = read(("x", content), **options)
    except InputError as error:
        assert error.problems
        assert any(problem.severity == "error" for problem in error.problems)
        for problem in error.problems:
            assert problem.file == "x" or problem.file.startswith("x/")
            assert problem.kind and problem.actual and problem.expected and problem.fix
            assert problem.line is None or problem.line >= 1
            str(problem).encode()
            json.dumps(problem.as_dict())
    else:
        for record in found if isinstance(found, list) else [found]:
            assert len(record.query_ids.drop_null()) == len(record)
            assert record.digest
            record.query_ids.validate(full=True)
            record.docs.validate(full=True)


@with_cases(CASES, content=mutated([*SEEDS, *WIDE, *OBJECTS]),
            encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]))
def test_any_bytes(content, encoding):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(read_runs, content, encoding=encoding)
        check(read_truth, content, encoding=encoding)
        try:
            assert detect(("x", content), encoding=encoding).reason
        except InputError as error:
            assert error.problems


@with_cases(CASES, content=mutated(BINARY))
def test_any_bytes_of_archives_workbooks_and_parquet(content):
    check(read_runs, content)
    check(read_truth, content)


@with_cases(CASES, content=st.one_of(trec_lines(), mutated([TREC, TREC.replace(b"d 2", b"d2"), SEEDS[2],
                                                            SEEDS[2].replace(b" ", b"\t")])),
            layout=st.sampled_from([RUN, QRELS]))
def test_fast_and_exact_trec_reading_agree(content, layout):
    try:
        Source(("x", content)).text.encode()
    except InputError:
        return
    read_both_ways(content, layout)


def refuse(*_args):
    raise NeedsExact


def outcome(read, content: bytes):
    """What a reader finds, in a comparable form."""
    try:
        found = read(("x", content))
    except InputError as error:
        return [(problem.kind, problem.line) for problem in error.problems]
    records = found if isinstance(found, list) else [found]
    return [(record.name, record.digest, [(p.kind, p.line) for p in record.problems]) for record in records]


@with_cases(CASES, content=mutated([*SEEDS[3:8], *OBJECTS]))
def test_fast_and_exact_json_parsing_agree(content):
    for read in (read_runs, read_truth):
        quick = outcome(read, content)
        with (
            patch("ragdash.io.formats.jsonl.parse_lines_fast", refuse),
            patch("ragdash.io.formats.jsonl.parse_fast", refuse),
            patch("ragdash.io.formats.json_dict.parse_fast", refuse),
            patch("ragdash.io.formats.squad.parse_fast", refuse),
            patch("ragdash.io.formats.tracing.spans.parse_fast", refuse),
        ):
            assert outcome(read, content) == quick


@with_cases(CASES, content=mutated(SEEDS[8:10]))
def test_fast_and_exact_table_reading_agree(content):
    for read in (read_runs, read_truth):
        fast = outcome(read, content)
        with patch("ragdash.io.formats.text.csv_tsv._read_fast", lambda *_args: None):
            exact = outcome(read, content)
        if '"' not in str(exact) and b'"' not in content:  # a quote inside of a value is read, but not from row to row
            assert exact == fast


@with_cases(CASES // 2, content=mutated(CORPORA))
def test_documents(content):
    try:
        found = read_corpus(("x", content))
    except InputError as error:
        assert all(problem.file == "x" and problem.fix for problem in error.problems)
    else:
        assert found.digest and len(found.doc_ids.drop_null()) == len(found)
        for column in (found.doc_ids, found.texts, found.titles):
            if column is not None:
                column.validate(full=True)
