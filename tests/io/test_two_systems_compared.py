"""Comparisons of two systems, versions of one, and what several people said of the same answers."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
LONG = [f"Case {number} is covered by the part on moves." for number in COUNT]
SHORT = [f"The part on moves, case {number}." for number in COUNT]


def runs_of(content: str, name: str) -> list:
    """The runs of the first reading that is offered."""
    with pytest.raises(InputError) as caught:
        read_runs((name, content.encode()))
    return read_runs((name, content.encode()), mapping=caught.value.problems[0].facts["mappings"][0])


def talk(number: int, text: str) -> list[dict]:
    return [{"role": "user", "content": ASKED[number]}, {"role": "assistant", "content": text}]


COMPARED = {
    "two models with a column each": "".join(json.dumps({
        "prompt": ASKED[n], "model_1": "one", "model_2": "two", "output_1": LONG[n], "output_2": SHORT[n],
        "preference": n % 2 + 1}) + "\n" for n in COUNT),
    "two conversations": json.dumps([{
        "question_id": f"{n:08x}", "model_a": "one", "model_b": "two", "winner": "model_a",
        "conversation_a": talk(n, LONG[n]), "conversation_b": talk(n, SHORT[n])} for n in COUNT]),
    "two generators": "instruction,generator_1,generator_2,output_1,output_2,annotator,preference\n" + "".join(
        f'{ASKED[n]},one,two,{LONG[n]},"{SHORT[n]}",weighted,{n % 2 + 1}.0\n' for n in COUNT),
}


@pytest.mark.parametrize("content", COMPARED.values(), ids=COMPARED)
def test_two_systems_that_are_compared_are_two_runs(content):
    first, second = runs_of(content, "pairs.json" if content[0] == "[" else "pairs")
    assert (first.name, second.name) == ("one", "two")
    assert first.details["answer"].to_pylist() == LONG and second.details["answer"].to_pylist() == SHORT
    assert first.details["query"].to_pylist() == ASKED
    assert first.file_scores is None  # which one is better is no score of either


def test_a_file_that_ends_within_the_second_query_has_its_configurations():
    variants = ["plain", "reranked", "chunked", "few-shot", "agent", "graph", "fused"]
    pairs = [(query, variant) for query in range(2) for variant in variants][:-2]
    content = "question,variant,response,metric_faithfulness\n" + "".join(
        f"{ASKED[query]},{variant},{LONG[query]} {variant},{place / 20}\n"
        for place, (query, variant) in enumerate(pairs))
    runs = runs_of(content, "benchmark.csv")
    assert [run.name for run in runs] == variants and {len(run) for run in runs} == {1, 2}


def test_versions_of_one_system_are_runs():
    content = "id,question,gold,rag_v1,rag_v2\n" + "".join(
        f'{n},{ASKED[n]},Part {n},{LONG[n]},"{SHORT[n]}"\n' for n in COUNT)
    assert [run.name for run in runs_of(content, "wide.csv")] == ["rag_v1", "rag_v2"]


def test_what_two_people_said_of_the_same_answers_are_repeats_of_one_configuration():
    content = "item,question,system_answer,annotator,score\n" + "".join(
        f"{n},{ASKED[n]},{LONG[n]},{name},{(n + place) % 5 + 1}\n" for n in COUNT
        for place, name in enumerate(("anna", "ben")))
    runs = runs_of(content, "ratings.csv")
    assert [(run.repetition.configuration, run.repetition.label) for run in runs] == [
        ("ratings", "anna"), ("ratings", "ben")]


def test_judgments_in_words_are_graded():
    from ragdash.io import read_truth

    grades = ("exact", "substitute", "complement", "irrelevant")
    content = "query_id,product_id,esci_label\n" + "".join(
        f"{n},B{100 + n * 4 + place},{grades[place]}\n" for n in COUNT for place in range(4))
    with pytest.raises(InputError) as caught:
        read_truth(("labels.csv", content.encode()))
    mapping, = caught.value.problems[0].facts["mappings"]
    truth = read_truth(("labels.csv", content.encode()), mapping=mapping)
    assert truth.grades.tolist()[:4] == [100, 50, 25, 0]


def test_what_a_system_with_the_right_documents_says_is_not_the_right_answer():
    """oracle_answer next to correct_answer: of a system that was given what is right."""
    rows = [f"q{n},{ASKED[n]},{SHORT[n]},{LONG[n]},True,{LONG[n]} Yes.,False,{LONG[n]} So.,True\n" for n in COUNT]
    content = "".join(["question_id,question,correct_answer,plain_answer,plain_correct,naive_answer,naive_correct,"
                       "oracle_answer,oracle_correct\n", *(row.replace(", case", " case") for row in rows)])
    with pytest.raises(InputError) as caught:
        read_runs(("file.csv", content.encode()))
    assert caught.value.problems[0].facts["mappings"][0]["answers"] == "correct_answer"
