"""Where two fields may mean the same both are offered, and what only looks like a system or a query is none."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(9)
ASKED = [f"Which lamp burns in tower {number} of the coast?" for number in COUNT]
SAID = [f"Tower {number} has a lamp of the second order, which turns twice a minute." for number in COUNT]


def rows(**columns) -> bytes:
    """A JSON list of nine records; a function is called with the number of a record."""
    return json.dumps([{name: column(number) if callable(column) else column for name, column in columns.items()}
                       for number in COUNT]).encode()


def offered(content: bytes, name: str = "file.json") -> list[dict[str, str]]:
    return [dict(reading.mapping) for reading in propose(Source((name, content)))]


TWICE = {  # content, the meaning, the paths that are offered for it
    "right chunks and right documents": (
        rows(question=ASKED.__getitem__, gold_chunk_ids=lambda n: [f"t{n}#2", f"t{n}#5"],
             gold_doc_paths=lambda n: [f"towers/{n}.md"]), "relevant", {"gold_chunk_ids", "gold_doc_paths"}),
    "documents before and after they are ranked again": (
        rows(question=ASKED.__getitem__, expected_docs=lambda n: [f"d{n}"],
             trace=lambda n: {"docs": [f"d{n}", "d77"], "retrieved": [
                 {"source": f"lib/d{n + k}", "score": 0.9 - k / 9} for k in range(3)]}),
        "retrieved", {"trace.docs", "trace.retrieved[].source"}),
    "what a planner wrote and what was answered": (
        rows(question=ASKED.__getitem__, retrieved_ids=lambda n: [f"d{n}", "d77"], elapsed_s=1.5,
             planner_output=lambda n: f"First look for tower {n}, then for its lamp.", answer=SAID.__getitem__),
        "answer", {"planner_output", "answer"}),
}


@pytest.mark.parametrize("name", TWICE)
def test_the_second_best_field_is_offered_as_well(name):
    content, meaning, paths = TWICE[name]
    readings = offered(content)
    assert {reading[meaning] for reading in readings} == paths and len(readings) == len(paths)


def test_lists_of_few_kinds_are_no_second_ranking():
    reading, = offered(rows(question=ASKED.__getitem__, retrieved_ids=lambda n: [f"d{n}", "d77"],
                            search_modes=lambda n: ["dense", "sparse"]))
    assert reading["retrieved"] == "retrieved_ids"


def test_words_that_an_answer_has_and_lacks_are_no_two_systems():
    words = ["lamp", "order", "tower", "coast"]
    reading, = offered(json.dumps({"avg_score": 0.5, "results": json.loads(rows(
        id=lambda n: f"Q{n}", question=ASKED.__getitem__, keywords_found=lambda n: words[:1 + n % 3],
        keywords_missing=lambda n: words[1 + n % 3:], retrieval_score=lambda n: n / 10))}).encode())
    assert reading["records"] == "results" and {"config", "retrieved"}.isdisjoint(reading)
    assert reading["scores"] == "retrieval_score"


def test_lists_of_two_systems_share_documents():
    readings = offered(rows(question=ASKED.__getitem__, keyword_docs=lambda n: [f"d{n}", "d5"],
                            semantic_docs=lambda n: [f"d{n + 1}", "d5"]))
    assert {"keyword", "semantic"} <= {run.name for reading in readings[:1] for run in read_runs(
        ("file.json", rows(question=ASKED.__getitem__, keyword_docs=lambda n: [f"d{n}", "d5"],
                           semantic_docs=lambda n: [f"d{n + 1}", "d5"])), mapping=reading)}


def test_what_an_answer_cites_is_right_at_second_glance_only():
    cited = [[1, 7], [1], [1, 9], [2], [1], [1], [2], [1, 2], [9]]
    first, second = offered(rows(question=ASKED.__getitem__, generated_answer=SAID.__getitem__,
                                 cited_doc_ids=cited.__getitem__))
    assert first["role"] == "run" and "relevant" not in first and second["relevant"] == "cited_doc_ids"


@pytest.mark.parametrize("names", [("query", "query"), ("query", "question")])
def test_questions_by_section_are_read_under_one_name(names):
    sections = {f"part {place}": [{names[place % 2]: ASKED[2 * place + k], "expected_keywords": ["lamp", "order"]}
                                  for k in range(2)] for place in range(3)}
    with pytest.raises(InputError) as caught:
        read_truth(("queries.json", json.dumps(sections).encode()))
    mapping, = caught.value.problems[0].facts["mappings"]
    truth = read_truth(("queries.json", json.dumps(sections).encode()), mapping=mapping)
    assert mapping["role"] == "questions" and truth.details["query"].to_pylist() == ASKED[:6]


def test_questions_next_to_metadata_are_offered():
    content = {"questions": [{"id": n, "question": ASKED[n], "expected_keywords": ["lamp"]} for n in COUNT],
               "metadata": {"version": "1", "count": 9}}
    with pytest.raises(InputError) as caught:
        read_truth(("baseline.json", json.dumps(content).encode()))
    assert caught.value.problems[0].facts["mappings"][0] == {
        "role": "questions", "records": "questions", "query_id": "id", "query": "question"}


def test_numbers_below_words_are_right_or_returned_documents():
    content = json.dumps({"lamps": [1, 2, 7, 9], "towers": [0, 3], "coasts": [12, 15, 16], "storms": [4]}).encode()
    with pytest.raises(InputError) as caught:
        read_truth(("judgments.json", content))
    truth, run = caught.value.problems[0].facts["mappings"]
    assert (truth["role"], run["role"]) == ("truth", "run")
    assert read_truth(("judgments.json", content), mapping=truth).judgments == 10


@pytest.mark.parametrize("content", [
    {"train": [1, 2, 3], "dev": [4, 5], "test": [6]}, {"loss": [3, 2, 1], "accuracy": [1, 2, 3], "f1": [2, 4, 9]}])
def test_numbers_of_splits_and_curves_are_no_documents(content):
    assert offered(json.dumps(content).encode()) == []


def test_means_of_splits_below_two_systems_are_no_documents():
    report = {"metric": "recall_at_k", "grid": [{"weight": 0.1, "train": 0.9, "eval": 0.8}] * 3, "components": {
        "bm25": {"train": 0.91, "eval": 0.9, "all": 0.905}, "e5": {"train": 0.81, "eval": 0.8, "all": 0.805}}}
    assert offered(json.dumps(report).encode()) == []


def test_a_column_that_is_the_same_in_all_lines_is_no_id():
    reading, = offered("".join(f"trivia\t{text}\n" for text in ASKED).encode(), "in.tsv")
    assert reading == {"role": "questions", "query": "column 2", "attributes": "column 1"}


def test_predictions_without_a_question_are_numbered():
    content = rows(predicted=lambda n: "yes" if n % 2 else "no", gold=lambda n: "yes" if n % 3 else "no",
                   correct=lambda n: (n % 2 > 0) == (n % 3 > 0), reward=lambda n: n / 10, arm=lambda n: n % 2)
    reading, = offered(content)
    run, = read_runs(("examples.json", content), mapping=reading)
    assert (reading["query_id"], reading["answer"], reading["answers"]) == ("row number", "predicted", "gold")
    assert run.query_ids.to_pylist() == [str(n + 1) for n in COUNT]


def test_categories_of_several_words_next_to_verdicts_are_read():
    kinds = ["well grounded and correctly retrieved as the judge of this run says more than once",
             "grounded but the retrieval missed the section that has the answer to the question in it"]
    lines = [f"{n},{ASKED[n]},yes,PASS,{kinds[n % 2]}" for n in COUNT]
    content = "\n".join(["id,question,retrieval_correct,verdict,category", *lines])
    run, = read_runs(("judged.csv", content.encode()))
    assert len(run.query_ids) == len(ASKED) and run.file_scores is not None


def test_answers_of_many_systems_are_all_read_where_some_names_are_not_known():
    systems = ["acme_gpt-4o", "acme_claude-3.5", "acme_alpha-ja", "hub_gpt-4", "hub_gpt-4o", "cohere_command-r",
               "cohere_command-x", "desk_gpt-4o", "desk_gpt-4"]
    content = rows(question=ASKED.__getitem__, target_answer=SAID.__getitem__, **{
        f"{name}_answer": lambda n, name=name: f"{name} says that tower {n} has a lamp." for name in systems})
    reading = offered(content)[0]
    assert {run.name for run in read_runs(("file.json", content), mapping=reading)} == set(systems)


@pytest.mark.parametrize("question", [{}, {"task": "ocr"}])
def test_an_id_of_each_answer_is_not_that_of_the_query(question):
    """RAGTruth's file: response ids differ between the models, and no query of one would be one of the other."""
    content = "\n".join(json.dumps({"id": str(2 * n + place), "source_id": f"s{n}", "model": model, **question,
                                    "response": f"{model}: {SAID[n]}"})
                        for n in COUNT for place, model in enumerate(("gpt-4", "llama-2"))).encode()
    with pytest.raises(InputError) as caught:
        read_runs(("response.jsonl", content))
    mapping, = caught.value.problems[0].facts["mappings"]
    runs = read_runs(("response.jsonl", content), mapping=mapping)
    assert mapping["query_id"] == "source_id" and [run.name for run in runs] == ["gpt-4", "llama-2"]
    assert runs[0].query_ids.to_pylist() == runs[1].query_ids.to_pylist() == [f"s{n}" for n in COUNT]


