"""Shapes of files where the values and the structure say what the names do not."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth
from ragdash.io.proposals.content.values import metric_name
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source
from ragdash.io.tables.cell_lists import parse_columns

COUNT = range(9)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def rows(**columns) -> bytes:
    """A JSON list of nine records; a function is called with the number of a record."""
    return json.dumps([{"question": ASKED[number], **{
        name: column(number) if callable(column) else column for name, column in columns.items()}}
        for number in COUNT]).encode()


def table(header: str, *lines: str) -> bytes:
    return "\n".join([header, *lines, ""]).encode()


def offered(content: bytes, name: str = "file.json") -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source((name, content)))]


LAWS = ["Law of the Sea", "Law of the Land and Roads", "Law of Games", "Law of Old Maps"]


def law(number: int) -> str:
    return LAWS[number % 4]


SHAPES = {  # content, what must be in the first mapping, what must not be in it, roles of all readings
    "codes that are right": (
        rows(answer=lambda n: TEXTS[n], gold_entities=["Queen", "Rook"], gold_paras=lambda n: [f"61{n}.4b", "7.1a"]),
        {"role": "truth", "relevant": "gold_paras"}, {"retrieved"}, ["truth"]),
    "configurations that are right": (
        rows(expected_answer=lambda n: TEXTS[n], correct_in=lambda n: [f"C{n % 2}_dense"]),
        {"role": "truth", "answers": "expected_answer"}, {"relevant"}, ["truth"]),
    "the right handbook": (
        rows(expectedHandbook=lambda n: f"Handbook-{n % 5}"), {"role": "truth", "relevant": "expectedHandbook"}, set(),
        ["truth"]),
    "documents of a data set": (
        rows(reference_answer=lambda n: TEXTS[n], grounded=True, citations=lambda n: [
            {"node_id": f"n{n + k}", "citation_text": f"Part {n + k} of the rules of the game"}
            for k in range(1 + n % 2)]),
        {"role": "truth", "relevant": "citations[].node_id", "answers": "reference_answer"}, {"retrieved"},
        ["truth", "both"]),
    "parts of facts": (
        rows(id=lambda n: f"g{n}", expected_facts=lambda n: [
            {"subject": f"The queen of the game {n}", "relation": "MOVES_TO", "object": f"The field in line {n}"}]),
        {"role": "questions"}, {"evidence"}, ["questions"]),
    "the background of a topic": (
        json.dumps([{"topic_id": f"{n}", "title": "The game", "problem_statement": ASKED[n], "background": TEXTS[n]}
                    for n in COUNT]).encode(),
        {"role": "questions", "query": "problem_statement"}, {"answers", "answer"}, ["questions"]),
    "rows of chunks at a rank": (
        json.dumps([{"pair_id": f"p{n}", "question": ASKED[n % 8], "gold_answer": TEXTS[n % 8], "chunk_rank": 1 + n % 4,
                     "chunk_content": f"{TEXTS[n]} {n}"} for n in COUNT]).encode(),
        {"role": "both", "text": "chunk_content", "rank": "chunk_rank"}, {"config"}, ["both"]),
    "systems whose names say nothing": (
        rows(**{name: lambda n, name=name: {"ms": 12.5 + n, "tokens_out": 80 + n, "preview": f"{name}: {TEXTS[n]}"}
                for name in ("verbose", "concise")}),
        {"role": "run", "answer": "{run}.preview"}, set(), ["run"]),
    "what evaluators say": (
        rows(**{name: lambda n: {"score": n / 8, "passed": n > 4, "reason": TEXTS[n]} for name in ("tone", "style")}),
        {}, {"answer", "config"}, None),
    "times of an agent": (
        json.dumps([{"question_id": f"q{n}", "elapsed_sec": 1.5 + n, "actual_steps": [
            {"name": "search", "args": {"text": ASKED[n]}}]} for n in COUNT]).encode(),
        {"role": "run", "scores": "elapsed_sec"}, set(), ["run"]),
    "a metric and its detail": (
        json.dumps([{"id": f"q{n}", "citation_accuracy": {"score": n / 8, "detail": f"{n}/9 citations supported"}}
                    for n in COUNT]).encode(),
        {"role": "run", "scores": "citation_accuracy.score"}, {"doc_id"}, ["run"]),
    "names with blanks that both lists have": (
        json.dumps({"results": {name: [{"query_id": f"q{n}", "relevant": [f"{law(n)}_{n}"],
                                        "retrieved": [f"{law(n)}_{n}", f"{law(n + 1)}_{n - k}"]} for n in COUNT]
                                for k, name in enumerate(("dense", "sparse"))}}).encode(),
        {"role": "both", "retrieved": "retrieved", "relevant": "relevant", "config": "*"}, {"evidence", "contexts"},
        ["both"]),
    "one right source of several": (
        rows(predicted=lambda n: TEXTS[n], expected=lambda n: TEXTS[n - 1], expected_source=law,
             retrieved_sources=lambda n: [law(n), law(n + 1)], retrieved_chunks=lambda n: [
                {"source": law(n + k), "chunk_id": f"c{n}_{k}", "score": 0.9 - k / 4, "text": f"{TEXTS[n]} {k}"}
                for k in range(2)]),
        {"role": "both", "retrieved": "retrieved_chunks[].source", "relevant": "expected_source",
         "score": "retrieved_chunks[].score"}, set(), ["both"]),
    "documents in few collections": (
        rows(relevant_chunks=lambda n: [{"space": "rules", "path": f"docs/{n}.rst", "symbol": f"Part{n}"}]),
        {"role": "truth", "relevant": "relevant_chunks[].path"}, set(), ["truth"]),
    "the documents of right spans": (
        rows(gold_spans=lambda n: [{"doc_id": f"A-{n}", "start_char": 9 + n, "end_char": 40 + n}],
             retrieved_unit_ids=lambda n: [f"C0:A-{n}:0", f"C0:A-{n + 1}:1"]),
        {"role": "both", "retrieved": "retrieved_unit_ids", "relevant": "gold_spans[].doc_id"}, set(), ["both"]),
    "places by two numbers": (
        rows(reference_answer=lambda n: TEXTS[n], expected_locations=lambda n: [[1, n]]),
        {"role": "truth", "relevant": "expected_locations", "answers": "reference_answer"}, set(), ["truth"]),
    "an exam and the same score for all": (
        json.dumps([{"soru": ASKED[n % 9], "number": n, "cevap": f"{TEXTS[n % 9]} {n}", "context": "The exam of 2025",
                     "Score": 8} for n in range(12)]).encode(),
        {"role": "truth", "answers": "cevap"}, {"contexts", "evidence"}, ["truth", "run"]),
    "facts that an answer has to have": (
        rows(ground_truth=lambda n: TEXTS[n], required_facts=lambda n: [TEXTS[n]]),
        {"role": "truth", "answers": "ground_truth"}, {"evidence"}, ["truth"]),
    "the key of an answer": (
        rows(answer_key=lambda n: TEXTS[n], evidence=lambda n: [{"quote": f"{TEXTS[n]} More.", "why": "It says so"}]),
        {"role": "truth", "answers": "answer_key", "evidence": "evidence[].quote"}, set(), ["truth"]),
    "tickets with their solutions": (
        json.dumps([{"ticket_id": f"t{n}", "title": f"Case {n}", "description": f"Nobody moves the rook in game {n}.",
                     "gold_kb_id": f"KB-{n}7", "gold_resolution": TEXTS[n]} for n in COUNT]).encode(),
        {"role": "truth", "query_id": "ticket_id", "query": "description", "relevant": "gold_kb_id",
         "answers": "gold_resolution"}, set(), ["truth"]),
    "the chunk that a question was made from": (
        rows(chunk_id=lambda n: n + 3, ground_truth=lambda n: TEXTS[n], answer=lambda n: TEXTS[n - 1],
             retrieved_chunk_ids=lambda n: [n + 4, n + 3]),
        {"role": "both", "relevant": "chunk_id", "retrieved": "retrieved_chunk_ids"}, set(), ["both"]),
    "questions and requests": (
        json.dumps([*ASKED, "Explain the rules on moves.", "Name the part on castling in the rules."]).encode(),
        {"role": "questions", "query": "question"}, set(), ["questions"]),
    "the correctness of an answer": (
        json.dumps([{"case_id": f"c{n}", "question": ASKED[n], "answer_correctness": n / 8, "faithfulness": 0.5}
                    for n in COUNT]).encode(), {}, {"answer"}, None),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_values_and_the_structure_show_what_a_field_means(name):
    content, wanted, absent, roles = SHAPES[name]
    mappings = offered(content)
    assert wanted.items() <= (mappings or [{}])[0].items()
    assert all(absent.isdisjoint(mapping) for mapping in mappings[:1])
    assert roles is None or [mapping["role"] for mapping in mappings] == roles


def test_a_german_table_with_the_name_of_the_bot_next_to_what_it_says():
    lines = [f'{number},{bot},{ASKED[number]},"{TEXTS[number]} {bot}","[\'{law(number)}\']",{TEXTS[number]}'
             for bot in ("simple", "rerank") for number in COUNT]
    mapping, *_ = offered(table("nr,bot,Frage,Bot sagt,Textstellen,Musterloesung", *lines), "bots.csv")
    assert {name: mapping[name] for name in ("config", "query", "answer", "contexts", "answers")} == {
        "config": "bot", "query": "Frage", "answer": "Bot sagt", "contexts": "Textstellen", "answers": "Musterloesung"}


def test_lists_in_the_cells_of_documents_are_asked_about():
    """['d7', 'd2'] is the id of no document: right ones of a data set, or those that were returned."""
    content = table("query,difficulty,chunk_id", *(f"{ASKED[n]},easy,\"['d{n}', 'd9']\"" for n in COUNT))
    with pytest.raises(InputError) as failed:
        read_runs(("file.csv", content))
    first, second = failed.value.problems[0].facts["mappings"]
    assert (first["relevant"], second["retrieved"]) == ("chunk_id", "chunk_id")
    assert read_truth(("file.csv", content), mapping=first).judgments == 18


def test_columns_with_as_many_parts_as_another_has_numbers_are_lists():
    names, scores = ["a / b || c; d || e", "f || g"], ["0.9 || 0.5 || 0.25", "0.75 || 0.5"]
    assert parse_columns(["top_titles", "top_scores"], [names, scores]) == [
        [["a / b", "c; d", "e"], ["f", "g"]], [["0.9", "0.5", "0.25"], ["0.75", "0.5"]]]
    assert parse_columns(["remark", "number"], [names, ["1", "2"]])[0] == names
    content = table("query_id,query,dense_passed,bm25_passed,hit_title,top_titles,top_scores", *(
        f"q{n},{ASKED[n]},yes,no,Part {n},Part {n} || The game,0.9{n} || 0.5" for n in COUNT))
    mapping = offered(content, "file.csv")[0]
    assert (mapping["retrieved"], mapping["score"]) == ("top_titles", "top_scores") and "config" not in mapping
    assert "{run}" not in json.dumps(mapping)


@pytest.mark.parametrize(("content", "expected"), [
    ({"run_id": "r1", "what": "agreement", "by": "hand", "of": 66, "missed": {"count": 1, "of": 37, "cases": [
        {"id": "q66", "answer": TEXTS[0]}]}, "unseen": {"caught": 3, "cases": [
            {"id": f"q{n}", "answer": TEXTS[n]} for n in range(4)]}}, "run_id, what, by, of, missed, unseen"),
    ({"timestamp": "2026-06-15", "mode": "sweep", "sweep": [{"weight": 0.3, "recall": {"recall@5": 0.25}}]},
     "timestamp, mode, sweep")])
def test_a_report_is_called_a_report(content, expected):
    with pytest.raises(InputError) as failed:
        read_runs(("file.json", json.dumps(content).encode()))
    problem, = failed.value.problems
    assert problem.kind == "summary" and f"with {expected}, and no list of records" in str(problem)


def test_questions_in_a_column_of_contents_are_no_documents():
    asked = [f"what similarity laws must be obeyed when models of aircraft {n} are built and heated ." for n in COUNT]
    content = table("id,content", *(f"{n},{text}" for n, text in enumerate(asked)))
    assert detect(("queries.csv", content)).role != "corpus"
    assert offered(content, "queries.csv")[0] == {"role": "questions", "query_id": "id", "query": "content"}


def test_the_documents_of_one_query_are_no_queries():
    hits = [{"rank": n + 1, "chunk_id": f"c{n}", "page": n // 3, "content": TEXTS[n]} for n in COUNT]
    assert offered(json.dumps(hits).encode()) == []
    chunks = [{"chunk_id": f"c{n}", "text": TEXTS[n], "score": 0.9 - n / 10, "article": f"Part {n}"} for n in COUNT]
    assert offered(json.dumps({"answer": TEXTS[0], "refused": True, "retrieved_chunks": chunks}).encode()) == []


def test_values_next_to_tags_are_offered():
    """Tags that many records share are no content that would be lost."""
    tags = ["no_evidence", "parent_only"]
    content = json.dumps([{"query_id": f"q{n}", "evidence_coverage": n / 8, "kind": tags[n % 2],
                           "reasons": tags[:1 + n % 2]} for n in COUNT]).encode()
    with pytest.raises(InputError) as failed:
        read_runs(("file.json", content))
    mapping, = failed.value.problems[0].facts["mappings"]
    assert mapping["scores"] == "evidence_coverage"


@pytest.mark.parametrize(("path", "name"), [
    ("row.score", "score"), ("record.f1.value", "f1"), ("scores.fact.score", "fact"),
    ("correctness.score", "correctness"), ("item_score", "item_score")])
def test_the_name_of_a_metric_leaves_out_what_is_around_it(path, name):
    assert metric_name(path) == name


@pytest.mark.parametrize(("written", "right"), [
    ("answer", "answers"), ("answers", "answer"), ("answer", "ground_truth"), ("response", "answer"),
    ("final_answer", "answer")])
def test_the_right_answer_of_a_question_is_the_same_whichever_system_answers(written, right):
    lines = [f"{ASKED[n]},{bot},It is {n} for the {bot} one.,It is {n}.,{500 + n}" for n in COUNT
             for bot in ("old", "new")]
    content = table(f"asked_question,bot_version,{written},{right},latency_ms", *lines)
    first = offered(content, "bots.csv")[0]
    assert (first["answer"], first["answers"], first["config"]) == (written, right, "bot_version")


def test_answers_are_right_ones_next_to_answer_where_values_do_not_say():
    lines = [f"{ASKED[n]},It is {n} by the rules.,It is {n}.,{500 + n}" for n in COUNT]
    first = offered(table("asked_question,answer,answers,latency_ms", *lines), "bots.csv")[0]
    assert (first["answer"], first["answers"]) == ("answer", "answers")


SEARCHES = ["how to use break in java", "java 14 features", "convert java, kotlin", "java debugger"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["Orignal Query", "user_question", "Search queries", "queries"])
def test_lines_below_a_name_that_ends_with_a_word_for_questions_are_questions(name, end):
    content = end.join([name, *SEARCHES, ""]).encode()
    reading = propose(Source(("texts.csv", content)))[0]
    assert dict(reading.mapping) == {"role": "questions", "query": name}
    truth = read_truth(("texts.csv", content), mapping=reading.mapping)
    assert truth.details.column("query").to_pylist() == SEARCHES


def test_lines_below_any_name_are_questions_where_a_mapping_says_so():
    content = "\r\n".join(["Topic of the day", *SEARCHES, ""]).encode()
    assert not propose(Source(("texts.csv", content)))
    truth = read_truth(("texts.csv", content), mapping={"role": "questions", "query": "Topic of the day"})
    assert truth.details.column("query").to_pylist() == SEARCHES


@pytest.mark.parametrize("name", ["worst_queries", "hardest"])
def test_the_few_queries_with_the_lowest_values_in_a_report_are_no_run(name):
    few = [{"query_id": i, "text": f"what is the effect of number {i} on it", "nDCG@10": i / 50} for i in range(10)]
    report = {"models": {"means": {"bm25": {"MAP": 0.31}, "lsa": {"MAP": 0.28}}}, "errors": {name: few}}
    assert not propose(Source(("results.json", json.dumps(report).encode())))
    assert propose(Source(("results.json", json.dumps({"models": report["models"], "per_query": few}).encode())))


@pytest.mark.parametrize("grade", ["label", "relevance"])
def test_ids_with_a_grade_below_questions_that_come_again_are_judged_documents(grade):
    lines = [f"{text},EA{number}{place}B1_2008,{(number + place) % 2},it is about {text} {place}"
             for number, text in enumerate(("how to drive", "what is a debugger")) for place in range(5)]
    content = table(f"query,id,{grade},reason", *lines)
    reading = propose(Source(("judged.csv", content)))[0]
    assert reading.mapping == {"role": "truth", "query": "query", "doc_id": "id", "grade": grade}
    truth = read_truth(("judged.csv", content), mapping=reading.mapping)
    assert (len(truth.query_ids), truth.judgments, truth.grades.tolist()) == (2, 10, [1, 1, 0, 0, 0, 1, 1, 1, 0, 0])


def test_ids_of_questions_asked_once_stay_those_of_queries():
    content = table("query,id,label", *(f"{text},EA{number},{number % 2}" for number, text in enumerate(SEARCHES[:2])))
    assert propose(Source(("asked.csv", content)))[0].mapping["query_id"] == "id"


def test_a_query_to_a_graph_next_to_right_answers_is_no_answer_and_a_data_set_is_no_document():
    content = json.dumps([{
        "question": f"Which rule covers case {number} of the game?", "answers": [f"Move {number}"],
        "sparql": f"PREFIX g: <http://g.org/>\nSELECT ?x WHERE {{ g:c{number} g:rule ?x . }}",
        "metadata": {"data_source": "WebQuestions" if number else "Free917"}} for number in range(12)]).encode()
    reading = propose(Source(("questions.json", content)))[0]
    assert {name: reading.mapping.get(name) for name in ("role", "answers", "answer", "relevant")} == {
        "role": "truth", "answers": "answers", "answer": None, "relevant": None}


def test_top_k_labels_next_to_what_is_expected_are_a_ranking_with_judgments():
    asked = ["What is left of the sink?", "What is near the wall?", "What is on the wall?", "Where is the bin?"]
    right = [["toilet"], ["trash_can", "black_door"], ["towel", "grab_bar"], ["floor"]]
    returned = [["toilet"], ["black_door", "trash_can"], ["towel", "grab_bar"], ["bin"]]
    columns = list(zip(asked, right, returned, (True, True, True, False), strict=True))
    names = ("query", "expected", "topk_labels", "topk_ok")
    lines = (",".join(";".join(cell) if type(cell) is list else str(cell) for cell in row) for row in columns)
    for content, file in ((table(",".join(names), *lines), "rows.csv"),
                          (json.dumps([dict(zip(names, row, strict=True)) for row in columns]).encode(), "rows.json")):
        mapping = propose(Source((file, content)))[0].mapping
        assert mapping == {"role": "both", "query": "query", "retrieved": "topk_labels", "relevant": "expected",
                           "scores": "topk_ok"}
        assert read_truth((file, content), mapping=mapping).judgments == 6
        assert read_runs((file, content), mapping=mapping)[0].docs.to_pylist() == [
            doc for docs in returned for doc in docs]
