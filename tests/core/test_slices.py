"""Slices: queries by the values of their attributes."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.core.slices import NOT_GIVEN, label_slices, slices


def truth_with(*rows: dict | None) -> Truth:
    """A truth of queries q0, q1, ... with these attributes."""
    names = [f"q{i}" for i in range(len(rows))]
    texts = [None if row is None else json.dumps(row) for row in rows]
    details = pa.table({"query_id": names, "attributes": pa.array(texts, pa.string())})
    return Truth.build("t", names, ["d"] * len(names), np.ones(len(names), int), details=details)


def of(truth: Truth, name: str) -> dict[str, list[int]]:
    return {one.value: np.flatnonzero(one.queries).tolist() for one in slices(truth)[name]}


def test_every_value_is_a_slice_largest_first_and_queries_without_it_are_one_too():
    truth = truth_with({"type": "b"}, {"type": "a"}, {"type": "b"}, None, {"other": 1})
    found = of(truth, "type")
    assert list(found) == ["b", "a", NOT_GIVEN]
    assert found == {"b": [0, 2], "a": [1], NOT_GIVEN: [3, 4]}
    assert [query_slice.title for query_slice in slices(truth)["type"]] == ["type: b", "type: a", f"type: {NOT_GIVEN}"]


def test_a_list_counts_for_each_of_its_values():
    assert of(truth_with({"tag": ["x", "y", "x"]}, {"tag": "y"}, {"tag": []}), "tag") == {
        "y": [0, 1], "x": [0], "[]": [2]}


def test_few_numbers_are_values_in_their_order_and_many_become_quarters():
    assert list(of(truth_with(*({"hops": hops} for hops in (3, 1, 3, 3, 2, 10))), "hops")) == ["1", "2", "3", "10"]
    quarters = of(truth_with(*({"words": words} for words in range(20)), None), "words")
    assert list(quarters) == ["0 to 4", "5 to 9", "10 to 14", "15 to 19", NOT_GIVEN]
    assert not slices(truth_with(*({"nr": nr} for nr in range(1, 21)))), "the number of a row is no kind"
    assert sorted(at for members in quarters.values() for at in members) == list(range(21)), "each query once"


@pytest.mark.parametrize(("values", "order"), [
    (["hard", "medium", "medium", "easy"], ["easy", "medium", "hard"]),
    (["High", "low", "High", None], ["low", "High", NOT_GIVEN]),
    (["level 10", "level 2", "level 10"], ["level 2", "level 10"]),
    (["2024-11-02", "2024-09-30", "2024-11-02"], ["2024-09-30", "2024-11-02"]),
    (["-2", "10", "10", "1.5"], ["-2", "1.5", "10"]),
    (["hard", "paraphrase", "paraphrase"], ["paraphrase", "hard"]),
    (["level 2", "level 10", "level 10", "other"], ["level 10", "level 2", "other"])])
def test_values_with_an_order_are_in_it_and_others_largest_first(values, order):
    assert list(of(truth_with(*({"kind": value} for value in values)), "kind")) == order


def test_yes_and_no_are_words():
    assert of(truth_with({"hard": True}, {"hard": False}, {"hard": True}), "hard") == {"yes": [0, 2], "no": [1]}


@pytest.mark.parametrize("rows", [[{"x": "same"}] * 3, [{"x": f"text {i}"} for i in range(60)], [None, None], [{}, {}]],
                         ids=["one value", "names of single queries", "nothing", "empty"])
def test_what_slices_nothing_is_left_out(rows):
    assert slices(truth_with(*rows)) == {}


def test_a_truth_without_details_has_no_slices():
    assert slices(Truth.build("t", ["q"], ["d"], [1])) == {}


def test_labels_of_a_run_are_slices_of_this_run_alone():
    rows = [("q0", "a", "verdict", "Correct"), ("q2", "a", "verdict", "Correct"), ("q3", "a", "verdict", "Refusal"),
            ("q0", "a", "same", "yes"), ("q1", "a", "same", "yes"), ("q2", "a", "same", "yes"),
            ("q3", "a", "same", "yes"), ("q0", "a", "mrr", 0.5)]
    run = Run.build("a", ["q0"], ["d"]).with_file_scores(FileScores.build(rows))
    parts = label_slices(run, ["q0", "q1", "q2", "q3"])
    assert list(parts) == ["verdict of a"], "one label everywhere, and numbers, slice nothing"
    assert {part.value: np.flatnonzero(part.queries).tolist() for part in parts["verdict of a"]} == {
        "Correct": [0, 2], "Refusal": [3], NOT_GIVEN: [1]}
    assert label_slices(Run.build("b", ["q0"], ["d"]), ["q0"]) == {}
