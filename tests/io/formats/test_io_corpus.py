"""Documents with their texts: BEIR's corpus.jsonl and its like, beside a truth; used where a run has no texts."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ragdash import evaluate
from ragdash.cli.main import main
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io import detect, read_corpus, read_runs, read_truth
from ragdash.matching.match import Match, Matching

DOCS = [("d1", "One", "The river Rhine flows north through Basel and Cologne."), ("007", "Seven", "x" * 300),
        ("2506.00500", None, "é \u2028 \U0001f600 text")]
EXPECTED = Corpus.build("x", *([doc[i] for doc in DOCS] for i in (0, 2, 1)))


def lines(names=("_id", "title", "text"), **more) -> bytes:
    return "".join(json.dumps({name: value for name, value in zip(names, doc, strict=True) if value is not None} | more)
                   + "\n" for doc in DOCS).encode()


def frame(method: str, **options) -> bytes:
    out = io.BytesIO()
    getattr(pd.DataFrame(DOCS, columns=["_id", "title", "text"]), method)(out, **options)
    return out.getvalue()


FORMS = {
    "beir": lines(metadata={}), "ours": lines(("doc_id", "title", "text")), "other names": lines(("docid", "title",
                                                                                                 "contents")),
    "bare NaN beside": lines(score_of_nothing=float("nan")), "gzip": gzip.compress(lines()),
    "array": json.dumps([dict(zip(("_id", "title", "text"), doc, strict=True)) for doc in DOCS], indent=1).encode(),
    "CRLF and a mark": b"\xef\xbb\xbf" + lines().replace(b"\n", b"\r\n"), "empty lines": b"\n" + lines() + b"\n\n",
    "parquet": frame("to_parquet", index=False), "excel": frame("to_excel", index=False),
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("form", FORMS)
def test_the_same_documents_in_every_form(form):
    found = read_corpus(("corpus.x", FORMS[form]))
    assert found.digest == EXPECTED.digest and not found.problems
    assert detect(("corpus.x", FORMS[form])).role == "corpus"
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as caught:
            read(("corpus.x", FORMS[form]))
        problem, = caught.value.problems
        assert problem.kind == "corpus-alone" and "--corpus" in problem.fix


def test_fields_that_come_late_are_read():
    content = b'{"_id": "a"}\n' * 1 + b'{"_id": "b", "text": "later"}\n{"_id": "c", "title": "T"}\n'
    assert read_corpus(("x", content)).documents(["a", "b", "c"]).to_pylist() == [
        {"doc_id": "a", "title": None, "text": None}, {"doc_id": "b", "title": None, "text": "later"},
        {"doc_id": "c", "title": "T", "text": None}]


def test_numbers_and_lists_of_sentences():
    found = read_corpus(("x", b'{"doc_id": 12, "title": "T", "abstract": ["One.", "Two."]}\n'))
    assert found.documents(["12"]).to_pylist() == [{"doc_id": "12", "title": "T", "text": "One. Two."}]
    assert [problem.kind for problem in found.problems] == ["number-as-text"]


BAD = {  # content, kind, line
    "no id": (b'{"_id": "a", "text": "x"}\n{"text": "y"}\n', "missing-id", 2),
    "an empty id": (b'{"_id": "a", "text": "x"}\n{"_id": "", "text": "y"}\n', "missing-id", 2),
    "twice": (b'{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n', "duplicate-document", 2),
    "twice in an array": (b'[{"_id": "a", "text": "x"},\n{"_id": "a", "text": "y"}]', "duplicate-document", 2),
    "cut": (b'{"_id": "a", "text": "x"}\n{"_id": "b", "te', "invalid-json", 2),
    "not UTF-8": (b'{"_id": "a", "text": "x"}\n{"_id": "b", "text": "\xff"}\n', "wrong-encoding", 2),
    "half a pair": (b'{"_id": "a", "text": "\\ud800"}\n', "invalid-json", 1),
    "a key twice": (b'{"_id": "a", "_id": "b", "text": "x"}\n', "duplicate-key", 1),
    "no object": (b'{"_id": "a", "text": "x"}\n7\n', "wrong-type", 2),
    "an object as text": (b'{"_id": "a", "text": {"x": 1}}\n', "wrong-type", 1),
    "a table": (b"a,b\n1,2\n", "unknown-format", 1),
    "a dictionary": (b'{"d1": "text"}', "unknown-format", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_what_is_wrong(name):
    content, kind, line = BAD[name]
    with pytest.raises(InputError) as caught:
        read_corpus(("x", content))
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [(kind, line)]


def test_questions_are_not_documents():
    for content in (b'{"_id": "q1", "text": "who?", "metadata": {}}\n', b'{"doc_id": "d", "text": "t", "score": 1}\n',
                    b'{"doc_id": "d", "text": "t", "grade": 1}\n', b'{"id": "q", "title": "t", "question": "w"}\n',
                    b'{"query_id": "q", "doc_id": "d", "text": "t"}\n'):
        assert detect(("x", content)).role != "corpus"


def folder(tmp_path, **files):
    content = {"qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
               "queries.jsonl": json.dumps({"_id": "q1", "text": "where?", "metadata": {
                   "evidence": ["flows north through Basel"]}}).encode(),
               "corpus.jsonl": lines()} | files
    for path, text in content.items():
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_bytes(text)
    return content


def test_a_beir_folder_and_its_archive(tmp_path):
    content = folder(tmp_path / "nq")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in content.items():
            archive.writestr(f"nq/{path}", text)
    truth, unpacked = read_truth(tmp_path / "nq"), read_truth(("nq.zip", out.getvalue()))
    assert truth.corpus.digest == EXPECTED.digest and not truth.problems
    assert unpacked.digest == truth.digest != truth.judged_digest


def test_an_archive_of_a_truth_and_documents():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("truth.jsonl", '{"query_id": "q1", "relevant": ["d1"]}\n')
        archive.writestr("corpus.jsonl", lines())
        archive.writestr("run.trec", "q1 Q0 d1 1 0.5 t\n")
    assert read_truth(("x.zip", out.getvalue())).corpus.digest == EXPECTED.digest
    run, = read_runs(("x.zip", out.getvalue()))
    assert [problem.fix for problem in run.problems] == [f"Pass it with --{role} in a separate file."
                                                         for role in ("corpus", "truth")]


def beside(texts, answers=False) -> tuple[Run, Truth]:
    gold = pa.array([[{"text": "flows north through Basel and Cologne", "source": None}]])
    truth = Truth.build("t", ["q1"], ["d1"], np.array([1]), details=pa.table({"query_id": ["q1"], "evidence": gold}))
    details = pa.table({"query_id": ["q1"], "answer": ["The Rhine"]}) if answers else None
    return Run.build("r", ["q1", "q1"], ["007", "d1"], texts=texts, details=details), truth


def test_evidence_is_found_in_the_texts_of_the_corpus():
    run, truth = beside(None)
    match = Match(run, truth.with_corpus(EXPECTED), matching=Matching("evidence"))
    assert match.evidence.table()["doc_id"].to_pylist() == ["d1"]
    note, = match.evidence.problems
    assert note.severity == "note" and note.kind == "texts-from-corpus" and "2 documents" in note.actual
    found = evaluate(run, truth.with_corpus(EXPECTED), "EvidenceRecall@2 EvidenceRecall@1")
    assert found.values.tolist() == [[1.0, 0.0]] and note in found.problems
    assert np.isnan(evaluate(run, truth, "EvidenceRecall@2").values).all()


def test_texts_of_the_run_take_precedence():
    run, truth = beside(["y" * 300, "another text about nothing at all, of some length"])
    match = Match(run, truth.with_corpus(EXPECTED), matching=Matching("evidence"))
    assert not len(match.evidence.table()) and not match.evidence.problems
    run, truth = beside(["y" * 300, None])
    match = Match(run, truth.with_corpus(EXPECTED), matching=Matching("evidence"))
    assert match.evidence.table()["rank"].to_pylist() == [2] and "1 document of" in match.evidence.problems[0].actual


def test_a_corpus_without_the_documents_adds_nothing():
    run, truth = beside(None)
    found = evaluate(run, truth.with_corpus(Corpus.build("c", ["z"], ["text"])), "EvidenceRecall@2")
    assert np.isnan(found.values).all() and any("--corpus" in problem.fix for problem in found.problems)


def test_grounding_in_the_texts_of_the_corpus():
    run, truth = beside(None, answers=True)
    found = evaluate(run, truth.with_corpus(EXPECTED), "HallucinationRate")
    assert found.values.tolist() == [[0.0]]
    assert [problem.kind for problem in found.problems if problem.severity == "note"] == ["texts-from-corpus"]
    assert np.isnan(evaluate(run, truth, "HallucinationRate").values).all()


def test_the_command_line(tmp_path, capsys):
    folder(tmp_path / "nq")
    (tmp_path / "run.jsonl").write_text('{"query_id": "q1", "retrieved": ["007", "d1"]}\n')
    run, truth, corpus = (str(tmp_path / name) for name in ("run.jsonl", "truth.jsonl", "nq/corpus.jsonl"))
    assert main(["convert", "--truth", str(tmp_path / "nq"), "-o", truth]) == 0
    assert "3 documents of the corpus" in capsys.readouterr().err
    outputs = []
    for given in (["--truth", truth, "--corpus", corpus], ["--truth", str(tmp_path / "nq")]):
        assert main(["evaluate", run, *given, "-m", "EvidenceRecall@2", "--format", "json"]) == 0
        said = json.loads(capsys.readouterr().out)
        outputs.append((said["runs"], said["settings"]["truth"]["digest"]))
    assert outputs[0] == outputs[1] and outputs[0][0][0]["metrics"]["EvidenceRecall@2"]["mean"] == 1
    assert main(["check", corpus]) == 0
    assert "corpus (jsonl), 3 documents" in capsys.readouterr().out
    assert main(["convert", "--truth", truth, "--corpus", corpus, "-o", str(tmp_path / "again")]) == 0
    assert read_truth(tmp_path / "again").digest == read_truth(tmp_path / "nq").digest
