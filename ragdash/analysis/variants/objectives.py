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
    defined = ~np.isnan(good).any(axis=1)
    no_worse = (good[:, None] >= good[None]).all(axis=2)  # [a, b]: a is at least as good as b in every aim
    beats = no_worse & (good[:, None] > good[None]).any(axis=2) & defined[:, None]
    return defined & ~beats.any(axis=0)
