"""Files of data sets and of the programs around them: ids of right documents, posts, prompts, settings and samples."""

from __future__ import annotations

import csv
import io
import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(9)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]
CODES = {"numbers": "doc_{0:02}", "files": "rules_{0}.md", "ontology": "MONDO:00{0}518", "words": "castle-part-{0}"}


def rows(**columns) -> bytes:
    """A JSON list of nine records; a function is called with the number of a record."""
    return json.dumps([{name: column(number) if callable(column) else column for name, column in columns.items()}
                       for number in COUNT]).encode()


def table(*lines: list) -> bytes:
    """A table as CSV."""
    written = io.StringIO()
    csv.writer(written).writerows(lines)
    return written.getvalue().encode()


def asked(number: int) -> str:
    return ASKED[number]


def text(number: int) -> str:
    return TEXTS[number]


def first(content: bytes, name: str = "file.json") -> dict[str, str]:
    return dict(propose(Source((name, content)))[0].mapping)


@pytest.mark.parametrize("form", CODES.values(), ids=CODES)
@pytest.mark.parametrize("name", ["gold", "expected", "target", "label", "ground_truth"])
def test_one_id_under_a_word_for_what_is_right_is_the_right_document(name, form):
    content = rows(query=asked, **{name: lambda number: form.format(number)})
    with pytest.raises(InputError) as error:
        read_truth(("file.json", content))
    offers = [problem.facts["mappings"] for problem in error.value.problems if problem.kind == "proposed-reading"]
    assert offers == [[{"role": "truth", "query": "query", "relevant": name}]]
    truth = read_truth(("file.json", content), mapping=offers[0][0])
    assert truth.judgments == len(COUNT) and truth.docs.to_pylist()[0] == form.format(0)


@pytest.mark.parametrize("answer", [str, lambda number: f"{number + 2} km", lambda number: f"{2000 + number}-01-05"])
def test_numbers_amounts_and_dates_under_ground_truth_stay_answers(answer):
    truth = read_truth(("file.json", rows(query=asked, ground_truth=answer)))
    assert truth.judgments == 0 and truth.details.column("answers").to_pylist()[1] == [answer(1)]


def test_right_answers_with_notes_below_ids_are_no_scores():
    content = json.dumps({f"q{number}": {"reference_answer": TEXTS[number], "key_points": [f"moves of case {number}"],
                                         "unacceptable_claims": []} for number in COUNT}).encode()
    with pytest.raises(InputError) as error:
        read_runs(("gold.json", content))
    offers = [problem.facts["mappings"] for problem in error.value.problems if problem.kind == "proposed-reading"]
    assert offers == [[{"role": "truth", "records": "*", "query_id": "*", "answers": "reference_answer"}]]


@pytest.mark.parametrize("name", ["demos", "few_shot_examples"])
def test_examples_in_a_prompt_are_no_queries(name):
    shots = [{"question": ASKED[number], "answer": TEXTS[number]} for number in range(4)]
    prompt = {"instruction": "Answer from the documents.", "demo_prompt": "{INST}\n\nQuestion: {Q}\n\nAnswer: {A}"}
    with pytest.raises(InputError) as error:
        read_runs(("prompt.json", json.dumps({**prompt, name: shots}).encode()))
    assert not any(problem.kind == "proposed-reading" for problem in error.value.problems)
    assert len(read_truth(("cases.json", json.dumps({**prompt, "cases": [
        {"question": shot["question"], "ground_truth": shot["answer"]} for shot in shots]}).encode())).query_ids) == 4


def test_prompts_deep_in_the_settings_of_a_model_are_no_query():
    prompts = {"query": "task: search result | query: what is asked for",
               "document": "title: none | text: what a document says"}
    model = {"name": "a-model", "loader": {"kind": "a", "prompts": prompts}}
    assert not propose(Source(("model_meta.json", json.dumps(model).encode())))


def test_long_ids_are_no_evidence():
    mapping = first(rows(id=lambda number: f"q{number}", contents=asked, metadata=lambda number: {
        "answers": [TEXTS[number]]}, relevant=lambda number: [f"collection-956ea781e95c048df96f528a2a8272{number}"]))
    assert mapping == {"role": "truth", "query_id": "id", "query": "contents", "relevant": "relevant",
                       "answers": "metadata.answers"}


def test_numbers_in_answers_are_no_documents():
    mapping = first(rows(question=asked, answer=text, reference_answer=text, elapsed_seconds=1.5,
                         answer_numbers=lambda number: [f"{number}.25", "12"],
                         reference_numbers=lambda number: [f"{number}.25", "13"]))
    assert {"retrieved", "relevant"}.isdisjoint(mapping)


