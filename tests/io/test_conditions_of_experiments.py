"""Experiments with several conditions, judged documents of one query, and other records of what was tried."""

from __future__ import annotations

import json
from itertools import product

import pytest

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


def test_means_by_cutoff_are_no_rankings():
    means = {name: {"1": 0.9, "5": 0.8, "10": 0.7} for name in ("ndcg_at", "p_at", "r_at", "map_at")}
    assert first({"started": 1.5, "per_model": {"dense": {"aggregate": means}}}) == {}
