"""`ragdash.history`: a metric over time, as the History page and `ragdash history` show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragdash.analysis.tracking import (
    HistoryPoint,
    MetricHistory,
    PinnedBaseline,
    checks_of_runs,
    history_point,
    lines_of,
    merged_points,
    read_baseline,
    withhold_changes,
)
from ragdash.analysis.tracking import history as metric_histories
from ragdash.core.console import count
from ragdash.core.errors import InputError, Problem, UnknownKey, represent
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked, checked_methods, is_whole
from ragdash.evaluation.comparison_inputs import checked_kinds
from ragdash.evaluation.outcomes import select_comparable
from ragdash.metrics import Spec, one_spec, parse_specs
from ragdash.reporting.public.recorded_runs import runs_of, warn_of
from ragdash.reporting.tables.history import CHANGES, notes, render_history, settings_text, short_commit


@checked_methods
@dataclass(frozen=True, eq=False, repr=False)
class RunHistory:
    """What `history` returns.

    Attributes
    ----------
    lines
        Of each line (such as each name) its points in order of time, and a MetricHistory for each metric.
    baseline
        The pinned baseline that all were compared with, if there is one.
    """

    lines: Mapping[str, tuple[tuple[HistoryPoint, ...], tuple[MetricHistory, ...]]]
    baseline: PinnedBaseline | None = None

    def __repr__(self) -> str:
        changes = sum(len(metric.changes) for _, metrics in self.lines.values() for metric in metrics)
        runs = sum(len(points) for points, _ in self.lines.values())
        return f"<RunHistory: {runs:,} runs in {len(self.lines):,} lines, {count(changes, 'significant change')}>"

    def _repr_html_(self) -> str:
        """The frame, for notebooks."""
        return self.frame().to_html(index=False, float_format="{:.4f}".format, border=0)

    def frame(self):
        """Return a pandas DataFrame: a row per line, metric and run; difference: to the accepted run."""
        import pandas as pd

        rows = []
        for name, (points, metrics) in self.lines.items():
            for metric in metrics:
                for row in metric.rows:
                    point = points[row.point]
                    rows.append({
                        "line": name, "metric": str(metric.spec), "run": point.name, "time": point.time,
                        "commit": short_commit(point), "branch": point.branch, "repeats": max(1, len(point.repeats)),
                        "mean": row.summary.mean, "low": row.summary.low, "high": row.summary.high, "n": row.summary.n,
                        "difference": row.difference, "difference_low": row.low, "difference_high": row.high,
                        "change": CHANGES[row.change], "settings": settings_text(
                            points[row.point - 1], point) if row.point else ""})
        return pd.DataFrame(rows)

    def summary(self) -> str:
        """Return the tables, changes and notes of `ragdash history` as text."""
        text = render_history(self.lines, "table").decode()
        return "\n".join([text, *dict.fromkeys(note for points, _ in self.lines.values() for note in notes(points))])

    def plot(self, line: str | None = None, metric: str | Spec | None = None):
        """Return the plotly figure of the History page. line, metric: default the line with most runs, and the first.

        InputError, a KeyError too, for a line or metric that is not there.
        """
        from ragdash.reporting.history_picture import history_figure

        name = max(self.lines, key=lambda name: len(self.lines[name][0])) if line is None else line
        if name not in self.lines:
            raise UnknownKey("unknown-key/line", {"line": name, "lines": list(self.lines)})
        points, metrics = self.lines[name]
        wanted = metrics[0].spec if metric is None else one_spec(metric)
        chosen = next((entry for entry in metrics if entry.spec == wanted), None)
        if chosen is None:
            raise UnknownKey("unknown-key/metric", {
                "metric": str(wanted), "name": name, "metrics": [str(entry.spec) for entry in metrics]})
        return history_figure(points, chosen, baseline=self.baseline)


@checked
def history(runs: object, truth: Truth | object, metrics: str | Iterable[str | Spec] = "nDCG@10", *, by: str = "name",
            fixed: bool = False, baseline: str | Path | PinnedBaseline | None = None, repeats: str = "mean",
            family: int = 1, accept: str | Iterable[str] = (), **conventions) -> RunHistory:
    """Show metrics of dated runs over time, and mark the changes that are significant however often you look.

    Parameters
    ----------
    runs
        A log folder, or a list of runs and paths. Runs without a date count in the order given.
    truth
        What they are evaluated against today.
    metrics
        The metrics; they share the false alarms.
    by : {"name", "branch", "group", "tag"}
        What makes a line of its own.
    fixed
        Compare all runs with the first; else a run with a significant change becomes the accepted one.
    baseline
        A pinned baseline, or its file, to compare all runs with.
    repeats : {"mean", "single"}
        Repeats of a configuration are one point, their mean; or each by itself.
    family
        Correct over this many metrics, where you choose from more than these.
    accept
        Kinds of checks to accept, such as "shallow-run"; else these withhold the changes between runs that are not
        comparable yet.
    **conventions
        ties, missing, unanswerable, duplicates.

    Returns
    -------
    RunHistory
        With `frame`, `summary` and `plot`.

    Raises
    ------
    InputError
        No run has a query of the truth, or an argument is unknown.

    Examples
    --------
    >>> truth = {f"q{i}": ["a"] for i in range(40)}
    >>> good, poor = ({query: documents for query in truth} for documents in (["a", "b"], ["b", "a"]))
    >>> result = history([good, good, poor], truth, "RR")
    >>> result.frame()[["mean", "change"]].values.tolist()
    [[1.0, ''], [1.0, ''], [0.5, '▼ worse']]
    """
    _check_choices(by, repeats, family)
    accepted, choices, judged = checked_kinds(accept), Conventions.from_arguments(conventions), Truth.of(truth)
    given = runs_of(runs)
    points, specs = _points(given, judged, parse_specs(metrics), choices)
    pinned = read_baseline(baseline) if isinstance(baseline, str | Path) else baseline
    points = merged_points(points) if repeats == "mean" else points
    dated = all(point.time for point in points)
    lines = lines_of(points, by) if dated or by != "name" else {"all runs": points}
    find = checks_of_runs(given, judged, choices, baseline=pinned)
    return RunHistory({name: (tuple(line), withhold_changes(line, metric_histories(
        line, specs, fixed=fixed, baseline=pinned, truth=judged, family=family), find, accepted))
        for name, line in lines.items()}, pinned)


def _check_choices(by: object, repeats: object, family: object) -> None:
    for name, value, choices in (("by", by, ("name", "branch", "group", "tag")), ("repeats", repeats, (
            "mean", "single"))):
        if value not in choices:
            raise InputError([Problem("unknown-convention", {"value": value, "choices": list(choices), "name": name},
                                      field=name)])
    if not is_whole(family) or not 1 <= family < 2**63:
        raise InputError([Problem("python-object/family", {"value": represent(family)}, field="family")])


def _points(runs: Sequence[Run], truth: Truth, requested: list[Spec],
            conventions: Conventions) -> tuple[list[HistoryPoint], list[Spec]]:
    """The points of the runs that have a query of the truth, and the metrics that can be compared."""
    if not requested:
        raise InputError([Problem("python-object/none", {"what": "metric"}, field="metrics")])
    points: list[HistoryPoint] = []
    problems: list[Problem] = []
    for run in runs:
        try:
            points.append(history_point(run, truth, requested, conventions))
        except InputError as error:
            problems += error.problems
    if not points:
        raise InputError(problems)
    warn_of(problems)
    specs, unfit = select_comparable(points[0].evaluation, requested)
    if not specs:
        raise InputError(unfit)
    return points, specs
