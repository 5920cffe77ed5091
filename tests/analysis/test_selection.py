"""Filters of queries: what each choice means, that they combine, that the count beside a choice is what it shows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ragdash.analysis.query_filters import (
    OUTCOMES,
    Filters,
    QueryFacts,
    counts,
    counts_without,
    find_failure_rule,
    order,
    outcomes,
    select,
    spread,
)
from ragdash.analysis.text_search import check_pattern, matching, search
from ragdash.core.errors import InputError
from ragdash.core.records import Conventions, Run, Truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec

NDCG, RR = parse_spec("nDCG@10"), parse_spec("RR")
NAN = np.nan
# runs a (the baseline), b, c; queries 0 to 6
VALUES = np.array([[0.0, 0.0, 0.5, 1.0, NAN, 0.5, 0.5],
                   [0.0, 0.4, 0.0, 0.5, 0.3, 0.5, 0.45],
                   [0.0, 0.0, 0.2, 1.0, NAN, NAN, 0.5]])


def rows(mask) -> list[int]:
    return np.flatnonzero(mask).tolist()


def test_outcomes_worked_by_hand():
    found = {name: rows(mask) for name, mask in outcomes(VALUES, NDCG, 1, 0, alone=np.arange(7) == 5).items()}
    assert found == {"failed-all": [0], "failed-only": [2], "worse": [2, 3, 6], "better": [1], "equal": [0, 5],
                     "best": [1], "worst": [2, 3, 6], "alone": [5], "undefined": [4]}
    assert tuple(found) == OUTCOMES


def test_worse_by_takes_differences_of_at_least_that_size():
    assert rows(outcomes(VALUES, NDCG, 1, 0, by=0.5)["worse"]) == [2, 3], "0.5 exactly counts"
    assert rows(outcomes(VALUES, NDCG, 1, 0, by=0.51)["worse"]) == []
    assert rows(outcomes(np.array([[0.3], [0.2]]), NDCG, 1, 0, by=0.1)["worse"]) == [0], "a little below 0.1"


def test_the_baseline_itself_has_no_difference_to_the_baseline():
    assert not {"worse", "better", "equal"} & outcomes(VALUES, NDCG, 0, 0).keys()


def test_one_run_alone_can_only_fail():
    assert set(outcomes(VALUES[:1], NDCG, 0, 0)) == {"failed-all", "undefined"}


def test_failing_is_the_worst_value_or_below_the_lowest_band():
    assert find_failure_rule(NDCG).of(np.array([0.0, 1e-12, 0.01, NAN])).tolist() == [True, True, False, False]
    rule = find_failure_rule(RR)  # bands are stated: poor below 0.30
    assert rule.source and rule.of(np.array([0.25, 0.3 - 1e-12, 0.3, NAN])).tolist() == [True, False, False, False]
    assert find_failure_rule(parse_spec("n_ret")) is None, "neither direction is better"


def test_a_metric_of_which_less_is_better_fails_at_the_top():
    spec = parse_spec("HallucinationRate")
    assert spec.metric.better == "lower"
    assert find_failure_rule(spec).of(np.array([0.0, 1.0, NAN])).tolist() == [False, True, False]
    values = np.array([[0.2, 0.8], [0.5, 0.5]])
    found = outcomes(values, spec, 1, 0)
    assert rows(found["worse"]) == [0] and rows(found["best"]) == [1]
    assert order(values, spec, 1, 0, "losses").tolist() == [0, 1]


def test_orders():
    assert order(VALUES, NDCG, 1, 0, "worst").tolist() == [2, 0, 4, 1, 6, 3, 5]
    assert order(VALUES, NDCG, 1, 0, "best").tolist() == [3, 5, 6, 1, 4, 2, 0]
    assert order(VALUES, NDCG, 1, 0, "losses").tolist()[:3] == [2, 3, 6]
    assert order(VALUES, NDCG, 1, 0, "gains").tolist()[0] == 1
    assert order(VALUES, NDCG, 1, 0, "losses").tolist()[-1] == 4, "undefined stands last"
    assert order(VALUES, NDCG, 1, 0, "given").tolist() == list(range(7))
    with pytest.raises(KeyError):
        order(VALUES, NDCG, 1, 0, "alphabetical")


def test_the_spread_needs_two_values():
    np.testing.assert_allclose(spread(VALUES), [0, 0.4, 0.5, 0.5, NAN, 0, 0.05])


def some_facts(seed: int = 1, n: int = 500) -> QueryFacts:
    draw = np.random.default_rng(seed)
    return QueryFacts(n, {"outcome": {name: draw.random(n) < 0.4 for name in ("worse", "better")},
                     "attributes": {token: draw.random(n) < 0.5 for token in ("a=1", "a=2", "b=1")},
                     "stages": {"below-k": draw.random(n) < 0.3, "fine": draw.random(n) < 0.3},
                     "marks": {"note": draw.random(n) < 0.5}}, draw.random(n) < 0.6)


def test_filters_combine_as_sets():
    facts = some_facts()
    own = facts.choices
    asked = Filters(outcome="worse", text="x", attributes=("a=1", "a=2", "b=1"), stages=("below-k", "fine"))
    expected = {q for q in range(500) if own["outcome"]["worse"][q] and facts.text_matches[q]
                and (own["attributes"]["a=1"][q] or own["attributes"]["a=2"][q]) and own["attributes"]["b=1"][q]
                and (own["stages"]["below-k"][q] or own["stages"]["fine"][q])}
    assert 0 < len(expected) < 500 and set(rows(select(facts, asked))) == expected
    assert select(facts, Filters()).all()
    with pytest.raises(KeyError):
        select(facts, Filters(stages=("gone",)))


@pytest.mark.parametrize("asked", [Filters(), Filters(outcome="worse"), Filters(text="x", stages=("fine",)),
                                   Filters(outcome="better", attributes=("a=1", "b=1"), marks=("note",))])
def test_the_count_beside_a_choice_is_what_it_shows(asked):
    facts = some_facts()
    for facet, choices in facts.choices.items():
        said = counts(facts, asked, facet)
        assert set(said) == {"", *choices}
        for choice in choices:
            held = (choice, *(other for other in asked.attributes
                              if facet == "attributes" and other[0] != choice[0]))
            chosen = {**vars(asked), facet: choice if facet == "outcome" else held}
            assert said[choice] == select(facts, Filters(**chosen)).sum()
        assert said[""] == select(facts, asked.without(facet)).sum()


def test_what_to_loosen_when_nothing_passes():
    facts = QueryFacts(4, {"outcome": {"worse": np.array([1, 0, 0, 0], bool)},
                      "stages": {"fine": np.array([0, 1, 1, 0], bool)}}, np.ones(4, bool))
    asked = Filters(outcome="worse", stages=("fine",), text="x")
    assert not select(facts, asked).any()
    assert counts_without(facts, asked) == {"outcome": 2, "stages": 1, "text": 0}
    assert list(counts_without(facts, asked)) == ["outcome", "stages", "text"]


def a_match(**columns) -> Match:
    """Three queries of which the run names q3 and q1; q1 has the chunks Red and red <b>, q3 the chunk (blue."""
    truth = Truth.build("truth", ["q1", "q2", "q3"], ["a", "a", "a"], [1, 1, 1], details=pa.table(
        {"query_id": ["q1", "q2", "q3"], "query": ["What is RED?", None, "why*"]}))
    run = Run.build("run", ["q3", "q1", "q1"], ["x", "y", "a"], [1.0, 1.0, 2.0], texts=["(blue", "Red", "red <b>"],
                    details=pa.table({"query_id": ["q3", "q1"], "answer": ["it is <think>red</think> blue", "RED"],
                                      "query": ["no", None], **columns}))
    return Match(run, truth, Conventions())


@pytest.mark.parametrize(("where", "text", "regex", "expected"), [
    ("question", "red", False, [0]), ("question", "*", False, [2]), ("question", "^w", True, [0, 2]),
    ("answer", "red", False, [0]), ("answer", "blue", False, [2]),
    ("chunk", "red", False, [0]), ("chunk", "(BLUE", False, [2]), ("chunk", r"^red$|\(", True, [0, 2]),
    ("chunk", "nowhere", False, [])])
def test_text_is_found_where_it_is_asked_for(where, text, regex, expected):
    assert rows(search(a_match(), where, text, regex)) == expected


def test_nothing_to_search_is_said():
    bare = Match(Run.build("r", ["q"], ["a"]), Truth.build("t", ["q"], ["a"], [1]))
    assert [search(bare, where, "x") for where in ("question", "answer", "chunk")] == [None] * 3


@pytest.mark.parametrize(("pattern", "place", "fix"), [
    ("ab(c", "character 3: ab▸(c", "Close the bracket"), ("ab)", "character 3: ab▸)", "Open the bracket"),
    ("*a", "character 1", "needs something before it"), ("[z-a]", "character 2", "Swap the two ends"),
    ("a(?=b)", "(?=", "RE2"), (r"(a)\1", r"\1", "RE2")])
def test_a_wrong_expression_is_explained_with_its_place_and_its_fix(pattern, place, fix):
    with pytest.raises(InputError) as caught:
        check_pattern(pattern, True)
    (problem,) = caught.value.problems
    assert problem.kind == "wrong-pattern" and place in problem.actual
    assert fix in problem.fix + problem.expected
    check_pattern(pattern, False)


@pytest.mark.parametrize(("text", "regex", "kind"), [
    ("x" * (1 << 20), False, "long-search"), ("x" * (1 << 20), True, "wrong-pattern/re2"),
    ("(" * 20_000, True, "wrong-pattern/re2")])
def test_a_text_that_is_too_long_to_search_for_is_explained(text, regex, kind):
    with pytest.raises(InputError) as caught:
        matching(["a text"], text, regex)
    (problem,) = caught.value.problems
    assert problem.message == kind and len(str(problem)) < 900


def test_nulls_and_other_letters():
    assert matching(pa.chunked_array([["Ärger", None], ["ärger"]]), "ÄRGER").tolist() == [True, False, True]
