"""Measures of diversity: by hand, and equal to ndeval (pyndeval 0.0.8 through ir_measures 0.4.3) per query."""

from __future__ import annotations

import math

import pytest
from helpers import by_query, run_of, truth_of

from ragdash.core.errors import InputError
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_truth, write_truth

QRELS = """q1 1 a 1
q1 1 b 1
q1 2 b 2
q1 2 c 1
q1 3 d 1
q1 3 a 0
q2 1 a 1
q2 2 e 1
q2 2 f 3
q2 4 f 1
q3 1 g 0
q3 2 g 0
"""
RUN = {"q1": ["x", "a", "b", "c", "d"], "q2": ["f", "a", "y", "e"], "q3": ["g"]}
NDEVAL = {  # q1, q2
    "alpha_nDCG@2": (0.2398124666, 1.0), "alpha_nDCG@5": (0.6404874575, 0.9879685643),
    "alpha_nDCG(alpha=0.8)@5": (0.6048557037, 0.9949230886), "alpha_nDCG(rel=2)@5": (0.5, 1.0),
    "ERR_IA@3": (0.25, 0.625), "ERR_IA@10": (0.3186329986, 0.6312540538), "NRBP": (0.25, 0.640625),
    "NRBP(alpha=0.2,beta=0.8)": (0.332544, 0.385152), "StRecall@2": (0.3333333333, 1.0),
    "StRecall@3": (0.6666666667, 1.0), "StRecall(rel=2)@5": (1.0, 1.0),
}


@pytest.fixture(scope="module")
def truth():
    return read_truth(("web.qrels", QRELS.encode()))


@pytest.mark.parametrize("spec", NDEVAL)
def test_equal_to_ndeval(spec, truth):
    values = evaluate(run_of(RUN), truth, spec).values
    assert values[:2].ravel().tolist() == pytest.approx(NDEVAL[spec], abs=1e-9)
    assert math.isnan(values[2, 0]), "q3 has no relevant document"


def test_by_hand(truth):
    """q1: x gains 0, a 1 (subtopic 1), b 1/2 + 1 (1 again, 2), c 1/2 (2 again), d 1 (3). Ideal: b 2, d 1, c 1/2."""
    values = by_query(evaluate(run_of(RUN), truth, "alpha_nDCG@3 ERR_IA@3 NRBP StRecall@3"))["q1"]
    discount = [1 / math.log2(rank + 1) for rank in (1, 2, 3)]
    ideal = 2 * discount[0] + 1 * discount[1] + 0.5 * discount[2]
    assert values["alpha_nDCG@3"] == pytest.approx((discount[1] + 1.5 * discount[2]) / ideal)
    assert values["ERR_IA@3"] == pytest.approx((1 / 2 + 1.5 / 3) / (3 * (1 + 0.5 / 2 + 0.25 / 3)))
    assert values["NRBP"] == pytest.approx((0.5 + 1.5 / 4 + 0.5 / 8 + 1 / 16) * 0.75 / 3)
    assert values["StRecall@3"] == pytest.approx(2 / 3)


def test_without_subtopics_they_are_unavailable_with_a_reason():
    result = evaluate(run_of({"q": ["a"]}), truth_of({"q": ["a"]}), "alpha_nDCG@3")
    assert math.isnan(result.values[0, 0]) and any("subtopics" in problem.actual for problem in result.problems)


def test_diversity_qrels_are_recognized_and_nothing_is_lost(truth, tmp_path):
    assert [(problem.kind, problem.severity) for problem in truth.problems] == [("subtopics", "note")]
    grades = {(truth.query_ids[int(query)].as_py(), doc): int(grade) for query, doc, grade in
              zip(truth.queries, truth.docs.to_pylist(), truth.grades, strict=True)}
    assert grades["q1", "a"] == 1 and grades["q1", "b"] == 2 and grades["q2", "f"] == 3
    for name in ("web.qrels", "web.jsonl", "web.parquet", "web.csv"):
        write_truth(truth, tmp_path / name)
        again = read_truth(tmp_path / name)
        assert evaluate(run_of(RUN), again, "NRBP alpha_nDCG@5 nDCG@5").values[:2].tolist() == evaluate(
            run_of(RUN), truth, "NRBP alpha_nDCG@5 nDCG@5").values[:2].tolist(), name


def test_qrels_of_one_iteration_have_no_subtopics():
    for text in ("q1 0 a 1\nq1 0 b 0\n", "q1 Q0 a 1\nq2 1 a 1\n"):
        truth = read_truth(("qrels", text.encode()))
        assert truth.details is None and not truth.problems


def test_a_document_with_two_grades_for_one_subtopic_is_an_error():
    with pytest.raises(InputError) as caught:
        read_truth(("qrels", b"q1 1 a 1\nq1 2 a 1\nq1 2 a 2\n"))
    assert "subtopic 2" in str(caught.value)
