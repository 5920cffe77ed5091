"""The order of evidence of answer metrics, and the table that it follows from."""

from __future__ import annotations

from ragdash.metrics import METRICS, file_spec, parse_specs
from ragdash.metrics.docs.human_agreement import (
    AGREEMENTS,
    LAST,
    ORDER,
    RATED,
    WORD_OVERLAP,
    agreement_rows,
    evidence_rank,
    leading_metric,
)
from ragdash.metrics.docs.reference import agreement


def test_every_figure_is_of_a_metric_and_inside_its_interval():
    assert {row.metric for row in AGREEMENTS} | set(ORDER) | set(LAST) | set(WORD_OVERLAP) <= set(METRICS)
    assert all(row.low <= row.value <= row.high and row.n >= 100 and row.rated < len(RATED) for row in AGREEMENTS)
    rows = agreement_rows()
    assert [row["Metric"] for row in rows][:3] == ["Support coverage", "Numbers of a reference", "Token F1"]
    assert rows[-1]["Metric"] == "Answer relevance" and all(len(row) == 1 + len(RATED) for row in rows)
    assert agreement().count("0.92 [0.89, 0.95]") == 1


def test_labels_lead_then_judges_then_what_agrees_with_people():
    label = file_spec("verdict", "Correct")
    specs = [*parse_specs("AnswerRelevance EM NumberMatch TokenF1 SupportCoverage Correctness"), label]
    ordered = sorted(specs, key=evidence_rank)
    assert list(map(str, ordered[:2])) == [str(label), "Correctness"] and ordered[-1].name == "AnswerRelevance"
    counts = dict.fromkeys(specs, 100)
    assert leading_metric(specs, counts.__getitem__) == label
    refusal = file_spec("verdict", "Refusal")
    answers = parse_specs("TokenF1 NumberMatch")
    assert leading_metric([refusal, *answers], lambda spec: 100).name == "NumberMatch", "neither end of it is better"
    assert leading_metric(answers, lambda spec: 70 if spec.name == "NumberMatch" else 100).name == "TokenF1"
    assert leading_metric(answers, lambda spec: 75 if spec.name == "NumberMatch" else 100).name == "NumberMatch"
    scores = parse_specs("file:answer_relevancy file:context_recall file:faithfulness")
    assert leading_metric(scores, lambda spec: 100).file_column == "faithfulness", "a wrong answer can be relevant"
    grounded = [*scores, *parse_specs("SupportCoverage TokenF1")]
    assert leading_metric(grounded, lambda spec: 100).name == "TokenF1", "a wrong answer can be faithful"
    judged = parse_specs("Correctness TokenF1")
    assert leading_metric(judged, lambda spec: 5 if spec.name == "Correctness" else 122).name == "TokenF1", "a trial"
    assert leading_metric(judged, lambda spec: 61 if spec.name == "Correctness" else 122).name == "Correctness"
