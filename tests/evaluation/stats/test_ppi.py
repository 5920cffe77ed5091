"""Tuned prediction-powered inference: by hand, by other implementations, in groups, and where it is not defined."""

import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import beta

from ragdash.evaluation.stats import MIN_GROUPS, MIN_LABELS, label_interval, ppi

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

# ppi_mean_pointestimate(labels, their verdicts, the other verdicts) of ppi-python 0.2.3, of vectors() and tuned(), and
# its lambda for tuned()
GRADED, TUNED, TUNED_WEIGHT = 0.4906264911066649, 0.6944763049450551, 0.6232417582417611


def vectors():
    """60 verdicts, and labels of the first 24."""
    i = np.arange(60)
    verdicts = (i * 37 + 11) % 101 / 100
    return verdicts, np.where(i < 24, ((i * 53 + 7) % 97 / 96).round(1), np.nan)


def tuned():
    """200 verdicts that mostly agree, and labels of the first 40."""
    i = np.arange(200)
    right = (i * 37 % 101 < 70) * 1.0
    verdicts = np.where(i % 9 == 4, 1 - right, right)
    return verdicts, np.where(i < 40, right, np.nan)


def column(found, *names):
    return [float(getattr(found, name)[0]) for name in names]


def test_estimate_and_lambda_are_those_of_ppi_python():
    for (verdicts, labels), wanted in ((vectors(), GRADED), (tuned(), TUNED)):
        assert column(ppi(verdicts[:, None], labels[:, None]), "estimate") == pytest.approx([wanted], abs=1e-12)
    verdicts, labels = tuned()
    assert column(ppi(verdicts[:, None], labels[:, None]), "weight") == pytest.approx([TUNED_WEIGHT], abs=1e-12)


def test_a_case_by_hand():
    """20 labels, 15 of 1; the judge errs on 1 of these and on 1 of the others; of 40 others it says 1 to 30.

    Covariance 14/20 - (15/20)(15/20) = 11/80; variance of all 60 verdicts, 45 of 1: (45 15 / 60) / 59 = 45/236;
    lambda = (11/80) / (45/236) / (1 + 20/40). The rectifiers y - lambda f have the variance (3/16)(1 + lambda^2) -
    2 lambda 11/80. The estimate is 3/4, as the share of 1 is the same everywhere.
    """
    verdicts = np.array([1.0] * 14 + [0.0] + [1.0] + [0.0] * 4 + [1.0] * 30 + [0.0] * 10)
    labels = np.array([1.0] * 15 + [0.0] * 5 + [np.nan] * 40)
    found = ppi(verdicts[:, None], labels[:, None])
    weight = (11 / 80) / (45 / 236) / 1.5
    spread = 3 / 16 * (1 + weight**2) - 2 * weight * 11 / 80
    variance = spread / 20 + weight**2 * (45 / 236) / 40 + 2 / 400
    n = 20 * (3 / 16 / 20 + 2 / 400) / variance
    wanted = beta.ppf(0.025, 0.75 * n, 0.25 * n + 1), beta.ppf(0.975, 0.75 * n + 1, 0.25 * n)
    assert column(found, "weight", "effective_n", "estimate") == pytest.approx([weight, n, 0.75])
    assert column(found, "low", "high") == pytest.approx(wanted)
    assert column(found, "error") == pytest.approx([math.sqrt(variance)])


@pytest.mark.parametrize("yes", [0, 1, 12, 20])
def test_labels_alone_have_the_exact_interval_and_a_useless_judge_leaves_it(yes):
    from scipy.stats import binomtest

    wanted = binomtest(yes, 20).proportion_ci(0.95, method="exact")
    labels = np.array([1.0] * yes + [0.0] * (20 - yes))
    assert label_interval(labels) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    constant = ppi(np.ones((90, 1)), np.append(labels, np.full(70, np.nan))[:, None])
    assert column(constant, "weight", "estimate", "low", "high") == pytest.approx(
        [0, yes / 20, wanted.low, wanted.high], abs=1e-12)


def test_differences_are_shares_of_a_range_twice_as_wide():
    rng = np.random.default_rng(3)
    labels = rng.integers(-1, 2, 40) * 1.0
    low, high = label_interval(labels, bounds=(-1.0, 1.0))
    assert low < labels.mean() < high and label_interval(np.zeros(20), bounds=(-1.0, 1.0))[1] > 0.05
    verdicts = np.append(labels, rng.integers(-1, 2, 300))
    found = ppi(verdicts[:, None], np.append(labels, np.full(300, np.nan))[:, None], bounds=(-1.0, 1.0))
    assert found.high[0] - found.low[0] < 0.7 * (high - low) and found.low[0] >= -1


