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
