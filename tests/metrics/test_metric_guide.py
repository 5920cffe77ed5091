"""The metric reference: every example is computed, every metric has its place, every use names metrics that exist."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import METRICS, example_setups
from ragdash.metrics.docs.reference import as_markdown
from ragdash.metrics.docs.use_cases import USES

EXAMPLES = {name: metric.example for name, metric in METRICS.items() if metric.example}
FAMILIES = ("retrieval", "judgments", "detection", "evidence", "answers", "grounding", "semantic")


def setting(about: str) -> tuple[Run, Truth]:
    """The run and the truth of a set-up."""
    if about == "ranking":
        grades = example_setups.GRADES
        truth = Truth.build("truth", ["q"] * len(grades), list(grades), list(grades.values()))
        return Run.build("run", ["q"] * 5, list(example_setups.RANKING), list(example_setups.SCORES)), truth
    if about == "evidence":
        spans = [{"text": text, "source": None} for text in example_setups.SPANS]
        details = pa.table({"query_id": ["q"], "evidence": [spans]})
        run = Run.build(
            "run", ["q"] * 4, ["1", "2", "3", "4"], [4.0, 3.0, 2.0, 1.0], texts=list(example_setups.CHUNKS)
        )
        return run, Truth.build("truth", pa.array([], pa.string()), pa.array([], pa.string()), [], details=details)
    answer = {
        "answer": example_setups.ANSWER,
        "numbers": example_setups.SALES_ANSWER,
        "declined": example_setups.DECLINED,
        "grounded": example_setups.GROUNDED,
    }[about]
    sales = about == "numbers"
    details = pa.table({
        "query_id": ["q"], "query": [example_setups.SALES_QUESTION if sales else example_setups.QUESTION],
        "answers": [[example_setups.SALES_REFERENCE if sales else example_setups.REFERENCE]]})
    truth = Truth.build("truth", ["q"], ["d"], [1], details=details)
    return Run.build("run", ["q"], ["d"], [1.0], details=pa.table({
        "query_id": ["q"], "answer": [answer], "contexts": [[example_setups.CONTEXT]]})), truth


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_worked_example_is_what_the_metric_gives(name):
    example = EXAMPLES[name]
    run, truth = setting(example.about)
    found = evaluate(run, truth, example.spec)
    assert found.specs[0].name == name
    assert found.summary(resamples=10)[0].mean == pytest.approx(example.value, abs=5e-8)


@pytest.mark.parametrize("name", [name for name, one in METRICS.items() if one.family in FAMILIES])
def test_every_metric_says_when_to_use_it_and_has_an_example(name):
    assert len(METRICS[name].when) > 20
    assert name in EXAMPLES or METRICS[name].family == "semantic", "a model's number is no pencil and paper"


def test_use_cases_name_metrics_that_exist():
    assert {name for use in USES for name in (*use.metrics, *use.judged)} <= METRICS.keys()


def test_the_reference_holds_examples_guidance_and_uses():
    text = as_markdown(METRICS.values())
    assert "Which metrics for which use" in text and "Law and medicine" in text
    for example in EXAMPLES.values():
        assert example.worked in text and example.setting in text
