"""Every name that a module takes of another module of ours is there: nothing else tells before the line is run."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "ragdash").rglob("*.py"), *(ROOT / "pages").glob("*.py")])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_taken_of_a_module_is_there(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules: dict[str, ModuleType] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "ragdash":
            source = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name == "*":
                    continue
                if not hasattr(source, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
                found = getattr(source, alias.name)
                if isinstance(found, ModuleType):
                    modules[alias.asname or alias.name] = found
    bound = {name.id for name in ast.walk(tree) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    bound |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                node.value.id in modules.keys() - bound):
            assert hasattr(modules[node.value.id], node.attr), f"{path.name}:{node.lineno} {ast.unparse(node)}"
