"""Fields that may mean two things: ids that an answer cites, beginnings of answers, files of hits, pages, reasons."""

from __future__ import annotations

import json
from functools import partial

import pytest
from reading_checks import numbered_rows

from ragdash.core.errors import InputError
from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]
rows = partial(numbered_rows, len(COUNT))


def first_reading(content, name: str = "file.json") -> dict[str, str]:
    data = content if type(content) is bytes else json.dumps(content).encode()
    return dict(propose(Source((name, data)))[0].mapping)


def test_ids_that_a_system_cites_of_those_that_it_retrieved_are_not_the_right_ones():
    ids = [[f"c-{number + place}" for place in range(4)] for number in COUNT]
    content = rows(case_id=lambda n: f"case{n}", retrieved_chunk_ids=lambda n: ids[n],
                   cited_chunk_ids=lambda n: ids[n][:2], justification=lambda n: TEXTS[n])
    reading = first_reading(content)
    assert (reading["role"], reading["retrieved"]) == ("run", "retrieved_chunk_ids")
    assert "relevant" not in reading


def test_cited_ids_that_were_not_retrieved_may_be_the_right_ones():
    content = rows(query_id=lambda n: f"q{n}", query=lambda n: ASKED[n],
                   retrieved_chunk_ids=lambda n: [f"c-{n + place}" for place in range(4)],
                   cited_chunk_ids=lambda n: [f"c-{n + 2}", f"c-{n + 7}"])
    assert first_reading(content)["relevant"] == "cited_chunk_ids"


@pytest.mark.parametrize("name", ["generated_text_preview", "generated_text_truncated"])
def test_the_beginning_of_a_generated_text_is_an_answer(name):
    reading = first_reading({"results": rows(id=lambda n: f"q{n}", query=lambda n: ASKED[n], **{
        name: lambda n: TEXTS[n][:40]}, metrics=lambda n: {"recall": n / 5, "latency_ms": 900.5 + n})})
    assert reading["answer"] == name
    assert "contexts" not in reading


def test_parts_of_a_graph_are_no_systems():
    reading = first_reading(rows(
        question_id=lambda n: f"q{n}", question=lambda n: ASKED[n], ground_truth=lambda n: f"Part {n}",
        answer=lambda n: TEXTS[-n], retrieved_relationships=lambda n: [TEXTS[n], f"{TEXTS[n]} 2"],
        retrieved_subgraph=lambda n: [f"{TEXTS[n]} 3"], total_latency_s=lambda n: 2.5 + n))
    assert "{run}" not in "".join(reading.values())
    assert (reading["answer"], reading["latency_ms"]) == ("answer", "total_latency_s")


def test_evidence_in_the_reason_of_a_score_is_what_a_judge_says():
    reading = first_reading(rows(
        question=lambda n: ASKED[n], groundedness=lambda n: n / 5,
        groundedness_reason=lambda n: [{"criteria": f"Part {n}", "supporting_evidence": TEXTS[n], "score": n / 5}]))
    assert (reading["role"], reading["scores"]) == ("run", "groundedness")
    assert "evidence" not in reading


def test_values_by_query_next_to_the_means_of_each_system_are_offered():
    systems = {name: {"recall@5": 0.4, "mrr": 0.5, "num_queries": 6, "per_query": rows(
        query_id=lambda n: f"q{n}", **{"recall@5": lambda n: n / 5, "mrr": lambda n: 1 / (n + 1)})}
        for name in ("ours", "theirs")}
    with pytest.raises(InputError) as failed:
        read_runs(("file.json", json.dumps(systems).encode()))
    mapping = failed.value.problems[0].facts["mappings"][0]
    runs = read_runs(("file.json", json.dumps(systems).encode()), mapping=mapping)
    assert [(run.name, len(run)) for run in runs] == [("ours", 6), ("theirs", 6)]
    assert list(runs[0].file_scores.names) == ["recall@5", "mrr"]


def test_titles_of_hits_that_are_names_of_files_are_the_ranking_before_the_sources_of_the_answer():
    hits = [[{"title": f"part{(number + place) % 7}.pdf", "score": 2.5 - place / 10} for place in range(4)]
            for number in COUNT]
    reading = first_reading({"cases": rows(
        query=lambda n: ASKED[n], answer=lambda n: TEXTS[n], sources=lambda n: [f"part{n}.pdf"] if n % 2 else [],
        retrieved=lambda n: hits[n])})
    assert (reading["retrieved"], reading["score"]) == ("retrieved[].title", "retrieved[].score")


def test_pages_that_were_retrieved_are_a_ranking_where_pages_are_expected():
    """Pages 1 and 2 are no places in a list where the right ones are pages too."""
    text = "id,question,expected_pages,retrieved_pages,actual_answer\n" + "".join(
        f"{number},{ASKED[number]},{1 + number % 2},{'1|2' if number % 3 else '1'},{TEXTS[number]}\n"
        for number in COUNT).replace("part on moves, which", "part on moves which")
    reading = first_reading(text.encode(), "file.csv")
    assert (reading["relevant"], reading["retrieved"]) == ("expected_pages", "retrieved_pages")


def test_what_a_check_looks_for_leaves_a_question_a_question():
    expected = [{"kind": "book", "course": f"Course {number}"} for number in COUNT]
    lines = [{"q": ASKED[number], "lang": "en", "expect": expected[number] if number else expected[:2]}
             for number in COUNT]
    reading = first_reading("\n".join(map(json.dumps, lines)).encode(), "file.jsonl")
    assert reading == {"role": "questions", "query": "q", "attributes": "lang"}
