"""Answers, references, contexts and evidence of every bad kind, through evaluate: undefined or unavailable, never 0."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import sacrebleu

from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import METRICS

pytestmark = pytest.mark.filterwarnings("error")

ANSWER_METRICS = [name for name, metric in METRICS.items() if metric.view == "Answered"]
REFERENCE_METRICS = [name for name in ANSWER_METRICS if name not in ("AnswerRelevance", "Refusal")]
GROUNDING = [name for name, metric in METRICS.items() if metric.view == "Grounded"]
EVERY = [*ANSWER_METRICS, *GROUNDING]
LONG = "The answer \u7b54\u3048 \u0627\u0644\u062c\u0648\u0627\u0628 is 4,213. " * 30_000
TEXT = "Paris had 2,100,000 inhabitants in 2020."


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path))


def evaluated(answer=None, reference=None, contexts=None, question="How many lived in Paris?", texts=None):
    """Two queries of which the first has these texts, the second good ones; a column that is None is not there."""
    columns = {name: value for name, value in (("answer", answer), ("contexts", contexts)) if value is not None}
    details = pa.table({"query_id": ["q1", "q2"], **{name: pa.array(value) for name, value in columns.items()}})
    run = Run.build("run", ["q1", "q2"], ["a", "a"], details=details, texts=texts)
    known = {name: pa.array(value) for name, value in (("query", question and [question, question]),
                                                       ("answers", reference)) if value}
    truth = Truth.build("truth", ["q1", "q2"], ["a", "a"], [1, 1],
                        details=pa.table({"query_id": ["q1", "q2"], **known}))
    found = evaluate(run, truth, EVERY)
    return ({str(spec): found.values[:, i].tolist() for i, spec in enumerate(found.specs)},
            [one for one in found.problems if one.kind == "unavailable"])


def good(first):
    return [first, TEXT]


def test_no_answers():
    values, problems = evaluated(None, [[TEXT], [TEXT]], [[TEXT], [TEXT]])
    assert np.isnan(list(values.values())).all()
    assert [one.field for one in problems] == ["answer"] and problems[0].fix


def test_one_answer_is_missing():
    values, problems = evaluated(good(None), [[TEXT], [TEXT]], [[TEXT], [TEXT]])
    assert all(np.isnan(first) and not np.isnan(second) for first, second in values.values()) and not problems


def test_no_references_leave_the_metrics_that_need_none():
    values, problems = evaluated(good(TEXT), None, [[TEXT], [TEXT]])
    for name, found in values.items():
        assert np.isnan(found).all() == (name in REFERENCE_METRICS), name
    assert [(one.field, one.severity) for one in problems] == [("answers", "warning")]


def test_no_questions_leave_the_metrics_that_need_none():
    values, problems = evaluated(good(TEXT), [[TEXT], [TEXT]], [[TEXT], [TEXT]], question=None)
    assert [name for name, found in values.items() if np.isnan(found).all()] == ["AnswerRelevance"]
    assert [one.field for one in problems] == ["query"]


def test_no_reference_for_one_query():
    values, _ = evaluated(good(TEXT), [[], [TEXT]], [[TEXT], [TEXT]])
    assert all(np.isnan(values[name][0]) and values[name][1] > 0.9 for name in REFERENCE_METRICS)


@pytest.mark.parametrize("answer", ["", "  \n", "?!... --"])
def test_an_empty_answer_or_one_of_punctuation(answer):
    """Wrong against a reference, as SQuAD has it; nothing to ground, nothing said. sacrebleu counts punctuation."""
    values, _ = evaluated(good(answer), [[TEXT], [TEXT]], [[TEXT], [TEXT]])
    by_sacrebleu = {"BLEU": sacrebleu.BLEU(effective_order=True), "chrF": sacrebleu.CHRF()}
    assert {values[name][0] for name in {*REFERENCE_METRICS, "AnswerRelevance"} - by_sacrebleu.keys()} == {0.0}
    for name, peer in by_sacrebleu.items():
        assert values[name][0] == pytest.approx(peer.sentence_score(answer, [TEXT]).score / 100, abs=1e-12)
        assert values[name][0] < 0.1
    assert np.isnan([values[name][0] for name in (*GROUNDING, "Refusal")]).all()


@pytest.mark.parametrize("contexts", [[], [""], [None], ["..."]])
def test_contexts_that_hold_nothing(contexts):
    values, _ = evaluated(good(TEXT), [[TEXT], [TEXT]], [contexts, [TEXT]])
    assert [values[name] for name in ("SupportCoverage", "SupportDensity", "HallucinationRate", "UnsupportedNumbers")
            ] == [[0, 1], [0, 1], [1, 0], [1, 0]]


def test_unknown_contexts_and_none_at_all():
    values, _ = evaluated(good(TEXT), [[TEXT], [TEXT]], [None, [TEXT]])
    assert all(np.isnan(values[name][0]) and not np.isnan(values[name][1]) for name in GROUNDING)
    values, problems = evaluated(good(TEXT), [[TEXT], [TEXT]], None)
    assert np.isnan([values[name] for name in GROUNDING]).all() and [one.field for one in problems] == ["contexts"]


def test_contexts_as_one_text_are_one_context_and_not_its_letters():
    values, _ = evaluated(["Paris x", TEXT], [[TEXT], [TEXT]], ["Paris", TEXT])
    assert values["SupportDensity"] == [0.5, 1.0]


def test_first_documents_without_a_text_are_no_contexts():
    values, _ = evaluated(good(TEXT), [[TEXT], [TEXT]], None, texts=pa.array([None, TEXT]))
    assert all(np.isnan(values[name][0]) for name in GROUNDING) and values["SupportDensity"][1] == 1


@pytest.mark.slow
def test_a_megabyte_and_mixed_scripts():
    assert len(LONG.encode()) > 1_000_000
    values, problems = evaluated(good(LONG), [[LONG], [TEXT]], [[LONG], [TEXT]])
    assert not problems and not np.isnan(list(values.values())).any()
    assert {values[name][0] for name in (*REFERENCE_METRICS, "SupportDensity", "SupportCoverage")} == {1.0}


@pytest.mark.parametrize("span, chunk, covered", [
    ("", "some text", None), ("?!", "?!", None), (TEXT, "", 0.0), (TEXT, "...", 0.0), (TEXT, LONG, 0.0),
    ("\u7b54\u3048 \u0627\u0644\u062c\u0648\u0627\u0628", LONG, 1.0)])
def test_spans_and_chunks_of_every_bad_kind(span, chunk, covered):
    evidence = pa.array([[{"text": span, "source": None}], [{"text": TEXT, "source": None}]])
    truth = Truth.build("truth", [], [], [], details=pa.table({"query_id": ["q1", "q2"], "evidence": evidence}))
    found = evaluate(Run.build("run", ["q1", "q2"], ["a", "b"], texts=pa.array([chunk, TEXT])), truth,
                     ["PerQueryCoverage@5", "R@5", "P@5"], match="evidence")
    first = found.values[0].tolist()
    assert np.isnan(first).all() if covered is None else first[:2] == [covered] * 2
    assert found.values[1].tolist() == [1.0, 1.0, 0.2]
