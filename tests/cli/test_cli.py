"""The command line: what goes in, what comes out, and with which exit status."""

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from helpers import call

from ragdash.cli.main import main
from ragdash.dashboard.pages.data.loading import paths_in

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"


def evaluate(capfdbinary, files, *more):
    return call(capfdbinary, "evaluate", files / "run.trec", files / "other.trec", "--truth", files / "qrels.txt",
                *more)


def test_json_is_schema_3(files, capfdbinary):
    status, out, err = evaluate(capfdbinary, files, "-m", "RR nDCG@10", "--format", "json", "--per-query")
    content = json.loads(out)
    assert status == 0
    assert list(content) == ["schema", "verdict", "runs", "settings", "problems"]
    assert content["schema"] == 3
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
    assert list(problem) == ["file", "line", "field", "found", "expected", "fix", "kind", "severity",
                             "message", "facts", "cause", "more"]
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
    packed.write_bytes(gzip.compress((files / "run.trec").read_bytes()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((files / "other.trec").read_bytes())))
    _, out, _ = call(capfdbinary, "evaluate", f"bm25={packed}", "-", "--truth", files / "qrels.txt", "--format", "json")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["bm25", "standard input"]


def test_runs_of_one_name_are_told_apart(files, capfdbinary):
    _, out, _ = call(capfdbinary, "evaluate", files / "run.trec", files / "run.trec", "--truth", files / "qrels.txt",
                     "--format", "json")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["run", "run (2)"]


@pytest.mark.parametrize("bound, status", [("RR=0.5", 1), ("RR=0.3", 1), ("RR=0.1", 0), ("RR.low=0.1", 1),
                                           ("RR.low=0", 0)])
def test_a_missed_bound_ends_with_1_and_says_why(files, capfdbinary, bound, status):
    got, _, err = evaluate(capfdbinary, files, "-m", "RR", "--fail-under", bound, "--accept", "missing-queries",
                           "--accept", "shallow-run")
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
    (["dashboard", "gone.trec", "lost.trec", "."],
     ["gone.trec: found no file of this name", "lost.trec: found no", ".: found a directory", "the files in it: "]),
])
def test_bad_input_ends_with_2_and_says_how_to_fix_it(files, capfdbinary, monkeypatch, arguments, words):
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
    assert "ground truth (trec-qrels), 4 queries, 5 judgments, 1 without a relevant document" in lines[1]
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


LOST = "1 Q0 2506.005 1 3.0 t\n1 Q0 7 2 2.0 t\n2 Q0 2506.01 1 2.0 t\n"
KEPT = "01 0 2506.00500 1\n02 0 2506.0100 2\n01 0 2506.9 1\n"
CHUNKS = "q1 Q0 c#1 1 3.0 t\nq1 Q0 b#2 2 2.0 t\nq1 Q0 b#1 3 1.0 t\nq2 Q0 b#1 1 2.0 t\n"


def test_check_with_a_truth_prints_what_can_be_compared(files, capfdbinary):
    status, out, _ = call(capfdbinary, "check", files / "run.trec", files / "other.trec", "--truth",
                          files / "qrels.txt", "-m", "RR")
    lines = out.splitlines()
    assert status == 0
    assert "run 'run' (trec-run), 2 queries" in lines[0] and "ground truth (trec-qrels)" in lines[2]
    assert "queries missing 2 of 4 2 of 4" in " ".join(out.split())
    assert "warning: run: 2 of 4 queries of the ground truth are not in the run, such as 'q3', 'q4'." in out
    assert "RR 0.5000 to 0.7500 (n = 2)." in out and "Flag: --missing skip" in out
    assert "missing = zero *" in out and "0.750 (+0.250)" in out


def test_the_ledger_as_json(files, capfdbinary):
    target = files / "ledger.json"
    status, out, _ = call(capfdbinary, "check", files / "run.trec", "--truth", files / "qrels.txt", "--format", "json",
                          "-o", target)
    content = json.loads(target.read_text())
    assert (status, out) == (0, "")
    assert list(content) == ["schema", "files", "runs", "entries", "effects", "settings", "problems"]
    (entry,) = [entry for entry in content["entries"] if entry["kind"] == "missing-queries"]
    assert list(entry) == ["kind", "severity", "run", "found", "count", "total", "examples", "effect", "fix", "option",
                           "also", "k", "facts", "flags"]
    assert (entry["count"], entry["total"], entry["option"], entry["flags"]) == (2, 4, ["missing", "skip"],
                                                                              "--missing skip")
    effect = content["effects"][0]
    assert list(effect) == ["convention", "choice", "run", "spec", "mean", "n", "change", "chosen", "marked", "refused"]
    json.loads(json.dumps(content, allow_nan=False))


