"""Repeats of one configuration: the mean over repeats of each query, before any mean over queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragdash.evaluation.evaluate import Evaluation


def mean_over_repeats(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One evaluation with the mean over repeats of every query and metric.

    Parameters
    ----------
    evaluations
        Repeats of one configuration with the same queries and metrics, under the same settings.

    Returns
    -------
    Evaluation
        Named as the first. A value is the mean of the repeats where it is defined. Counts are those of the repeat
        that lacks most queries. Values of a whole corpus are left out: they are no means over queries.

    Examples
    --------
    >>> from ragdash import evaluate
    >>> truth = {"q1": ["a"], "q2": ["b"]}
    >>> repeats = [evaluate({"q1": ["a"], "q2": documents}, truth, "RR") for documents in (["b"], ["x", "b"])]
    >>> mean_over_repeats(repeats).column("RR").tolist()
    [1.0, 0.75]
    """
    first = evaluations[0]
    if len(evaluations) == 1:
        return first
    stacked = np.stack([evaluation.values for evaluation in evaluations])
    defined = ~np.isnan(stacked)
    n = defined.sum(axis=0)
    values = np.divide(np.where(defined, stacked, 0.0).sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    values.setflags(write=False)
    problems = dict.fromkeys(problem for evaluation in evaluations for problem in evaluation.problems)
    counts = max((evaluation.counts for evaluation in evaluations), key=lambda counts: counts["missing"])
    return replace(first, values=values, counts=counts, problems=tuple(problems), corpus={})
