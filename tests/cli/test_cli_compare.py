"""`ragdash compare`: the verdict, its JSON contract, and gates for continuous integration."""

import json
import time
from xml.etree import ElementTree

import pytest
from helpers import call

from ragdash.core import console
from ragdash.evaluation.ci_gates import GateCheck
from ragdash.reporting.tables.junit import as_junit, escape_xml


def compare(capfdbinary, files, *more):
    return call(capfdbinary, "compare", files / "run.trec", files / "other.trec", "--truth", files / "qrels.txt",
                "--accept", "missing-queries", "--accept", "shallow-run", *more)


def test_compare_json_is_the_contract(files, capfdbinary):
    status, out, _ = compare(capfdbinary, files, "-m", "RR nDCG@10", "--format", "json", "--margin", "0.5")
    content = json.loads(out)
    assert status == 0
    assert list(content) == ["schema", "verdict", "baseline", "correction", "comparisons", "settings", "problems"]
    assert (content["schema"], content["baseline"], content["correction"]) == (3, "run", "max-t")
    one = content["comparisons"][0]
    assert {"candidate": "other", "metric": "RR", "n": 3, "wins": 0, "ties": 2, "losses": 1}.items() <= one.items()
    assert one["mean_difference"] == pytest.approx((0.5 - 0.5 + 0 - 1 + 0) / 3)
    assert set(one["p"]) == {"randomization", "t", "wilcoxon", "sign", "equivalence"}
    assert one["p"]["randomization"] == one["p_corrected"] == 1
    assert one["outcome"] == "too-few" and one["family"] == {"runs": 2, "slices": 0, "comparisons": 1}
    assert one["low"] <= one["mean_difference"] <= one["high"]
    assert {"level", "margin", "permutations", "seed", "resamples", "interval"} <= set(content["settings"])


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex"])
def test_compare_in_every_text_format(files, capfdbinary, form):
    status, out, _ = compare(capfdbinary, files, "-m", "RR", "--format", form)
    assert status == 0 and "other" in out and ("too few queries" in out or "too-few" in out)
    assert ("Too few queries: with 3 queries no difference can be significant" in out) == (form == "table")


def test_compare_fails_where_the_candidate_is_worse_than_allowed(files, capfdbinary):
    status, out, err = compare(capfdbinary, files, "-m", "RR", "--no-worse-than", "0.2")
    assert status == 1 and "other: MRR is 0.333 worse than the baseline (mean, n = " in err and "too few queries" in out
    assert out.startswith("Failed"), "the answer is first"
    status, out, err = compare(capfdbinary, files, "-m", "RR", "--no-worse-than", "0.4")
    assert status == 0 and "worse" not in err
    assert out.startswith("Passed: no candidate is worse than run by more than the limit."), out[:200]


def test_a_limit_on_one_query_is_missed_in_words(files, capfdbinary):
    """Undefined is not shown to hold: status 1, as docs/reference/cli.md says; nothing is "nan better"."""
    (files / "one.trec").write_text("q1 Q0 a 1 3.0 t\n")
    status, out, err = call(capfdbinary, "compare", files / "one.trec", files / "one.trec", "--truth",
                            files / "qrels.txt", "-m", "RR", "--no-worse-than", "0.02", "--missing", "skip",
                            "--accept", "missing-queries")
    assert status == 1 and "nan" not in out + err
    assert "1 query with a value in both runs, 2 are needed, so the limit of 0.02 is not shown to hold" in err


@pytest.mark.parametrize(("command", "bound", "failures"), [
    ("compare", ["--no-worse-than", "0.2"], 1), ("compare", ["--no-worse-than", "0.5"], 0),
    ("evaluate", ["--fail-under", "RR=0.3", "--fail-under", "RR=0.1"], 1)])
def test_gates_as_junit(files, capfdbinary, command, bound, failures):
    runs = files / "run.trec", files / "other.trec"
    status, out, _ = call(capfdbinary, command, *runs, "--truth", files / "qrels.txt", "-m", "RR", "--format", "junit",
                          "--accept", "missing-queries", "--accept", "shallow-run", *bound)
    suite = ElementTree.fromstring(out)
    assert status == (1 if failures else 0)
    assert int(suite.get("failures")) == failures == len(suite.findall("testcase/failure"))
    assert int(suite.get("tests")) == len(suite) == (4 if command == "evaluate" else 1)


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\x00b", "\ufffe", "<b>&\"'"])
def test_junit_of_any_name_is_well_formed(name):
    checks = [GateCheck(name, "RR=0.3", "0.5", None), GateCheck("b", "RR=0.3", "0.2", f"{name} misses")]
    suite = ElementTree.fromstring(as_junit("ragdash", checks))
    first, second = suite
    assert first.get("classname") == f"ragdash.{escape_xml(name)}"
    assert second.find("failure").text == f"{escape_xml(name)} misses"


