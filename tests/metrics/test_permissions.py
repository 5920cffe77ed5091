"""Documents that the asker may not see: leaks, rankings that a filter empties, recall of what is allowed."""

from __future__ import annotations

import json
import math

import pyarrow as pa
import pytest
from helpers import by_query, call, run_of, truth_of

from ragdash.analysis.comparability import check_comparability
from ragdash.analysis.verdict.detect import find_checks
from ragdash.core.ids.normalization import collapsed, with_ids_of
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_truth, write_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec

ALLOWED = {"clean": ["a", "b", "c"], "leaks": ["a"], "unsaid": None, "nothing": []}
RANKING = ["a", "b", "x", "c"]
GRADES = {"a": 1, "b": 1, "z": 1}


def permitted_truth(allowed: dict):
    details = pa.table({"query_id": list(allowed), "allowed": pa.array(list(allowed.values()), pa.list_(pa.string()))})
    return truth_of(dict.fromkeys(allowed, GRADES), details=details)


def test_the_values_by_hand():
    found = by_query(evaluate(run_of(dict.fromkeys(ALLOWED, RANKING)), permitted_truth(ALLOWED),
                              "Leak@1 Leak@2 Leak@3 KCollapse@2 KCollapse@4 AllowedRecall@1 AllowedRecall"))
    assert list(found["clean"].values()) == [0, 0, 1, 0, 1, 0.5, 1.0]
    assert list(found["leaks"].values()) == [0, 1, 1, 1, 1, 1.0, 1.0]
    assert all(map(math.isnan, found["unsaid"].values()))
    assert list(found["nothing"].values())[:5] == [1, 1, 1, 1, 1]
    assert all(map(math.isnan, list(found["nothing"].values())[5:])), "no relevant document may be seen"


def test_a_short_ranking_without_a_forbidden_document_does_not_collapse():
    found = evaluate(run_of({"q": ["a"]}), permitted_truth({"q": ["a", "b"]}), "KCollapse@5 Leak@5")
    assert found.values.tolist() == [[0, 0]]


@pytest.mark.parametrize("by", ["prefix:#", "chunks:prefix:#"])
def test_every_chunk_of_an_allowed_document_is_allowed(by):
    run = collapsed(run_of({"q": ["a#1", "a#2", "b#1", "x#1", "x#2"]}), by)
    found = evaluate(run, permitted_truth({"q": ["a", "b"]}), "Leak@2 Leak@3 Leak@4 Leak@5")
    assert found.values.tolist() == [[0, 1, 1, 1] if by == "prefix:#" else [0, 0, 1, 1]]


def test_the_upper_bound_of_no_leak_is_exact():
    """By hand: 0 of 100 at 95 %, two-sided: 1 - 0.025^(1/100) = 0.0362."""
    queries = {f"q{i}": ["a"] for i in range(100)}
    (row,) = evaluate(run_of(queries), permitted_truth(queries), "Leak@1").summary(resamples=10)
    assert (row.mean, row.low) == (0.0, 0.0) and row.high == pytest.approx(1 - 0.025**0.01)


def test_queries_keep_their_values_in_any_order_of_the_truth():
    allowed = {"b": ["a"], "a": [], "c": ["x"], "empty": None}
    found = by_query(evaluate(run_of({"c": ["x"], "a": ["x"], "b": ["a"]}), permitted_truth(allowed), "Leak@1"))
    assert [found[query]["Leak@1"] for query in ("a", "b", "c")] == [1.0, 0.0, 0.0]


def test_without_permissions_the_metrics_are_unavailable_with_a_reason():
    found = evaluate(run_of({"q": ["a"]}), truth_of({"q": ["a"]}), "Leak@3")
    assert math.isnan(found.values[0, 0]) and any(
        "without allowed documents" in problem.actual for problem in found.problems)


def test_allowed_documents_are_read_from_a_truth_and_written_back(tmp_path, capfdbinary):
    lines = [{"query_id": "q1", "relevant": ["a"], "allowed": ["a", "7"]},
             {"query_id": "q2", "relevant": ["b"], "allowed": []}, {"query_id": "q3", "relevant": ["b"]}]
    (tmp_path / "truth.jsonl").write_text("\n".join(map(json.dumps, lines)))
    truth = read_truth(tmp_path / "truth.jsonl")
    assert truth.details["allowed"].to_pylist() == [["a", "7"], [], None]
    write_truth(truth, tmp_path / "again.jsonl")
    assert read_truth(tmp_path / "again.jsonl").digest == truth.digest
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 2.0 r\nq2 Q0 b 1 2.0 r\nq3 Q0 b 1 2.0 r\n")
    status, out, _ = call(capfdbinary, "evaluate", tmp_path / "run.txt", "--truth", tmp_path / "truth.jsonl", "-m",
                          "Leak@1")
    assert status == 0 and "0.5" in out


@pytest.mark.parametrize("returned, allowed, name", [
    (["d1", "d2", "d3"], ["D1", "D2", "D3"], "case"), (["a", "caf\u00e9"], ["a", "cafe\u0301"], "nfc"),
    (["d1", "d2"], ["d1", "D1", "D2"], "case"), (["D1", "d2"], ["d1", "D2"], "case,zeros"),
])
def test_ids_of_allowed_documents_are_read_alike_whether_they_are_judged_or_not(returned, allowed, name):
    truth = permitted_truth({"q": allowed})
    assert evaluate(run_of({"q": returned}), truth, "Leak@3").values.tolist() == [[1.0]]
    run = with_ids_of(run_of({"q": returned}), truth, name)
    assert evaluate(run, truth, "Leak@3 KCollapse@1").values.tolist() == [[0.0, 0.0]]


def test_a_truth_that_writes_a_document_in_two_ways_allows_it_once_ids_are_read_alike():
    details = pa.table({"query_id": ["q"], "allowed": [["D1"]]})
    truth = truth_of({"q": {"d1": 1}}, details=details)
    for returned in ("d1", "D1"):
        run = with_ids_of(run_of({"q": [returned]}), truth, "case")
        assert evaluate(run, truth, "Leak@1 AllowedRecall@1 R@1").values.tolist() == [[0.0, 1.0, 1.0]]


def test_the_fix_of_spellings_is_offered_for_allowed_documents_and_works():
    run, truth = run_of({"q": ["a", "d2", "d3"]}), permitted_truth({"q": ["a", "D2", "D3"]})
    entry = check_comparability([run], truth).of("respelled-allowed", "run")
    assert (entry.option, entry.count, entry.total, entry.severity) == (("ids", "case"), 2, 3, "warning")
    assert entry.examples == ("'d2' for 'D2'", "'d3' for 'D3'") and "allowed documents" in entry.found
    assert check_comparability([with_ids_of(run, truth, "case")], truth).of("respelled-allowed", "run") is None
    (check,) = [check for check in find_checks([Match(run, truth)], parse_spec("Leak@3")) if check.kind == "other-ids"]
    assert check.level == "withheld" and "allowed documents" in check.found()
    assert "other-ids" not in [check.kind for check in find_checks([Match(run, truth)], parse_spec("P@3"))]


def test_subtopics_of_documents_without_a_judgment_are_read_alike():
    subtopics = [[{"subtopic": "1", "doc_id": "D2", "grade": 1}]]
    truth = truth_of({"q": {"a": 1}}, details=pa.table({"query_id": ["q"], "subtopics": subtopics}))
    run = with_ids_of(run_of({"q": ["d2"]}), truth, "case")
    assert evaluate(run, truth, "StRecall@1").values.tolist() == [[1.0]]
