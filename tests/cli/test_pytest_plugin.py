"""The pytest plugin, tried as in a project of its own: verdicts, repeats, workers, JUnit properties, errors."""

import json
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import numpy.fft
import pytest
import scipy.special
import scipy.stats

import ragdash.reporting.tables.gate
from ragdash.analysis.tracking import read_baseline

LOADED = (numpy.fft, scipy.special, scipy.stats, ragdash.reporting.tables.gate)  # a session inside forgets new modules

pytest_plugins = "pytester"
INSTALLED = any(point.name == "ragdash" for point in entry_points(group="pytest11"))  # then pytest finds it
ROOT = Path(__file__).parents[2]
TEST = """
import os
import pytest

@pytest.mark.ragdash(group="dense", repeats=REPEATS, baseline="baseline.ragdash", margin=0.02, metrics="RR Success@1")
@pytest.mark.parametrize("number", range(24))
def test_retrieval(number, log_retrieval, log_answer, ragdash_repeat):
    first = os.environ["STATE"] == "good" or (os.environ["STATE"] == "mixed" and number % 8)
    log_retrieval(f"q{number}", ["a", "x"] if first else ["x", "a"], relevant={"a"})
    log_answer(f"q{number}", "Paris", references=["Paris"])
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A project whose retriever is as good as the variable STATE says."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(state, *arguments, repeats=1, test=TEST):
        monkeypatch.setenv("STATE", state)
        pytester.makepyfile(test_search=test.replace("REPEATS", str(repeats)))
        by_name = () if INSTALLED else ("-p", "ragdash.cli.pytest_plugin.plugin")
        arguments = (*by_name, "-p", "no:cacheprovider", *arguments)
        return pytester.runpytest_inprocess(*arguments)

    run.path = pytester.path
    return run


@pytest.mark.slow
def test_pin_pass_regress_and_say_so_once_with_workers(project):
    first = project("good")
    assert first.ret == 4  # no baseline yet: an error of the setup, not a regression
    assert "no baseline file" in first.stdout.str() and "pytest --ragdash-pin" in first.stdout.str()
    assert "ragdash pin" not in first.stdout.str()
    pinned = project("good", "--ragdash-pin")
    assert pinned.ret == 0 and "dense: pinned in" in pinned.stdout.str()
    baseline = read_baseline(project.path / "baseline.ragdash")
    assert [str(spec) for spec in baseline.evaluation.specs] == ["RR", "Success@1"] and len(baseline.judgments) == 24
    content = (project.path / "baseline.ragdash").read_bytes()
    good = project("good")
    assert good.ret == 0 and good.stdout.str().count("Gate passed") == 1 and "equivalent" in good.stdout.str()
    poor = project("poor", "-n", "2", "--junit-xml", "out.xml", "--ragdash-results", "results")
    assert poor.ret == 1 and poor.stdout.str().count("Gate failed") == 1
    poor.assert_outcomes(passed=24)
    result = json.loads((project.path / "results" / "dense.json").read_text())
    assert result["tier"] == "regression" and result["metrics"][0]["comparison"]["n"] == 24
    properties = {node.get("name"): node.get("value")
                  for node in ElementTree.parse(project.path / "out.xml").iter("property")}
    assert properties == {"ragdash.dense.tier": "regression", "ragdash.dense.RR": "0.5",
                          "ragdash.dense.RR.difference": "-0.5", "ragdash.dense.Success@1": "0",
                          "ragdash.dense.Success@1.difference": "-1"}
    assert (project.path / "baseline.ragdash").read_bytes() == content
    deselected = project("poor", "-k", "1", "-n", "1")  # counted in the worker
    assert deselected.ret == 0 and "tests were deselected" in deselected.stdout.str()
    assert project("poor", "--ragdash-no-gate").ret == 0


@pytest.mark.slow
def test_workers_pin_the_same_baseline_together(project):
    path = project.path / "baseline.ragdash"
    assert project("mixed", "--ragdash-pin", repeats=2).ret == 0
    alone = read_baseline(path)
    path.unlink()
    pinned = project("mixed", "--ragdash-pin", "-n", "2", repeats=2)
    pinned.assert_outcomes(passed=48)
    assert pinned.ret == 0 and pinned.stdout.str().count("dense: pinned in") == 1
    together = read_baseline(path)
    assert together.run == alone.run and together.run["repeats"] == 2 and together.judgments == alone.judgments
    assert together.evaluation.query_ids.equals(alone.evaluation.query_ids)
    assert (together.evaluation.values == alone.evaluation.values).all()
    assert project("mixed", repeats=2).ret == 0
    content = path.read_bytes()
    failed = project("poor", "--ragdash-pin", "-n", "2", test=TEST + "\n\ndef test_fails():\n    assert False\n")
    assert failed.ret == 1 and "not pinned, because tests failed" in failed.stdout.str()
    assert path.read_bytes() == content


def test_repeats_are_averaged_and_the_session_has_one_verdict(project):
    done = project("mixed", "--ragdash-pin", repeats=2)
    done.assert_outcomes(passed=48)
    baseline = read_baseline(project.path / "baseline.ragdash")
    assert baseline.run["repeats"] == 2 and baseline.evaluation.column("Success@1").tolist().count(0) == 3
    again = project("mixed", repeats=2)
    assert again.ret == 0 and "Mean of 2 repeats per query" in again.stdout.str()


@pytest.mark.parametrize("repeats", ["10**400", "1001"])
def test_more_repeats_than_a_session_can_hold_are_a_problem_of_the_group(project, repeats):
    done = project("mixed", repeats=repeats)
    assert done.ret == pytest.ExitCode.USAGE_ERROR and "expected a whole number from 1 to 1,000" in done.stdout.str()


TWO_GROUPS = """
import pytest