def test_a_list_with_right_documents_among_others_was_returned():
    columns = {"query_id": lambda n: f"q{n}", "gold_passages": lambda n: [f"p{n}", f"p{n + 20}"],
               "visited_passages": lambda n: [f"p{n + k}" for k in range(4)]}
    reading = offered(rows(**columns))[0]
    assert (reading["retrieved"], reading["relevant"]) == ("visited_passages", "gold_passages")
    pool = offered(rows(**{("candidate_pool" if name == "visited_passages" else name): column
                           for name, column in columns.items()}))
    assert all(reading.get("retrieved") != "candidate_pool" for reading in pool)


def test_a_diagnosis_that_a_system_wrote_is_no_second_right_answer():
    readings = offered(rows(id=lambda n: f"q{n}", input_text=ASKED.__getitem__, ground_truth_answer=SAID.__getitem__,
                            raw_finding=lambda n: f"It may be that lamp {n} is broken."))
    assert {reading["answers"] for reading in readings} == {"ground_truth_answer"}


MARKS = [(f"q{n}", f"d{n * 3 + k}", (0, 0.5, 1)[(n + k) % 3]) for n in COUNT for k in range(3)]


@pytest.mark.parametrize("name", ["marks.csv", "marks.jsonl"])
def test_marks_of_people_in_halves_may_be_judgments(name):
    lines = ["query_id,doc_id,score", *(f"{q},{doc},{mark}" for q, doc, mark in MARKS)] if name.endswith("csv") else [
        json.dumps({"query_id": q, "doc_id": doc, "score": mark}) for q, doc, mark in MARKS]
    content = (name, "\n".join(lines).encode())
    with pytest.raises(InputError) as caught:
        read_runs(content)
    truth, run = caught.value.problems[0].facts["mappings"]
    assert read_truth(content, mapping=truth).judgments == len(MARKS)
    assert len(read_runs(content, mapping=run)[0].docs) == len(MARKS)


