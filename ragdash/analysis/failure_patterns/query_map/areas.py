"""Areas of a map of queries: clusters of similar questions with their words, and how a run does there.

Letters: Q queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.failure_patterns.clusters import clusters
from ragdash.analysis.failure_patterns.shared_traits import compare_traits
from ragdash.core.slices import Slice
from ragdash.evaluation.stats import FAST_RESAMPLES, SEED, bootstrap_intervals


@dataclass(frozen=True, eq=False)
class Area:
    """A cluster of similar questions and the values of a run there.

    words: typical ones. queries (Q,) bool; n: those of them with a value; mean with its 95% bootstrap interval
    [low, high], NaN without a value. worse: significantly worse than the rest, p corrected by Holm's method over all
    areas; p_corrected is NaN where an area, or the rest, has too few queries to compare.
    """

    words: tuple[str, ...]
    queries: np.ndarray
    n: int
    mean: float
    low: float
    high: float
    p_corrected: float
    worse: bool


def measured_areas(vectors: np.ndarray, texts: Sequence[str | None], values: np.ndarray, sign: int, *,
                   k: int | None = None, seed: int = SEED) -> list[Area]:
    """The areas of the queries that have a vector, the largest first; the vectors make them, not the picture.

    Parameters
    ----------
    vectors : (Q, V)
        NaN rows are in no area; set rows out of scope to NaN.
    values : (Q,)
        Of a metric, NaN undefined.
    sign
        1 where a higher value is better, else -1.
    k
        Areas at most; None: sqrt(n / 2), from 2 to 12.

    Notes
    -----
    The questions alone make the areas, so comparing the values afterwards is an honest test.

    Examples
    --------
    >>> vectors = np.repeat(np.eye(2), 8, axis=0)
    >>> texts = ["engine oil"] * 8 + ["moon landing"] * 8
    >>> rows = measured_areas(vectors, texts, np.repeat([0.1, 0.9], 8), 1, k=2)
    >>> [(row.words, row.n, row.mean, row.worse) for row in rows]
    [(('engine', 'oil'), 8, 0.1, True), (('landing', 'moon'), 8, 0.9, False)]
    """
    everything = np.ones(len(texts), bool)
    groups = clusters(np.nan_to_num(np.asarray(vectors, np.float64)), texts, everything, k=k, seed=seed)
    slices = []
    for number, group in enumerate(groups):
        queries = np.zeros(len(texts), bool)
        queries[group.queries] = True
        slices.append(Slice("area", str(number), queries))
    mapped = np.any([row.queries for row in slices], axis=0) if slices else ~everything
    within = np.where(mapped, values, np.nan)
    tested = {row.slice.value: row for row in compare_traits(within, sign, slices)}
    areas = []
    for group, row in zip(groups, slices, strict=True):
        defined = within[row.queries]
        defined = defined[~np.isnan(defined)]
        low, high = np.nan, np.nan
        if len(defined) > 1:
            ends = bootstrap_intervals(defined[:, None], resamples=FAST_RESAMPLES)
            low, high = float(ends[0][0]), float(ends[1][0])
        test = tested.get(row.value)
        areas.append(Area(group.words, row.queries, len(defined), float(defined.mean()) if len(defined) else np.nan,
                          low, high, test.p_corrected if test else np.nan, bool(test and test.worse)))
    return areas
