"""The parsed source of the package, for the tests that read code: each file is parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def tree(path: Path) -> ast.Module:
    """The module of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, as ast.walk yields them."""
    return tuple(ast.walk(tree(path)))