@pytest.mark.ragdash(group="first", baseline="b.ragdash", metrics="RR")
def test_first(log_retrieval):
    log_retrieval("q", ["a"], relevant=["a"])

@pytest.mark.ragdash(group="second", baseline="./b.ragdash", metrics="RR")
def test_second(log_retrieval):
    log_retrieval("q", ["x", "a"], relevant=["a"])
"""


def test_two_groups_are_not_pinned_in_one_file(project):
    done = project("good", "--ragdash-pin", test=TWO_GROUPS)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "second: no verdict." in done.stdout.str() and "the baseline of 'first' in the file" in done.stdout.str()
    assert read_baseline(project.path / "b.ragdash").evaluation.column("RR").tolist() == [1.0]


def test_a_baseline_that_is_no_path_is_a_problem_of_its_group(project):
    test = TEST.replace('baseline="baseline.ragdash"', 'baseline="b\\0"')
    for option in ("--ragdash-pin", "-q"):
        done = project("good", option, test=test)
        assert done.ret == pytest.ExitCode.USAGE_ERROR and "dense: no verdict." in done.stdout.str()
        assert "INTERNALERROR" not in done.stdout.str()


def test_pinning_without_verdicts_is_refused(project):
    done = project("good", "--ragdash-pin", "--ragdash-no-gate")
    assert done.ret == pytest.ExitCode.USAGE_ERROR and not list(project.path.glob("*.ragdash"))


LATE = """
import pytest

loggers = []

@pytest.fixture
def at_the_end(log_retrieval):
    yield
    log_retrieval("q", ["a"], relevant=["a"])

@pytest.mark.ragdash(group="late", metrics="RR")
def test_first(at_the_end, log_retrieval):
    loggers.append(log_retrieval)

def test_second():
    loggers[0]("other", ["a"], relevant=["a"])
"""


def test_a_query_is_logged_until_its_test_has_ended(project):
    done = project("good", test=LATE)
    done.assert_outcomes(passed=1, failed=1)
    assert "is logged after its test has ended" in done.stdout.str() and "n = 1" in done.stdout.str()


MISTAKES = """
import pytest

