"""Shapes whose names leave something open: what the values show is read, and what they do not show is asked about."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"What is kept in room {number} of the house?" for number in range(6)]
TEXTS = [f"Room {number} holds the maps that were drawn by hand in the north." for number in range(6)]


def rows(**columns) -> bytes:
    """A JSON list of six records; a list gives a value to each record, a function is called with its number."""
    return json.dumps([{"question": ASKED[number], **{name: column(number) if callable(column) else column[number]
                                                      for name, column in columns.items()}}
                       for number in range(6)]).encode()


def mappings(content: bytes) -> list[dict[str, str]]:
    """The readings that are offered, the first one first."""
    return [dict(reading.mapping) for reading in propose(Source(("file.json", content)))]


def several(number: int) -> list[str]:
    return TEXTS[:1 + number % 3]


CLUSTERS = {"answers-cleaned": lambda number: [{"count": 3, "answers": ["a map", "maps"]},
                                               {"count": 1, "answers": [f"a globe of {number}"]}]}
COUNTED = {"answers-cleaned": lambda number: {"maps": 20 + number, f"globe {number}": 4, f"bed {number}": 2}}
CODES = {"expected": lambda number: f"85258{number}", "final": lambda number: f"85258{number if number % 2 else 9}"}
SHAPES = {  # content, what must be in the first mapping, what must not be in it, roles of all readings
    "times of an answer without a unit": (
        rows(generation=lambda number: f"Maps, as room {number} has.", gold_answer=TEXTS, latency=lambda n: 4.5 + n),
        {"role": "both", "latency_s": "latency", "answer": "generation"}, {"latency_ms"}, ["both"]),
    "times above a quarter of an hour": (
        rows(generation=TEXTS, elapsed=lambda number: 1250.5 + number),
        {"latency_ms": "elapsed"}, {"latency_s"}, ["run"]),
    "answers in clusters": (
        rows(**CLUSTERS), {"role": "truth", "answers": "answers-cleaned[].answers"}, set(), ["truth"]),
    "answers with counts": (rows(**COUNTED), {"role": "truth", "answers": "answers-cleaned"}, set(), ["truth"]),
    "codes that agree in part": (
        rows(**CODES), {"role": "both", "answer": "final", "answers": "expected"}, set(), ["both"]),
    "a mark of agreement": (
        rows(expected=lambda number: "AB"[number % 2], predicted=lambda number: "ABB"[number % 3],
             fine=lambda number: "AB"[number % 2] == "ABB"[number % 3]),
        {"role": "both", "answer": "predicted", "scores": "fine"}, set(), ["both"]),
    "a text under a name that says nothing": (
        rows(penjelasan=TEXTS), {"role": "truth", "answers": "penjelasan"}, set(), ["truth", "run"]),
    "right answers twice": (
        rows(answer=TEXTS, reference_answer=TEXTS, evidence_spans=lambda n: [
            {"evidence_id": "e1", "evidence_text": TEXTS[n]}, {"evidence_id": "e2", "evidence_text": TEXTS[n - 1]}],
            claims=lambda n: [{"claim_id": "c1", "supporting_evidence_ids": ["e1", "e2"]}]),
        {"role": "truth", "answers": "reference_answer", "evidence": "evidence_spans[].evidence_text"},
        {"relevant", "answer"}, ["truth", "both"]),
    "a number of expected chunks": (
        rows(expected_chunks=lambda n: 2 + n % 3, relevant_doc_ids=lambda n: [f"The house.pdf part {n}", "A map.pdf"]),
        {"role": "truth", "relevant": "relevant_doc_ids"}, {"evidence"}, ["truth"]),
    "a digest next to the answer": (
        rows(answer_sha256=lambda n: f"{n}" * 64, answer_text=TEXTS, reference_answer=TEXTS[::-1]),
        {"answer": "answer_text", "answers": "reference_answer"}, set(), ["both"]),
    "values that one system alone has": (
        rows(reference_answer=TEXTS, **{name: lambda n, name=name: {
            "answer": f"{name} says {n} maps are there.", "rouge": {"f1": n / 7},
            **({"retrieval": {"mrr": 1 / (n + 1)}} if name == "rag" else {})} for name in ("rag", "plain")}),
        {"answer": "{run}.answer", "scores": "{run}.rouge.f1+{run}.retrieval.mrr"}, set(), ["both"]),
    "returned and right sessions": (
        rows(retrieved_session_ids=lambda n: ["1", str(n), "1", "4"], evidence_session_ids=lambda n: [str(n)],
             num_hits=lambda n: 3 + n % 2, gold_answer=TEXTS),
        {"role": "both", "retrieved": "retrieved_session_ids", "relevant": "evidence_session_ids"}, {"scores"},
        ["both"]),
    "addresses of a pipeline and right ones": (
        rows(pipeline_sources=lambda n: [f"https://a.example/{n}", "https://a.example/all"],
             ground_truth_sources=lambda n: [f"https://b.example/{n}.pdf"], ground_truth_answer=TEXTS),
        {"role": "both", "retrieved": "pipeline_sources", "relevant": "ground_truth_sources"}, set(), ["both"]),
    "labels in an object of each row": (
        json.dumps([{"section": "mcq", "pos": n, "row": {
            "qid": f"{n}", "ground_truth_label": "ABC"[n % 3], "predicted_label": "AB"[n % 2], "is_correct": n % 3 < 1,
            "score": n % 2, "overlap_count": n}} for n in range(9)]).encode(),
        {"role": "both", "query_id": "row.qid", "answer": "row.predicted_label", "answers": "row.ground_truth_label",
         "scores": "row.is_correct+row.score"}, {"doc_id", "relevant"}, ["both"]),
    "keywords that a document has to have": (
        rows(expected_document_keywords=lambda n: [f"room-{n}", "map"]), {"role": "questions"}, {"relevant"},
        ["questions"]),
    "members of one answer": (
        rows(response=lambda n: {"answer": TEXTS[n], "version": "v1", "event_id": f"{n}f{n}", "tokens": {"in": n}},
             expected_ids=lambda n: [f"d{n}"]),
        {"answer": "response.answer", "relevant": "expected_ids"}, {"config"}, ["both"]),
    "the same ids in both lists": (
        rows(gold_evidence=lambda n: [{"pubid": 110 + n, "context_idx": 0}],
             prediction=lambda n: {"answer": ("Yes", "No")[n % 3 > 0]}, gold_answer=lambda n: ("yes", "no")[n % 2],
             retrieved_passages=lambda n: [
                {"passage_id": f"p{n}::0", "rank": k + 1, "meta": {"pubid": 110 + n + k, "context_idx": k}}
                for k in range(2)]),
        {"role": "both", "relevant": "gold_evidence[].pubid", "retrieved": "retrieved_passages[].meta.pubid",
         "answer": "prediction.answer", "answers": "gold_answer"}, set(), ["both"]),
    "right ids in one of two places": (
        rows(expect=lambda n: {"article_id": f"a{n}"} if n % 2 else {},
             expect_any=lambda n: [] if n % 2 else [{"article_id": f"b{n}"}, {"article_id": "c1"}]),
        {"role": "truth", "relevant": "expect_any[].article_id+expect.article_id"}, set(), ["truth"]),
    "marks below configurations": (
        json.dumps({name: {f"q{n:02}": {"label": "supported" if n % 3 else "refused"} for n in range(9)}
                    for name in ("one", "other")}).encode(),
        {"query_id": "**", "config": "*", "labels": "label"}, set(), ["run"]),
    "keywords next to questions": (
        json.dumps({"north": {"keyword": [f"maps room {n}" for n in range(6)], "asked": ASKED}}).encode(),
        {"role": "questions", "query": "question"}, set(), ["questions"]),
    "grades of a judge below a ranking": (
        rows(retrieved=lambda n: [{"rank": k + 1, "vector_score": 0.9 - k / 8, "point_id": f"d{n}{k}",
                                   "judge_score": (n + k) % 3} for k in range(3)]),
        {"role": "both", "retrieved": "retrieved[].point_id", "score": "retrieved[].vector_score",
         "grade": "retrieved[].judge_score"}, set(), ["both"]),
    "what one of two systems was given": (
        rows(rag_context=TEXTS, rag_answer=TEXTS, llm_answer=lambda n: f"I think that room {n} has no maps at all."),
        {"answer": "{run}_answer", "contexts": "{run}_context"}, set(), ["run"]),
    "documents as many as the evidence": (
        rows(documents=lambda n: [f"house_{n}"], facts=lambda n: [TEXTS[n]], context=lambda n: [TEXTS[n], TEXTS[n - 1]],
             answer=lambda n: f"Maps are in room {n}.", ground_truth=TEXTS, mrr=lambda n: 1 / (1 + n)),
        {"relevant": "documents", "evidence": "facts", "contexts": "context"}, {"retrieved"}, ["both"]),
}


def test_what_a_search_step_observed_is_a_context():
    content = rows(steps=lambda n: [{"action": "search", "observation": TEXTS[n]}, {"action": "finish"}],
                   final_answer=TEXTS, ground_truth=TEXTS[::-1])
    assert mappings(content)[0]["contexts"] == "retrieved_contexts"


def test_values_below_numbered_keys_are_those_of_queries():
    rated = {f"{kind}-{n:03}": {"faithfulness": n / 9, "hallucination": n % 2} for kind in ("fact", "neg")
             for n in range(6)}
    with pytest.raises(InputError) as caught:
        read_runs(("judge.json", json.dumps(rated).encode()))
    mapping, = caught.value.problems[0].facts["mappings"]
    run, = read_runs(("judge.json", json.dumps(rated).encode()), mapping=mapping)
    assert len(run) == 12 and run.file_scores.names == ("faithfulness", "hallucination")


def test_hallucinated_answers_are_neither_right_nor_of_a_system():
    assert mappings(json.dumps([{"id": n, "hallu_answer": TEXTS[n]} for n in range(6)]).encode()) == []


def test_texts_below_places_are_no_answers_to_queries():
    content = json.dumps({str(n): {"source": {"section": [f"cs.{n % 2}"], "text": TEXTS[n]},
                                   "answer": f"Question: {ASKED[n]} Answer: in the north."} for n in range(6)})
    assert mappings(content.encode()) == []


def test_values_of_two_scales_are_fields_and_no_ranking():
    content = json.dumps({"judges": {f"Judge {n}": {"kappa": 0.5, "ci_low": 0.4, "ci_high": 0.6, "n_valid": 500 + n}
                                     for n in range(4)}}).encode()
    assert mappings(content) == []


@pytest.mark.parametrize(("answer", "roles"), [(TEXTS, ["truth", "both"]), (TEXTS[::-1], None)])
def test_answers_that_are_the_right_ones_word_for_word_are_asked_about(answer, roles):
    content = rows(answer=answer, reference_answer=TEXTS)
    if roles is None:
        assert read_runs(("file.json", content))[0].details["answer"].to_pylist() == answer
        return
    with pytest.raises(InputError) as caught:
        read_runs(("file.json", content))
    assert [mapping["role"] for mapping in caught.value.problems[0].facts["mappings"]] == roles


def test_answers_and_scores_next_to_right_answers_are_offered_where_the_file_has_a_name_for_the_latter_alone():
    content = rows(gold_answer=TEXTS, generation=TEXTS[::-1], answer_accuracy=lambda n: n / 5)
    with pytest.raises(InputError) as caught:
        read_truth(("file.json", content))
    mapping, = caught.value.problems[0].facts["mappings"]
    assert mapping["role"] == "both" and mapping["answer"] == "generation"


@pytest.mark.parametrize("name", SHAPES)
def test_the_values_show_what_a_field_means(name):
    content, wanted, absent, roles = SHAPES[name]
    offered = mappings(content)
    assert wanted.items() <= offered[0].items() and absent.isdisjoint(offered[0])
    assert [mapping["role"] for mapping in offered] == roles


@pytest.mark.parametrize(("texts", "roles"), [(several, ["truth", "both"]),
                                              (lambda number: TEXTS[:3], ["both", "truth"])])
@pytest.mark.parametrize("read", [read_runs, read_truth])
def test_contexts_next_to_right_answers_are_asked_about(read, texts, roles):
    """A test set has as many contexts as a question needs, a retriever returns the same number for all."""
    content = rows(contexts=texts, ground_truth=TEXTS)
    with pytest.raises(InputError) as caught:
        read(("file.json", content))
    offered = caught.value.problems[0].facts["mappings"]
    assert [mapping["role"] for mapping in offered] == roles
    assert [mapping.get("evidence") for mapping in offered if mapping["role"] == "truth"] == ["contexts"]


def test_retrieved_contexts_are_not_asked_about():
    content = rows(retrieved_contexts=several, ground_truth=TEXTS)
    assert read_truth(("file.json", content)).details["answers"].to_pylist() == [[text] for text in TEXTS]
    assert read_runs(("file.json", content))[0].details["contexts"].to_pylist()[2] == TEXTS[:3]


def test_times_without_a_unit_next_to_documents_are_asked_about():
    """Without an answer of a model, 4.5 can be seconds or milliseconds; each reading gives its own."""
    content = rows(hits=lambda n: [{"doc_id": f"d{n}", "score": 0.9}, {"doc_id": "d9", "score": 0.25}],
                   search_time=lambda n: 4.5 + n)
    first, second = mappings(content)[:2]
    assert "latency_s" in first and "latency_ms" in second
    totals = [read_runs(("file.json", content), mapping=mapping)[0].details["latency_ms"][0]["retrieval"].as_py()
              for mapping in (first, second)]
    assert totals == [4500.0, 4.5]


def test_answers_without_a_question_say_that_a_column_is_missing():
    content = "bot,chatbot_answer,contexts\n" + "".join(f"{bot},{text},['{text}']\n" for bot in "ab" for text in TEXTS)
    with pytest.raises(InputError, match="Add a column with the question of each row"):
        read_runs(("file.csv", content.encode()))


@pytest.mark.parametrize("name", ["chatbot_version", "agent_version", "agent", "prompt_state", "maker"])
@pytest.mark.parametrize("uneven", [False, True])
def test_a_column_that_each_question_has_every_value_of_is_the_configuration_whatever_its_name(name, uneven):
    rows = [{name: value, "question": ASKED[number], "chatbot_answer": f"{value}: {TEXTS[number]}",
             "contexts": str([TEXTS[number], TEXTS[0]]), "correct_answer": TEXTS[number], "seconds": 1.5 + number}
            for value in ("small chunks", "large chunks") for number in range(6)]
    frame = pd.DataFrame(rows[:9] if uneven else rows)
    first, *_ = propose(Source(("file.csv", frame.to_csv(index=False).encode())))
    assert first.mapping["config"] == name
    runs = read_runs(("file.csv", frame.to_csv(index=False).encode()), mapping=first.mapping)
    assert {run.name: run.details.num_rows for run in runs} == {"small chunks": 6, "large chunks": 3 if uneven else 6}


@pytest.mark.parametrize("name", ["edition", "chatbot_version"])
def test_a_number_that_each_question_has_every_value_of_is_the_configuration(name):
    rows = [{name: value, "question": question, "chatbot_answer": f"{value}: {text}", "correct_answer": text}
            for value in (1, 2) for question, text in zip(ASKED, TEXTS, strict=True)]
    first, *_ = propose(Source(("file.csv", pd.DataFrame(rows).to_csv(index=False).encode())))
    assert first.mapping["config"] == name and not first.notes


def test_a_column_under_a_word_of_logs_that_is_no_configuration_is_listed_as_not_read():
    first, *_ = propose(Source(("file.json", rows(generation=TEXTS, reference=TEXTS[::-1], tool_state=lambda n: "on"))))
    assert first.ignored == ("tool_state",)


def test_attributes_of_a_reading_with_runs_and_references_are_those_of_the_queries():
    of_bots = [{"question": question, "bot": bot, "answer": TEXTS[number], "reference": TEXTS[0],
                "topic": "ab"[number % 2], "judge": f"judge of {bot}"}
               for bot in ("small", "large") for number, question in enumerate(ASKED)]
    mapping = {"role": "both", "query": "question", "config": "bot", "answer": "answer", "answers": "reference",
               "attributes": "topic+judge"}
    truth = read_truth(("file.json", json.dumps(of_bots).encode()), mapping=mapping)
    assert truth.details["attributes"].to_pylist() == ['{"topic":"a"}', '{"topic":"b"}'] * 3, "judges differ by bot"
    single = read_truth(("file.json", json.dumps(of_bots[:6]).encode()), mapping=mapping)
    assert json.loads(single.details["attributes"][0].as_py()) == {"topic": "a", "judge": "judge of small"}


@pytest.mark.parametrize("extra", [{"model": "gpt"}, {"maker_version": "1"}])
@pytest.mark.parametrize("name", ["seconds", "Secs"])
def test_seconds_are_the_latency_of_answers_in_a_reading_and_without_one(extra, name):
    asked = [{"question": question, **extra, "answer": TEXTS[0], name: 1.5 + number}
             for number, question in enumerate(ASKED)]
    content = json.dumps(asked).encode()
    first, *_ = propose(Source(("file.json", content)))
    assert first.mapping["latency_s"] == name and name not in first.ignored
    as_answers = {"role": "run", "answer": "answer", **{path: first.mapping[path] for path in ("query", "latency_s")}}
    for mapping in (None, as_answers):
        run, = read_runs(("file.json", content), mapping=mapping)
        assert [times["total"] for times in run.details["latency_ms"].to_pylist()] == [
            1500.0 + 1000 * number for number in range(6)]
        assert run.file_scores is None


@pytest.mark.parametrize("columns", [{"seconds": lambda n: 1.7e9 + n, "response": TEXTS},
                                     {"seconds": lambda n: 1.5 + n},
                                     {"start": lambda n: {"seconds": 1.5 + n}, "response": TEXTS}])
def test_seconds_that_are_no_time_of_an_answer_are_no_latency(columns):
    assert all({"latency_ms", "latency_s"}.isdisjoint(mapping) for mapping in mappings(rows(**columns)))


@pytest.mark.parametrize("texts", [{"context": TEXTS}, {"contexts": several}])
def test_an_answer_and_texts_next_to_right_ids_may_be_those_of_a_data_set(texts):
    content = rows(**texts, answer=TEXTS, relevant_doc_ids=lambda number: [f"d{number}"])
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as failed:
            read(("file.json", content))
        as_right, as_given = failed.value.problems[0].facts["mappings"]
        assert (as_right["role"], as_right["answers"], as_right["relevant"]) == ("truth", "answer", "relevant_doc_ids")
        assert (as_given["role"], as_given["answer"], as_given["relevant"]) == ("both", "answer", "relevant_doc_ids")
