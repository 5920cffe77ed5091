"""Checks and verdict: each trap gives the state and the check that it must, and nothing fires for fair runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from traps import every_trap, make_qrels, make_run

import ragdash
from ragdash.analysis.verdict import (
    STATES,
    RunCheck,
    badges,
    best_run,
    find_checks,
    judged_share,
    merge_alike,
    verdict,
    verdict_state,
)
from ragdash.core.corpus import Corpus
from ragdash.core.errors import Problem
from ragdash.core.messages import MESSAGES
from ragdash.core.ranking.reverse_scores import reverse_scores
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.compare import ComparisonRules, test_family
from ragdash.evaluation.evaluate import evaluate_match, summaries
from ragdash.evaluation.outcomes import TIED
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.tuning.choice import choose, chosen_run
from ragdash.io import write_run
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec
from ragdash.reporting.sentences.comparison import comparison_sentence, rounded_up
from ragdash.reporting.sentences.runs.check_lines import check_lines
from ragdash.reporting.sentences.runs.differences import baseline_sentence, differences_sentence
from ragdash.reporting.sentences.verdict import (
    MAX_NAMES,
    TITLES,
    best_mark,
    change_sentence,
    decision_sentence,
    verdict_dict,
    verdict_sentence,
)

SPEC = parse_spec("nDCG@10")
ROOT = Path(__file__).parents[2]
TRAPS = [trap for trap in every_trap() if trap.qrels]


def verdict_of(runs, truth, accepted=(), truths=(), baseline=None, **conventions):
    matches = [Match(run, truth, Conventions(**conventions)) for run in runs]
    checks, names = find_checks(matches, SPEC, truths=truths), [run.name for run in runs]
    if any(check.kind == "no-common-query" for check in checks):
        return verdict_state(names, [], {}, checks, accepted, spec=SPEC)
    evaluations = [evaluate_match(match, [SPEC]) for match in matches]
    rows = [row[0] for row in summaries(evaluations, resamples=200)]
    best = best_run(rows)
    others = [index for index in range(len(runs)) if index != best]
    family = test_family(evaluations, SPEC, ComparisonRules(permutations=2_000))
    comparisons = dict(zip(others, family.against(best), strict=True)) if best is not None and others else {}
    against = [] if baseline is None else family.against(baseline)
    return verdict_state(names, rows, comparisons, checks, accepted, against_baseline=against)


def read(trap, folder):
    runs, judgments = trap.write(folder)
    names = [path.stem for path in judgments]
    return [ragdash.read_run(path) for path in runs], ragdash.read_truth(judgments[-1]), names


def built(name, rankings):
    rows = [(query, doc, score) for query, row in rankings.items() for doc, score in row]
    return Run.build(name, *map(list, zip(*rows, strict=True)))


def judged(qrels):
    rows = [(query, doc, grade) for query, row in qrels.items() for doc, grade in row.items()]
    return Truth.build("truth", *map(list, zip(*rows, strict=True)))


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_every_trap_has_its_verdict(trap, tmp_path):
    verdict = verdict_of(*read(trap, tmp_path)[:2], truths=read(trap, tmp_path)[2])
    assert verdict.state == trap.state
    kinds = {(check.kind, check.level) for check in verdict.checks}
    if trap.check:
        assert (trap.check, trap.level) in kinds
    else:
        assert not verdict.withheld and not verdict.qualified
    if trap.run:
        assert trap.check in {check.kind for check in badges(verdict.checks, trap.run)}
    assert verdict_sentence(verdict) and decision_sentence(verdict) and change_sentence(verdict)
    assert ("Not comparable yet" in verdict_sentence(verdict)) == (trap.state == "not-comparable")


def test_an_accepted_check_is_mentioned_and_withholds_nothing(tmp_path):
    trap = next(trap for trap in TRAPS if trap.name == "half-the-queries")
    runs, truth, _ = read(trap, tmp_path)
    verdict = verdict_of(runs, truth, accepted=["missing-queries"])
    assert verdict.state != "not-comparable" and "30 of 60 queries" in change_sentence(verdict)


def test_the_fixes_lift_the_verdict(tmp_path):
    traps = {trap.name: trap for trap in TRAPS}
    runs, truth, _ = read(traps["half-the-queries"], tmp_path / "half")
    common = verdict_of(runs, truth, missing="skip")
    assert common.state == "clear-winner" and common.best == "good" and common.better_than[0].n == 30
    runs, truth, _ = read(traps["reversed-scores"], tmp_path / "reversed")
    wrong = verdict_of(runs, truth, accepted=["rising-scores"])
    fixed = verdict_of([reverse_scores(runs[0]), runs[1]], truth)
    assert wrong.best == "poor" and (fixed.state, fixed.best) == ("clear-winner", "good")


def test_scores_are_reversed_back_and_ranks_of_a_file_stay():
    run = built("run", {"q1": [("a", 3.0), ("b", 1.0)], "q2": [("c", 2.0), ("d", 5.0)]})
    there = reverse_scores(run)
    assert there.digest != run.digest and reverse_scores(there).digest == run.digest
    ranked = Run.build("ranked", ["q", "q"], ["a", "b"], [0.1, 0.9], [1, 2])
    assert reverse_scores(ranked).pairs.tolist() == ranked.pairs.tolist()


def test_rising_scores_next_to_ranks_are_a_note():
    qrels = make_qrels(30)
    rows = [(query, doc, 20 - score, rank) for query, row in make_run(qrels, 2.0, 1).items()
            for rank, (doc, score) in enumerate(row, 1)]
    run = Run.build("ranked", *map(list, zip(*rows, strict=True)))
    checks = find_checks([Match(run, judged(qrels))], SPEC)
    assert [(check.kind, check.level) for check in checks] == [("rising-scores", "note")]


def test_sparse_judgments_are_normal_and_said():
    qrels = {query: {next(iter(row)): 1} for query, row in make_qrels(40).items()}
    full = make_qrels(40)
    runs = [built("a", make_run(full, 2.0, 1)), built("b", make_run(full, 1.0, 2))]
    checks = find_checks([Match(run, judged(qrels)) for run in runs], SPEC)
    assert [(check.kind, check.level) for check in checks] == [("sparse-judgments", "note")]


def test_relevant_documents_that_are_not_in_the_corpus_are_said():
    runs = [Run.build("a", ["q", "q"], ["d1", "d2"], [2.0, 1.0])]
    truth = Truth.build("truth", ["q"] * 10, [f"d{i}" for i in range(10)], [1] * 9 + [0])
    for known, fires in ((9, False), (8, True)):  # d0 ... of the nine relevant ones
        corpus = Corpus.build("c", [f"d{i}" for i in range(known)], ["text"] * known)
        checks = find_checks([Match(run, truth.with_corpus(corpus)) for run in runs], SPEC)
        stale = [dict(check.facts) for check in checks if check.kind == "stale-judgments"]
        assert stale == ([{"count": 1, "total": 9}] if fires else [])
    assert not any(check.kind == "stale-judgments" for check in find_checks([Match(runs[0], truth)], SPEC))


def test_unjudged_documents_that_could_change_the_winner_are_said_with_their_bounds():
    full = make_qrels(40)
    runs = [built("a", make_run(full, 1.3, 1)), built("b", make_run(full, 1.0, 2))]
    some = {query: dict(list(row.items())[::2]) for query, row in full.items()}
    matches = [Match(run, judged(some)) for run in runs]
    check = next(check for check in find_checks(matches, SPEC) if check.kind == "unjudged")
    assert check.level == "qualified" and check.facts["low"] < check.facts["high"]
    fixes = [check.fix(surface) for surface in ("page", "cli")]
    assert all("Queries" in fix and fix.endswith('under "Judge these next".') for fix in fixes)
    assert judged_share(matches[0], 10) == pytest.approx(0.5, abs=0.15)
    assert judged_share(Match(runs[0], judged(full)), 10) == 1
    text = {metric: [check.kind for check in find_checks(matches, parse_spec(metric))].count("unjudged")
            for metric in ("R@10", "RR@10", "AP", "Bpref", "nDCG(gain='exp')@10", "InfAP")}
    assert text == {"R@10": 1, "RR@10": 1, "AP": 1, "Bpref": 0, "nDCG(gain='exp')@10": 1, "InfAP": 0}


def test_no_run_wins_where_none_can_be_compared_with_it():
    qrels = make_qrels(30)
    first, second = make_run(qrels, 2.0, 1), make_run(qrels, 1.0, 2)
    queries = sorted(first)
    runs = [built("one", {query: first[query] for query in queries[:15]}),
            built("two", {query: second[query] for query in queries[15:]})]
    result = verdict_of(runs, judged(qrels), accepted=("missing-queries",), missing="skip")
    assert result.state == "undefined" and result.best is not None
    sentence = verdict_sentence(result, markdown=False)
    assert "highest" not in sentence and "Too few common queries to compare it with" in sentence


def test_a_tie_among_undefined_pairs_is_no_clear_difference():
    tie, undefined = (SimpleNamespace(outcome=outcome, tied=outcome in TIED) for outcome in ("undecided", "undefined"))
    assert tie.tied
    assert [verdict._state(pairs, ()) for pairs in ([tie, undefined], [undefined, undefined], [tie], [])] == [
        "no-clear-difference", "undefined", "no-clear-difference", "one-run"]


def test_a_hybrid_that_was_tuned_on_these_judgments_qualifies_the_verdict(tmp_path):
    qrels = make_qrels()
    runs = [built("a", make_run(qrels, 1.0, 1)), built("b", make_run(qrels, 1.0, 2))]
    truth = judged(qrels)
    write_run(chosen_run(runs, choose(runs, truth, SPEC), truth, "mix"), tmp_path / "mix.jsonl")
    mix = ragdash.read_run(tmp_path / "mix.jsonl")
    verdict = verdict_of([*runs, mix], truth.with_corpus(Corpus.build("c", truth.docs, truth.docs)))
    [check] = [check for check in verdict.checks if check.kind == "tuned-here"]
    assert (check.level, check.runs, check.badge, verdict.best) == ("qualified", ("mix",), "tuned here", "mix")
    assert ("its setting was chosen on these judgments, so its values here can be too high. Report the value on held-"
            "out queries, or evaluate it on new ones.") in change_sentence(verdict).replace("\\", "")
    held_out = mix.settings["fusion"]["tuned_on"]["held_out"]
    assert check.effect().endswith(f"no part in the choice, its {SPEC.title} is {held_out:.3f}.")
    assert "look at the warning below: it could" in decision_sentence(verdict) and "--tune" not in check.fix("page")
    assert [entry["kind"] for entry in verdict_dict(verdict)["checks"]].count("tuned-here") == 1
    grades = {query: {doc: min(grade, 1) for doc, grade in row.items()} for query, row in qrels.items()}
    others = [*find_checks([Match(mix, judged(grades))], SPEC), *find_checks([Match(fuse(runs), truth)], SPEC)]
    assert "tuned-here" not in {check.kind for check in others}


def test_no_check_fires_for_fair_runs_of_many_kinds():
    for seed in range(5):
        qrels = make_qrels(50)
        runs = [built(f"run{index}", make_run(qrels, 0.8 + 0.4 * index, 10 * seed + index)) for index in range(3)]
        assert find_checks([Match(run, judged(qrels)) for run in runs], SPEC) == ()


def test_the_sample_runs_have_a_verdict_without_withheld_checks():
    truth = ragdash.read_truth("sample_runs/truth.jsonl")
    runs = [ragdash.read_run(f"sample_runs/{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    verdict = verdict_of(runs, truth)
    assert verdict.state == "no-clear-difference" and not verdict.withheld


def test_every_state_has_a_title_and_every_check_its_words(tmp_path):
    assert set(TITLES) == set(STATES)
    for trap in TRAPS:
        runs, truth, truths = read(trap, tmp_path / trap.name)
        for check in find_checks([Match(run, truth) for run in runs], SPEC, truths=truths):
            assert f"check-{check.message}" in MESSAGES
            assert "--" not in check.fix("page") and check.badge and check.found() and check.effect()
            content = check.as_dict()
            assert content["kind"] == check.kind and content["level"] == check.level


def test_a_verdict_counts_names_where_they_are_many(tmp_path):
    trap = next(trap for trap in TRAPS if trap.name == "thirty-runs")
    runs, truth, _ = read(trap, tmp_path)
    sentence = verdict_sentence(verdict_of(runs, truth), markdown=False)
    assert "Of the other 29 runs, " in sentence and sentence.count("run2") <= 2, "the best run alone is named"
    qrels = make_qrels(60)
    five = [built("best", make_run(qrels, 1.0, 1)), *(built(f"poor{seed}", make_run(qrels, 0.2, seed)) for seed in
                                                      range(2, 6))]
    sentence = verdict_sentence(verdict_of(five, judged(qrels)), markdown=False)
    assert "Of the other 4 runs, best is better than all of them." in sentence


def test_every_other_run_is_compared_with_the_chosen_baseline():
    qrels = make_qrels(60)
    truth = judged(qrels)
    runs = [built(name, make_run(qrels, strength, 1)) for name, strength in
            (("dense", 0.3), ("hybrid", 0.8), ("mix", 0.95), ("dense again", 0.3))]
    verdict = verdict_of(runs, truth, accepted=("same-content",), baseline=0)
    assert verdict.best == "mix" and verdict.baseline == "dense"
    assert [pair.outcome for pair in verdict.against_baseline] == ["better", "better", "undecided"]
    sentence = baseline_sentence(verdict, markdown=False)
    gain = verdict.against_baseline[0]
    assert sentence.startswith(f"Compared with dense (baseline): hybrid is better (+{gain.mean_difference:.3f} [")
    assert sentence.endswith("; dense again shows no significant difference (+0.000 [+0.000, +0.000]).")
    row = verdict_dict(verdict)["against_baseline"][0]
    assert row["run"] == "hybrid" and row["outcome"] == "better" and row["difference"] == gain.mean_difference
    assert verdict_dict(verdict)["baseline_sentence"] == sentence
    assert baseline_sentence(verdict).startswith("Compared with **dense** (baseline): **hybrid** is better")
    many = verdict_of([*runs, built("last", make_run(qrels, 0.25, 3))], truth, ("same-content",), baseline=0)
    assert baseline_sentence(many, markdown=False).endswith(
        "of the remaining 3 runs: 1 better (hybrid), 2 without a significant difference (dense again and last).")
    assert not baseline_sentence(verdict_of(runs, truth, ("same-content",), baseline=2)), "the first sentence says it"
    assert not baseline_sentence(verdict_of(runs[:2], truth, baseline=0)) and not baseline_sentence(
        verdict_of(runs, truth, ("same-content",)))


def test_nan_means_are_no_result():
    qrels = {query: {doc: 0 for doc in row} for query, row in make_qrels(10).items()}
    verdict = verdict_of([built("a", make_run(make_qrels(10), 1.0, 1))], judged(qrels))
    assert verdict.state == "undefined" and verdict.best is None


def test_rankings_that_the_reading_leaves_out_are_said_with_the_verdict(tmp_path):
    records = [{"query_id": f"q{n}", "question": f"What is {n}?", "extracted_answer": str(n), "expected_answer": str(n),
                "answer_correct": n % 2 == 0, "per_k": {"3": {"retrieved_chunk_ids": [f"d{n}", "d7", "d8"]}}}
               for n in range(30)]
    (tmp_path / "dense.json").write_text(json.dumps({"results": records}))
    run = ragdash.read_run(tmp_path / "dense.json")
    match = Match(run, ragdash.Truth.of_queries([run]))
    [check] = [check for check in find_checks([match], SPEC) if check.kind == "unread-rankings"]
    assert not len(run.docs) and (check.level, check.runs) == ("qualified", ("dense",))
    assert check.fix("page") == "Apply the proposed reading, on Overview or Data."
    [proposal] = [problem for problem in run.problems if problem.kind == "proposed-reading"]
    read = ragdash.read_run(tmp_path / "dense.json", mapping=proposal.facts["mappings"][0])
    assert len(read.docs) == 90
    assert "unread-rankings" not in {check.kind for check in find_checks([Match(read, match.truth)], SPEC)}


def test_checks_that_say_the_same_of_several_runs_are_merged():
    def shallow(run, depth):
        return RunCheck("shallow-run", "withheld", (run,), {"run": run, "depth": depth, "other": "deep",
                                                            "other_depth": 30, "k": 10}, ("k", str(depth)))

    merged = merge_alike([shallow("a", 5), shallow("b", 8), *(shallow(name, 5) for name in "cdefg")])
    assert [(check.runs, check.alike) for check in merged] == [(("a",), tuple("cdefg")), (("b",), ())]
    first, second = check_lines(merged, "cli", markdown=False)
    assert first.startswith("a has at most 5 documents") and first.endswith("The same for c, d, e and 2 more runs.")
    assert "The same" not in second
    assert check_lines(merge_alike([shallow(name, 5) for name in "abcde"]), "cli", markdown=False)[0].endswith(
        "The same for b, c, d and e.")


def three_tied_runs():
    """Half of a's relevant documents come first, the others second. b loses a few first places, c gains and loses."""
    second = {"a": range(30, 60), "b": [*range(3), *range(30, 60)], "c": [*range(12), *range(37, 60)]}
    runs = [built(name, {f"q{q}": [("x", 3 if q in second[name] else 1), ("d", 2)] for q in range(60)})
            for name in "abc"]
    return runs, judged({f"q{q}": {"d": 1} for q in range(60)})


