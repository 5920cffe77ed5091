"""Changes of a history between runs that cannot be compared yet: one of them is shallow, or its scores are reversed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ragdash.analysis.tracking.gate import depth_checks
from ragdash.analysis.tracking.history import HistoryRow, MetricHistory
from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline
from ragdash.analysis.tracking.points import HistoryPoint
from ragdash.analysis.verdict import RunCheck, find_checks, withheld_checks
from ragdash.core.paths import numbered
from ragdash.core.records import Conventions, Run, Truth
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec

CheckPoints = Callable[[Sequence[HistoryPoint], Spec], Sequence[RunCheck]]


def withhold_changes(points: Sequence[HistoryPoint], metrics: Sequence[MetricHistory], find: CheckPoints,
                     accepted: Sequence[str] = ()) -> tuple[MetricHistory, ...]:
    """The histories with "withheld" in place of each change whose runs are not comparable yet; its numbers stay.

    Parameters
    ----------
    points, metrics
        What `history` was given and returned.
    find
        The checks of a few points on a metric, such as `checks_of_runs` gives. It is asked about changes alone.
    accepted
        Kinds of checks that the reader accepts.
    """
    return tuple(replace(metric, rows=tuple(_checked(points, metric, row, find, accepted) for row in metric.rows))
                 for metric in metrics)


def checks_of_runs(runs: Sequence[Run], truth: Truth, conventions: Conventions | None = None,
                   matching: Matching | None = None, baseline: PinnedBaseline | None = None) -> CheckPoints:
    """What finds the checks of points, which are these runs, among each other or against a pinned baseline."""
    run_of = {run.digest: run for run in runs}

    def find(points: Sequence[HistoryPoint], spec: Spec) -> Sequence[RunCheck]:
        matches = [Match(run_of[point.digest], truth, conventions, matching) for point in points]
        return checks_of_points(points, matches, spec, baseline=baseline)

    return find


def checks_of_points(points: Sequence[HistoryPoint], matches: Sequence[Match], spec: Spec, k: int | None = None,
                     truths: Sequence[str] = (), queries: np.ndarray | None = None,
                     baseline: PinnedBaseline | None = None) -> tuple[RunCheck, ...]:
    """What speaks against comparing points, named by their labels; matches: of their runs; others: as `find_checks`.

    Queries that a run of other judgments lacks are left out, as in its values.
    """
    names = numbered([point.label for point in points])
    named = [(match.with_options(missing="skip") if point.truth == "changed" else match).renamed(name)
             for point, match, name in zip(points, matches, names, strict=True)]
    pinned = depth_checks([match.run for match in named], baseline, [spec]) if baseline else []
    return (*find_checks(named, spec, k, truths=truths, queries=queries), *pinned)


def _checked(points: Sequence[HistoryPoint], metric: MetricHistory, row: HistoryRow, find: CheckPoints,
             accepted: Sequence[str]) -> HistoryRow:
    if row not in metric.changes:
        return row
    tested = [other.point for other in metric.rows if other.change != "experiment" and other.point <= row.point]
    reference = [row.accepted] if row.accepted is not None and row.accepted >= 0 else []
    places = [*reversed(tested[-row.window:]), *reference]
    compared = chain.from_iterable(points[place].repeats or (points[place],) for place in places)
    checks = withheld_checks(find(list(compared), metric.spec), metric.spec, accepted)
    return replace(row, change="withheld", checks=checks) if checks else row
