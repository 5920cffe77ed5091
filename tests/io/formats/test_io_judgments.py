"""Judgments as people and search tools write them: without a header, without grades, with fractions."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_corpus, read_runs, read_truth


def judged(content: bytes) -> dict:
    truth = read_truth(("x", content))
    names = truth.query_ids.to_pylist()
    return {(names[truth.queries[i]], doc): int(truth.grades[i]) for i, doc in enumerate(truth.docs.to_pylist())}


def kinds(content: bytes) -> list[str]:
    return [problem.kind for problem in read_truth(("x", content)).problems]


@pytest.mark.parametrize("content", [b"q1 d-1 2\nq2 d-1 0\n", b"q1\td-1\t2\nq2\td-1\t0",
                                     b"# gold\nq1\td-1 2 \r\n\nq2 d-1 0\t\n"])
def test_three_columns_are_query_document_and_grade(content):
    assert judged(content) == {("q1", "d-1"): 2, ("q2", "d-1"): 0}
    assert detect(("x", content)).role == "truth"
    with pytest.raises(InputError) as caught:
        read_runs(("x", content))
    assert [problem.kind for problem in caught.value.problems] == ["truth-as-run"]


def test_three_columns_that_count_for_each_query_are_a_run_of_ranks():
    content = b"7\t105\t1\n7\t101\t2\n8\t103\t1\n"
    run, = read_runs(("x", content))
    assert run.ranking("7")["doc_id"].to_pylist() == ["105", "101"] and run.ranked_by == "rank"
    with pytest.raises(InputError) as caught:
        read_truth(("x", content))
    assert [problem.kind for problem in caught.value.problems] == ["run-as-truth"]
    assert judged(b"7 105 1\n8 103 1\n") == {("7", "105"): 1, ("8", "103"): 1}


def test_three_columns_with_scores_that_fall_within_each_query_are_a_run():
    """As Tevatron writes it."""
    run, = read_runs(("x", b"7\t105\t30.25\n7\t101\t29.5\n8\t103\t31\n"))
    assert run.ranking("7")["doc_id"].to_pylist() == ["105", "101"] and run.scores.tolist() == [30.25, 29.5, 31.0]
    long = b"".join(b"9 %d %.2f\n" % (number, 9 - number / 100) for number in range(60))
    with pytest.raises(InputError) as caught:
        read_runs(("x", b"7 1 30.25\n7 2 29.5\n8 3 31\n" + long + b"9 x high\n"))
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [("bad-score", 64)]


@pytest.mark.parametrize("content", [
    b"7 105 1\n7 101 0.5\n7 102 0.5\n8 103 1\n8 104 0.5\n", b"7 105 29.5\n7 101 30.25\n8 103 31\n",
    b"7 105 30.25\n8 103 31\n7 101 29.5\n"], ids=["few values: grades", "rising", "a query in two places"])
def test_three_columns_with_fractions_that_are_no_scores_are_refused(content):
    with pytest.raises(InputError):
        read_runs(("x", content))


def test_four_columns_have_ranks_and_scores():
    run, = read_runs(("x", b"7\t105\t1\t30.25\n7\t101\t2\t29.5\n8\t103\t1\t31\n"))
    assert run.ranking("7")["doc_id"].to_pylist() == ["105", "101"] and run.scores.tolist() == [30.25, 29.5, 31.0]


@pytest.mark.parametrize("content", [b"q1 d1\nq1 d2\n", b"q1\td1\nq1\td2", b"query_id,doc_id\nq1,d1\nq1,d2\n"])
def test_without_grades_every_document_is_relevant_and_a_warning_says_so(content):
    assert judged(content) == {("q1", "d1"): 1, ("q1", "d2"): 1}
    assert "no-grade-column" in kinds(content)


@pytest.mark.parametrize("content", [b"map all 0.31\nP_5 all 0.4\n", b"hello world\ngood day\n", b"q1 0 3\nq2 0 4\n",
                                     b"q1 d1 0.5\nq2 d1 0.25\n"])
def test_other_lines_of_words_are_no_judgments(content):
    with pytest.raises(InputError):
        read_truth(("x", content))


def test_a_line_with_another_number_of_columns_is_named():
    with pytest.raises(InputError) as caught:
        read_truth(("x", b"q1 d1 1\nq1 d2 0\n" * 30 + b"q2 d1\nq3 d1 x\n"))
    lines = [(problem.kind, problem.line) for problem in caught.value.problems]
    assert lines == [("column-count", 61), ("bad-number", 62)]


def test_ratings_with_fractions_become_whole_grades_and_a_warning_says_so():
    content = json.dumps({"judgmentRatings": [
        {"query": "metal frame", "ratings": [{"docId": "a", "rating": "1.0"}, {"docId": "b", "rating": "0.7"}]},
        {"query": "metal frame", "ratings": [{"docId": "a", "rating": "1.0"}]}]}).encode()
    assert judged(content) == {("metal frame", "a"): 10, ("metal frame", "b"): 7}
    warning, = read_truth(("x", content)).problems
    assert warning.kind == "fractional-grades" and "multiplied by 10" in warning.fix


def test_a_pointer_of_git_lfs_is_called_that():
    content = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    for read in (read_runs, read_truth, read_corpus):
        with pytest.raises(InputError) as caught:
            read(("x", content))
        assert [problem.kind for problem in caught.value.problems] == ["git-lfs"]


def test_single_zero_bytes_are_left_out_with_a_warning_and_many_are_refused():
    content = b'{"query_id": "q1", "retrieved": ["d1", "d\x002"]}\n'
    run, = read_runs(("x", content))
    assert run.docs.to_pylist() == ["d1", "d2"] and "zero-bytes" in [problem.kind for problem in run.problems]
    with pytest.raises(InputError) as caught:
        read_runs(("x", content.replace(b" ", b"\0")))
    assert [problem.kind for problem in caught.value.problems] == ["binary-file"]


def test_a_corpus_as_csv():
    corpus = read_corpus(("x", b'id,title,text\nd1,T,"a text, of\ntwo lines"\nd2,,b\n'))
    assert corpus.documents(["d1", "d2"])["text"].to_pylist() == ["a text, of\ntwo lines", "b"]
    with pytest.raises(InputError):
        read_corpus(("x", b"title,text\nT,a\n"))


@pytest.mark.parametrize("cell", ['"[""a\\ud800""]"', "\"['a\\ud800']\""])
def test_half_of_a_surrogate_pair_in_a_cell_is_a_problem(cell):
    with pytest.raises(InputError) as caught:
        read_runs(("x", f"question,answer,retrieved_contexts\nq,a,{cell}\n".encode()))
    assert "surrogate" in str(caught.value)
