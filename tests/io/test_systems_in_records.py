"""Several systems, trials or judged values in one record, joined texts, and parts of a record that are no content."""

from __future__ import annotations

import csv
import io
import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which herb is added to soup number {number}?" for number in COUNT]
SAID = [f"Soup {number} is finished with herb number {number * 7 % 5} in the end." for number in COUNT]
MODELS = ("gpt-4o", "gemma-2-9b-it", "qwen2-7b")


def as_json(rows: list[dict]) -> tuple[str, bytes]:
    return "file.json", json.dumps(rows).encode()


def as_table(rows: list[dict]) -> tuple[str, bytes]:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return "file.csv", text.getvalue().encode()


def offered(file: tuple[str, bytes]) -> list[dict[str, str]]:
    return [reading.mapping for reading in propose(Source(file))]


def refused(file: tuple[str, bytes]) -> dict[str, str]:
    """The first mapping that is offered for a file which is not read without one."""
    with pytest.raises(InputError) as failed:
        read_runs(file)
    return next(problem.facts["mappings"][0] for problem in failed.value.problems
                if problem.kind == "proposed-reading")


@pytest.mark.parametrize(("file", "runs", "expected"), [
    (as_json([{"id": f"s{n}", "question": ASKED[n], "answerA": SAID[n], "answerB": SAID[-n - 1]} for n in COUNT]),
     ["a", "b"], {"answer": "answer{run}"}),
    (as_json([{"question": ASKED[n], "openAnswer": SAID[n], "closedAnswer": SAID[-n - 1], "reference": f"Herb {n}.",
               "correctnessOpen": "correct", "correctnessClosed": "wrong"} for n in COUNT]),
     ["open", "closed"], {"answer": "{run}Answer", "labels": "correctness{run}", "answers": "reference"}),
    (as_json([{"id": f"s{n}", "question": ASKED[n], "response_a": {"model": "m1", "text": SAID[n]},
               "response_b": {"model": "m2", "text": SAID[-n - 1]}} for n in COUNT]),
     ["a", "b"], {"answer": "response_{run}.text"}),
    (as_json([{"question_id": f"s{n}", "question": ASKED[n], "gold_answer": f"Herb {n}", "trials": [
        {"number": k, "response": f"{SAID[n]} {k}", "is_correct": k == 1} for k in (1, 2)]} for n in COUNT]),
     ["trial 1", "trial 2"], {"answer": "response", "answers": "gold_answer", "scores": "is_correct"}),
    (as_table([{"query": ASKED[n], "classical_time": 0.01 + n / 100, "classical_similarity": 0.4 + n / 90,
                "quantum_time": 0.02 + n / 100, "quantum_similarity": 0.6 + n / 80, "overlap": 0.6} for n in COUNT]),
     ["classical", "quantum"], {"scores": "{run}_similarity+{run}_time"}),
    (as_json([{"item_id": f"s{n}", "question": ASKED[n], **{name: (n + place) % 2 for place, name in
                                                            enumerate(MODELS)}} for n in COUNT]),
     list(MODELS), {"config": "*", "scores": "score"}),
], ids=["letters", "camel", "texts-of-models", "trials", "timed", "columns-of-models"])
def test_systems_in_one_record_are_configurations(file, runs, expected):
    mapping = offered(file)[0]
    assert {name: mapping.get(name) for name in expected} == expected
    assert [run.name for run in read_runs(file, mapping=mapping)] == runs


@pytest.mark.parametrize("file", [
    as_json([{"question_id": f"s{n}", "question": ASKED[n], "trials": [
        {"number": k, "response": "AB"[k % 2], "verdict": "CORRECT"} for k in (1, 2, 3)]} for n in COUNT]),
    as_json([{"question": ASKED[n], "answers": SAID[n], "answered": SAID[-n - 1]} for n in COUNT]),
], ids=["verdicts", "answers-and-answered"])
def test_verdicts_of_judges_and_words_that_begin_alike_are_no_configurations(file):
    assert not any({"retrieved", "config"} & mapping.keys() or "{run}" in str(mapping) for mapping in offered(file))


def test_values_of_systems_with_times_of_their_own_are_not_read_as_those_of_one():
    rows = [{"query": ASKED[n], "classical_time_ms": 12 + n, "classical_similarity": 0.4 + n / 90,
             "quantum_time_ms": 9 + n, "quantum_similarity": 0.6 + n / 80} for n in COUNT]
    runs = read_runs(as_table(rows), mapping=refused(as_table(rows)))
    assert [run.name for run in runs] == ["classical", "quantum"]
    assert runs[1].file_scores.names == ("similarity",)


