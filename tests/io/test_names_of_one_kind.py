"""Names that are compared with what a file holds elsewhere: titles with marks, copies of scores, parts of one judgment,
places in documents, kinds in place of documents.
"""

from __future__ import annotations

import io
import json
from functools import partial

import pytest
from reading_checks import numbered_rows

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(12)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]
rows = partial(numbered_rows, len(COUNT))


def first(content, name: str = "file.json") -> tuple[dict[str, str], tuple[str, bytes]]:
    """The first reading, and the file."""
    file = name, content if type(content) is bytes else json.dumps(content).encode()
    return dict(propose(Source(file))[0].mapping), file


def test_titles_with_a_mark_each_are_a_ranking_and_its_judgments():
    content = rows(query=lambda n: ASKED[n], results=lambda n: [
        {"title": f"Handbook of moves, part {n + place}", "relevant": place == n % 3} for place in range(3)])
    reading, file = first(content)
    assert (reading["retrieved"], reading["grade"]) == ("results[].title", "results[].relevant")
    truth, (run,) = read_truth(file, mapping=reading), read_runs(file, mapping=reading)
    assert (truth.judgments, int(truth.grades.sum()), run.depth) == (36, 12, 3)


def test_scores_by_mode_are_offered_next_to_the_reply_that_they_were_made_of():
    lines = ["mode,question_id,correctness,helpfulness,justification,raw_response"]
    for mode in ("naive", "agentic"):
        for number in COUNT:
            scores = {"correctness": number % 5, "helpfulness": number % 3}
            reply = json.dumps(scores | {"justification": TEXTS[number]}).replace('"', '""')
            lines.append(f'{mode},F{number},{number % 5},{number % 3},"{TEXTS[number]}","{reply}"')
    file = "scores.csv", "\n".join(lines).encode()
    with pytest.raises(InputError) as caught:
        read_runs(file)
    mapping = caught.value.problems[0].facts["mappings"][0]
    assert (mapping["config"], mapping["scores"]) == ("mode", "correctness+helpfulness")
    assert [(run.name, len(run)) for run in read_runs(file, mapping=mapping)] == [("naive", 12), ("agentic", 12)]


def test_parts_of_one_judgment_are_no_systems():
    reading, _ = first(rows(
        query=lambda n: ASKED[n], answer=lambda n: TEXTS[n],
        verification=lambda n: {"correct_period": n % 2 == 0, "correct_form": n % 3 == 0},
        context_chunks=lambda n: [{"chunk_id": f"c{n}", "form_type": "10-K", "period_type": "annual",
                                   "text": TEXTS[n], "score": 0.5}]))
    assert "{run}" not in "".join(reading.values())


def test_generations_of_two_models_are_systems_and_the_output_of_the_data_set_is_right():
    reading, file = first(rows(
        PromptID=lambda n: f"Prompt {n}", Instruction=lambda n: ASKED[n], Output=lambda n: TEXTS[n],
        Base_ROUGE=lambda n: n / 20, LoRA_ROUGE=lambda n: n / 15, Base_Generation=lambda n: f"No. {TEXTS[n]}",
        LoRA_Generation=lambda n: f"Yes. {TEXTS[n]}"))
    assert (reading["query"], reading["answer"], reading["answers"]) == ("Instruction", "{run}_Generation", "Output")
    assert [run.name for run in read_runs(file, mapping=reading)] == ["Base", "LoRA"]


def test_a_document_and_a_numbered_place_in_it_are_the_id_of_a_passage():
    hits = [[{"doc_id": f"law-{(number + place) % 2 + number % 3}", "label": f"Article {number + place}",
              "score": 0.9 - place / 10} for place in range(4)] for number in COUNT]
    reading, file = first({"rows": rows(id=lambda n: f"q{n}", answer=lambda n: TEXTS[n], sources=lambda n: hits[n])})
    assert reading["retrieved"] == "sources[].doc_id+sources[].label"
    assert read_runs(file, mapping=reading)[0].ranking("q1", 2)["doc_id"].to_pylist() == [
        "law-2#Article 1", "law-1#Article 2"]


def test_files_are_relevant_rather_than_the_few_kinds_of_their_parts():
    reading, _ = first(rows(query=lambda n: ASKED[n], expected_file=lambda n: f"sheet-{n}",
                            expected_section=lambda n: ("specs", "general")[n % 2],
                            actual_top_file=lambda n: f"sheet-{n}.pdf",
                            actual_top_section=lambda n: ("specs", "general")[n % 3 % 2], passed=lambda n: n % 2 == 0))
    assert (reading["retrieved"], reading["relevant"]) == ("actual_top_file", "expected_file")


