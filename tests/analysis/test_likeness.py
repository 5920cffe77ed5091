"""Likeness of runs, against plain implementations that share no line with the package, and scipy."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from helpers import Case, _run_columns, over, random_case, run_of, truth_of
from naive import sorted_docs

from ragdash.analysis.run_similarity import (
    collect_top_k,
    kendall_tau,
    oracle,
    overlap,
    rank_biased_overlap,
    unique_documents,
)
from ragdash.core.errors import InputError
from ragdash.core.records import Conventions, Run
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match, Matching
from ragdash.metrics import parse_spec

NAN = math.nan


def laid(*rankings: dict, k: int = 100, **conventions):
    """The lists of runs, over all their queries."""
    truth = truth_of({query: {"judged": 1} for ranking in rankings for query in ranking})
    return collect_top_k([Match(run_of(one, f"run {i}"), truth, Conventions(**conventions))
                  for i, one in enumerate(rankings)], k)


def pair(measure, first, second, **options) -> float:
    """A measure of two lists."""
    return float(measure(laid({"q": list(first)}, {"q": list(second)}), **options).values_of(0, 1)[0])


def plain_rbo(first: list, second: list, p: float) -> float:
    """The sum over 3,000 depths, agreement going on behind the end of a list as it was there."""
    short, long = sorted((first, second), key=len)
    if not long:
        return NAN
    if not short:
        return 0.0
    at_short = len(set(short) & set(long[:len(short)]))
    total, agreement = 0.0, 0.0
    for depth in range(1, 3001):
        if depth <= len(long):
            assumed = at_short / len(short) * max(depth - len(short), 0)
            agreement = (len(set(short[:depth]) & set(long[:depth])) + assumed) / depth
        total += (1 - p) * p ** (depth - 1) * agreement
    return total


def test_rank_biased_overlap_by_hand():
    # agreement 1, 1/2, 2/3 and so on: 1/2 * (1 + 1/2 * 1/2 + 1/4 * 2/3) + 1/8 * 2/3
    assert pair(rank_biased_overlap, "abc", "acd", p=0.5) == pytest.approx(0.5 * (1 + 0.25 + 1 / 6) + 1 / 12)
    assert pair(rank_biased_overlap, "abc", "abc") == pytest.approx(1.0, abs=1e-12)
    assert pair(rank_biased_overlap, "ab", "cd") == 0.0
    assert pair(rank_biased_overlap, "a", "ab") == pytest.approx(1.0)  # nothing speaks against b
    assert pair(rank_biased_overlap, "abcdefghij", "abcdefghij", p=0.999) == pytest.approx(1.0, abs=1e-9)


def test_lists_of_nothing():
    found = laid({"q1": ["a"], "q2": []}, {"q1": [], "q2": []})
    for measure in (rank_biased_overlap, lambda these: overlap(these, 5), lambda these: overlap(these, 5, of="union")):
        assert measure(found).values_of(0, 1).tolist() == pytest.approx([0.0, NAN], nan_ok=True)
    assert np.isnan(kendall_tau(found).values_of(0, 1)).all()


def random_pair(seed: int) -> tuple[Case, Case]:
    """Two runs of the same queries with ties and repeats; the second holds some of the first one's documents."""
    case, rng = random_case(seed, depth=30), np.random.default_rng(seed)
    others = {}
    for query, docs in case.rankings.items():
        kept = [doc for doc in docs if rng.random() < 0.7] + [f"new {i}" for i in range(int(rng.integers(0, 5)))]
        others[query] = {doc: float(rng.integers(0, 6)) for doc in rng.permutation(kept or ["new"]).tolist()}
    return case, Case(others, case.grades, _run_columns(rng, others, 1.0), case.truth_columns)


@over(seed=range(40))
def test_measures_agree_with_plain_ones(seed):
    from scipy.stats import kendalltau

    case, other = random_pair(seed)
    k = (3, 10, 100)[seed % 3]
    truth = case.truth()
    found = collect_top_k([Match(case.run(), truth), Match(Run.build("other", **other.columns), truth)], k)
    rbo, tau, share, union = (measure.values_of(0, 1) for measure in (
        rank_biased_overlap(found, 0.8), kendall_tau(found), overlap(found, 3), overlap(found, k, of="union")))
    for q, query in enumerate(truth.query_ids.to_pylist()):
        a, b = (sorted_docs(one.rankings.get(query, {}))[:k] for one in (case, other))
        assert rbo[q] == pytest.approx(plain_rbo(a, b, 0.8), abs=1e-9, nan_ok=True)
        common = [doc for doc in a if doc in b]
        expected = kendalltau([a.index(doc) for doc in common], [b.index(doc) for doc in common]).statistic \
            if len(common) > 1 else NAN
        assert tau[q] == pytest.approx(expected, nan_ok=True)
        top, larger = set(a[:3]) & set(b[:3]), max(len(a[:3]), len(b[:3]))
        assert share[q] == pytest.approx(len(top) / larger if larger else NAN, nan_ok=True)
        either = set(a) | set(b)
        assert union[q] == pytest.approx(len(common) / len(either) if either else NAN, nan_ok=True)
        assert found.lengths[:, q].tolist() == [len(a), len(b)]


