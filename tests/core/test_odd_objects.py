"""Objects of Python that are no run, file, name or number: a message each, and never another error."""

from __future__ import annotations

import pytest

import ragdash
from ragdash.core.errors import InputError
from ragdash.core.records import Run

TRUTH = {"q1": ["a"], "q2": ["b"]}
RUN = Run.from_dict({"q1": ["a"]}, "run")
LONG = "x" * 100_000


def message(call) -> str:
    with pytest.raises(InputError) as raised:
        call()
    return raised.value.problems[0].message


@pytest.mark.parametrize("source", [None, 3, 2.5, True, b"x", (), ("a",), ("a", None), ("a", 10 ** 12), [], object()])
def test_what_is_no_file_is_refused(source):
    assert message(lambda: ragdash.read_run(source)) == "python-object/file"
    assert message(lambda: ragdash.read_truth(source)) == "python-object/file"


def test_a_path_that_is_too_long_is_refused():
    for call in (ragdash.read_run, ragdash.read_truth, lambda path: ragdash.history(path, TRUTH, "RR"),
                 lambda path: ragdash.variants(path, TRUTH, "RR")):
        assert message(lambda call=call: call(LONG)) == "unreadable-file"


@pytest.mark.parametrize("name", [3, None, b"x", float("nan"), ("a",)])
def test_a_name_of_a_run_is_a_text(name):
    for call in (lambda: Run.from_dict({"q1": ["a"]}, name), lambda: RUN.renamed(name)):
        assert message(call) == "python-object/name"


def test_half_of_a_character_is_refused_as_a_name_and_shown_in_a_title(tmp_path):
    assert message(lambda: RUN.renamed("a\ud800")) == "unwritable-text"
    written = ragdash.evaluate(RUN, TRUTH, "RR").report(tmp_path / "report.html", title="a\ud800")
    assert "a\\ud800" in written.read_text(encoding="utf-8")


@pytest.mark.parametrize("family", [float("nan"), float("inf"), -1, 0, "3", True, 2.5])
def test_a_family_is_a_whole_number(family):
    assert message(lambda: ragdash.history([RUN], TRUTH, "RR", family=family)) == "python-object/family"


def test_nothing_to_show_is_refused():
    for runs in ({}, []):
        assert message(lambda runs=runs: ragdash.variants(runs, TRUTH, "RR")) == "history/no-runs"


@pytest.mark.parametrize("method", [[], {}, {1}, 5, None])
def test_a_method_is_a_name(method):
    assert message(lambda: ragdash.fuse([RUN, RUN], method=method)) == "fusion-method"


@pytest.mark.parametrize("truth", [None, 3, "", object()])
def test_the_map_of_no_truth_is_refused(truth):
    with pytest.raises(InputError):
        ragdash.query_map(truth)
