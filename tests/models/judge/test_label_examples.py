"""Human labels as examples in a judge's prompt: drawn at random, in the digest, and counted nowhere else."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from models.judge.scripted import Scripted, case

from ragdash.analysis.judge_validation import (
    LabelStore,
    RunVerdicts,
    choose_examples,
    corrected_difference,
    error_sources,
    judged_verdicts,
    validate_judge,
)
from ragdash.cli.main import main
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import write_run, write_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks.examples import (
    examples_json,
    examples_of,
    read_examples,
    save_examples,
    stored_examples,
)
from ragdash.models.judge.tasks.policy import Policy, save_policy
from ragdash.models.judge.tasks.rubrics import Rubric, save_rubric
from ragdash.models.judge.verdict_store.jsonl import export_verdicts

ROWS = {f"q{i:02}": {"question": f"What is {i}?", "answer": f"Paris lies on Seine number {i}.",
                     "contexts": [f"Surely Paris lies on Seine number {i}."]} for i in range(60)}
IDS = list(ROWS)
SPEC, = parse_specs("Faithfulness")


pytestmark = pytest.mark.usefixtures("rubrics_forgotten")


def alone(run, truth, labels, **more):
    """Examples with every query a group of its own: the truth of these cases has one document for all."""
    return choose_examples([Match(run, truth)], [labels], "Faithfulness", groups={}, **more)


def test_the_held_out_labels_are_counted_nowhere():
    verdicts = RunVerdicts("run", pa.array(list("abcdefgh")), np.array([1, 1, 1, 0, 0, 1, 1, 0.0]),
                           held_out=frozenset("ah"), votes=np.array([[1, 0.0], *[[1, 1.0]] * 7]))
    labels = dict(zip("abcdeh", (0, 1, 1, 0, 1, 1.0), strict=True))
    result = validate_judge(verdicts, labels)
    # by hand, without a and h: labels b 1, c 1, d 0, e 1; verdicts 1, 1, 0, 0; f and g are judged only
    assert result.held_out == 2 and result.labels.n == 4 and result.labels.mean == 0.75
    assert result.judge.n == 6 and result.judge.mean == pytest.approx(4 / 6) and result.rest == 2
    assert result.agreement.n == 4 and result.agreement.accuracy == 0.75 and result.agreement.kappa == 0.5
    assert result.agreement.confusion.tolist() == [[1, 0], [1, 2]]
    assert [apart.query_id for apart in result.disagreements] == ["e"] and result.votes.unanimous == 1
    other = RunVerdicts("other", verdicts.query_ids, np.zeros(8))  # what one run holds out counts for neither
    difference = corrected_difference(other, verdicts, {query: 0.0 for query in labels}, labels)
    assert (difference.held_out, difference.labels.n, difference.rest, difference.left_out) == (2, 4, 2, 0)
    assert difference.labels.mean == 0.75
    many = [f"q{i}" for i in range(44)]
    held = RunVerdicts("run", pa.array(many), np.ones(44), held_out=frozenset(many[:4]))
    two = [held, RunVerdicts("other", pa.array(many), np.ones(44))]
    source, = error_sources(two, [dict.fromkeys(many, 0.0)] * 2)
    assert source.queries == 40


def test_what_is_left_is_a_random_sample_and_would_not_be_if_only_the_examples_were_taken_out():
    """Of 4 yes and 2 no, four in random order are labeled; those looked at until both classes are there go. Exact."""
    errors, naive = [], []
    for order in permutations((1, 1, 1, 1, 0, 0)):
        drawn = next((i for i in (2, 3) if {0, 1} <= set(order[:i])), None)
        if drawn:
            errors.append(mean(order[drawn:4]) - mean(order[drawn:]))
        if {0, 1} <= set(order[:4]):
            rest = sorted(order[:4])[1:3]  # one label of each class is taken out, and nothing else
            naive.append(mean(rest) - mean([*rest, *order[4:]]))
    assert errors and sum(errors) == 0 and sum(naive) > 0


def mean(values):
    return Fraction(sum(values), len(values))


def test_the_choice_is_balanced_seeded_and_holds_whole_groups_out():
    run, truth = case(ROWS)
    labels = {query: float(i % 5 > 0) for i, query in enumerate(IDS[:50])}
    choice = alone(run, truth, labels)
    assert choice.per_class == {"0": 2, "1": 2} and [example.verdict for example in choice.examples.examples] == [
        "0", "0", "1", "1"]
    assert choice.held_out + choice.left == 50 and choice.groups == choice.held_out == len(choice.examples.held_out)
    assert all(labels[example.query_id] == example.label for example in choice.examples.examples)
    assert alone(run, truth, labels).examples == choice.examples
    assert alone(run, truth, labels, seed=1).examples.digest != choice.examples.digest
    assert alone(run, truth, labels, per_class=1).per_class == {"0": 1, "1": 1}
    groups = {query: f"document {i // 10}" for i, query in enumerate(IDS)}
    whole = choose_examples([Match(run, truth)], [labels], "Faithfulness", groups=groups)
    assert whole.groups <= 2 and whole.held_out == 10 * whole.groups
    assert len(whole.examples.held_out) % 10 == 0, "queries of these documents without a label are held out too"


@pytest.mark.parametrize(("values", "words"), [
    (lambda i: 1.0, "no label of the class 0 "), (lambda i: 0.0, "no label of the class 1 "),
    (lambda i: 0.3, "no label of the class 0, 1 .* 30 that the judge cannot give")])
def test_a_class_without_a_label_is_named(values, words):
    run, truth = case(ROWS)
    with pytest.raises(InputError) as error:
        alone(run, truth, {query: values(i) for i, query in enumerate(IDS)})
    assert re.search(words, error.value.problems[0].actual) and "30 of 60 groups" in error.value.problems[0].actual
    assert stored_examples() == {}


def test_metrics_without_one_score_take_no_examples_and_few_labels_are_said():
    run, truth = case(ROWS)
    for name in ("ClaimFaithfulness", "ContextRelevance(per='chunk')", "TokenF1"):
        with pytest.raises(InputError, match="one score or label"):
            choose_examples([Match(run, truth)], [{"q00": 1.0}], name)
    choice = alone(run, truth, {query: float(i % 2) for i, query in enumerate(IDS[:22])})
    assert "few-examples/left" in {problem.message for problem in choice.problems}


def test_examples_change_the_digest_and_verdicts_with_others_are_never_mixed():
    run, truth = case(ROWS)
    view, store = Match(run, truth).judged, default_verdict_store()
    Scripted(store).judge_all(view, "Faithfulness", "AnswerRelevanceJudged")
    assert np.isfinite(view.values("Faithfulness")).all()
    labels = {query: float(i % 3 > 0) for i, query in enumerate(IDS[:50])}
    save_examples("Faithfulness", alone(run, truth, labels).examples)
    with pytest.raises(Unavailable):
        Match(run, truth).judged.values("Faithfulness")
    with pytest.raises(Unavailable):
        view.values("Faithfulness")  # a view that has read them before, too
    assert np.isfinite(view.values("AnswerRelevanceJudged")).all(), "another prompt has no examples"
    first = examples_of("Faithfulness")
    asked = first_round(view.askings("Faithfulness"))
    assert len(asked) == 56 and all(question.system.endswith(first.text) for question in asked)
    assert first.text.count("<example>") == 4 and first.text.count("\nVerdict: 0") == 2
    assert "Surely Paris" in first.text, "an example shows the contexts"
    Scripted(store).judge_all(view, "Faithfulness")
    read = view.read("Faithfulness")
    shown = {example.query_id for example in first.examples}
    assert {IDS[i] for i in np.flatnonzero(np.isnan(read.values))} == shown
    assert {judgment.missing for judgment in read.judgments} == {None, "example"}
    save_examples("Faithfulness", alone(run, truth, labels, seed=3).examples)
    assert len(first_round(view.askings("Faithfulness"))) == 56 and not store.known_keys(
        [Scripted(store).judge.key(question) for question in first_round(view.askings("Faithfulness"))])
    save_examples("Faithfulness", None)
    assert np.isfinite(view.values("Faithfulness")).all() and stored_examples() == {}
    versions = {json.loads(line)["version"] for line in export_verdicts(store) if b"Faithfulness" in line}
    assert len(versions) == 2 and all(re.fullmatch(r"3-[0-9a-f]{8}", version) for version in versions)


def test_examples_rest_under_another_policy_and_about_another_rubric():
    run, truth = case(ROWS)
    labels = {query: (i % 3) / 2 for i, query in enumerate(IDS)}
    rubric = Rubric("polite", "Is it polite?", "labels", ("rude", "plain", "polite"))
    save_rubric(rubric)
    parse_specs(rubric.metric)
    choice = choose_examples([Match(run, truth)], [labels], rubric.metric, groups={})
    assert (choice.per_class["rude"], choice.per_class["polite"]) == (2, 2) and not choice.problems
    save_examples(rubric.metric, choice.examples)
    question, = {question.version for question in first_round(Match(run, truth).judged.askings(rubric.metric))}
    assert question == f"1-{rubric.digest}-{choice.examples.digest}"
    save_policy(Policy("wrong", "wrong", "wrong", "wrong"))
    assert len(first_round(Match(run, truth).judged.askings(rubric.metric))) == 60
    save_policy(None)
    save_rubric(Rubric("polite", "Is it very polite?", "labels", ("rude", "plain", "polite")))
    parse_specs(rubric.metric)
    assert len(first_round(Match(run, truth).judged.askings(rubric.metric))) == 60
    with pytest.raises(InputError, match="as ragdash wrote it"):
        read_examples(b'{"sets": [{"metric": "x"}]}')
    sets = json.loads(examples_json({rubric.metric: choice.examples}))["sets"]
    for name, value in (("task", []), ("labels", "9"), ("held_out", [1, "a"]),
                        ("examples", [{**sets[0]["examples"][0], "text": None}])):
        with pytest.raises(InputError, match="as ragdash wrote it"):
            read_examples(json.dumps({"sets": [{**sets[0], name: value}]}).encode())


def test_what_depends_on_each_other_is_held_out_together(tmp_path, capsys):
    run, truth = case(ROWS)  # all queries have the same relevant document: nothing would be left
    write_run(run, tmp_path / "run.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    (tmp_path / "labels.csv").write_text("query_id,label\nq00,1\nq01,0\n")
    assert main(["trust", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m", "Faithfulness",
                 "--labels", str(tmp_path / "labels.csv"), "--examples"]) == 2
    assert "no label of the class 0, 1 for Faithfulness among 0 of 1 group" in capsys.readouterr().err


def test_evaluation_and_command_agree_on_what_is_held_out(serve, capsys, tmp_path):
    rows = {query: {**row, "docs": {f"d-{query}": "text"}} for query, row in ROWS.items()}
    run, _ = case(rows)
    truth = Truth.build("truth", IDS, [f"d-{query}" for query in IDS], [1] * 60, details=pa.table(
        {"query_id": IDS, "query": [row["question"] for row in ROWS.values()]}))
    write_run(run, tmp_path / "run.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    (tmp_path / "labels.csv").write_text("query_id,label\n" + "".join(
        f"{query},{int(i % 4 > 0)}\n" for i, query in enumerate(IDS[:48])))
    about = [str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m", "Faithfulness"]
    labels = ["--labels", str(tmp_path / "labels.csv")]
    assert main(["trust", *about, *labels, "--examples"]) == 0
    said = "".join(capsys.readouterr())
    examples = examples_of("Faithfulness")
    assert f"({examples.digest})" in said and f"Held out: {examples.drawn} labels" in said
    assert f"{48 - examples.drawn} labels left" in said
    server = serve()
    judge = ["judge", *about, "--base-url", server.url, "--model", "toy"]
    assert main([*judge, "--batch-out", str(tmp_path / "requests.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert len(lines) == 56 and all(line["body"]["messages"][0]["content"].count("<example>") == 4 for line in lines)
    capsys.readouterr()
    assert main(judge) == 0 and server.answered == 56
    assert "4 examples from human labels in the prompt" in capsys.readouterr().err
    assert all(body["messages"][0]["content"].count("<example>") == 4 for body in server.asked)
    assert main(["trust", *about, *labels, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)["runs"][0]
    assert result["labels_held_out"] == examples.drawn > 4 and result["labels"]["n"] == 48 - examples.drawn
    assert result["corrected"]["n"] == result["agreement"]["n"] == 48 - examples.drawn
    assert result["judge"]["n"] == 60 - examples.drawn and result["missing"] == {}
    assert main(["trust", *about, *labels]) == 0
    assert f"{examples.drawn} labels held out of all of these numbers" in capsys.readouterr().out
    evaluation = evaluate(run, truth, [SPEC])
    kept = {query: float(i % 4 > 0) for i, query in enumerate(IDS[:48])}
    assert validate_judge(judged_verdicts(evaluation, evaluation.match, SPEC), kept).held_out == examples.drawn
    LabelStore().add(run.digest, "Faithfulness", kept)
    assert main(["report", *about, "--full", "-o", str(tmp_path / "report.html")]) == 0
    assert f"{examples.drawn} labels held out of all of these numbers" in (tmp_path / "report.html").read_text()
    assert main(["trust", *about, "--examples", "none"]) == 0 and examples_of("Faithfulness") is None
