"""Verdict and checks on the command line: every trap, --accept, --reverse-scores, gates and JSON."""

from __future__ import annotations

import html
import json

import pytest
from helpers import call
from traps import every_trap

TRAPS = {trap.name: trap for trap in every_trap() if len(trap.qrels) == 1}
COMPARED = [trap for trap in TRAPS.values() if len(trap.runs) > 1 and trap.name != "another-set"]
QUICK = ["-m", "nDCG@10 RR", "--resamples", "200"]


def files_of(name, folder):
    runs, judgments = TRAPS[name].write(folder)
    return [*runs, "--truth", judgments[0]]


@pytest.mark.parametrize("trap", COMPARED, ids=lambda trap: trap.name)
def test_compare_says_the_verdict_of_every_trap(trap, tmp_path, capfdbinary):
    words = ["compare", *files_of(trap.name, tmp_path), *QUICK, "--permutations", "2000"]
    status, out, _ = call(capfdbinary, *words)
    assert status == 0
    assert out.startswith("Not comparable yet") == (trap.state == "not-comparable")
    assert "\ncandidate  metric" in out, "the numbers are printed all the same"
    _, out, _ = call(capfdbinary, *words, "--format", "json")
    content = json.loads(out)
    assert content["verdict"]["state"] == trap.state
    if trap.check:
        check = next(check for check in content["verdict"]["checks"] if check["kind"] == trap.check)
        assert check["level"] == trap.level and (trap.run is None or trap.run in check["runs"])
        assert check["found"] and check["fix"] and check["facts"] is not None
    withheld = {row["outcome"] for row in content["comparisons"]} == {"not-comparable"}
    assert withheld == (trap.state == "not-comparable")


def test_another_set_is_refused_with_the_fix(tmp_path, capfdbinary):
    status, _, err = call(capfdbinary, "compare", *files_of("another-set", tmp_path), *QUICK)
    assert status == 2 and "query ids that the run and the judgments share" in err


def test_two_files_with_judgments_are_never_the_last_alone(tmp_path, capfdbinary):
    trap = next(trap for trap in every_trap() if trap.name == "two-qrels")
    runs, judgments = trap.write(tmp_path)
    with pytest.raises(SystemExit):
        call(capfdbinary, "compare", *runs, "--truth", *judgments, "--truth", judgments[1], *QUICK)


def test_accept_gives_the_verdict_in_spite_of_the_check(tmp_path, capfdbinary):
    words = ["compare", *files_of("half-the-queries", tmp_path), *QUICK]
    _, out, _ = call(capfdbinary, *words, "--accept", "missing-queries")
    assert not out.startswith("Not comparable yet") and "not comparable yet" not in out
    assert "good has no results for 30 of 60 queries" in out
    with pytest.raises(SystemExit):
        call(capfdbinary, *words, "--accept", "nonsense")


def test_common_queries_lift_the_verdict(tmp_path, capfdbinary):
    _, out, _ = call(capfdbinary, "compare", *files_of("half-the-queries", tmp_path), *QUICK, "--missing", "skip")
    assert out.startswith("good has the highest NDCG@10")


def test_reversed_scores_are_fixed_by_name(tmp_path, capfdbinary):
    words = ["compare", *files_of("reversed-scores", tmp_path), *QUICK]
    _, out, _ = call(capfdbinary, *words)
    assert "--reverse-scores 'good'" in out
    _, out, _ = call(capfdbinary, *words, "--reverse-scores", "good")
    assert out.startswith("good has the highest NDCG@10") and "▼ worse" in out
    line = "good: the scores were reversed, so the documents with the smallest scores are ranked first."
    assert out.count(line) == 1
    _, out, _ = call(capfdbinary, *words, "--reverse-scores", "good", "--format", "json")
    checks = json.loads(out)["verdict"]["checks"]
    assert [(check["kind"], check["level"], check["runs"]) for check in checks if "reversed" in check["kind"]] == [
        ("reversed-scores", "note", ["good"])]
    for command in ("evaluate", "diagnose"):
        files = [command, *files_of("reversed-scores", tmp_path)]
        _, _, err = call(capfdbinary, *files)
        assert "the worst documents are ranked first" in err
        _, _, err = call(capfdbinary, *files, "--reverse-scores", "good")
        assert line in err and "worst" not in err
    page = tmp_path / "page.html"
    call(capfdbinary, "report", *files_of("reversed-scores", tmp_path), "--reverse-scores", "good", "-o", page)
    assert line in html.unescape(page.read_text())
    status, _, err = call(capfdbinary, *words, "--reverse-scores", "best")
    assert status == 2 and "best" in err


