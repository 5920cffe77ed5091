"""Right documents under names and in forms that say a part: numbers, folders, several in a cell, evidence by its rows.
"""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]


def as_json(value) -> tuple[str, bytes]:
    return "file.json", json.dumps(value).encode()


def offered(value) -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source(as_json(value)))]


def test_the_number_of_a_document_next_to_a_question_is_its_id():
    rows = [{"question": asked, "document": 7 + number // 2} for number, asked in enumerate(ASKED)]
    first, second = offered(rows)
    assert (first["role"], first["relevant"]) == ("truth", "document")
    assert (second["role"], second["retrieved"]) == ("run", "document")
    assert read_truth(as_json(rows), mapping=first).docs.to_pylist()[:2] == ["7", "7"]


def test_documents_with_plus_signs_between_them_are_several():
    documents = ["hr_rules.md", "faq.md", "hr_rules.md + faq.md", "C++ guide.md", "prices.md", "C++ guide.md + faq.md",
                 "hr_rules.md", "faq.md"]
    rows = [{"id": number, "question": asked, "source_doc": document, "expected_answer": f"It is part {number}."}
            for number, (asked, document) in enumerate(zip(ASKED, documents, strict=True))]
    mapping, *_ = offered(rows)
    truth = read_truth(as_json(rows), mapping=mapping)
    assert truth.judgments == 10 and {*truth.docs.to_pylist()} == {
        "hr_rules.md", "faq.md", "C++ guide.md", "prices.md"}


def test_paths_of_files_and_folders_are_right_and_words_of_the_question_answer_nothing():
    rows = [{"query": f"papers of the car {n} of the blue house", "expected": ["papers", f"car {n}"],
             "expected_paths": [f"Cars\\Papers of car {n}.pdf", f"Old cars\\all papers {n}.doc", "Folder of all scans"]}
            for n in COUNT]
    mapping, *_ = offered(rows)
    assert (mapping["relevant"], mapping.get("answers")) == ("expected_paths", None)


def test_words_that_are_expected_and_not_asked_are_kept():
    rows = [{"query": asked, "expected": [f"castle {n}", f"rook {n}"]} for n, asked in enumerate(ASKED)]
    assert any("expected" in mapping.values() for mapping in offered(rows))


def parts(number: int) -> dict:
    return {"chunk_index": 3 + number % 2, "article": ["Opening", "Middle game"][number // 4], "section": "Moves"}


def test_a_section_and_the_number_of_a_chunk_are_right_together():
    """In two articles chunks have the same numbers; those of the article name them all."""
    rows = [{"question": asked, **parts(number)} for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(rows)
    assert (mapping["role"], mapping["relevant"]) == ("truth", "article+chunk_index")
    truth = read_truth(as_json(rows), mapping=mapping)
    assert {*truth.docs.to_pylist()} == {"Opening#3", "Opening#4", "Middle game#3", "Middle game#4"}


def test_the_number_of_a_chunk_in_a_right_document_is_a_choice():
    rows = [{"question": asked, "gold_answer": f"It is part {number}.", "relevant_doc_id": f"rules-{number % 3}",
             "relevant_chunk_index": number % 4} for number, asked in enumerate(ASKED)]
    assert [mapping["relevant"] for mapping in offered(rows)] == [
        "relevant_doc_id", "relevant_doc_id+relevant_chunk_index"]


@pytest.mark.parametrize(("other", "relevant"), [
    ("d9.md", "expected.primary[].file:2+expected.secondary[].file:1"), ("d0.md", "expected.primary[].file")])
def test_a_secondary_list_is_right_in_part_unless_it_repeats_the_primary_one(other, relevant):
    rows = [{"query": asked, "expected": {"primary": [{"file": f"d{number}.md"}], "secondary": [{"file": other}]}}
            for number, asked in enumerate(ASKED)]
    mapping, *_ = offered(rows)
    assert mapping["relevant"] == relevant


def test_rows_of_evidence_without_a_question_are_no_ranking():
    lines = ["question_id,document_id,section_id,evidence_text,evidence_relevance",
             *(f"q{n // 2},D-{n % 5},S-{n},Case {n} is covered by the part on moves in full.,primary" for n in COUNT)]
    content = ("file.csv", "\n".join([*lines, ""]).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mappings = next(problem.facts["mappings"] for problem in error.value.problems
                    if problem.kind == "proposed-reading")
    assert [(mapping["role"], mapping["relevant"], mapping["evidence"]) for mapping in mappings] == [
        ("truth", "document_id", "evidence_text"), ("truth", "section_id", "evidence_text")]
    assert read_truth(content, mapping=mappings[1]).judgments == 8


def test_beginnings_of_names_are_no_documents():
    rows = [{"id": number, "question": asked, "expected_source_prefixes": [f"data/rules_{number % 3}"],
             "expected_path_suffix": f"rules/part_{number}.md"} for number, asked in enumerate(ASKED)]
    assert all({"relevant", "retrieved"}.isdisjoint(mapping) for mapping in offered(rows))


def judged(key: str, document: str, **more) -> list[dict]:
    return [{key: f"i{number // 4}", document: f"a{number % 4}", "grade": number % 3, **more} for number in range(16)]


@pytest.mark.parametrize(("key", "document"), [("qid", "rid"), ("intentId", "articleId"), ("scenario_id", "cid")])
def test_two_ids_and_a_grade_are_a_judgment(key, document):
    rows = judged(key, document)
    mapping, = offered(rows)
    assert mapping == {"role": "truth", "query_id": key, "doc_id": document, "grade": "grade"}
    assert read_truth(as_json(rows), mapping=mapping).judgments == 16


def test_a_share_of_words_of_a_question_is_no_score_of_a_system():
    rows = [{"question": asked, "reference_answer": f"It is part {number}.", "source_chunk_id": f"rules:{number}",
             "overlap": number / 9} for number, asked in enumerate(ASKED)]
    assert {mapping["role"] for mapping in offered(rows)} == {"truth"}


def test_a_code_of_one_expected_ticket_names_what_is_right():
    mapping, *_ = [dict(reading.mapping) for reading in propose(Source(("file.json", json.dumps([
        {"question": f"How do I change entry {number} of my order?", "expected_ticket": f"TICKET_{number * 37:04}",
         "hit_at_3": number % 2, "answer": f"Open entry {number} and change it there."} for number in range(8)
    ]).encode())))]
    assert (mapping["relevant"], mapping["answer"]) == ("expected_ticket", "answer")
