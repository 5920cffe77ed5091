"""A metric over time: dated runs of a configuration, and changes that are significant against the accepted run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np
import pyarrow as pa

from ragdash.analysis.tracking.pinned_baseline import PinnedBaseline, judgment_digests
from ragdash.analysis.tracking.points import HistoryPoint
from ragdash.analysis.verdict import RunCheck
from ragdash.core.records import CHOICES, Truth
from ragdash.evaluation.evaluate import Evaluation, Summary, summaries
from ragdash.evaluation.outcomes import direction
from ragdash.evaluation.stats import ALPHA, RESAMPLES, SEED
from ragdash.evaluation.stats.sequential import sequential_tests
from ragdash.metrics import Spec

_MODEL_VIEWS = ("Judged", "Scored", "Entailed")
_GENERAL = {*CHOICES, "match", "match_how", "match_threshold", "match_model", "max_grade"}
WINDOW = timedelta(hours=1)  # from one run of an experiment to the next
FEWEST = 3  # runs with other settings; two in an hour are a change that somebody made


@dataclass(frozen=True)
class HistoryRow:
    """A point on one metric.

    Attributes
    ----------
    point
        Index of the point.
    summary
        Mean, interval and n.
    accepted
        Index of the accepted run that it is compared with; None for an accepted run itself, -1 for a pinned baseline.
    difference, low, high, compared
        To the accepted run, with an interval that holds for all points together, and the queries compared. Of a change
        that a window shows, those of the mean of the window.
    change : {"", "better", "worse", "withheld", "not-comparable", "experiment"}
        A significant change at this point. withheld: its runs are not comparable yet; of `withhold_changes`.
        not-comparable: settings of the evaluation or of a model differ, so a new line begins. experiment: one of
        several settings of the same code within an hour, such as a point of a sweep; it is shown and not tested.
    window
        Runs that showed the change together: 1, or a power of 2 for slow and small changes.
    checks
        What withholds the change.
    """

    point: int
    summary: Summary
    accepted: int | None
    difference: float
    low: float
    high: float
    compared: int
    change: str
    window: int
    checks: tuple[RunCheck, ...] = ()


@dataclass(frozen=True)
class MetricHistory:
    """A metric over all points.

    Attributes
    ----------
    alpha
        The share of false alarms that this metric may have (corrected over metrics).
    family
        Over how many metrics it is corrected.
    """

    spec: Spec
    rows: tuple[HistoryRow, ...]
    alpha: float
    family: int = 1

    @property
    def changes(self) -> tuple[HistoryRow, ...]:
        """The rows with a significant change of runs that are comparable."""
        return tuple(row for row in self.rows if row.change in ("better", "worse"))

    @property
    def withheld(self) -> tuple[HistoryRow, ...]:
        """The rows with a significant change of runs that are not comparable yet."""
        return tuple(row for row in self.rows if row.change == "withheld")


def history(points: Sequence[HistoryPoint], specs: Sequence[Spec], *, alpha: float = ALPHA, accepted: int = 0,
            fixed: bool = False, baseline: PinnedBaseline | None = None, truth: Truth | None = None, family: int = 1,
            resamples: int = RESAMPLES, seed: int = SEED) -> tuple[MetricHistory, ...]:
    """Find the significant changes of each metric.

    Parameters
    ----------
    points
        In order of time, with the same queries.
    specs
        The metrics. Each has alpha / number of metrics.
    alpha
        Share of histories without a true change that have any alarm on any metric, at most, for each accepted run.
    accepted
        Index of the accepted run: points before it are shown and not tested.
    fixed
        Keep the accepted run. Else a run with a significant change becomes the accepted one, so that the next change is
        found against the new level.
    baseline, truth
        A pinned baseline in place of the accepted run, and the judgments of today: queries whose judgments changed are
        left out. It is always fixed.
    family
        How many metrics a reader can choose from, where that is more than specs: each has alpha / family.
    resamples, seed
        Of the intervals of means.

    Returns
    -------
    tuple of MetricHistory
        One for each metric.

    Examples
    --------
    >>> from ragdash import Run, evaluate
    >>> from ragdash.analysis.tracking import point_of
    >>> truth = {f"q{i}": ["a"] for i in range(40)}
    >>> good, poor = ({query: documents for query in truth} for documents in (["a"], ["b", "a"]))
    >>> points = [point_of(Run.from_dict(run), evaluate(run, truth, "RR")) for run in (good, good, poor, poor)]
    >>> [(row.point, row.change) for row in history(points, points[0].evaluation.specs)[0].changes]
    [(2, 'worse')]
    """
    family = max(len(specs), family, 1)
    share = alpha / family
    means = summaries([point.evaluation for point in points], resamples=resamples, seed=seed) if points else []
    before = None if baseline is None else _aligned(baseline, points, truth)
    tested = _tested_places(points, accepted, baseline)
    result = []
    for spec in specs:
        values = [points[place].evaluation.column(spec) for place in tested]
        column = [row[points[0].evaluation.specs.index(spec)] for row in means]
        settings = [_settings(points[place].evaluation, spec) for place in tested]
        reference = None
        if before is not None and spec in before.specs:
            reference = before.column(spec)
        rows = _rows(spec, values, [column[place] for place in tested], settings, share,
                     tested.index(accepted) if accepted in tested else 0, fixed, reference)
        result.append(MetricHistory(spec, tuple(_in_places(rows, tested, column)), share, family))
    return tuple(result)


def _tested_places(points: Sequence[HistoryPoint], accepted: int,
                   baseline: PinnedBaseline | None) -> list[int]:
    """The points that are compared over time: without the runs of experiments, but with the accepted run."""
    left_out = experiment_runs(points)
    places = [place for place in range(len(points))
              if place not in left_out or (place == accepted and baseline is None)]
    return places or list(range(min(len(points), 1)))


def _in_places(rows: Sequence[HistoryRow], tested: Sequence[int], column: Sequence[Summary]) -> list[HistoryRow]:
    """The rows of the points that were tested in their places, and a row for each of the others."""
    by_place = {tested[row.point]: replace(row, point=tested[row.point], accepted=tested[row.accepted]
                                           if row.accepted is not None and row.accepted >= 0 else row.accepted)
                for row in rows}
    return [by_place.get(place, HistoryRow(place, summary, None, np.nan, np.nan, np.nan, 0, "experiment", 0))
            for place, summary in enumerate(column)]


def _rows(spec: Spec, values: Sequence[np.ndarray], column: Sequence[Summary], settings: Sequence[tuple], alpha: float,
          accepted: int, fixed: bool, reference: np.ndarray | None) -> list[HistoryRow]:
    rows: list[HistoryRow] = []
    nothing = (np.nan, np.nan, np.nan, 0, "", 0)
    position, current = 0, None
    if reference is None:
        rows = [HistoryRow(index, column[index], None, *nothing) for index in range(min(accepted + 1, len(values)))]
        position, current = len(rows), accepted
    while position < len(values):
        end = position
        anchor = settings[current if current is not None else position]
        while end < len(values) and settings[end] == anchor:
            end += 1
        if end == position:  # not comparable with the accepted run: a new line begins
            rows.append(HistoryRow(position, column[position], None, np.nan, np.nan, np.nan, 0, "not-comparable", 0))
            current, position, reference = position, position + 1, None
            continue
        base = reference if reference is not None else values[current]
        tested = _tested(spec, values[position:end], base, column[position:end], alpha, position,
                         -1 if reference is not None else current)
        first = next((place for place, row in enumerate(tested) if row.change), None)
        if first is None or fixed or reference is not None:
            rows += _first_of_each(tested)
            position = end
        else:
            rows += tested[:first + 1]
            position = current = position + first + 1
            current -= 1
    return rows


def _tested(spec: Spec, values: Sequence[np.ndarray], base: np.ndarray, column: Sequence[Summary], alpha: float,
            start: int, accepted: int | None) -> list[HistoryRow]:
    """Rows against one accepted run; every significant look has a change."""
    tests = sequential_tests(np.round(np.stack(values) - base, 12), alpha)
    rows = []
    for place, summary in enumerate(column):
        gain = tests.mean[place] * direction(spec)
        change = "" if not tests.flagged[place] else "better" if gain > 0 else "worse"
        rows.append(HistoryRow(start + place, summary, accepted, float(tests.mean[place]), float(tests.low[place]),
                               float(tests.high[place]), int(tests.n[place]), change, int(tests.flagged[place])))
    return rows


def _first_of_each(rows: Sequence[HistoryRow]) -> list[HistoryRow]:
    """With a fixed accepted run a change is noted once, until it turns."""
    result, state = [], ""
    for row in rows:
        if row.change and row.change != state:
            state = row.change
            result.append(row)
        else:
            result.append(replace(row, change="", window=0) if row.change else row)
    return result


def _settings(evaluation: Evaluation, spec: Spec) -> tuple:
    """The settings of an evaluation that decide whether values of this metric are comparable."""
    models = spec.metric.view in _MODEL_VIEWS
    return tuple(sorted((name, str(value)) for name, value in evaluation.settings.items()
                        if name not in ("max_grade", "missing") and (name in _GENERAL or models)))


def _aligned(baseline: PinnedBaseline, points: Sequence[HistoryPoint], truth: Truth | None) -> Evaluation:
    """The baseline's values in the order of the points' queries; NaN where it lacks one or its judgments changed."""
    judgments = judgment_digests(truth) if truth is not None else dict(baseline.judgments)
    pinned = baseline.evaluation
    rows = {query: row for row, query in enumerate(pinned.query_ids.to_pylist())
            if judgments.get(query) == baseline.judgments.get(query)}
    queries = points[0].evaluation.query_ids.to_pylist() if points else []
    values = np.full((len(queries), len(pinned.specs)), np.nan)
    for place, query in enumerate(queries):
        if query in rows:
            values[place] = pinned.values[rows[query]]
    return replace(pinned, query_ids=pa.array(queries, pa.string()), values=values)


class DatedRun(Protocol):
    """What is known of a run: when, from which code, with which settings."""

    time: datetime | None
    commit: str
    dirty: bool | None
    settings: object


def experiment_runs(points: Sequence[DatedRun]) -> frozenset[int]:
    """Places of runs of an experiment: at least 3 different settings of one commit, less than an hour apart.

    points: in order of time. Of each experiment all runs are listed; runs without a time are in none. The points of a
    sweep are no changes over time. Comparing them is what `ragdash.analysis.variants` is for.
    """
    places: set[int] = set()
    group: list[int] = []
    settings: set[str] = set()
    for place, point in enumerate(points):
        before = points[place - 1] if place else None
        together = (before is not None and before.time is not None and point.time is not None
                    and point.time - before.time < WINDOW and (point.commit, point.dirty) == (before.commit,
                                                                                            before.dirty))
        if not together:
            group, settings = [], set()
        group.append(place)
        settings.add(_settings_text(point))
        if len(settings) >= FEWEST:
            places.update(group)
            group.clear()  # these are listed; those that follow join them
    return frozenset(places)


def _settings_text(point: DatedRun) -> str:
    return repr(sorted(dict(point.settings).items()))  # type: ignore[call-overload]
