"""Where the order of runs changes as a threshold moves.

Letters: N runs, T thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EQUAL = 1e-12


@dataclass(frozen=True)
class OrderChange:
    """From `threshold` (the threshold before was `before`) the order of the runs is another one.

    passed: (a, b) for each run a that has moved before b; order: all runs from there on, best first.
    """

    before: float
    threshold: float
    passed: tuple[tuple[int, int], ...]
    order: tuple[int, ...]


def order_changes(means: np.ndarray, thresholds: np.ndarray, better: str | None = "higher") -> tuple[
        tuple[int, ...], list[OrderChange]]:
    """Find the thresholds at which the order of the runs changes.

    Parameters
    ----------
    means
        (N, T) of N runs at T thresholds. NaN is last.
    thresholds
        (T,) ascending.
    better : {"higher", "lower", None}
        "lower" reverses the order.

    Returns
    -------
    order : tuple of int
        At the first threshold, best first.
    changes : list of OrderChange
        Runs with equal means keep their order: only passing changes it.

    Examples
    --------
    >>> first, changes = order_changes(np.array([[0.6, 0.5], [0.5, 0.7]]), np.array([0.5, 0.8]))
    >>> first, changes[0].threshold, changes[0].order
    ((0, 1), 0.8, (1, 0))
    """
    ranked = np.where(np.isnan(means), -np.inf, -means if better == "lower" else means)
    order = tuple(_sorted_runs(ranked[:, 0], range(len(ranked)))) if ranked.shape[1] else tuple(range(len(ranked)))
    first, changes = order, []
    for t in range(1, ranked.shape[1]):
        new = tuple(_sorted_runs(ranked[:, t], order))
        if new != order:
            position_of = {run: position for position, run in enumerate(new)}
            passed = tuple((order[j], order[i]) for i in range(len(order)) for j in range(i + 1, len(order))
                           if position_of[order[j]] < position_of[order[i]])
            changes.append(OrderChange(float(thresholds[t - 1]), float(thresholds[t]), passed, new))
            order = new
    return first, changes


def _sorted_runs(values: np.ndarray, order) -> list[int]:
    """The runs by falling value; one goes past the one before it only where it is greater by more than nothing."""
    placed: list[int] = []
    for run in order:
        position = len(placed)
        while position and values[run] > values[placed[position - 1]] + EQUAL:
            position -= 1
        placed.insert(position, run)
    return placed
