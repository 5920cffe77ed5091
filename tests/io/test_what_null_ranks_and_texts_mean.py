"""Nothing is dropped without a word: ranks of some documents only, texts of queries in qrels, right documents."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

RANKED = {"role": "run", "query": "query", "retrieved": "candidates[].id", "rank": "candidates[].rerankRank"}
SCORED = {"role": "run", "query": "query", "retrieved": "candidates[].id", "score": "candidates[].points"}
QRELS = b"q1\thow to cook rice\td1\t2\nq1\thow to cook rice\td2\t0\nq2\twhat is a wok\td3\t1\n"


def candidates(name: str, values: list[list]) -> tuple[str, bytes]:
    """A file of queries with three candidates each."""
    return "pool.json", json.dumps([
        {"query": f"which room has map {query}", "candidates": [
            {"id": f"d{query}{place}", name: value} for place, value in enumerate(row)]}
        for query, row in enumerate(values)]).encode()


def rankings(run) -> list[list[str]]:
    return [[row["doc_id"] for row in run.ranking(query).to_pylist()] for query in run.query_ids.to_pylist()]


def kinds(record) -> dict[str, int]:
    return {problem.kind: problem.facts["count"] for problem in record.problems}


def test_a_document_without_a_rank_was_not_returned_and_the_others_keep_their_ranks():
    run, = read_runs(candidates("rerankRank", [[2, None, 1], [2, 3, 1], [None, None, None]]), mapping=RANKED)
    assert rankings(run)[:2] == [["d02", "d00"], ["d12", "d10", "d11"]] and run.depth == 3
    assert kinds(run) == {"document-without-rank": 4}
    assert "They are left out" in str(run.problems[0])


def test_where_no_document_has_a_rank_the_order_of_the_lists_counts():
    run, = read_runs(candidates("rerankRank", [[None, None, None]] * 3), mapping=RANKED)
    assert rankings(run) == [[f"d{query}{place}" for place in range(3)] for query in range(3)] and not run.problems


def test_it_is_said_that_scores_of_some_documents_are_not_read():
    run, = read_runs(candidates("points", [[7, None, 9], [7, 8, 9]]), mapping=SCORED)
    assert rankings(run) == [["d00", "d01", "d02"], ["d10", "d11", "d12"]] and run.scores is None
    assert kinds(run) == {"document-without-score": 1}


def test_the_second_column_of_qrels_may_be_the_text_of_the_query():
    truth = read_truth(("qrels.tsv", QRELS))
    assert truth.details["query"].to_pylist() == ["how to cook rice", "what is a wok"]
    assert truth.grades.tolist() == [2, 0, 1] and not truth.problems


def test_of_two_texts_of_a_query_the_first_counts_and_a_warning_says_so():
    truth = read_truth(("qrels.tsv", QRELS + b"q2\twhat is a pan\td4\t1\nq3\thow hot is it\td1\t1\n"))
    assert truth.details["query"].to_pylist() == ["how to cook rice", "what is a wok", "how hot is it"]
    problem, = truth.problems
    assert problem.kind == "conflicting-values" and problem.facts["other"] == "'what is a pan'"


def test_several_texts_of_each_query_are_subtopics():
    truth = read_truth(("qrels.tsv", b"q1\tuse of rice\td1\t2\nq1\tprice of rice\td2\t1\n"))
    assert "subtopics" in truth.details.column_names and "query" not in truth.details.column_names


def test_a_name_that_several_queries_share_is_that_of_who_judged():
    truth = read_truth(("qrels.tsv", b"q1\tAda Byron\td1\t2\nq2\tAda Byron\td2\t1\nq3\tAda Byron\td2\t1\n"))
    assert truth.details is None and truth.grades.tolist() == [2, 1, 1]


def test_contradicting_grades_of_qrels_with_texts_are_said_with_their_lines():
    with pytest.raises(InputError) as caught:
        read_truth(("qrels.tsv", QRELS + b"q1\thow to cook rice\td1\t0\n"))
    assert "4" in str(caught.value)


def test_questions_with_right_documents_and_a_least_score_are_no_run_of_metrics():
    table = (b'question,expected_product_ids,min_similarity_score\nShow me small laptops,"E1,E4",0.7\n'
             b'Which phones fold,"E2,E3",0.8\nAre there green lamps,E9,0.7\n')
    with pytest.raises(InputError) as caught:
        read_runs(("questions.csv", table))
    mapping, = caught.value.problems[0].facts["mappings"]
    truth = read_truth(("questions.csv", table), mapping=mapping)
    assert truth.docs.to_pylist() == ["E1", "E4", "E2", "E3", "E9"] and set(truth.grades.tolist()) == {1}
