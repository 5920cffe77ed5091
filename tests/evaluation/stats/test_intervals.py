"""Bootstrap intervals of each method against scipy and against the definitions written out.

Ends are held to four standard errors of the difference of two simulations (see `noise`).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from ragdash.evaluation import stats
from ragdash.evaluation.stats import bootstrap

pytestmark = pytest.mark.filterwarnings("error")

NAN = math.nan
MANY = 20_000
METHODS = stats.METHODS
every_method = pytest.mark.parametrize("method", METHODS)


def sample(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return {"normal": rng.normal(size=n), "exponential": rng.exponential(size=n), "left": -rng.exponential(size=n) ** 2,
            "reciprocal ranks": 1 / rng.integers(1, 6, n)}[kind]


def resampled(values: np.ndarray, seed: int = 23) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard error of each of MANY resamples."""
    draws = values[np.random.default_rng(seed).integers(0, len(values), (MANY, len(values)))]
    return draws.mean(axis=1), draws.std(axis=1, ddof=1) / math.sqrt(len(values))


def written_out(values: np.ndarray, method: str, level: float) -> tuple[float, float]:
    """The interval as its source defines it; that of t, which knows no bounds, ends at the values seen."""
    n, tail = len(values), (1 - level) / 2
    means, errors = resampled(values)
    mean, normal = values.mean(), reference.norm
    if method == "t":  # Efron & Tibshirani 1993, section 12.5
        upper, lower = np.quantile((means - mean) / errors, [1 - tail, tail])
        error = values.std(ddof=1) / math.sqrt(n)
        return tuple(np.clip([mean - upper * error, mean - lower * error], values.min(), values.max()))
    if method == "bca":  # section 14.3
        left_out = (values.sum() - values) / (n - 1)
        away = left_out.mean() - left_out
        acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
        bias = normal.ppf(((means < mean).mean() + (means <= mean).mean()) / 2)
        shifted = bias + normal.ppf([tail, 1 - tail])
        tails = normal.cdf(bias + shifted / (1 - acceleration * shifted))
    elif method == "expanded":  # Hesterberg 2015, section 5.3
        tail = normal.cdf(math.sqrt(n / (n - 1)) * reference.t(n - 1).ppf(tail))
        tails = tail, 1 - tail
    else:
        tails = tail, 1 - tail
    return tuple(np.quantile(means, tails))


def noise(values: np.ndarray, level: float, method: str) -> float:
    """Four standard errors of two simulated ends' difference, doubled where the tails come from the simulation too.

    A quantile far out is noisier: a third more for what the acceleration or a heavy tail moves it outwards.
    """
    tail = (1 - level) / 2
    error = math.sqrt(2 * tail * (1 - tail) / MANY) / reference.norm.pdf(reference.norm.ppf(tail))
    wider = {"percentile": 1.34, "expanded": 1.34, "bca": 2.67, "t": 2.67}[method]
    return 4 * wider * error * values.std() / math.sqrt(len(values))


@every_method
@pytest.mark.parametrize("kind", ["normal", "exponential", "left", "reciprocal ranks"])
@pytest.mark.parametrize("n", [12, 50])
def test_ends_are_those_of_the_definition(kind, n, method):
    values = sample(kind, n)
    for level in (0.8, 0.95):
        low, high = stats.bootstrap_intervals(values[:, None], level=level, method=method, resamples=MANY)
        expected = written_out(values, method, level)
        assert (low[0], high[0]) == pytest.approx(expected, abs=noise(values, level, method) + 1e-6)


