"""Names that say one thing and values that say another, and lists of things that are no queries."""

from __future__ import annotations

import json
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"What is kept in room {number} of the house?" for number in range(6)]
SAID = [f"Room {number} holds the maps that were drawn by hand in the north." for number in range(6)]


def rows(**columns) -> list[dict]:
    """Six records; a function gives a value to each number of a record."""
    return [{name: column(number) for name, column in columns.items()} for number in range(6)]


def mappings(content) -> list[dict[str, str]]:
    """The readings that are offered for JSON, the first one first."""
    return [dict(reading.mapping) for reading in propose(Source(("file.json", json.dumps(content).encode())))]


READ = {  # content, the first mapping without its attributes
    "the right answer of a question that comes twice": (
        [{"question": ASKED[n % 3], "gold": f"a map {n}", **{
            name: {"ans": f"{name} {n % 3}", "F1": n / 7} for name in ("vanilla_rag", "graph_rag")}} for n in range(6)],
        {"role": "both", "query": "question", "answer": "{run}.ans", "answers": "gold", "scores": "{run}.F1"}),
    "documents that are left out of the right ones": (
        rows(id=lambda n: f"q{n}", question=ASKED.__getitem__, exclude_chunk_ids=lambda n: [f"c{n}", "c9"],
             gold_urls=lambda n: [f"https://a.example/{n}"], ground_truth=SAID.__getitem__),
        {"role": "truth", "query_id": "id", "query": "question", "relevant": "gold_urls", "answers": "ground_truth"}),
    "lines of a batch of requests": (
        rows(id=lambda n: f"batch_req_{n}", custom_id=lambda n: f"case-{n}", response=lambda n: {"body": {"choices": [
            {"index": 0, "message": {"role": "assistant", "content": SAID[n]}}]}}),
        {"role": "run", "query_id": "custom_id", "answer": "response.body.choices[].message.content"}),
    "articles to rank in each record": (
        {"queries": rows(id=lambda n: f"q{n}", incident=SAID.__getitem__, relevant_article_ids=lambda n: [f"n{n}"],
                         candidate_articles=lambda n: [{"id": f"n{k}", "url": f"https://a.example/{k}",
                                                        "content": SAID[k]} for k in (n, (n + 1) % 6)])},
        {"role": "truth", "records": "queries", "query_id": "id", "relevant": "relevant_article_ids"}),
    "a document for each turn": (
        rows(number=lambda n: 81 + n, turn=lambda n: [
            {"canonical_result_id": f"D_{n}{k}", "number": k, "raw_utterance": ASKED[k]} for k in (1, 2)]),
        {"role": "questions", "records": "*.turn", "query_id": "*.number+number", "query": "raw_utterance"}),
    "other ways to write the right answer": (
        rows(question=ASKED.__getitem__, canonical_answer=SAID.__getitem__, answer_variants=lambda n: [f"maps {n}"]),
        {"role": "truth", "query": "question", "answers": "canonical_answer+answer_variants"}),
    "claims of the right answer": (
        rows(question=ASKED.__getitem__, gt_answer=SAID.__getitem__, gt_answer_claims=lambda n: ["Maps.", f"In {n}."]),
        {"role": "truth", "query": "question", "answers": "gt_answer"}),
    "guidelines for the people who judge": (
        {f"topic-{n}": {"Query": ASKED[n], "Guidelines": SAID[n] * 4} for n in range(6)},
        {"role": "questions", "records": "*", "query_id": "*", "query": "Query"}),
    "lists before and after": (
        rows(query=ASKED.__getitem__, before=lambda n: [f"d{n}", "d9"], after=lambda n: ["d9", f"d{n}"],
             relevant=lambda n: [f"d{n}"]),
        {"role": "both", "records": "*", "query": "query", "config": "*", "retrieved": "retrieved",
         "relevant": "relevant"}),
    "answers of two assistants": (
        rows(question=ASKED.__getitem__, assistant_1=SAID.__getitem__, assistant_2=lambda n: SAID[n - 1]),
        {"role": "run", "records": "*", "query": "question", "config": "*", "answer": "answer"}),
    "an id named after the data set": (
        rows(bench_id=lambda n: f"b{n}", question=ASKED.__getitem__, expected_doc=lambda n: f"{n}.pdf"),
        {"role": "truth", "query_id": "bench_id", "query": "question", "relevant": "expected_doc"}),
    "pages of the evidence and the code of a company": (
        rows(question=ASKED.__getitem__, target_stock_code=lambda n: f"00259{n % 2}", reference_answer=SAID.__getitem__,
             evidence_pages=lambda n: f"4{n};5{n}"),
        {"role": "truth", "query": "question", "relevant": "evidence_pages", "answers": "reference_answer"}),
    "a document that is among the returned ones": (
        rows(query=ASKED.__getitem__, image_filename=lambda n: f"p{n}.png",
             retrieved=lambda n: ["p1.png", f"p{n}.png"]),
        {"role": "both", "query": "query", "retrieved": "retrieved", "relevant": "image_filename"}),
    "the first hit and the right one": (
        rows(query=ASKED.__getitem__, expected=lambda n: f"faq_{n}", top1=lambda n: f"faq_{n % 4}",
             correct=lambda n: n < 4),
        {"role": "both", "query": "query", "retrieved": "top1", "relevant": "expected", "scores": "correct"}),
    "lists of hits of two ways": (
        rows(query=ASKED.__getitem__, **{name: lambda n, first=first: [
            {"rank": k, "chunk_id": f"c{first}{n}{k}", "score": 1 / k} for k in (1, 2)]
            for first, name in enumerate(("fused_off", "fused_on"))}),
        {"role": "run", "records": "*", "query": "query", "config": "*", "retrieved": "retrieved[].chunk_id",
         "score": "retrieved[].score", "rank": "retrieved[].rank"}),
    "an abstract with its question": (
        rows(title=lambda n: f"Map {n}", abstract=SAID.__getitem__, answerable_question=ASKED.__getitem__),
        {"role": "truth", "query": "answerable_question", "evidence": "abstract"}),
    "a pattern of the answer": (
        rows(id=lambda n: f"q{n}", query=ASKED.__getitem__, expected_answer_pattern=lambda n: f"room.*{n} maps north"),
        {"role": "questions", "query_id": "id", "query": "query"}),
    "queries of a set": (
        {"name": "set", "sampling": "manual", "querySetQueries": rows(queryText=lambda n: f"phone{n}")},
        {"role": "questions", "records": "querySetQueries", "query": "queryText"}),
    "authors of questions and answers": (
        rows(question=ASKED.__getitem__, question_author=lambda n: f"Ann {n}", answer=SAID.__getitem__,
             answer_author=lambda n: f"Bob {n}", examples_url=lambda n: [f"https://a.example/{n}"]),
        {"role": "truth", "query": "question", "relevant": "examples_url", "answers": "answer"}),
    "hits with a description": (
        rows(question=ASKED.__getitem__, result=lambda n: SAID[n] * 2, search_results=lambda n: [
            {"url": f"https://a.example/{n}/{k}", "description": SAID[k]} for k in range(3)]),
        {"role": "run", "query": "question", "retrieved": "search_results[].url",
         "text": "search_results[].description", "answer": "result"}),
    "settings in an object called config": (
        rows(question=ASKED.__getitem__, answer=SAID.__getitem__, latency_ms=lambda n: 10 + n,
             config=lambda n: {"temperature": 0.1}),
        {"role": "run", "query": "question", "answer": "answer", "latency_ms": "latency_ms"}),
    "the parts of a right answer": (
        rows(id=lambda n: f"q{n}", question=ASKED.__getitem__, answer=lambda n: {
            "compliance": f"no {n}", "clause_reference": f"SOLAS/{n}.4", "clause_content": SAID[n],
            "difficulty": "hard"}),
        {"role": "truth", "query_id": "id", "query": "question", "relevant": "answer.clause_reference",
         "answers": "answer.compliance", "evidence": "answer.clause_content"}),
    "the document that questions are about, by its number": (
        rows(document_index=lambda n: n // 2 * 3, question=ASKED.__getitem__, answer=SAID.__getitem__),
        {"role": "truth", "query": "question", "relevant": "document_index", "answers": "answer"}),
    "numbers of articles in Turkish": (
        rows(question=ASKED.__getitem__, madde_recall=lambda n: n / 7, system_answer=SAID.__getitem__,
             system_madde_sources=lambda n: [250 + n, 9, 257], relevant_madde_list=lambda n: [250 + n]),
        {"role": "both", "query": "question", "retrieved": "system_madde_sources", "answer": "system_answer",
         "relevant": "relevant_madde_list", "scores": "madde_recall"}),
    "codes of companies": (
        rows(id=lambda n: f"q{n}", question=ASKED.__getitem__, expected_tickers=lambda n: [f"00593{n}.KS"]),
        {"role": "questions", "query_id": "id", "query": "question"}),
    "precision at 5 of two pipelines": (
        rows(query=ASKED.__getitem__, **{name: lambda n, first=first: {"p5": (n + first) % 6 / 5, "ndcg5": n / 7}
                                         for first, name in enumerate(("pipeline1", "pipeline2"))},
             top5=lambda n: {f"pipeline{k}": [f"Film {n}", f"Film {k}"] for k in (1, 2)}),
        {"role": "run", "query": "query", "retrieved": "top5.{run}", "scores": "{run}.ndcg5+{run}.p5"}),
    "the scores of which a fused one is made": (
        rows(query_id=lambda n: f"q{n}", results=lambda n: [
            {"chunk_id": f"c{n}{k}", "rrf_score": 1 / (60 + k), "boosted_score": 1 / (60 + k),
             "dense_score": 0.5 + k % 3 / 9 + n / 99, "bm25_score": 9.5 - k % 2, "dense_rank": 3 - k % 3,
             "bm25_rank": 1 + k % 2} for k in range(1, 5)]),
        {"role": "run", "records": "*.results", "query_id": "*.query_id", "doc_id": "chunk_id",
         "score": "rrf_score"}),
}
NONE = {  # content of which no list holds queries
    "panels of a dashboard": {"title": "Search", "panels": [{"id": n, "title": f"Rate {n}", "targets": [
        {"expr": f"sum({n})", "refId": "A"}]} for n in range(6)]},
    "nodes of a workflow": {"name": "flow", "nodes": [{"id": f"{n}-4f2a", "parameters": {"assignments": [
        {"id": f"a{n}", "name": "text"}]}} for n in range(6)]},
    "files of repositories": {"repos": [{"repoId": f"a/b{n}", "filePaths": ["model.bin", f"{n}.json"]}
                                        for n in range(6)]},
    "scores of a task and its languages": {"task_name": "Bitext", "scores": {split: [
        {"precision": 0.9, "f1": 0.8, "main_score": 0.8, "hf_subset": subset} for subset in ("nep-eng", "eng-nep")]
        for split in ("test", "validation")}},
    "means of data sets": rows(dataset=lambda n: f"set {n}", num_samples=lambda n: 1737 + n, accuracy=lambda n: n / 7,
                               f1=lambda n: n / 9),
    "paths of a run": {"k": 5, "paths": {"queries_eval": "data/all queries of the set.json", "report": "out/r.csv"},
                       "software": {"python": "3"}},
    "files of results": {"dataset": "test", "cross_encoder": {f"model-{n}": {"output_file": f"out/{n}.txt", "count": n}
                                                              for n in range(5)}},
    "nodes of a flow with an answer": {"name": "flow", "nodes": [{"id": f"n{n}", "inputs": {"answer": SAID[n]}}
                                                                 for n in range(6)]},
    "parameters that agree": {"report_id": "r1", "parameters": {f"parameter_{n}": {"match": True} for n in range(6)}},
    "chunks of one query": [{"retrieved_chunks": [{"rank": n, "chunk_id": f"c{n}", "score": 0.5, "chunk_text": "alpha"}
                                                  for n in range(6)]}],
    "reports of files": {"reports": rows(input_path=lambda n: f"data/input file number {n}.json",
                                         output_path=lambda n: f"data/output file number {n}.json",
                                         strategy=lambda n: "s")},
    "counts of groups": {"judge": "a", "by_category": {name: {"A": 6, "B": n, "tie": 3} for n, name in enumerate((
        "code", "law", "tax"))}},
    "means and the number of queries": rows(dataset=lambda n: "a" if n < 3 else "b", condition=lambda n: f"set {n % 3}",
                                            **{"nDCG@10": lambda n: n / 7, "queries": lambda n: 49 if n < 3 else 48}),
    "hits of one search": rows(pmid=lambda n: f"4022142{n}", title=SAID.__getitem__, abstract=SAID.__getitem__,
                               similarity=lambda n: 0.6 - n / 99),
    "documents with a label each": rows(id=lambda n: f"129311841{n}", label=lambda n: "RN"[n % 2]),
    "models with their scores": {"models": rows(input_adapter=lambda n: f"adapter_{n}", model=lambda n: {
        "repository": f"a/b{n}"}, quality=lambda n: {"mrr": n / 7, "ndcg_at_6": n / 9})},
}


@pytest.mark.parametrize(("content", "expected"), READ.values(), ids=READ)
def test_a_field_means_what_its_values_and_its_place_show(content, expected):
    first = {name: path for name, path in mappings(content)[0].items() if name != "attributes"}
    assert first == expected


@pytest.mark.parametrize("content", NONE.values(), ids=NONE)
def test_a_list_of_other_things_is_not_offered_as_queries(content):
    assert mappings(content) == []


def test_records_with_settings_are_offered_although_the_known_format_fails_on_them(tmp_path):
    content = READ["settings in an object called config"][0]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, content)))
    with pytest.raises(InputError) as error:
        read_runs(path)
    assert [problem.kind for problem in error.value.problems][:1] == ["proposed-reading"]