@pytest.mark.parametrize(("accept", "status"), [([], 1), (["--accept", "missing-queries"], 0)])
def test_a_gate_fails_while_the_verdict_is_withheld(accept, status, tmp_path, capfdbinary):
    files = files_of("half-the-queries", tmp_path)
    got, _, err = call(capfdbinary, "compare", *files, *QUICK, "--no-worse-than", "0.9", *accept)
    assert got == status and ("not comparable yet" in err) == bool(status)
    got, _, err = call(capfdbinary, "evaluate", *files, *QUICK, "--fail-under", "RR=0.01", *accept)
    assert got == status and ("not comparable yet" in err) == bool(status)


def test_evaluate_warns_and_its_json_has_the_verdict(tmp_path, capfdbinary):
    files = files_of("reversed-scores", tmp_path)
    status, out, err = call(capfdbinary, "evaluate", *files, *QUICK)
    assert status == 0 and "Not comparable yet" in err and "NDCG@10" in out
    _, out, _ = call(capfdbinary, "evaluate", *files, *QUICK, "--format", "json")
    verdict = json.loads(out)["verdict"]
    assert verdict["state"] == "not-comparable" and verdict["sentence"].startswith("Not comparable yet")
    one = files_of("one-run", tmp_path / "one")
    _, out, err = call(capfdbinary, "evaluate", *one, *QUICK, "--format", "json")
    assert json.loads(out)["verdict"]["state"] == "one-run" and not err


@pytest.mark.parametrize(("command", "withheld", "given"), [
    (["audit"], "so no run is named best: good: the scores rise", "is the best of these 2 runs"),
    (["fuse", "--tune", "nDCG@10"], "so no hybrid is proposed: good: the scores rise", "build this hybrid")])
def test_commands_that_name_the_best_name_none_while_the_runs_are_not_comparable(command, withheld, given, tmp_path,
                                                                                 capfdbinary):
    words = [*command, *files_of("reversed-scores", tmp_path)]
    status, out, err = call(capfdbinary, *words)
    assert status == 0 and f"Not comparable yet, {withheld}" in out.splitlines()[0] and given not in out
    assert "--reverse-scores" in err and "in spite of it: --accept rising-scores" in err
    content = json.loads(call(capfdbinary, *words, "--format", "json")[1])
    assert [check["kind"] for check in content["withheld"]] == ["rising-scores"]
    assert {pair["comparison"]["outcome"] for pair in content.get("pairs", ())} <= {"not-comparable"}
    _, out, err = call(capfdbinary, *words, "--accept", "rising-scores")
    assert given in out and "Not comparable" not in out and "in spite of it" not in err


def test_the_full_report_names_no_best_run_and_no_hybrid_while_the_runs_are_not_comparable(tmp_path, capfdbinary):
    page = tmp_path / "report.html"
    words = ["report", *files_of("reversed-scores", tmp_path), "-m", "nDCG@10", "--full", "--what-if", "--test-set",
             "-o", page]
    assert call(capfdbinary, *words)[0] == 0
    said = html.unescape(page.read_text())
    assert "so no run is named best: good" in said and "so no hybrid is proposed: good" in said
    assert "is the best of these 2 runs" not in said and "build this hybrid" not in said
    assert call(capfdbinary, *words, "--accept", "rising-scores")[0] == 0
    said = html.unescape(page.read_text())
    assert "is the best of these 2 runs" in said and "build this hybrid" in said
