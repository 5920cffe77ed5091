"""Holm and Benjamini-Hochberg against hand-worked cases and statsmodels."""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ragdash.evaluation import stats

pytestmark = pytest.mark.filterwarnings("error")

NAN = math.nan
PEERS = {"holm": stats.holm, "fdr_bh": stats.benjamini_hochberg}
both = pytest.mark.parametrize("correct", PEERS.values(), ids=PEERS)
quick = settings(max_examples=20, deadline=None, derandomize=True)
probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0]))
families = st.lists(probabilities, min_size=0, max_size=20).map(lambda p: np.array(p, np.float64))


@pytest.mark.parametrize("p, holm, fdr", [
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02], [0.02, 0.04, 0.04, 0.02]),
    ([0.2], [0.2], [0.2]),
    ([0.5, 0.6], [1.0, 1.0], [0.6, 0.6]),  # 2 x 0.5, then not below it; 2 x 0.5 is above 0.6
    ([0.02, 0.02, 0.02], [0.06] * 3, [0.02] * 3),
    ([0.0, 1.0], [0.0, 1.0], [0.0, 1.0]),
    ([], [], []),
])
def test_by_hand(p, holm, fdr):
    np.testing.assert_allclose(stats.holm(np.array(p)), holm, atol=1e-15)
    np.testing.assert_allclose(stats.benjamini_hochberg(np.array(p)), fdr, atol=1e-15)


@pytest.mark.parametrize("method", PEERS)
@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_as_statsmodels(method, n, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects garbage in each call
    rng = np.random.default_rng(n)
    for p in (rng.random(n), rng.random(n) ** 6, rng.integers(1, 5, n) / 40):
        rejected, corrected, *_ = multipletests(p, alpha=0.05, method=method)
        ours = PEERS[method](p)
        np.testing.assert_allclose(ours, corrected, rtol=1e-9, atol=0)
        np.testing.assert_array_equal(ours <= 0.05, rejected)


@both
def test_a_table_is_one_family(correct):
    p = np.random.default_rng(1).random((4, 3, 5)) ** 4
    assert correct(p).shape == p.shape
    np.testing.assert_array_equal(correct(p).ravel(), correct(p.ravel()))
    np.testing.assert_array_equal(correct(np.asfortranarray(p)), correct(p))


@both
def test_undefined_p_stay_undefined_and_do_not_count(correct):
    p = np.array([[0.01, NAN, 0.04], [NAN, 0.03, 0.005]])
    corrected = correct(p)
    np.testing.assert_array_equal(np.isnan(corrected), np.isnan(p))
    np.testing.assert_array_equal(corrected[~np.isnan(p)], correct(p[~np.isnan(p)]))
    assert np.isnan(correct(np.full((2, 3), NAN))).all() and correct(np.full((2, 3), NAN)).shape == (2, 3)
    assert correct(np.zeros((0, 3))).shape == (0, 3)


@both
@quick
@given(p=families)
def test_corrected_p_are_probabilities_no_smaller_than_raw_and_in_the_same_order(correct, p):
    kept = p.copy()
    corrected = correct(p)
    np.testing.assert_array_equal(p, kept)
    assert ((corrected >= p) & (corrected <= 1)).all()
    assert (np.diff(corrected[np.argsort(p)]) >= 0).all()


@both
@quick
@given(p=families, data=st.data())
def test_the_order_of_the_family_does_not_matter(correct, p, data):
    order = np.array(data.draw(st.permutations(range(len(p)))), np.int64)
    np.testing.assert_array_equal(correct(p[order]), correct(p)[order])


@quick
@given(p=families)
def test_holm_is_stricter_than_the_false_discovery_rate_and_milder_than_bonferroni(p):
    holm, fdr, bonferroni = stats.holm(p), stats.benjamini_hochberg(p), np.minimum(p * len(p), 1)
    assert (fdr <= holm + 1e-15).all() and (holm <= np.maximum.accumulate(np.sort(bonferroni))[-1:] + 1e-15).all()
    smallest = p == p.min(initial=2)
    np.testing.assert_allclose(holm[smallest], bonferroni[smallest], rtol=1e-12)


@both
@quick
@given(p=families, more=probabilities)
def test_one_more_test_never_makes_another_one_more_certain_under_holm(correct, p, more):
    if correct is stats.holm:
        assert (correct(np.r_[p, more])[:len(p)] >= correct(p)).all()
    else:
        np.testing.assert_allclose(correct(np.r_[p, p]), np.r_[correct(p), correct(p)], rtol=1e-9)
