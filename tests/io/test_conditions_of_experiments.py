"""Experiments with several conditions, judged documents of one query, and other records of what was tried."""

from __future__ import annotations

import json
from itertools import product

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ASKED = [f"Which bridge crosses the river at mile {number}?" for number in range(6)]
TEXT = "The bridge at this mile was built of stone and carries a road across the river, says source "


def first(content) -> dict[str, str]:
    """The first reading of a file; {} if none is offered."""
    readings = propose(Source(("file.json", json.dumps(content).encode())))
    return dict(readings[0].mapping) if readings else {}


def trials(*names: str, **choices) -> list[dict]:
    """A record of each question for each choice of each field, with an answer and a text of its own."""
    return [{"question": asked, **dict(zip(choices, chosen, strict=True)), **{
        name: f"{TEXT}{place} of {'-'.join(map(str, chosen))}" for name in names}, "faithfulness": place / 10}
        for place, asked in enumerate(ASKED) for chosen in product(*choices.values())]


JUDGED = {"question_id": "q1", "question": ASKED[0], "reference_answer": "The bridge of stone.",
          "retrieved_chunk_judgments": [{"chunk_uid": f"c{place}", "label": ["direct", "no"][place % 2],
                                         "supports_answer": place % 2 == 0} for place in range(8)]}
UNGRADED = {**JUDGED, "retrieved_chunk_judgments": [{"chunk_uid": f"c{place}", "reason": TEXT} for place in range(8)]}
READ = {  # records, what the first reading has, what it must not have
    "two fields that cross": (
        trials("answer", condition=["full", "none"], wording=["strict", "free"]),
        {"config": "condition+wording", "answer": "answer", "scores": "faithfulness"}, set()),
    "a field that crosses with a number, one text for each answer": (
        trials("answer", "context", sort=["random", "alike"], n_noise=[1, 2, 3]),
        {"config": "sort+n_noise", "contexts": "context", "scores": "faithfulness"}, {"score", "text", "doc_id"}),
    "the id of a reply": (
        [{"question": asked, "answer": TEXT + asked, "full_api_response": {"id": f"msg_{place}f{place}x"}}
         for place, asked in enumerate(ASKED)], {"query": "question"}, {"relevant"}),
    "how long a judge took": (
        [{"question": asked, "answer": TEXT + asked, "verdict": {"supported": True, "latency_ms": 12.5 + place}}
         for place, asked in enumerate(ASKED)], {"scores": "verdict.supported"}, {"latency_ms"}),
    "the judged documents of one query": (
        JUDGED, {"query": "question", "relevant": "retrieved_chunk_judgments[].chunk_uid",
                 "grade": "retrieved_chunk_judgments[].supports_answer"}, {"records"}),
    "documents that a judge describes": (UNGRADED, {"answers": "reference_answer"}, {"relevant"}),
    "a text that questions are about, with a wrong answer": (
        [{"original_context": TEXT + asked, "question": asked, "sabotaged_answer": f"Bridge {place}."}
         for place, asked in enumerate(ASKED)],
        {"role": "truth", "evidence": "original_context"}, {"answer", "contexts"}),
    "kinds of texts next to a right answer": (
        {f"10{place}": {"QUESTION": asked, "CONTEXTS": [
            TEXT + kind for kind in ("bank", "pier", "arch")[:2 + place % 2]],
            "LABELS": ["BACKGROUND", "RESULTS", "METHODS"][:2 + place % 2], "LONG_ANSWER": TEXT + asked,
                        "final_decision": ["yes", "no"][place % 2]} for place, asked in enumerate(ASKED)},
        {"role": "truth", "evidence": "CONTEXTS", "answers": "LONG_ANSWER"}, {"relevant", "labels"}),
    "a right and a wrong answer of each question": (
        [{"question": asked, "context": TEXT + asked, "answer": f"{kind} at {place}", "answer_type": f"{kind}_answer",
          "ground_truth": int(kind == "wrong"), "predicted": place % 2, "correct": place % 2 == 1, "score": place / 10}
         for place, asked in enumerate(ASKED) for kind in ("right", "wrong")],
        {"config": "answer_type", "scores": "correct+score"}, {"answers", "labels"}),
    "sentences with faults": (
        [{"question": asked, "context": TEXT + asked, "answer": TEXT + asked, "score": place / 10,
          "problematic_sentences": [TEXT + asked][:place % 2]} for place, asked in enumerate(ASKED)],
        {"contexts": "context", "scores": "score"}, set()),
    "marks on one scale for each system": (
        [{"question": asked, **{f"{name}_answer": f"{TEXT} {name}" for name in ("vector", "graph")}, **{
            f"{name}_rag_{mark}": (place + len(mark)) % 3 for name in ("vector", "graph") for mark in (
                "relevance", "constraint_handling", "reasoning_transparency")}} for place, asked in enumerate(ASKED)],
        {"answer": "{run}_answer",
         "scores": "{run}_rag_relevance+{run}_rag_constraint_handling+{run}_rag_reasoning_transparency"}, set()),
    "articles of laws that are expected": (
        [{"id": f"q{place}", "question": asked, "reference_answer": TEXT + asked,
          "expected_provisions": [f"Act 36/2024, article {place}, part 1"]} for place, asked in enumerate(ASKED)],
        {"relevant": "expected_provisions", "answers": "reference_answer"}, set()),
    "what a judge says next to its scores": (
        [{"id": f"q{place}", "faithfulness": place / 10, "answer_correctness": 1 - place / 10, "notes": TEXT + asked}
         for place, asked in enumerate(ASKED)], {"query_id": "id", "scores": "faithfulness+answer_correctness"},
        {"answer", "contexts"}),
    "the score that others make up": (
        [{"question": asked, "results": [
            {"chunk_id": f"c{place}{rank}", "graph_score": 0.0, "dense_score": 0.9 - rank / 10,
             "combined_score": 0.8 - rank / 10} for rank in range(4)]}
         for place, asked in enumerate(ASKED)], {"score": "results[].combined_score"}, set()),
    "whether a file was found": (
        [{"id": f"q{place}", "returned_files": [f"src/{place}.py", "src/app.py"], "found_file": place % 2 == 0}
         for place in range(6)], {"retrieved": "returned_files", "scores": "found_file"}, set()),
    "names with an explanation in brackets": (
        [{"input (the question that is sent to /api/ask)": asked, "output (blank, filled by the runner)": "",
          "expected_answer (what a judge compares, e.g. with GPT-4o)": TEXT + asked} for asked in ASKED],
        {"role": "truth", "query": "input (the question that is sent to /api/ask)",
         "answers": "expected_answer (what a judge compares, e.g. with GPT-4o)"}, {"answer"}),
    "places of annotated answers": (
        [{"question_text": asked, "document_text": TEXT + asked, "gold_answer": {"long_answer": TEXT + asked},
          "annotations": [{"long_answer": {"candidate_index": 7 + place}}]} for place, asked in enumerate(ASKED)],
        {"role": "truth", "answers": "gold_answer.long_answer", "evidence": "document_text"}, {"retrieved"}),
    "messages that are questions with answers": (
        {"conversations": [{"id": f"talk-{talk}", "messages": [
            {"turn": place, "question": asked + f" In talk {talk}?", "answer": TEXT + asked}
            for place, asked in enumerate(ASKED)]} for talk in range(3)]},
        {"records": "conversations.*.messages", "query": "question", "answers": "answer"}, set()),
    "a label that is expected": (
        [{"question": asked, "answer": TEXT + asked, "expected": {"verdict": ["good", "bad"][place % 2]}}
         for place, asked in enumerate(ASKED)], {"query": "question"}, {"labels"}),
}


