"""What every test stands on: a cache and a workspace of its own, never the user's."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDASH_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("RAGDASH_WORKSPACE", str(tmp_path_factory.mktemp("workspace")))
        patch.delenv("RAGDASH_READ_ONLY", raising=False)
        yield
