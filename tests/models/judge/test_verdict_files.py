"""Verdicts of other tools read in and put out: what fits the run is kept, what does not is told."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from models.judge.scripted import Scripted, case
from models.judge.test_judged_metrics import BY_HAND, PARIS, ROWS, TOWER, the_match

from ragdash.cli.main import main
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.scoring.claims import query_case, read_query_verdicts
from ragdash.evaluation.scoring.verdict_export import export
from ragdash.evaluation.scoring.verdict_import import DEEPEVAL, RAGAS, import_verdicts
from ragdash.models.judge import VerdictStore, default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import export_verdicts
from ragdash.models.judge.verdict_store.jsonl import import_verdicts as take_over
from ragdash.models.local import default_score_cache

DATA = Path(os.environ.get("RAGDASH_TEST_DATA", "nowhere"), "s07_ragchecker_examples", "checking_outputs.json")
CHECKED = {"query_id": "both", "response_claims": [["Paris", "stands", "there"], "it smells"],
           "gt_answer_claims": ["Paris stands there"], "answer2response": ["Entailment", "Contradiction"],
           "response2answer": ["Entailment"], "retrieved2response": [["Entailment", "Neutral"], ["Neutral", "Neutral"]],
           "retrieved2answer": [["Entailment", "Neutral"]]}


def file_of(folder, content, name="results.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def values(match, name) -> dict[str, float]:
    found = evaluate(match.run, match.truth, name)
    return dict(zip(found.query_ids.to_pylist(), found.values[:, 0].tolist(), strict=True))


def test_ragas_as_a_table_by_the_text_of_the_query(tmp_path):
    match = the_match({"q": {**ROWS["both"], "question": "One?"}, "r": {**ROWS["wrong"], "question": "Two?"}})
    path = file_of(tmp_path, "user_input,response,faithfulness,context_recall,answer_relevancy\n"
                   f'One?,"{ROWS["both"]["answer"]}",0.25,1.0000001,-0.5\n'
                   f'Two?,"{ROWS["wrong"]["answer"]}",,0.5,nan\n', "results.csv")
    done = import_verdicts(path, match.judged)
    assert done.verdicts == {"RAGAS.Faithfulness": 1, "RAGAS.ContextRecall": 2, "RAGAS.AnswerRelevancy": 1}
    assert not done.problems and done.rows == 2
    assert values(match, "RAGAS.Faithfulness")["q"] == 0.25 and math.isnan(values(match, "RAGAS.Faithfulness")["r"])
    assert values(match, "RAGAS.ContextRecall") == {"q": 1.0, "r": 0.5}
    assert values(match, "RAGAS.AnswerRelevancy")["q"] == -0.5
    found = evaluate(match.run, match.truth, "RAGAS.Faithfulness")
    assert found.settings["RAGAS.Faithfulness"] == "RAGAS at imported"
    assert "1 of 2 queries without a verdict (no verdict in the imported file)" in next(
        one.actual for one in found.problems if one.kind == "missing-verdicts")


def test_ragchecker_verdicts_go_through_our_arithmetic(tmp_path):
    match = the_match({"both": ROWS["both"]})
    done = import_verdicts(file_of(tmp_path, {"results": [CHECKED]}), match.judged)
    assert len(done.verdicts) == 11
    for name, value in (("Precision", 0.5), ("Recall", 1), ("Hallucination", 0.5), ("ContextPrecision", 0.5)):
        assert values(match, f"RAGChecker.{name}")["both"] == value
    rows = match.judged.read("RAGChecker.Precision").rows(["both"])
    assert rows[0]["claim"] == "Paris stands there" and rows[0]["chunks"] == ["1"]


def test_ragchecker_without_claims_is_undefined_and_not_unavailable(tmp_path):
    match = the_match({"both": ROWS["both"]})
    empty = {**CHECKED, "response_claims": [], "answer2response": [], "retrieved2response": []}
    import_verdicts(file_of(tmp_path, [empty]), match.judged)
    found = evaluate(match.run, match.truth, "RAGChecker.Precision")
    assert math.isnan(found.values[0, 0]) and {one.kind for one in found.problems} == {"undefined-verdicts"}


def test_an_undefined_share_says_whether_claims_are_lacking_or_what_they_would_share(tmp_path):
    match = the_match({"both": ROWS["both"]})
    useless = {**CHECKED, "retrieved2answer": [["Neutral", "Neutral"]]}
    import_verdicts(file_of(tmp_path, [useless]), match.judged)
    for name, why in (("ContextUtilization", "nothing-to-share"), ("ClaimRecall", None)):
        assert match.judged.read(f"RAGChecker.{name}").judgments[0].missing == why
    bare = {**CHECKED, "gt_answer_claims": [], "response2answer": [], "retrieved2answer": []}
    import_verdicts(file_of(tmp_path, [bare], "bare.json"), match.judged)
    for name, why in (("ContextUtilization", "no-claims"), ("ClaimRecall", "no-claims"), ("Precision", None)):
        assert match.judged.read(f"RAGChecker.{name}").judgments[0].missing == why


def test_deepeval_by_the_nearest_metric(tmp_path):
    match = the_match({"both": ROWS["both"]})
    metrics = [{"name": "Faithfulness", "score": 0.75, "reason": "so"}, {"name": "Correctness (GEval)", "score": 0.5},
               {"name": "Toxicity", "score": 0.0}]
    done = import_verdicts(file_of(tmp_path, {"test_results": [
        {"input": "What?", "actual_output": ROWS["both"]["answer"], "metrics_data": metrics}]}), match.judged)
    assert done.verdicts == {"ClaimFaithfulness": 1, "Correctness": 1}
    assert [one.kind for one in done.problems] == ["other-metric"] and "Toxicity" in done.problems[0].actual
    assert values(match, "ClaimFaithfulness")["both"] == 0.75
    assert match.judged.read("ClaimFaithfulness").judgments[0].rows[0]["reason"] == "so"


def test_each_run_is_read_with_its_own_import_and_a_later_one_replaces_it_whole(tmp_path):
    """The two runs share the texts of one query, and their files score it differently."""
    def results(name, *scores):
        rows = [{"query_id": query, **row} for query, row in zip(("both", "wrong", "third"), scores, strict=False)]
        return file_of(tmp_path, rows, f"{name}.json")

    first = the_match({"both": ROWS["both"], "wrong": ROWS["wrong"], "third": {**ROWS["both"], "answer": "Lyon."}})
    second = the_match({"both": ROWS["both"], "wrong": {**ROWS["wrong"], "answer": "Rome."},
                        "third": {**ROWS["both"], "answer": "Nice."}})
    score = "faithfulness"
    import_verdicts(results("first", {score: 0.25, "context_recall": 1.0}, {score: 0.5}, {score: 0.75}), first.judged)
    import_verdicts(results("second", {score: 1.0}, {score: 0.0}, {score: 0.5}), second.judged)
    for match, expected in ((first, [0.25, 0.5, 0.75]), (second, [1.0, 0.0, 0.5])):
        evaluation = evaluate(match.run, match.truth, "RAGAS.Faithfulness")
        assert values(match, "RAGAS.Faithfulness") == dict(zip(("both", "wrong", "third"), expected, strict=True))
        assert "missing-verdicts" not in {problem.kind for problem in evaluation.problems}
        assert evaluation.settings["RAGAS.Faithfulness"] == "RAGAS at imported"
    judge, = default_verdict_store().judges()
    assert judge.model == "RAGAS", "two runs, one judge"
    cases = [query_case(match, 0) for match in (first, second)]
    by_run = read_query_verdicts(cases, default_verdict_store(), default_score_cache())[judge]
    assert [{value.metric: value.value for value in verdicts.values}["RAGAS.Faithfulness"]
            for verdicts in by_run] == [0.25, 1.0], "the Queries page shows each run's own value"
    import_verdicts(results("again", {score: 0.125}, {score: 0.625}), first.judged)
    again = values(first, "RAGAS.Faithfulness")
    assert (again["both"], again["wrong"]) == (0.125, 0.625) and math.isnan(again["third"]), "nothing is mixed"
    assert values(first, "RAGAS.ContextRecall")["both"] == 1.0, "a metric that the later file lacks stays"
    assert values(second, "RAGAS.Faithfulness")["third"] == 0.5


@pytest.mark.parametrize(("change", "kind"), [
    ({"response": "Another."}, "another-answer"), ({"query_id": "elsewhere"}, "unknown-query"),
    ({"faithfulness": 7}, "bad-score"), ({"faithfulness": 10**400}, "bad-score"),
    ({"faithfulness": "high"}, "bad-score"), ({"faithfulness": True}, "bad-score")])
def test_what_does_not_fit_is_left_out_and_told(tmp_path, change, kind):
    match = the_match()
    good = {"query_id": "both", "response": ROWS["both"]["answer"], "faithfulness": 1.0}
    other = {"query_id": "wrong", "response": ROWS["wrong"]["answer"], "faithfulness": 0.5}
    done = import_verdicts(file_of(tmp_path, [good, {**other, **change}]), match.judged)
    assert done.verdicts == {"RAGAS.Faithfulness": 1} and [one.kind for one in done.problems] == [kind]
    assert all(one.line == 2 and one.severity == "warning" for one in done.problems)


@pytest.mark.parametrize("value", [{}, {"score": ""}, {"score": -1}, {"score": 1e308}, {"score": True},
                                   {"score": 0.5, "rows": 5}])
def test_a_stored_import_of_another_shape_is_missing_and_no_value(tmp_path, value):
    match = the_match()
    rows = [{"query_id": name, "response": ROWS[name]["answer"], "faithfulness": 0.5} for name in ("both", "wrong")]
    judge = import_verdicts(file_of(tmp_path, rows), match.judged).judge
    lines = [json.loads(line) for line in export_verdicts(default_verdict_store(), judge)]
    lines[0]["reply"]["value"] = value
    default_verdict_store().path.unlink()
    take_over(default_verdict_store(), [json.dumps(line).encode() for line in lines])
    found = evaluate(match.run, match.truth, "RAGAS.Faithfulness")
    assert np.sum(found.values == 0.5) == 1 and np.isnan(found.values).sum() == len(found.values) - 1
    assert "the reply does not have the shape asked for" in found.problems[0].actual


def test_a_second_row_for_a_query_is_told(tmp_path):
    match = the_match()
    row = {"query_id": "both", "response": ROWS["both"]["answer"], "faithfulness": 1.0}
    done = import_verdicts(file_of(tmp_path, [row, {**row, "faithfulness": 0.5, "context_recall": 0.5}]), match.judged)
    assert done.verdicts == {"RAGAS.Faithfulness": 1, "RAGAS.ContextRecall": 1}
    assert [(one.kind, one.line) for one in done.problems] == [("repeated-verdict", 2)]
    assert values(match, "RAGAS.Faithfulness")["both"] == 1.0


def test_a_line_of_json_may_hold_any_sign(tmp_path):
    """U+2028 ends a line for Python, and none of JSON lines."""
    match = the_match({"q": {**ROWS["both"], "question": "One\u2028line?"}, "r": ROWS["wrong"]})
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in (
        {"user_input": "One\u2028line?", "faithfulness": 0.5}, {"query_id": "r", "faithfulness": 1.0}))
    done = import_verdicts(file_of(tmp_path, lines, "results.jsonl"), match.judged)
    assert done.verdicts == {"RAGAS.Faithfulness": 2}


@pytest.mark.parametrize("content", ["", "no JSON", "[1, 2]", "{}", '[{"query_id": "both", "score": 1}]', '{"a": ' * 99,
                                     '[{"query_id": "nobody", "faithfulness": 1}]', '[{"metrics_data": null}]',
                                     '[{"query_id": "both", "metrics_data": 5}]'])
def test_a_file_without_verdicts_is_an_error(tmp_path, content):
    with pytest.raises(InputError):
        import_verdicts(file_of(tmp_path, content), the_match().judged)
    assert not default_verdict_store().judges()


@pytest.mark.parametrize(("rows", "line"), [
    ('both,"0.5\nother,1\n', 2), ('both,0.5\nother,"1"x\n', 3), ('both,0.5\n\nother,"1', 4)])
def test_a_broken_table_is_an_error_with_its_line_and_keeps_nothing(tmp_path, rows, line):
    with pytest.raises(InputError) as raised:
        import_verdicts(file_of(tmp_path, f"query_id,faithfulness\n{rows}", "results.csv"),
                        the_match({"both": ROWS["both"]}).judged)
    (broken,) = raised.value.problems
    assert (broken.kind, broken.file, broken.line) == ("bad-quotes", str(tmp_path / "results.csv"), line)
    assert "Close the quotes" in broken.fix and not default_verdict_store().judges()


def test_a_table_with_cells_longer_than_128_kib_is_read(tmp_path):
    """RAGAS writes the contexts into its table."""
    match = the_match({"both": ROWS["both"]})
    content = f'query_id,retrieved_contexts,faithfulness\nboth,"{"word, " * 50_000}",0.5\n'
    assert import_verdicts(file_of(tmp_path, content, "results.csv"), match.judged).rows == 1
    assert values(match, "RAGAS.Faithfulness") == {"both": 0.5}


@pytest.mark.parametrize("broken", [
    {"retrieved2response": [["Entailment"]]}, {"answer2response": "Entailment"},
    {"answer2response": [["Entailment"]] * 2}, {"retrieved2answer": ["Entailment"]}, {"response_claims": None}])
def test_tables_that_do_not_fit_give_no_value(tmp_path, broken):
    done = import_verdicts(file_of(tmp_path, [{**CHECKED, **broken}]), the_match().judged)
    assert len(done.verdicts) < 11 and {one.kind for one in done.problems} == {"bad-verdicts"}


def test_a_later_file_of_the_same_tool_is_read_and_the_earlier_one_stays_by_its_digest(tmp_path):
    match = the_match({"both": ROWS["both"]})
    row = {"query_id": "both", "faithfulness": 1.0}
    first = file_of(tmp_path, [row])
    import_verdicts(first, match.judged)
    import_verdicts(file_of(tmp_path, [{**row, "faithfulness": 0.5}], "second.json"), match.judged)
    latest, earlier = default_verdict_store().judges()
    digest = hashlib.blake2b(first.read_bytes(), digest_size=4).hexdigest()
    assert (latest.model, earlier.model) == ("RAGAS", f"RAGAS {digest}")
    assert values(match, "RAGAS.Faithfulness") == values(match, "RAGAS.Faithfulness(judge='RAGAS')") == {"both": 0.5}
    assert values(match, f"RAGAS.Faithfulness(judge={earlier.model!r})") == {"both": 1.0}
    import_verdicts(first, match.judged)
    assert values(match, "RAGAS.Faithfulness") == {"both": 1.0}, "the file imported last is read, also an older one"


def test_other_texts_do_not_get_the_verdicts(tmp_path):
    import_verdicts(file_of(tmp_path, [{"query_id": "both", "faithfulness": 1.0}]), the_match().judged)
    other = the_match({"both": {**ROWS["both"], "contexts": [PARIS]}})
    assert math.isnan(values(other, "RAGAS.Faithfulness")["both"])


@pytest.mark.parametrize("form", ["rows", "ragas", "ragchecker", "deepeval"])
def test_verdicts_that_cannot_be_read_are_not_called_missing(monkeypatch, form):
    def broken(self):
        raise InputError([Problem("unusable-database/away", {"reason": "no connection"}, "postgresql://host/db")])

    judged = the_match({"both": ROWS["both"]}).judged
    monkeypatch.setattr(type(judged.verdict_store), "stamp", broken)
    with pytest.raises(InputError, match="no connection") as raised:
        export(judged, form)
    assert [problem.kind for problem in raised.value.problems] == ["unusable-database"]


def test_ragas_columns_there_and_back(tmp_path):
    match = the_match()
    Scripted(default_verdict_store()).judge_all(match.judged, "RAGAS.Faithfulness", "RAGAS.ContextPrecision")
    path = tmp_path / "ragas.csv"
    path.write_bytes(export(match.judged, "ragas"))
    row = next(csv.DictReader(path.open(encoding="utf-8")))
    assert json.loads(row["retrieved_contexts"]) == ROWS[row["query_id"]]["contexts"]
    before = {name: values(match, name) for name in ("RAGAS.Faithfulness", "RAGAS.ContextPrecision")}
    done = import_verdicts(path, match.judged)
    for name, known in before.items():
        again = values(match, f"{name}(judge={done.judge.model!r})")
        assert again == pytest.approx(known, nan_ok=True) and done.verdicts[name]
    assert set(before["RAGAS.Faithfulness"].values()) > {0.5, 1}
    assert {*RAGAS.values()} | {*DEEPEVAL.values()} <= {*BY_HAND, "RAGAS.AnswerRelevancy"}


def test_ragchecker_results_there_and_back(tmp_path):
    match = the_match({query: ROWS[query] for query in ("both", "wrong")})
    names = [name for name in BY_HAND if name.startswith("RAGChecker.")]
    Scripted(default_verdict_store()).judge_all(match.judged, *names)
    before = {name: values(match, name) for name in names}
    done = import_verdicts(file_of(tmp_path, export(match.judged, "ragchecker").decode()), match.judged)
    for name in names:
        assert values(match, f"{name}(judge={done.judge.model!r})") == before[name]


def test_ragchecker_gets_the_queries_alone_that_have_all_its_tables():
    match = the_match()
    Scripted(default_verdict_store()).judge_all(match.judged, *(
        name for name in BY_HAND if name.startswith("RAGChecker.")))
    results = json.loads(export(match.judged, "ragchecker"))["results"]
    assert [one["query_id"] for one in results] == ["both", "wrong", "silent"], "no context, no answer, no reference"
    assert all(len(one["answer2response"]) == len(one["response_claims"]) for one in results)


def test_deepeval_results_there_and_back(tmp_path):
    match = the_match()
    Scripted(default_verdict_store()).judge_all(match.judged, *DEEPEVAL.values())
    content = json.loads(export(match.judged, "deepeval"))
    results = {one["metadata"]["query_id"]: one for one in content["test_results"]}
    assert results.keys() == {"both", "wrong", "silent", "no context", "no reference", "no answer"}
    both = results["both"]
    assert (both["input"], both["actual_output"], both["expected_output"], both["retrieval_context"]) == (
        "What?", ROWS["both"]["answer"], PARIS, ROWS["both"]["contexts"])
    scores = {one["name"]: one for one in both["metrics_data"]}
    assert list(scores) == ["Faithfulness", "Answer Relevancy", "Contextual Relevancy", "Contextual Precision",
                            "Contextual Recall", "Correctness [GEval]"]
    assert scores["Faithfulness"]["score"] == 0.5 and scores["Faithfulness"]["success"] and both["success"]
    reason = scores["Faithfulness"]["reason"]
    assert reason.splitlines() == [f"{PARIS}: supported – words", f"{TOWER}: not stated – words"]
    assert "Correctness [GEval]" not in {one["name"] for one in results["no reference"]["metrics_data"]}
    before = {name: values(match, name) for name in DEEPEVAL.values()}
    done = import_verdicts(file_of(tmp_path, content), match.judged)
    assert not done.problems
    for name, known in before.items():
        again = values(match, f"{name}(judge={done.judge.model!r})")
        assert again == pytest.approx(known, nan_ok=True) and done.verdicts[name]
    assert match.judged.read("ClaimFaithfulness", done.judge.model).judgments[0].rows[0]["reason"] == reason


def test_deepeval_gets_no_score_for_a_verdict_that_failed():
    judge = Scripted(default_verdict_store())
    judge.judge_all(the_match({"both": ROWS["both"]}).judged, "ClaimFaithfulness")
    match = the_match({"both": ROWS["both"], "wrong": ROWS["wrong"]})
    judge.fails = {"Verify": "not-json"}
    judge.judge_all(match.judged, "ClaimFaithfulness")
    one, two = json.loads(export(match.judged, "deepeval"))["test_results"]
    failed, = two["metrics_data"]
    assert one["success"] and one["metrics_data"][0]["score"] == 0.5 and one["metrics_data"][0]["error"] is None
    assert failed["score"] is None and not failed["success"] and not two["success"] and "JSON" in failed["error"]


def test_rows_tell_value_or_reason_and_every_claim():
    match = the_match()
    Scripted(default_verdict_store()).judge_all(match.judged, "ClaimFaithfulness")
    lines = [json.loads(line) for line in export(match.judged, "rows").splitlines()]
    assert {one["metric"] for one in lines} >= {"ClaimFaithfulness", "RAGAS.Faithfulness"}  # the same was asked
    lines = {one["query_id"]: one for one in lines if one["metric"] == "ClaimFaithfulness"}
    assert lines["both"]["value"] == 0.5 and lines["both"]["rows"][0]["claim"] == PARIS
    assert lines["no answer"]["value"] is None and lines["no answer"]["missing"] == "no-answer"
    assert lines["silent"]["flags"] == ["vacuous"]


@pytest.mark.parametrize("form", ["rows", "ragas", "ragchecker", "deepeval"])
def test_nothing_to_put_out_is_an_error(form):
    with pytest.raises(InputError, match="no verdict on run"):
        export(the_match().judged, form)


def test_the_command_reads_and_puts_out(tmp_path, capsys):
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps({"query_id": "q", "retrieved": [{"doc_id": "d", "text": PARIS}], "answer": PARIS}) + "\n")
    truth = file_of(tmp_path, json.dumps({"query_id": "q", "query": "What?", "relevant": ["d"]}) + "\n", "truth.jsonl")
    results = file_of(tmp_path, [{"query_id": "q", "faithfulness": 0.5}])
    assert main(["verdicts", str(run), "--truth", str(truth), "--read", str(results)]) == 0
    assert "1 verdict of 1 row (RAGAS.Faithfulness 1)" in capsys.readouterr().err
    assert main(["verdicts", str(run), "--truth", str(truth), "-m", "RAGAS.Faithfulness"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 0.5
    assert main(["verdicts", str(run), "--truth", str(truth), "--format", "ragchecker"]) == 2


def test_what_many_imports_left_is_put_out_in_one_pass(tmp_path, capsys, monkeypatch):
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps({"query_id": "q", "retrieved": [{"doc_id": "d", "text": PARIS}], "answer": PARIS}) + "\n")
    truth = file_of(tmp_path, json.dumps({"query_id": "q", "query": "What?", "relevant": ["d"]}) + "\n", "truth.jsonl")
    command = ["verdicts", str(run), "--truth", str(truth)]
    for score in (0.25, 0.5, 0.75):
        main([*command, "--read", str(file_of(tmp_path, [{"query_id": "q", "faithfulness": score}]))])
    passes, read_all = [], VerdictStore.all_verdicts
    monkeypatch.setattr(VerdictStore, "all_verdicts", lambda store: passes.append(1) or read_all(store))
    capsys.readouterr()
    assert main([*command, "--format", "ledger"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(line["reply"]["value"]["score"] for line in lines) == [0.25, 0.5, 0.75] and passes == [1]


@pytest.mark.skipif(not DATA.exists(), reason="RAGDASH_TEST_DATA names no folder with RAGChecker's example")
def test_the_published_example_imported_gives_the_published_numbers():
    results = json.loads(DATA.read_text(encoding="utf-8"))["results"]
    run, truth = case({one["query_id"]: {
        "question": one["query"], "answer": one["response"], "references": [one["gt_answer"]],
        "contexts": [context["text"] for context in one["retrieved_context"]]} for one in results})
    from ragdash.matching.match import Match

    match = Match(run, truth)
    assert sum(import_verdicts(DATA, match.judged).verdicts.values()) == 22
    for ours, theirs in (("Precision", "precision"), ("NoiseSensitivityRelevant", "noise_sensitivity_in_relevant"),
                         ("ContextUtilization", "context_utilization"), ("SelfKnowledge", "self_knowledge")):
        found = values(match, f"RAGChecker.{ours}")
        assert found == pytest.approx({one["query_id"]: one["metrics"][theirs] for one in results})