@pytest.mark.parametrize("name", READ)
def test_the_first_reading_of_an_experiment(name):
    content, expected, absent = READ[name]
    mapping = first(content)
    assert expected.items() <= mapping.items()
    assert absent.isdisjoint(mapping)


def test_scores_with_a_note_of_the_judge_are_offered():
    lines = "".join(json.dumps(row) + "\n" for row in READ["what a judge says next to its scores"][0])
    with pytest.raises(InputError, match="faithfulness") as failed:
        read_runs(("scores.jsonl", lines.encode()))
    assert failed.value.problems[0].kind == "proposed-reading"


def test_means_by_cutoff_are_no_rankings():
    means = {name: {"1": 0.9, "5": 0.8, "10": 0.7} for name in ("ndcg_at", "p_at", "r_at", "map_at")}
    assert first({"started": 1.5, "per_model": {"dense": {"aggregate": means}}}) == {}


def test_a_table_whose_cells_have_blanks_is_refused_as_a_table():
    lines = ["id,order number,kind,network,sort of cost,age 1,age 2"] + [
        f"probe_{number},{number},MAIL ORDER,IN THE NETWORK,COST IN $,{number % 3},2" for number in range(8)]
    with pytest.raises(InputError, match="order number") as failed:
        read_runs(("probes.csv", "\n".join(lines).encode()))
    assert "TREC" not in str(failed.value)
