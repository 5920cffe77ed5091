"""Tests of paired differences against hand-worked cases, scipy, ranx and exact distributions.

Monte-Carlo values are held to four standard errors, plus the 1 / (1 + B) by which they are biased on purpose.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from ragdash.evaluation import stats
from ragdash.evaluation.stats import paired

pytestmark = pytest.mark.filterwarnings("error")

NAN, INF = math.nan, math.inf
FLIPS = 20_000


def randomization(differences, **options):
    return stats.randomization_test(differences, **options)


def t(differences):
    return stats.t_test(differences)[1]


def wilcoxon(differences):
    return stats.wilcoxon_test(differences)[1]


def sign(differences):
    return stats.sign_test(differences)


every_test = pytest.mark.parametrize("test", [randomization, t, wilcoxon, sign])


def few(test):
    """The test with fewer flips; the randomisation test is the only one that takes a number."""
    return (lambda d: stats.randomization_test(d, permutations=2000)) if test is randomization else test


def column(*values) -> np.ndarray:
    return np.array(values, np.float64)[:, None]


def by_steps(steps) -> float:
    """P(|sum of randomly signed steps| >= |sum of steps|) for integers, from the whole distribution of the sum."""
    sizes, counts = np.unique(np.abs(steps).astype(int), return_counts=True)
    chance = np.ones(1)
    for size, count in zip(sizes[sizes > 0], counts[sizes > 0], strict=True):
        signs = np.zeros(2 * size * count + 1)
        signs[::2 * size] = reference.binom(count, 0.5).pmf(range(count + 1))
        chance = np.convolve(chance, signs)
    reach = len(chance) // 2
    return chance[np.abs(np.arange(-reach, reach + 1)) >= abs(int(np.sum(steps)))].sum()


def error(p: float, resamples: int, simulations: int = 1) -> float:
    """Four standard errors of a simulated p (of the difference of two), and the bias."""
    return 4 * math.sqrt(simulations * p * (1 - p) / resamples) + 2 / resamples


def continuous(n: int, shift: float = 0.2) -> np.ndarray:
    return np.random.default_rng(n).normal(shift, 1.0, n)


# The randomisation test: exact.

@pytest.mark.parametrize("differences, p", [
    ([1, 2, 3], 2 / 8),  # only +++ and --- reach 6
    ([3, 2, -1], 4 / 8),  # +-6 and +-4 reach 4; +-2 and 0 twice do not
    ([1, 1, -1], 1.0),  # every sum is odd and so at least 1
    ([1, -1], 1.0),
    ([0.5, 0.0], 1.0),  # one flip, both signs reach 0.5
    ([0.1, 0.2, -0.3], 1.0),  # a sum of 0, though not in binary fractions
    ([0.3, 0.1, 0.2, -0.4], 14 / 16),  # 0.2; sums are even tenths, and two of sixteen are 0: +-(0.3 - 0.1 + 0.2 - 0.4)
    ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 2 / 1024),
    ([1, 1, 1, 1, 1, 1, 1, 1, 1, -1], 22 / 1024),
    ([0.1] * 9 + [-0.1], 22 / 1024),  # ten sums that are 0.8 but for rounding, and their mirror images
])
def test_few_flips_are_counted_by_hand(differences, p):
    for order in (differences, differences[::-1]):
        assert stats.randomization_test(column(*order)) == pytest.approx([p], abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("shift", [0.0, 0.3, -1.0])
def test_few_flips_are_those_of_scipy_enumerated(n, shift):
    differences = continuous(n, shift)
    theirs = reference.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf,
                                        alternative="two-sided", vectorized=False if n < 3 else None)
    assert stats.randomization_test(differences[:, None]) == pytest.approx([theirs.pvalue], abs=1e-9)


def test_few_flips_among_many_queries_that_do_not_differ_are_exact_too():
    differences = np.zeros((300, 1))
    differences[50:60, 0] = [3, 1, 4, 1, 5, -9, 2, 6, 5, 3]
    p = by_steps(differences[:, 0])
    assert stats.randomization_test(differences / 7) == pytest.approx([p], abs=1e-9)
    assert stats.randomization_test(np.where(differences == 0, NAN, differences)) == pytest.approx([p], abs=1e-9)


# The randomisation test: drawn.

@cache
def grids() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(9)
    return {"hits": rng.choice([-1, 0, 1], 150, p=[0.2, 0.5, 0.3]), "few hits": rng.choice([-1, 0, 1], 60),
            "all won": np.ones(30, int), "grades": rng.integers(-6, 8, 200), "no mean": np.repeat([1, -1], 20),
            "many queries": rng.integers(-3, 4, 700) + (rng.random(700) < 0.06), "one apart": np.r_[[40], [1] * 25]}


@pytest.mark.parametrize("name", grids())
def test_many_flips_agree_with_the_exact_distribution_where_sums_tie(name):
    """Values in steps: a tenth of all flips may tie with the sum seen, and rounding must not break one of them."""
    steps = grids()[name]
    p = by_steps(steps)
    found = stats.randomization_test(np.outer(steps, [1.0, 0.1, 1 / 3, 1e-7]), seed=7)
    assert found == pytest.approx([p] * 4, abs=error(p, 100_000))
    np.testing.assert_array_equal(found, found[0])


@pytest.mark.parametrize("n, shift, p", [(25, 0.1, 0.15633), (25, 0.45, 0.00325), (60, 0.2, 0.02941),
                                         (200, 0.15, 0.04931), (200, 0.02, 0.94526)])
def test_many_flips_agree_with_ranx(n, shift, p):
    """ranx 0.3.21: fisher_randomization_test(control, treatment, n_permutations=100_000, random_seed=42)."""
    rng = np.random.default_rng(n)
    control = rng.random(n)
    treatment = control + shift + rng.normal(size=n)
    ours = stats.randomization_test((treatment - control)[:, None], permutations=100_000)
    assert ours == pytest.approx([p], abs=error(p, 100_000, simulations=2))


def test_many_flips_agree_with_the_t_test_where_values_are_normal():
    differences = np.column_stack([continuous(400, shift) for shift in (0.0, 0.05, 0.1)])
    exact = stats.t_test(differences)[1]
    ours = stats.randomization_test(differences)
    assert ours == pytest.approx(exact, abs=0.01)


def test_one_is_added_to_the_flips_counted_and_to_those_drawn():
    """Phipson & Smyth 2010: a simulated p is never 0."""
    differences = np.column_stack([np.full(60, 0.25), continuous(60)])
    p = stats.randomization_test(differences, permutations=999)
    assert p[0] == pytest.approx(1 / 1000, abs=1e-12), "no flip of 999 has sixty equal signs"
    assert p[1] * 1000 == pytest.approx(round(p[1] * 1000), abs=1e-9) and p[1] > 2 / 1000


def test_a_hundred_thousand_flips_are_the_default():
    assert stats.PERMUTATIONS == 100_000
    differences = continuous(50)[:, None]
    assert stats.randomization_test(differences) == stats.randomization_test(differences, permutations=100_000)
    assert stats.randomization_test(np.ones((50, 1))) == pytest.approx([1 / 100_001], rel=1e-9)


def test_the_seed_decides():
    differences = np.column_stack([continuous(40), continuous(41)[:40]])
    first, again, other = (stats.randomization_test(differences, permutations=FLIPS, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all() and first == pytest.approx(other, abs=error(0.5, FLIPS, simulations=2))


def test_an_undefined_query_counts_as_one_that_does_not_differ():
    differences = continuous(80)
    differences[::5] = 0.0
    holes = np.where(differences == 0, NAN, differences)
    one, other = (stats.randomization_test(values[:, None], permutations=FLIPS) for values in (differences, holes))
    assert one == other, "flipping a zero changes nothing"


# Student, Wilcoxon and signs.

def test_student_by_hand():
    statistic, p = stats.t_test(np.array([[1, 1, 5], [3, 2, NAN], [NAN, 3, 7]]))
    assert statistic == pytest.approx([2, 2 * math.sqrt(3), 6], abs=1e-12)
    one = [1 - 2 / math.pi * math.atan(value) for value in (2, 6)]  # one degree of freedom: Cauchy
    assert p == pytest.approx([one[0], 1 - 2 * math.sqrt(3 / 14), one[1]], abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 50, 1000])
def test_student_is_that_of_scipy(n):
    rng = np.random.default_rng(n)
    one, other = rng.random((n, 6)) ** 3, rng.random((n, 6))
    one[rng.random((n, 6)) < 0.2 * (n > 5)] = NAN
    theirs = reference.ttest_rel(one, other, nan_policy="omit")
    statistic, p = stats.t_test(one - other)
    np.testing.assert_allclose(statistic, np.asarray(theirs.statistic), rtol=1e-9)
    np.testing.assert_allclose(p, np.asarray(theirs.pvalue), rtol=1e-9)


def test_student_of_a_tiny_p_keeps_its_digits():
    differences = continuous(200, 3.0)[:, None]
    assert stats.t_test(differences)[1] == pytest.approx(reference.ttest_1samp(differences, 0).pvalue, rel=1e-9, abs=0)


def test_student_where_every_query_gains_the_same():
    statistic, p = stats.t_test(np.column_stack([np.full(6, 0.5), np.full(6, -0.5)]))
    assert statistic.tolist() == [INF, -INF] and p.tolist() == [0, 0]


@pytest.mark.parametrize("differences, statistic, p", [
    ([1, 2, 3, 4, 5], 0, 2 / 32),
    ([1, -2, 3, 4, 5], 2, 6 / 32),  # rank sums up to 2: {}, {1}, {2}
    ([-1, 2, 3, -4, 5], 5, 20 / 32),  # up to 5: {} 1 2 3 4 5 12 13 14 23
    ([1, 1, 1], 0, 2 / 8),  # tied: ranks 2, 2, 2
    ([0, 0, 1, 1, -1], 2, 1.0),  # ranks 2, 2, 2 of three queries: sums of 0, 2, 4, 6
    ([1, 1, -2, 3, 0, 3, -1, 5, 0, 2, 4, 4, -3], 13.5, 194 / 2**11),  # the most that scipy enumerates with ties
    ([1], NAN, NAN),
])
def test_wilcoxon_by_hand(differences, statistic, p):
    ours = stats.wilcoxon_test(column(*differences))
    assert ours[0] == pytest.approx([statistic], nan_ok=True) and ours[1] == pytest.approx([p], abs=1e-12, nan_ok=True)


def wilcoxon_cases():
    for n in (2, 4, 9, 14, 20, 49, 50, 51, 52, 300):
        rng = np.random.default_rng(n)
        yield f"{n}", rng.normal(0.3, 1, n)
        yield f"{n} tied", rng.integers(1, 6, n) * rng.choice([-1.0, 1.0, 1.0], n)
        yield f"{n} with zeros", np.where(np.arange(n) % 4 == 1, 0.0, rng.normal(0.3, 1, n))
        yield f"{n} tied with zeros", np.where(np.arange(n) % 4 == 1, 0.0, rng.integers(-3, 6, n) / 8)
    yield "one that is not zero", np.array([0, 0, 0.5, 0])
    yield "no mean", np.repeat([0.5, -0.5], 20)


@pytest.mark.parametrize("differences", [pytest.param(case, id=name) for name, case in wilcoxon_cases()])
def test_wilcoxon_is_that_of_scipy(differences):
    theirs = reference.wilcoxon(differences, zero_method="wilcox", method="auto")
    for holes in (0, 3):
        statistic, p = stats.wilcoxon_test(np.r_[differences, [NAN] * holes][:, None])
        assert statistic == pytest.approx([theirs.statistic], rel=1e-9)
        assert p == pytest.approx([theirs.pvalue], rel=1e-9)


@pytest.mark.parametrize("wins, losses, p", [(3, 1, 10 / 16), (5, 0, 2 / 32), (0, 5, 2 / 32), (2, 2, 1.0), (1, 0, 1.0)])
def test_signs_by_hand(wins, losses, p):
    differences = column(*[0.7] * wins, *[-0.01] * losses, 0.0, 0.0, NAN)
    assert stats.sign_test(differences) == pytest.approx([p], abs=1e-12)


@pytest.mark.parametrize("n", [2, 7, 60, 1001, 20_000])
def test_signs_are_those_of_the_binomial_test(n):
    rng = np.random.default_rng(n)
    differences = rng.choice([-1.0, 0.0, 1.0, NAN], (n, 5), p=[0.3, 0.2, 0.35, 0.15])
    differences[:2] = 1
    wins, losses = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    theirs = [reference.binomtest(int(won), int(won + lost)).pvalue for won, lost in zip(wins, losses, strict=True)]
    assert stats.sign_test(differences) == pytest.approx(theirs, rel=1e-9)


# What holds for each.

@every_test
@pytest.mark.parametrize("values", [[], [0.5], [NAN, NAN, 0.5], [0.0], [NAN] * 4])
def test_fewer_than_two_common_queries_have_no_p(test, values):
    differences = np.column_stack([column(*values), column(*values)])
    assert np.isnan(test(differences)).all() and test(differences).shape == (2,)


@every_test
@pytest.mark.parametrize("values", [[0.0] * 2, [0.0, -0.0, NAN, 0.0], [0.0] * 400])
def test_no_difference_anywhere_is_no_sign_of_one(test, values):
    assert test(column(*values)).tolist() == [1.0]


def test_student_of_no_difference_anywhere_has_no_statistic():
    assert np.isnan(stats.t_test(np.zeros((5, 2)))[0]).all()


@every_test
def test_no_columns_no_p(test):
    assert test(np.zeros((5, 0))).shape == (0,)


@every_test
def test_what_is_given_is_not_changed(test):
    differences = continuous(30)[:, None]
    differences[3] = NAN
    kept = differences.copy()
    test(differences)
    np.testing.assert_array_equal(differences, kept)


@every_test
@pytest.mark.parametrize("n", [6, 13, 30, 200])
def test_columns_are_independent_of_their_neighbors(test, n):
    """Same p alone, beside others, in another order, beside one with holes, zeros or giants.

    To the last digit where flips are counted; t and Wilcoxon's z may be summed in another order.
    """
    same = dict(rtol=0 if test in (randomization, sign) else 1e-11, atol=0)
    test = few(test)
    rng = np.random.default_rng(n)
    beside = np.column_stack([rng.normal(0.2, 1, n), rng.integers(-1, 2, n) * 0.1, np.zeros(n), rng.random(n) * 1e9,
                              np.where(rng.random(n) < 0.7, NAN, rng.normal(size=n)), np.full(n, NAN),
                              rng.exponential(size=n) - 1, rng.integers(-4, 5, n) / 3])
    together = test(beside)
    np.testing.assert_allclose(np.hstack([test(beside[:, [i]]) for i in range(8)]), together, **same)
    np.testing.assert_allclose(test(beside[:, ::-1])[::-1], together, **same)
    np.testing.assert_allclose(test(np.asfortranarray(beside)), together, **same)


values_of = st.integers(-40, 40).map(lambda step: step / 8)
columns_of = st.lists(st.one_of(values_of, st.just(NAN)), min_size=0, max_size=30).map(lambda v: column(*v))
quick = settings(max_examples=25, deadline=None, derandomize=True)


@every_test
@quick
@given(differences=columns_of)
def test_a_p_is_a_probability_and_undefined_below_two_queries(test, differences):
    (p,) = few(test)(differences)
    defined = int((~np.isnan(differences)).sum())
    assert np.isnan(p) if defined < 2 else 0 <= p <= 1


@every_test
@quick
@given(differences=columns_of)
def test_better_and_worse_are_treated_alike(test, differences):
    np.testing.assert_array_equal(few(test)(differences), few(test)(-differences))


@every_test
@quick
@given(differences=columns_of, factor=st.sampled_from([2.0**-20, 0.25, 3.0, 10.0, 1e-6, 12345.678]))
def test_units_do_not_matter(test, differences, factor):
    np.testing.assert_allclose(few(test)(differences * factor), few(test)(differences), rtol=1e-9, atol=1e-12)


@every_test
@quick
@given(differences=columns_of, data=st.data())
def test_the_order_of_queries_does_not_matter(test, differences, data):
    """Exactly, but for drawn flips, which agree within their error."""
    order = data.draw(st.permutations(range(len(differences))))
    (one,), (other,) = test(differences), test(differences[list(order)])
    bound = error(one, 100_000, simulations=2) if test is randomization and len(differences) > 12 else 1e-9
    assert one == pytest.approx(other, abs=bound, nan_ok=True)


@every_test
@quick
@given(differences=columns_of, holes=st.integers(1, 4))
def test_undefined_queries_drop_out(test, differences, holes):
    (one,), (other,) = test(differences), test(np.vstack([differences, np.full((holes, 1), NAN)]))
    drawn = test is randomization and len(differences) > 12
    assert one == pytest.approx(other, abs=error(one, 100_000, simulations=2) if drawn else 1e-9, nan_ok=True)


@quick
@given(steps=st.lists(st.integers(-12, 12), min_size=2, max_size=24), unit=st.sampled_from([0.1, 1 / 7, 1.0, 1e-5]))
def test_flips_follow_the_exact_distribution(steps, unit):
    p = by_steps(steps)
    (ours,) = stats.randomization_test(column(*steps) * unit)
    assert ours == pytest.approx(p, abs=1e-9 if len(steps) <= 12 else error(p, 100_000))


@pytest.mark.parametrize("test", [randomization, wilcoxon, sign])
@quick
@given(sizes=st.lists(st.integers(1, 40), min_size=6, max_size=12), lost=st.integers(0, 5))
def test_a_win_turned_to_a_loss_is_weaker_evidence(test, sizes, lost):
    """Where all is won. Not so for Student: one win far larger than all others raises the sd more than the mean."""
    won = np.array(sizes, np.float64)
    one_lost = np.where(np.arange(len(won)) == lost, -won, won)
    assert test(won[:, None]) <= test(one_lost[:, None])


@pytest.mark.parametrize(("n", "permutations"), [(3, 50), (21, 10_001), (7_000, 10_000)])
def test_sums_that_are_remembered_are_those_that_are_added_up_together(n, permutations, monkeypatch):
    """Bit for bit, also after another seed was asked for; what is remembered takes little memory."""
    columns = np.random.default_rng(n).normal(size=(n, 6))
    sums, drawn_sums, looked_up = paired.byte_sums(columns), paired._drawn_sums, []
    monkeypatch.setattr(paired, "_drawn_sums", lambda block, *rest: looked_up.append(block.shape[1]) or drawn_sums(
        block, *rest))
    for seed in (5, 6, 5):
        drawn = [paired.draw_flips(n, start, permutations, seed) for start in paired.flip_batches(n, permutations)]
        together = np.concatenate([paired.flipped_sums(sums, flips) for flips in drawn])
        for some in ([1], [0, 1, 1], slice(None), [5, 2]):
            np.testing.assert_array_equal(paired.remembered_sums(columns[:, some], permutations, seed),
                                          together[:, some])
    assert looked_up == [1, 1, 4] * 2, "each column once, and none again"
    assert len(paired._remembered) <= paired._REMEMBERED
    assert paired._all_flips(n, permutations, 5).nbytes <= 16 << 20


def test_families_are_few_while_their_flips_and_sums_take_little_memory():
    assert paired.are_few(7_000, 7, 10_000) and paired.are_few(100, 4, 100_000)
    assert not paired.are_few(7_000, 7, 30_000), "flips of many queries"
    assert not paired.are_few(100, 466, 10_000), "sums of many columns"

