"""Random runs and truths, written in every format and read back, give identical evaluations."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdash import evaluate
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io import read_corpus, read_run, read_truth, write_run, write_truth

IDS = st.one_of(st.sampled_from(["007", "2506.00500", "1e5", "NaN", "None", "null", "NA", "-0", "true", "[1]", "d|e",
                                 "a,b", 'q"', "'q'", "{x}", "文", "a b"]),
                st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp")), min_size=1,
                        max_size=8).filter(lambda text: text.strip() == text and not text.startswith("#")))
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(
    lambda text: text not in ("NaN", "nan", "None", "null"))
RUN_FORMATS = {"trec": "x.trec", "jsonl": "x.jsonl", "csv": "x.csv", "parquet": "x.parquet"}
TRUTH_FORMATS = {"trec": "x.qrels", "jsonl": "x.jsonl", "csv": "x.csv", "parquet": "x.parquet", "beir": "x"}


@st.composite
def runs(draw, scored: bool) -> Run:
    ranked = draw(st.dictionaries(IDS, st.lists(IDS, min_size=1, max_size=6, unique=True), min_size=1, max_size=5))
    pairs = [(query, doc) for query, docs in ranked.items() for doc in docs]
    scores = draw(st.lists(st.floats(-1e6, 1e6), min_size=len(pairs), max_size=len(pairs), unique=True))
    details = pa.table({"query_id": list(ranked),
                        "answer": pa.array([draw(st.none() | TEXTS) for _ in ranked], pa.string()),
                        "contexts": pa.array([draw(st.none() | st.lists(TEXTS, max_size=3)) for _ in ranked],
                                             pa.list_(pa.string()))})
    return Run.build("x", *zip(*pairs, strict=True), np.array(scores) if scored else None, details=details)


@st.composite
def truths(draw, ids=IDS) -> Truth:
    judged = draw(st.dictionaries(ids, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=6), min_size=1,
                                  max_size=5))
    rows = [(query, doc, grade) for query, docs in judged.items() for doc, grade in docs.items()]
    details = pa.table({"query_id": list(judged), "query": pa.array([draw(st.none() | TEXTS) for _ in judged],
                                                                    pa.string()),
                        "answers": pa.array([draw(st.none() | st.lists(TEXTS, max_size=2)) for _ in judged],
                                            pa.list_(pa.string()))})
    queries, docs, grades = zip(*rows, strict=True)
    return Truth.build("x", queries, docs, np.array(grades), details=details)


@st.composite
def corpora(draw) -> Corpus:
    ids = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    texts, titles = ([draw(st.none() | st.just("") | TEXTS) for _ in ids] for _ in range(2))
    return Corpus.build("x", ids, texts, titles)


def rankings(run: Run) -> dict:
    return {query: run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()}


@pytest.mark.parametrize("format", RUN_FORMATS)
@settings(max_examples=20, deadline=None)
@given(st.booleans().flatmap(runs))
def test_runs(format, run):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / RUN_FORMATS[format]
        write_run(run, path)
        back = read_run(path)
    assert rankings(back) == rankings(run)
    if format != "trec":
        assert back.digest == run.digest
    elif run.ranked_by == "score":
        assert back.digest == Run.build("x", run.query_ids.take(np.repeat(np.arange(len(run)), np.diff(run.starts))),
                                        run.docs.take(pa.array(run.rows(np.arange(len(run.docs))))),
                                        run.scores).digest


@pytest.mark.parametrize("format", TRUTH_FORMATS)
@settings(max_examples=20, deadline=None)
@given(truths())
def test_truths(format, truth):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TRUTH_FORMATS[format]
        lost = write_truth(truth, path)
        back = read_truth(path)
    bare = Truth.build("x", truth.query_ids.take(pa.array(truth.queries)), truth.docs, truth.grades)
    assert back.digest == (bare if format == "trec" else truth).digest
    assert bool(lost) == (format == "trec")


@settings(max_examples=40, deadline=None)
@given(truths(), corpora())
def test_documents_next_to_a_truth(truth, corpus):
    with tempfile.TemporaryDirectory() as folder:
        beside = truth.with_corpus(corpus)
        assert not write_truth(beside, Path(folder) / "x")
        back = read_truth(Path(folder) / "x")
        lost, = write_truth(beside, Path(folder) / "x.jsonl")
        bare = read_truth(Path(folder) / "x.jsonl")
        assert read_corpus(Path(folder) / "x" / "corpus.jsonl").digest == corpus.digest
    assert back.digest == beside.digest and back.corpus.digest == corpus.digest
    assert bare.digest == truth.digest and lost.facts["documents"] == len(corpus)


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_evaluations_are_the_same(data):
    run = data.draw(runs(True))
    truth = data.draw(truths(st.sampled_from(run.query_ids.to_pylist())))
    expected = None
    with tempfile.TemporaryDirectory() as folder:
        for form, place in TRUTH_FORMATS.items():  # once: a folder of BEIR must be new or empty
            write_truth(truth, Path(folder) / f"truth-{place}", form)
        for form, name in RUN_FORMATS.items():
            write_run(run, Path(folder) / name, form)
            for place in TRUTH_FORMATS.values():
                found = evaluate(read_run(Path(folder) / name), read_truth(Path(folder) / f"truth-{place}"))
                values = (found.query_ids.to_pylist(), found.values.tolist())
                expected = expected or values
                assert str(values) == str(expected)


def test_lost_content_is_reported(tmp_path):
    details = pa.table({"query_id": ["q"], "answer": ["NaN"]})
    run = Run.build("x", ["q", "q"], ["a", "b"], details=details, settings={"k": 1})
    found = [problem.actual for problem in write_run(run, tmp_path / "x.trec")]
    assert "answer, settings" in found[0] and "order" in found[1]
    assert "is read as missing" in write_run(run, tmp_path / "x.csv")[0].actual
    assert not write_run(run, tmp_path / "x.jsonl") and not write_run(run, tmp_path / "x.parquet")
    assert read_run(tmp_path / "x.parquet").digest == run.digest


@pytest.mark.parametrize("path, format, kind", [("x.doc", None, "unknown-format"), ("x", None, "unknown-format"),
                                                ("x.csv", "excel", "unknown-format"),
                                                ("x", "beir", "unwritable-format")])
def test_formats_that_cannot_hold_runs(path, format, kind, tmp_path):
    with pytest.raises(InputError) as caught:
        write_run(Run.build("x", ["q"], ["d"]), tmp_path / path, format)
    assert caught.value.problems[0].kind == kind


def test_ids_that_tables_would_change(tmp_path):
    with pytest.raises(InputError, match="Parquet"):
        write_run(Run.build("x", [" q"], ["d"]), tmp_path / "x.csv")
    assert read_run((lambda p: (write_run(Run.build("x", [" q"], ["d"]), p), p)[1])(tmp_path / "x.parquet"))
