"""Latency percentiles and score cutoffs of `ragdash evaluate`, worked out by hand."""

import json

import pytest

from ragdash.cli.main import main

ROWS = [
    {"query_id": "q1", "retrieved": [{"doc_id": "a", "score": 0.9}, {"doc_id": "x", "score": 0.5}], "latency_ms": 10},
    {"query_id": "q2", "retrieved": [{"doc_id": "y", "score": 0.8}, {"doc_id": "b", "score": 0.4}],
     "latency_ms": {"retrieval": 5, "generation": 15}},
    {"query_id": "q3", "retrieved": [], "latency_ms": 30},
    {"query_id": "q4", "retrieved": [], "latency_ms": 40},
]


@pytest.fixture
def given(tmp_path):
    run, truth = tmp_path / "run.jsonl", tmp_path / "qrels"
    run.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    truth.write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 0\nq4 0 c 0\n")
    return [str(run), "--truth", str(truth), "-m", "RR"]


def evaluated(capsys, *arguments):
    status = main(["evaluate", *arguments])
    return status, capsys.readouterr()


def test_json_has_the_percentiles_of_every_stage(capsys, given):
    status, printed = evaluated(capsys, *given, "--latency", "--format", "json")
    (run,) = json.loads(printed.out)["runs"]
    total = run["latency_ms"]["total"]
    assert status == 0 and list(run["latency_ms"]) == ["retrieval", "generation", "total"]
    assert [total[key] for key in ("n", "mean", "p50", "p90", "p99")] == [4, 25, 25, 37, pytest.approx(39.7)]
    assert 10 <= total["p50_low"] <= 25 <= total["p50_high"] <= 40 and total["low"] < 25 < total["high"]
    retrieval = run["latency_ms"]["retrieval"]
    assert (retrieval["n"], retrieval["p99"], retrieval["p99_low"]) == (1, 5, None) and "score_cutoffs" not in run


def test_json_has_what_remains_at_every_score_cutoff(capsys, given):
    status, printed = evaluated(capsys, *given, "--score-cutoffs", "0.9,0.4,0.5", "--format", "json")
    (run,) = json.loads(printed.out)["runs"]
    third = 1 / 3
    expected = [  # cutoff, kept, precision, recall, F1, hit rate; q3 and q4 return nothing
        (0.4, 1, 0.5, 1, 2 * third, 1, 0.5), (0.5, 0.75, 0.25, 0.5, third, 0.5, 0.5),
        (0.9, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75)]
    assert status == 0 and "latency_ms" not in run
    assert [tuple(row.values()) for row in run["score_cutoffs"]] == [pytest.approx(row) for row in expected]
    assert list(run["score_cutoffs"][0]) == ["cutoff", "kept", "precision", "recall", "f1", "hit_rate", "empty"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_text_has_both_tables_below_the_metrics(capsys, given, form):
    status, printed = evaluated(capsys, *given, "--latency", "--score-cutoffs", "0.5", "--format", form)
    assert status == 0 and printed.out.index("P99") < printed.out.index("queries left empty")
    (total,) = [line for line in printed.out.splitlines() if "total" in line]
    assert "37.0 [" in total and "39.7 [" in total
    assert "0.750" in printed.out and "2 of 4 queries" in printed.out


def test_a_run_without_times_is_named_as_such(capsys, tmp_path):
    (tmp_path / "run").write_text("q1 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    given = [str(tmp_path / "run"), "--truth", str(tmp_path / "qrels"), "--latency"]
    assert "not recorded" in evaluated(capsys, *given)[1].out
    assert json.loads(evaluated(capsys, *given, "--format", "json")[1].out)["runs"][0]["latency_ms"] == {}


@pytest.mark.parametrize("option", [("--latency",), ("--score-cutoffs", "0.5")])
def test_a_format_of_a_single_table_is_refused(capsys, given, option):
    status, printed = evaluated(capsys, *given, *option, "--format", "csv")
    assert status == 2 and f"{option[0]} with --format csv" in printed.err and "markdown, latex or json" in printed.err


def test_a_run_without_scores_has_no_score_cutoffs(capsys, tmp_path):
    (tmp_path / "run.jsonl").write_text('{"query_id": "q1", "retrieved": ["a"]}\n')
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    status, printed = evaluated(capsys, str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "qrels"),
                                "--score-cutoffs", "1")
    assert status == 2 and "scores" in printed.err


@pytest.mark.parametrize("text", ["nan", "high", "1,", "inf"])
def test_cutoffs_that_are_no_numbers_are_refused(capsys, given, text):
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", *given, "--score-cutoffs", text])
    assert stop.value.code == 2
