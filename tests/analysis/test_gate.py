"""Pinned baselines and the gate: one file, one outcome, a tier for every case, and nothing promoted by itself."""

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from helpers import call, run_of, truth_of

from ragdash.analysis.tracking import TIERS, gate, gate_baseline, pin, read_baseline
from ragdash.core.errors import InputError
from ragdash.core.records import RunHeader
from ragdash.evaluation.compare import ComparisonRules, compare
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.repeats import configurations_problem, mean_over_repeats
from ragdash.metrics import parse_specs
from ragdash.reporting.tables.gate import gate_dict, headline, render_gate

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "pipelines" / "gate-result.schema.json").read_text())
QUERIES = [f"q{number}" for number in range(40)]
TRUTH = truth_of({query: ["a"] for query in QUERIES})


def ranked(rank_of, name="run", queries=QUERIES):
    """A run with the relevant document of the i-th query at rank_of(i)."""
    return run_of({query: [*(f"x{place}" for place in range(1, rank_of(index))), "a"]
                   for index, query in enumerate(queries)}, name)


BEFORE = ranked(lambda index: 1 + index % 2, "main")
BASELINE = pin(evaluate(BEFORE, TRUTH, "RR Success@1"), TRUTH, version="0.1.0")


def of_earlier_version(text):
    """The file as versions wrote it that had no digest of the header."""
    return re.sub(r' "header_digest": "\w+",\n', "", text)


def gated(run, **options):
    result = gate([run], options.pop("truth", TRUTH), options.pop("baseline", BASELINE), **options)
    jsonschema.validate(gate_dict(result), SCHEMA)
    return result


def test_a_baseline_comes_back_as_it_was_written():
    content = BASELINE.to_bytes()
    again = read_baseline(content)
    assert again.to_bytes() == content
    assert again.name == "main" and again.truth["digest"] == TRUTH.judged_digest
    assert again.evaluation.frame().equals(evaluate(BEFORE, TRUTH, "RR Success@1").frame())
    lines = content.decode().splitlines()
    assert sum(line.startswith('  "q') and "[" in line for line in lines) == len(QUERIES)  # one per query, for diffs
    undefined = pin(evaluate(BEFORE, truth_of({**{query: ["a"] for query in QUERIES}, "q0": {"a": 0}}),
                             "RR", unanswerable="skip"), TRUTH, version="1")
    assert np.isnan(read_baseline(undefined.to_bytes()).evaluation.column("RR")[0])


