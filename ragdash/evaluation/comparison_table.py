"""The outcomes of several candidates on several metrics: as a table, as text, and as assertions for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import chain
from math import isfinite
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked_methods
from ragdash.core.slices import all_slices
from ragdash.evaluation.comparison_inputs import ComparisonInputs
from ragdash.evaluation.evaluate import check_metrics
from ragdash.evaluation.outcomes import Comparison, is_margin, losses_over_metrics
from ragdash.evaluation.repeats import spreads_of_evaluations
from ragdash.evaluation.stats import ALPHA
from ragdash.metrics import Spec, one_spec, parse_specs

_COLUMNS = {"candidate": "candidate", "baseline": "baseline", "metric": "spec", "n": "n",
            "difference": "mean_difference", "low": "low", "high": "high", "p_corrected": "p_corrected",
            "outcome": "outcome", "wins": "wins", "ties": "ties", "losses": "losses", "detectable": "detectable"}


@checked_methods
class ComparisonTable(list[list[Comparison]]):
    """What `compare` returns: a row for each candidate, a column for each metric.

    Attributes
    ----------
    rows
        It is a list of lists of `Comparison`.
    verdict
        As on the command line: which run is best on the first metric, and every check of the comparison.

    Examples
    --------
    >>> from ragdash import compare
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> poor, good = ({query: documents for query in truth} for documents in (["b", "a"], ["a", "b"]))
    >>> table = compare(poor, {"good": good}, "RR", truth=truth)
    >>> table.frame()[["candidate", "metric", "difference", "outcome"]].values.tolist()
    [['good', 'RR', 0.5, 'better']]
    >>> table.verdict.state, table.verdict.best, table.verdict.withheld
    ('clear-winner', 'good', ())
    >>> table.assert_improved("RR")
    """

    def __init__(self, rows: Iterable[list[Comparison]] = (), inputs: ComparisonInputs | None = None):
        super().__init__([[replace(pair, inputs=inputs) for pair in row] for row in rows])
        self.inputs = inputs

    def __repr__(self) -> str:
        return self.summary() or "<ComparisonTable: nothing was compared>"

    @cached_property
    def verdict(self):
        """The verdict on the first metric, with the checks of the command line; None where nothing was compared."""
        inputs = self.inputs
        if inputs is None or not inputs.specs:
            return None
        verdicts = import_module("ragdash.analysis.verdict")  # a floor above, loaded where a verdict is wanted
        return verdicts.decide(inputs.evaluations, inputs.specs[0], self._checks(inputs.specs[0]), inputs.rules,
                               accepted=inputs.accepted, baseline=0)

    def _checks(self, spec: Spec) -> tuple:
        """What speaks against the comparison on a metric; computed once."""
        inputs, known = self.inputs, self.__dict__.setdefault("_checks_by_metric", {})
        if inputs is not None and spec not in known:
            verdicts = import_module("ragdash.analysis.verdict")
            known[spec] = verdicts.checks_of(inputs.evaluations, spec, inputs.runs, inputs.truth)
        return known.get(spec, ())

    def _withheld(self, specs: Iterable[Spec]) -> list[str]:
        """A line for each check that withholds the verdict on one of these metrics."""
        accepted = () if self.inputs is None else self.inputs.accepted
        lines = dict.fromkeys(f"not comparable: {check.found()} ({check.kind})" for spec in specs
                              for check in self._checks(spec)
                              if check.level == "withheld" and check.concerns(spec) and check.kind not in accepted)
        return list(lines)

    def frame(self):
        """Return the outcomes as a pandas DataFrame, a row per candidate and metric."""
        import pandas as pd

        return pd.DataFrame([{name: str(value) if isinstance(value := getattr(comparison, attribute), Spec) else value
                              for name, attribute in _COLUMNS.items()} for comparison in chain(*self)],
                            columns=list(_COLUMNS))

    def by_slice(self, name: str, metric: str | Spec | None = None):
        """Return the outcomes within each slice of the queries as a pandas DataFrame, corrected over all slices.

        Parameters
        ----------
        name
            An attribute of the truth's queries, or a label column of a run: "verdict of dense". Labels are an outcome
            of that run: where it is labeled wrong, another run can look better by chance alone.
        metric
            Default the first one that was compared.

        Raises
        ------
        InputError
            There is no such slice.
        ValueError
            Where nothing was compared, or evaluations were given without their truth.

        Examples
        --------
        >>> from ragdash import Run, compare
        >>> from ragdash.core.file_scores import FileScores
        >>> ids = [f"q{i}" for i in range(8)]
        >>> labels = FileScores.build([(q, "poor", "verdict", "Refusal" if q < "q4" else "Correct") for q in ids])
        >>> poor = Run.from_dict({q: ["b", "a"] if q < "q4" else ["a"] for q in ids}, "poor").with_file_scores(labels)
        >>> table = compare(poor, {"good": {q: ["a"] for q in ids}}, "RR", truth={q: ["a"] for q in ids})
        >>> table.by_slice("verdict of poor")[["slice", "candidate", "difference", "n"]].values.tolist()
        [['Correct', 'good', 0.0, 4], ['Refusal', 'good', 0.5, 4]]
        """
        inputs = self.inputs
        if inputs is None or not self or inputs.truth is None:
            raise ValueError("nothing was compared with a ground truth")
        known = all_slices(inputs.truth, inputs.runs)
        if not isinstance(name, str) or name not in known:
            raise InputError([Problem("unknown-slices", {"name": name, "names": list(known)}, field="name")])
        spec = one_spec(metric or inputs.specs[0])
        tests = import_module("ragdash.evaluation.compare")  # it imports this file
        family = tests.test_family(inputs.evaluations, spec, inputs.rules, known[name])
        rows = [family.against(0, index) for index in range(len(known[name]))]
        frame = ComparisonTable(rows).frame()
        frame.insert(0, "slice", [part.value for part, row in zip(known[name], rows, strict=True) for _ in row])
        return frame

    def _repr_html_(self) -> str:
        """The frame, for notebooks."""
        return self.frame().to_html(index=False, float_format="{:.4f}".format, border=0)

    def plot(self, picture: str = "differences", metric: str | Spec | None = None):
        """Return a plotly figure, default each difference with its corrected interval and outcome.

        picture: one of those of `Evaluation.plot`, of the baseline and all candidates. metric: default the first one.
        ValueError where nothing was compared; InputError where the picture needs runs and evaluations were given.
        """
        if not self or not self[0]:
            raise ValueError("nothing was compared")
        pictures = import_module("ragdash.reporting.notebook")  # a floor above, loaded where a picture is wanted
        if picture == "differences" or self.inputs is None:
            wanted = None if metric is None else parse_specs([metric]) or (one_spec(metric),)
            rows = [[pair for pair in row if wanted is None or pair.spec in wanted] for row in self]
            return pictures.plot_differences(rows)
        spec = one_spec(metric or self.inputs.specs[0])
        return pictures.plot_evaluations(self.inputs.evaluations, spec, picture, rules=self.inputs.rules,
                                         accepted=self.inputs.accepted, repeats=self.inputs.repeats)

    def report(self, path: str | Path, *, title: str = "", full: bool = False, texts: bool = True, k: int = 10) -> Path:
        """Write the HTML report of the baseline and all candidates, and return its path; see `Evaluation.report`.

        ValueError where nothing was compared; InputError where evaluations were given that do not hold their runs.
        """
        if not self or self.inputs is None:
            raise ValueError("nothing was compared")
        pages = import_module("ragdash.reporting.notebook")  # a floor above, loaded where a report is wanted
        specs = dict.fromkeys([*(pair.spec for pair in self[0]), *self.inputs.evaluations[0].specs])
        return pages.write_report(self.inputs.evaluations, path, specs=specs, title=title, full=full, texts=texts,
                                  k=k, rules=self.inputs.rules, accepted=self.inputs.accepted,
                                  repeats=self.inputs.repeats)

    def summary(self) -> str:
        """Return a line per candidate and metric: difference, interval, corrected p, queries, outcome.

        A line first for each check that withholds the verdict. Where runs are repeats, the last lines say of the first
        metric whether the noise comes from the queries or from running it again, and what to run next.
        """
        comparisons = list(chain(*self))
        withheld = self._withheld(dict.fromkeys(comparison.spec for comparison in comparisons))
        return "\n".join([*withheld, *map(_line, comparisons), *self._noise()])

    def _noise(self) -> list[str]:
        """Where the noise of repeats comes from; nothing without repeats."""
        if not self or self.inputs is None or not self.inputs.specs:
            return []
        spreads = spreads_of_evaluations(list(chain(*self.inputs.repeats)), self.inputs.specs[:1])
        return import_module("ragdash.reporting.tables.repeats").repeat_lines(spreads) if spreads else []

    def assert_improved(self, metrics: str | Iterable[str | Spec] | None = None, margin: float = 0.0) -> None:
        """Raise AssertionError unless every candidate is significantly better on these metrics.

        metrics: default all that were compared. margin: the whole interval has to be above it, in the direction of the
        metric. Corrected over all pairs of runs on a metric; over metrics nothing is to correct, since every one of
        them has to be better. Undefined outcomes and too few queries fail, and so do
        runs that are not comparable (`verdict.withheld`), unless `compare` got them in `accept`.
        """
        _check_margin(margin)
        self._assert(metrics, "is not significantly better", lambda comparison, gain:
                     comparison.outcome == "better" and gain > margin, margin)

    def assert_no_regression(self, metrics: str | Iterable[str | Spec] | None = None, margin: float = 0.0) -> None:
        """Raise AssertionError if a candidate is worse on one of these metrics, or could be by more than the margin.

        margin=0: fails where a difference is significant, corrected over pairs of runs and, by Holm, over these
        metrics: with several of them a false alarm stays as rare as with one. margin above 0: fails unless the whole
        interval is above -margin on every metric, so that too few queries fail. Undefined outcomes always fail, and so
        do runs that are not comparable (`verdict.withheld`), unless `compare` got them in `accept`.
        """
        _check_margin(margin)
        wanted = None if metrics is None else check_metrics(parse_specs(metrics))
        lost = set()
        for row in self:
            chosen = [pair for pair in row if wanted is None or pair.spec in wanted]
            alpha = ALPHA if self.inputs is None else self.inputs.rules.alpha
            lost |= {id(pair) for pair, p in zip(chosen, losses_over_metrics(chosen), strict=True)
                     if pair.outcome == "worse" and p < alpha}
        self._assert(wanted, "may be worse" if margin else "is worse", lambda comparison, gain:
                     comparison.outcome not in ("undefined", "not-comparable")
                     and (gain > -margin if margin else id(comparison) not in lost), margin)

    def _assert(self, metrics: str | Iterable[str | Spec] | None, words: str, holds, margin: float) -> None:
        comparisons = list(chain(*self))
        if metrics is not None:
            wanted = check_metrics(parse_specs(metrics))
            compared = dict.fromkeys(comparison.spec for comparison in comparisons)
            absent = [spec.title for spec in wanted if spec not in compared]
            if absent and comparisons:
                raise InputError([Problem("not-evaluated", {
                    "run": comparisons[0].baseline, "metric": name, "metrics": [spec.title for spec in compared]},
                    field="metrics") for name in absent])
            comparisons = [comparison for comparison in comparisons if comparison.spec in wanted]
        withheld = self._withheld(dict.fromkeys(comparison.spec for comparison in comparisons))
        failed = [comparison for comparison in comparisons if not holds(comparison, _worst_gain(comparison))]
        if withheld or failed or not comparisons:
            bound = f", margin {float(margin):g}" if margin else ""
            lines = [f"{_line(comparison)} · {comparison.candidate} {words}{bound}" for comparison in failed]
            raise AssertionError("\n".join([*withheld, *lines]) or "nothing was compared")


def _check_margin(margin: object) -> None:
    """Raise InputError for a margin that is no finite number, or below 0."""
    if not is_margin(margin):
        raise InputError([Problem("bound/negative", {"text": f"margin={margin}"}, field="margin")])


def _worst_gain(comparison: Comparison) -> float:
    """The end of the interval that is worst for the candidate, in the direction of the metric."""
    return comparison.low if comparison.sign > 0 else -comparison.high


def _line(comparison: Comparison) -> str:
    return (f"{comparison.spec}: {comparison.candidate} - {comparison.baseline} = {comparison.mean_difference:+.4f} "
            f"[{comparison.low:+.4f}, {comparison.high:+.4f}], {comparison.outcome}, p = {comparison.p_corrected:.3g} "
            f"corrected, n = {comparison.n:,}, detectable "
            + (f"{comparison.detectable:.3g}" if isfinite(comparison.detectable) else "-"))
