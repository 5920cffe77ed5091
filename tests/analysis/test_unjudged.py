"""What unjudged documents could change: against every possible grading of small cases, and by hand."""

from __future__ import annotations

import itertools
import math

import naive
import numpy as np
import pyarrow as pa
import pytest
from helpers import over, run_of, truth_of

from ragdash.analysis.test_set.unjudged.bounds import bounds
from ragdash.analysis.test_set.unjudged.judge_next import judge_next
from ragdash.core.errors import Unavailable
from ragdash.core.records import Conventions, Truth
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match, Matching
from ragdash.metrics import METRICS, parse_spec

NAN = math.nan
SPECS = ["P@3", "P(denominator='returned')@4", "R@3", "R", "F1@2", "Success@2", "RR", "RR@2", "AP", "AP@3",
         "AP(denominator='retrieved')@4", "AP(rel=2)", "nDCG", "nDCG@2", "nDCG@4", "nDCG(gain='exp')@4",
         "nDCG(gain='binary')@4", "Rprec", "Rprec(rel=2)", "bpref", "bpref(rel=2)", "AUC", "AUC(unretrieved='last')",
         "ERR@3", "ERR", "RBP", "RBP(gain='graded')@3", "RBP(rel=2)", "AQWV@3", "MeanRank", "R(rel=2)@4", "n_rel",
         "n_rel_ret"]


def of(ranking, grades, spec: str, **conventions):
    """The bounds of one query."""
    match = Match(run_of({"q": ranking}), truth_of({"q": grades}), Conventions(**conventions))
    return bounds(match, parse_spec(spec))


def ends(ranking, grades, spec: str, **conventions) -> tuple[float, float, float]:
    found = of(ranking, grades, spec, **conventions)
    return float(found.low[0]), float(found.value[0]), float(found.high[0])


def test_bounds_by_hand():
    assert ends("axy", {"a": 1, "b": 1}, "P@3") == pytest.approx((1 / 3, 1 / 3, 1))
    assert ends("axy", {"a": 1, "b": 1}, "R@3") == pytest.approx((1 / 2, 1 / 2, 3 / 4))
    assert ends("axy", {"a": 1, "b": 1}, "R@2") == pytest.approx((1 / 2, 1 / 2, 2 / 3))  # y is beyond the cutoff
    assert ends("xya", {"a": 1}, "RR") == pytest.approx((1 / 3, 1 / 3, 1))
    assert ends("bxa", {"a": 1, "b": 0}, "MeanRank") == pytest.approx((2, 3, 3))
    assert ends("ab", {"a": 1, "b": 0}, "AP") == pytest.approx((1, 1, 1))


def test_average_precision_falls_as_a_document_becomes_relevant():
    ranking = ["a", *(f"n{i}" for i in range(8)), "x"]
    grades = {"a": 1, **{f"n{i}": 0 for i in range(8)}}
    assert ends(ranking, grades, "AP") == pytest.approx(((1 + 2 / 10) / 2, 1, 1))
    assert ends(ranking, grades, "AP@9") == pytest.approx((1, 1, 1))
    # x and y relevant: (1/2 + 2/3 + 3/4) / 3; y alone: (1/3 + 2/4) / 2; neither 1/3; x alone: (1/2 + 2/3) / 2
    assert ends("bxay", {"a": 1, "b": 0}, "AP") == pytest.approx((1 / 3, 1 / 3, (1 / 2 + 2 / 3 + 3 / 4) / 3))


def test_one_side_alone_is_that_of_both():
    """Queries with many, few and no judgments, one without a relevant document; grades to 3."""
    rng = np.random.default_rng(4)
    docs = [f"d{number}" for number in range(9)]
    rankings = {f"q{number}": list(rng.permutation(docs)[:1 + number % 7]) for number in range(24)}
    truth = truth_of({query: {doc: int(rng.integers(0, 4)) for doc in rng.permutation(docs)[:number % 5 + 1]}
                      for number, query in enumerate(rankings)} | {"none": {"d0": 0}})
    match = Match(run_of({**rankings, "none": docs[:4]}), truth)
    for spec in map(parse_spec, SPECS):
        both = bounds(match, spec)
        for side, other in (("low", "high"), ("high", "low")):
            alone = bounds(match, spec, [side])
            np.testing.assert_array_equal(getattr(alone, side), getattr(both, side), str(spec))
            np.testing.assert_equal(getattr(alone, f"mean_{side}"), getattr(both, f"mean_{side}"), str(spec))
            assert math.isnan(getattr(alone, f"mean_{other}")), spec