def test_kinds_of_sources_that_many_queries_expect_are_no_documents():
    content = [{"query": f"word{number}", "expected_word": f"word{number}", "expected_source": ("wiki", "idioms")[
        number % 2]} for number in range(30)]
    assert all("expected_source" not in (reading.mapping.get("relevant"), reading.mapping.get("retrieved"))
               for reading in propose(Source(("gold.json", json.dumps(content).encode()))))


def test_members_of_cited_passages_that_are_expected_are_their_documents():
    reading, _ = first({"results": rows(
        query=lambda n: ASKED[n], answer=lambda n: TEXTS[n], expected_sources=lambda n: [f"TS 23.50{n % 4}"],
        citations=lambda n: [{"spec": f"TS 23.50{(n + place) % 4}", "snippet": TEXTS[n - place], "page": n + place}
                             for place in range(2)])})
    assert (reading["retrieved"], reading["relevant"]) == ("citations[].spec", "expected_sources")


def test_the_title_of_the_top_paper_is_what_was_retrieved():
    content = rows(**{"Question": lambda n: ASKED[n], "Top Paper Retrieved (BERT)": lambda n: f"A study of {n} ...",
                      "BERT Score": lambda n: n / 20, "Answer": lambda n: TEXTS[n]})
    assert first(content)[0]["retrieved"] == "Top Paper Retrieved (BERT)"


def test_contexts_of_the_answer_are_contexts_next_to_those_of_the_right_one():
    reading, _ = first(rows(
        question=lambda n: ASKED[n], ground_truth=lambda n: f"Part {n}.", contexts_ground_truth=lambda n: [TEXTS[n]],
        answer=lambda n: f"It is part {n}.", contexts_answer=lambda n: [TEXTS[n], TEXTS[n - 1]]))
    assert (reading["contexts"], reading["evidence"]) == ("contexts_answer", "contexts_ground_truth")


def test_rankings_below_the_texts_of_queries_of_each_system_are_runs():
    content = {name: {"backbone": name, "use_regions": False, "queries": {
        f"A person in a {color} raincoat.": [f"coco_{place + len(name)}" for place in range(5)]
        for color in ("red", "green", "blue")}, "mean_overlap": 0.5} for name in ("plain CLIP", "SigLIP + regions")}
    reading, file = first(content)
    assert [(run.name, len(run), run.depth) for run in read_runs(file, mapping=reading)] == [
        ("plain CLIP", 3, 5), ("SigLIP + regions", 3, 5)]


def test_rankings_without_a_query_are_numbered():
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({
        "retrieved_contents": [[TEXTS[n], TEXTS[n - 1]] for n in COUNT],
        "retrieved_ids": [[f"d{n}", "d0"] for n in COUNT], "retrieve_scores": [[0.9, 0.5]] * 12,
        "retrieval_f1": [n / 20 for n in COUNT]}), out)
    reading, file = first(out.getvalue(), "0.parquet")
    run, = read_runs(file, mapping=reading)
    assert (reading["query_id"], len(run), run.depth) == ("row number", 12, 2)
    assert any(problem.message == "numbered-rows" for problem in run.problems)


def test_the_title_of_what_each_system_found_is_no_answer():
    reading, _ = first(rows(case_id=lambda n: f"case_{n}", input_prompt=lambda n: ASKED[n], observed_output=lambda n: {
        f"{name}_top_{what}": f"{value} {n}" if what == "title" else f"{value}{n}" for name in ("baseline", "learned")
        for what, value in (("doc_id", "d0"), ("title", "A guide to part"))}))
    assert reading["retrieved"] == "observed_output.{run}_top_doc_id"
    assert "answer" not in reading


def test_evidence_with_sources_that_a_predicate_names_as_well_was_not_returned():
    reading, _ = first([{"qa_id": f"qa{n}", "question": question, "answer": f"{n} cases", "source_ids": names,
                         "evidence": [{"source_id": name, "locator": f"row {n}"} for name in names],
                         "gold_predicate": {"source": names[0], "op": "count"}}
                        for n, question in enumerate(ASKED) for names in [[f"law-{n % 5}", f"law-{n % 3 + 5}"]]])
    assert (reading["role"], reading["relevant"]) == ("truth", "source_ids")


def test_a_score_of_citations_is_read_next_to_the_other_scores():
    reading, _ = first(rows(
        question=lambda n: ASKED[n], answer=lambda n: f"It is part {n} [1].", gold_answer=lambda n: f"Part {n}.",
        citation_score=lambda n: (1.0, 1.0, 0.5)[n % 3], partial_match=lambda n: n / 30, num_citations=lambda n: 1))
    assert reading["scores"].split("+") == ["citation_score", "partial_match"]
