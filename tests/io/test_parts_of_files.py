"""Objects with a list for each field, records below their question, and names that repeat those of the object above."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"Which rule covers case {number} of the game?" for number in range(4)]
GIVEN = [f"Rule {number} of the handbook does." for number in range(4)]
RIGHT = [f"Part {number} of the handbook, in full." for number in range(4)]


def offered(content) -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source(("file.json", json.dumps(content).encode())))]


def test_lists_below_each_system_are_the_answers_of_its_run():
    content = {"bm25": {"question": ASKED, "answer": GIVEN}, "dense": {"question": ASKED, "answer": RIGHT}}
    mapping, = offered(content)
    runs = read_runs(("file.json", json.dumps(content).encode()), mapping=mapping)
    assert {run.name: run.details["answer"].to_pylist() for run in runs} == {"bm25": GIVEN, "dense": RIGHT}


def test_lists_below_each_document_are_questions_of_one_truth():
    content = {"doc1": {"question": ASKED[:2], "answers": RIGHT[:2]}, "doc2": {
        "question": ASKED[2:], "answers": RIGHT[2:]}}
    mapping = offered(content)[0]
    truth = read_truth(("file.json", json.dumps(content).encode()), mapping=mapping)
    assert truth.details["answers"].to_pylist() == [[text] for text in RIGHT]


def test_of_lists_of_unequal_length_below_documents_no_part_is_read():
    content = {f"64fa9b27b82641eb8ecbe1{number}0": {
        "key_info": ["a fact of this text"] * (2 + number % 2), "question": ASKED[:2], "answers": RIGHT[:2]}
        for number in range(4)}
    assert not offered(content)
    with pytest.raises(InputError):
        read_truth(("file.json", json.dumps(content).encode()))


def test_the_type_of_a_question_above_its_snippets_is_no_configuration():
    questions = [{"body": asked, "id": f"5c{number}f8b", "type": kind, "ideal_answer": [right], "exact_answer": "yes",
                  "snippets": [
        {"text": f"{right} And {place}.", "document": f"http://example.org/{number}{place}",
         "beginSection": "abstract" if place else "title", "endSection": "abstract"} for place in range(14 + number)]}
        for number, (asked, right, kind) in enumerate(zip(ASKED, RIGHT, ("list", "list", "yesno", "yesno"),
                                                          strict=True))]
    readings = offered({"questions": questions})
    assert all("config" not in reading for reading in readings)
    assert readings[0]["role"] == "truth" and readings[0]["relevant"] == "snippets[].document"
    assert not any("snippets[].beginSection" in reading.values() for reading in readings)


def test_a_name_repeats_that_of_the_object_above():
    rows = [{"inputs": {"input": asked, "input_answer": right, "input_prediction": given},
             "outputs": {"output_correctness_score": number % 2}}
            for number, (asked, given, right) in enumerate(zip(ASKED, GIVEN, RIGHT, strict=True))]
    reading, = offered({"name": "Incorrect", "examples": rows})
    assert (reading["query"], reading["answer"], reading["answers"], reading["scores"]) == (
        "inputs.input", "inputs.input_prediction", "inputs.input_answer", "outputs.output_correctness_score")


def test_the_letter_of_the_right_option_is_no_metric():
    rows = [{"question": asked, "model_answer": "ABCD"[number], "correct_answer": "BBCA"[number],
             "is_correct": number in (1, 2)} for number, asked in enumerate(ASKED)]
    run, = read_runs(("file.json", json.dumps(rows).encode()))
    assert run.file_scores.names == ("is_correct",) and not run.file_scores.label_names


def test_steps_to_an_answer_are_not_the_answers_of_systems():
    steps = {str(number): {"subquestion": asked, "fact": given, "answer": right}
             for number, (asked, given, right) in enumerate(zip(ASKED, GIVEN, RIGHT, strict=True))}
    readings = offered({"question": "What follows from all the rules of the game?", "answer": "All.", "nodes": steps})
    assert all("config" not in reading for reading in readings)


def test_the_cost_of_a_query_is_not_that_of_its_run():
    results = [{"provider": name, "total_cost_usd": 0.5, "queries": [
        {"id": number, "question": asked, "expected": right, "generated": f"{given} So {name} says.",
         "cost_usd": 0.1 + number / 100}
        for number, (asked, given, right) in enumerate(zip(ASKED, GIVEN, RIGHT, strict=True))]}
        for name in ("gemini", "llama")]
    reading = offered({"phase": "3.5", "results": results})[0]
    assert (reading["config"], reading["cost_usd"]) == ("*.provider", "cost_usd")
    for result in results:
        for query in result["queries"]:
            del query["cost_usd"]
    assert "cost_usd" not in offered({"phase": "3.5", "results": results})[0]
