"""The fields of a recorded query: what could not be read back, or would be lost, is refused with the field's name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import ragdash
from ragdash.core.errors import InputError

UNREADABLE = [
    *(("attributes", value, "recording/mapping") for value in (5, 0, "x", "", [1], [], True, [None], [[1]])),
    *(("usage", value, "recording/mapping") for value in (5, "x", True, [1])),
    ("usage", {"prompt_tokens": {"a": 1}}, "recording/number"),
    *(("cost_usd", value, "recording/number") for value in ({"a": 1}, {"a": None}, {"": 1}, {}, [1], True)),
    *(("contexts", value, "recording/contexts") for value in (
        5, True, float("nan"), 10 ** 30, "Ada was here.", {"a": 1}, {"Ada"})),
    ("contexts", [5], "recording/text"),
    *((field, np.array(value), "recording/number") for field in ("cost_usd", "latency_ms") for value in ([], [1, 2])),
]


@pytest.mark.parametrize(("field", "value", "message"), UNREADABLE)
def test_a_value_that_could_not_be_read_back_is_refused_with_its_field(tmp_path, field, value, message):
    with ragdash.record("dense", folder=tmp_path) as run:
        run.add("q1", ["d1"])
        with pytest.raises(InputError) as error, run.query("q2") as q:
            q.documents = ["d1"]
            setattr(q, field, value)
        problem, = error.value.problems
        assert problem.message == message and problem.field.partition(".")[0] == field and "'q2'" in str(problem)
        with pytest.raises(InputError) as error:
            run.add_fields("q2", ["d1"], {field: value})
        assert error.value.problems == (problem,)
        run.add("q2", ["d1"])
    assert run.result().query_ids.to_pylist() == ["q1", "q2"]


@dataclass(slots=True)
class Usage:
    prompt_tokens: int
    output_tokens: int


@dataclass
class Labels:
    language: str


def test_objects_and_empty_values_are_kept(tmp_path):
    with ragdash.record("dense", folder=tmp_path) as run:
        with run.query("q1") as q:
            q.documents, q.contexts, q.usage, q.attributes = ["d1"], ("a", "b"), Usage(3, 0), Labels("en")
        with run.query("q2") as q:
            q.documents, q.contexts, q.usage, q.attributes, q.cost_usd = ["d1"], [], {}, {}, 0
    first, second = run.result().details.to_pylist()
    assert (first["contexts"], first["prompt_tokens"], first["completion_tokens"]) == (["a", "b"], 3, 0)
    assert first["attributes"] == '{"language":"en"}'
    assert (second["prompt_tokens"], second["attributes"], second["cost_usd"]) == (None, None, 0)


def test_a_value_that_no_field_of_a_query_takes_is_refused(tmp_path):
    with ragdash.record("dense", folder=tmp_path) as run:
        with pytest.raises(InputError) as error, run.query("q1") as q:
            q.nope = 1
        problem, = error.value.problems
        assert (problem.message, problem.field) == ("recording/field", "nope")
        assert "q.attributes['nope']" in str(problem)
        run.add("q1", ["d1"])
    assert run.result().query_ids.to_pylist() == ["q1"]


@pytest.mark.parametrize("name", [[], None, 5])
def test_the_name_of_a_stage_is_a_text(tmp_path, name):
    with ragdash.record("dense", folder=tmp_path) as run:
        with pytest.raises(InputError, match="for query"), run.query("q1") as q, q.stage(name):
            q.documents = ["d1"]
        run.add("q1", ["d1"])
    assert len(run.result().query_ids) == 1


def test_an_object_that_raises_when_its_attributes_are_read_is_a_value_like_any_other(tmp_path):
    class Proxy:
        def __getattr__(self, name):
            raise RuntimeError("outside of a request")

    with ragdash.record("dense", folder=tmp_path, settings={"user": Proxy()}) as run:
        with pytest.raises(InputError, match="q1"):
            run.add("q1", ["d1"], attributes={"user": Proxy()})
        run.add("q1", ["d1"])
    assert run.result().query_ids.to_pylist() == ["q1"] and run.result().settings["user"].endswith(".Proxy")
