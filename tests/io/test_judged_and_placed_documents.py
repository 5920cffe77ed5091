"""Judged documents next to relevant ones, ids under names of texts, grades in keys, sets of questions, and values of
each system.
"""

from __future__ import annotations

import json

import pytest
from reading_checks import as_csv, offered

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]


def as_json(value) -> tuple[str, bytes]:
    return "file.json", json.dumps(value).encode()


def grades(file, mapping) -> dict[str, int]:
    """{document: grade} over all queries."""
    truth = read_truth(file, mapping=mapping)
    return dict(zip(truth.docs.to_pylist(), map(int, truth.grades), strict=True))


def pool(number: int) -> list[str]:
    return [f"p{number}-{place}" for place in range(4)]


def test_judged_documents_that_are_not_relevant_have_grade_0():
    rows = [{"id": f"q{n}", "query": asked, "judged": pool(n), "relevant": pool(n)[:n % 3]}
            for n, asked in enumerate(ASKED)]
    (mapping,) = offered(as_json(rows))
    assert mapping["relevant"] == "relevant:1+judged:0"
    judged = grades(as_json(rows), mapping)
    assert [judged[doc] for doc in pool(2)] == [1, 1, 0, 0]
    assert len(judged) == 4 * len(rows)
    problems = read_truth(as_json(rows)).problems  # as it is, with the offer beside it
    assert [dict(offer) for problem in problems if problem.kind == "proposed-reading"
            for offer in problem.facts["mappings"]] == [mapping]


def test_grades_of_relevant_documents_stay_next_to_those_that_were_judged():
    rows = [{"id": f"q{n}", "query": asked, "judged": pool(n), "relevant": dict.fromkeys(pool(n)[:1 + n % 2], 2)}
            for n, asked in enumerate(ASKED)]
    mapping, *_ = offered(as_json(rows))
    judged = grades(as_json(rows), mapping)
    assert [judged[doc] for doc in pool(1)] == [2, 2, 0, 0]


def test_cells_of_judged_and_relevant_documents_are_lists():
    rows = [{"question": asked, "judged_ids": "|".join(pool(n)), "relevant_ids": "|".join(pool(n)[1:1 + n % 3])}
            for n, asked in enumerate(ASKED)]
    mapping, *_ = offered(as_csv(rows))
    judged = grades(as_csv(rows), mapping)
    assert (len(judged), sum(judged.values())) == (24, 6)


@pytest.mark.parametrize("name", ["judged", "judged_ids", "judged_docs"])
def test_judged_documents_alone_are_never_the_only_offer(name):
    rows = [{"id": f"q{n}", "query": asked, name: pool(n)} for n, asked in enumerate(ASKED)]
    first, second = offered(as_json(rows))
    assert ("relevant" in first, second["relevant"]) == (False, name)
    bare = [{"id": row["id"], name: row[name]} for row in rows]
    assert [sorted({"relevant", "retrieved"} & mapping.keys()) for mapping in offered(as_json(bare))] == [
        ["relevant"], ["retrieved"]]


def test_grades_next_to_judged_documents_are_theirs():
    rows = [{"id": f"q{n}", "query": asked, "judged": pool(n), "grades": [n % 3, 0, 2, 0]}
            for n, asked in enumerate(ASKED)]
    (mapping,) = offered(as_json(rows))
    judged = grades(as_json(rows), mapping)
    assert [judged[doc] for doc in pool(1)] == [1, 0, 2, 0]


IDS = {"number of a chunk": lambda n, place: f"doc_{n}#{place}",
       "digest": lambda n, place: f"{n}a{place}b" * 10,
       "UUID": lambda n, place: f"0000000{n}-000{place}-4a00-8b00-00000000000{n}",
       "whole number": lambda n, place: 100 + 10 * n + place,
       "place": lambda n, place: f"Rules of the game::Chapter {n} > {n}.{place} How a piece is moved",
       "page of a file": lambda n, place: f"Rules of {n} games.pdf, page {place}"}
