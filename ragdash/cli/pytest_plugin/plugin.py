"""Hooks and fixtures of the pytest plugin; see docs/pipelines/pytest.md.

Rows travel on the reports of tests, which pytest-xdist sends to the main process. So nothing is lost if a worker stops,
and the main process alone gives the verdict.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.compat import NOTSET

from ragdash.cli.pytest_plugin.logged_groups import MOST_REPEATS, LoggedGroup
from ragdash.core.console import one_line, query_count, unwritable, write
from ragdash.core.errors import InputError, Problem

MARKER = "ragdash"
_ROWS = pytest.StashKey[list[dict]]()
_IS_SKIPPED = pytest.StashKey[bool]()
_IS_REPORTED = pytest.StashKey[bool]()
_VERDICTS = "ragdash-verdicts"
_LINE = ("ragdash(group, repeats=1, baseline=None, margin=None, metrics=None, truth=None, fail_on='regression', "
         "accept=(), max_age=None): what the test logs belongs to this group of queries, which gets one verdict")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("ragdash", "ragdash: one verdict per group of retrieval tests")
    group.addoption("--ragdash-pin", action="store_true", help="write the baseline of each group instead of comparing")
    group.addoption("--ragdash-results", metavar="DIR", help="write GROUP.json with the result of each gate; a group "
                    "without a baseline has none")
    group.addoption("--ragdash-no-gate", action="store_true", help="no verdicts, such as for single tests")
    parser.addini("ragdash_truth", "file with the judgments, for groups whose tests do not log them")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and, in the main process, what collects the rows."""
    config.addinivalue_line("markers", _LINE)
    if config.getoption("ragdash_no_gate") and config.getoption("ragdash_pin"):
        raise pytest.UsageError("--ragdash-pin writes what --ragdash-no-gate leaves out: choose one of them")
    if not config.getoption("ragdash_no_gate"):
        config.pluginmanager.register(SessionVerdicts(config), _VERDICTS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of a group as often as its marker says."""
    repeats = _options(metafunc.definition).get("repeats", 1)
    if isinstance(repeats, int) and 1 < repeats <= MOST_REPEATS:  # what is no such number is a problem of the group
        metafunc.fixturenames.append("ragdash_repeat")
        metafunc.parametrize("ragdash_repeat", range(1, repeats + 1), ids=lambda number: f"repeat{number}")


@pytest.fixture
def ragdash_repeat() -> int:
    """The number of the repeat, from 1."""
    return 1


@pytest.fixture
def log_retrieval(request: pytest.FixtureRequest, ragdash_repeat: int) -> Callable[..., None]:
    """Log the ranking of a query: log_retrieval(query_id, documents, relevant=None, **fields).

    documents: ids, best first, {id: score}, or {"doc_id", "score", "text", ...}. relevant: ids, or {id: grade}, if the
    judgments are in no file. fields: such as query, latency_ms.
    """
    def log(query_id: str | int, documents: Sequence | Mapping, relevant: object = None, **fields: object) -> None:
        from ragdash.core.records import Truth
        from ragdash.workspace.recording.result_lines import documents_of

        if relevant is not None:
            Truth.from_dict({query_id: relevant})
        _log(request.node, ragdash_repeat, query_id, {
            "documents": documents_of(documents, str(query_id)), "relevant": _plain(relevant), **fields})

    return log


@pytest.fixture
def log_answer(request: pytest.FixtureRequest, ragdash_repeat: int) -> Callable[..., None]:
    """Log the answer to a query: log_answer(query_id, answer, references=None, **fields); fields: such as contexts."""
    def log(query_id: str | int, answer: str, references: Sequence[str] | str | None = None, **fields: object) -> None:
        _log(request.node, ragdash_repeat, query_id, {"answer": answer, "references": references, **fields})

    return log


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin without rows: a test that runs again, as with pytest-rerunfailures, has those of its last run alone."""
    item.stash[_ROWS], item.stash[_IS_REPORTED] = [], False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, Any, Any]:
    """Put the rows of a test on its last report, and whether it should have logged some."""
    report = yield
    if call.when == "call":
        item.stash[_IS_SKIPPED] = report.skipped
    item.stash[_IS_REPORTED] = call.when == "teardown"
    if call.when == "teardown" and (options := _options(item)):
        has_run = not item.stash.get(_IS_SKIPPED, True) or _has_no_parameters(item)
        report.ragdash = {"options": options, "rows": item.stash.get(_ROWS, []), "has_run": has_run}
    return report


