"""Cells that hold several ids of documents next to cells with one: lists where the parts are ids known elsewhere."""

import csv
import io as streams

import pytest

from ragdash import io
from ragdash.io.tables.joined_ids import find_joined_ids

HEADER = ("Question", "Bot says", "Retrieved docs", "Right doc")
READINGS = {
    "as mapped": {"query": "Question", "retrieved": "Retrieved docs", "relevant": "Right doc"},
    "as proposed": {"role": "both", "query": "Question", "retrieved": "Retrieved docs", "relevant": "Right doc"},
}


def table(right, returned=None, header=HEADER):
    """A CSV of 29 questions; right: {row: the cell of what is right}; returned: the cells of what was returned."""
    text = streams.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    for row in range(29):
        docs = [f"loc_{(row + place) % 20:02d}" for place in range(3)]
        cell = str(docs) if returned is None else returned(row, docs)
        writer.writerow((f"What is at place {row}?", f"It is number {row} of the map.", cell,
                         right.get(row, f"loc_{row % 20:02d}")))
    return text.getvalue().encode()


def docs_of(record, row):
    """The documents of a question."""
    frame = record.frame()
    return frame["doc_id"][frame["query_id"] == f"What is at place {row}?"].tolist()


def noted(record):
    """(count, column, example) of the cells that were read as one id."""
    return [(problem.facts["count"], problem.facts["column"], problem.facts["example"])
            for problem in record.problems if problem.kind == "joined-ids"]


