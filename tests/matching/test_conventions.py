"""One test for each line of docs/reference/conventions.md."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import TREC, by_query, mean, run_of, truth_of, value

from ragdash.core.errors import InputError
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_run
from ragdash.matching.match import Match

pytestmark = pytest.mark.filterwarnings("error")

NAN = math.nan
EVERY = "P@2 R R@2 F1@2 Success@2 RR RR@2 AP AP@2 nDCG nDCG@2 Rprec bpref ERR ERR@2 RBP RBP@2 AQWV@2"


def docs(run: Run, query: str = "q") -> list[str]:
    return run.ranking(query)["doc_id"].to_pylist()


def test_the_defaults_are_those_of_the_table():
    assert Conventions() == Conventions(ties="docid", missing="zero", unanswerable="skip", duplicates="first")
    evaluation = evaluate(run_of({"q": ["a"]}), truth_of({"q": ["a"]}), "RR")
    assert {"ties": "docid", "missing": "zero", "unanswerable": "skip", "duplicates": "first"}.items() <= dict(
        evaluation.settings).items()


@pytest.mark.parametrize("name", ["ties", "missing", "unanswerable", "duplicates"])
def test_an_unknown_convention_is_told(name):
    with pytest.raises(InputError) as caught:
        evaluate(run_of({"q": ["a"]}), truth_of({"q": ["a"]}), "RR", **{name: "whatever"})
    (problem,) = caught.value.problems
    assert problem.field == name and "whatever" in problem.actual


@pytest.mark.parametrize("relevant, by_docid, by_file", [("b", 1 / 3, 1 / 2), ("c", 1 / 2, 1 / 3), ("a", 1 / 4, 1 / 4),
                                                         ("d", 1.0, 1.0)])
def test_scores_fall_and_ties_stand_by_document_id_descending_or_as_in_the_file(relevant, by_docid, by_file):
    scores = {"b": 1.0, "d": 2.0, "c": 1.0, "a": -1.0}
    assert value(scores, [relevant], "RR") == by_docid == value(scores, [relevant], "RR", ties="docid")
    assert value(scores, [relevant], "RR", ties="file") == by_file
    assert docs(run_of({"q": scores})) == ["d", "c", "b", "a"]


@pytest.mark.parametrize("higher, lower", [("b", "a"), ("a", "B"), ("10", "1"), ("9", "10"), ("007", "0007"),
                                           ("é", "z"), ("語", "é"), ("🦉", "語"), ("\ue000", "語"), ("🦉", "\ue000"),
                                           ("x" * 8 + "b", "x" * 8 + "a"), ("x" * 9, "x" * 8)])
def test_ties_compare_ids_byte_by_byte_in_utf_8(higher, lower):
    for pair in ((higher, lower), (lower, higher)):
        run = run_of({"q": dict.fromkeys(pair, 1.0)})
        assert docs(run) == [higher, lower]
        assert evaluate(run, truth_of({"q": [higher]}), "RR").values[0, 0] == 1.0


def test_minus_zero_and_zero_are_equal_scores():
    assert value({"b": -0.0, "a": 0.0}, ["b"], "RR") == value({"b": 0.0, "a": -0.0}, ["b"], "RR") == 1.0


@pytest.mark.parametrize("gap", [2**-53, 1e-9])
def test_scores_compare_in_64_bits(gap):
    """trec_eval 9 compares 32 bits, and these are equal there; so they are under its convention."""
    assert value({"b": 0.5, "a": 0.5 + gap}, ["a"], "RR") == 1.0
    assert value({"b": 0.5, "a": 0.5 + gap}, ["a"], "RR", ties="trec_eval") == 0.5


def test_scores_beyond_the_range_of_32_bits_are_equal_under_trec_evals_ties():
    scores = {"b": 1e300, "a": 1e301, "c": 1.0}
    assert value(scores, ["a"], "RR") == 1.0 and value(scores, ["a"], "RR", ties="trec_eval") == 0.5
    assert value(scores, ["c"], "RR", ties="trec_eval") == 1 / 3


def test_a_list_stands_as_given():
    assert docs(run_of({"q": ["c", "a", "b"]})) == ["c", "a", "b"]
    for ties in ("docid", "file", "trec_eval"):
        assert value(["c", "a", "b"], ["a"], "RR", ties=ties) == 1 / 2


def test_a_list_stands_as_given_where_queries_are_mixed():
    run = Run.build("run", ["p", "q", "p", "q", "p"], ["b", "y", "c", "z", "a"])
    assert docs(run, "p") == ["b", "c", "a"] and docs(run, "q") == ["y", "z"]


@pytest.mark.parametrize("ranks", [[2, 0, 1], [3, 1, 2], [30, 10, 20], [2.5, -1, 2.25]])
def test_an_explicit_rank_wins_over_a_score(ranks):
    run = Run.build("run", ["q"] * 3, ["a", "b", "c"], np.array([3.0, 2.0, 1.0]), np.array(ranks))
    assert docs(run) == ["b", "c", "a"] and run.ranked_by == "rank"
    assert evaluate(run, truth_of({"q": ["b"]}), "RR").values[0, 0] == 1.0
    assert run.ranking("q")["score"].to_pylist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize("scores, reported", [("0.9 0.8 0.7", False), ("0.9 0.7 0.8", True), ("0.9 0.9 0.9", False)])
def test_a_rank_that_disagrees_with_the_score_is_reported(scores, reported):
    rows = "".join(f"q,{doc},{rank},{score}\n" for doc, rank, score in zip("abc", "123", scores.split(), strict=True))
    run = read_run(("run.csv", f"query_id,doc_id,rank,score\n{rows}".encode()))
    assert docs(run) == ["a", "b", "c"]
    said = [problem for problem in run.problems if "rank" in str(problem) and "score" in str(problem)]
    assert [problem.severity for problem in said] == ["warning"] * reported


@pytest.mark.parametrize("facts", [{"scores": np.array([1.0, 5.0, 4.0, 2.0, 5.0])},
                                   {"ranks": np.array([9, 1, 2, 3, 1])}, {}], ids=["scores", "ranks", "order"])
def test_of_a_document_twice_the_best_rank_counts_and_the_others_are_counted(facts):
    names = ["a", "b", "c", "a", "b"] if facts else ["b", "c", "a", "a", "b"]
    run = Run.build("run", ["q"] * 5, names, **facts)
    assert docs(run) == ["b", "c", "a"] and run.duplicates == 2
    assert run.ranking("q")["rank"].to_pylist() == [1, 2, 3] and run.lengths.tolist() == [3]
    (problem,) = run.problems
    assert problem.severity == "warning" and "'q'" in problem.actual
    row = by_query(evaluate(run, truth_of({"q": ["a", "b"]}), "RR R@2 P@3 AP nDCG n_ret Judged@3"))["q"]
    ideal = 1 + 1 / math.log2(3)
    assert row == pytest.approx({"RR": 1, "R@2": 0.5, "P@3": 2 / 3, "AP": (1 + 2 / 3) / 2, "nDCG": 1.5 / ideal,
                                 "n_ret": 3, "Judged@3": 2 / 3})


def test_a_document_twice_can_be_an_error():
    run = Run.build("run", ["q", "q", "p", "p"], ["a", "a", "a", "b"])
    with pytest.raises(InputError) as caught:
        evaluate(run, truth_of({"q": ["a"]}), "RR", duplicates="error")
    assert caught.value.problems[0].severity == "error" and "'a'" in caught.value.problems[0].actual
    clean = run_of({"q": ["a", "b"], "p": ["a", "b"]})
    assert evaluate(clean, truth_of({"q": ["a"]}), "RR", duplicates="error").values[0, 0] == 1.0


def test_a_query_that_the_run_lacks_is_an_empty_ranking_or_left_out():
    run, truth = run_of({"q": ["a"]}), truth_of({"q": ["a"], "lacking": ["a"]})
    zero = evaluate(run, truth, f"{EVERY} n_ret RBPResidual MeanRank Judged@5 AUC")
    row = by_query(zero)["lacking"]
    assert {row[name] for name in map(str, zero.specs[:len(EVERY.split())])} == {0.0}
    assert (row["n_ret"], row["RBPResidual"]) == (0, 1)
    assert np.isnan([row[name] for name in ("MeanRank", "Judged@5", "AUC")]).all()
    skip = evaluate(run, truth, f"{EVERY} n_ret n_rel RBPResidual MeanRank Judged@5 AUC", missing="skip")
    assert np.isnan(list(by_query(skip)["lacking"].values())).all()
    assert zero.counts["missing"] == skip.counts["missing"] == 1
    assert [(s.mean, s.n, s.undefined) for s in zero.only(["q", "lacking"]).summary(resamples=10)[5:6]] == [(0.5, 2, 0)]
    assert [(s.mean, s.n, s.undefined) for s in skip.summary(resamples=10)[5:6]] == [(1.0, 1, 1)]


def test_a_query_of_the_run_with_an_empty_ranking_is_not_missing():
    run, truth = run_of({"q": ["a"], "empty": []}), truth_of({"q": ["a"], "empty": ["a"]})
    for missing in ("zero", "skip"):
        found = evaluate(run, truth, "RR", missing=missing)
        assert by_query(found)["empty"] == {"RR": 0.0} and found.counts["missing"] == 0
    assert Match(run, truth).missing.tolist() == [False, False]


def test_a_query_that_the_truth_lacks_is_left_out_and_counted():
    run, truth = run_of({"q": ["a"], "other": ["a"], "third": ["x"]}), truth_of({"q": ["a"]})
    found = evaluate(run, truth, "RR P@1")
    assert found.query_ids.to_pylist() == ["q"] and found.values.tolist() == [[1.0, 1.0]]
    assert found.counts["extra"] == 2 and found.counts["queries"] == 1
    assert Match(run, truth).extra.to_pylist() == ["other", "third"]


def test_a_run_and_a_truth_without_a_common_query_are_refused():
    with pytest.raises(InputError) as caught:
        evaluate(run_of({"1": ["a"]}), truth_of({"01": ["a"]}), "RR")
    (problem,) = caught.value.problems
    assert "'1'" in problem.actual and "'01'" in problem.actual


def test_a_query_without_a_relevant_document_is_undefined_or_0_for_all_metrics_alike():
    run = run_of({"q": ["a"], "none": ["a"]})
    truth = truth_of({"q": ["a"], "none": {"a": 0}, "lacking": {"a": 0}})
    skip, zero = evaluate(run, truth, EVERY), evaluate(run, truth, EVERY, unanswerable="zero")
    for query in ("none", "lacking"):
        assert np.isnan(list(by_query(skip)[query].values())).all()
        assert set(by_query(zero)[query].values()) == {0.0}
    assert {(s.n, s.undefined) for s in skip.summary(resamples=10)} == {(1, 2)}
    assert {(s.n, s.undefined) for s in zero.summary(resamples=10)} == {(3, 0)}
    assert skip.counts["unanswerable"] == zero.counts["unanswerable"] == 2
    assert truth.queries_without_relevant == 2


def test_counts_and_ranks_of_a_query_without_a_relevant_document_stay_what_they_are():
    run, truth = run_of({"q": ["a", "b"]}), truth_of({"q": {"a": 0}})
    for unanswerable in ("skip", "zero"):
        row = by_query(evaluate(run, truth, "n_ret n_rel n_rel_ret Judged@2 MeanRank AUC", unanswerable=unanswerable))
        assert row["q"] == pytest.approx({"n_ret": 2, "n_rel": 0, "n_rel_ret": 0, "Judged@2": 0.5, "MeanRank": NAN,
                                          "AUC": NAN}, nan_ok=True)


def test_trec_evals_convention_counts_every_query_of_the_truth():
    rankings, grades = {"q": ["a"]}, {"q": ["a"], "none": {"a": 0}, "lacking": ["a"], "both": {"a": 0}}
    assert mean(rankings, grades, "RR", **TREC) == 1 / 4
    assert mean(rankings, grades, "RR") == 1 / 2
    assert mean(rankings, grades, "RR", missing="skip") == 1
    assert mean(rankings, grades, "RR", missing="skip", unanswerable="zero") == 1


def test_a_document_without_a_judgment_is_not_relevant_and_its_share_is_shown():
    row = {name: value(["new", "a", "new2"], {"a": 1, "b": 0}, name) for name in ("P@3", "RR", "Judged@3", "Judged@1")}
    assert row == pytest.approx({"P@3": 1 / 3, "RR": 1 / 2, "Judged@3": 1 / 3, "Judged@1": 0})


@pytest.mark.parametrize("metric", [*EVERY.split(), "n_rel", "n_rel_ret", "nDCG(gain='exp')", "RBP(gain='graded')"])
def test_a_negative_grade_is_not_relevant(metric):
    ranking, minus, zero = ["b", "a", "c"], {"a": 2, "b": -2, "c": 1}, {"a": 2, "c": 1}
    assert value(ranking, minus, metric) == value(ranking, zero, metric)


def test_a_negative_grade_is_judged_in_judged_and_auc_and_unjudged_in_bpref():
    ranking, grades = ["b", "a"], {"a": 1, "b": -1}
    assert value(ranking, grades, "Judged@2") == 1
    assert value(ranking, grades, "AUC") == 0
    assert value(ranking, grades, "bpref") == 1 and value(ranking, grades | {"b": 0}, "bpref") == 0
    assert value(ranking, grades, "RBPResidual(p=0.5)") == 0.25


def test_precision_divides_by_k_or_by_what_was_returned():
    assert value(["a", "x"], ["a"], "P@5") == 1 / 5
    assert value(["a", "x"], ["a"], "P(denominator='returned')@5") == 1 / 2
    assert value(["a", "x", "y"], ["a"], "P(denominator='returned')@2") == 1 / 2
    assert value([], ["a"], "P(denominator='returned')@5") == value([], ["a"], "P@5") == 0


def test_relevant_is_grade_1_or_rel_for_binary_metrics_only():
    ranking, grades = ["a", "b", "c"], {"a": 1, "b": 2, "c": 0, "d": 3}
    binary = {"P@2": (1, 0.5), "R@2": (2 / 3, 0.5), "RR": (1, 0.5), "Success@1": (1, 0), "n_rel": (3, 2)}
    for metric, (one, two) in binary.items():
        name, _, k = metric.partition("@")
        strict = f"{name}(rel=2){'@' if k else ''}{k}"
        assert (value(ranking, grades, metric), value(ranking, grades, strict)) == pytest.approx((one, two))
    for graded in ("nDCG", "ERR"):
        with pytest.raises(InputError):
            value(ranking, grades, f"{graded}(rel=2)")
    assert value(ranking, {"a": 1}, "RR(rel=2)") == pytest.approx(NAN, nan_ok=True)


def test_a_judgment_given_twice_alike_counts_once():
    truth = Truth.build("truth", ["q", "q", "p", "q"], ["a", "b", "a", "a"], np.array([2, 1, 1, 2]))
    assert truth.judgments == 3
    row = by_query(evaluate(run_of({"q": ["a", "b"]}), truth, "n_rel R nDCG AP"))["q"]
    assert row == {"n_rel": 2, "R": 1, "nDCG": 1, "AP": 1}


def test_a_judgment_given_twice_with_other_grades_is_an_error_that_names_both_lines():
    queries, names, grades = ["q", "p", "q", "q", "p"], ["a", "a", "b", "a", "a"], np.array([1, 0, 1, 2, 3])
    with pytest.raises(InputError) as caught:
        Truth.build("truth", queries, names, grades, lines=np.array([4, 5, 6, 17, 18]), file="some.qrels")
    found = {problem.line: problem.actual for problem in caught.value.problems}
    assert found.keys() == {17, 18} and {problem.file for problem in caught.value.problems} == {"some.qrels"}
    assert "4" in found[17] and "17" in found[17] and "5" in found[18] and "18" in found[18]


def test_what_cannot_be_a_result_is_told_with_its_line_all_at_once():
    lines = ["q Q0 a 1 3.0 run", "q Q0 b 2 nan run", "q Q0 c 3 inf run", "q Q0 d 4 high run", "q Q0 e",
             "p Q0 a 1 1 run"]
    with pytest.raises(InputError) as caught:
        read_run(("bad.trec", "\n".join(lines).encode()))
    problems = caught.value.problems
    assert [problem.line for problem in problems if problem.severity == "error"] == [2, 3, 4, 5]
    assert {problem.file for problem in problems} == {"bad.trec"}
    assert all(problem.actual and problem.expected and problem.fix for problem in problems)
