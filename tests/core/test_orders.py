"""Where the order of runs changes as a threshold moves."""

from __future__ import annotations

import numpy as np
from helpers import over

from ragdash.analysis.score_thresholds import OrderChange, order_changes

T = np.array([0.5, 0.6, 0.7, 0.8])


def test_nobody_passes_anybody():
    assert order_changes(np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.4, 0.3, 0.2]]), T) == ((0, 1), [])


def test_a_run_passes_another_where_it_is_greater_for_the_first_time():
    means = np.array([[0.9, 0.8, 0.5, 0.4], [0.7, 0.7, 0.7, 0.7], [0.1, 0.1, 0.6, 0.1]])
    first, changes = order_changes(means, T)
    assert first == (0, 1, 2)
    assert changes == [OrderChange(0.6, 0.7, ((1, 0), (2, 0)), (1, 2, 0)), OrderChange(0.7, 0.8, ((0, 2),), (1, 0, 2))]


def test_coming_level_changes_nothing_and_passing_after_that_does():
    means = np.array([[0.9, 0.5, 0.5, 0.4], [0.7, 0.5, 0.5 + 1e-15, 0.5]])
    assert order_changes(means, T) == ((0, 1), [OrderChange(0.7, 0.8, ((1, 0),), (1, 0))])


def test_lower_is_better_turns_it_round():
    means = np.array([[1.0, 1.0, 3.0, 3.0], [2.0, 2.0, 2.0, 2.0]])
    assert order_changes(means, T, "lower") == ((0, 1), [OrderChange(0.6, 0.7, ((1, 0),), (1, 0))])
    assert order_changes(means, T, "higher") == ((1, 0), [OrderChange(0.6, 0.7, ((0, 1),), (0, 1))])


def test_the_undefined_stand_last_and_one_run_has_no_order():
    means = np.array([[np.nan, np.nan, 0.5, np.nan], [0.1, 0.1, 0.1, 0.1]])
    first, changes = order_changes(means, T)
    assert first == (1, 0) and [change.order for change in changes] == [(0, 1), (1, 0)]
    assert order_changes(np.array([[0.1, 0.2, 0.3, 0.4]]), T) == ((0,), [])
    assert order_changes(np.zeros((2, 0)), np.zeros(0)) == ((0, 1), [])


@over(seed=range(5))
def test_walking_the_changes_ends_at_the_order_that_sorting_gives(seed):
    means = np.random.default_rng(seed).random((6, 30))
    first, changes = order_changes(means, np.linspace(0.5, 1, 30))
    assert list(first) == np.argsort(-means[:, 0]).tolist()
    last = changes[-1].order if changes else first
    assert list(last) == np.argsort(-means[:, -1]).tolist()
