"""Small decisions of the readers, one by one: comments, headers of two rows, cells, lines of errors."""

from __future__ import annotations

import json
import time

import pytest

from ragdash import io
from ragdash.core.errors import InputError
from ragdash.core.text.metric_names import may_hold_labels, may_hold_scores
from ragdash.io.formats.json_columns import _name_of_ids
from ragdash.io.proposals.reading import column_reader
from ragdash.io.proposals.records import _json_values
from ragdash.io.proposals.shapes.text_tables import header_names
from ragdash.io.proposals.shapes.values_by_query import KEY, columns_by_query, documents_by_query
from ragdash.io.proposals.shapes.wrapped import with_named_pairs
from ragdash.io.tables.cells import parse_cell, parse_nested, printed_array
from ragdash.io.tables.mapping_hints import mapping_example


def test_comments_and_blank_lines_between_json_values_are_passed_over():
    assert _json_values('# made by hand\n// twice\n\n{"a": 1}\n# note\n[2],\n\n') == [{"a": 1}, [2]]
    assert _json_values("") is None and _json_values('{"a": 1} and more') is None


def test_a_second_row_of_a_header_has_names_and_no_values():
    header = ["id", "scores", ""]
    names, body = header_names(header, [["", "precision", "recall"], ["q1", "0.5", "0.4"]], 3)
    assert (names, body) == (["id", "scores.precision", "scores.recall"], [["q1", "0.5", "0.4"]])
    for second in (["", "0.5", "0.4"], ["", "precision", "0.4"], ["", "precision", "r" * 41], ["", "", "recall"]):
        rows = [second, ["q1", "0.5", "0.4"]]
        assert header_names(header, rows, 3) == (["id", "scores", "column 3"], rows), second
    rows = [["", "precision", "recall"], ["q1", "good", "bad"]]
    assert header_names(header, rows, 3)[1] == rows, "no values below: both rows may be data"


def test_a_cell_of_metrics_is_a_number_a_word_or_an_object():
    assert parse_cell("metrics", "0.5", None) == 0.5 and parse_cell("metrics", "0.50", None) == "0.50"
    assert parse_cell("metrics", "good", None) == "good" and parse_cell("metrics", ' {"a": 1}', None) == {"a": "1"}


def test_columns_by_query_may_lack_half_of_the_queries_and_no_more():
    answers = {"q1": "a", "q2": "b", "q3": "c", "q4": "d"}
    records = columns_by_query({"answer": answers, "note": {"q1": "x", "q2": "y"}})
    assert records == [{KEY: "q1", "answer": "a", "note": "x"}, {KEY: "q2", "answer": "b", "note": "y"},
                       {KEY: "q3", "answer": "c"}, {KEY: "q4", "answer": "d"}]
    assert columns_by_query({"answer": answers, "note": {"q1": "x"}}) == []


@pytest.mark.parametrize("blank", [0, 1, 3])
def test_the_line_of_an_error_counts_blank_lines_before_the_json(blank):
    content = "\n" * blank + '{"q1": {"d1": 1.5},\n "q2": {"d1": "high", "d2": 2}}'
    with pytest.raises(InputError) as caught:
        io.read_run(("run.json", content.encode()))
    assert {problem.line for problem in caught.value.problems} == {blank + 2}


@pytest.mark.parametrize(("columns", "row", "option"), [
    (["question", "file", "points"], ["what?", "a.txt", "0.5"], "--map query_id=question,doc_id=file,score=points"),
    (["points", "question", "file"], ["0.5", "what?", "a.txt"], "--map query_id=question,doc_id=file,score=points"),
    (["x", "y"], ["a", "b"], "--map query_id=x,doc_id=y,score=NAME"),
])
def test_a_proposed_mapping_names_each_column_once(columns, row, option):
    assert mapping_example(columns, ("query_id", "doc_id", "score"), row) == option


@pytest.mark.parametrize(("cells", "name"), [
    ([["d1", "d2"], ["d3"]], "retrieved_ids"), ([["two words"], ["d3"]], "retrieved_context"),
    ([["d1", 7]], "retrieved_context"), ([], "retrieved_context"), ([[], None], "retrieved_context")])
def test_a_column_of_contexts_that_holds_ids_is_one_of_ids(cells, name):
    assert _name_of_ids("retrieved_context", cells) == name and _name_of_ids("other", cells) == "other"


