"""The history of a metric: what is significant however often one looks, and what is never compared in silence."""

import importlib.util
import json
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from helpers import call, run_of, truth_of
from history_cases import PLANTED, QUERIES, TRUTH, commits, repeated_nights, write_log_folder
from page_cases import address, opened, texts
from speed import quick

from ragdash import io, record
from ragdash.analysis.tracking import (
    gate,
    history,
    history_point,
    lines_of,
    merged_points,
    pin,
    point_spread,
    settings_changes,
)
from ragdash.analysis.tracking.history import experiment_runs
from ragdash.cli.commands.tracking import history as history_command
from ragdash.core.records import Conventions
from ragdash.dashboard.watching import log_watch
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.stats.sequential import look_level, sequential_tests
from ragdash.metrics import parse_specs
from ragdash.reporting.tables.history import change_sentences, noise_lines, notes

ROOT = Path(__file__).parents[2]
SPECS = parse_specs("RR")


def points(runs, truth=TRUTH):
    return [history_point(run, truth, SPECS) for run in runs]


def test_the_levels_of_all_looks_sum_to_alpha():
    total = sum(look_level(look, scale, 0.05) for look in range(1, 3000) for scale in range(25))
    assert 0.0499 < total < 0.05


def test_single_looks_are_paired_t_tests_at_their_level():
    from scipy import stats

    differences = np.random.default_rng(3).normal(0.02, 0.1, (6, 50))
    tests = sequential_tests(differences, 0.05)
    level = look_level(3, 0, 0.05)
    low, high = stats.t.interval(1 - level, 49, differences[2].mean(), stats.sem(differences[2]))
    assert (tests.low[2], tests.high[2]) == pytest.approx((low, high))
    single = tests.flagged <= 1
    assert single[:3].all() and tests.mean[single] == pytest.approx(differences.mean(axis=1)[single])
    assert tests.n.tolist() == [50] * 6
    small = np.array([[-0.033 + 0.12 * (-1) ** (query >> night) for query in range(48)] for night in range(4)])
    singles, window = (stats.ttest_1samp(values, 0, axis=-1).pvalue for values in (small, small.mean(axis=0)))
    assert (singles > [look_level(look, 0) for look in range(1, 5)]).all() and window < look_level(1, 2)
    tests = sequential_tests(small, 0.05)
    assert tests.flagged.tolist() == [0, 0, 0, 4]  # seen together, in no single run
    low, high = stats.t.interval(1 - look_level(1, 2), 47, small.mean(), stats.sem(small.mean(axis=0)))
    assert (tests.mean[3], tests.low[3], tests.high[3]) == pytest.approx((small.mean(), low, high)) and high < 0


def test_twenty_commits_with_two_planted_regressions_show_exactly_these():
    runs = commits()
    [metric] = history(points(runs), SPECS)
    assert {row.point: row.change for row in metric.changes} == PLANTED
    assert [row.accepted for row in metric.changes] == [0, 8]  # each against the run that was accepted last
    baseline, failing = None, []
    for commit, run in enumerate(runs):
        baseline = baseline or pin(evaluate(run, TRUTH, "RR"), TRUTH, version="1")
        if not gate([run], TRUTH, baseline, fail_on="regression").passed:
            failing.append(commit)
            baseline = pin(evaluate(run, TRUTH, "RR"), TRUTH, version="1")  # promoted on purpose, to see the next one
    assert failing == list(PLANTED)
    assert settings_changes(*points(runs[7:9])) == {"retriever.k": (10, 5)}


def test_repeats_of_a_night_are_one_point_and_nights_of_one_group_are_not():
    runs = repeated_nights()
    nights = merged_points(points(runs))
    assert [len(point.repeats) for point in nights] == [2] * 20
    first, second = (evaluate(run, TRUTH, "RR").column("RR") for run in (runs[0], runs[20]))
    assert nights[0].evaluation.column("RR").tolist() == ((first + second) / 2).tolist()
    assert (nights[0].time, nights[0].digest) == (points(runs[:1])[0].time, "+".join(sorted(
        (runs[0].digest, runs[20].digest))))
    [metric] = history(nights, SPECS)
    assert {row.point: row.change for row in metric.changes} == PLANTED
    spread = point_spread(nights[0], SPECS[0])
    assert (spread.mean, spread.between) == pytest.approx((
        (first.mean() + second.mean()) / 2, np.std([first.mean(), second.mean()], ddof=1)))
    assert not spread.same_rankings and point_spread(points(runs[:1])[0], SPECS[0]) is None
    [line] = noise_lines(nights, SPECS[0])
    assert line.startswith("Each point is the mean of its repeats") and "For the same cost, 2 repeats of 60" in line
    single = points(commits(3))
    assert noise_lines(single, SPECS[0]) == [] and merged_points(single) == single
    day, other_code = timedelta(days=1), replace(points(runs[20:21])[0], commit="f" * 40)
    pair = points([runs[0], runs[20]])
    assert len(merged_points(pair)) == 1 and len(merged_points([pair[0], other_code])) == 2
    assert len(merged_points([pair[0], replace(pair[1], time=pair[1].time + day)])) == 2
    assert len(merged_points([pair[0], replace(pair[1], settings={"k": 1})])) == 2


