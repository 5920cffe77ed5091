"""The values of one metric at all its cutoffs, under the conventions.

Letters: Q queries (of the truth), M specs (columns).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable, represent
from ragdash.evaluation.stats.proportions import clopper_pearson
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import ALL
from ragdash.metrics import CorpusValue, Metric, Spec, cutoff_array
from ragdash.metrics.evidence import by_evidence
from ragdash.metrics.registry import SMALLEST_OF_PRODUCT


def compute_specs(match: Match, specs: Sequence[Spec]) -> tuple[np.ndarray, dict, dict]:
    """Compute all specs; all cutoffs of a metric come out of one pass.

    Returns (values (Q, M), {spec: CorpusValue}, {spec: the problem} of those that this run or truth cannot give).
    """
    values = np.empty((len(specs), len(match.query_ids))).T  # a column lies in one piece
    corpus: dict[Spec, CorpusValue] = {}
    unavailable: dict[Spec, Problem] = {}
    by_function = sorted(range(len(specs)), key=lambda i: (specs[i].name, repr(specs[i].params)))
    for (name, params), group in groupby(by_function, key=lambda i: (specs[i].name, specs[i].params)):
        columns = list(group)
        try:
            compute_columns(values, corpus, match, name, dict(params), specs, columns)
        except Unavailable as missing:
            values[:, columns] = np.nan
            unavailable |= {specs[i]: missing.problem for i in columns}
    return values, corpus, unavailable


def compute_columns(values: np.ndarray, corpus: dict, match: Match, name: str, params: dict, specs: Sequence[Spec],
          columns: Sequence[int]) -> None:
    """Compute one metric at all its cutoffs and write its columns of values (Q, M), and corpus values where it is one.

    Raises Unavailable where this run or this truth cannot give what the metric looks at.
    """
    metric = specs[columns[0]].metric
    options = {key: value for key, value in params.items() if key != "average"}
    cutoffs = () if metric.cutoff == "none" else (cutoff_array(specs[i] for i in columns),)
    view, function, weight = _view_and_functions(match, metric, params, [specs[i].k for i in columns])
    computed = function(view, *cutoffs, **options)
    _check_values(computed, name, len(values), len(cutoffs[0]) if cutoffs else 1)
    cutoff_index = {i: int(np.searchsorted(cutoffs[0], ALL if specs[i].k is None else specs[i].k)) if cutoffs else 0
              for i in columns}
    if isinstance(computed, (CorpusValue, tuple)):
        for i, index in cutoff_index.items():
            corpus[specs[i]] = _without_skipped(match, computed[index] if isinstance(computed, tuple) else computed)
            values[:, i] = corpus[specs[i]].values
        return
    computed = _apply_conventions(match, metric, params, computed[:, None] if computed.ndim == 1 else computed)
    for i, index in cutoff_index.items():
        values[:, i] = computed[:, index]
    if params.get("average") == "micro":
        shares = weight(view, *cutoffs, **options)
        corpus.update({specs[i]: _micro(values[:, i], shares if shares.ndim == 1 else shares[:, index])
                       for i, index in cutoff_index.items()})


def _check_values(computed: object, name: str, queries: int, cutoffs: int) -> None:
    """Raise InputError where a metric of one's own returns something else than values of queries and cutoffs."""
    if isinstance(computed, CorpusValue) or (isinstance(computed, tuple) and len(computed) == cutoffs
                                             and all(isinstance(value, CorpusValue) for value in computed)):
        return
    fits = isinstance(computed, np.ndarray) and computed.dtype.kind in "biuf" and (
        computed.shape == (queries, cutoffs) or (cutoffs == 1 and computed.shape == (queries,)))
    if not fits:
        value = f"an array of shape {computed.shape} and type {computed.dtype}" if isinstance(computed, np.ndarray) \
            else f"{represent(computed, 60)} of type {type(computed).__name__}"
        raise InputError([Problem("python-object/metric-values", {
            "metric": name, "value": value, "queries": queries, "cutoffs": cutoffs}, field="metric")])


