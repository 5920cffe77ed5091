"""Cached calls of the Threshold bands page: score thresholds of a run, and means by slice.

Keyed by digests and scalars, as in ragdash.dashboard.caches.evaluation_cache; what comes out is shared and must not
be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ragdash.analysis import score_thresholds
from ragdash.analysis.score_thresholds import OperatingPoint, PrecisionRecall, Roc, Sweep
from ragdash.core.records import Truth
from ragdash.core.slices import Slice
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope, by_scope
from ragdash.evaluation.evaluate import Summary, summaries
from ragdash.evaluation.stats import FAST_RESAMPLES
from ragdash.experiments.fusion.judged_pool import has_scores_of_ranks
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.reporting.plots.common.theme import Figure

_KEPT: dict[str, Any] = {"max_entries": 128, "show_spinner": "Trying score cutoffs …", "key": by_scope}


def match(run: str, scope: Scope) -> Match:
    """The run on the queries in scope. Raises InputError if they have none in common."""
    if not scope.part:
        return scope.match(run)
    return _within(run, scope)


@shared(max_entries=32, key=by_scope)
def _within(run: str, scope: Scope) -> Match:
    return Match(LOADED.run(run), _part(scope), scope.conventions)


@shared(max_entries=16, key=lambda scope: (scope.truth_digest, scope.part))
def _part(scope: Scope) -> Truth:
    """The truth of the queries in scope alone."""
    truth, in_scope = scope.truth, scope.queries
    rows = in_scope[truth.queries]
    return Truth.build(truth.name, truth.query_ids.take(pa.array(truth.queries[rows])),
                       truth.docs.filter(pa.array(rows)), truth.grades[rows],
                       details=pa.table({"query_id": truth.query_ids.filter(pa.array(in_scope))}))


def why_unscored(run: str, scope: Scope) -> str | None:
    """Why there are no score thresholds, as it follows the run's name; None where there are."""
    run_match = match(run, scope)
    reason = score_thresholds.why_unscored(run_match)
    return reason and reason.removeprefix(f"run {run_match.run.name!r} ")


@shared(max_entries=256)
def follows_ranks(run: str) -> bool:
    """Whether the scores of a run say no more than its ranks."""
    return has_scores_of_ranks(LOADED.run(run))


@shared(**_KEPT)
def sweep(run: str, scope: Scope, corpus: int | None) -> Sweep:
    """Every measure at every threshold. Raises InputError for a corpus that is smaller than what was returned."""
    return score_thresholds.sweep(match(run, scope), corpus_size=corpus)


@shared(**_KEPT)
def point(run: str, scope: Scope, measure: str, corpus: int | None) -> OperatingPoint:
    """The best threshold of one half of the queries, checked on the other. Raises InputError for too few queries."""
    return score_thresholds.operating_point(match(run, scope), measure, corpus_size=corpus, resamples=FAST_RESAMPLES)


@shared(**_KEPT)
def curves(run: str, scope: Scope) -> tuple[Roc, PrecisionRecall]:
    """ROC and precision-recall by score."""
    run_match = match(run, scope)
    return score_thresholds.roc(run_match), score_thresholds.pr_by_score(run_match)


@shared(max_entries=64, show_spinner="Computing means by slice …", key=lambda runs, scope, spec, attribute: (
    tuple(runs), scope.cache_key([spec]), str(spec), attribute))
def summaries_by_slice(
    runs: Sequence[str], scope: Scope, spec: Spec, attribute: str
) -> list[tuple[Slice, list[Summary]]]:
    """Each slice of an attribute, of the queries in scope, with a Summary for each run; slices without a query are
    left out."""
    in_scope, all_ids = scope.queries, scope.truth.query_ids
    evaluations = [scope.evaluation(run, [spec]) for run in runs]
    rows_by_slice = []
    for query_slice in scope.slices.values():
        queries: np.ndarray = query_slice.queries & in_scope
        if query_slice.attribute == attribute and queries.any():
            ids = all_ids.filter(pa.array(queries)).to_pylist()
            rows = summaries([evaluation.only(ids) for evaluation in evaluations])
            rows_by_slice.append((Slice(query_slice.attribute, query_slice.value, queries), [row[0] for row in rows]))
    return rows_by_slice


@shared(max_entries=128, key=lambda *facts, draw: (repr(facts),))
def cached_figure(*facts: object, draw: Callable[[], Figure]) -> Figure:
    """The figure that draw makes, kept by the facts that it is made of (their repr must differ).

    Half of a script run would go into building figures that have not changed. It is shared: nobody changes it.
    """
    return draw()
