"""Texts that are asked rather than documents, empty columns of a ground truth, counts next to metrics, and traces."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
TOPICS = [f"moves of the rook in game {number}" for number in COUNT]


def offered(content: bytes, name: str = "file.json") -> list[dict[str, str]]:
    return [reading.mapping for reading in propose(Source((name, content)))]


def lines(*rows: dict) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


QUERIES = {
    "topics with empty titles": ({"_id": f"q{n}", "title": "", "text": TOPICS[n]} for n in COUNT),
    "topics with kinds": ({"id": f"Q{n}", "domain": "chess", "type": "lexical", "text": TOPICS[n]} for n in COUNT),
}


@pytest.mark.parametrize("name", QUERIES)
def test_short_texts_without_titles_are_asked_about_as_questions(name):
    content = lines(*QUERIES[name])
    assert detect(("queries.jsonl", content)).role == "unknown"
    with pytest.raises(InputError):
        read_truth(("queries.jsonl", content))
    mapping, = offered(content, "queries.jsonl")
    assert (mapping["role"], mapping["query"]) == ("questions", "text")


def test_long_texts_with_empty_titles_are_documents():
    content = lines(*({"_id": f"d{n}", "title": "", "text": f"{TOPICS[n]}, which is described in full below. " * 4}
                      for n in COUNT))
    assert detect(("corpus.jsonl", content)).role == "corpus"


def test_a_claim_next_to_right_documents_is_the_query():
    content = lines(*({"query_id": f"q{n}", "text": f"The rook may be moved {n} times in a row without a rest.",
                       "relevant_doc_ids": [f"d{n}"], "reference_answer": f"In game {n} it was."} for n in COUNT))
    mapping, *_ = offered(content, "file.jsonl")
    assert (mapping["query"], mapping["relevant"]) == ("text", "relevant_doc_ids") and "evidence" not in mapping


@pytest.mark.parametrize(("name", "content"), [
    ("file.json", json.dumps({"report": {}, "results": [
        {"query": f"What are {topic}?", "answer": topic, "contexts": [topic], "ground_truth": None} for topic in TOPICS
    ]}, indent=1).encode()),
    ("file.csv", "\n".join(["question,answer,contexts,ground_truth", *(
        f"What are {topic}?,{topic},\"['a text']\"," for topic in TOPICS), ""]).encode()),
])
def test_a_run_with_an_empty_field_of_the_truth_is_a_run(name, content):
    assert detect((name, content)).role == "run"
    run, = read_runs((name, content))
    assert len(run.query_ids) == len(TOPICS)
    filled = content.replace(b"null", b"\"rook\"", 1).replace(b"text']\",", b"text']\",x", 1)
    assert detect((name, filled)).role == "both"


def test_a_comment_among_the_queries_is_passed_over():
    content = json.dumps({"_comment": "first draft", "q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}).encode()
    truth = read_truth(("qrels.json", content))
    assert (truth.query_ids.to_pylist(), truth.judgments) == (["q1", "q2"], 3)
    assert [(problem.kind, problem.severity) for problem in truth.problems] == [("unread-field", "warning")]
    with pytest.raises(InputError):
        read_truth(("qrels.json", content.replace(b"_comment", b"comment")))


def test_counts_and_settings_are_no_metrics():
    columns = {"include_tables": [False, True], "table_hits": [0, 3], "expected_refusal": [True, False],
               "doc_precision": [1.0, 0.0], "result_headers": ["Results", "Discussion"]}
    content = json.dumps([{"query": f"What are {topic}?", "result_docs": [f"d{n}", "d9"], "expected_docs": ["d9"],
                           "answer": f"a {n % 2}", "reference_answer": f"a {n % 2 if n < 5 else 'b'}",
                           "evaluation": {name: values[n % 2] for name, values in columns.items()}}
                          for n, topic in enumerate(TOPICS)]).encode()
    mapping, *_ = offered(content)
    assert mapping["scores"] == "evaluation.doc_precision" and "labels" not in mapping


def test_bars_between_values_that_also_come_alone():
    content = "\n".join(["query,expected_docs,result_docs", *(
        f"What are {topic}?,d {n} x,{'d 1 x | d 2 x' if n == 3 else f'd {n} x'}" for n, topic in enumerate(TOPICS)),
        ""]).encode()
    mapping, *_ = offered(content, "file.csv")
    assert read_runs(("file.csv", content), mapping=mapping)[0].docs.to_pylist()[3:5] == ["d 1 x", "d 2 x"]


def test_metrics_next_to_right_answers_are_asked_about():
    content = "\n".join(["question,gold_answer,chunking,recall_at_k,hit_rate", *(
        f"What are {topic}?,{topic},fixed,{n / 8},{n % 2}.0" for n, topic in enumerate(TOPICS)), ""]).encode()
    with pytest.raises(InputError) as failed:
        read_truth(("file.csv", content))
    mapping = failed.value.problems[0].facts["mappings"][0]
    assert (mapping["role"], mapping["scores"]) == ("both", "recall_at_k+hit_rate")


def traces(system: str) -> dict:
    hits = [{"title": f"Part {n}", "score": 1 - n / 9} for n in range(3)]
    return {"aggregate": {"EM": 0.5}, "case_studies": {"good": [
        {"question": f"What are {topic}?", "gold_answer": topic, "predicted_answer": system} for topic in TOPICS[:2]]},
        "traces": [{"question": f"What are {topic}?", "gold_answer": topic, "predicted_answer": system,
                    "supporting_titles": ["Part 1"], "retrieved_docs": hits,
                    "per_hop": [{"docs": hits}, {"docs": [{"title": f"Aside {n}", "score": 0.5}]}]}
                   for n, topic in enumerate(TOPICS)]}


def test_traces_of_each_system_come_before_a_few_examples():
    content = json.dumps({"metadata": {"count": 8}, **{name: traces(name) for name in ("base", "agentic")}}).encode()
    mapping, *_ = offered(content)
    assert (mapping["records"], mapping["config"]) == ("*.traces", "*")
    assert mapping["retrieved"] == "retrieved_docs[].title"


def test_who_wins_says_nothing_of_a_run():
    content = json.dumps({"results": [{"case_id": f"case_{n}", "verdict_ab": {"winner": "AB"[n % 2]},
                                       "verdict_ba": {"winner": "BA"[n % 2]}} for n in COUNT]}).encode()
    assert offered(content) == []
