"""What the values of a column say of another one: which are lists, which are right, and what a system returned."""

from __future__ import annotations

import json

from ragdash.io import detect, read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = 12
ASKED = [f"Which rule covers case {number} of the game?" for number in range(COUNT)]
SECTIONS = [f"{number % 5 + 1}.{number}" for number in range(COUNT)]


def readings(rows: list[dict], name: str = "file.json") -> tuple[list[dict[str, str]], tuple[str, bytes]]:
    """The readings, best first, and the file."""
    file = name, json.dumps(rows).encode()
    return [dict(reading.mapping) for reading in propose(Source(file))], file


def table(**columns) -> tuple[str, bytes]:
    """A CSV file with a function of the row's number for each column."""
    lines = [",".join(columns), *(",".join(f'"{value(number)}"' for value in columns.values())
                                  for number in range(COUNT))]
    return "table.csv", "\n".join(lines).encode()


def test_cells_that_hold_the_id_of_another_column_among_others_are_lists():
    file = table(question=lambda n: ASKED[n], expected_section=lambda n: SECTIONS[n],
                 answer=lambda n: f"Case {n} is covered in full by the part on moves.",
                 retrieved_sections=lambda n: " | ".join((SECTIONS[n - 1], SECTIONS[n], f"9.{n}.1")),
                 retrieved_titles=lambda n: " | ".join(("General", f"Part {n}", "Scope")),
                 correctness=lambda n: 5, groundedness=lambda n: 5)
    mapping = dict(propose(Source(file))[0].mapping)
    assert (mapping["retrieved"], mapping["relevant"]) == ("retrieved_sections", "expected_section")
    assert mapping["answer"] == "answer" and "answers" not in mapping  # a judge rated it, always alike
    assert len(read_runs(file, mapping=mapping)[0].docs) == 3 * COUNT


def test_actual_next_to_predicted_is_right_and_the_title_of_an_issue_is_asked():
    rows = [{"index": number, "issue_title": f"Saving image {number} fails with a black frame",
             "issue_body": f"I saved image {number}. " * 30, "actual_files": [f"src/a{number}.py", f"src/b{number}.py"],
             "predicted_files": [f"src/a{number}.py"], "wall_seconds": 6.5 + number} for number in range(COUNT)]
    [mapping, *_], file = readings(rows)
    assert (mapping["query"], mapping["retrieved"], mapping["relevant"]) == (
        "issue_title", "predicted_files", "actual_files")
    assert "contexts" not in mapping
    run = read_runs(file, mapping=mapping)[0]
    assert run.details["latency_ms"].to_pylist()[0]["total"] == 6500


def test_rows_of_documents_of_which_queries_have_other_numbers_are_rather_right():
    rows = [{"question_id": number, "link": f"https://site.org/{place}", "passage": f"The part {place} is about moves."}
            for number in range(COUNT) for place in range(1 + number % 4)]
    (first, second), file = readings(rows)
    assert (first["role"], first["relevant"], first["evidence"]) == ("truth", "link", "passage")
    assert (second["role"], second["doc_id"], second["text"]) == ("run", "link", "passage")
    assert read_truth(file, mapping=first).judgments == len(rows)


def test_rows_of_as_many_documents_for_each_query_are_rather_returned():
    rows = [{"question_id": number, "link": f"https://site.org/{number + place}", "passage": f"It is in part {place}."}
            for number in range(COUNT) for place in range(3)]
    assert [mapping["role"] for mapping in readings(rows)[0]] == ["run", "truth"]


def test_many_names_with_numbers_are_the_documents_of_questions():
    rows = [{"id": f"q{number}", "question": f"What says rule {number}?",
             "ground_truth": f"It is the part {number} of it.", "source": f"contract_{number // 4:03}_AGREEMENT"}
            for number in range(4 * COUNT)]
    assert readings(rows)[0][0]["relevant"] == "source"
    for number, row in enumerate(rows):
        row["source"] = ("nq", "hotpot")[number % 2]
    assert "relevant" not in readings(rows)[0][0]


def test_a_name_that_is_expected_is_found_or_answered():
    rows = [{"query": f"a thing with {number} legs", "expected_word": f"{chr(97 + number)}nimal", "bucket": "animals"}
            for number in range(COUNT)]
    first, second = readings(rows, "gold.json")[0]
    assert (first["relevant"], second["answers"]) == ("expected_word", "expected_word")
    kinds = [{"query": row["query"], "expected_intent": row["expected_word"]} for row in rows]
    assert all("relevant" not in mapping for mapping in readings(kinds)[0])


def test_the_one_other_id_next_to_a_grade_is_the_judged_document():
    rows = [{"query_id": f"q{number}", "verse_id": f"james-2-{number + place}", "grade": 1 + place}
            for number in range(COUNT) for place in range(1 + number % 2)]
    [mapping, *_], file = readings(rows)
    assert (mapping["role"], mapping["doc_id"], mapping["grade"]) == ("truth", "verse_id", "grade")
    assert read_truth(file, mapping=mapping).judgments == len(rows)


def test_titles_next_to_a_mark_of_each_are_the_judged_documents():
    rows = [{"Query": ASKED[number], "Title": f"A study of part {place} of case {number}", "Abstract": "Long. " * 9,
             "Relevant": place == 0} for number in range(COUNT) for place in range(3)]
    [mapping, *_], file = readings(rows)
    assert (mapping["doc_id"], mapping["grade"]) == ("Title", "Relevant")
    assert sorted(set(read_truth(file, mapping=mapping).grades)) == [0, 1]


