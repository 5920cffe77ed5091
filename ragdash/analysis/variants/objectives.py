"""The best compromises of several aims, such as quality, latency and cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def best_compromises(values: np.ndarray, better: Sequence[str]) -> np.ndarray:
    """Runs that no other run beats: none is at least as good in every aim, and better in one.

    Parameters
    ----------
    values : array (R, A)
        The mean of each run in each aim.
    better
        "higher" or "lower", for each aim.

    Returns
    -------
    array of bool (R,)
        A run of which an aim is NaN is never among them, and beats none.

    Examples
    --------
    >>> aims = [[0.9, 30.0, 0.02], [0.8, 10.0, 0.01], [0.8, 12.0, 0.03], [0.7, 20.0, 0.005], [np.nan, 1.0, 0.0]]
    >>> best_compromises(np.array(aims), ["higher", "lower", "lower"]).tolist()
    [True, True, False, True, False]
    """
    values = np.asarray(values, float)
    good = values * np.array([-1.0 if end == "lower" else 1.0 for end in better])
    defined = np.flatnonzero(~np.isnan(good).any(axis=1))
    order = defined[np.lexsort(-good[defined].T[::-1])]  # what beats a run comes before it
    best, front = np.zeros(len(good), bool), np.empty((len(order), good.shape[1]))
    for run in order:
        known = front[:int(best.sum())]
        if not ((known >= good[run]).all(axis=1) & (known > good[run]).any(axis=1)).any():
            front[len(known)] = good[run]
            best[run] = True
    return best
