"""Batches over HTTP: submit, poll, rounds, what is lost on the way; no question is ever in two batches."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest
from models.judge.batch_endpoint import BatchEndpoint

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.models.judge import Patience, default_verdict_store
from ragdash.models.judge.allowed_hosts import AllowedHosts
from ragdash.models.judge.batch_files import open_batches, service, service_protocols
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.transport.response_status import HttpResponse

ROOT = Path(__file__).parents[3]
RUN, TRUTH = str(ROOT / "sample_runs" / "dense.jsonl"), str(ROOT / "sample_runs" / "truth.jsonl")


@pytest.fixture
def serving(tmp_path, capsys, monkeypatch):
    """(a batch endpoint with these faults, `ragdash judge` there: (exit status, text on standard error))."""
    monkeypatch.setattr(service_protocols.Protocol, "pause", lambda *_: None)
    monkeypatch.setenv("TOY_KEY", "secret-key")
    opened = []

    def start(*faults: str, kind: str = "openai"):
        endpoint = BatchEndpoint(tmp_path, faults).__enter__()
        opened.append(endpoint)

        def judge(*options, metrics="ClaimFaithfulness"):
            status = main(["judge", RUN, "--truth", TRUTH, "--metrics", metrics, "--base-url", endpoint.url, "--model",
                           "toy", "--sample", "6", "--seed", "3", "--kind", kind, "--key-env", "TOY_KEY",
                           *map(str, options)])
            return status, capsys.readouterr().err
        return endpoint, judge

    yield start
    for endpoint in opened:
        endpoint.__exit__()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_rounds_are_submitted_and_read_and_no_question_is_asked_twice(serving, kind):
    endpoint, judge = serving(kind=kind)
    assert "no batch of toy at 127.0.0.1" in judge("--batch", "poll")[1]
    status, text = judge("--batch", "submit")
    assert status == 0 and "submitted 6 requests as batch-0; round 1 of 2: 6 requests (6 Claims)" in text
    status, text = judge("--batch", "submit")
    assert status == 0 and "nothing was submitted; nothing else to ask yet; 6 questions in open batches" in text
    status, text = judge("--batch", "poll")
    assert "batch-0: in_progress" in text and "1 batch still running" in text
    endpoint.finish("expired", {0: "expired"})
    status, text = judge("--batch", "poll")
    assert status == 0 and "5 new verdicts" in text
    assert f"batch-0: {'expired' if kind == 'openai' else 'ended'}, 6 of 6" in text
    assert "next: round 2 of 3: 6 requests (1 Claims, 5 Verify, 1 of them again)" in text
    assert "submitted 6 requests as batch-1" in judge("--batch", "submit")[1]
    endpoint.finish()
    judge("--batch", "poll")
    endpoint.faults = ()
    assert "submitted 1 request as batch-2; round 3 of 3: 1 request (1 Verify)" in judge("--batch", "submit")[1]
    endpoint.finish()
    assert "nothing left to ask; 12 verdicts known" in judge("--batch", "poll")[1]
    assert sorted(map(endpoint.asked.count, set(endpoint.asked))) == [1] * 11 + [2], "the one that expired, again"
    assert "(n 6)" in judge("--batch-out", "none.jsonl")[1] or not Path("none.jsonl").exists()


def test_the_budget_spans_open_batches_and_failed_ones_free_their_questions(serving):
    endpoint, judge = serving()
    assert "submitted 4 requests" in judge("--batch", "submit", "--max-calls", 4)[1]
    assert "nothing within the budget; 4 questions in open batches" in judge("--batch", "submit", "--max-calls", 4)[1]
    assert "submitted 1 request as batch-1" in judge("--batch", "submit", "--max-calls", 5)[1]
    endpoint.finish("failed")
    text = judge("--batch", "poll", "--max-calls", 5)[1]
    assert "batch batch-0 ended as failed: the file is not valid" in text and "5 requests" in text
    assert "submitted 6 requests as batch-2" in judge("--batch", "submit")[1]


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", ["lost", "error"])
def test_a_batch_whose_id_is_lost_is_found(serving, fault, kind):
    endpoint, judge = serving("", fault, kind=kind)
    judge("--batch", "submit", metrics="Faithfulness")  # another batch of as many requests, which is known
    endpoint.finish()
    judge("--batch", "poll", metrics="Faithfulness")
    endpoint.asked.clear()
    status, text = judge("--batch", "submit")
    assert status == 0 and "submitted 6 requests as batch-1" in text and len(endpoint.asked) == 6
    endpoint.finish()
    assert "6 new verdicts" in judge("--batch", "poll")[1]


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_what_was_interrupted_goes_on(serving, monkeypatch, kind):
    """Killed while the batch is made: the next call finds it. Killed after the replies were read: they count once."""
    endpoint, judge = serving(kind=kind)

    def killed(*_):
        raise KeyboardInterrupt
    with monkeypatch.context() as patched:
        patched.setattr(open_batches.OpenBatches, "set_batch", killed)
        with pytest.raises(KeyboardInterrupt):
            main_without_catching(judge)
    assert len(endpoint.batches) == 1
    assert "6 questions in open batches" in judge("--batch", "submit")[1] and len(endpoint.batches) == 1
    endpoint.finish()
    with monkeypatch.context() as patched:
        patched.setattr(open_batches.OpenBatches, "close", killed)
        with pytest.raises(KeyboardInterrupt):
            main_without_catching(judge, "poll")
    before = len(default_verdict_store().all_verdicts())
    status, text = judge("--batch", "poll")
    assert status == 0 and "0 new verdicts, 6 read before" in text
    assert len(default_verdict_store().all_verdicts()) == before == 6 and len(endpoint.asked) == 6


def main_without_catching(judge, step: str = "submit") -> None:
    """A call that a KeyboardInterrupt ends: by the exception or by the exit status of an interrupted command."""
    if judge("--batch", step)[0] == 130:
        raise KeyboardInterrupt


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_refused_batch_frees_its_questions_and_other_protocols_say_what_to_do(serving, kind):
    _, judge = serving("refused", kind=kind)
    status, text = judge("--batch", "submit")
    assert status == 2 and "making a batch at 127.0.0.1" in text and "no batches for this model" in text
    assert "submitted 6 requests" in judge("--batch", "submit")[1]
    assert "a service for batches" in judge("--batch", "submit", "--kind", "litellm")[1]


@pytest.mark.parametrize(("allowed", "shown"), [(None, True), (AllowedHosts.parse("127.0.0.1"), False)])
def test_a_server_with_limited_hosts_shows_no_reply_that_is_not_json(allowed, shown):
    endpoint = Endpoint("http://127.0.0.1:1/v1", "toy", allowed=allowed)
    protocol = service_protocols.OpenAIBatches(endpoint, Patience(attempts=1))
    page = HttpResponse(200, b"<p>internal page</p>", {"content-type": "text/html"})
    protocol._send = lambda *request: page
    with pytest.raises(InputError) as refused:
        protocol.prepare(b"{}")
    assert ("internal page" in str(refused.value)) == shown
    assert ("text/html, 20 bytes" in str(refused.value)) != shown


@pytest.mark.parametrize("odd", [{"request_counts": "x"}, {"errors": "x"}, {"errors": {"data": "x"}}, {"errors": ["x"]},
                                 {"request_counts": {"completed": "x", "total": [1]}, "errors": {"data": ["x"]}}])
@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_reply_with_a_text_where_an_object_is_usual_says_nothing_of_it(name, odd):
    protocol = service_protocols.PROTOCOLS[name](Endpoint("http://127.0.0.1:1/v1", "toy"), Patience(attempts=1))
    words = {"status": "failed", "processing_status": "failed", "data": "x", **odd}
    protocol._send = lambda *request: HttpResponse(200, orjson.dumps(words), {"content-type": "application/json"})
    state = protocol.look("b1")
    assert (state.status, state.done, state.total, state.error) == ("failed", 0, 0, "")
    assert protocol.find("mark", 2, ()) == ""


def test_a_lost_message_batch_is_the_first_one_after_its_mark():
    """Newer batches of the same size belong to others; what is older than the mark cannot be it."""
    def batch(name, requests):
        return {"id": name, "request_counts": {"processing": 0, "succeeded": requests}}
    protocol = service_protocols.AnthropicBatches.__new__(service_protocols.AnthropicBatches)
    protocol._listed = lambda: [batch("newest", 6), batch("other size", 5), batch("lost", 6), batch("mark", 6),
                                batch("old", 6)]
    assert protocol.find("after mark", 6, {"newest"}) == protocol.find("after mark", 6, ()) == "lost"
    assert protocol.find("after mark", 6, {"newest", "lost"}) == protocol.find("after mark", 7, ()) == ""
    assert protocol.find("after none", 6, ()) == "old"


def test_waiting_submits_the_rounds_until_nothing_is_left(serving, monkeypatch):
    endpoint, judge = serving()
    look = service.BatchService.poll

    def poll(self):
        endpoint.finish()
        return look(self)
    monkeypatch.setattr(service.BatchService, "poll", poll)
    status, text = judge("--batch", "submit", "--wait", "0.01")
    assert status == 0 and "nothing left to ask; 12 verdicts known" in text and len(endpoint.batches) == 2


def test_batch_files_need_no_address(tmp_path, capsys):
    requests = tmp_path / "requests.jsonl"
    common = ["judge", RUN, "--truth", TRUTH, "--model", "gpt-5", "--sample", "2"]
    assert main([*common, "--batch-out", str(requests)]) == 0
    assert {json.loads(line)["body"]["model"] for line in requests.read_text().splitlines()} == {"gpt-5"}
    assert main(common) == 2 and "Name it with --base-url" in capsys.readouterr().err
