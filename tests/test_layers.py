"""Who may import whom, and habits of size: read from the source, not run."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A module imports only what stands in a line above its own; modules of one line do not know each other.
LAYERS = """
    errors places
    columns console
    ranking pairs details fit corpus spellings
    records text
    views view_texts grounding stats bands io models ids judging
    view_covered view_scored view_timed view_verdicts
    view_judged view_entailed
    evidence aligned
    cases
    matching metrics
    filling
    evaluation thresholds band_files scoring verdict_files
    verdict_exports judge_work
    slices score_worker costs
    judge_worker
    comparison likeness
    ab diagnosis gates ledger reviews unjudged workspace
    failing trust
    selection searching rankings testset claims
    wording
    plots
    report
    cli_parents
    cli_ab_options cli_judge_options
    cli_options cli_inputs cli_asking
    cli_report cli_score cli_diagnose cli_judge cli_verdicts cli_trust cli_testset
    cli_ab
    cli ui
""".strip().splitlines()
LEVEL = {name: level for level, line in enumerate(LAYERS) for name in line.split()}
OUTSIDE = {"ragdash", "__init__", "__main__"}  # the public face and `python -m` stand outside the order
HEAVY = ("pandas", "plotly", "streamlit", "torch", "scipy", "sentence_transformers", "transformers", "matplotlib")
PACKAGE = sorted((ROOT / "ragdash").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
SOURCES = [*PACKAGE, ROOT / "app.py", *PAGES]

every_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
every_module = pytest.mark.parametrize("path", PACKAGE, ids=lambda path: str(path.relative_to(ROOT)))
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path, *, top_only: bool = False) -> set[str]:
    """Full names of what a file imports, `from ragdash import io` as ragdash.io."""
    found = set()
    inner = {node for outer in ast.walk(tree(path)) if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
             for node in ast.walk(outer)}
    for node in ast.walk(tree(path)):
        if top_only and node in inner:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if node.module == "ragdash" else {node.module}
    return found


def place(path: Path) -> str:
    """The word of the layer list that a file belongs to."""
    return path.relative_to(ROOT / "ragdash").with_suffix("").parts[0]


@every_module
def test_every_module_has_a_place_in_the_order(path):
    assert place(path) in LEVEL.keys() | OUTSIDE


@every_module
def test_a_module_imports_only_what_stands_above_it(path):
    here = place(path)
    if here in OUTSIDE:
        return
    for name in imports(path):
        first, _, rest = name.partition(".")
        if first != "ragdash":
            continue
        there = rest.partition(".")[0]
        assert there in LEVEL, f"{name} has no place in the order, or is the public face"
        assert there == here or LEVEL[there] < LEVEL.get(here, -1), f"{here} may not import {there}"


@every_source
def test_streamlit_and_plotly_stay_on_their_floors(path):
    floor = path.relative_to(ROOT).parts[:2]
    used = {name.partition(".")[0] for name in imports(path)}
    on_top = {name.partition(".")[0] for name in imports(path, top_only=True)}
    is_ui = floor[0] in ("app.py", "pages") or floor[:2] == ("ragdash", "ui")
    assert is_ui or "streamlit" not in used
    assert floor[:2] == ("ragdash", "plots") or "plotly" not in used
    assert is_ui or "pandas" not in on_top, "import pandas in the function that needs it"
    assert "torch" not in on_top


@pytest.mark.parametrize("module", ["ragdash", "ragdash.io", "ragdash.metrics"])
def test_importing_the_library_is_light(module):
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@every_source
def test_files_and_functions_stay_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 300, f"{path.name} has {len(lines)} lines"
    assert max(map(len, lines), default=0) <= 120, f"{path.name} has a line of more than 120 characters"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= 60, f"{path.name}:{node.lineno} {node.name} has {length} lines"


@every_source
def test_nothing_swallows_every_error_and_nothing_asserts(path):
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.Assert), f"{path.name}:{node.lineno}: assert on input"
        if isinstance(node, ast.ExceptHandler):
            caught = {name.id for name in ast.walk(node.type or node) if isinstance(name, ast.Name)}
            assert node.type and not caught & {"Exception", "BaseException"}, f"{path.name}:{node.lineno}: too wide"


@every_page
def test_a_page_is_thin(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80
    defined = [node.name for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert not defined, f"{defined} belong on another floor"


def own_names(module: ast.Module) -> set[str]:
    """Names that a module gives to texts at its top."""
    found = set()
    for node in (node for node in module.body if isinstance(node, ast.Assign)):
        pairs = [(name, node.value) for name in node.targets]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(node.targets[0].elts, node.value.elts, strict=True)
        found |= {name.id for name, value in pairs if isinstance(name, ast.Name)
                  and isinstance(value, ast.Constant) and isinstance(value.value, str)}
    return found


def session_keys(module: ast.Module) -> list[ast.expr]:
    """What st.session_state is asked for: in brackets, by a method, with `in`."""
    def is_session(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "session_state"

    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Subscript) and is_session(node.value):
            found.append(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_session(node.func.value):
            found += node.args[:1]
        elif isinstance(node, ast.Compare) and is_session(node.comparators[0]):
            found.append(node.left)
    return [key for one in found for key in (one.keys if isinstance(one, ast.Dict) else [one])]


@every_module
def test_session_keys_are_spelled_in_one_place(path):
    if path.name in ("keys.py", "state.py"):
        return
    spelled = [f"{path.name}:{key.lineno}: {ast.unparse(key)}" for key in session_keys(tree(path))
               if isinstance(key, ast.Constant) or (isinstance(key, ast.Name) and key.id in own_names(tree(path)))]
    assert not spelled, f"{spelled} belong into ragdash/dashboard/session/keys.py"


@every_module
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(tree(path))
