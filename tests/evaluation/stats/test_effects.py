"""Sizes of differences, what n queries can show, equivalence: against hand-worked cases, scipy and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special
from scipy import stats as reference
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from ragdash.evaluation import stats

pytestmark = pytest.mark.filterwarnings("error")

NAN, INF = math.nan, math.inf
quick = settings(max_examples=25, deadline=None, derandomize=True)


def column(*values) -> np.ndarray:
    return np.array(values, np.float64)[:, None]


def drawn(n: int, columns: int = 4) -> np.ndarray:
    rng = np.random.default_rng(n)
    values = rng.normal(0.02, 0.1, (n, columns))
    values[rng.random(values.shape) < 0.2 * (n > 9)] = NAN
    return values


def test_effect_size_by_hand_and_as_the_t_statistic_tells():
    assert stats.cohens_dz(column(1, 2, 3, NAN)) == pytest.approx([2.0], abs=1e-12)
    assert stats.cohens_dz(column(-1, -3)) == pytest.approx([-math.sqrt(2)], abs=1e-12)
    values = drawn(60)
    n = (~np.isnan(values)).sum(axis=0)
    np.testing.assert_allclose(stats.cohens_dz(values), stats.t_test(values)[0] / np.sqrt(n), rtol=1e-9)


@pytest.mark.parametrize("values", [[], [0.5], [NAN, 0.5], [0.0, 0.0, 0.0]])
def test_effect_size_that_is_none(values):
    """0 / 0 is no size: where no query differs there is no unit to measure in."""
    assert np.isnan(stats.cohens_dz(column(*values))).all()


@pytest.mark.parametrize("values, share", [([1, 2, -1, 0], 2.5 / 4), ([0, 0], 0.5), ([0.1, NAN, 7], 1.0),
                                           ([-1, -1, -1], 0.0), ([NAN, NAN], NAN), ([], NAN)])
def test_probability_of_superiority_by_hand(values, share):
    assert stats.superiority(column(*values)) == pytest.approx([share], nan_ok=True)


@quick
@given(values=st.lists(st.integers(-3, 3), min_size=2, max_size=30))
def test_one_sides_superiority_is_the_others_lack_of_it(values):
    values = column(*values)
    one, other = stats.superiority(values), stats.superiority(-values)
    assert one + other == pytest.approx([1]) and 0 <= one[0] <= 1
    np.testing.assert_allclose(stats.superiority(np.vstack([values, [[NAN]]])), one)


def power_of(effect: float, n: float, alpha: float) -> float:
    """P(|t| > critical) written out: over the distribution of the sd, the normal chance of a mean beyond it."""
    critical, shift, freedom = reference.t(n - 1).ppf(1 - alpha / 2), effect * math.sqrt(n), n - 1
    spread = reference.chi(freedom)
    at = critical / math.sqrt(freedom)
    beyond = integrate.quad(lambda x: spread.pdf(x) * (special.ndtr(shift - at * x) + special.ndtr(-shift - at * x)),
                            *spread.ppf([1e-15, 1 - 1e-15]), epsabs=1e-13, epsrel=1e-12, limit=500,
                            points=[min(max(shift / at, spread.ppf(1e-14)), spread.ppf(1 - 1e-14))])
    return beyond[0]


@pytest.mark.parametrize("power, alpha", [(0.8, 0.05), (0.9, 0.01), (0.5, 0.1)])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 12, 50, 400, 5000])
def test_the_difference_n_queries_can_show_is_shown_with_that_power(n, power, alpha):
    effect = stats.detectable_difference(1.0, n, power=power, alpha=alpha)
    assert power_of(effect, n, alpha) == pytest.approx(power, abs=1e-9)
    assert stats.detectable_difference(0.3, n, power=power, alpha=alpha) == pytest.approx(0.3 * effect, rel=1e-12)


@pytest.mark.parametrize("n", [3, 5, 12, 50, 400])
def test_the_difference_n_queries_can_show_is_that_of_statsmodels(n):
    """Its solver stops early for other powers and for a thousand queries; the test above does not hang on it."""
    effect = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8, alternative="two-sided")
    assert stats.detectable_difference(1.0, n) == pytest.approx(effect, rel=1e-6)


def test_the_difference_n_queries_can_show_is_shown_that_often():
    """2,000 experiments of 30 queries: their t tests succeed in 80 % of them, within four standard errors."""
    difference = stats.detectable_difference(0.2, 30)
    experiments = np.random.default_rng(4).normal(difference, 0.2, (30, 2000))
    shown = (stats.t_test(experiments)[1] < 0.05).mean()
    assert shown == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / 2000))


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_queries_can_show_nothing(n):
    assert np.isnan(stats.detectable_difference(0.2, n)) and np.isnan(stats.detectable_difference(NAN, 20))


@pytest.mark.parametrize("power, alpha", [(0.8, 0.05), (0.9, 0.01)])
@pytest.mark.parametrize("effect", [0.02, 0.05, 0.2, 0.5, 1.0, 1.5])
def test_the_queries_a_difference_needs_are_those_of_statsmodels(effect, power, alpha):
    needed = TTestPower().solve_power(effect_size=effect, alpha=alpha, power=power, alternative="two-sided")
    for sign in (1, -1):
        ours = stats.queries_needed(sign * 0.25 * effect, 0.25, power=power, alpha=alpha)
        assert ours == pytest.approx(needed, rel=1e-6)
        assert power_of(effect, ours, alpha) == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize("power, alpha", [(0.8, 0.05), (0.9, 0.01)])
@pytest.mark.parametrize("effect", [2.0, 3.0, 4.0])
def test_the_queries_a_large_difference_needs_have_the_power(effect, power, alpha):
    assert power_of(effect, stats.queries_needed(effect, 1.0, power=power, alpha=alpha), alpha) == pytest.approx(power)


def test_the_queries_no_difference_needs():
    assert stats.queries_needed(0.0, 0.2) == INF
    assert np.isnan(stats.queries_needed(NAN, 0.2)) and np.isnan(stats.queries_needed(0.1, NAN))


@quick
@given(n=st.integers(4, 3000), sd=st.floats(0.01, 10))
def test_needed_and_detectable_are_each_others_inverse(n, sd):
    assert stats.queries_needed(stats.detectable_difference(sd, n), sd) == pytest.approx(n, rel=1e-5)


@pytest.mark.parametrize("n", [5, 30, 400])
@pytest.mark.parametrize("margin", [0.005, 0.05, 0.3])
def test_equivalence_is_that_of_statsmodels(n, margin):
    values = drawn(n)
    theirs = [ttost_paired(one, np.zeros_like(one), -margin, margin)[0]
              for one in (values[:, i][~np.isnan(values[:, i])] for i in range(4))]
    np.testing.assert_allclose(stats.equivalence(values, margin), theirs, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 30, 400])
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.3])
def test_noninferiority_is_the_one_sided_t_test_of_scipy(n, margin):
    values = drawn(n)
    theirs = reference.ttest_1samp(values, -margin, alternative="greater", nan_policy="omit").pvalue
    np.testing.assert_allclose(stats.noninferiority(values, margin), np.asarray(theirs), rtol=1e-9)


def test_equivalence_and_noninferiority_by_hand():
    """Differences 1, 2, 3 and a margin of 4: t = 2 sqrt(3) above and 6 sqrt(3) below, two degrees of freedom."""
    above, below = (0.5 - t / math.sqrt(2 + t * t) / 2 for t in (2 * math.sqrt(3), 6 * math.sqrt(3)))
    assert stats.equivalence(column(1, 2, 3), 4) == pytest.approx([above], rel=1e-9)
    assert stats.noninferiority(column(1, 2, 3), 4) == pytest.approx([below], rel=1e-9)
    assert stats.noninferiority(column(-1, -2, -3), 4) == pytest.approx([above], rel=1e-9)


@pytest.mark.parametrize("p", [stats.equivalence, stats.noninferiority])
def test_margins_where_nothing_varies_or_too_little_is_there(p):
    assert p(column(0.1, 0.2, 0.1), 1e308).tolist() == [0.0], "without a warning of NumPy"
    assert np.isnan(p(np.array([[0.1, NAN], [NAN, NAN]]), 0.05)).all() and np.isnan(p(np.zeros((1, 1)), 0.05)).all()
    assert p(np.zeros((9, 1)), 0.05).tolist() == [0.0], "runs that never differ are equivalent"
    assert p(np.full((9, 1), -0.5), 0.25).tolist() == [1.0], "always worse by more than the margin"


@quick
@given(values=st.lists(st.integers(-20, 20), min_size=3, max_size=20), margin=st.sampled_from([0.5, 2.0, 8.0]))
def test_equivalence_is_noninferiority_both_ways_and_easier_with_a_wider_margin(values, margin):
    values = column(*values)
    both = np.maximum(stats.noninferiority(values, margin), stats.noninferiority(-values, margin))
    np.testing.assert_allclose(stats.equivalence(values, margin), both, atol=1e-12)
    assert (stats.equivalence(values, 2 * margin) <= both + 1e-12).all() and 0 <= both[0] <= 1


def test_influence_is_the_change_of_the_mean_if_a_query_is_left_out():
    np.testing.assert_allclose(stats.influence(np.array([1.0, 2.0, 6.0, NAN])), [1.0, 0.5, -1.5, NAN])
    values = drawn(40)[:, 0]
    expected = [NAN if np.isnan(values[i]) else np.nanmean(np.delete(values, i)) - np.nanmean(values)
                for i in range(40)]
    np.testing.assert_allclose(stats.influence(values), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("values", [[], [0.5], [NAN, 0.5], [NAN, NAN]])
def test_influence_needs_two_queries(values):
    found = stats.influence(np.array(values, np.float64))
    assert found.shape == (len(values),) and np.isnan(found).all()