@pytest.mark.parametrize("method, theirs", [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("kind", ["normal", "exponential", "left"])
def test_ends_are_those_of_scipy(kind, method, theirs):
    values = sample(kind, 40)
    found = reference.bootstrap((values,), np.mean, n_resamples=MANY, method=theirs, rng=np.random.default_rng(5))
    low, high = stats.bootstrap_intervals(values[:, None], method=method, resamples=MANY)
    assert (low[0], high[0]) == pytest.approx(tuple(found.confidence_interval), abs=noise(values, 0.95, method))


def test_the_corrections_show():
    """Of a skewed sample BCa reaches further out on the side of the tail; expanded ends lie outside plain ones."""
    values = sample("exponential", 30)[:, None]
    (low, high), bca, wide = (np.hstack(stats.bootstrap_intervals(values, method=method, resamples=MANY))
                              for method in ("percentile", "bca", "expanded"))
    assert bca[0] > low and bca[1] > high
    assert wide[0] < low and wide[1] > high


@every_method
def test_columns_that_are_shifted_scaled_or_turned_have_intervals_that_are(method):
    values = sample("reciprocal ranks", 60)
    low, high = stats.bootstrap_intervals(np.column_stack([values, values + 3, 2 * values, -values]), method=method)
    assert (low[1] - 3, high[1] - 3) == pytest.approx((low[0], high[0]), abs=2e-4)
    assert (low[2] / 2, high[2] / 2) == pytest.approx((low[0], high[0]), abs=1e-5)
    assert (-high[3], -low[3]) == pytest.approx((low[0], high[0]), abs=2e-4)


@every_method
def test_undefined_queries_drop_out_and_columns_do_not_meet(method):
    rng = np.random.default_rng(3)
    values = sample("exponential", 100)
    holes = np.where(rng.random(100) < 0.5, NAN, values)
    low, high = stats.bootstrap_intervals(np.column_stack([values, holes, np.full(100, NAN)]), method=method)
    left = holes[~np.isnan(holes)]
    expected = written_out(left, method, 0.95)
    assert (low[1], high[1]) == pytest.approx(expected, abs=2.5 * noise(left, 0.95, method)), "10,000 resamples here"
    assert np.isnan([low[2], high[2]]).all()
    for i, column in enumerate((values, holes)):
        alone = np.hstack(stats.bootstrap_intervals(column[:, None], method=method))
        assert alone == pytest.approx([low[i], high[i]], rel=1e-5)


@every_method
@pytest.mark.parametrize("column", [[NAN] * 5, [0.5, NAN, NAN, NAN, NAN], [0.5], []])
def test_fewer_than_two_defined_values_have_no_interval(column, method):
    low, high = stats.bootstrap_intervals(np.array(column, np.float64)[:, None], resamples=300, method=method)
    assert low.shape == high.shape == (1,) and np.isnan([low, high]).all()


@every_method
@pytest.mark.parametrize("column", [[0.25] * 5, [0.3] * 40, [1.0, 1.0, NAN]])
def test_values_that_do_not_vary_have_an_interval_without_width(column, method):
    low, high = stats.bootstrap_intervals(np.array(column)[:, None], resamples=300, method=method)
    assert (low[0], high[0]) == pytest.approx((column[0],) * 2, abs=1e-6)


@every_method
@pytest.mark.parametrize("column", [[0.5, 1.0], [0.0, 0.0, 1.0], [0.0] * 9 + [1.0], [1.0] * 49 + [0.0]])
def test_few_values_have_an_ordered_interval_around_the_mean(column, method):
    low, high = stats.bootstrap_intervals(np.array(column)[:, None], resamples=2000, method=method)
    assert low[0] - 1e-6 <= np.mean(column) <= high[0] + 1e-6 and np.isfinite([low, high]).all()


@pytest.mark.parametrize("method", [*METHODS, None])
@settings(max_examples=30, deadline=None, derandomize=True)
@given(values=st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=2, max_size=40))
def test_an_interval_does_not_leave_the_range_of_the_values(method, values):
    """None: the default."""
    options = {"method": method} if method else {}
    low, high = stats.bootstrap_intervals(np.array(values)[:, None], resamples=400, **options)
    assert min(values) - 1e-6 <= low[0] <= high[0] <= max(values) + 1e-6


@every_method
def test_the_seed_and_the_weights_decide(method):
    values = np.column_stack([sample("exponential", 80), sample("normal", 80)])
    first, again, other = (np.array(stats.bootstrap_intervals(values, seed=seed, resamples=2000, method=method))
                           for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
    weights = stats.resample_weights(80, resamples=2000, seed=4)
    given_weights = stats.bootstrap_intervals(values, seed=4, resamples=2000, method=method, weights=weights)
    np.testing.assert_array_equal(np.array(given_weights), first)


@every_method
def test_a_higher_level_is_wider(method):
    values = sample("exponential", 50)[:, None]
    lows, highs = zip(*(stats.bootstrap_intervals(values, level=level, method=method)
                        for level in (0.5, 0.8, 0.95, 0.99)), strict=True)
    assert (np.diff(np.ravel(lows)) < 0).all() and (np.diff(np.ravel(highs)) > 0).all()


def test_the_default_is_a_method_that_can_be_named():
    values = sample("reciprocal ranks", 70)[:, None]
    np.testing.assert_array_equal(stats.bootstrap_intervals(values),
                                  stats.bootstrap_intervals(values, method=stats.METHOD))
    with pytest.raises((ValueError, KeyError)):
        stats.bootstrap_intervals(values, method="no such")


def test_the_default_covers_skewed_values_of_fifty_queries():
    """A small edition of benchmarks/calibration.py: 1,000 samples, 93 to 97 % less three standard errors."""
    values = np.random.default_rng(8).exponential(size=(50, 1000))
    low, high = stats.bootstrap_intervals(values, resamples=2000)
    covered = ((low <= 1) & (high >= 1)).mean()
    assert 0.93 - 3 * math.sqrt(0.93 * 0.07 / 1000) <= covered <= 0.97


def test_the_default_is_as_wide_as_students_interval_where_values_are_normal():
    """What the plain percentiles are not: theirs is narrower by sqrt((n - 1) / n) and by normal for t quantiles."""
    values = np.random.default_rng(2).normal(size=(20, 400))
    low, high = stats.bootstrap_intervals(values, resamples=4000)
    student = 2 * reference.t(19).ppf(0.975) * values.std(axis=0, ddof=1) / math.sqrt(20)
    assert ((high - low) / student).mean() == pytest.approx(1, abs=0.015)
    plain = np.subtract(*stats.bootstrap_intervals(values, resamples=4000, method="percentile")[::-1])
    assert (plain / student).mean() < 0.93


def test_quantiles_of_draws_lie_between_two_draws_and_leave_out_what_is_undefined():
    rng = np.random.default_rng(3)
    draws = rng.normal(size=(6, 41))
    draws[2, ::3], draws[3, 1:], draws[4] = np.nan, np.nan, np.nan
    shares = rng.random((2, 6))
    shares[0, 0], shares[1, 0], shares[1, 5] = 0.0, 1.0, np.nan
    for ends, share in zip(bootstrap._quantiles(draws, *shares), shares, strict=True):
        for end, row, quantile in zip(ends, draws, share, strict=True):
            defined = row[~np.isnan(row)]
            expected = np.quantile(defined, quantile) if len(defined) and not np.isnan(quantile) else np.nan
            assert end == pytest.approx(expected, nan_ok=True)


def test_two_values_have_an_interval_between_them():
    low, high = stats.bootstrap_intervals(np.array([[0.2], [0.6]]), method="percentile")
    assert (low[0], high[0]) == pytest.approx((0.2, 0.6)), "a quarter of the draws is each of them twice"
