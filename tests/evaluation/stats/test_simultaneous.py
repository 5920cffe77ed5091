"""Pairs of runs tested together: a case by hand, agreement with the randomization test, false alarms and coverage."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers import over

from ragdash.evaluation.stats import randomization_test, simultaneous, test_pairs

PAIRS = [(0, 1), (0, 2), (1, 2)]


def all_flips(values: np.ndarray, pairs) -> np.ndarray:
    """p of every pair by counting all flips, as the definition says."""
    differences = np.stack([values[:, first] - values[:, second] for first, second in pairs], axis=1)
    length = np.sqrt((differences**2).sum(axis=0))
    seen = np.abs(differences.sum(axis=0)) / length
    largest = [np.max(np.abs((differences * np.where(flip >> np.arange(len(values)) & 1,
                                                     1, -1)[:, None]).sum(axis=0)) / length)
               for flip in range(2 ** len(values))]
    return np.array([np.mean(np.array(largest) >= statistic - 1e-9) for statistic in seen])


def test_p_of_two_runs_by_hand():
    """Six differences of 0.1: two of 64 flips are as far from 0."""
    values = np.stack([np.full(6, 0.6), np.full(6, 0.5)], axis=1)
    tests = test_pairs(values, [(0, 1)])
    assert tests.p.tolist() == [2 / 64] and tests.low[0] == tests.high[0] == pytest.approx(0.1)


@over(seed=range(4))
def test_p_counts_the_flips_whose_largest_statistic_is_as_large(seed):
    values = np.random.default_rng(seed).random((9, 3)) + np.array([0.0, 0.1, 0.4])
    np.testing.assert_allclose(test_pairs(values, PAIRS).p, all_flips(values, PAIRS))


@pytest.mark.parametrize("n", [8, 40])
def test_a_pair_alone_is_the_randomization_test(n):
    values = np.random.default_rng(1).random((n, 2)) + np.array([0.0, 0.15])
    tests = test_pairs(values, [(0, 1)], permutations=3_000)
    assert tests.p[0] == tests.p_single[0] == randomization_test(values[:, :1] - values[:, 1:], permutations=3_000)[0]


def test_queries_that_only_some_runs_have_count_for_their_pairs():
    values = np.random.default_rng(2).random((9, 3)) + np.array([0.0, 0.2, 0.5])
    values[:3, 2] = np.nan
    tests = test_pairs(values, PAIRS)
    assert tests.n.tolist() == [9, 6, 6]
    filled = values.copy()
    zeros = np.isnan(values[:, 2])
    pairs = np.stack([values[:, 0] - values[:, 1], np.where(zeros, 0, values[:, 0] - filled[:, 2]),
                      np.where(zeros, 0, values[:, 1] - filled[:, 2])], axis=1)
    base = np.concatenate([np.nan_to_num(pairs), np.zeros((9, 1))], axis=1)
    np.testing.assert_allclose(tests.p, all_flips(base, [(0, 3), (1, 3), (2, 3)]))


def test_the_order_of_runs_and_of_a_pair_changes_nothing():
    values = np.random.default_rng(3).random((30, 3)) + np.array([0.0, 0.1, 0.2])
    there, back = test_pairs(values, PAIRS), test_pairs(values[:, ::-1], [(2, 1), (2, 0), (1, 0)])
    np.testing.assert_allclose(there.p, back.p)
    np.testing.assert_allclose(there.low, back.low)
    turned = test_pairs(values, [(second, first) for first, second in PAIRS])
    np.testing.assert_allclose(there.low, -turned.high)


def test_a_correction_only_raises_p_and_only_widens_intervals():
    values = np.random.default_rng(4).random((40, 6)) + np.linspace(0, 0.3, 6)
    pairs = list(combinations(range(6), 2))
    together, alone = test_pairs(values, pairs), test_pairs(values, pairs, corrected=False)
    assert (together.p >= alone.p).all() and (together.critical >= alone.critical).all()
    np.testing.assert_allclose(alone.p, together.p_single)


def test_intervals_exclude_0_exactly_where_p_is_below_alpha():
    rng = np.random.default_rng(5)
    for n in (4, 6, 9, 30):
        for _ in range(30):
            values = np.round(rng.random((n, 4)) * (rng.random((n, 4)) < 0.5), 1) + np.array([0, 0, 0.1, 0.3])
            tests = test_pairs(values, list(combinations(range(4), 2)), permutations=500)
            np.testing.assert_array_equal((tests.low > 0) | (tests.high < 0), tests.p < 0.05)


def test_false_alarms_stay_below_5_percent_and_all_intervals_hold_together_in_95():
    """600 samples of 40 queries and 5 runs without a difference: standard error 0.9 %, so 3 of them are allowed."""
    rng, pairs, alarms, holds = np.random.default_rng(6), list(combinations(range(5), 2)), 0, 0
    shift = np.array([0.0, 0.05, 0.1, 0.1, 0.2])
    for sample in range(600):
        values = rng.random((40, 1)) + 0.4 * rng.standard_normal((40, 5))
        alarms += (test_pairs(values, pairs, permutations=400, seed=sample).p < 0.05).any()
        tests = test_pairs(values + shift, pairs, permutations=400, seed=sample)
        true = np.array([shift[first] - shift[second] for first, second in pairs])
        holds += ((tests.low <= true) & (true <= tests.high)).all()
    assert alarms / 600 < 0.05 + 3 * 0.009
    assert holds / 600 > 0.95 - 3 * 0.009


def shares(wins: int, losses: int, ties: int) -> np.ndarray:
    """Values of two runs, 0 or 1; the first is better on this number of queries."""
    return np.array([[1.0, 0.0]] * wins + [[0.0, 1.0]] * losses + [[1.0, 1.0]] * ties)


def test_shares_have_the_interval_of_bonett_and_price():
    """6 wins, 2 losses, 17 ties: 4 / 27 -+ t(24) sqrt((10 / 27 - (4 / 27)^2) / 27), by hand."""
    tests = test_pairs(shares(6, 2, 17), [(0, 1)], binary=True)
    assert (tests.low[0], tests.high[0]) == pytest.approx((-0.0863069, 0.3826032), abs=1e-6)
    assert tests.p[0] == pytest.approx(0.2890625) and tests.critical[0] == pytest.approx(2.0638986)
    all_tie = test_pairs(shares(0, 0, 25), [(0, 1)], binary=True)
    assert all_tie.high[0] == -all_tie.low[0] == pytest.approx(2.0638986 * np.sqrt(2) / 27)


def test_intervals_of_shares_exclude_0_exactly_where_p_is_below_alpha():
    rng = np.random.default_rng(7)
    cases = [(shares(9, 2, 29), [(0, 1)]), (shares(6, 0, 1), [(0, 1)]), (shares(5, 0, 20), [(0, 1)])]
    cases += [((rng.random((n, 4)) < [0.5, 0.5, 0.6, 0.8]).astype(float), list(combinations(range(4), 2)))
              for n in (2, 6, 12, 30) for _ in range(20)]
    for values, pairs in cases:
        for corrected in (True, False):
            tests = test_pairs(values, pairs, permutations=300, binary=True, corrected=corrected)
            np.testing.assert_array_equal((tests.low > 0) | (tests.high < 0), tests.p < 0.05)
            assert (tests.low <= tests.mean).all() and (tests.mean <= tests.high).all()


def test_intervals_of_a_family_of_shares_hold_together_in_95():
    """600 samples of 30 queries, 4 runs, few queries that differ: standard error 0.9 %; -+ t misses every other one."""
    rng, pairs, holds = np.random.default_rng(8), list(combinations(range(4), 2)), {True: 0, False: 0}
    easy = 0.9 + np.array([0.0, 0.02, 0.04, 0.06])
    for sample in range(600):
        values = ((rng.random((30, 1)) < 0.9) ^ (rng.random((30, 4)) < 1 - easy)).astype(float)
        gaps = 0.8 * (easy[:, None] - easy)
        for binary in holds:
            tests = test_pairs(values, pairs, permutations=300, seed=sample, binary=binary)
            holds[binary] += all(low <= gaps[a, b] <= high for (a, b), low, high in
                                 zip(pairs, tests.low, tests.high, strict=True))
    assert holds[True] / 600 > 0.95 - 3 * 0.009 and holds[True] > holds[False] + 30


def test_an_infinite_critical_value_gives_no_limit_unless_all_differences_are_0():
    mean, error = np.array([0.0, 1.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.5, 0.1])
    low, high = simultaneous._limits(mean, error, np.array([np.inf, np.inf, np.inf, 2.0]))
    np.testing.assert_allclose(low, [0.0, -np.inf, -np.inf, 0.3])
    np.testing.assert_allclose(high, [0.0, np.inf, np.inf, 0.7])


@pytest.mark.parametrize(("flips", "extra", "alpha", "between", "edge"), [
    (99, 1, 0.05, False, 97.0),  # p of 97 is (3 + 1) / 100, of 96 it is 0.05
    (100, 0, 0.05, False, 97.0),  # p of 97 is 4 / 100
    (99, 1, 0.045, True, 96.5),  # halfway between p = 0.05 at 96 and p = 0.04 at 97
    (99, 1, 0.01, False, np.inf)])
def test_the_edge_is_the_smallest_statistic_whose_p_is_below_alpha(flips, extra, alpha, between, edge):
    assert simultaneous._edge(np.arange(1.0, flips + 1), 100, extra, alpha, between) == pytest.approx(edge)
