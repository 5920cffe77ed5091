"""A run that is evaluated piece by piece has the values, counts, warnings and digest of the loaded run."""

from __future__ import annotations

import gzip
import io
import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragdash import METRICS, InputError, evaluate, evaluate_stream, read_run
from ragdash.cli.main import main
from ragdash.core.errors import Problem, Unavailable
from ragdash.evaluation import stream
from ragdash.evaluation.compute import compute_specs
from ragdash.io.assemble import run_pieces

SPECS = " ".join(name + "@10" * (metric.cutoff == "required" or name == "AQWV") for name, metric in METRICS.items()
                 if metric.view == "Ranked" and metric.aggregate != "corpus")
SPECS += " P(average='micro')@5 R(average='micro')@5"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Pieces of a few queries."""
    monkeypatch.setattr(run_pieces, "PIECE_BYTES", 3000)
    monkeypatch.setattr(run_pieces, "PIECE_ROWS", 150)


@pytest.fixture(scope="module")
def judgments():
    rng = np.random.default_rng(7)
    return {f"q{i}": {f"d{d}": int(rng.integers(0, 4)) for d in rng.integers(0, 60, 8)} for i in range(120)}


def rows(ties: bool = True, repeats: bool = True, queries: int = 110) -> list[tuple[str, str, int, float]]:
    """Rankings with ties, repeated documents, two queries without judgments; ten judged queries are missing."""
    rng = np.random.default_rng(11)
    result = []
    for query in [*(f"q{i}" for i in range(queries)), "unknown 1", "unknown 2"]:
        depth = int(rng.integers(1, 50))
        docs = rng.integers(0, 60, depth) if repeats else rng.permutation(60)[:depth]
        scores = np.sort(rng.normal(size=depth))[::-1]
        for rank, (doc, score) in enumerate(zip(docs, np.round(scores, 1) if ties else scores, strict=True), 1):
            result.append((query, f"d{doc}", rank, float(score)))
    return result


def trec(table) -> bytes:
    return "".join(f"{q}\tQ0\t{d}\t{rank}\t{score!r}\ttag\n" for q, d, rank, score in table).encode()


def parquet(table, *names, **more) -> bytes:
    columns = dict(zip(("query_id", "doc_id", "rank", "score"), zip(*table, strict=True), strict=True))
    stream = io.BytesIO()
    pq.write_table(pa.table({name: columns[name] for name in names} | more), stream, row_group_size=333)
    return stream.getvalue()


def assert_same(file, judgments, metrics=SPECS, **conventions):
    whole = evaluate(read_run(file), judgments, metrics, **conventions)
    streamed = evaluate_stream(file, judgments, metrics, **conventions)
    assert np.array_equal(whole.values, streamed.values, equal_nan=True)
    assert (streamed.digest, streamed.name, streamed.settings, streamed.counts) == (
        whole.digest, whole.name, whole.settings, whole.counts)
    assert sorted(map(str, streamed.problems)) == sorted(map(str, whole.problems))
    assert repr(streamed.summary(resamples=200)) == repr(whole.summary(resamples=200))
    return streamed


@pytest.mark.parametrize("conventions", [{}, {"ties": "file"}, {"ties": "trec_eval"}, {"missing": "skip"},
                                         {"unanswerable": "zero"}], ids=str)
def test_a_trec_run_in_pieces_has_the_values_of_the_whole_for_every_metric(judgments, conventions):
    data = trec(rows())
    assert len(list(run_pieces.run_pieces(("bm25.trec", data)))) > 5, "several pieces"
    evaluation = assert_same(("bm25.trec", data), judgments, **conventions)
    assert evaluation.counts == {"queries": 120, "missing": 10, "unanswerable": evaluation.counts["unanswerable"],
                                 "extra": 2}
    assert_same(("bm25.trec", data), judgments, "AQWV(form='material',corpus_size=5000)", **conventions)
    assert_same(("bm25.trec.gz", gzip.compress(data)), judgments, "nDCG@10", **conventions)


@pytest.mark.parametrize("names", [("score",), ("rank",), ("rank", "score")], ids=" and ".join)
@pytest.mark.parametrize("ties", ["docid", "trec_eval"])
def test_a_parquet_run_in_pieces_has_the_values_of_the_whole(judgments, names, ties):
    assert_same(("dense.parquet", parquet(rows(), "query_id", "doc_id", *names)), judgments, ties=ties)
    assert_same(("dense.parquet", parquet(rows(ties=False), "query_id", "doc_id", *names)), judgments, ties=ties)


def test_scores_that_rank_only_some_pieces_rank_none(judgments):
    table = rows(ties=False)
    table[0:2] = [("q0", "d2", 1, 5.0), ("q0", "d9", 2, 5.0)]  # a tie in the first piece alone: its ranks decide
    near = 1.0 + 2.0 ** -30  # equal to 1 in 32 bits
    table += [("q119", "d1", 1, near), ("q119", "d5", 2, 1.0)]
    for ties in ("docid", "trec_eval"):
        assert_same(("dense.parquet", parquet(table, "query_id", "doc_id", "rank", "score")), judgments, ties=ties)


def test_a_metric_that_one_piece_cannot_give_is_undefined_for_all(judgments, monkeypatch):
    calls = []

    def compute(match, specs):
        calls.append(match)
        values, corpus, unavailable = compute_specs(match, specs)
        if len(calls) == 2:
            unavailable[specs[1]] = Unavailable("by-evidence", {"metric": "RR"}).problem
        return values, corpus, unavailable

    monkeypatch.setattr(stream, "compute_specs", compute)
    evaluation = evaluate_stream(("bm25.trec", trec(rows())), judgments, "nDCG@10 RR")
    assert len(calls) > 5 and np.isnan(evaluation.column("RR")).all()
    assert not np.isnan(evaluation.column("nDCG@10")).all()
    assert "unavailable/by-evidence" in {problem.message for problem in evaluation.problems}


def test_no_query_in_common_and_no_document_in_common(judgments):
    for function in (evaluate_stream, lambda file, truth, metrics: evaluate(read_run(file), truth, metrics)):
        with pytest.raises(InputError) as caught:
            function(("run.trec", trec([("x", "d1", 1, 2.0)])), judgments, "RR")
        assert [problem.kind for problem in caught.value.problems] == ["no-common-query"]
    strangers = assert_same(("run.trec", trec([("q1", "other", 1, 2.0), ("q2", "doc", 1, 1.0)])), judgments, "RR")
    assert "no-common-document" in {problem.kind for problem in strangers.problems}


def problems_of(file, judgments, metrics="RR") -> list[Problem]:
    with pytest.raises(InputError) as caught:
        evaluate_stream(file, judgments, metrics)
    return list(caught.value.problems)


def test_rows_of_a_query_in_several_places_are_refused(judgments):
    for again in ("q50", "unknown 1"):
        data = trec([(again, "d1", 1, 2.0), ("q119", "d1", 1, 2.0), *rows()[50:]])
        problem, = problems_of(("run.trec", data), judgments)
        assert problem.message == "not-streamed/query" and problem.facts == {"count": 1, "example": again}


def test_errors_of_all_pieces_are_told_at_once_with_the_lines_of_the_file(judgments):
    lines = trec(rows()).splitlines(keepends=True)
    lines[3] = lines[3].replace(b"\tQ0\t", b"\t", 1)
    lines[-2] = b"q9x\tQ0\td1\t1\tno number\ttag\n"
    problems = problems_of(("run.trec", b"".join(lines)), judgments)
    assert [(problem.kind, problem.line) for problem in problems] == [
        ("column-count", 4), ("bad-score", len(lines) - 1)]


def test_files_that_cannot_be_read_in_pieces_say_what_can(judgments):
    wide = "{}\n".format(json.dumps({"query_id": "q1", "doc_ids": ["d1"]})).encode()
    assert problems_of(("run.jsonl", wide), judgments)[0].message == "not-streamed"
    assert problems_of(("run.trec", "\ufeffq1 Q0 d1 1 2.0 tag\n".encode()), judgments)[0].message == "not-streamed"
    table = rows()
    names = ("query_id", "doc_id", "score")
    two = parquet(table, *names, config=["a"] * (len(table) - 1) + ["b"])
    assert problems_of(("run.parquet", two), judgments)[0].message == "not-streamed/configurations"
    single = parquet(table, *names, config=["a"] * len(table))
    assert evaluate_stream(("run.parquet", single), judgments, "RR").counts["missing"] == 10
    gap = parquet([*table[:-1], (table[-1][0], None, 1, 2.0)], *names)
    assert problems_of(("run.parquet", gap), judgments)[0].message == "not-streamed/values"
    assert problems_of(("run.trec", trec(table)), judgments, "RR EM MQWV(corpus_size=99)")[0].facts["names"] == [
        "EM", "MQWV(corpus_size=99)"]
    assert problems_of(("cut.trec.gz", gzip.compress(trec(table))[:-40]), judgments)[0].kind == "truncated-file"


def test_the_command_line_streams(tmp_path, judgments, capsys):
    run, truth = tmp_path / "bm25.trec", tmp_path / "qrels.txt"
    run.write_bytes(trec(rows()))
    truth.write_text("".join(f"{q}\t0\t{d}\t{grade}\n" for q, docs in judgments.items() for d, grade in docs.items()))
    command = ["evaluate", str(run), str(run), "--truth", str(truth), "-m", "nDCG@10 RR", "--format", "json"]
    assert main(command) == 0
    whole = json.loads(capsys.readouterr().out)
    assert main([*command, "--stream"]) == 0
    out, err = capsys.readouterr()
    streamed = json.loads(out)
    assert streamed["verdict"] is None and "checks of comparability, which were not made" in err
    assert [row["name"] for row in streamed["runs"]] == ["bm25", "bm25 (2)"]
    assert [row["metrics"] for row in streamed["runs"]] == [row["metrics"] for row in whole["runs"]]
    assert streamed["settings"] == whole["settings"]
    assert main([*command, "--stream", "--latency", "--collapse", "source", "--match", "evidence"]) == 2
    assert "--collapse, --latency and --match evidence" in capsys.readouterr().err


def test_ids_whose_hashes_collide_are_told_apart(judgments, monkeypatch):
    file = ("run.trec", trec([row for row in rows() if row[0] in judgments]))
    expected = evaluate_stream(file, judgments, SPECS)
    monkeypatch.setattr(stream, "hash_text", lambda column: np.arange(len(column), dtype=np.uint64) % 7)
    found = evaluate_stream(file, judgments, SPECS)
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.digest == expected.digest


def test_the_queries_of_the_truth_are_hashed_once_and_not_for_each_piece(judgments, monkeypatch):
    lookups = []
    monkeypatch.setattr(stream, "pc", SimpleNamespace(**{**vars(stream.pc), "index_in": lambda *a, **b: lookups.append(
        b) or real(*a, **b)}))
    real = pa.compute.index_in
    evaluation = evaluate_stream(("run.trec", trec(rows())), judgments, "nDCG@10")
    assert not lookups and np.isfinite(evaluation.values).all()


def test_what_was_read_of_a_large_file_is_not_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(run_pieces, "PIECE_ROWS", 10_000)
    rng = np.random.default_rng(3)
    queries = [f"q{number}" for number in np.repeat(np.arange(2_000), 100)]
    table = pa.table({"query_id": queries, "doc_id": pa.array(rng.integers(0, 2**60, len(queries)).astype(str)),
                      "score": rng.random(len(queries))})
    path = tmp_path / "run.parquet"
    pq.write_table(table, path, row_group_size=10_000)
    del table
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in run_pieces.run_pieces(path)]
    assert len(held) > 15 and max(held) < path.stat().st_size / 2, (held, path.stat().st_size)
