"""The cached history of runs on one metric: points of all runs, and the tests of one line of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash import io
from ragdash.analysis.tracking import (
    HistoryPoint,
    MetricHistory,
    PinnedBaseline,
    checks_of_points,
    history,
    history_point,
    in_order,
    point_of,
)
from ragdash.analysis.verdict import RunCheck
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.io.recorded.folder import LogEntry
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_spec


def points(digests: Sequence[str], recorded: Sequence[LogEntry], scope: Scope, spec: Spec) -> list[HistoryPoint]:
    """A point for each run that has queries of the judgments, in order of time.

    digests: of runs of the session. recorded: closed runs of a folder; those that are not in the session are read and
    evaluated, and not kept in memory.
    """
    key = scope.cache_key([spec])
    loaded = _points(tuple(digests), key, str(spec), _scope=scope)
    known = {run.header.run_id for digest in digests if (run := LOADED.run(digest)) is not None and run.header}
    others = tuple((str(entry.path), entry.version) for entry in recorded if entry.header.run_id not in known)
    return in_order([*loaded, *_points_of_folder(others, key, str(spec), _scope=scope)])


@shared(max_entries=16, show_spinner="Reading recorded runs …")
def _points_of_folder(runs: tuple[tuple[str, tuple[int, int]], ...], key: tuple, spec: str,
                      _scope: Scope) -> tuple[HistoryPoint, ...]:
    folder_points = (_point_of_folder(path, version, key, spec, _scope=_scope) for path, version in runs)
    return tuple(point for point in folder_points if point is not None)


@shared(max_entries=4096)
def _point_of_folder(path: str, version: tuple[int, int], key: tuple, spec: str, _scope: Scope) -> HistoryPoint | None:
    """The point of a run that is read for this; None where it cannot be read or has no query of the judgments."""
    try:
        point = history_point(io.read_run(path), _scope.truth, [parse_spec(spec)], _scope.conventions,
                              _scope.matching)
    except InputError:
        return None
    if not _scope.part:
        return point
    evaluation = point.evaluation
    return replace(point, evaluation=evaluation.only(evaluation.query_ids.filter(pa.array(_scope.queries)).to_pylist()))


@shared(max_entries=16, show_spinner="Evaluating recorded runs …")
def _points(digests: tuple[str, ...], key: tuple, spec: str, _scope: Scope) -> tuple[HistoryPoint, ...]:
    metric, result = parse_spec(spec), []
    for digest in digests:
        try:
            result.append(_point(digest, _scope, metric))
        except InputError:  # no query in common: the Data page says so
            continue
    return tuple(result)


def _checks_key(points: Sequence[HistoryPoint], recorded: Sequence[LogEntry], scope: Scope, spec: Spec, k: int,
                truths: Sequence[str], baseline: PinnedBaseline | None) -> tuple:
    return (tuple((point.digest, point.label, point.truth) for point in points), scope.cache_key([spec]), str(spec), k,
            tuple(truths), baseline and baseline.run.get("depth"))


@shared(max_entries=256, show_spinner="Checking the comparison …", key=_checks_key)
def checks(points: Sequence[HistoryPoint], recorded: Sequence[LogEntry], scope: Scope, spec: Spec, k: int,
           truths: Sequence[str], baseline: PinnedBaseline | None) -> tuple[RunCheck, ...]:
    """What speaks against comparing points on a metric; recorded: the folder of those not in the session."""
    loaded = {point.digest: scope.match(point.digest, [spec]) for point in points
              if LOADED.run(point.digest) is not None}
    wanted = {point.digest for point in points} - {*loaded}
    key = scope.cache_key([spec])
    for entry in recorded if wanted else ():
        point = _point_of_folder(str(entry.path), entry.version, key, str(spec), _scope=scope)
        if point is not None and point.digest in wanted:
            loaded[point.digest] = Match(io.read_run(str(entry.path)), scope.truth, scope.conventions, scope.matching)
    return checks_of_points(points, [loaded[point.digest] for point in points], spec, k, truths,
                            scope.queries_of_slice, baseline)


def _point(digest: str, scope: Scope, spec: Spec) -> HistoryPoint:
    """A run that was recorded with other judgments has values on the queries that it has alone."""
    run, match, evaluation = LOADED.run(digest), scope.match(digest, [spec]), scope.evaluation(digest, [spec])
    recorded = run.header.data.get("truth", "") if run.header else ""
    truth = match.truth
    state = "unknown" if not recorded else "same" if recorded in (truth.digest, truth.judged_digest) else "changed"
    missing = match.missing[scope.queries]
    if state == "changed" and missing.any() and len(missing) == len(evaluation.values):
        values = np.where(missing[:, None], np.nan, evaluation.values)
        evaluation = replace(evaluation, values=values)
    return point_of(run, evaluation, state, int(missing.sum()))


def _history_key(line: Sequence[HistoryPoint], key: tuple, spec: Spec, accepted: int, fixed: bool,
                 baseline: PinnedBaseline | None = None, truth: Truth | None = None, family: int = 1) -> tuple:
    pinned = "" if baseline is None else hashlib.sha256(baseline.to_bytes()).hexdigest()
    return tuple((point.digest, str(point.time)) for point in line), key, str(spec), accepted, fixed, pinned, family


@shared(max_entries=64, show_spinner="Testing changes …", key=_history_key)
def metric_history(line: Sequence[HistoryPoint], key: tuple, spec: Spec, accepted: int, fixed: bool,
                   baseline: PinnedBaseline | None = None, truth: Truth | None = None,
                   family: int = 1) -> MetricHistory:
    """The history of a line; key: everything that the values depend on besides the runs; family: as `history`."""
    return history(line, [spec], accepted=accepted, fixed=fixed, baseline=baseline, truth=truth, family=family)[0]
