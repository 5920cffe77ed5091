"""The dated runs of a history as points: a run, its values, and what was recorded of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pyarrow.compute as pc

from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.evaluate import Evaluation, check_overlap, evaluate_match
from ragdash.matching.match import Match, Matching
from ragdash.metrics import Spec


@dataclass(frozen=True, eq=False)
class HistoryPoint:
    """A dated run and its values.

    Attributes
    ----------
    time
        When it was made; None where it was not recorded, and the order of the points counts.
    commit, branch, dirty
        The git revision of the code, if it was recorded.
    settings, tags, group
        As it was recorded.
    truth
        "same", or "changed": recorded with other judgments, and evaluated again with those of today on the queries
        that it has. "unknown": not recorded.
    missing
        Queries of the judgments that it lacks.
    ended
        When its recording ended.
    rankings
        What runs with the same rankings have in common; () where it is not known.
    repeats
        The points that this one is the mean of; () for a run by itself.
    """

    name: str
    digest: str
    evaluation: Evaluation
    time: datetime | None = None
    commit: str = ""
    branch: str = ""
    dirty: bool | None = False
    settings: Mapping[str, object] = ()  # type: ignore[assignment]
    tags: tuple[str, ...] = ()
    group: str = ""
    truth: str = "unknown"
    missing: int = 0
    ended: datetime | None = None
    rankings: tuple[int, ...] = ()
    repeats: tuple[HistoryPoint, ...] = ()

    @property
    def label(self) -> str:
        """When and what: "2026-11-22 13:15 hybrid"."""
        return f"{self.time:%Y-%m-%d %H:%M} {self.name}" if self.time else self.name


def history_point(run: Run, truth: Truth, specs: Sequence[Spec], conventions: Conventions | None = None,
                  matching: Matching | None = None) -> HistoryPoint:
    """Evaluate a run with the judgments of today.

    A run that was recorded with other judgments is evaluated on the queries that it has; else queries that it lacks
    count as the conventions say. InputError if run and truth have no query in common.
    """
    conventions = conventions or Conventions()
    header = run.header
    recorded = header.data.get("truth", "") if header else ""
    state = "unknown" if not recorded else "same" if recorded in (truth.digest, truth.judged_digest) else "changed"
    if state == "changed":
        conventions = replace(conventions, missing="skip")
    match = Match(run, truth, conventions, matching or Matching())
    check_overlap(match)
    evaluation = evaluate_match(match, specs)
    missing = int(pc.sum(pc.invert(pc.is_in(truth.query_ids, value_set=run.query_ids))).as_py() or 0)
    return point_of(run, evaluation, state, missing)


def point_of(run: Run, evaluation: Evaluation, state: str = "unknown", missing: int = 0) -> HistoryPoint:
    """A point of a run that is evaluated already."""
    header = run.header
    git = header.git if header else None
    time = datetime.fromisoformat(header.created).astimezone(UTC) if header else None
    ended = datetime.fromisoformat(header.ended).astimezone(UTC) if header and header.ended else None
    return HistoryPoint(run.name, run.digest, evaluation, time, git.commit if git else "", (git.branch or "") if git
                        else "", git.dirty if git else False, dict(run.settings), run.tags, run.group or "", state,
                        missing, ended, tuple(map(int, run.rows_digest)))


def in_order(points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """By time where all have one; else as given. Equal times keep their order."""
    return sorted(points, key=lambda point: point.time) if all(point.time for point in points) else list(points)


def lines_of(points: Sequence[HistoryPoint], by: str = "name") -> dict[str, list[HistoryPoint]]:
    """The points of each line: by "name", "branch", "group" or "tag" (a point with several tags is in several)."""
    lines: dict[str, list[HistoryPoint]] = {}
    for point in in_order(points):
        labels = point.tags or ("",) if by == "tag" else (str(getattr(point, by)),)
        for label in labels:
            lines.setdefault(label or f"no {by}", []).append(point)
    return lines


def settings_changes(before: HistoryPoint, after: HistoryPoint) -> dict[str, tuple[object, object]]:
    """The recorded settings that differ between two points: {name: (before, after)}; None where one lacks it.

    Examples
    --------
    >>> from ragdash import Run, evaluate
    >>> run, truth = Run.from_dict({"q": ["a"]}), {"q": ["a"]}
    >>> old, new = (replace(point_of(run, evaluate(run, truth, "RR")), settings=settings) for settings in (
    ...     {"k": 10, "model": "small"}, {"k": 20, "model": "small"}))
    >>> settings_changes(old, new)
    {'k': (10, 20)}
    """
    names = sorted({*before.settings, *after.settings})
    old, new = dict(before.settings), dict(after.settings)
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}
