"""Exports that hold steps instead of queries (Phoenix, LangSmith), SQuAD's data, and what has lost its questions."""

from __future__ import annotations

import json

import pytest
from helpers import json_lines

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_runs, read_truth

PHOENIX = [
    {"name": "query", "context": {"trace_id": "t1", "span_id": "s1"}, "span_kind": "CHAIN", "parent_id": None,
     "attributes": {"input": {"value": "who?", "mime_type": "text/plain"}, "output": {"value": "She."}}},
    {"name": "retrieve", "context": {"trace_id": "t1", "span_id": "s2"}, "span_kind": "RETRIEVER", "parent_id": "s1",
     "attributes": {"input": {"value": "who, rewritten"}, "retrieval": {"documents": [
         {"document": {"id": "d1", "score": 0.9, "content": "a text"}}, {"document": {"id": "007", "score": 0.5}}]}}},
    {"name": "llm", "context": {"trace_id": "t1", "span_id": "s3"}, "span_kind": "LLM", "parent_id": "s1",
     "attributes": {"input": {"value": '{"messages": []}'}, "output": {"value": "other"}}},
    {"name": "retrieve", "context": {"trace_id": "t2", "span_id": "s4"}, "span_kind": "RETRIEVER", "parent_id": None,
     "attributes": {"input": {"value": "when?"}, "output": {"value": "[the documents]"},
                    "retrieval": {"documents": [{"document": {"id": "d9", "score": 0.1}}]}}},
]


