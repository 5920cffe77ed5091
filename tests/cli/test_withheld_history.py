"""Changes of a history between runs that are not comparable yet: alike on the command line, in Python and the site."""

import json

from helpers import call, run_of
from history_cases import QUERIES, TRUTH, commits, repeated_nights, write_log_folder
from test_bundle import Words

import ragdash
from ragdash.analysis.tracking import (
    checks_of_runs,
    history,
    history_point,
    merged_points,
    pin,
    withhold_changes,
)
from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import parse_specs
from ragdash.reporting.tables.history import change_sentences

WITHHELD = ("Not comparable yet, so 1 change is not named: 2026-03-01 00:00 hybrid has at most 2 documents per query; "
            "2026-03-09 00:00 hybrid has 3. Fix or accept this first.")


def test_a_change_of_runs_of_other_depths_is_not_named_until_the_check_is_accepted(tmp_path, capfdbinary):
    root = write_log_folder(tmp_path, depth=2)
    arguments = ("history", root / "logs", "--truth", root / "qrels.txt", "-m", "RR")
    status, out, err = call(capfdbinary, *arguments)
    row = next(line for line in out.splitlines() if line.startswith("2026-03-09"))
    assert status == 0 and WITHHELD in out and out.count("▼ worse since") == 1  # the other change is of equal depth
    assert "not comparable yet" in row and "−0.236 [" in row and "No significant change" not in out
    assert "to name these changes in spite of it: --accept shallow-run" in err
    [line] = json.loads(call(capfdbinary, *arguments, "--format", "json")[1])["lines"]
    changed = {point["run"]: point for point in line["metrics"][0]["points"] if point["change"]}
    assert {run: point["change"] for run, point in changed.items()} == {8: "withheld", 15: "worse"}
    assert [check["kind"] for check in changed[8]["checks"]] == ["shallow-run"] and changed[8]["difference"] < -0.2
    status, out, err = call(capfdbinary, *arguments, "--accept", "shallow-run")
    assert (status, err) == (0, "") and out.count("▼ worse since") == 2 and "omparable yet" not in out


def test_python_and_the_site_name_the_same_changes_as_the_command(tmp_path, capfdbinary):
    root = write_log_folder(tmp_path, depth=2)
    truth = ragdash.read_truth(root / "qrels.txt")
    result = ragdash.history(root / "logs", truth, "RR")
    assert result.frame()["change"].tolist()[8] == "not comparable yet" and WITHHELD in result.summary()
    assert "1 significant change" in repr(result) and result.frame()["difference"].tolist()[8] < -0.2
    accepted = ragdash.history(root / "logs", truth, "RR", accept="shallow-run")
    assert accepted.frame()["change"].tolist()[8] == "▼ worse"
    site = ("bundle", root / "logs", "--truth", root / "qrels.txt", "-m", "RR", "--replace", "-o", tmp_path / "site")
    assert call(capfdbinary, *site)[0] == 0
    index = Words(tmp_path / "site" / "index.html").text
    assert WITHHELD in index and index.count("▼ worse since") == 1
    assert call(capfdbinary, *site, "--accept", "shallow-run")[0] == 0
    index = Words(tmp_path / "site" / "index.html").text
    assert "omparable yet" not in index and index.count("▼ worse since") == 2


def test_repeats_and_the_runs_of_a_window_are_checked_and_steady_points_are_not():
    specs = parse_specs("RR")

    def checked(runs, **options):
        points = merged_points([history_point(run, TRUTH, specs) for run in runs])
        [metric] = history(points, specs, **options)
        asked = []
        find = checks_of_runs(runs, TRUTH)
        [metric] = withhold_changes(points, [metric], lambda group, spec: asked.append(
            [point.label for point in group]) or find(group, spec))
        return metric, asked

    metric, asked = checked(repeated_nights())
    assert [row.point for row in metric.changes] == [8, 15] and [len(group) for group in asked] == [4, 4]
    metric, asked = checked(commits(planted=False))
    assert not metric.changes and not metric.withheld and not asked
    shallow, deep = commits(depth=2)[:8], commits()[8:]
    metric, _ = checked([*shallow, *deep], fixed=True)
    assert [(row.point, row.change) for row in (*metric.changes, *metric.withheld)] == [(8, "withheld")]


def test_a_run_that_is_shallower_than_the_pinned_baseline_is_no_change_yet():
    specs, runs = parse_specs("RR"), commits()
    deep = run_of({query: ["a", "z1", "z2", "z3"] for query in QUERIES}, "deep")
    baseline = pin(evaluate(deep, TRUTH, "RR"), TRUTH, version="1", run={"depth": deep.depth})
    points = [history_point(run, TRUTH, specs) for run in runs]
    metrics = history(points, specs, baseline=baseline, truth=TRUTH)
    [metric] = withhold_changes(points, metrics, checks_of_runs(runs, TRUTH, baseline=baseline))
    assert [row.point for row in metric.withheld] == [3] and not metric.changes
    [sentence] = change_sentences(points, metric)
    assert "2026-03-04 00:00 hybrid has at most 3 documents per query; deep had 4" in sentence
    assert [row.point for row in withhold_changes(points, metrics, checks_of_runs(runs, TRUTH))[0].changes] == [3]