def test_without_marker(log_retrieval):
    log_retrieval("q", ["a"])

@pytest.mark.ragdash("twice", baseline="b.ragdash", margn=1)
def test_first(log_retrieval):
    log_retrieval("q", {"a": 1.0}, relevant=["a"])

@pytest.mark.ragdash("twice", baseline="c.ragdash")
def test_second(log_retrieval):
    log_retrieval("q", ["a"], relevant=["a"])

@pytest.mark.ragdash("no judgments")
def test_third(log_retrieval):
    log_retrieval("q", ["a"])

@pytest.mark.ragdash("means only", metrics="RR", repeats=None)
def test_fourth(log_retrieval):
    log_retrieval("q", ["x", "a"], relevant=["a"])
"""


ODD_OPTIONS = """
import pytest

ODD = {"repeats": "two", "margin": "x", "metrics": 5, "fail_on": "x", "accept": "few-queries", "max_age": "x",
       "baseline": 5, "truth": 5}

def odd(name):
    @pytest.mark.ragdash(**{"group": name, "metrics": "RR", name: ODD[name]})
    def test(log_retrieval):
        log_retrieval("q", ["a"], relevant=["a"])
    return test

for name in ODD:
    globals()[f"test_{name}"] = odd(name)

@pytest.mark.ragdash("kind", metrics="RR", accept=["nonsense"])
def test_kind(log_retrieval):
    log_retrieval("q", ["a"], relevant=["a"])

@pytest.mark.ragdash("red\\x1b[31m", metrics="RR")
def test_name(log_retrieval):
    log_retrieval("q", ["a"], relevant=["a"])
"""
ODD_VALUES = """
import pytest

@pytest.mark.ragdash("odd")
@pytest.mark.parametrize("values", [
    {"documents": None}, {"documents": 5}, {"documents": {"a", "b"}}, {"documents": [b"a"]},
    {"documents": {"a": float("nan")}}, {"documents": [{"doc_id": "a", "text": "\\ud800"}]},
    {"documents": ["a"], "relevant": {"a": float("nan")}}, {"documents": ["a"], "relevant": 5},
    {"documents": ["a"], "other": object()}])
def test_odd(log_retrieval, values):
    log_retrieval("q", **values)
"""
SAME_FILE = """
import pytest

def test_pair(group, baseline):
    @pytest.mark.ragdash(group, baseline=baseline, metrics="RR")
    @pytest.mark.parametrize("number", range(8))
    def test(log_retrieval, number):
        log_retrieval(f"q{number}", ["a"], relevant=["a"])
    return test

test_first, test_second = test_pair("a/b", "first.ragdash"), test_pair("a_b", "second.ragdash")
del test_pair
"""


NOTHING = """
import pytest

@pytest.mark.ragdash("empty", baseline="b.ragdash")
@pytest.mark.parametrize("number", [])
def test_empty(number, log_retrieval):
    log_retrieval(f"q{number}", ["a"], relevant=["a"])

@pytest.mark.ragdash("silent", baseline="b.ragdash")
def test_silent():
    pass

@pytest.mark.ragdash("skipped", baseline="b.ragdash")
def test_skipped():
    pytest.skip("no index here")

@pytest.mark.ragdash("blank", baseline="")
def test_blank(log_retrieval):
    log_retrieval("q", ["a"], relevant=["a"])
"""
REPEAT_FIELD = """
import pytest

@pytest.mark.ragdash("g", baseline="new/folder/b.ragdash", metrics="RR")
@pytest.mark.parametrize("number", range(8))
def test_field(number, log_retrieval):
    with pytest.raises(ValueError, match="a field 'repeat' of the query"):
        log_retrieval(f"q{number}", ["x"], relevant=["a"], repeat=number)
    log_retrieval(f"q{number}", ["a"], relevant=["a"])
