"""`ragdash trust`: from a sheet to an interval, the JSON contract, and what is wrong with input."""

import csv
import json
from pathlib import Path

import pytest
from helpers import call
from models.judge.scripted import Scripted

from ragdash.analysis.judge_validation import ErrorSource, LabelStore
from ragdash.io import read_run, read_truth
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.tables.judge_validation import render_judge_validation

SAMPLES = Path(__file__).parents[2] / "sample_runs"
RUNS = [str(SAMPLES / "dense.jsonl"), str(SAMPLES / "hybrid.jsonl"), "--truth", str(SAMPLES / "truth.jsonl"), "-m",
        "SupportCoverage"]


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))


def verdicts(folder: Path, n: int = 100) -> Path:
    path = folder / "judge.csv"
    rows = "".join(f"q{i},{int(i % 4 > 0)},\n" for i in range(n))
    path.write_text(f"query_id,value,missing\n{rows}qx,,refused\n")
    return path


def test_from_a_sheet_to_an_interval_and_what_is_kept(tmp_path, capfdbinary):
    path = tmp_path / "sheet.csv"
    status, out, _ = call(capfdbinary, "trust", *RUNS, "--sheet", path, "-n", 25)
    rows = list(csv.DictReader(path.open()))
    assert status == 0 and "50 rows" in out and len({row["query_id"] for row in rows}) == 25
    assert all(row["question"] and row["answer"] and row["contexts"] and not row["label"] for row in rows)
    assert call(capfdbinary, "trust", *RUNS, "--sheet", path)[0] == 2, "a sheet with labels would be lost"
    with path.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": int(i % 5 > 0)} for i, row in enumerate(rows))
    status, out, _ = call(capfdbinary, "trust", *RUNS, "--labels", path, "--keep", "--format", "json")
    first = json.loads(out)
    assert status == 0 and [run["corrected"]["n"] for run in first["runs"]] == [25, 25]
    assert first["differences"][0]["corrected"]["low"] < first["differences"][0]["corrected"]["high"]
    assert LabelStore().label_counts(first["runs"][0]["digest"]) == {"SupportCoverage": 25}
    again = json.loads(call(capfdbinary, "trust", *RUNS, "--format", "json")[1])
    assert again["runs"] == first["runs"] and again["differences"] == first["differences"]


@pytest.mark.parametrize(("spec", "line"), [
    ("Faithfulness", "Faithfulness, judged by scripted at localhost:1"),
    ("Faithfulness(judge='scripted')", "Faithfulness, judged by scripted at localhost:1"),
    ("Faithfulness(votes=2)", "Faithfulness, 2 votes, judged by scripted at localhost:1"),
    ("Faithfulness(judge='scripted at localhost:1', votes=2)",
     "Faithfulness, 2 votes, judged by scripted at localhost:1")])
def test_the_judge_is_told_however_it_was_asked_for(capfdbinary, spec, line):
    match = Match(read_run(RUNS[0]), read_truth(SAMPLES / "truth.jsonl"))
    for vote in (0, 1):
        Scripted(default_verdict_store()).judge_all(match.judged, "Faithfulness", vote=vote)
    status, out, _ = call(capfdbinary, "trust", RUNS[0], *RUNS[2:4], "-m", spec)
    assert status == 0 and out.splitlines()[0] == line


