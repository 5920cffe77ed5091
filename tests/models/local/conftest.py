"""Each test has a cache of its own, and none of the models of whoever runs it."""

import pytest

from ragdash.models.local import ScoreCache


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("RAGDASH_SBERT_MODEL", "RAGDASH_CROSS_ENCODER", "RAGDASH_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def store(tmp_path):
    return ScoreCache(tmp_path / "store" / "semantic.sqlite")
