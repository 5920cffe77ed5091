"""Numbers and conditional sentences, a line per branch: edges, none, a single run, several, undefined."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ragdash.analysis.verdict import RunCheck
from ragdash.core.records import Conventions
from ragdash.evaluation.evaluate import Summary
from ragdash.evaluation.latency_cost import CostStep
from ragdash.metrics import parse_spec
from ragdash.metrics.bands import Placement
from ragdash.reporting.sentences import bands, comparison, judge_validation, latency_cost
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs import choice, rankings

NAN, INF = np.nan, np.inf
SPEC, LOWER, NEITHER = parse_spec("RR"), parse_spec("MeanRank"), parse_spec("n_rel")
FORMATTED = [
    (fmt.number, (None,), "–"),
    (fmt.number, (NAN,), "–"),
    (fmt.number, (-INF,), "–"),
    (fmt.number, (-1.25,), "−1.250"),
    (fmt.number, (0.5, 1, True), "+0.5"),
    (fmt.p_value, (NAN,), "–"),
    (fmt.p_value, (0.0001,), "0.0001"),
    (fmt.p_value, (0.00009,), "< 0.0001"),
    (fmt.p_value, (0.0456,), "0.046"),
    (fmt.p_value, (0.1,), "0.10"),
    (fmt.p_value, (1.0,), "1.00"),
    (fmt.query_range, ([5, 5],), "5 queries"),
    (fmt.query_range, ([1],), "1 query"),
    (fmt.query_range, ([7, 5],), "5 to 7 queries"),
    (fmt.file_size, (0,), "0 bytes"),
    (fmt.file_size, (999,), "999 bytes"),
    (fmt.file_size, (1000,), "1 kB"),
    (fmt.file_size, (10**6,), "1 MB"),
    (fmt.file_size, (10**9,), "1.0 GB"),
    (fmt.listed, ([],), ""),
    (fmt.listed, (["a"],), "a"),
    (fmt.listed, (["a", "b"],), "a and b"),
    (fmt.listed, (["a", "b", "c"],), "a, b and c"),
    (fmt.interval, (SimpleNamespace(low=0.5, high=NAN),), ""),
    (fmt.interval, (SimpleNamespace(low=0.5, high=0.75),), "[0.500, 0.750]"),
    (fmt.delta, (NAN, "higher"), ("–", "")),
    (fmt.delta, (0.00049, "higher"), ("± 0.000", "")),
    (fmt.delta, (0.0005, "higher"), ("▲ +0.001", "better")),
    (fmt.delta, (-0.25, "higher"), ("▼ −0.250", "worse")),
    (fmt.delta, (-0.25, "lower"), ("▲ −0.250", "better")),
    (fmt.delta, (0.25, "lower"), ("▼ +0.250", "worse")),
    (fmt.delta, (0.25, None), ("+0.250", "")),
    (fmt.delta, (0.0, None), ("± 0.000", "")),
    (fmt.range_text, (0, INF), "0 to ∞"),
    (fmt.range_text, (-1, "-k"), "−1 to −k"),
    (latency_cost.duration, (NAN,), "–"),
    (latency_cost.duration, (9.994,), "9.99 ms"),
    (latency_cost.duration, (10,), "10.0 ms"),
    (latency_cost.duration, (100,), "100 ms"),
    (latency_cost.duration, (999,), "999 ms"),
    (latency_cost.duration, (1000,), "1.00 s"),
    (latency_cost.money, (NAN,), "–"),
    (latency_cost.money, (0,), "$0.00"),
    (latency_cost.money, (1,), "$1.00"),
    (latency_cost.money, (0.5,), "$0.500"),
    (latency_cost.money, (0.00015,), "$0.000150"),
    (bands.short_list, ([],), ""),
    (bands.short_list, (list("abcd"),), "**a**, **b**, **c** and **d**"),
    (bands.short_list, (list("abcde"),), "**a**, **b**, **c** and 2 more"),
    (bands.placement_text, (None, None), ""),
    (bands.placement_text, (None, "pass"), "✓ pass"),
    (bands.placement_text, (Placement("good", "good", "good"), None), "good"),
    (bands.placement_text, (Placement("good", "fair", "good"), "undecided"), "between fair and good · ? undecided"),
    (bands.placement_text, (Placement("good", None, None), "fail"), "good (no interval) · ✗ fail"),
    (bands.placement_text, (Placement(None, None, None), "fail"), "✗ fail"),
    (bands.with_sources, (["a", "b"], ["x", "x"]), ["a.", "b.", ":gray[Bands: x.]"]),
    (bands.with_sources, ([*"abc"], ["x"] * 3), ["a.", "b.", "c.", ":gray[Bands: x.]"]),
    (bands.with_sources, (["a"], ["x"]), ["a :gray[– by the x]."]),
    (bands.with_sources, (["a", "b"], ["x", "y"]), ["a :gray[– by the x].", "b :gray[– by the y]."]),
]

@pytest.mark.parametrize(("text", "escaped"), [
    ("−0.1 [−0.2, +0.3] and more", r"−0.1 \[−0.2,_\+0.3\] and more"), ("[59%, 76%]", r"\[59%,_76%\]"),
    ("[1_ms, 1,200_ms]", r"\[1_ms,_1,200_ms\]"), ("[a, 2]", r"\[a, 2\]"), ("[1, 2, 3]", r"\[1, 2, 3\]")])
def test_an_interval_stays_on_its_line(text, escaped):
    written = fmt.escape(text.replace("_", fmt.NBSP))
    assert written.replace(fmt.NBSP, "_") == escaped
    assert fmt.strip_markdown(written) == text.replace("_", " ")


@pytest.mark.parametrize(("function", "arguments", "expected"), FORMATTED)
def test_numbers_and_lists_at_their_edges(function, arguments, expected):
    result = function(*arguments)
    assert (result.replace(fmt.NBSP, " ") if isinstance(result, str) else result) == expected


@pytest.mark.parametrize(("low", "high", "outcomes"), [  # of a metric that is better high, low, neither
    (0.01, 0.2, ("better", "worse", "differs")), (-0.2, -0.01, ("worse", "better", "differs")),
    (0.0, 0.2, ("", "", "")), (-0.2, 0.0, ("", "", "")), (-0.1, 0.1, ("", "", "")), (NAN, NAN, ("", "", ""))])
def test_the_outcome_of_a_corrected_difference(low, high, outcomes):
    one = SimpleNamespace(corrected=SimpleNamespace(low=low, high=high))
    assert tuple(judge_validation.difference_outcome(one, spec) for spec in (SPEC, LOWER, NEITHER)) == outcomes


def front(on: list[bool], *steps: CostStep, paid: str = "Cost", known: list[bool] | None = None) -> list[str]:
    return latency_cost.front_sentences(["a", "b", "c"][:len(on)], np.array(on, bool), steps, SPEC, paid, "$",
                                        known=np.array(known or [True] * len(on)))


def test_the_front_of_none_one_and_several_runs():
    assert len(front([False, False])) == 1 and "**" not in front([False])[0]
    alone, among = front([True])[0], front([False, True])[0]
    assert alone.startswith("**a** is the only run") and "no other" not in alone
    assert among.startswith("No other run has a better mean") and "than **b**" in among
    only, left_out = front([True, False], known=[True, False])
    assert only.startswith("**a** is the only run") and left_out == f"Left out, without {SPEC.title} or cost: **b**."
    assert front([True, False, False], known=[True, True, False])[0].startswith("No other run with both has a better")
    rising, level, open_ = (
        CostStep(0, 2, 0.1, 2.0, *rest) for rest in ((2.0, 1.0, 3.0), (NAN, NAN, NAN), (2.0, NAN, NAN))
    )
    whole = front([True, False, True], rising)
    assert "**a** and **c**" in whole[0] and "**b**" not in " ".join(whole)
    some = front([True, False, True], rising, known=[True, False, True])
    assert "every other run with both is no better" in some[0] and some[-1].endswith("cost: **b**.")
    assert "from **a** to **c**" in whole[1] and rf"\$2.00 a query [\$1.00,{fmt.NBSP}\$3.00]" in whole[1]
    assert "undefined" in front([True, False, True], level)[1]
    assert "no interval: there may be no gain" in front([True, False, True], open_)[1]
    assert "interval" not in front([True, False, True], open_, paid="P90 latency")[1]
    twice = front([True, True, True], open_, open_)
    assert "interval" not in " ".join(twice[:3]) and twice[3:] == [
        "Where no interval is given, there may be no gain at all."], "said once"


def pairs_of(best="a", **outcomes):
    return [SimpleNamespace(candidate=name, baseline=best, outcome=outcome, tied=outcome == "undecided")
            for name, outcome in outcomes.items()]


@pytest.mark.parametrize(("outcomes", "words"), [
    ({}, ""),
    ({"b": "worse"}, "The difference to **b** is significant."),
    ({"b": "undecided"}, "The difference to **b** is not significant."),
    ({"b": "worse", "c": "worse"}, "**a** is significantly better than all others."),
    ({"b": "undecided", "c": "undecided"}, "**a** is not significantly better than any other."),
    ({"b": "undecided", "c": "worse"}, "**a** is significantly better than **c**, but not than **b**."),
    ({"b": "not-comparable"}, "The runs are not comparable yet."),
    ({"b": "too-few"}, "On so few queries, no difference can be significant."),
    ({"b": "undefined"}, ""),
])
def test_whether_a_run_is_really_ahead_is_the_outcome_of_the_test(outcomes, words):
    assert rankings.outcome_clause(pairs_of(**outcomes)) == words


def unescaped(text):
    """Markdown without its backslashes, and with common blanks."""
    return text.replace("\\", "").replace(fmt.NBSP, " ")


def test_which_run_puts_a_relevant_document_first():
    def sentence(first, none, *pairs, means=None):
        shares = [Summary(SPEC, mean, mean - 0.1, mean + 0.1, 40, 0) for mean in means or first]
        return unescaped(rankings.first_rank_sentence(["a", "b", "c"][:len(first)], np.array(first), np.array(none),
                                                      shares, *pairs))

    assert sentence([0.5], [0.1]) == (
        "**a** puts a relevant document first for 50% [40%, 60%] of 40 queries. It misses entirely for 10%.")
    assert sentence([0.5], [0.1], means=[0.4]).startswith(
        "**a** puts a relevant document first for 50% of the queries with a relevant document. It"), "another mean"
    assert sentence([0.5], [0.0]).endswith(". It returns one for every query, at some rank.")
    assert sentence([0.5, 0.75], [0.25, 0.25]) == (
        "**b** puts a relevant document first for 75% [65%, 85%] of 40 queries, the other for 50%. Each misses "
        "entirely for 25%.")
    assert sentence([0.5, 0.75, 0.25], [0.5, 0.25, 0.125], pairs_of("b", a="undecided", c="worse"),
                    pairs_of("c", a="worse", b="worse")) == (
        "**b** puts a relevant document first for 75% [65%, 85%] of 40 queries, the others for 25% to 50%. **b** is "
        "significantly better than **c**, but not than **a**. **c** misses entirely for 13%, the others for 25% to "
        "50%. **c** is significantly better than all others.")
    assert sentence([0.5, 0.75, 0.5], [0.1, 0.1, 0.3]).endswith(
        "the others for 50%. **a** and **b** miss entirely for 10%, the other for 30%.")
    assert sentence([0.5, 0.75], [0.5, 0.0]).endswith(" **b** always returns one; the other misses for 50%.")
    assert sentence([0.5, 0.75], [0.0, 0.0]).endswith(" None misses entirely.")


@pytest.mark.parametrize(("spec", "wins"), [(SPEC, 2), (NEITHER, 2), (LOWER, 1)])
def test_wins_of_two_runs_query_by_query(spec, wins):
    x, y = np.array([0.0, 0.0, 1.0, 0.5, NAN]), np.array([1.0, 0.5, 0.5, 0.5, 1.0])
    said = fmt.pairwise_sentence("x", "y", x, y, spec)
    assert f"on {fmt.count(wins, 'query', 'queries')}, **x** on {3 - wins};" in said
    assert "equal on 1; 1 undefined." in said
    assert "undefined" not in fmt.pairwise_sentence("x", "y", x[:4], y[:4], spec)


def test_what_means_leave_out_is_said_where_there_is_any():
    def said(*counts, **conventions):
        held = [{"queries": 9, "unanswerable": 0, "missing": 0, "extra": 0, **one} for one in counts]
        return fmt.query_counts(["a", "b"][:len(held)], held, Conventions(**conventions))

    assert len(said({})) == len(said({}, {})) == 1
    assert "1 query has no relevant document: left out" in said({"unanswerable": 1})[1]
    assert "counted as 0" in said({"unanswerable": 1}, unanswerable="zero")[1]
    assert "2 queries missing from a: " in said({"missing": 2}, {})[1] and "every" not in said({"missing": 2}, {})[1]
    assert "2 queries missing from every run" in said({"missing": 2}, {"missing": 2})[1]
    assert "2 queries missing from a and 1 query missing from b" in said({"missing": 2}, {"missing": 1})[1]
    assert "every" not in said({"extra": 2})[1] and said({"extra": 2})[1] == (
        "2 queries of a: not in the ground truth, left out.")
    assert said({"extra": 2}, {"extra": 2})[1] == "2 queries of every run shown: not in the ground truth, left out."


def test_queries_of_the_runs_are_not_called_those_of_a_ground_truth():
    counts = [{"queries": 20, "unanswerable": 20, "missing": 0, "extra": 0}]
    assert fmt.query_counts(["a"], counts, Conventions(), of_runs=True) == [
        "20 queries in the runs. Without a ground truth, retrieval is not measured."]


@pytest.mark.parametrize(("difference", "without", "words"), [
    (0.1, [0.1, -0.02, 0.2], "A single query decides the direction of new against old: without “q2” it reverses."),
    (0.1, [-0.1, -0.1, -0.1, -0.1, -0.1], "without “q1”, “q2”, “q3” or any of 2 more it reverses."),
    (-0.1, [-0.1, -0.3, -0.2], "No single query reverses the difference: without “q2”, which matters most, it is "
                               "−0.300 "
                               "instead of −0.100."),
    (0.1, [0.1, 0.0, 0.1], "No single query reverses the difference: without “q2”, which matters most, it is "
                           "+0.000 "
                           "instead of +0.100."),
    (0.0, [0.1, -0.1, 0.1], ""), (0.1, [np.nan] * 3, ""), (0.1, [-0.1, -0.1], ""),
])
def test_one_query_decides_or_none_does(difference, without, words):
    compared = SimpleNamespace(spec=SPEC, n=len(without), mean_difference=difference, candidate="new", baseline="old")
    sentence = comparison.influence_sentence(compared, np.array(without), [f"q{at}" for at in range(1, 9)])
    assert sentence.replace("\\", "").endswith(words) and bool(sentence) == bool(words)


def test_many_runs_that_share_a_mean_are_counted():
    rows = [SimpleNamespace(spec=SPEC, mean=0.5, low=0.4, high=0.6, n=40) for _ in range(9)]
    text = comparison.leader_sentence([f"run {index}" for index in range(9)], rows, {})
    assert text.startswith("**run 0, run 1, run 2 and 6 more** share the highest MRR, ")
    few = comparison.leader_sentence([f"run {index}" for index in range(4)], rows[:4], {})
    assert few.startswith("**run 0, run 1, run 2 and run 3** share")


@pytest.mark.parametrize("leader", ["a", "b"])
def test_sentences_about_answers_have_one_direction_whatever_the_baseline_is(leader):
    """Two metrics with two best runs, one of them the baseline: each difference is that of its run minus the best."""
    names, other = ["a", "b"], "b" if leader == "a" else "a"
    rows = [SimpleNamespace(spec=SPEC, mean=0.6 if name == leader else 0.5, low=0.4, high=0.7, n=40) for name in names]
    for outcome, words in (("worse", "is worse."), ("undecided", "is not significantly worse.")):
        pair = SimpleNamespace(spec=SPEC, candidate=other, baseline=leader, outcome=outcome, mean_difference=-0.1, n=40,
                               low=-0.2, high=0.0, tied=outcome == "undecided", left_out=0)
        text = comparison.leader_sentence(names, rows, {names.index(other): pair}).replace("\\", "")
        assert f"**{other}** (−0.100 [−0.200, +0.000]) {words}" in text.replace("\u00a0", " ")


def test_what_a_larger_cutoff_adds_is_said_with_what_it_costs():
    def said(recall, k=5, names=("a", "b"), ks=(5, 10, 20), *, alone=False):
        means = [Summary(SPEC, row[ks.index(k)], row[ks.index(k)] - 0.1, NAN if alone else row[ks.index(k)] + 0.1,
                         1 if alone else 40, 0) for row in recall]
        return unescaped(rankings.recall_sentence(names[:len(recall)], np.array(ks), np.array(recall), k, means))

    assert said([[0.6, 0.61, 0.8], [0.7, 0.705, 0.7]]) == (
        "**b** has the highest mean Recall@5: 0.700 [0.600, 0.800] over 40 queries. With 10 documents "
        "it is 0.705; a larger k adds little.")
    assert said([[0.5, 0.7, 0.9]], k=10) == (
        "Recall@10 is 0.700 [0.600, 0.800] over 40 queries. With 20 documents it is 0.900; the generator then has more "
        "to read.")
    assert said([[0.5, 0.7, 0.9]], k=20, alone=True) == "Recall@20 is 0.900 over 1 query."
    assert said([[NAN, 0.7, 0.9]]) == ""


def test_bands_of_many_runs_are_counted():
    places = [Placement("good", "good", "good")] * 4 + [Placement(None, "fair", "good")] * 20 + [
        Placement(None, None, None)]
    names = [f"run {index}" for index in range(25)]
    sentence = bands.band_sentence(SPEC, names, places, range(25))
    assert sentence == "MRR: of 25 runs, 4 are rated *good*, 20 lie between *fair* and *good*, 1 has no value"
    assert bands.band_sentence(SPEC, names, [places[4]] * 25, range(25)) == (
        "MRR: all 25 runs lie between *fair* and *good*")


def test_what_checks_found_is_one_sentence():
    """The second finding goes on in small letters, unless it begins with the name of a run."""
    few = RunCheck("few-queries", "qualified", facts={"count": 10})
    twins = RunCheck("same-content", "qualified", facts={"first": "B", "second": "C"})
    assert choice.findings_text([few], "page") == "Only 10 queries have a value"
    assert choice.findings_text([twins, few], "page") == (
        "B and C have the same rankings; only 10 queries have a value")
    assert choice.findings_text([few, twins], "page") == (
        "Only 10 queries have a value; B and C have the same rankings")
