"""Lists of documents by what is next to them, by how many records have one, and by columns that differ in a size."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"What does section {number} of the manual say?" for number in range(10)]


def rows(**columns) -> tuple[str, bytes]:
    """A JSON list of ten records; a function is called with the number of the record."""
    return "file.json", json.dumps([{"question": asked, **{name: column(number) for name, column in columns.items()}}
                                    for number, asked in enumerate(ASKED)]).encode()


def table(names: str, row) -> tuple[str, bytes]:
    return "file.csv", "\n".join((f"question,{names}", *(f"{asked},{row(number)}" for number, asked in enumerate(
        ASKED)))).encode()


def mappings(file: tuple[str, bytes]) -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source(file))]


def says(number: int) -> str:
    return f"It says {number}."


@pytest.mark.parametrize(("returned", "right"), [
    ("sources", "expected_sources"), ("docs", "gold_docs"), ("citations", "expected_citations"),
    ("chunks", "golden_chunks"), ("files", "ground_truth_files"), ("source_ids", "relevant_ids"),
    ("source_docs", "expected_docs")])
def test_documents_next_to_those_that_are_right_were_returned(returned, right):
    """Of a plain answer next to them both readings are offered, and both have the ranking."""
    file = rows(answer=says, **{returned: lambda number: [f"d{number}.md", f"d{number + 1}.md"],
                                right: lambda number: [f"d{number + number % 3}.md"]})
    assert [(mapping["retrieved"], mapping["relevant"], "answer" in mapping) for mapping in mappings(file)] == [
        (returned, right, True), (returned, right, False)]


@pytest.mark.parametrize("name", ["gold_docs", "expected_chunks", "expected_documents", "ground_truth_docs"])
def test_a_list_that_one_of_ten_records_fills_in_is_read(name):
    mapping, = mappings(rows(ground_truth=says, **{name: lambda number: ["c3", "c4"] if number == 2 else []}))
    assert mapping == {"role": "truth", "query": "question", "relevant": name, "answers": "ground_truth"}
    truth = read_truth(rows(ground_truth=says, **{name: lambda number: ["c3", "c4"] if number == 2 else []}),
                       mapping=mapping)
    assert truth.judgments == 2 and len(truth.query_ids) == 10


def test_documents_that_someone_has_to_hand_in_are_not_relevant():
    file = rows(required_documents=lambda number: ["receipt", "form"] if number == 2 else [], topic=says)
    assert all("relevant" not in mapping for mapping in mappings(file))


def test_sizes_of_chunks_in_names_of_columns_are_configurations():
    mapping, = mappings(table("expected,chunk_256_ids,chunk_512_ids,chunk_256_mrr,chunk_512_mrr", lambda number: (
        f"p{number},p{number}|p{number + 1},p{number + 2}|p{number},1,0.5")))
    assert mapping == {"role": "both", "query": "question", "retrieved": "{run}_ids", "relevant": "expected",
                       "scores": "{run}_mrr"}


@pytest.mark.parametrize("systems", [("bm25", "dense"), ("chunk_256", "chunk_512")])
def test_values_of_rankings_by_system_are_not_those_of_one_system(systems):
    """They were read as one run with metrics called bm25_mrr and dense_mrr."""
    one, other = systems
    file = table(f"{one}_hit@5,{one}_mrr,{other}_hit@5,{other}_mrr", lambda number: f"{number % 2},0.5,1,1")
    with pytest.raises(InputError) as error:
        read_runs(file)
    mapping, = error.value.problems[0].facts["mappings"]
    runs = read_runs(file, mapping=mapping)
    assert [run.name for run in runs] == list(systems)


def test_kinds_of_similarity_are_metrics_of_one_system():
    run, = read_runs(table("semantic_similarity,keyword_similarity,recall", lambda number: f"0.{number},0.5,1"))
    assert sorted(run.file_scores.names) == ["keyword_similarity", "recall", "semantic_similarity"]


def test_returned_documents_in_columns_with_a_number_are_a_ranking_with_scores():
    mapping, = mappings(table("relevant_doc,retrieved_1,score_1,retrieved_2,score_2,rr", lambda number: (
        f"d{number},d{number},0.9,d{number + 1},0.7,1")))
    assert mapping == {"role": "both", "query": "question", "retrieved": "retrieved_{n}", "score": "score_{n}",
                       "relevant": "relevant_doc", "scores": "rr"}


def test_the_first_document_alone_may_be_the_ranking():
    """The values may be of a longer one: both readings are offered."""
    file = table("expected_file,found_at_rank,hit@5,top1_file", lambda number: (
        f"d{number}.md,{1 + number % 3},1,d{number + number % 3}.md"))
    assert [mapping.get("retrieved") for mapping in mappings(file)] == [None, "top1_file"]


def test_expected_chunks_as_places_in_files_are_offered():
    """They are objects with the path of a file, where the format looks for texts."""
    file = rows(expected_chunks=lambda number: [{"file": f"src/part_{number}.py", "line_start": 40 + number,
                                                 "relevance": "primary"}])
    with pytest.raises(InputError) as error:
        read_truth(file)
    mapping, = error.value.problems[0].facts["mappings"]
    assert mapping == {"role": "truth", "query": "question", "relevant": "expected_chunks[].file"}
    assert read_truth(file, mapping=mapping).judgments == 10


MARKS = [("✅", "❌"), ("✓", "✗"), ("ja", "nein"), ("oui", "non")]


@pytest.mark.parametrize(("right", "wrong"), MARKS)
def test_marks_under_correct_are_scores_not_right_answers(right, wrong):
    """A table of a report: what is expected is next to it, under a name that is longer than Correct."""
    lines = [f"| {number + 1} | {asked} | {number} of them | {number % 3} of them | {wrong if number % 3 else right} |"
             for number, asked in enumerate(ASKED)]
    content = "\n".join(("| # | Question | Expected | Answer | Correct |", "|---|---|---|---|---|", *lines)).encode()
    mapping, = mappings(("results.md", content))
    assert mapping == {"role": "both", "query_id": "#", "query": "Question", "answer": "Answer",
                       "answers": "Expected", "scores": "Correct"}
    run, = read_runs(("results.md", content), mapping=mapping)
    assert run.file_scores.names == ("Correct",)


def test_distances_in_a_batch_of_one_query_are_scores():
    """As Chroma returns them: ids, distances and documents in a list with one list."""
    file = rows(results=lambda number: {
        "ids": [[f"c{number}", f"c{number + 1}"]], "distances": [[0.2, 0.4]],
        "documents": [["The first text of two.", "The second text of two."]]})
    mapping, = mappings(file)
    run, = read_runs(file, mapping=mapping)
    assert run.ranking("What does section 1 of the manual say?").column("doc_id").to_pylist() == ["c1", "c2"]
    assert run.scores.tolist()[:2] == [-0.2, -0.4]


def ranking(number: int) -> list[str]:
    return [f"doc_{(4 * number + 3 * place) % 13}" for place in range(3)]


def with_scores(number: int) -> dict[str, float]:
    return {doc: 0.9 - place / 10 for place, doc in enumerate(ranking(number))}


@pytest.mark.parametrize("returned", [ranking, with_scores])
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"queries": 6, "runs": value}])
def test_rankings_of_the_same_queries_below_systems_are_configurations(returned, wrap):
    content = wrap({name: {f"q{number}": returned(number + shift) for number in range(6)}
                    for name, shift in (("bm25", 0), ("dense", 1))})
    file = "runs.json", json.dumps(content).encode()
    mapping, = mappings(file)
    runs = read_runs(file, mapping=mapping)
    assert [run.name for run in runs] == ["bm25", "dense"]
    assert runs[1].ranking("q2").column("doc_id").to_pylist() == ranking(3)


@pytest.mark.parametrize("content", [
    {"relevant": {f"q{n}": ["d1"] for n in range(6)}, "retrieved": {f"q{n}": ["d1", "d2"] for n in range(6)}},
    {"train": {f"q{n}": ["d1"] for n in range(6)}, "dev": {f"q{n}": ["d1"] for n in range(6, 12)}}])
def test_what_is_right_and_splits_are_no_systems(content):
    assert all("config" not in mapping for mapping in mappings(("file.json", json.dumps(content).encode())))


def test_pairs_of_an_id_and_a_score_are_a_ranking():
    """The scores were read as ids of documents."""
    content = json.dumps([{"qid": f"q{number}", "results": list(map(list, with_scores(number).items()))}
                          for number in range(6)]).encode()
    mapping, = mappings(("runs.json", content))
    run, = read_runs(("runs.json", content), mapping=mapping)
    assert run.ranking("q2").column("doc_id").to_pylist() == ranking(2) and run.scores[0] == 0.9


def test_numbered_runs_are_configurations():
    """The first of them was read and the others were left out."""
    mapping, = mappings(table("gold,run1_answer,run2_answer,run3_answer", lambda number: (
        f"{number} of them,It has {number} of them.,There are {number}.,The text says {number}.")))
    assert mapping == {"role": "both", "query": "question", "answer": "{run}_answer", "answers": "gold"}


def test_rankings_by_system_in_each_record_are_configurations():
    """They were left out of the one reading that was offered."""
    mapping, = mappings(rows(relevant=lambda number: [f"d{number}"], runs=lambda number: {
        "bm25": [f"d{number}", "x1"], "splade": ["x2", f"d{number}"]}))
    assert mapping == {"role": "both", "query": "question", "retrieved": "runs.{run}", "relevant": "relevant"}


def test_documents_in_objects_with_answers_are_offered():
    """The format reads the texts of the answers alone."""
    file = rows(answer=lambda number: {"text": says(number), "citations": [f"d{number}"]},
                ground_truth=lambda number: {"text": f"{number} of them", "documents": [f"d{number}", "e1"]})
    mapping, = read_truth(file).problems[-1].facts["mappings"]
    assert (mapping["retrieved"], mapping["relevant"]) == ("answer.citations", "ground_truth.documents")
    assert read_truth(file, mapping=mapping).judgments == 20


def test_a_plain_answer_next_to_those_of_two_systems_is_the_right_one():
    """The two systems were left out of both readings that were offered."""
    mapping, = mappings(table("answer,llm_answer,rag_answer", lambda number: (
        f"{number} of them,It has {number} of them.,There are {number}.")))
    assert mapping == {"role": "both", "query": "question", "answer": "{run}_answer", "answers": "answer"}


def test_scores_of_two_systems_next_to_labels_are_two_rankings():
    """The labels alone were read."""
    lines = [f"q{number % 3},d{number},{number},{9 - number},{number % 2}" for number in range(9)]
    file = "rows.csv", "\n".join(("query_id,doc_id,bm25_score,dense_score,label", *lines)).encode()
    with pytest.raises(InputError) as error:
        read_truth(file)
    mapping, = error.value.problems[0].facts["mappings"]
    first, second = read_runs(file, mapping=mapping)
    assert [first.name, second.name] == ["bm25", "dense"]
    assert first.ranking("q1").column("doc_id").to_pylist() == ["d7", "d4", "d1"]
    assert second.ranking("q1").column("doc_id").to_pylist() == ["d1", "d4", "d7"]
    assert read_truth(file, mapping=mapping).judgments == 9


def test_what_came_back_is_an_answer_and_one_retrieved_text_a_context():
    content = json.dumps({asked: {"expected": f"{number} of them", "got": says(number)}
                          for number, asked in enumerate(ASKED)}).encode()
    mapping, = mappings(("file.json", content))
    assert (mapping["answer"], mapping["answers"]) == ("got", "expected")
    file = rows(retrieved=lambda number: f"The text of section {number} says mu...", answer=says)
    assert [mapping["contexts"] for mapping in mappings(file)] == ["retrieved", "retrieved"]


def test_whole_numbers_next_to_documents_grade_or_rank_them():
    file = rows(documents=lambda number: [f"d{number}", f"d{number + 1}", "other"],
                relevance_scores=lambda number: [2, number % 2, 0])
    judged, ranked = mappings(file)
    assert (judged["relevant"], judged["grade"]) == ("documents", "relevance_scores")
    assert (ranked["retrieved"], ranked["score"]) == ("documents", "relevance_scores")
    truth = read_truth(file, mapping=judged)
    assert sorted(truth.grades.tolist()) == [0] * 15 + [1] * 5 + [2] * 10


def test_fractions_next_to_documents_rank_them():
    file = rows(documents=lambda number: [f"d{number}", f"d{number + 1}", "other"],
                relevance_scores=lambda number: [0.4, 0.9 - number / 20, 0.25])
    mapping, = mappings(file)
    run, = read_runs(file, mapping=mapping)
    assert run.scores.tolist()[:3] == [0.4, 0.9, 0.25] and run.ranking(ASKED[0]).column("doc_id").to_pylist() == [
        "d0", "d1", "other"]
