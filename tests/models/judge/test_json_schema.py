"""Our checker of replies against the jsonschema library: on the same schemas it accepts the same values.

It differs on purpose where a judge's reply needs it, and each difference has a test below.
"""

import math

import pytest
from fixed_cases import with_cases
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from test_reading_replies import SCORE, VERDICTS

from ragdash.models.judge.json_schema import SchemaMismatch, fitted
from ragdash.models.judge.tasks.prompt_texts import object_of

LISTS = {"type": "object", "required": ["claims"], "properties": {
    "claims": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "minLength": 1}},
    "n": {"type": "integer", "minimum": 0, "maximum": 5}, "level": {"enum": ["low", "high", 1, True, None]},
    "more": {"type": ["object", "null"], "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}}}
NAMES = ("score", "reason", "n", "ok", "more", "verdicts", "id", "verdict", "claims", "level", "extra")
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 7, -1, 0.5, 1.0, 2.5, 1e300, "", "a", "yes", "no", "high", "1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12)
VERDICT = st.fixed_dictionaries(
    {"id": st.sampled_from(["1", "2", 3, None]), "verdict": st.sampled_from(["yes", "no", 1])})
CLAIMS = st.lists(st.sampled_from(["a", "b", "c", 3, ""]), max_size=4)
SCHEMAS = {  # name: schema, replies that nearly fit it
    "score": (SCORE, st.fixed_dictionaries(
        {"score": st.sampled_from([0, 0.5, 1, 1.0, 2, True])}, optional={
            "reason": st.sampled_from(["a", "", 1]), "n": st.sampled_from([0, 2.0, 2.5]),
            "ok": st.sampled_from([True, 0]), "more": st.sampled_from(["a", None, 7, []])})),
    "verdicts": (VERDICTS, st.fixed_dictionaries(
        {"verdicts": st.lists(VERDICT, max_size=3)}, optional={"extra": VALUES})),
    "lists": (LISTS, st.fixed_dictionaries({"claims": CLAIMS}, optional={
        "n": st.sampled_from([0, 5, 6, -1, 2.0, 2.5]), "level": st.sampled_from(["low", 1, True, None, 0, 1.0, "mid"]),
        "more": st.sampled_from([None, {}, {"ok": False}, {"ok": 0}, []])})),
}


def accepted(value, schema):
    """(what our checker makes of a value,), or () where it refuses it."""
    try:
        return (fitted(value, schema),)
    except SchemaMismatch:
        return ()


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_accepts_what_the_library_accepts_and_its_result_is_valid(name):
    (schema, replies), counts = SCHEMAS[name], {True: 0, False: 0}
    valid = Draft202012Validator(schema).is_valid

    @with_cases(150, value=replies | VALUES)
    def agree(value):
        ours = accepted(value, schema)
        counts[bool(ours)] += 1
        assert ours or not valid(value)
        assert not ours or valid(ours[0])

    agree()
    assert min(counts.values()) >= 8  # cases of both kinds


@pytest.mark.parametrize(("value", "schema", "ours", "library"), [
    (7, {"type": "string"}, ("7",), False),  # ids come back as numbers
    (7.0, {"type": "string"}, ("7",), False),
    (True, {"type": "string"}, (), False),
    ({"a": 1, "b": 2}, {"type": "object", "properties": {"a": {"type": "integer"}}}, ({"a": 1},), True),
    ({"a": "x", "b": 2}, object_of(a={"type": "string"}), ({"a": "x"},), False),  # the raw reply keeps the rest
    (" ", {"type": "string", "minLength": 1}, (), True),  # no words
    (math.nan, {"type": "number"}, (), True),
    (math.inf, {"type": "number"}, (), True),
])
def test_where_it_differs_from_the_library(value, schema, ours, library):
    assert accepted(value, schema) == ours
    assert Draft202012Validator(schema).is_valid(value) is library
