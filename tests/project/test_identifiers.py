"""Identifiers say what they hold: everyday words alone (`one`, `found`, `now`) are rare, and some are gone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from source_trees import nodes

ROOT = Path(__file__).parents[2]
EVERYDAY = {"one", "found", "said", "told", "at", "held", "kept", "own", "now", "desk", "board", "part", "place"}
BRITISH = re.compile(r"judgement|labell(?:ed|ing|er)|colour|grey|neighbour|behaviour|normalis|recognis|summaris"
                     r"|centre", re.IGNORECASE)
GONE_VARIABLES = {"now", "desk", "board", "held", "found", "said", "told"}
PER_1000_LINES = 10
SOURCES = [*sorted((ROOT / "ragdash").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]


@cache
def names(path: Path, *, variables_only: bool = False) -> list[str]:
    """The identifiers of a module at each use; attributes only where the module itself binds them."""
    result = []
    fields = {node.target for owner in nodes(path) if isinstance(owner, ast.ClassDef) for node in owner.body
              if isinstance(node, ast.AnnAssign)} if variables_only else set()
    for node in nodes(path):
        if node in fields:
            continue
        if isinstance(node, ast.Name):
            result.append(node.id)
        elif isinstance(node, ast.arg) or (isinstance(node, ast.keyword) and node.arg and not variables_only):
            result.append(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not variables_only:
            result.append(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            result.append(node.attr)
    return [name.strip("_") for name in result]


def test_everyday_words_are_rare_as_identifiers():
    lines, uses, by_folder = 0, 0, Counter()
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        many = sum(name in EVERYDAY for name in names(path))
        lines, uses = lines + text.count("\n"), uses + many
        by_folder["/".join(path.relative_to(ROOT).parts[:2])] += many
    print(f"\n{uses} uses in {lines:,} lines, {1000 * uses / lines:.1f} per 1,000: {by_folder.most_common(8)}")
    assert 1000 * uses / lines < PER_1000_LINES


def test_some_words_are_gone_as_variables():
    bound = []
    for path in SOURCES:
        variables = names(path, variables_only=True)
        bound += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(GONE_VARIABLES.intersection(variables))]
    assert not bound, "variables need a word of the field instead of:\n" + "\n".join(bound)


def test_identifiers_are_spelled_as_in_american_english():
    british = [f"{path.relative_to(ROOT)}: {name}" for path in SOURCES for name in names(path) if BRITISH.search(name)]
    assert not british, "\n".join(british)
