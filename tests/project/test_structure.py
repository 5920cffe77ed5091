"""The structure of the package: folders, floors, cycles, sizes. Read from the source, not run.

`pytest -s tests/project/test_structure.py` prints the figures.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest
from source_trees import nodes, tree

ROOT = Path(__file__).parents[2]
# A folder imports only folders in a line above its own; folders of one line do not know each other.
FLOORS = """
    core
    io models
    matching workspace
    metrics
    evaluation
    analysis
    experiments reporting
    dashboard cli
""".strip().splitlines()
FLOOR = {name: number for number, line in enumerate(FLOORS) for name in line.split()}
MOST_FOLDERS, MOST_ENTRIES, MOST_FLOORS = 12, 15, 9
HEAVY = ("pandas", "plotly", "streamlit", "torch", "scipy", "sentence_transformers", "transformers", "matplotlib")
PACKAGE = sorted((ROOT / "ragdash").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
SOURCES = [*PACKAGE, ROOT / "app.py", *PAGES]


def check(files: list[Path], violations: Callable[[Path], Iterable[str]]) -> None:
    """One rule for many files: fail with the violations of all of them."""
    assert files, "no files to check"
    listed = [f"{path.relative_to(ROOT)}: {text}" for path in files for text in violations(path)]
    assert not listed, "\n".join(listed)


@cache
def imports(path: Path, *, top_only: bool = False) -> frozenset[str]:
    """Full names of what a file imports, `from ragdash import io` as ragdash.io."""
    found = set()
    inner = {node for outer in nodes(path) if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
             for node in ast.walk(outer)} if top_only else set()
    for node in nodes(path):
        if top_only and node in inner:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if node.module == "ragdash" else {node.module}
    return frozenset(found)


def folder_of(path: Path) -> str:
    """The top folder of the package that a file is in."""
    return path.relative_to(ROOT / "ragdash").parts[0]


def entries() -> dict[Path, int]:
    """How many files and folders each folder of the package holds, `__init__.py` aside."""
    names: dict[Path, set[str]] = {}
    for path in PACKAGE:
        for child, folder in zip([path, *path.parents], path.parents, strict=False):
            if folder == ROOT:
                break
            if child.name not in ("__init__.py", "__main__.py"):
                names.setdefault(folder, set()).add(child.name)
    return {folder: len(children) for folder, children in names.items()}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """Which module imports which; a package stands for its `__init__.py`."""
    modules = {module_of(path): path for path in PACKAGE}
    graph = {}
    for name, path in modules.items():
        graph[name] = set()
        for node in nodes(path):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names} & modules.keys()
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    submodule = f"{node.module}.{alias.name}"
                    graph[name] |= {submodule if submodule in modules else node.module} & modules.keys()
    return graph


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other in a circle, by Tarjan's algorithm."""
    order, low, stack, groups = {}, {}, [], []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for target in graph[name]:
            if target not in order:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], order[target])
        if low[name] == order[name]:
            group = stack[stack.index(name):]
            del stack[stack.index(name):]
            if len(group) > 1 or name in graph[name]:
                groups.append(sorted(group))

    for name in graph:
        if name not in order:
            visit(name)
    return groups


def test_the_house_is_small_enough_to_remember():
    sizes = entries()
    largest = max(sizes, key=sizes.get)
    circles = cycles(import_graph())
    print(f"\n{len(FLOOR)} folders in ragdash/ (at most {MOST_FOLDERS}), {len(FLOORS)} floors (at most {MOST_FLOORS}), "
          f"largest folder {largest.relative_to(ROOT)} with {sizes[largest]} entries (at most {MOST_ENTRIES}), "
          f"{len(circles)} import cycles")
    assert {folder_of(path) for path in PACKAGE if len(path.relative_to(ROOT).parts) > 2} == FLOOR.keys()
    assert len(FLOOR) <= MOST_FOLDERS and len(FLOORS) <= MOST_FLOORS
    full = [f"{folder.relative_to(ROOT)}: {number} entries, {MOST_ENTRIES} at most: put it into a subfolder by meaning"
            for folder, number in sizes.items() if number > MOST_ENTRIES]
    assert not full, "\n".join(full)
    assert circles == []


def test_only_the_public_face_is_at_the_root():
    assert sorted(path.name for path in (ROOT / "ragdash").glob("*.py")) == ["__init__.py", "__main__.py"]


def test_a_folder_imports_only_folders_above_it():
    def violations(path):
        here = folder_of(path)
        for name in imports(path) if here in FLOOR else ():
            first, _, rest = name.partition(".")
            there = rest.partition(".")[0]
            if first != "ragdash" or there == here:
                continue
            if there not in FLOOR:
                yield f"{name} is the public face, or is not there"
            elif FLOOR[there] >= FLOOR[here]:
                yield f"{here} may not import {there}"

    check(PACKAGE, violations)


def test_streamlit_and_plotly_stay_on_their_floors():
    def violations(path):
        floor = path.relative_to(ROOT).parts[:2]
        used = {name.partition(".")[0] for name in imports(path)}
        on_top = {name.partition(".")[0] for name in imports(path, top_only=True)}
        is_ui = floor[0] in ("app.py", "pages") or floor[:2] == ("ragdash", "dashboard")
        if not is_ui and "streamlit" in used:
            yield "imports streamlit"
        if "plotly" in used and not path.is_relative_to(ROOT / "ragdash" / "reporting" / "plots"):
            yield "imports plotly"
        if not is_ui and "pandas" in on_top:
            yield "import pandas in the function that needs it"
        if "torch" in on_top:
            yield "import torch in the function that needs it"

    check(SOURCES, violations)