class SessionVerdicts:
    """Collects the rows of all tests and gives the verdicts when the session ends."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.is_worker = config, hasattr(config, "workerinput")
        self.groups: dict[str, LoggedGroup] = {}
        self.lines: list[str] = []
        self.written: dict[Path, str] = {}
        self.pinned: dict[str, str] = {}

    def group(self, name: str) -> LoggedGroup:
        """The group of this name."""
        return self.groups.setdefault(name, LoggedGroup(name, Path(self.config.rootpath)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the rows of a report."""
        logged = getattr(report, "ragdash", None)
        if logged:
            group = self.group(str(logged["options"]["group"]))
            group.add(report.nodeid, logged["options"], logged["rows"])
            group.has_run |= logged["has_run"]

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the tests of each group that do not run, such as with -k."""
        for item in items:
            if options := _options(item):
                self.group(str(options.get("group"))).deselected += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the counts of a worker of pytest-xdist."""
        for name, count in getattr(node, "workeroutput", {}).get("ragdash_deselected", {}).items():
            self.group(name).deselected = max(count, self.group(name).deselected)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Give the verdicts: exit status 1 for a gate that failed, 4 for one that cannot be given."""
        if self.is_worker:
            counts = {name: group.deselected for name, group in self.groups.items() if group.deselected}
            self.config.workeroutput["ragdash_deselected"] = counts  # type: ignore[attr-defined]
            return
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        statuses = [self._finish(group, session) for group in self.groups.values()]
        if exitstatus == pytest.ExitCode.OK and any(statuses):
            session.exitstatus = max(statuses)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verdicts."""
        if self.lines:
            terminalreporter.section("ragdash")
            for line in self.lines:
                terminalreporter.line(one_line(line))

    def _finish(self, group: LoggedGroup, session: pytest.Session) -> int:
        """The exit status that a group asks for."""
        if group.deselected or not (group.rows or group.has_run):
            count = group.deselected
            reason = f"{count} of its tests were deselected" if count else "its tests were skipped"
            self.lines.append(f"{group.name}: no verdict, {reason}")
            return 0
        try:
            return self._verdict(group, session)
        except InputError as error:
            self.lines += [f"{group.name}: no verdict. {problem}" for problem in error.problems]
            self._property(session, f"ragdash.{group.name}.tier", "error")
            return int(pytest.ExitCode.USAGE_ERROR)

    def _verdict(self, group: LoggedGroup, session: pytest.Session) -> int:
        from ragdash.reporting.tables.evaluation import interval
        from ragdash.reporting.tables.gate import render_gate

        group.checked()
        runs, truth = group.runs(), group.judgments(self.config.getini("ragdash_truth") or None)
        if not group.options.get("baseline"):
            self.lines.append(f"{group.name}: no baseline in the marker")
            evaluation = group.evaluation(runs, truth)
            self.lines += [f"  {mean.spec.title} {interval(mean)}, n = {mean.n:,}" for mean in evaluation.summary()]
            self.lines += [f"  {problem.severity}: {problem}" for problem in evaluation.problems]
            return 0
        if self.config.getoption("ragdash_pin"):
            if session.testsfailed:
                self.lines.append(f"{group.name}: not pinned, because tests failed")
                return int(pytest.ExitCode.TESTS_FAILED)
            path = group.baseline_path
            other = self.pinned.setdefault(os.path.realpath(path), group.name)
            if other != group.name:
                raise InputError([Problem("pytest/same-baseline", {"group": group.name, "other": other}, str(path))])
            queries = query_count(len({query for _, query in group.rows}))
            self.lines.append(f"{group.name}: pinned in {group.pin(runs, truth)}, {queries}")
            return 0
        result = group.gate(runs, truth)
        self.lines += [group.name, *render_gate(result, "table").decode().splitlines()]
        self._property(session, f"ragdash.{group.name}.tier", result.tier)
        for row in result.rows:
            name = f"ragdash.{group.name}.{row.comparison.spec}"
            self._property(session, name, f"{row.mean:.6g}")
            self._property(session, f"{name}.difference", f"{row.comparison.mean_difference:+.6g}")
        if folder := self.config.getoption("ragdash_results"):
            self._write_result(group.name, Path(folder), render_gate(result, "json"))
        return 0 if result.passed else int(pytest.ExitCode.TESTS_FAILED)

    def _write_result(self, name: str, folder: Path, content: bytes) -> None:
        """Write GROUP.json; InputError where that cannot be, or another group has a file of this name."""
        path = folder / f"{_file_name(name)}.json"
        other = self.written.setdefault(path, name)
        if other != name:
            raise InputError([Problem("pytest/same-file", {"group": name, "other": other}, str(path))])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(str(folder), error) from None
        write(content, str(path))

    def _property(self, session: pytest.Session, name: str, value: str) -> None:
        """Add a property to the test suite of --junit-xml."""
        from _pytest.junitxml import xml_key  # as record_testsuite_property does

        from ragdash.reporting.tables.junit import escape_xml

        xml = session.config.stash.get(xml_key, None)
        if xml is not None:
            xml.add_global_property(escape_xml(name), escape_xml(value))