def test_a_baseline_that_an_editor_of_windows_stored_is_the_same():
    content = BASELINE.to_bytes()
    assert read_baseline(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")).to_bytes() == content


@pytest.mark.parametrize(("change", "kind"), [
    (lambda text: text.replace(",0.5,", ",0.6,", 1), "digest"), (lambda text: text[:200], "not JSON"),
    (lambda text: text.replace('"name": "main"', '"name": "maim"'), "digest"),
    (lambda text: text.replace('"missing": "zero"', '"missing": "skip"'), "digest"),
    (lambda text: text.replace('"pinned": "20', '"pinned": "21'), "digest"),
    (lambda text: text.replace('"mean": 0.', '"mean": 0.1', 1), "digest"), (lambda text: "[]", "another file"),
    (lambda text: text.replace('"version": 1', '"version": 2'), "version 2"),
    (lambda text: of_earlier_version(text).replace('"pinned": "2', '"pinned": "x'), "cannot be read"),
    (lambda text: of_earlier_version(text).replace('"settings"', '"setting"'), "cannot be read")])
def test_a_damaged_baseline_is_an_error_and_no_verdict(change, kind):
    text = BASELINE.to_bytes().decode()
    assert change(text) != text
    with pytest.raises(InputError, match=kind):
        read_baseline(change(text).encode())


def test_a_baseline_of_an_earlier_version_is_read_and_rounded_settings_fit_their_digest():
    text = pin(evaluate(BEFORE, TRUTH, "RR"), TRUTH, version="1",
               run={"settings": {"é": ("b",), "k": 2**70}}).to_bytes()
    assert read_baseline(text).run["settings"]["é"] == ["b"]
    assert of_earlier_version(text.decode()) != text.decode()
    assert read_baseline(of_earlier_version(text.decode()).encode()).name == "main"


def test_the_gate_has_the_outcome_of_compare():
    worse = ranked(lambda index: 1 + index % 3, "branch")
    result = gated(worse)
    [row] = compare(evaluate(BEFORE, TRUTH, "RR Success@1"), [evaluate(worse, TRUTH, "RR Success@1")])
    for mine, theirs in zip(result.rows, row, strict=True):
        for name in ("mean_difference", "low", "high", "p_corrected", "outcome", "n", "wins", "losses", "p"):
            assert getattr(mine.comparison, name) == getattr(theirs, name), name
    assert result.rows[0].baseline_mean == 0.75 and result.rows[0].mean == pytest.approx((14 + 13 / 2 + 13 / 3) / 40)


def test_every_tier_and_what_fails():
    few = truth_of({query: ["a"] for query in QUERIES[:4]})
    few_baseline = pin(evaluate(ranked(lambda index: 1, queries=QUERIES[:4]), few, "RR"), few, version="1")
    losing = {number: ranked(lambda index, n=number: 2 if index in range(0, 2 * n, 2) else 1 + index % 2)
              for number in (1, 4)}
    half = ranked(lambda index: 2, queries=QUERIES[:4])
    cases = [("no-clear-difference", BEFORE, {}, (False, False, False)),  # an interval of width 0 excludes every loss
             ("no-clear-difference", losing[1], {}, (False, False, True)),
             ("regression", ranked(lambda index: 2 + index % 2), {}, (True, True, True)),
             ("improved", ranked(lambda index: 1), {}, (False, False, False)),
             ("equivalent", BEFORE, {"rules": ComparisonRules(margin=0.01)}, (False, False, False)),
             ("likely-regression", losing[4], {}, (False, True, True)),
             ("too-few-queries", half, {"truth": few, "baseline": few_baseline}, (True, True, True)),
             ("not-comparable", ranked(lambda index: 1, queries=QUERIES[:39]), {}, (True, True, True))]
    for tier, run, options, fails in cases:
        results = [gated(run, fail_on=way, **options) for way in ("regression", "likely-regression", "unclear")]
        assert [result.tier for result in results] == [tier] * 3
        assert tuple(not result.passed for result in results) == fails, tier
    assert {case[0] for case in cases} == set(TIERS)
    assert gated(losing[4]).rows[0].comparison.p_corrected == 0.125  # 4 of 4 differences have one sign
    assert gated(half, truth=few, baseline=few_baseline, accepted=["few-queries"]).passed


@pytest.mark.parametrize("accepted", [["nonsense"], ["few-queries", "few queries"], ["other-judges"]])
def test_a_kind_of_check_that_there_is_not_is_refused(accepted):
    with pytest.raises(InputError) as raised:
        gated(BEFORE, accepted=accepted)
    assert {problem.message for problem in raised.value.problems} == {"unknown-convention"}


def test_losses_are_corrected_over_the_metrics_of_the_gate():
    lost = ranked(lambda index: 2 if index in range(0, 12, 2) else 1 + index % 2)  # 6 losses: p = 2 / 64
    [one] = gated(lost, specs=BASELINE.evaluation.specs[:1]).rows
    assert (one.tier, one.p_over_metrics) == ("regression", pytest.approx(2 / 64))
    both = gated(lost)
    assert [row.comparison.outcome for row in both.rows] == ["worse", "worse"], "as ragdash compare"
    assert [row.p_over_metrics for row in both.rows] == [pytest.approx(4 / 64)] * 2
    assert both.tier == "likely-regression" and both.passed and not gated(lost, fail_on="likely-regression").passed
    assert "corrected over 2 metrics" in render_gate(both, "table").decode()
    assert gate_dict(both)["metrics"][0]["p_over_metrics"] == pytest.approx(4 / 64)
    six = truth_of({query: ["a"] for query in QUERIES[:6]})
    pinned = pin(evaluate(ranked(lambda index: 1, queries=QUERIES[:6]), six, "RR Success@1"), six, version="1")
    tiers = [gated(ranked(lambda index: 2, queries=QUERIES[:6]), truth=six, baseline=pinned, specs=specs).tier
             for specs in (pinned.evaluation.specs[:1], None)]
    assert tiers == ["regression", "too-few-queries"]  # 2 / 64 is below 0.05, 4 / 64 is not


def test_a_loss_within_the_margin_is_not_likely_and_a_shown_one_passes_the_strict_gate():
    four_lost = ranked(lambda index: 2 if index in (0, 2, 4, 6) else 1 + index % 2)  # a mean loss of 0.05 on RR
    rules = ComparisonRules(margin=0.06)
    result = gated(four_lost, specs=BASELINE.evaluation.specs[:1], rules=rules, fail_on="unclear")
    assert result.tier == "no-clear-difference" and not result.passed  # the interval goes beyond the margin
    assert gated(four_lost, specs=BASELINE.evaluation.specs[:1], rules=ComparisonRules(margin=0.2),
                 fail_on="unclear").tier == "equivalent"


def test_a_changed_truth_is_never_compared_in_silence():
    changed = truth_of({**{query: ["a"] for query in QUERIES[2:]}, "q1": ["b"], "new": ["a"]})
    run = ranked(lambda index: 1, queries=[*QUERIES, "new"])
    result = gated(run, truth=changed)
    assert not result.passed and result.tier == "not-comparable" and result.truth == "changed"
    facts = next(check.facts for check in result.checks if check.kind == "truth-changed")
    assert {"same": 38, "total": 40, "changed": 1, "removed": 1, "added": 1}.items() <= facts.items()
    accepted = gated(run, truth=changed, accepted=["truth-changed"])
    assert accepted.passed and accepted.rows[0].comparison.n == 38 == accepted.compared
    refused, allowed = (render_gate(each, "table").decode() for each in (result, accepted))
    assert "Not comparable: The judgments changed" in refused and "--accept truth-changed compares those." in refused
    assert "Accepted (truth-changed): The judgments changed" in allowed and "--accept" not in allowed
    other = truth_of({query: ["b"] for query in QUERIES})
    assert gated(run, truth=other, accepted=["truth-changed"]).tier == "not-comparable"  # no query is the same


def test_fewer_queries_fail_even_if_the_mean_rises():
    hard_left_out = ranked(lambda index: 1, queries=QUERIES[:38])
    result = gated(hard_left_out)
    assert "fewer-queries" in {check.kind for check in result.withheld}
    assert not result.passed and result.rows[0].mean > result.rows[0].baseline_mean
    assert (result.compared, result.missing, result.queries) == (40, 2, 40)
    assert gate_dict(result)["queries"] == {"baseline": 40, "compared": 40, "missing": 2}
    text = render_gate(result, "table").decode()
    assert "40 of its 40 queries compared; this run has results for 38 of them." in text
    assert "Run them too." in text and "--missing" not in text  # the convention is that of the baseline
    repeats = render_gate(gate([hard_left_out, ranked(lambda index: 1, queries=QUERIES[1:])], TRUTH, BASELINE), "table")
    assert b"every repeat has results for 37 of them." in repeats
    assert b"has results" not in render_gate(gated(BEFORE), "table")
    changed = truth_of({**{query: ["a"] for query in QUERIES[:39]}, "new": ["a"]})  # one lacked query is not compared
    fewer = gated(hard_left_out, truth=changed)
    assert (fewer.compared, fewer.missing, fewer.queries) == (39, 1, 40)
    assert gated(hard_left_out, accepted=["fewer-queries", "missing-queries"]).passed


def test_age_is_shown_and_fails_only_if_asked():
    later = datetime.fromisoformat(BASELINE.pinned) + timedelta(days=31, hours=5)
    assert gated(BEFORE, today=later).age == 31 and gated(BEFORE, today=later, max_age=31).passed
    assert b"31 days ago" in render_gate(gated(BEFORE, today=later), "markdown")
    old = gated(BEFORE, today=later, max_age=30)
    assert [check.kind for check in old.withheld] == ["old-baseline"] and not old.passed


def test_a_baseline_of_the_future_has_no_age():
    before = datetime.fromisoformat(BASELINE.pinned)
    ahead = gated(BEFORE, today=before - timedelta(days=400))
    assert ahead.age == 0 and ahead.passed and ahead.checks[-1].kind == "future-baseline"
    text = render_gate(ahead, "table").decode()
    assert "pinned in the future" in text and "today" not in text and "A clock is wrong" in text
    limited = gated(BEFORE, today=before - timedelta(days=400), max_age=30)
    assert [check.kind for check in limited.withheld] == ["future-baseline"] and not limited.passed
    assert gated(BEFORE, today=before - timedelta(days=400), max_age=30, accepted=["future-baseline"]).passed
    assert gated(BEFORE, today=before - timedelta(minutes=5), max_age=0).passed  # clocks differ by as much


def test_other_settings_and_another_judge_are_not_comparable():
    skipped = pin(evaluate(BEFORE, TRUTH, "RR", missing="skip"), TRUTH, version="1")
    result = gated(ranked(lambda index: 1, queries=QUERIES[:39]), baseline=skipped)  # the gate follows the baseline
    assert result.rows[0].comparison.n == 39 and {"fewer-values"} <= {check.kind for check in result.withheld}
    text = of_earlier_version(BASELINE.to_bytes().decode())
    text = text.replace('"match": "id"', '"match": "id",\n  "judge": "model-1"')
    assert gated(BEFORE, baseline=read_baseline(text.encode())).passed  # a judge says nothing about RR
    evaluation = evaluate(BEFORE, TRUTH, "RR Faithfulness")
    judged = {model: replace(evaluation, values=np.full((40, 2), 0.5), settings={**evaluation.settings, "judge": model})
              for model in ("model-1", "model-2")}
    baseline = pin(judged["model-1"], TRUTH, version="1")
    rows = {model: [row.tier for row in gate_baseline(judged[model], TRUTH, baseline).rows] for model in judged}
    assert rows == {"model-1": ["no-clear-difference"] * 2, "model-2": ["no-clear-difference", "not-comparable"]}


def test_repeats_are_averaged_before_queries():
    repeats = [ranked(lambda index: 1, "a"), ranked(lambda index: 2, "a")]
    mean = mean_over_repeats([evaluate(run, TRUTH, "RR") for run in repeats])
    assert mean.column("RR").tolist() == [0.75] * 40
    result = gate(repeats, TRUTH, BASELINE)
    assert result.repeats == 2 and result.rows[0].mean == 0.75 and result.rows[0].comparison.mean_difference == 0
    pinned = {"mixed": repeats, "alike": [ranked(lambda index: 1, "a")] * 3}
    for name, runs in pinned.items():
        evaluation = mean_over_repeats([evaluate(run, TRUTH, "RR Success@1") for run in runs])
        facts = {"digests": [run.digest for run in runs], "repeats": len(runs)}
        pinned[name] = read_baseline(pin(evaluation, TRUTH, version="1", run=facts).to_bytes())
    rules = ComparisonRules(margin=0.02)
    for name, runs in (("alike", repeats[:1] * 3), ("alike", repeats[:1]), ("mixed", repeats[::-1])):
        for row in gate(runs, TRUTH, pinned[name], rules=rules).rows:  # the same content: no difference is possible
            assert (row.tier, row.comparison.low, row.comparison.high) == ("equivalent", 0, 0), (name, row)
    assert gate(repeats[:1], TRUTH, pinned["mixed"]).rows[1].comparison.low > 0, "one repeat is not the mean of both"


def test_recorded_settings_that_differ_are_named_where_both_sides_recorded_some():
    recorded = {"chunk": 10, "k": 20, "weights": [0.5, 0.5], "model": "small"}
    baseline = read_baseline(pin(evaluate(BEFORE, TRUTH, "RR"), TRUTH, version="1", run={
        "settings": recorded}).to_bytes())
    changed = {"chunk": 40, "k": 5, "weights": (0.5, 0.5), "model": "`<b>`", "new": float("inf")}
    result = gated(replace(BEFORE, settings=changed), baseline=baseline)
    assert result.passed and gate_dict(result)["settings_changed"] == {
        "chunk": {"before": 10, "after": 40}, "k": {"before": 20, "after": 5},
        "model": {"before": "small", "after": "`<b>`"}, "new": {"before": None, "after": "inf"}}
    assert ("Settings that changed: chunk: 10 → 40, k: 20 → 5, model: small → `<b>`, new: not recorded → inf."
            in render_gate(result, "table").decode())
    assert ("- Settings that changed: chunk: 10 → 40, k: 20 → 5, model: small → \\`\\<b\\>\\`, "
            in render_gate(result, "markdown").decode())
    for settings, pinned in (({}, baseline), (changed, BASELINE), (recorded, baseline)):
        same = gated(replace(BEFORE, settings=settings), baseline=pinned)
        assert gate_dict(same)["settings_changed"] == {} and "Settings" not in render_gate(same, "table").decode()


@pytest.fixture
def files(tmp_path):
    for name, run in (("main", BEFORE), ("worse", ranked(lambda index: 2 + index % 2)), ("good", ranked(lambda i: 1))):
        (tmp_path / f"{name}.jsonl").write_text("".join(
            json.dumps({"query_id": query, "retrieved": [*run.ranking(query)["doc_id"].to_pylist(), *"uvw"][:4]}) + "\n"
            for query in QUERIES))  # of one depth
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    return tmp_path


def test_pin_and_gate_on_the_command_line(files, capfdbinary):
    truth, baseline = ("--truth", files / "qrels.txt"), files / "baseline.ragdash"
    assert call(capfdbinary, "pin", files / "main.jsonl", *truth, "-m", "RR num_q", "-o", baseline)[0] == 0
    pinned = baseline.read_bytes()
    status, out, err = call(capfdbinary, "gate", files / "good.jsonl", *truth, "--against", baseline,
                            "--result-json", files / "result.json")
    result = json.loads((files / "result.json").read_text())
    jsonschema.validate(result, SCHEMA)
    assert status == 0 and result["tier"] == "improved" and "judgments unchanged" in out and err == ""
    status, out, err = call(capfdbinary, "gate", files / "worse.jsonl", *truth, "--against", baseline,
                            "--format", "markdown")
    assert status == 1 and out.startswith("### Gate failed") and "| MRR |" in out
    assert "| metric | baseline | this run | difference | p | n | result |" in out and "regression: worse: MRR" in err
    status, out, _ = call(capfdbinary, "gate", files / "worse.jsonl", *truth, "--against", baseline,
                          "--format", "junit")
    assert status == 1 and 'failures="1"' in out
    assert baseline.read_bytes() == pinned  # only pin promotes
    status, _, err = call(capfdbinary, "pin", files / "good.jsonl", *truth, "-m", "RR", "-o", baseline)
    assert status == 2 and "--replace" in err and baseline.read_bytes() == pinned
    assert call(capfdbinary, "pin", files / "good.jsonl", *truth, "-m", "RR", "-o", baseline, "--replace")[0] == 0
    assert read_baseline(baseline).name == "good"
    two = (files / "good.jsonl", files / "main.jsonl", *truth)
    pinned = baseline.read_bytes()
    for command in (("pin", *two, "-m", "RR", "-o", baseline, "--replace"), ("gate", *two, "--against", baseline)):
        status, _, err = call(capfdbinary, *command)
        assert status == 2 and "different configurations: good, main" in err and "--group NAME" in err
    assert baseline.read_bytes() == pinned
    _, _, err = call(capfdbinary, "pin", *two, "-m", "RR", "-o", baseline, "--replace", "--group", "both")
    assert "pinned both" in err and "the mean of 2 runs taken as repeats: good, main" in err
    status, out, _ = call(capfdbinary, "gate", *two, "--against", baseline, "--group", "both", "--margin", "0.01")
    assert status == 0 and "equivalent" in out
    status, _, err = call(capfdbinary, "pin", files / "good.jsonl", *truth, "-m", "Faithfulness Latency", "-o",
                          baseline, "--replace")
    assert status == 2 and "found no value of Faithfulness, Latency for any query of 'good'" in err
    assert "pinned" not in err and read_baseline(baseline).name == "both"
    again = (f"main={files / 'main.jsonl'}", f"main={files / 'good.jsonl'}", *truth)  # named alike: repeats
    assert call(capfdbinary, "pin", *again, "-m", "RR", "-o", baseline, "--replace")[0] == 0


def test_recorded_runs_are_repeats_if_name_and_settings_are_equal_or_one_group_was_recorded():
    def recorded(name, k, group=None, repeat=None):
        header = RunHeader(f"{name}-{k}-{repeat}", name, "2026-11-22T12:00:00+00:00", settings={"k": k}, group=group,
                           repeat=repeat)
        return replace(ranked(lambda index: 1, name), header=header)

    assert configurations_problem([recorded("a", 5), recorded("a", 5)]) is None
    assert configurations_problem([recorded("a", 5, "g", 1), recorded("a", 6, "g", 2)]) is None
    assert configurations_problem([recorded("a", 5)]) is None
    problem = configurations_problem([recorded("a", 5), recorded("a", 6)])
    assert "2 runs of 'a' that differ in k" in str(problem)


@pytest.mark.parametrize(("options", "words"), [
    (["--against", "none.ragdash"], "cannot be read"), (["--against", "qrels.txt"], "not JSON"),
    (["--missing", "skip"], "'zero', as the baseline was evaluated"),
    (["-m", "RR AP"], "(-m): found AP, which the baseline does not have; expected one of its metrics: RR, Success@1.")])
def test_an_error_is_exit_status_2_and_never_a_regression(files, capfdbinary, monkeypatch, options, words):
    monkeypatch.chdir(files)
    (files / "b.ragdash").write_bytes(BASELINE.to_bytes())
    against = [] if "--against" in options else ["--against", "b.ragdash"]
    status, out, err = call(capfdbinary, "gate", "good.jsonl", "--truth", "qrels.txt", *against, *options)
    assert status == 2 and words in err and out == ""


def test_a_metric_that_the_baseline_lacks_is_named_with_the_way_to_add_it():
    with pytest.raises(InputError, match=r"P@5, which the baseline does not have.*RR, Success@1.*Pin .* with P@5\."):
        gate([BEFORE], TRUTH, BASELINE, parse_specs("P@5"))


def test_a_run_shallower_than_the_baseline_is_not_compared_below_its_depth():
    truth = truth_of({f"q{number}": ["a"] for number in range(30)})
    deep, shallow = (run_of({f"q{number}": documents for number in range(30)}) for documents in (
        ["x", "y", "a"], ["x", "a"]))
    baseline = pin(evaluate(deep, truth, "RR P@2 P@3"), truth, version="1", run={"depth": deep.depth})
    result = gate([shallow], truth, baseline)
    assert [row.tier for row in result.rows] == ["not-comparable", "improved", "not-comparable"] and not result.passed
    assert [check.kind for check in result.checks if check.level == "withheld"] == ["shallow-run"]
    text = render_gate(result, "table").decode()
    assert "--cutoffs" not in text and "name with -m the metrics that look at most 2 deep" in text
    assert gate([shallow], truth, baseline, parse_specs("P@2")).passed, "as it says"
    assert gate([shallow], truth, baseline, accepted=["shallow-run"]).passed
    assert gate([deep], truth, baseline).passed


def test_a_passed_gate_says_how_large_a_loss_may_be_and_a_failed_one_names_every_regression():
    rng, truth = np.random.default_rng(3), truth_of({f"q{number}": ["a"] for number in range(60)})

    def run(right: float, extra: int = 0):
        return run_of({f"q{number}": ["x", "a", *[f"y{at}" for at in range(extra)]] if rng.random() > right else
                       ["a", "x", *[f"y{at}" for at in range(extra)]] for number in range(60)})

    before = run(0.7, extra=2)
    baseline = pin(evaluate(before, truth, "P@1 RR"), truth, version="1", run={"depth": before.depth})
    unclear = gate([run(0.66, extra=2)], truth, baseline)
    row = max(unclear.rows, key=lambda row: -row.comparison.low)
    assert unclear.passed and -row.comparison.low > 0.02
    sentence = ("Passed means: no metric is significantly worse than the baseline. "
                f"{row.comparison.spec.title} is worse on {row.comparison.losses} queries and better on "
                f"{row.comparison.wins}: too few to be sure, so it may still be up to {-row.comparison.low:.3f} "
                "worse. ")
    assert sentence in text_of(unclear) and "--fail-on unclear --margin 0.02" in text_of(unclear)
    assert "Margin" not in text_of(unclear)
    failed = gate([run(0.66, extra=2)], truth, baseline, rules=ComparisonRules(margin=0.02), fail_on="unclear")
    row = max(failed.rows, key=lambda row: -row.comparison.low)
    assert not failed.passed and (f"Failed means: a loss above 0.02 is not ruled out. {row.comparison.spec.title} may "
                                  f"be up to {-row.comparison.low:.3f} worse. ") in text_of(failed)
    same = gate([before], truth, baseline, rules=ComparisonRules(margin=0.02), fail_on="unclear")
    assert same.passed and "may still be" not in text_of(same), "nothing is open"
    assert "Passed means: on no metric does the interval reach a loss above the margin.\n" in text_of(same)
    assert "Margin: differences up to 0.02 do not matter, so runs are equivalent if the whole" in text_of(same)
    worse = gate([run(0.1)], truth, baseline)
    assert "not comparable, and regression of Precision@1" in text_of(worse) and "Passed" not in text_of(worse)


@pytest.mark.parametrize(("tier", "said"), [
    ("likely-regression", ": likely regression of MRR, not significant"), ("regression", ": regression of MRR"),
    ("no-clear-difference", ": no clear difference")])
def test_the_first_sentence_names_the_metrics_that_are_worse(tier, said):
    """"Gate passed: likely regression" alone looks like a contradiction."""
    rows = [SimpleNamespace(tier=name, comparison=SimpleNamespace(spec=parse_specs(metric)[0]))
            for name, metric in ((tier, "RR"), ("equivalent", "P@5"))]
    result = SimpleNamespace(passed=True, tier=tier, rows=rows, name="new", baseline=SimpleNamespace(name="old"))
    assert headline(result) == f"Gate passed: new against the baseline old{said}"


def text_of(result) -> str:
    """The result as the command prints it."""
    return render_gate(result, "table").decode()


def test_equal_intervals_of_two_metrics_are_explained():
    """With one relevant document per query, recall and hit rate are the same number: no fault."""
    truth = truth_of({f"q{number}": ["a"] for number in range(20)})
    before, after = (run_of({f"q{number}": ["x", "a"] if number >= lost else ["x", "y"] for number in range(20)})
                     for lost in (0, 2))
    baseline = pin(evaluate(before, truth, "R@5 Success@5 RR"), truth, version="1", run={"depth": before.depth})
    words = "Recall@5 and Hit rate@5 have the same difference and interval: on the queries that changed"
    assert words in text_of(gate([after], truth, baseline))
    assert words not in text_of(gate([before], truth, baseline)), "nothing changed"
