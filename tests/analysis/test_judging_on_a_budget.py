"""Judging on a budget: unbiased over every possible sample, exact in full, by hand, refused where undefined."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from ragdash import InputError, Run, Truth, evaluate, parse_specs
from ragdash.analysis.test_set.budget import draw_judgments, estimate_means, stratified_total
from ragdash.analysis.test_set.budget.design import draw_from_pool, judgment_pool
from ragdash.analysis.test_set.budget.estimate import JudgedRow
from ragdash.analysis.test_set.budget.stratified import allocate, cut_strata
from ragdash.core.errors import Unavailable
from ragdash.matching.match import Match


def setting(queries: int = 6, depth: int = 4, seed: int = 1) -> tuple[list[Run], Truth, dict[tuple[str, str], int]]:
    """Two runs, a truth with the first document of each query, the grades of all documents that they returned."""
    rng = np.random.default_rng(seed)
    lists = [[rng.permutation(7)[:depth] for _ in range(queries)] for _ in range(2)]
    runs = [Run.build(name, [f"q{q}" for q in range(queries) for _ in range(depth)],
                      [f"d{doc}" for docs in own for doc in docs]) for name, own in zip("ab", lists, strict=True)]
    grades = {(f"q{q}", f"d{doc}"): int(rng.random() < 0.4) * int(rng.integers(1, 3))
              for q in range(queries) for doc in range(7)}
    known = {(f"q{q}", f"d{lists[0][q][0]}"): grades[f"q{q}", f"d{lists[0][q][0]}"] for q in range(queries)}
    known["q0", "extra"] = 2  # the highest grade
    return runs, truth_of(known), {**grades, **known}


def truth_of(grades: dict[tuple[str, str], int]) -> Truth:
    return Truth.build("qrels", *([pair[i] for pair in grades] for i in (0, 1)), list(grades.values()))


def full_means(runs: list[Run], pool, grades: dict, truth: Truth, spec) -> list[float]:
    """The means if every document of the pool were judged, by `evaluate` alone."""
    ids = truth.query_ids.take(truth.queries).to_pylist()
    known = dict(zip(zip(ids, truth.docs.to_pylist(), strict=True), truth.grades.tolist(), strict=True))
    judged = truth_of({**known, **{pair: grades[pair] for pair in pool.place}})
    return [float(evaluate(run, judged, [spec], unanswerable="zero").values.mean()) for run in runs]


@pytest.mark.parametrize(("spec", "unit"), [("P@4", "document"), ("DCG@4", "document"), ("RBP(p=0.5)@4", "document"),
                                            ("nDCG@4", "query"), ("R@4", "query"), ("AP", "query"), ("P@4", "query")])
def test_a_sample_of_everything_gives_the_values_of_full_judgments(spec, unit):
    runs, truth, grades = setting()
    [spec] = parse_specs(spec)
    pool = judgment_pool([Match(run, truth) for run in runs], spec, 4)
    sample = draw_from_pool(pool, 1_000, unit)
    assert sample.units == sample.population and set(sample.table["probability"].to_pylist()) == {1.0}
    rows = [JudgedRow(row["query_id"], row["doc_id"], row["stratum"], row["probability"],
                      grades[row["query_id"], row["doc_id"]]) for row in sample.table.to_pylist()]
    result, expected = estimate_means(pool, rows, unit), full_means(runs, pool, grades, truth, spec)
    assert [mean.value for mean in result.means] == pytest.approx(expected)
    assert result.differences[0, 1].value == pytest.approx(expected[0] - expected[1])
    if spec.name != "DCG":
        assert all(mean.low == mean.value == mean.high for mean in result.means)
    current = [float(evaluate(run, truth, [spec], unanswerable="zero").values.mean()) for run in runs]
    assert result.current == pytest.approx(current)


def test_the_total_of_a_stratified_sample_is_unbiased_and_so_is_its_variance():
    values, strata, counts, taken = np.array([1.0, 4, 2, 7, 5, 3, 0]), np.array([0, 0, 0, 0, 1, 1, 1]), (4, 3), (2, 2)
    members = [np.flatnonzero(strata == h) for h in range(2)]
    estimates = []
    for parts in product(*(combinations(rows, n) for rows, n in zip(members, taken, strict=True))):
        rows = np.concatenate(parts)
        estimates.append(stratified_total(values[rows], strata[rows], np.array(counts)))
    totals = np.array([estimate.value for estimate in estimates])
    assert len(totals) == 18 and totals.mean() == pytest.approx(values.sum())
    assert np.mean([estimate.error ** 2 for estimate in estimates]) == pytest.approx(totals.var())


def test_the_total_of_a_stratified_sample_by_hand():
    # Stratum 0: 10 units, 3 seen (mean 2, variance 1): 100 x 0.7 / 3 = 23.3; stratum 1: 2 of 2 units, no variance.
    estimate = stratified_total(np.array([1.0, 2, 3, 5, 6]), np.array([0, 0, 0, 1, 1]), np.array([10, 2]))
    assert estimate.value == pytest.approx(31) and estimate.error == pytest.approx(np.sqrt(70 / 3))
    assert estimate.high - estimate.value == pytest.approx(4.302652729911275 * estimate.error)  # t with 2 degrees
    single = stratified_total(np.array([1.0]), np.array([0]), np.array([2]))
    assert single.value == 2 and np.isnan(single.low)
    floored = stratified_total(np.zeros(3), np.zeros(3, int), np.array([10]), np.array([0.5]))
    assert floored.value == 0 and floored.error == pytest.approx(np.sqrt(0.5 * 70 / 3))


def test_estimates_of_means_and_differences_have_no_bias_over_many_samples():
    runs, truth, grades = setting(queries=30, depth=6, seed=5)
    grades = {pair: min(grade, 1) for pair, grade in grades.items()}
    [spec] = parse_specs("P@6")
    pool = judgment_pool([Match(run, truth) for run in runs], spec)
    expected = full_means(runs, pool, grades, truth, spec)
    for unit, target in (("document", "means"), ("document", "difference"), ("query", "means")):
        results = []
        for seed in range(120):
            sample = draw_from_pool(pool, 60, unit, target, seed)
            assert abs(len(sample.table) - 60) <= 12
            results.append(estimate_means(pool, [
                JudgedRow(row["query_id"], row["doc_id"], row["stratum"], row["probability"],
                          grades[row["query_id"], row["doc_id"]]) for row in sample.table.to_pylist()], unit))
        gap = np.array([result.differences[0, 1].value for result in results])
        means = np.array([result.means[0].value for result in results])
        for values, right in ((gap, expected[0] - expected[1]), (means, expected[0])):
            assert abs(values.mean() - right) < 3.5 * values.std() / np.sqrt(len(values)) + 1e-9
        right = expected[0] - expected[1]
        covered = [result.differences[0, 1].low - 1e-9 <= right <= result.differences[0, 1].high + 1e-9
                   for result in results]
        assert np.mean(covered) > 0.88


def test_strata_and_what_each_gives():
    size = np.sort(np.random.default_rng(0).random(200))
    stratum = cut_strata(size, 80, 4)
    totals = np.bincount(stratum, size)
    assert len(totals) == 4 and totals.max() / totals.min() < 1.1 and (np.diff(stratum) >= 0).all()
    counts = np.bincount(stratum)
    taken = allocate(counts, totals, 80)
    assert taken.sum() == 80 and (taken <= counts).all() and (taken >= 4).all()
    assert allocate(np.array([3, 100]), np.array([1.0, 1.0]), 50).tolist() == [3, 47]
    assert cut_strata(np.zeros(5), 100, 3).max() <= 2 and len(cut_strata(np.zeros(0), 10, 3)) == 0


def test_rows_without_a_grade_count_as_missing_at_random_in_their_stratum():
    run = Run.build("a", ["q1"] * 4 + ["q2"] * 4, [f"d{i}" for i in range(8)])
    match = Match(run, Truth.build("qrels", ["q1", "q2"], ["x", "x"], [1, 1]))
    pool = judgment_pool([match], parse_specs("P@4")[0])
    rows = [JudgedRow("q1", f"d{i}", 0, 0.5, grade) for i, grade in enumerate((1, 1, 0, None))]
    estimate = estimate_means(pool, rows)
    assert (estimate.judged, estimate.population) == (3, 8)
    assert estimate.means[0].value == pytest.approx(2 / 3)  # 2 of 3 judged are relevant, of 8 documents
    query = estimate_means(pool, [replace(row, probability=0.5, grade=1) for row in rows], "query")
    assert query.means[0].value == pytest.approx(1.0) and np.isnan(query.means[0].low)  # 1 of 2 queries
    for wrong, kind in (([replace(rows[0], doc="none")], "sheet-document"),
                        ([replace(rows[0], probability=0.0)], "sheet-probability"), (rows[:3], "sheet-pool"),
                        ([*rows, replace(rows[0], grade=0)], "sheet-document"), ([*rows, *rows], "sheet-document"),
                        ([replace(row, grade=None) for row in rows], "no-judged-units"), ([], "no-judged-units")):
        with pytest.raises(InputError) as error:
            estimate_means(pool, wrong)
        assert error.value.problems[0].kind == kind


def test_queries_that_are_all_alike_have_no_interval_and_no_mean_leaves_the_range_of_its_metric():
    ids = [f"q{number}" for number in range(8)]
    run = Run.build("a", [query for query in ids for _ in "01"], [f"{query}d{i}" for query in ids for i in "01"])
    pool = judgment_pool([Match(run, Truth.build("qrels", ids, [f"{query}d0" for query in ids], [1] * 6 + [0] * 2))],
                         parse_specs("P@2")[0])
    judged = [JudgedRow(query, f"{query}d1", 0, 0.25, 1) for query in ids[:2]]
    assert estimate_means(pool, judged, "query").means[0].value == pytest.approx(0.875)
    assert np.isnan(estimate_means(pool, judged, "query").means[0].low)
    mixed = [replace(judged[0], grade=0), judged[1]]
    assert estimate_means(pool, mixed, "query").means[0].high == 1.0


def test_metrics_that_are_no_sum_over_documents_need_whole_queries():
    runs, truth, _ = setting()
    matches = [Match(run, truth) for run in runs]
    with pytest.raises(Unavailable) as error:
        draw_judgments(matches, parse_specs("nDCG@4")[0], 5)
    assert "whole queries" in error.value.problem.expected
    sample = draw_judgments(matches, parse_specs("nDCG@4")[0], 12, unit="query")
    by_query = {query: sum(row["query_id"] == query for row in sample.table.to_pylist())
                for query in sample.table["query_id"].to_pylist()}
    assert sum(by_query.values()) == len(sample.table) and len(by_query) == sample.units < sample.population
    for wrong in ({"unit": "page"}, {"target": "all"}):
        with pytest.raises(InputError):
            draw_judgments(matches, parse_specs("P@4")[0], 5, **wrong)