def test_ndcg_is_greatest_with_a_grade_between():
    """Behind a document of grade 2 another 2 is ideal; a 3 would have belonged above it."""
    run, d = run_of({"q1": ["a", "x"], "q2": ["z"]}), 1 / math.log2(3)
    truth = truth_of({"q1": {"a": 2, "b": 2}, "q2": {"z": 3}})
    found = bounds(Match(run, truth), parse_spec("nDCG@2"))
    values = [2 / (2 + 2 * d), (2 + d) / (2 + 2 * d), 1, (2 + 3 * d) / (3 + 2 * d)]  # with grade 0, 1, 2, 3
    assert values[2] == max(values) > values[3] > values[0]
    assert (found.low[0], found.value[0], found.high[0]) == pytest.approx((min(values), values[0], values[2]))


def test_queries_without_a_relevant_document_may_appear():
    found = of("xy", {"a": 0}, "P@2")
    assert found.appears.tolist() == [True] and math.isnan(found.value[0])
    assert (found.low[0], found.high[0]) == (0.5, 1.0) and (found.mean_low, found.mean_high) == (0.5, 1.0)
    assert math.isnan(found.mean) and found.n == 0 and found.unjudged.tolist() == [2]
    assert ends("xy", {"a": 0}, "P@2", unanswerable="zero") == (0.0, 0.0, 1.0)
    assert all(map(math.isnan, ends("a", {"a": 0}, "P@2")))


def test_bounds_of_the_mean_leave_a_query_out_where_that_moves_it_further():
    run = run_of({"sure": ["a"], "maybe": ["x"], "never": ["n"]})
    truth = truth_of({"sure": ["a"], "maybe": {"m": 0}, "never": {"n": 0}})
    found = bounds(Match(run, truth), parse_spec("P@2"))
    assert (found.mean_low, found.mean, found.mean_high, found.n) == (0.5, 0.5, 0.5, 1)
    found = bounds(Match(run, truth), parse_spec("R"))
    assert (found.mean_low, found.mean, found.mean_high) == (1, 1, 1)
    low_one = truth_of({"sure": ["a", "b", "c", "d"], "maybe": {"m": 0}, "never": {"n": 0}})
    found = bounds(Match(run, low_one), parse_spec("R"))
    assert (found.mean_low, found.mean, found.mean_high) == (0.25, 0.25, (0.25 + 1) / 2)


def test_a_query_that_is_skipped_has_no_bounds():
    run, truth = run_of({"q1": ["x"]}), truth_of({"q1": ["a"], "q2": ["b"]})
    assert bounds(Match(run, truth), parse_spec("P@1")).low.tolist() == [0, 0]
    skipped = bounds(Match(run, truth, Conventions(missing="skip")), parse_spec("P@1"))
    assert skipped.high.tolist() == pytest.approx([1, NAN], nan_ok=True)


def plain_value(spec, ranking, grades, highest) -> float:
    params = dict(spec.params)
    if spec.name == "ERR" or params.get("gain") == "graded":
        params["max_grade"] = highest
    return naive.value(spec.name, ranking, grades, spec.k, **params)


def plain_bounds(spec, ranking, grades, highest) -> tuple[float, float]:
    """The least and greatest value over every grading of the unjudged documents, and over none."""
    top = highest if dict(spec.params).get("gain") == "graded" else max(highest, dict(spec.params).get("rel", 1))
    open_ = [doc for doc in ranking[:spec.k] if doc not in grades]
    values = [plain_value(spec, ranking, grades, highest)]
    values += [plain_value(spec, ranking, grades | dict(zip(open_, given, strict=True)), highest)
               for given in itertools.product(range(top + 1), repeat=len(open_))]
    defined = [value for value in values if not math.isnan(value)]
    return (min(defined), max(defined)) if defined else (NAN, NAN)


def random_queries(seed: int, highest: int) -> tuple[dict, dict]:
    rng = np.random.default_rng(seed)
    rankings, grades = {}, {}
    for q in range(12):
        pool = [f"d{i}" for i in range(9)]
        rankings[f"q{q}"] = rng.permutation(pool)[: int(rng.integers(1, 7))].tolist()
        judged = rng.permutation(pool)[: int(rng.integers(2, 8))].tolist()
        chances = [0.15, *[0.85 / (highest + 1)] * (highest + 1)] if rng.random() < 0.8 else [0.3, 0.7, *[0] * highest]
        grades[f"q{q}"] = {doc: int(rng.choice(np.arange(-1, highest + 1), p=chances)) for doc in judged}
    grades["q0"]["d0"] = highest
    rankings["q1"] = [doc for doc in rankings["q1"] if doc in grades["q1"]] or ["other"]
    return rankings, grades