def test_the_difference_and_the_queries_it_needs_are_of_one_pair():
    verdict = verdict_of(*three_tied_runs())
    largest, other = sorted(verdict.tied, key=lambda pair: -abs(pair.mean_difference))
    assert (verdict.best, largest.candidate) == ("a", "c") and largest.queries_needed > 1.3 * other.queries_needed
    assert " ".join(
        f"To confirm the difference of {abs(pair.mean_difference):.3f} between a and {pair.candidate}, you would need "
        f"about {rounded_up(pair.queries_needed)} queries in all." for pair in (other, largest)
    ) == change_sentence(verdict, markdown=False)


def test_without_a_clear_difference_the_range_of_each_is_said_once():
    """Of many runs the differences are counted, so the decision says what either choice risks."""
    verdict = verdict_of(*three_tied_runs())
    b, c = sorted(verdict.tied, key=lambda pair: pair.candidate)
    assert c.high > b.high > 0 and c.low < b.low < 0
    sentence = decision_sentence(verdict, markdown=False)
    size = f"{-c.low:.3f}"
    assert size in differences_sentence(verdict) and size not in sentence
    many = replace(verdict, comparisons=(c, *(replace(b, candidate=f"b{at}") for at in range(MAX_NAMES))))
    assert size not in differences_sentence(many)
    assert f"a may still be up to {c.high:.3f} worse than c, and c up to {-c.low:.3f} worse than a." in (
        decision_sentence(many, markdown=False))
    assert decision_sentence(many).startswith("NDCG@10 does not decide this."), "first what to do, then what it risks"
    same = replace(b, low=0.0, high=0.0)
    assert "up to" not in decision_sentence(replace(many, comparisons=(same,) * (MAX_NAMES + 1)))


