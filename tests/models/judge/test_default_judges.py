"""Whose verdicts a metric shows where no judge is chosen: a trial never takes the place of a result on all queries."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from ragdash.cli.main import main
from ragdash.core.records import Run, Truth
from ragdash.evaluation.compare import compare
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.scoring.default_judges import default_judges, with_default_judges
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import first_round

OLD, TRIAL = Judge("old.org", "old"), Judge("trial.org", "trial")
IDS = [f"q{at}" for at in range(6)]
SPEC, = parse_specs("Faithfulness")


def matches() -> list[Match]:
    truth = Truth.build("truth", IDS, ["a"] * 6, np.ones(6, int), details=pa.table(
        {"query_id": IDS, "query": [f"What is stone {at}?" for at in range(6)]}))
    return [Match(Run.build(name, IDS, ["a"] * 6, np.ones(6), details=pa.table({
        "query_id": IDS, "answer": [f"Stone {at} is {name}." for at in range(6)],
        "contexts": [[f"Stone {at} is {name}."] for at in range(6)]})), truth) for name in ("one", "two")]


def judge(match: Match, of: Judge, score: float, queries: int) -> None:
    """Keep the same verdict of a judge on the first queries of a run."""
    questions = first_round(match.judged.askings("Faithfulness"))[:queries]
    default_verdict_store().save(of, [(question, Reply({"reason": "so", "score": score}, attempts=1))
                                      for question in questions])


def means(matched: list[Match], text: str = "Faithfulness") -> list[float]:
    return [float(np.nanmean(evaluate_match(match, parse_specs(text)).values)) for match in matched]


def test_a_later_trial_on_two_queries_does_not_displace_the_result():
    matched = matches()
    for match in matched:
        judge(match, OLD, 0.5, 6)
        judge(match, TRIAL, 1.0, 2)
    assert default_verdict_store().judges()[0] == TRIAL, "it was asked last"
    assert means(matched) == [0.5, 0.5] and means(with_default_judges(matched, [SPEC])) == [0.5, 0.5]
    assert means(matched, "Faithfulness(judge='trial')") == [1, 1]


def test_of_judges_with_equally_many_values_the_newest_counts():
    matched = matches()
    for match in matched:
        judge(match, OLD, 0.5, 6)
        judge(match, TRIAL, 1.0, 6)
    assert means(matched) == [1, 1]
    assert default_judges(matched, [SPEC]) == {("Faithfulness", 1): str(TRIAL)}


def test_all_runs_are_read_by_one_judge_and_a_judge_that_is_chosen_comes_first():
    one, two = matched = matches()
    judge(one, OLD, 0.5, 6)
    judge(two, OLD, 0.25, 4)
    judge(two, TRIAL, 1.0, 6)
    assert means(matched) == [0.5, 1], "alone each run has its own"
    assert means(with_default_judges(matched, [SPEC])) == [0.5, 0.25], "10 values against 6"
    chosen = default_judges(matched, [SPEC], str(TRIAL))
    assert chosen == {("Faithfulness", 1): str(TRIAL)}
    own = evaluate_match(one.by_judges(chosen), [SPEC])
    assert own.means() == [(0.5, 6)] and own.settings["Faithfulness"] == str(OLD), "it has said nothing of this run"
    assert default_judges(matched, [SPEC], "nobody") == {("Faithfulness", 1): str(OLD)}


def test_a_judge_that_only_failed_is_not_chosen():
    one, two = matches()
    judge(one, OLD, 0.5, 1)
    questions = first_round(one.judged.askings("Faithfulness"))
    default_verdict_store().save(TRIAL, [(question, Reply(None, "not-json", attempts=1)) for question in questions])
    assert means([one]) == [0.5]
    assert default_judges([one, two], parse_specs("Faithfulness Correctness TokenF1")) == {
        ("Faithfulness", 1): str(OLD)}


def test_the_command_line_reads_all_runs_by_one_judge(tmp_path, capsys):
    one, two = matches()
    judge(one, OLD, 0.5, 6)
    judge(two, OLD, 0.25, 4)
    judge(two, TRIAL, 1.0, 6)
    paths = []
    for match in (one, two):
        rows = match.run.details.to_pylist()
        paths.append(tmp_path / f"{match.run.name}.jsonl")
        paths[-1].write_text("".join(json.dumps({
            "query_id": query, "query": f"What is stone {query[1:]}?", "answer": row["answer"],
            "contexts": row["contexts"], "results": [{"id": "a", "score": 1.0}]}) + "\n"
            for query, row in zip(IDS, rows, strict=True)))
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps({query: {"a": 1} for query in IDS}))
    status = main(["evaluate", *map(str, paths), "--truth", str(truth), "--metrics", "Faithfulness",
                   "--format", "json"])
    out = capsys.readouterr().out
    assert status == 0 and "old at old.org" in out and "trial" not in out


def test_judges_that_differ_in_parameters_alone_have_names_of_their_own():
    warm = Judge(OLD.host, OLD.model, '{"temperature":1}')
    matched = matches()
    for match in matched:
        judge(match, OLD, 0.5, 6)
        judge(match, warm, 1.0, 2)
    assert default_verdict_store().judges()[0] == warm
    assert default_judges(matched, [SPEC]) == {("Faithfulness", 1): "old at old.org (no parameters)"}
    evaluations = [evaluate_match(match, [SPEC]) for match in matched]
    assert [evaluation.means() for evaluation in evaluations] == [[(0.5, 6)]] * 2
    assert evaluations[0].settings["Faithfulness"] == "old at old.org (no parameters)"
    assert means(matched, "Faithfulness(judge='old at old.org (temperature 1)')") == [1, 1]


def test_python_compares_runs_by_one_judge_and_given_values_of_two_judges_do_not_compare():
    one, two = matched = matches()
    judge(one, OLD, 0.5, 6)
    judge(two, OLD, 0.25, 4)
    judge(two, TRIAL, 1.0, 6)
    [[comparison]] = table = compare(one.run, [two.run], "Faithfulness", truth=one.truth)
    assert (comparison.n, comparison.mean_difference) == (4, -0.25) and comparison.outcome != "not-comparable"
    assert {evaluation.settings["Faithfulness"] for evaluation in table.inputs.evaluations} == {str(OLD)}
    [[withheld]] = compare(evaluate_match(one, [SPEC]), [evaluate_match(two, [SPEC])], "Faithfulness")
    assert withheld.outcome == "not-comparable"
    assert means(matched) == [0.5, 1]
