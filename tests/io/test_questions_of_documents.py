"""Question sets that were made from documents: each question is a query, and the document is the relevant one."""

from __future__ import annotations

import json

import pytest
from reading_checks import as_csv

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

EXERCISES = ("push-up", "squat", "plank", "lunge", "row", "curl", "press", "bridge")
IDS = [f"{7919 * (number + 3):08x}" for number in range(len(EXERCISES))]


def asked(exercise: str) -> list[str]:
    return [f"How does the {exercise} begin?", f"Which muscles does the {exercise} train?",
            f"How often is the {exercise} done in a week?"]


def rows(*columns: str, **more) -> list[dict]:
    """A record of each question; more: a function of the number of the document for each further column."""
    values = {"id": lambda number: IDS[number], **more}
    return [{name: question if name == "question" else values[name](number) for name in (*columns, *more)}
            for number, exercise in enumerate(EXERCISES) for question in asked(exercise)]


def document(content) -> tuple[str, bytes]:
    return "set.json", json.dumps(content).encode()


SETS = {
    "a table": (as_csv(rows("id", "question")), "id"),
    "the question first": (as_csv(rows("question", "id")), "id"),
    "with a course and a section": (as_csv(rows(
        "question", "id", course=lambda n: f"course {n % 2}", section=lambda n: f"Part {n}")), "id"),
    "with an answer": (as_csv(rows("id", "question", answer=lambda n: f"It is part {n} of the day.")), "id"),
    "the id of another thing": (as_csv(rows("question", exercise_id=lambda n: str(n + 40))), "exercise_id"),
    "objects": (document(rows("id", "question")), "id"),
    "lists below ids": (document(dict(zip(IDS, map(asked, EXERCISES), strict=True))), "id"),
    "lists in objects below ids": (document({key: {"questions": asked(name), "title": name} for key, name in zip(
        IDS, EXERCISES, strict=True)}), "*"),
    "lists in objects": (document([{"id": key, "questions": asked(name)} for key, name in zip(
        IDS, EXERCISES, strict=True)]), "id"),
    "lists with answers": (document([{"doc_id": key, "questions": asked(name), "answers": ["Here.", "There.", "No."]}
                                     for key, name in zip(IDS, EXERCISES, strict=True)]), "doc_id"),
    "what is searched for": (document({f"s{number}": [f"best {name} films", f"films about the {name}"]
                                       for number, name in enumerate(EXERCISES, 2)}), "id"),
}


@pytest.mark.parametrize("name", SETS)
def test_the_document_of_several_questions_is_relevant_to_each(name):
    file, path = SETS[name]
    with pytest.raises(InputError) as caught:
        (read_truth if detect(file).role == "truth" else read_runs)(file)
    mapping = caught.value.problems[0].facts["mappings"][0]
    assert (mapping["role"], mapping["relevant"]) == ("truth", path)
    truth = read_truth(file, mapping=mapping)
    per_document = 2 if name == "what is searched for" else 3
    assert (len(truth), truth.judgments) == (per_document * len(EXERCISES),) * 2
    assert len(set(truth.docs.to_pylist())) == len(EXERCISES)


def test_answers_of_a_list_go_with_its_questions():
    file, _ = SETS["lists with answers"]
    truth = read_truth(file, mapping=propose(Source(file))[0].mapping)
    assert truth.details["answers"].to_pylist()[:3] == [["Here."], ["There."], ["No."]]


@pytest.mark.parametrize("name", ["user_id", "topic_id", "session_id", "model_id"])
def test_who_asks_and_what_it_is_about_is_no_document(name):
    readings = propose(Source(as_csv(rows("question", **{name: lambda n: IDS[n]}))))
    assert all("relevant" not in reading.mapping for reading in readings)


def test_lists_below_ids_of_queries_are_no_questions_of_documents():
    content = {f"q{number}": [f"best {name} films", f"films about the {name}"]
               for number, name in enumerate(EXERCISES, 2)}
    assert all(reading.mapping.get("query") != "query" for reading in propose(Source(document(content))))


def test_an_id_with_one_question_is_that_of_the_query():
    records = [{"id": key, "question": asked(name)[0], "answer": f"It is {name}."} for key, name in zip(
        IDS, EXERCISES, strict=True)]
    assert propose(Source(document(records)))[0].mapping["query_id"] == "id"
