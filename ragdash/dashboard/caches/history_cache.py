"""The cached history of runs on one metric: points of all runs, and the tests of one line of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragdash.analysis.tracking import HistoryPoint, MetricHistory, history, point_of
from ragdash.core.errors import InputError
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec, parse_spec


def points(digests: Sequence[str], scope: Scope, spec: Spec) -> tuple[HistoryPoint, ...]:
    """A point for each of these runs that has queries of the judgments."""
    return _points(tuple(digests), scope.cache_key([spec]), str(spec), _scope=scope)


@shared(max_entries=16, show_spinner="Evaluating recorded runs …")
def _points(digests: tuple[str, ...], key: tuple, spec: str, _scope: Scope) -> tuple[HistoryPoint, ...]:
    metric, result = parse_spec(spec), []
    for digest in digests:
        try:
            result.append(_point(digest, _scope, metric))
        except InputError:  # no query in common: the Data page says so
            continue
    return tuple(result)


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


def metric_history(line: Sequence[HistoryPoint], key: tuple, spec: Spec, accepted: int, fixed: bool) -> MetricHistory:
    """The history of a line; key: everything that the values depend on besides the runs."""
    return _metric_history(tuple((point.digest, str(point.time)) for point in line), key, str(spec), accepted, fixed,
                           _line=line)


@shared(max_entries=64, show_spinner="Testing changes …")
def _metric_history(runs: tuple, key: tuple, spec: str, accepted: int, fixed: bool,
                    _line: Sequence[HistoryPoint]) -> MetricHistory:
    return history(_line, [parse_spec(spec)], accepted=accepted, fixed=fixed)[0]