def test_ends_of_one_sided_differences_move_to_the_longer_side():
    """Four of twenty queries lost, by hand: the third moment about -0.2 is 0.2 (-0.8)^3 + 0.8 (0.2)^3 = -0.096, the
    variance of the mean with the two rectifiers 0.16 / 20 + 2 / 400. With a judge: of r = y - lambda f.
    """
    losses = np.array([-1.0] * 4 + [0.0] * 16)
    shift = -0.096 / 400 / (0.16 / 20 + 2 / 400) * (1 + 2 * 1.959964**2) / 6
    n = 20 * (0.4 * 0.6 / 20 + 0.5 / 400) / (0.04 / 20 + 0.5 / 400)  # on the scale from 0 to 1
    exact = np.array([beta.ppf(0.025, 0.4 * n, 0.6 * n + 1), beta.ppf(0.975, 0.4 * n + 1, 0.6 * n)])
    ends = np.array(label_interval(losses, bounds=(-1.0, 1.0)))
    assert shift == pytest.approx(-0.0267, abs=1e-4) and ends == pytest.approx(2 * exact - 1 + shift)
    assert label_interval(-losses, bounds=(-1.0, 1.0)) == pytest.approx(-ends[::-1])
    verdicts = np.array([-1.0] * 3 + [0.0] * 17 + [-1.0] * 9 + [0.0] * 30 + [1.0])
    labels = np.append(losses, np.full(40, np.nan))
    moved = ppi(verdicts[:, None], labels[:, None], bounds=(-1.0, 1.0))
    weight, error = column(moved, "weight", "error")
    rest = losses - weight * verdicts[:20]
    cumulant = ((rest - rest.mean())**3).mean() / 400 + weight**3 * ((verdicts - verdicts.mean())**3).mean() / 1600
    half = (moved.estimate[0] + 1) / 2, moved.effective_n[0]
    exact = np.array([beta.ppf(0.025, half[0] * half[1], (1 - half[0]) * half[1] + 1),
                      beta.ppf(0.975, half[0] * half[1] + 1, (1 - half[0]) * half[1])])
    expected = 2 * exact - 1 + cumulant / error**2 * (1 + 2 * 1.959964**2) / 6
    assert weight > 0.3 and column(moved, "low", "high") == pytest.approx(expected)
    single = ppi(verdicts[:, None], labels[:, None], bounds=(-1.0, 1.0), groups=np.arange(60))
    assert column(single, "low", "high") == pytest.approx(expected, abs=0.02)  # 20 / 19, t of 19


def test_columns_do_not_know_each_other_and_what_is_missing_drops_out():
    verdicts, labels = tuned()
    judged = verdicts.copy()
    judged[[3, 140]] = np.nan  # one labeled, one not
    both = ppi(np.stack([verdicts, judged], axis=1), np.stack([labels, labels], axis=1))
    keep = ~np.isnan(judged)
    alone = ppi(judged[keep][:, None], labels[keep][:, None])
    assert (both.n.tolist(), both.n_unlabeled.tolist()) == ([40, 39], [160, 159])
    assert [both.low[1], both.high[1]] == pytest.approx([alone.low[0], alone.high[0]]) and both.low[0] != both.low[1]


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
    assert [not math.isnan(value) for value in column(found, "estimate", "low", "high", "error", "effective_n")] == \
        [estimate, interval, interval, interval, interval]


