"""Files that look like rankings and are none: groups, settings, sentences, calls of tools."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

GROUPS = {
    "models by method": {"upr": ["t5-small", "gpt2"], "listwise-api": ["gpt-4"], "monot5": ["base-10k", "3b"]},
    "ids of queries by data set": {"scifact": ["1", "100"], "nfcorpus": ["PLAIN-2", "PLAIN-8"], "arguana": ["12"]},
    "settings": {"hosts": ["localhost:9200"], "settings": {"shards": 1, "replicas": 0}, "indices": ["wiki_2015"]},
    "one list": {"masks": ["'name': '[^']+'", "[0-9]+"]},
    "counts by prompt": {name: {"total": 38, "POSITIVE": 30, "rate": 0.25} for name in ("P-CLEV", "P-Lee-Standard")},
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("read", [read_runs, read_truth])
def test_groups_and_settings_are_no_queries(name, read):
    with pytest.raises(InputError) as caught:
        read(("file.json", json.dumps(GROUPS[name], indent=1).encode()))
    assert [problem.kind for problem in caught.value.problems] == ["fields-as-queries"]


@pytest.mark.parametrize("queries", [
    {"q1": ["d7", "d2"], "q2": ["d2"]}, {"red dome": ["d7", "d2"], "old mirror": ["d2", "d5"]}, {"q": ["d"]},
    {"dome": {"d7": 0.9, "d2": 0.5}, "mirror": {"d2": 0.75}}])
def test_ids_and_questions_are_queries(queries):
    run, = read_runs(("file.json", json.dumps(queries).encode()))
    assert run.query_ids.to_pylist() == list(queries)


@pytest.mark.parametrize(("lists", "is_offered"), [
    ({"tea": ["d1", "d2"], "coffee": ["d2"]}, True), ({"tea": ["B0041X", "B0077X"], "milk": ["B0041X"]}, True),
    ({"easy": ["q1", "q2"], "hard": ["q3"]}, False), ({"easy ones": ["q1", "q2"], "hard ones": ["q3"]}, False),
    ({"tea": ["d1", "e1"], "coffee": ["d2"]}, False)])
def test_words_with_ids_of_one_form_are_offered_as_queries(lists, is_offered):
    file = ("words.json", json.dumps(lists).encode())
    with pytest.raises(InputError) as caught:
        read_runs(file)
    assert ("Try: ragdash check" in caught.value.problems[0].fix) is is_offered
    if is_offered:
        run, = read_runs(file, mapping={"query": "query", "retrieved": "retrieved", "role": "run"})
        assert run.query_ids.to_pylist() == list(lists) and run.docs.to_pylist()[:2] == lists["tea"]


def test_sentences_are_no_documents():
    facts = {"He acted in a film of 1992.": ["He acted in a film.", "The film was shown in 1992."],
             "She walked 2 miles.": ["She walked along a road.", "The road has two miles."]}
    with pytest.raises(InputError) as caught:
        read_runs(("facts.json", json.dumps(facts).encode()))
    assert caught.value.problems[0].kind == "sentences-as-documents"


@pytest.mark.parametrize("read", [read_runs, read_truth])
def test_calls_of_tools_are_no_answers_to_queries(read):
    calls = [{"id": f"call_{number}", "name": "search", "args": {"query": f"dome {number}"}, "status": "success",
              "output": f"The dome of room {number} is cold."} for number in range(6)]
    with pytest.raises(InputError) as caught:
        read(("steps.json", json.dumps(calls).encode()))
    assert caught.value.problems[0].kind == "missing-question"


def test_one_document_next_to_labels_of_a_question_is_asked_about():
    rows = [f"Why is dome {number} cold?,{number:x}9d122f{number},{'good' if number % 9 else 'bad'},It says {number}."
            f",{'good' if number % 4 else 'okay'},It looked at {number}." for number in range(50)]
    header = "question,document,answer_score,answer_reasoning,trajectory_score,trajectory_reasoning"
    content = "\n".join([header, *rows])
    with pytest.raises(InputError) as caught:
        read_runs(("judged.csv", content.encode()))
    assert len(caught.value.problems[0].facts["mappings"]) > 1


def test_systems_of_which_few_say_the_question_are_no_error_of_ours():
    record = {"providers": {
        "serper": {"raw": {"search_response": {"parameters": {"q": "why is the dome of the house cold"}}},
                   "evidence": [{"content": "The dome is cooled before dusk."}]},
        "claude_search": {"evidence": [{"content": "The dome is cold at night."}], "reader_answer": "It is cooled."}}}
    with pytest.raises(InputError):
        read_runs(("trace.json", json.dumps(record).encode()))


def table_with_means(last: list[str]) -> pd.DataFrame:
    rows = [[f"q{number:03}", f"Why is dome {number} cold?", number / 12, 1 - number / 12] for number in range(12)]
    means = [sum(row[place] for row in rows) / 12 for place in (2, 3)]
    return pd.DataFrame([*rows, [*last, *means]], columns=["question_id", "question", "Faithfulness", "Recall"])


@pytest.mark.parametrize("last", [["FINAL", "FINAL (mean)"], ["-", "Overall"]])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_row_that_its_question_calls_a_mean_is_no_query(last, ending):
    frame, buffer = table_with_means(last), io.BytesIO()
    if ending == "csv":
        buffer.write(frame.to_csv(index=False).encode())
    else:
        frame.to_excel(buffer, index=False)
    content = (f"values.{ending}", buffer.getvalue())
    with pytest.raises(InputError) as caught:
        read_runs(content)
    mapping = caught.value.problems[0].facts["mappings"][0]
    run, = read_runs(content, mapping=mapping)
    assert run.query_ids.to_pylist() == [f"q{number:03}" for number in range(12)]


def test_an_expected_answer_is_the_right_one_also_where_a_question_comes_twice():
    asked = [{"question_id": f"q{number}", "question": f"Why is dome {number // 2} cold?", "generated_answer": "It is.",
              "expected_answer": f"For {number} reasons.", "retrieved_context_ids": [f"d{number}", "d9"]}
             for number in range(12)]
    first, *_ = propose(Source(("asked.json", json.dumps(asked).encode())))
    assert first.mapping["answer"] == "generated_answer" and first.mapping["answers"] == "expected_answer"


NO_QUERIES = {
    "classes of a classifier": {"accuracy": 0.9, "per_class": [
        {"class_idx": number, "precision": 0.5, "recall": number / 10, "f1": 0.25} for number in range(8)]},
    "places of answers": {f"model_{kind}.json": [{"id": f"5c6d{kind}{number}", "ideal_answer_index": number % 3}
                                                 for number in range(8)] for kind in ("a", "b")},
    "documents with titles": [{"title": f"Dome {number}", "text": f"Dome {number} is in the north of the town. " * 3,
                               "idx": number} for number in range(8)],
}


@pytest.mark.parametrize("name", NO_QUERIES)
def test_classes_places_and_documents_are_not_offered_as_queries(name):
    assert propose(Source(("file.json", json.dumps(NO_QUERIES[name]).encode()))) == []