def test_scores_of_few_ranks_are_no_marks():
    lines = ["query_id,doc_id,score", *(f"q{n},d{n * 3 + k},{1 / (61 + k)}" for n in COUNT for k in range(3))]
    assert len(read_runs(("fused.csv", "\n".join(lines).encode()))[0].docs) == len(MARKS)


def test_columns_of_systems_have_further_columns_of_their_own():
    columns = {"Question": ASKED.__getitem__, "Gold": SAID.__getitem__,
               "GPT-4": lambda n: f"In short, tower {n} has one.",
               "GPT-4-turbo": lambda n: f"I think tower {n} has two.",
               "GPT-4 score": lambda n: n % 5, "GPT-4-turbo score": lambda n: 4 - n % 5}
    reading, = offered(rows(**columns))
    runs = {run.name: run for run in read_runs(("wide.json", rows(**columns)), mapping=reading)}
    assert (reading["config"], reading["answer"], reading["answers"], reading["scores"]) == (
        "*", "answer", "Gold", "score")
    assert {name: run.details["answer"][1].as_py() for name, run in runs.items()} == {
        "GPT-4": "In short, tower 1 has one.", "GPT-4-turbo": "I think tower 1 has two."}


def test_scores_next_to_first_ranks_are_those_of_the_same_system():
    columns = {"Query": ASKED.__getitem__, "bge rank": lambda n: n % 4 + 1, "e5 rank": lambda n: n % 3 + 1,
               "bge score": lambda n: n / 10, "e5 score": lambda n: 1 - n / 10}
    reading = offered(rows(**columns))[0]
    runs = read_runs(("ranks.json", rows(**columns)), mapping=reading)
    assert [run.name for run in runs] == ["bge", "e5"] and "{run}" not in "".join(reading.values())