TEXTS = {"sentence": lambda n, place: f"A rook moves {n} squares along a rank, and {place} along a file.",
         "two sentences": lambda n, place: f"Rule {n}.{place} of the game has changed. The king may move twice."}
NAMES = ["reference_chunks", "expected_chunks", "gold_contexts", "reference_contexts", "relevant_passages"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [*IDS, *TEXTS])
def test_values_say_whether_a_field_has_ids_or_texts(kind, name):
    make = {**IDS, **TEXTS}[kind]
    rows = [{"question": asked, "ground_truth": f"It is rule {n} of many.",
             name: [make(n, place) for place in range(1 + n % 3)]} for n, asked in enumerate(ASKED)]
    mapping, *_ = offered(as_json(rows))
    assert (mapping.get("relevant"), mapping.get("evidence")) == ((name, None) if kind in IDS else (None, name))
    if kind in IDS:  # under a name that a known format reads as texts, too
        try:
            problems = read_truth(as_json(rows)).problems
        except InputError as error:
            problems = error.problems
        assert any(mapping in map(dict, problem.facts["mappings"]) for problem in problems
                   if problem.kind == "proposed-reading")


@pytest.mark.parametrize("mark", ["::", "|", "/", "#", "--"])
def test_keys_that_join_a_query_and_a_document_are_judgments(mark):
    graded = {f"q{n}{mark}d{place}": (n + place) % 3 for n in range(4) for place in range(3)}
    (mapping,) = offered(as_json(graded))
    truth = read_truth(as_json(graded), mapping=mapping)
    assert truth.query_ids.to_pylist() == ["q0", "q1", "q2", "q3"]
    assert (truth.judgments, int(sum(truth.grades))) == (12, 12)


def test_numbers_under_paths_are_no_judgments():
    counts = {f"src/{name}.py": place % 3 for place, name in enumerate(["cli", "core", "io", "pages", "text"])}
    assert not any("grade" in mapping for mapping in offered(as_json(counts)))


def test_marks_of_returned_documents_are_read_where_the_right_ids_are_of_another_kind():
    rows = [{"query_id": f"q{n}", "query": asked, "gt_doc_id": f"https://x.example/W{n}", "retrieved": [
        {"doc_id": f"{n}{place}", "score": 0.9 - place / 10, "is_relevant": place == n % 2} for place in range(3)]}
            for n, asked in enumerate(ASKED)]
    mapping, *_ = offered(as_json(rows))
    assert (mapping["role"], mapping["grade"]) == ("both", "retrieved[].is_relevant")
    rows = [{**row, "gt_doc_id": row["retrieved"][0]["doc_id"]} for row in rows]
    mapping, *_ = offered(as_json(rows))
    assert mapping["relevant"] == "gt_doc_id"


def test_whole_relevance_next_to_the_score_of_a_returned_document_is_its_grade():
    rows = [{"query": asked, "results": [{"doc_id": f"{n}{place}", "relevance": (n + place) % 3,
                                          "score": 0.9 - place / 10} for place in range(3)]}
            for n, asked in enumerate(ASKED)]
    mapping, *_ = offered(as_json(rows))
    assert (mapping["score"], mapping["grade"]) == ("results[].score", "results[].relevance")


@pytest.mark.parametrize("name", ["{}_correct", "correct_{}"])
@pytest.mark.parametrize("more", [{}, {"ground_truth": "yes"}])
def test_whether_each_system_is_correct_is_of_two_runs(name, more):
    rows = [{"question": asked, **more, name.format("baseline"): n % 2 == 0, name.format("agentrag"): n % 3 == 0}
            for n, asked in enumerate(ASKED)]
    with pytest.raises(InputError) as error:
        read_runs(as_csv(rows))
    (mapping,) = next(problem.facts["mappings"] for problem in error.value.problems
                      if problem.kind == "proposed-reading")
    assert [run.name for run in read_runs(as_csv(rows), mapping=mapping)] == ["baseline", "agentrag"]


