"""Means of metrics at every cutoff, with intervals.

Letters: Q queries (of the truth), K cutoffs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.compute import column_means, value_limits
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.repeats import mean_of_defined
from ragdash.evaluation.stats import FAST_RESAMPLES, LEVEL, SEED, bootstrap_intervals
from ragdash.matching.match import Match
from ragdash.metrics import Spec

CURVE_INTERVALS = 60
_CURVE_BLOCK = 128  # cutoffs computed together, so that (Q, K) stays small


@dataclass(frozen=True, eq=False)
class Curves:
    """Means against the cutoff. mean[name] (K,) at ks; low[name], high[name] at interval_ks; n[name] queries each."""

    ks: np.ndarray
    interval_ks: np.ndarray
    mean: Mapping[str, np.ndarray]
    low: Mapping[str, np.ndarray]
    high: Mapping[str, np.ndarray]
    n: Mapping[str, int]


def curves(match: Match | Sequence[Match], names: Sequence[str] = ("P", "R"), ks: np.ndarray | None = None, *,
           level: float = LEVEL, resamples: int = FAST_RESAMPLES, seed: int = SEED, weights: np.ndarray | None = None,
           queries: np.ndarray | None = None) -> Curves:
    """Return means of metrics at every cutoff, with intervals at up to 60 log-spaced ones.

    Parameters
    ----------
    match
        A run matched with the truth; or all repeats of one configuration: then the value of a query is its mean over
        them.
    names
        Metrics that take a cutoff.
    ks
        The cutoffs, ascending; default 1 to the run's depth.
    level, resamples, seed
        Of the bootstrap intervals.
    weights
        stats.resample_weights for these queries, this seed and at least these resamples.
    queries : bool array (Q,)
        The queries to include; default all.
    """
    matches = [match] if isinstance(match, Match) else list(match)
    queries = np.ones(len(matches[0].query_ids), bool) if queries is None else queries
    depth = max(1, *(repeat.run.depth for repeat in matches))
    ks = np.arange(1, depth + 1) if ks is None else np.asarray(ks)
    mean = {name: np.empty(len(ks)) for name in names}
    n = {}
    for start in range(0, len(ks), _CURVE_BLOCK):
        block = slice(start, start + _CURVE_BLOCK)
        for name in names:
            values = _values(matches, [Spec(name, (), int(k)) for k in ks[block]])[queries]
            mean[name][block] = column_means(values)
            n[name] = int((~np.isnan(values[:, 0])).sum())
    spread = np.unique(np.round(np.geomspace(1, len(ks), CURVE_INTERVALS)).astype(int) - 1) if len(ks) else []
    interval_ks = ks[spread]
    specs = [Spec(name, (), int(k)) for name in names for k in interval_ks]
    low, high = (bound.reshape(len(names), -1) for bound in bootstrap_intervals(
        _values(matches, specs)[queries], level=level, resamples=resamples, seed=seed, weights=weights,
        limits=value_limits(specs)))
    return Curves(ks, interval_ks, mean, dict(zip(names, low, strict=True)), dict(zip(names, high, strict=True)), n)


def _values(matches: Sequence[Match], specs: Sequence[Spec]) -> np.ndarray:
    """The values of every query, of repeats their means: (Q, K)."""
    if len(matches) == 1:
        return evaluate_match(matches[0], specs).values
    return mean_of_defined(np.stack([evaluate_match(match, specs).values for match in matches]))
