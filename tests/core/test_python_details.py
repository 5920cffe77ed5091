"""What Python programs hold besides ids: each field is of its kind, or a problem; nothing is taken apart or bent."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import problems_of

import ragdash
from ragdash import InputError, Run, Truth, evaluate, read_run, read_truth

HUGE = 10 ** 400
HALF = "\ud800"


def kinds(make) -> list[str]:
    return [problem.message for problem in problems_of(make)]


def record(**fields: object) -> Run:
    return Run.from_records([{"query_id": "q", "documents": ["d"], **fields}])


def judged(**fields: object) -> Truth:
    return Truth.from_records([{"query_id": "q", "relevant": ["d"], **fields}])


@pytest.mark.parametrize(("name", "value"), [
    ("answer", 5), ("answer", HALF), ("query", 5), ("contexts", 5), ("contexts", ["a", 5]), ("latency_ms", "x"),
    ("latency_ms", -5), ("latency_ms", float("inf")), ("latency_ms", HUGE), ("latency_ms", {"retrieval": -1}),
    ("latency_ms", {"retreival": 1}), ("usage", 5), ("usage", {"prompt_tokens": 1.5}), ("cost_usd", float("inf")),
    ("cost_usd", -1), ("attributes", 5), ("prompt_tokens", True), ("chat_history", "hello"), ("own", HALF)])
def test_a_field_of_a_run_of_another_kind_is_a_problem(name, value):
    assert kinds(lambda: record(**{name: value})) == ["python-object/field"]


@pytest.mark.parametrize(("name", "value"), [
    ("answers", 5), ("answers", [5]), ("allowed", 5.5), ("allowed", [None]), ("subtopics", 5), ("attributes", 5),
    ("subtopics", [{"subtopic": "a", "doc_id": "d", "grade": "x"}]), ("evidence", 5), ("evidence", [{"source": "d"}])])
def test_a_field_of_a_truth_of_another_kind_is_a_problem(name, value):
    assert kinds(lambda: judged(**{name: value})) == ["python-object/field"]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT], ids=repr)
def test_missing_values_are_no_values(missing):
    run = record(answer=missing, latency_ms=missing, contexts=missing, own=missing)
    assert run.details.to_pylist() == [{"answer": None, "latency_ms": None, "contexts": None, "own": None}]


def test_fields_are_those_that_a_file_has():
    run = {"answer": "A", "contexts": ["x", "y"], "latency_ms": {"retrieval": 1.5, "total": 4.0}, "cost_usd": 0.5,
           "usage": {"prompt_tokens": 7, "completion_tokens": 2}, "attributes": {"b": 1, "a": [2]}}
    truth = {"answers": ["A", "B"], "evidence": [{"text": "t", "source": "d"}, "u"], "allowed": ["d", "e"],
             "subtopics": [{"subtopic": "s", "doc_id": "d", "grade": 1}]}
    ours = Run.from_records([{"query_id": "q", "documents": ["d"], **run}]).details.to_pylist()[0]
    line = json.dumps({"query_id": "q", "retrieved": ["d"], **run}).encode()
    assert ours == read_run(("r.jsonl", line)).details.to_pylist()[0]
    line = json.dumps({"query_id": "q", "relevant": ["d"], **truth}).encode()
    assert judged(**truth).details.to_pylist()[0] == read_truth(("t.jsonl", line)).details.to_pylist()[0]


def test_one_text_is_a_list_of_one_and_is_never_taken_apart():
    assert record(contexts="abc").details.to_pylist() == [{"contexts": ["abc"]}]
    truth = judged(allowed="d12", answers=("x", "y"), evidence="t")
    assert truth.details.to_pylist() == [{"allowed": ["d12"], "answers": ["x", "y"],
                                          "evidence": [{"text": "t", "source": None}]}]
    run = Run.from_dict({"q": ["d12", "e"]})
    assert evaluate(run, truth, "Leak@5").column("Leak@5").tolist() == [1.0], "e is not allowed, d12 is"
    assert judged(allowed=np.array([1, 2])).details.to_pylist() == [{"allowed": ["1", "2"]}]


@pytest.mark.parametrize("documents", ["d12", b"d", {"a": 1.0}, {"a"}, None, 5], ids=repr)
def test_documents_are_a_list_with_an_order(documents):
    assert kinds(lambda: Run.from_records([{"query_id": "q", "documents": documents}])) == ["python-object/documents"]


@pytest.mark.parametrize("grade", [2 ** 63 - 1, 1e300, float("inf"), float("nan"), 0.5, -(2 ** 40)])
def test_a_grade_of_a_frame_is_one_that_a_file_may_have(grade):
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "e"], "grade": pd.Series([1, grade], dtype=object)})
    frame["grade"] = frame["grade"].astype(np.int64 if isinstance(grade, int) else float)
    with pytest.raises(InputError) as caught:
        Truth.from_frame(frame)
    (problem,) = caught.value.problems
    assert (problem.message, problem.facts["row"]) == ("python-object/grade-column", 1)


@pytest.mark.parametrize("grades", [[pd.NaT], ["x"], [1j], [[1]], [pd.Interval(0, 1)]], ids=repr)
def test_a_column_of_grades_that_are_no_numbers_is_a_problem(grades):
    found = kinds(lambda: Truth.from_frame(pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "grade": grades})))
    assert found in (["python-object/number-column"], ["python-object/columns"], ["python-object/grade-column"])


@pytest.mark.parametrize("frame", [
    pd.DataFrame([["q", "d", "e"]], columns=["query_id", "doc_id", "doc_id"]),
    pa.table([["q"], ["d"], ["e"]], names=["query_id", "doc_id", "doc_id"]),
    pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1j]}),
    {"query_id": ["q", "r"], "doc_id": ["d"]},
    pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": pd.arrays.SparseArray([1.0])}),
], ids=["names", "arrow names", "complex", "lengths", "sparse"])
def test_a_frame_that_is_no_table_is_a_problem(frame):
    assert kinds(lambda: Run.from_frame(frame)) == ["python-object/columns"]


class Letters(Enum):
    A = "a"


FRAME = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"]})


@pytest.mark.parametrize("frame", [
    {"dense": FRAME}, {"query_id": FRAME["query_id"], "doc_id": FRAME[["doc_id"]]},
    {"query_id": ["q1"], "doc_id": FRAME.groupby("doc_id")}, {"query_id": ["q1"], "doc_id": Letters}])
def test_a_column_that_is_no_list_is_named(frame):
    for kind in (Run, Truth):
        with pytest.raises(InputError, match=f"its column {list(frame)[-1]} is of type .*, no list"):
            kind.from_frame(frame)


def test_a_series_is_no_frame_and_lists_are_no_scores():
    assert kinds(lambda: Run.from_frame(pd.Series(["q"]))) == ["python-object/frame"]
    lists = {"query_id": ["q"], "doc_id": ["d"], "score": [[1.0]]}
    assert kinds(lambda: Run.from_frame(lists)) == ["python-object/number-column"]


@pytest.mark.parametrize(("make", "expected"), [
    (lambda: Run.from_dict({"q": {"d": HUGE}}), "python-object/number"),
    (lambda: Truth.from_dict({"q": {"d": HUGE}}), "python-object/grade"),
    (lambda: Truth.from_dict({"q": {"d": 2 ** 40}}), "python-object/grade"),
    (lambda: Truth.from_dict({"q": [["d", 1]]}), "python-object/id"),
    (lambda: Truth.from_dict({"q": [np.array(1.0)]}), "python-object/id"),
    (lambda: Truth.from_dict({"q": b"d"}), "python-object/judgments"),
    (lambda: Run.from_dict({"q": [HALF]}), "python-object/id"),
    (lambda: ragdash.parse_specs(5), "python-object/metric"),
    (lambda: ragdash.parse_specs(["RR", None]), "python-object/metric"),
    (lambda: ragdash.parse_specs(b"RR"), "python-object/metric"),
    (lambda: Run.from_records([{"query_id": "q", "documents": [{"doc_id": "d", "text": 5}]}]), "python-object/field"),
    (lambda: Run.from_records([{"query_id": "q", "documents": [{"doc_id": "d", "score": "x"}]}]),
     "python-object/number"),
])
def test_odd_values_are_problems_of_their_own(make, expected):
    assert kinds(make) == [expected]


def test_a_spec_and_a_whole_number_are_taken():
    assert ragdash.parse_specs(ragdash.parse_specs("RR")[0]) == ragdash.parse_specs("RR")
    assert Run.from_dict({5: ["d"]}).ranking(5).column("doc_id").to_pylist() == ["d"]


def test_dicts_are_fused_like_runs():
    fused = ragdash.fuse({"one": {"q": ["a", "b"]}, "two": {"q": ["b", "c"]}})
    assert fused.ranking("q").column("doc_id").to_pylist() == ["b", "a", "c"]
    assert fused.settings["fusion"]["runs"] == ["one", "two"]
    assert ragdash.fuse([{"q": ["a", "b"]}, {"q": ["b", "c"]}]).ranking("q").num_rows == 3


def test_the_name_of_a_field_has_whole_characters():
    assert kinds(lambda: record(**{HALF: 1})) == ["python-object/detail"]
    assert kinds(lambda: judged(**{HALF: 1})) == ["python-object/detail"]


@pytest.mark.parametrize("subtopics", [[], None])
def test_subtopics_of_no_query_name_no_document(subtopics):
    assert judged(subtopics=subtopics, allowed=["d2"]).other_docs.to_pylist() == ["d2"]


@pytest.mark.parametrize("missing", [pd.NaT, pd.NA])
def test_a_missing_date_inside_lists_and_objects_is_no_value(missing):
    documents = [{"doc_id": "d1", "published": missing}]
    frame = pd.DataFrame({"query_id": ["q1"], "documents": [documents], "relevant": [["d1"]], "seen": [[missing]]})
    truth = Truth.from_records(frame.to_dict("records"))
    assert truth.details.column("documents").to_pylist() == [[{"doc_id": "d1", "published": None}]]
    assert truth.details.column("seen").to_pylist() == [[None]]
    run = Run.from_records([{"query_id": "q1", "documents": ["d1"], "meta": {"date": missing},
                             "attributes": {"date": missing, "tags": [missing]}}])
    assert run.details.column("meta").to_pylist() == [{"date": None}]
    assert json.loads(run.details.column("attributes")[0].as_py()) == {"date": None, "tags": [None]}


@pytest.mark.parametrize("unit", ["ns", "ms", "D"])
@pytest.mark.parametrize("field", [
    {"latency_ms": 1}, {"latency_ms": {"retrieval": 1}}, {"cost_usd": 1}, {"usage": {"prompt_tokens": 1}},
    {"documents": [{"doc_id": "d", "score": 1}]}, {"documents": [{"doc_id": 1}]}])
def test_a_duration_of_numpy_is_no_number(field, unit):
    """Python takes it for a whole number; what it is depends on its unit: 12 ms were 12,000,000 as nanoseconds."""
    def with_duration(value):
        if isinstance(value, dict):
            return {name: with_duration(item) for name, item in value.items()}
        if isinstance(value, list):
            return [with_duration(item) for item in value]
        return np.timedelta64(12, unit) if value == 1 else value

    (kind,) = kinds(lambda: record(**with_duration(field)))
    assert kind in ("python-object/field", "python-object/number", "python-object/id")


def test_a_time_beyond_the_calendar_in_utc_is_named():
    first = datetime.min.replace(tzinfo=timezone(timedelta(hours=1)))
    assert kinds(lambda: judged(asked=first)) == ["python-object/detail"]
    assert judged(asked=datetime.min.replace(tzinfo=UTC)).details["asked"].null_count == 0


def test_a_role_that_is_no_text_is_a_problem():
    assert kinds(lambda: record(chat_history=[{"role": pd.Series([1, 2]), "text": "x"}])) == ["python-object/field"]
