"""Metrics from a file on the command line: by default, by name, in gates, comparisons and reports."""

import json

import pytest

from ragdash.cli.main import main

SCORES = """question,config,mrr,rating,verdict,latency
a?,x,1.0,5,Correct,2.0
b?,x,0.5,4,Correct,1.0
c?,x,0.0,1,Refusal,3.0
a?,y,0.5,2,Correct,2.5
b?,y,0.5,2,Incorrect,1.5
c?,y,0.0,1,Incorrect,3.5
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text(SCORES)
    return str(file)


def output_of(capsys, *arguments):
    status = main(list(arguments))
    return status, capsys.readouterr()


def test_a_file_of_scores_alone_is_evaluated_without_a_truth(path, capsys):
    status, printed = output_of(capsys, "evaluate", path, "--format", "json", "--per-query")
    runs = json.loads(printed.out)["runs"]
    x = {name: (value["mean"], value["n"]) for name, value in runs[0]["metrics"].items()}
    assert status == 0 and [run["name"] for run in runs] == ["x", "y"]
    assert x["file:mrr"] == (0.5, 3) and x["file:rating(high=5.0, low=1.0)"] == (pytest.approx(10 / 3), 3)
    assert x["file:latency(high=None)"] == (2.0, 3) and x["file:verdict(label='Correct')"] == (pytest.approx(2 / 3), 3)
    assert x["file:verdict(label='Incorrect')"] == (0.0, 3) and x["file:verdict(label='Refusal')"][0] == \
        pytest.approx(1 / 3)
    assert runs[1]["per_query"]["b?"]["file:mrr"] == 0.5


def test_a_column_is_named_without_its_range_in_metrics_and_gates(path, capsys):
    status, printed = output_of(capsys, "evaluate", path, "-m", "file:rating", "--fail-under", "file:rating=3")
    assert status == 1 and "y: mean of rating (file) is 1.67" in printed.err


@pytest.mark.parametrize("option, worse", [((), "worse"), (("--metric-direction", "latency=higher"), "better")])
def test_the_direction_decides_what_is_worse(path, capsys, option, worse):
    status, _ = output_of(capsys, "compare", path, "-m", "file:latency", "--no-worse-than", "0.1", *option)
    assert (status == 1) == (worse == "worse")


@pytest.mark.parametrize("text", ["latency", "latency=up", "sas=lower"])
def test_a_direction_that_cannot_be_used_is_refused(path, capsys, text):
    status, printed = output_of(capsys, "evaluate", path, "--metric-direction", text)
    assert status == 2 and ("higher" in printed.err or "'sas'" in printed.err)


def test_the_report_shows_the_metrics_of_the_file(path, capsys, tmp_path):
    target = tmp_path / "report.html"
    status, _ = output_of(capsys, "report", path, "--full", "-o", str(target))
    html = target.read_text()
    assert status == 0 and "mrr (file)" in html and "Share correct (verdict)" in html
    assert "ragdash has not computed it" in html


def test_the_file_s_value_and_the_computed_one_are_side_by_side(capsys, tmp_path):
    run, truth = tmp_path / "run.jsonl", tmp_path / "qrels"
    run.write_text("".join(json.dumps({"query_id": query, "retrieved": ["a", "b"], "mrr": value}) + "\n"
                           for query, value in (("q1", 1.0), ("q2", 0.0))))
    truth.write_text("q1 0 a 1\nq2 0 b 1\n")
    status, printed = output_of(capsys, "evaluate", str(run), "--truth", str(truth), "--format", "json")
    metrics = json.loads(printed.out)["runs"][0]["metrics"]
    assert status == 0 and (metrics["file:mrr"]["mean"], metrics["RR"]["mean"]) == (0.5, 0.75)
    assert "mrr of run 'run': file 0.500, recomputed 0.750 as RR (1 of 2 queries differ)" in printed.err
    assert "RR@1 gives them in 2 of 2 queries" in printed.err