"""


RUN_AGAIN = """
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    for attempt in (1, 2):
        item._initrequest()
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if attempt == 1 and report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
TRIED_TWICE = """
import pytest

attempts = []

@pytest.mark.ragdash("g", metrics="RR")
def test_again(log_retrieval, log_answer):
    attempts.append(1)
    if len(attempts) == 1:
        log_retrieval("of the first attempt", ["x"], relevant=["a"])
        log_retrieval("q", ["x"], relevant=["a"], answer="of the first attempt")
        raise ConnectionError("try again")
    log_retrieval("q", ["a"], relevant=["a"])
"""


def test_a_test_that_runs_again_has_the_rows_of_its_last_run_alone(project):
    (project.path / "conftest.py").write_text(RUN_AGAIN)
    out = project("good", test=TRIED_TWICE).stdout.str()
    assert "MRR 1.000, n = 1" in out, out


@pytest.mark.parametrize("arguments", [(), ("--ragdash-pin",), ("-n", "1")])
def test_a_group_that_logged_nothing_and_an_empty_baseline_are_no_success(project, arguments):
    """As where the file with the questions is empty, or the variable with the baseline's name is not set."""
    done = project("good", *arguments, test=NOTHING)
    out = done.stdout.str()
    done.assert_outcomes(passed=2, skipped=2)
    assert done.ret == 4
    for words in ("found nothing that the tests of the group 'empty' logged", "tests of the group 'silent' logged",
                  "skipped: no verdict, its tests were skipped", "found an empty baseline in a ragdash marker"):
        assert words in out, out
    skipped = project("good", *arguments, "test_search.py::test_skipped", test=NOTHING)
    assert skipped.ret == 0


def test_a_baseline_is_pinned_into_a_new_folder_and_the_repeat_is_that_of_the_marker(project):
    done = project("good", "--ragdash-pin", test=REPEAT_FIELD)
    assert done.ret == 0 and (project.path / "new/folder/b.ragdash").exists()
    assert "b.ragdash, 8 queries" in done.stdout.str(), "a baseline of a part of the tests is seen to be one"
    assert project("good", test=REPEAT_FIELD).ret == 0
    (project.path / "file").write_text("")
    done = project("good", "--ragdash-pin", test=REPEAT_FIELD.replace("new/folder", "file/folder"))
    assert done.ret == 4 and "INTERNALERROR" not in done.stdout.str() + done.stderr.str()


def test_odd_values_of_a_marker_are_named_also_without_a_baseline(project):
    mistakes = project("good", test=ODD_OPTIONS)
    output = mistakes.stdout.str()
    assert mistakes.ret == 4 and "INTERNALERROR" not in output + mistakes.stderr.str()
    for name in ("repeats", "margin", "metrics", "fail_on", "accept", "max_age", "baseline", "truth", "kind"):
        assert f"\n{name}: no verdict. " in output, name
    assert "red\\x1b[31m: no baseline" in output and "\x1b[31m: no baseline" not in output


def test_odd_values_are_refused_where_they_are_logged(project):
    mistakes = project("good", test=ODD_VALUES)
    mistakes.assert_outcomes(failed=9)
    errors = [line for line in mistakes.stdout.str().splitlines() if line.startswith("FAILED")]
    assert len(errors) == 9 and all("InputError" in line for line in errors), errors


ANSWERS_ALONE = """
import pytest

@pytest.mark.ragdash("g", metrics="NumberMatch EM")
@pytest.mark.parametrize("number", range(4))
def test_answer(log_answer, number):
    log_answer(f"q{number}", f"It is {number}.25 km.", references=["3.25", "2.25"])
"""
LOGGED_TWICE = """
import pytest

@pytest.mark.ragdash("g", metrics="RR")
def test_same(log_retrieval):
    log_retrieval("q0", ["a"], relevant=["a"])
    log_retrieval("q0", ["a"], relevant=["a"])

@pytest.mark.ragdash("g", metrics="RR")
def test_other(log_retrieval):
    log_retrieval("q1", ["c", "b"], relevant=["c"])
    log_retrieval("q1", ["x", "b"], relevant=["b"])
"""