def test_a_list_below_other_members_is_read_up_to_the_error_and_names_its_line():
    content = ('{"meta": {"n": 1},\n "results": [{"query_id": "q1", "retrieved": ["a"]},\n'
               '{"query_id": "q2", "retrieved": 7}]}')
    with pytest.raises(InputError) as caught:
        io.read_run(("run.json", content.encode()))
    assert [(problem.line, problem.field) for problem in caught.value.problems if problem.severity == "error"] == [
        (3, "retrieved")]


def test_an_array_as_numpy_prints_it_has_both_brackets_and_is_not_shortened():
    assert printed_array("['a'\n 'b']") == printed_array("[\"a\" 'b']") == ["a", "b"]
    for text in (
            "x'a' 'b'y", "['a' 'b'y", "x'a' 'b']", "['a' ... 'b']", "['a' 'b...']", "['a', 'b']", "['a']", "[1 2]"):
        assert printed_array(text) is None, text


def test_parts_of_means_are_no_documents():
    parts = {name: {"num": 4, "den": 6, "value": 0.67} for name in ("hit@1", "recall@1", "mrr", "ndcg@5")}
    assert documents_by_query(parts) == []
    assert len(documents_by_query({f"q{i}": {f"d{i}": 0.5, f"d{i + 1}": 0.25} for i in range(4)})) == 4


def test_settings_of_a_retriever_are_no_metrics():
    assert not may_hold_scores("similarity_top_k_dense") and not may_hold_labels("relevance_method")
    assert may_hold_scores("top_k_accuracy") and may_hold_scores("answer_similarity")


def test_the_name_of_a_document_is_the_source_of_its_evidence():
    lines = "".join(f'{{"id": "q{i}", "question": "Who signed {i}?", "answer": "The board {i}.", '
                    f'"evidence_texts": ["It was signed by board number {i}."], "doc_name": "PAPER_{i % 3}_10K"}}\n'
                    for i in range(5))
    with pytest.raises(InputError) as caught:
        io.read_run(("gold.jsonl", lines.encode()))
    offer = next(problem for problem in caught.value.problems if problem.kind == "proposed-reading")
    assert offer.facts["mappings"][0]["source"] == "doc_name"


def test_rounds_of_judging_are_no_subtopics():
    assert not io.read_truth(("q", b"1 0.5 d1 2\n1 1 d2 0\n1 1.5 d3 1\n")).problems
    assert [problem.kind for problem in io.read_truth(("q", b"1 1 d1 2\n1 2 d2 0\n")).problems] == ["subtopics"]


def test_pairs_of_a_text_and_its_score_are_objects():
    texts = [f"A text that goes on for quite a while, number {i}, about the rock and the cold." for i in range(3)]
    rows = [{"q": "Why?", "found": [[texts[0], 0.5], [texts[1], 0.25]]}, {"q": "Who?", "found": [[texts[2], 1.0]]}]
    assert with_named_pairs(rows)[1] == {"q": "Who?", "found": [{"text": texts[2], "score": 1.0}]}
    facts = [{"q": "Why?", "supporting": [["Seed act", 0], ["Rock", 3]]}]
    assert with_named_pairs(facts) == facts, "places of sentences"
    assert with_named_pairs([{"found": [["d1", texts[0]], ["d2"]]}]) == [{"found": [["d1", texts[0]], ["d2"]]}]


def test_dots_in_a_text_do_not_cut_a_printed_object_short():
    assert parse_nested("{'a': 'costs 5...', 'b': ['\"...and so on']}") == {"a": "costs 5...", "b": ['"...and so on']}
    for text in ("['a', 'b', ...]", "['a', 'b', ...", "[1, 2, ...]"):
        with pytest.raises(ValueError, match="cut short"):
            parse_nested(text)


def test_a_judgment_without_a_grade_is_counted():
    rows = [{"id_query": f"q{i % 3}", "id_documento": f"d{i}", "rilevanza": str(i % 3) if i else ""} for i in range(9)]
    mapping = {"role": "truth", "query_id": "id_query", "doc_id": "id_documento", "grade": "rilevanza"}
    truth = io.read_truth(("qrels.json", json.dumps(rows).encode()), mapping=mapping)
    assert truth.judgments == 8
    assert [(problem.kind, problem.facts["count"]) for problem in truth.problems] == [("record-without-grade", 1)]


def test_columns_that_nothing_reads_are_found_in_time_that_does_not_rise_with_the_number_of_paths():
    columns = [f"c{at}" for at in range(6_000)]
    start = time.process_time()
    is_read = column_reader(["source_{n}+query", "hits[].doc.id", *columns[1:]])
    unread = [column for column in (*columns, "source_12", "hits", "source_id") if not is_read(column)]
    assert unread == ["c0", "source_id"]
    assert time.process_time() - start < 2
