"""Texts with a list of their grades, questions below one word, and ids by question."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

TEXTS = ["The dome is cooled before dusk.", "Soup is served until nine in the cafe.", "The mirror weighs nine tons."]
GRADES = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2], [1, 2, 0], [2, 0, 1]]


def offered(name: str, content: str) -> list[dict[str, str]]:
    with pytest.raises(InputError) as caught:
        read_runs((name, content.encode()))
    return caught.value.problems[0].facts["mappings"]


def texts(query: int) -> list[str]:
    return [f"{text} Dome {query}." for text in TEXTS]


def in_objects(name: str, text: str, grade: str, value=int) -> list[dict]:
    return [{"query": f"Why is dome {query} cold?", name: [{text: passage, grade: value(mark)} for passage, mark in zip(
        texts(query), GRADES[query], strict=True)]} for query in range(6)]


def in_two_lists(name: str, grades: str) -> list[dict]:
    return [{"query": f"Why is dome {query} cold?", name: texts(query), grades: GRADES[query]} for query in range(6)]


@pytest.mark.parametrize("records", [
    in_objects("candidates", "text", "relevance"), in_objects("hits", "content", "label"),
    in_objects("documents", "text", "is_relevant", bool), in_two_lists("sentences", "relevance_scores"),
    in_two_lists("passages", "labels")])
def test_texts_with_their_grades_are_right_ones_or_what_was_given(records):
    content = json.dumps(records)
    mappings = offered("judged.json", content)
    assert {mapping["role"] for mapping in mappings} == {"truth", "run"}
    as_truth, = (mapping for mapping in mappings if mapping["role"] == "truth")
    truth = read_truth(("judged.json", content.encode()), mapping=as_truth)
    assert [[span["text"] for span in spans] for spans in truth.details["evidence"].to_pylist()] == [
        [text for text, grade in zip(texts(query), GRADES[query], strict=True) if grade] for query in range(6)]
    as_run, = (mapping for mapping in mappings if mapping["role"] == "run")
    run, = read_runs(("judged.json", content.encode()), mapping=as_run)
    assert run.details["contexts"].to_pylist() == [texts(query) for query in range(6)]


def test_fractions_next_to_texts_are_no_grades():
    records = [record | {"relevance_scores": [0.9, 0.55, 0.2]} for record in in_two_lists("passages", "labels")]
    for record in records:
        del record["labels"]
    assert all("grade" not in mapping for mapping in offered("scored.json", json.dumps(records)))


@pytest.mark.parametrize("name", ["questions", "Query", "prompts", '"question"'])
def test_a_column_of_questions_alone_is_a_list_of_questions(name):
    content = f'{name}\nHow many goals are there?\nWhat is it, please?\n"Who said ""so"",\nand why?"\n'
    mapping, = offered("asked.csv", content)
    assert mapping["role"] == "questions"
    truth = read_truth(("asked.csv", content.encode()), mapping=mapping)
    assert truth.details["query"].to_pylist() == ["How many goals are there?", "What is it, please?",
                                                  'Who said "so",\nand why?']


def test_names_below_questions_are_their_ids():
    asked = {f"Why is dome {group} in room {turn} cold?": f"{group}_{turn}" for group in (31, 32) for turn in (1, 2, 3)}
    mapping = offered("ids.json", json.dumps(asked))[0]
    truth = read_truth(("ids.json", json.dumps(asked).encode()), mapping=mapping)
    assert dict(zip(truth.details["query"].to_pylist(), truth.query_ids.to_pylist(), strict=True)) == asked


@pytest.mark.parametrize("values", [["12", "7", "1492"], ["a dome", "12_1", "x"], ["q1", "q1", "q2"]])
def test_other_values_below_questions_are_answers(values):
    asked = {f"Why is dome {place} cold?": value for place, value in enumerate(values)}
    assert all("answer" in mapping.values() for mapping in offered("answers.json", json.dumps(asked)))