def test_a_result_on_common_words_or_of_a_judge_says_what_it_does_not_show():
    verdict = verdict_of(*three_tied_runs())
    for state in ("clear-winner", "no-clear-difference"):
        result = replace(verdict, state=state)
        on_words = decision_sentence(replace(result, spec=parse_spec("TokenF1")), markdown=False)
        assert on_words.endswith("in free prose it often goes with being right, but does not show it.")
        of_judge = decision_sentence(replace(result, spec=parse_spec("Correctness")), markdown=False)
        assert of_judge.endswith("A judge gave these scores. Judge validation shows how often it is wrong.")
        assert "overlap" not in decision_sentence(result) and "judge" not in decision_sentence(result)
    assert "overlap" not in decision_sentence(replace(verdict, state="too-few", spec=parse_spec("TokenF1")))


def test_too_few_queries_are_said_before_the_lead():
    runs = [built(name, {f"q{q}": [("x", 3), ("d", 2)] if q < behind else [("d", 2), ("x", 1)] for q in range(3)})
            for name, behind in (("a", 0), ("b", 1))]
    sentence = verdict_sentence(verdict_of(runs, judged({f"q{q}": {"d": 1} for q in range(3)})), markdown=False)
    assert sentence.startswith("Too few queries: with 3 queries no difference can be significant. a has the highest ")


