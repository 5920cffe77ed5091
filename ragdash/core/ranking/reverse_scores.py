"""Rank a run by the negatives of its scores: the fix for distances that were read as similarities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ragdash.core.ids.normalization import rebuilt
from ragdash.core.records import Run

DISTANCES = "distances"  # the setting `scores` of a run whose scores were distances in its file


def reverse_scores(run: Run) -> Run:
    """The run with the sign of every score changed, so that the smallest distance is ranked first.

    Parameters
    ----------
    run
        A run with scores; one without is returned as it is. A run that is ranked by the ranks of its file keeps its
        order.

    Returns
    -------
    Run
        With `scores: reversed` among its settings.

    Examples
    --------
    >>> run = Run.build("distances", ["q", "q"], ["near", "far"], [0.1, 0.9])
    >>> run.docs.take(reverse_scores(run).order if reverse_scores(run).order is not None else [0, 1]).to_pylist()
    ['near', 'far']
    """
    if run.scores is None:
        return run
    return rebuilt(replace(run, scores=np.negative(run.scores)), note={"scores": "reversed"})
