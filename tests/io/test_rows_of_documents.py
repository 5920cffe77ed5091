"""Rows of documents without a plain score: columns of several systems, conditions of other names, grades called score.
"""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_run, read_runs, read_truth

PAIRS = [("q1", "d1"), ("q1", "d2"), ("q1", "d3"), ("q2", "d4"), ("q2", "d1"), ("q2", "d5")]
BM25, CROSS = [12.5, 11.0, 9.1, 8.5, 7.0, 6.1], [0.31, 0.92, 0.55, 0.11, 0.72, 0.65]


def table(**columns) -> bytes:
    rows = [",".join(("qid", "docid", *columns))]
    rows += [",".join(map(str, (*pair, *values))) for pair, *values in zip(PAIRS, *columns.values(), strict=True)]
    return "\n".join(rows).encode()


def offered(content: bytes, name: str = "table.csv") -> list[dict[str, str]]:
    """The readings that are offered for a file that is refused."""
    with pytest.raises(InputError) as error:
        read_runs((name, content))
    return [mapping for problem in error.value.problems if problem.kind == "proposed-reading"
            for mapping in problem.facts["mappings"]]


def first_documents(content: bytes, mapping: dict[str, str], name: str = "table.csv") -> dict[str, str]:
    return {run.name: run.ranking("q1").column("doc_id").to_pylist()[0]
            for run in read_runs((name, content), mapping=mapping)}


@pytest.mark.parametrize(("columns", "best"), [
    ({"bm25": BM25, "cross_encoder": CROSS}, {"bm25": "d1", "cross_encoder": "d2"}),
    ({"bm25_rank": [1, 2, 3, 1, 2, 3], "dense_rank": [3, 1, 2, 2, 1, 3]}, {"bm25": "d1", "dense": "d2"}),
])
def test_columns_of_systems_are_offered_as_their_runs(columns, best):
    content = table(**columns)
    mapping, = offered(content)
    assert first_documents(content, mapping) == best


def test_ranks_of_systems_next_to_a_question_are_those_of_the_first_relevant_document():
    """An empty cell says that none was found."""
    content = b"question,bm25_rank,dense_rank\nWho is first?,1,3\nWho is next?,2,1\nWho is last?,5,\n"
    mapping, = offered(content)
    values = {run.name: run.file_scores.aligned(run.name, "RR", run.query_ids.to_pylist()).tolist()
              for run in read_runs(("table.csv", content), mapping=mapping)}
    assert values == {"bm25": [1, 0.5, 0.2], "dense": [pytest.approx(1 / 3), 1, 0]}
    assert all("config" not in mapping for mapping in offered(  # those of two documents
        content.replace(b"bm25_rank,dense_rank", b"old_rank,new_rank")))


def test_one_column_of_numbers_is_offered_next_to_the_order_of_the_rows():
    content = table(my_ranker=CROSS)
    by_number, by_order = offered(content)
    assert first_documents(content, by_number) == {"table": "d2"} and first_documents(content, by_order) == {
        "table": "d1"}


@pytest.mark.parametrize("columns", [{"year": [1999, 2001, 2020, 1998, 1999, 2003]}, {"tokens": BM25}])
def test_numbers_that_describe_a_document_are_no_scores(columns):
    run = read_run(("table.csv", table(**columns)))
    assert run.ranking("q1").column("doc_id").to_pylist() == ["d1", "d2", "d3"]


def test_a_text_that_separates_repeated_ranks_is_a_part_of_the_configuration():
    rows = [{"query": f"What is in chapter {query} of the handbook?", "document_id": f"d{(query + rank + shift) % 4}",
             "method": method, "noise_level": level, "rank": rank}
            for query in range(4) for method in ("classical", "hybrid")
            for shift, level in enumerate(("clean", "low", "high")) for rank in (1, 2, 3)]
    content = json.dumps({"total": len(rows), "results": rows}).encode()
    mapping, = offered(content, "file.json")
    assert mapping["config"] == "method+noise_level"
    runs = read_runs(("file.json", content), mapping=mapping)
    assert {run.name for run in runs} == {f"{method} / {level}" for method in ("classical", "hybrid")
                                         for level in ("clean", "low", "high")}
    assert {run.depth for run in runs} == {3}


def test_whole_grades_in_a_file_of_judgments_are_asked_about():
    frame = pd.DataFrame([(query, doc, grade) for (query, doc), grade in zip(PAIRS, (1, 2, 3, 1, 2, 0), strict=True)],
                         columns=["q_id", "doc_id", "score"])
    file = io.BytesIO()
    frame.to_parquet(file)
    as_truth, as_run = offered(file.getvalue(), "qrels.parquet")
    assert sorted(read_truth(("qrels.parquet", file.getvalue()), mapping=as_truth).grades) == [0, 1, 1, 2, 2, 3]
    assert as_run["role"] == "run"
    assert len(read_run(("ranking.parquet", file.getvalue())).docs) == len(PAIRS)


def test_grades_that_most_queries_have_several_times_are_asked_about():
    content = table(score=[2, 0, 0, 0, 3, 0])
    assert [mapping["role"] for mapping in offered(content)] == ["truth", "run"]
    assert len(read_run(("table.csv", table(score=[3, 2, 1, 3, 2, 1]))).docs) == len(PAIRS)


