"""One data set in every format that is read, through the command line: the JSON that comes out is the same."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json

import pandas as pd
import pyarrow as pa
import pytest
from helpers import frame_bytes, zip_of

from ragdash.cli.main import main

RANKINGS = {"1": {"007": 9.5, "2506.00500": 8.25, "1e5": 7.0}, "2e0": {"d 4": 3.5, "007": 2.25},
            "NA": {"ü": 1.5, "null": 1.25, "007": 1.0, "x": 0.5}}
GRADES = {"1": {"2506.00500": 2, "zz": 1}, "2e0": {"007": 1, "d 4": 0}, "NA": {"null": 1, "q": 0}}
ANSWERS = {query: f"the answer to {query}, with \"quotes\" | bars" for query in RANKINGS}
RIGHT = {query: [f"right {query}", "or so"] for query in RANKINGS}
LONG = [{"query_id": q, "doc_id": d, "score": s} for q, docs in RANKINGS.items() for d, s in docs.items()]
WIDE = [{"query_id": q, "retrieved": list(docs), "score": list(docs.values())} for q, docs in RANKINGS.items()]
OBJECTS = [{"query_id": q, "retrieved": [{"doc_id": d, "score": s} for d, s in docs.items()]}
           for q, docs in RANKINGS.items()]
JUDGED = [{"query_id": q, "doc_id": d, "grade": g} for q, docs in GRADES.items() for d, g in docs.items()]
METRICS = "nDCG@3 R@2 RR AP P@1"


def lines(values) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def table(rows, write=json.dumps, delimiter: str = ",", names: dict | None = None) -> bytes:
    out = io.StringIO()
    found = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    found.writerow([(names or {}).get(name, name) for name in rows[0]])
    found.writerows([value if isinstance(value, str) else write(value) for value in row.values()] for row in rows)
    return out.getvalue().encode()


def bars(value) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


TREC = "".join(f"{row['query_id']}\tQ0\t{row['doc_id']}\t1\t{row['score']}\tt\n" for row in LONG).encode()
QRELS = "".join(f"{row['query_id']}\t0\t{row['doc_id']}\t{row['grade']}\n" for row in JUDGED).encode()
BY_SCORE = {  # the scores order the documents
    "trec": TREC, "trec, CRLF": TREC.replace(b"\n", b"\r\n"), "trec, byte order mark": b"\xef\xbb\xbf" + TREC,
    "trec, gzip": gzip.compress(TREC), "trec, bzip2": bz2.compress(TREC),
    "trec, zstd": pa.compress(TREC, codec="zstd", asbytes=True), "trec, zip": zip_of({"run.trec": TREC}),
    "jsonl, dictionaries": lines({"query_id": q, "retrieved": docs} for q, docs in RANKINGS.items()),
    "jsonl, a row a document": lines(LONG), "json array of rows": json.dumps(LONG).encode(),
    "json dictionary": json.dumps(RANKINGS).encode(),
    "json dictionary, indented": json.dumps(RANKINGS, indent=2).encode(),
    "csv": table(LONG), "tsv": table(LONG, delimiter="\t"), "semicolons": table(LONG, delimiter=";"),
    "bars": table(LONG, delimiter="|"), "csv, zip": zip_of({"a/run.csv": table(LONG)}),
    "csv, gzip": gzip.compress(table(LONG)),
    "csv, other names": table(LONG, names={"query_id": "QID", "doc_id": "Passage-ID", "score": "similarity"}),
    "csv, latin-1": table(LONG).decode().encode("latin-1"),
    "parquet": frame_bytes(LONG, "to_parquet"), "xlsx": frame_bytes(LONG, "to_excel", index=False),
}
IN_ORDER = {  # as lists, whose order counts
    "jsonl": lines(OBJECTS), "json array": json.dumps(OBJECTS).encode(),
    "json, indented": json.dumps(OBJECTS, indent=1).encode(), "jsonl, gzip": gzip.compress(lines(OBJECTS)),
    "json under results": json.dumps({"results": OBJECTS}).encode(),
    "json columns": json.dumps({name: [row[name] for row in WIDE] for name in WIDE[0]}).encode(),
    "json columns, pandas": pd.DataFrame(WIDE).to_json().encode(),
    "jsonl, zip": zip_of({"run.jsonl": lines(OBJECTS)}),
    "csv, json": table(WIDE), "csv, python": table(WIDE, repr), "csv, bars": table(WIDE, bars),
    "tsv, json": table(WIDE, delimiter="\t"), "csv, pandas": frame_bytes(WIDE, "to_csv", index=False),
    "xlsx, a row a query": frame_bytes(WIDE, "to_excel", index=False),
    "parquet, a row a query": frame_bytes(WIDE, "to_parquet"),
    "csv, a dictionary": table([{"query_id": q, "retrieved": docs} for q, docs in RANKINGS.items()]),
    "csv, objects": table(OBJECTS), "parquet, objects": frame_bytes(OBJECTS, "to_parquet"),
    "csv, zstd": pa.compress(table(WIDE), codec="zstd", asbytes=True),
    "rows with ranks": table([{**row, "rank": list(RANKINGS[row["query_id"]]).index(row["doc_id"]) + 1}
                              for row in LONG]),
}
BEIR = {"qrels/test.tsv": table(JUDGED, delimiter="\t", names={"query_id": "query-id", "doc_id": "corpus-id",
                                                               "grade": "score"})}
TRUTHS = {
    "qrels": QRELS, "qrels, bzip2": bz2.compress(QRELS), "beir": BEIR["qrels/test.tsv"], "beir, zip": zip_of(BEIR),
    "csv": table(JUDGED), "xlsx": frame_bytes(JUDGED, "to_excel", index=False),
    "parquet": frame_bytes(JUDGED, "to_parquet"),
    "jsonl": lines({"query_id": q, "relevant": docs} for q, docs in GRADES.items()), "rows": lines(JUDGED),
    "json array": json.dumps([{"query_id": q, "relevant": docs} for q, docs in GRADES.items()], indent=1).encode(),
    "json dictionary": json.dumps(GRADES).encode(),
    "csv, a row a query": table([{"query_id": q, "relevant": docs} for q, docs in GRADES.items()]),
    "parquet, a row a query": frame_bytes([{"query_id": q, "relevant": json.dumps(docs)} for q, docs in GRADES.items()],
                                    "to_parquet"),
}
BOTH = [{"query_id": q, "retrieved": list(docs), "score": list(docs.values()), "answer": ANSWERS[q],
         "answers": RIGHT[q], "relevant": GRADES[q], "topic": f"t{q}"} for q, docs in RANKINGS.items()]
OTHERS = {"query_id": "qid", "retrieved": "retrieved_ids", "score": "retrieved_scores", "answer": "response",
          "answers": "ground_truths", "relevant": "gold_ids"}
TOGETHER = {
    "jsonl": lines(BOTH), "json": json.dumps(BOTH).encode(), "results": json.dumps({"results": BOTH}).encode(),
    "csv, json": table(BOTH), "csv, python": table(BOTH, repr), "tsv": table(BOTH, delimiter="\t"),
    "csv, other names": table(BOTH, names=OTHERS), "xlsx": frame_bytes(
        [{name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()} for row in BOTH],
        "to_excel", index=False),
    "parquet": frame_bytes([{**row, "relevant": json.dumps(row["relevant"])} for row in BOTH], "to_parquet"),
    "jsonl, gzip": gzip.compress(lines(BOTH)),
}


@pytest.fixture
def evaluated(tmp_path, capsys):
    """The JSON that `ragdash evaluate` puts out, for files of these contents, which all have the same name."""
    def evaluate(run: bytes, truth: bytes | None = None, *options: str) -> str:
        (tmp_path / "run").write_bytes(run)
        given = []
        if truth is not None:
            (tmp_path / "truth").write_bytes(truth)
            given = ["--truth", str(tmp_path / "truth")]
        done = main(["evaluate", str(tmp_path / "run"), *given, "-m", METRICS, "--per-query", "--format", "json",
                     "--resamples", "200", *options])
        put = capsys.readouterr()
        assert done in (0, None), put.err
        return put.out

    return evaluate


@pytest.mark.parametrize("form", BY_SCORE)
def test_runs_by_score(form, evaluated):
    options = ("--encoding", "latin-1") if form == "csv, latin-1" else ()
    truth = QRELS.decode().encode("latin-1") if options else QRELS
    assert evaluated(BY_SCORE[form], truth, *options) == evaluated(TREC, QRELS)


@pytest.mark.parametrize("form", IN_ORDER)
def test_runs_in_order(form, evaluated):
    found, expected = (json.loads(evaluated(content, QRELS)) for content in (IN_ORDER[form], lines(OBJECTS)))
    assert found == expected
    by_score = json.loads(evaluated(TREC, QRELS))
    for name in ("metrics", "per_query"):
        assert found["runs"][0][name] == by_score["runs"][0][name]


@pytest.mark.parametrize("form", TRUTHS)
def test_truths(form, evaluated):
    assert evaluated(TREC, TRUTHS[form]) == evaluated(TREC, QRELS)


def test_a_beir_folder(evaluated, tmp_path):
    folder = tmp_path / "truth"
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_bytes(BEIR["qrels/test.tsv"])
    found = evaluated(TREC, None, "--truth", str(folder))
    folder.rename(tmp_path / "folder")
    assert found == evaluated(TREC, QRELS)


@pytest.mark.parametrize("form", TOGETHER)
def test_runs_with_their_truth(form, evaluated):
    found, expected = (json.loads(evaluated(content)) for content in (TOGETHER[form], TOGETHER["jsonl"]))
    for outcome in (found, expected):
        kinds = [problem["kind"] for problem in outcome["problems"]]
        outcome["problems"] = [kind for kind in kinds if kind != "unknown-columns"]
    assert found == expected
    assert found["runs"][0]["metrics"]["nDCG@3"] == json.loads(evaluated(TREC, QRELS))["runs"][0]["metrics"]["nDCG@3"]
