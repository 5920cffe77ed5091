"""Units of what is right, objects of settings, members of one document, and data sets that look like runs."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
SAID = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def offered(value, name: str = "file.json") -> list[dict[str, str]]:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [reading.mapping for reading in propose(Source((name, content)))]


def refused(value, name: str = "file.json", read=read_runs) -> list[dict[str, str]]:
    """The mappings that are offered where a file is not read."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(InputError) as failed:
        read((name, content))
    return next(problem.facts["mappings"] for problem in failed.value.problems if problem.kind == "proposed-reading")


def test_right_pages_go_with_the_pages_of_what_was_returned():
    mapping, *_ = offered([{"id": n, "question": ASKED[n], "relevant_pages": [str(n + 2)], "retrieved_results": [
        {"rank": k, "chunk_id": n + k, "page_label": str(n + k), "relevant": k == 2, "text_preview": SAID[n]}
        for k in (1, 2, 3)]} for n in COUNT])
    assert (mapping["retrieved"], mapping["relevant"]) == ("retrieved_results[].page_label", "relevant_pages")


def test_settings_are_no_scores_of_an_answer():
    settings = [{"x_bm25": (n % 3) / 4, "rerank": True} for n in COUNT]
    mapping, *_ = offered([{"question": ASKED[n], "answer": SAID[n], "config": settings[n], "metrics_row": {
        "correctness": n % 3, "rerank_enabled": 1, "x_bm25": settings[n]["x_bm25"]}} for n in COUNT])
    assert mapping["scores"] == "metrics_row.correctness"


def test_answers_below_a_configuration_are_no_documents():
    mapping, *_ = offered({name: {"rows": [
        {"id": f"L{n}", "doc": "rules", "answer": f"{SAID[n]} {name}", "correct": n % 2, "faithful": 1} for n in COUNT],
        "n": 8, "correct": 4, "acc": 0.5} for name in ("rag", "base_local", "ft_local")})
    assert (mapping["records"], mapping["query_id"], mapping["config"]) == ("*.rows", "id", "*")
    assert mapping["answer"] == "answer" and "retrieved" not in mapping


def test_the_id_and_the_name_of_one_document_are_no_configurations():
    mapping, *_ = offered([{"prompt": ASKED[n], "output": SAID[n], "retrieved_recipe_id": f"19{n}",
                            "retrieved_dish_name": f"Dish of the day {n}"} for n in COUNT])
    assert (mapping["role"], mapping["retrieved"], mapping["answer"]) == ("run", "retrieved_recipe_id", "output")


def test_right_chunks_of_two_ways_to_cut_are_no_configurations():
    value = {"metadata": {"version": "2"}, "questions": [{"id": n, "question": ASKED[n], "ground_truth": {
        "flat_chunks": [n], "nested_chunks": [n, n + 1], "answer_summary": SAID[n]}} for n in COUNT]}
    mapping = refused(value, read=read_truth)[0]
    assert (mapping["role"], mapping["relevant"], mapping["answers"]) == (
        "truth", "ground_truth.flat_chunks", "ground_truth.answer_summary")


def test_ids_of_relevance_are_right():
    content = "".join(f'{{"query_id": "q{n}", "relevance_ids": ["d{n}", "d9"]}}\n' for n in COUNT).encode()
    mapping, = refused(content, "file.jsonl")
    assert (mapping["role"], mapping["relevant"]) == ("truth", "relevance_ids")
    assert read_truth(("file.jsonl", content), mapping=mapping).judgments == 16


def test_queries_next_to_metadata():
    value = {"metadata": {"name": "rules"}, "queries": [
        {"query": ASKED[n], "expected_files": [f"rules/{n}.py"], "keywords": ["rook"]} for n in COUNT]}
    mapping = refused(value)[0]
    assert (mapping["records"], mapping["role"], mapping["relevant"]) == ("queries", "truth", "expected_files")


def test_lists_that_few_rows_have_do_not_hide_the_metrics():
    lines = [f"{system},{ASKED[n]},0.{n}5,{(n + 1) / 9:.2f},{'[]' if n else repr(['dense->bm25']).join(chr(34) * 2)}"
             for system in ("dense", "bm25") for n in COUNT]
    mapping, *_ = refused("\n".join(["system,query,precision_at_5,mrr,changes", *lines, ""]).encode(), "file.csv")
    assert (mapping["config"], mapping["scores"]) == ("system", "precision_at_5+mrr")


def test_contexts_of_conversations_without_predictions_are_asked_about():
    """What was given to a system, or what is right in a data set: the first reading is that of a data set."""
    content = "".join(json.dumps({
        "task_id": f"t{n}", "contexts": [{"document_id": f"d{n}", "text": SAID[n]}, {"document_id": "d9", "text": "a"}],
        "input": [{"speaker": "user", "text": ASKED[n]}], "targets": [{"speaker": "agent", "text": SAID[n]}]}) + "\n"
        for n in COUNT).encode()
    first, second = refused(content, "file.jsonl")
    assert (first["role"], first["relevant"]) == ("truth", "contexts[].document_id")
    assert (second["role"], second["retrieved"]) == ("both", "contexts[].document_id")
    truth = read_truth(("file.jsonl", content), mapping=first)
    assert truth.judgments == 16 and truth.details["answers"].to_pylist()[0] == [SAID[0]]


def test_passes_over_the_same_questions_are_configurations():
    """Questions that come again in the same order, with other answers: a column that says which pass it is decides."""
    rows = [{"question_id": n, "question": ASKED[n], "model": "m", "response": f"{SAID[n]} {number}"}
            for number in (1, 2, 3) for n in COUNT][:21]
    content = json.dumps(rows).encode()
    mapping = refused(content)[0]
    assert (mapping["records"], mapping["config"], mapping["answer"]) == ("*", "*", "response")
    runs = read_runs(("file.json", content), mapping=mapping)
    assert [(run.name, len(run.query_ids)) for run in runs] == [("pass 1", 8), ("pass 2", 8), ("pass 3", 5)]
    named = [{**row, "model": f"m{place // 8}"} for place, row in enumerate(rows)]
    assert all(mapping.get("config") != "*" for mapping in offered(named))
    mixed = [*rows[:9], rows[10], rows[9], *rows[11:]]
    assert all(mapping.get("config") != "*" for mapping in offered(mixed))