def test_statements_below_ids_may_be_answers_too():
    content = "".join(f"q{n}\t{text}\n" for n, text in enumerate(SAID)).encode()
    readings = offered(content, "out.tsv")
    assert [reading["role"] for reading in readings] == ["questions", "truth", "run"]
    run, = read_runs(("out.tsv", content), mapping=readings[2])
    assert run.details["answer"].to_pylist() == SAID
    questions = "".join(f"q{n}\t{text}\n" for n, text in enumerate(ASKED)).encode()
    assert [reading["role"] for reading in offered(questions, "in.tsv")] == ["questions"]


def test_years_among_right_answers_are_no_documents():
    """A project's table of SQuAD answers next to numbered chunks: a year was also the number of a chunk."""
    header = "pipeline,question,gold_answers,prediction,f1,retrieved_chunk_ids"
    right = (251, 1881, "Fresnel")
    lines = [f'{system},{ASKED[n]},"[\'{right[n % 3]}\']",{SAID[n].split(",")[0]},0.{n},"[{250 + n}, 249]"'
             for system in ("dense", "sparse") for n in COUNT]
    reading = offered("\n".join([header, *lines]).encode(), "results.csv")[0]
    assert (reading["answers"], reading["answer"]) == ("gold_answers", "prediction") and "relevant" not in reading


def test_one_text_next_to_several_documents_is_the_answer():
    content = json.dumps({"model": "m", "answers": json.loads(rows(
        question_id=lambda n: f"q{n}", question=ASKED.__getitem__, retrieved=lambda n: [f"d{n}", f"d{n + 1}"],
        refused=False, text=SAID.__getitem__))}).encode()
    with pytest.raises(InputError) as caught:
        read_runs(("frozen.json", content))
    first, second = caught.value.problems[0].facts["mappings"]
    assert (first["answer"], second["contexts"]) == ("text", "text")
    assert read_runs(("frozen.json", content), mapping=first)[0].details["answer"].to_pylist() == SAID


def test_a_short_text_of_a_reference_is_a_right_answer():
    reading = offered(rows(question=ASKED.__getitem__, resposta=SAID.__getitem__,
                           meta=lambda n: {"texto_referencia": f"A lamp {n}."}))[0]
    assert (reading["answer"], reading["answers"]) == ("resposta", "meta.texto_referencia")


def test_marks_in_a_dictionary_are_judgments_or_scores():
    def dictionary(*marks):
        return json.dumps({f"q{n}": {f"d{n * 3 + k}": marks[(n + k) % 3] for k in range(3)} for n in COUNT}).encode()

    with pytest.raises(InputError) as caught:
        read_runs(("marks.json", dictionary(0, 0.5, 1)))
    first, second = caught.value.problems[0].facts["mappings"]
    truth = read_truth(("marks.json", dictionary(0, 0.5, 1)), mapping=first)
    assert sorted(set(truth.grades.tolist())) == [0, 5, 10] and truth.judgments == 3 * len(COUNT)
    run, = read_runs(("marks.json", dictionary(0, 0.5, 1)), mapping=second)
    assert run.depth == 3 and run.scores.max() == 1
    run, = read_runs(("scores.json", dictionary(0.2, 0.5, 1)))
    assert not run.problems


def test_contexts_that_are_read_stay_where_the_documents_next_to_them_have_texts():
    """The first record has no documents, so that its contexts alone say what the lists are."""
    lines = [{"query_id": f"q{n}", "answer": SAID[n], "contexts": [SAID[n]] if n else [], "documents": [
        {"doc_id": f"d{n + k}", "score": 0.9 - k / 9, "text": f"{SAID[n + k]} It is tower {n + k}."}
        for k in range(min(n, 2)) if n + k < len(SAID)]} for n in COUNT]
    run, = read_runs(("file.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode()))
    offer, = [problem for problem in run.problems if problem.kind == "proposed-reading"]
    mapping = offer.facts["mappings"][0]
    assert mapping["retrieved"] == "documents[].doc_id" and mapping["contexts"] == "contexts"
    assert offer.facts["ignored"] == ["documents[].text"]
