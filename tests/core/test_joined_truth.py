"""Two truths joined into one: nothing is overwritten, and notes name what was taken and what differs."""

from __future__ import annotations

import json

import pyarrow as pa
from helpers import truth_of

from ragdash.core.corpus import Corpus
from ragdash.core.records import Truth
from ragdash.core.records.joined_truth import join_truths

REFERENCES = Truth.build("answers", [], [], [], details=pa.table({
    "query_id": ["q2", "q1", "q9"], "answers": [["two"], ["one"], ["nine"]], "query": ["Two?", "One?", None]}))


def notes_of(truth: Truth) -> list[str]:
    return [f"{problem.severity}: {problem.actual}" for problem in truth.problems]


def test_judgments_of_one_and_references_of_the_other_are_joined_by_query_id():
    first = truth_of({"q1": {"a": 2, "b": 0}, "q2": ["c"]})
    joined = join_truths(first, REFERENCES)
    assert joined.query_ids.to_pylist() == ["q1", "q2", "q9"] and joined.judgments == 3
    assert joined.details["answers"].to_pylist() == [["one"], ["two"], ["nine"]]
    assert joined.frame().values.tolist() == first.frame().values.tolist()
    (note,) = notes_of(joined)
    assert note.startswith("note: ") and "answers, query" in note and "2 query ids" in note
    other_way = join_truths(REFERENCES, first)
    assert other_way.judged_digest == joined.judged_digest, "without conflicts the order does not matter"


def test_what_the_second_says_differently_is_named_and_overwrites_nothing():
    first = Truth.build("one", ["q1", "q1"], ["a", "b"], [2, 0],
                        details=pa.table({"query_id": ["q1"], "query": ["One"]}))
    second = Truth.build("two", ["q1", "q1", "q2"], ["a", "c", "d"], [1, 1, 1],
                         details=pa.table({"query_id": ["q1", "q2"], "query": ["Eins", "Two"]}))
    joined = join_truths(first, second)
    assert sorted(map(tuple, joined.frame().values.tolist())) == [
        ("q1", "a", 2), ("q1", "b", 0), ("q1", "c", 1), ("q2", "d", 1)]
    assert joined.details["query"].to_pylist() == ["One", "Two"]
    warnings = [text for text in notes_of(joined) if text.startswith("warning")]
    assert len(warnings) == 2 and "judgments" in warnings[0] and "'q1'" in warnings[0] and "query" in warnings[1]


def test_columns_of_different_types_and_the_corpus_are_kept():
    first = Truth.build("one", ["q1"], ["a"], [1], details=pa.table({"query_id": ["q1"], "year": [2020]}))
    second = Truth.build("two", [], [], [], details=pa.table({"query_id": ["q2"], "year": ["2021"]}))
    joined = join_truths(first, second.with_corpus(Corpus.build("docs", ["a"])))
    assert joined.details["year"].to_pylist() == ["2020", "2021"] and joined.corpus.name == "docs"


def with_attributes(name: str, **attributes: object) -> Truth:
    return Truth.build(name, ["q1"], ["a"], [1], details=pa.table({
        "query_id": ["q1"], "attributes": [json.dumps(attributes, sort_keys=True)]}))


def test_attributes_are_joined_each_by_itself():
    """topic is alike, stage differs, layout and an empty route come from the second."""
    first = with_attributes("one", topic="FIN", stage="generation", route=None)
    joined = join_truths(first, with_attributes("two", topic="FIN", stage="none", layout="table", route="fast"))
    assert json.loads(joined.details["attributes"][0].as_py()) == {
        "topic": "FIN", "stage": "generation", "route": "fast", "layout": "table"}
    note, warning = joined.problems
    assert note.facts["columns"] == ["layout", "route"] and "'two' adds 0 judgments, layout, route" in note.actual
    assert warning.facts["what"] == "stage" and warning.facts["count"] == 1 and "'q1'" in warning.actual