@pytest.mark.parametrize("line", ["{query} {doc} {rank} {score} bm25", "{query} Q0 {doc} {rank} {score}"])
def test_a_trec_run_without_one_of_its_columns_is_offered(line, tmp_path):
    lines = [line.format(query=f"q{n}", doc=f"d{n}{rank}", rank=rank, score=1 / rank) for n in range(3)
             for rank in (1, 2, 3)]
    path = tmp_path / "five.run"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as error:
        read_runs(path)
    mapping, = error.value.problems[0].facts["mappings"]
    run, = read_runs(path, mapping=mapping)
    assert run.ranking("q2")["doc_id"].to_pylist() == ["d21", "d22", "d23"]
    path.write_text("\n".join(lines).replace(" 2 ", " 7 "))
    with pytest.raises(InputError) as error:
        read_runs(path)
    assert {problem.kind for problem in error.value.problems} == {"column-count"}


def test_short_texts_by_id_may_be_asked_also_where_a_few_are_long():
    texts = {f"INEX_{n}": f"old maps of room {n}" + " and of the house next to it" * 4 * (n == 7) + "?" * (n == 3)
             for n in range(60)}
    assert [mapping["role"] for mapping in mappings(texts)] == ["truth", "run", "questions"]


def test_judgments_with_a_note_are_not_offered_as_a_run(tmp_path):
    path = tmp_path / "qrels.jsonl"
    path.write_text("\n".join(json.dumps({"query_id": f"q{n // 2}", "doc_id": f"d{n}", "relevance": n % 3,
                                          "required": n % 2 == 0, "support_kind": "direct"}) for n in range(8)))
    truth = read_truth(path)
    assert truth.judgments == 8
    assert "proposed-reading" not in [problem.kind for problem in truth.problems]


