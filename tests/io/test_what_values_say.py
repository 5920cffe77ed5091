"""What the values of a column say of another one: which are lists, which are right, and what a system returned."""

from __future__ import annotations

import json

from ragdash.io import read_runs, read_truth
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