def test_every_check_is_explained_where_results_and_gates_are():
    explained = "".join((ROOT / "docs" / name).read_text(encoding="utf-8")
                        for name in ("start/reading-a-result.md", "pipelines/index.md"))
    kinds = {name.removeprefix("check-").partition("/")[0] for name in MESSAGES if name.startswith("check-")}
    missing = sorted(kind for kind in kinds if f"`{kind}`" not in explained)
    assert len(kinds) > 20 and not missing, \
        f"add to the table of docs/start/reading-a-result.md (of pinned runs: docs/pipelines/index.md): {missing}"


def test_a_run_is_marked_best_only_where_it_is_better_than_every_other():
    verdict = verdict_of(*three_tied_runs())
    assert best_mark(SPEC, verdict.comparisons) == "highest mean"
    assert best_mark(parse_spec("mean_rank"), verdict.comparisons) == "lowest mean"
    assert best_mark(SPEC, [replace(pair, outcome="worse") for pair in verdict.comparisons]) == "best"


def test_one_run_is_sent_to_bands_only_where_some_are_stated():
    (run, *_), truth = three_tied_runs()
    one = verdict_of([run], truth)
    assert "against a target of your own" in decision_sentence(one)
    assert "against threshold bands" in decision_sentence(replace(one, spec=parse_spec("R@10")))


