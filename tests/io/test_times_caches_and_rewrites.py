"""Times of what is no stage of a system, caches of tools, rules that a test checks, and forms of a query."""

from __future__ import annotations

import json
import math

import pandas
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
SAID = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def offered(value, name: str = "file.json") -> list[dict[str, str]]:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [dict(reading.mapping) for reading in propose(Source((name, content)))]


def test_the_time_of_a_judge_is_not_the_total():
    """The total comes last; a time of something else comes before it."""
    records = [{"question": ASKED[n], "model_answer": SAID[n], "expected_source": f"s{n}.pdf",
                "retrieve_latency_s": 0.2, "generation_latency_s": 1.5, "score_latency_s": 4.0,
                "network_latency_s": 0.1, "total_latency_s": 1.8} for n in COUNT]
    mapping = offered(records)[0]
    run, = read_runs(("file.json", json.dumps(records).encode()), mapping=mapping)
    assert run.details["latency_ms"].to_pylist()[0] == {
        "retrieval": 200.0, "rerank": None, "generation": 1500.0, "total": 1800.0}


def test_a_query_with_and_without_its_expansion_is_two_systems():
    """What became of the query is no answer."""
    rows = [f"{ASKED[n]},{ASKED[n]} game rule match play contest,0.{n}1,0.{n}2,0.01" for n in COUNT]
    content = "\n".join(["query,expanded_query,ndcg_no_qe,ndcg_with_qe,delta", *rows, ""]).encode()
    with pytest.raises(InputError) as error:
        read_runs(("file.csv", content))
    mapping, = error.value.problems[0].facts["mappings"]
    assert (mapping["query"], mapping["scores"]) == ("query", "ndcg_{run}")
    assert [run.name for run in read_runs(("file.csv", content), mapping=mapping)] == ["no_qe", "with_qe"]


def test_answers_with_and_without_retrieval_are_those_of_two_systems():
    """Evidence of the same number of texts for each query is what was found."""
    rows = [{"Question": ASKED[n], "No RAG": f"I guess {n}", "RAG": SAID[n],
             "Evidence": str([f"{SAID[n]} {place}" for place in range(4)])} for n in COUNT]
    content = pandas.DataFrame(rows).to_csv(index=False).encode()
    with pytest.raises(InputError) as error:
        read_truth(("file.csv", content))
    mapping = error.value.problems[0].facts["mappings"][0]
    runs = read_runs(("file.csv", content), mapping=mapping)
    assert (mapping["role"], mapping["contexts"]) == ("run", "Evidence")
    assert {run.name: run.details["answer"].to_pylist()[1] for run in runs} == {"No RAG": "I guess 1", "RAG": SAID[1]}


def test_qrels_with_bars_are_offered():
    content = "\n".join(f"Q{n // 3}|{7 * n}|{n % 4}" for n in range(12)).encode()
    mapping, = offered(content, "qrels.txt")
    truth = read_truth(("qrels.txt", content), mapping=mapping)
    assert (truth.judgments, sorted(map(int, truth.grades))) == (12, sorted(3 * [0, 1, 2, 3]))


def test_metrics_that_some_test_cases_have_are_read():
    """The evaluation stopped after a third of them."""
    cases = {json.dumps({"input": ASKED[n], "actual_output": SAID[n], "expected_output": f"Part {n}",
                         "retrieval_context": [SAID[n], SAID[-n]]}): {"cached_metrics_data": [
                             {"metric_data": {"name": name, "score": n / 4, "threshold": 0.5}}
                             for name in ("Faithfulness", "Contextual Recall")] if n < 2 else []} for n in COUNT}
    mapping, = offered({"test_cases_lookup_map": cases})
    run, = read_runs(("file.json", json.dumps({"test_cases_lookup_map": cases}).encode()), mapping=mapping)
    assert mapping["scores"] == "metrics.Faithfulness+metrics.Contextual Recall"
    values = run.file_scores.aligned(run.name, "Faithfulness", run.query_ids.to_pylist())
    assert (values[:2].tolist(), sum(map(math.isnan, values))) == ([0.0, 0.25], 4)


