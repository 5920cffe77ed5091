"""Comparison of configurations: differences, verdicts and their corrections over the grid, slices, gates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import over, random_case, run_of, truth_of
from scipy import stats as scipy_stats

from ragdash.core.errors import InputError
from ragdash.core.slices import Slice
from ragdash.evaluation.ci_gates import parse_limit
from ragdash.evaluation.compare import ComparisonRules, compare, compare_slices, differences, select_comparable
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.outcomes import Family
from ragdash.metrics import parse_spec
from ragdash.reporting.sentences import comparison
from ragdash.reporting.tables.comparison import as_dict, plain_sentence

pytestmark = pytest.mark.filterwarnings("error")

QUICK = ComparisonRules(resamples=500, permutations=2_000)


def two(better: int, worse: int, same: int, metrics="RR P@1", depth=1):
    """Evaluations of a baseline and a candidate that is better, worse and the same on so many queries."""
    kinds = ["better"] * better + ["worse"] * worse + ["same"] * same
    first = {f"q{i}": ["x", "a"] if kind == "better" else ["a", "x"] for i, kind in enumerate(kinds)}
    second = {f"q{i}": ["x", "a"] if kind == "worse" else ["a", "x"] for i, kind in enumerate(kinds)}
    truth = truth_of({query: ["a"] for query in first})
    return [evaluate(run_of(rankings, name), truth, metrics) for name, rankings in (("old", first), ("new", second))]


def random_evaluations(count: int, queries: int, seed: int = 0):
    """Evaluations of runs that find the one relevant document at random ranks, the later ones earlier."""
    rng = np.random.default_rng(seed)
    truth = truth_of({f"q{i}": ["a"] for i in range(queries)})
    runs = []
    for index in range(count):
        ranks = np.minimum(rng.geometric(0.25 + 0.12 * index, queries), 9)
        rankings = {f"q{i}": [*(f"x{j}" for j in range(rank - 1)), "a"] for i, rank in enumerate(ranks)}
        runs.append(evaluate(run_of(rankings, f"run{index}"), truth, "RR P@1 MeanRank"))
    return runs


def test_wins_ties_losses_and_the_mean_difference_by_hand():
    old, new = two(better=3, worse=1, same=2)
    (row,) = compare(old, [new], rules=QUICK)
    rr, p1 = row
    assert (rr.candidate, str(rr.spec), rr.n, rr.left_out) == ("new", "RR", 6, 0)
    assert (rr.wins, rr.ties, rr.losses) == (3, 2, 1)
    assert rr.mean_difference == pytest.approx((3 * 0.5 - 0.5) / 6)
    assert p1.mean_difference == pytest.approx(2 / 6)
    assert rr.superiority == pytest.approx((3 + 2 / 2) / 6)
    values = np.array([0.5] * 3 + [-0.5] + [0.0] * 2)
    assert rr.p["t"] == pytest.approx(scipy_stats.ttest_1samp(values, 0).pvalue, abs=1e-12)
    assert rr.p["sign"] == pytest.approx(scipy_stats.binomtest(3, 4).pvalue)
    assert rr.p["randomization"] == pytest.approx(10 / 16), "of 16 flips of four equal halves 10 are as far from 0"
    assert rr.cohens_dz == pytest.approx(values.mean() / values.std(ddof=1))


def test_where_lower_is_better_a_fall_is_a_win():
    old, new = two(better=30, worse=0, same=0, metrics="MeanRank RR")
    (rank, rr), = compare(old, [new], rules=QUICK)
    assert rank.mean_difference == -1 and rank.low <= -1 <= rank.high
    assert (rank.wins, rank.losses, rank.outcome) == (30, 0, "better")
    assert rank.superiority == 1 and rr.outcome == "better"
    assert rank.sign == -1 and rr.sign == 1


def test_the_other_way_round_everything_turns():
    old, new = two(better=20, worse=6, same=14)
    there, back = compare(old, [new], rules=QUICK)[0][0], compare(new, [old], rules=QUICK)[0][0]
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert there.mean_difference == -back.mean_difference
    assert there.p == pytest.approx(back.p)
    assert {there.outcome, back.outcome} == {"better", "worse"}


def test_p_is_corrected_over_all_pairs_of_runs_on_a_metric():
    case = random_case(3, "distinct", queries=9)
    truth, run = case.truth(), case.run()
    other = run_of({query: dict(zip(docs, sorted(docs.values(), key=hash), strict=True))
                    for query, docs in case.rankings.items() if docs}, "other")
    runs = [evaluate(one, truth, "RR P@5 nDCG@10") for one in (run, other, run.renamed("again"))]
    grid = compare(runs[0], runs[1:], rules=QUICK)
    alone = compare(runs[0], runs[1:2], rules=QUICK)
    assert alone[0][0].p == grid[0][0].p, "an uncorrected test does not depend on what else is compared"
    assert alone[0][0].p_corrected == pytest.approx(alone[0][0].p["randomization"]), "two runs need no correction"
    single = compare(runs[0], runs[1:], [parse_spec("RR")], ComparisonRules("none", resamples=500, permutations=2_000))
    assert single[0][0].p_corrected == single[0][0].p["randomization"] and single[0][0].family == Family(2, 1)
    assert grid[0][0].family == Family(3, 3)
    assert all(one.mean_difference == 0 and one.p_corrected == 1 for one in grid[1]), "the same run again"


def test_neither_the_baseline_nor_other_metrics_change_an_outcome():
    runs = random_evaluations(4, queries=40)
    grid = compare(runs[0], runs[1:], rules=QUICK)
    for first in (1, 2):
        others = [run for index, run in enumerate(runs) if index != first]
        for spec in runs[0].specs:
            back = compare(runs[first], others, [spec], QUICK)[0][0]
            assert back.candidate == runs[0].name
            there = grid[first - 1][list(runs[0].specs).index(spec)]
            assert back.p_corrected == pytest.approx(there.p_corrected, abs=1e-12)
            assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-9)


@over(seed=range(6))
def test_an_interval_excludes_0_exactly_where_the_outcome_is_better_or_worse(seed):
    runs = random_evaluations(5, queries=(7, 12, 25, 60)[seed % 4], seed=seed)
    for rules in (QUICK, replace(QUICK, correction="none"), replace(QUICK, alpha=0.2)):
        for row in compare(runs[0], runs[1:], rules=rules):
            for pair in row:
                excludes = pair.low > 0 or pair.high < 0
                assert excludes == (pair.outcome in ("better", "worse")) == (pair.p_corrected < rules.alpha)
                assert not pair.mean_difference < pair.low and not pair.mean_difference > pair.high


def test_a_detectable_difference_grows_with_the_number_of_pairs():
    runs = random_evaluations(5, queries=60)
    few, many = compare(runs[0], runs[1:2], rules=QUICK)[0][0], compare(runs[0], runs[1:], rules=QUICK)[0][0]
    assert few.detectable < many.detectable and few.queries_needed < many.queries_needed
    assert few.high - few.low < many.high - many.low


@pytest.mark.parametrize(("better", "same", "detectable"), [
    (0, 12, np.nan), (12, 0, np.nan), (1, 1, np.inf), (1, 2, np.inf), (6, 6, None)])  # n = 3: 3.26 sd of P@1, 0.577
def test_a_detectable_difference_is_one_that_the_queries_show_and_the_metric_can_have(better, same, detectable):
    """By hand: no variation shows nothing; two or three queries would need more than P@1 can differ."""
    old, new = two(better, 0, same)
    one, again = (compare(old, [new], "P@1", QUICK)[0][0] for _ in range(2))
    assert one == again and one != replace(one, n=99)
    finite = as_dict(one)["detectable_difference"]
    if detectable is None:
        assert 0 < one.detectable < 1 and finite == one.detectable
        return
    assert one.detectable == pytest.approx(detectable, nan_ok=True) and finite is None
    assert "nan" not in plain_sentence(one, "old") and "0.000 or more" not in plain_sentence(one, "old")
    if np.isnan(detectable):
        assert not one.queries_needed < np.inf


def test_a_small_sure_difference_is_equivalent_within_the_margin_and_better_without():
    rng = np.random.default_rng(5)
    kinds = rng.permutation(np.repeat([1, 0], [30, 470]))
    old = {f"q{i}": ["x", "a"] if kind else ["a"] for i, kind in enumerate(kinds)}
    new = {query: ["a"] for query in old}
    truth = truth_of({query: ["a"] for query in old})
    old, new = (evaluate(run_of(rankings, name), truth, "RR") for name, rankings in (("old", old), ("new", new)))
    for margin, verdict in ((None, "better"), (0.05, "equivalent"), (0.01, "better")):
        assert compare(old, [new], rules=replace(QUICK, margin=margin))[0][0].outcome == verdict


def test_equal_but_for_rounding_is_a_tie():
    truth = truth_of({f"q{i}": ["a"] for i in range(4)})
    runs = [evaluate(run_of({f"q{i}": ["a"] for i in range(4)}, name), truth, "RR") for name in "ab"]
    object.__setattr__(runs[1], "values", runs[1].values + 1e-16 + 3e-14)
    assert compare(runs[0], [runs[1]], rules=QUICK)[0][0].ties == 4


@pytest.mark.parametrize("n", [0, 1])
def test_with_fewer_than_two_common_queries_nothing_is_said(n):
    old, new = two(better=n, worse=0, same=0) if n else two(1, 0, 0)
    if not n:
        old, new = (evaluate(run_of({"q0": ["a"]}, name), truth_of({"q0": {"a": 0}}), "RR") for name in ("old", "new"))
    one = compare(old, [new], [parse_spec("RR")], QUICK)[0][0]
    assert one.n == n and one.outcome == ("too-few" if n else "undefined")
    assert all(np.isnan(p) for p in (*one.p.values(), one.p_corrected, one.mean_difference, one.low, one.detectable))
    assert "cannot be compared" in plain_sentence(one, "old")


def test_no_difference_at_all_is_undecided_with_p_1():
    old, new = two(0, 0, 12)
    one = compare(old, [new], rules=QUICK)[0][0]
    assert one.outcome == "undecided" and one.p_corrected == 1 and one.mean_difference == 0 == one.low == one.high
    assert one.queries_needed == np.inf and one.ties == 12
    assert ": new minus old 0.000 [" in plain_sentence(one, "old"), "the direction of a difference is said"
    assert compare(old, [new], rules=ComparisonRules(margin=0.1, resamples=500))[0][0].outcome == "equivalent"


@pytest.mark.parametrize(("n", "outcome"), [(2, "too-few"), (5, "too-few"), (6, "better")])
def test_below_six_queries_no_difference_can_be_significant(n, outcome):
    old, new = two(better=n, worse=0, same=0, metrics="RR")
    ((rr,),) = compare(old, [new], rules=QUICK)
    assert rr.outcome == outcome
    assert (rr.low, rr.high) == ((-1, 1) if outcome == "too-few" else (0.5, 0.5)), "few queries leave all possible"


def test_too_few_queries_are_named():
    old, new = two(better=1, worse=0, same=1, metrics="RR")
    ((rr,),) = compare(old, [new], rules=QUICK)
    assert "with 2 queries no difference can be significant" in comparison.comparison_sentence(rr, "old", None)
    assert "2 queries are too few" in comparison.leader_sentence(["new", "old"], [new.summary()[0], old.summary()[0]],
                                                      {1: replace(rr, candidate="old")})


def test_queries_undefined_on_one_side_are_left_out_and_counted():
    truth = truth_of({f"q{i}": ["a"] for i in range(6)})
    full = evaluate(run_of({f"q{i}": ["x", "a"] for i in range(6)}, "full"), truth, "RR", missing="skip")
    part = evaluate(run_of({f"q{i}": ["a"] for i in range(4)}, "part"), truth, "RR", missing="skip")
    one = compare(full, [part], rules=QUICK)[0][0]
    assert (one.n, one.left_out, one.wins) == (4, 2, 4)
    np.testing.assert_array_equal(differences(full, part, parse_spec("RR")), [0.5] * 4 + [np.nan] * 2)


def test_what_is_no_mean_or_has_no_direction_is_named():
    old, _ = two(2, 1, 1, metrics="RR FirstRank Judged@5 R(average='micro')@5 AQWV@5")
    kept, problems = select_comparable(old, old.specs)
    assert [str(spec) for spec in kept] == ["RR", "AQWV@5"]
    assert len(problems) == 3 and all(problem.kind == "not-comparable" for problem in problems)
    with pytest.raises(InputError, match="Judged@5"):
        compare(old, [old], [parse_spec("Judged@5")])


def test_evaluations_without_the_metric_are_named_together():
    old, new = two(3, 2, 5, metrics="RR")
    third = evaluate(run_of({query: ["a"] for query in old.query_ids.to_pylist()}, "third"),
                     truth_of({query: ["a"] for query in old.query_ids.to_pylist()}), "AP RR")
    with pytest.raises(InputError) as caught:
        compare(old, [new, third], "AP", QUICK)
    assert [(problem.kind, problem.facts["run"]) for problem in caught.value.problems] == [
        ("not-evaluated", "old"), ("not-evaluated", "new")]
    with pytest.raises(KeyError, match="found AP, which was not evaluated for 'old'; expected RR"):
        old.column("AP")


def test_other_queries_are_refused():
    old, _ = two(2, 0, 0)
    _, new = two(3, 0, 0)
    with pytest.raises(InputError, match="other queries"):
        compare(old, [new])


@pytest.mark.parametrize(("rules", "word"), [({"correction": "bonferoni"}, "max-t"), ({"margin": 0.0}, "above 0"),
                                             ({"margin": float("nan")}, "above 0")], ids=str)
def test_wrong_rules_are_refused(rules, word):
    with pytest.raises(InputError, match=word):
        ComparisonRules(**rules)


def test_slices_compare_their_own_queries_and_correct_over_all():
    old, new = two(better=8, worse=8, same=0)
    first = np.arange(16) < 8
    halves = [Slice("half", "first", first), Slice("half", "second", ~first), Slice("half", "none", first & ~first)]
    rows = compare_slices(old, [new], parse_spec("RR"), halves, QUICK)
    good, bad, none = (row[0] for row in rows)
    assert (good.n, good.wins, good.losses, good.slice.value) == (8, 8, 0, "first")
    assert (bad.n, bad.wins, bad.losses) == (8, 0, 8)
    assert none.n == 0 and none.outcome == "undefined"
    assert good.p["randomization"] == pytest.approx(2 / 2**8)
    assert good.p_corrected == pytest.approx(1 - (1 - 2 / 2**8) ** 2), "the chance of it in either of two slices"
    assert good.family == Family(2, 3, 3)
    assert (good.outcome, bad.outcome) == ("better", "worse")


@pytest.mark.parametrize(("text", "missed"), [("0.2", 0), ("0.1", 1), ("low=0.27", 1), ("low=0.1", 2), ("RR=0.1", 0),
                                              ("RR=0.09", 1), ("RR.low=0.9", 0), ("P@1.mean=0.1", 1),
                                              ("RR.low=0.1", 1)])
def test_a_limit_holds_the_mean_or_the_whole_interval(text, missed):
    old, new = two(better=2, worse=8, same=20)  # RR 0.1 worse, P@1 0.2 worse
    row = compare(old, [new], rules=QUICK)[0]
    limit = parse_limit(text, old.specs)
    checks = limit.checks(row)
    assert [check.subject for check in checks] == ["new"] * len(checks)
    wrong = [check.missed for check in checks if check.missed]
    assert len(wrong) == missed
    assert all("worse than the baseline" in line for line in wrong)
    assert all((" may be up to 0." if "lower end" in line else " is 0.") in line for line in wrong)


@pytest.mark.parametrize("text", ["much", "=", "RR=", "-0.1", "RR=nan", "1e400", "AP=0.1", "nonsense=0.1", ""])
def test_a_limit_that_is_none_is_refused(text):
    with pytest.raises(InputError):
        parse_limit(text, two(1, 1, 1)[0].specs)


def test_many_queries_or_runs_have_a_tenth_of_the_sign_flips():
    rules = ComparisonRules()
    assert [rules.flips(*sizes) for sizes in ((2_000,), (2_001,), (110, 50), (110, 51))] == [
        100_000, 10_000, 100_000, 10_000]
    assert ComparisonRules(permutations=500).flips(5_000, 200) == 500
