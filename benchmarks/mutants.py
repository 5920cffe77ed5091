"""Small bugs put into the code, one at a time: which of them do the tests notice?

    python benchmarks/mutants.py [--seed 0] [--count 60] [--folder metrics ...] [--only PATH[:LINE]] [--recorded FILE]

Draws mutants (a turned comparison, a constant one off, `and` for `or`, a negated condition, a removed statement, a sort
the other way ...) from the package. Works in a temporary copy of the checkout, where it runs for each mutant the tests
that execute its function. Reports killed, survived and no test per folder, with the diff of each survivor.

Everything is derived from the tree. The test files near a module (by imports, names of pages and words in the paths)
run once without a mutant while their calls are recorded. Tests that fail then are left out. Where no near test executes
the function, all tests without a browser are recorded (not with --no-fallback). Docstrings, annotations, messages,
looks, `__repr__` and `if TYPE_CHECKING` are left alone. A mutant whose tests do not end in time counts as killed. With
few near tests (--look, --seconds) a survivor may be one that other tests kill. All times are processor time, so that a
busy machine tries the same; --budget ends the whole after some, with as many mutants of each folder as of the others.
"""

from __future__ import annotations

import argparse
import ast
import copy
import difflib
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_CODE = {"tests", "benchmarks", "docs"}  # folders at the root without code to mutate
SWAPS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
         ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub,
         ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.And: ast.Or,
         ast.Or: ast.And}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum",
         "argmin": "argmax", "argmax": "argmin", "floor": "ceil", "ceil": "floor", "nanmin": "nanmax",
         "nanmax": "nanmin"}
SORTS = {"sorted", "sort"}
MESSAGES = re.compile(r"(Error|Problem|Unavailable|Warning)$|^(warn|warning|debug|info|exception)$")
LOOKS = {"help", "width", "height", "max_entries", "icon", "gap", "show_spinner", "ttl", "alt", "label_visibility",
         "vertical_alignment", "horizontal_alignment", "placeholder", "anchor", "border", "frozen", "slots", "eq",
         "hide_index", "showgrid", "zeroline", "zerolinewidth", "opacity", "size", "layer", "tickangle", "standoff",
         "yshift", "xshift", "fixedrange", "margin", "thickness", "xgap", "ygap", "strict"}
BROWSER = "pytestmark = pytest.mark.browser"
SECONDS = 60.0  # of tests run for one mutant, as long as they take without it
PATIENCE = 30  # times the processor time that a run of tests may take on a busy machine
RECORDER = '''
import json, os, sys, threading
PACKAGE, OUT = os.environ["MUTANTS_PACKAGE"], os.environ["MUTANTS_OUT"]
codes, tests = {}, {}
def spent():
    return sum(os.times()[:4])
def note(code, *_):
    codes[id(code)] = code
    return sys.monitoring.DISABLE
def profile(frame, event, _):
    if event == "call":
        codes[id(frame.f_code)] = frame.f_code
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(3, "mutants")
    sys.monitoring.register_callback(3, sys.monitoring.events.PY_START, note)
    sys.monitoring.set_events(3, sys.monitoring.events.PY_START)
else:
    threading.setprofile(profile)
    sys.setprofile(profile)
def pytest_runtest_logstart(nodeid, location):
    tests[nodeid] = {"seconds": spent(), "failed": False}
    if hasattr(sys, "monitoring"):
        sys.monitoring.restart_events()
def pytest_runtest_logreport(report):
    tests[report.nodeid]["failed"] |= report.failed
def pytest_runtest_logfinish(nodeid, location):
    one = tests[nodeid]
    one["seconds"] = spent() - one["seconds"]
    one["calls"] = sorted({(code.co_filename[len(PACKAGE):], code.co_firstlineno) for code in list(codes.values())
                           if code.co_filename.startswith(PACKAGE)})
    codes.clear()
def pytest_sessionfinish():
    with open(OUT, "w") as file:
        json.dump(tests, file)
'''


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one module: the bytes from begin to end become new.

    line: where it is; function: first line of the function around it, 0 for none.
    """

    path: str
    line: int
    begin: int
    end: int
    what: str
    new: str
    function: int

    def applied(self, source: str) -> str:
        """The module with the change."""
        raw = source.encode()
        return (raw[:self.begin] + self.new.encode() + raw[self.end:]).decode()

    def diff(self, source: str) -> str:
        """The change as a unified diff without its header."""
        lines = difflib.unified_diff(source.splitlines(), self.applied(source).splitlines(), lineterm="", n=1)
        return "\n".join(line for line in list(lines)[3:])

    def is_valid(self, source: str) -> bool:
        """True where the module still parses (an f-string around it may not) and means something else."""
        try:
            return ast.dump(ast.parse(self.applied(source))) != ast.dump(ast.parse(source))
        except SyntaxError:
            return False


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module, not yet looked at whether it is valid."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, function in _nodes(ast.parse(source), 0):
        for what, old, new in _changes(node):
            yield Mutant(path, old.lineno, starts[old.lineno - 1] + old.col_offset,
                         starts[old.end_lineno - 1] + old.end_col_offset, what, new, function)


def _nodes(node: ast.AST, function: int) -> Iterator[tuple[ast.AST, int]]:
    """(node, first line of its function) of what may be mutated."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name == "__repr__":
            return
        function = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    yield node, function
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _left_alone(node, name, child):
                yield from _nodes(child, function)