def test_lost_zeros_are_named_and_come_back(files, capfdbinary):
    (files / "lost.trec").write_text(LOST)
    (files / "kept.txt").write_text(KEPT)
    given = [files / "lost.trec", "--truth", files / "kept.txt"]
    status, out, _ = call(capfdbinary, "check", *given)
    assert status == 2, "no query in common"
    assert "'2506.005' for '2506.00500'" in out and "Flag: --ids zeros" in out
    assert call(capfdbinary, "evaluate", *given)[0] == 2
    status, out, err = call(capfdbinary, "evaluate", *given, "--ids", "zeros", "-m", "P@1", "--format", "json")
    content = json.loads(out)
    assert status == 0 and content["runs"][0]["metrics"]["P@1"]["mean"] == 1
    assert content["settings"]["ids"] == "zeros" and "collapse" not in content["settings"]
    assert "2 of 2 query ids and 2 of 3 document ids" in err
    assert call(capfdbinary, "check", *given, "--ids", "zeros")[0] == 0


def test_ids_with_accents_of_their_own_are_shown_apart_and_read_with_the_flag_that_is_named(files, capfdbinary):
    (files / "mac.trec").write_text("cafe\u0301 Q0 e\u0301te\u0301.pdf 1 2 mac\ncafe\u0301 Q0 x 2 1 mac\n", "utf-8")
    (files / "web.txt").write_text("caf\u00e9 0 \u00e9t\u00e9.pdf 1\n", "utf-8")
    given = [files / "mac.trec", "--truth", files / "web.txt"]
    status, _, err = call(capfdbinary, "evaluate", *given)
    assert status == 2 and r"'cafe\u0301'" in err and "'café'" in err
    status, out, _ = call(capfdbinary, "check", *given)
    assert status == 2 and r"'cafe\u0301' for 'café'" in out and "Flag: --ids nfc" in out
    status, out, err = call(capfdbinary, "evaluate", *given, "--ids", "nfc", "-m", "P@1", "--format", "json")
    assert status == 0 and json.loads(out)["runs"][0]["metrics"]["P@1"]["mean"] == 1
    assert "1 of 1 query ids and 1 of 2 document ids" in err
    assert call(capfdbinary, "check", *given, "--ids", "nfc")[0] == 0


def test_chunks_are_collapsed(files, capfdbinary):
    (files / "chunks.trec").write_text(CHUNKS)
    given = [files / "chunks.trec", "--truth", files / "qrels.txt", "-m", "RR", "--format", "json"]
    assert json.loads(call(capfdbinary, "evaluate", *given)[1])["runs"][0]["metrics"]["RR"]["mean"] == 0
    status, out, err = call(capfdbinary, "evaluate", *given, "--collapse", "prefix:#")
    content = json.loads(out)
    assert status == 0 and content["settings"]["collapse"] == "prefix:#"
    assert content["runs"][0]["metrics"]["RR"]["mean"] == pytest.approx((1 / 2 + 1) / 3)
    assert "note:" in err and "1 of 4 chunks" in err


@pytest.mark.parametrize("arguments, words", [
    (["evaluate", "run.trec", "--truth", "qrels.txt", "--ids", "shape"],
     ["'shape'", "trim, nfc, case, zeros, path or marks"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "--collapse", "source"], ["'source'", "prefix:"]),
    (["check", "run.trec", "--ids", "zeros"], ["--ids zeros without a ground truth", "--truth"]),
    (["check", "run.trec", "--truth", "gone"], ["gone"]),
])
def test_what_the_ledger_cannot_do_ends_with_2(files, capfdbinary, monkeypatch, arguments, words):
    monkeypatch.chdir(files)
    status, _, err = call(capfdbinary, *arguments)
    assert status == 2 and "Traceback" not in err
    for word in words:
        assert word in err


WIDE = "text of the question,found,gold\nwho?,a|b,b\nwhere?,c,d\n"


@pytest.mark.parametrize("given", [
    ["--map", "query=text of the question,retrieved=found,relevant=gold"],
    ["--map", "text of the question=query", "--map", "found=retrieved,gold=relevant"],
])
def test_columns_are_mapped_by_hand(files, capfdbinary, given):
    (files / "wide.csv").write_text(WIDE)
    status, out, err = call(capfdbinary, "evaluate", files / "wide.csv", "--truth", files / "wide.csv", *given, "-m",
                            "RR", "--format", "json")
    assert status == 0, err
    assert json.loads(out)["runs"][0]["metrics"]["RR"]["mean"] == 0.25


