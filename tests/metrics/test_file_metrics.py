"""Metrics from a file: their Specs, and what evaluate makes of the values."""

import numpy as np
import pyarrow as pa
import pytest

from ragdash import InputError, Run, Truth, evaluate
from ragdash.analysis.verdict import decide, evidence_specs
from ragdash.core.file_scores import FileScores
from ragdash.core.text.metric_names import guess_direction, guess_range, is_human_label, is_metric_name
from ragdash.evaluation.compare import ComparisonRules, compare
from ragdash.metrics import (
    ANSWER_SPECS,
    METRICS,
    default_file_specs,
    default_specs,
    file_spec,
    file_specs,
    parse_spec,
    parse_specs,
    with_guesses,
)
from ragdash.metrics.docs.human_agreement import leading_metric, right_answers_metric
from ragdash.reporting.sentences.answers import right_answers_note
from ragdash.reporting.sentences.verdict import change_sentence, decision_sentence, verdict_sentence

COLUMNS = ["mrr", "a score", "it's", 'a "b"', "bo'th\"", "back\\slash", "factual_correctness(mode=f1)", "recall@10"]


def run_with(name, scores, queries=("q1", "q2", "q3", "q4")):
    rows = [(query, name, metric, value) for metric, values in scores.items()
            for query, value in zip(queries, values, strict=True)]
    return Run.build(name, list(queries), ["d"] * len(queries)).with_file_scores(FileScores.build(rows))


TRUTH = Truth.build("qrels", ["q1", "q2", "q3", "q4"], ["d"] * 4, [1, 1, 0, 0])


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("options", [{}, {"label": "Not 'ok', (x)"}, {"low": None, "high": None}, {"better": "lower"}])
def test_a_spec_is_read_back_from_its_spelling(column, options):
    spec = file_spec(column, **options)
    assert parse_spec(str(spec)) == spec
    assert parse_specs(f"R@5, {spec} RR") == (parse_spec("R@5"), spec, parse_spec("RR"))


def test_values_labels_and_what_is_missing():
    run = run_with("a", {"mrr": [0.5, 1.0, None, 0.0], "verdict": ["Correct", "Refusal", "Correct", None]})
    evaluation = evaluate(run, TRUTH, "file:mrr file:verdict(label='Correct') file:verdict(label='Refusal')")
    assert evaluation.values[[0, 1, 3], 0].tolist() == [0.5, 1.0, 0.0] and np.isnan(evaluation.values[2, 0])
    assert evaluation.values[:3, 1].tolist() == [1.0, 0.0, 1.0] and np.isnan(evaluation.values[3, 1])
    means = [(round(summary.mean, 6), summary.n) for summary in evaluation.summary()]
    assert means == [(0.5, 3), (0.666667, 3), (0.333333, 3)]
    assert all(summary.low <= summary.mean <= summary.high for summary in evaluation.summary())


def test_a_label_is_the_same_in_upper_and_lower_case():
    runs = [run_with("a", {"verdict": ["Correct", "Refusal", "Correct", "Incorrect"]}),
            run_with("b", {"verdict": ["correct", "refusal", "incorrect", "incorrect"]})]
    assert [spec.title for spec in file_specs(runs)] == [f"Share {label} (verdict)" for label in (
        "correct", "incorrect", "refusal")]
    assert [evaluate(run, TRUTH, "file:verdict(label='Correct')").values.mean() for run in runs] == [0.5, 0.25]


def test_another_word_for_a_label_is_undefined_and_not_0():
    german = run_with("a", {"verdict": ["richtig", "falsch", "richtig", "verweigert"]})
    evaluation = evaluate(german, TRUTH, "file:verdict(label='Correct') file:verdict(label='Incorrect') "
                                         "file:verdict(label='Refusal') file:verdict(label='richtig')")
    assert np.isnan(evaluation.values[:, :2]).all() and evaluation.values[:, 2].tolist() == [0.0] * 4
    assert evaluation.values[:, 3].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert [problem.message for problem in evaluation.problems] == ["unavailable/other-labels"] * 2
    assert "has other words for Correct: richtig" in str(evaluation.problems[0])


def test_a_run_whose_file_lacks_the_column_has_undefined_values_and_says_so():
    evaluation = evaluate(run_with("a", {"mrr": [1, 1, 1, 1]}), TRUTH, "file:sas RR")
    assert np.isnan(evaluation.column("file:sas")).all()
    assert [problem.message for problem in evaluation.problems] == ["unavailable/no-file-metric"]
    assert "it has mrr" in str(evaluation.problems[0])


def test_runs_are_compared_in_pairs_and_in_the_direction_of_the_metric():
    good, poor = run_with("good", {"latency": [1, 2, 1, 2]}), run_with("poor", {"latency": [3, 4, 3, 4]})
    spec = file_specs([good, poor])[0]
    assert (spec.metric.better, spec.range) == ("lower", (0.0, np.inf))
    evaluations = [evaluate(run, TRUTH, [spec]) for run in (good, poor)]
    comparison = compare(evaluations[0], evaluations[1:], [spec])[0][0]
    assert (comparison.mean_difference, comparison.sign, comparison.n) == (2.0, -1, 4)