def test_texts_of_one_cell_go_with_the_ids_next_to_them():
    rows = [{"query_id": f"s{n}", "question": ASKED[n], "recall": n % 2, "chunk_ids": f"a::p{n} | b::p{n + 1}",
             "retrieved_chunks": f"{SAID[n]}\n\n---\n\n{SAID[-n - 1]}"} for n in COUNT]
    [run] = read_runs(as_table(rows), mapping=refused(as_table(rows)))
    assert run.docs[:2].to_pylist() == ["a::p0", "b::p1"]
    assert run.details["contexts"].to_pylist()[0] == [SAID[0], SAID[-1]]


def test_ids_with_a_mark_between_are_several_in_objects_too():
    rows = [{"question": ASKED[n], "result_docs": f"d{n} | d{n + 1}", "expected_docs": f"d{n}"} for n in COUNT]
    mapping = offered(as_json(rows))[0]
    assert (mapping["retrieved"], mapping["relevant"]) == ("result_docs", "expected_docs")
    assert read_runs(as_json(rows), mapping=mapping)[0].docs[:2].to_pylist() == ["d0", "d1"]


def test_hits_are_ids_or_a_metric_as_their_values_say():
    rows = [{"question": ASKED[n], "hits": [f"d{n}", f"d{n + 1}"], "expected_ids": [f"d{n}"]} for n in COUNT]
    assert offered(as_json(rows))[0]["retrieved"] == "hits"
    rows = [{"question": ASKED[n], "answer": SAID[n], "reference": f"Herb {n}.", "hits": n % 3} for n in COUNT]
    assert all("retrieved" not in mapping for mapping in offered(as_json(rows)))


def test_lines_of_parts_are_no_ids():
    sources = "Sources:\n- Herbs | 2nd edition | https://herbs.test/{}\n- Soups | 1st edition | https://soups.test"
    assert offered(as_json([{"query": ASKED[n], "mode": "llm", "sources": sources.format(n)} for n in COUNT])) == []


def test_other_ways_to_write_an_answer_show_that_it_is_right():
    rows = [{"question_id": f"s{n}", "question": ASKED[n], "answer_value": f"Herb {n}", "context": SAID[n],
             "answer_aliases": [f"herb no. {n}", f"Herb {n}"]} for n in COUNT]
    mapping = refused(as_json(rows))
    assert (mapping["role"], mapping["evidence"]) == ("truth", "context")
    truth = read_truth(as_json(rows), mapping=mapping)
    assert truth.details["answers"].to_pylist()[0] == ["Herb 0", "herb no. 0"]


def test_what_describes_an_answer_or_a_question_is_neither_score_nor_evidence():
    rows = [{"id": f"s{n}", "question": ASKED[n], "answer": SAID[n], "evaluation": {
        "metrics": {"faithfulness": n / 9}, "workflow_metadata": {"source": "store", "initial_results": n,
                                                                 "reranked": True}}} for n in COUNT]
    assert offered(as_json(rows))[0]["scores"] == "evaluation.metrics.faithfulness"
    cases = [{"id": f"s{n}", "gold": {"files": [f"f{n}.py", "main.py"]}, "query": {
        "title": f"Soup {n}", "diff_context": SAID[n] * 2}} for n in COUNT]
    mapping = offered(as_json(cases))[0]
    assert (mapping["role"], mapping["relevant"]) == ("truth", "gold.files") and "evidence" not in mapping


def test_why_an_answer_is_refused_is_no_document():
    """An acceptable chunk is right, and so is an expected one next to the documents that a question was made from."""
    rows = [{"case_id": f"s{n}", "question": ASKED[n], "acceptable_chunk_ids": [f"c{n}"],
             "expected_reason_code": ("no_evidence", None)[n % 2]} for n in COUNT]
    assert refused(as_json(rows))["relevant"] == "acceptable_chunk_ids"
    rows = [{"question": ASKED[n], "doc_ids": [f"d{n}"], "expected_chunk_ids": [f"d{n}-c1"]} for n in COUNT]
    mapping = refused(as_json(rows))
    assert (mapping["role"], mapping["relevant"]) == ("truth", "expected_chunk_ids")