def _left_alone(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """True for annotations, type checking, decorators, messages, docstrings and looks."""
    if field in ("annotation", "returns", "decorator_list", "type_params", "exc", "cause", "format_spec"):
        return True
    if isinstance(parent, ast.If) and "TYPE_CHECKING" in ast.unparse(parent.test):
        return True
    if isinstance(parent, ast.Dict) and any(value is child and isinstance(key, ast.Constant) and key.value in LOOKS
                                            for key, value in zip(parent.keys, parent.values, strict=True)):
        return True
    if isinstance(child, ast.keyword) and (child.arg in LOOKS or "format" in (child.arg or "")):
        return True
    if isinstance(parent, ast.Call) and field in ("args", "keywords"):
        return bool(MESSAGES.search(_called(parent)))
    return isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """(what it is, the node that is replaced, its new text) of each mutant of one node."""
    for test in _conditions(node):
        yield "negated condition", test, f"(not ({ast.unparse(test)}))"
    for what, new in _rewritten(node) if isinstance(node, ast.expr) else _removed(node):
        yield what, node, new


def _conditions(node: ast.AST) -> list[ast.expr]:
    """What is asked here; comparisons and negations have mutants of their own."""
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else getattr(node, "ifs", [])
    return [test for test in tests if not isinstance(test, ast.Compare | ast.UnaryOp)
            and "TYPE_CHECKING" not in ast.unparse(test)]


def _rewritten(node: ast.expr) -> Iterator[tuple[str, str]]:
    """(what it is, new text) of each mutant of an expression."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            other = SWAPS[type(operator)]()
            yield "comparison", _with(node, lambda one, at=at, other=other: one.ops.__setitem__(at, other))
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not (_is_text(node.left) or _is_text(node.right)):
        yield "arithmetic", _with(node, lambda one: setattr(one, "op", SWAPS[type(one.op)]()))
    elif isinstance(node, ast.BoolOp):
        yield "and/or", f"({_with(node, lambda one: setattr(one, 'op', SWAPS[type(one.op)]()))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield "sign" if isinstance(node.op, ast.USub) else "negation", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call) and _called(node) in SORTS:
        yield "direction", _with(node, _turn)
    elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        field = "id" if isinstance(node, ast.Name) else "attr"
        if (name := getattr(node, field)) in NAMES:
            yield "name", _with(node, lambda one: setattr(one, field, NAMES[name]))


def _removed(node: ast.AST) -> Iterator[tuple[str, str]]:
    """A statement that is left out."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "removed call", "pass"
    elif isinstance(node, ast.AugAssign):
        yield "removed step", "pass"
    elif isinstance(node, ast.Break | ast.Continue):
        yield "removed jump", "pass"
    elif isinstance(node, ast.Assign) and all(isinstance(one, ast.Attribute | ast.Subscript) for one in node.targets):
        yield "removed assignment", "pass"


def _with(node: ast.expr, change: Callable[[ast.expr], object]) -> str:
    """The text of a changed copy."""
    new = copy.deepcopy(node)
    change(new)
    return ast.unparse(new)


def _is_text(node: ast.expr) -> bool:
    """True for a text that is put together."""
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _constants(node: ast.Constant) -> Iterator[tuple[str, str]]:
    if isinstance(node.value, bool):
        yield "constant", str(not node.value)
    elif isinstance(node.value, int):
        yield "constant", str(node.value + 1)
        if node.value > 0:
            yield "constant", str(node.value - 1)
    elif isinstance(node.value, float):
        yield "constant", repr(node.value / 2 if node.value else 1.0)


def _turn(call: ast.Call) -> None:
    for one in call.keywords:
        if one.arg == "reverse":
            one.value = ast.UnaryOp(ast.Not(), one.value)
            return
    call.keywords.append(ast.keyword("reverse", ast.Constant(True)))


class Checkout:
    """A tree of files: its package, its tests, and which of them import which."""

    def __init__(self, root: Path):
        self.root = root
        packages = sorted(one.parent for one in root.glob("*/__init__.py") if one.parent.name not in NOT_CODE)
        self.package = packages[0]
        self.modules = {self._dotted(path): self._name(path) for package in packages
                        for path in sorted(package.rglob("*.py"))}
        self.tests = {self._dotted(path): self._name(path) for path in sorted((root / "tests").rglob("*.py"))}
        scripts = [*root.glob("*.py"), *(path for path in root.glob("*/*.py")
                                         if path.parent not in packages and path.parent.name not in NOT_CODE)]
        self.scripts = {path.stem: self._name(path) for path in sorted(scripts)}

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _dotted(self, path: Path) -> str:
        parts = path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def links(self) -> dict[str, set[str]]:
        """{file: files that it imports or, as a test does with pages, names}."""
        return {name: self._links(name) for name in (*self.modules.values(), *self.tests.values(),
                                                     *self.scripts.values())}

    def _links(self, name: str) -> set[str]:
        found: set[str] = set()
        is_test = name in self.tests.values()
        for node in ast.walk(ast.parse((self.root / name).read_text())):
            if isinstance(node, ast.Import):
                found |= {self._module(one.name) for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {self._imported(node.module, one.name) for one in node.names}
            elif is_test and isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
                found.add(self.scripts.get(Path(node.value).stem, ""))
        return found - {"", name}

    def _module(self, dotted: str) -> str:
        """The file of a module; modules of tests are imported by the end of their names."""
        return self.modules.get(dotted) or next((name for one, name in self.tests.items()
                                                 if f".{one}".endswith(f".{dotted}")), "")

    def _imported(self, dotted: str, name: str) -> str:
        """The file that defines a name: what a package only passes on is looked up where it comes from."""
        if f"{dotted}.{name}" in self.modules:
            return self.modules[f"{dotted}.{name}"]
        file = self._module(dotted)
        if file.endswith("__init__.py"):
            for node in ast.walk(ast.parse((self.root / file).read_text())):
                if isinstance(node, ast.ImportFrom) and node.module and node.module != dotted and name in {
                        one.asname or one.name for one in node.names}:
                    return self._imported(node.module, name)
        return file

    def near(self, module: str) -> list[str]:
        """Test files that reach a module, the nearest first: shared words in the paths, steps, then narrow ones."""
        words, ranked = _words(module), []
        for test in self.tests.values():
            if not Path(test).name.startswith("test_") or BROWSER in (self.root / test).read_text():
                continue
            steps = self._steps(test)
            if module in steps:
                ranked.append((steps[module] - 2 * len(words & _words(test)), len(self.links[test]), test))
        return [test for *_, test in sorted(ranked)]

    def _steps(self, test: str) -> dict[str, int]:
        """{file: steps from a test file}."""
        steps, line = {test: 0}, deque([test])
        while line:
            file = line.popleft()
            for other in self.links.get(file, ()):
                if other not in steps:
                    steps[other] = steps[file] + 1
                    line.append(other)
        return steps


def _words(path: str) -> set[str]:
    """Words of a path below its first folder, without an s of the plural."""
    parts = Path(path).with_suffix("").parts[1:]
    return {word.removesuffix("s") for part in parts for word in re.split(r"[_\W]+", part)} - {"test", "init", ""}


class Bench:
    """A copy of the checkout in which tests run, and what is known of them."""

    def __init__(self, checkout: Checkout, folder: Path, options: argparse.Namespace):
        self.checkout, self.options = checkout, options
        self.copy = folder / "checkout"
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=checkout.root,
                                capture_output=True, check=True).stdout.decode().split("\0")
        for name in filter(None, listed):
            if (checkout.root / name).is_file():
                (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout.root / name, self.copy / name)
        (folder / "mutants_recorder.py").write_text(RECORDER)
        self.folder, self.known = folder, {}
        self.store = Path(options.recorded) if options.recorded else None
        if self.store is not None and self.store.exists():
            self.known = json.loads(self.store.read_text())

    def pytest(self, arguments: list[str], seconds: float, record: Path | None = None) -> int | None:
        """Exit status, None or that of a signal where the processor time was over."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.copy), str(self.folder)])}
        if record is not None:
            environment |= {"MUTANTS_PACKAGE": f"{self.copy}{os.sep}", "MUTANTS_OUT": str(record)}
            arguments = ["-p", "mutants_recorder", *arguments]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not browser", *arguments]
        with subprocess.Popen(command, cwd=self.copy, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1,) * 2)
                              ) as process:
            try:
                return process.wait(PATIENCE * seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with what the tests have started
                return None

    def tests_in(self, file: str, seconds: float) -> dict[str, dict]:
        """The tests of a file ("" for all files): seconds, whether it fails by itself, its calls; run once."""
        if file not in self.known:
            record = self.folder / "record.json"
            record.unlink(missing_ok=True)
            started = _spent()
            self.pytest([file] if file else [], seconds, record)
            self.known[file] = json.loads(record.read_text()) if record.exists() else {}
            if self.store is not None:
                self.store.write_text(json.dumps(self.known))
            failing = sum(one["failed"] for one in self.known[file].values())
            note = f"{len(self.known[file])} tests in {_spent() - started:.0f} s"
            print(f"  recorded {file or 'all tests'}: {note}" + (f", {failing} fail by themselves" if failing else ""),
                  flush=True)
        return self.known[file]

    def concerning(self, mutant: Mutant) -> dict[str, float]:
        """{test that executes the function of a mutant: its seconds}, at most as many as the time allows."""
        near = self.checkout.near(mutant.path)
        chosen: dict[str, float] = {}
        for file in near[:self.options.look]:
            if sum(chosen.values()) >= self.options.seconds:
                break
            chosen |= self._executing(self.tests_in(file, self.options.timeout * 4), mutant)
        if not chosen and not self.options.no_fallback:
            chosen = self._executing(self.tests_in("", 3600), mutant)
        result: dict[str, float] = {}
        for test, seconds in sorted(chosen.items(), key=lambda one: one[1]):
            if result and sum(result.values()) + seconds > self.options.seconds:
                break
            result[test] = seconds
        return result

    @staticmethod
    def _executing(tests: dict[str, dict], mutant: Mutant) -> dict[str, float]:
        return {test: one["seconds"] for test, one in tests.items() if not one["failed"] and any(
            path == mutant.path and (not mutant.function or line == mutant.function)
            for path, line in one.get("calls", ()))}

    def verdict(self, mutant: Mutant) -> tuple[str, int]:
        """("killed", "survived" or "no test", how many tests were run); a test that never ends is killed too."""
        tests = self.concerning(mutant)
        if not tests:
            return "no test", 0
        path = self.copy / mutant.path
        before = path.read_text()
        try:
            self._write(path, mutant.applied(before))
            status = self.pytest(["-x", *tests], min(self.options.timeout, 30 + 4 * sum(tests.values())))
        finally:
            self._write(path, before)
        return "survived" if status == 0 else "killed", len(tests)

    @staticmethod
    def _write(path: Path, source: str) -> None:
        path.write_text(source)
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def _spent() -> float:
    """Seconds of processor time of all tests that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def draw(checkout: Checkout, options: argparse.Namespace) -> list[tuple[str, Mutant]]:
    """(folder, mutant): all of one place, or the same number drawn with the seed from each folder, in turn."""
    drawn = [[(folder, mutant) for mutant in _drawn(checkout, options, folder)] for folder in options.folder or [""]]
    return [one for one in chain.from_iterable(zip_longest(*drawn)) if one]


def _drawn(checkout: Checkout, options: argparse.Namespace, folder: str) -> list[Mutant]:
    """The mutants of one folder of the package."""
    only, _, line = (options.only or "").partition(":")
    found = []
    for path in checkout.modules.values():
        below = f"{Path(path).parent.relative_to(checkout.package.name).as_posix()}/"
        if path != (only or path) or not below.startswith(f"{folder.strip('/')}/".lstrip("/")):
            continue
        source = (checkout.root / path).read_text()
        found += [one for one in mutants_of(path, source)
                  if not line or one.line == int(line)]
    found.sort()
    if not only:
        random.Random(options.seed).shuffle(found)
    valid = (one for one in found if one.is_valid((checkout.root / one.path).read_text()))
    return list(islice(valid, None if only else options.count))


def folder_of(path: str) -> str:
    """The folder of a module, at most two deep in the package."""
    return "/".join(Path(path).parent.parts[:3])


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--count", type=int, default=60, help="mutants, of each folder (60)")
    parser.add_argument("--folder", nargs="+", help="only modules below these folders of the package, such as metrics: "
                        "--count of each, reported together")
    parser.add_argument("--budget", type=float, help="seconds of tests for all mutants; what is left then is not tried")
    parser.add_argument("--only", metavar="PATH[:LINE]", help="every mutant of a module or of one line of it")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one mutant (180)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests run for one mutant (60)")
    parser.add_argument("--look", type=int, default=6, help="test files near a module that are recorded (6)")
    parser.add_argument("--recorded", metavar="FILE", help="keep there which test calls what, for the next run of the "
                        "same tree: recording takes most of the time")
    parser.add_argument("--no-fallback", action="store_true", help="do not record all tests where no near one helps")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    options = parser.parse_args(arguments)
    checkout = Checkout(ROOT)
    drawn = draw(checkout, options)
    if options.list:
        for _, mutant in drawn:
            print(f"{mutant.path}:{mutant.line} {mutant.what}\n{mutant.diff((ROOT / mutant.path).read_text())}\n")
        return 0
    results: dict[str, Counter] = defaultdict(Counter)
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(checkout, Path(folder), options)
        for at, (drawn_from, mutant) in enumerate(drawn, 1):
            if options.budget is not None and _spent() > options.budget:
                print(f"The budget is spent: {len(drawn) - at + 1} mutants were not tried.")
                break
            verdict, tests = bench.verdict(mutant)
            results[drawn_from or folder_of(mutant.path)][verdict] += 1
            place = f"{mutant.path}:{mutant.line} {mutant.what}"
            print(f"{at}/{len(drawn)} {verdict:8} {place} ({tests} tests)", flush=True)
            if verdict != "killed":
                survivors.append((verdict, place, mutant.diff((bench.copy / mutant.path).read_text())))
    for verdict, place, diff in survivors:
        print(f"\n{verdict}: {place}\n{diff}")
    _table(results)
    return 0


def _table(results: dict[str, Counter]) -> None:
    kinds = ("killed", "survived", "no test")
    width = max([len("folder"), *map(len, results)])
    print("\n" + "  ".join(["folder".ljust(width), *kinds]))
    for name, counts in (*sorted(results.items()), ("all", sum(results.values(), Counter()))):
        print("  ".join([name.ljust(width), *(f"{counts[kind]:{len(kind)}}" for kind in kinds)]))


if __name__ == "__main__":
    sys.exit(main())
