"""Asking a judge: every fault of an endpoint, concurrency, budget, stopping, resuming, the key."""

import html
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers import until
from models.judge.asking_cases import questions
from models.judge.server import TOKENS
from speed import quick

from ragdash.core.errors import InputError, Problem
from ragdash.models.judge import Budget, Endpoint, Patience, Prices, ask, plan
from ragdash.models.judge.task_runner import TaskRunner
from ragdash.models.judge.transport.http import redact
from ragdash.models.judge.verdict_store.store import VerdictWriter

ROOT = Path(__file__).parents[3]
ENDLESS = {"hang", "drip", "drip-head", "drip-chunk"}
KEY = "sk-very/secret+0123456789"


@pytest.fixture
def one(serve, endpoint, verdict_store, quick, impatient):
    """Ask one question of an endpoint with these faults: (reply, outcome, server)."""
    def asked(*faults, **options):
        server, patience = serve(*faults), impatient if ENDLESS & {*faults} else quick
        outcome = ask(questions(1), endpoint(server, **options), verdict_store, patience=patience)
        return outcome.replies[0], outcome, server

    return asked


def test_a_reply_is_checked_kept_and_not_asked_again(serve, endpoint, verdict_store):
    server = serve()
    here = endpoint(server, prices=Prices(10, 100))
    asked = questions(3)
    before = plan(asked, verdict_store, here)
    assert (before.calls, before.cached) == (3, 0)
    outcome = ask(asked, here, verdict_store)
    assert [reply.value["score"] for reply in outcome.replies] == [1, 1, 1]
    reply = outcome.replies[0]
    assert (reply.model, reply.usage.prompt, reply.usage.completion, reply.attempts) == ("toy-0001", *TOKENS, 1)
    assert (reply.mode, dict(reply.sent)) == ("json_schema", {"temperature": 0, "max_tokens": 1024})
    assert not reply.usage.estimated and reply.raw.startswith("{") and reply.at.endswith("+00:00")
    assert outcome.cost == pytest.approx(3 * (TOKENS[0] * 10 + TOKENS[1] * 100) / 1e6)
    assert plan(asked, verdict_store, here).calls == 0
    again = ask(asked, here, verdict_store)
    assert [replace(one, cached=True) for one in outcome.replies] == list(again.replies)
    assert (again.asked, again.cached, again.cost, len(server.asked)) == (0, 3, 0.0, 3)


def test_the_same_question_twice_is_one_call(serve, endpoint, verdict_store):
    server, asked = serve(), questions(2)
    outcome = ask([asked[0], asked[1], asked[0]], endpoint(server), verdict_store)
    assert len(outcome.replies) == 3 and len(server.asked) == 2
    assert ask([asked[0].with_vote(1)], endpoint(server), verdict_store).asked == 1  # another vote is another call


def test_the_same_question_twice_is_missing_once(serve, endpoint, verdict_store, quick):
    """Metrics share questions: more of them are not missing than were asked."""
    seen, asked = [], questions(3)
    judging = TaskRunner(
        endpoint(serve(*["400"] * 99)), verdict_store, progress=seen.append, options={"patience": quick}
    )
    walk_of = [[asked[0], asked[1], asked[0], asked[0]], [asked[2]]]
    assert [len(judging._answer(one)) for one in walk_of] == [4, 1]
    assert judging.total.missing == {"bad-request": 3} and [now.missing for now in seen] == [now.done for now in seen]


@pytest.mark.parametrize("fault", ["408", "409", "425", "429-now", "500", "503", "529", "close", "half", "html",
                                   "not-json", "no-choices", "hang", "drip", "drip-head", "drip-chunk"])
def test_what_passes_is_asked_again(one, fault):
    reply, outcome, server = one(fault)
    assert reply.value["score"] == 1 and reply.attempts == 2 and len(server.asked) == 2
    assert outcome.stopped is None and not outcome.missing


@pytest.mark.parametrize("fault, reason", [
    ("500", "server-error"), ("429-now", "rate-limited"), ("close", "unreachable"), ("hang", "timeout"),
    ("drip", "timeout"), ("drip-head", "timeout"), ("drip-chunk", "timeout"),
    ("html", "not-a-reply"), ("400", "bad-request")])
