"""Which field is the right document, the text, the id or a value, where several could be."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def rows(**columns) -> bytes:
    """JSON Lines of eight records; a function is called with the number of a record."""
    return "\n".join(json.dumps({name: column(number) if callable(column) else column
                                 for name, column in columns.items()}) for number in COUNT).encode()


def offered(content: bytes, name: str = "file.jsonl") -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source((name, content)))]


def first_mapping(error: InputError) -> dict[str, str]:
    return next(problem for problem in error.problems if problem.kind == "proposed-reading").facts["mappings"][0]


def is_subset(wanted: dict[str, str], mapping: dict[str, str]) -> bool:
    return wanted.items() <= mapping.items()


SHAPES = {  # content, what must be in each mapping, what must not be in any
    "lists of right files next to distractors": (
        rows(id=lambda n: f"t{n}", gold=lambda n: {
            "distractors": [f"src/z{n}.py"], "related_tests": [f"tests/a{n}.py"],
            "supporting_files": [f"src/b{n}.py", f"src/c{n}.py"]}),
        [{"relevant": "gold.related_tests"}, {"relevant": "gold.supporting_files"}], set()),
    "two lists of right documents": (
        rows(question=lambda n: ASKED[n], expected_docs=lambda n: [f"d{n}"],
             required_docs=lambda n: [f"d{n}", f"d{n + 1}"]),
        [{"relevant": "expected_docs"}, {"relevant": "required_docs"}], set()),
    "the chunk that a question was made from, next to the number of its section": (
        rows(query=lambda n: ASKED[n], expected_doc="Rules of the Game", expected_section=lambda n: f"{n + 1}A",
             source_chunk_id=lambda n: f"rules:{n}:0"),
        [{"role": "truth", "relevant": "source_chunk_id"}], {"evidence"}),
    "quotes with their documents and digests": (
        rows(question=lambda n: ASKED[n], gold_answer=lambda n: TEXTS[n], evidence_anchors=lambda n: [
            {"document_id": f"doc-{n}", "document_sha256": "ab" * 32, "exact_quote": TEXTS[n]}]),
        [{"relevant": "evidence_anchors[].document_id", "evidence": "evidence_anchors[].exact_quote",
          "answers": "gold_answer"}], set()),
    "graded documents in some records and plain ids in the others": (
        rows(query=lambda n: ASKED[n], relevance=lambda n: [{"id": f"note:{n}", "grade": 3}] if n % 2 else None,
             expected_ids=lambda n: None if n % 2 else [f"note:{n}"]),
        [{"role": "truth", "relevant": "relevance[].id+expected_ids", "grade": "relevance[].grade"}], {"retrieved"}),
    "named cases with their hits": (
        rows(name=lambda n: f"case {n}", results=lambda n: [{"id": f"d{n}-{k}", "text": TEXTS[k]} for k in range(3)]),
        [{"role": "run", "query_id": "name", "retrieved": "results[].id", "text": "results[].text"}], set()),
    "what a system got": (
        rows(q=lambda n: ASKED[n], gold=lambda n: [f"d{n}"], got=lambda n: [f"d{n}", f"d{n + 1}"], hit=1),
        [{"role": "both", "retrieved": "got", "relevant": "gold"}], set()),
    "prompts and what comes out": (
        rows(user_prompt=lambda n: ASKED[n], output_prompt=lambda n: TEXTS[n], context=lambda n: f"{TEXTS[n]} Twice."),
        [{"role": "truth", "answers": "output_prompt", "evidence": "context"},
         {"role": "run", "answer": "output_prompt", "contexts": "context"}], set()),
    "questions in other words": (
        rows(conv_id=lambda n: f"c{n // 4}", turn_id=lambda n: n % 4, history=lambda n: ASKED[:n % 4],
             utterance=lambda n: ASKED[n], rewrite=lambda n: f"And {ASKED[n]}"),
        [{"role": "questions", "query_id": "conv_id+turn_id", "query": "utterance"}], {"answers", "answer"}),
    "numbers of passes": (
        rows(query=lambda n: ASKED[n], answer=lambda n: TEXTS[n], pass_index=lambda n: n % 3, latency_ms=5),
        [{"query": "query", "answer": "answer"}], {"scores"}),
    "the variant of a prompt": (
        rows(id=lambda n: f"{n}", prompt_variant="base", faithfulness=lambda n: n / 8),
        [{"query_id": "id", "scores": "faithfulness"}], {"query"}),
    "what a judge found in the source": (
        json.dumps({"per_format": {name: [
            {"test_id": f"{name[0]}{n}", "expected": "faithful" if n % 2 else "hallucinated", "correct": n > 1,
             "verdict": "hallucinated", "specific_issues": [{"source_says": TEXTS[n], "claim_says": ASKED[n]}]}
            for n in COUNT] for name in ("raw", "raw with hints")}}).encode(),
        [{"config": "*", "scores": "correct"}], {"contexts", "evidence"}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_field_has_the_role_that_its_values_show(name):
    content, wanted, absent = SHAPES[name]
    mappings = offered(content, "file.json" if content.startswith(b'{"per') else "file.jsonl")
    assert [is_subset(*pair) for pair in zip(wanted, mappings, strict=False)] == [True] * len(wanted), mappings
    assert all(absent.isdisjoint(mapping) for mapping in mappings)


def test_a_rating_of_each_configuration_is_of_a_run():
    mapping = offered(SHAPES["what a judge found in the source"][0], "file.json")[0]
    assert mapping["role"] == "both"


def test_turns_have_the_ids_of_trec_cast_and_ikat():
    topics = [{"number": number, "turn": [{"number": n + 1, "raw_utterance": ASKED[n + 3 * place]} for n in range(3)]}
              for place, number in enumerate((81, "9-1"))]
    content = ("topics.json", json.dumps(topics).encode())
    mapping = offered(content[1], "topics.json")[0]
    assert (mapping["query_id"], mapping["query"]) == ("*.number+number", "raw_utterance")
    truth = read_truth(content, mapping=mapping)
    assert truth.query_ids.to_pylist() == ["81_1", "81_2", "81_3", "9-1_1", "9-1_2", "9-1_3"]


def test_returned_texts_with_grades_are_contexts_of_which_some_are_right():
    content = ("run.json", json.dumps({"results": [
        {"query": ASKED[n], "retrieved": [{"text": TEXTS[n], "relevance": 2}, {"text": TEXTS[n - 1], "relevance": 0}]}
        for n in COUNT]}).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mapping = first_mapping(error.value)
    run, = read_runs(content, mapping=mapping)
    assert run.details["contexts"].to_pylist()[0] == [TEXTS[0], TEXTS[-1]]
    spans = read_truth(content, mapping=mapping).details["evidence"].to_pylist()
    assert [[span["text"] for span in each] for each in spans] == [[text] for text in TEXTS]


@pytest.mark.parametrize("members", [
    {f"reports/{name}.json": {"score": 0.4, "n_segments": 120} for name in ("alpha", "beta")},
    {"indexing": {"docs": 100, "seconds": 3.5}, "search": {"p50_ms": 12.5, "p95_ms": 40.5}},
])
def test_counts_times_and_scores_are_no_documents(members):
    with pytest.raises(InputError) as error:
        read_runs(("report.json", json.dumps(members).encode()))
    assert {problem.kind for problem in error.value.problems} == {"summary"}


def test_values_of_topics_in_columns_are_no_trec_run():
    lines = ["topic_id\tnDCG\tAWRF\tScore\tmedian\tmin\tmax"]
    lines += [f"{187 + n}\t0.5{n}\t0.4{n}\t0.2{n}\t0.3{n}\t0.1{n}\t0.9{n}" for n in COUNT]
    content = ("values.tsv", "\n".join(lines).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mapping = first_mapping(error.value)
    assert (mapping["query_id"], mapping["scores"].split("+")[0]) == ("topic_id", "nDCG")
    run, = read_runs(content, mapping=mapping)
    assert len(run.query_ids) == len(COUNT) and not len(run.docs)


@pytest.mark.parametrize(("members", "kind"), [
    ({"gpt-4o": {"easy": 0.9, "hard": 0.4}, "llama-3": {"easy": 0.8, "hard": 0.2}}, "summary"),
    ({"auth": {"test_login": 1, "test_logout": 0}, "billing": {"test_invoice": 1}}, "summary"),
    ({"msmarco-v1-passage": ["msmarco-passage", "msmarco-v1"], "beir-v1-nfcorpus": ["nfcorpus"],
      "beir-v1-scifact": ["scifact", "beir-scifact"]}, "fields-as-queries"),
])
def test_tables_and_other_names_are_no_rankings(members, kind):
    content = ("file.json", json.dumps(members).encode())
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as error:
            read(content)
        assert {problem.kind for problem in error.value.problems} == {kind}


@pytest.mark.parametrize("members", [
    {"q1": {"apple": 0.9, "pear": 0.4}, "q2": {"apple": 0.8, "pear": 0.2}},
    {"2hop_17": ["2hop_17_d3", "2hop_17_d9"], "2hop_25": ["2hop_25_d1"]},
    {"user_1": {"item_3": 4.5, "item_7": 1.5}, "user_2": {"item_3": 0.5}},
    {"user_1": ["item_3", "item_7"], "user_2": ["item_1"]},
    {"301": {"kb-1": 0.5, "kb-2": 0.25}, "302": {"kb-1": 0.75, "kb-2": 0.5}},
    {"301": {"guide.md": 0.5, "faq.md": 0.25}, "302": {"guide.md": 0.75, "faq.md": 0.5}},
])
def test_numbered_queries_are_rankings_whatever_their_documents_are_called(members):
    run, = read_runs(("file.json", json.dumps(members).encode()))
    assert run.query_ids.to_pylist() == list(members)


def table(header: str, *lines: str) -> tuple[str, bytes]:
    return "table.csv", "\n".join([header, *lines, ""]).encode()


def test_an_id_of_each_row_is_no_configuration():
    content = table("run,inputs.question,outputs.answer,reference.answer", *(
        f"a1b2-{n},{ASKED[n]},\"{TEXTS[n]}\",\"{TEXTS[-n]}\"" for n in COUNT))
    with pytest.raises(InputError) as error:
        read_runs(content)
    mapping = first_mapping(error.value)
    assert "config" not in mapping and mapping["answer"] == "outputs.answer"
    assert [len(run.query_ids) for run in read_runs(content, mapping=mapping)] == [len(COUNT)]


@pytest.mark.parametrize(("header", "line", "wanted", "names"), [
    ("query,baseline_doc_ids,candidate_doc_ids,gold_doc_id", "{asked},d{n}|d9{n},d8{n}|d{n},d{n}",
     {"retrieved": "{run}_doc_ids", "relevant": "gold_doc_id"}, ["baseline", "candidate"]),
    ("Question,Naive RAG - Faithfulness,Naive RAG - Relevancy,Graph RAG - Faithfulness,Graph RAG - Relevancy",
     "{asked},0.{n},0.5,0.7,0.{n}", {"query": "Question"}, ["Naive", "Graph"]),
])
def test_columns_of_two_systems_are_two_runs(header, line, wanted, names):
    content = table(header, *(line.format(asked=ASKED[n], n=n) for n in COUNT))
    with pytest.raises(InputError) as error:
        read_runs(content)
    mapping = first_mapping(error.value)
    assert is_subset(wanted, mapping)
    assert [run.name for run in read_runs(content, mapping=mapping)] == names


def test_the_text_of_a_query_is_not_that_of_its_judged_documents():
    queries = [{"id": f"q{n}", "text": ASKED[n], "judgments": [{"doc": f"d{n}", "rel": 2}, {"doc": "d99", "rel": 0}]}
               for n in COUNT]
    mappings = offered(json.dumps({"queries": queries}).encode(), "file.json")
    assert [mapping["query"] for mapping in mappings] == ["text"]


def test_a_gold_document_is_no_answer_and_a_nugget_is_no_context():
    mapping, other = offered(rows(query=lambda n: ASKED[n], first=lambda n: [f"kb-{n}1", f"kb-{n}2"],
                                  gold=lambda n: f"kb-{n}2"))
    assert (mapping.get("relevant"), mapping.get("answers"), mapping.get("retrieved")) == ("gold", None, None)
    assert (other["relevant"], other["retrieved"]) == ("gold", "first")  # or what was searched
    for mapping in offered(rows(query_id=lambda n: f"q{n}", query=lambda n: ASKED[n], nuggets=lambda n: [
            {"text": TEXTS[n], "vital": True}, {"text": TEXTS[n - 1], "vital": False}])):
        assert {"contexts", "evidence"}.isdisjoint(mapping)


def test_values_of_queries_below_each_metric_are_no_rankings():
    members = {"ndcg@10": {f"q{n}": n / 10 for n in COUNT}, "map": {f"q{n}": 0.25 for n in COUNT}}
    content = ("values.json", json.dumps(members).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mapping = first_mapping(error.value)
    run, = read_runs(content, mapping=mapping)
    assert sorted(run.file_scores.names) == ["map", "ndcg@10"]
    assert run.query_ids.to_pylist() == list(members["map"]) and not len(run.docs)


def test_the_queries_of_each_document_are_no_rankings():
    with pytest.raises(InputError) as error:
        read_runs(("queries.json", json.dumps({"kb-1": ["q1", "q2"], "kb-2": ["q2"]}).encode()))
    assert {problem.kind for problem in error.value.problems} == {"fields-as-queries"}


def test_two_lists_of_which_one_is_reranked_are_asked_about():
    content = ("run.json", json.dumps([{"query": ASKED[n], "retrieved": [f"d{n}", "d8", "d9"], "relevant": [f"d{n}"],
                                        "reranked": ["d9", f"d{n}"]} for n in COUNT]).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mappings = next(problem for problem in error.value.problems if problem.kind == "proposed-reading").facts["mappings"]
    assert [mapping["retrieved"] for mapping in mappings] == ["reranked", "retrieved"]


@pytest.mark.parametrize(("columns", "wanted"), [
    ({"Query": lambda n: ASKED[n], "Top1": lambda n: f"kb-{n}1", "Top2": lambda n: f"kb-{n}2",
      "GT": lambda n: f"kb-{n}2"}, {"retrieved": "Top{n}", "relevant": "GT"}),
    ({"instruction": lambda n: ASKED[n], "input": "", "output": lambda n: TEXTS[n]}, {"query": "instruction"}),
])
def test_columns_of_ranks_and_instructions_are_read(columns, wanted):
    assert is_subset(wanted, offered(rows(**columns))[0])


@pytest.mark.parametrize(("shift", "first"), [(0, "retrieved[].file+retrieved[].page"), (1, "retrieved[].file")])
def test_files_with_pages_are_judged_by_both_or_by_file(shift, first):
    """Pages come first where one of those that are right was returned."""
    content = ("run.json", json.dumps({"questions": [{
        "question": ASKED[n], "expected_file": "rules.pdf", "expected_page": n + 20 * shift + 1, "retrieved": [
            {"file": "rules.pdf", "page": page, "score": 0.9 - page / 100} for page in (n + 1, n + 2)]}
        for n in COUNT]}).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    mappings = next(problem for problem in error.value.problems if problem.kind == "proposed-reading").facts["mappings"]
    assert len(mappings) == 2 and mappings[0]["retrieved"] == first
    mapping = next(mapping for mapping in mappings if mapping["relevant"] == "expected_file+expected_page")
    run, = read_runs(content, mapping=mapping)
    truth = read_truth(content, mapping=mapping)
    assert run.docs.to_pylist()[:2] == ["rules.pdf#1", "rules.pdf#2"]
    assert truth.judgments == len(COUNT) and truth.docs.to_pylist()[0] == f"rules.pdf#{1 + 20 * shift}"


def test_systems_below_each_question_are_runs():
    content = ("run.json", json.dumps({"results": {text: {
        "dense": [{"id": f"d{n}", "score": 0.9}, {"id": "d99", "score": 0.5}],
        "sparse": [{"id": "d99", "score": 9.5}, {"id": f"d{n}", "score": 3.5}]}
        for n, text in enumerate(ASKED)}}).encode())
    with pytest.raises(InputError) as error:
        read_runs(content)
    runs = read_runs(content, mapping=first_mapping(error.value))
    assert {run.name: run.docs.to_pylist()[:2] for run in runs} == {"dense": ["d0", "d99"], "sparse": ["d99", "d0"]}
    assert all(run.query_ids.to_pylist() == ASKED for run in runs)


def test_the_deepest_list_and_the_grade_of_a_person_are_read():
    mapping, = offered(rows(query=lambda n: ASKED[n], expected_chunks=lambda n: [f"kb-{n}"], results=lambda n: {
        "top_1": [f"kb-{n}"], "top_3": [f"kb-{n}", "kb-8", "kb-9"]}))
    assert mapping["retrieved"] == "results.top_3"
    mapping = offered(rows(query=lambda n: ASKED[n], doc_id=lambda n: f"kb-{n}", doc_text=lambda n: TEXTS[n],
                           llm_relevance=lambda n: n % 3, human_relevance=lambda n: n % 2))[0]
    assert is_subset({"role": "truth", "doc_id": "doc_id", "grade": "human_relevance"}, mapping)


@pytest.mark.parametrize("members", [
    {"nfcorpus": {"bm25": 0.32, "e5-base": 0.35}, "scifact": {"bm25": 0.6, "e5-base": 0.7}},
    {"5": {"bm25": 0.3, "dense": 0.4}, "10": {"bm25": 0.3, "dense": 0.5}},
    {"gpt-4o": {"q1": 0.5, "q2": 0.6}, "llama-3": {"q1": 0.4, "q2": 0.5}},
    {"doc1": {"apple": 3, "pear": 1}, "doc2": {"apple": 2}},
    {"user_1": ["cart", "search"], "user_2": ["search"]},
    {"q1": [1, 0, 1, 0], "q2": [0, 0, 1, 0]},
])
def test_tables_terms_groups_and_marks_of_hits_are_no_rankings(members):
    """All were read as runs or judgments without a word."""
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as error:
            read(("file.json", json.dumps(members).encode()))
        assert {problem.kind for problem in error.value.problems} <= {
            "summary", "fields-as-queries", "fractions-as-documents", "truth-as-run", "run-as-truth"}


def test_grades_of_two_people_are_asked_about():
    content = table("query_id,doc_id,grade_a,grade_b", *(
        f"q{n},d{k},{k % 3},{(k + 1) % 3}" for n in COUNT for k in range(3)))
    with pytest.raises(InputError) as error:
        read_truth(content)
    mappings = next(problem for problem in error.value.problems if problem.kind == "proposed-reading").facts["mappings"]
    assert [mapping["grade"] for mapping in mappings] == ["grade_a", "grade_b"]
    truths = [read_truth(content, mapping=mapping) for mapping in mappings]
    assert [dict(zip(truth.docs.to_pylist()[:3], map(int, truth.grades[:3]), strict=True)) for truth in truths] == [
        {"d0": 0, "d1": 1, "d2": 2}, {"d0": 1, "d1": 2, "d2": 0}]


def test_the_document_of_each_query_is_no_answer():
    mapping = offered(json.dumps({f"q{n}": f"kb-{n + 1}" for n in COUNT}).encode(), "file.json")[0]
    assert (mapping["role"], mapping.get("relevant")) == ("truth", "document")


@pytest.mark.parametrize("value, role", [
    (lambda n: [f"d{n + 12}"], "relevant"), (lambda n: f"tsb/a0{n}a51", "relevant"),
    (lambda n: [f"kb/a{n}.md"], "relevant"), (lambda n: f"{1900 + n}", None), (lambda n: TEXTS[n], "answers")])
def test_codes_that_are_expected_are_right_documents_and_texts_are_answers(value, role):
    mapping, *_ = offered(rows(id=lambda n: f"t{n}", query=lambda n: ASKED[n], expected=value))
    assert next((name for name, field in mapping.items() if field == "expected"), None) == role


def test_checks_of_an_answer_are_no_answers_of_systems():
    content = rows(query=lambda n: ASKED[n], answer=lambda n: TEXTS[n],
                   checks=lambda n: {"answer_present": True, "answer_long_enough": n % 2 == 0})
    assert not any("{run}" in path for mapping in offered(content) for path in mapping.values())


def test_files_with_their_checksums_are_no_queries():
    content = {name: {"bytes": 5, "path": f"{name}.json", "sha256": f"{n:064x}"} for n, name in enumerate((
        "manifest", "model", "vocabulary", "worker"))}
    assert offered(json.dumps({"artifacts": content, "name": "x"}).encode(), "file.json") == []


def test_questions_next_to_lists_of_answers_need_no_header():
    content = "".join(f"who won the prize of 19{n}0\t['Ann {n}', 'Bo {n}']\n" for n in COUNT).encode()
    mapping = next(mapping for mapping in offered(content, "file.csv") if mapping["role"] == "truth")
    assert (mapping["query"], mapping["answers"]) == ("column 1", "column 2")
    assert len(read_truth(("file.csv", content), mapping=mapping).query_ids) == len(COUNT)


def test_a_third_column_of_two_classes_answers_nothing():
    content = "".join(f"31_{n}\t{ASKED[n]}\t{n % 2}\n" for n in COUNT).encode()
    assert {"answer", "answers"}.isdisjoint(role for mapping in offered(content, "file.tsv") for role in mapping)
    answered = "".join(f"31_{n}\t{ASKED[n]}\t{1900 + n}\n" for n in COUNT).encode()
    assert "answers" in offered(answered, "file.tsv")[0]
