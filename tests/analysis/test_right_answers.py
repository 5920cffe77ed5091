"""What counts as a right answer: labels of the file first, then refusals and numbers, then text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from diagnosis_cases import answers, known
from helpers import run_of, truth_of

from ragdash.analysis.diagnosis import DiagnosisRules, diagnose, explain
from ragdash.core.file_scores import FileScores
from ragdash.core.text import is_quantity
from ragdash.matching.file_labels import human_label_column, label_columns, labels_by_query, read_labels_of
from ragdash.matching.match import Match
from ragdash.matching.question_types import right_refusals
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import find_task
from ragdash.models.judge.tasks.registry import NO_ANSWER
from ragdash.reporting.sentences.failures.answer_rules import right_answer_rule

SAID = {"a": "Paris", "b": "Rome", "c": "I don't know.", "d": "I don't know.", "e": "Oslo"}
JUDGE = Judge("localhost:1", "reader")
LABELS = {"a": "Incorrect Answer", "b": "Correct Answer", "c": "Refusal", "d": "Refusal", "e": "Partially correct"}
TRUTH = truth_of({query: ["x"] for query in SAID}, details=known(
    {"a": ["Paris"], "b": ["Bern"], "c": ["Wien"], "d": ["The documents do not say."], "e": ["Lima"]}))


def labeled(columns: dict[str, dict], said: dict = SAID):
    run = run_of({query: ["x"] for query in said}, details=answers(said))
    rows = [(query, run.name, column, value) for column, values in columns.items() for query, value in values.items()]
    return run.with_file_scores(FileScores.build(rows))


def stages(run, truth=TRUTH, **rules) -> dict[str, str]:
    diagnosis = diagnose(Match(run, truth), DiagnosisRules(**rules))
    return {query: diagnosis.stage_of(query).name for query in diagnosis.query_ids.to_pylist()}


def test_labels_of_the_file_decide_before_any_metric():
    """a holds the reference and is labeled wrong, b does not and is labeled right; d declines as the reference does."""
    run = labeled({"verdict": LABELS})
    assert stages(run) == {"a": "wrong-answer", "b": "fine", "c": "refused", "d": "fine", "e": "fine"}
    diagnosis = diagnose(Match(run, TRUTH))
    assert diagnosis.label_column == "verdict"
    assert explain(diagnosis, "a").rule == "The answer is wrong: its label in verdict says that it is wrong."
    assert "its label in verdict says that it is right" in explain(diagnosis, "b").rule
    assert "its label in verdict says that it is partly right, which counts as right" in explain(diagnosis, "e").rule
    assert "(`verdict`), where a partly right answer counts as right;" in right_answer_rule([diagnosis], ["run"])
    alone = {"a": "fine", "b": "wrong-answer", "c": "refused", "d": "fine", "e": "wrong-answer"}
    assert stages(run, label_column="none") == alone == stages(labeled({"mrr": dict.fromkeys(SAID, 1.0)}))


def test_an_answer_that_is_right_without_declining_passes_where_there_is_no_answer():
    """Labeled right, in words that no list of phrases has: the step does not say that all who pass it decline."""
    truth = truth_of({"a": ["x"], "b": []}, details=pa.table({
        "query_id": ["a", "b"], "attributes": ["{}", '{"answerable": false}']}))
    run = labeled({"verdict": {"a": "Correct", "b": "Correct"}}, {"a": "Paris", "b": "Two names, not given."})
    diagnosis = diagnose(Match(run, truth))
    assert diagnosis.declined().total == 0 and diagnosis.stage_of("b").name == "fine"
    step = diagnosis.waterfall()[-1]
    assert (step.reached, step.lost, step.title) == (1, 0, "Right where there is no answer")


def test_labels_decide_where_the_file_has_no_answers():
    bare = run_of({query: ["x"] for query in "ab"})
    run = bare.with_file_scores(FileScores.build(
        [("a", bare.name, "is_correct", 0.0), ("b", bare.name, "is_correct", 1.0)]))
    truth = truth_of({"a": ["x"], "b": ["x"]})
    assert stages(bare, truth) == {"a": "fine", "b": "fine"}
    assert stages(run, truth) == {"a": "wrong-answer", "b": "fine"}
    diagnosis = diagnose(Match(run, truth))
    assert "wrong-answer" not in diagnosis.reasons and diagnosis.reasons["not-grounded"] == "no answers"
    assert "its label in is_correct says that it is wrong" in explain(diagnosis, "a").rule


def test_labels_are_values_and_a_refusal_is_right_where_the_reference_declines():
    match = Match(labeled({"verdict": LABELS}), TRUTH)
    assert labels_by_query(match, "verdict") == {"a": 0.0, "b": 1.0, "c": 0.0, "d": 1.0, "e": 0.5}
    assert right_refusals(TRUTH).tolist() == [False, False, False, True, False]
    unanswerable = truth_of({query: ["x"] for query in SAID}, details=known(
        dict.fromkeys(SAID, None), {"c": {"type": "no_answer"}}))
    assert right_refusals(unanswerable).tolist() == [False, False, True, False, False]
    assert np.isnan(read_labels_of(Match(run_of({"a": ["x"]}), TRUTH), "verdict")).all()


def test_columns_of_labels_are_told_from_other_scores():
    ones = dict.fromkeys(SAID, 1.0)
    run = labeled({"mrr": ones, "judge_verdict": LABELS, "is_correct": {**ones, "a": 0.0}, "rating": {"a": 4.0},
                   "hallucination": ones, "language": dict.fromkeys(SAID, "en")})
    assert label_columns(run) == ("is_correct", "judge_verdict", "mrr") and human_label_column(run) == "is_correct"
    assert human_label_column(labeled({"mrr": ones, "judge_verdict": LABELS})) == ""
    assert human_label_column(labeled({"correct": {**ones, "a": 0.25}})) == "", "people give 0, 0.5 and 1"


@pytest.mark.parametrize(("answer", "reference", "stage"), [
    ("It is $1.4965 billion", "$1,496.5 million", "fine"), ("$1.4 billion in 2019", "$1,496.5 million", "wrong-answer"),
    ("It was mission Apollo 11", "Apollo 11", "fine"), ("There were 11 people", "Apollo 11", "wrong-answer")])
def test_the_number_decides_where_the_reference_is_one(answer, reference, stage):
    """Words in common decide nothing there: the token F1 of the first is 0. A name with a number is no number."""
    truth = truth_of({"q": ["x"]}, details=known({"q": [reference]}))
    run = run_of({"q": ["x"]}, details=answers({"q": answer}))
    assert stages(run, truth) == {"q": stage}
    if is_quantity(reference):
        rule = explain(diagnose(Match(run, truth)), "q").rule
        assert f"{'states' if stage == 'fine' else 'does not state'} the number of the reference" in rule
        chosen = stages(run, truth, right_by="ROUGE_1", right=0.9)
        assert chosen == {"q": "wrong-answer"}, "a metric chosen by hand comes before the number"


def test_an_empty_reference_is_shown_to_the_judge_of_right_answers_in_words():
    """So the judge can find a refusal right. What compares contexts with the reference is not asked about it."""
    run = run_of({"q": ["x"], "p": ["x"]}, details=answers({"q": "I don't know.", "p": "Paris"}))
    truth = truth_of({"q": ["x"], "p": ["x"]}, details=known({"q": [""], "p": None}))
    by_query = {case.query_id: case for case in Match(run, truth).judged.cases}
    empty, none = by_query["q"], by_query["p"]
    assert find_task("Correctness").lacks(empty) is None and find_task("Correctness").lacks(none) == "no-references"
    question, = next(find_task("Correctness").start(empty))
    assert NO_ANSWER in question.user
    assert find_task("RAGAS.ContextRecall").lacks(empty) == "no-references"


@pytest.fixture
def own_workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))


def judge_answers(match: Match, scores: dict[str, float]) -> None:
    """Keep verdicts of a judge on Correctness, in the order of the queries."""
    ids = [query for query in match.query_ids.to_pylist() if query in scores]
    rows = [match.query_ids.to_pylist().index(query) for query in ids]
    questions = first_round(match.judged.askings("Correctness", rows))
    default_verdict_store().save(JUDGE, [(question, Reply({"reason": "so", "score": scores[query]}, attempts=1))
                                         for query, question in zip(ids, questions, strict=True)])


def asked() -> tuple:
    """The run and the truth of the cases above, with the questions that a judge needs."""
    details = known({"a": ["Paris"], "b": ["Bern"], "c": ["Wien"], "d": ["The documents do not say."], "e": ["Lima"]})
    details = details.append_column("query", pa.array([f"Which city is {query}?" for query in SAID]))
    return (run_of({query: ["x"] for query in SAID}, details=answers(SAID)),
            truth_of({query: ["x"] for query in SAID}, details=details))


def test_verdicts_of_a_judge_decide_after_labels_and_before_numbers_and_texts(own_workspace):
    """a holds the reference and the judge finds it wrong; b and e do not, and it finds them right or partly right."""
    run, truth = asked()
    judge_answers(Match(run, truth), {"a": 0.0, "b": 1.0, "c": 0.0, "d": 1.0, "e": 0.5})
    diagnosis = diagnose(Match(run, truth))
    assert stages(run, truth) == {"a": "wrong-answer", "b": "fine", "c": "refused", "d": "fine", "e": "fine"}
    assert diagnosis.judge == diagnosis.settings["judge"] == str(JUDGE)
    assert explain(diagnosis, "a").rule == "The answer is wrong: the judge gives it 0 (0.5 is needed)."
    by_words = {"a": "fine", "b": "wrong-answer", "c": "refused", "d": "fine", "e": "wrong-answer"}
    assert stages(run, truth, right_judge="none") == by_words == stages(*asked(), right_judge="none")
    assert stages(run, truth, right_by="ROUGE_1", right=0.9)["b"] == "wrong-answer", "another metric was asked for"
    rule = right_answer_rule([diagnosis], ["mine"])
    judged = f"Correctness by the judge {JUDGE} is 0.5 (partly right) or more; where every reference is a number"
    assert judged in rule.replace("\\", "")
    two = right_answer_rule([diagnosis, diagnose(Match(run, truth), DiagnosisRules(right_judge="none"))],
                            ["mine", "other"])
    assert "is 0.5 (partly right) or more, for mine only" in two
    labels = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 1.0, "e": 1.0}
    rows = [(query, run.name, "is_correct", value) for query, value in labels.items()]
    assert stages(run.with_file_scores(FileScores.build(rows)), truth)["a"] == "fine", "labels come first"


def test_a_judge_that_has_judged_a_part_of_the_answers_does_not_decide(own_workspace):
    run, truth = asked()
    judge_answers(Match(run, truth), {"a": 0.0, "b": 1.0, "c": 0.0, "d": 1.0})
    assert diagnose(Match(run, truth)).judge == "" and stages(run, truth)["a"] == "fine"
