"""Records of means among those of queries, reports of a configuration each, and what a step before the answer wrote."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"What does rule {number} of the house say?" for number in range(8)]
SAID = [f"Rule {number} says that the door is closed at night, and why." for number in range(8)]


def mappings(value: object) -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source(("file.json", json.dumps(value).encode())))]


@pytest.mark.parametrize("name", ["_summary", "__mean__", "[overall]"])
def test_a_record_of_means_under_a_marked_name_is_no_query(name):
    records = [{"id": f"q{number}", "question": ASKED[number], "relevant_titles": [f"Rule {number}"], "token": {
        "retrieved_titles": [f"Rule {number}", "Door"], "mrr": number % 2}} for number in range(8)]
    means = {"id": name, "token": {"mrr": 0.5}, "chunkers": ["token"]}
    content = "\n".join(map(json.dumps, [*records, means])).encode()
    mapping, *_ = [dict(reading.mapping) for reading in propose(Source(("file.jsonl", content)))]
    run, = read_runs(("file.jsonl", content), mapping=mapping)
    truth = read_truth(("file.jsonl", content), mapping=mapping)
    assert run.query_ids.to_pylist() == truth.query_ids.to_pylist() == [f"q{number}" for number in range(8)]


def test_reports_are_named_by_the_settings_that_differ_and_not_by_a_mean():
    reports = [{"config": {"chunk_size": size, "overlap": 50, "top_k": k, "style": style}, "precision_at_k": 1 / k,
                "details": [{"question": question, "generated_answer": f"{text} {size} {style}",
                             "expected_answer": text, "faithfulness": 0.5} for question, text in zip(
                                 ASKED, SAID, strict=True)]}
               for size in (300, 500) for k in (3, 5) for style in ("basic", "strict")]
    mapping, *_ = mappings(reports)
    assert mapping["config"] == "*.config"
    names = [run.name for run in read_runs(("file.json", json.dumps(reports).encode()), mapping=mapping)]
    assert names[:2] == ["chunk_size=300, top_k=3, style=basic", "chunk_size=300, top_k=3, style=strict"]
    assert len(set(names)) == 8


@pytest.mark.parametrize("step", ["planner_output", "router_response", "rewriter_output"])
def test_what_a_step_before_the_answer_wrote_is_no_answer(step):
    mapping, *_ = mappings([{"question": ASKED[number], "expected_docs": [f"d{number}"], step: f"Look up {number}.",
                             "answer": SAID[number], "retrieved_chunk_ids": [f"d{number}", f"d{number + 20}"],
                             "elapsed_s": 1.5 + number}
                            for number in range(8)])
    assert (mapping["answer"], mapping["relevant"]) == ("answer", "expected_docs") and "answers" not in mapping


def test_verdicts_on_two_known_systems_are_those_of_two_runs():
    content = b"id,question,baseline_correct,baseline_own_negation,reranked_correct,reranked_own_negation\n" + b"".join(
        b"q%d,%s,True,False,%s,True\n" % (number, asked.encode(), str(number % 2 > 0).encode())
        for number, asked in enumerate(ASKED))
    with pytest.raises(InputError) as failed:
        read_runs(("results.csv", content))
    mapping = failed.value.problems[0].facts["mappings"][0]
    assert mapping["scores"] == "{run}_correct"
    assert [run.name for run in read_runs(("results.csv", content), mapping=mapping)] == ["baseline", "reranked"]


def test_the_number_of_a_right_answer_names_what_is_right():
    mapping, *_ = mappings([{"question": question, "target_answer_no": 3 + 7 * number}
                            for number, question in enumerate(ASKED)])
    assert (mapping["role"], mapping["relevant"]) == ("truth", "target_answer_no") and "answers" not in mapping


def test_a_candidate_answer_is_that_of_a_system_and_a_preview_the_text_of_a_document():
    asked = [{"question": question, "context": text, "reference_answer": text, "candidate_answer": text.upper()}
             for question, text in zip(ASKED, SAID, strict=True)]
    run, = read_runs(("file.json", json.dumps(asked).encode()))
    assert run.details["answer"].to_pylist() == [text.upper() for text in SAID]
    ranked, = read_runs(("file.csv", b"Query,Rank,Document_ID,Document_Preview\nwho,1,d7,She did.\nwho,2,d2,He did.\n"))
    assert ranked.ranking("who", 2)["text"].to_pylist() == ["She did.", "He did."]


def test_the_sources_of_contexts_that_are_not_read_are_named_once():
    rows = [{"question": question, "answer": text, "contexts": [
        {"source": f"{name}.pdf", "page": 3, "content": f"{text} {name}"} for name in "abc"]}
            for question, text in zip(ASKED, SAID, strict=True)]
    run, = read_runs(("results.json", json.dumps(rows).encode()))
    assert run.details["contexts"].to_pylist()[0] == [f"{SAID[0]} {name}" for name in "abc"]
    assert [problem.facts["name"] for problem in run.problems if problem.kind == "unread-field"] == [
        "contexts[].page", "contexts[].source"]


def test_judgments_have_the_texts_of_the_queries_next_to_them():
    value = {"queries": {f"q{number}": question for number, question in enumerate(ASKED)},
             "assessments": {f"q{number}": {f"doc{number}": 3, f"doc{number + 9}": 1} for number in range(8)}}
    mapping, *_ = mappings(value)
    truth = read_truth(("file.json", json.dumps(value).encode()), mapping=mapping)
    assert (truth.details["query"].to_pylist(), truth.judgments) == (ASKED, 16)