def test_groups_widen_an_interval_and_single_queries_as_groups_do_not():
    verdicts, labels = tuned()
    free = ppi(verdicts[:, None], labels[:, None])
    single = ppi(verdicts[:, None], labels[:, None], groups=np.arange(200))
    assert column(single, "estimate", "weight") == column(free, "estimate", "weight")
    assert column(single, "low", "high") == pytest.approx(column(free, "low", "high"), abs=0.004)  # 40 / 39
    repeated = np.repeat(labels[:20], 2)
    blocks = np.repeat(np.arange(20), 2)
    once, twice = label_interval(repeated, groups=blocks), label_interval(labels[:20], groups=np.arange(20))
    assert once == pytest.approx(twice, abs=0.04)  # 20 answers, each twice, say no more than 20
    assert np.diff(once) > 1.3 * np.diff(label_interval(repeated))
    few = ppi(verdicts[:, None], labels[:, None], groups=np.arange(200) % (MIN_GROUPS - 1))
    assert math.isnan(few.low[0]) and math.isnan(label_interval(repeated, groups=blocks // 3)[0])


def test_a_judge_that_always_agrees_does_not_claim_to_know_all():
    labels = np.array([1.0] * 25 + [np.nan] * 500)
    found = ppi(np.ones((525, 1)), labels[:, None])
    assert found.low[0] < 0.9 and found.high[0] == 1


def test_the_benchmark_computes_what_the_package_does_and_its_quick_grid_covers():
    """Counts against arrays; then the grid of benchmarks/ppi.py in small."""
    import ppi as benchmark
    from ppi_methods import adopted, draw, labels_alone

    rng = np.random.default_rng(1)
    _, _, y, f, _ = next(benchmark.mean_cells({"TRUE": (0.8,)}))
    table = draw(rng, np.array([0.6, 0.2, 0.05, 0.15]), y, f, 40, 160, 3, (0.0, 1.0))
    for sample in range(3):
        counts = table.labeled[:, sample].astype(int)
        others = table.others[:, sample].astype(int)
        verdicts = np.concatenate([np.repeat(f, counts), np.repeat(table.values, others)])
        labels = np.concatenate([np.repeat(y, counts), np.full(160, np.nan)])
        found = ppi(verdicts[:, None], labels[:, None])
        low, high = adopted(table, rng)
        assert (low[sample], high[sample]) == pytest.approx((found.low[0], found.high[0]), abs=1e-12)
        alone = [end[sample] for end in labels_alone(table, rng)]
        assert label_interval(labels[:40]) == pytest.approx(alone, abs=1e-12)
    case, kinds, y, f, _ = next(benchmark.difference_cells({"TRUE": (0.9,)}))
    table = draw(rng, kinds, y, f, 40, 160, 1, (-1.0, 1.0))
    verdicts = np.concatenate([np.repeat(f, table.labeled[:, 0].astype(int)),
                               np.repeat(table.values, table.others[:, 0].astype(int))])
    labels = np.concatenate([np.repeat(y, table.labeled[:, 0].astype(int)), np.full(160, np.nan)])
    moved = ppi(verdicts[:, None], labels[:, None], bounds=(-1.0, 1.0))
    assert np.ravel(adopted(table, rng)) == pytest.approx(column(moved, "low", "high"), abs=1e-12)
    assert np.ravel(labels_alone(table, rng)) == pytest.approx(label_interval(labels[:40], bounds=(-1.0, 1.0)))
    methods = {"adopted": adopted}
    for kind, (_, cells) in benchmark.METHODS.items():
        for case in cells({"TRUE": (0.5, 0.95)}):
            for queries, n in ((200, 20), (1000, 50), (200, 150)):
                share, _ = benchmark.simulate(kind, (case, queries, n), 400, 7, methods)["adopted"]
                assert share >= benchmark.BOUND - 3 * math.sqrt(0.05 * 0.95 / 400), (kind, case[0], queries, n)


def test_a_low_cell_of_the_benchmark_is_judged_by_its_fresh_draw_alone(capsys):
    """First estimates within three standard errors of 94 % are no verdict; the fresh one is, whatever the first was."""
    import ppi as benchmark

    options = SimpleNamespace(samples=2000, fresh=20_000, seed=1)
    cells = [("high",), ("within the noise",), ("low by chance",), ("low",), ("labels low",)]
    first = np.array([[[cover, 0.2], [alone, 0.3]] for cover, alone in (
        (0.956, 0.97), (0.9555, 0.97), (0.938, 0.97), (0.90, 0.97), (0.97, 0.95))])
    fresh = {1: (0.951, 0.96), 2: (0.9401, 0.96), 3: (0.9399, 0.96), 4: (0.97, 0.9)}
    drawn = []

    def again(index):
        drawn.append(index)
        return np.array([[fresh[index][0], 0.2], [fresh[index][1], 0.3]])

    assert benchmark.verdicts(cells, first, again, options) == 2
    assert drawn == [1, 2, 3, 4], "the first is three standard errors above 94 %"
    told = capsys.readouterr().out
    assert "First estimate below 95.59%: 4 of 5 cells, drawn again 20,000 times each with seed 2." in told
    assert "adopted 93.99% or more, labels alone 90.00% or more; below 94%: 1 and 1." in told
