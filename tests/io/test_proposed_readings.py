"""Files that no format recognizes: what is proposed for each shape, and what it gives when it is accepted."""

from __future__ import annotations

import json
import math
import shlex
import time

import pytest

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.meanings import is_gold_list
from ragdash.io.proposals.propose import propose
from ragdash.io.proposals.shapes.sheets import with_decimal_points
from ragdash.io.source.source import Source

LONG = "A sentence of several words that a document contains about the question."


def as_lines(*rows: dict) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def best(content: bytes, name: str = "file.json") -> dict[str, str]:
    return dict(propose(Source((name, content)))[0].mapping)


HITS = [{"id": f"q{i}", "question": f"What is number {i}?",
         "hits": [{"rank": 1, "doc": {"id": f"d{i}"}, "score": 0.9}, {"rank": 2, "doc": {"id": "d9"}, "score": 0.5}],
         "gold_ids": [f"d{i}"]} for i in range(3)]
GOLD = [{"question": f"What is number {i}?", "answer": f"It is {i}.", "quote": LONG, "file": f"doc{i}.txt"}
        for i in range(3)]
BY_SYSTEM = [{"question": f"What is number {i}?", **{system: {"answer": f"{system} says {i}", "contexts": [LONG]}
                                                      for system in ("bm25", "dense")}} for i in range(3)]
