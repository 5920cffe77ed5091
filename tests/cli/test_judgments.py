"""`ragdash judgments`: a sheet that settles the winner or a sample goes out, comes back with grades, and is read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from helpers import call

RUNS = {"a": "r1 x1 r2 x2", "b": "x1 r1 x3 x4"}


@pytest.fixture
def files(tmp_path: Path) -> list:
    paths = []
    for name, docs in RUNS.items():
        path = tmp_path / f"{name}.trec"
        path.write_text("".join(f"q{q} Q0 {doc} {rank} {9 - rank} {name}\n" for q in range(12)
                                for rank, doc in enumerate(docs.split(), 1)))
        paths.append(path)
    qrels = tmp_path / "truth.qrels"
    qrels.write_text("".join(f"q{q} 0 r1 {q % 2}\nq{q} 0 n {1 - q % 2}\n" for q in range(12)))
    return [*paths, "--truth", qrels]


def graded(sheet: Path, target: Path) -> list[dict]:
    rows = list(csv.DictReader(sheet.open()))
    with target.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "grade": int(row["doc_id"].startswith("r"))} for row in rows)
    return rows


def test_judgments_that_settle_the_winner_go_out_and_come_back(files, tmp_path, capfdbinary):
    sheet, back, merged = tmp_path / "sheet.csv", tmp_path / "back.csv", tmp_path / "merged.qrels"
    status, out, err = call(capfdbinary, "judgments", *files, "-m", "P@4", "-o", sheet)
    assert status == 0 and "share of the doubt  leader changed by here" in out and "to judge in" in err
    assert "changes which run is ahead with a probability of" in out
    rows = graded(sheet, back)
    assert set(rows[0]) == {"query_id", "doc_id", "question", "text", "grade", "design", "stratum", "probability"}
    assert {row["doc_id"] for row in rows} <= {"r2", "x2", "x3", "x4"}  # x1 is in both lists: it decides nothing
    assert call(capfdbinary, "judgments", *files, "-m", "P@4", "-o", sheet)[0] == 2, "grades would be lost"
    status, out, _ = call(capfdbinary, "judgments", *files, "-m", "P@4", "--judged", back, "--merged", merged)
    assert status == 0 and out.startswith(f"{len(rows)} grades of {len(rows)} read. Stop: the winner is settled.")
    assert len(merged.read_text().splitlines()) == 24 + len(rows)
    content = json.loads(call(capfdbinary, "judgments", *files, "-m", "P@4", "--judged", back, "--format", "json")[1])
    assert content["leader"] == "a" and content["settled"] and content["documents"] == []


def test_grades_of_a_sheet_alone_show_how_likely_documents_are_relevant_where_the_truth_has_relevant_ones_only(
        files, tmp_path, capfdbinary):
    qrels, sheet, back = files[-1], tmp_path / "sheet.csv", tmp_path / "back.csv"
    qrels.write_text("".join(f"q{q} 0 r1 1\n" for q in range(12)))
    out = call(capfdbinary, "judgments", *files, "-m", "P@4", "-n", 8, "-o", sheet)[1]
    assert "no forecast" in out and "50%" in out
    rows = graded(sheet, back)
    plan = json.loads(call(capfdbinary, "judgments", *files, "-m", "P@4", "--judged", back, "--format", "json")[1])
    relevant = sum(row["doc_id"].startswith("r") for row in rows)
    assert (plan["chances"]["basis"], plan["chances"]["judged"], plan["chances"]["relevant"]) == ("judged", 8, relevant)


def test_merged_judgments_are_told_from_the_first_ones_where_these_are_named(files, tmp_path, capfdbinary):
    qrels, sheet, back, merged = (files[-1], *(tmp_path / name for name in ("sheet.csv", "back.csv", "merged.qrels")))
    lines = [f"q{q} 0 r1 1\n" for q in range(12)]
    qrels.write_text("".join(lines))
    command = ["judgments", *files[:-1]]
    call(capfdbinary, *command, qrels, "-m", "P@4", "-n", 8, "-o", sheet)
    rows = graded(sheet, back)
    once = json.loads(call(capfdbinary, *command, qrels, "-m", "P@4", "--judged", back, "--merged", merged,
                           "--format", "json")[1])
    assert once["chances"]["judged"] == len(rows) == 8
    qrels.write_text("".join(lines[::-1]))  # another order of the queries is the same truth
    chances = {name: json.loads(call(capfdbinary, *command, merged, "-m", "P@4", *more, "--format", "json")[1])
               for name, more in (("alone", ()), ("before", ("--before", qrels)))}
    assert chances["alone"]["chances"]["judged"] == 20, "a file does not say which judgments came first"
    assert chances["before"]["chances"] == once["chances"] and chances["before"]["needed"] == once["needed"]
    qrels.write_text("".join(lines) + "q3 0 elsewhere 1\n")
    status, _, err = call(capfdbinary, *command, merged, "-m", "P@4", "--before", qrels)
    assert status == 2 and "1 of 13 judgments" in err and "document elsewhere of query q3" in err
    status, _, err = call(capfdbinary, *command, merged, "-m", "P@4", "--before", qrels, "--design", "documents")
    assert status == 2 and "Leave --before out" in err


def test_documents_of_unanswerable_queries_are_not_to_be_judged(files, tmp_path, capfdbinary):
    truth = tmp_path / "truth.jsonl"
    truth.write_text("".join(json.dumps({"query_id": f"q{q}", "query": "?", "relevant": {"r1": q % 2, "n": 1 - q % 2},
                                         "attributes": {"type": "no_answer" if q < 2 else "single"}}) + "\n"
                             for q in range(12)))
    command = ["judgments", *files[:-1], truth, "-m", "P@4"]
    content = json.loads(call(capfdbinary, *command, "--format", "json")[1])
    offered = {row["query_id"] for row in content["documents"]}
    assert offered == {f"q{q}" for q in range(2, 12)} and content["unanswerable_queries"] == 2
    assert "The documents of 2 queries marked as unanswerable are not offered" in call(capfdbinary, *command)[1]


@pytest.mark.parametrize(("design", "metric", "n"), [("documents", "P@4", 30), ("queries", "nDCG@4", 32)])
def test_a_sample_goes_out_and_its_estimate_covers_the_full_judgments(files, tmp_path, capfdbinary, design, metric, n):
    sheet, back = tmp_path / "sheet.csv", tmp_path / "back.csv"
    options = ["judgments", *files, "-m", metric, "--design", design]
    assert call(capfdbinary, *options)[0] == 2  # no file to write to
    assert call(capfdbinary, *options, "-n", n, "-o", sheet)[0] == 0
    rows = graded(sheet, back)
    assert 0 < len(rows) <= n and all(0 < float(row["probability"]) <= 1 for row in rows)
    judged = ["judgments", *files, "-m", metric, "--judged", back]
    content = json.loads(call(capfdbinary, *judged, "--format", "json")[1])
    full = {"P@4": (1.5 / 4, 0.5 / 4)}.get(metric)  # r2 is relevant everywhere, r1 in every other query
    if full:
        for mean, value in zip(content["means"], full, strict=True):
            assert mean["low"] - 1e-9 <= value <= mean["high"] + 1e-9
    assert content["differences"][0]["value"] > 0 and content["judged"] < content["population"]
    out = call(capfdbinary, *judged)[1]
    assert "not for other queries" in out and "a minus b: +" in out
    assert call(capfdbinary, *judged, "--merged", tmp_path / "x.qrels")[0] == 2
    back.write_text(back.read_text().replace(design, "other", 1))
    assert call(capfdbinary, *judged)[0] == 2


def test_a_metric_that_is_no_sum_over_documents_is_refused_with_the_way_out(files, tmp_path, capfdbinary):
    status, _, err = call(capfdbinary, "judgments", *files, "--design", "documents", "-m", "nDCG@4", "-o",
                          tmp_path / "s.csv")
    assert status == 2 and "--design queries" in err