def _options(item: Any) -> dict[str, Any]:
    """The keyword arguments of the marker; group: also its first argument."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return {}
    options = dict(zip(("group",), marker.args, strict=False)) | marker.kwargs
    return {name: _plain(value) for name, value in {"group": "retrieval", **options}.items()}


def _log(item: pytest.Item, repeat: int, query_id: str | int, fields: Mapping[str, object]) -> None:
    """Keep a row on the test; one with the same query and repeat gets the new fields as well.

    InputError for a field that the test has logged with another value.
    """
    import orjson

    if not _options(item):
        pytest.fail("log_retrieval and log_answer need @pytest.mark.ragdash(group=...)", pytrace=False)
    if "repeat" in fields:
        raise InputError([Problem("pytest/repeat-field", {"query": str(query_id)}, field="repeat")])
    if item.stash.get(_IS_REPORTED, False):
        raise InputError([Problem("pytest/late", {}, item.nodeid, field=str(query_id))])
    present = {name: value for name, value in fields.items() if value is not None}
    if (references := _plain(present.get("references"))) is not None:
        from ragdash.core.records import Truth

        present["references"] = [references] if isinstance(references, str) else references
        Truth.from_records([{"query_id": query_id, "relevant": {}, "answers": present["references"]}])
    try:
        row = orjson.loads(orjson.dumps(present, option=orjson.OPT_SERIALIZE_NUMPY))  # a copy that can be sent
    except TypeError as error:  # of orjson
        raise InputError([Problem("recording/json", {"query": str(query_id), "reason": str(error)})]) from None
    rows = item.stash.setdefault(_ROWS, [])
    same = next((before for before in rows if before["query_id"] == str(query_id)), None)
    if same is None:
        rows.append({"query_id": str(query_id), "repeat": int(repeat), **row})
    else:
        if changed := [name for name in row if same.get(name, row[name]) != row[name]]:
            raise InputError([Problem("pytest/logged-twice", {"query": str(query_id), "names": changed}, item.nodeid)])
        same.update(row)


def _has_no_parameters(item: pytest.Item) -> bool:
    """Whether pytest skips the test because a list of its parameters is empty."""
    call_parameters = getattr(item, "callspec", None)
    return call_parameters is not None and any(value is NOTSET for value in call_parameters.params.values())


def _plain(value: Any) -> Any:
    """Sets, tuples and paths as what can be sent between processes."""
    if isinstance(value, Path):
        return str(value)
    return sorted(value) if isinstance(value, set | frozenset) else list(value) if isinstance(value, tuple) else value


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in name)
