"""What tools write that is no list or table of queries: promptfoo's CSV, KILT, LlamaIndex; and refusals."""

from __future__ import annotations

import csv
import io
import json

import pytest
from helpers import json_lines

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_runs, read_truth


def table(*rows) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def lines(*values) -> tuple[str, bytes]:
    return "x", json_lines(values)


def refused(read, content: bytes) -> list:
    with pytest.raises(InputError) as caught:
        read(("x", content))
    return list(caught.value.problems)


BESIDE = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")
PROMPT = "Answer shortly:\n{{question}}, from \"{{context}}\""
PROMPTFOO = {
    "with columns of verdicts": table(
        ("question", "context", "expected", "topic", f"[openai:gpt-4o] {PROMPT}", *BESIDE, f"[mistral] {PROMPT}",
         *BESIDE),
        ("who?", "a text", "she", "x", "She did.", "PASS", "1.00", "", "", "", "He.", "FAIL", "0.00", "", "No.", ""),
        ("when?", "b text", "then", "y", "Then.", "PASS", "1.00", "", "", "", "boom", "ERROR", "0.00", "", "", "")),
    "with verdicts in the cells": table(
        ("question", "context", "expected", "topic", f"[openai:gpt-4o] {PROMPT}", f"[mistral] {PROMPT}"),
        ("who?", "a text", "she", "x", "[PASS] (1.00)\n\nShe did.\n\nPass Reason: All passed", "[FAIL] (0.00, a: 0.00)"
         "\n\nHe.\n\nFail Reason: No."),
        ("when?", "b text", "then", "y", "[PASS] (1.00)\n\nThen.", "[ERROR] (0.00)\n\nboom")),
}


@pytest.mark.parametrize("form", PROMPTFOO)
def test_promptfoo(form):
    source = ("x", PROMPTFOO[form])
    gpt, mistral = read_runs(source)
    assert (gpt.name, mistral.name) == ("openai:gpt-4o", "mistral")
    assert gpt.details["answer"].to_pylist() == ["She did.", "Then."]
    assert mistral.details["answer"].to_pylist() == ["He.", None]
    assert gpt.details["contexts"].to_pylist() == [["a text"], ["b text"]]
    attributes = [json.loads(text) for text in mistral.details["attributes"].to_pylist()]
    assert [found["topic"] for found in attributes] == ["x", "y"]
    assert mistral.file_scores.aligned_labels("mistral", "Status", ["who?", "when?"]) == ["FAIL", "ERROR"]
    scores = mistral.file_scores.aligned("mistral", "Score", ["who?", "when?"])
    assert scores.tolist() == [0.0, 0.0] or form == "with verdicts in the cells"
    assert {problem.kind for problem in gpt.problems} == {"unknown-columns", "promptfoo-error", "file-metrics"}
    truth, seen = read_truth(source), detect(source)
    assert truth.details["answers"].to_pylist() == [["she"], ["then"]]
    assert seen.role == "both" and "promptfoo" in seen.reason and set(seen.guess.values()) <= set(seen.columns)


def test_promptfoo_with_several_prompts_of_a_provider():
    content = table(("query", "[a] one", "[a] two", "[b] one"), ("q", "1", "2", "3"))
    assert [run.name for run in read_runs(("x", content))] == ["a: one", "a: two", "b"]
    by_hand = read_run(("x", content), mapping={"answer": "[a] two"})
    assert by_hand.details["answer"].to_pylist() == ["2"]


def test_promptfoo_without_a_question():
    problem, = refused(read_runs, table(("topic", "lang", "[a] one"), ("bees", "en", "1")))
    assert problem.kind == "missing-column" and "--map query=topic" in problem.fix


GOLD = {"id": 7, "input": "who?", "output": [
    {"answer": "she", "provenance": [{"wikipedia_id": "01", "title": "T"}, {"wikipedia_id": 2}]},
    {"answer": "her", "provenance": [{"wikipedia_id": "01"}]}, {"meta": {"score": 3}}]}
GUESS = {"id": 7, "input": "who?", "output": [{"answer": "she", "provenance": [{"wikipedia_id": 9},
                                                                               {"wikipedia_id": "01"}]}]}