def test_many_queries_of_all_sizes_have_the_taus_of_scipy():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 90, 1500)
    one = {f"q{q}": [f"d{i}" for i in range(size)] for q, size in enumerate(sizes)}
    other = {query: rng.permutation(docs).tolist() for query, docs in one.items()}
    tau = kendall_tau(laid(one, other)).values_of(0, 1)
    for q, (query, docs) in enumerate(one.items()):
        expected = kendalltau(range(len(docs)), [other[query].index(doc) for doc in docs]).statistic if len(
            docs) > 1 else NAN
        assert tau[q] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_kendall_by_hand():
    assert pair(kendall_tau, "abc", "cba") == -1
    assert pair(kendall_tau, "abcd", "abdc") == pytest.approx(4 / 6)  # one of six pairs swapped
    assert pair(kendall_tau, "axby", "bzaw") == -1  # of a and b alone
    assert math.isnan(pair(kendall_tau, "ab", "ac"))


def test_overlap_by_hand():
    assert pair(overlap, "abcd", "badx", k=2) == 1.0
    assert pair(overlap, "abcd", "badx", k=4) == 0.75
    assert pair(overlap, "abcd", "badx", k=4, of="union") == pytest.approx(3 / 5)
    assert pair(overlap, "ab", "ba", k=10) == 1.0  # not 2 / 10
    assert pair(overlap, "a", "abcd", k=4) == 0.25


def test_means_stand_with_their_n_in_a_matrix():
    found = laid({"q1": ["a"], "q2": ["a"], "q3": []}, {"q1": ["a"], "q2": ["b"], "q3": []},
                 {"q1": ["a"], "q2": ["b"], "q3": ["c"]})
    share = overlap(found, 10)
    assert share.names == ("run 0", "run 1", "run 2")
    np.testing.assert_allclose(share.mean, [[1, 0.5, 1 / 3], [0.5, 1, 2 / 3], [1 / 3, 2 / 3, 1]])
    assert share.n.tolist() == [[2, 2, 3], [2, 2, 3], [3, 3, 3]]
    assert share.values_of("run 1", 2).tolist() == share.values_of(2, 1).tolist() == [1, 1, 0]
    for unknown in ((0, 0), (0, 3), (0, "nobody")):
        with pytest.raises(KeyError):
            share.values_of(*unknown)


def test_every_pair_is_where_it_is_asked_for():
    runs = [{"q": [f"d{i}" for i in range(n)]} for n in (1, 2, 4, 8, 16)]
    share = overlap(laid(*runs), 100)
    for a, b in combinations(range(5), 2):
        assert share.values_of(a, b)[0] == 2.0 ** (a - b) == share.mean[a, b] == share.mean[b, a]


def test_a_query_that_a_run_lacks_is_an_empty_list_or_left_out():
    rankings = {"q1": ["a"], "q2": ["a"]}, {"q1": ["a"]}
    assert overlap(laid(*rankings), 5).values_of(0, 1).tolist() == [1, 0]
    skipped = overlap(laid(*rankings, missing="skip"), 5)
    assert skipped.values_of(0, 1).tolist() == pytest.approx([1, NAN], nan_ok=True)
    assert skipped.n.tolist() == [[2, 1], [1, 1]]


def test_ties_stand_as_the_conventions_have_them():
    scores = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": ["c", "b", "a"]}
    assert kendall_tau(laid(*scores)).values_of(0, 1)[0] == 1  # ids descending
    assert kendall_tau(laid(*scores, ties="file")).values_of(0, 1)[0] == -1
    assert overlap(laid(*scores, k=1), 1).values_of(0, 1)[0] == 1  # the tie reaches over the cutoff
    assert overlap(laid(*scores, k=1, ties="file"), 1).values_of(0, 1)[0] == 0


def test_the_table_holds_every_document_once():
    found = laid({"q": ["a", "b"]}, {"q": ["b", "c"]})
    assert found.docs(np.arange(3)).to_pylist() == ["a", "b", "c"]
    assert found.ranks.tolist() == [[1, 2, 0], [0, 1, 2]]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda found: rank_biased_overlap(found, 1.0),
        lambda found: overlap(found, 0),
        lambda found: overlap(found, 101),
        lambda found: overlap(found, 5, of="some"),
        lambda found: collect_top_k([], 5),
        lambda found: laid({"q": ["a"]}, k=0),
    ],
)
def test_what_cannot_be_said_to_be_alike(wrong):
    with pytest.raises(InputError):
        wrong(laid({"q": ["a"]}))


def test_runs_of_different_truths_are_not_laid_side_by_side():
    run = run_of({"q": ["a"]})
    with pytest.raises(InputError, match="another ground truth"):
        collect_top_k([Match(run, truth_of({"q": ["a"]})), Match(run, truth_of({"p": ["a"]}))])


