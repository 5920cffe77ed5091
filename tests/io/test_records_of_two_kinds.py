"""Records of two kinds in one file: scores, times or answers of some queries, and what is right for others."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which herb is added to soup number {number}?" for number in COUNT]
SAID = [f"Soup {number} is finished with herb number {number * 7 % 5} in the end." for number in COUNT]


def lines(rows: list[dict]) -> tuple[str, bytes]:
    return "file.jsonl", "\n".join(map(json.dumps, rows)).encode()


def right(number: int) -> dict:
    return {"id": f"s{number}", "question": ASKED[number % 8], "gold_answer": f"Herb {number}."}


def scored(number: int) -> dict:
    return {"id": f"s{number}", "elapsed_sec": 1.5 + number, "scores": {"faithfulness": number / 10}}


def asked(file: tuple[str, bytes]) -> dict[str, str]:
    """The first reading that is offered where the file is read as the truth alone."""
    with pytest.raises(InputError) as failed:
        read_truth(file)
    return next(problem.facts["mappings"][0] for problem in failed.value.problems
                if problem.kind == "proposed-reading")


@pytest.mark.parametrize(("rows", "expected"), [
    ([scored(n) if n < 6 else {**right(n), "error": "timeout"} for n in COUNT],
     {"scores": "scores.faithfulness", "latency_ms": "elapsed_sec", "answers": "gold_answer"}),
    ([{**right(n), "error": "timeout"} if n < 2 else scored(n) for n in COUNT],
     {"scores": "scores.faithfulness", "latency_ms": "elapsed_sec", "answers": "gold_answer"}),
    ([{**right(n), **({"latency_ms": 100 + n} if n % 2 else {})} for n in COUNT], {"latency_ms": "latency_ms"}),
    ([{**right(0), "error": "timeout"}, *({"id": f"s{n}", "question": ASKED[n], "elapsed_sec": 2.5 + n, "evaluation": {
        "faithfulness": n / 10, "relevancy": 0.1}} for n in COUNT[1:])],
     {"scores": "evaluation.faithfulness+evaluation.relevancy", "answers": "gold_answer"}),
], ids=["scores next to failures", "failures first", "times of some", "one failure"])
def test_scores_and_times_next_to_right_answers_are_asked_about(rows, expected):
    mapping = asked(lines(rows))
    assert mapping["role"] == "both"
    assert expected.items() <= mapping.items()
    runs = read_runs(lines(rows), mapping=mapping)
    assert len(runs) == 1
    assert len(runs[0]) == len(COUNT)


@pytest.mark.parametrize("late", [
    {"scores": {"faithfulness": 0.5}}, {"answer": "Herb seven."}, {"latency_ms": 3.5}, {"retrieved_ids": ["d1", "d2"]},
], ids=["scores", "answers", "times", "documents"])
def test_what_a_system_gave_far_down_in_a_file_is_asked_about(late):
    rows = [{**right(n), "gold_answer": f"Herb {n}. " * 30, **(late if n > 300 else {})} for n in range(400)]
    file = lines([{**row, "question": f"{row['question']} {n}"} for n, row in enumerate(rows)])
    assert detect(file).role == "truth"
    assert asked(file)["role"] == "both"


def test_tokens_of_a_truth_are_named_where_they_are_not_read():
    truth = read_truth(lines([{**right(n), "prompt_tokens": 100 + n} for n in COUNT]))
    assert ["prompt_tokens" in str(problem) for problem in truth.problems] == [True]


@pytest.mark.parametrize(("content", "field"), [
    ({"answer": SAID[0]}, "answer"), ({"retrieved_ids": ["d1", "d2"]}, "retrieved"),
])
def test_queries_that_failed_have_no_answer_in_the_offered_reading(content, field):
    rows = [{**right(n), **(content if n < 6 else {"error": "timeout"})} for n in COUNT]
    with pytest.raises(InputError) as failed:
        read_runs(lines(rows))
    mapping = failed.value.problems[0].facts["mappings"][0]
    assert field in mapping
    assert len(read_runs(lines(rows), mapping=mapping)[0]) == len(COUNT)


def test_what_a_system_should_do_is_no_right_answer():
    rows = [{"id": f"s{n}", "expected": ("answer", "refuse", "dual_answer")[n % 3], "latency_s": 19.4 + n,
             "label": ("correct", "wrong")[n % 2]} for n in COUNT]
    mapping = propose(Source(("file.json", json.dumps({"new": {"rows": rows}}).encode())))[0].mapping
    assert mapping["role"] == "run"
    assert mapping["labels"] == "label"
    assert mapping["latency_ms"] == "latency_s"
    assert "answers" not in mapping


def test_zeros_and_ones_of_what_was_found_are_scores_next_to_times():
    table = "index_name,question_id,k,retrieval_latency_ms,evidence_found\n" + "".join(
        f"fixed,Q{n:03},{k},{12.5 + n},{int(n > 2)}\n" for n in COUNT for k in (1, 3))
    mapping = propose(Source(("file.csv", table.encode())))[0].mapping
    assert mapping["scores"] == "evidence_found"
    assert mapping["latency_ms"] == "retrieval_latency_ms"


def test_what_an_agent_answered_next_to_right_answers_is_of_a_run():
    rows = [{"question": ASKED[n], "agent_response": SAID[n], "ground_truth": f"Herb {n}."} for n in COUNT]
    assert detect(lines(rows)).role == "both"
    assert read_runs(lines(rows))[0].details["answer"].to_pylist() == SAID


@pytest.mark.parametrize("content", [{"retrieved": ["d1", "d2"]}, {"relevant": ["d1"]}], ids=["run", "truth"])
def test_fractions_of_an_unknown_name_next_to_our_own_fields_are_named(content):
    rows = [{"query_id": f"s{n}", **content, "points": 2.5 + n, "level": n % 3, "part": "tea"} for n in COUNT]
    records = read_truth(lines(rows)) if "relevant" in content else read_runs(lines(rows))[0]
    assert [problem.facts["columns"] for problem in records.problems if problem.kind == "unknown-columns"] == [
        ["points"]]


@pytest.mark.parametrize(("name", "factor"), [("took_ms", 1), ("executionTimeMs", 1), ("runtime_s", 1000),
                                              ("query_time_seconds", 1000), ("end_to_end_ms", 1)])
def test_times_under_other_names_are_latencies_and_no_scores(name, factor):
    rows = [{"question": ASKED[n], "model_answer": SAID[n], "ground_truth": f"It is herb {n}.", name: 2.5 + n}
            for n in COUNT]
    run = read_runs(lines(rows))[0]
    assert [times["total"] for times in run.details["latency_ms"].to_pylist()] == [factor * (2.5 + n) for n in COUNT]
    assert run.file_scores is None
