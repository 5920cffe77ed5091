"""Logistic regression: by hand, against another minimiser, where there is no minimum; cross-fitting without a leak."""

import math

import numpy as np
import pytest

from ragdash.evaluation.stats import cross_fitted, logistic


def rows(seed=3, n=60, f=4, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, f)) * [1.0, 10.0, 0.1, 1000.0][:f] + 5
    p = 1 / (1 + np.exp(-(x[:, 0] - 5) - (x[:, 1] - 5) / 10))
    return x, (rng.random(n) < p) * 1.0 if not ties else rng.random(n).round(1)


def minimised(x, y, penalty):
    """The same minimum by scipy's BFGS, without a derivative of ours, on features standardised by themselves."""
    from scipy.optimize import minimize

    z = (x - x.mean(axis=0)) / x.std(axis=0)

    def loss(beta):
        score = z @ beta[1:] + beta[0]
        p = 1 / (1 + np.exp(-score))
        return -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum() + penalty / 2 * (beta[1:]**2).sum()

    return minimize(loss, np.zeros(x.shape[1] + 1), method="BFGS", options={"gtol": 1e-7}).x


@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("fractional", [False, True])
def test_another_minimiser_finds_the_same(penalty, fractional):
    x, y = rows(ties=fractional)
    found, other = logistic(x, y, penalty=penalty), minimised(x, y, penalty)
    assert [float(found.intercept), *found.weights] == pytest.approx(other.tolist(), abs=2e-5)


def test_a_feature_of_two_values_by_hand():
    """x = -1 four times (one 1), +1 four times (three 1): by symmetry intercept 0, and the slope of the loss at w is
    8 / (1 + exp(-w)) - 6 + penalty w = 0. Without penalty w = log 3; a penalty of (6 - 8 p) / w makes any w right.
    """
    x, y = np.array([[-1.0]] * 4 + [[1.0]] * 4), np.array([1.0, 0, 0, 0, 1, 1, 1, 0])
    found = logistic(x, y, penalty=1e-12)
    assert float(found.weights[0]) == pytest.approx(math.log(3), abs=1e-8)
    assert found.predict(x) == pytest.approx([0.25] * 4 + [0.75] * 4)
    w = 0.5
    found = logistic(x, y, penalty=(6 - 8 / (1 + math.exp(-w))) / w)
    assert float(found.weights[0]) == pytest.approx(w) and float(found.intercept) == pytest.approx(0, abs=1e-9)


def test_a_fraction_is_so_much_of_both():
    x, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0.25, 0.5, 1.0, 0.75])
    whole = logistic(np.repeat(x, 4, axis=0), np.array([1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0.0]), penalty=4.0)
    found = logistic(x, y, penalty=1.0)
    assert float(found.weights[0]) == pytest.approx(float(whole.weights[0]), abs=1e-9)
    assert float(found.intercept) == pytest.approx(float(whole.intercept), abs=1e-9)


def test_rows_that_are_not_used_are_not_looked_at():
    x, y = rows()
    use = np.arange(60) < 40
    wild = np.where(use[:, None], x, 1e9)
    found, alone = logistic(wild, np.where(use, y, 0.5), use=use), logistic(x[:40], y[:40])
    assert np.array_equal(found.center, alone.center) or found.center == pytest.approx(alone.center)
    assert found.weights == pytest.approx(alone.weights, abs=1e-10)


def test_what_is_not_known_counts_as_the_mean_and_what_never_differs_not_at_all():
    x, y = rows()
    x[:, 2] = 7.0
    x[5, 0] = np.nan
    found = logistic(x, y)
    assert found.weights[2] == 0 and found.center[0] == pytest.approx(np.nanmean(x[:, 0]))
    filled = x.copy()
    filled[5, 0] = found.center[0]
    assert found.predict(x) == pytest.approx(found.predict(filled)) and np.isfinite(found.predict(x)).all()
    x[:, 3] = np.nan
    assert logistic(x, y).weights[3] == 0


def test_labels_that_are_all_alike_and_labels_that_a_feature_tells():
    x = rows()[0]
    assert logistic(x, np.ones(60)).predict(x).tolist() == [1.0] * 60
    assert logistic(x, np.zeros(60)).predict(x).tolist() == [0.0] * 60
    assert logistic(x, np.full(60, 0.3)).predict(x) == pytest.approx(np.full(60, 0.3))
    told = logistic(x, (x[:, 1] > 5) * 1.0, penalty=1e-3)
    assert np.isfinite(told.weights).all() and (told.predict(x).round() == (x[:, 1] > 5)).all()


def test_far_off_values_do_not_throw_it_off():
    x, y = rows()
    x[0] = 1e12
    found = logistic(x, y, penalty=1e-4)
    z = (x - found.center) / found.scale
    p = found.predict(x)
    assert z.T @ (p - y) + 1e-4 * found.weights == pytest.approx(np.zeros(4), abs=1e-6), "the slope at the minimum"


def test_many_at_once_are_each_alone():
    x, y = (np.stack(parts) for parts in zip(*(rows(seed) for seed in range(5)), strict=True))
    every = logistic(x, y)
    for at in range(5):
        assert every.weights[at] == pytest.approx(logistic(x[at], y[at]).weights, abs=1e-9)
    assert every.predict(x).shape == (5, 60)


def test_cross_fitted_is_k_fits():
    x, y = rows()
    fold = np.arange(60) % 5
    said, models = cross_fitted(x, y, fold)
    for k in range(5):
        alone = logistic(x[fold != k], y[fold != k])
        assert said[fold == k] == pytest.approx(alone.predict(x[fold == k]), abs=1e-9)
        assert models.weights[k] == pytest.approx(alone.weights, abs=1e-9)


def test_no_label_has_a_part_in_what_is_said_of_its_own_fold():
    x, y = rows()
    fold = np.random.default_rng(0).permutation(60) % 5
    said, _ = cross_fitted(x, y, fold)
    changed = y.copy()
    changed[fold == 2] = 1 - changed[fold == 2]
    again, _ = cross_fitted(x, changed, fold)
    assert np.array_equal(said[fold == 2], again[fold == 2]), "to the last bit"
    assert (said[fold != 2] != again[fold != 2]).all()
