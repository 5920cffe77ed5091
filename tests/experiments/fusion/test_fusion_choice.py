"""The held-out choice of a hybrid: by hand, on made-up populations, on the samples, and on the command line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from fusion_cases import run_of, two_runs
from scipy.stats import t

from ragdash import InputError, Run, Truth, evaluate, fuse, parse_specs, read_run, read_truth
from ragdash.cli.main import main
from ragdash.evaluation.stats import queries_needed
from ragdash.experiments.fusion.alternatives import cascade_choice, other_metrics
from ragdash.experiments.fusion.export.reference import reference
from ragdash.experiments.fusion.judged_pool import judged_pool, rank_score_warnings
from ragdash.experiments.fusion.legs.answer import answer_of
from ragdash.experiments.fusion.tuning.choice import choose, chosen_run, sweep_line
from ragdash.experiments.fusion.tuning.grids import settings, simplex
from ragdash.experiments.fusion.tuning.held_out import held_out
from ragdash.io import write_run
from ragdash.reporting.html.content import HybridAnswer
from ragdash.reporting.sentences.hybrid_answer import answer_sentences

ROOT = Path(__file__).parents[3]
REAL = os.environ.get("RAGDASH_TEST_DATA", "")


def test_weights_in_whole_steps_lose_no_combination():
    for runs, steps in ((2, 20), (3, 10), (4, 5)):
        weights = simplex(runs)
        assert len(set(weights)) == len(weights)
        assert {tuple(round(part * steps) for part in parts) for parts in weights} == {
            parts for parts in np.ndindex(*[steps + 1] * runs) if sum(parts) == steps}
    tried = settings(two_runs())
    assert (tried[0].method, tried[0].params["k"], tried[0].params["weights"]) == ("rrf", 60.0, None)
    keys = [(recipe.method, tuple(sorted((name, str(value)) for name, value in recipe.params.items())))
            for recipe in tried]
    assert len(set(keys)) == len(keys)
    assert {recipe.method for recipe in settings([two_runs()[0], run_of("r", {"q": {"a": 1.0}}, scores=False)])} == {
        "rrf", "isr", "rbc"}


def test_a_held_out_value_by_hand():
    # Each query alone is a fold of two: the other one chooses. Setting 1 is better for query 0, setting 0 for query 1.
    values = np.array([[0.0, 1.0], [0.8, 0.0]])
    result = held_out(values, folds=2, repeats=3)
    assert result.chosen == 0 and result.in_sample == 0.5
    assert result.value == 0.0 and result.per_query.tolist() == [0.0, 0.0]
    assert result.optimism == 0.5 and result.worse == 0.5 and result.picks.tolist() == [0.5, 0.5]


def test_ties_go_to_the_default_and_lower_can_be_better():
    values = np.array([[0.3, 0.5, 0.7, np.nan], [0.3, 0.5, 0.7, np.nan], [0.2, 0.4, 0.6, 0.1]])
    assert held_out(values).chosen == 0 and held_out(values).n == 3
    lower = held_out(values, sign=-1)
    assert lower.chosen == 2 and lower.value == pytest.approx(0.4) and lower.worse == 0.0
    empty = held_out(np.full((2, 3), np.nan))
    assert empty.n == 0 and np.isnan(empty.value) and np.isnan(empty.interval()).all()
    assert np.isnan(held_out(np.array([[0.4]])).value)


def test_an_interval_of_two_queries_stays_in_the_range_of_the_metric():
    values = np.array([[0.1, 0.9], [0.9, 0.2]])
    low, high = held_out(values).interval()
    assert low < 0 and high > 1
    assert held_out(values, limits=(0.0, 1.0)).interval() == (0.0, 1.0)
    assert held_out(values, values[0], limits=(0.0, 1.0)).interval()[0] >= -1.0
    assert held_out(values, values[0], limits=(0.0, np.inf)).limits == (-np.inf, np.inf)


def test_without_a_real_difference_choosing_promises_too_much_and_the_held_out_value_does_not():
    rng = np.random.default_rng(4)
    promised, kept, covered = [], [], []
    for seed in range(60):
        values = rng.normal(size=80) * 0.2 + rng.normal(size=(40, 80)) * 0.15
        gain = held_out(values, values[0], repeats=4, resamples=60, seed=seed)
        low, high = gain.interval()
        promised.append(gain.in_sample)
        kept.append(gain.value)
        covered.append(low <= 0 <= high)
    assert np.mean(promised) > 0.03 and abs(np.mean(kept)) < 0.01
    assert np.mean(covered) >= 0.94


@pytest.fixture(scope="module")
def samples():
    runs = [read_run(ROOT / "sample_runs" / f"{name}.jsonl") for name in ("sparse", "dense")]
    return runs, read_truth(ROOT / "sample_runs" / "truth.jsonl")


def test_the_choice_on_the_samples_is_confirmed_by_a_division_that_it_never_saw(samples):
    runs, truth = samples
    [spec] = parse_specs("nDCG@10")
    choice = choose(runs, truth, spec)
    low, high = choice.held_out.interval()
    assert choice.decision == "tuned" and choice.against_single.outcome == "better"
    assert choice.recipe.method == "weighted" and choice.flat[0] == "weight"
    rng = np.random.default_rng(99)
    half = rng.permutation(len(truth)) < len(truth) // 2
    picked = np.nanmean(choice.values[:, half], axis=1).argmax()
    other = np.nanmean(choice.values[picked][~half])
    assert other > np.nanmean(choice.single_values[:, ~half], axis=1).max()
    assert low - 0.05 < other < high + 0.05
    fused = chosen_run(runs, choice, truth)
    assert fused.settings["fusion"]["tuned_on"]["truth"] == truth.digest
    assert "fusion-tuned" in [problem.kind for problem in fused.problems]


def test_equal_runs_have_nothing_to_gain_and_few_queries_no_answer():
    lists = {f"q{i}": {"a": 3.0, "b": 2.0, "c": 1.0} for i in range(12)}
    runs = [run_of("first", lists), run_of("second", lists)]
    truth = Truth.build("qrels", list(lists), ["a", "b", "c"] * 4, [1] * 12)
    [spec] = parse_specs("RR")
    choice = choose(runs, truth, spec)
    assert choice.decision == "single" and choice.held_out.chosen == 0 and choice.held_out.optimism == 0
    assert choice.against_single.outcome == "undecided" and np.isnan(choice.survives)
    assert choose(runs, Truth.build("qrels", ["q0"], ["a"], [1]), spec).decision == "unknown"
    with pytest.raises(InputError) as error:
        choose(runs, truth, parse_specs("TokenF1")[0])
    assert "fusion-metric" in [problem.kind for problem in error.value.problems]


def test_the_queries_needed_agree_with_the_interval_that_allows_for_the_choice():
    rng = np.random.default_rng(3)
    docs = [f"d{rank}" for rank in range(12)]
    runs = [run_of(name, {f"q{q}": dict(zip(docs, rng.random(12), strict=True)) for q in range(40)})
            for name in ("first", "second")]
    truth = Truth.build("qrels", [f"q{q}" for q in range(40)], ["d0"] * 40, [1] * 40)
    choice = choose(runs, truth, parse_specs("RR")[0])
    row, plain = choice.against_single, np.nanstd(choice.held_out.per_query - choice.single_values[choice.best_run],
                                                  ddof=1)
    half = (row.high - row.low) / 2
    assert half > 1.2 * t.ppf(0.975, 39) * plain / np.sqrt(40)  # choosing adds to the error
    implied = queries_needed(row.mean_difference, half * np.sqrt(40) / t.ppf(0.975, 39))
    assert row.queries_needed == choice.queries_needed == pytest.approx(float(implied), rel=0.02)
    assert row.detectable > half


def fused_runs():
    return [read_run(ROOT / "sample_runs" / f"{name}.jsonl") for name in ("sparse", "dense")]


def test_another_metric_measures_what_one_chose(samples):
    # By hand: query 1 chooses setting 0 for query 0, query 0 chooses setting 1 for query 1; all choose setting 0.
    values, measured = np.array([[0.0, 1.0], [0.8, 0.0]]), np.array([[10.0, 20.0], [30.0, 40.0]])
    result = held_out(values, folds=2, repeats=3, measured=measured)
    assert (result.value, result.in_sample, result.chosen) == (25.0, 15.0, 0)
    assert result.per_query.tolist() == [10.0, 40.0]
    rng = np.random.default_rng(2)
    values = rng.random((5, 30))
    same, plain = held_out(values, measured=values), held_out(values)
    assert (same.value, same.error, same.optimism) == (plain.value, plain.error, plain.optimism)
    runs, truth = samples
    pool = judged_pool(runs, truth)
    choice = choose(runs, truth, parse_specs("nDCG@10")[0], pool=pool, family="weighted")
    rows = other_metrics(pool, choice, parse_specs("nDCG@10 RR R@30"))
    assert [str(row.spec) for row in rows] == ["RR", "R@30"]  # the choosing metric is not another one
    for row in rows:
        single = evaluate(runs[choice.best_run], truth, [row.spec]).values[:, 0]
        assert row.single == pytest.approx(np.nanmean(single))
        assert row.value.value - row.gain.value == pytest.approx(np.nanmean(single[~np.isnan(row.value.per_query)]))
        hybrid = evaluate(chosen_run(runs, choice, truth), truth, [row.spec]).values[:, 0]
        assert row.value.in_sample == pytest.approx(np.nanmean(hybrid)) and row.best_mean >= row.value.in_sample
    cascade = cascade_choice(pool, choice)
    assert cascade.recipe.params["depth"] == 5 and cascade.against_tuned.outcome == "worse"
    assert cascade.held_out.value == pytest.approx(choice.held_out.value + cascade.against_tuned.mean_difference)


def test_parameters_are_chosen_together(samples):
    runs, _ = samples
    tried = settings(runs, family="joint")
    assert tried[0].params["k"] == 60 and tried[0].window is None and len(tried) == len({repr(row) for row in tried})
    assert {row.window for row in tried} == {None, 10, 20}  # these runs have 30 results
    assert {row.params["depth"] for row in tried if row.method == "cascade"} == {10, 20}
    weighted = [index for index, row in enumerate(tried) if row.method == "weighted" and row.window == 10]
    name, line = sweep_line(tried, weighted[0])
    assert name == "weight" and len(line) > 5
    assert all(tried[index].window == 10 and tried[index].method == "weighted" for _, index in line)


@pytest.mark.parametrize("seed", [0, 3])
def test_the_choice_does_not_depend_on_the_order_of_the_runs(seed):
    """With few queries many settings do equally well, and the first of them is chosen."""
    rng = np.random.default_rng(seed)
    docs, queries = [f"d{number}" for number in range(8)], [f"q{number}" for number in range(12)]
    runs = [Run.from_dict({query: {doc: 5.0 - rank for rank, doc in enumerate(rng.permutation(docs)[:5].tolist())}
                           for query in queries}, name) for name in "ab"]
    truth = Truth.build("qrels", queries, [docs[number] for number in rng.integers(0, 8, 12)], [1] * 12)
    found = []
    for order in (runs, runs[::-1]):
        choice = choose(order, truth, parse_specs("nDCG@5")[0])
        weights = choice.recipe.params.get("weights") or (None, None)
        by_name = dict(zip((run.name for run in order), weights, strict=True))
        found.append((choice.recipe.method, choice.recipe.params.get("k"), by_name,
                      pytest.approx(choice.held_out.value)))
    assert found[0] == found[1]


def test_the_report_says_whether_a_hybrid_would_help(capsys, tmp_path):
    runs = [f"{name}={ROOT}/sample_runs/{name}.jsonl" for name in ("sparse", "dense")]
    out, truth = tmp_path / "report.html", f"{ROOT}/sample_runs/truth.jsonl"
    hybrid = f"hybrid={ROOT}/sample_runs/hybrid.jsonl"
    parts = ("Would a hybrid help?", "Yes: build this hybrid", "alone brings", "ms more", "A cascade (sparse",
             "No fusion of these runs can exceed", "Ceiling: the best order", "the set of the first 10 for",
             "ranks 10 and 11 tied", "ragdash.fuse(runs, ")
    for files, sentences in ((runs, parts), ([*runs, hybrid], parts), (runs[:1], ("A hybrid needs two runs.",))):
        assert main(["report", *files, "--truth", truth, "--what-if", "--resamples", "200", "-o", str(out)]) == 0
        text = out.read_text(encoding="utf-8")
        assert all(sentence in text for sentence in sentences)
        assert ("<strong>What to build next:</strong> An equal mix of" in text) == (len(files) > 1)
        assert "is on What-if" not in text, "who reads the file may have no dashboard"
        assert not re.search(r"weight [\d.]+ for hybrid", text), "what What-if fuses: one recommendation in the report"
        assert "<strong>Would a hybrid help?</strong>" not in text, "the next step says it"


def test_scores_of_ranks_are_said_by_the_command_and_the_report_in_the_same_words(capsys, tmp_path, samples):
    """Not for a method that reads ranks alone."""
    (sparse, dense), truth = samples
    queries, docs = zip(*((q, doc) for q in dense.query_ids.to_pylist()
                          for doc in dense.ranking(q).column("doc_id").to_pylist()), strict=True)
    rank = np.concatenate([np.arange(1, size + 1) for size in np.diff(dense.starts)])
    write_run(Run.build("by_rank", queries, docs, 1 / rank), tmp_path / "by_rank.jsonl")
    files, out = [f"{ROOT}/sample_runs/sparse.jsonl", str(tmp_path / "by_rank.jsonl")], str(tmp_path / "out.jsonl")
    sentence = "A sum of such scores is a fusion of ranks."
    for method, is_said in (("weighted", True), ("combsum", True), ("rrf", False)):
        assert main(["fuse", *files, "--method", method, "-o", out]) == 0
        assert capsys.readouterr().err.count(sentence) == is_said, method
    pool = judged_pool([sparse, dense.renamed("by_rank")], truth)
    answer = answer_of(pool, choose(pool.runs, truth, parse_specs("nDCG@10")[0], pool=pool, family="weighted"), [], 0)
    shown = HybridAnswer.of(answer, "", rank_score_warnings([read_run(files[1])]))
    assert sentence in shown.sentences[1] and "by\\_rank" in shown.sentences[1]
    assert sentence not in " ".join(HybridAnswer.of(answer).sentences)


def test_the_command_fuses_runs_and_answers_whether_a_hybrid_would_help(capsys, tmp_path):
    runs = [f"sparse={ROOT}/sample_runs/sparse.jsonl", f"dense={ROOT}/sample_runs/dense.jsonl"]
    out = tmp_path / "fused.trec"
    assert main(["fuse", *runs, "--param", "k=20", "--param", "weights=0.3,0.7", "-o", str(out)]) == 0
    assert read_run(out).depth > 10
    capsys.readouterr()
    tune = [*runs, "--qrels", f"{ROOT}/sample_runs/truth.jsonl", "--tune", "nDCG@10", "--family", "weighted"]
    assert main(["fuse", *tune]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Yes: build this hybrid: Weighted sum of scores") and "tuned hybrid (held out)" in text
    assert main(["fuse", *(word for word in tune if word not in ("--tune", "nDCG@10"))]) == 0
    assert capsys.readouterr().out == text, "judgments alone ask whether a hybrid would help"
    assert main(["fuse", *tune, "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["decision"] == "tuned" and facts["held_out"]["n"] == 110
    assert facts["price"]["parallel_ms"]["n"] == 122 and facts["cascade"]["against_tuned"]["outcome"] == "worse"
    assert [leg["name"] for leg in facts["legs"]["runs"]] == ["sparse", "dense"] and facts["other_metrics"] == []
    shares = sum(leg["shapley"]["mean"] for leg in facts["legs"]["runs"])
    assert shares == pytest.approx(facts["in_sample"])  # of the chosen setting, on all queries
    legs = ["fuse", *tune[:4], "--legs", "--format", "json", "-o", str(out)]
    assert main(legs) == 0 and json.loads(capsys.readouterr().out)["k"] == 10
    assert read_run(out).ranking("q001")["doc_id"] == fuse(fused_runs()).ranking("q001")["doc_id"]
    for wrong in (["fuse", *runs], ["fuse", *runs, "--tune", "nDCG@10"],
                  ["fuse", *tune[:4], "--method", "combsum"],
                  ["fuse", *tune, "--also", "TokenF1"], ["fuse", *runs, "--param", "k", "-o", "x"],
                  ["fuse", runs[0], "-o", str(out)]):
        assert main(wrong) == 2


def test_the_guide_has_every_method_and_preset():
    current = reference() in (ROOT / "docs" / "guide" / "what-if.md").read_text(encoding="utf-8")
    assert current, "run: python tests/regenerate_documents.py"


@pytest.mark.skipif(not REAL, reason="public evaluation data: its folder in RAGDASH_TEST_DATA")
def test_the_answer_on_real_runs_is_one_sentence_that_other_queries_confirm():
    folder = Path(REAL) / "s02_evidencerag_dense_vs_hybrid"
    runs = [read_run(folder / f"pages_{name}.trec") for name in ("dense", "hybrid")]
    truth, spec = read_truth(folder / "pages.qrels"), parse_specs("nDCG@10")[0]
    pool = judged_pool(runs, truth)
    seen = np.random.default_rng(0).permutation(100) < 60
    choice = choose(runs, truth, spec, pool=pool, queries=seen)
    assert choice.decision == "single"
    text = answer_sentences(answer_of(pool, choice, queries=seen))[0].replace("\\", "")
    kept = choice.runs[choice.best_run]
    assert text.startswith(f"**No: a new hybrid is not shown to be better than {kept} alone.** The best one ")
    assert "on held-out queries, over 60 queries." in text and "latency" not in text
    whole = choose(runs, truth, spec, pool=pool)
    gain = pool.values([choice.recipe], [spec])[0, 0] - whole.single_values[choice.best_run]
    assert choice.against_single.low < gain[~seen].mean() < choice.against_single.high
    assert gain[~seen].mean() < 2 * gain[~seen].std() / np.sqrt(40)  # nothing gained on the queries never seen either
