"""Archives, BEIR folders and Zstandard; and what is refused before it takes all memory."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from helpers import problems_of, zip_of
from pyarrow import parquet

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_runs, read_truth
from ragdash.io.source import limits
from ragdash.io.source.source import Source

TREC = b"q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8 t\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\n"
BEIR = {"qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td9\t2\n",
        "qrels/train.tsv": b"query-id\tcorpus-id\tscore\nq3\td1\t1\n",
        "queries.jsonl": b'{"_id": "q1", "text": "who?", "metadata": {"answer": ["me"]}}\n'
                         b'{"_id": "q2", "text": "when?"}\n{"_id": "q3", "text": "of another split"}\n',
        "corpus.jsonl": b'{"_id": "d1", "title": "T", "text": "x"}\n'}


def kinds(read, content: bytes) -> list[str]:
    return [problem.kind for problem in problems_of(read, ("x.zip", content))]


def test_zstandard(tmp_path):
    path = tmp_path / "bm25.trec.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        out.write(TREC)
    assert read_run(path).digest == read_run(("x", TREC)).digest
    assert read_run(path).name == "bm25"
    assert detect(path).compression == "zstd"
    cut = path.read_bytes()[:-6]
    assert kinds(read_runs, cut)[0] in ("truncated-file", "corrupt-file")


def test_several_runs_in_an_archive():
    content = zip_of({"runs/dense.trec": TREC, "runs/sparse.jsonl": b'{"query_id": "q1", "retrieved": ["d2"]}\n',
                      "LICENSE": b"Free for all.\n", "__MACOSX/._x": b"\0\1", "qrels.txt": QRELS})
    runs = read_runs(("both.zip", content))
    assert [run.name for run in runs] == ["dense", "sparse"]
    assert [(p.kind, p.file) for p in runs[0].problems] == [("unread-file", "both.zip/LICENSE"),
                                                            ("unread-file", "both.zip/qrels.txt")]
    assert [run.name for run in read_runs(("x", content), name="mine")] == ["mine/dense", "mine/sparse"]
    assert read_truth(("x", content)).judgments == 2
    assert read_run(("x", zip_of({"a.trec": TREC})), name="mine").name == "mine"
    assert detect(("x", content)).format == "zip"


def test_problems_name_the_file_in_the_archive():
    content = zip_of({"a/good.trec": TREC, "a/bad.trec": TREC + b"q1 Q0 d3 3 nan t\n"})
    with pytest.raises(InputError) as caught:
        read_runs(("x.zip", content))
    assert [(p.kind, p.file, p.line) for p in caught.value.problems] == [("nan-score", "x.zip/a/bad.trec", 3)]


def test_beir(tmp_path):
    for path, content in BEIR.items():
        (tmp_path / "nq" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "nq" / path).write_bytes(content)
    truth, unpacked = read_truth(tmp_path / "nq"), read_truth(("nq.zip", zip_of(BEIR)))
    assert truth.digest == unpacked.digest
    assert (truth.name, len(truth), truth.judgments) == ("nq", 2, 2)
    assert truth.details["query"].to_pylist() == ["who?", "when?"]
    assert sorted(problem.kind for problem in truth.problems) == ["unjudged-queries", "unread-field", "unread-file"]
    assert [problem.message for problem in truth.problems if problem.kind == "unread-field"] == [
        "unread-field/beir-queries"]  # a folder takes no mapping
    assert detect(tmp_path / "nq").format == "beir"
    assert read_truth(("x", zip_of({"qrels/test.tsv": BEIR["qrels/test.tsv"]}))).judgments == 2


def packed_on(system: int, paths: list[str]) -> bytes:
    """An archive as a system writes it: 0 is Windows, 3 is Unix."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in paths:
            info = zipfile.ZipInfo(path)
            info.create_system = system
            archive.writestr(info, TREC)
    return out.getvalue()


def test_backslashes_are_between_folders_in_archives_of_windows_alone():
    assert [run.name for run in read_runs(("x", packed_on(0, ["runs\\a.trec", "runs\\b.trec"])))] == ["a", "b"]
    assert [run.name for run in read_runs(("x", packed_on(3, ["a\\x.trec", "b\\x.trec"])))] == ["a\\x", "b\\x"]
    assert kinds(read_runs, packed_on(0, ["a\\x.trec", "a/x.trec"])) == ["repeated-member"]