def test_a_fixed_baseline_notes_a_change_once_and_a_pinned_one_too():
    runs = commits()
    [fixed] = history(points(runs), SPECS, fixed=True)
    assert [(row.point, row.accepted) for row in fixed.changes] == [(8, 0)]
    production = pin(evaluate(runs[0], TRUTH, "RR"), TRUTH, version="1")
    [pinned] = history(points(runs), SPECS, baseline=production, truth=TRUTH)
    assert [(row.point, row.accepted) for row in pinned.changes] == [(8, -1)]
    changed = truth_of({query: ["b" if query < "q30" else "a"] for query in QUERIES})
    [partly] = history(points(runs, changed), SPECS, baseline=production, truth=changed)
    assert partly.rows[0].compared == 30  # only queries whose judgments are the same


def test_no_change_is_no_alarm_and_metrics_share_the_false_alarms():
    steady = commits(planted=False)
    one, two = (history([history_point(run, TRUTH, parse_specs(names)) for run in steady], parse_specs(names))
                for names in ("RR", "RR Success@1"))
    assert one[0].changes == () and [metric.alpha for metric in two] == [0.025, 0.025] and one[0].alpha == 0.05
    [chosen] = history(points(steady), SPECS, family=2)  # one is shown of two to choose from
    assert chosen.rows == two[0].rows and (chosen.alpha, chosen.family, two[0].family) == (0.025, 2, 2)


def test_other_judgments_are_said_and_the_common_queries_compared():
    more = truth_of({query: ["a"] for query in [*QUERIES, "new1", "new2"]})
    old = points(commits(2, truth="0" * 32), more)
    assert [point.truth for point in old] == ["changed", "changed"] and old[0].missing == 2
    assert old[0].evaluation.summary()[0].n == 60  # the two new queries do not count as misses
    same = points(commits(2, truth=more.digest), more)
    assert same[0].truth == "same" and same[0].evaluation.summary()[0].n == 62


def test_queries_added_after_runs_without_recorded_judgments_are_said():
    """Thirty queries were added for the second run; the first was never asked them, and no run says which it had."""
    more = truth_of({query: ["a"] for query in [*QUERIES, *(f"new{number}" for number in range(30))]})
    old = commits(2, planted=False)
    new = replace(old[1], header=replace(old[1].header, created="2026-04-01T00:00:00+00:00"))
    asked = run_of({query: ["a"] for query in more.query_ids.to_pylist()}, "hybrid")
    line = points([*old, replace(asked, header=new.header)], more)
    sentence = ("The judgments that these runs were made with are not recorded: queries that were added later count as "
                "missing for older runs.")
    assert [point.missing for point in line] == [30, 30, 0] and notes(line, today=line[-1].time).count(sentence) == 1
    [metric] = history(line, SPECS)
    assert [row.point for row in metric.changes] == [2]
    [change] = change_sentences(line, metric)
    assert "lacks 0 queries of the judgments and the accepted one 30: the change may come" in change
    assert notes(points(old), today=line[-1].time) == []  # nothing is missing
    assert sentence not in notes(points([*commits(2, truth=more.digest)], more), today=line[-1].time)
    left_out = [history_point(run, more, SPECS, Conventions(missing="skip")) for run in old]
    assert sentence not in notes(left_out, today=line[-1].time)


