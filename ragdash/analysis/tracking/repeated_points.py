"""Repeats in a history: runs of one configuration that were recorded together are one point, their mean.

All nights of a job can have one group and name, so a history also asks for the same code, settings and time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from ragdash.analysis.tracking.points import HistoryPoint, in_order
from ragdash.evaluation.repeats import RepeatSpread, joined_digest, mean_over_repeats, spread_of_values
from ragdash.metrics import Spec

LONGEST_PAUSE = timedelta(hours=1)  # from the end of a repeat to the beginning of the next


def merged_points(points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """Points in order of time, with one for the repeats of a configuration: the mean over repeats of each query.

    Repeats have one group and name, the same code, settings and judgments, and begin at most an hour after the end of
    the one before. The point has the time of the first, the tags of all, and the repeats in `repeats`.

    Examples
    --------
    >>> from datetime import UTC
    >>> from ragdash import evaluate
    >>> night = datetime(2026, 3, 1, 2, tzinfo=UTC)
    >>> points = [HistoryPoint("dense", f"digest {number}", evaluate({"q": ["x"] * number + ["a"]}, {"q": ["a"]}, "RR"),
    ...                        night + timedelta(minutes=number), group="nightly") for number in range(2)]
    >>> [point.evaluation.column("RR").tolist() for point in merged_points(points)]
    [[0.75]]
    """
    groups: list[list[HistoryPoint]] = []
    newest: dict[tuple, list[HistoryPoint]] = {}
    for point in in_order(points):
        before = newest.get(_configuration(point))
        if before is not None and _follows(point, before[-1]):
            before.append(point)
            continue
        groups.append([point])
        if point.group and point.time is not None:
            newest[_configuration(point)] = groups[-1]
    return [_merged(group) for group in groups]


def point_spread(point: HistoryPoint, spec: Spec) -> RepeatSpread | None:
    """How much a metric varies between the repeats of a point; None for a run by itself."""
    if not point.repeats:
        return None
    values = np.stack([repeat.evaluation.column(spec) for repeat in point.repeats], axis=1)
    same = all(repeat.rankings and repeat.rankings == point.repeats[0].rankings for repeat in point.repeats)
    return spread_of_values(point.name, spec, values, same)


def _configuration(point: HistoryPoint) -> tuple:
    """What repeats have in common."""
    return (point.group, point.name, point.commit, point.branch, point.dirty, point.truth,
            repr(sorted(dict(point.settings).items())), repr(sorted(map(str, point.evaluation.settings.items()))),
            point.evaluation.specs)


def _follows(point: HistoryPoint, before: HistoryPoint) -> bool:
    ended: datetime | None = before.ended or before.time
    return point.time is not None and ended is not None and point.time - ended <= LONGEST_PAUSE


def _merged(group: Sequence[HistoryPoint]) -> HistoryPoint:
    first = group[0]
    if len(group) == 1:
        return first
    return replace(first, digest=joined_digest([point.digest for point in group]),
                   evaluation=mean_over_repeats([point.evaluation for point in group]), ended=group[-1].ended,
                   tags=tuple(dict.fromkeys(tag for point in group for tag in point.tags)),
                   missing=max(point.missing for point in group), repeats=tuple(group))
