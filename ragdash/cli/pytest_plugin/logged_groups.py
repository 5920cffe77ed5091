"""What the tests of a session logged, by group: runs, judgments, and the verdict against the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdash.core.console import unwritable, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import path_of
from ragdash.core.records.arguments import check_whole

if TYPE_CHECKING:
    from ragdash.analysis.tracking import GateResult
    from ragdash.core.records import Run, Truth
    from ragdash.evaluation.evaluate import Evaluation

MOST_REPEATS = 1_000  # of a test: each is collected as a test of its own
OPTIONS = ("group", "repeats", "baseline", "margin", "metrics", "truth", "fail_on", "accept", "max_age")


@dataclass
class LoggedGroup:
    """The rows of a group. options: of its markers; rows: by (repeat, query), with the test that logged each; has_run:
    whether a test ran, or has an empty list of parameters, so that rows are missing where there are none.
    """

    name: str
    root: Path
    options: dict[str, Any] = field(default_factory=dict)
    rows: dict[tuple[int, str], tuple[str, dict]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    deselected: int = 0
    has_run: bool = False
    tests: set[str] = field(default_factory=set)

    def add(self, test: str, options: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
        """Add what one test logged; a test that runs again replaces its rows."""
        for name, value in options.items():
            if name not in OPTIONS:
                self._note("pytest/option", {"name": name, "options": list(OPTIONS)}, test)
            elif (first := self.options.setdefault(name, value)) is not value and first != value:
                facts = {"group": self.name, "name": name, "first": str(self.options[name]), "second": str(value)}
                self._note("pytest/two-values", facts, test)
        if test in self.tests:
            self.rows = {key: row for key, row in self.rows.items() if row[0] != test}
        self.tests.add(test)
        for row in rows:
            key = int(row["repeat"]), str(row["query_id"])
            before = self.rows.get(key)
            if before is not None and before[0] != test:
                self._note("pytest/twice", {"query": key[1], "group": self.name, "other": before[0]}, test)
            self.rows[key] = test, dict(row)

    def runs(self) -> list[Run]:
        """A run for each repeat, queries in the order of their ids; without rankings where no test logged one."""
        from ragdash.core.records import Run

        unranked = {} if any("documents" in row for _, row in self.rows.values()) else {"documents": []}
        records: dict[int, list[dict]] = {}
        for (repeat, _), (_, row) in sorted(self.rows.items()):
            records.setdefault(repeat, []).append(
                unranked | {name: row[name] for name in row if name not in _OF_TRUTH})
        return [Run.from_records(rows, self.name) for rows in records.values()]

    def judgments(self, default: str | None) -> Truth:
        """What the rows say is relevant; else the file of the marker or of the session."""
        import pyarrow as pa

        from ragdash.core.records import Truth
        from ragdash.io import read_truth

        path = self.options.get("truth") or default
        rows = {query: row for (_, query), (_, row) in sorted(self.rows.items(), reverse=True)}
        logged = {query: rows[query] for query in sorted(rows)}
        if path and not any(row.get("relevant") is not None for row in logged.values()):
            return read_truth(self.root / path)
        references = [row.get("references") for row in logged.values()]
        relevant = {query: row.get("relevant") or {} for query, row in logged.items()}
        if not any(references) and not any(relevant.values()):
            raise InputError([Problem("pytest/no-truth", {"group": self.name}, field="truth")])
        columns: dict[str, Any] = {"query_id": pa.array(list(logged), pa.string())}
        if any(references):
            columns["answers"] = pa.array(references, pa.list_(pa.string()))
        return Truth.from_dict(relevant, "logged judgments", details=pa.table(columns))

    def evaluation(self, runs: Sequence[Run], truth: Truth) -> Evaluation:
        """The mean of the repeats on the metrics of the marker."""
        from ragdash.evaluation.evaluate import evaluate
        from ragdash.evaluation.repeats import mean_over_repeats

        return mean_over_repeats([evaluate(run, truth, self.options.get("metrics")) for run in runs])

    @property
    def baseline_path(self) -> Path:
        """The baseline file of the marker; InputError for what is no path."""
        return self.root / path_of(self.options["baseline"], "baseline")

    def gate(self, runs: Sequence[Run], truth: Truth) -> GateResult:
        """The result against the baseline file of the marker."""
        from ragdash.analysis.tracking import gate, read_baseline
        from ragdash.evaluation.compare import ComparisonRules
        from ragdash.metrics import parse_specs

        options, metrics = self.options, self.options.get("metrics")
        path = self.baseline_path
        if not path.exists():
            raise InputError([Problem("pytest/no-baseline", {}, str(path))])
        return gate(runs, truth, read_baseline(path), parse_specs(metrics) if metrics else None,
                    rules=ComparisonRules(margin=options.get("margin")), accepted=options.get("accept", ()),
                    fail_on=options.get("fail_on", "regression"), max_age=options.get("max_age"))

    def pin(self, runs: Sequence[Run], truth: Truth) -> Path:
        """Write the baseline file of the marker; only --ragdash-pin does this."""
        from ragdash.analysis.tracking import pin

        facts = {"digests": [run.digest for run in runs], "repeats": len(runs), "depth": min(run.depth for run in runs)}
        baseline = pin(self.evaluation(runs, truth), truth, version=import_module("ragdash").__version__, run=facts)
        path = self.baseline_path
        try:
            if path.exists() and not path.is_file():  # a device, or a folder, keeps nothing
                raise OSError("it is not a file")
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(str(path if path.exists() else path.parent), error) from None
        write(baseline.to_bytes(), str(path))
        return path

    def checked(self) -> None:
        """Raise InputError with the problems of all tests, or where they ran fewer repeats than the marker says."""
        self._check_options()
        if not self.rows:
            self._note("pytest/nothing-logged", {"group": self.name}, "")
        repeats = {repeat for repeat, _ in self.rows}
        wanted = int(self.options.get("repeats") or 1)
        if self.rows and len(repeats) < wanted:
            self._note("pytest/repeats", {"group": self.name, "logged": len(repeats), "wanted": wanted}, "")
        if self.problems:
            raise InputError(self.problems)

    def _check_options(self) -> None:
        """Raise InputError with every value of the marker that a gate would refuse, also where there is no baseline."""
        from ragdash.analysis.tracking import FAIL_ON
        from ragdash.evaluation.compare import ComparisonRules
        from ragdash.evaluation.comparison_inputs import checked_kinds
        from ragdash.metrics import parse_specs

        options, problems = self.options, list(self.problems)
        for check, name in ((lambda value: check_whole(1, MOST_REPEATS, repeats=value), "repeats"),
                            (lambda value: check_whole(0, max_age=value), "max_age"),
                            (lambda value: ComparisonRules(margin=value), "margin"), (parse_specs, "metrics"),
                            (checked_kinds, "accept")):
            if options.get(name) is not None:
                try:
                    check(options[name])
                except InputError as error:
                    problems += error.problems
        if (value := options.get("fail_on", FAIL_ON[0])) not in FAIL_ON:
            problems.append(Problem("baseline/fail-on", {"value": value, "choices": list(FAIL_ON)}, field="fail_on"))
        texts = {name: value for name in ("group", "baseline", "truth") if (value := options.get(name)) is not None}
        wrong = {name: "a text" for name, value in texts.items() if not isinstance(value, str)}
        problems += [Problem("pytest/empty", {"name": name}, field=name) for name, value in texts.items()
                     if isinstance(value, str) and not value.strip()]
        if isinstance(options.get("accept", ()), str | None):
            wrong["accept"] = "a list of texts"
        problems += [Problem("pytest/text", {"name": name, "kind": type(options[name]).__name__,
                                             "expected": expected}, field=name) for name, expected in wrong.items()]
        if problems:
            raise InputError(problems)

    def _note(self, message: str, facts: Mapping[str, Any], test: str) -> None:
        self.problems.append(Problem(message, facts, test or None))


_OF_TRUTH = ("relevant", "references", "repeat")