def test_another_judge_begins_a_new_line():
    specs = parse_specs("RR Faithfulness")
    line = [history_point(run, TRUTH, specs) for run in commits(4)]
    values = np.full((60, 2), 0.5)
    line = [replace(point, evaluation=replace(point.evaluation, values=values, settings={
        **point.evaluation.settings, "judge": "old" if index < 2 else "new"})) for index, point in enumerate(line)]
    retrieval, judged = history(line, specs)
    assert [row.change for row in judged.rows] == ["", "", "not-comparable", ""]
    assert [row.accepted for row in judged.rows] == [None, 0, None, 2]
    assert [row.change for row in retrieval.rows] == [""] * 4


def test_the_points_of_a_sweep_are_no_changes_over_time():
    """Five settings within minutes between nights, two of them much worse; the true regression after them is found."""
    nights = points(commits(12))
    bad = points(commits(12))[10]  # after the first planted regression
    sweep = [replace(bad if k < 3 else nights[4], commit=nights[4].commit,
                     time=nights[4].time + timedelta(minutes=k), settings={"k": k})
             for k in range(1, 6)]
    line = [*nights[:4], *sweep, *nights[5:]]
    [metric] = history(line, SPECS)
    assert {row.point: row.change for row in metric.changes} == {12: "worse"} and metric.rows[12].accepted == 0
    assert [row.change for row in metric.rows[4:9]] == ["experiment"] * 5 and len(metric.rows) == len(line)
    assert "5 of 16 runs are other settings of the same code within an hour" in notes(line)[-1]
    assert experiment_runs(line[:6]) == frozenset()  # two settings within an hour: a change that somebody made
    assert experiment_runs([replace(point, commit=str(place)) for place, point in enumerate(line)]) == frozenset()
    alone = sweep[:3]
    [untested] = history(alone, SPECS)
    [said] = change_sentences(alone, untested)
    assert said.startswith("No run was tested for a change of MRR") and "No significant change" not in said
    [chosen] = history(line, SPECS, accepted=5, fixed=True)  # the accepted run may be a point of the sweep
    assert chosen.rows[5].accepted is None and {row.accepted for row in chosen.rows[9:]} == {5}


def test_the_runs_of_a_large_experiment_are_found_in_time_that_rises_with_their_number():
    [night] = points(commits(1))
    line = [replace(night, time=night.time + timedelta(seconds=place), settings={"k": place % 7, "seed": place})
            for place in range(8_000)]
    assert quick(lambda: experiment_runs(line), 1.0) == frozenset(range(8_000))


