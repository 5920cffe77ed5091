"""Variants: effects by hand and as statsmodels has them, designs that cannot be separated, compromises, the command."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import call, run_of, truth_of
from speed import quick

import ragdash
from ragdash.analysis.variants import MainEffects, SettingEffect, best_compromises, compare_variants, main_effects
from ragdash.analysis.variants.design import NOT_SET, design_of
from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import parse_specs
from ragdash.reporting.variants import cautions, finding

QUERIES = [f"q{number:02}" for number in range(40)]
TRUTH = truth_of({query: ["a"] for query in QUERIES})
SPEC = parse_specs("RR")[0]


def runs_of(settings, seed=1):
    """A run for each of these settings: a large model and small chunks put the relevant document higher."""
    rng = np.random.default_rng(seed)
    easy = rng.random(len(QUERIES))
    result = []
    for number, values in enumerate(settings):
        chance = 0.3 + 0.4 * (values.get("model") == "large") + 0.1 * (values.get("chunk") == "256")
        first = rng.random(len(QUERIES)) < 0.5 * easy + chance
        documents = {query: [*([] if first[index] else ["x"]), "a"] for index, query in enumerate(QUERIES)}
        result.append(evaluate(run_of(documents, f"run {number}"), TRUTH, "RR"))
    return result


GRID = [{"model": model, "chunk": chunk, "seed": "7"} for model, chunk in product(("large", "small"), (
    "256", "512", "1024"))]


def test_settings_that_change_together_are_named_as_several():
    tied = [{**settings, "overlap": settings["chunk"]} for settings in GRID]
    model, chunk = main_effects(runs_of(GRID), tied, SPEC).settings
    assert (model.together, chunk.title, chunk.together) == ((), "chunk, overlap", ("chunk", "overlap"))


def test_in_a_full_grid_an_effect_is_the_mean_of_its_runs_minus_the_mean_of_all():
    evaluations = runs_of(GRID)
    effects = main_effects(evaluations, GRID, SPEC)
    means = np.array([evaluation.column("RR").mean() for evaluation in evaluations])
    model, chunk = effects.settings
    assert (model.title, model.levels, model.runs.tolist()) == ("model", ("large", "small"), [3, 3])
    assert model.effect == pytest.approx([means[:3].mean() - means.mean(), means[3:].mean() - means.mean()])
    assert chunk.levels == ("256", "512", "1024")
    assert chunk.effect == pytest.approx([means[[i, i + 3]].mean() - means.mean() for i in range(3)])
    assert effects.balanced and (effects.combinations, effects.possible, effects.n) == (6, 6, 40)
    assert effects.left_out == {"seed": "constant"}
    assert model.is_significant() and (model.low[0] > 0) == (model.p[0] < 0.05)
    for setting in effects.settings:
        assert ((setting.low > 0) | (setting.high < 0)).tolist() == (setting.p < 0.05).tolist()
    assert "model matters most for MRR" in finding(effects)
    again = main_effects(evaluations, GRID, SPEC)
    assert again.settings[0].p.tolist() == model.p.tolist(), "the same draws every time"


def test_an_unbalanced_design_is_adjusted_as_statsmodels_does():
    import statsmodels.formula.api as smf

    rng = np.random.default_rng(4)
    settings = [{"model": str(rng.choice(["large", "small"], p=[0.7, 0.3])), "chunk": str(rng.choice([256, 512, 1024]))}
                for _ in range(14)]
    evaluations = runs_of(settings)
    effects = {setting.title: setting for setting in main_effects(evaluations, settings, SPEC).settings}
    frame = pd.DataFrame(settings).assign(y=[evaluation.column("RR").mean() for evaluation in evaluations])
    fit = smf.ols("y ~ C(model, Sum) + C(chunk, Sum)", frame).fit()
    assert effects["model"].effect[0] == pytest.approx(fit.params["C(model, Sum)[S.large]"])
    assert effects["chunk"].effect[2] == pytest.approx(fit.params["C(chunk, Sum)[S.1024]"])
    without = smf.ols("y ~ C(chunk, Sum)", frame).fit()
    assert effects["model"].share == pytest.approx(fit.rsquared - without.rsquared)
    whole = main_effects(evaluations, settings, SPEC)
    assert not whole.balanced and whole.explained == pytest.approx(fit.rsquared)


def test_what_changes_together_is_one_setting_or_named_as_inseparable():
    together = design_of([{"size": size, "overlap": str(int(size) // 8), "k": k} for size, k in product(
        ("256", "512"), ("5", "10"))])
    assert [factor.title for factor in together.factors] == ["size, overlap", "k"]
    assert together.factors[0].levels == ("256, 32", "512, 64")
    nested = [{"model": "a", "host": "x"}, {"model": "a", "host": "x"}, {"model": "b", "host": "y"},
              {"model": "c", "host": "y"}, {"model": "c", "host": "y"}]
    effects = {setting.title: setting for setting in main_effects(runs_of(nested), nested, SPEC).settings}
    assert effects["host"].inseparable == ("model",) and np.isnan(effects["host"].effect).all()
    assert np.isnan(effects["host"].p).all() and not effects["host"].is_significant()


def test_settings_without_an_effect_to_estimate_are_left_out_with_the_reason():
    settings = [{"k": str(number % 3), "prompt": f"p{number}", "temperature": f"{number / 10}", "same": "1",
                 "word": f"w{number // 2 % 13}", **({"rerank": "yes"} if number % 2 else {})} for number in range(28)]
    effects = main_effects(runs_of(settings), settings, SPEC)
    assert effects.left_out == {"prompt": "other-in-every-run", "same": "constant", "word": "many-values"}
    levels = {setting.title: setting.levels for setting in effects.settings}
    assert levels["temperature"] == ("0 to 0.6", "0.7 to 1.3", "1.4 to 2", "2.1 to 2.7")
    assert levels["rerank"] == (NOT_SET, "yes")


def test_undefined_values_drop_their_query_and_nothing_becomes_zero():
    evaluations = runs_of(GRID)
    values = evaluations[0].values.copy()
    values[:5] = np.nan
    evaluations[0] = replace(evaluations[0], values=values)
    assert main_effects(evaluations, GRID, SPEC).n == 35
    evaluations[0] = replace(evaluations[0], values=np.full_like(values, np.nan))
    empty = main_effects(evaluations, GRID, SPEC)
    assert empty.n == 0 and all(np.isnan(setting.effect).all() for setting in empty.settings)
    same = [evaluations[1]] * 6
    flat = main_effects(same, GRID, SPEC)
    assert np.isnan(flat.explained) and not any(setting.is_significant() for setting in flat.settings)
    assert "No setting has a significant effect" in finding(flat)


def effect_of(title, levels, effect, p, share):
    effect = np.array(effect)
    return SettingEffect(title, levels, np.full(len(effect), 3), effect + 0.5, effect, effect - 0.04, effect + 0.04,
                         np.array(p), share)


def test_the_largest_share_is_named_first_and_significance_is_said_separately():
    chunk = effect_of("chunk", ("10", "20", "40"), [-0.06, 0.01, 0.05], [0.0514, 0.9, 0.07], 0.79)
    k = effect_of("k", ("5", "20", "50"), [-0.042, 0.021, 0.021], [0.01, 0.2, 0.2], 0.2)
    effects = MainEffects(SPEC, 40, (chunk, k), {}, True, 9, 9, 0.99)
    assert finding(effects) == (
        "chunk explains most of the differences between the runs in MRR (79%; 0.110 between the best and the worst "
        "value), but its effect is not significant (p = 0.051). k is significant: k 5 is −0.042 [−0.082, −0.002] "
        "against the average of its values. The best values are 20 and 50 (equal), 0.063 from the worst. No other "
        "setting has a significant effect.")
    two = effect_of("rerank", ("no", "yes"), [-0.05, 0.05], [0.01, 0.01], 0.6)
    assert finding(replace(effects, settings=(two,))).startswith(
        "rerank matters most for MRR: rerank yes is +0.100 [+0.020, +0.180] against no. It alone"), (
            "not half of it, twice")
    assert finding(replace(effects, settings=(chunk,))).startswith("chunk explains most of the differences")
    both = replace(two, levels=("no, 50", "yes, 100"), together=("rerank", "depth"))
    assert finding(replace(effects, settings=(both,))).startswith("rerank and depth together matter most for MRR: "
        "(yes, 100) is +0.100 [+0.020, +0.180] against (no, 50). Together they ")
    pairs = replace(k, levels=("5, a", "20, b", "50, c"), together=("k", "index"))
    assert "against the average of their values. The best combinations are (20, b) and (50, c) (equal)" in finding(
        replace(effects, settings=(pairs,)))
    assert finding(replace(effects, settings=(replace(chunk, together=("chunk", "overlap")),))).startswith(
        "chunk and overlap together explain most of the differences")
    assert finding(replace(effects, settings=(replace(chunk, share=0.001),))).startswith("No setting has a significant")
    evaluations = runs_of(GRID)
    shares = [setting.share for setting in main_effects(evaluations, GRID, SPEC).settings]
    assert shares == sorted(shares, reverse=True)


def test_best_compromises_are_those_that_nothing_beats():
    rng = np.random.default_rng(2)
    values = rng.integers(0, 6, (60, 3)).astype(float)
    values[3, 1] = np.nan
    chosen = best_compromises(values, ["higher", "lower", "lower"])
    good = values * [1, -1, -1]
    for run in range(60):
        beaten = any((good[other] >= good[run]).all() and (good[other] > good[run]).any() for other in range(60)
                     if not np.isnan(values[other]).any())
        assert chosen[run] == (not np.isnan(values[run]).any() and not beaten)


def test_the_best_of_many_runs_are_found_in_little_memory():
    """All of 8,000 runs are compromises: comparing each with each at once would take 200 MB."""
    values = np.arange(8_000.0)[:, None] * [1, 1]
    tracemalloc.start()
    try:
        assert quick(lambda: best_compromises(values, ["higher", "lower"]), 4.0).all()
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


@pytest.fixture
def logs(tmp_path):
    """Twelve recorded runs with times and costs, and the judgments."""
    for number, (model, k, rerank) in enumerate(product(("large", "small"), (5, 10, 20), (True, False))):
        with ragdash.record(f"run {number}", settings={"model": model, "retriever": {"k": k}, "rerank": rerank},
                            folder=tmp_path / "logs") as run:
            for index, query in enumerate(QUERIES):
                hit = index % 10 < (8 if model == "large" else 4) + rerank
                run.add(query, ["a"] if hit else ["x", "a"], latency_ms=10.0 * k + 50 * rerank, cost_usd=0.001 * k)
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    return tmp_path


def test_the_command_prints_effects_runs_and_compromises(logs, capfdbinary):
    arguments = ("variants", logs / "logs", "--truth", logs / "qrels.txt", "-m", "RR")
    status, out, err = call(capfdbinary, *arguments)
    assert status == 0 and err == ""
    assert "model matters most for MRR: " in out and "Best compromises of MRR, latency and cost (2 runs)" in out
    assert "The best of 12 runs looks better than it is" in out and "unbalanced" not in out
    status, out, _ = call(capfdbinary, *arguments, "--format", "json")
    content = json.loads(out)
    assert status == 0 and content["balanced"] and content["combinations"] == content["possible"] == 12
    assert [entry["setting"] for entry in content["settings"]] == ["model", "rerank", "retriever.k"]
    assert content["settings"][0]["values"][0]["effect"] == pytest.approx(0.1)  # 4 of 10 queries lose 0.5
    best = {(run["settings"]["model"], run["settings"]["rerank"], run["settings"]["retriever.k"])
            for run in content["runs"] if run["best"]}
    assert best == {("large", "true", "5"), ("large", "false", "5")}, "cheap; better with rerank, faster without"


def test_the_command_says_what_speaks_against_a_comparison(logs, capfdbinary):
    with ragdash.record("short", settings={"model": "large", "retriever": {"k": 50}, "rerank": True},
                        folder=logs / "logs") as run:
        for query in QUERIES[:10]:
            run.add(query, ["a"])
    status, out, err = call(capfdbinary, "variants", logs / "logs", "--truth", logs / "qrels.txt", "-m", "RR hit@1",
                            "--format", "json")
    content = json.loads(out)
    assert status == 0 and content["metric"] == "RR"
    assert "ragdash: warning: short" in err and "the effects are those of one metric, RR" in err
    check = next(check for check in content["checks"] if check["kind"] == "missing-queries")
    assert check["level"] == "withheld" and check["runs"] == ["short"]
    assert content["finding"] is None and "missing-queries" in content["withheld"]
    arguments = ("variants", logs / "logs", "--truth", logs / "qrels.txt", "-m", "RR", "--baseline", "run 0")
    status, out, err = call(capfdbinary, *arguments)
    headline = next(line for line in out.splitlines() if line.startswith("Not comparable yet, so no setting is named"))
    assert "short has no results for 30 of 40" in headline and "matters most" not in out
    assert ("--accept missing-queries" in err and "? not comparable" in out.lower()) or "not comparable" in out
    kinds = [word for kind in content["withheld"] for word in ("--accept", kind)]
    status, out, err = call(capfdbinary, *arguments, *kinds)
    assert status == 0 and "Not comparable yet" not in out and "to name the settings" not in err
    status, _, err = call(capfdbinary, *arguments[:-1], "none")
    assert status == 2 and "the baseline 'none'" in err


def test_every_run_has_its_outcome_against_a_chosen_baseline(logs, capfdbinary):
    arguments = ("variants", logs / "logs", "--truth", logs / "qrels.txt", "-m", "RR", "--baseline", "run 0")
    status, out, _ = call(capfdbinary, *arguments)
    assert status == 0 and "to run 0" in out and "▼ worse" in out
    rows = json.loads(call(capfdbinary, *arguments, "--format", "json")[1])["runs"]
    compared = json.loads(call(capfdbinary, "compare", *sorted((logs / "logs").glob("*-run-*")), "--truth",
                               logs / "qrels.txt", "-m", "RR", "--format", "json")[1])
    outcomes = {pair["candidate"]: pair["outcome"] for pair in compared["comparisons"]}
    assert {row["run"]: row["outcome"] for row in rows if "outcome" in row} == outcomes and len(outcomes) == 11


def test_repeats_of_a_variant_are_one_row_and_other_settings_of_one_group_are_not(tmp_path, capfdbinary):
    for repeat, (model, k) in product((1, 2), product(("large", "small"), (5, 10))):
        with ragdash.record("rag", settings={"model": model, "k": k}, group="grid", folder=tmp_path / "logs") as run:
            for index, query in enumerate(QUERIES):
                hit = index % 10 < (8 if model == "large" else 4) - (repeat == 2 and index < 10)
                run.add(query, ["a"] if hit else ["x", "a"], latency_ms=10.0 * k * repeat)
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    arguments = ("variants", tmp_path / "logs", "--truth", tmp_path / "qrels.txt", "-m", "RR")
    status, out, _ = call(capfdbinary, *arguments)
    assert status == 0 and "4 of 4 runs are means of repeats" in out and "better than 2 repeats of 40 queries" in out
    content = json.loads(call(capfdbinary, *arguments, "--format", "json")[1])
    rows = {(run["settings"]["model"], run["settings"]["k"]): run for run in content["runs"]}
    assert len(rows) == len(content["runs"]) == 4 and {run["repeats"] for run in content["runs"]} == {2}
    # 8 of 10 queries hit, in the second repeat one less among 40: the others have 0.5
    large = rows["large", "5"]
    assert (large["mean"], large["latency_ms"]) == pytest.approx((0.9 - 0.5 * 0.5 / 40, 75.0))


def test_too_few_runs_or_equal_settings_are_an_error(logs, capfdbinary):
    folders = sorted(path for path in (logs / "logs").iterdir() if path.is_dir())
    status, _, err = call(capfdbinary, "variants", *folders[:3], "--truth", logs / "qrels.txt", "-m", "RR")
    assert status == 2 and "3 runs" in err and "at least 4" in err
    runs = [run_of({query: ["a"] for query in QUERIES}, f"r{number}") for number in range(4)]
    evaluations = [evaluate(run, TRUTH, "RR") for run in runs]
    with pytest.raises(InputError, match="do not differ in any setting"):
        compare_variants([[evaluation.match] for evaluation in evaluations], evaluations, [{"k": "1"}] * 4, SPEC)


def test_a_negative_cost_is_undefined_and_no_best_compromise():
    costs = [[-0.5, float("nan")], [0.1, 0.3], [None, 0.1], [None, None]]
    runs = [Run.build(f"run {k}", ["q1", "q2"], ["a", "a"], settings={"k": k}, details=pa.table({
        "query_id": ["q1", "q2"], "cost_usd": pa.array(cost, pa.float64())})) for k, cost in enumerate(costs)]
    assert [problem.kind for problem in runs[0].problems] == ["impossible-amount"]
    data = ragdash.variants(runs, {"q1": ["a"], "q2": ["a"]}, "RR")
    assert np.array_equal(data.cost, [np.nan, 0.2, 0.1, np.nan], equal_nan=True)
    assert data.best.tolist() == [False, False, True, False]
    data.plot("cost")
    with pytest.raises(InputError, match="no run has a cost"):
        ragdash.variants([runs[0], *[replace(runs[3], name=str(k), settings={"k": k}) for k in range(3)]],
                 {"q1": ["a"], "q2": ["a"]}, "RR").plot("cost")


def test_the_frame_has_settings_as_columns_and_cautions_name_what_is_tied():
    evaluations = runs_of(GRID)
    variants = compare_variants([[evaluation.match] for evaluation in evaluations], evaluations, GRID, SPEC)
    frame = variants.frame()
    assert frame.columns.tolist() == ["run", "model", "chunk", "RR", "low", "high", "n", "best"]
    assert frame["RR"].is_monotonic_decreasing
    nested = [{"model": "a", "host": "x"}, {"model": "a", "host": "x"}, {"model": "b", "host": "y"},
              {"model": "c", "host": "y"}]
    some = evaluations[:4]
    tied = cautions(compare_variants([[evaluation.match] for evaluation in some], some, nested, SPEC))
    assert any(line.startswith("host cannot be separated from model: ") for line in tied)
    assert any("unbalanced: 3 of 6 combinations" in line for line in tied)
    twice = [*GRID, GRID[0]]  # each combination has a run, the first has two
    some = [*evaluations, replace(evaluations[0], name="again")]
    uneven = compare_variants([[evaluation.match] for evaluation in some], some, twice, SPEC)
    assert uneven.effects.combinations == uneven.effects.possible
    assert any("unbalanced: some values occur together more often" in line for line in cautions(uneven))
