"""Votes that can differ: another order and temperature for each; the labeling policy: in the prompts, never mixed."""

from __future__ import annotations

import json
import re

import pytest
from models.judge.scripted import Scripted, case

from ragdash.analysis.judge_validation import LabelStore
from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.evaluation.scoring.run_judge import prepare_judging, run_judging
from ragdash.io import write_run, write_truth
from ragdash.matching.match import Match
from ragdash.models.judge import Endpoint, default_verdict_store
from ragdash.models.judge.task_runner import first_round
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.tasks.policy import Policy, current_policy, read_policy, save_policy
from ragdash.models.judge.tasks.vote_order import vote_order
from ragdash.models.judge.verdict_store.jsonl import export_verdicts

PARIS, TOWER = "Paris stands beside Seine.", "Gustave built tower."
ROWS = {f"q{i}": {"question": "What?", "answer": f"{PARIS} {TOWER} Round {i} ended.", "references": [PARIS],
                  "contexts": [f"Surely {PARIS} {i}", "Cheese smells strong.", f"Often {TOWER}"]} for i in range(5)}


def contexts(body: dict) -> tuple[str, ...]:
    return tuple(re.findall(r"<context[^>]*>\n(.*?)\n</context>", body["messages"][1]["content"], re.DOTALL))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 12])
def test_each_vote_begins_with_another_text_as_long_as_there_are_others(n):
    orders = [vote_order(n, vote) for vote in range(n)]
    assert orders[0] == tuple(range(n)), "a single vote asks what it always asked"
    assert [len({order[0] for order in orders[:votes]}) for votes in range(1, n + 1)] == list(range(1, n + 1))
    assert all(sorted(order) == list(range(n)) for order in orders)


def test_three_votes_are_three_prompts_and_their_agreement_is_told(serve):
    server = serve()
    run, truth = case(ROWS)
    prepared = prepare_judging([run], truth, "Faithfulness ClaimFaithfulness", Endpoint(server.url, "toy"), votes=3)
    report = run_judging(prepared)
    asked = [body for body in server.asked if "Surely" in str(body) and "claim id" not in str(body)]
    for i in range(5):
        mine = [body for body in asked if f"Surely {PARIS} {i}" in contexts(body)]
        assert len(mine) == 3 and len({contexts(body) for body in mine}) == 3, "three orders of the contexts"
        assert sorted(body["temperature"] for body in mine) == [0, 0.7, 0.7]
        assert len({tuple(sorted(contexts(body))) for body in mine}) == 1
    claims = [tuple(re.findall(r'claim id="(\d)"', body["messages"][1]["content"])) for body in server.asked
              if "claim id" in str(body)]
    assert len(claims) == 15 and len(set(claims)) == 3 and all(sorted(order) == ["1", "2", "3"] for order in claims)
    assert [row.agreement for row in report.rows] == [1, 1] and "votes agree 1.00" in str(report)
    paid = server.answered
    again = run_judging(prepare_judging([run], truth, "Faithfulness", Endpoint(server.url, "toy"), votes=3))
    assert again.rows[0].n == 5
    assert server.answered == paid, "nothing is paid twice"
    identical = [problem for problem in report.problems if problem.kind == "votes-identical"]
    assert {problem.field for problem in identical} == {"Faithfulness", "ClaimFaithfulness"}  # this judge is a script
    for name in ("RAGAS.ContextPrecision", "RAGAS.ContextUtilization", "CitationPrecision"):
        assert TASKS[name].ordered, "the value depends on the ranks"


def test_alternative_references_are_in_another_order_in_each_vote_and_one_reference_is_the_same_text():
    run, truth = case({"q": {"question": "Where?", "answer": PARIS, "references": ["Here.", "There.", "Nowhere."]}})
    view = Match(run, truth).judged
    asked = [first_round(view.askings("Correctness", vote=vote))[0].user for vote in range(3)]
    shown = [re.findall(r"<reference>\n(.*?)\n</reference>", text) for text in asked]
    assert shown[0] == ["Here.", "There.", "Nowhere."], "a single vote asks what it always asked"
    assert len({order[0] for order in shown}) == 3 and all(sorted(order) == sorted(shown[0]) for order in shown)
    claims = [first_round(view.askings("RAGChecker.F1", vote=vote)) for vote in range(2)]
    assert {question.user for question in claims[0]} == {question.user for question in claims[1]}, "of the first one"
    assert view.texts_differ("Correctness") and view.texts_differ("RAGChecker.F1") is False
    one = Match(*case(ROWS)).judged
    assert not any(map(one.texts_differ, ("Correctness", "AnswerRelevanceJudged", "RAGAS.ContextPrecision")))
    assert all(map(one.texts_differ, ("Faithfulness", "ClaimFaithfulness", "ContextRelevance")))


def test_the_policy_is_in_the_prompts_and_neither_verdicts_nor_labels_are_mixed(tmp_path, capsys):
    run, truth = case(ROWS)
    Scripted(default_verdict_store()).judge_all(Match(run, truth).judged, "Correctness", "AnswerRelevanceJudged")
    assert Match(run, truth).judged.values("Correctness").tolist() == [0.5] * 5
    store = LabelStore()
    assert store.add(run.digest, "Correctness", {"q0": 1.0}) == 1
    strict = Policy("wrong", "wrong", "wrong", "wrong")
    assert Policy("right", "between", "wrong", "right").digest != strict.digest and current_policy() is None
    write_run(run, tmp_path / "run.jsonl")
    write_truth(truth, tmp_path / "truth.jsonl")
    (tmp_path / "policy.toml").write_text('extra = "wrong"\npartial = "wrong"\nrefusal = "wrong"\nrounding = "wrong"\n')
    command = ["judge", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m", "Correctness",
               "--base-url", "http://localhost:1/v1", "--model", "scripted", "--dry-run"]
    assert main([*command, "--policy", str(tmp_path / "policy.toml")]) == 0
    assert current_policy() is None, "a dry run keeps nothing"
    assert "5 calls, 0 verdicts known" in capsys.readouterr().err, "those of no policy are not read"
    save_policy(strict)
    view = Match(run, truth).judged
    question = first_round(view.askings("Correctness"))[0]
    assert "a rounded one is wrong" in question.system and "beyond the reference counts against" in question.system
    assert "rounded" not in first_round(view.askings("AnswerRelevanceJudged"))[0].system
    assert view.values("AnswerRelevanceJudged").tolist() == [0.5] * 5  # nothing in it was decided
    assert store.read(run.digest, "Correctness") == {} and store.add(run.digest, "Correctness", {"q1": 0.0}) == 1
    save_policy(None)
    assert store.read(run.digest, "Correctness") == {"q0": 1.0}
    assert Match(run, truth).judged.values("Correctness").tolist() == [0.5] * 5
    versions = {json.loads(line)["version"] for line in export_verdicts(default_verdict_store())}
    assert all(re.fullmatch(r"3-[0-9a-f]{8}", version) for version in versions) and len(versions) == 2
    for text in ('extra = "right"', 'extra = "no"\npartial = "wrong"\nrefusal = "wrong"\nrounding = "wrong"', "x"):
        with pytest.raises(InputError):
            read_policy(text.encode())