@pytest.mark.parametrize("module", ["ragdash", "ragdash.io", "ragdash.metrics"])
def test_importing_the_library_is_light(module):
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_files_and_functions_stay_short():
    def violations(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > 400:
            yield f"{len(lines)} lines, 400 at most: split the file by meaning"
        for number, line in enumerate(lines, 1):
            if len(line) > 120:
                yield f"{number}: a line of {len(line)} characters, 120 at most"
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = node.end_lineno - node.lineno + 1
                if length > 60:
                    yield f"{node.lineno}: {node.name} has {length} lines, 60 at most"

    check(SOURCES, violations)


def test_nothing_swallows_every_error_and_nothing_asserts():
    """The command line's main() is the one exception: it prints the error and ends with an exit status for it."""
    def violations(path):
        for node in nodes(path):
            if isinstance(node, ast.Assert):
                yield f"{node.lineno}: assert on input"
            if isinstance(node, ast.ExceptHandler):
                caught = {name.id for name in ast.walk(node.type or node) if isinstance(name, ast.Name)}
                ends_the_command = path.match("ragdash/cli/main.py") and ast.unparse(node.body[-1]) == "return 3"
                if not node.type or (caught & {"Exception", "BaseException"} and not ends_the_command):
                    yield f"{node.lineno}: catches too much"

    check(SOURCES, violations)


def test_a_page_is_thin():
    def violations(path):
        if (length := len(path.read_text(encoding="utf-8").splitlines())) > 80:
            yield f"{length} lines"
        defined = [node.name for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        if defined:
            yield f"{defined} belong on another floor"

    check(PAGES, violations)


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


def session_keys(path: Path) -> list[ast.expr]:
    """What st.session_state is asked for: in brackets, by a method, with `in`."""
    def is_session(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "session_state"

    found = []
    for node in nodes(path):
        if isinstance(node, ast.Subscript) and is_session(node.value):
            found.append(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_session(node.func.value):
            found += node.args[:1]
        elif isinstance(node, ast.Compare) and is_session(node.comparators[0]):
            found.append(node.left)
    return [key for one in found for key in (one.keys if isinstance(one, ast.Dict) else [one])]


def test_session_keys_are_spelled_in_one_place():
    def violations(path):
        if path.name in ("keys.py", "state.py"):
            return
        names = own_names(tree(path))
        for key in session_keys(path):
            if isinstance(key, ast.Constant) or (isinstance(key, ast.Name) and key.id in names):
                yield f"{key.lineno}: {ast.unparse(key)} belongs into ragdash/dashboard/session/keys.py"

    check(PACKAGE, violations)


TYPED = {"text_input", "text_area", "number_input", "chat_input", "date_input", "time_input", "data_editor"}


def test_every_field_that_is_typed_into_draws_the_page_that_is_open():
    """What is typed is sent when the field loses the focus, also by a click on another page: see widgets/fields.py."""
    def violations(path):
        if path.name != "fields.py":
            yield from (f"{node.lineno}: {ast.unparse(node.func)}: take it from ragdash/dashboard/widgets/fields.py"
                        for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                        and node.func.attr in TYPED and ast.unparse(node.func.value) != "fields")

    check([path for path in SOURCES if "dashboard" in path.parts or path.parent.name == "pages"], violations)


def test_chips_wrap_where_their_row_is_narrow():
    """In a row of controls Streamlit would keep them in one line, in which a phone cuts what does not fit."""
    def violations(path):
        yield from (f"{node.lineno}: {ast.unparse(node.func)} without wrap=True" for node in nodes(path)
                    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("st.multiselect", "st.pills")
                    and not any(word.arg == "wrap" for word in node.keywords))

    check([path for path in SOURCES if "dashboard" in path.parts], violations)


def test_every_module_says_what_it_is():
    check(PACKAGE, lambda path: [] if ast.get_docstring(tree(path)) else ["has no docstring"])


ARCHITECTURE = ROOT / "docs" / "architecture.md"


def test_the_picture_of_the_architecture_shows_the_floors():
    picture = ARCHITECTURE.read_text(encoding="utf-8").split("```")[1]
    shown: list[set[str]] = []
    for line in picture.strip().splitlines():
        words = line.split()
        if words[0] == "floor":
            shown.append(set())
        shown[-1].add(words[2] if words[0] == "floor" else words[0])
    assert shown == [set(line.split()) for line in FLOORS]


def test_the_file_of_a_page_is_as_the_architecture_shows_it():
    def form(lines: str) -> str:
        lines = re.sub(r"pages[\w.]* import \w+(  # noqa: E402.*)?", "PAGE", lines)
        return re.sub(r"^\w+\.render", "PAGE.render", lines, flags=re.MULTILINE)

    shown = form(ARCHITECTURE.read_text(encoding="utf-8").split("```python\n")[1].partition("```")[0])
    others = [path.name for path in PAGES if "page_list.redirect(" not in (text := path.read_text(encoding="utf-8"))
              and form(text.partition("\n\n")[2]) != shown]
    assert shown.endswith("PAGE.render()\n") and not others, \
        f"below their docstring write the lines that docs/architecture.md shows: {others}"


def test_every_path_of_the_architecture_is_there():
    text = ARCHITECTURE.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:ragdash|tests|docs|pages)/[\w/.-]*)`", text))
    assert len(named) > 20
    assert not [path for path in sorted(named) if not (ROOT / path).exists()]
