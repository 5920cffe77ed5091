"""What a plan says of the calls that follow from answers, beside what is then asked."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ragdash.cli.main import main
from ragdash.evaluation.scoring.run_judge import prepare_judging, run_judging
from ragdash.io import read_run, read_truth
from ragdash.models.judge import Budget, Endpoint, Plan, Prices, VerdictStore, plan
from ragdash.models.judge.task_runner import planned_questions
from ragdash.models.judge.tasks.claims import A_CLAIM, guessed

SAMPLES = Path(__file__).parents[3] / "sample_runs"
NEAR = 0.1  # of what is asked then, calls and tokens read; on texts of the samples, with a judge that has not spoken
FAMILY = "RAGChecker.Precision RAGChecker.Recall RAGChecker.F1 RAGChecker.Faithfulness RAGChecker.ClaimRecall"


def prepared(server, metrics: str, verdict_store: VerdictStore, **options):
    runs, truth = [read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse")], read_truth(
        SAMPLES / "truth.jsonl")
    return prepare_judging(
        runs,
        truth,
        metrics,
        Endpoint(server.url, "toy", prices=Prices(3, 15)),
        verdict_store=verdict_store,
        sample=25,
        **options,
    )


def really(job, tmp_path) -> Plan:
    """The questions that the ledger has by now, priced by the rule for a judge that has not spoken."""
    found = [one for vote in range(max(votes for _, votes in job.names))
             for one in planned_questions(job.askings(vote), job.verdict_store, job.endpoint.judge, vote)[0]]
    return plan(found, VerdictStore(tmp_path / "none.sqlite"), job.endpoint)


@pytest.mark.parametrize("metrics, votes", [("ClaimFaithfulness", 1), ("ClaimFaithfulness Faithfulness", 2),
                                            ("RAGAS.ContextRecall", 1), (FAMILY, 1)])
def test_what_follows_is_foretold_nearly(serve, verdict_store, tmp_path, metrics, votes):
    server = serve()
    job = prepared(server, metrics, verdict_store, votes=votes)
    before = job.plan
    report = run_judging(job)
    after = really(job, tmp_path)
    assert report.stopped is None and len(server.asked) == report.asked == after.calls
    assert before.follow and before.calls + before.follow == pytest.approx(after.calls, rel=NEAR)
    assert before.prompt_tokens + before.follow_prompt_tokens == pytest.approx(after.prompt_tokens, rel=NEAR)
    assert before.cost + before.follow_cost == pytest.approx(after.cost, rel=2 * NEAR)
    assert prepared(server, metrics, verdict_store, votes=votes).plan.follow == 0


def test_the_dear_calls_are_those_that_follow(serve, verdict_store):
    told = prepared(serve(), "ClaimFaithfulness", verdict_store).plan
    assert told.follow_cost > 1.5 * told.cost and told.follow_prompt_tokens > 2 * told.prompt_tokens
    assert f"about {told.cost:,.4g} to pay; with what follows about " in str(told)
    assert f", {told.cost + told.follow_cost:,.4g} to pay (claims guessed by the length of the texts)" in str(told)
    free = replace(told, cost=None, follow_cost=None)
    assert "cost not known without prices; with what follows" in str(free) and "to pay" not in str(free)


def test_shared_calls_are_foretold_once(serve, verdict_store):
    server = serve()
    one, more = (prepared(server, metrics, verdict_store).plan for metrics in ("RAGChecker.F1", FAMILY.rpartition(
        " RAGChecker.Faithfulness")[0]))
    assert (one.calls, one.follow, one.follow_cost) == (more.calls, more.follow, more.follow_cost)
    both = prepared(server, "ClaimFaithfulness RAGAS.Faithfulness", verdict_store).plan
    assert both == prepared(server, "ClaimFaithfulness", verdict_store).plan


def test_a_half_asked_job_guesses_only_what_is_not_known(serve, verdict_store):
    server = serve()
    whole = prepared(server, "ClaimFaithfulness", verdict_store)
    run_judging(whole, budget=Budget(calls=20))
    rest = prepared(server, "ClaimFaithfulness", verdict_store).plan
    assert rest.cached == 20 and 0 < rest.follow < whole.plan.follow
    assert rest.calls + rest.follow <= whole.plan.calls + whole.plan.follow - 20


def test_programs_get_what_follows_in_fields_of_its_own(serve, capsys):
    status = main(["judge", str(SAMPLES / "dense.jsonl"), "--truth", str(SAMPLES / "truth.jsonl"), "-m",
                   "ClaimFaithfulness", "--base-url", serve().url, "--model", "toy", "--sample", "5", "--dry-run",
                   "--price-in", "3", "--price-out", "15", "--progress", "json"])
    told = json.loads(capsys.readouterr().out)["plan"]
    assert status == 0 and told["calls"] == told["follow"] == 5 and not told["at_most"]
    assert told["follow_cost"] == pytest.approx(
        (3 * told["follow_prompt_tokens"] + 15 * told["follow_completion_tokens"]) / 1e6)


@pytest.mark.parametrize("text", ["a", "The bridge was built in 1932. " * 40, "橋は1932年に建てられた。" * 9, "\ud800"])
def test_guessed_claims_are_the_text_in_pieces(text):
    claims = guessed(text)["claims"]
    size = len(text.encode("utf-8", "replace"))
    assert "".join(claims) == text and size / A_CLAIM <= len(claims) <= size / A_CLAIM + 2
