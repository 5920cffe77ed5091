"""`ragdash judge` from end to end, against the endpoint of the tests."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import until

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.evaluation.scoring import judge_worker
from ragdash.evaluation.scoring.run_judge import JudgeReport, JudgeResult, _not_embedded, prepare_judging, run_judging
from ragdash.io import read_run, read_truth
from ragdash.matching.views.judged import UNEMBEDDED, helps
from ragdash.matching.views.panel_verdicts import split_reasons
from ragdash.models.judge import Endpoint, default_verdict_store
from ragdash.models.judge.verdict_store.jsonl import export_verdicts

ROOT = Path(__file__).parents[3]
FILES = [str(ROOT / "sample_runs" / f"{name}.jsonl") for name in ("dense", "sparse")]
TRUTH = str(ROOT / "sample_runs" / "truth.jsonl")


@pytest.fixture
def command(capsys):
    """Run `ragdash judge` at a server: (exit status, lines on standard output, text on standard error)."""
    def run(server, *options, runs=FILES[:1], metrics="Faithfulness"):
        status = main(["judge", *runs, "--truth", TRUTH, "--metrics", metrics, "--base-url", server.url, "--model",
                       "toy", *options])
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err

    return run


def test_it_tells_the_plan_asks_and_the_metric_has_its_values(serve, command, capsys):
    server = serve()
    status, _, told = command(server, "--dry-run", "--price-in", "1", "--price-out", "2")
    assert status == 0 and "122 calls, 0 verdicts known" in told and not server.asked
    assert told.rstrip().endswith("to pay"), "nothing follows"
    status, _, told = command(server, "--concurrency", "8")
    assert status == 0 and "dense: Faithfulness 0." in told and "(n 122)" in told and len(server.asked) == 122
    status, _, told = command(server)
    assert "nothing to ask, 122 verdicts known" in told and len(server.asked) == 122
    assert main(["evaluate", FILES[0], "--truth", TRUTH, "-m", "Faithfulness", "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]["metrics"]["Faithfulness"]
    assert row["n"] == 122 and 0.5 < row["mean"] < 1


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_to_wait_is_above_0(serve, command, capsys, seconds):
    server = serve()
    with pytest.raises(SystemExit):
        command(server, "--timeout", seconds)
    assert "--timeout" in capsys.readouterr().err and not server.asked


def test_a_sample_is_the_same_for_every_run_and_seed(serve, command):
    server = serve()
    status, _, told = command(server, "--sample", "7", "--seed", "3", runs=FILES)
    assert status == 0 and len(server.asked) == 14 and told.count("(n 7)") == 2
    assert command(server, "--sample", "7", "--seed", "3", runs=FILES)[0] == 0 and len(server.asked) == 14
    asked = [body["messages"][1]["content"].split("</question>")[0] for body in server.asked]
    assert len(set(asked)) == 7


def test_votes_are_calls_of_their_own(serve, command):
    server = serve()
    assert command(server, "--sample", "3", "--votes", "2")[0] == 0 and len(server.asked) == 6
    assert command(server, "--sample", "3", metrics="Faithfulness(votes=3)")[0] == 0 and len(server.asked) == 9


def test_claims_are_verified_in_the_same_job_within_one_budget(serve, command):
    server = serve()
    status, _, told = command(server, "--sample", "5", "--max-calls", "7", metrics="ClaimFaithfulness Faithfulness")
    assert status == 0 and len(server.asked) == 7 and "the budget is spent" in told and "more that follow" in told
    status, lines, _ = command(server, "--sample", "5", "--progress", "json", metrics="ClaimFaithfulness Faithfulness")
    said = [json.loads(line) for line in lines]
    report = said[-1]["report"]
    assert status == 0 and report["stopped"] is None and report["asked"] == len(server.asked) - 7 == 8
    assert [row["n"] for row in report["rows"]] == [5, 5]
    shown = [one["progress"] for one in said if "progress" in one]
    assert shown[0]["total"] == 10 and shown[-1]["done"] == shown[-1]["total"] == 15  # five claims' lists followed
    again = command(server, "--sample", "5", "--dry-run", metrics="ClaimFaithfulness Faithfulness")[2]
    assert "nothing to ask, 15 verdicts known" in again


def test_a_budget_of_money_needs_prices_and_holds(serve, command):
    server = serve()
    assert command(server, "--max-cost", "1")[0] == 2
    assert command(server, "--price-in", "1")[0] == 2 and not server.asked
    status, _, told = command(server, "--price-in", "10", "--price-out", "10", "--max-cost", "0.1")
    assert status == 0 and "the budget is spent" in told
    assert 0 < len(server.asked) <= 0.1 / (150 * 10 / 1e6)


def test_texts_leave_this_machine_only_after_a_yes(serve, command, monkeypatch):
    server = serve()
    monkeypatch.setattr(Endpoint, "local", property(lambda self: False))
    status, _, told = command(server)
    assert status == 2 and "--yes" in told and server.url.split("/")[2] in told and not server.asked
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    for answer, expected in (("n\n", 2), ("\n", 2), ("yes\n", 0)):
        monkeypatch.setattr(sys.stdin, "readline", lambda answer=answer: answer)
        assert command(server, "--sample", "2")[0] == expected and len(server.asked) == (0 if expected else 2)
    assert command(server, "--sample", "3", "--yes")[0] == 0


@pytest.mark.parametrize("fault, words", [("401", "key"), ("404", "base URL"), ("404-model", "model"),
                                          ("html", "Sign in")])
def test_an_endpoint_that_does_not_work_is_told_once(serve, command, monkeypatch, fault, words):
    from ragdash.models.judge.plan import Patience

    monkeypatch.setattr("ragdash.cli.commands.judging.judge.Patience",
                        lambda reply: Patience(attempts=2, first=0.01, reply=1))
    server = serve(*[fault] * 500)
    status, _, told = command(server)
    assert status == 2 and words in told and told.count("error:") == 1 and len(server.asked) < 20
    assert "the same command goes on from here" in told


def test_questions_that_failed_are_told_at_the_end_and_asked_again(serve, command):
    server = serve(*["chatter"] * 9)
    status, _, told = command(server, "--sample", "3")
    assert status == 2 and "no value (n 0; missing: 3 no JSON in the reply)" in told  # nothing came of it
    assert "tokens read and" in told
    assert told.strip().endswith("done; the same command asks again what failed")
    status, _, told = command(server, "--sample", "3")
    assert status == 0 and len(server.asked) == 12 and "(n 3)" in told and told.strip().endswith(": done")


def test_what_texts_leave_undefined_is_told_apart_from_what_is_missing():
    reasons = ["no-claims", "no-references", "timeout", None, "no-references", "not-asked"]
    undefined, missing = split_reasons(reasons)
    assert undefined == {"no right answer": 2, "the text makes no claim": 1}
    assert missing == {"no reply in time": 1, "a vote that is missing": 1, "no verdict of the judge yet": 1}
    row = JudgeResult("a", "M", 0.5, 2, {"no reply in time": 1}, undefined)
    assert str(row) == ("a: M 0.500 (n 2; undefined: 2 no right answer, 1 the text makes no claim; "
                        "missing: 1 no reply in time)")
    kept = JudgeReport("j", 0, 0, None, 0.0, None, (row,), ()).as_dict()["rows"][0]
    assert (kept["undefined"], kept["missing"]) == (undefined, {"no reply in time": 1})


def test_questions_asked_back_are_embedded_by_another_command_that_is_told():
    rows = [JudgeResult(run, "RAGAS.AnswerRelevancy", 0.0, 1, {UNEMBEDDED: n}) for run, n in (("a", 2), ("b", 3))]
    problem, = _not_embedded([*rows, JudgeResult("a", "Faithfulness", 0.5, 3, {})])
    assert "RAGAS.AnswerRelevancy of 5 queries" in problem.actual and "ragdash score" in problem.fix
    assert str(problem).startswith("found RAGAS.AnswerRelevancy of 5")  # the metric is named once
    assert helps([UNEMBEDDED, "no reply in time"]) == (True, True)  # another question, and a model
    assert helps([UNEMBEDDED, "the text makes no claim"]) == (False, True)


def test_an_endpoint_that_wants_a_key_is_not_said_to_refuse_none(serve, command):
    assert "refuses to answer without a key (401" in command(serve(*["401"] * 9))[2]


def test_a_judge_that_always_says_yes_is_told(serve, command):
    status, _, told = command(serve(judge=lambda asked: {"reason": "yes", "score": 1}), "--sample", "12")
    assert status == 0 and "1 for all 12 queries" in told


def test_bad_input_is_told_before_anything_is_asked(serve, command):
    server = serve()
    for options in ({"metrics": "nDCG"}, {"metrics": "NoSuch"}, {"metrics": "Faithfulness(votes=0)"}):
        assert command(server, **options)[0] == 2
    assert command(server, "--key-env", "NO_SUCH_KEY")[0] == 2
    assert command(server, "--parameter", "api_key=1")[0] == 2 and not server.asked
    status, _, _ = command(server, "--sample", "1", "--parameter", "temperature=", "--parameter", "seed=7")
    assert status == 0 and server.asked[0]["seed"] == 7 and "temperature" not in server.asked[0]


def test_a_run_without_answers_is_told(serve, tmp_path):
    path = tmp_path / "bare.run"
    path.write_text("q001 Q0 d1 1 1.0 x\n")
    run, truth, here = read_run(path), read_truth(TRUTH), Endpoint(serve().url, "toy")
    with pytest.raises(InputError, match="no answer for any query"):
        prepare_judging([run], truth, "Faithfulness", here)
    prepared = prepare_judging([run, read_run(FILES[0])], truth, "Faithfulness", here, sample=2)
    assert [problem.severity for problem in prepared.problems] == ["warning"] and prepared.plan.calls == 2
    assert [row.n for row in run_judging(prepared).rows] == [0, 2]


@pytest.mark.slow
def test_it_stops_at_ctrl_c_and_at_a_pages_word_and_goes_on(serve):
    server = serve(delay=0.03, slow_after=10)
    told = judge_worker.command(FILES, TRUTH, "Faithfulness", server.url, "toy", options={
        "--concurrency": 2, "--max-cost": None, "--yes": True, "--sample": 100})
    assert told[-1] == "100" and "--max-cost" not in told and told.count("--yes") == 1
    child = subprocess.Popen(told, cwd=ROOT, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
    until(lambda: server.answered >= 10)
    child.send_signal(signal.SIGINT)
    words = child.communicate(timeout=180)[1].decode()
    assert child.returncode == 130 and "Traceback" not in words and "goes on from here" in words
    kept = len(list(export_verdicts(default_verdict_store())))
    assert 10 <= kept == server.answered < 150  # what was on its way was awaited
    server.slow_after = kept + 10
    worker = judge_worker.start(told, key="sk-0123456789")
    until(lambda: server.answered >= kept + 10)
    worker.cancel(120)
    assert worker.cancelled and worker.failed is None and worker.messages["report"]["stopped"] == "cancelled"
    assert len(list(export_verdicts(default_verdict_store()))) == server.answered < 190
    assert server.seen[-1]["Authorization"] == "Bearer sk-0123456789"
    assert not any("sk-0123456789" in part for part in worker.process.args)
    server.slow_after = None
    worker = judge_worker.start(told)
    until(lambda: not worker.running)
    assert worker.failed is None and server.answered == 200 and worker.messages["plan"]["local"]
    assert worker.messages["progress"]["done"] == worker.messages["progress"]["total"] == 200


def test_an_endpoint_that_is_busy_for_hours_is_told_so(serve, command):
    status, _, told = command(serve(*["429-hours"] * 9), "--sample", "5")
    assert status == 2 and "it asks to come back in 7,200 s" in told and "Come back when it has time again" in told