REFUSED = {
    "a path above": (lambda: zip_of({"../../x.trec": TREC}), "unsafe-path"),
    "a path from the root": (lambda: zip_of({"/etc/x.trec": TREC}), "unsafe-path"),
    "a path of Windows": (lambda: zip_of({"C:\\x.trec": TREC}), "unsafe-path"),
    "an archive in an archive": (lambda: zip_of({"x.zip": zip_of({"x.trec": TREC})}), "nested-archive"),
    "a bomb": (lambda: zip_of({"x.trec": b"q1 Q0 d1 1 0.5 t\n" * (5 << 20)}), "zip-bomb"),
    "a gzip bomb": (lambda: gzip.compress(b"q1 Q0 d1 1 0.5 t\n" * (5 << 20), 9), "zip-bomb"),
    "cut": (lambda: zip_of({"x.trec": TREC})[:-10], "corrupt-file"),
    "empty": (lambda: zip_of({}), "empty-file"),
    "nothing known": (lambda: zip_of({"README": b"Hello.\n"}), "unread-file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_archives(name):
    make, kind = REFUSED[name]
    assert kinds(read_runs, make()) == [kind]


def test_archives_with_several_truths():
    assert kinds(read_truth, zip_of({"a.qrels": QRELS, "b.qrels": QRELS})) == ["several-truths"]
    assert kinds(read_truth, zip_of({"a.trec": TREC})) == ["run-as-truth"]


def many_columns(header: str) -> bytes:
    return (header + "".join(f",c{i}" for i in range(1_000_000)) + "\nq,d,0.5" + ",1" * 1_000_000 + "\n").encode()


def columns_of_parquet(count: int) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table({f"c{i}": pa.array([1]) for i in range(count)}), out)
    return out.getvalue()


LARGE = {
    "a million columns": (lambda: many_columns("query_id,doc_id,score"), "too-many-columns"),
    "a million columns, wide": (lambda: many_columns("question,answer,contexts"), "too-many-columns"),
    "many columns of Parquet": (lambda: columns_of_parquet(20_001), "too-many-columns"),
    "a long line": (lambda: b"x" * (100 << 20), "unknown-format"),
    "a long line of a run": (lambda: TREC + b"q1 Q0 " + b"x" * (20 << 20) + b"\n", "column-count"),
    "a million fields": (lambda: json.dumps({"query_id": "q", "answer": "a", **{f"c{i}": 1 for i in range(30_000)}})
                         .encode(), "too-many-columns"),
    "a million columns of TREC": (lambda: TREC[:17] + b"q1 Q0 d1 1 0.5 t " + b"x " * 1_000_000 + b"\n",
                                  "too-many-columns"),
    "an id of a line": (lambda: TREC + b"q1 Q0 " + b"x" * (2 << 20) + b" 1 0.5 t\n", "long-id"),
    "deep": (lambda: b'{"query_id": "q", "retrieved": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", "invalid-json"),
    "deep settings": (lambda: b'{"query_id": "q", "answer": "", "cost_usd": NaN, "settings": ' + b'{"a":' * 900 + b"1"
                      + b"}" * 901, "wrong-type"),
    "deep lists only": (lambda: b"[" * 5_000_000, "invalid-json"),
    "a deep cell": (lambda: b'question,retrieved\nq,"' + b"[" * 100_000 + b"]" * 100_000 + b'"\n', "bad-list"),
    "deep results": (lambda: b'{"results": [{"query": "q", "response": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]}",
                     "invalid-json"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_too_large_or_too_deep_files_are_refused(name):
    make, kind = LARGE[name]
    assert kind in kinds(read_runs, make())


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lambda data: pa.compress(data, "zstd", asbytes=True)])
def test_a_file_that_grows_little_but_too_far(pack, monkeypatch, tmp_path):
    """A bomb of a low ratio ends when the limit is reached, and before that when its size can be told."""
    noise = random.Random(1).randbytes(1 << 20).hex().encode()
    (tmp_path / "x").write_bytes(pack(noise * 8))
    monkeypatch.setattr("ragdash.io.source.source.MAX_BYTES", 4 << 20)
    monkeypatch.setattr("ragdash.io.source.source.CHUNK_BYTES", 1 << 20)
    with pytest.raises(InputError) as caught:
        Source(tmp_path / "x").text.strip()
    assert caught.value.problems[0].kind == "zip-bomb"
    assert len(Source(("x", pack(noise))).data) == len(noise)


def test_the_size_is_estimated_from_the_growth():
    assert limits.will_exceed_limit(64 << 20, 20 << 20, 1 << 30)
    assert not limits.will_exceed_limit(64 << 20, 20 << 20, 300 << 20)
    assert not limits.will_exceed_limit(63 << 20, 1, 1 << 30)


def test_texts_that_many_cells_share():
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    strings = "".join(f"<si><t>{text}</t></si>" for text in ("question", "answer", "x" * 30_000))
    rows = "".join(f'<row r="{r}"><c r="A{r}"><v>{r}</v></c><c r="B{r}" t="s"><v>2</v></c></row>'
                   for r in range(2, 20_000))
    content = zip_of({"xl/workbook.xml": f"<workbook {space}/>".encode(),
                      "xl/sharedStrings.xml": f"<sst {space}>{strings}</sst>".encode(),
                      "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>"
                      .encode()})
    assert kinds(read_runs, content) == ["zip-bomb"]


@pytest.mark.slow
def test_texts_and_lists_that_many_rows_share():
    out = io.BytesIO()
    rows = {"question": [f"q{i}" for i in range(20_000)],
            "answer": pa.DictionaryArray.from_arrays(np.zeros(20_000, np.int32), ["x" * 50_000])}
    parquet.write_table(pa.table(rows), out, store_schema=False)  # the file of the same column of texts
    assert kinds(read_runs, out.getvalue()) == ["zip-bomb"]
    out = io.BytesIO()
    parquet.write_table(pa.table({"question": ["q"], "contexts": pa.array([["x"] * 2_000_000])}), out)
    assert kinds(read_runs, out.getvalue()) == ["zip-bomb"]


def test_the_rows_of_a_sheet_have_their_numbers():
    import pandas as pd
    out = io.BytesIO()
    pd.DataFrame({"question": ["q", None], "answer": ["a", "b"]}).to_excel(out, index=False, startrow=3, startcol=1)
    with pytest.raises(InputError) as caught:
        read_runs(("x.xlsx", out.getvalue()))
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [("missing-id", 6)]


@pytest.mark.parametrize("cells", [
    '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
    '<row r="1">' + "<c><v>1</v></c>" * 100 + '</row><row r="1048576"><c><v>1</v></c></row>'])
def test_two_cells_in_opposite_corners(cells):
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = f"<worksheet {space}><sheetData>{cells}</sheetData></worksheet>"
    content = zip_of({"xl/workbook.xml": f"<workbook {space}/>".encode(), "xl/worksheets/sheet1.xml": sheet.encode()})
    assert kinds(read_runs, content) == ["too-large-table"]


def test_empty_rows():
    out = io.BytesIO()
    parquet.write_table(pa.table({"question": pa.repeat("q", 5_000_000), "answer": pa.nulls(5_000_000, pa.string())}),
                        out)
    assert kinds(read_runs, out.getvalue()) == ["zip-bomb"]


def test_a_workbook_with_several_sheets():
    import pandas as pd
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        pd.DataFrame({"notes": ["nothing"]}).to_excel(writer, sheet_name="cover", index=False)
        pd.DataFrame({"query_id": ["1"], "query": ["q"], "answer": ["a"]}).to_excel(
            writer, sheet_name="data", index=False, startrow=2)
    run = read_run(("x.xlsx", out.getvalue()))
    assert run.details["answer"].to_pylist() == ["a"]
    assert [(problem.kind, problem.field) for problem in run.problems] == [
        ("unread-sheet", "cover"), ("answers-of-system", "answer")]
    assert json.loads(json.dumps([problem.as_dict() for problem in run.problems]))


def test_a_file_without_bytes_in_an_archive_is_named():
    files = {"a.jsonl": b'{"query_id": "q1", "retrieved": ["d1"]}\n', "b.jsonl": b"", "_SUCCESS": b"", ".keep": b""}
    [run] = read_runs(("x.zip", zip_of(files)))
    assert [(p.kind, p.file, p.severity) for p in run.problems] == [("unread-file", "x.zip/b.jsonl", "warning")]
    assert run.problems[0].actual == "an empty file"
