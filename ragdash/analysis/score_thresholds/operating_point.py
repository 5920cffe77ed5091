"""The threshold that serves a measure best, found on one half of the queries and checked on the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.analysis.score_thresholds.retained_counts import MEASURES, RetainedCounts, composition, means
from ragdash.core.arrow_columns import hash_text
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.stats import RESAMPLES, bootstrap_intervals, bootstrap_ratios
from ragdash.matching.match import Match

_EQUAL = 1e-12  # values this near are the same but for rounding


@dataclass(frozen=True)
class Half:
    """A measure over one half of the queries, with the bootstrap interval of its mean and the n queries in it."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold (infinity: best keep nothing) and what the measure is there.

    quantile: share of the run's returned documents with a score below. found: on the half that it was chosen by, which
    flatters; checked: on the other half; unfiltered: on that other half with every returned document. recall and empty
    (share of all its `queries` that keep no document) on that other half: with every document, and with the cutoff.
    """

    measure: str
    threshold: float
    quantile: float
    selected: Half
    checked: Half
    unfiltered: Half
    recall: tuple[float, float]
    empty: tuple[float, float]
    queries: int


def operating_point(match: Match, measure: str = "f1", seed: int = 0, rel: int = 1, beta: float = 40.0, *,
                    corpus_size: int | None = None, resamples: int = RESAMPLES) -> OperatingPoint:
    """The best of at most 200 quantiles of one half's scores, or infinity; the lowest of equally good ones.

    measure: one of MEASURES, all as in Sweep. The halves depend only on the seed (>= 0) and the truth, not on the order
    of its queries and not on the run; queries with a relevant document are shared out evenly. The interval holds the
    threshold fixed. Raises InputError for an unknown measure, a run without scores and a half without a relevant
    document.
    """
    _check_measure(measure, corpus_size)
    retained = RetainedCounts.of(match, rel, beta, corpus_size)
    first = _first_half(match.query_ids, retained.relevant > 0, seed)
    choosing, checking = retained.only(first), retained.only(~first)
    sizes = [int((half.asked & (half.relevant > 0)).sum()) for half in (choosing, checking)]
    if not all(sizes):
        raise InputError([Problem("few-queries", {"finding": sizes[0], "checking": sizes[1]}, field="query_id")])
    candidates = np.concatenate((choosing.thresholds(), [np.inf])) if len(choosing.scores) else np.array([np.inf])
    values = means(choosing, candidates, (measure,))[measure]
    threshold = candidates[np.flatnonzero(values >= values.max() - _EQUAL)[0]]
    kept = means(checking, np.array([-np.inf, threshold]), ("recall", "empty"))
    return OperatingPoint(measure, float(threshold), float(retained.share_below(threshold)),
                          *_halves(choosing, measure, [threshold], resamples),
                          *_halves(checking, measure, [-np.inf, threshold], resamples)[::-1],
                          *(tuple(kept[name].tolist()) for name in ("recall", "empty")),
                          int(checking.asked.sum()))


def _check_measure(measure: str, corpus_size: int | None) -> None:
    if measure not in MEASURES:
        facts = {"measure": measure, "measures": list(MEASURES)}
        raise InputError([Problem("unknown-measure", facts, field="measure")])
    if measure == "aqwv_material" and corpus_size is None:
        raise InputError([Problem("metric-parameter/corpus-size", field="corpus_size")])


def _first_half(query_ids: pa.StringArray, answerable: np.ndarray, seed: int) -> np.ndarray:
    """Every other query in the order of their seeded hashes, the answerable ones first: (Q,) bool."""
    order = np.lexsort((hash_text(pa.chunked_array([query_ids]), seed), ~answerable))
    first = np.zeros(len(order), bool)
    first[order[::2]] = True
    return first


def _halves(retained: RetainedCounts, measure: str, thresholds: list[float], resamples: int) -> list[Half]:
    """The measure over the queries that still have a say, with its interval, at each threshold; these ascend."""
    constant, terms = composition(measure, retained.beta)
    blocks = list(retained.blocks(np.array(thresholds)))
    components = []
    for coefficient, name in terms:
        values, masks = zip(*(block.component(name) for block in blocks), strict=True)
        components.append((coefficient, np.concatenate(values, axis=1).T.astype(np.float64), np.concatenate(masks)))
    first = components[0][2]
    if all(np.array_equal(say, first) for _, _, say in components):
        per_query = constant + sum(c * values[first] for c, values, _ in components)
        ends = zip(*bootstrap_intervals(per_query, resamples=resamples), strict=True)
    else:  # means over different queries, resampled together
        evaluated = retained.asked
        ends = (bootstrap_ratios(constant, [(c, (values[:, t] * say)[evaluated], say[evaluated].astype(np.float64))
                                            for c, values, say in components], resamples=resamples)
                for t in range(len(thresholds)))
    mean = constant + sum(c * values[say].mean(axis=0) for c, values, say in components)
    n = int(first.sum())
    return [Half(float(value), float(low), float(high), n) for value, (low, high) in zip(mean, ends, strict=True)]