def _view_and_functions(match: Match, metric: Metric, params: dict,
               ks: Sequence[int | None]) -> tuple[object, Callable, Callable | None]:
    """(view, function, weight) of a metric: as defined, or its form by evidence where evidence decides relevance."""
    if metric.of_rankings and not match.run.has_rankings:
        raise Unavailable("no-rankings", {"run": match.run.name}, "retrieved")
    if metric.view == "Ranked" and match.matching.by == "evidence":
        form = by_evidence(metric, params, None if None in ks else ks[0])
        return match.covered, form.function, form.weight
    return match.view(metric.view), metric.function, metric.weight


def _without_skipped(match: Match, value: CorpusValue) -> CorpusValue:
    """A value of the corpus without the queries that the run lacks, where these are skipped."""
    included = ~match.missing if match.conventions.missing == "skip" else np.ones(len(match.query_ids), bool)
    terms = tuple((c, top * included, bottom * included) for c, top, bottom in value.terms)
    return replace(value, values=np.where(included, value.values, np.nan), terms=terms)


def _micro(values: np.ndarray, weight: np.ndarray) -> CorpusValue:
    """Sum of numerators over sum of denominators, of the queries whose value is defined; values, weight (Q,)."""
    defined = ~np.isnan(values)
    return CorpusValue(values, 0.0, ((1.0, np.where(defined, values * weight, 0.0), weight * defined),))


def _apply_conventions(match: Match, metric: Metric, params: dict, values: np.ndarray) -> np.ndarray:
    """The values under the conventions for unanswerable and missing queries."""
    if match.conventions.unanswerable == "zero" and metric.relevance and metric.view in ("Ranked", "Covered"):
        by_evidence = metric.view == "Covered" or match.matching.by == "evidence"
        gold = match.covered.gold if by_evidence else match.ranked.relevant(params.get("rel", 1))
        values = np.where((gold == 0)[:, None], 0.0, values)  # a copy: the values may belong to a view
    if match.conventions.missing == "skip":
        values = np.where(match.missing[:, None], np.nan, values)
    return values


def averaged_values(values: np.ndarray, specs: Sequence[Spec]) -> np.ndarray:
    """The values whose plain mean the summary is made of: logarithms for a geometric mean, Q times the value for a sum.

    (Q, M); a metric without a single value stays undefined.
    """
    changed = [i for i, spec in enumerate(specs) if spec.metric.aggregate in ("geometric", "sum")]
    if changed:
        values = values.copy()
    for i in changed:
        column = values[:, i]
        if specs[i].metric.aggregate == "geometric":
            values[:, i] = np.log(np.maximum(column, SMALLEST_OF_PRODUCT))
        elif not np.isnan(column).all():
            values[:, i] = np.nan_to_num(column) * len(column)
    return values


def value_limits(specs: Sequence[Spec]) -> np.ndarray:
    """The lowest and highest possible value of a query, infinite where there is none: (M, 2), for means of the values.

    Where the summary is made of other values (`averaged_values`), it has no limits.
    """
    return np.array([spec.range if spec.metric.aggregate == "mean" else (-np.inf, np.inf) for spec in specs],
                    np.float64).reshape(-1, 2)


def geometric_mean(defined: np.ndarray) -> float:
    """The geometric mean of values without NaN, the smallest ones raised to SMALLEST_OF_PRODUCT; NaN without any."""
    return float(np.exp(np.log(np.maximum(defined, SMALLEST_OF_PRODUCT)).mean())) if len(defined) else np.nan


def exact_interval(defined: np.ndarray, level: float) -> tuple[float, float]:
    """The Clopper-Pearson interval of a share, of values 0 and 1; NaN without any. None of 100: up to 0.036."""
    if not len(defined):
        return np.nan, np.nan
    low, high = clopper_pearson(defined.mean(), len(defined), level)
    return float(low), float(high)


def column_means(values: np.ndarray) -> np.ndarray:
    """Mean of the defined values of each column, NaN where there is none: (S,)."""
    defined = ~np.isnan(values)
    n = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