def test_what_a_model_wrote_and_where_an_answer_is_from_are_neither_contexts_nor_answers():
    rows = [{"id": f"s{n}", "question": ASKED[n], "expected": f"Herb {n}", "model_answer": SAID[n],
             "raw_text": f"Answer: {SAID[n]}\nConfidence: 95"} for n in COUNT]
    mapping = offered(as_json(rows))[0]
    assert (mapping["answer"], mapping["answers"]) == ("model_answer", "expected") and "contexts" not in mapping
    rows = [{"id": n, "query": ASKED[n % 4], "answer": f"Herb {n % 4}", "reference": f"Page on soup {n} and its herbs"}
            for n in COUNT]
    mapping = refused(as_json(rows))
    assert (mapping["role"], mapping["answers"]) == ("truth", "answer")


SYSTEMS = ("bm25", "ours")


def given(n: int, system: str) -> dict:
    return {"answer": f"{SAID[n]} {system}", "faithfulness": n / 9 + (system == "ours") / 20}


@pytest.mark.parametrize("value", [
    {system: [{"id": f"s{n}", "question": ASKED[n], "ground_truth": f"Herb {n}", **given(n, system)} for n in COUNT]
     for system in SYSTEMS},
    [{"id": f"s{n}", "question": ASKED[n], "ground_truth": f"Herb {n}",
      "runs": [{"system": system, **given(n, system)} for system in SYSTEMS]} for n in COUNT],
    {"queries": [{"id": f"s{n}", "question": ASKED[n], "ground_truth": f"Herb {n}"} for n in COUNT],
     "runs": {system: {f"s{n}": given(n, system) for n in COUNT} for system in SYSTEMS}},
], ids=["lists", "listed", "runs-next-to-queries"])
def test_what_each_system_gave_is_asked_about_wherever_it_is(value):
    """None of the systems is read in place of all, and no questions without what was given for them."""
    file = ("file.json", json.dumps(value).encode())
    try:
        assert read_runs(file) == []
        read_truth(file)
        raise AssertionError("read in part")
    except InputError as error:
        problem = next(problem for problem in error.problems if problem.kind == "proposed-reading")
    mapping = problem.facts["mappings"][0]
    assert (mapping["role"], mapping["answers"], mapping["scores"]) == ("both", "ground_truth", "faithfulness")
    runs = read_runs(file, mapping=mapping)
    assert [(run.name, len(run.query_ids)) for run in runs] == [("bm25", 8), ("ours", 8)]
    assert runs[1].details["query"].to_pylist()[0] == ASKED[0]


def test_metrics_of_each_record_are_no_systems():
    rows = [{"input": ASKED[n], "actual_output": SAID[n], "metrics": [
        {"name": name, "score": n / 9, "reason": f"It is {name} in case {n}."} for name in ("relevancy", "tone")]}
        for n in COUNT]
    assert all("config" not in mapping for mapping in offered(as_json(rows)))


def test_lines_of_systems_with_a_list_of_results_each():
    lines = [json.dumps({"model_name": system, "results": [
        {"query": ASKED[n], "top_ids": [f"d{n}", f"d{n + 1}"]} for n in COUNT]}) for system in SYSTEMS]
    mapping = refused(("file.jsonl", "\n".join(lines).encode()))
    assert (mapping["config"], mapping["retrieved"]) == ("*.model_name", "top_ids")


@pytest.mark.parametrize("is_nested", [False, True])
def test_sides_of_comparisons_are_runs_of_the_systems_that_they_name(is_nested):
    """A comparison that two people judged is there twice."""
    names = [("gpt-4", "llama-3"), ("claude", "gpt-4"), ("llama-3", "claude")]
    rows = []
    for number, pair in enumerate(names):
        sides = {side: {"model_name": name, "response": f"{name} says {SAID[number]}"}
                 for side, name in zip("12", pair, strict=True)}
        rows.append({"query_id": f"q{number}", "query": ASKED[number], **(
            {f"model{side}": members for side, members in sides.items()} if is_nested else
            {f"{name}_{'ab'[int(side) - 1]}": value for side, members in sides.items()
             for name, value in members.items()})})
    content = json.dumps([row for row in rows for _ in range(2)]).encode()
    mapping, = [dict(reading.mapping) for reading in propose(Source(("file.json", content)))]
    runs = read_runs(("file.json", content), mapping=mapping)
    assert {run.name: run.query_ids.to_pylist() for run in runs} == {
        "gpt-4": ["q0", "q1"], "llama-3": ["q0", "q2"], "claude": ["q1", "q2"]}
    assert all(text.startswith(f"{run.name} says") for run in runs for text in run.details["answer"].to_pylist())