def test_kilt():
    run, truth = read_run(lines(GUESS)), read_truth(lines(GOLD))
    assert run.ranking("7")["doc_id"].to_pylist() == ["9", "01"]
    assert run.details.to_pylist() == [{"query": "who?", "answer": "she"}]
    assert sorted(truth.docs.to_pylist()) == ["01", "2"] and truth.grades.tolist() == [1, 1]
    assert truth.details.to_pylist() == [{"query": "who?", "answers": ["she", "her"]}]
    assert "several-provenances" in [problem.kind for problem in truth.problems]
    assert detect(lines(GUESS)).role == "run" and detect(lines(GOLD)).role == "truth"
    problem = refused(read_runs, lines(GOLD)[1])[0]
    assert problem.kind == "truth-as-run" and "--truth" in problem.fix
    assert refused(read_runs, lines({"id": 1, "output": [{"provenance": [{"title": "T"}]}]})[1])[0].line == 1


def test_kilts_gold_data_with_one_output_has_places_in_its_pages():
    page = {"wikipedia_id": "9", "start_paragraph_id": 1, "bleu_score": 1.0}
    gold = lines({"id": "7", "input": "who?", "output": [{"answer": "she", "provenance": [page]}]})
    assert detect(gold).role == "truth" and read_truth(gold).docs.to_pylist() == ["9"]


def test_results_of_deepeval_in_python_have_the_scores_of_their_metrics():
    case = {"name": "t", "success": True, "input": "who?", "actual_output": "she", "expected_output": "her",
            "retrieval_context": ["She did."], "metrics_data": [{"name": "Faithfulness", "score": 0.5}]}
    file = ("a.json", json.dumps({"test_results": [case], "confident_link": None}).encode())
    run = read_run(file)
    assert run.file_scores.names == ("Faithfulness",) and run.details["answer"].to_pylist() == ["she"]
    assert run.details["contexts"].to_pylist() == [["She did."]]
    assert read_truth(file).details["answers"].to_pylist() == [["her"]]


def test_dprs_passages_that_have_the_answer_are_relevant():
    passages = [{"id": "d1", "text": "x", "score": "2", "has_answer": False},
                {"id": "d2", "text": "y", "score": "1", "has_answer": True}]
    file = ("a.json", json.dumps([{"question": "who?", "answers": ["she"], "ctxs": passages}]).encode())
    truth = read_truth(file)
    assert dict(zip(truth.docs.to_pylist(), truth.grades.tolist(), strict=True)) == {"d1": 0, "d2": 1}
    assert read_run(file).docs.to_pylist() == ["d1", "d2"]


def test_a_retrieval_data_set_of_llamaindex():
    content = {"queries": {"q1": "who?", "q2": "when?"}, "corpus": {"d1": "x", "d2": "y"},
               "relevant_docs": {"q1": ["d1"], "q2": ["d2", "d1"]}, "mode": "text"}
    truth = read_truth(("x", json.dumps(content).encode()))
    assert truth.query_ids.to_pylist() == ["q1", "q2"] and truth.docs.to_pylist() == ["d1", "d2", "d1"]
    assert truth.details["query"].to_pylist() == ["who?", "when?"]
    assert detect(("x", json.dumps(content, indent=4).encode())).role == "truth"
    assert {problem.field for problem in truth.problems} == {"mode"}
    assert truth.corpus.documents(["d2", "d3"])["text"].to_pylist() == ["y", None]
    assert refused(read_runs, json.dumps(content).encode())[0].kind == "truth-as-run"