def test_means_of_systems_are_a_summary_also_where_one_has_fewer_of_them(tmp_path):
    path = tmp_path / "means.json"
    path.write_text(json.dumps({
        "no_retrieval": {"answer_token_f1": 0.1, "faithfulness": 0.0, "hallucination_proxy_rate": 1.0},
        "rag": {"answer_token_f1": 0.3, "faithfulness": 0.7, "hallucination_proxy_rate": 0.2, "retrieval_mrr": 0.4,
                "retrieval_recall_at_5": 0.5}}))
    with pytest.raises(InputError) as error:
        read_runs(path)
    assert {problem.kind for problem in error.value.problems} == {"summary"}


def test_what_matters_is_first_among_what_is_not_read():
    content = rows(question=ASKED.__getitem__, boxes=lambda n: [n, n + 0.5], bytes=lambda n: [n],
                   gold_hint=SAID.__getitem__, answer_exact=SAID.__getitem__, doc_id=lambda n: f"d{n}")
    reading = propose(Source(("file.json", json.dumps(content).encode())))[0]
    assert reading.ignored[0] == "gold_hint" and set(reading.ignored) >= {"boxes", "bytes"}


def test_means_next_to_the_name_of_a_machine_are_a_summary():
    content = {"evaluation": {"dataset": "marco", "dense": {f"dim_{n}": {"mrr_10": n / 999, "recall_50": n / 888}
                                                            for n in (768, 384, 192)}},
               "environment": {"platform": "Linux-6.17.0-14-generic-x86_64-with-glibc2.39", "cores": 8}}
    with pytest.raises(InputError) as caught:
        read_runs(("results.json", json.dumps(content).encode()))
    assert [problem.kind for problem in caught.value.problems] == ["summary"]


