"""Each test has a workspace of its own, no key and no proxy of whoever runs it."""

import pytest
from judging.server import Server

from ragdash.judging import Endpoint, Ledger, Patience


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "kept" / "judge.sqlite")


@pytest.fixture
def quick():
    """Waits that a test can wait for."""
    return Patience(attempts=3, first=0.01, most=0.02, connect=2, reply=0.6, told=5)


@pytest.fixture
def serve():
    """Start an endpoint: serve(faults=..., ...); all are closed in the end."""
    servers = []

    def start(*faults, **options):
        servers.append(Server(faults=faults, **options).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()


@pytest.fixture
def endpoint():
    """endpoint(server, ...): an Endpoint there."""
    return lambda server, **options: Endpoint(server.url, "toy", **options)
