"""The examples in docstrings run: every module of the package with a `>>>`, except the dashboard's."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import ragdash

ROOT = Path(ragdash.__file__).parent
MODULES = sorted(".".join(("ragdash", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
                 for path in ROOT.rglob("*.py")
                 if "dashboard" not in path.parts and ">>> " in path.read_text(encoding="utf-8"))


def test_some_modules_have_examples():
    assert {"ragdash.evaluation.evaluate", "ragdash.evaluation.compare"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted and not result.failed