def test_range_and_direction_are_guessed_over_all_runs_and_can_be_changed():
    runs = [run_with("a", {"rating": [1, 4, 2, 3], "mrr": [0, 0.5, 1, 1]}), run_with("b", {"rating": [5, 5, 4, 4]})]
    assert list(map(str, file_specs(runs))) == ["file:rating(high=5.0, low=1.0)", "file:mrr"]
    assert file_specs(runs, {"mrr": "lower"})[1].metric.better == "lower"
    assert file_specs(runs, {"mrr": "none"})[1].metric.better is None
    assert with_guesses(parse_specs("file:rating R@5"), file_specs(runs)) == (
        file_specs(runs)[0], parse_spec("R@5"))
    with pytest.raises(InputError, match="'sas', which is no metric of the files; expected one of rating or mrr"):
        file_specs(runs, {"sas": "lower"})


def test_what_a_run_spends_is_never_the_first_metric_while_something_says_what_is_right():
    details = pa.table({"query_id": ["q1", "q2"], "answer": ["Ann", "Rome"]})
    rows = [(query, "a", name, value) for query in ("q1", "q2")
            for name, value in (("latency", 1.5), ("total_cost", 2))]
    run = Run.build("a", [], [], details=details).with_file_scores(FileScores.build(rows))
    right = pa.table({"query_id": ["q1", "q2"], "answers": [["Ann"], ["Oslo"]]})
    references = Truth.build("refs", [], [], [], details=right)
    spent = ["file:latency(high=None)", "file:total_cost(high=None)"]
    assert list(map(str, default_specs([run], references))) == [*map(str, ANSWER_SPECS), *spent]
    judged = run.with_file_scores(FileScores.build([*rows, ("q1", "a", "faithfulness", 1.0)]))
    assert list(map(str, default_specs([judged], references))) == [
        *map(str, ANSWER_SPECS), "file:faithfulness", *spent], "a wrong answer can be faithful"
    right_too = run.with_file_scores(FileScores.build([
        *rows, ("q1", "a", "faithfulness", 1.0), ("q1", "a", "answer_correctness", 0.5)]))
    assert list(map(str, default_specs([right_too], references))) == [
        "file:answer_correctness", "file:faithfulness", *spent]
    assert list(map(str, default_specs([judged], Truth.of_queries([judged])))) == ["file:faithfulness", *spent]
    alone = Truth.of_queries([run])
    assert list(map(str, default_specs([run], alone)))[-2:] == spent


def test_the_first_metric_of_a_file_is_one_where_higher_is_better():
    runs = [run_with("a", {"hallucination": [0, 1, 0, 1], "mrr": [0, 0.5, 1, 1]})]
    assert list(map(str, file_specs(runs))) == ["file:hallucination", "file:mrr"]
    assert list(map(str, default_file_specs(runs))) == ["file:mrr", "file:hallucination"]


def test_scores_of_contexts_or_relevance_are_not_the_first_where_others_say_more():
    runs = [run_with("a", {name: [1, 0, 1, 1] for name in (
        "answer_relevancy", "hallucination", "context_precision", "faithfulness", "context_recall")})]
    assert list(map(str, default_file_specs(runs))) == [
        "file:faithfulness", "file:context_precision", "file:context_recall", "file:answer_relevancy",
        "file:hallucination"]


@pytest.mark.parametrize(("column", "meaning"), [
    ("answer_relevancy", "how well the answer addresses the question, not whether it is right"),
    ("ContextualRecallMetric", "how much of the right answer the contexts contain"),
    ("my_points", None),
])
def test_a_score_with_a_usual_name_says_what_it_means_and_others_only_where_they_come_from(column, meaning):
    line = file_spec(column).metric.summary_line
    assert line == (f"By its name, {meaning}." if meaning else f"{column} of each query as it is in the file. ragdash "
                    "has not computed it. Undefined for a query without a value.")
    assert "as it is in the file" in file_spec(column).metric.doc


@pytest.mark.parametrize("text", ["file:", "file:a(b=1)", "file:a(better='up')", "file:a(", "file:a(high='x')",
                                  "file:a(column='b')"])
def test_a_spec_that_cannot_be_read_is_refused(text):
    with pytest.raises(InputError):
        parse_spec(text)


def test_no_metric_of_a_file_is_registered():
    before = dict(METRICS)
    evaluate(run_with("a", {"mrr": [1, 1, 1, 1]}), TRUTH, "file:mrr")
    assert before == METRICS and "file" not in METRICS


def test_scores_stay_with_a_run_under_another_name_and_in_its_digest():
    run = run_with("a", {"mrr": [0.5, 1.0, 0.25, 0.0]})
    assert evaluate(run.renamed("b"), TRUTH, "file:mrr").values.tolist() == [[0.5], [1.0], [0.25], [0.0]]
    assert run.renamed("b").digest == run.digest != run_with("a", {"mrr": [0.5, 1.0, 0.25, 0.5]}).digest