def test_json_is_the_contract(tmp_path, capfdbinary):
    labels = tmp_path / "labels.csv"
    labels.write_text("query_id,label\n" + "".join(f"q{i},{int(i % 4 > 1)}\n" for i in range(40)))
    status, out, _ = call(capfdbinary, "trust", "--verdicts", f"a={verdicts(tmp_path)}", "--labels", labels, "--format",
                          "json")
    content = json.loads(out)
    run, = content["runs"]
    assert status == 0 and list(content) == ["schema", "runs", "differences", "error_sources", "settings",
                                                     "problems"]
    assert list(run) == ["name", "digest", "judged", "judge", "labels", "corrected", "headline", "groups",
                         "labels_held_out", "settled", "missing", "labels_without_verdict", "agreement", "votes",
                         "disagreements"]
    assert run["judge"] == {"mean": 0.75, "n": 100} and run["missing"] == {"refused": 1} and run["votes"] is None
    assert run["agreement"]["confusion"] == [[10, 10], [0, 20]] and run["agreement"]["kappa"] == 0.5
    assert run["corrected"]["n"] == 40 and run["corrected"]["N"] == 60 and len(run["disagreements"]) == 10
    assert run["corrected"]["mean"] == pytest.approx(0.5)  # 3 of 4 verdicts are 1 on either side
    assert run["headline"] == "corrected" and run["groups"] is None and 0 < run["corrected"]["weight"] < 1
    assert run["corrected"]["effective_labels"] > 40
    assert run["agreement"]["base_rate"] == {"no": 0.5, "yes": 0.5} and run["agreement"]["constant"] == 0.5
    assert run["agreement"]["adds_nothing"] is False


@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_the_tables(tmp_path, capfdbinary, form):
    labels = tmp_path / "labels.csv"
    labels.write_text("query_id,label\n" + "".join(f"q{i},{int(i % 4 > 1)}\n" for i in range(40)))
    options = ("--verdicts", f"a={verdicts(tmp_path)}", "--labels", labels, "--disagreements", 2, "--format", form)
    status, out, _ = call(capfdbinary, "trust", *options)
    assert status == 0 and "accuracy" in out and "kappa" in out
    if form == "csv":
        row, = csv.DictReader(out.splitlines())
        assert (row["run"], row["n"], row["N"], row["missing"]) == ("a", "40", "60", "1")
    else:
        assert "… 8 more" in out and "kinder" in out and "1 refused" in out and "0.500 [" in out
        assert "Always “no” would agree in 0.500" in out and "Report: the interval of the corrected mean." in out


@pytest.mark.parametrize(("more", "words"), [
    ((), "neither runs nor verdicts"), (("x.jsonl", "--verdicts", "y.csv"), "runs and files of verdicts"),
    (("--verdicts", "nothing.csv"), "nothing.csv"), ((*RUNS[:4],), "0 metrics"),
    ((*RUNS[:4], "-m", "MeanRank"), "values from 0 to 1"), ((*RUNS, "--labels", "z=x.csv"), "labels of run 'z'"),
    ((*RUNS, "--sheet", "sheet.txt"), "ends in .csv or .jsonl")])
def test_what_is_wrong_is_told(capfdbinary, more, words):
    status, out, err = call(capfdbinary, "trust", *more)
    assert (status, out) == (2, "") and words in err


def test_questions_of_one_document_count_as_a_group(tmp_path, capfdbinary):
    sheet = tmp_path / "sheet.csv"
    call(capfdbinary, "trust", *RUNS, "--sheet", sheet, "-n", 60)
    rows = list(csv.DictReader(sheet.open()))
    labels = tmp_path / "labels.csv"
    labels.write_text("query_id,run,label\n" + "".join(f"{row['query_id']},{row['run']},{int(i % 5 > 0)}\n"
                                                       for i, row in enumerate(rows)))
    status, out, _ = call(capfdbinary, "trust", *RUNS, "--labels", labels, "--group-by", "document", "--format", "json")
    content = json.loads(out)
    assert status == 0 and content["settings"]["group_by"] == "document"
    assert {source["factor"] for source in content["error_sources"]} >= {"run", "answer length (characters)"}
    assert all(0 < source["p"] <= source["p_corrected"] <= 1 for source in content["error_sources"])
    table = call(capfdbinary, "trust", *RUNS, "--labels", labels)[1]
    assert "Where is this metric wrong?" in table and "metric alone" in table and "not shown" in table
    assert 10 <= content["runs"][0]["groups"] <= content["differences"][0]["groups"] <= 60
    assert "no query with a group by 'colour'" in call(capfdbinary, "trust", *RUNS, "--labels", labels, "--group-by",
                                                      "colour")[2]
    assert "--truth" in call(capfdbinary, "trust", "--verdicts", verdicts(tmp_path), "--group-by", "document")[2]


