"""The same data gives the same content, whatever format, compression or white space it comes in."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import zipfile

import pandas as pd
import pyarrow as pa
import pytest
from helpers import json_lines

from ragdash.io import detect, read_run, read_truth

IDS = ["007", "2506.00500", "1e5", "94e17563", "NA", "null", "NaN", "None", "-0", "+1", "1_000", "日本語", "é",
       "a::b:c", "{x}", "true", "0x1F", "d\u00a0d", "12345678901234567890123", "'q'", "#", "q#1"]
RANKING = {query: {doc: 10.5 - place for place, doc in enumerate(IDS) if doc != query}
           for query in ("007", "1e5", "NA", "ü")}
GRADES = {query: {doc: place % 4 for place, doc in enumerate(docs)} for query, docs in RANKING.items()}
ROWS = [(query, doc, rank, score) for query, docs in RANKING.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)]
JUDGED = [(query, doc, grade) for query, docs in GRADES.items() for doc, grade in docs.items()]


def table(header: str, rows, delimiter: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header.split(), *rows])
    return out.getvalue().encode()


def objects() -> list[dict]:
    return [{"query_id": query, "retrieved": [{"doc_id": doc, "score": score} for doc, score in docs.items()]}
            for query, docs in RANKING.items()]


def trec(separator: str, end: str = "\n") -> bytes:
    return "".join(separator.join((query, "Q0", doc, str(rank), str(score), "tag")) + end
                   for query, doc, rank, score in ROWS).encode()


LONG = [{"qid": query, "docid": doc, "score": score} for query, doc, _, score in ROWS]
RUNS = {
    "trec, blanks": trec(" "),
    "trec, tabs": trec("\t"),
    "trec, two blanks": trec("  "),
    "trec, tabs and blanks": trec(" \t "),
    "trec, leading blanks": b"  " + trec(" ").replace(b"\n", b"\n  "),
    "trec, trailing blanks": trec(" ", " \n"),
    "trec, CRLF": trec(" ", "\r\n"),
    "trec, CR": trec(" ", "\r"),
    "trec, blank lines": b"\n\n" + trec(" ", "\n\n \n"),
    "trec, no newline at the end": trec(" ").rstrip(b"\n"),
    "trec, byte order mark": b"\xef\xbb\xbf" + trec(" "),
    "trec, ranks from 0": b"".join(line.replace(b" 1 9", b" 0 9") for line in trec(" ").splitlines(True)),
    "trec, scientific scores": "".join(f"{q} Q0 {d} {r} {s:e} t\n" for q, d, r, s in ROWS).encode(),
    "trec, one odd line": trec(" ") .replace(b"tag\n", b"tag more\n", 1),
    "trec, in another order": b"".join(sorted(trec(" ").splitlines(True))),
    "jsonl": json_lines(objects()),
    "jsonl, CRLF": json_lines(objects()).replace(b"\n", b"\r\n"),
    "jsonl, byte order mark": b"\xef\xbb\xbf" + json_lines(objects()),
    "jsonl, not escaped": "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in objects()).encode(),
    "jsonl, NaN elsewhere": json_lines([{**value, "cost_usd": float("nan")} for value in objects()]),
    "jsonl, a row a line": json_lines(LONG),
    "jsonl, documents with scores": json_lines([{"query_id": q, "retrieved": docs} for q, docs in RANKING.items()]),
    "json array": json.dumps(objects()).encode(),
    "json array, indented": json.dumps(objects(), indent=2).encode(),
    "json array of rows": json.dumps(LONG).encode(),
    "json dictionary": json.dumps(RANKING).encode(),
    "json dictionary, indented": json.dumps(RANKING, indent=1).encode(),
    "csv, scores": table("query_id doc_id score", [(q, d, s) for q, d, _, s in ROWS], ","),
    "csv, scores and ranks": table("query_id doc_id rank score", ROWS, ","),
    "csv, other names": table("Question-ID DocNo Similarity", [(q, d, s) for q, d, _, s in ROWS], ","),
    "csv, quoted": b"\n".join(b",".join(b'"%s"' % cell for cell in row.split(b","))
                              for row in table("qid doc score", [(q, d, s) for q, d, _, s in ROWS], ",").splitlines()),
    "csv, semicolons": table("query_id doc_id score", [(q, d, s) for q, d, _, s in ROWS], ";"),
    "csv, another order of columns": table("score doc_id query_id", [(s, d, q) for q, d, _, s in ROWS], ","),
    "csv, padded": table("query_id doc_id score", [(f" {q}", f"{d} ", s) for q, d, _, s in ROWS], ","),
    "tsv": table("query-id corpus-id score", [(q, d, s) for q, d, _, s in ROWS], "\t"),
    "tsv, CRLF and byte order mark": b"\xef\xbb\xbf" + table(
        "query_id doc_id score", [(q, d, s) for q, d, _, s in ROWS], "\t").replace(b"\n", b"\r\n"),
}


def frame(method: str, rows: list[dict], **options) -> bytes:
    out = io.BytesIO()
    getattr(pd.DataFrame(rows), method)(out, **options)
    return out.getvalue()


def packed(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/run.csv", content)
    return out.getvalue()


WIDE = [{"query_id": query, "retrieved": list(docs), "score": list(docs.values())} for query, docs in RANKING.items()]
SCORED = [{"query_id": query, "retrieved": [{"doc_id": doc, "score": score} for doc, score in docs.items()]}
          for query, docs in RANKING.items()]
RUNS |= {
    "json under results": json.dumps({"results": objects()}).encode(),
    "parquet, a row a document": frame("to_parquet", LONG),
    "parquet, objects": frame("to_parquet", SCORED),
    "xlsx, a row a document": frame("to_excel", LONG, index=False),
}
SCORES_IN_ORDER = {
    "jsonl": json_lines(objects()), "parquet": frame("to_parquet", WIDE), "xlsx": frame("to_excel", WIDE, index=False),
    "csv, python": frame("to_csv", WIDE, index=False), "csv, json": table("query_id retrieved", [
        (row["query_id"], json.dumps(row["retrieved"])) for row in SCORED], ","),
    "csv, a dictionary": table("query_id retrieved_ids", [(q, json.dumps(docs)) for q, docs in RANKING.items()], ","),
    "tsv, other names": table("qid retrieved_doc_ids retrieved_scores", [
        (row["query_id"], json.dumps(row["retrieved"]), repr(row["score"])) for row in WIDE], "\t"),
    "zip": packed(table("query_id retrieved score", [(row["query_id"], json.dumps(row["retrieved"]), row["score"])
                                                     for row in WIDE], ",")),
}
ORDERS = {
    "jsonl, ids": json_lines([{"query_id": query, "retrieved": list(docs)} for query, docs in RANKING.items()]),
    "jsonl, objects": json_lines([{"query_id": query, "retrieved": [{"doc_id": doc} for doc in docs]}
                             for query, docs in RANKING.items()]),
    "json dictionary": json.dumps({query: list(docs) for query, docs in RANKING.items()}).encode(),
    "csv": table("query_id doc_id", [row[:2] for row in ROWS], ","),
}
JUDGEMENTS = [{"query_id": query, "relevant": json.dumps(docs)} for query, docs in GRADES.items()]
TRUTHS = {
    "csv, a row a query": frame("to_csv", JUDGEMENTS, index=False),
    "xlsx, a row a query": frame("to_excel", JUDGEMENTS, index=False),
    "parquet, a row a query": frame("to_parquet", JUDGEMENTS),
    "parquet": frame("to_parquet", [{"query_id": q, "doc_id": d, "grade": g} for q, d, g in JUDGED]),
    "xlsx": frame("to_excel", [{"qid": q, "docid": d, "label": g} for q, d, g in JUDGED], index=False),

    "qrels, blanks": "".join(f"{q} 0 {d} {g}\n" for q, d, g in JUDGED).encode(),
    "qrels, tabs": "".join(f"{q}\tQ0\t{d}\t{g}\n" for q, d, g in JUDGED).encode(),
    "qrels, decimal grades": "".join(f"{q} 0  {d} {g}.0\r\n" for q, d, g in JUDGED).encode(),
    "qrels, a judgment twice": "".join(f"{q} 0 {d} {g}\n" for q, d, g in [*JUDGED, JUDGED[3]]).encode(),
    "beir": table("query-id corpus-id score", JUDGED, "\t"),
    "csv": table("query_id doc_id grade", JUDGED, ","),
    "csv, other names": table("qid document_id relevance", JUDGED, ","),
    "jsonl": json_lines([{"query_id": query, "relevant": docs} for query, docs in GRADES.items()]),
    "jsonl, objects": json_lines([{"query_id": query, "relevant": [{"doc_id": doc, "grade": float(grade)}
                                                              for doc, grade in docs.items()]}
                             for query, docs in GRADES.items()]),
    "jsonl, a row a line": json_lines([{"query_id": q, "doc_id": d, "grade": g} for q, d, g in JUDGED]),
    "json array": json.dumps([{"query_id": query, "relevant": docs} for query, docs in GRADES.items()],
                             indent=1).encode(),
    "json dictionary": json.dumps(GRADES).encode(),
}
COMPRESSED = {"plain": lambda data: data, "gzip": gzip.compress, "bzip2": bz2.compress,
              "zstd": lambda data: pa.compress(data, codec="zstd", asbytes=True),
              "gzip in two parts": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])}


def test_the_reference_keeps_every_id():
    run = read_run(("run.json", RUNS["json dictionary"]))
    assert run.query_ids.to_pylist() == list(RANKING)
    for query, docs in RANKING.items():
        ranking = run.ranking(query)
        assert ranking["doc_id"].to_pylist() == list(docs)
        assert ranking["score"].to_pylist() == list(docs.values())


@pytest.mark.parametrize("form", RUNS)
def test_runs_are_the_same(form):
    run, expected = read_run(("x", RUNS[form])), read_run(("run.json", RUNS["json dictionary"]))
    assert run.digest == expected.digest
    assert run.ranked_by == "score"
    for query in RANKING:
        assert run.ranking(query).equals(expected.ranking(query))
    assert detect(("x", RUNS[form])).role == "run"


@pytest.mark.parametrize("form", SCORES_IN_ORDER)
def test_a_row_for_each_query_is_the_same(form):
    run = read_run(("x", SCORES_IN_ORDER[form]))
    assert run.digest == read_run(("x", RUNS["jsonl"])).digest
    assert run.ranking("1e5")["score"].to_pylist() == list(RANKING["1e5"].values())
    assert detect(("x", SCORES_IN_ORDER[form])).role == "run"


@pytest.mark.parametrize("form", ORDERS)
def test_orders_are_the_same(form):
    run, expected = read_run(("x", ORDERS[form])), read_run(("x", ORDERS["json dictionary"]))
    assert run.digest == expected.digest
    assert run.ranked_by == "order"
    assert run.ranking("1e5")["doc_id"].to_pylist() == list(RANKING["1e5"])


@pytest.mark.parametrize("form", TRUTHS)
def test_truths_are_the_same(form):
    truth, expected = read_truth(("x", TRUTHS[form])), read_truth(("x", TRUTHS["qrels, blanks"]))
    assert truth.digest == expected.digest
    assert sorted(zip(truth.query_ids.take(truth.queries).to_pylist(), truth.docs.to_pylist(), truth.grades.tolist(),
                      strict=True)) == sorted(JUDGED)
    assert detect(("x", TRUTHS[form])).role == "truth"


@pytest.mark.parametrize("compression", COMPRESSED)
@pytest.mark.parametrize("form", ["trec, blanks", "jsonl", "json dictionary", "csv, scores"])
def test_compression_does_not_matter(form, compression, tmp_path):
    path = tmp_path / "bm25.trec.gz"
    path.write_bytes(COMPRESSED[compression](RUNS[form]))
    run = read_run(path)
    assert run.digest == read_run(("x", RUNS[form])).digest
    assert run.name == "bm25"
    assert detect(path).compression == (None if compression == "plain" else compression.split()[0])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
@pytest.mark.parametrize("form", ["trec", "jsonl", "csv"])
def test_encodings_do_not_matter(form, encoding):
    content = {"trec": "über Q0 é 1 0.5 t\n", "csv": "query_id,doc_id,score\nüber,é,0.5\n",
               "jsonl": '{"query_id": "über", "retrieved": [{"doc_id": "é", "score": 0.5}]}\n'}[form]
    run = read_run(("x", content.encode(encoding)), encoding=encoding)
    assert run.query_ids.to_pylist() == ["über"]
    assert run.digest == read_run(("x", content.encode())).digest
