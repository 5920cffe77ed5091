"""A judge's key from Streamlit's secrets: it reaches the endpoint by the process's environment, and is nowhere else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers import until
from streamlit.runtime.secrets import Secrets
from test_judges_page import SECRET, finish, no_keys, opened, plan, start, texts

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import roles
from ragdash.dashboard.jobs import judging
from ragdash.dashboard.jobs.judging import JudgeOrder
from ragdash.dashboard.pages.answers.judge import form
from ragdash.dashboard.session import state
from ragdash.models.judge import default_verdict_store

__all__ = ["no_keys"]  # a fixture: no key in the environment, no process left over
NAMED = {state.JUDGE_VARIABLE: "MY_API_KEY"}


@pytest.fixture
def commands(monkeypatch):
    """Of the processes started: (command, environment)."""
    asked, begin = [], subprocess.Popen.__init__

    def noted(self, command, *args, **options):
        asked.append((command, options.get("env") or {}))
        begin(self, command, *args, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", noted)
    return asked


@pytest.fixture
def held(monkeypatch):
    """Secrets outside a page: held({name: value})."""
    def put(content: dict) -> None:
        secrets = Secrets()
        secrets._secrets = content
        monkeypatch.setattr(roles.st, "secrets", secrets)
    return put


def order(url: str = "http://127.0.0.1:1/v1", variable: str | None = "MY_API_KEY", kind: str = "openai") -> JudgeOrder:
    return JudgeOrder(kind, url, "toy", variable, ("Faithfulness",))


def holding(folder: Path) -> list[Path]:
    """The files that have the key."""
    return [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_a_key_of_the_secrets_reaches_the_endpoint_and_is_nowhere_else(serve, commands, tmp_path, caplog, capfd):
    server = serve(delay=0.2)
    at = opened(server, secrets={"MY_API_KEY": SECRET}, **NAMED)
    assert "MY_API_KEY is set on the server, in its secrets" in texts(at)
    at = start(plan(at))
    until(lambda: server.seen)
    assert server.seen[0]["Authorization"] == f"Bearer {SECRET}"
    job = judging.current()
    with_key = holding(Path(job.folder.name))
    at = finish(at)
    assert {one["Authorization"] for one in server.seen} == {
        f"Bearer {SECRET}"
    } and default_verdict_store().path.exists()
    assert not with_key + holding(tmp_path)
    *others, asking = [SECRET in str(environment) for _, environment in commands]
    assert asking and not any(others), "the one that asks alone"
    assert not any(SECRET in str(command) for command, _ in commands)
    assert SECRET not in str(dict(at.query_params)) and SECRET not in repr(at.session_state)
    assert SECRET not in repr(job) + str(job.details) + str(job.key) + str(job.worker.messages) + str(
        job.worker.stderr_lines
    )
    assert SECRET not in texts(at) + str([one.value for one in at.code])
    assert SECRET not in caplog.text + "".join(capfd.readouterr())
    assert SECRET not in str(dict(os.environ)), "nor in the dashboard's own environment"


def test_the_environment_comes_first(serve, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "another-key-1234")
    server = serve()
    at = opened(server, secrets={"MY_API_KEY": SECRET}, **NAMED)
    assert "MY_API_KEY is set on the server, in its environment" in texts(at)
    finish(start(plan(at)))
    assert {one["Authorization"] for one in server.seen} == {"Bearer another-key-1234"}


@pytest.mark.parametrize("secrets", [None, {"OTHER_API_KEY": SECRET}, {"MY_API_KEY": {"MY_API_KEY": SECRET}},
                                     {"MY_API_KEY": " "}, {"judge": {"MY_API_KEY": SECRET}}])
def test_a_key_in_neither_place_is_told_with_both(serve, secrets):
    server = serve()
    at = opened(server, secrets=secrets, **NAMED)
    assert "MY_API_KEY is not set on the server: neither in its environment nor in its secrets" in texts(at)
    at = plan(at)
    at.button(key="judge_start").click().run()
    card = at.error[0].value.replace("\\", "")
    assert "no MY_API_KEY, neither in the server's environment nor in its secrets" in card and "secrets.toml" in card
    assert "Type the key" in card and not server.asked and judging.current() is None


def test_a_secret_goes_to_its_own_host_alone_and_no_other_secret_can_be_named(serve):
    server = serve()
    secrets = {"OPENAI_API_KEY": SECRET, "DATABASE_PASSWORD": SECRET}
    for name, why in (("OPENAI_API_KEY", "is sent to api.openai.com only"), ("DATABASE_PASSWORD", "_API_KEY")):
        at = opened(server, secrets=secrets, **{state.JUDGE_VARIABLE: name})
        assert why in at.error[0].value.replace("\\", "") and at.button(key="judge_plan").disabled


def test_the_known_hosts_need_no_name(held):
    held({"ANTHROPIC_API_KEY": SECRET, "DATABASE_PASSWORD": "another"})
    assert form.secret(order("https://api.anthropic.com", None, "anthropic")) == SECRET
    assert form.secret(order(variable=None)) is None, "one's own machine needs no key"
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        form.secret(order("https://api.openai.com/v1", None))
    with pytest.raises(InputError):
        form.secret(order(variable="DATABASE_PASSWORD"))


def test_a_key_that_is_to_be_typed_is_not_taken_from_the_server(held, monkeypatch):
    held({"OPENAI_API_KEY": SECRET})
    monkeypatch.setattr(form.state, "get", {state.JUDGE_KEY_FROM: "typed", state.JUDGE_KEY: " "}.get)
    with pytest.raises(InputError, match="no key typed"):
        form.secret(order("https://api.openai.com/v1", None))
    assert form.secret(order(variable=None)) is None, "one's own machine needs no key"


def test_an_endpoint_that_refuses_the_key_names_it(serve):
    at = finish(start(plan(opened(serve(*["401"] * 40), secrets={"MY_API_KEY": SECRET}, **NAMED))))
    card = at.error[0].value.replace("\\", "")
    assert "401" in card and "MY_API_KEY" in card and "typed" not in card and SECRET not in texts(at)