@pytest.mark.parametrize(("more", "word"), [
    (["--format", "junit"], "--no-worse-than"), (["--margin", "-1"], "above 0"),
    (["-m", "AP", "--no-worse-than", "RR=1"], "Add RR")])
def test_compare_refuses_what_it_cannot_do(files, capfdbinary, more, word):
    status, out, err = compare(capfdbinary, files, *more)
    assert (status, out) == (2, "") and word in err


def test_compare_wants_two_runs(files, capfdbinary):
    status, _, err = call(capfdbinary, "compare", files / "run.trec", "--truth", files / "qrels.txt")
    assert status == 2 and "a baseline and a candidate" in err


LABELED = "query_id,doc_id,score,verdict\n" + "".join(
    f"q{i},{first},2,{label}\nq{i},{second},1,\n" for i in range(8)
    for first, second, label in [("b", "a", "Refusal") if i < 4 else ("a", "b", "Correct")])
PERFECT = "".join(f"q{i} Q0 a 1 2.0 t\n" for i in range(8))
ATTRIBUTES = "".join(json.dumps({"query_id": f"q{i}", "relevant": {"a": 1}, "attributes": {
    "difficulty": "hard" if i % 2 else "easy"}}) + "\n" for i in range(8))


@pytest.fixture
def labeled(tmp_path):
    """poor.csv with a label per query, good.trec, and truth.jsonl with an attribute."""
    for name, text in (("poor.csv", LABELED), ("good.trec", PERFECT), ("truth.jsonl", ATTRIBUTES)):
        (tmp_path / name).write_text(text)
    return tmp_path


def compare_by(capfdbinary, files, *more, others=()):
    return call(capfdbinary, "compare", files / "poor.csv", files / "good.trec", *others, "--truth",
                files / "truth.jsonl", "-m", "RR", "--accept", "shallow-run", *more)


def test_comparisons_within_labels_and_attributes_follow_those_of_all_queries(labeled, capfdbinary):
    status, out, _ = compare_by(capfdbinary, labeled, "--by", "verdict of poor", "--format", "json")
    content = json.loads(out)
    assert status == 0 and len(content["comparisons"]) == 1
    assert [(row["by"], row["slice"], row["mean_difference"], row["n"]) for row in content["slices"]] == [
        ("verdict of poor", "Correct", 0.0, 4), ("verdict of poor", "Refusal", 0.5, 4)]
    assert {row["family"]["slices"] for row in content["slices"]} == {2}
    status, out, _ = compare_by(capfdbinary, labeled, "--by", "verdict")  # one run has such a label
    assert status == 0 and "Refusal" in out and "an outcome of one run" in out and "corrected over 2 comparisons" in out
    status, out, _ = compare_by(capfdbinary, labeled, "--by", "difficulty", "--format", "csv")
    assert status == 0 and [line.split(",")[:3] for line in out.splitlines()[1:]] == [
        ["", "", "good"], ["difficulty", "easy", "good"], ["difficulty", "hard", "good"]]
    status, out, _ = compare_by(capfdbinary, labeled, "--by", "difficulty")
    assert status == 0 and "easy" in out and "an outcome of one run" not in out


def test_an_unknown_slice_is_named_with_those_that_exist(labeled, capfdbinary):
    status, out, err = compare_by(capfdbinary, labeled, "--by", "topic")
    assert (status, out) == (2, "") and "'topic'" in err and "difficulty, verdict of poor" in err
    (labeled / "other.csv").write_text(LABELED)
    status, _, err = compare_by(capfdbinary, labeled, "--by", "verdict", others=[labeled / "other.csv"])
    assert status == 2 and "verdict of poor, verdict of other" in err and "Name the run as well" in err


def test_a_markdown_of_means_says_first_which_bound_is_missed(tmp_path, capfdbinary):
    (tmp_path / "run.trec").write_text("q1 Q0 a 1 2 r\nq2 Q0 b 1 2 r\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    files = [str(tmp_path / "run.trec"), "--truth", str(tmp_path / "qrels.txt"), "-m", "RR", "--format", "markdown"]
    missed = "Failed:\n- run: mean of MRR is 0.5, the bound is 0.6\n\n| metric"
    for bound, begin in (("0.6", missed), ("0.4", "Passed:")):
        _, printed, _ = call(capfdbinary, "evaluate", *files, "--fail-under", f"RR={bound}")
        assert printed.startswith(begin)


def test_a_long_comparison_says_on_a_terminal_what_it_does(monkeypatch, capsys):
    monkeypatch.setattr(console, "SILENT", 0.01)
    with console.at_work("Comparing 300 runs"):
        time.sleep(0.1)
    assert not capsys.readouterr().err, "standard error is no terminal"
    monkeypatch.setattr(console.sys.stderr, "isatty", lambda: True)
    with console.at_work("Comparing 300 runs"):
        time.sleep(0.3)
    printed = capsys.readouterr().err
    assert "Comparing 300 runs: 0 s" in printed and printed.endswith("\r\x1b[K")
