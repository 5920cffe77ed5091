"""The waterfall loses each query once; what a fix gains at most, by hand and as a bound that holds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from diagnosis_cases import answers, known, random_diagnosis
from helpers import over, random_case, run_of, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdash.analysis.diagnosis import FINE, NAMES, DiagnosisRules, diagnose
from ragdash.analysis.diagnosis.potential_gain import OF_RETRIEVAL, BestValues
from ragdash.core.errors import InputError
from ragdash.core.slices import part
from ragdash.evaluation.compare import direction, select_comparable
from ragdash.evaluation.evaluate import evaluate, evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import METRICS, Spec


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000))
def test_the_waterfall_loses_each_query_once(seed):
    found, _ = random_diagnosis(seed)
    *way, aside = found.waterfall()
    assert way[0].reached + aside.reached == len(found.stage)
    for before, after in pairwise(way):
        assert after.reached == before.reached - before.lost
    counts = dict(zip(NAMES, found.counts().tolist(), strict=True))
    assert {step.name: step.lost for step in (*way, aside)} == {
        k: v for k, v in counts.items() if k not in ("fine", "forbidden")}
    assert way[-1].reached - way[-1].lost + aside.reached - aside.lost == counts["fine"]
    assert all(0 <= step.unknown <= step.reached - step.lost for step in (*way, aside))


def test_the_waterfall_by_hand():
    references = {"a": ["yes indeed"], "b": ["yes indeed"], "c": ["yes indeed"], "d": None}
    truth = truth_of({"a": ["x"], "b": ["x"], "c": ["x"], "d": []},
                     details=known(references, {"d": {"type": "no_answer"}}))
    run = run_of({"a": ["x"], "b": ["x"], "c": ["y"], "d": ["y"]},
                 details=answers({"a": "yes indeed", "b": "no", "c": "no", "d": "I don't know."}))
    steps = {step.name: (step.reached, step.lost, step.unknown) for step in diagnose(Match(run, truth)).waterfall()}
    assert steps["not-in-corpus"] == (3, 0, 3) and steps["not-retrieved"] == (3, 1, 0)
    assert steps["wrong-answer"] == (2, 1, 0) and steps["not-grounded"] == (1, 0, 1)
    assert steps["answered-unanswerable"] == (1, 0, 0)


def test_gains_by_hand():
    """P@2 can be 0.5 at most with one relevant document: of 4 queries b gains 0.5 and c 0.5; d has no value."""
    truth = truth_of({"a": ["x"], "b": ["x"], "c": ["x"], "e": ["x", "y"], "d": []})
    run = run_of({"a": ["x"], "b": ["z"], "c": ["y", "z", "x"], "e": ["x", "z"], "d": ["y"]})
    found = diagnose(Match(run, truth), DiagnosisRules(k=2))
    gains = {gain.stage: gain for gain in found.gains(evaluate(run, truth, "P@2 RR"), "P@2")}
    assert gains["not-retrieved"].at_most == gains["below-k"].at_most == 0.125
    assert gains["partly-covered"].at_most == 0.125, "e has 1 of 2"
    assert (gains["no-gold"].n, gains["no-gold"].defined) == (1, 0) and np.isnan(gains["no-gold"].at_most)
    assert gains["refused"] == type(gains["refused"])("refused", 0, 0, 0.0)
    rr = {gain.stage: gain.at_most for gain in found.gains(evaluate(run, truth, "RR"), "RR")}
    assert rr["below-k"] == pytest.approx((1 - 1 / 3) / 4)


def test_a_query_without_relevant_documents_gains_nothing_where_it_counts_0():
    truth, run = truth_of({"a": ["x"], "b": []}), run_of({"a": ["z"], "b": ["z"]})
    evaluation = evaluate(run, truth, "nDCG@10", unanswerable="zero")
    gains = {gain.stage: gain for gain in diagnose(Match(run, truth)).gains(evaluation, "nDCG@10")}
    assert (gains["no-gold"].defined, gains["no-gold"].at_most) == (1, 0.0)
    assert gains["not-retrieved"].at_most == 0.5


DIRECTED = [name for name, one in METRICS.items() if one.view == "Ranked" and one.better and one.aggregate == "mean"]


@pytest.mark.parametrize("name", DIRECTED)
@over(seed=range(12))
def test_no_value_is_better_than_the_best_possible(name, seed):
    case = random_case(seed, "distinct")
    match = Match(case.run(), case.truth())
    for k in (None,) if METRICS[name].cutoff == "none" else (1, 3, 10):
        spec = Spec(name, (), k)
        evaluation = evaluate_match(match, [spec])
        if select_comparable(evaluation, [spec])[1]:
            continue
        best, values = BestValues.of(match).values(spec), evaluation.column(spec)
        defined = ~np.isnan(values)
        assert ((best - values)[defined] * direction(spec) >= -1e-9).all(), spec


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000))
def test_all_gains_together_are_the_way_to_the_best_mean(seed):
    found, match = random_diagnosis(seed, texts=False)
    evaluation = evaluate_match(match, cut := (Spec("nDCG", (), 5), Spec("R", (), 3)))
    for spec in cut:
        values = evaluation.column(spec)
        defined = ~np.isnan(values)
        if not defined.any():
            continue
        short = (found.best.values(spec) - values)[defined]
        gains = [gain.at_most for gain in found.gains(evaluation, spec)]
        fine = short[found.stage[defined] == FINE].sum() / defined.sum()
        assert np.nansum(gains) + fine == pytest.approx(short.mean())
        retrieval = [gain.at_most for gain in found.gains(evaluation, spec) if gain.stage in OF_RETRIEVAL]
        assert np.nansum(retrieval) + found.ranked_low(evaluation, spec).at_most == pytest.approx(short.mean())
        assert all(gain >= 0 or np.isnan(gain) for gain in gains)


def test_ranked_low_by_hand():
    """RR is 1/2 for a (short of 1/2), 1 for b; c is not retrieved, and d answers wrongly at rank 4 (short of 3/4)."""
    truth = truth_of({"a": ["x"], "b": ["x"], "c": ["x"], "d": ["x"]}, details=known({"d": ["yes indeed"]}))
    run = run_of({"a": ["y", "x"], "b": ["x"], "c": ["y"], "d": ["y", "z", "w", "x"]}, details=answers({"d": "no"}))
    found, evaluation = diagnose(Match(run, truth)), evaluate(run, truth, "RR Latency TokenF1")
    assert found.stage_of("d").name == "wrong-answer"
    low = found.ranked_low(evaluation, "RR")
    assert dict(zip("abcd", low.queries.tolist(), strict=True)) == {"a": True, "b": False, "c": False, "d": True}
    assert low.at_most == pytest.approx((1 / 2 + 3 / 4) / 4)
    part_of = found.ranked_low(evaluation, "RR", np.array([True, True, False, False]))
    assert part_of.at_most == pytest.approx(1 / 4) and part_of.queries.tolist() == [True, False, False, False]
    assert found.ranked_low(evaluation, "TokenF1") is None


def test_gains_of_a_part_are_those_of_the_part_alone():
    """Of queries 0 and 2: the one not retrieved could gain 1 of 2, so 0.5; nothing else counts."""
    truth = truth_of({"q0": ["a"], "q1": ["a"], "q2": ["a"]})
    run = run_of({"q0": ["a"], "q1": ["x"], "q2": ["x"]})
    inside = np.array([True, False, True])
    held = {gain.stage: gain for gain in diagnose(Match(run, truth)).gains(evaluate(run, truth, "RR"), "RR", inside)}
    assert (held["not-retrieved"].n, held["not-retrieved"].at_most) == (1, 0.5)
    alone = part(truth, inside)
    again = diagnose(Match(run, alone)).gains(evaluate(run, alone, "RR"), "RR")
    assert tuple(held.values()) == again


def test_gains_want_a_mean_that_should_be_high_or_low_and_the_same_queries():
    truth, run = truth_of({"q": ["a"]}), run_of({"q": ["a"]})
    found = diagnose(Match(run, truth))
    with pytest.raises(InputError, match="no better direction"):
        found.gains(evaluate(run, truth, "Judged@5"), "Judged@5")
    with pytest.raises(InputError, match="other queries"):
        found.gains(evaluate(run, truth_of({"q": ["a"], "p": ["a"]}), "RR"), "RR")