SHAPES = {  # content, what must be in the mapping, (runs, queries of the truth or None, judgments)
    "records below metadata, nested hits, judgments inside": (
        json.dumps({"meta": {"k": 2}, "results": HITS}).encode(),
        {"role": "both", "records": "results", "query_id": "id", "retrieved": "hits[].doc.id", "score": "hits[].score",
         "relevant": "gold_ids"}, (1, 3, 3)),
    "parallel lists": (
        json.dumps({"questions": ["Who?", "When?"], "true_answers": ["She.", "Now."],
                    "predicted_answers": ["He.", "Then."]}).encode(),
        {"query": "questions", "answers": "true_answers", "answer": "predicted_answers"}, (1, 2, 0)),
    "gold answers with quotes and files": (
        json.dumps(GOLD).encode(),
        {"role": "truth", "answers": "answer", "evidence": "quote", "relevant": "file"}, (0, 3, 3)),
    "two lists are two grades": (
        json.dumps([{"id": f"q{i}", "query": f"What is {i}?", "relevant_paths": [f"a/{i}.md"],
                     "partial_paths": ["b/c.md"]} for i in range(3)]).encode(),
        {"relevant": "relevant_paths:2+partial_paths:1"}, (0, 3, 6)),
    "chunks that are correct": (
        json.dumps([{"id": f"q{i}", "question": f"What is {i}?", "correct_chunks": [f"doc{i}_3", f"doc{i}_7"]}
                    for i in range(3)]).encode(),
        {"role": "truth", "relevant": "correct_chunks"}, (0, 3, 6)),
    "a first line of metadata": (
        as_lines({"_comment": "draft"}, *({"id": f"q{i}", "question": f"What is {i}?", "expected_sources": [f"s{i}"]}
                                          for i in range(3))),
        {"role": "truth", "relevant": "expected_sources"}, (0, 3, 3)),
    "objects over several lines": (
        "\n".join(json.dumps({"question": f"What is {i}?", "expected_sources": [f"s{i}"]}, indent=1)
                  for i in range(3)).encode(), {"relevant": "expected_sources"}, (0, 3, 3)),
    "systems as keys": (
        json.dumps(BY_SYSTEM).encode(), {"answer": "{run}.answer", "contexts": "{run}.contexts"}, (2, None, 0)),
    "systems as prefixes of columns": (
        b"Question,Hybrid_Context,Hybrid_Latency_sec,Graph_Context,Graph_Latency_sec\n" + "".join(
            f"What is {i}?,{LONG},0.5,{LONG} More.,0.25\n" for i in range(3)).encode(),
        {"contexts": "{run}_Context", "latency_ms": "{run}_Latency_sec"}, (2, None, 0)),
    "stages as suffixes": (
        json.dumps([{"qid": f"q{i}", "query": f"What is {i}?", "retrieved_ids_lexical": ["d1", "d2"],
                     "retrieved_ids_semantic": ["d2", "d1"], "retrieved_ids": ["d2"], "retrieval_gt": [["d2"]]}
                    for i in range(3)]).encode(),
        {"retrieved": "retrieved_ids_{run}+retrieved_ids", "relevant": "retrieval_gt"}, (3, 3, 3)),
    **{f"columns of each system: {form}": (
        "question,expected_source,{},answer_dense,{},answer_hybrid\n".format(
            *(form.replace("X", system) for system in ("dense", "hybrid"))).encode() + b"".join(
                b"What is %d?,d%d.pdf,d%d.pdf; d9.pdf,It is number %d.,d9.pdf; d%d.pdf,The number is %d.\n" % ((i,) * 6)
                for i in range(5)),
        {"retrieved": form.replace("X", "{run}"), "answer": "answer_{run}", "relevant": "expected_source"}, (2, 5, 5))
       for form in ("X_sources", "X_chunks", "X_retrieved", "X_contexts", "X_docs", "X_ids", "X_top_k", "sources_X",
                    "retrieved_X")},
    "the steps of an agent for one question": (
        json.dumps({"6f1ed002ab5595859014": {
            "question_id": "6f1ed002ab5595859014", "input_tokens": 9, "total_tokens": 10, "elapsed_sec": 4.5,
            "actual_answer": "It is in the north of the town.", "actual_steps": [
                {"name": "search", "args": {"query": "tower"}, "status": "success", "output": "{}"},
                {"name": "retrieval", "args": {"query": "tower", "k": 2}, "status": "success", "output": json.dumps(
                    [{"id": f"doc/{i}", "text": f"{LONG} {i}"} for i in (1, 2)])}]}}).encode(),
        {"query_id": "question_id", "retrieved": "retrieval[].id", "answer": "actual_answer"}, (1, None, 0)),
    "ids and texts of each system": (
        b"question,expected_source,dense_sources,dense_chunks,hybrid_sources,hybrid_chunks\n" + "".join(
            f'What is {i}?,d{i}.pdf,d{i}.pdf; d9.pdf,{LONG} {i}.,d9.pdf; d{i}.pdf,{LONG} Or {i}.\n'
            for i in range(5)).encode(),
        {"retrieved": "{run}_sources", "contexts": "{run}_chunks", "relevant": "expected_source"}, (2, 5, 5)),
    "two columns name the configuration": (
        as_lines(*({"query_id": f"q{i}", "question": f"What is {i}?", "strategy": strategy, "weight": weight,
                    "top_docs": [f"d{i}", "d9"]} for strategy in ("rrf", "linear") for weight in (0.3, 0.7)
                   for i in range(3))), {"config": "strategy+weight", "retrieved": "top_docs"}, (4, None, 0)),
    "a gain for each hit, chunks that share a document": (
        json.dumps({"k": 2, "per_query": [
            {"id": f"q{i}", "question": f"What is {i}?", "retrieved": [
                {"doc_id": "d1", "chunk_index": 4, "score": 0.9, "gain": 0},
                {"doc_id": "d1", "chunk_index": 7, "score": 0.8, "gain": 2}]} for i in range(3)]}).encode(),
        {"retrieved": "retrieved[].doc_id+retrieved[].chunk_index", "grade": "retrieved[].gain"}, (1, 3, 6)),
    "spans as evidence": (
        b"question,references,corpus_id\n" + b"".join(
            f'What is {i}?,"[{{""content"": ""{LONG}"", ""start_index"": 1}}]",c{i % 2}\n'.encode() for i in range(4)),
        {"role": "truth", "evidence": "references[].content", "source": "corpus_id"}, (0, 4, 0)),
    "passages with numbers local to the query": (
        b"query_id,query,query_run,passage_id,passage,generated_answer\n" + "".join(
            f"q{i},What is {i}?,{run},[{n}],{LONG} {n},{'It is.' if n == 1 else ''}\n"
            for i in range(3) for run in (1, 2) for n in (1, 2)).encode(),
        {"role": "run", "config": "query_run", "text": "passage", "answer": "generated_answer"}, (2, None, 0)),
    "scores of two retrievers": (
        as_lines(*({"retriever": name, "chunk_id": f"c{i}", "faithfulness": i / 4, "context_recall": 1.0}
                   for name in ("bm25", "dense") for i in range(4))),
        {"query_id": "chunk_id", "config": "retriever", "scores": "faithfulness+context_recall"}, (2, None, 0)),
    "questions without a header": (
        b"0\tHow many are there in it?\n1\tWhat is the resolution of the screen?\n", {"role": "questions"}, (0, 2, 0)),
    "spread columns": (
        b"question,chunk_1_text,chunk_2_text,expected_answer\n" + "".join(
            f"What is {i}?,{LONG} 1,{LONG} 2,It is {i}.\n" for i in range(3)).encode(),
        {"contexts": "chunk_{n}_text", "answers": "expected_answer"}, (1, 3, 0)),
    "grades with lists of documents": (
        json.dumps([{"question": f"What is {i}?", "relevance": {"2": [f"d{i}"], "1": ["d8", "d9"]}}
                    for i in range(3)]).encode(), {"role": "truth", "relevant": "relevance"}, (0, 3, 9)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_reading_of_a_shape(name):
    content, expected, (run_count, truth_queries, judgments) = SHAPES[name]
    mapping = best(content)
    assert mapping | expected == mapping
    if run_count:
        assert len(read_runs(("file.json", content), mapping=mapping)) == run_count
    if truth_queries is not None:
        truth = read_truth(("file.json", content), mapping=mapping)
        assert (len(truth), truth.judgments) == (truth_queries, judgments)


@pytest.mark.parametrize("name", SHAPES)
def test_the_options_of_a_refusal_work_as_printed(name, tmp_path, capsys):
    path = tmp_path / "a file.json"
    path.write_bytes(SHAPES[name][0])
    main(["check", str(path)])
    printed = [line for line in capsys.readouterr().err.splitlines() if "ry: ragdash check" in line][-1]
    options = printed.split("ry: ragdash ")[-1].split(" or: ")[0]
    assert main(shlex.split(options)) == 0
    captured = capsys.readouterr()
    assert "cannot be used" not in captured.out and "error" not in captured.err


def test_values_of_an_accepted_reading():
    content = SHAPES["a gain for each hit, chunks that share a document"][0]
    run, = read_runs(("f.json", content), mapping=best(content))
    truth = read_truth(("f.json", content), mapping=best(content))
    assert run.ranking("q1")["doc_id"].to_pylist() == ["d1#4", "d1#7"]
    assert dict(zip(truth.docs.to_pylist()[:2], truth.grades.tolist()[:2], strict=True)) == {"d1#7": 2, "d1#4": 0}


def test_seconds_become_milliseconds_and_scores_keep_their_run():
    content = SHAPES["systems as prefixes of columns"][0]
    runs = {run.name: run for run in read_runs(("f.csv", content), mapping=best(content))}
    assert runs["Hybrid"].details["latency_ms"].to_pylist()[0]["total"] == 500
    assert runs["Graph"].details["latency_ms"].to_pylist()[0]["total"] == 250
    content = SHAPES["scores of two retrievers"][0]
    run = read_runs(("f.jsonl", content), mapping=best(content))[1]
    values = run.file_scores.aligned("dense", "faithfulness", ["c1", "c3", "c9"])
    assert values[:2].tolist() == [0.25, 0.75] and math.isnan(values[2])


def test_a_question_asked_twice_is_kept_twice():
    rows = [{"question": "Who?", "generated_answer": f"It is {i}.", "ground_truth": "She.", "gold_ids": [f"d{i}"],
             "retrieved_chunk_ids": ["d1", "d0"]} for i in range(2)]
    content = json.dumps([*rows, {**rows[0], "question": "When?"}]).encode()
    run, = read_runs(("f.json", content), mapping=best(content))
    assert run.query_ids.to_pylist() == ["Who?", "Who? (2)", "When?"]
    assert {problem.kind for problem in run.problems} == {"repeated-question"}


def test_of_two_rankings_the_one_with_judgments_is_offered_first():
    rows = [{"query_id": f"q{i}", "question": f"What was the budget in year {i}?", "expected_pages": [i],
             "per_k": {"10": {"retrieved_chunk_ids": [f"report:p00{i}_{part}" for part in range(3)],
                              "retrieved_pages_ranked": [i, i + 40]}}} for i in range(10, 20)]
    content = json.dumps({"results": rows}).encode()
    with pytest.raises(InputError) as caught:
        read_runs(("f.json", content))
    readings = caught.value.problems[0].facts["mappings"]
    assert [(reading["role"], reading["retrieved"], reading.get("relevant")) for reading in readings] == [
        ("both", "per_k.10.retrieved_pages_ranked", "expected_pages"),
        ("run", "per_k.10.retrieved_chunk_ids", None)]


def test_a_row_of_means_is_no_query():
    rows = "".join(f"q{i},d{i},0.5,{i}\n" for i in range(5))
    content = f"query_id,doc_id,score,rank\n{rows}mean,d0,0.5,2\n".encode()
    with pytest.raises(InputError) as caught:
        read_runs(("f.csv", content))
    problem, = caught.value.problems
    run, = read_runs(("f.csv", content), mapping=problem.facts["mappings"][0])
    assert "mean" not in run.query_ids.to_pylist() and len(run) == 5


def test_a_query_called_all_with_a_document_is_a_query():
    content = b"query_id,doc_id,score\nq1,d1,3\nq1,d2,2\nall,d3,4\nall,d1,1\n"
    run, = read_runs(("f.csv", content))
    assert run.query_ids.to_pylist() == ["q1", "all"]


def test_fractional_grades_become_whole():
    content = json.dumps({"judgments": [{"query": f"frame {i}", "ratings": [
        {"docId": "d1", "rating": "0.7"}, {"docId": "d2", "rating": "1.0"}]} for i in range(2)], "name": "x"}).encode()
    truth = read_truth(("f.json", content), mapping=best(content))
    assert sorted(truth.grades.tolist()) == [7, 7, 10, 10]
    assert {problem.kind for problem in truth.problems} == {"scaled-grades"}


@pytest.mark.parametrize("content", [
    {"dense": {"mrr@10": 0.06, "recall@10": 0.2}}, {"flat": {"bm25": {"1": {"mrr": 0.7, "questions": 6}}}}])
def test_means_are_refused_as_such(content):
    with pytest.raises(InputError) as caught:
        read_runs(("f.json", json.dumps(content).encode()))
    assert {problem.kind for problem in caught.value.problems} == {"summary"}


def test_the_splits_of_a_data_set_are_no_queries():
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as caught:
            read(("f.json", json.dumps({"train": ["d1", "d2"], "test": ["d3"]}).encode()))
        assert {problem.kind for problem in caught.value.problems} == {"data-splits"}


def test_a_path_that_is_not_in_the_file_is_named():
    content = SHAPES["parallel lists"][0]
    with pytest.raises(InputError) as caught:
        read_runs(("f.json", content), mapping={"role": "run", "query": "frage", "answer": "predicted_answers"})
    assert "frage" in str(caught.value)
    with pytest.raises(InputError) as caught:
        read_runs(("f.json", content), mapping={"role": "run", "records": "rows", "query": "questions"})
    assert caught.value.problems[0].kind == "unknown-records"


def test_evidence_that_a_known_format_leaves_out_is_offered():
    content = json.dumps([{"question": f"What is {i}?", "expected_answer": "It.", "ground_truth_context": [LONG],
                           "level": i} for i in range(3)]).encode()
    truth = read_truth(("f.json", content))
    offer = next(problem for problem in truth.problems if problem.kind == "proposed-reading")
    assert offer.severity == "warning"
    accepted = read_truth(("f.json", content), mapping=offer.facts["mappings"][0])
    assert accepted.details["evidence"].to_pylist()[0] == [{"text": LONG, "source": None}]


def test_readings_do_not_depend_on_the_run():
    for content, *_ in SHAPES.values():
        assert [dict(item.mapping) for item in propose(Source(("x", content)))] == [
            dict(item.mapping) for item in propose(Source(("x", content)))]


@pytest.mark.parametrize(("content", "mapping"), [
    (b"query,docid,rater1,rater2,final\n" + b"".join(f"What is {i}?,d{j},1,2,{j}\n".encode() for i in range(3)
                                                     for j in range(3)), {"doc_id": "docid", "grade": "final"}),
    (json.dumps(GOLD).encode(), {"role": "truth", "answers": "answer"}),
    (SHAPES["spans as evidence"][0], {"evidence": "references[].content"}),
    (SHAPES["passages with numbers local to the query"][0], {"text": "passage"}),
], ids=["judgments of raters", "gold answers", "evidence as references", "numbers local to a query"])
def test_what_a_known_format_would_misread_is_offered_instead(content, mapping):
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as caught:
            read(("f.csv", content))
        problem, = caught.value.problems
        assert problem.kind == "proposed-reading"
        assert problem.facts["mappings"][0] | mapping == problem.facts["mappings"][0]


def test_labels_of_systems_are_labels_of_their_runs():
    rows = "".join(f"What is {i}?,The thing {i},Other {i},{'Correct' if i % 2 else 'Incorrect'},Refusal\n"
                   for i in range(6))
    content = f"question,answer_gpt4,answer_llama,label_gpt4,label_llama\n{rows}".encode()
    runs = {run.name: run for run in read_runs(("f.csv", content), mapping=best(content))}
    assert runs["gpt4"].file_scores.aligned_labels("gpt4", "label", ["What is 0?", "What is 1?"]) == [
        "Incorrect", "Correct"]
    assert runs["llama"].file_scores.aligned_labels("llama", "label", ["What is 0?"]) == ["Refusal"]


def test_a_number_among_the_records_of_a_list_is_no_fault():
    turns = [[7, {"question": "What is 1?", "answer": LONG}], [{"question": "What is 2?", "answer": LONG}]]
    content = json.dumps([{"id": f"n{i}", "narrative": LONG, "turns": items} for i, items in enumerate(turns)]).encode()
    assert all(reading.count for reading in propose(Source(("file.json", content))))


def test_a_score_next_to_how_an_answer_was_made_is_offered_and_lists_of_documents_are_not_left_out():
    rows = [{"question_id": f"q{i}", "mrr": 0.5, "timing": {"total": 1}, "tokens": {"prompt": 9}} for i in range(3)]
    with pytest.raises(InputError, match="scores = mrr") as caught:
        read_runs(("file.jsonl", as_lines(*rows)))
    assert "prompt" not in str(caught.value), "tokens are no metrics"
    with pytest.raises(InputError) as caught:
        read_runs(("file.jsonl", as_lines(*({**row, "found_things": [{"a": LONG}]} for row in rows))))
    assert not any(problem.kind == "proposed-reading" for problem in caught.value.problems)


def test_names_without_letters_are_no_fault():
    rows = [{"#": i, "%": f"d{i}", "": LONG, "expected_ids": ["d9"], "question": f"What is {i}?"} for i in range(3)]
    assert best(json.dumps({"rows": {str(k): {"per_question": rows} for k in (3, 5)}}).encode())["query"] == "question"


def test_a_score_without_a_configuration_belongs_to_the_ranking_without_one():
    rows = [{"query_id": f"q{i}", "retrieved": [f"d{i}"], "retrieved_bm25": ["x"], "mrr": 0.5 + i} for i in range(3)]
    mapping = {"query_id": "query_id", "retrieved": "retrieved+retrieved_{run}", "scores": "mrr"}
    runs = {run.name: run for run in read_runs(("file.jsonl", as_lines(*rows)), mapping=mapping)}
    assert runs.keys() == {"final", "bm25"} and runs["bm25"].file_scores is None
    assert runs["final"].file_scores.by_query() == {f"q{i}": {"mrr": 0.5 + i} for i in range(3)}


@pytest.mark.parametrize(("texts", "expected"), [(0, True), (3, True), (4, False), (10, False)])
def test_a_list_of_paths_is_gold_unless_many_of_them_read_like_texts(texts, expected):
    paths = [f"docs/{'My own file' if i < texts else 'file'} {i}.md" for i in range(10)]
    field = Field("expected_ids", tuple([path] for path in paths))
    assert field.is_id_like and field.blank_share == texts / 10
    assert is_gold_list(field) is expected


@pytest.mark.parametrize("name", ["grader_response", "evaluator_reply"])
def test_what_a_judge_wrote_is_not_the_answer_of_the_system(name):
    rows = [{"id": f"q{i}", "question": f"What is number {i}?", "retrieved_contexts": [LONG],
             name: f"Number {i} is somewhere in the text."} for i in range(6)]
    mapping = best(json.dumps({"results": rows}).encode())
    assert "answer" not in mapping and mapping["contexts"] == "retrieved_contexts"


def test_one_long_line_among_many_short_ones_takes_time_in_proportion_to_the_file():
    rows = [["a", "1,5"] for _ in range(20_000)]
    rows.insert(5000, ["1,5"] * 20_000)
    start = time.process_time()
    assert with_decimal_points(rows)[1] == ["a", "1.5"]
    assert time.process_time() - start < 2


def test_tokens_and_cost_are_read_under_their_common_names():
    rows = [{"id": f"q{i}", "question": f"What is number {i}?", "retrieved_contexts": [LONG], "llm_answer": LONG,
             "usage": {"inputTokens": 100 + i, "outputTokens": 20.5}, "total_cost_usd": 0.01} for i in range(3)]
    data = ("file.json", json.dumps({"results": rows}).encode())
    mapping = best(data[1])
    assert (mapping["prompt_tokens"], mapping["cost_usd"]) == ("usage.inputTokens", "total_cost_usd")
    details = read_runs(data, mapping=mapping)[0].details
    assert details["prompt_tokens"].to_pylist() == [100, 101, 102]
    assert details["cost_usd"].to_pylist() == [0.01] * 3
    assert "completion_tokens" not in details.column_names or details["completion_tokens"].null_count == 3


@pytest.mark.parametrize("nothing", ["NOT_FOUND", "N/A", "out of scope", "none"])
def test_a_word_for_no_document_is_no_judgment(nothing):
    rows = [{"id": f"q{i}", "question": f"What is number {i}?", "gold_doc": f"d{i}.pdf"} for i in range(4)]
    rows.append({"id": "q9", "question": "What is missing?", "gold_doc": nothing})
    data = ("file.json", json.dumps({"results": rows}).encode())
    truth = read_truth(data, mapping=best(data[1]))
    assert truth.judgments == 4 and "q9" in truth.query_ids.to_pylist()
    noted = [problem for problem in truth.problems if problem.kind == "no-document"]
    assert len(noted) == (nothing != "N/A")  # which is empty everywhere


@pytest.mark.parametrize(("answer", "first"), [("forty years", "answers"), ("They live for forty years.", "answer")])
def test_an_answer_next_to_a_ranking_and_its_right_document_is_asked_about(answer, first):
    rows = [{"qid": f"q{i}", "question": f"What is number {i}?", "answer": f"{i} {answer}", "gold_doc_id": f"d{i}",
             "top3_doc_ids": ["d1", f"d{i + 2}", "d9"], "hit_at_3": i % 2} for i in range(6)]
    with pytest.raises(InputError) as caught:
        read_runs(("file.jsonl", as_lines(*rows)))
    mappings = caught.value.problems[0].facts["mappings"]
    assert [{"answer", "answers"} & mapping.keys() for mapping in mappings] == [
        {first}, {"answer", "answers"} - {first}]


def test_an_answer_next_to_its_contexts_is_of_the_system_also_with_a_right_document():
    rows = [{"question": f"What is number {i}?", "answer": f"Number {i}.", "contexts": [LONG], "gold_doc_id": f"d{i}"}
            for i in range(6)]
    run = read_runs(("file.jsonl", as_lines(*rows)))[0]
    assert run.details["answer"].to_pylist() == [f"Number {i}." for i in range(6)]


def test_a_score_of_the_query_is_none_of_its_documents():
    lines = ["query,method,rank,doc_id_,bm25_score,dense_score,relevance"]
    lines += [f"What is number {i}?,{method},{rank},d{rank + i},{1 / rank},{0.5 / rank},relevant"
              for method in ("bm25_only", "dense_only") for i in range(4) for rank in (1, 2, 3)]
    mapping = best("\n".join(lines).encode(), "file.csv")
    assert mapping["config"] == "method" and "{run}" not in "".join(mapping.values())
    assert "scores" not in mapping


@pytest.mark.parametrize("name", ["quality", "accuracy", "f1_percent", "rating", "verdict"])
def test_a_score_is_a_score_in_every_format(name):
    values = {"quality": ["high", "low"], "accuracy": ["80%", "70%"], "f1_percent": [80.5, 70], "rating": [5, 1],
              "verdict": ["Correct", "Wrong"]}[name]
    rows = [{"question": f"What is number {i}?", "response": f"Number {i}.", name: values[i % 2]} for i in range(6)]
    table = "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
    deep = json.dumps({"deep": {"items": [{"llm_answer" if key == "response" else key: value
                                           for key, value in row.items()} for row in rows]}}).encode()
    found = [read_runs(("file.csv", table.encode())), read_runs(("file.jsonl", as_lines(*rows))),
             read_runs(("file.json", deep), mapping=best(deep))]
    scores = [runs[0].file_scores for runs in found]
    assert [{*each.names, *each.label_names} for each in scores] == [{name}] * 3
    assert len({tuple(sorted(map(str, each.by_query().items()))) for each in scores}) == 1


def test_a_row_with_a_separator_in_a_value_is_named_and_no_reading_shifts_its_cells():
    rows = [f"what is {number},d{number},d{number},yes" for number in range(12)]
    content = "\n".join(["Question,Gold docs,Predicted docs,System answer", *rows]).encode()
    assert best(content, "answers.csv")["relevant"] == "Gold docs"
    with pytest.raises(InputError) as caught:
        read_runs(("answers.csv", content + b"\nIs it big, red and round,d3,d3,ok\n"))
    (problem,) = caught.value.problems
    assert (problem.kind, problem.line) == ("column-count", 14)
    assert problem.facts["count"] == 5 and problem.facts["width"] == 4


def test_configurations_whose_names_have_points_are_one_reading_and_not_one_each():
    values = {f"q{n}": {"RR": n / 9, "P@1": n / 9, "AP": n / 8} for n in range(8)}
    content = {"about": "x", "runs": {f"{name}.trec | rel>=1": {"meta": {"k": 5}, "per_query": values}
                                      for name in ("dense", "hybrid")}}
    readings = propose(Source(("values.json", json.dumps(content).encode())))
    assert [reading.mapping["records"] for reading in readings] == ["runs.*.per_query.*"]
    assert readings[0].mapping["config"] == "*"


def test_the_repetition_is_the_last_part_of_a_configuration_wherever_its_column_is():
    rows = [{"question": f"What is number {i}?", "repetition": again, "chatbot": bot, "answer": f"It is {i}{again}.",
             "correct_answer": f"It is {i}."} for again in (1, 2) for bot in ("basic", "rerank") for i in range(8)]
    assert best(as_lines(*rows), "file.jsonl")["config"] == "chatbot+repetition"