def test_sets_of_questions_with_the_same_ids_keep_their_names():
    sets = {name: [{"id": n, "question": f"{name}: {asked}", "relevant": [f"{name}-{n}"]}
                   for n, asked in enumerate(ASKED)] for name in ("easy", "hard")}
    (mapping,) = offered(as_json(sets))
    truth = read_truth(as_json(sets), mapping=mapping)
    assert (len(truth), truth.query_ids.to_pylist()[::6]) == (12, ["easy/0", "hard/0"])


@pytest.mark.parametrize("short", [("std", "bal"), ("s", "b"), ("stand", "balan")])
def test_values_under_short_names_are_those_of_the_systems(short):
    rows = [{"question": asked, "standard_answer": f"It is {n} squares.", "balanced_answer": f"Rule {n} has no answer.",
             f"{short[0]}_faithfulness": n / 8, f"{short[1]}_faithfulness": n / 9} for n, asked in enumerate(ASKED)]
    (mapping,) = offered(as_csv(rows))
    runs = {run.name: run for run in read_runs(as_csv(rows), mapping=mapping)}
    assert {*runs} == {"standard", "balanced"} and mapping["scores"] == "{run}_faithfulness"
    own = {"query": "question", "answer": "standard_answer", "scores": f"{short[0]}_faithfulness", "role": "run"}
    assert len(read_runs(as_csv(rows), mapping=own)) == 1  # the names of the file can be mapped as well


def test_short_names_with_other_values_are_left_as_they_are():
    rows = [{"question": asked, "standard_answer": f"It is {n} squares.", "balanced_answer": f"Rule {n} has no answer.",
             "std_faithfulness": n / 8, "bal_relevancy": n / 9} for n, asked in enumerate(ASKED)]
    assert not any("standard_faithfulness" in str(mapping) for mapping in offered(as_csv(rows)))


@pytest.mark.parametrize(("right", "wrong"), [("relevant", "irrelevant"), ("relevant_ids", "not_relevant_ids")])
def test_documents_that_are_not_relevant_have_grade_0(right, wrong):
    rows = [{"question": asked, right: [f"d{n}"], wrong: [f"e{n}", f"f{n}"]} for n, asked in enumerate(ASKED)]
    (mapping,) = offered(as_json(rows))
    judged = grades(as_json(rows), mapping)
    assert (len(judged), judged["d1"], judged["e1"]) == (18, 1, 0)
    alone = [{"id": n, "question": row["question"], wrong: row[wrong]} for n, row in enumerate(rows)]
    assert not any({"relevant", "retrieved"} & mapping.keys() for mapping in offered(as_json(alone)))


def test_ids_under_evidence_are_judgments():
    rows = [{"question": asked, "reference": f"It is {n}.", "evidence": [f"doc_{n}#0", f"doc_{n}#1"]}
            for n, asked in enumerate(ASKED)]
    (mapping,) = offered(as_json(rows))
    assert mapping["relevant"] == "evidence"
    with pytest.raises(InputError, match="relevant = evidence"):
        read_truth(as_json(rows))


def test_links_to_copies_and_numbers_of_sections_name_no_document():
    rows = [{"question": asked, "answer": f"It is rule {n} of them.", "expected_source": {
        "url": f"https://x.example/{n}", "archive_url": f"https://archive.example/x.example/{n}"}}
            for n, asked in enumerate(ASKED)]
    assert not any("archive_url" in str(mapping) for mapping in offered(as_json(rows)))
    rows = [{"question": asked, "doc": f"law{n % 2}.pdf", "expected_sections": ["3", "4"][:1 + n % 2]}
            for n, asked in enumerate(ASKED)]
    assert [mapping.get("relevant") for mapping in offered(as_json(rows))] == ["doc", None]