def test_the_text_that_was_translated_into_a_query_of_a_database_is_asked():
    mapping = first(rows(q_id=str, text=asked, query=lambda number: f"SELECT ?x WHERE {{ g:c{number} g:rule ?x }}",
                         f1=lambda number: number / 8))
    assert mapping["query"] == "text" and mapping["query_id"] == "q_id"


def test_the_id_of_a_target_model_names_no_document():
    mapping = first(rows(question=asked, llm_answer=text, target_model_id=lambda number: f"org/model-{number % 3}",
                         judge_result=lambda number: ("correct", "wrong")[number % 2]))
    assert "relevant" not in mapping and mapping["answer"] == "llm_answer"


def test_the_text_below_the_id_of_an_answer_is_an_answer():
    content = "\n".join(json.dumps({"answer_id": f"3Mro2n{number}", "question_id": number, "model_id": "a:2023",
                                    "text": TEXTS[number]}) for number in COUNT).encode()
    mappings = [dict(reading.mapping) for reading in propose(Source(("answers.jsonl", content)))]
    assert {"role": "run", "query_id": "question_id", "answer": "text", "attributes": "model_id"} in mappings
    assert all("evidence" not in mapping for mapping in mappings)


def test_ratings_in_the_metadata_of_documents_are_no_judgments():
    mapping = first(rows(question=asked, documents=lambda number: [
        {"id": f"d{number}_{place}", "content": f"{TEXTS[number]} {place}", "score": 0.9 - place / 4,
         "metadata": {"rating": 7 + place}} for place in range(3)]))
    assert mapping["role"] == "run" and mapping["retrieved"] == "documents[].id" and "grade" not in mapping


def test_negatives_of_a_training_set_were_not_returned():
    mapping = first(rows(query_id=str, query=asked, pos=lambda number: [TEXTS[number]],
                         neg=lambda number: [f"Another text about case {number} and {place}." for place in range(4)],
                         pos_scores=[27.5], neg_scores=[17.9, 17.8, 15.2, 11.1],
                         pos_id=lambda number: [f"{5071 + number}"],
                         neg_id=lambda number: [f"n{number}{place}" for place in range(4)]))
    assert mapping == {"role": "truth", "query_id": "query_id", "query": "query", "relevant": "pos_id",
                       "evidence": "pos"}


def test_the_golden_text_next_to_the_generated_one_is_the_right_answer():
    mapping = first(rows(question=asked, golden_text=text, generated_text=lambda number: f"It is so: {TEXTS[number]}"))
    assert (mapping["answers"], mapping["answer"]) == ("golden_text", "generated_text")


def test_what_a_metric_was_given_has_the_answer():
    content = json.dumps({"answer_correctness": [{
        "metric_input": {"user_input": ASKED[number], "response": TEXTS[number], "reference": f"So: {TEXTS[number]}"},
        "metric_output": number % 2, "prompts": {"judge": {"prompt_input": {"response": TEXTS[number]}}}}
        for number in COUNT]}).encode()
    mapping = first(content)
    assert (mapping["answer"], mapping["answers"]) == ("metric_input.response", "metric_input.reference")


def test_settings_drawn_for_each_record_are_no_configurations_where_each_has_an_id():
    drawn = "314159265358979323846264338327"
    lines = [[f"QA{number:03}", ASKED[number % 6], TEXTS[number % 6], f"mode_{drawn[number]}",
              f"model_{drawn[-1 - number]}"] for number in range(30)]
    mapping = first(table(["example_id", "query", "gold_answer", "eval_mode", "embedding_model"], *lines), "logs.csv")
    assert mapping["query_id"] == "example_id" and "config" not in mapping


def test_configurations_of_all_queries_stay_configurations_where_each_record_has_an_id():
    lines = [[f"QA{number:03}", ASKED[number % 6], TEXTS[number % 6], f"mode_{number // 6}", f"It is {number}"]
             for number in range(30)]
    mapping = first(table(["example_id", "query", "gold_answer", "eval_mode", "generated_answer"], *lines), "grid.csv")
    assert mapping["config"] == "eval_mode"


def test_expected_citations_with_the_mark_of_a_section_are_right_documents():
    lines = [[ASKED[number], TEXTS[number], f"Refunds § Part {'ABCDEFGHI'[number]}"] for number in COUNT]
    mapping = first(table(["question", "expected_answer", "expected_citations"], *lines), "gold.csv")
    assert (mapping["relevant"], mapping["answers"]) == ("expected_citations", "expected_answer")