TRUTH = truth_of({"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"x": 1}, "q3": {"y": 1}})
RUNS = [run_of({"q1": ["a", "c"], "q2": ["x"]}, "first"), run_of({"q1": ["n", "a", "b"], "q2": ["x"]}, "second"),
        run_of({"q1": ["n", "m", "b"], "q3": ["n", "y"]}, "third")]


def found_by(k: int, **options) -> dict:
    found = unique_documents([Match(run, TRUTH) for run in RUNS], k, **options)
    return {one.name: list(zip(one.queries.tolist(), one.docs.to_pylist(), one.ranks.tolist(), one.grades.tolist(),
                               strict=True)) for one in found}


def test_what_one_run_alone_found():
    assert found_by(3) == {"first": [], "second": [], "third": [(2, "y", 2, 1)]}
    assert found_by(1) == {"first": [(0, "a", 1, 2)], "second": [], "third": []}
    assert found_by(2, rel=2) == {"first": [], "second": [], "third": []}
    third = unique_documents([Match(run, TRUTH) for run in RUNS], 3)[2]
    assert third.mask(3).tolist() == [False, False, True] and len(third) == 1


def test_what_one_run_alone_covers_of_the_evidence():
    details = pa.table({"query_id": ["q1"], "evidence": [["the first of the gold spans, it is long enough",
                                                          "and another one that nothing else resembles"]]})
    truth = truth_of({"q1": []}, details=details)
    spans = details["evidence"][0].as_py()
    runs = [run_of({"q1": ["a"]}, "one", texts=[spans[0]]), run_of({"q1": ["a"]}, "two", texts=["nothing of it"]),
            run_of({"q1": ["b", "c"]}, "both", texts=[spans[1], spans[0]])]
    found = unique_documents([Match(run, truth, None, Matching("evidence")) for run in runs], 2)
    assert [one.docs.to_pylist() for one in found] == [[], [], [spans[1]]]


def test_only_found_looks_at_ranks_under_the_conventions():
    truth = truth_of({"q": ["a"]})
    runs = [run_of({"q": {"a": 1.0, "b": 1.0}}, "tied"), run_of({"q": ["z"]}, "other")]
    for ties, expected in (("docid", []), ("file", ["a"])):
        found = unique_documents([Match(run, truth, Conventions(ties=ties)) for run in runs], 1)
        assert found[0].docs.to_pylist() == expected


def oracle_of(*columns, metric: str = "RR"):
    """The oracle of runs whose relevant document stands at these ranks (0: nowhere)."""
    queries = [f"q{i}" for i in range(len(columns[0]))]
    truth = truth_of({query: ["r"] for query in queries})
    runs = [run_of({query: [f"n{i}" for i in range(rank - 1)] + ["r"] if rank else ["n"]
                    for query, rank in zip(queries, ranks, strict=True)}, f"run {i}")
            for i, ranks in enumerate(columns)]
    return oracle([evaluate(run, truth, metric) for run in runs], parse_spec(metric))


def test_the_oracle_takes_the_best_run_of_each_query():
    found = oracle_of([1, 2, 4, 1], [2, 1, 4, 1])
    assert found.values.tolist() == [1, 1, 0.25, 1]
    assert found.best.tolist() == [0, 1, 0, 0] and found.tied.tolist() == [False, False, True, True]
    assert found.wins.tolist() == [1, 1] and (found.n, found.left_out) == (4, 0)
    assert found.mean == pytest.approx(3.25 / 4) and found.single_mean == pytest.approx(2.75 / 4)
    assert found.single == 0 and found.gain == pytest.approx(0.125)
    assert 0 <= found.gain_low <= found.gain <= found.gain_high and found.low <= found.mean <= found.high


def test_the_oracle_goes_down_where_lower_is_better():
    found = oracle_of([1, 5, 0], [3, 2, 0], [1, 9, 2], metric="MeanRank")
    assert found.values.tolist() == pytest.approx([1, 2, NAN], nan_ok=True)
    assert found.best.tolist() == [0, 1, -1] and found.tied.tolist() == [True, False, False]
    assert (found.n, found.left_out, found.single) == (2, 1, 1)
    assert found.mean == 1.5 and found.gain == 1.0


def test_the_gain_is_paired():
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 9, 60)
    same = oracle_of(ranks, ranks)
    assert (same.gain, same.gain_low, same.gain_high) == (0, 0, 0) and same.low < same.mean < same.high


def test_an_oracle_of_nothing_is_undefined():
    found = oracle_of([0], [0], metric="MeanRank")
    assert found.n == 0 and math.isnan(found.mean) and math.isnan(found.gain) and found.best.tolist() == [-1]


def test_what_an_oracle_cannot_choose_by():
    ours = evaluate(RUNS[0], TRUTH, "Judged@5 RR FirstRank")
    other = evaluate(RUNS[0], truth_of({"q1": ["a"]}), "RR")
    for evaluations, spec in (([ours], "Judged@5"), ([ours], "FirstRank"), ([], "RR"), ([ours, other], "RR")):
        with pytest.raises(InputError):
            oracle(evaluations, parse_spec(spec))