def test_a_history_without_chosen_metrics_computes_the_one_that_it_shows(tmp_path, monkeypatch, capfdbinary):
    asked = []
    monkeypatch.setattr(history_command, "history_point", lambda run, truth, specs, *rest: asked.append(
        [str(spec) for spec in specs]) or history_point(run, truth, specs, *rest))
    write_log_folder(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    status, out, err = call(capfdbinary, "history", tmp_path / "logs", "--truth", tmp_path / "qrels.txt")
    assert (status, out[:7]) == (0, "NDCG@10"), err
    assert len(asked[0]) > 1 and asked[1:] == [["nDCG@10"]] * 20


def test_a_repository_of_twenty_commits_shows_its_two_regressions(tmp_path, monkeypatch, capfdbinary):
    """Each commit of a git repository changes the search, is recorded, gated against the pinned file, and followed."""
    monkeypatch.chdir(tmp_path)
    log, truth = tmp_path / "logs", tmp_path / "qrels.txt"
    truth.write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    Path(".gitignore").write_text("logs\n")

    def git(*arguments):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True,
                              capture_output=True)
        return done.stdout.decode().strip()

    git("init", "-b", "main")
    chance, failing, hashes = np.random.default_rng(5).random((20, len(QUERIES))) < 0.03, [], []
    options = ("--truth", truth, "-m", "RR")
    for commit in range(20):
        weak = [query for index, query in enumerate(QUERIES)
                if commit >= (8, 15)[index % 2] or chance[commit, index]]
        Path("search.py").write_text(f"VERSION, WEAK = {commit}, {weak}\n"
                                     "def search(query):\n    return ['x'] * (query in WEAK) + ['a', 'y']\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"Change {commit}")
        hashes.append(git("rev-parse", "HEAD"))
        code: dict = {}
        exec(Path("search.py").read_text(), code)
        with record("search", folder=log) as recording:
            for query in QUERIES:
                recording.add(query, [*code["search"](query), "z"][:3])
        if commit and call(capfdbinary, "gate", recording.path, "--truth", truth, "--against", "baseline.ragdash")[0]:
            failing.append(commit)
        if not commit or commit in failing:  # promoted on purpose
            assert call(capfdbinary, "pin", recording.path, *options, "-o", "baseline.ragdash", "--replace")[0] == 0
    status, out, _ = call(capfdbinary, "history", log, *options, "--format", "json")
    [line] = json.loads(out)["lines"]
    changed = [point["run"] for point in line["metrics"][0]["points"] if point["change"]]
    assert status == 0 and failing == changed == list(PLANTED)
    assert [run["commit"] for run in line["runs"]] == hashes and not any(run["dirty"] for run in line["runs"])
    monkeypatch.setenv(log_watch.VARIABLE, str(log))
    judgments, newest = io.read_truth(truth), io.read_run(recording.path)
    text = texts(opened("history", **address(judgments, [newest], metric="RR"))).replace("\\", "")
    marked = [sentence for sentence in text.splitlines() if sentence.startswith(("▼", "▲"))]
    assert len(marked) == 2 and all("▼ worse since" in sentence for sentence in marked)
    assert [f"commit {hashes[commit][:8]}" in sentence for commit, sentence in zip((15, 8), marked, strict=True)] == [
        True, True]  # the newest first


def test_runs_of_a_clock_that_is_ahead_are_said():
    line = points(commits(3))
    assert notes(line, today=line[-1].time) == []
    assert "1 of 3 runs were recorded in the future" in notes(line, today=line[1].time)[0]


def test_lines_by_branch_and_in_order_of_time():
    lines = lines_of(points(commits(6))[::-1], "branch")
    assert {name: [point.commit[:2] for point in line] for name, line in lines.items()} == {
        "dev": ["00", "02", "04"], "main": ["01", "03", "05"]}


@pytest.mark.slow
def test_the_simulation_has_few_false_alarms_and_finds_true_changes():
    spec = importlib.util.spec_from_file_location("history_benchmark", ROOT / "benchmarks" / "history.py")
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    for scenario in ("noise", "one version"):
        shares = benchmark.false_alarms(scenario, 60, 200, seed=2)
        assert shares["spent"] <= 0.05 < shares["naive"], scenario
    step = -2 * benchmark.detectable(False)
    found = [row["spent"] for row in benchmark.first_alarms("noise", 20, 40, step, seed=2)]
    late = [night for night in found if night > 20]  # the others are false alarms
    assert len(late) >= 19 and max(late) <= 24 and np.median(late) == 21
    drift, nights = -benchmark.detectable(False) / 10, []  # per night; docs/pipelines/history.md has the figures
    for sample in range(20):
        rng = np.random.default_rng((2, sample))
        differences = benchmark.series(rng, benchmark.qualities(), 40, "drift", 7 * drift)
        tests = sequential_tests(differences, 0.05)
        nights.append(int(np.flatnonzero((tests.flagged > 0) & (tests.mean < 0))[0]) + 1)
    assert max(nights) <= 23 and sum(night <= 16 for night in nights) >= 18 and np.median(nights) == 12


@pytest.fixture
def log_folder(tmp_path):
    return write_log_folder(tmp_path)


def test_history_on_the_command_line(log_folder, capfdbinary):
    arguments = ("history", log_folder / "logs", "--truth", log_folder / "qrels.txt", "-m", "RR")
    status, out, err = call(capfdbinary, *arguments)
    assert status == 0 and out.count("▼ worse since") == 2 and "▲" not in out and err == ""
    assert "2026-03-09 00:00 hybrid, commit 08080808" in out and "retriever.k: 10 → 5" in out
    status, out, _ = call(capfdbinary, *arguments, "--by", "branch", "--format", "json", "--fixed")
    lines = json.loads(out)["lines"]
    assert [(line["line"], len(line["runs"])) for line in lines] == [("dev", 10), ("main", 10)]
    assert [[point["run"] for point in line["metrics"][0]["points"] if point["change"]] for line in lines] == [[4], [4]]
    for name, wrong in (("none", "'none'"), ("", "an empty text")):
        status, _, err = call(capfdbinary, *arguments, "--accepted", name)
        assert status == 2 and wrong in err
    status, out, _ = call(capfdbinary, *arguments, "--family", "100")
    assert out.count("▼ worse since") == 2 and "over all 100 metrics together" in out
    status, out, _ = call(capfdbinary, *arguments, "--accepted", "1010")
    assert status == 0 and out.count("▼ worse since") == 1  # commit 10 is after the first regression
