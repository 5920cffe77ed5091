"""Results as evaluation scripts write them: names without marks between their words, lists next to each other, large
files, sheets of the same columns, settings of an experiment.
"""

from __future__ import annotations

import io
import json

import pytest
from openpyxl import Workbook

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def rows(**columns) -> list[dict]:
    """Six records; a function is called with the number of a record."""
    return [{"question": ASKED[number], **{name: column(number) if callable(column) else column
                                           for name, column in columns.items()}} for number in COUNT]


def offered(content, name: str = "file.json") -> list[dict[str, str]]:
    data = content if type(content) is bytes else json.dumps(content).encode()
    return [dict(reading.mapping) for reading in propose(Source((name, data)))]


def chunks(number: int, count: int, **members) -> list[dict]:
    return [{"id": f"c{number + place}", "text": f"{TEXTS[number]} {place}", **{
        name: value - place / 10 for name, value in members.items()}} for place in range(count)]


FIRST = {  # records, what the first reading has, what it must not have
    "words without a mark between them": (
        rows(goldstandard_answer=lambda n: TEXTS[n], goldstandard_docs=lambda n: chunks(n, 2),
             modelanswer=lambda n: f"By the part on moves, case {n}."),
        {"answers": "goldstandard_answer", "evidence": "goldstandard_docs[].text", "answer": "modelanswer"}, set()),
    "the expected information": (
        rows(Expected_Information=lambda n: f"Part {n}", AI_Final_Answer=lambda n: TEXTS[n]),
        {"answers": "Expected_Information", "answer": "AI_Final_Answer"}, set()),
    "numbers that are right": (
        rows(gold=lambda n: f"{n}.5%", prediction=lambda n: ["no", "1"][n % 2]),
        {"answers": "gold", "answer": "prediction"}, {"scores"}),
    "predictions of yes and no": (
        rows(gold=lambda n: f"{n}.5%", prediction=lambda n: ["no", "yes"][n % 2]),
        {"answers": "gold", "answer": "prediction"}, set()),
    "several spellings of an answer": (
        rows(ans=lambda n: [[f"Part {n}", f"part {n}"]], prediction=lambda n: TEXTS[n], noise_rate=0.2),
        {"answers": "ans", "answer": "prediction"}, {"scores"}),
    "a question and its answer in an object": (
        [{"id": f"q{n}", "pre_text": [TEXTS[n]], "post_text": [TEXTS[-n]], "qa": {
            "question": ASKED[n], "answer": f"{n}"}} for n in COUNT],
        {"role": "truth", "query": "qa.question", "answers": "qa.answer"}, {"contexts", "answer"}),
    "a reranked list": (
        rows(relevant_chunk_ids=lambda n: [f"c{n + 1}"], trace=lambda n: {
            "retrieved_chunks": chunks(n, 4, distance=0.9), "reranked_chunks": chunks(n, 2, reranker_score=0.9)}),
        {"retrieved": "trace.reranked_chunks[].id", "score": "trace.reranked_chunks[].reranker_score",
         "relevant": "relevant_chunk_ids"}, set()),
    "documents next to questions": (
        {"documents": [{"doc_id": f"d{n}", "text": TEXTS[n]} for n in COUNT],
         "questions": rows(relevant_doc_ids=lambda n: [f"d{n}"], ideal_answer=lambda n: TEXTS[-n])},
        {"role": "truth", "records": "questions", "relevant": "relevant_doc_ids"}, {"evidence"}),
    "settings of an experiment": (
        [{"time_started": f"2026-01-02 10:0{top_k}:{most % 60:02}", "question": ASKED[n], "top_k": top_k,
          "max_tokens": most, "gold_answer": TEXTS[n], "generated_answer": f"{TEXTS[-n]} {top_k} {most}"}
         for top_k in (3, 5) for most in (500, 750) for n in range(3)],
        {"config": "top_k+max_tokens"}, {"labels", "scores"}),
    "an id that few documents have": (
        [{"question": ASKED[0], "approach": approach, "filename": f"rules_{place}.pdf",
          "file_id": f"f{place}" if approach == "dense" else "", "snippet": f"{TEXTS[place]} {approach}"}
         for approach in ("bm25", "dense") for place in COUNT],
        {"doc_id": "filename", "text": "snippet", "config": "approach"}, set()),
    "several ids of one document": (
        rows(result=lambda n: {"mode": "graph", "answer": TEXTS[n], "retrieved": [
            {"comp_id": f"c{n + k}", "textunit_id": f"c{n + k}_t", "norm_id": "n1", "text": f"{TEXTS[n]} {k}",
             "score": 0.9 - k / 10} for k in range(3)]}),
        {"role": "run", "text": "result.retrieved[].text", "answer": "result.answer"}, {"config", "labels"}),
    "a prediction and a response": (
        rows(ground_truth=lambda n: f"Part {n}", prediction=lambda n: TEXTS[n], response="Accuracy: True"),
        {"answer": "prediction", "answers": "ground_truth"}, set()),
    "answers by number with means above": (
        {"accuracy": 0.5, "mean_docs": 2.0, "predictions": {str(n): {
            "predicted_answer": "ABC"[n % 3], "gold_answer": "ABC"[n % 2], "mean_original_length": 4.5 + n,
            "mean_used_length": 1.5 + n, "relevant_docs": [{"doc_title": f"Part {n}", "original_length": 40 + n,
                                                            "content": TEXTS[n]}]} for n in COUNT}},
        {"answer": "predicted_answer", "answers": "gold_answer"}, {"relevant"}),
    "marks of one answer": (
        rows(expected=lambda n: TEXTS[n], generated=lambda n: TEXTS[-n], semantic_pass=lambda n: n > 1,
             fact_pass=lambda n: n > 2, overall_pass=lambda n: n > 3),
        {"answer": "generated", "scores": "semantic_pass+fact_pass+overall_pass"}, {"config"}),
    "choices, and a key where there are some": (
        rows(answer=lambda n: "" if n % 3 else "No", answerKey=lambda n: "AB"[n % 2] if n % 3 else None,
             choices=lambda n: {"text": [TEXTS[n], TEXTS[-n]], "label": ["A", "B"]}),
        {"role": "truth", "answers": "answerKey"}, {"answer", "contexts", "relevant"}),
    "documents as LangChain writes them": (
        rows(Answer=lambda n: TEXTS[-n], Context=lambda n: f"[Document(page_content='{TEXTS[n]}')]"),
        {"role": "run", "answer": "Answer", "contexts": "Context"}, set()),
    "a measure of the response": (
        [{"id": f"q{n}", "model": "m", "correctness": n / 7, "lix_response": 40 + n / 7, "judge_provider": "local"}
         for n in COUNT],
        {"scores": "correctness"}, {"answer", "labels"}),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_first_reading(name):
    content, expected, missing = FIRST[name]
    first = offered(content)[0]
    assert {field: first.get(field) for field in expected} == expected
    assert missing.isdisjoint(first)


@pytest.mark.parametrize(("name", "role", "paths"), [
    ("a prediction and a response", "answer", ["prediction", "response"]),
    ("answers by number with means above", "contexts", [None, "relevant_docs[].content"])])
def test_what_can_mean_two_things_is_offered_in_both_ways(name, role, paths):
    assert [reading.get(role) for reading in offered(FIRST[name][0])] == paths


def test_a_response_next_to_a_prediction_is_asked_about():
    """`response` is the answer of the known format; here it may be what a judge wrote."""
    with pytest.raises(InputError) as failed:
        read_runs(("file.json", json.dumps(FIRST["a prediction and a response"][0]).encode()))
    assert [mapping["answer"] for mapping in failed.value.problems[0].facts["mappings"]] == ["prediction", "response"]


METRICS = {"retrieval": {"mrr": 0.5, "recall@5": 0.6}, "qa": {"f1": 0.4}}
NONE = {  # what holds no results of queries
    "failures in a report": {**METRICS, "failures": [
        {"question": ASKED[n], "expected": TEXTS[n], "reason": "not found"} for n in COUNT]},
    "the prompt in a report": {**METRICS, "config": {"rag_prompt": "Answer the question by the context, and say so."}},
    "how stable a ranking is": {"stability": {"query": ASKED[0], "result_sets": [["d1", "d2"], ["d1", "d2"]],
                                              "overlap": 1.0}, "analysis": {"query_doc_id": "d7", "similarity": 0.1}},
    "examples in a program": {"program": {"demos": rows(context=lambda n: TEXTS[n], response=lambda n: TEXTS[-n])}},
    "documents by chunking": {"document": "a.txt", "queries": [
        {"id": n, "query": ASKED[n], "relevant_chunks": {"fixed": [n, n + 1], "by sentence": [n]}} for n in COUNT]},
}


@pytest.mark.parametrize("name", NONE)
def test_nothing_is_offered_for(name):
    assert offered(NONE[name]) == []


def test_sheets_of_the_same_columns_are_asked_about():
    book = Workbook()
    book.remove(book.active)
    for name in ("dense", "hybrid", "graph"):
        sheet = book.create_sheet(name)
        for row in (["user_input", "response", "reference", "faithfulness"], [ASKED[0], f"By {name}.", TEXTS[0], 0.5]):
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    with pytest.raises(InputError) as failed:
        read_runs(("results.xlsx", stream.getvalue()))
    mapping = failed.value.problems[0].facts["mappings"][0]
    runs = read_runs(("results.xlsx", stream.getvalue()), mapping=mapping)
    assert [run.name for run in runs] == ["dense", "hybrid", "graph"]
    assert all(run.query_ids.to_pylist() == [ASKED[0]] for run in runs)


@pytest.mark.parametrize("form", ["lines", "array"])
def test_what_a_system_gave_is_not_left_out_of_a_large_file(form):
    """The first records of a large file are looked at as those of a small one."""
    records = [{"question_id": f"q{n}", "question": f"{ASKED[0]} {n}", "ground_truth": TEXTS[n % 6],
                "padding": "x" * 4000, "result": {"answer": f"{TEXTS[0]} {n}", "contexts": [TEXTS[n % 6]]}}
               for n in range(300)]
    content = "\n".join(map(json.dumps, records)) if form == "lines" else json.dumps(records)
    with pytest.raises(InputError) as failed:
        read_truth((f"predictions.json{'l' if form == 'lines' else ''}", content.encode()))
    mapping = failed.value.problems[0].facts["mappings"][0]
    assert {"role": "both", "answer": "result.answer", "contexts": "result.contexts"}.items() <= mapping.items()


@pytest.mark.parametrize("holder, name, value", [("evaluation_results", "key", "score"), ("metrics", "name", "value"),
                                                 ("scores", "metric", "score")])
def test_a_list_of_metrics_in_a_record_is_no_ranking(holder, name, value):
    records = rows(output=lambda number: {"answer": TEXTS[number]}, **{holder: lambda number: {"results": [
        {name: "correctness", value: number / 6}, {name: "groundedness", value: 1}]}})
    mapping, = offered(records)
    assert mapping["scores"] == f"{holder}.results.correctness+{holder}.results.groundedness"
    assert "retrieved" not in mapping and mapping["answer"] == "output.answer"
    run, = read_runs(("file.json", json.dumps(records).encode()), mapping=mapping)
    assert run.file_scores.aligned(run.name, "correctness", run.query_ids.to_pylist()).tolist() == [
        number / 6 for number in COUNT]


def test_a_list_of_other_documents_in_each_record_stays_a_ranking():
    records = rows(evaluated=lambda number: [{"key": f"d{number + place}", "score": 1 - place / 4}
                                             for place in range(3)])
    mapping, *_ = offered(records)
    assert mapping["retrieved"] == "evaluated[].key"


@pytest.mark.parametrize("others, chosen", [(["a", "b"], "documents"), ([], "snippets[].document")])
def test_all_right_documents_are_read_not_those_of_the_quotes_alone(others, chosen):
    """As BioASQ has them."""
    records = rows(documents=lambda number: [f"http://papers.org/{name}{number}" for name in ("x", *others)],
                   snippets=lambda number: [{"document": f"http://papers.org/x{number}", "text": TEXTS[number]}],
                   ideal_answer=lambda number: [TEXTS[number]])
    mapping = next(mapping for mapping in offered(records) if mapping["role"] == "truth")
    assert mapping["relevant"] == chosen and mapping["evidence"] == "snippets[].text"


@pytest.mark.parametrize("first, holds_ids", [("which rule covers case {}", False), ("case-{}", True)])
def test_a_first_column_of_several_words_without_a_header_holds_no_ids(first, holds_ids):
    lines = "".join(f"{first.format(number)}\t{TEXTS[number]}\t{TEXTS[number]} So it is.\n" for number in COUNT)
    chosen = {mapping.get("query_id") for mapping in offered(lines.encode(), "file.tsv")}
    assert ("column 1" in chosen) == holds_ids
