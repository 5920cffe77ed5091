"""Every name that a module takes of another module of ours is there: nothing else tells before the line is run."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from source_trees import nodes

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "ragdash").rglob("*.py"), *(ROOT / "pages").glob("*.py")])


def missing_names(path: Path) -> Iterator[str]:
    """What a file takes of our modules that is not there: an import that fails, an attribute that is not defined."""
    modules: dict[str, ModuleType] = {}
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "ragdash":
            source = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name == "*":
                    continue
                if not hasattr(source, alias.name):
                    try:
                        importlib.import_module(f"{node.module}.{alias.name}")
                    except ModuleNotFoundError:
                        yield f"{node.lineno} {node.module}.{alias.name}"
                        continue
                taken = getattr(source, alias.name)
                if isinstance(taken, ModuleType):
                    modules[alias.asname or alias.name] = taken
    bound = {name.id for name in nodes(path) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    bound |= {argument.arg for argument in nodes(path) if isinstance(argument, ast.arg)}
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                node.value.id in modules.keys() - bound) and not hasattr(modules[node.value.id], node.attr):
            yield f"{node.lineno} {ast.unparse(node)}"


def test_what_is_taken_of_a_module_is_there():
    assert len(SOURCES) > 100
    missing = [f"{path.relative_to(ROOT)}:{text}" for path in SOURCES for text in missing_names(path)]
    assert not missing, "\n".join(missing)


def test_a_public_class_name_has_one_meaning():
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in nodes(path):
            is_alias = isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"
            name = node.target.id if is_alias else node.name if isinstance(node, ast.ClassDef) else "_"
            if not name.startswith("_"):
                homes.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert len(homes) > 200
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert not shared, shared