def flat(value, path: str = "") -> dict:
    """{"a.0.b": value} of objects and lists, as OpenTelemetry keeps attributes."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        return {path: value}
    found = {}
    for name, part in parts:
        found |= flat(part, f"{path}.{name}" if path else str(name))
    return found


LANGSMITH = [
    {"id": "r1", "trace_id": "r1", "run_type": "chain", "parent_run_id": None, "prompt_tokens": 12,
     "inputs": {"messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "who?"}]},
     "outputs": {"messages": [{"role": "user", "content": "who?"},
                              {"type": "ai", "content": [{"type": "text", "text": "She."}]}]}},
    {"id": "r2", "trace_id": "r1", "run_type": "retriever", "parent_run_id": "r1", "inputs": {"query": "who"},
     "outputs": {"documents": [{"page_content": "a text", "metadata": {"source": "a.pdf"}, "type": "Document"}]}},
    {"id": "r3", "run_type": "llm", "inputs": {"messages": [[
        {"lc": 1, "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "when?"}}]]},
     "outputs": {"generations": [[{"text": "Then.", "message": {}}]]}},
]


def forms(values) -> dict[str, bytes]:
    return {"array": json.dumps(values).encode(), "indented": json.dumps(values, indent=2).encode(),
            "lines": json_lines(values), "data": json.dumps({"data": values}).encode(),
            "data, indented": json.dumps({"data": values}, indent=1).encode()}


FORMS = {**{f"nested, {name}": content for name, content in forms(PHOENIX).items()},
         **{f"flat, {name}": content for name, content in forms(
             [{**span, "attributes": flat(span["attributes"])} for span in PHOENIX]).items()}}


@pytest.mark.parametrize("name", FORMS)
def test_spans_of_phoenix(name):
    source = ("x.json", FORMS[name])
    run = read_run(source)
    assert {query: run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()} == {
        "who?": ["d1", "007"], "when?": ["d9"]}
    assert run.ranking("who?")["text"].to_pylist() == ["a text", None] and run.scores.tolist() == [0.9, 0.5, 0.1]
    assert run.details["answer"].to_pylist() == ["She.", None] and not run.problems
    assert detect(source).role == "run" and "Phoenix" in detect(source).reason


@pytest.mark.parametrize("name", forms(LANGSMITH))
def test_runs_of_langsmith(name):
    source = ("x.json", forms(LANGSMITH)[name])
    run = read_run(source)
    assert run.query_ids.to_pylist() == ["who?", "when?"] and not run.problems
    assert run.details["answer"].to_pylist() == ["She.", "Then."]
    assert run.details["contexts"].to_pylist() == [["a text"], None]
    assert run.details["prompt_tokens"].to_pylist() == [12, None]
    assert "LangSmith" in detect(source).reason


def test_members_next_to_the_list_are_reported():
    run = read_run(("x", json.dumps({"runs": LANGSMITH, "cursors": {}}).encode()))
    assert [(problem.kind, problem.field) for problem in run.problems] == [("unread-field", "cursors")]


def test_examples_of_a_data_set_name_the_queries():
    runs = [{**LANGSMITH[0], "reference_example_id": "e7"}]
    assert read_run(("x", json_lines(runs * 1))).query_ids.to_pylist() == ["e7"]


MESSAGES = [{"inputs": {"messages": [{"role": "user", "content": "who?"}]},
             "outputs": {"messages": [{"role": "user", "content": "who?"}, {"role": "assistant", "content": "She"}]},
             "reference_outputs": {"messages": [{"role": "assistant", "content": "Her."}]}}]


@pytest.mark.parametrize("content", [json.dumps(MESSAGES).encode(), json_lines(MESSAGES)])
def test_messages_without_a_trace(content):
    run, truth = read_run(("x", content)), read_truth(("x", content))
    assert run.details.to_pylist() == [{"query": "who?", "answer": "She"}]
    assert truth.details.to_pylist() == [{"query": "who?", "answers": ["Her."]}]


def test_questions_and_answers_inside_of_json():
    value = {"input": {"value": '{"question": "who?", "k": 5}', "mime_type": "application/json"},
             "output": {"value": '{"messages": [{"type": "ai", "content": "She."}]}'}}
    run = read_run(("x", json_lines([{**PHOENIX[0], "attributes": value}])))
    assert run.details.to_pylist() == [{"query": "who?", "answer": "She."}]


def refused(read, content: bytes) -> list:
    with pytest.raises(InputError) as caught:
        read(("x", content))
    return [problem for problem in caught.value.problems if problem.severity == "error"]


def test_a_trace_with_two_retrievers_is_an_error():
    again = {**PHOENIX[1], "context": {"trace_id": "t1", "span_id": "s7"}}
    problem, = refused(read_runs, json_lines([*PHOENIX, again]))
    assert problem.kind == "several-retrievers" and "lines 2, 5" in problem.actual and problem.line == 5


def test_traces_without_a_question_are_counted():
    empty = {**PHOENIX[2], "context": {"trace_id": "t9", "span_id": "s9"}, "parent_id": None, "attributes": {}}
    run = read_run(("x", json_lines([*PHOENIX, empty])))
    assert [problem.kind for problem in run.problems] == ["empty-trace"] and "1 of 3" in run.problems[0].actual
    assert refused(read_runs, json_lines([empty]))[0].kind == "no-rows"


def test_spans_are_not_truth():
    problem, = refused(read_truth, json_lines(PHOENIX))
    assert problem.kind == "run-as-truth"


def attribute(name: str, value) -> dict:
    """An attribute as OTLP writes it."""
    def typed(value):
        if isinstance(value, list):
            return {"arrayValue": {"values": [typed(item) for item in value]}}
        if isinstance(value, dict):
            return {"kvlistValue": {"values": [attribute(key, item) for key, item in value.items()]}}
        kinds = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
        return {kinds[type(value)]: str(value) if type(value) is int else value}

    return {"key": name, "value": typed(value)}


def otlp(*traced) -> dict:
    """An export of spans: (trace, span, parent, milliseconds, attributes)."""
    exported = [{"traceId": trace, "spanId": span, **({"parentSpanId": parent} if parent else {}), "name": span,
                 "startTimeUnixNano": "1000000000", "endTimeUnixNano": str(1_000_000_000 + ms * 1_000_000),
                 "attributes": [attribute(name, value) for name, value in attributes.items()]}
                for trace, span, parent, ms, attributes in traced]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": exported}]}]}


def messages(role: str, *texts: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text} for text in texts]}])


GEN_AI = otlp(
    ("t1", "s1", None, 900, {"gen_ai.operation.name": "invoke_workflow"}),
    ("t1", "s2", "s1", 200, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "who?",
                             "gen_ai.retrieval.documents": [{"id": "d1", "score": 0.9}, {"id": "007", "score": 0.5}]}),
    ("t1", "s3", "s2", 90, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 99,
                            "gen_ai.output.messages": messages("assistant", "rewritten")}),
    ("t1", "s4", "s1", 600, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 12,
                             "gen_ai.usage.output_tokens": 3, "gen_ai.input.messages": messages("user", "d1 ... who?"),
                             "gen_ai.output.messages": messages("assistant", "She.", "Yes.")}),
    ("t2", "s5", None, 100, {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "when?",
                             "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Then."}),
)


@pytest.mark.parametrize("content", [json.dumps(GEN_AI).encode(), json.dumps(GEN_AI, indent=2).encode()])
def test_spans_of_the_gen_ai_conventions(content):
    run = read_run(("traces.json", content))
    assert run.query_ids.to_pylist() == ["who?", "when?"] and not run.problems
    assert run.ranking("who?")["doc_id"].to_pylist() == ["d1", "007"] and run.scores.tolist() == [0.9, 0.5]
    rows = run.details.to_pylist()
    assert [row["answer"] for row in rows] == ["She.\nYes.", "Then."]
    assert (rows[0]["prompt_tokens"], rows[0]["completion_tokens"]) == (12, 3)
    assert (rows[0]["latency_ms"]["retrieval"], rows[0]["latency_ms"]["total"]) == (200.0, 900.0)
    assert rows[1]["latency_ms"]["total"] == 100.0
    assert detect(("x", content)).role == "run" and "OpenTelemetry" in detect(("x", content)).reason


def test_spans_of_openinference_in_an_export_of_lines():
    exports = [otlp((span["context"]["trace_id"], span["context"]["span_id"], span["parent_id"], 5, {
        **flat(span["attributes"]), "openinference.span.kind": span["span_kind"]})) for span in PHOENIX]
    run = read_run(("x", json_lines(exports)))
    assert {query: run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()} == {
        "who?": ["d1", "007"], "when?": ["d9"]}
    assert run.details["answer"].to_pylist() == ["She.", None]
    assert refused(read_runs, json_lines([otlp(("t", "s", None, 1, {"http.method": "GET"}))]))[0].kind == "no-rows"
    assert refused(read_runs, b'{"resourceSpans": 5}')[0].kind == "no-rows"
    problem, = refused(read_truth, json_lines(exports))
    assert problem.kind == "run-as-truth"


def test_the_answer_of_a_chain_and_the_tokens_of_its_model_call():
    answer = {"type": "ai", "data": {"content": "Ada", "type": "ai", "usage_metadata": None}}
    documents = [{"id": "d1", "page_content": "a text", "type": "Document"}]
    output = {"context": documents, "input": "who?", "answer": answer}
    export = otlp(
        ("t", "s1", None, 900, {"openinference.span.kind": "CHAIN", "input.value": "who?",
                                "output.value": json.dumps(output), "output.mime_type": "application/json"}),
        ("t", "s2", "s1", 300, {"openinference.span.kind": "RETRIEVER", "input.value": "who?",
                                "output.value": json.dumps({"documents": documents}),
                                "retrieval.documents.0.document.content": "a text"}),
        ("t", "s3", "s1", 500, {"openinference.span.kind": "LLM", "input.value": "a text who?", "output.value": "Ada",
                                "llm.token_count.prompt": 7, "llm.token_count.completion": 2}))
    run = read_run(("traces.json", json.dumps(export).encode()))
    row, = run.details.to_pylist()
    assert run.ranking("who?")["doc_id"].to_pylist() == ["d1"] and run.texts.to_pylist() == ["a text"]
    assert (row["query"], row["answer"], row["prompt_tokens"], row["completion_tokens"]) == ("who?", "Ada", 7, 2)


SQUAD = {"version": "v2.0", "data": [{"title": "Rhine", "paragraphs": [{"context": "The Rhine flows north.", "qas": [
    {"id": "007", "question": "Where?", "answers": [{"text": "north", "answer_start": 16},
                                                    {"text": "north", "answer_start": 16}], "is_impossible": False},
    {"id": "q2", "question": "Why?", "answers": [], "plausible_answers": [{"text": "flows", "answer_start": 10}],
     "is_impossible": True}]}]}]}


@pytest.mark.parametrize("indent", [None, 1])
def test_squad(indent):
    source = ("x.json", json.dumps(SQUAD, indent=indent).encode())
    truth = read_truth(source)
    assert truth.query_ids.to_pylist() == ["007", "q2"] and not truth.problems
    assert truth.details["query"].to_pylist() == ["Where?", "Why?"]
    assert truth.details["answers"].to_pylist() == [["north"], []]
    assert truth.details["evidence"].to_pylist() == [[{"text": "The Rhine flows north.", "source": "Rhine"}], None]
    assert json.loads(truth.details["attributes"][1].as_py()) == {"is_impossible": True, "title": "Rhine"}
    assert detect(source).role == "truth" and refused(read_runs, source[1])[0].kind == "truth-as-run"


def test_squad_with_something_wrong_says_where():
    wrong = json.loads(json.dumps(SQUAD))
    wrong["data"][0]["paragraphs"][0]["qas"][1]["id"] = "007"
    assert refused(read_truth, json.dumps(wrong).encode())[0].kind == "duplicate-query"
    wrong["data"].append({"title": "x", "paragraphs": 5})
    assert "paragraphs" in [problem.field for problem in refused(read_truth, json.dumps(wrong).encode())]


@pytest.mark.parametrize("indent", [None, 2])
def test_scores_of_ragas_lack_their_questions(indent):
    for read in (read_runs, read_truth):
        problem, = refused(read, json.dumps({"scores": [{"faithfulness": 0.5}, {"faithfulness": 1.0}]},
                                            indent=indent).encode())
        assert problem.kind == "missing-question" and "to_pandas().to_json" in problem.fix


ADVICE = {  # content, read, kind, words of the fix
    "results of trec_eval": (b"runid\tall\tx\nnum_q\tall\t3\nmap\tall\t0.5\nP_10\tall\t0.2\n", read_runs, "results",
                             "the run and the qrels"),
    "results of each query": (b"num_ret  \t301\t500\nP_5 \t301\t0.2\nndcg_cut_10\t302\t0.1\n", read_truth,
                              "run-as-truth", "as a run, without --truth"),
    "ids deep inside": (json.dumps([{"query_id": query, "question": "?", "per_k": {
        "5": {"retrieved_chunk_ids": ["a"]}, "10": {"retrieved_chunk_ids": ["a", "b"]}}} for query in "qp"]).encode(),
        read_runs,
        "proposed-reading", "retrieved=per_k.10.retrieved_chunk_ids"),
    "questions below a table": (
        json.dumps([{"table": {"uid": "1"}, "questions": [{"uid": "2", "question": "?"}]}]).encode(), read_truth,
        "missing-field", "each of the questions in 'questions'"),
    "evidence by document": (
        json_lines([{"id": 1, "claim": "c", "evidence": {"4983": [{"sentences": [0]}]}}]), read_truth,
                             "wrong-type", '"relevant": ["id"]'),
}


@pytest.mark.parametrize("name", ADVICE)
def test_errors_say_how_to_fix_them(name):
    content, read, kind, words = ADVICE[name]
    found = [problem for problem in refused(read, content) if problem.kind == kind]
    assert found and words in found[0].fix


def test_the_suggested_mapping_works():
    content = ADVICE["ids deep inside"][0]
    run = read_run(("x", content), mapping={"retrieved": "per_k.10.retrieved_chunk_ids"})
    assert run.docs.to_pylist() == ["a", "b", "a", "b"]


def test_preference_judgments_are_named():
    found = refused(read_runs, b"q1 A:x L1 FR94-1 1\nq1 A:x L1 FB4-2 0\n")
    assert {problem.kind for problem in found} == {"column-count"} and "preference judgments" in found[0].fix