@pytest.mark.parametrize("rows", [
    [{"score": 2 - number / 4, "file_url": f"https://example.org/{number}.pdf", "id": f"INV-{number}"}
     for number in range(8)],
    [{"id": f"item{number}", "type": "http", "url": f"http://localhost/{number}", "method": "GET"}
     for number in range(3)],
])
def test_hits_of_a_query_without_a_name_are_no_queries(rows):
    assert not offered(json.dumps(rows).encode(), "file.json")


def test_a_reading_that_finds_no_query_is_an_error():
    content = b"Kind,n,Share\nDefinition,17,0%\nMechanism,13,0%\n"
    with pytest.raises(InputError) as error:
        read_truth(("summary.csv", content), mapping={"role": "truth"})
    assert error.value.problems[0].message == "no-rows/truth"


QUESTIONS = [f"When does part {number} of the course begin?" for number in range(8)]


def with_documents(**columns) -> bytes:
    lines = [",".join(("question", "document", *columns))]
    lines += [",".join((asked, f"c{number // 2}e79ef", *(value(number) for value in columns.values())))
              for number, asked in enumerate(QUESTIONS)]
    return "\n".join(lines).encode()


def test_one_document_next_to_each_question_is_right_or_returned():
    content = with_documents(course=lambda number: "engineering")
    right, returned = offered(content)
    truth = read_truth(("table.csv", content), mapping=right)
    assert truth.docs.to_pylist()[:3] == ["c0e79ef", "c0e79ef", "c1e79ef"]
    assert (returned["role"], returned["retrieved"]) == ("run", "document")


def test_one_document_next_to_two_answers_is_right_or_returned():
    content = with_documents(answer_llm=lambda number: f"It begins on day {number} as far as I can see.",
                             answer_orig=lambda number: f"It begins on day {number} of the second term.")
    assert [(mapping.get("relevant"), mapping.get("retrieved"), mapping["answer"], mapping["answers"])
            for mapping in offered(content)] == [("document", None, "answer_llm", "answer_orig"),
                                                 (None, "document", "answer_llm", "answer_orig")]


def test_one_document_next_to_a_verdict_is_what_it_is_about_or_returned_or_right():
    content = with_documents(score=lambda number: ["good", "bad"][number == 3],
                             reasoning=lambda number: f"The answer keeps the meaning of part {number} of the text.")
    assert [(mapping["role"], mapping.get("doc_id"), mapping.get("relevant")) for mapping in offered(content)] == [
        ("run", None, None), ("run", "document", None), ("truth", None, "document")]


@pytest.mark.parametrize("extra", [{"reciprocal_rank": [1.0, 0.25, 0.0, 0.333]}, {"hit": [True, True, False, True]}])
def test_the_rank_of_one_document_for_each_query_is_no_ranking(extra):
    """The document that a question was made of, and where it was found: rank 0 says that it was not."""
    rows = pd.DataFrame({"question_id": ["q1", "q2", "q3", "q4"], "question": [f"What is rule {n} about?"
                                                                               for n in range(4)],
                         "doc_id": ["rules-1", "rules-2", "rules-1", "rules-3"],
                         "response": [f"Rule {n} is about the moves of the pieces." for n in range(4)],
                         "rank": [1, 4, 0, 3], **extra})
    content = rows.to_csv(index=False).encode()
    mapping, *_ = offered(content)
    assert mapping["relevant"] == "doc_id" and {"retrieved", "doc_id", "rank"}.isdisjoint(mapping)
    run, = read_runs(("table.csv", content), mapping=mapping)
    assert not len(run.docs) and run.file_scores is not None
    assert read_truth(("table.csv", content), mapping=mapping).judgments == 4


def test_rows_of_hits_under_other_names_have_their_ids_and_no_labels_of_the_query():
    """hit_id is the document, hit_category a kind of document; retrieved_doc_title names it where there is no id."""
    hits = pd.DataFrame([{"request_id": query, "mode": mode, "rank": rank, "score": 1 - rank / 10,
                          "hit_category": ["rules", "moves", "rules"][rank - 1], "hit_id": 100 * query + rank,
                          "snippet": f"Text {query} {rank} of the rules."}
                         for query in (1, 2, 3, 4) for mode in ("knn", "hybrid") for rank in (1, 2, 3)])
    mapping, *_ = offered(hits.to_csv(index=False).encode())
    assert (mapping["doc_id"], mapping["config"]) == ("hit_id", "mode") and "labels" not in mapping
    titles = hits[hits["mode"] == "knn"].rename(columns={"request_id": "question_id"}).assign(
        question=[f"What is rule {n}?" for n in (1, 2, 3, 4) for _ in range(3)],
        retrieved_doc_title=[f"The rules of the game, part {n}" for n in range(12)])[
            ["question_id", "question", "retrieved_doc_title", "score"]]
    mapping, *_ = offered(titles.rename(columns={"score": "retrieved_doc_cosine_score"}).to_csv(index=False).encode())
    assert (mapping["doc_id"], mapping["score"]) == ("retrieved_doc_title", "retrieved_doc_cosine_score")
