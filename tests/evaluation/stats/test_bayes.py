"""The Bayesian signed-rank posterior against the definition written out and constants of baycomp."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdash.evaluation import stats

pytestmark = pytest.mark.filterwarnings("error")

NAN = math.nan
DRAWS = 20_000


def written_out(differences: np.ndarray, rope: float, draws: int = DRAWS, seed: int = 77) -> tuple[float, float, float]:
    """Benavoli et al. 2014, section 3: a Dirichlet process with weight 1/2 at 0, the largest of three shares counted.

    The share of pairs (i, j), i = j among them, whose sum is beyond twice the rope; a sum on its edge is half of each.
    """
    z = np.concatenate(([0.0], differences))
    weights = np.random.default_rng(seed).dirichlet([0.5, *[1.0] * len(differences)], draws)
    sums = z[:, None] + z[None, :]
    better = (sums > 2 * rope) + 0.5 * (sums == 2 * rope)
    worse = (sums < -2 * rope) + 0.5 * (sums == -2 * rope)
    right = np.einsum("di,ij,dj->d", weights, better, weights, optimize=True)
    left = np.einsum("di,ij,dj->d", weights, worse, weights, optimize=True)
    shares = np.column_stack([left, 1 - left - right, right])
    return tuple(np.bincount(shares.argmax(axis=1), minlength=3) / draws)


def error(p: float, draws: int) -> float:
    """Four standard errors of the difference of two simulated probabilities."""
    return 4 * math.sqrt(2 * max(p * (1 - p), 1 / draws) / draws)


CASES = {"clear": (0.3, 1.0, 0.1, 40), "no matter": (0.0, 0.1, 0.1, 40), "undecided": (0.1, 0.5, 0.1, 30),
         "worse": (-0.2, 0.5, 0.05, 30), "few": (0.1, 0.3, 0.1, 8), "no rope": (0.1, 0.5, 0.0, 30)}


def drawn(case: str) -> tuple[np.ndarray, float]:
    mean, sd, rope, n = CASES[case]
    return np.random.default_rng(n).normal(mean, sd, n), rope


@pytest.mark.parametrize("case", CASES)
def test_as_the_definition_says(case):
    differences, rope = drawn(case)
    expected = written_out(differences, rope)
    found = stats.signed_rank_posterior(differences, rope, draws=DRAWS)
    assert sum(found) == pytest.approx(1, abs=1e-12)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, abs=error(theirs, DRAWS))


BAYCOMP = {"clear": (0.1099, 0.0, 0.8901), "no matter": (0.0, 1.0, 0.0), "undecided": (0.02778, 0.0016, 0.97062),
           "worse": (0.9333, 0.0, 0.0667), "few": (0.88678, 0.09484, 0.01838), "no rope": (0.03676, 0.0, 0.96324)}


@pytest.mark.parametrize("case", BAYCOMP)
def test_as_baycomp_says(case):
    """baycomp 1.0.3: SignedRankTest.probs(zeros, differences, rope, nsamples=50_000, random_state=1)."""
    found = stats.signed_rank_posterior(*drawn(case), draws=50_000)
    for ours, theirs in zip(found, BAYCOMP[case], strict=True):
        assert ours == pytest.approx(theirs, abs=error(theirs, 50_000))


@pytest.mark.parametrize("value, expected", [(5.0, (0, 0, 1)), (-5.0, (1, 0, 0)), (0.01, (0, 1, 0)), (0.0, (0, 1, 0))])
def test_queries_that_all_agree_leave_no_doubt(value, expected):
    assert stats.signed_rank_posterior(np.full(60, value), 0.1, draws=2000) == pytest.approx(expected, abs=1e-3)


def test_the_seed_decides():
    differences, rope = drawn("undecided")
    first, again, other = (stats.signed_rank_posterior(differences, rope, draws=3000, seed=seed) for seed in (1, 1, 2))
    assert tuple(first) == tuple(again) != tuple(other)


@pytest.mark.parametrize("values", [[], [0.3], [NAN, 0.3], [NAN, NAN]])
def test_fewer_than_two_queries_have_no_posterior(values):
    assert np.isnan(stats.signed_rank_posterior(np.array(values, np.float64), 0.1, draws=100)).all()


def test_undefined_queries_drop_out():
    differences, rope = drawn("undecided")
    holes = np.insert(differences, [0, 3, 30], NAN)
    one, other = (stats.signed_rank_posterior(values, rope, draws=DRAWS) for values in (differences, holes))
    assert one == pytest.approx(other, abs=error(0.5, DRAWS))


def test_many_queries_are_no_matter_of_memory():
    """3,000 queries have nine million pairs, which are not held at once for each of the draws."""
    differences = np.random.default_rng(1).normal(0.01, 0.1, 3000)
    found = stats.signed_rank_posterior(differences, 0.001, draws=200)
    assert found[2] > 0.9


quick = settings(max_examples=25, deadline=None, derandomize=True)
values_of = st.lists(st.integers(-20, 20).map(lambda step: step / 7), min_size=2, max_size=15).map(np.array)


@quick
@given(differences=values_of, rope=st.sampled_from([0.0, 0.05, 0.5]))
def test_probabilities_sum_to_one_and_better_mirrors_worse(differences, rope):
    worse, equal, better = stats.signed_rank_posterior(differences, rope, draws=2000)
    assert min(worse, equal, better) >= 0 and worse + equal + better == pytest.approx(1)
    mirrored = stats.signed_rank_posterior(-differences, rope, draws=2000)
    assert mirrored == pytest.approx((better, equal, worse), abs=error(0.5, 2000))


@quick
@given(differences=values_of)
def test_a_wider_rope_makes_equality_likelier(differences):
    equal = [stats.signed_rank_posterior(differences, rope, draws=2000)[1] for rope in (0.01, 0.3, 1.5, 10.0)]
    assert (np.diff(equal) >= -error(0.5, 2000)).all() and equal[-1] == 1