def test_small_p_values_of_error_sources_are_never_shown_as_zero():
    sources = [ErrorSource("run", 80, (("a", 0.5, 40), ("b", 0.25, 40)), p, p) for p in (0.0004, 0.001, float("nan"))]
    for form in ("table", "markdown"):
        text = render_judge_validation([], [], form, sources=sources).decode()
        assert "0.000" not in text and "0.001" in text and "–" in text and text.count("0.001") == 4


def test_labels_of_no_run_and_keeping_without_one(tmp_path, capfdbinary):
    path, labels = verdicts(tmp_path), tmp_path / "labels.csv"
    labels.write_text("query_id,label\nq1,1\n")
    two = ("--verdicts", f"a={path}", "--verdicts", f"b={path}")
    status, out, err = call(capfdbinary, "trust", *two, "--labels", labels)
    assert (status, out) == (2, "") and "labels without a run" in err
    assert call(capfdbinary, "trust", *two, "--labels", f"a={labels}")[0] == 0
    assert "verdicts from a file" in call(capfdbinary, "trust", *two[:2], "--labels", labels, "--keep")[2]
    assert "two runs called 'a'" in call(capfdbinary, "trust", *two[:2], *two[:2])[2]


def test_labels_of_a_column_of_the_runs_file(tmp_path, capfdbinary):
    """Of 60 answers 45 are labeled: every third one wrong, one of these replaced by a file of labels."""
    words = {0: "Incorrect Answer", 1: "Correct Answer", 2: "Correct Answer"}
    rows = [json.dumps({"query_id": f"q{i}", "answer": f"It is {i % 2}.", "retrieved": [{"doc_id": f"d{i}"}],
                        **({"verdict": words[i % 3]} if i < 45 else {})}) for i in range(60)]
    (tmp_path / "run.jsonl").write_text("\n".join(rows))
    (tmp_path / "truth.jsonl").write_text("\n".join(json.dumps({
        "query_id": f"q{i}", "answers": [f"It is {int(i % 3 > 0)}."], "relevant": {f"d{i}": 1}}) for i in range(60)))
    (tmp_path / "labels.csv").write_text("query_id,label\nq0,1\n")
    command = ("trust", tmp_path / "run.jsonl", "--truth", tmp_path / "truth.jsonl", "-m", "EM", "--format", "json")
    status, out, err = call(capfdbinary, *command, "--label-column", "verdict")
    labels = json.loads(out)["runs"][0]["labels"]
    assert status == 0 and (labels["n"], labels["mean"]) == (45, pytest.approx(30 / 45)), err
    table = call(capfdbinary, *command[:-2], "--label-column", "verdict")[1]
    assert "Incorrect Answer, 0.667 Correct Answer" in table and "0.333 no" not in table, "the words of the file"
    replaced = call(capfdbinary, *command, "--label-column", "verdict", "--labels", tmp_path / "labels.csv")[1]
    assert json.loads(replaced)["runs"][0]["labels"]["mean"] == pytest.approx(31 / 45)
    assert "expected one of verdict" in call(capfdbinary, *command, "--label-column", "verdcit")[2]
    assert "runs, whose files have columns" in call(capfdbinary, "trust", "--verdicts", verdicts(tmp_path),
                                                    "--label-column", "x")[2]
    diagnosis = ("diagnose", *command[1:4], "--format", "json")
    by_label, by_text = (json.loads(call(capfdbinary, *diagnosis, *more)[1])["runs"][0]["stages"]["wrong-answer"]
                         for more in ((), ("--label-column", "none")))
    differs = [i % 2 != (i % 3 > 0) for i in range(60)]
    assert (by_label, by_text) == (15 + sum(differs[45:]), sum(differs))
    assert "expected one of verdict" in call(capfdbinary, *diagnosis, "--label-column", "no")[2]