def test_documents_of_evidence_without_texts_are_right():
    """An answer next to them is that of the data set first."""
    mapping, *_ = offered([{"id": f"q{n}", "question": ASKED[n], "answer": f"Part {n}", "evidence": [
        {"doc_id": f"rules_{n + place}", "page_num": 0} for place in range(1 + n % 2)]} for n in COUNT])
    assert (mapping["role"], mapping["relevant"], mapping["answers"]) == ("truth", "evidence[].doc_id", "answer")


def test_the_message_of_a_customer_is_the_query():
    mapping, = offered([{"question_id": n, "intent": "help", "customer_message": ASKED[n].lower(), "style": style,
                         "generated_response": f"{SAID[n]} {style}"} for style in ("plain", "rushed") for n in COUNT])
    assert (mapping["query"], mapping["config"]) == ("customer_message", "style")


def test_what_an_answer_cites_is_not_the_ranking():
    """Most of what is cited is right, and that is why: `retrieved` has more of it."""
    def system(n: int, answer: str) -> dict:
        return {"answer": answer, "retrieved_arxiv_ids": [f"2003.1055{n}", f"1907.1169{n}", f"1910.1068{n}"],
                "cited_arxiv_ids": [f"2003.1055{n}"], "scores": {"recall_at_k": 0.5}}
    mapping, *_ = offered([{"id": f"q{n}", "question": ASKED[n], "expected_arxiv_ids": [f"2003.1055{n}"], "systems": {
        "baseline": system(n, SAID[n]), "agent": system(n, f"So {SAID[n]}")}} for n in COUNT])
    assert mapping["retrieved"] == "systems.{run}.retrieved_arxiv_ids"


def test_answers_with_chunks_of_several_sizes_are_those_of_systems():
    """Cutoffs of rankings are none: retrieved_100 and recall_100."""
    sizes = (200, 400)
    rows = [{"question": ASKED[n], "ground_truth": f"Part {n}", **{
        f"rag_answers_{size}": f"{SAID[n]} {size}" for size in sizes}, **{
        f"rouge2_fmeasure_{size}": n / 10 + size / 2000 for size in sizes}} for n in COUNT]
    mapping, *_ = offered(rows)
    runs = read_runs(("file.json", json.dumps(rows).encode()), mapping=mapping)
    assert (mapping["answer"], mapping["scores"]) == ("rag_answers_{run}", "rouge2_fmeasure_{run}")
    assert [run.name for run in runs] == ["200", "400"]
    for mapping in offered([{"query": ASKED[n], "expected_id": f"d{n}", "retrieved_100": [f"d{n}", f"d{n + 1}"],
                             "retrieved_500": [f"d{n}", f"d{n + 1}", f"d{n + 2}"], "recall_100": n % 2,
                             "recall_500": 1} for n in COUNT]):
        assert "{run}" not in str(mapping)


def test_what_a_system_should_do_is_no_answer():
    mapping, = offered([{"id": f"e{n}", "query": ASKED[n], "expected_behavior": f"Should call tool {n} and cite it.",
                         "should_use_rag": n % 2 == 0} for n in COUNT])
    assert (mapping["role"], "answers" in mapping) == ("questions", False)


def test_means_of_methods_with_their_settings_in_the_name_are_a_summary():
    rows = [f'"dense@100>>graph (at {n + 1}, alpha = 0.{n}) to @50",0.6{n},0.9{n},0.4{n},{n + 8}' for n in COUNT]
    with pytest.raises(InputError) as error:
        read_runs(("file.csv", "\n".join(["Method,nDCG,MRR,MAP,doc_topk", *rows, ""]).encode()))
    assert [problem.message for problem in error.value.problems] == ["summary/metrics"]
