"""Usual names that hold something else: ids as a ground truth, links of a data set, a row of means in a workbook."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = 8
ASKED = [f"Where is the login of part {number} implemented?" for number in range(COUNT)]


def refused(content: tuple[str, bytes]) -> list[dict[str, str]]:
    """The readings of the error that the file raises in both roles."""
    for read in (read_runs, read_truth):
        with pytest.raises(InputError) as error:
            read(content)
        assert [problem.kind for problem in error.value.problems] == ["proposed-reading"]
    return [dict(mapping) for mapping in error.value.problems[0].facts["mappings"]]


def test_a_ground_truth_of_ids_next_to_retrieved_ones_is_what_is_relevant():
    records = [{"question_id": f"q{number}", "question": ASKED[number], "ground_truth": [f"src/part{number}/login.ts"],
                "retrieved": [f"src/part{number}/login.ts", "src/client.ts"][number % 2:],
                "response": f"The login of part {number} is in a file of its own."} for number in range(COUNT)]
    content = ("run.json", json.dumps({"approach": "agent", "results": records}).encode())
    (mapping,) = refused(content)
    assert (mapping["relevant"], mapping["retrieved"], mapping["answer"]) == ("ground_truth", "retrieved", "response")
    truth = read_truth(content, mapping=mapping)
    assert truth.judgments == COUNT and truth.docs.to_pylist()[0] == "src/part0/login.ts"


def test_a_ground_truth_of_texts_stays_the_reference_answer():
    records = [{"question_id": f"q{number}", "question": ASKED[number], "retrieved": [f"src/part{number}.ts"],
                "ground_truth": [f"It is in the file of part {number}, next to the client."],
                "response": "In a file."} for number in range(COUNT)]
    truth = read_truth(("run.json", json.dumps({"results": records}).encode()))
    assert truth.details["answers"].to_pylist()[1] == ["It is in the file of part 1, next to the client."]


def test_an_answer_next_to_a_prompt_and_links_is_that_of_a_data_set_or_of_a_system():
    lines = ["id,Prompt,Answer,wikipedia_link_1,wikipedia_link_2"] + [
        f"{number},{ASKED[number]},Jane {number},https://en.wikipedia.org/wiki/A{number},"
        f"{f'https://en.wikipedia.org/wiki/B{number}' if number % 2 else ''}" for number in range(COUNT)]
    content = ("set.csv", "\n".join(lines).encode())
    first, second = refused(content)
    assert first == {"role": "truth", "query_id": "id", "query": "Prompt", "relevant": "wikipedia_link_{n}",
                     "answers": "Answer"}
    assert second == {"role": "run", "query_id": "id", "query": "Prompt", "retrieved": "wikipedia_link_{n}",
                      "answer": "Answer"}
    truth = read_truth(content, mapping=first)
    assert truth.judgments == COUNT + COUNT // 2 and truth.details["answers"].to_pylist()[0] == ["Jane 0"]


def test_a_row_of_means_of_the_sheet_that_is_read_is_asked_about_also_where_another_sheet_has_more():
    book = openpyxl.Workbook()
    combined, responses = book.active, book.create_sheet("Responses")
    combined.title = "Combined"
    combined.append(["question_id", "question", "expected_answer", "generated_answer", "faithfulness",
                     "answer_relevancy"])
    responses.append(["question_id", "question", "fused_doc_ids", "retrieved_context_1", "retrieved_context_2",
                      "expected_answer", "generated_answer"])
    for number in range(COUNT):
        texts = [f"It is in the file of part {number}.", f"I found it in part {number} of the code."]
        combined.append([f"q{number}", ASKED[number], *texts, number / 10, 0.5])
        responses.append([f"q{number}", ASKED[number], f"['d{number}', 'd9']", f"The login of part {number} is here.",
                          "The client calls the login of each part.", *texts])
    combined.append(["FINAL (mean)", None, None, None, 0.35, 0.5])
    file = io.BytesIO()
    book.save(file)
    content = ("book.xlsx", file.getvalue())
    readings = refused(content)
    assert {mapping["records"] for mapping in readings} == {"Combined", "Responses"}
    for mapping in readings:
        assert len(read_truth(content, mapping=mapping)) == COUNT
    notes = {reading.mapping["records"]: reading.notes for reading in propose(Source(content))}
    assert notes["Combined"]["average"] == 1


def table(reference: str) -> tuple[str, bytes]:
    lines = ["query,reference,max_completion_tokens,input_price_per_1m,used_tokens,answer"] + [
        f'{ASKED[number]},"{reference.format(number)}",40960,0.25,{1900 + number},It is in part {number}.'
        for number in range(COUNT)]
    return "log.csv", "\n".join(lines).encode()


def test_a_reference_that_names_the_source_of_an_answer_is_asked_about():
    first, second = refused(table("Document: law_{}_raw.json.md. Its paragraphs are the evidence."))
    assert (first["role"], first.get("answers"), second["answers"]) == ("run", None, "reference")


def test_a_reference_that_says_the_answer_is_read_and_limits_and_prices_are_no_metrics():
    content = table("It is in the file of part {}.")
    assert read_truth(content).details["answers"].to_pylist()[0] == ["It is in the file of part 0."]
    run, = read_runs(content)
    assert run.file_scores is not None and {*run.file_scores.metrics.to_pylist()} == {"used_tokens"}


PHRASES = [["indexing", "retrieved documents"], ["fast", "break semantic"], ["200-500", "context window"]] * 3


@pytest.mark.parametrize("name", ["relevant", "qrels"])
@pytest.mark.parametrize("key", ["id", "query_id"])
def test_phrases_under_a_name_for_documents_are_asked_about(name, key):
    records = [{key: f"q{number}", "query": ASKED[number], name: PHRASES[number]} for number in range(COUNT)]
    with pytest.raises(InputError) as error:
        read_truth(("set.json", json.dumps({"questions": records}).encode()))
    first, second = (dict(mapping) for mapping in error.value.problems[0].facts["mappings"])
    assert (first["role"], first.get("relevant"), second["role"], second["relevant"]) == (
        "questions", None, "truth", name)


@pytest.mark.parametrize("docs", [["Employment Act 1955", "Contracts Act"], ["returns", "shipping costs policy.md"],
                                  ["d1", "d 2"]])
def test_titles_files_and_ids_are_documents(docs):
    records = [{"query": asked, "relevant": docs} for asked in ASKED]
    assert read_truth(("set.json", json.dumps({"questions": records}).encode())).judgments == 2 * COUNT


def test_a_few_words_that_many_questions_share_are_asked_about():
    records = [{"query": asked, "relevant": [("retries", "logs")[number % 2]]} for number, asked in enumerate(ASKED)]
    first, second = refused_as_truth(records)
    assert (first["role"], second["relevant"]) == ("questions", "relevant")
    records = [{"query": asked, "relevant": [f"retries{number % 2}"]} for number, asked in enumerate(ASKED)]
    assert read_truth(("set.json", json.dumps(records).encode())).judgments == COUNT


def refused_as_truth(records: list[dict]) -> list[dict[str, str]]:
    with pytest.raises(InputError) as error:
        read_truth(("set.json", json.dumps(records).encode()))
    return [dict(mapping) for mapping in error.value.problems[0].facts["mappings"]]


def test_files_under_contexts_are_asked_about():
    records = [{"question": asked, "answer": f"It is in part {number}.", "contexts": [f"part_{number}.pdf", "all.pdf"]}
               for number, asked in enumerate(ASKED)]
    with pytest.raises(InputError) as error:
        read_runs(("run.json", json.dumps(records).encode()))
    assert error.value.problems[0].facts["mappings"][0]["retrieved"] == "contexts"


def test_citations_next_to_an_answer_are_no_right_answers_and_the_answer_may_be_the_right_one():
    records = [{"question": asked, "answer": f"It is in part {number}.", "references": [f"manual_{number}.pdf, p. 3"]}
               for number, asked in enumerate(ASKED)]
    roles = [(mapping["role"], mapping.get("answers")) for mapping in refused_as_truth(records)]
    assert {("truth", "answer"), ("run", None), ("both", "references")} <= {*roles}


def test_phrases_under_gold_are_not_offered_as_documents():
    records = [{"id": f"q{number}", "question": ASKED[number], "gold": ["retries", "exponential backoff", "logs"]}
               for number in range(COUNT)]
    assert all("relevant" not in reading.mapping for reading in propose(
        Source(("set.json", json.dumps(records).encode()))))


@pytest.mark.parametrize("queries", [ASKED, [f"login of part {number}" for number in range(COUNT)],
                                     ["green tea", "black coffee"],
                                     ["\u4ec0\u4e48\u662f\u8336", "\u5982\u4f55\u6ce1\u8336"]])
def test_documents_listed_below_the_text_of_a_query_are_right_or_returned(queries):
    content = json.dumps({asked: [f"doc_{place}", f"doc_{place + 1}"] for place, asked in enumerate(queries)}).encode()
    with pytest.raises(InputError) as error:
        read_runs(("group_judg.json", content))
    (problem,) = error.value.problems
    mappings = [dict(mapping) for mapping in problem.facts["mappings"]]
    assert [mapping["role"] for mapping in mappings] == ["truth", "run"]
    truth = read_truth(("group_judg.json", content), mapping=mappings[0])
    (run,) = read_runs(("group_judg.json", content), mapping=mappings[1])
    assert (truth.judgments, len(run.docs)) == (2 * len(queries), 2 * len(queries))
    assert read_truth(("group_judg.json", content)).judgments == 2 * len(queries)  # its role is given
    assert len(read_runs(("bm25_results.json", content))[0].docs) == 2 * len(queries)  # its name says so


@pytest.mark.parametrize("queries", [["q1", "q2"], ["Topic 12", "Topic 13"], ["2hop-17", "2hop-25"], ["A", "B"]])
def test_documents_listed_below_ids_are_a_run(queries):
    content = json.dumps({name: ["doc_1", "doc_2"] for name in queries}).encode()
    assert len(read_runs(("group.json", content))[0].docs) == 4


def test_documents_of_snippets_next_to_right_answers_are_right_or_returned():
    records = [{"id": f"q{number}", "body": ASKED[number], "ideal_answer": f"See part {number}.", "snippets": [
        {"text": f"Part {number} has a login of its own, {place}.", "document": f"http://code/part{number}/{place}"}
        for place in range(2)]} for number in range(COUNT)]
    first, second = refused(("gold.json", json.dumps({"questions": records}).encode()))
    assert (first["role"], first["relevant"], first["evidence"]) == (
        "truth", "snippets[].document", "snippets[].text")
    assert second["retrieved"] == "snippets[].document"


def test_the_one_text_next_to_expected_documents_is_asked():
    records = [{"id": f"q{number}", "asr_text": f"login of part {number} please", "expected_doc_ids": [f"d{number}"]}
               for number in range(COUNT)]
    reading, = propose(Source(("voice.json", json.dumps(records).encode())))
    assert (reading.mapping["query"], reading.mapping["relevant"]) == ("asr_text", "expected_doc_ids")