@pytest.mark.parametrize("name, expected", [
    ("retrieval_mrr", True), ("hit_at_5", True), ("hit1", True), ("nDCG@10", True), ("hit_rate", True), ("sas", True),
    ("mean_reciprocal_rank", True), ("hit_ratio@5", True), ("reciprocal", False),
    ("e2e_correct", True), ("correct_answer", False), ("hits", False), ("map", False), ("year", False),
    ("num_hits", False), ("judge_model", False)])
def test_names_of_metrics(name, expected):
    assert is_metric_name(name) is expected


@pytest.mark.parametrize("name, label, expected", [
    ("mrr", "", "higher"), ("hallucination_rate", "", "lower"), ("latency", "", "lower"), ("temperature", "", None),
    ("verdict", "Correct", "higher"), ("verdict", "Incorrect", "lower"), ("verdict", "Not relevant", "lower"),
    ("verdict", "Refusal", None),
    ("Correct (y/n)", "", "higher"), ("correct_y_n", "", "higher"), ("Hallucination Y/N", "", "lower"),
    ("correct n", "", None), ("many_n", "", None), ("correct", "y", "higher"), ("correct", "N", "lower"),
    ("correct", "n/a", None)])
def test_directions(name, label, expected):
    assert guess_direction(name, label) == expected


@pytest.mark.parametrize("name", ["Correct (y/n)", "right y/n", "Human label [Y/N]"])
def test_a_name_that_says_how_it_is_filled_in_is_a_label_of_people(name):
    assert is_human_label(name, text=False)


def test_a_metric_without_a_better_end_has_a_value_but_no_best_run():
    specs = file_specs([run_with("a", {"alpha": [0, 1, 0.5, 1]})])
    verdict = decide([evaluate(run_with("a", {"alpha": [0, 1, 0.5, 1]}), TRUTH, specs)], specs[0], (),
                     ComparisonRules())
    assert verdict.state == "undefined" and "undefined" not in verdict_sentence(verdict)
    assert verdict_sentence(verdict) == "Nothing says whether a higher or a lower alpha \\(file\\) is better."
    assert decision_sentence(verdict) == "No run can be called better by alpha \\(file\\)."
    assert change_sentence(verdict).startswith("On Data, choose which end of alpha is better")
    assert "--metric-direction 'alpha=higher'" in change_sentence(verdict, "cli", markdown=False)


@pytest.mark.parametrize("values, expected", [
    ([0, 1], (0, 1)), ([0.3], (0, 1)), ([1, 5], (1, 5)), ([0, 5], (0, 5)), ([4.6], (0, 5)), ([0, 2], (0, 2)),
    ([1, 8], (1, 10)), ([0, 8], (0, 10)), ([1, 3], (1, 3)),
    ([0, 3], (0, 3)), ([73.5], (0, 100)), ([812], (0, np.inf)), ([-0.2, 1], (-np.inf, np.inf)), ([], (0, 1))])
def test_ranges(values, expected):
    assert guess_range(values) == expected


@pytest.mark.parametrize("column, quoted", [("my_score", True), ("human_score", True), ("answer_rating", True),
                                            ("score", False), ("retrieval_score", False)])
def test_a_score_of_answers_in_the_file_comes_before_word_overlap(column, quoted):
    specs = [file_spec(column), *parse_specs("TokenF1 EM")]
    chosen = right_answers_metric(specs, lambda spec: 10)
    assert (chosen == specs[0]) is quoted and (chosen == specs[1]) is not quoted
    assert (specs[0] in evidence_specs(specs, parse_spec("nDCG@10"))) is quoted
    note = right_answers_note(chosen, [], [("**dense** 0.5", "over 10 answers")])
    assert ("people's scores" in note) is (column in ("my_score", "human_score"))


def test_labels_of_people_come_before_the_score_of_a_judge_and_labels_check_it():
    specs = [file_spec("answer_correctness"), file_spec("human_ok")]
    assert right_answers_metric(specs, lambda spec: 10) == leading_metric(specs, lambda spec: 10) == specs[1]
    numbers = [("**dense** 0.5", "over 10 answers")]
    assert right_answers_note(specs[0], [0], numbers).endswith("How often it is wrong is not known.")
    assert right_answers_note(specs[0], [22], numbers).endswith("Judge validation shows how often it is wrong.")


def test_how_many_answers_there_are_is_said_once_where_it_is_the_same_for_all_runs():
    spec = parse_spec("TokenF1")
    alike = right_answers_note(spec, [], [(f"**{name}** 68%", "of 122 answers") for name in "abcdefg"])
    assert alike.startswith("**How many answers are right?** Of 122 answers each: **a** 68%, **b** 68%, ")
    assert alike.count("122") == 1 and "**e** 68% and 2 more runs." in alike
    other = right_answers_note(spec, [], [("**a** 68%", "of 122 answers"), ("**b** 70%", "of 1 answer")])
    assert "**a** 68% of 122 answers and **b** 70% of 1 answer." in other
