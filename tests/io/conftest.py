"""What the tests of the readers share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """A folder with real evaluation data, which is not part of the project."""
    folder = Path(os.environ.get("RAGDASH_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no real evaluation data: set RAGDASH_TEST_DATA to its folder")
    return folder
