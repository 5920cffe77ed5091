"""The command line: what goes in, what comes out, and with which exit status."""

import gzip
import io
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from ragdash.cli import main

RUN = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq1 Q0 c 3 1.0 t\nq2 Q0 b 1 2.0 t\nq2 Q0 a 2 1.0 t\n"
OTHER = "q1 Q0 c 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 a 1 2.0 t\n"
QRELS = "q1 0 b 1\nq2 0 b 2\nq2 0 z 1\nq3 0 a 1\nq4 0 a 0\n"


@pytest.fixture
def files(tmp_path):
    """run.trec, other.trec and qrels.txt in a folder of their own."""
    for name, text in (("run.trec", RUN), ("other.trec", OTHER), ("qrels.txt", QRELS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def call(capfdbinary, *arguments):
    """(exit status, standard output, standard error) of one command."""
    status = main([str(argument) for argument in arguments])
    out, err = capfdbinary.readouterr()
    return status, out.decode(), err.decode()


def evaluate(capfdbinary, files, *more):
    return call(capfdbinary, "evaluate", files / "run.trec", files / "other.trec", "--truth", files / "qrels.txt",
                *more)


def test_json_is_schema_1(files, capfdbinary):
    status, out, err = evaluate(capfdbinary, files, "-m", "RR nDCG@10", "--format", "json", "--per-query")
    content = json.loads(out)
    assert status == 0
    assert list(content) == ["schema", "runs", "settings", "problems"]
    assert content["schema"] == 1
    run = content["runs"][0]
    assert list(run) == ["name", "digest", "metrics", "per_query"]
    assert run["name"] == "run"
    rr = run["metrics"]["RR"]
    assert list(rr) == ["mean", "low", "high", "n", "undefined"]
    assert (rr["mean"], rr["n"], rr["undefined"]) == (pytest.approx((0.5 + 1 + 0) / 3), 3, 1)
    assert rr["low"] <= rr["mean"] <= rr["high"]
    assert run["per_query"]["q1"] == {"RR": 0.5, "nDCG@10": pytest.approx(0.6309297535714575)}
    assert run["per_query"]["q3"]["RR"] == 0, "missing in the run: an empty ranking"
    assert run["per_query"]["q4"] == {"RR": None, "nDCG@10": None}, "undefined is null"
    assert {"ties", "missing", "unanswerable", "duplicates", "match", "level", "resamples", "seed", "truth"} <= set(
        content["settings"])
    problem = content["problems"][0]
    assert list(problem) == ["file", "line", "field", "found", "expected", "mend", "kind", "severity"]
    assert problem["kind"] == "missing-queries"
    assert "missing" in err or "lacks" in err


def test_the_conventions_are_switches(files, capfdbinary):
    def mean(*more):
        content = json.loads(evaluate(capfdbinary, files, "-m", "RR", "--format", "json", *more)[1])
        return content["runs"][0]["metrics"]["RR"]["mean"]

    assert mean("--unanswerable", "zero") == pytest.approx(1.5 / 4)
    assert mean("--missing", "skip") == pytest.approx(1.5 / 2)


@pytest.mark.parametrize("form, start", [
    ("table", "metric"), ("csv", "run,metric,mean,low,high,n,undefined\nrun,RR,0.5,"),
    ("markdown", "| metric | run | other | n |"), ("latex", "\\begin{tabular}{lrrr}"),
])
def test_tables_in_every_format(files, capfdbinary, form, start):
    status, out, _ = evaluate(capfdbinary, files, "-m", "RR", "--format", form)
    assert status == 0
    assert out.startswith(start)
    assert "0.5" in out


def test_parquet_holds_the_same_numbers(files, capfdbinary):
    target = files / "out.parquet"
    assert evaluate(capfdbinary, files, "-m", "RR P@1", "--format", "parquet", "-o", target, "--per-query")[0] == 0
    rows = pq.read_table(target).to_pylist()
    assert rows[0] == {"run": "run", "query_id": "q1", "RR": 0.5, "P@1": 0.0}
    assert rows[3]["RR"] is None


def test_cutoffs_go_to_metrics_without_one(files, capfdbinary):
    _, out, _ = evaluate(capfdbinary, files, "-m", "P R@5 Rprec", "--cutoffs", "1,3", "--format", "csv")
    assert [line.split(",")[1] for line in out.splitlines()[1:5]] == ["P@1", "P@3", "R@5", "Rprec"]


def test_names_standard_input_and_gzip(files, capfdbinary, monkeypatch):
    packed = files / "run.gz"
    packed.write_bytes(gzip.compress(RUN.encode()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OTHER.encode())))
    _, out, _ = call(capfdbinary, "evaluate", f"bm25={packed}", "-", "--truth", files / "qrels.txt", "--format", "json")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["bm25", "standard input"]


def test_runs_of_one_name_are_told_apart(files, capfdbinary):
    _, out, _ = call(capfdbinary, "evaluate", files / "run.trec", files / "run.trec", "--truth", files / "qrels.txt",
                     "--format", "json")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["run", "run (2)"]


@pytest.mark.parametrize("bound, status", [("RR=0.5", 1), ("RR=0.3", 1), ("RR=0.1", 0), ("RR.low=0.1", 1),
                                           ("RR.low=0", 0)])
def test_a_missed_bound_ends_with_1_and_says_why(files, capfdbinary, bound, status):
    got, _, err = evaluate(capfdbinary, files, "-m", "RR", "--fail-under", bound)
    assert got == status
    assert ("the bound is" in err) == bool(status)


@pytest.mark.parametrize("arguments, words", [
    (["evaluate", "run.trec", "--truth", "qrels.txt", "-m", "nDGC@10"], ["unknown-metric", "nDCG"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", "--fail-under", "P@5=0.1"], ["Add P@5"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR", "--fail-under", "RR"], ["METRIC=NUMBER"]),
    (["evaluate", "gone.trec", "--truth", "qrels.txt"], ["gone.trec", "existing file"]),
    (["evaluate", "qrels.txt", "--truth", "qrels.txt"], ["qrels", "--truth"]),
    (["evaluate", "run.trec", "--truth", "run.trec"], ["run"]),
    (["metrics", "foo"], ["foo"]),
    (["dashboard", "gone.trec"], ["gone.trec"]),
])
def test_bad_input_ends_with_2_and_says_how_to_mend_it(files, capfdbinary, monkeypatch, arguments, words):
    monkeypatch.chdir(files)
    status, out, err = call(capfdbinary, *arguments)
    assert status == 2
    assert not out
    assert "Traceback" not in err
    for word in words[1:] if words[0] == "unknown-metric" else words:
        assert word in err


def test_the_problems_of_all_files_come_together(files, capfdbinary):
    (files / "bad.trec").write_text("q1 Q0 a 1 nan t\nq1 Q0 b 2 high t\n")
    status, _, err = call(capfdbinary, "evaluate", files / "bad.trec", files / "gone", "--truth", files / "none")
    assert status == 2
    for part in ("bad.trec:1", "bad.trec:2", "gone", "none"):
        assert part in err


def test_no_query_in_common_is_a_problem_not_a_row_of_zeros(files, capfdbinary):
    (files / "far.txt").write_text("x1 0 a 1\n")
    status, _, err = call(capfdbinary, "evaluate", files / "run.trec", "--truth", files / "far.txt")
    assert status == 2
    assert "'q1'" in err
    assert "'x1'" in err


def test_usage_errors_end_with_2(capfd):
    with pytest.raises(SystemExit) as stop:
        main(["evaluate"])
    assert stop.value.code == 2


def test_check_says_what_each_file_is(files, capfdbinary):
    (files / "empty.trec").write_text("")
    status, out, err = call(capfdbinary, "check", files / "run.trec", files / "qrels.txt", files / "empty.trec")
    assert status == 2
    lines = out.splitlines()
    assert "run 'run' (trec-run), 2 queries, 5 documents returned, 3 deep" in lines[0]
    assert "truth (trec-qrels), 4 queries, 5 judgements, 1 without a relevant document" in lines[1]
    assert "cannot be used" in lines[2]
    assert "empty" in err


def test_metrics_tells_of_each_metric(capfdbinary):
    status, out, _ = call(capfdbinary, "metrics", "--format", "json")
    entries = {entry["name"]: entry for entry in json.loads(out)}
    assert status == 0
    assert entries["nDCG"]["params"] == {"gain": "linear"}
    assert entries["MeanRank"]["better"] == "lower"
    assert call(capfdbinary, "metrics", "ndcg")[1].startswith("nDCG(gain='linear')[@k]  (NDCG)")


def test_python_dash_m_is_the_same_command(files):
    done = subprocess.run([sys.executable, "-m", "ragdash", "evaluate", "run.trec", "--truth", "qrels.txt", "-m", "RR"],
                          cwd=files, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert "MRR" in done.stdout
