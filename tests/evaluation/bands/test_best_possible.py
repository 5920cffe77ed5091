"""The best possible value: by hand, never below a run, and what bands say of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import over, random_case, run_of, truth_of

from ragdash.evaluation.bands.best_possible import best_possible
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec
from ragdash.metrics.bands import BANDS, tables_for
from ragdash.reporting.sentences.bands import ceiling_sentence

MANY = truth_of({"q1": [f"d{index}" for index in range(67)], "q2": ["a", "b", "c", "d"]})
MATCH = Match(run_of({"q1": ["x"], "q2": ["a"]}, "run"), MANY)


@pytest.mark.parametrize(("spec", "expected"), [("R@10", (10 / 67 + 1) / 2), ("P@10", (1 + 0.4) / 2), ("RR", 1.0),
                                                ("nDCG@10", 1.0), ("Success@1", 1.0)])
def test_a_perfect_ranking_by_hand(spec, expected):
    assert best_possible(MATCH, parse_spec(spec)) == pytest.approx(expected)


def test_only_the_queries_that_count():
    assert best_possible(MATCH, parse_spec("R@10"), np.array([True, False])) == pytest.approx(10 / 67)


def test_the_perfect_ranking_is_built_once_for_all_metrics_and_copies_under_the_same_conventions():
    copy = MATCH.with_options()
    assert copy.perfect is MATCH.perfect
    other = MATCH.with_options(ties="file")
    assert other.perfect is not MATCH.perfect and other.perfect.conventions == other.conventions


def test_what_judgments_do_not_decide_has_no_best():
    assert math.isnan(best_possible(MATCH, parse_spec("EM")))
    none = Match(run_of({"q": ["a"]}, "run"), truth_of({"q": {"a": 0}}))
    assert math.isnan(best_possible(none, parse_spec("RR")))


@over(seed=range(6))
@pytest.mark.parametrize("spec", ["R@5", "P@5", "nDCG@5", "AP", "RR", "Success@1"])
def test_no_run_is_better(seed, spec):
    case = random_case(seed, "distinct", queries=8)
    match, parsed = Match(case.run(), case.truth()), parse_spec(spec)
    mean = evaluate_match(match, [parsed]).summary(resamples=1)[0].mean
    best = best_possible(match, parsed)
    assert math.isnan(mean) or mean <= best + 1e-12


def test_bands_out_of_reach_are_named_and_too_few_rate_nothing():
    spec = parse_spec("R@10")
    table = next(table for table in tables_for(spec, BANDS) if len(table.bands) == 5)
    assert ceiling_sentence(spec, table, 1.0) == "" and table.can_rate(1.0) and table.can_rate(math.nan)
    assert "cannot be rated at k = 10: even a perfect ranking reaches only 0.320" in ceiling_sentence(spec, table, 0.32)
    assert not table.can_rate(0.32)
    assert [band.label for band in table.unreachable(0.75)] == ["excellent"]
    assert "so *excellent* cannot be reached" in ceiling_sentence(spec, table, 0.75)
