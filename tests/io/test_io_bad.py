"""A table of bad files: each is one readable problem (or one for each place), with its line, field and fix."""

from __future__ import annotations

import bz2
import gzip
import json
import zlib

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

TREC = b"q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8 t\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\n"
GZ = gzip.compress(b"".join(b"q%d Q0 d%d 1 0.%d t\n" % (i, i * 7919, i) for i in range(2000)), mtime=0)


def damaged(data: bytes) -> bytes:
    return data[:-8] + bytes([data[-8] ^ 255]) + data[-7:]


def trec(line: str) -> bytes:
    return TREC + line.encode() + b"\n" + b"q2 Q0 d1 1 0.5 t\n"


def row(line: str, header: str = "query_id,doc_id,score") -> bytes:
    return f"{header}\nq1,d1,0.9\n{line}\nq2,d1,0.4\n".encode()


def obj(line: str) -> bytes:
    return b'{"query_id": "q1", "retrieved": ["d1"]}\n' + line.encode() + b"\n"


def doc(item: str) -> bytes:
    return ('{"query_id": "q1", "retrieved": [{"doc_id": "d1", "score": 2}]}\n\n'
            f'{{"query_id": "q2", "retrieved": [{{"doc_id": "d1", "score": 2}}, {item}]}}\n').encode()


def dictionary(text: str) -> bytes:
    return f'{{"q1": {{"d1": 0.9}},\n"q2": {text}\n}}'.encode()


