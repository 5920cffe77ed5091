"""Projects in one database do not see each other: every statement that names a table names the project."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STATEMENT = re.compile(r"\b(?:from|into|update|join) ragdash\.(?!version\b)")


def written_in_functions(source: str) -> list[str]:
    """The statements in functions; values that are put into them are shown as {}."""
    nodes = [inner for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)
             for inner in ast.walk(node)]
    texts = ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
             for node in nodes if isinstance(node, ast.JoinedStr)]
    texts += [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in texts if not any(text != other and text in other for other in texts)]


def written_in_modules(module) -> list[str]:
    from sqlalchemy.sql.elements import TextClause

    values = [inner for value in vars(module).values()
              for inner in (value.values() if isinstance(value, dict) else [value])]
    return [str(value) for value in values if isinstance(value, TextClause)]


def test_every_statement_names_the_project():
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    texts = []
    for path in (ROOT / "ragdash").rglob("*.py"):
        if "ragdash." in (source := path.read_text(encoding="utf-8")) and "from sqlalchemy" in source:
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            texts += written_in_functions(source) + written_in_modules(importlib.import_module(name))
    found = {text for text in texts if STATEMENT.search(text)}
    assert len(found) > 70, "the statements are found"
    assert not [text for text in found if ":project" not in text]


def test_every_table_has_the_project_in_its_key_and_is_deleted_with_it():
    pytest.importorskip("sqlalchemy")
    from ragdash.core.storage.postgres import projects, schema

    made = {name: rest for statements in schema.MIGRATIONS for text in statements
            for name, rest in re.findall(r"^create table ragdash\.(\w+) \((.*)", text)}
    assert len(made) > 14 and set(projects.TABLES) == made.keys() and projects.KEPT in made
    for name, rest in made.items():
        assert rest.startswith("project text not null") and "primary key (project, " in rest, name
