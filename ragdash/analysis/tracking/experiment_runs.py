"""Runs of one experiment among the runs of a line: other settings of the same code, recorded at about the same time.

The points of a sweep are no changes over time. Comparing them is what `ragdash.analysis.variants` is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

WINDOW = timedelta(hours=1)  # from one run of an experiment to the next
FEWEST = 3  # runs with other settings; two in an hour are a change that somebody made


class DatedRun(Protocol):
    """What is known of a run: when, from which code, with which settings."""

    time: datetime | None
    commit: str
    dirty: bool
    settings: object


def experiment_runs(points: Sequence[DatedRun]) -> frozenset[int]:
    """Places of runs of an experiment: at least 3 different settings of one commit, less than an hour apart.

    points: in order of time. Of each experiment all runs are listed; runs without a time are in none.
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