@over(seed=range(12))
@pytest.mark.parametrize("name", SPECS)
def test_bounds_are_those_of_every_possible_grading(name, seed):
    highest, spec = (1, 2, 3)[seed % 3], parse_spec(name)
    rankings, grades = random_queries(seed, highest)
    truth = truth_of(grades)
    found = bounds(Match(run_of(rankings), truth), spec)
    for q, query in enumerate(truth.query_ids.to_pylist()):
        low, high = plain_bounds(spec, rankings[query], grades[query], highest)
        assert (found.low[q], found.high[q]) == pytest.approx((low, high), abs=1e-9, nan_ok=True), query
        assert found.value[q] == pytest.approx(plain_value(spec, rankings[query], grades[query], highest), nan_ok=True)
        assert found.unjudged[q] == sum(doc not in grades[query] for doc in rankings[query][:spec.k])


@pytest.mark.parametrize("name", ["AP", "nDCG@20", "nDCG(gain='exp')", "R@10"])
def test_the_present_value_is_that_of_an_evaluation(name):
    rng = np.random.default_rng(5)
    run = run_of({f"q{q}": rng.permutation([f"d{i}" for i in range(60)])[:40].tolist() for q in range(50)})
    truth = truth_of({f"q{q}": {f"d{i}": int(rng.integers(0, 4)) for i in rng.permutation(60)[:9]} for q in range(50)})
    match, spec = Match(run, truth), parse_spec(name)
    found = bounds(match, spec)
    np.testing.assert_array_equal(found.value, evaluate_match(match, [spec]).values[:, 0])
    assert (found.low <= found.value).all() and (found.value <= found.high).all() and (found.low < found.high).all()
    assert found.low.mean() == pytest.approx(found.mean_low) and found.high.mean() == pytest.approx(found.mean_high)


@pytest.mark.parametrize("name", ["Judged@5", "RBPResidual", "n_ret", "FirstRank", "R(average='micro')@5",
                                  "AQWV(form='material', corpus_size=100)", "ERR(probabilities=(0.5, 0.1))", "EM"])
def test_what_has_no_bounds(name):
    with pytest.raises(Unavailable):
        bounds(Match(run_of({"q": ["a"]}), truth_of({"q": ["a"]})), parse_spec(name))


def test_evidence_has_no_unjudged_documents():
    with pytest.raises(Unavailable):
        bounds(Match(run_of({"q": ["a"]}), truth_of({"q": ["a"]}), None, Matching("evidence")), parse_spec("P@1"))


@pytest.mark.parametrize("metric", [one for one in METRICS.values() if one.view == "Ranked"], ids=lambda one: one.name)
def test_every_metric_of_rankings_has_bounds_or_says_why_not(metric):
    spec = metric.spec(5 if metric.cutoff == "required" or metric.name == "AQWV" else None)
    match = Match(run_of({"q": ["a", "x"]}), truth_of({"q": {"a": 1, "b": 0}}))
    try:
        found = bounds(match, spec)
    except Unavailable:
        assert metric.bounds is None
    else:
        assert metric.bounds and spec.name in {parse_spec(name).name for name in SPECS}
        assert found.low[0] <= found.high[0]


# What is to be judged next.

def following(rankings: list[dict], grades: dict, spec: str, **options):
    truth = truth_of(grades)
    return judge_next([Match(run_of(one, f"run {i}"), truth) for i, one in enumerate(rankings)], parse_spec(spec),
                      **options)


def test_documents_that_one_run_alone_returned_come_before_shared_ones():
    grades = {"q1": {"a": 1}, "q2": {"b": 1}}
    found = following([{"q1": ["x", "a", "s"], "q2": ["b"]}, {"q1": ["a", "y", "s"], "q2": ["b"]}], grades, "P@3")
    assert found.contenders == ("run 0", "run 1") and found.total == 2  # s moves both alike
    rows = found.table.to_pylist()
    assert [(row["query_id"], row["doc_id"], row["runs"], row["ranks"]) for row in rows] == [
        ("q1", "x", ["run 0"], [1]), ("q1", "y", ["run 1"], [2])]
    assert [row["influence"] for row in rows] == pytest.approx([1 / 3 / 2] * 2)  # of the mean of two queries


