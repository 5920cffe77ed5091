"""A truth with questions, and a folder with a system that counts how often it is asked."""

from __future__ import annotations

import pytest
from experiments.ab.systems import QUERIES, SYSTEM, truth_lines

from ragdash.io import read_truth


@pytest.fixture
def truth():
    return read_truth(("truth.jsonl", truth_lines(QUERIES).encode()))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with truth.jsonl and system.py; `counted` there has a line for each question asked."""
    (tmp_path / "truth.jsonl").write_text(truth_lines(QUERIES))
    (tmp_path / "system.py").write_text(SYSTEM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTED", str(tmp_path / "counted"))
    return tmp_path