def test_the_truth_may_stand_in_the_rows_of_the_run(files, capfdbinary):
    (files / "wide.csv").write_text("question,retrieved,relevant\nwho?,a|b,b\nwhere?,c,d\n")
    for command in ("evaluate", "check"):
        status, out, err = call(capfdbinary, command, files / "wide.csv", "-m", "RR", "--format", "json")
        content = json.loads(out)
        assert status == 0, err
    assert "matched-queries" in {entry["kind"] for entry in content["entries"]}


@pytest.mark.parametrize("arguments, words", [
    (["evaluate", "run.trec"], ["--truth"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "--map", "foo"], ["OURS=THEIRS"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "--map", "query=a,query=b"], ["'query'", "twice"]),
    (["evaluate", "run.trec", "--truth", "qrels.txt", "--map", "foo=bar"], ["'foo'", "query_id"]),
])
def test_a_mapping_or_a_truth_that_is_not_there_is_told(files, capfdbinary, monkeypatch, arguments, words):
    monkeypatch.chdir(files)
    status, _, err = call(capfdbinary, *arguments)
    assert status == 2 and "Traceback" not in err
    for word in words:
        assert word in err


@pytest.mark.parametrize("form", ["trec", "jsonl", "csv", "parquet"])
def test_convert_writes_what_reads_back_the_same(files, capfdbinary, form):
    run, truth = files / f"again.{form}", files / f"truth.{form}"
    assert call(capfdbinary, "convert", files / "run.trec", "-o", run)[:2] == (0, "")
    assert call(capfdbinary, "convert", files / "qrels.txt", "--truth", "-o", truth)[:2] == (0, "")
    before = call(capfdbinary, "evaluate", files / "run.trec", "--truth", files / "qrels.txt", "--format", "csv")[1]
    after = call(capfdbinary, "evaluate", f"run={run}", "--truth", truth, "--format", "csv")
    assert after[0] == 0, after[2]
    assert after[1] == before


def test_convert_takes_one_configuration_and_collapses(files, capfdbinary):
    (files / "two.csv").write_text("query_id,doc_id,score,config\nq1,a#1,2,x\nq1,a#2,1,x\nq1,b#1,1,y\n")
    status, _, err = call(capfdbinary, "convert", files / "two.csv", "-o", files / "one.trec")
    assert status == 2 and "--config" in err and "x, y" in err
    given = [files / "two.csv", "--config", "x", "--collapse", "prefix:#", "-o", files / "one.trec"]
    assert call(capfdbinary, "convert", *given)[0] == 0
    assert (files / "one.trec").read_text() == "q1 Q0 a 1 2.0 x\n"
    status, _, err = call(capfdbinary, "convert", files / "run.trec", "-o", files / "no" / "such.trec")
    assert status == 2 and "Traceback" not in err


def test_a_large_file_shows_a_bar_on_a_terminal(files, capfdbinary, monkeypatch):
    from ragdash.core import console

    monkeypatch.setattr(console, "LARGE", 1)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    status, _, err = evaluate(capfdbinary, files, "-m", "RR", "--format", "csv")
    assert status == 0
    assert "%" in err and "[" in err, "the bar"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert "] " not in evaluate(capfdbinary, files, "-m", "RR", "--format", "csv")[2].split("warning")[0]


def started(monkeypatch, *arguments: str) -> dict:
    """The environment in which `ragdash dashboard` would start its server."""
    class Started(BaseException):
        pass

    def execve(path, command, environment):
        raise Started(environment)

    monkeypatch.setattr(os, "execve", execve)
    with pytest.raises(Started) as found:
        main(["dashboard", "--no-browser", *arguments])
    return found.value.args[0]


@pytest.mark.skipif(os.name != "posix", reason="the server takes the place of the process")
def test_openblas_has_one_thread_where_nothing_else_is_chosen(monkeypatch):
    for chosen, threads in ((None, "1"), ("4", "4")):
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen or "")
        if chosen is None:
            monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        assert started(monkeypatch)["OPENBLAS_NUM_THREADS"] == threads


@pytest.mark.skipif(os.name != "posix", reason="the server takes the place of the process")
def test_the_server_gets_each_file_whatever_its_name(monkeypatch, tmp_path, capsys):
    names = ["run 12:30.jsonl", 'a "b"\nc.jsonl', "[x], y.jsonl", "\udcff\u00e9.jsonl"]
    for name in names:
        (tmp_path / name).write_text('{"query_id": "q1", "retrieved": ["a"]}\n')
    monkeypatch.chdir(tmp_path)
    variables = started(monkeypatch, *names, f"my run={names[0]}", "--truth", names[0])
    for name in ("RAGDASH_FILES", "RAGDASH_TRUTH"):
        monkeypatch.setenv(name, variables[name])
    paths = [str(tmp_path / name) for name in names]
    assert paths_in("RAGDASH_FILES") == [*paths, f"my run={paths[0]}"] and paths_in("RAGDASH_TRUTH") == paths[:1]
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("started with more names than the system takes"))
    assert main(["dashboard", "--no-browser", *[names[0]] * 5_000]) == 2 and "5,000 files" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="the server takes the place of the process")
