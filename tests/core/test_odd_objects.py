"""Objects of Python that are no run, file, name or number: a message each, and never another error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers import message_of

import ragdash
from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.workspace import Workspace

TRUTH = {"q1": ["a"], "q2": ["b"]}
RUN = Run.from_dict({"q1": ["a"]}, "run")
LONG = "x" * 100_000


@pytest.mark.parametrize("source", [None, 3, 2.5, True, b"x", (), ("a",), ("a", None), ("a", 10 ** 12), [], object()])
def test_what_is_no_file_is_refused(source):
    assert message_of(lambda: ragdash.read_run(source)) == "python-object/file"
    assert message_of(lambda: ragdash.read_truth(source)) == "python-object/file"


def test_an_empty_path_is_not_the_folder_at_hand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (ragdash.read_run, ragdash.read_truth, lambda path: ragdash.history([path], TRUTH, "RR")):
        assert message_of(lambda call=call: call("")) == "empty-path"


def test_a_path_that_is_too_long_is_refused():
    for call in (ragdash.read_run, ragdash.read_truth, lambda path: ragdash.history(path, TRUTH, "RR"),
                 lambda path: ragdash.variants(path, TRUTH, "RR")):
        assert message_of(lambda call=call: call(LONG)) == "unreadable-file"


@pytest.mark.parametrize("name", [3, None, b"x", float("nan"), ("a",)])
def test_a_name_of_a_run_is_a_text(name):
    for call in (lambda: Run.from_dict({"q1": ["a"]}, name), lambda: RUN.renamed(name)):
        assert message_of(call) == "python-object/name"


def test_half_of_a_character_is_refused_as_a_name_and_shown_in_a_title(tmp_path):
    assert message_of(lambda: RUN.renamed("a\ud800")) == "unwritable-text"
    written = ragdash.evaluate(RUN, TRUTH, "RR").report(tmp_path / "report.html", title="a\ud800")
    assert "a\\ud800" in written.read_text(encoding="utf-8")


@pytest.mark.parametrize("family", [float("nan"), float("inf"), -1, 0, "3", True, 2.5])
def test_a_family_is_a_whole_number(family):
    assert message_of(lambda: ragdash.history([RUN], TRUTH, "RR", family=family)) == "python-object/family"


def test_nothing_to_show_is_refused():
    for runs in ({}, []):
        assert message_of(lambda runs=runs: ragdash.variants(runs, TRUTH, "RR")) == "history/no-runs"


@pytest.mark.parametrize("method", [[], {}, {1}, 5, None])
def test_a_method_is_a_name(method):
    assert message_of(lambda: ragdash.fuse([RUN, RUN], method=method)) == "fusion-method"


@pytest.mark.parametrize("truth", [None, 3, "", object()])
def test_the_map_of_no_truth_is_refused(truth):
    with pytest.raises(InputError):
        ragdash.query_map(truth)


NO_LIST = [None, 3, 2.5, object(), np.array(3)]


@pytest.mark.parametrize("value", NO_LIST)
def test_what_has_no_items_is_no_list_of_runs_points_questions_or_tags(value, tmp_path):
    def ask(question):
        return ["a"]

    assert message_of(lambda: ragdash.fuse(value)) == "python-object/runs"
    assert message_of(lambda: ragdash.record_retriever(ask, value, folder=tmp_path)) == "recording/question"
    assert message_of(
        lambda: ragdash.sweep(lambda settings: ask, value, {"q": "Who?"}, folder=tmp_path)) == "sweep/values"
    if value is not None:
        assert message_of(lambda: ragdash.record("run", tags=value, folder=tmp_path)) == "recording/tags"
        assert message_of(lambda: ragdash.record("run", settings=value, folder=tmp_path)) == "recording/settings"
    with ragdash.record("run", folder=tmp_path) as run:
        run.add("q1", ["a"])
        if value is not None:
            assert message_of(lambda: run.add("q2", value)) == "recording/documents"


@pytest.mark.parametrize("value", [0, -1, 1.5, "2", True, None, float("nan")])
def test_a_number_of_repeats_or_calls_is_a_whole_number(value, tmp_path):
    for name in ("repeats", "concurrency"):
        assert message_of(lambda name=name: ragdash.record_retriever(
            lambda question: ["a"], {"q": "Who?"}, folder=tmp_path, **{name: value})) == "python-object/whole"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [5, None, "", b"report.html", 2.5, [], "a\0b"])
def test_a_report_is_written_to_a_path(path):
    assert message_of(lambda: ragdash.evaluate(RUN, TRUTH, "RR").report(path)) == "python-object/path"


def test_a_report_that_cannot_be_written_is_one_message(tmp_path):
    evaluation = ragdash.evaluate(RUN, TRUTH, "RR")
    for path in (tmp_path, tmp_path / "none" / "report.html", tmp_path / ("x" * 300)):
        assert message_of(lambda path=path: evaluation.report(path)) == "unwritable-file"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [5, None, "run", {}, Run.from_dict({"q1": ["a"]})])
def test_pictures_and_reports_take_evaluations(value, tmp_path):
    evaluation = ragdash.evaluate(RUN, TRUTH, "RR")
    assert message_of(lambda: evaluation.plot(value)) == "python-object/evaluation"
    assert message_of(lambda: evaluation.report(tmp_path / "r.html", value)) == "python-object/evaluation"


@pytest.mark.parametrize("path", [None, 5, "", b"x"])
def test_a_workspace_is_a_folder(path, tmp_path):
    assert message_of(lambda: Workspace(path)) == "python-object/path"
    (tmp_path / "file").write_text("x")
    assert message_of(lambda: Workspace(tmp_path / "file").runs()) == "unusable-workspace"
    assert Workspace(tmp_path / "new").runs() == ()




@pytest.mark.parametrize("columns", [3, "qid", [], ["qid"], 0, False])
def test_names_of_columns_are_a_dict(columns):
    frame = {"query_id": ["q1"], "doc_id": ["a"]}
    for build in (Run.from_frame, ragdash.Truth.from_frame):
        assert message_of(lambda build=build: build(frame, columns=columns)) == "python-object/column-names"


@pytest.mark.parametrize("value", [np.array([1, 2]), np.array([]), np.array("docid"), pd.NA, ["docid"], None])
def test_a_convention_is_a_name(value):
    assert message_of(lambda: ragdash.Conventions(ties=value)) == "unknown-convention"
    assert message_of(lambda: ragdash.evaluate(RUN, TRUTH, "RR", ties=value)) == "unknown-convention"


def test_an_array_without_dimensions_is_no_list_of_metrics():
    assert message_of(lambda: ragdash.parse_specs(np.array(3))) == "python-object/metric"
    assert ragdash.parse_specs(np.array(["RR"])) == ragdash.parse_specs("RR")


@pytest.mark.parametrize(("labels", "kind"), [
    (3, "python-object/mapping"), ([1.0], "python-object/mapping"), ("abc", "python-object/mapping"),
    ({"q1": "right"}, "python-object/label"), ({"q1": None}, "python-object/label"),
    ({"q1": [1]}, "python-object/label"),
    ({"q1": float("nan")}, "label-range"), ({"q1": np.float32("nan")}, "label-range"), ({"q1": 2}, "label-range"),
    ({1.0: 1}, "python-object/id")])
def test_a_label_is_a_number_from_0_to_1_of_a_query(labels, kind):
    evaluation = ragdash.evaluate(RUN, TRUTH, "RR")
    assert message_of(lambda: ragdash.validate_judge(evaluation, labels)) == kind


def test_labels_take_whole_numbers_as_ids_and_yes_and_no_as_labels():
    evaluation = ragdash.evaluate({1: ["a"], 2: ["b"]}, {1: ["a"], 2: ["a"]}, "RR")
    assert ragdash.validate_judge(evaluation, {1: True, 2: np.bool_(False)}).labels.mean == 0.5


@pytest.mark.parametrize("name", [None, 3, [], {}, b"x", np.array(["a"])])
def test_what_is_no_name_of_a_slice_is_refused(name):
    assert message_of(lambda: ragdash.compare(RUN, {"b": RUN}, "RR", truth=TRUTH).by_slice(name)) == "unknown-slices"


@pytest.mark.parametrize("margin", [float("nan"), float("inf"), -0.1, "0.02", None, 10 ** 400])
def test_a_margin_that_nothing_can_miss_is_refused(margin):
    table = ragdash.compare(RUN, {"b": RUN}, "RR", truth=TRUTH)
    for check in (table.assert_no_regression, table.assert_improved):
        assert message_of(lambda check=check: check(margin=margin)) == "bound/negative"


def nested(kind: type, levels: int = 50_000):
    value = kind()
    for _ in range(levels):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("call", [
    lambda deep: Run.from_frame({"query_id": deep}),
    lambda deep: Run.from_frame({"query_id": ["q1"], "doc_id": [deep]}),
    lambda deep: ragdash.Truth.from_frame({"q1": deep}),
    lambda deep: Run.from_records([{"query_id": "q1", "documents": ["a"], "settings": deep}]),
    lambda deep: ragdash.evaluate({"q1": deep}, TRUTH),
    lambda deep: ragdash.evaluate(RUN, TRUTH, match_how=deep),
    lambda deep: ragdash.Conventions(ties=deep),
    lambda deep: ragdash.fuse([RUN, RUN], deep),
])
@pytest.mark.parametrize("kind", [list, dict])
def test_lists_within_lists_without_end_are_refused(call, kind):
    with pytest.raises(InputError) as raised:
        call(nested(kind))
    assert len(str(raised.value)) < 1_000


def test_a_list_that_holds_itself_twice_is_deep():
    ring = []
    ring += [ring, ring]
    with pytest.raises(InputError):
        Run.from_frame({"query_id": ring})