def test_runs_within_the_margin_are_called_equivalent():
    truth = ragdash.Truth.of({f"q{number}": ["a"] for number in range(60)}, "truth")
    ranked = {f"q{number}": ["a", "b"] if number % 3 else ["b", "a"] for number in range(60)}
    other = {f"q{number}": ["a", "b"] if number % 4 else ["b", "a"] for number in range(60)}
    runs = [ragdash.Run.of(rankings, name) for name, rankings in (("plain", ranked), ("other", other))]
    for margin, text in ((0.2, "other and plain are equivalent: no difference is larger than the margin."),
                         (0.001, "NDCG@10 does not decide this. Choose by cost or speed, if you know them.")):
        decided = ragdash.compare(runs[0], runs[1:], "nDCG@10", ComparisonRules(margin=margin), truth=truth).verdict
        assert decision_sentence(decided, markdown=False).startswith(text)
        assert ("To confirm" in change_sentence(decided, markdown=False)) == (margin == 0.001)


def test_rows_of_one_question_are_said_with_the_verdict():
    """Of five queries two are the second row of a question; "q (3)" is a name of its own, for there is no "q"."""
    ids = ["Who?", "Who? (2)", "When?", "When? (2)", "q (3)"]
    noted = Problem("repeated-question", {"count": 2}, severity="warning")
    run = Run.build("bot", ids, ["d"] * 5, problems=[noted])
    truth = Truth.build("truth", ids, ["d"] * 5, [1] * 5)
    checks = find_checks([Match(run, truth)], parse_spec("RR"))
    check, = (check for check in checks if check.kind == "repeated-questions")
    assert check.level == "qualified" and check.runs == ("bot",)
    assert check.found("page") == "bot has 5 rows for 3 questions"
    without = find_checks([Match(Run.build("bot", ids, ["d"] * 5), truth)], parse_spec("RR"))
    assert "repeated-questions" not in {check.kind for check in without}, "only a reading that numbers them says so"


def test_a_difference_that_is_not_significant_needs_more_queries_than_there_are():
    """Five of six better: the estimate says 5 queries, the randomization test that six do not show it."""
    qrels = {f"q{index}": {"d": 1} for index in range(6)}
    better = {query: ["d"] for query in qrels}
    worse = {query: ["d"] if query == "q0" else ["x"] for query in qrels}
    [[compared]] = ragdash.compare(worse, [better], "RR", truth=qrels)
    assert compared.outcome == "undecided" and compared.queries_needed < 6
    sentence = comparison_sentence(compared, "worse", 0.0)
    assert "you would need more than 6 queries." in sentence and "about 5 queries" not in sentence