def test_what_does_not_pass_is_missing_with_its_reason(one, endpoint, verdict_store, fault, reason):
    reply, outcome, server = one(*[fault] * 9)
    assert (reply.value, reply.missing) == (None, reason) and outcome.missing == {reason: 1}
    key = endpoint(server).judge.key(questions(1)[0])
    assert verdict_store.get([key]) == {} and verdict_store.failed([key])[key].missing == reason


def test_retry_after_is_heeded_by_all(serve, endpoint, verdict_store, quick):
    server, start = serve("429"), time.monotonic()
    outcome = ask(questions(2), endpoint(server), verdict_store, concurrency=1, patience=quick)
    assert time.monotonic() - start >= 1.0 and not outcome.missing
    reply = ask(questions(3)[2:], endpoint(serve("429-hours")), verdict_store, patience=quick).replies[0]
    assert (reply.missing, reply.attempts) == ("rate-limited", 1)  # two hours are not waited for


@pytest.mark.parametrize("fault, kind, words", [
    ("401", "key-refused", "Incorrect key"), ("403", "key-refused", "Forbidden"), ("404", "wrong-address", "not found"),
    ("404-model", "unknown-model", "does not exist"), ("400-model", "unknown-model", "'toy'"),
    ("402", "quota-used-up", "Payment"), ("429-quota", "quota-used-up", "quota"),
    ("301", "wrong-address", "elsewhere"), ("302", "wrong-address", "http://[::1")])
def test_what_no_question_escapes_ends_the_job_at_once(serve, endpoint, verdict_store, quick, fault, kind, words):
    server = serve(*[fault] * 9)
    outcome = ask(questions(6), endpoint(server), verdict_store, concurrency=1, patience=quick)
    assert len(server.asked) == 1 and outcome.missing == {"stopped": 6} and outcome.stopped == "error"
    assert outcome.problem.kind == kind and words in outcome.problem.actual and outcome.problem.fix
    assert ask(questions(6), endpoint(serve()), verdict_store).missing == {}  # nothing of it is kept


def test_a_key_that_is_refused_and_one_that_lacks_are_told_apart(serve, endpoint, verdict_store, quick, monkeypatch):
    monkeypatch.setenv("A_KEY", "abc")
    without, wrong = (ask(questions(1), endpoint(serve("401"), key_env=name), verdict_store, patience=quick).problem
                      for name in (None, "A_KEY"))
    assert "refuses to answer without a key" in without.actual and "--key-env" in without.fix
    assert "refuses the key in A_KEY" in wrong.actual and "abc" not in str(wrong)


def test_an_endpoint_that_only_fails_ends_the_job(serve, endpoint, verdict_store, quick):
    server = serve(*["500"] * 100)
    outcome = ask(questions(30), endpoint(server), verdict_store, concurrency=2, patience=quick)
    assert outcome.problem.kind == "endpoint-fails" and "Internal error" in outcome.problem.actual
    assert len(server.asked) <= 5 * quick.attempts and outcome.missing["stopped"] >= 25
    nobody = Endpoint("http://127.0.0.1:9/v1", "toy")
    outcome = ask(questions(9), nobody, verdict_store, patience=quick)
    assert outcome.problem.kind == "endpoint-fails" and "unreachable" not in outcome.problem.actual
    assert outcome.asked == 0  # nobody was there


def test_a_judge_that_writes_nothing_of_use_ends_the_job(serve, endpoint, verdict_store, quick):
    outcome = ask(questions(40), endpoint(serve(*["chatter"] * 200)), verdict_store, patience=quick, concurrency=2)
    assert outcome.problem.kind == "judge-unusable" and outcome.missing["not-json"] >= 20
    assert outcome.missing["stopped"] >= 10


@pytest.mark.parametrize("fault, mode, sent", [
    ("400-schema", "json_object", {"temperature": 0, "max_tokens": 1024}),
    ("500-grammar", "json_object", {"temperature": 0, "max_tokens": 1024}),
    ("400-format", "text", {"temperature": 0, "max_tokens": 1024}),
    ("400-temperature", "json_schema", {"max_tokens": 1024}),
    ("400-max_tokens", "json_schema", {"temperature": 0, "max_completion_tokens": 1024})])
