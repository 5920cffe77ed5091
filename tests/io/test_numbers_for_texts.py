"""Numbers in places of texts, in files whose values are parsed by another parser than the file itself."""

from __future__ import annotations

import json

import pytest

from ragdash import InputError, read_run, read_truth


def spans(kind: str, *attributes: tuple[str, dict]) -> bytes:
    """A trace of OpenTelemetry with one step."""
    all_of_them = (("openinference.span.kind", {"stringValue": kind}), ("input.value", {"stringValue": "Who?"}),
                   *attributes)
    span = {"traceId": "t1", "spanId": "s1", "name": "r", "startTimeUnixNano": "1700000000000000000",
            "endTimeUnixNano": "1700000001000000000",
            "attributes": [{"key": key, "value": value} for key, value in all_of_them]}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()


@pytest.mark.parametrize("value", [{"intValue": "5"}, {"intValue": 5}, {"doubleValue": 5.0}])
def test_a_number_as_the_id_of_a_document_in_a_trace_is_text_with_a_warning(value):
    run = read_run(("spans.json", spans("RETRIEVER", ("retrieval.documents.0.document.id", value))))
    assert run.docs.to_pylist()[0] in ("5", "5.0")
    assert [problem.kind for problem in run.problems] == ["number-as-text"]


def test_a_number_as_the_answer_of_a_trace_is_text_with_a_warning():
    run = read_run(("spans.json", spans("CHAIN", ("output.value", {"intValue": "42"}))))
    assert run.details["answer"].to_pylist() == ["42"]
    assert [problem.kind for problem in run.problems] == ["number-as-text"]


@pytest.mark.parametrize("text", ["1", "1e5", "1.50"])
def test_a_number_as_the_text_of_a_document_keeps_its_digits(text):
    content = f'{{"queries": {{"q1": "Who?"}}, "relevant_docs": {{"q1": ["d7"]}}, "corpus": {{"d7": {text}}}}}'
    truth = read_truth(("set.json", content.encode()))
    assert truth.corpus.texts.to_pylist() == [text]


def test_questions_with_answers_and_without_judgments_are_read_as_they_are():
    """As the jobs of the pages write them: judgments say nothing to a model."""
    rows = [{"query_id": f"q{number}", "query": f"Where is it {number}?", "answers": ["the sea", "a lake there"],
             "relevant": {}} for number in range(12)]
    truth = read_truth(("truth.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode()))
    assert len(truth) == 12 and not truth.judgments and not truth.problems


@pytest.mark.parametrize("content", [
    '{"id": "7", "input": "Who?", "output": [{"answer": "She", "provenance": 5}]}\n',
    '[{"id": "7", "input": "Who?", "output": [{"answer": "She", "provenance": 5}]}]'])
def test_pages_that_are_no_list_are_named(content):
    with pytest.raises(InputError, match="expected a list of objects with wikipedia_id"):
        read_run(("kilt.jsonl", content.encode()))