REFUSED = {  # content, kind, words of the message
    "predictions of llamaindex": ({"predictions": [{"response": "a", "contexts": ["c"]}] * 30}, "missing-question",
                                  ("examples", "zip(")),
    "verdicts of llamaindex": ({"predictions": [{"feedback": "good", "score": 5.0, "invalid_prediction": False}] * 9},
                               "missing-question", ("predictions",)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unreadable_files_say_why(name):
    content, kind, words = REFUSED[name]
    for read in (read_runs, read_truth):
        problem, = refused(read, json.dumps(content).encode())
        assert problem.kind == kind
        assert all(word in str(problem) for word in words)


READ = {  # what a newcomer may have: content, questions, answers
    "columns": {"question": ["q", "r"], "answer": ["a", "b"], "contexts": [["c", "e"], ["d", "f"]]},
    "columns of pandas": {"user_input": {"0": "q", "1": "r"}, "generated_answer": {"0": "a", "1": "b"}},
    "pandas, split": {"columns": ["question", "predictions"], "index": [0, 1], "data": [["q", "a"], ["r", "b"]]},
    "numbers first": {"n": [1, 2], "question": ["q", "r"], "llm_answer": ["a", "b"]},
    "a list under any name": {"evaluations": [{"question": "q", "agent_answer": "a"},
                                              {"question": "r", "agent_answer": "b"}]},
    "test results": {"test_results": [{"input": "q", "actual_output": "a"}, {"input": "r", "actual_output": "b"}]},
    "input and output": [{"input": {"question": q}, "output": {"answer": a}} for q, a in ("qa", "rb")],
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", READ)
def test_files_of_tools_that_are_read(name, indent):
    source = ("x.json", json.dumps(READ[name], indent=indent).encode())
    run = read_run(source)
    assert run.query_ids.to_pylist() == ["q", "r"]
    assert run.details["answer"].to_pylist() == ["a", "b"]
    assert detect(source).role == "run"


NOT_READ = {  # content, kind, words
    "nothing": ({"results": []}, "no-rows", ""), "nothing as data": ({"data": []}, "no-rows", ""),
    "pandas, split, without known columns": ({"columns": ["a", "b"], "index": [0], "data": [["q", "a"]]},
                                             "unknown-format", "orient='records'"),
    "pandas, split, with a short row": ({"columns": ["question", "answer"], "data": [["q"]]}, "wrong-type", "records"),
    "means of systems": ({"dense": {"mrr@10": 0.5, "queries": 9}, "bm25": {"mrr@10": 0.4, "queries": 9}}, "summary",
                         "for each query"),
    "a summary": ({"faithfulness": 0.5, "n": 3}, "summary", "means"),
    "runs in a run": ({"bm25": {"q1": {"d1": 0.5}}}, "wrong-type", "a separate file"),
    "columns of unequal length": ({"question": ["q", "r"], "answer": ["a"]}, "unequal-lists", "shorter"),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_fields_that_are_not_read(name):
    content, kind, words = NOT_READ[name]
    problem = next(one for one in refused(read_runs, json.dumps(content).encode()) if one.severity == "error")
    assert problem.kind == kind and words in problem.fix


def test_lists_of_a_query_are_not_columns():
    run = read_run(lines({"retrieved": ["d1", "d2"], "query_id": "q1"}, {"retrieved": ["d1"], "query_id": "q2"}))
    assert run.lengths.tolist() == [2, 1]
    assert read_run(lines({"retrieved": ["d1", "d2"], "query_id": "q1"})).docs.to_pylist() == ["d1", "d2"]


UNKNOWN = {
    "a row for each document": (b"Kysely,Lahde,Pisteet\nq1,d1,0.5\n",
                                "--map query_id=Kysely,doc_id=Lahde,score=Pisteet"),
    "numbers first": (b"Pisteet;Kysely;Lahde\n0.5;q1;d1\n", "--map query_id=Kysely,doc_id=Lahde,score=Pisteet"),
    "a row for each query": (b"kysymys\tlahteet\nWer?\td1|d2\n", "--map query=kysymys,retrieved=lahteet"),
    "blanks": (b"se kysymys,se lahteet\nWer?,d1\n", "--map 'query=se kysymys,retrieved=se lahteet'"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_columns_say_how_to_name_them(name):
    content, words = UNKNOWN[name]
    for read in (read_runs, read_truth):
        problem, = refused(read, content)
        assert (problem.kind, problem.line) == ("unknown-format", 1)
        assert words in problem.fix
    given = dict(pair.split("=") for pair in words.removeprefix("--map ").strip("'").split(","))
    assert len(read_run(("x", content), mapping=given)) == 1
