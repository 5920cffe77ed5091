"""Intervals against scipy, against a bootstrap written out, and against exact probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import run_of, truth_of
from scipy import stats as scipy_stats

from ragdash.core import arrow_columns
from ragdash.evaluation import stats
from ragdash.evaluation.evaluate import evaluate, summaries

pytestmark = pytest.mark.filterwarnings("error")

NAN = math.nan


def sample(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return {"reciprocal ranks": 1 / rng.integers(1, 6, n), "hits": (rng.random(n) < 0.3) * 1.0,
            "skewed": rng.exponential(size=n) ** 2, "constant": np.full(n, 0.25)}[kind]


def written_out(values: np.ndarray, resamples: int = 10_000) -> np.ndarray:
    """Means of the bootstrap as it is told: draw queries with replacement, average the defined values."""
    rng = np.random.default_rng(11)
    draws = values[rng.integers(0, len(values), (resamples, len(values)))]
    counts = (~np.isnan(draws)).sum(axis=1)
    return np.nansum(draws, axis=1)[counts > 0] / counts[counts > 0]


def ends(means: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    return tuple(np.quantile(means, [(1 - level) / 2, (1 + level) / 2]))


def noise(values: np.ndarray, level: float = 0.95) -> float:
    """Five standard errors of the difference of two simulated ends; at least a step, where means come in steps."""
    values, tail = values[~np.isnan(values)], (1 - level) / 2
    density = scipy_stats.norm.pdf(scipy_stats.norm.ppf(tail))
    error = math.sqrt(2 * tail * (1 - tail) / 10_000) / density * values.std() / math.sqrt(len(values))
    return max(5 * error, 1.01 / len(values) * (len(set(values)) < 10)) + 1e-6


@pytest.mark.parametrize("n", [5, 50, 200])
@pytest.mark.parametrize("kind", ["reciprocal ranks", "hits", "skewed", "constant"])
def test_intervals_are_those_of_scipy_and_of_the_bootstrap_written_out(kind, n):
    values = sample(kind, n)
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=10_000, method="percentile",
                                   rng=np.random.default_rng(5)).bootstrap_distribution
    told = written_out(values)
    for level in (0.8, 0.95, 0.99):
        low, high = stats.bootstrap_intervals(values[:, None], level=level, method="percentile")
        assert (low[0], high[0]) == pytest.approx(ends(told, level), abs=noise(values, level))
        assert (low[0], high[0]) == pytest.approx(ends(theirs, level), abs=noise(values, level))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_undefined_queries_drop_out_of_their_columns_resamples(share):
    values = sample("reciprocal ranks", 200)
    holes = np.where(np.random.default_rng(3).random(200) < share, NAN, values)
    low, high = stats.bootstrap_intervals(np.column_stack([values, holes]), method="percentile")
    assert (low[1], high[1]) == pytest.approx(ends(written_out(holes)), abs=noise(holes))
    alone = stats.bootstrap_intervals(values[:, None], method="percentile")
    assert (low[0], high[0]) == (alone[0][0], alone[1][0]), "another column's holes are no matter of this one"


@pytest.mark.parametrize("column, finite", [
    ([NAN] * 5, False), ([0.5, NAN, NAN, NAN, NAN], False), ([0.5, NAN, NAN, NAN, 1.0], True), ([0.5] * 5, True),
], ids=["none", "one", "two", "all"])
def test_fewer_than_two_defined_values_have_no_interval(column, finite):
    low, high = stats.bootstrap_intervals(np.array(column)[:, None], resamples=500)
    assert np.isfinite([low[0], high[0]]).all() == finite
    assert not finite or np.nanmin(column) - 1e-6 <= low[0] <= high[0] <= np.nanmax(column) + 1e-6


@pytest.mark.parametrize("n", [0, 1])
def test_no_query_or_one_has_no_interval(n):
    low, high = stats.bootstrap_intervals(np.ones((n, 3)))
    assert np.isnan(low).all() and np.isnan(high).all() and len(low) == len(high) == 3


def test_the_seed_decides():
    values = np.column_stack([sample("skewed", 80), sample("reciprocal ranks", 80)])
    first, again, other = (stats.bootstrap_intervals(values, seed=seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert (np.array(first) != np.array(other)).all()


@pytest.mark.parametrize("rows", [0, 1, 30])
def test_many_columns_are_resampled_in_groups_and_as_all_at_once(rows, monkeypatch):
    values = np.random.default_rng(3).random((rows, 50))
    whole = stats.bootstrap_intervals(values, resamples=200)
    monkeypatch.setattr(stats.bootstrap, "_SERIES", 7)
    np.testing.assert_allclose(stats.bootstrap_intervals(values, resamples=200), whole, rtol=1e-6)


def test_resamples_do_not_depend_on_other_columns_or_blocks(monkeypatch):
    values = np.column_stack([sample("skewed", 300), sample("hits", 300), sample("reciprocal ranks", 300)])
    together = np.array(stats.bootstrap_intervals(values, resamples=3000))
    alone = np.hstack([stats.bootstrap_intervals(column[:, None], resamples=3000) for column in values.T])
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    monkeypatch.setattr(arrow_columns, "on_all_cores", lambda work, parts: [work(part) for part in parts])
    monkeypatch.setattr(stats.bootstrap, "on_all_cores", lambda work, parts: [work(part) for part in parts])
    np.testing.assert_array_equal(np.array(stats.bootstrap_intervals(values, resamples=3000)), together)


def test_all_columns_share_the_draw_so_that_differences_are_paired():
    """A column that is another one shifted or scaled has its interval shifted or scaled: draws apart would not."""
    values = sample("reciprocal ranks", 120)
    low, high = stats.bootstrap_intervals(np.column_stack([values, values + 3, 2 * values, -values]))
    assert (low[1] - 3, high[1] - 3) == pytest.approx((low[0], high[0]), abs=1e-5)
    assert (low[2] / 2, high[2] / 2) == pytest.approx((low[0], high[0]), abs=1e-5)
    assert (-high[3], -low[3]) == pytest.approx((low[0], high[0]), abs=1e-5)


def test_a_resample_draws_as_many_queries_as_there_are():
    n = 50
    sums = stats.resampled_sums(np.column_stack([np.ones(n), np.arange(n)]), resamples=4000)
    assert sums.shape == (4000, 2) and (sums[:, 0] == n).all()
    assert sums[:, 1].mean() == pytest.approx(n * (n - 1) / 2, rel=0.01)
    assert sums[:, 1].std() == pytest.approx(np.arange(n).std() * math.sqrt(n), rel=0.05)


def test_sums_of_a_column_are_exact_whatever_columns_are_next_to_it():
    columns = np.random.default_rng(5).random((110, 6)) - 0.5
    weights, sums = stats.resample_weights(110, resamples=500), stats.resampled_sums(columns, resamples=500)
    for column, expected in zip(columns.T, sums.T, strict=True):
        assert (stats.resampled_sums(column[:, None], resamples=500)[:, 0] == expected).all()
        exact = [math.fsum(np.repeat(column, row)) for row in weights]
        np.testing.assert_allclose(expected, np.float32(exact), rtol=1.2e-7, atol=1e-12)


def test_each_query_is_drawn_as_often_as_chance_has_it():
    n, resamples = 20, 5000
    weights = stats.resampled_sums(np.eye(n), resamples=resamples)
    assert weights.sum() == n * resamples
    counts = np.bincount(weights.astype(int).ravel(), minlength=8)[:8] / weights.size
    expected = scipy_stats.binom(n, 1 / n).pmf(range(8))
    np.testing.assert_allclose(counts, expected, atol=0.01)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.08)


def test_ninety_five_of_a_hundred_intervals_hold_the_true_mean():
    rng = np.random.default_rng(1)
    low, high = stats.bootstrap_intervals(rng.random((60, 1500)), resamples=1000)
    assert ((low <= 0.5) & (high >= 0.5)).mean() == pytest.approx(0.94, abs=0.025)  # of 60 values, a little below 0.95


@pytest.mark.parametrize(("n", "share"), [(20, 0.95), (50, 0.98), (50, 0.01), (200, 0.995)])
def test_intervals_hold_shares_near_their_limits(n, share):
    """In a third to two thirds of these samples all values are the same: no resample differs from the mean."""
    values = (np.random.default_rng(n).random((n, 1000)) < share).astype(float)
    limits = np.tile([0.0, 1.0], (1000, 1))
    low, high = stats.bootstrap_intervals(values, resamples=1000, limits=limits)
    without_low, without_high = stats.bootstrap_intervals(values, resamples=1000)
    assert ((low <= share) & (high >= share)).mean() >= 0.94
    assert ((without_low <= share) & (without_high >= share)).mean() < 0.75
    spread = values.min(axis=0) < values.max(axis=0)
    assert np.array_equal(low[spread], without_low[spread]) and np.array_equal(high[spread], without_high[spread])


def test_equal_values_leave_room_up_to_the_limits():
    """Of 20 equal values, 1 - 0.025 ** (1 / 20) = 0.168 of all may have another value; at the 99% level 0.233."""
    values = np.column_stack([np.full(20, value) for value in (1.0, 0.0, 0.25, 7.0, 1.0)])
    values[1:, 4] = np.nan
    limits = np.array([[0, 1], [0, 1], [0, 1], [0, np.inf], [0, 1]], float)
    low, high = stats.bootstrap_intervals(values, limits=limits)
    share = 1 - 0.025 ** (1 / 20)
    np.testing.assert_allclose(low, [1 - share, 0, 0.25 * (1 - share), 7 * (1 - share), np.nan])
    np.testing.assert_allclose(high, [1, share, 0.25 + 0.75 * share, 7, np.nan])
    assert stats.bootstrap_intervals(values, limits=limits, level=0.99)[0][0] == pytest.approx(0.005 ** (1 / 20))


def test_a_mean_that_every_query_shares_has_an_interval():
    """The mean of logarithms and a metric without a highest value have no limits there."""
    queries = [f"q{number}" for number in range(20)]
    evaluation = evaluate(run_of({query: ["a"] for query in queries}), truth_of({query: ["a"] for query in queries}),
                          "Success@1 RR MeanRank gm_map")
    found = {str(summary.spec): (summary.low, summary.high) for summary in evaluation.summary()}
    assert found["Success@1"] == found["RR"] == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert found["MeanRank"] == (1.0, 1.0) and found["GMAP"] == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [6, 7, 8, 9, 10, 15, 30, 31, 100, 1001])
def test_the_interval_of_the_median_is_the_narrowest_that_covers(n, level):
    """Between the order statistics l and u the median lies with the probability that l..u-1 of n values are below."""
    low, high = stats.median_interval(np.random.default_rng(n).permutation(n) + 1.0, level=level)
    below = scipy_stats.binom(n, 0.5)
    if np.isnan(low):
        assert below.cdf(n - 1) - below.cdf(0) < level, "the whole range would cover"
        return
    assert low + high == n + 1, "as many values below as above"
    assert below.cdf(high - 1) - below.cdf(low - 1) >= level
    assert below.cdf(high - 2) - below.cdf(low) < level, "a narrower one would do"


@pytest.mark.parametrize("n", range(6))
def test_the_median_of_fewer_than_six_values_has_no_interval(n):
    assert np.isnan(stats.median_interval(np.arange(n) * 1.0)).all()


def test_a_ratio_resamples_numerator_and_denominator_together():
    rng = np.random.default_rng(2)
    below = rng.integers(1, 9, 200) * 1.0
    assert stats.bootstrap_ratios(0.0, [(1.0, below / 2, below)]) == pytest.approx((0.5, 0.5), abs=1e-6)
    values = sample("reciprocal ranks", 200)
    low, high = stats.bootstrap_intervals(values[:, None], method="expanded")
    ours = stats.bootstrap_ratios(1.0, [(-1.0, values, np.ones(200))])
    assert ours == pytest.approx((1 - high[0], 1 - low[0]), abs=1e-5)
    draws = rng.integers(0, 200, (10_000, 200))
    ratios = 2 + 3 * values[draws].sum(axis=1) / below[draws].sum(axis=1) - (values**2)[draws].mean(axis=1)
    both = stats.bootstrap_ratios(2.0, [(3.0, values, below), (-1.0, values**2, np.ones(200))])
    assert both == pytest.approx(ends(ratios), abs=0.1 * ratios.std())


def test_a_ratio_over_nothing_has_no_interval_and_no_warning():
    assert np.isnan(stats.bootstrap_ratios(1.0, [(-1.0, np.zeros(5), np.zeros(5))], resamples=100)).all()


def test_a_summary_tells_mean_interval_n_and_undefined():
    ranks = [1, 2, 3, 1, 5, None, 2, 1]
    rankings = {f"q{i}": [f"d{j}" for j in range(1, 7)] for i in range(len(ranks) + 2)}
    grades = {f"q{i}": [f"d{rank}" if rank else "x"] for i, rank in enumerate(ranks)}
    grades |= {"q8": {"d1": 0}, "q9": {"d2": 0}}
    rr, first, median = evaluate(run_of(rankings), truth_of(grades), "RR MeanRank FirstRank").summary()
    values = np.array([1 / rank if rank else 0 for rank in ranks] + [NAN, NAN])
    assert (rr.mean, rr.n, rr.undefined) == (pytest.approx(np.nanmean(values)), 8, 2)
    expanded = 1 - 2 * scipy_stats.norm.cdf(math.sqrt(8 / 7) * scipy_stats.t.ppf(0.025, 7))  # n = 8, the default method
    assert (rr.low, rr.high) == pytest.approx(ends(written_out(values), expanded), abs=0.03)
    assert (first.mean, first.n, first.undefined) == (pytest.approx(15 / 7), 7, 3)
    assert (median.mean, median.n, median.undefined) == (2, 7, 3)
    assert (median.low, median.high) == (1, 5), "of seven values the interval is their range"
    assert [str(summary.spec) for summary in (rr, first, median)] == ["RR", "MeanRank", "FirstRank"]


@pytest.mark.parametrize("metric", ["RR", "MeanRank", "FirstRank", "MQWV(corpus_size=9)"])
def test_a_summary_of_nothing_defined_is_undefined(metric):
    (summary,) = evaluate(run_of({"q": {"a": 1.0}}), truth_of({"q": {"a": 0}}), metric).summary(resamples=50)
    assert np.isnan([summary.mean, summary.low, summary.high]).all() and (summary.n, summary.undefined) == (0, 1)


def test_runs_are_summarised_with_one_draw_and_as_each_alone():
    rng = np.random.default_rng(6)
    truth = truth_of({f"q{i}": ["a", "b"] for i in range(40)})
    docs = ["a", "b", "c", "d", "e"]
    runs = [run_of({f"q{i}": rng.permutation(docs).tolist() for i in rng.permutation(40)}, name) for name in "xyz"]
    asked = ("RR AP", "AP", "FirstRank RR")
    evaluations = [evaluate(run, truth, metrics) for run, metrics in zip(runs, asked, strict=True)]
    together = summaries(evaluations, seed=3)
    for evaluation, found in zip(evaluations, together, strict=True):
        alone = evaluation.summary(seed=3)
        for one, other in zip(found, alone, strict=True):
            assert (one.spec, one.n, one.undefined) == (other.spec, other.n, other.undefined)
            assert (one.mean, one.low, one.high) == pytest.approx((other.mean, other.low, other.high), abs=1e-6)


def test_evaluations_of_different_queries_are_summarised_each_over_its_own():
    small = evaluate(run_of({"q1": ["a"]}), truth_of({"q1": ["a"]}), "RR")
    rankings = {"q1": ["a"], "q2": ["b", "a"], "q3": ["c"]}
    large = evaluate(run_of(rankings), truth_of({query: ["a"] for query in rankings}), "RR")
    found = summaries([small, large, small], resamples=200)
    assert [row[0].n for row in found] == [1, 3, 1]
    assert [row[0].mean for row in found] == pytest.approx([1, 0.5, 1]) and np.isnan(found[0][0].low)


def test_a_corpus_value_has_an_interval_around_it():
    rng = np.random.default_rng(8)
    rankings = {f"q{i}": dict(zip("abcde", rng.permutation(5).tolist(), strict=True)) for i in range(50)}
    found = evaluate(run_of(rankings), truth_of({query: ["a", "f"] for query in rankings}),
                     "AQWV(form='material', corpus_size=1000, threshold=2.0) MQWV(corpus_size=1000)").summary()
    assert found[0].low < found[0].mean < found[0].high and [summary.n for summary in found] == [50, 50]
    assert (found[1].low, found[1].high) == pytest.approx((found[1].mean, found[1].mean), abs=1e-12)  # no query differs
    misses = np.array([1 - 0.5 * (docs["a"] >= 2) for docs in rankings.values()])
    alarms = np.array([(3 - (docs["a"] >= 2)) / 998 for docs in rankings.values()])
    draws = rng.integers(0, 50, (10_000, 50))
    values = 1 - misses[draws].mean(axis=1) - 40 * alarms[draws].mean(axis=1)
    assert found[0].mean == pytest.approx(1 - misses.mean() - 40 * alarms.mean())
    assert (found[0].low, found[0].high) == pytest.approx(ends(values), abs=0.011)


@pytest.mark.parametrize("n", [1, 7, 300, 5000])
def test_weights_drawn_once_give_the_same_intervals(n, monkeypatch):
    monkeypatch.setattr(stats.bootstrap, "_CELLS", 10_000)
    values = np.random.default_rng(n).random((n, 3))
    values[: n // 3, 1] = NAN
    weights = stats.resample_weights(n, resamples=300, seed=2)
    assert weights.dtype == np.uint8
    assert (weights.sum(axis=1) == n).all()
    for resamples in (300, 120):
        np.testing.assert_array_equal(stats.bootstrap_intervals(values, resamples=resamples, seed=2, weights=weights),
                                      stats.bootstrap_intervals(values, resamples=resamples, seed=2))
