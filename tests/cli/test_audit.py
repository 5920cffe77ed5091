"""`ragdash audit`: text, JSON, a sheet that goes out and comes back, and what few runs cannot show."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from helpers import call

SAMPLES = Path(__file__).parents[2] / "sample_runs"
RUNS = [SAMPLES / f"{name}.jsonl" for name in ("dense", "sparse", "hybrid")]
TRUTH = ["--truth", SAMPLES / "truth.jsonl", "--corpus", SAMPLES / "corpus.jsonl"]


def test_a_test_set_is_checked_in_words_and_as_json_and_judged_again(tmp_path, capfdbinary):
    sheet = tmp_path / "sheet.csv"
    status, out, err = call(capfdbinary, "audit", *RUNS, *TRUTH, "--relabel", sheet, "--items", 3)
    assert status == 0 and "by about 0.065 where their rankings are alike (sparse and hybrid)" in out
    assert "Without 1 query (q053) dense would be ahead" in out and "Judgments to look at" in out
    assert "6 documents to judge" in err
    rows = list(csv.DictReader(sheet.open()))
    assert all(row["question"] and row["text"] and not row["grade"] and len(row["item"]) == 12 for row in rows)
    with sheet.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "grade": 1} for row in rows)
    status, out, err = call(capfdbinary, "audit", *RUNS, *TRUTH, "--relabel", sheet)
    assert status == 2 and "sheet.csv" in err and rows != [], "a sheet with grades would be lost"
    content = json.loads(call(capfdbinary, "audit", *RUNS, *TRUTH, "--relabeled", sheet, "--format", "json")[1])
    assert content["relabeled"]["all"]["labeled"] == 6 and content["relabeled"]["suspicious"]["agreed"] == 3
    assert content["runs"] == ["dense", "sparse", "hybrid"] and len(content["per_query"]) == content["queries"] == 122
    assert content["pairs"][0]["comparison"]["candidate"] == "sparse" and content["pairs"][0]["reversing"] == ["q053"]
    assert content["detectable"][1] == content["pairs"][0]["comparison"]["detectable_difference"]
    assert {finding["kind"] for finding in content["findings"]} == {"answer-missing"}


def test_a_test_set_without_runs_is_checked_as_far_as_it_can_be(capfdbinary):
    status, out, _ = call(capfdbinary, "audit", *TRUTH)
    assert status == 0 and "Not known without runs" in out and "Judgments to look at" in out
    status, _, err = call(capfdbinary, "audit")
    assert status == 2 and "--truth" in err
    assert call(capfdbinary, "audit", *TRUTH, "--relabeled", "/nowhere.csv")[0] == 2


def test_a_report_has_the_check_where_it_is_asked_for(tmp_path, capfdbinary):
    path = tmp_path / "report.html"
    assert call(capfdbinary, "report", *RUNS[:2], *TRUTH, "--test-set", "-o", path)[0] == 0
    html = path.read_text()
    assert "Is the test set any good?" in html and "You can distinguish runs that differ" in html
    assert "Judgments to look at" in html and "q053" in html