def test_kinds_of_sources_are_no_documents():
    asked = [{"question_id": f"q{n}", "question": ASKED[n % 6], "latency_ms": 10 + n, "labels": [f"Art. {n}(1)"],
              "sources": ["PASSAGE", "GRAPH"][:1 + n % 2]} for n in range(12)]
    assert ["retrieved" in mapping for mapping in mappings(asked)] == [False]
    for row in asked:
        row["sources"] = [f"PASSAGE{row['latency_ms']}"]
    assert mappings(asked)[0]["retrieved"] == "sources"


def test_parts_of_an_answer_without_documents_may_be_those_of_a_system():
    content = rows(question=ASKED.__getitem__, answer=lambda n: {"compliance": f"no {n}", "severity": f"low {n}"})
    assert [(mapping["role"], mapping.get("answers"), mapping.get("answer")) for mapping in mappings(content)] == [
        ("truth", "answer.compliance", None), ("run", None, "answer.compliance")]


def test_what_an_answer_with_a_price_cites_is_no_truth():
    content = rows(question=ASKED.__getitem__, answer=SAID.__getitem__, cost_usd=lambda n: 0.001 * n,
                   cited_urls=lambda n: [f"https://example.com/{n}"])
    assert [(mapping["role"], mapping.get("relevant"), mapping.get("retrieved")) for mapping in mappings(content)] == [
        ("run", None, None)]


