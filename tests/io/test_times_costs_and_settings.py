"""Times, costs and measures whose names say a part of what they are, and settings of which three make a configuration.
"""

from __future__ import annotations

import json

import pytest

from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(6)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
SAID = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]


def as_json(value) -> tuple[str, bytes]:
    return "file.json", json.dumps(value).encode()


def offered(value, name: str = "file.json") -> list[dict[str, str]]:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [dict(reading.mapping) for reading in propose(Source((name, content)))]


@pytest.mark.parametrize(("name", "stage"), [("generation", "generation"), ("retrieval", "retrieval"),
                                             ("dense", "total")])
def test_a_time_in_the_object_of_a_stage_is_that_of_the_stage(name, stage):
    """A system called dense is no stage."""
    records = [{"question": ASKED[n], "generated": SAID[n], name: {"latency_ms": 300 + n}} for n in COUNT]
    mapping, *_ = offered(records)
    run, = read_runs(as_json(records), mapping=mapping)
    assert mapping["latency_ms"] == f"{name}.latency_ms"
    assert run.details["latency_ms"].to_pylist()[0] == {
        "retrieval": None, "rerank": None, "generation": None, "total": None, stage: 300}


def test_a_cost_next_to_tokens_is_offered_in_dollars():
    records = [{"question": ASKED[n], "generated_answer": SAID[n], "cost": n / 1000, "judge_cost": 0.5} for n in COUNT]
    assert all("cost_usd" not in mapping for mapping in offered(records))
    mapping, *_ = offered([{**record, "prompt_tokens": 90, "completion_tokens": 9} for record in records])
    assert mapping["cost_usd"] == "cost"


def test_a_cosine_below_zero_is_a_score_of_the_answer():
    mapping, *_ = offered([{"question": ASKED[n], "answer_llm": SAID[n], "answer_orig": f"Part {n}",
                            "cosine": (n - 1) / 7} for n in COUNT])
    assert mapping["scores"] == "cosine"


def test_numbers_with_na_are_no_answers():
    """As R writes them."""
    rows = [f"{system},{n},{n % 3},{'NA' if system == 'a' else n / 8},{n / 7:.2f}" for system in "ab" for n in COUNT]
    content = "\n".join(["model,id,correctness,faithfulness_response_recall,lix_response", *rows, ""]).encode()
    for mapping in offered(content, "file.csv"):
        assert "answer" not in mapping
        assert "faithfulness_response_recall" in mapping["scores"].split("+")


def test_three_settings_that_cross_are_the_configuration():
    """The last combination has no row for the last question: the run was stopped."""
    rows = [{"datetime": f"2025-10-{len(effort)} 09:0{n}", "max_tokens": size, "reasoning_effort": effort, "top_k": k,
             "question": ASKED[n], "generated_answer": f"{SAID[n]} {size} {effort} {k}", "gold_answer": f"Part {n}"}
            for size in (500, 900) for effort in ("minimal", "low", "high") for k in (3, 5) for n in range(3)][:-1]
    mapping, *others = offered(rows)
    assert {*mapping["config"].split("+")} == {"max_tokens", "reasoning_effort", "top_k"}
    assert all(other["answer"] != "datetime" for other in others)
    runs = read_runs(as_json(rows), mapping=mapping)
    assert (len(runs), [len(run.query_ids) for run in runs][-2:]) == (12, [3, 2])


def test_a_ranking_that_an_answer_of_a_few_records_hid_is_offered():
    """Questions without a right page have an answer in the place of a ranking."""
    rows = [{"qid": f"q{n}", "question": f"Where is part {n}?", "gold_pages": [40 + n],
             "retrieved_pages_top20": [44, 41 + n, 40 + n], "hit_rank": 3, "recall_at_5": True} for n in range(10)]
    rows += [{"qid": f"n{n}", "question": f"Who won {n}?", "gold_pages": [], "generated_answer": "Unknown",
              "abstained": True} for n in range(2)]
    run, = read_runs(as_json({"meta": {"mode": "dev"}, "per_question": rows}))
    mapping, = next(problem.facts["mappings"] for problem in run.problems if problem.kind == "proposed-reading")
    assert (mapping["retrieved"], mapping["relevant"], mapping["answer"]) == (
        "retrieved_pages_top20", "gold_pages", "generated_answer")


def test_an_answer_with_the_right_texts_is_not_the_right_answer():
    rows = [{"qid": f"q{n}", "question": ASKED[n], **{name: {"doc_ids": [f"d{n}"], "answer": f"{SAID[n]} {name}"}
                                                      for name in ("gold_context", "retrieved_context")}}
            for n in COUNT]
    assert all("answers" not in mapping for mapping in offered(rows))


def test_the_time_from_end_to_end_is_the_whole_one():
    rows = [{"query_id": f"q{n}", "answer": SAID[n], "retrieval_latency_ms": 3, "end_to_end_latency_ms": 90 + n}
            for n in COUNT]
    run, = read_runs(as_json(rows))
    assert run.details["latency_ms"].to_pylist()[0]["total"] == 90


@pytest.mark.parametrize(("name", "total"), [("time(s)", 2500), ("Latency (ms)", 2.5), ("Response Time [s]", 2500)])
def test_a_unit_in_brackets_is_the_unit_of_a_latency(name, total):
    """Not the value of a metric, of which more might be better; the time of a judge is none of the system's."""
    records = [{"question": ASKED[n], "answer": SAID[n], "confidence": 0.5 + n / 20, name: 2.5 + n,
                "judge time (s)": 9.5 + n} for n in COUNT]
    run, = read_runs(as_json(records))
    assert run.details["latency_ms"].to_pylist()[0]["total"] == total
    assert name not in run.file_scores.names
