"""The best value that a run can reach with these judgments: that of a perfect ranking."""

from __future__ import annotations

import math

import numpy as np

from ragdash.core.errors import InputError, Unavailable
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import Spec


def best_possible(match: Match, spec: Spec, queries: np.ndarray | None = None) -> float:
    """Return the mean of a perfect ranking: every relevant document first, the highest grades before the others.

    A metric at a cutoff cannot reach 1 where queries have more relevant documents than the cutoff (recall), or fewer
    (precision).

    Parameters
    ----------
    match
        Any run matched with the judgments; its own ranking does not count, its conventions do.
    spec
        A metric of rankings.
    queries : bool array (Q,)
        The queries that count; default all.

    Returns
    -------
    float
        NaN for metrics that judgments of documents do not decide, and where no query has a relevant document.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.metrics import parse_spec
    >>> truth = Truth.build("qrels", ["q"] * 4, ["a", "b", "c", "d"], [1] * 4)
    >>> best_possible(Match(Run.build("run", ["q"], ["x"]), truth), parse_spec("R@1"))
    0.25
    """
    values = best_possible_values(match, spec)
    values = values if queries is None else values[np.asarray(queries, bool)]
    return float(np.nanmean(values)) if np.isfinite(values).any() else math.nan


def best_possible_values(match: Match, spec: Spec) -> np.ndarray:
    """Return the value of a perfect ranking at each query: (Q,), NaN where undefined, and everywhere as there.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.metrics import parse_spec
    >>> truth = Truth.build("qrels", ["q", "p", "p"], ["a", "b", "c"], [1, 1, 1])
    >>> best_possible_values(Match(Run.build("run", ["q"], ["x"]), truth), parse_spec("R@1")).tolist()
    [1.0, 0.5]
    """
    truth = match.truth
    unknown = np.full(len(truth), np.nan)
    if match.matching.by != "id" or spec.metric.view != "Ranked" or spec.metric.aggregate != "mean":
        return unknown
    if not (truth.grades >= 1).any():
        return unknown
    try:
        return evaluate_match(match.perfect, [spec]).column(spec)
    except (InputError, Unavailable):
        return unknown
