"""Lines without a header that are no qrels and no run: topics, judged passages, candidates to rank."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth

TITLES = ["international organized crime", "polio treatment in africa", "hubble telescope achievements",
          "endangered mammals", "most dangerous vehicles", "african civilian deaths"]
PASSAGES = [f"Case {number} is in the part on moves, which says so." for number in range(12)]


def mapping_of(content: str, name: str = "file.txt") -> dict[str, str]:
    """The first reading that is offered."""
    with pytest.raises(InputError) as caught:
        read_runs((name, content.encode()))
    problem = caught.value.problems[0]
    assert problem.kind == "proposed-reading"
    return problem.facts["mappings"][0]


@pytest.mark.parametrize("mark", ["\t", " ", ":"])
def test_topics_whose_titles_have_several_lengths_are_questions(mark):
    content = "".join(f"{300 + number}{mark}{title}\n" for number, title in enumerate(TITLES))
    mapping = mapping_of(content)
    assert mapping["role"] == "questions"
    truth = read_truth(("file.txt", content.encode()), mapping=mapping)
    assert truth.query_ids.to_pylist() == [str(300 + number) for number in range(6)]
    assert truth.details["query"].to_pylist() == TITLES


def test_lines_of_qrels_with_a_word_for_a_grade_stay_qrels():
    assert detect(("qrels.txt", b"q1 0 d1 x\nq2 0 d2 y\nq3 0 d3 z\n")).format == "trec-qrels"


def test_judged_passages_are_judgments_of_their_documents():
    lines = [f"DD15-{topic} DD15-{topic}.{part} d{document} {10 * document + part} {part + document}"
             for topic in (1, 2) for part in (1, 2) for document in (1, 2)]
    content = "\n".join(lines)
    mapping = mapping_of(content)
    assert mapping["role"] == "truth"
    truth = read_truth(("file.txt", content.encode()), mapping=mapping)
    assert truth.query_ids.to_pylist() == ["DD15-1", "DD15-2"]
    assert truth.docs.to_pylist() == ["d2", "d1", "d2", "d1"] and truth.grades.tolist() == [4, 3, 4, 3]


def test_candidates_with_their_question_and_passage_are_documents_of_queries():
    content = "".join(f"{100 + query}\t{7000 + number}\tWhich rule covers case {query}?\t{PASSAGES[number]}\n"
                      for query in range(4) for number in range(query, query + 3))
    mapping = mapping_of(content, "top1000.tsv")
    assert {name: mapping[name] for name in ("query_id", "query", "doc_id", "text")} == {
        "query_id": "query_id", "query": "question", "doc_id": "doc_id", "text": "passage"}
    run, = read_runs(("top1000.tsv", content.encode()), mapping=mapping)
    assert run.query_ids.to_pylist() == ["100", "101", "102", "103"] and run.depth == 3
    assert run.docs.to_pylist()[:3] == ["7000", "7001", "7002"]


def test_topics_in_a_table_are_asked_by_their_titles():
    content = "number\ttitle\tdescription\tnarrative\n" + "".join(
        f"{300 + number}\t{title}\tFind what is said of {title}.\tDocuments on {title} are relevant.\n"
        for number, title in enumerate(TITLES))
    mapping = mapping_of(content, "topics.tsv")
    assert (mapping["role"], mapping["query_id"], mapping["query"]) == ("questions", "number", "title")


@pytest.mark.parametrize("mark", [" ", "\t"])
@pytest.mark.parametrize("header", ["query_id Q0 passage_id 1 999 res_all", "qid Q0 docno rank score tag"])
def test_names_of_columns_above_a_run_are_no_query(header, mark):
    """A header was read as a query named query_id, or, between tabs, as the names 1 and 999 of columns."""
    lines = ["q1 Q0 d1 1 0.9 t", "q1 Q0 d2 2 0.8 t", "q2 Q0 d3 1 0.7 t"]
    content = "\n".join(line.replace(" ", mark) for line in [header, *lines]).encode()
    run, = read_runs(("file.trec", content))
    assert run.query_ids.to_pylist() == ["q1", "q2"] and run.docs.to_pylist() == ["d1", "d2", "d3"]
    assert run.scores.tolist() == [0.9, 0.8, 0.7]
    if "rank" not in header or mark == " ":  # else it is a table with known names
        assert ("header-line", 1) in [(problem.kind, problem.line) for problem in run.problems]


@pytest.mark.parametrize("header, lines, grades", [
    ("query_id iteration doc_id grade", "q1 0 d1 1\nq1 0 d2 2\nq2 0 d1 1", [2, 1, 1]),
    ("query_id doc_id grade", "q1 d1 1\nq1 d2 2\nq2 d1 1", [2, 1, 1])], ids=["qrels", "three columns"])
def test_names_of_columns_above_judgments_are_no_query(header, lines, grades):
    """Grades that count like ranks are grades where the header says so."""
    truth = read_truth(("file.txt", f"{header}\n{lines}\n".encode()))
    assert truth.query_ids.to_pylist() == ["q1", "q2"] and sorted(truth.grades.tolist(), reverse=True) == grades
    assert [problem.kind for problem in truth.problems if problem.line == 1] == ["header-line"]


def test_names_above_query_document_rank_and_score_are_no_query():
    run, = read_runs(("file.txt", b"qid doc_id rank score\nq1 d1 1 0.5\nq1 d2 2 0.4\nq2 d1 1 0.3\n"))
    assert run.query_ids.to_pylist() == ["q1", "q2"] and run.docs.to_pylist() == ["d1", "d2", "d1"]


def test_a_header_with_another_order_of_columns_is_refused():
    content = b"query_id Q0 doc_id score rank tag\nq1 Q0 d1 0.9 1 t\nq1 Q0 d2 0.8 2 t\nq2 Q0 d1 0.7 1 t\n"
    with pytest.raises(InputError) as caught:
        read_runs(("file.trec", content))
    assert [problem.message for problem in caught.value.problems] == ["header-line/order"]


def test_a_query_with_the_name_of_a_column_stays_a_query():
    run, = read_runs(("file.trec", b"query Q0 doc 1 0.9 t\nquery Q0 d2 2 0.8 t\nq2 Q0 d1 1 0.7 t\n"))
    assert run.query_ids.to_pylist() == ["query", "q2"]


def test_a_header_without_a_blank_above_lines_of_several_words_is_that_of_a_table():
    """Lines with as many words as those of a run, and numbers among them, are no reason to fail."""
    text = "query,score,passage\n" + "".join(f"q{n},0.{n},Part {n} 0.{n} of the rules.\n" for n in range(1, 7))
    assert detect(("file.csv", text.encode())).format == "csv"


def test_documents_and_grades_below_their_query_are_judgments():
    text = "Q:greatest rock album\nR17\t3\nR10\t1\n\nQ:christmas songs\nR17\t0\nR98\t2\n"
    truth = read_truth(("relevance.txt", text.encode()), mapping=mapping_of(text))
    assert truth.query_ids.to_pylist() == ["greatest rock album", "christmas songs"]
    judged = zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True)
    assert set(judged) == {(0, "R17", 3), (0, "R10", 1), (1, "R17", 0), (1, "R98", 2)}


@pytest.mark.parametrize("text", ["Q: who\nShe did\nQ: when\nIt was 3\n", "note\nR17 3\nR10 1\nR98 2\n"])
def test_other_lines_below_headings_are_no_judgments(text):
    with pytest.raises(InputError) as caught:
        read_truth(("notes.txt", text.encode()))
    assert all("grade" not in mapping for problem in caught.value.problems
               for mapping in problem.facts.get("mappings", ()))
