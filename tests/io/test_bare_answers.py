"""A file of questions and answers and nothing else: the right answers, or a system's? ragdash asks."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.reading import options_of

ROWS = [("Who wrote it?", "She did."), ("When was it written?", "In 1999.")]


def objects(question: str, answer: str, **others) -> list[dict]:
    return [{question: q, answer: a, **others} for q, a in ROWS]


BARE = {
    "JSONL": "\n".join(map(json.dumps, objects("question", "answer"))),
    "a list of query and response": json.dumps(objects("query", "response")),
    "a list of input and output": json.dumps(objects("input", "output")),
    "a list in an object": json.dumps({"data": objects("question", "answer")}),
    "columns": json.dumps({"question": [q for q, _ in ROWS], "answer": [a for _, a in ROWS]}),
    "columns of pandas": json.dumps({"question": {"0": ROWS[0][0], "1": ROWS[1][0]},
                                     "answer": {"0": ROWS[0][1], "1": ROWS[1][1]}}),
    "pandas, split": json.dumps({"columns": ["question", "answer"], "data": list(map(list, ROWS))}),
    "CSV": "question,answer\n" + "\n".join(map(",".join, ROWS)),
    "CSV with ids": "id,Question,Answer\n" + "\n".join(f"{i},{q},{a}" for i, (q, a) in enumerate(ROWS)),
    "an attribute too": "question,answer,topic\n" + "\n".join(f"{q},{a},books" for q, a in ROWS),
    "a Markdown table": "| question | answer |\n|---|---|\n" + "\n".join(f"| {q} | {a} |" for q, a in ROWS),
}


@pytest.mark.parametrize("name", BARE)
@pytest.mark.parametrize("read", [read_runs, read_truth])
def test_both_readings_are_offered_and_each_reads_the_file(read, name):
    source = ("qa", BARE[name].encode())
    with pytest.raises(InputError) as caught:
        read(source)
    problem, = caught.value.problems
    mappings = problem.facts["mappings"]
    assert {mapping["role"] for mapping in mappings} == {"run", "truth"} and len(mappings) == 2
    assert all(options_of(mapping) in problem.fix for mapping in mappings)
    run, = read_runs(source, mapping=next(mapping for mapping in mappings if mapping["role"] == "run"))
    truth = read_truth(source, mapping=next(mapping for mapping in mappings if mapping["role"] == "truth"))
    assert run.details["answer"].to_pylist() == [answer for _, answer in ROWS]
    assert truth.details["answers"].to_pylist() == [[answer] for _, answer in ROWS]
    assert run.details["query"].to_pylist() == truth.details["query"].to_pylist() == [query for query, _ in ROWS]


@pytest.mark.parametrize("other", [{"contexts": ["a text", "another"]}, {"retrieved": ["d1"]}, {"config": "dense"},
                                   {"latency_ms": 5}, {"faithfulness": 0.5}, {"cost_usd": 0.1}])
def test_next_to_what_a_system_did_an_answer_is_the_systems(other):
    run, = read_runs(("qa.json", json.dumps(objects("question", "answer", **other)).encode()))
    assert run.details["answer"].to_pylist() == [answer for _, answer in ROWS]


@pytest.mark.parametrize("contexts", [[["a text"], ["another"]], [["a text"], ["another", "a third"]]])
def test_contexts_may_be_the_sources_of_a_generated_data_set(contexts):
    """ragas writes both kinds under these names: what a system did, and questions made of the texts."""
    rows = [{"question": question, "answer": answer, "contexts": texts}
            for (question, answer), texts in zip(ROWS, contexts, strict=True)]
    with pytest.raises(InputError) as caught:
        read_runs(("chemistry.json", json.dumps(rows).encode()))
    problem, = caught.value.problems
    truth, run = problem.facts["mappings"]
    assert (truth["answers"], truth["evidence"]) == (run["answer"], run["contexts"]) == ("answer", "contexts")
    assert read_runs(("rag_results.json", json.dumps(rows).encode()))[0].details["contexts"].to_pylist() == contexts


def test_a_name_that_says_whose_answer_it_is_is_not_asked_about():
    for name in ("generated_answer", "llm_answer", "prediction"):
        assert read_runs(("qa.json", json.dumps(objects("question", name)).encode()))[0].details is not None
    for name in ("ground_truth", "expected_answer", "reference"):
        assert read_truth(("qa.json", json.dumps(objects("question", name)).encode())).details is not None


def test_a_mapping_answers_the_question():
    source = ("qa.csv", BARE["CSV"].encode())
    assert read_runs(source, mapping={"answer": "answer"})[0].details["answer"][0].as_py() == "She did."
    assert read_truth(source, mapping={"answers": "answer"}).details["answers"][0].as_py() == ["She did."]


def test_a_run_of_our_own_format_with_answers_alone_has_a_note():
    rows = "\n".join(json.dumps({"query_id": f"q{i}", "query": q, "answer": a}) for i, (q, a) in enumerate(ROWS))
    run, = read_runs(("run.jsonl", rows.encode()))
    assert [(problem.kind, problem.severity) for problem in run.problems] == [("answers-of-system", "note")]
    assert "--map answers=answer" in run.problems[0].fix


def test_lists_of_ids_under_a_name_of_contexts_are_not_read_as_an_empty_run():
    """A class project's file: the known format would take the ids for texts, and find no document and no judgment."""
    names = "question,my_answer,retrieved_chunks,gold_chunks,expected_answer,correct\n"
    rows = "".join(f"Question {i}?,Answer {i}.,\"['c{i}','c9']\",['c{i}'],Answer {i}.,Correct\n" for i in range(1, 5))
    with pytest.raises(InputError) as caught:
        read_runs(("results.csv", (names + rows).encode()))
    assert "retrieved = retrieved_chunks" in str(caught.value) and "relevant = gold_chunks" in str(caught.value)


def test_short_texts_below_ids_may_be_questions_too():
    texts = {f"TREC-{number}": text for number, text in enumerate(
        ("adobe indian houses", "california franchise tax board", "dangers of asbestos", "dogs for adoption"))}
    source = ("queries.json", json.dumps(texts).encode())
    with pytest.raises(InputError) as error:
        read_truth(source)
    problem, = [problem for problem in error.value.problems if problem.kind == "proposed-reading"]
    assert [mapping["role"] for mapping in problem.facts["mappings"]] == ["truth", "run", "questions"]
    truth = read_truth(source, mapping=problem.facts["mappings"][2])
    assert dict(zip(truth.query_ids.to_pylist(), truth.details["query"].to_pylist(), strict=True)) == texts


def test_answers_of_systems_that_nothing_names_are_not_read_as_one_run():
    lines = ["id\tQuestion\tModel answer\tAcceptable?"]
    lines += [f"{number}\t{asked}\t{answer[:-1]}, as {place} says\tYes"
              for number, (asked, answer) in enumerate(ROWS) for place in range(4)]
    with pytest.raises(InputError) as error:
        read_runs(("answers.tsv", "\n".join(lines).encode()))
    assert {problem.kind for problem in error.value.problems if problem.severity == "error"} == {"duplicate-query"}