@pytest.mark.parametrize("count", [300, 1800])
def test_codes_are_the_same_in_long_files(count):
    """In a long file fewer values than records are looked at: codes were taken for right answers."""
    content = [{"query": f"What is trait {n} called in barley?", "target": f"TRAIT:{n:07}"} for n in range(count)]
    assert [(mapping["role"], mapping.get("relevant")) for mapping in mappings(content)] == [("truth", "target")]


def test_texts_with_ids_and_kinds_in_a_table_are_no_evidence(tmp_path):
    texts = [f"{text} It is one of many long texts.\n" * 9 for text in SAID]
    path = tmp_path / "units.parquet"
    pq.write_table(pa.table({"id": [f"u{n}" for n in range(6)], "text": texts, "category": [*"ababab"]}), path)
    assert propose(Source(path)) == []


@pytest.mark.parametrize("name, is_asked", [("relevance", True), ("gold", True), ("bm25", False)])
def test_short_lists_below_ids_are_asked_about_by_the_name_of_the_file(name, is_asked):
    source = (f"{name}.json", json.dumps({"q1": ["d3"], "q2": ["d7", "d2"], "q3": ["d1"]}).encode())
    if not is_asked:
        assert len(read_runs(source)[0]) == 3
        return
    with pytest.raises(InputError) as caught:
        read_runs(source)
    problem, = caught.value.problems
    assert [mapping["role"] for mapping in problem.facts["mappings"]] == ["truth", "run"]
    assert len(read_truth(source, mapping=problem.facts["mappings"][0]).docs) == 4


