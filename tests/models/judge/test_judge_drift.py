"""Stored verdicts asked again: has the judge changed? Versions of a model are not mixed without a word."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from models.judge.scripted import Scripted, case
from models.judge.server import toy

from ragdash.analysis.judge_validation import corrected_difference, judged_verdicts
from ragdash.analysis.variants.main_effects import main_effects
from ragdash.analysis.variants.setting_groups import group_by_settings
from ragdash.cli.main import main
from ragdash.core.errors import Unavailable
from ragdash.core.paths import workspace
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.repeats import mean_over_repeats
from ragdash.evaluation.scoring.judge_drift import FILE, drift_due
from ragdash.io import read_run, read_truth, write_run, write_truth
from ragdash.matching.match import Match
from ragdash.matching.views.judge_versions import of_one_version
from ragdash.metrics import parse_specs
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.tasks import Judgment

ROWS = {f"q{i}": {"question": "What?", "answer": f"Paris lies on Seine number {i}.",
                  "contexts": [f"Surely Paris lies on Seine number {i}."]} for i in range(30)}


def harsher(asked):
    """The toy with another opinion of a third of the answers."""
    text = toy(asked)
    return {**text, "score": 0} if int(asked.all("answer")[0].split()[-1].rstrip(".")) % 3 == 0 else text


def test_a_judge_that_changed_is_told_apart_from_one_that_did_not(serve, tmp_path, capsys):
    run, truth = case(ROWS)
    write_run(run, tmp_path / "run.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    server = serve()

    def judge(*options):
        status = main(["judge", str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m",
                       "Faithfulness", "--base-url", server.url, "--model", "toy", *options])
        return status, "".join(capsys.readouterr())

    status, text = judge("--drift")
    assert status == 2 and "0 verdicts of toy" in text and "20 or more" in text
    assert judge()[0] == 0
    stored, paid = default_verdict_store().stamp(), server.answered
    assert judge("--drift", "--dry-run")[0] == 0 and server.answered == paid == 30
    status, text = judge("--drift", "25")
    assert status == 0 and server.answered == paid + 25 and "25 the same, mean change +0.000" in text
    assert "No drift shown; a mean change of up to 0." in text
    server.judge = harsher
    status, text = judge("--drift", "--progress", "json")
    result = next(row for row in map(json.loads, text.splitlines()) if "drift" in row)["drift"]
    assert status == 1 and result["drifted"] and (result["n"], result["same"]) == (30, 20)
    assert result["change"] == pytest.approx(-1 / 3) and result["high"] < 0 and "has drifted" in result["words"]
    assert default_verdict_store().stamp() == stored, "the ledger is as before"
    lines = (workspace() / "judge_drift.jsonl").read_text().splitlines()
    assert [json.loads(line)["same"] for line in lines] == [25, 20]
    assert judge("--drift", "--max-calls", "5")[0] == 2
    judged_by, store = default_verdict_store().judges()[0], default_verdict_store()
    assert drift_due(judged_by, store) is None, "the verdicts are of this month"
    assert drift_due(judged_by, store, "2099-01-05").facts["number"] == 40
    assert drift_due(judged_by, store, json.loads(lines[-1])["time"]) is None, "checked in that month"
    assert drift_due(Judge("other", "toy"), store, "2099-01-05") is None
    (workspace() / FILE).write_bytes(b"[]\n1\n")  # changed by hand
    assert drift_due(judged_by, store, "2099-01-05").facts["number"] == 40


class Renamed(Scripted):
    """Calls itself old up to a number of the answer, then new."""
    turn = 25

    def _reply(self, question):
        newer = int(question.user.split("number ")[-1].split(".")[0]) >= self.turn
        return replace(super()._reply(question), model=f"scripted-{'new' if newer else 'old'}",
                       at=f"2026-{'11' if newer else '08'}-02T10:00:00+00:00")


def test_means_over_two_versions_of_a_judge_are_never_joined():
    run, truth = case(ROWS)
    judged = Match(run, truth).judged
    Renamed(default_verdict_store()).judge_all(judged, "Faithfulness")
    problem, = (problem for problem in judged.warnings("Faithfulness") if problem.kind == "judge-versions")
    assert "Shown is scripted-old (25 queries); left out: scripted-new (5)" in problem.actual
    verdicts = judged.read("Faithfulness")
    assert verdicts.source == "scripted at localhost:1 version scripted-old"
    assert np.isfinite(verdicts.values).tolist() == [True] * 25 + [False] * 5
    assert {judgment.missing for judgment in verdicts.judgments[25:]} == {"other-version"}
    newer = judged.read("Faithfulness", "scripted version scripted-new")
    assert np.isfinite(newer.values).tolist() == [False] * 25 + [True] * 5
    with pytest.raises(Unavailable):
        judged.read("Faithfulness", "scripted version scripted-newest")
    Renamed.turn = 10  # the second vote is by the new version on 10 to 24: a mean of both votes is of two versions
    Renamed(default_verdict_store()).judge_all(judged, "Faithfulness", vote=1)
    twice = judged.read("Faithfulness", votes=2)
    assert [judgment.missing for judgment in twice.judgments] == [None] * 10 + ["several-versions"] * 15 + [
        "other-version"] * 5 and twice.other_versions == {"scripted-new and scripted-old": 15, "scripted-new": 5}
    assert list(choose([[("a", 1.0), ("b", 0.0)]], ["b", "a"])) == [1.0, None], "of equals the newest"
    assert list(choose([[("a", 1.0), ("b", 0.0)]], ["a", "b"])) == [None, 0.0]


def choose(rounds, ages):
    """The values that are left of [(version, value)], None for those set apart."""
    judgments = [[Judgment(value, versions=(version,)) for version, value in votes] for votes in rounds]
    return [judgment.value if judgment.missing is None else None
            for judgment in of_one_version(judgments, "m", by_age=lambda: ages).rounds[0]]


def test_runs_judged_by_different_versions_are_not_compared_until_the_judge_is_asked_again(serve, tmp_path, capsys):
    for name, words in (("old", "Seine"), ("new", "Loire")):
        run, truth = case({query: {**row, "answer": row["answer"].replace("Seine", words)}
                           for query, row in ROWS.items()}, name)
        write_run(run, tmp_path / f"{name}.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    files = [str(tmp_path / f"{name}.jsonl") for name in ("old", "new")]
    about = ["--truth", str(tmp_path / "truth.jsonl"), "-m", "Faithfulness"]
    server = serve()

    def judge(runs, *options):
        status = main(["judge", *runs, *about, "--base-url", server.url, "--model", "toy", *options])
        return status, "".join(capsys.readouterr())

    def compared(*options):
        main(["compare", *files, *about, *options, "--format", "json"])
        return json.loads(capsys.readouterr().out)

    assert judge(files[:1])[0] == 0
    server.version = "-0002"
    assert judge(files[1:])[0] == 0
    result = compared()
    check, = (check for check in result["verdict"]["checks"] if check["kind"] == "other-judges")
    assert result["verdict"]["state"] == "not-comparable" and check["level"] == "withheld"
    assert "old: toy at 127.0.0.1" in check["found"] and "version toy-0002" in check["found"]
    assert "not-comparable" in json.dumps(result["comparisons"])
    assert main(["compare", *files, *about]) == 0
    text = capsys.readouterr().out
    assert "Fix the check first." in text and "accept" not in text, "this check cannot be accepted"
    assert main(["report", *files, *about, "-o", str(tmp_path / "report.html")]) == 0
    assert "different judges" in (tmp_path / "report.html").read_text()
    capsys.readouterr()
    truth = read_truth(tmp_path / "truth.jsonl")
    spec, = parse_specs("Faithfulness")
    evaluations = [evaluate(read_run(file), truth, [spec]) for file in files]
    mean = mean_over_repeats(evaluations)
    assert np.isnan(mean.column(spec)).all() and "other-judges" in {problem.kind for problem in mean.problems}
    settings = [{"prompt": name} for name in ("a", "b")]
    assert main_effects(evaluations, settings, spec).n == 0
    assert np.isnan(group_by_settings(evaluations, [{"prompt": "a"}] * 2, spec, "prompt").mean).all()
    verdicts = [judged_verdicts(evaluation, evaluation.match, spec) for evaluation in evaluations]
    labels = {query: 1.0 for query in list(ROWS)[:24]}
    difference = corrected_difference(*verdicts, labels, {**labels, "q3": 0.0})
    assert np.isnan(difference.corrected.mean) and difference.labels.mean == pytest.approx(-1 / 24)
    assert [problem.kind for problem in difference.problems] == ["other-judges"]
    paid = server.answered
    status, text = judge(files, "--renew", "--dry-run")
    assert status == 0 and "30 calls" in text and server.answered == paid and compared() == result
    status, text = judge(files, "--renew")
    assert status == 0 and server.answered == paid + 30
    result = compared()
    assert result["verdict"]["state"] != "not-comparable" and not [
        check for check in result["verdict"]["checks"] if check["kind"] == "other-judges"]
    status, text = judge(files, "--renew")
    assert status == 2 and "by another version than toy-0002" in text
    judged = Match(read_run(files[0]), read_truth(tmp_path / "truth.jsonl")).judged
    older = judged.read("Faithfulness", "toy (toy-0001)")
    assert np.isfinite(older.values).all(), "what the older version said can still be read"
