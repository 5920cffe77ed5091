"""Each test has a workspace and a cache of its own, no key and no proxy of whoever runs it."""

from dataclasses import replace

import pytest

from ragdash.metrics import METRICS
from ragdash.models.judge import Endpoint, Patience, VerdictStore
from ragdash.models.judge.tasks import TASKS


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def verdict_store(tmp_path):
    return VerdictStore(tmp_path / "kept" / "judge.sqlite")


@pytest.fixture
def quick():
    """Short waits between attempts; a reply itself may take its time on a slow machine."""
    return Patience(attempts=3, first=0.01, longest_delay=0.02, connect=10, reply=30, longest_retry_after=5)


@pytest.fixture
def impatient(quick):
    """For endpoints that never reply."""
    return replace(quick, reply=0.6)


@pytest.fixture
def endpoint():
    """endpoint(server, ...): an Endpoint there."""
    return lambda server, **options: Endpoint(server.url, "toy", **options)


@pytest.fixture
def rubrics_forgotten():
    """The rubrics that a test registers are gone after it."""
    yield
    for registry in (METRICS, TASKS):
        for name in [name for name in registry if name.startswith("Rubric.")]:
            registry.pop(name)
