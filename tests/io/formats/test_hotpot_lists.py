"""HotpotQA's questions in an object: below any name, and in several splits of a data set."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_truth

QUESTIONS = [{"_id": f"q{number}", "question": f"Which town of the two lies in the north, by map {number}?",
              "answer": f"Town {number}", "type": "bridge", "level": "hard",
              "supporting_facts": [[f"Town {number}", 0], [f"Land {number}", 1]],
              "context": [[f"{name} {number}", [f"{name} {number} lies in the north.", "It has a map."]]
                          for name in ("Town", "Land", "River")]} for number in range(6)]


def read(value):
    return read_truth(("hotpot.json", json.dumps(value).encode()))


@pytest.mark.parametrize("value", [
    {"questions": QUESTIONS}, {"version": "1.1", "n": 6, "examples": QUESTIONS}, {"data": QUESTIONS},
    {"train": QUESTIONS[:3], "dev": QUESTIONS[3:]}, {"towns": [{"name": "Town 1"}], "items": QUESTIONS}],
    ids=["questions", "examples", "data", "splits", "next to others"])
def test_questions_are_read_wherever_their_list_is(value):
    truth, plain = read(value), read(QUESTIONS)
    assert truth.frame().equals(plain.frame()) and len(truth.query_ids) == 6 and truth.judgments == 12
    assert truth.details["evidence"].to_pylist() == plain.details["evidence"].to_pylist()


def test_passages_of_several_systems_are_not_joined():
    """Of DPR's results one list is read; several may be of several systems."""
    results = [{"question": item["question"], "answers": ["x"], "ctxs": [{"id": "d1", "score": "1.5", "text": "t"}]}
               for item in QUESTIONS]
    assert detect(("dpr.json", json.dumps({"results": results}).encode())).format == "qa-dataset"
    content = json.dumps({"bm25": results, "dense": results}).encode()
    assert detect(("dpr.json", content)).format != "qa-dataset"
    with pytest.raises(InputError):
        read_truth(("dpr.json", content))


@pytest.mark.parametrize("name", ["prediction", "pred", "model_answer", "response"])
def test_what_a_system_gave_next_to_supporting_facts_is_read(name):
    """It was left out without a word."""
    file = "hotpot.json", json.dumps([
        {**item, name: f"It is town {number}.", "retrieved_titles": [f"Town {number}", "x"]}
        for number, item in enumerate(QUESTIONS)]).encode()
    run, truth = read_run(file), read_truth(file)
    assert run.details["answer"].to_pylist()[2] == "It is town 2."
    assert run.ranking("q2").column("doc_id").to_pylist() == ["Town 2", "x"]
    assert truth.frame().equals(read(QUESTIONS).frame())


def test_answers_next_to_passages_are_read():
    results = [{"question": item["question"], "answers": ["x"], "pred": "y", "ctxs": [
        {"id": "d1", "score": "1.5", "text": "t"}]} for item in QUESTIONS]
    assert read_run(("dpr.json", json.dumps(results).encode())).details["answer"].to_pylist() == ["y"] * 6


def test_predictions_of_several_systems_are_not_joined():
    predicted = [{**item, "prediction": "x"} for item in QUESTIONS]
    content = json.dumps({"small": predicted, "large": predicted}).encode()
    assert detect(("hotpot.json", content)).format != "qa-dataset"


@pytest.mark.parametrize("supporting", [QUESTIONS[0]["supporting_facts"], [{"title": "Town 0", "sent_id": 0}]])
def test_questions_without_answers_are_judged_by_their_titles(supporting):
    """A part of the data for retrieval alone was refused."""
    content = json.dumps([{"_id": "q0", "question": QUESTIONS[0]["question"], "context": QUESTIONS[0]["context"],
                           "supporting_facts": supporting}]).encode()
    truth = read_truth(("hotpot.json", content))
    assert detect(("hotpot.json", content)).role == "truth" and "Town 0" in truth.docs.to_pylist()
    assert truth.details["evidence"].to_pylist()[0][0]["text"] == "Town 0 lies in the north."


def test_supporting_facts_that_are_ids_are_no_pairs():
    """Without a context and an answer they are no HotpotQA."""
    content = json.dumps([{"id": item["_id"], "question": item["question"], "supporting_facts": ["d1", "d2"]}
                          for item in QUESTIONS]).encode()
    assert detect(("hotpot.json", content)).format != "qa-dataset"
