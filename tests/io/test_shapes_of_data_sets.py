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


def test_a_header_of_single_words_stays_one_above_questions():
    lines = [[str({"topic": "Games", "urls": [f"https://rules.org/{number}"]}), ASKED[number], f"Player {number}"]
             for number in COUNT]
    content = table(["metadata", "problem", "answer"], *lines)
    mapping = first(content, "simple.csv")
    assert (mapping["query"], mapping["answers"]) == ("problem", "answer")
    assert len(read_truth(("simple.csv", content), mapping=mapping).query_ids) == len(COUNT)


def test_titles_with_commas_between_bars_are_lists_where_columns_share_them():
    title = "Case {0}, Part {1} (game)".format
    lines = [[f"q{number}", ASKED[number], f"{title(number, 1)} | {title(number, 2)}",
              f"{title(number, 2)} | {title(number, 3)} | {title(number, 4)}",
              f"{title(number, 1)} | {title(number, 5)}"] for number in COUNT]
    names = ["example_id", "question", "gold_titles", "bm25_retrieved_titles", "dense_retrieved_titles"]
    content = table(names, *lines)
    mapping = first(content, "titles.csv")
    assert mapping == {"role": "both", "query_id": "example_id", "query": "question",
                       "retrieved": "{run}_retrieved_titles", "relevant": "gold_titles"}
    runs = {run.name: run for run in read_runs(("titles.csv", content), mapping=mapping)}
    assert runs["bm25"].docs.to_pylist()[:3] == [title(0, 2), title(0, 3), title(0, 4)]
    assert read_truth(("titles.csv", content), mapping=mapping).judgments == 2 * len(COUNT)


def test_categories_of_which_one_has_no_query_are_read_together():
    content = json.dumps({"provider": "a", "categories": [{"category": name, "score": 50, "details": [
        {"queryId": f"{name}-{number}", "query": ASKED[number], "score": number * 10, "latencyMs": 900 + number,
         "topResults": [{"id": f"d{number}{place}", "score": 0.9 - place / 4, "content": TEXTS[number]}
                        for place in range(2)]} for number in numbers]}
        for name, numbers in (("facts", range(4)), ("none", ()), ("dates", range(4, 9)))],
        "layer2": {"scenarios": [{"scenarioId": f"s{number}", "score": 0, "retrievedContent": [TEXTS[number]]}
                                 for number in range(5)]}}).encode()
    mapping = first(content)
    assert mapping["records"] == "categories.*.details" and mapping["query"] == "query"
    assert len(read_runs(("file.json", content), mapping=mapping)[0].query_ids) == len(COUNT)


def test_limits_in_the_filter_of_a_right_query_are_no_grades():
    mapping = first(rows(qa_id=str, question=asked, answer=lambda number: f"{95 + number} of them",
                         gold_predicate=lambda number: {"op": "count", "filter": {"name": f"n{number}", **(
                             {"area": {"min": 84, "max": 85}} if number == 3 else {})}}))
    assert mapping["answers"] == "answer" and "relevant" not in mapping


def test_each_variant_of_the_one_question_is_a_configuration():
    variants = [f"Variant {name}" for name in "ABCDEFGH"]
    lines = [[ASKED[0], variant, f"{TEXTS[0]} {variant}", 8 + place / 10] for place, variant in enumerate(variants)]
    content = table(["question", "variant", "response", "metric_faithfulness"], *lines)
    mapping = first(content, "variants.csv")
    assert mapping["config"] == "variant"
    assert {run.name for run in read_runs(("variants.csv", content), mapping=mapping)} == set(variants)


def test_the_accuracy_of_exact_answers_is_no_answer_and_means_of_kinds_are_no_queries():
    kinds = {name: {"total": 36, "exact_answer_accuracy": 0.9 - place / 9, "evidence_recall_at_k": 0.8}
             for place, name in enumerate(("abstention", "update", "temporal", "multi_hop"))}
    report = {"method": "a", "summary": {"total": 144, "answer_accuracy": 0.96}, "question_type_metrics": kinds}
    assert not propose(Source(("metrics.json", json.dumps(report).encode())))


def test_the_slug_of_the_one_court_is_no_document():
    mapping = first(rows(row_id=str, query=asked, court_slug="usdc", response=text, latency_s=1.5))
    assert mapping["answer"] == "response" and {"retrieved", "relevant"}.isdisjoint(mapping)


@pytest.mark.parametrize("form", ["rules.md@{0}87943#chunk{0}", "就業規則.md@{0}87943#chunk{0}"])
def test_ids_of_chunks_under_expected_chunks_are_right_documents(form):
    lines = [[f"c{number}", ASKED[number], form.format(number) if number % 3 else "", TEXTS[number]]
             for number in COUNT]
    content = table(["case_id", "question", "expected_chunks", "golden_answer"], *lines)
    with pytest.raises(InputError) as error:
        read_truth(("cases.csv", content))
    offers = [problem.facts["mappings"] for problem in error.value.problems if problem.kind == "proposed-reading"]
    assert offers == [[{"role": "truth", "query_id": "case_id", "query": "question", "relevant": "expected_chunks",
                        "answers": "golden_answer"}]]
    truth = read_truth(("cases.csv", content), mapping=offers[0][0])
    assert truth.judgments == 6 and "evidence" not in truth.details.column_names