def test_pages_import_this_ragdash_whatever_lies_in_the_current_folder(monkeypatch, tmp_path):
    (tmp_path / "ragdash").mkdir()
    (tmp_path / "ragdash" / "__init__.py").write_text("raise RuntimeError('another ragdash')")
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "ragdash", "--version"]
    assert subprocess.run(command, env=started(monkeypatch), capture_output=True).returncode == 0


def test_the_dashboard_is_told_its_workspace(monkeypatch, tmp_path, capsys):
    assert "RAGDASH_READ_ONLY" not in (found := started(monkeypatch)) and found["RAGDASH_WORKSPACE"] == os.environ[
        "RAGDASH_WORKSPACE"]
    monkeypatch.chdir(tmp_path)
    found = started(monkeypatch, "--workspace", "kept")
    assert found["RAGDASH_WORKSPACE"] == str(tmp_path / "kept") and "RAGDASH_READ_ONLY" not in found
    capsys.readouterr()
    found = started(monkeypatch, "--workspace", str(tmp_path / "kept"), "--read-only", "--logdir", "kept")
    assert found["RAGDASH_READ_ONLY"] == "1" and "no folder" not in capsys.readouterr().err
    started(monkeypatch, "--logdir", "typo")
    assert f"there is no folder {tmp_path / 'typo'} yet" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="the server takes the place of the process")
def test_a_start_removes_what_killed_processes_left(monkeypatch, tmp_path):
    from ragdash.cli.commands.serving import worker
    from ragdash.core.storage.temporary_folders import temporary_folder

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker, "open_workspace", lambda *_: SimpleNamespace(check=lambda: None))
    monkeypatch.setattr(worker, "shared_jobs", lambda _: None)
    monkeypatch.setattr(worker, "JudgeJobs", lambda *_: None)
    monkeypatch.setattr(worker, "JobWorker", lambda *_, **__: SimpleNamespace(run=lambda _: 0))
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    with temporary_folder("job") as folder:
        gone = tmp_path / f"{Path(folder).name.rsplit('-', 3)[0]}-999999999-1-left"
    for start in (lambda: started(monkeypatch), lambda: main(["worker", "--workspace", "postgresql://a@b/c"])):
        gone.mkdir()
        (gone / "texts.jsonl").write_text("private")
        start()
        assert not gone.exists()


def test_a_workspace_that_cannot_be_used_is_told_before_the_start(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert main(["dashboard", "--workspace", str(tmp_path / "file")]) == 2
    assert main(["dashboard", "--workspace", str(tmp_path / "gone"), "--read-only"]) == 2
    said = capsys.readouterr().err
    assert "cannot be used" in said and "no folder of this name" in said and "Traceback" not in said


def test_convert_takes_the_ids_of_its_references(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("run.trec").write_text("1 Q0 d1 1 0.9 t\n")
    Path("qrels.txt").write_text("001 0 d1 1\n")
    assert main(["convert", "run.trec", "-o", "out.trec", "--ids", "zeros"]) == 2
    assert "--references TRUTH" in capsys.readouterr().err
    assert main(["convert", "run.trec", "-o", "out.trec", "--ids", "zeros", "--references", "qrels.txt"]) == 0
    assert Path("out.trec").read_text().split()[0] == "001"


@pytest.mark.parametrize(("arguments", "words"), [
    (("fuse", "a.trec", "b.trec", "--per-query"), "--per-query is an option of: evaluate"),
    (("evaluate", "a.trec", "--metrc", "RR"), "did you mean --metrics?"),
    (("pin", "a.trec", "--bogus"), "unrecognized arguments: --bogus (ragdash pin --help lists its options)"),
])
def test_an_unknown_option_is_refused_by_its_command_with_what_to_use_instead(capsys, arguments, words):
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    message = capsys.readouterr().err
    assert stopped.value.code == 2 and f"ragdash {arguments[0]}: error: " in message and words in message


def test_fuse_takes_metrics_as_other_commands_do(capsys):
    runs = [f"{SAMPLES}/{name}.jsonl" for name in ("dense", "sparse")]
    common = ["fuse", *runs, "--truth", f"{SAMPLES}/truth.jsonl", "--family", "rrf", "--format", "json"]
    outputs = []
    for options in (["-m", "RR R@10"], ["--tune", "RR", "--also", "R@10"]):
        assert main([*common, *options]) == 0
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1] and outputs[0]["metric"] == "RR"