def test_documents_of_a_query_without_an_answer_are_not_offered():
    grades = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 0}}
    attributes = ['{"type": "single"}', '{"answerable": false}', '{"type": "out_of_scope"}']
    bare = truth_of(grades)
    marked = Truth.build("qrels", ["q1", "q2", "q3"], ["a"] * 3, [1, 0, 0],
                         details=pa.table({"query_id": ["q1", "q2", "q3"], "attributes": attributes}))
    runs = [run_of({query: docs for query in grades}, name) for name, docs in (("one", ["x"]), ("two", ["y"]))]
    offers = [judge_next([Match(run, truth) for run in runs], parse_spec("P@1")) for truth in (bare, marked)]
    assert [(offer.unanswerable, sorted(set(offer.table["query_id"].to_pylist()))) for offer in offers] == [
        (0, ["q1", "q2", "q3"]), (2, ["q1"])]


def test_runs_that_are_equal_for_sure_both_contend_and_a_worse_one_does_not():
    grades = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    first, second = {"q1": ["a"], "q2": ["b"]}, {"q1": ["b"], "q2": ["a"]}
    found = following([first, second, {"q1": ["b"], "q2": ["b"]}], grades, "P@1")
    assert found.contenders == ("run 0", "run 1") and found.total == 0


def test_the_influence_is_what_the_difference_of_means_would_change_by():
    rng = np.random.default_rng(1)
    pool = [f"d{i}" for i in range(14)]
    rankings = [{f"q{q}": rng.permutation(pool)[:8].tolist() for q in range(4)} for _ in range(3)]
    grades = {f"q{q}": {doc: int(rng.integers(0, 3)) for doc in rng.permutation(pool)[:5]} for q in range(4)}
    grades["q0"] = {"d0": 0}  # undefined so far
    for name in ("nDCG@5", "AP", "R@8", "MeanRank"):
        spec = parse_spec(name)
        found = following(rankings, grades, name, limit=None)
        assert found.total == found.table.num_rows > 5

        def means(given, spec=spec):
            return [float(np.nanmean(evaluate_match(Match(run_of(one), truth_of(given)), [spec]).values[:, 0]))
                    for one in rankings]

        now = means(grades)
        for row in found.table.to_pylist():
            then = means({**grades, row["query_id"]: grades[row["query_id"]] | {row["doc_id"]: 2}})
            moved = [b - a for a, b in zip(now, then, strict=True)]
            expected = sum(abs(a - b) for a, b in itertools.combinations(moved, 2))
            assert row["influence"] == pytest.approx(expected, abs=1e-9), (name, row)
            k = spec.k or 10
            assert [rankings[int(run[-1])][row["query_id"]].index(row["doc_id"]) + 1 for run in row["runs"]] == \
                row["ranks"] and min(row["ranks"]) <= k
        influence = found.table["influence"].to_pylist()
        assert influence == sorted(influence, reverse=True) and influence[-1] > 0


def test_runs_that_cannot_be_best_do_not_count():
    grades = {"q1": {"a": 1, "n": 0, "m": 0}, "q2": {"b": 1}, "q3": {"c": 1, "o": 0, "p": 0}}
    good = {"q1": ["a", "x"], "q2": ["b"], "q3": ["c"]}
    bad = {"q1": ["n", "m"], "q2": ["y"], "q3": ["o", "p"]}
    found = following([good, bad], grades, "RR")
    assert found.contenders == ("run 0",) and found.total == 0 and found.table.num_rows == 0
    assert found.table.column_names == ["query_id", "doc_id", "runs", "ranks", "influence"]
    assert following([good], grades, "P@2").total == 1  # x moves the mean of the only contender, but not who is best
    assert following([good, bad], grades, "P@2").contenders == ("run 0",)
    assert following([good, bad], grades, "P@2").total == 0
    other = following([good, bad, {"q1": ["z", "a"], "q2": ["b"], "q3": ["c"]}], grades, "RR")
    assert other.contenders == ("run 0", "run 2") and set(other.table["doc_id"].to_pylist()) <= {"x", "z"}


def test_one_run_alone_is_judged_where_its_mean_moves_most():
    found = following([{"q1": ["x", "a", "y"]}], {"q1": {"a": 1}}, "nDCG@3")
    assert found.table["doc_id"].to_pylist()[0] == "x" and found.total == 2


def test_the_list_of_what_comes_next_is_cut():
    rankings = [{"q": [f"d{i}" for i in range(9)] + ["a"]}, {"q": ["a"] + [f"e{i}" for i in range(9)]}]
    found = following(rankings, {"q": {"a": 1}}, "RR", k=4, limit=2)
    assert found.table.num_rows == 2 <= found.total <= 8
    ranks = following(rankings, {"q": {"a": 1}}, "nDCG@10", k=3, limit=None).table["ranks"].to_pylist()
    assert max(map(min, ranks)) == 3


def test_what_has_no_better_direction_has_no_next():
    with pytest.raises(Unavailable):
        following([{"q": ["x"]}], {"q": {"a": 1}}, "n_rel")
