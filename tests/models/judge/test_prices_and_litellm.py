"""Prices with date and source, the endpoint that is remembered without its key, and calls through LiteLLM."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
import requests
from models.judge.asking_cases import questions
from models.judge.test_judge_command import FILES, TRUTH

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.paths import workspace
from ragdash.models.judge import Endpoint, VerdictStore, ask
from ragdash.models.judge.allowed_hosts import AllowedHosts
from ragdash.models.judge.transport.last_endpoint import last_endpoint
from ragdash.models.judge.transport.prices import DATE, listed_price


class OpenAIError(Exception):
    """As `openai` has it."""


class APIConnectionError(OpenAIError):
    pass


class APITimeoutError(APIConnectionError):
    pass


class StatusError(OpenAIError):
    def __init__(self, status: int, words: str):
        self.status_code = status
        super().__init__(words)


@pytest.fixture
def litellm(monkeypatch):
    """The library, of which only `completion` is used: it calls api_base as an OpenAI-compatible endpoint."""
    calls = []

    def completion(*, api_base, api_key, num_retries, timeout, **request):
        calls.append((api_base, api_key, num_retries))
        reply = requests.post(f"{api_base}/chat/completions", json=request, timeout=timeout,
                              headers={"Authorization": f"Bearer {api_key}"})
        if reply.status_code != 200:
            raise StatusError(reply.status_code, reply.text)
        return SimpleNamespace(model_dump_json=lambda: reply.text)

    library, errors = ModuleType("litellm"), ModuleType("openai")
    library.completion = completion
    errors.OpenAIError, errors.APIConnectionError, errors.APITimeoutError = (
        OpenAIError, APIConnectionError, APITimeoutError)
    monkeypatch.setitem(sys.modules, "litellm", library)
    monkeypatch.setitem(sys.modules, "openai", errors)
    return calls


def test_litellm_is_behind_the_same_ledger_retries_and_errors(serve, litellm, tmp_path, quick, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-0123456789")
    server, store = serve("429-now", "400-schema", "echo-500"), VerdictStore(tmp_path / "judge.sqlite")
    endpoint = Endpoint(server.url, "azure/toy", "litellm", "MY_API_KEY")
    outcome = ask(questions(3), endpoint, store, patience=quick, concurrency=1)
    assert [reply.missing for reply in outcome.replies] == [None] * 3 and outcome.asked == len(server.asked) == 6
    assert litellm[0] == (server.url, "sk-0123456789", 0) and server.asked[-1]["model"] == "azure/toy"
    assert server.asked[-1]["response_format"] == {"type": "json_object"}, "the ladder of structured output"
    assert ask(questions(3), endpoint, store, patience=quick).asked == 0
    refused = ask(questions(4), Endpoint(serve(*["echo-401"] * 9).url, "toy", "litellm", "MY_API_KEY"), store,
                  patience=quick)
    assert refused.stopped == "error" and "sk-0123456789" not in str(refused.problem)
    with pytest.raises(InputError, match="connections can be checked"):
        ask(questions(1), Endpoint(server.url, "t", "litellm", allowed=AllowedHosts.parse("public,127.0.0.1")), store)
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(InputError, match="litellm"):
        ask(questions(1), Endpoint(server.url, "other", "litellm"), store)


def test_prices_have_a_date_and_a_source_and_those_of_the_workspace_come_first(capsys):
    price = listed_price("azure/gpt-4.1")
    assert (price.prices.prompt, price.prices.completion, price.date) == (2.0, 8.0, DATE)
    assert "LiteLLM" in str(price) and listed_price("toy") is None
    workspace().mkdir(parents=True, exist_ok=True)
    table = workspace() / "prices.toml"
    table.write_text('[models."gpt-4.1"]\ninput = 1.0\noutput = 4\ndate = "2026-12-01"\nsource = "our contract"\n')
    assert listed_price("gpt-4.1").prices.completion == 4 and "our contract, 2026-12-01" in str(listed_price("gpt-4.1"))
    command = ["judge", FILES[0], "--truth", TRUTH, "--sample", "2", "--model", "gpt-4.1", "--dry-run", "--base-url"]
    assert main([*command, "https://api.example.com/v1"]) == 0
    text = capsys.readouterr().err
    assert "our contract" in text and "to pay" in text
    assert main([*command, "http://localhost:1/v1"]) == 0 and "to pay" not in capsys.readouterr().err
    table.write_text("[models.x]\ninput = 'much'\n")
    assert main([*command, "https://api.example.com/v1"]) == 2 and "price table" in capsys.readouterr().err


def test_the_endpoint_last_asked_is_remembered_without_its_key(serve, monkeypatch):
    assert last_endpoint() is None
    server = serve()
    monkeypatch.setenv("MY_API_KEY", "sk-0123456789")
    assert main(["judge", FILES[0], "--truth", TRUTH, "--sample", "1", "--model", "toy", "--base-url", server.url,
                 "--key-env", "MY_API_KEY"]) == 0
    last = last_endpoint()
    assert (last.kind, last.base_url, last.model) == ("openai", server.url, "toy")
    assert not any(b"sk-0123456789" in path.read_bytes() for path in workspace().rglob("*") if path.is_file())