@pytest.mark.parametrize("mapping", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("joint", ["; ", ";", ", ", ",", "|", " | ", "\n"])
def test_few_lists_of_known_ids_are_split(mapping, joint):
    """5 of 29 cells hold two ids, one of them never returned; so do single cells with a list in another way."""
    right = {row: f"loc_{row % 20:02d}{joint}loc_{40 + row}" for row in (2, 7, 11, 19, 23)} | {5: "loc_05; loc_09"}
    truth = io.read_truth(("eval.csv", table(right)), mapping=mapping)
    assert truth.judgments == 35
    assert docs_of(truth, 7) == ["loc_07", "loc_47"] and docs_of(truth, 5) == ["loc_05", "loc_09"]
    assert noted(truth) == []


@pytest.mark.parametrize("mapping", READINGS.values(), ids=READINGS)
def test_lists_of_unknown_ids_are_noted(mapping):
    """Nothing says that the parts are ids: one id, and a warning with the number of cells."""
    truth = io.read_truth(("eval.csv", table({3: "loc_03; old-1", 9: "new/a; new/b"})), mapping=mapping)
    assert docs_of(truth, 3) == ["loc_03; old-1"] and docs_of(truth, 4) == ["loc_04"]
    assert noted(truth) == [(2, "Right doc", "loc_03; old-1")]
    text = next(str(problem) for problem in truth.problems if problem.kind == "joined-ids")
    assert "2 cells of Right doc that look like lists" in text and "read as one id" in text


@pytest.mark.parametrize("mapping", READINGS.values(), ids=READINGS)
def test_ids_with_separators_that_were_returned_stay_whole(mapping):
    """A file name with a comma is one id where it was returned, also where its parts are names of other documents."""
    content = table({row: "loc_01, loc_02" if row % 7 else "loc_03, loc_04; loc_05" for row in (1, 7, 14)},
                    lambda row, docs: str([*docs, "loc_01, loc_02", "loc_03, loc_04"]))
    truth = io.read_truth(("eval.csv", content), mapping=mapping)
    assert docs_of(truth, 1) == ["loc_01, loc_02"] and docs_of(truth, 7) == ["loc_03, loc_04", "loc_05"]
    content = table({1: "loc_01, loc_02"}, lambda row, docs: str([*docs, "loc_01, loc_02"]),
                    (*HEADER[:3], "Right docs"))
    plural = io.read_truth(("eval.csv", content), mapping={**mapping, "relevant": "Right docs"})
    assert docs_of(plural, 1) == ["loc_01, loc_02"] and noted(truth) == noted(plural) == []


@pytest.mark.parametrize("mapping", READINGS.values(), ids=READINGS)
def test_few_lists_of_returned_ids_are_split(mapping):
    """The documents that were returned, mostly one."""
    header = ("Question", "Bot says", "Found doc", "Right doc")
    mapping = {**mapping, "retrieved": "Found doc"}
    content = table({}, lambda row, docs: docs[0] if row % 6 else "; ".join(docs), header)
    run = io.read_run(("eval.csv", content), mapping=mapping)
    assert docs_of(run, 6) == ["loc_06", "loc_07", "loc_08"] and docs_of(run, 5) == ["loc_05"]
    odd = io.read_run(("eval.csv", table({}, lambda row, docs: docs[0] if row else "x; y", header)), mapping=mapping)
    assert docs_of(odd, 0) == ["x; y"] and noted(odd) == [(1, "Found doc", "x; y")]


def test_reference_texts_are_not_split():
    """Texts stay texts, also where their parts are ids."""
    header = (*HEADER[:3], "Right answer")
    mapping = {"query": "Question", "retrieved": "Retrieved docs", "answers": "Right answer"}
    for role in ({}, {"role": "both"}):
        truth = io.read_truth(("eval.csv", table({3: "loc_01; loc_02"}, header=header)), mapping={**mapping, **role})
        assert ["loc_01; loc_02"] in truth.details["answers"].to_pylist() and noted(truth) == []


@pytest.mark.parametrize("cell", ["d1,d2,d3", "d1; d2; d3", "d1 d2 d3", "d1;d2;d3", "d1|d2|d3", "d1, d2, d3"])
def test_ids_of_allowed_documents_are_split_as_those_of_right_documents_are(cell):
    truth = io.read_truth(("t.csv", f'query_id,relevant,allowed\nq1,d1,"{cell}"\nq2,d2,d2\nq3,d3,\n'.encode()))
    assert truth.details["allowed"].to_pylist() == [["d1", "d2", "d3"], ["d2"], None] and noted(truth) == []


def test_allowed_documents_that_are_read_as_one_id_are_noted():
    truth = io.read_truth(("t.csv", b'query_id,relevant,allowed\nq1,x,"d1,new/a,b_3"\n'))
    assert truth.details["allowed"].to_pylist() == [["d1,new/a,b_3"]]
    assert noted(truth) == [(1, "allowed", "d1,new/a,b_3")]


@pytest.mark.parametrize(("cells", "ids"), [
    (["travel,finance.md", "hr_policy,travel.md", "finance.md", "hr_policy"],  # half of them known, all of them codes
     [["travel,finance.md"], ["hr_policy,travel.md"], ["finance.md"], ["hr_policy"]]),
    (["travel_a,finance_b", "hr_c,travel_a", "finance_b", "hr_c"],
     [["travel_a", "finance_b"], ["hr_c", "travel_a"], ["finance_b"], ["hr_c"]]),
    (["guide.md", "faq.html, fees.pdf", "rules 2021.pdf, fees.pdf"],
     [["guide.md"], ["faq.html", "fees.pdf"], ["rules 2021.pdf", "fees.pdf"]]),
    (["c12, c45, c3", "c7, c9"], [["c12", "c45", "c3"], ["c7", "c9"]]),
    (["12, 45, 3", "7, 9"], [["12", "45", "3"], ["7", "9"]]),
    (["5b957791-3c7b-4f29-a410-8d005a538855;2b0845e7-0c3f-4e3e-9f39-0d7b9f1c1f5e", "a1"],
     [["5b957791-3c7b-4f29-a410-8d005a538855", "2b0845e7-0c3f-4e3e-9f39-0d7b9f1c1f5e"], ["a1"]]),
    (["Rates, 2021.pdf", "Fees, old.pdf"], [["Rates, 2021.pdf"], ["Fees, old.pdf"]]),
    (["12,5", "3,25"], [["12,5"], ["3,25"]])])
def test_parts_that_are_alike_are_several_ids(cells, ids):
    """Names of files, hashes and codes that differ in their digits; a comma within a name or a number joins nothing."""
    ways = find_joined_ids(cells, ())
    assert [ways.parts(cell) for cell in cells] == ids