def test_the_last_rows_of_a_table_that_have_a_question_alone_are_kept():
    file = table(question=lambda n: ASKED[n], expected_ticket_id=lambda n: f"TICKET_{n:04}" if n < 9 else "",
                 expected_category=lambda n: "ORDER" if n < 9 else "")
    reading = propose(Source(file))[0]
    assert reading.count == COUNT and reading.mapping["relevant"] == "expected_ticket_id"


def test_times_of_stages_next_to_a_question_are_those_of_a_system():
    file = table(question=lambda n: ASKED[n], retrieval_time=lambda n: 0.2 + n / 100,
                 generation_time=lambda n: 4.5 + n / 10, total_latency=lambda n: 4.7 + n / 9)
    first = propose(Source(file))[0].mapping
    assert first["role"] == "run"
    assert {*first["latency_s"].split("+")} == {"retrieval_time", "generation_time", "total_latency"}


def test_the_length_of_an_answer_is_no_answer():
    rows = [{"variant": variant, "question_id": f"F{number}", "decision": ("ANSWER", "REFUSE")[number % 2],
             "faithfulness": number / COUNT, "latency_s": 4.5 + number, "answer_len": 184 + 37 * number}
            for variant in ("full", "no_reranker") for number in range(COUNT)]
    assert "answer" not in readings(rows)[0][0]


def test_numbers_of_each_system_on_the_scale_of_one_score_are_scores():
    rows = [{"id": f"G{number}", "question": ASKED[number], "reference_answer": f"It is part {number}.",
             **{f"{system}_{name}": value for system in ("flat", "graph") for name, value in (
                 ("answer", f"The {system} part {number} is what covers it."), ("faithfulness", 1 + number % 5),
                 ("comprehensiveness", 1 + number % 4), ("multi_hop_reasoning", 1 + number % 3),
                 ("total_tokens", 500 + number))}} for number in range(COUNT)]
    assert readings(rows)[0][0]["scores"] == "{run}_faithfulness+{run}_comprehensiveness+{run}_multi_hop_reasoning"


def test_titles_under_sources_next_to_an_answer_and_its_texts_were_returned():
    rows = [{"id": f"q{number}", "question": ASKED[number], "answer": f"Part {number} covers it in full.",
             "context_preview": f"[1] Title: Moves of part {number}. It covers what the game is about.",
             "sources": [f"Moves of part {number}", "Rules of the game"], "faithfulness": number / COUNT}
            for number in range(COUNT)]
    assert readings(rows)[0][0]["retrieved"] == "sources"


def test_the_id_of_the_one_first_document_was_returned():
    rows = [{"query_id": f"q{number}", "query": ASKED[number], "expected_movie_id": 6122 + number,
             "pred_top1_movie_id": 6122 + number + number % 2, "mrr": 1 - number % 2} for number in range(COUNT)]
    first = readings(rows)[0][0]
    assert (first["retrieved"], first["relevant"]) == ("pred_top1_movie_id", "expected_movie_id")


def test_generated_texts_next_to_their_metrics_are_answers_without_a_query():
    rows = [{"generated_texts": f"Part {number} covers it.", "generated_tokens": [number, 7], "bleu": number / COUNT,
             "rouge": number / COUNT} for number in range(COUNT)]
    first = readings(rows)[0][0]
    assert (first["query_id"], first["answer"], first["scores"]) == ("row number", "generated_texts", "bleu+rouge")


def test_rewritten_queries_of_users_are_no_corpus():
    lines = [{"_id": f"dd6b{number}<::>2", "text": f"|user|: Does part {number} cover it? {'moves rules game ' * 9}"}
             for number in range(COUNT)]
    file = "rewrite.jsonl", "\n".join(map(json.dumps, lines)).encode()
    assert detect(file).role != "corpus"
    assert dict(propose(Source(file))[0].mapping) == {"role": "questions", "query_id": "_id", "query": "text"}


def test_a_score_of_who_asks_rates_no_answer():
    rows = [{"id": f"r{number}", "query": ASKED[number], "expected_llm": ("career", "profile")[number % 2],
             "profile": {"score": 600 + number, "province": "North"}} for number in range(COUNT)]
    assert readings(rows)[0][0]["role"] == "questions"


def test_a_first_row_whose_id_is_like_those_below_is_no_header():
    lines = [f"q{number + 1}\ttypes of moves in part {number} of the game" for number in range(COUNT)]
    reading = propose(Source(("queries.tsv", "\n".join(lines).encode())))[0]
    assert reading.count == COUNT and reading.mapping["query_id"] == "column 1"


def test_actual_next_to_the_predicted_class_of_a_system_is_right():
    kinds = ("Logic", "Cultural", "Wordplay")
    file = table(ID=lambda n: n, Question=lambda n: ASKED[n], Actual=lambda n: kinds[n % 3],
                 Baseline_Predicted=lambda n: kinds[n % 2], Baseline_Correct=lambda n: int(n % 3 == n % 2))
    mapping = propose(Source(file))[0].mapping
    assert (mapping["answers"], mapping["answer"]) == ("Actual", "Baseline_Predicted")


def test_questions_about_cases_with_what_is_switched_on_are_questions():
    rows = [{"case_id": f"CASE-{number // 2:04}", "question": ASKED[number], "add_match_info": "yes",
             "expected_contains": ["moves"]} for number in range(COUNT)]
    first = readings(rows)[0][0]
    assert (first["role"], first["query"]) == ("questions", "question") and "scores" not in first