def test_lists_below_two_names_next_to_quotes_are_compared_with_nothing():
    """They raised a ValueError: the lists of two names are longer than the one list of quotes."""
    properties = {f"relationship_{name}": {"items": {"properties": {"evidence_end_char": {"type": "string"}},
                                                     "required": [required]}}
                  for name, required in (("reviews", "explicit_or_implied"), ("additions", "negated"))}
    content = {"json_schema": {"schema": {"properties": properties}}, "parsed_json": {"relationship_reviews": [
        {"target_entity_id": "biomarker:high_sugar", "evidence_text": "The level of sugar rose in all, as said."}]},
        "raw_response": {"tool_usage": {"web_search": {}}}}
    with pytest.raises(InputError):
        read_runs(("report.json", json.dumps(content).encode()))


def test_a_fraction_for_each_query_is_a_value_and_no_document():
    source = ("mrr.txt", "".join(f"{9000 + n}\t{value}\n" for n, value in enumerate(
        ("1.0", "0.5", "0.25", "1.0", "0.3333", "0.0"))).encode())
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as caught:
            read(source)
    mapping, = caught.value.problems[0].facts["mappings"]
    assert (mapping["role"], mapping["scores"]) == ("run", "score")


def test_a_reading_of_more_keeps_the_right_answers_that_are_read():
    content = rows(id=lambda n: f"q{n}", query=ASKED.__getitem__, expected_sources=lambda n: [
        {"source": f"guide-{n}.pdf", "page": n}])
    content += [{"id": f"q{n}", "query": f"Who built house {n}?", "expected_answer": "I do not know",
                 "expected_sources": []} for n in range(7, 14)]
    truth = read_truth(("file.json", json.dumps(content).encode()))
    mapping, = (problem.facts["mappings"][0] for problem in truth.problems if problem.kind == "proposed-reading")
    assert (mapping["relevant"], mapping["answers"]) == ("expected_sources[].source", "expected_answer")


def test_a_long_text_with_quotes_at_the_beginning_is_read_once():
    """Its end is not among what is looked at: from each quote on, all the rest was read again, for a minute."""
    text = json.dumps({"prompt": 'Say "yes" or "no", "a" or "b". ' * 9000, "model": "m"})
    start = perf_counter()
    with pytest.raises(InputError):
        read_runs(("request.json", text.encode()))
    assert perf_counter() - start < 5


def test_documents_that_were_missed_are_not_offered_as_a_ranking():
    content = rows(id=lambda n: f"q{n}", doc_recall=lambda n: n / 6, citation_miss=lambda n: [f"law-{n}"])
    with pytest.raises(InputError) as caught:
        read_runs(("detail.json", json.dumps({"avg_recall": 0.5, "detail": content}).encode()))
    assert caught.value.problems[0].facts["mappings"] == [
        {"role": "run", "records": "detail", "query_id": "id", "scores": "doc_recall"}]


def test_the_stems_of_queries_are_no_evidence():
    content = [{"query_id": f"q{n}", "text": text, "text_stemmed": text.lower()} for n, text in enumerate(ASKED)]
    assert mappings(content) == [{"role": "questions", "query_id": "query_id", "query": "text"}]


def test_means_with_the_number_of_queries_are_not_offered_as_values_of_queries():
    content = [{"Prompt": prompt, "Condition": condition, "n": 200, "EM (%)": share, "Abstention (%)": share / 2}
               for prompt in ("strict", "open") for condition, share in (("full", 87.5), ("part", 5.0), ("none", 4.0))]
    assert mappings(content) == []
    for row in content:
        row["n"] = 1  # what is asked may be called prompt as well
    assert [(mapping["query"], mapping["config"]) for mapping in mappings(content)] == [("Prompt", "Condition")]


@pytest.mark.parametrize("name, is_asked", [("dev", True), ("predictions", False)])
def test_one_number_below_each_number_is_asked_about(name, is_asked):
    source = (f"{name}.json", json.dumps({str(30 + n): [77_000 + n] for n in range(8)}).encode())
    if not is_asked:
        assert len(read_runs(source)[0]) == 8
        return
    with pytest.raises(InputError) as caught:
        read_runs(source)
    assert [mapping["role"] for mapping in caught.value.problems[0].facts["mappings"]] == ["truth", "run"]
