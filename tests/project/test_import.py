"""`import ragdash` costs nothing: what stands there is imported when it is first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ragdash
from ragdash.cli.main import COMMANDS


def test_importing_ragdash_imports_none_of_its_parts():
    parts = {"numpy", "pyarrow", "ragdash.io", "ragdash.core.records"}
    code = f"import sys, ragdash; print(*sorted({parts!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_command_imports_nothing_before_it_can_be_stopped_in_one_line():
    code = "import sys; before = set(sys.modules); import ragdash.__main__; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "ragdash", "ragdash.__main__"]


def test_every_public_name_is_there_and_is_the_one_of_its_home():
    assert sorted(ragdash.__all__) == sorted(ragdash._HOME)
    assert set(ragdash.__all__) <= set(dir(ragdash))
    for name, home in ragdash._HOME.items():
        assert getattr(ragdash, name) is getattr(import_module(f"ragdash.{home}"), name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ragdash.nothing  # noqa: B018


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(ragdash.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module.removeprefix("ragdash.") for node in block.body for alias in node.names}
    assert seen == ragdash._HOME


@pytest.mark.parametrize("arguments, absent", [
    ([], {"ragdash.cli.commands", "ragdash.core.records", "numpy"}),
    (["metrics"], {"ragdash.io", "ragdash.evaluation", "ragdash.reporting", "ragdash.experiments"}),
    (["compare"], {"ragdash.experiments", "ragdash.reporting.html", "plotly"}),
])
def test_a_command_imports_only_what_it_needs(arguments, absent):
    code = ("import sys\nfrom ragdash.cli.main import parse\ntry:\n    parse([*sys.argv[1:], '--help'])\n"
            "except SystemExit:\n    print('---', *sys.modules)")
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    usage, _, imported = done.stdout.rpartition("---")
    assert usage.startswith("usage: ragdash") and not absent & set(imported.split())


def test_every_module_of_a_command_is_in_the_table():
    folder = Path(ragdash.__file__).parent / "cli" / "commands"
    assert {path.stem for path in folder.rglob("*.py")} - {"__init__"} == set(COMMANDS)