# name: content, kind, line, field, words in found or fix
BAD_RUNS = {
    "empty file": (b"", "empty-file", None, None, "empty"),
    "white space only": (b" \n\t\n", "empty-file", None, None, "white space"),
    "empty after decompression": (gzip.compress(b""), "empty-file", None, None, "empty"),
    "binary": (bytes(range(256)) * 4, "binary-file", None, None, "JSONL, CSV or TREC"),
    "excel": (b"PK\x03\x04\x14\x00\x06\x00", "corrupt-file", None, None, "zip archive"),
    "old excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "binary-file", None, None, "Excel"),
    "parquet": (b"PAR1\x15\x04", "corrupt-file", None, None, "Parquet"),
    "truncated gzip": (GZ[:-2000], "truncated-file", None, None, "download"),
    "gzip, only its first bytes": (GZ[:12], "truncated-file", None, None, "end is missing"),
    "gzip, checksum": (damaged(GZ), "corrupt-file", None, None, "CRC"),
    "gzip, garbage": (GZ[:30] + b"garbage" * 40, "corrupt-file", None, None, "damaged"),
    "truncated bzip2": (bz2.compress(TREC * 1000)[:-30], "truncated-file", None, None, "end is missing"),
    "utf-16": (TREC.decode().encode("utf-16"), "wrong-encoding", 1, None, "--encoding utf-16"),
    "utf-16 without mark": (TREC.decode().encode("utf-16-le"), "wrong-encoding", 1, None, "--encoding utf-16-le"),
    "latin-1 trec": (trec("q1 Q0 é 3 0.7 t").replace("é".encode(), b"\xe9"), "wrong-encoding", 3, None,
                     "give --encoding latin-1"),
    "latin-1 csv": (row("q1,é,0.5").decode().encode("latin-1"), "wrong-encoding", 3, None, "give --encoding latin-1"),
    "latin-1 jsonl": (obj('{"query_id": "q2", "retrieved": ["é"]}').decode().encode("latin-1"), "wrong-encoding", 2,
                      None, "give --encoding latin-1"),
    "latin-1 dictionary": (dictionary('{"é": 1.5}').decode().encode("latin-1"), "wrong-encoding", 2, None,
                           "give --encoding latin-1"),
    "prose": (b"Dear reader,\nthis is a letter.\n", "unknown-format", 1, None, "docs/reference/formats.md"),
    "csv without header": (b"q1,d1,0.5\nq1,d2,0.4\n", "unknown-format", 1, None, "header"),
    "qrels as run": (QRELS, "truth-as-run", None, None, "--truth"),
    "qrels as run, many": (QRELS * 5000, "truth-as-run", None, None, "--truth"),
    "beir qrels as run": (b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n", "truth-as-run", None, None, "BEIR"),
    "csv truth as run": (b"qid,docid,relevance\nq1,d1,1\n", "truth-as-run", None, None, "--truth"),
    "jsonl truth as run": (b'{"query_id": "q1", "relevant": ["d1"]}\n', "truth-as-run", None, None, "--truth"),
    "jsonl judgments as run": (b'{"query_id": "q1", "doc_id": "d", "grade": 1}\n', "truth-as-run", None, None,
                                "--truth"),

    "trec nan": (trec("q1 Q0 d3 3 nan t"), "nan-score", 3, "score", "finite"),
    "trec NaN": (trec("q1 Q0 d3 3 NaN t"), "nan-score", 3, "score", "finite"),
    "trec infinite": (trec("q1 Q0 d3 3 -inf t"), "nan-score", 3, "score", "finite"),
    "trec too large": (trec("q1 Q0 d3 3 1e999 t"), "nan-score", 3, "score", "finite"),
    "trec no number": (trec("q1 Q0 d3 3 high t"), "bad-score", 3, "score", "decimal"),
    "trec decimal comma": (trec("q1 Q0 d3 3 0,5 t"), "bad-score", 3, "score", "a decimal point: 0.5"),
    "trec comma and other": (trec("q1 Q0 d3 3 0,5x t"), "bad-score", 3, "score", "decimal"),
    "trec underscore": (trec("q1 Q0 d3 3 1_0 t"), "bad-score", 3, "score", "decimal"),
    "trec five columns": (trec("q1 Q0 d3 3 0.7"), "column-count", 3, None, "6 columns: query_id Q0 doc_id"),
    "trec one column": (trec("q1"), "column-count", 3, None, "Complete"),
    "trec a line of qrels": (trec("q1 0 d3 1"), "column-count", 3, None, "--truth"),
    "trec double blank for a missing field": (trec("q1  d3 3 0.7 t"), "column-count", 3, None, "5 columns"),
    "trec header": (b"number Q0 name rank score tag\n" + TREC, "bad-score", 1, "score", "header"),
    "trec five columns only": (b"q1 Q0 d1 1 0.5\n", "column-count", 1, None, "5 columns"),
    "trec comments only": (b"# one\n# two\n", "unknown-format", 1, None, "docs/reference/formats.md"),

    "csv nan": (row("q1,d2,NaN"), "nan-score", 3, "score", "finite"),
    "csv no number": (row("q1,d2,high"), "bad-score", 3, "score", "decimal"),
    "csv None": (row("q1,d2,None"), "bad-score", 3, "score", "decimal"),
    "csv no score": (row("q1,d2,"), "missing-score", 3, "score", "score"),
    "csv no query": (row(",d2,0.5"), "missing-id", 3, "query_id", "id"),
    "csv no document": (row("q1,  ,0.5"), "missing-id", 3, "doc_id", "id"),
    "csv two columns": (row("q1,d2"), "column-count", 3, None, "3 columns"),
    "csv four columns": (row("q1,d2,0,5"), "column-count", 3, None, "quote"),
    "csv open quote": (row('q1,"d2,0.5'), "bad-quotes", 3, None, "quotes"),
    "csv quote closed by another": (b'query_id,doc_id,score,text\nq1,d1,1,"open\nq1,d2,2,b\nq2,d3,1,"closed"\n',
                                    "bad-quotes", 2, None, "quotes"),
    "csv quote never closed": (b'query_id,doc_id,score,text\nq1,d1,1,"open\nq1,d2,2,b\nq2,d3,1,c\n', "bad-quotes", 2,
                               None, "quotes"),
    "csv bad rank": (row("q1,d2,second", "query_id,doc_id,rank").replace(b"0.", b"1"), "bad-rank", 3, "rank", "rank"),
    "csv missing column": (b"query_id,score\nq1,0.5\n", "missing-column", 1, "doc_id", "document_id"),
    "csv missing query": (b"doc_id,score\nd1,0.5\n", "missing-column", 1, "query_id", "qid"),
    "csv header only": (b"query_id,doc_id,score\n", "no-rows", None, None, "completely"),
    "csv no configuration": (row("q1,d2,0.5,", "query_id,doc_id,score,config").replace(b"0.9", b"0.9,a")
                             .replace(b"0.4", b"0.4,a"), "missing-config", 3, "config", "Complete"),
    "csv line after quoted line ends": (row('"q\n\n1",d2,0.5\nq1,d3,x'), "bad-score", 6, "score", "decimal"),

    "jsonl broken": (obj('{"query_id": "q2", "retrieved": ["d1"'), "invalid-json", 2, None, "cut short"),
    "jsonl first line broken": (b'{"query_id": "q2", "retri\n{"query_id": "q1", "retrieved": ["d1"]}\n', "invalid-json",
                                1, None, "JSON"),
    "jsonl two on a line": (obj('{"query_id": "q2", "retrieved": []} {"query_id": "q3"}'), "invalid-json", 2, None,
                            "more text"),
    "jsonl python": (obj("{'query_id': 'q2', 'retrieved': []}"), "invalid-json", 2, None, "json.dumps"),
    "jsonl None": (obj('{"query_id": "q2", "retrieved": [], "answer": None}'), "invalid-json", 2, None, "write null"),
    "jsonl no object": (obj("17"), "wrong-type", 2, "object", "an object"),
    "jsonl null": (obj("null"), "wrong-type", 2, "object", "an object"),
    "jsonl no query": (obj('{"retrieved": ["d1"]}'), "missing-field", 2, "query_id", "qid"),
    "jsonl query null": (obj('{"query_id": null, "retrieved": ["d1"]}'), "missing-id", 2, "query_id", "id"),
    "jsonl query empty": (obj('{"query_id": "", "retrieved": ["d1"]}'), "missing-id", 2, "query_id", "id"),
    "jsonl query list": (obj('{"query_id": ["q"], "retrieved": ["d1"]}'), "wrong-type", 2, "query_id", "text"),
    "jsonl nothing returned": (obj('{"query_id": "q2", "query": "?"}'), "missing-field", 2, "retrieved", "contexts"),
    "jsonl duplicate query": (obj('{"query_id": "q1", "retrieved": ["d2"]}'), "duplicate-query", 2, "query_id",
                              "lines 1 and 2"),
    "jsonl duplicate key": (obj('{"query_id": "q2", "retrieved": [], "retrieved": ["d1"]}'), "duplicate-key", 2,
                            "retrieved", "columns 20 and 37"),
    "jsonl retrieved text": (obj('{"query_id": "q2", "retrieved": "d1"}'), "wrong-type", 2, "retrieved", "a list"),
    "jsonl document null": (obj('{"query_id": "q2", "retrieved": ["d1", null]}'), "missing-id", 2,
                            "retrieved[1].doc_id", "id"),
    "jsonl document list": (obj('{"query_id": "q2", "retrieved": [["d1", 0.5]]}'), "wrong-type", 2, "retrieved[0]",
                            "doc_id"),
    "jsonl NaN": (doc('{"doc_id": "d2", "score": NaN}'), "nan-score", 3, "retrieved[1].score", "finite"),
    "jsonl Infinity": (doc('{"doc_id": "d2", "score": -Infinity}'), "nan-score", 3, "retrieved[1].score", "finite"),
    "jsonl too large": (doc('{"doc_id": "d2", "score": 1e999}'), "nan-score", 3, "retrieved[1].score", "finite"),
    "jsonl score null": (doc('{"doc_id": "d2", "score": null}'), "missing-score", 3, "retrieved[1].score", "score"),
    "jsonl no score": (doc('{"doc_id": "d2"}'), "missing-score", 3, "retrieved[1].score", "none of them"),
    "jsonl score text": (doc('{"doc_id": "d2", "score": "0.5"}'), "bad-score", 3, "retrieved[1].score", "decimal"),
    "jsonl score true": (doc('{"doc_id": "d2", "score": true}'), "bad-score", 3, "retrieved[1].score", "decimal"),
    "jsonl no document": (doc('{"score": 1}'), "missing-id", 3, "retrieved[1].doc_id", "id"),
    "jsonl with and without scores": (obj('{"query_id": "q2", "retrieved": [{"doc_id": "d1", "score": 1}]}'),
                                      "missing-score", 2, "retrieved.score", "lines 1 and 2"),
    "jsonl context number list": (obj('{"query_id": "q2", "contexts": ["a", null]}'), "wrong-type", 2, "contexts[1]",
                                  "text"),
    "jsonl latency text": (obj('{"query_id": "q2", "answer": "a", "latency_ms": {"retrieval": "9 ms"}}'), "wrong-type",
                           2, "latency_ms.retrieval", "a number"),
    "jsonl tokens": (obj('{"query_id": "q2", "answer": "a", "usage": {"prompt_tokens": 1.5}}'), "bad-number", 2,
                     "prompt_tokens", "whole"),
    "jsonl settings": (obj('{"query_id": "q2", "answer": "a", "settings": "k=5"}'), "wrong-type", 2, "settings",
                       "an object"),
    "jsonl no configuration": (obj('{"query_id": "q2", "answer": "a", "config": "x"}'), "missing-config", 1, "config",
                               "Complete"),
    "jsonl surrogate": (obj('{"query_id": "q2", "answer": "\\ud800"}'), "invalid-json", 2, None, "surrogate"),
    "jsonl nested": (obj('{"query_id": "q2", "answer": ' + "[" * 100_000 + "]" * 100_000 + "}"), "invalid-json", 2,
                     None, "nested"),
    "json array cut": (b'[{"query_id": "q1", "retrieved": ["d1"]},\n{"query_id": "q2", "ret', "invalid-json", 2, None,
                       "cut short"),
    "json array, comma": (b'[{"query_id": "q1", "retrieved": ["d1"]},\n]', "invalid-json", 2, None, "expecting value"),
    "json array, no comma": (b'[{"query_id": "q1", "retrieved": ["d1"]}\n{"query_id": "q2"}]', "invalid-json", 2, None,
                             "no comma"),
    "json array, more": (b'[{"query_id": "q1", "retrieved": ["d1"]}]\n\nx', "invalid-json", 3, None, "more text"),
    "json array empty": (b"[]", "no-rows", None, None, "completely"),

    "dictionary cut": (b'{"q1": {"d1": 0.5},\n"q2": {"d1"', "invalid-json", 2, None, "cut short"),
    "dictionary NaN": (dictionary('{"d1": NaN}'), "nan-score", 2, "q2.d1", "finite"),
    "dictionary null": (dictionary('{"d1": null}'), "missing-score", 2, "q2.d1", "score"),
    "dictionary text": (dictionary('{"d1": "0.5"}'), "bad-score", 2, "q2.d1", "decimal"),
    "dictionary number": (dictionary("0.5"), "wrong-type", 2, "q2", "list of document ids"),
    "dictionary of a list of objects": (b'{"answered": [{"doc_id": "d1", "x": "?"}]}', "wrong-type", 1, "answered",
                                        "a separate JSON file"),
    "dictionary of pairs": (dictionary('[["d1", 0.5]]'), "wrong-type", 2, "q2", "list of document ids"),
    "dictionary empty id": (dictionary('{"": 0.5}'), "missing-id", 2, "q2.doc_id", "id"),
    "dictionary query twice": (dictionary('{"d1": 1.5}, "q1": {"d2": 1}'), "duplicate-query", 2, "query_id",
                               "lines 1 and 2"),
    "dictionary document twice": (dictionary('{"d1": 1.5,\n"d2": 1, "d1": 1}'), "duplicate-key", 3, "d1",
                                  "lines 2 and 3"),
    "dictionary lists and scores": (dictionary('["d1"]'), "mixed-rows", 2, None, "same way"),
    "dictionary without a quote": (b'{"q1": {"d1": 0.5},\nq2: {"d1": 0.5}}', "invalid-json", 2, None, "double quotes"),
    "dictionary without a colon": (b'{"q1": {"d1": 0.5},\n"q2" {"d1": 0.5}}', "invalid-json", 2, None, "colon"),
    "dictionary empty": (b"{}", "no-rows", None, None, "completely"),
}
BAD_TRUTHS = {
    "run as truth": (TREC, "run-as-truth", None, None, "without --truth"),
    "jsonl run as truth": (obj('{"query_id": "q2", "retrieved": []}'), "run-as-truth", None, None, "without --truth"),
    "dictionary run as truth": (dictionary('{"d1": 0.75}'), "run-as-truth", None, None, "without --truth"),
    "csv run as truth": (b"query_id,doc_id,rank,score\nq1,d1,1,0.5\n", "run-as-truth", None, None, "without --truth"),
    "csv scores as truth": (b"query_id,doc_id,score\nq1,d1,0.25\nq1,d2,0.5\n", "run-as-truth", None, None, "fractions"),
    "qrels fraction": (QRELS + b"q2 0 d1 0.5\n", "bad-grade", 3, "grade", "whole grades"),
    "qrels nan": (QRELS + b"q2 0 d1 nan\n", "bad-grade", 3, "grade", "whole grades"),
    "qrels too large": (QRELS + b"q2 0 d1 1e31\n", "bad-grade", 3, "grade", "whole grades"),
    "csv too large": (b"query_id,doc_id,grade\nq1,d1,99999999999\n", "bad-grade", 2, "grade", "whole grades"),
    "jsonl too large": (b'{"query_id": "q1", "relevant": {"d": 1, "e": 1e300}}', "bad-grade", 1, "relevant.e",
                        "whole grades"),
    "qrels word": (QRELS + b"q2 0 d1 yes\n", "bad-grade", 3, "grade", "whole grades"),
    "qrels three columns": (QRELS + b"q2 d1 1\n", "column-count", 3, None, "4 columns"),
    "qrels five columns": (QRELS + b"q2 0 d1 1 x\n", "column-count", 3, None, "4 columns"),
    "qrels a line of a run": (QRELS * 2 + TREC, "column-count", 5, None, "line of a run"),
    "qrels conflict": (b"# judged\n" + QRELS + b"\nq1 0 d2 1\n", "conflicting-judgments", 5, "grade", "lines 3 and 5"),
    "csv conflict": (b'query_id,doc_id,grade\nq1,"d\n1",1\nq1,d2,1\nq1,d2,2\n', "conflicting-judgments", 5, "grade",
                     "lines 4 and 5"),
    "csv fraction": (b"query_id,doc_id,grade\nq1,d1,1\nq1,d2,1\nq1,d3,0.5\n", "bad-grade", 4, "grade", "whole grades"),
    "csv no grade": (b"query_id,doc_id,grade\nq1,d1,1\nq1,d2,\n", "missing-grade", 3, "grade", "grade"),
    "csv missing column": (b"query_id,doc_id,text\nq1,d1,x\n", "missing-column", 1, "grade", "relevance"),
    "csv header only": (b"query_id,doc_id,grade\n", "no-rows", None, None, "complete"),
    "jsonl conflict": (b'{"query_id": "q1", "doc_id": "d", "grade": 1}\n{"query_id": "q1", "doc_id": "d", "grade": 2}',
                       "conflicting-judgments", 2, "grade", "lines 1 and 2"),
    "json array conflict": (b'[{"query_id": "q1", "doc_id": "d", "grade": 1},\n\n'
                            b'{"query_id": "q1", "doc_id": "d", "grade": 2}]', "conflicting-judgments", 3, "grade",
                            "lines 1 and 3"),
    "jsonl duplicate query": (b'{"query_id": "q1", "relevant": ["d"]}\n{"query_id": "q1", "relevant": ["e"]}',
                              "duplicate-query", 2, "query_id", "lines 1 and 2"),
    "jsonl fraction": (b'{"query_id": "q1", "relevant": {"d": 1, "e": 0.5, "f": 2}}', "bad-grade", 1, "relevant.e",
                       "whole grades"),
    "jsonl grade text": (b'{"query_id": "q1", "relevant": {"d": "1"}}', "bad-grade", 1, "relevant.d", "whole grades"),
    "jsonl relevant text": (b'{"query_id": "q1", "relevant": "d"}', "wrong-type", 1, "relevant", "a list of ids"),
    "jsonl nothing known": (b'{"query_id": "q1", "query": "?"}', "no-rows", None, None, "answers"),
    "jsonl evidence": (b'{"query_id": "q1", "evidence": [{"source": "s"}]}', "wrong-type", 1, "evidence[0]",
                       "an object with text"),
    "jsonl attributes": (b'{"query_id": "q1", "relevant": ["d"], "type": 1, "attributes": {"type": 2}}',
                         "duplicate-field", 1, "attributes.type", "Remove"),
    "dictionary number": (b'{"q1": {"d1": 1}, "q2": 1}', "wrong-type", 1, "q2", "list of document ids"),
    "dictionary of a list of objects": (b'{"answered": [{"doc_id": "d1", "x": "?"}]}', "wrong-type", 1, "answered",
                                        "a separate JSON file"),
    "five columns": (b"q1 0 0 d1 1\n", "column-count", 1, None, "4 columns"),
}


def problems_of(read, content: bytes):
    with pytest.raises(InputError) as caught:
        read(("dir/bad file", content))
    return caught.value.problems


def check(problems, kind, line, field, words):
    problem = next((p for p in problems if p.kind == kind), None)
    assert problem is not None, [str(p) for p in problems]
    assert (problem.line, problem.field, problem.severity) == (line, field, "error")
    assert problem.file == "dir/bad file"
    assert words in f"{problem.actual} {problem.expected} {problem.fix}"
    assert problem.fix[0].isupper() and problem.fix[-1] == "."


@pytest.mark.parametrize("name", BAD_RUNS)
def test_bad_run(name):
    content, *expected = BAD_RUNS[name]
    problems = problems_of(read_runs, content)
    check(problems, *expected)
    assert len([problem for problem in problems if problem.severity == "error"]) == 1


@pytest.mark.parametrize("name", BAD_TRUTHS)
def test_bad_truth(name):
    content, *expected = BAD_TRUTHS[name]
    check(problems_of(read_truth, content), *expected)


@pytest.mark.parametrize("name", ["trec nan", "csv nan", "jsonl NaN", "dictionary NaN"])
def test_bad_file_compressed(name):
    content, *expected = BAD_RUNS[name]
    check(problems_of(read_runs, gzip.compress(content)), *expected)


def test_all_problems_at_once():
    content = b"q1 Q0 d1 1 x t\nq1 Q0 d2\nq1 Q0 d3 3 nan t\nq1 Q0 \xe9 4 0.5 t\nq1 Q0 d5 5 0.5 t 7 8\n"
    problems = problems_of(read_runs, content)
    assert [(problem.kind, problem.line, problem.severity) for problem in problems] == [
        ("bad-score", 1, "error"), ("column-count", 2, "error"), ("nan-score", 3, "error"),
        ("wrong-encoding", 4, "error"), ("extra-columns", 5, "warning")]


def test_a_zlib_error_is_a_problem():
    broken = GZ[:20] + zlib.compress(b"x")[2:] + GZ[40:]
    assert problems_of(read_runs, broken)[0].kind in ("corrupt-file", "truncated-file")


def test_messages_are_short():
    long = json.dumps({"query_id": "q1", "retrieved": {"d" * 10_000: "x" * 10_000}}).encode()
    for problem in problems_of(read_runs, long):
        assert len(problem.actual) < 200