def test_what_is_refused_is_left_out_and_remembered(serve, endpoint, verdict_store, quick, fault, mode, sent):
    server = serve(*[fault] * 20)
    reply, = ask(questions(1), endpoint(server), verdict_store, patience=quick).replies
    assert reply.value["score"] == 1 and (reply.mode, dict(reply.sent)) == (mode, sent)
    before = len(server.asked)
    assert before > 1
    reply = ask(questions(2)[1:], endpoint(server), verdict_store, patience=quick).replies[0]
    assert (reply.attempts, reply.mode, dict(reply.sent)) == (1, mode, sent) and len(server.asked) == before + 1


def test_anthropic(serve, verdict_store, quick):
    server = serve("", "400-format", "400-format", "truncated", "truncated", "refusal")
    here = Endpoint(server.url, "toy", kind="anthropic", key=KEY)
    asked = questions(5)
    first, second, third = (ask([one], here, verdict_store, patience=quick).replies[0] for one in asked[:3])
    assert (first.mode, first.value["score"], first.usage.prompt) == ("tool", 1, TOKENS[0])
    assert server.seen[0]["x-api-key"] == KEY and "Authorization" not in server.seen[0]
    assert server.asked[0]["tool_choice"] == {"type": "tool", "name": "Faithfulness"}
    assert (second.mode, second.attempts, second.value["score"]) == ("text", 2, 1)
    assert (third.value["score"], third.sent["max_tokens"], third.mode) == (1, 4096, "text")
    assert ask(asked[3:4], here, verdict_store, patience=quick).replies[0].missing == "refused"


@pytest.mark.parametrize("fault, attempts", [("fenced", 1), ("think", 1), ("truncated", 2), ("chatter", 2),
                                             ("wrong-shape", 2), ("string-score", 2), ("empty", 2), ("null", 2)])
def test_replies_are_read_leniently_and_checked_strictly(one, fault, attempts):
    reply, _, server = one(fault)
    assert reply.value["score"] == 1 and reply.attempts == attempts
    assert reply.usage.prompt == TOKENS[0] * attempts  # every reply is paid for
    if fault == "truncated":
        assert [body["max_tokens"] for body in server.asked] == [1024, 4096]
    elif attempts == 2:
        told = server.asked[1]["messages"][-1]["content"]
        assert told.startswith("This reply cannot be used: ") and server.asked[1]["messages"][-2]["role"] == "assistant"


@pytest.mark.parametrize("fault, reason, requests", [
    ("chatter", "not-json", 3), ("wrong-shape", "wrong-shape", 3), ("empty", "empty", 3), ("null", "empty", 3),
    ("always-truncated", "truncated", 2), ("refusal", "refused", 1), ("400-length", "too-long", 1),
    ("400-filter", "refused", 1)])
def test_a_verdict_that_does_not_come_is_missing(one, fault, reason, requests):
    reply, outcome, server = one(*[fault] * 9)
    assert (reply.value, reply.missing, len(server.asked)) == (None, reason, requests)
    assert outcome.stopped is None


def test_without_usage_tokens_are_estimated_and_marked(one):
    reply, outcome, _ = one("no-usage", prices=Prices(1, 1))
    assert reply.usage.estimated and reply.usage.prompt > 100 and reply.usage.completion > 5 and outcome.cost > 0


