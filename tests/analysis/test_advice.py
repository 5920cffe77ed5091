"""What to choose among runs that tie for best, what speaks against it, and that every sentence says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers import truth_of

import ragdash
from ragdash.analysis.verdict import (
    MOST_RUNS,
    AdviceFacts,
    HybridGain,
    RunCheck,
    advise,
    compared_by_slice,
    decide,
    lean_specs,
    paid_of,
)
from ragdash.analysis.verdict.advice import Paid, cheapest
from ragdash.core.records import Conventions, Repetition, Truth
from ragdash.core.slices import slices
from ragdash.dashboard.components.verdict_panel import marks
from ragdash.evaluation.compare import ComparisonRules, compare_slices
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.latency_cost import UNKNOWN, Amount
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.price import fused_price, gain_of
from ragdash.experiments.fusion.pair import fused_from, places_last, runs_to_fuse, same_fusions, searches_of
from ragdash.experiments.fusion.tuning.choice import choose, chosen_run
from ragdash.io import write_run
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec
from ragdash.reporting.sentences.comparison import signed_interval
from ragdash.reporting.sentences.formatting import escape
from ragdash.reporting.sentences.latency_cost import duration
from ragdash.reporting.sentences.runs.choice import (
    ceiling_note,
    hybrid_sentence,
    next_step_sentence,
    risk_line,
    risk_sentence,
    tied_note,
    verdict_title,
)
from ragdash.reporting.sentences.runs.differences import differences_sentence
from ragdash.reporting.sentences.verdict import (
    change_sentence,
    decision_sentence,
    headline,
    verdict_dict,
    verdict_sentence,
)

SPEC = parse_spec("nDCG@10")
RULES = ComparisonRules(permutations=2_000, resamples=200)


@pytest.fixture(scope="module")
def samples():
    truth = ragdash.read_truth("sample_runs/truth.jsonl")
    return [ragdash.read_run(f"sample_runs/{name}.jsonl") for name in ("dense", "sparse", "hybrid")], truth


def advised(runs, truth, baseline=0, **facts):
    matches = [Match(run, truth) for run in runs]
    verdict = decide([evaluate_match(match, [SPEC]) for match in matches], SPEC, (), RULES, baseline=baseline)
    return advise(verdict, AdviceFacts([evaluate_match(match, lean_specs(SPEC)) for match in matches],
                                       paid_of([run.name for run in runs], [[match] for match in matches]), **facts))


def test_the_samples_are_decided_as_far_as_the_data_go(samples):
    verdict = advised(*samples)
    means = verdict.advice.paid.means
    assert verdict.advice.choice == "sparse" and verdict.advice.paid.unit == "ms"
    decision = decision_sentence(verdict, markdown=False)
    assert decision.startswith(
        f"If you must choose now, take sparse: it has the highest mean, and it takes {duration(means['sparse'])} per "
        f"query, dense {duration(means['dense'])} (retrieval only). But Hit rate@10 favors dense.")
    hits = {run.name: ragdash.evaluate(run, samples[1], "Success@10").values[:, 0] for run in samples[0]}
    missed = {name: int((values == 0).sum()) for name, values in hits.items()}
    assert (f"sparse finds no relevant document in the first 10 ranks for {missed['sparse']} of 110 queries, dense for "
            f"{missed['dense']}") in risk_sentence(verdict, markdown=False)
    assert risk_sentence(verdict, markdown=False).endswith(
        "Take the difference in Hit rate@10 as a hint: it may be chance.")
    assert "misses more" not in decision, "no outcome says so"
    written = verdict_dict(verdict)
    assert (written["choice"], written["leans"][0]["other_run"], written["hybrid"]) == ("sparse", "dense", None)
    assert {row["run"]: row["mean"] for row in written["choice_by"]["means"]} == dict(means)
    assert written["risk"] == risk_sentence(verdict, markdown=False)
    assert risk_line(verdict).startswith("**What speaks against choosing sparse:** ")
    assert "sparse shows no significant difference from dense (" in verdict_sentence(verdict, markdown=False)


def test_the_reason_for_a_choice_names_the_run_with_the_highest_mean_if_that_is_slower(samples):
    verdict = advised(*samples)
    taken = replace(verdict.advice, choice="dense", paid=Paid("ms", {"dense": 10.0, "hybrid": 10.5, "sparse": 30.0}))
    assert ("take dense: it takes 10.0\xa0ms per query, sparse 30.0\xa0ms, and no other of them is much faster."
            in decision_sentence(replace(verdict, advice=taken), markdown=False))
    near = replace(taken, paid=Paid("ms", {"dense": 10.0, "hybrid": 10.5, "sparse": 10.9}))
    assert "take dense: no other of them is much faster." in decision_sentence(
        replace(verdict, advice=near), markdown=False)


def test_a_run_with_the_same_mean_as_another_is_not_chosen_for_the_highest_mean(samples):
    verdict = advised(*samples)
    alike = replace(verdict, comparisons=tuple(replace(pair, mean_difference=0.0) for pair in verdict.comparisons))
    assert "take sparse: it takes" in decision_sentence(alike, markdown=False)
    assert marks(verdict) == {"sparse": "highest mean", "dense": "not clearly worse", "hybrid": "not clearly worse"}
    assert marks(alike) == dict.fromkeys(("sparse", "dense", "hybrid"), "highest mean")


def test_a_kind_of_queries_on_which_another_run_is_better_speaks_against_the_choice(samples):
    runs, truth = samples
    evaluations = [evaluate_match(Match(run, truth), [SPEC]) for run in runs]
    by_slice = compared_by_slice(evaluations, SPEC, truth, RULES)
    verdict = advised(runs, truth, by_slice=by_slice)
    (pair,) = verdict.advice.slices
    assert (pair.slice.title, pair.candidate, pair.baseline) == ("type: paraphrase", "dense", "sparse")
    asked = pair.slice.queries & np.isfinite(evaluations[0].column(SPEC))
    means = [float(evaluation.column(SPEC)[asked].mean()) for evaluation in evaluations[:2]]
    assert pair.n == asked.sum() and pair.mean_difference == pytest.approx(means[0] - means[1])
    rows = compare_slices(evaluations[1], [evaluations[0], evaluations[2]], SPEC, slices(truth)["type"], RULES)
    same = next(row[0] for row in rows if row[0].slice.value == "paraphrase")
    assert (same.n, same.outcome) == (pair.n, "better")
    assert (same.low, same.high) == pytest.approx((pair.low, pair.high), abs=0.02)
    assert "But on queries whose type is paraphrase, dense is better." in decision_sentence(verdict, markdown=False)
    lead = f"On the {pair.n} queries whose type is paraphrase,"
    assert risk_sentence(verdict).startswith(
        f"{lead} **sparse** is worse than **dense** by NDCG@10: −0.494 "), "as every table subtracts the baseline"
    assert risk_sentence(replace(verdict, against_baseline=())).startswith(
        f"{lead} **dense** is better than **sparse** by NDCG@10: \\+0.494 ")
    (row,) = verdict_dict(verdict)["slices"]
    assert (row["attribute"], row["value"], row["run"], row["other_run"], row["n"]) == (
        "type", "paraphrase", "sparse", "dense", pair.n)
    assert not advised(runs, truth, by_slice=lambda run: [replace(pair, outcome="undecided")]).advice.slices
    many = [replace(evaluations[0], name=f"run {number}") for number in range(MOST_RUNS + 1)]
    assert not list(compared_by_slice(many, SPEC, truth, RULES)("run 0"))
    named = pa.table({"query_id": truth.query_ids, "attributes": [
        text and text.replace('"type"', '"failure_type"') for text in truth.details["attributes"].to_pylist()]})
    of_a_run = Truth.build("renamed", truth.query_ids.take(pa.array(truth.queries)), truth.docs, truth.grades,
                           details=named)
    assert "failure_type" in slices(of_a_run) and "failure_type" not in {
        found.slice.attribute for found in compared_by_slice(evaluations, SPEC, of_a_run, RULES)("sparse")}
    only = pair.slice.queries
    within = [evaluation.only(evaluation.query_ids.filter(pa.array(only)).to_pylist()) for evaluation in evaluations]
    assert {found.slice.attribute for found in compared_by_slice(within, SPEC, truth, RULES, only)("dense")} == (
        set(slices(truth)) - {"type"}), "within one kind of queries, its attribute says nothing"


def test_the_headline_is_short_and_the_differences_follow(samples):
    verdict = advised(*samples)
    assert headline(verdict).count("[") == 1 and "significant difference" not in headline(verdict)
    lead = "**sparse** has the highest NDCG@10, 0.718"
    assert headline(verdict).startswith(f"On these queries {lead}") and "95% CI" in headline(verdict)
    assert headline(verdict, titled=True).startswith(f"No run is clearly best: on these queries {lead}")
    poor = ragdash.Run.build("poor", samples[0][0].query_ids.to_pylist(), ["x"] * len(samples[0][0].query_ids))
    some = advised([*samples[0][:2], poor], samples[1])
    assert differences_sentence(some).startswith("**sparse** is better than **poor** \\(") and (
        "Compared with **dense** (baseline): **poor** is worse" in differences_sentence(some))


def test_without_a_clear_difference_the_rest_says_how_large_one_could_be_and_what_to_do(samples):
    """The title says that nothing differs: what follows says it no more."""
    verdict = advised(*samples)
    differences, decision = differences_sentence(verdict), decision_sentence(verdict)
    to_dense, to_hybrid = verdict.comparisons
    of_hybrid = next(pair for pair in verdict.against_baseline if pair.candidate == "hybrid")
    assert differences == "By how much they could differ: " + "; ".join((
        f"**sparse** minus **dense** (baseline) {escape(signed_interval(to_dense, turned=True))}",
        f"**sparse** minus **hybrid** {escape(signed_interval(to_hybrid, turned=True))}",
        f"**hybrid** minus **dense** (baseline) {escape(signed_interval(of_hybrid))}.")
    )
    assert "significant" not in differences + decision and "do not show" not in decision


def test_a_beaten_baseline_is_in_the_title(samples):
    runs, truth = samples
    poor = ragdash.Run.build("poor", runs[0].query_ids.to_pylist(), ["nothing"] * len(runs[0].query_ids))
    assert verdict_title(advised(runs, truth)) == "No clear difference"
    assert verdict_title(advised([*runs, poor], truth, baseline=3)) == (
        "No clear best: sparse, dense or hybrid; better than the baseline poor")
    beaten = advised([*runs, poor], truth, baseline=3)
    names = [pair.candidate for pair in beaten.against_baseline]
    assert sorted(names) == ["dense", "hybrid", "sparse"] and {pair.outcome for pair in beaten.against_baseline} == {
        "better"}
    for still_better, words in (({"sparse", "dense"}, "2 of them "), ({"sparse"}, "sparse ")):
        some = replace(beaten, against_baseline=tuple(
            pair if pair.candidate in still_better else replace(pair, outcome="no-clear-difference")
            for pair in beaten.against_baseline))
        assert verdict_title(some) == f"No clear best: sparse, dense or hybrid; {words}better than the baseline poor"
    assert verdict_title(advised([*runs, poor], truth)) == "No clear best: sparse, dense or hybrid"
    assert verdict_title(advised([runs[0], poor], truth, baseline=1)) == "Clear winner"


@pytest.mark.parametrize(("quality", "options", "choice"), [
    ([0.7, 0.6], [Paid("ms", {"a": 20.0, "b": 2.0})], "b"),
    ([0.7, 0.6], [Paid("ms", {"a": 2.1, "b": 2.0})], "a"),  # as fast: the better mean
    ([0.7, 0.6], [Paid("ms", {"a": 20.0})], None),
    ([0.7, 0.6], [Paid("$", {"a": 1.0, "b": 1.0}), Paid("ms", {"a": 9.0, "b": 3.0})], "b"),  # cost does not decide
    ([0.7, 0.6], [Paid("$", {"a": 1.0, "b": 2.0}), Paid("ms", {"a": 9.0, "b": 3.0})], "a"),
    ([0.7, 0.6], [Paid("ms", {"a": 5.0, "b": 0.0})], "b"),
    ([0.7, 0.6], [], None)])
def test_the_cheapest_of_runs_that_are_as_good_is_chosen(quality, options, choice):
    assert cheapest(["a", "b"], np.array(quality), options)[0] == choice


def test_without_times_the_decision_names_no_run(samples):
    verdict = replace(advised(*samples), advice=replace(advised(*samples).advice, choice=None, paid=None))
    assert decision_sentence(verdict) == (
        "NDCG@10 does not decide this. Choose by cost or speed, if you know them.")


def test_times_without_a_unit_are_asked_for_instead_of_costs_that_nobody_knows():
    rows = "".join(f"{config},q{query},Who?,{'She.' if query % 3 else 'He.'},She.,{20 + query}\n"
                   for config in ("a", "b") for query in range(9))
    content = ("t.csv", f"config,query_id,query,answer,reference,latency\n{rows}".encode())
    runs, truth, spec = ragdash.read_runs(content), ragdash.read_truth(content), parse_spec("TokenF1")
    matches = [Match(run, truth) for run in runs]
    verdict = advise(decide([evaluate_match(match, [spec]) for match in matches], spec, (), RULES, baseline=0),
                     AdviceFacts((), paid_of([run.name for run in runs], [[match] for match in matches])))
    assert verdict.advice.unread_times == "latency" and verdict.advice.paid is None
    sentence = decision_sentence(verdict, markdown=False)
    assert "say whether the times in latency are seconds or milliseconds" in sentence and "know them" not in sentence


@pytest.mark.parametrize(("own", "other", "said"), [
    (1910.0, 1280.0, True), (90.0, 9.0, False), (1300.0, 1280.0, False)])
def test_a_clear_winner_that_is_much_slower_says_so(samples, own, other, said):
    dense, poor = samples[0][0], ragdash.Run.build("poor", samples[0][0].query_ids.to_pylist(),
                                                   ["nothing"] * len(samples[0][0].query_ids))
    verdict = advised([dense, poor], samples[1])
    assert verdict.state == "clear-winner"
    sentence = risk_sentence(advise(verdict, AdviceFacts((), [Paid("ms", {"dense": own, "poor": other})])),
                             markdown=False)
    assert sentence == ("dense takes 1.91\xa0s per query, poor 1.28\xa0s." if said else "")


@pytest.mark.parametrize(("times", "stages"), [
    ({"retrieval": 5.0}, ("retrieval",)), ({"retrieval": 5.0, "rerank": 7.0}, ("rerank", "retrieval")),
    ({"retrieval": 5.0, "generation": 90.0}, ()), (5.0, ()), (None, ())])
def test_times_without_those_of_answers_are_called_by_their_stages(times, stages):
    """A total without its parts may include an answer."""
    details = None if times is None else pa.table({"query_id": ["q1"], "latency_ms": [times]})
    match = Match(ragdash.Run.build("one", ["q1"], ["a"], details=details), truth_of({"q1": ["a"]}))
    assert [paid.search_stages for paid in paid_of(["one"], [[match]])] == [stages] * (times is not None)


def test_a_hybrid_is_named_with_its_gain_and_is_not_the_loaded_one(samples):
    (dense, sparse, loaded), truth = samples
    pool = judged_pool([dense, sparse], truth, Conventions())
    choice = choose([dense, sparse], truth, SPEC, pool=pool)
    gain = gain_of(choice, pool, {"hybrid": loaded})
    pair = choice.against_single
    price = fused_price(pool, choice.recipe, choice.best_run)
    assert gain == HybridGain(("dense", "sparse"), "Weighted sum of scores", choice.spec, choice.held_out.value,
                              pair.baseline, pair.mean_difference, pair.low, pair.high, ("hybrid",), (),
                              {"norm": "z-score", "weights": [0.5, 0.5]}, None, price.more("parallel"),
                              price.more("cost"))
    verdict = advised(*samples, hybrid=gain)
    sentence = hybrid_sentence(verdict, markdown=False)
    assert sentence.startswith("An equal mix of dense and sparse (weighted sum of scores, z-score, weight 0.5 for "
                               "dense, weight 0.5 for sparse) would reach NDCG@10")
    assert "on held-out queries. With parallel searches it takes 22.7\xa0ms more per query. The loaded" in sentence
    dear = replace(gain, time=UNKNOWN, cost=Amount(0.002, 0.001, 0.003, 110))
    assert "It costs $0.00200 more per query." in hybrid_sentence(advised(*samples, hybrid=dear), markdown=False)
    assert f"reach NDCG@10 {choice.held_out.value:.3f}, +{choice.against_single.mean_difference:.3f} [" in sentence
    assert sentence.endswith("The loaded hybrid is fused in another way.")
    assert change_sentence(verdict, markdown=False).startswith(sentence)
    step = next_step_sentence(verdict)
    assert step.startswith("**What to build next:** An equal mix of **dense** and **sparse** would reach NDCG@10")
    assert step.endswith("fused in another way. The exact setting is on What-if.") and "z-score" not in step
    in_file = next_step_sentence(verdict, with_setting=True)
    assert "z-score, weight 0.5 for dense" in in_file.replace("\\", "") and "What-if" not in in_file
    measured = replace(verdict, evidence=(choice.against_single,))
    assert "Whether it improves the answers was not measured." in next_step_sentence(measured)
    weighted = replace(gain, params={"norm": "z-score", "weights": [0.3, 0.7]})
    assert hybrid_sentence(advised(*samples, hybrid=weighted), markdown=False).startswith(
        "A mix of dense (weight 0.3) and sparse (weight 0.7) (weighted sum")
    assert "equal mix" not in change_sentence(verdict, alone=False)
    assert gain_of(replace(choice, decision="single"), pool) is None


def test_a_run_that_is_the_hybrid_is_not_called_another_fusion(samples):
    """By its recipe where it has one, in any order of the runs; by its rankings where it was fused elsewhere."""
    (dense, sparse, loaded), truth = samples
    pool = judged_pool([dense, sparse], truth, Conventions())
    choice = choose([dense, sparse], truth, SPEC, pool=pool)
    added = chosen_run(pool.runs, choice, truth, "mine")
    given = choice.recipe.given
    turned = ragdash.fuse([sparse, dense], choice.recipe.method, name="turned",
                          **{**given, "weights": given["weights"][::-1]})
    copy = replace(added, name="copy", settings={})
    other = ragdash.fuse([dense, sparse], "rrf", k=5, name="other")
    elsewhere = replace(other, name="elsewhere", settings={})
    gain = gain_of(choice, pool, {run.name: run for run in (added, turned, copy, other, elsewhere, loaded)})
    assert gain.same == ("mine", "turned", "copy") and gain.loaded == ("other", "elsewhere", "hybrid")
    said = hybrid_sentence(advised(*samples, hybrid=gain), markdown=False)
    assert said.endswith("mine, turned and copy are this hybrid.") and "another way" not in said
    assert not next_step_sentence(advised(*samples, hybrid=gain)), "it is built already"
    (only,) = same_fusions({"mine": added}, choice.recipe, pool)
    assert hybrid_sentence(advised(*samples, hybrid=replace(gain, same=(only,)))).endswith("**mine** is this hybrid.")
    assert not same_fusions({"mine": added}, choice.recipes[0], pool), "the recipe decides, not the name"


def test_what_if_begins_with_the_best_run_and_what_adds_most():
    rng = np.random.default_rng(0)
    best = rng.random(50)
    copy, other, poor = best.copy(), 1 - best, best / 2
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        values = np.stack([best + 0.1, copy + 0.1, other, poor])[order]
        chosen = {order[index] for index in runs_to_fuse(values, SPEC, [False] * 4)}
        assert len(chosen) == 2 and 2 in chosen and chosen & {0, 1}
    assert runs_to_fuse(values, SPEC, [False, True, False, False]) != runs_to_fuse(values, SPEC, [False] * 4)
    assert runs_to_fuse(np.full((3, 1), np.nan), SPEC, [False, True, False]) == [0, 2]
    assert runs_to_fuse(values[:1], SPEC, [False]) == [0]


def test_repeats_of_one_configuration_are_not_fused_with_each_other(samples):
    (dense, sparse, _), _ = samples
    runs = [replace(run.renamed(f"{run.name} / {label}"), repetition=Repetition(run.name, label, "results.csv"))
            for run in (dense, sparse) for label in ("1", "2")]
    places = places_last(runs, [run.name for run in runs], [()] * 4)
    assert places == [0, 3, 0, 3]
    # the repeats of dense are the two best and differ most
    values = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.1, 0.2], [0.1, 0.1, 0.3]])
    assert runs_to_fuse(values, SPEC, places) == [0, 2]


def test_a_fusion_of_loaded_runs_is_no_search(samples, tmp_path):
    """By its recipe, and in a file without settings by its scores; a hybrid by name is one where no other is left."""
    (dense, sparse, hybrid), _ = samples
    rrf = ragdash.fuse([dense, hybrid], name="rrf")
    write_run(rrf, tmp_path / "rrf.trec")
    plain = ragdash.read_run(tmp_path / "rrf.trec")
    assert not plain.settings
    weighted = ragdash.fuse([dense, hybrid], "weighted", name="sum")
    values = np.array([[0.1, 0.5], [0.6, 0.4], [0.7, 0.5]])
    for fused in (rrf, plain, weighted):
        runs = [dense, hybrid, fused]
        legs = fused_from(runs)
        assert legs == [(), (), (0, 1)]
        places = places_last(runs, [run.name for run in runs], legs)
        assert places == [0, 1, 2] and runs_to_fuse(values, SPEC, places) == [0, 1]
        searches, [note] = searches_of(runs)
        assert searches == [dense, hybrid] and note.facts == {"run": fused.name, "legs": ["dense", "hybrid"]}
        assert f"{fused.name!r}, a fusion of dense, hybrid" in note.actual
    assert fused_from([dense, sparse, plain]) == [(), (), ()], "one of its runs is not here"
    assert fused_from([sparse, dense, hybrid, plain])[-1] == (1, 2)
    assert searches_of([dense, rrf]) == ([dense, rrf], [])
    other = ragdash.fuse([dense, hybrid], k=5, name="other")
    assert fused_from([dense, hybrid, replace(other, settings={})]) == [(), (), ()], "other scores"


def test_no_queries_are_asked_for_to_confirm_a_difference_of_runs_that_are_nearly_the_same(samples):
    verdict = advised(*samples)
    pair = replace(verdict.tied[0], queries_needed=440.0)
    tied = replace(verdict, comparisons=(pair,), checks=())
    same = RunCheck("nearly-same", "qualified", (pair.baseline, pair.candidate), {
        "first": pair.candidate, "second": pair.baseline, "metric": "NDCG@10", "overlap": 0.99, "count": 98,
        "total": 100})
    assert "To confirm the difference" in change_sentence(tied)
    assert "To confirm" not in change_sentence(replace(tied, checks=(same,)))
    assert not same.could_explain(verdict.spec), "it makes the test stricter and favors no run"


def test_a_tie_below_a_beaten_run_is_explained(samples):
    verdict = advised(*samples)
    first, second = verdict.comparisons
    beaten = replace(first, candidate="x", outcome="worse", mean_difference=-0.01)
    assert not tied_note(verdict)
    note = tied_note(replace(verdict, comparisons=(beaten, replace(second, mean_difference=-0.02))), markdown=False)
    assert "x (0.708) is significantly worse than sparse" in note and f"{second.candidate} (0.698)" in note
    assert not tied_note(replace(verdict, comparisons=(beaten, replace(second, mean_difference=-0.001))))


def test_only_a_low_ceiling_is_said():
    specs = [parse_spec("P@10"), parse_spec("R@10"), parse_spec("nDCG@10")]
    assert ceiling_note(specs, [0.15, 1.0, np.nan], markdown=False) == (
        "With these judgments Precision@10 can be at most 0.150.")
    assert not ceiling_note(specs, [0.95, 1.0, 1.0])
