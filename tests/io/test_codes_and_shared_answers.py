"""Ids that the other cells show to be joined, documents that questions are from, answers that systems share, spans of
answers, and judge scores of several systems.
"""

from __future__ import annotations

import pytest
from reading_checks import as_csv, offered

from ragdash.io import read_runs, read_truth
from ragdash.io.tables.joined_ids import find_joined_ids

ASKED = [f"Which rule covers case {number} of the game?" for number in range(6)]


@pytest.mark.parametrize("joint", ["|", ";", ","])
def test_codes_of_the_form_of_single_codes_are_split(joint):
    """Letters differ from code to code: K99 next to N05|K86; one code with a slip of the pen changes nothing."""
    single = ["K99", "N05", "A01", "T90", "L12", "R05", "D11", "F16IN08"]
    ways = find_joined_ids([*single, joint.join(("N06", "X18", "Y16"))], ())
    assert ways.parts(joint.join(("N06", "X18", "Y16"))) == ["N06", "X18", "Y16"] and not ways.unsplit


@pytest.mark.parametrize("cell", ["blue|red", "K99|blue", "2019|2020"])
def test_other_parts_than_the_single_codes_stay_one_id(cell):
    assert find_joined_ids(["K99", "N05", "A01", "T90", "L12", cell], ()).parts(cell) == [cell]


@pytest.mark.parametrize(("cells", "first"), [
    (["16 30 5", "17", "12 13"], ["16", "30", "5"]),
    (["d16 d30 d5", "d17"], ["d16", "d30", "d5"]),
    (["Act 12 of 1990", "Act 13 of 1991"], ["Act 12 of 1990"]),
    (["12 13", "14 15"], ["12 13"]),
    (["1 1 2", "3"], ["1 1 2"]),
])
def test_numbers_between_blanks_are_ids(cells, first):
    """Some cell has three of them or more, and none comes twice in a cell."""
    assert find_joined_ids(cells, ()).parts(cells[0]) == first


def test_judgments_without_a_header_and_iteration():
    """1,d7,2 is query, document and grade; 1, 2, 3 for each query are ranks."""
    text = "".join(f"{query},{doc},{grade}\n" for query, doc, grade in (
        (1, 9090, 3), (1, 6850, 2), (1, 8709, 1), (2, 5715, 2), (2, 9677, 2), (3, 9743, 3)))
    (mapping,) = offered(("judgments.csv", text.encode()))
    truth = read_truth(("judgments.csv", text.encode()), mapping=mapping)
    assert (len(truth), truth.judgments, sorted(truth.grades.tolist())) == (3, 6, [1, 2, 2, 2, 3, 3])
    ranks = "".join(f"{query},d{query}{rank},{rank}\n" for query in (1, 2, 3) for rank in (1, 2, 3))
    assert not any(mapping.get("grade") for mapping in offered(("ranks.csv", ranks.encode())))


def test_the_id_among_the_returned_ones_is_that_of_the_document():
    """4 of 6 ids were returned for their question: the document that it was written from, not the id of a query."""
    rows = [{"question": asked, "answer": f"It is rule {number} of the game.", "id": 100 + number,
             "top_1_id": 100 + number if number > 1 else 300, "top_2_id": 200 + number, "top_3_id": 210 + number}
            for number, asked in enumerate(ASKED)]
    assert {(mapping["relevant"], mapping.get("query_id")) for mapping in offered(as_csv(rows))} == {("id", None)}
    assert {"answer", "answers"} <= {name for mapping in offered(as_csv(rows)) for name in mapping}
    own = [{**row, "top_1_id": 300 + number} for number, row in enumerate(rows)]
    assert {mapping["query_id"] for mapping in offered(as_csv(own))} == {"id"}


def test_the_same_answer_from_all_configurations_is_the_right_one():
    rows = [{"strategy": strategy, "question_id": number, "question": asked, "answer": f"rule {number}",
             "precision_at_5": number / 8, "mrr": 1 / (number + place)} for place, strategy in enumerate(
                 ("fixed", "semantic"), 1) for number, asked in enumerate(ASKED)]
    mapping = offered(as_csv(rows))[0]
    assert (mapping["answers"], mapping.get("answer"), mapping["config"]) == ("answer", None, "strategy")
    written = [{**row, "answer": f"{row['answer']} {row['strategy']}"} for row in rows]
    assert offered(as_csv(written))[0]["answer"] == "answer"


def test_a_span_of_the_answer_is_evidence():
    rows = [{"id": number, "question": asked, "answer": f"Rule {number}.",
             "gold_answer_span": f"Cases of kind {number} are covered by rule {number} of the book."}
            for number, asked in enumerate(ASKED)]
    assert [mapping["evidence"] for mapping in offered(as_csv(rows)) if "answers" in mapping] == ["gold_answer_span"]


def test_scores_of_each_system_on_the_scale_of_others_are_read():
    """{run}_safety says nothing by its name; {run}_tokens and {run}_steps are no ratings."""
    rows = [{"query": asked, "gold": f"It is rule {number} of the game.", **{
        f"{run}_{name}": (number + place) % 6 for place, run in enumerate(("dense", "bm25")) for name in (
            "correctness", "completeness", "safety", "steps")}} for number, asked in enumerate(ASKED)]
    (mapping,) = offered(as_csv(rows))
    assert mapping["scores"].split("+") == ["{run}_correctness", "{run}_completeness", "{run}_safety"]


def test_a_time_in_sec_is_the_latency():
    rows = [{"question": asked, "answer": f"It is rule {number} of the game.", "time_sec": 2.5, "passed": "PASS"}
            for number, asked in enumerate(ASKED)]
    (run,) = read_runs(as_csv(rows))
    assert run.details["latency_ms"][0].as_py()["total"] == 2500
