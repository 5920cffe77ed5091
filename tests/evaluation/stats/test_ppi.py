"""Prediction-powered inference: by hand, by another implementation of the formula, and where it is not defined."""

import math
from fractions import Fraction
from statistics import NormalDist, fmean, pvariance, variance

import numpy as np
import pytest

from ragdash.evaluation.stats import MIN_LABELS, ppi

# ppi_mean_ci(y[:24], f[:24], f[24:], alpha=0.05, lam=1) of ppi-python 0.2.3, for vectors()
STORED = (0.3411364172262019, 0.6699746938849089)


def vectors():
    """60 verdicts, and labels of the first 24."""
    i = np.arange(60)
    verdicts = (i * 37 + 11) % 101 / 100
    return verdicts, np.where(i < 24, ((i * 53 + 7) % 97 / 96).round(1), np.nan)


def published(alone, judged, labels, level=0.95, pseudo=(), var=variance):
    """(estimate, low, high) of lists, by the formula of Angelopoulos et al. 2023 with lambda = 1."""
    rectifiers = [f - y for f, y in zip(judged, labels, strict=True)] + list(pseudo)
    estimate = fmean(alone) - fmean(rectifiers)
    error = math.sqrt(var(alone) / len(alone) + var(rectifiers) / len(rectifiers))
    z = NormalDist().inv_cdf((1 + level) / 2)
    return estimate, estimate - z * error, estimate + z * error


def column(found, *names):
    return [float(getattr(found, name)[0]) for name in names]


def test_it_equals_ppi_python():
    verdicts, labels = vectors()
    found = ppi(verdicts[:, None], labels[:, None], pseudo=False, ddof=0)
    assert column(found, "low", "high") == pytest.approx(STORED, abs=1e-9)
    assert published(verdicts[24:].tolist(), verdicts[:24].tolist(), labels[:24].tolist(), var=pvariance)[1:] == \
        pytest.approx(STORED, abs=1e-9)


@pytest.mark.parametrize(("n", "level"), [(20, 0.95), (149, 0.9), (150, 0.95), (400, 0.99)])
def test_it_is_the_published_formula_with_two_more_rectifiers(n, level):
    rng = np.random.default_rng(n)
    labels = (rng.random(500) < 0.7) * 1.0
    verdicts = np.clip(labels + rng.normal(0.05, 0.4, 500), 0, 1)
    labels[n:] = np.nan
    order = rng.permutation(500)
    found = ppi(verdicts[order, None], labels[order, None], level=level)
    wanted = published(verdicts[n:].tolist(), verdicts[:n].tolist(), labels[:n].tolist(), level,
                       (1, -1))
    assert column(found, "estimate", "low", "high") == pytest.approx(wanted, abs=1e-12)
    assert (int(found.n[0]), int(found.n_unlabelled[0]), bool(found.pseudo[0])) == (n, 500 - n, True)


def test_a_case_by_hand():
    """20 labels of 1, the judge says 1 to 16 of them and 0 to 4; of the other 40 it says 1 to 30."""
    verdicts = np.array([1.0] * 16 + [0.0] * 4 + [1.0] * 30 + [0.0] * 10)
    labels = np.array([1.0] * 20 + [np.nan] * 40)
    found = ppi(verdicts[:, None], labels[:, None])
    mean = Fraction(-4, 22)  # of the rectifiers: 16 of 0, 4 of -1, +1, -1
    squares = 16 * mean**2 + 5 * (-1 - mean)**2 + (1 - mean)**2
    error = squares / 21 / 22 + Fraction(30 * 10, 40) / 39 / 40
    assert column(found, "estimate", "error") == pytest.approx([float(Fraction(3, 4) - mean), math.sqrt(error)])


def test_columns_do_not_know_each_other_and_what_is_missing_drops_out():
    verdicts, labels = vectors()
    judged = verdicts.copy()
    judged[[3, 40]] = np.nan  # one labelled, one not
    both = ppi(np.stack([verdicts, judged], axis=1), np.stack([labels, labels], axis=1))
    keep = ~np.isnan(judged)
    alone = ppi(judged[keep][:, None], labels[keep][:, None])
    assert (both.n.tolist(), both.n_unlabelled.tolist()) == ([24, 23], [36, 35])
    assert both.low[1] == alone.low[0] and both.high[1] == alone.high[0] and both.low[0] != both.low[1]


@pytest.mark.parametrize(
    ("n", "queries", "estimate", "interval"),
    [
        (0, 60, False, False),
        (MIN_LABELS - 1, 60, True, False),
        (MIN_LABELS, 60, True, True),
        (MIN_LABELS, MIN_LABELS + 1, True, False),
        (MIN_LABELS, MIN_LABELS, False, False),
    ],
)
def test_what_is_not_defined(n, queries, estimate, interval):
    verdicts, labels = vectors()
    labels = np.where(np.arange(60) < n, np.nan_to_num(labels), np.nan)
    found = ppi(verdicts[:queries, None], labels[:queries, None])
    assert [not math.isnan(value) for value in column(found, "estimate", "low", "high", "error")] == \
        [estimate, interval, interval, interval]


def test_a_judge_that_always_agrees_does_not_claim_to_know_all():
    labels = np.array([1.0] * 25 + [np.nan] * 500)
    found = ppi(np.ones((525, 1)), labels[:, None], bounds=(0.0, 1.0))
    sure = ppi(np.ones((525, 1)), labels[:, None], pseudo=False)
    assert column(sure, "low", "high") == [1, 1]
    assert found.low[0] < 0.9 and found.high[0] == 1


def test_coverage_of_a_biased_judge():
    """The judge's own mean is far off; the corrected interval holds the true one 94 times of 100 or more."""
    rng = np.random.default_rng(5)
    right = (rng.random((400, 1500)) < 0.8) * 1.0
    verdicts = np.where(right == 1, rng.random(right.shape) < 0.7, rng.random(right.shape) < 0.2) * 1.0
    found = ppi(verdicts, np.where(np.arange(400)[:, None] < 50, right, np.nan))
    assert verdicts.mean() < 0.65
    assert 0.94 <= ((found.low <= 0.8) & (found.high >= 0.8)).mean() <= 0.99


@pytest.mark.parametrize("n", [50, 150])
def test_coverage_of_a_judge_that_hardly_errs(n):
    """One of 100 right answers is not seen as such: most samples of labels hold next to no error."""
    rng = np.random.default_rng(n)
    right = (rng.random((1000, 1500)) < 0.95) * 1.0
    verdicts = right * (rng.random(right.shape) < 0.99)
    labels = np.where(np.arange(1000)[:, None] < n, right, np.nan)
    held, bare = (ppi(verdicts, labels, pseudo=pseudo) for pseudo in (True, False))
    assert ((held.low <= 0.95) & (held.high >= 0.95)).mean() >= 0.94
    assert ((bare.low <= 0.95) & (bare.high >= 0.95)).mean() < 0.94
