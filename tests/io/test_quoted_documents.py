"""Quotes next to the documents they are from, grades as scores, turns of topics and generated test sets: what each of
them is.
"""

from __future__ import annotations

import csv
import io
import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_run, read_runs, read_truth

QUERIES = [f"Which gene is behind disease {number} in the north?" for number in range(6)]
URL = "http://www.example.org/pubmed"


def mappings_of(file: tuple[str, bytes]) -> list[dict[str, str]]:
    """The readings that are offered."""
    with pytest.raises(InputError) as caught:
        read_runs(file)
    return [mapping for problem in caught.value.problems if problem.kind == "proposed-reading"
            for mapping in problem.facts["mappings"]]


def task(**more) -> tuple[str, bytes]:
    """Questions in the form of BioASQ."""
    questions = [{"id": f"b{number}", "body": text, "type": "summary",
                  "documents": [f"{URL}/{number}{place}" for place in range(4)],
                  "ideal_answer": f"The gene of disease {number} is on chromosome {number + 2}, says the study.",
                  "snippets": [{"document": f"{URL}/{number}{place}", "beginSection": "abstract",
                                "offsetInBeginSection": 10 * place, "offsetInEndSection": 90 + place,
                                "text": f"We found the gene of disease {number} by method {place}, they say.", **more}
                               for place in (2, 0)]} for number, text in enumerate(QUERIES)]
    return "file.json", json.dumps({"questions": questions}).encode()


def test_documents_with_quotes_are_right_or_returned():
    """The quotes were read as a ranking, and the documents were left out."""
    right, returned = mappings_of(task())
    assert (right["role"], right["relevant"], right["answers"]) == ("truth", "documents", "ideal_answer")
    assert (returned["role"], returned["retrieved"], returned["answer"]) == ("run", "documents", "ideal_answer")
    truth, run = read_truth(task(), mapping=right), read_run(task(), mapping=returned)
    assert truth.judgments == 24 and len(truth.details["evidence"].to_pylist()[0]) == 2
    assert run.ranking("b1").column("doc_id").to_pylist() == [f"{URL}/1{place}" for place in range(4)]


def test_quotes_with_scores_stay_a_ranking():
    mapping, *_ = mappings_of(task(score_reranked=0.5))
    assert mapping["retrieved"].startswith("snippets[].document") and "relevant" not in mapping


def graded(grades: list[float]) -> tuple[str, bytes]:
    """Rows of a question with its passages and a number for each of them."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["topic_id", "query", "relevance_scores", "passage_ids", "passages"])
    for number, query in enumerate(QUERIES):
        ids = [f"MARCO_{number}-{place}" for place in range(len(grades))]
        texts = [f"A passage of several words about disease {number}, part {name}." for name in ids]
        writer.writerow([f"t{number}", query, str(grades), str(ids), str(texts)])
    return "file.csv", text.getvalue().encode()


def test_whole_scores_of_documents_are_grades_first():
    right, returned = mappings_of(graded([3, 4, 3]))
    assert (right["role"], right["relevant"], right["grade"]) == ("truth", "passage_ids", "relevance_scores")
    assert (returned["role"], returned["retrieved"], returned["score"]) == ("run", "passage_ids", "relevance_scores")
    assert sorted(read_truth(graded([3, 4, 3]), mapping=right).grades.tolist()) == [3] * 12 + [4] * 6


def test_fractions_as_scores_of_documents_rank_them():
    assert all(mapping["role"] == "run" for mapping in mappings_of(graded([0.9, 0.5, 0.4])))


@pytest.mark.parametrize("mark, second", [("", "31_2"), ("t", "t31/2")])
def test_turns_below_their_topics_are_a_query_each(mark, second):
    """One topic was offered as all there is, or each topic as one query."""
    topics = {f"{mark}{31 + topic}": {str(turn + 1): text for turn, text in enumerate(QUERIES[topic:topic + 4])}
              for topic in range(3)}
    file = "topics.json", json.dumps(topics).encode()
    mapping, = mappings_of(file)
    truth = read_truth(file, mapping=mapping)
    assert mapping["role"] == "questions" and len(truth.query_ids) == 12
    assert truth.query_ids.to_pylist()[1] == second
    assert truth.details["query"].to_pylist()[4] == QUERIES[1]


def generated(**more) -> tuple[str, bytes]:
    """A generated test set."""
    return "qa.json", json.dumps([{
        "id": f"g{number}", "question": text, "answer": f"It is gene {number} of the north, as the survey says.",
        "retrieved_chunks": [{"source": "survey.pdf", "page": number, "text": f"Gene {number} is in the north."}],
        "model": "writer-120b", "is_valid": True, **more} for number, text in enumerate(QUERIES)]).encode()


def test_answers_of_a_generated_test_set_are_asked_about():
    """They were read as those of a system whose name is the model that made the questions."""
    file = generated(persona={"country": "Peru", "level": "new"})
    right, returned = mappings_of(file)
    assert (right["role"], right["answers"]) == ("truth", "answer")
    assert (returned["role"], returned["answer"], returned["text"]) == ("run", "answer", "retrieved_chunks[].text")
    truth, run = read_truth(file, mapping=right), read_run(file, mapping=returned)
    assert truth.details["answers"].to_pylist()[1] == ["It is gene 1 of the north, as the survey says."]
    assert truth.details["evidence"].to_pylist()[1][0]["text"] == "Gene 1 is in the north."
    assert run.docs.to_pylist() == ["survey.pdf"] * 6 and run.name == "writer-120b" and not truth.judgments


def test_answers_of_a_model_without_a_persona_are_those_of_a_system():
    assert read_run(generated()).name == "writer-120b"
