"""The stage of queries whose first k documents hold what the asker may not see."""

from __future__ import annotations

import json

import orjson
import pyarrow as pa
from helpers import run_of, truth_of

from ragdash.analysis.diagnosis import DiagnosisRules, diagnose, explain
from ragdash.io import read_truth
from ragdash.matching.match import Match

ALLOWED = {"clean": ["a", "b"], "deep": ["a", "b", "c"], "leaks": ["a", "c"], "nothing": [], "unsaid": None}
RANKING = ["a", "b", "c", "x"]
NAME = "forbidden"


def permitted_truth(allowed, gold=("a",), attributes=None):
    columns = {"query_id": list(allowed), "allowed": pa.array(list(allowed.values()), pa.list_(pa.string()))}
    if attributes:
        columns["attributes"] = [orjson.dumps(attributes).decode()] * len(allowed)
    return truth_of({query: list(gold) for query in allowed}, details=pa.table(columns))


def diagnosis_of(truth, k=2):
    return diagnose(Match(run_of(dict.fromkeys(ALLOWED, RANKING)), truth), DiagnosisRules(k=k))


def test_a_forbidden_document_in_the_first_k_is_a_stage_of_its_own():
    diagnosis = diagnosis_of(permitted_truth(ALLOWED))
    assert {query: diagnosis.stage_of(query).name for query in ALLOWED} == {
        "clean": "fine", "deep": "fine", "leaks": NAME, "nothing": NAME, "unsaid": "fine"}
    assert explain(diagnosis, "leaks").rule == (
        "1 of the first 2 documents are forbidden for the asker; without the forbidden ones 2 of 4 are left.")
    assert explain(diagnosis, "nothing").rule.endswith("0 of 4 are left, fewer than 2: filtered away.")
    assert "Only allowed documents in the first 2" in explain(diagnosis, "unsaid").not_assessed


def test_the_waterfall_has_the_step_and_counts_what_is_not_known():
    steps = {step.name: step for step in diagnosis_of(permitted_truth(ALLOWED)).waterfall()}
    assert (steps[NAME].reached, steps[NAME].lost, steps[NAME].unknown) == (5, 2, 1)
    assert steps["not-in-corpus"].reached == 3


def test_a_question_without_an_answer_and_a_query_without_gold_can_leak():
    for truth in (permitted_truth(ALLOWED, attributes={"type": "no_answer"}), permitted_truth(ALLOWED, gold=())):
        diagnosis = diagnosis_of(truth)
        stages = [diagnosis.stage_of(query).name for query in ("clean", "leaks", "unsaid")]
        assert stages == ["no-gold", NAME, "no-gold"]
        assert sum(step.lost for step in diagnosis.waterfall()) == 5


def test_without_permissions_the_stage_is_not_mentioned():
    diagnosis = diagnosis_of(truth_of({query: ["a"] for query in ALLOWED}))
    assert NAME not in [step.name for step in diagnosis.waterfall()] and not diagnosis.mentions(NAME)
    assert not any("allowed" in what for what in explain(diagnosis, "clean").not_assessed)


def test_who_asks_and_the_filter_are_attributes_of_the_query(tmp_path):
    line = {"query_id": "q", "relevant": ["a"], "allowed": ["a"], "principal": "anna", "filter": "team = law"}
    (tmp_path / "truth.jsonl").write_text(json.dumps(line))
    (attributes,) = read_truth(tmp_path / "truth.jsonl").details["attributes"].to_pylist()
    assert orjson.loads(attributes) == {"principal": "anna", "filter": "team = law"}
