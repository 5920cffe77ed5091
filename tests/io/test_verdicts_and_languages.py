"""Verdicts in words, ids between blanks, the one predicted document, functions of files, and questions in languages."""

from __future__ import annotations

import json

import pytest

from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.proposals.records import read_record_lists
from ragdash.io.source.source import Source

COUNT = range(10)
ASKED = [f"Which ferry goes to island {number}?" for number in COUNT]
SAID = [f"The ferry to island {number} leaves from pier {number % 3}." for number in COUNT]
TITLES = [f"Harbor Rules - HR {number} Landing" for number in COUNT]


def as_json(rows: list[dict]) -> tuple[str, bytes]:
    return "file.json", json.dumps(rows).encode()


def offered(file: tuple[str, bytes]) -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source(file))]


def test_verdicts_with_partial_and_na_are_labels_and_ids_between_blanks_a_ranking():
    verdicts = ["yes", "no", "yes", "na", "partial", "yes", "no", "yes", "no", "yes"]
    rows = [f'q{n},S{n:04} S{n + 20:04} S{n + 40:04},"{SAID[n]}",{verdicts[n]},{verdicts[-n]}' for n in COUNT]
    text = "\n".join(["question_id,top_source_ids,answer,answer_correct,citation_correct", *rows])
    file = ("graded.csv", text.encode())
    mapping = offered(file)[0]
    assert mapping == {"role": "run", "query_id": "question_id", "retrieved": "top_source_ids", "answer": "answer",
                       "labels": "answer_correct+citation_correct"}
    assert read_runs(file, mapping=mapping)[0].docs.to_pylist()[:3] == ["S0000", "S0020", "S0040"]


def test_names_of_two_codes_with_a_blank_between_are_no_lists():
    rows = [f'q{n},{ASKED[n]},{SAID[n]},AR-{2000 + n} p.{n + 1}' for n in COUNT]
    file = ("answers.csv", "\n".join(["query_id,query,answer,source", *rows]).encode())
    assert [row["source"] for records in read_record_lists(Source(file)) for row in records.rows] == [
        f"AR-{2000 + n} p.{n + 1}" for n in COUNT]


def test_objects_with_the_ids_of_a_column_have_their_scores():
    rows = [f'q{n},{ASKED[n]},S{n:04} S{n + 20:04},S{n:04}:8.5000 S{n + 20:04}:7.2500' for n in COUNT]
    text = "\n".join(["question_id,question,top_source_ids,scores", *rows])
    mapping = offered(("debug.csv", text.encode()))[0]
    assert (mapping["retrieved"], mapping["score"]) == ("scores[].doc_id", "scores[].score")


@pytest.mark.parametrize("names", [TITLES, [f"rules-{number}.md" for number in COUNT]])
def test_the_predicted_document_next_to_the_expected_one_is_a_ranking_of_one(names):
    file = as_json([{"question": ASKED[n], "expected_source": names[n], "predicted_source": names[n - n % 2],
                     "top_score": 0.2 + n / 20, "passed": n % 2 == 0} for n in COUNT])
    mapping = offered(file)[0]
    assert (mapping["retrieved"], mapping["relevant"]) == ("predicted_source", "expected_source")
    assert "answer" not in mapping and "answers" not in mapping
    assert read_runs(file, mapping=mapping)[0].docs.to_pylist() == [names[n - n % 2] for n in COUNT]


def test_predicted_kinds_of_documents_are_no_ranking():
    kinds = ["wiki", "pdf", "web"]
    file = as_json([{"question": ASKED[n], "expected_source": kinds[n % 3], "predicted_source": kinds[n % 2],
                     "response": SAID[n]} for n in COUNT])
    assert all({"retrieved", "relevant"}.isdisjoint(mapping) for mapping in offered(file))


def test_functions_of_files_are_right_documents_also_several_between_commas():
    rows = [f'{n},"{ASKED[n]}","Pier{n}.sol:landAt{"" if n else ",Pier0.sol:_leave"}"' for n in COUNT]
    file = ("queries.csv", "\n".join(["query_id,query,ground_truth_functions", *rows]).encode())
    mapping = offered(file)[0]
    assert mapping == {"role": "truth", "query_id": "query_id", "query": "query", "relevant": "ground_truth_functions"}
    truth = read_truth(file, mapping=mapping)
    assert truth.docs.to_pylist()[:3] == ["Pier0.sol:landAt", "Pier0.sol:_leave", "Pier1.sol:landAt"]


def test_questions_in_two_languages_are_of_no_systems():
    file = as_json([{"id": f"q{n}", "question_en": ASKED[n], "question_de": f"Welche Fähre fährt zur Insel {n}?",
                     "gold_answer_en": SAID[n], "gold_answer_de": f"Die Fähre zur Insel {n} legt am Pier {n % 3} ab.",
                     "context_en": f"{SAID[n]} It is green.", "context_de": f"Die Fähre {n} ist grün."} for n in COUNT])
    mappings = offered(file)
    first = mappings[0]
    assert (first["role"], first["query"], first["answers"], first["evidence"]) == (
        "truth", "question_en", "gold_answer_en", "context_en")
    assert {mapping["query"][-2:] + mapping["answers"][-2:] for mapping in mappings} == {"enen"}