def test_texts_under_expected_chunks_stay_evidence():
    lines = [[f"c{number}", ASKED[number], TEXTS[number], TEXTS[number]] for number in COUNT]
    content = table(["case_id", "question", "expected_chunks", "golden_answer"], *lines)
    truth = read_truth(("cases.csv", content))
    assert truth.judgments == 0 and truth.details.column("evidence").to_pylist()[0][0]["text"] == TEXTS[0]


@pytest.mark.parametrize(("name", "documents", "texts"), [
    ("ground_truths", "relevant", "answers"), ("answers", "retrieved", "answer")])
def test_retrieve_and_generate_of_a_task_are_right_or_of_a_system_by_the_list(name, documents, texts):
    content = json.dumps({name: [{"qid": number, "category": "faq", "retrieve": 392 + number,
                                  "generate": TEXTS[number]} for number in COUNT]}).encode()
    mapping = first(content)
    assert (mapping[documents], mapping[texts]) == ("retrieve", "generate")


def test_the_values_below_answers_answer_their_questions():
    content = json.dumps({"submission_name": "a", "answers": [{
        "question_text": ASKED[number], "value": ("N/A", True, 406.5, f"Player {number}")[number % 4],
        "references": [{"pdf_sha1": f"446545ae548543d8744f8d885ff75face342{number:04}", "page_index": number}]}
        for number in COUNT]}).encode()
    mappings = [dict(reading.mapping) for reading in propose(Source(("submission.json", content)))]
    assert [(mapping["role"], mapping.get("answers"), mapping.get("answer")) for mapping in mappings] == [
        ("truth", "value", None), ("run", None, "value")]
    runs = read_runs(("submission.json", content), mapping=mappings[1])
    assert runs[0].details.column("answer").to_pylist()[3] == "Player 3"


def test_why_a_question_is_asked_is_no_answer():
    content = json.dumps({"queries": [{"id": f"{number}", "source": "rules", "question": ASKED[number],
                                       "why_this_tests_chunking": TEXTS[number]} for number in COUNT]}).encode()
    readings = propose(Source(("queries.json", content)))
    assert [(reading.role, reading.mapping["query"]) for reading in readings] == [("questions", "question")]


def test_values_in_a_file_of_averages_are_means():
    lines = [[f"high/case-{'ABCDEFGHI'[number]}", 0.9 - number / 20, 0.8 - number / 20] for number in COUNT]
    content = table(["case", "embed-4@1024", "embed-3@1024"], *lines)
    assert not propose(Source(("averages.csv", content)))
    queries = table(["query_id", "recall@5", "mrr"], *[[f"q{number}", 0.5, 0.25] for number in COUNT])
    assert propose(Source(("summary.csv", queries)))[0].mapping["query_id"] == "query_id"


def test_the_number_of_a_record_is_its_id_and_execution_is_a_metric():
    content = "\n".join(json.dumps({"i": number, "db_id": "games", "hardness": ("easy", "hard")[number % 2],
                                    "exec": number % 2, "exact": number % 3 % 2}) for number in range(20)).encode()
    mapping = first(content, "per_example.jsonl")
    assert (mapping["query_id"], mapping["scores"]) == ("i", "exec+exact")


def test_pools_of_references_are_right_documents():
    content = json.dumps({ASKED[number]: {"kind": "number", "answers": [f"{number} moves"], "reference_pools": [
        [f"446545ae548543d{number}:6", f"446545ae548543d{number}:88"]] if number else []} for number in COUNT}).encode()
    mapping = first(content)
    assert (mapping["relevant"], mapping["answers"]) == ("reference_pools", "answers")
    assert read_truth(("file.json", content), mapping=mapping).judgments == 16


def test_an_expected_verdict_alone_may_be_the_right_answer():
    content = rows(id=str, question=asked, as_of_date="20230615", gold_chunk_ids=[], expected_verdict=lambda number: (
        "exempt", "taxable", "uncertain")[number % 3])
    roles = [(reading.role, reading.mapping.get("answers")) for reading in propose(Source(("qa.json", content)))]
    assert roles == [("questions", None), ("truth", "expected_verdict")]


RIGHT_LISTS = {"paths": lambda number: [f"packages/core/part{number}.ts"] * (1 + number % 2),
               "addresses": lambda number: [f"https://rules.org/{number}"],
               "codes": lambda number: [f"rule_{number}", f"rule_{number + 1}"]}


@pytest.mark.parametrize("right", RIGHT_LISTS.values(), ids=RIGHT_LISTS)
@pytest.mark.parametrize("above", ["", "questions"])
def test_lists_of_paths_or_codes_under_ground_truth_are_right_documents(above, right):
    records = [{"id": f"q{number}", "type": "direct", "question": ASKED[number], "ground_truth": right(number)}
               for number in COUNT]
    content = json.dumps({"metadata": {"total": 9}, above: records} if above else records).encode()
    with pytest.raises(InputError) as error:
        read_truth(("file.json", content))
    mapping = next(problem.facts["mappings"][0] for problem in error.value.problems
                   if problem.kind == "proposed-reading")
    assert mapping["relevant"] == "ground_truth" and "answers" not in mapping
    assert read_truth(("file.json", content), mapping=mapping).judgments >= len(COUNT)


@pytest.mark.parametrize("right", [lambda number: [f"Player {number}", f"The player {number}"],
                                   lambda number: ["yes/no", "on/off"][number % 2:]])
def test_lists_of_answers_under_ground_truth_stay_answers(right):
    truth = read_truth(("file.json", rows(id=str, question=asked, ground_truth=right)))
    assert truth.judgments == 0 and "answers" in truth.details.column_names