def test_answers_alone_are_measured_against_their_references(project):
    out = project("good", test=ANSWERS_ALONE).stdout.str()
    assert "Numbers of a reference 0.500" in out and "n = 4" in out and "no verdict" not in out, out
    assert "Exact match 0.000" in out, out


@pytest.mark.parametrize("log", ["log_answer(f'q{number}', f'It is {number}.25 km.',",
                                 "log_retrieval(f'q{number}', ['d'], answer=f'It is {number}.25 km.',"])
def test_references_that_are_no_texts_are_an_error_of_their_test_alone(project, log):
    test = ANSWERS_ALONE.replace('log_answer(f"q{number}", f"It is {number}.25 km.",', log).replace(
        '["3.25", "2.25"]', "number or '0.25'").replace("(log_answer", "(log_retrieval, log_answer")
    done = project("good", test=test)
    done.assert_outcomes(passed=1, failed=3)
    assert "expected a text or a list of texts" in done.stdout.str() and "n = 1" in done.stdout.str()


def test_a_query_that_is_logged_twice_with_other_documents_is_an_error(project):
    done = project("good", test=LOGGED_TWICE)
    done.assert_outcomes(passed=1, failed=1)
    assert "found the query 'q1' logged again with another value of documents" in done.stdout.str()


def test_a_baseline_is_not_pinned_in_a_device(project):
    done = project("good", "--ragdash-pin", test=TEST.replace("baseline.ragdash", "/dev/null"))
    assert done.ret == pytest.ExitCode.USAGE_ERROR and "dense: no verdict. /dev/null: " in done.stdout.str()


def test_a_baseline_is_not_pinned_in_a_circle_of_links(project):
    (project.path / "circle.ragdash").symlink_to("circle.ragdash")
    done = project("good", "--ragdash-pin", test=TEST.replace("baseline.ragdash", "circle.ragdash"))
    assert done.ret == pytest.ExitCode.USAGE_ERROR and "dense: no verdict. " in done.stdout.str()
    assert "circle.ragdash: " in done.stdout.str() and "Traceback" not in done.stdout.str() + done.stderr.str()


def test_a_name_with_control_characters_makes_no_broken_junit_file(project):
    test = REPEAT_FIELD.replace('"g"', r'"red\x1b[31m\x00 <b>&"')
    assert project("good", "--ragdash-pin", test=test).ret == 0
    assert project("good", "--junit-xml=suite.xml", test=test).ret == 0
    names = [item.get("name") for item in ElementTree.parse(project.path / "suite.xml").iter("property")]
    assert names and all(name.startswith(r"ragdash.red\x1b[31m\x00 <b>&.") for name in names), names


def test_two_groups_never_write_one_result_file(project):
    assert project("good", "--ragdash-pin", test=SAME_FILE).ret == 0
    both = project("good", "--ragdash-results", "results", test=SAME_FILE)
    assert both.ret == 4 and "Rename one of the groups" in both.stdout.str()
    (project.path / "file").write_text("")
    assert project("good", "--ragdash-results", "file/results", test=SAME_FILE).ret == 4


def test_mistakes_are_named_and_means_need_no_baseline(project):
    done = project("good", test=MISTAKES)
    out = done.stdout.str()
    done.assert_outcomes(passed=4, failed=1)
    for words in ("need @pytest.mark.ragdash", "'margn' in a ragdash marker", "baseline = c.ragdash", "logged again",
                  "no judgments for the group 'no judgments'", "MRR 0.500"):
        assert words in out, words
    assert "nan" not in out  # one query has no interval
    assert done.ret == 1
