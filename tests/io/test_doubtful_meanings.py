"""Numbers, words and names that a known format would read as documents, texts or queries, and that are others."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def offered(content: bytes | str | list | dict, name: str = "file.json") -> list[dict[str, str]]:
    """The readings that are asked about."""
    if isinstance(content, (list, dict)):
        content = json.dumps(content)
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(InputError) as caught:
        read_runs((name, data))
    problem = caught.value.problems[0]
    assert problem.kind == "proposed-reading"
    return problem.facts["mappings"]


def lines(**columns) -> str:
    return "".join(json.dumps({name: column(number) if callable(column) else column[number]
                               for name, column in columns.items()}) + "\n" for number in COUNT)


def test_tags_of_a_trec_run_whose_ranks_begin_anew_are_runs():
    content = "".join(f"q{query} Q0 d{query + rank if tag == 'bm25' else rank} {rank} {9 - rank} {tag}\n"
                      for tag in ("bm25", "dense") for query in range(3) for rank in range(1, 4))
    first, second = read_runs(("runs.txt", content.encode()))
    assert (first.name, second.name) == ("bm25", "dense") and not first.problems
    assert first.docs.to_pylist()[3:6] == ["d2", "d3", "d4"] and second.docs.to_pylist()[3:6] == ["d1", "d2", "d3"]
    assert first.depth == second.depth == 3


def test_words_in_the_place_of_q0_whose_ranks_begin_anew_are_runs():
    content = "".join(f"q{query} {stance} d{query + rank} {rank} {9 - rank} tag\n"
                      for query in range(3) for stance in ("PRO", "CON") for rank in range(1, 4))
    assert [(run.name, run.depth) for run in read_runs(("runs.txt", content.encode()))] == [("PRO", 3), ("CON", 3)]


def test_tags_within_one_ranking_are_noted():
    content = "".join(f"q{query} Q0 d{rank} {rank} {9 - rank} {'bm25' if rank % 2 else 'dense'}\n"
                      for query in range(3) for rank in range(1, 5))
    run, = read_runs(("fused.txt", content.encode()))
    assert run.depth == 4 and [problem.kind for problem in run.problems] == ["several-tags"]


def test_grades_by_rater_are_no_measures():
    content = "".join(f"q{query} rater{rater} d{query + place} {(query + place + rater) % 3}\n"
                      for query in range(4) for place in range(3) for rater in (1, 2))
    assert detect(("qrels.txt", content.encode())).role == "truth"
    assert read_truth(("qrels.txt", content.encode())).query_ids.to_pylist() == ["q0", "q1", "q2", "q3"]


@pytest.mark.parametrize("names", [("alice", "bob", "carol"), ("gpt-4o", "llama-3", "mistral-7b")])
def test_the_same_names_below_each_query_are_systems_or_documents(names):
    content = {f"q{number}": {name: (number + place) % 3 for place, name in enumerate(names)} for number in COUNT}
    first, second = offered(content)
    runs = read_runs(("file.json", json.dumps(content).encode()), mapping=first)
    assert [run.name for run in runs] == list(names) and not any(len(run.docs) for run in runs)
    assert second["doc_id"] == "doc_id"


def test_counts_below_each_query_are_values():
    first, = offered({f"q{number}": {"retrieved": 7, "relevant": 3, "hit": number % 2} for number in COUNT})
    assert first["scores"] == "retrieved+relevant+hit" and "doc_id" not in first


def test_documents_that_every_query_has_are_documents():
    content = {f"q{number}": {f"d{place}": (number + place) % 3 for place in range(3)} for number in COUNT}
    assert read_truth(("file.json", json.dumps(content).encode())).judgments == 24


def test_plain_words_below_ids_are_asked_about():
    words = (["hard", "multi-hop"], ["easy", "single-hop"])
    first, second = offered({f"q{number}": words[number % 2] for number in COUNT})
    assert (first["role"], second["role"]) == ("truth", "run")
    run, = read_runs(("ids.json", json.dumps({f"q{n}": [f"d{n}", f"d{n + 1}"] for n in COUNT}).encode()))
    assert run.depth == 2


def test_numbers_of_documents_are_no_documents():
    rows = "".join(f"q{number},10,{number % 3 + 1},{number % 2}\n" for number in COUNT)
    for reading in offered(f"query_id,retrieved,relevant,hits\n{rows}", "counts.csv"):
        assert {"retrieved", "relevant"}.isdisjoint(reading)


def test_numbers_that_name_documents_are_read():
    rows = "".join(f"q{number},{100 + 7 * number},{100 + 7 * (number + number % 2)}\n" for number in COUNT)
    run, = read_runs(("ids.csv", f"query_id,retrieved,relevant\n{rows}".encode()))
    assert run.docs.to_pylist()[:2] == ["100", "107"]


def test_ids_under_contexts_are_documents():
    for reading in offered(lines(query_id=lambda n: f"q{n}", query=ASKED, answer=TEXTS,
                                 contexts=lambda n: [f"ctx_{n}_0", f"ctx_{n}_1"]), "file.jsonl"):
        assert reading["retrieved"] == "contexts"


def test_a_few_words_under_context_say_what_a_question_is_about():
    for reading in offered(lines(query_id=lambda n: f"q{n}", query=ASKED, answer=TEXTS,
                                 context=lambda n: ("billing", "shipping")[n % 2]), "file.jsonl"):
        assert (reading["attributes"], "contexts" in reading) == ("context", False)


@pytest.mark.parametrize("cited", ["Manual, page {}", "Smith et al. 200{}", "Act on moves, § {}"])
def test_a_reference_that_cites_is_asked_about(cited):
    readings = offered(lines(query_id=lambda n: f"q{n}", query=ASKED, response=TEXTS,
                             reference=lambda n: cited.format(n)), "file.jsonl")
    assert {"answers" in reading and reading["answers"] == "reference" for reading in readings} == {True, False}


def test_scores_of_a_few_whole_numbers_that_come_again_may_be_grades():
    rows = "".join(f"q{query},d{query + place},{(query + place) % 3 + 3}\n" for query in COUNT for place in range(6))
    first, second = offered(f"query_id,doc_id,score\n{rows}", "stars.csv")
    assert (first["grade"], second["score"]) == ("score", "score")
    falling = "".join(f"q{query},d{query + place},{9 - place}\n" for query in COUNT for place in range(6))
    assert read_runs(("run.csv", f"query_id,doc_id,score\n{falling}".encode()))[0].depth == 6


@pytest.mark.parametrize(("expected", "returned"), [
    ("docs/rule-{}.md", "rule-{}.md"), ("rule-{}.md", "docs/rule-{}.md"), ("rule{}", "rule{}_chunk_1")])
def test_what_is_expected_may_name_the_document_of_what_was_returned(expected, returned):
    content = lines(query=ASKED, expected=lambda n: expected.format(n),
                    retrieved=lambda n: [returned.format(n), returned.format((n + 3) % 8)])
    run, = read_runs(("file.jsonl", content.encode()))
    mapping = next(problem.facts["mappings"][0] for problem in run.problems if problem.kind == "proposed-reading")
    assert (mapping["relevant"], mapping["retrieved"]) == ("expected", "retrieved")


def test_rows_of_each_metric_are_values_of_one_answer():
    content = "".join(json.dumps({"question": ASKED[number], "answer": TEXTS[number], "evaluator": metric,
                                  "value": (number + place) / 10, "reason": f"{metric} of {number}"}) + "\n"
                      for number in COUNT for place, metric in enumerate(("correctness", "groundedness")))
    reading, = offered(content, "file.jsonl")
    run, = read_runs(("file.jsonl", content.encode()), mapping=reading)
    assert len(run) == 8 and run.details["answer"].to_pylist() == TEXTS
    assert run.file_scores.names == ("correctness", "groundedness")


@pytest.mark.parametrize("mark", ["|", ",", ", "])
def test_words_that_change_their_places_in_cells_are_lists(mark):
    names = ["moves", "castling", "draws", "clocks"]
    content = "Frage;Quellen gefunden;Antwort Bot\n" + "".join(
        f"{ASKED[number]};{mark.join([names[number % 4], names[(number + 1) % 4]])};{TEXTS[number]}\n"
        for number in COUNT)
    reading = offered(content, "bot.csv")[0]
    run, = read_runs(("bot.csv", content.encode()), mapping=reading)
    assert run.depth == 2 and run.docs.to_pylist()[:2] == ["moves", "castling"]


def test_thousands_have_commas():
    content = "query_id,system,recall@10,latency_ms\n" + "".join(
        f'q{number},{system},{50 + number}%,"1,{500 + number}"\n' for number in COUNT for system in ("bm25", "dense"))
    first = read_runs(("runs.csv", content.encode()), mapping=offered(content, "runs.csv")[0])[0]
    assert first.details["latency_ms"].to_pylist()[0]["total"] == 1500


def test_relevant_documents_that_are_texts_are_evidence():
    content = {"queries": [{"id": f"q{number}", "text": ASKED[number], "relevant_docs": [
        {"doc": f"{TEXTS[number]} {place} of the parts says it at length, and so do others.", "relevance": 3 - place}
        for place in range(2)]} for number in COUNT]}
    with pytest.raises(InputError) as caught:
        read_truth(("queries.json", json.dumps(content).encode()))
    for reading in caught.value.problems[0].facts["mappings"]:
        assert "evidence" in reading and "relevant" not in reading
