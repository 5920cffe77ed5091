"""The examples in docstrings run: every module of the package with a `>>>`, except the dashboard's."""

from __future__ import annotations

import doctest
import inspect
import re
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


@pytest.mark.parametrize("name", sorted(set(ragdash.__all__) - {"METRICS"}))
def test_the_public_api_is_documented_in_numpydoc_sections(name):
    member = getattr(ragdash, name)
    text = inspect.getdoc(member)
    sections = set(re.findall(r"^(\w+)\n-{3,}$", text, re.MULTILINE))
    assert text.partition("\n")[0].endswith((".", "?")) and ">>> " in text
    if inspect.isclass(member):
        assert "Examples" in sections and sections & {"Parameters", "Attributes"}
    else:
        assert {"Parameters", "Returns", "Examples"} <= sections
        headings = re.findall(r"^(\**\w+(?:, \w+)*)(?: :.*)?\n    ", text, re.MULTILINE)
        documented = {word.lstrip("*") for heading in headings for word in heading.split(", ")}
        assert set(inspect.signature(member).parameters) <= documented


def test_the_exported_table_of_metrics_is_what_it_says():
    assert ragdash.METRICS and all(entry.name == name and entry.doc for name, entry in ragdash.METRICS.items())
