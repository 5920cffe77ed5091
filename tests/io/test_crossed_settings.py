"""Rows that differ in two settings, one of them a number, and names of fields that say more than one thing."""

from __future__ import annotations

import json

from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def offered(records, name: str = "file.json") -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source((name, json.dumps(records).encode())))]


def chunks(number: int) -> list[dict]:
    return [{"section_id": f"GH-{number + place}", "text": TEXTS[number], "score": 1 - place / 4} for place in range(2)]


def test_a_method_and_a_ratio_are_the_configuration():
    settings = [("raw", 1.0), *((method, ratio) for ratio in (0.3, 0.5) for method in ("pruned", "plain"))]
    records = [{"id": f"q{number}", "question": ASKED[number], "method": method, "ratio": ratio,
                "answer": f"{TEXTS[number]} {method} {ratio}", "gold_answers": [f"Part {number}"]}
               for number in COUNT for method, ratio in settings]
    mapping, = offered(records)
    assert mapping["config"] == "method+ratio" and "scores" not in mapping
    file = ("file.json", json.dumps(records).encode())
    assert len(read_runs(file, mapping=mapping)) == len(settings)
    assert len(read_truth(file, mapping=mapping).query_ids) == len(ASKED)


def test_a_fraction_that_differs_within_a_method_stays_a_score():
    records = [{"id": f"q{number}", "question": ASKED[number], "method": method, "ratio": (number + place) % 4 / 4,
                "answer": f"{TEXTS[number]} {method}"} for number in COUNT for place, method in enumerate("xyz")]
    mapping, *_ = offered(records)
    assert mapping["config"] == "method" and mapping["scores"] == "ratio"


def test_ids_or_titles_that_were_retrieved_are_documents():
    records = [{"question": asked, "pred_answer": TEXTS[number], "gold_ids_or_titles": [f"{number}12"],
                "retrieved_ids_or_titles": [f"{number}12", f"{number}7"], "f1": number / 6}
               for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(records)
    assert (mapping["retrieved"], mapping["relevant"]) == ("retrieved_ids_or_titles", "gold_ids_or_titles")


def test_answers_to_a_raw_and_to_a_changed_text_are_two_configurations():
    records = [{"query": asked, **{f"{name}_answer": f"{TEXTS[number]} {name}" for name in ("raw", "pruned")}, **{
        f"{name}_context_{unit}": number + place * size for place, unit in enumerate(("chars", "sentences"))
        for size, name in enumerate(("raw", "pruned"))}} for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(records)
    assert mapping == {"role": "run", "query": "query", "answer": "{run}_answer"}
    assert [run.name for run in read_runs(("file.json", json.dumps(records).encode()), mapping=mapping)] == [
        "raw", "pruned"]


def test_an_answer_before_and_after_it_was_cleaned_is_no_two_configurations():
    records = [{"query": asked, "raw_answer": f"{TEXTS[number]} Yes.", "shortened_answer": TEXTS[number],
                "raw_answer_length": number, "shortened_answer_length": number} for number, asked in enumerate(ASKED)]
    assert all("{run}" not in mapping.get("answer", "") for mapping in offered(records))


def test_questions_that_were_changed_with_their_answers_are_no_configurations():
    records = [{"id": f"q{number}", **{f"{name}_{part}": f"{name} {text}" for name in ("raw", "pruned")
                                       for part, text in (("question", asked), ("answer", f"Part {number}"),
                                                          ("context", TEXTS[number]))}}
               for number, asked in enumerate(ASKED)]
    assert all("{run}" not in path for mapping in offered(records) for path in mapping.values())


def test_a_real_answer_is_right_and_one_that_distracts_is_of_no_system():
    records = [{"question": asked, "real_answer": f"Part {number}", "distractor_answer": f"Part {number + 9}",
                "generated_answer": TEXTS[number], "condition": condition}
               for condition in ("clean", "poisoned") for number, asked in enumerate(ASKED)]
    mapping, = offered(records)
    assert mapping == {"role": "both", "query": "question", "config": "condition", "answer": "generated_answer",
                       "answers": "real_answer", "attributes": "distractor_answer"}


def test_the_final_answer_in_the_state_of_an_agent_is_its_answer():
    records = [{"id": f"q{number}", "query": asked, "expected": {"must_cite_sections": [f"GH-{number}"]},
                "state": {"risk": "low", "retrieved_chunks": chunks(number), "final_answer": TEXTS[number],
                          "steps": [{"final_answer": "No."}]}} for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(records)
    assert mapping["answer"] == "state.final_answer" and mapping["relevant"] == "expected.must_cite_sections"
    assert mapping["retrieved"] == "state.retrieved_chunks[].section_id"


PROGRAM = """def rule_{number}(case: int) -> bool:
    return case == {number}
"""


def test_generated_code_next_to_a_ranking_is_an_answer():
    records = [{"query_id": number, "true_id": f"Task/{number}",
                "retrieved_docs": [f"Task/{number}", f"Task/{number + 7}"], "pass@1": number % 2,
                "generated_code": PROGRAM.format(number=number)} for number in COUNT]
    mapping, *_ = offered(records)
    assert mapping["answer"] == "generated_code" and mapping["retrieved"] == "retrieved_docs"


def test_generated_code_next_to_the_right_query_to_a_database():
    records = [{"question": asked, "gold_sql": f"SELECT name FROM rules WHERE id = {number}",
                "generated_code": f"SELECT name FROM rules WHERE id = {number} LIMIT 1"}
               for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(records)
    assert (mapping["answer"], mapping["answers"]) == ("generated_code", "gold_sql")


def test_generated_code_next_to_an_answer_is_none():
    records = [{"question": asked, "answer": TEXTS[number], "generated_code": PROGRAM.format(number=number)}
               for number, asked in enumerate(ASKED)]
    assert all("generated_code" not in (mapping.get("answer"), mapping.get("answers")) for mapping in offered(records))


def test_values_of_two_sets_of_questions_that_share_some_are_two_configurations():
    every = [*ASKED, *(f"Why is case {number} no rule?" for number in range(9))]
    sets = {name: {"overall": {"mrr": 0.5}, "per_question": [
        {"question": asked, "video": f"All about the rules {place % 4}", "reciprocal_rank": 1 / (place + 1),
         "hit@3": place < 3} for place, asked in enumerate(every[:count])]}
        for name, count in (("candidates", len(every)), ("golden", 4))}
    mapping, *_ = offered({"made": "today", "datasets": sets})
    assert mapping["records"] == "datasets.*.per_question" and mapping["config"] == "*" and "answer" not in mapping
    runs = read_runs(("file.json", json.dumps({"datasets": sets}).encode()), mapping=mapping)
    assert {run.name: len(run.query_ids) for run in runs} == {"candidates": len(every), "golden": 4}