def test_concurrency_is_kept_exactly(serve, endpoint, verdict_store):
    server = serve(gathered=8, delay=0.01)
    outcome = ask(questions(400), endpoint(server), verdict_store, concurrency=8)
    assert server.most == 8 and len(server.asked) == 400 and not outcome.missing


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from models.judge.asking_cases import questions
from ragdash.models.judge import Endpoint, VerdictStore, ask
ask(questions(400), Endpoint({url!r}, "toy"), VerdictStore(Path({path!r})), concurrency=8)
"""


def test_killed_after_200_and_started_again_asks_exactly_200_more(serve, endpoint, verdict_store):
    server = serve(*[""] * 200, *["hang"] * 8)
    code = CHILD.format(tests=str(ROOT / "tests"), url=server.url, path=str(verdict_store.path))
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    asked = questions(400)
    keys = [endpoint(server).judge.key(question) for question in asked]
    until(lambda: len(verdict_store.known_keys(keys)) >= 200 and len(server.asked) >= 208)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert len(verdict_store.known_keys(keys)) == server.answered == 200
    server.freed.set()
    assert plan(asked, verdict_store, endpoint(server)).calls == 200
    outcome = ask(asked, endpoint(server), verdict_store, concurrency=8)
    assert (server.answered, outcome.asked, outcome.cached) == (400, 200, 200) and not outcome.missing
    assert ask(asked, endpoint(server), verdict_store).asked == 0 and server.answered == 400


def test_a_budget_of_calls_is_never_overstepped(serve, endpoint, verdict_store, quick):
    server = serve(*["", "500"] * 10, delay=0.005)
    outcome = ask(questions(30), endpoint(server), verdict_store, budget=Budget(calls=10), concurrency=4,
                  patience=replace(quick, attempts=30))
    assert outcome.stopped == "budget" and outcome.problem is None
    assert len(server.asked) == 10  # those turned away count too
    answered = server.answered
    assert 4 <= answered <= 6 and outcome.missing == {"budget": 30 - answered}
    stopped = ask(questions(30), endpoint(server), verdict_store, budget=Budget(calls=0))
    assert stopped.missing == {"budget": 30 - answered}
    assert len(server.asked) == 10
    assert ask(questions(30), endpoint(server), verdict_store, patience=replace(quick, attempts=30)).missing == {}
    assert server.answered == 30  # nothing of it was kept as a failure


def test_an_unusable_reply_is_the_reason_where_the_budget_allows_no_second_call(serve, endpoint, verdict_store, quick):
    server = serve("chatter")
    outcome = ask(questions(1), endpoint(server), verdict_store, budget=Budget(calls=1), concurrency=4,
                  patience=quick)
    assert outcome.missing == {"not-json": 1} and len(server.asked) == 1
    assert outcome.replies[0].raw and outcome.replies[0].note == "it holds no complete JSON object"


def test_a_budget_of_money_is_never_overstepped(serve, endpoint, verdict_store, quick):
    server, asked = serve(), questions(40)
    here = endpoint(server, prices=Prices(1000, 1000))
    call = sum(TOKENS) * 1000 / 1e6
    ask(asked[:8], here, verdict_store)  # from here on it is known how much is written
    outcome = ask(asked, here, verdict_store, budget=Budget(cost=10.5 * call), concurrency=4)
    assert outcome.stopped == "budget" and 0 < outcome.cost <= 10.5 * call and outcome.cached == 8
    with pytest.raises(InputError, match="prices"):
        ask(asked, endpoint(server), verdict_store, budget=Budget(cost=1))


def test_it_can_be_cancelled_and_goes_on_later(serve, endpoint, verdict_store, quick):
    server, cancel, seen = serve(delay=0.01, slow_after=10), threading.Event(), []
    outcome = ask(questions(60), endpoint(server), verdict_store, concurrency=3, cancel=cancel,
                  progress=lambda now: (seen.append(now), now.done >= 9 and cancel.set())[0])
    assert outcome.stopped == "cancelled" and set(outcome.missing) == {"cancelled"}
    got = 60 - outcome.missing["cancelled"]
    assert 9 <= got == server.answered < 30  # what was on its way is kept
    assert seen[0].done == 0 and seen[-1].done == got and seen[-1].rate > 0 and seen[-1].left > 0
    assert "of 60 questions" in str(seen[-1])
    server.slow_after = None
    outcome = ask(questions(60), endpoint(server), verdict_store, progress=lambda now: False)
    assert outcome.stopped == "cancelled" and outcome.cached == got
    assert ask(questions(60), endpoint(server), verdict_store).missing == {} and server.answered == 60


def test_cancelling_ends_a_wait(serve, endpoint, verdict_store):
    server, cancel, start = serve(*["503"] * 9), threading.Event(), time.monotonic()
    threading.Timer(0.3, cancel.set).start()
    outcome = ask(
        questions(1), endpoint(server), verdict_store, cancel=cancel, patience=Patience(first=600, longest_delay=600)
    )
    assert outcome.missing == {"cancelled": 1} and time.monotonic() - start < 300


def test_a_full_disk_ends_the_job_and_what_was_said_is_returned(serve, endpoint, verdict_store, monkeypatch):
    def full(self, judge, rows):
        raise InputError([Problem("unusable-ledger", {"reason": "a full disk"})])

    monkeypatch.setattr(VerdictWriter, "save", full)
    server = serve(delay=0.01)
    outcome = ask(questions(20), endpoint(server), verdict_store, concurrency=2)
    said = [reply for reply in outcome.replies if reply.value]
    assert "a full disk" in outcome.problem.actual and outcome.stopped == "error"
    assert len(said) == server.answered == outcome.asked <= 3 and outcome.missing == {"stopped": 20 - len(said)}


@pytest.mark.parametrize("what", ["save_mode", "find_verdict"])
def test_a_ledger_that_breaks_ends_the_job_wherever_it_is_used(serve, endpoint, verdict_store, monkeypatch, what):
    """Where a manner is to be remembered, and where another process may have had the reply."""
    def broken(self, *_):
        raise InputError([Problem("unusable-ledger", {"reason": "a full disk"})])

    monkeypatch.setattr(VerdictWriter, what, broken)
    server = serve("400-schema", delay=0.01)
    outcome = ask(questions(20), endpoint(server), verdict_store, concurrency=1)
    assert outcome.stopped == "error" and "a full disk" in outcome.problem.actual
    said = [reply for reply in outcome.replies if reply.value]
    assert len(said) == server.answered <= 1 and outcome.missing == {"stopped": 20 - len(said)}


def test_overhead_is_small(serve, endpoint, verdict_store):
    """Processor time of the client and of the server of the test together, for each call."""
    server, asked = serve(), questions(300)
    ask(asked[:5], endpoint(server), verdict_store)
    quick(lambda: ask(asked, endpoint(server), verdict_store, concurrency=4), 295 * 0.005)


def test_a_key_is_sent_and_stands_nowhere(serve, endpoint, verdict_store, quick, monkeypatch, caplog, capfd, tmp_path):
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    caplog.set_level(logging.DEBUG)
    texts = []
    for fault in ("echo-reply", "echo-401", "echo-400", "echo-500", "301", "close"):
        server = serve(*[fault] * 9)
        here = endpoint(server, key_env="MY_KEY")
        outcome = ask(questions(1), here, verdict_store, patience=quick)
        assert server.seen[0]["Authorization"] == f"Bearer {KEY}"
        texts += [repr(outcome), str(outcome.problem), repr(here), repr(here.judge)]
    assert "the key is [key]" in texts[0]
    texts += [caplog.text, *capfd.readouterr()]
    found = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for form in (KEY, KEY.replace("/", "\\/"), KEY[3:15]):
        assert form.encode() not in found and not any(form in text for text in texts)
    assert b"[key]" in found


@pytest.mark.parametrize("written", [
    json.dumps, quote, lambda key: quote(key, safe=""), lambda key: quote(quote(key, safe="")), html.escape,
    lambda key: quote(key, safe="").lower(), lambda key: json.dumps(json.dumps(key)),
    lambda key: "".join(one if one.isalnum() else f"\\u{ord(one):04X}" for one in key),
    lambda key: "".join(one if one.isalnum() else f"&#{ord(one)};" for one in key),
    lambda key: html.escape("".join(one if one.isalnum() else f"&#x{ord(one):x};" for one in key)),
])
def test_a_key_that_an_endpoint_writes_in_its_own_way_is_not_shown(written):
    key = "sk-ab+c/d=e&f<g>h'i\"j\\k".lower()
    text = f"no such key: {written(key)}."
    assert redact(text, key).replace('"', "").replace("\\", "") == "no such key: [key]."


def test_a_key_that_is_lacking_is_told_before_anything_is_asked(serve, endpoint, verdict_store, monkeypatch):
    server = serve()
    with pytest.raises(InputError, match="NO_SUCH_KEY"):
        ask(questions(1), endpoint(server, key_env="NO_SUCH_KEY"), verdict_store)
    monkeypatch.setenv("NO_SUCH_KEY", f"{KEY} and more")
    with pytest.raises(InputError, match="not shown") as raised:
        ask(questions(1), endpoint(server, key_env="NO_SUCH_KEY"), verdict_store)
    assert KEY not in str(raised.value) and not server.asked
    ask(questions(1), endpoint(server), verdict_store)
    assert "Authorization" not in server.seen[0]  # here none is needed, and none is sent
