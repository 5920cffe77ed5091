"""Scores that could not be given: "Error" among numbers is missing, and said; documents that nothing names."""

from __future__ import annotations

import json
import math

from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]


def test_an_error_among_scores_is_a_missing_value_with_a_warning():
    scores = [str(number / 8) if number % 4 else "Error" for number in COUNT]
    rows = "".join(f"{question},It is rule {number}.,{score}\n" for number, question, score in zip(
        COUNT, ASKED, scores, strict=True))
    run, = read_runs(("results.csv", f"question,answer,Score\n{rows}".encode()))
    values = run.file_scores.aligned(run.name, "Score", ASKED)
    assert [math.isnan(value) for value in values] == [score == "Error" for score in scores]
    problem = next(problem for problem in run.problems if problem.kind == "failed-scores")
    assert (problem.facts["count"], problem.facts["example"], problem.severity) == (2, "Error", "warning")


def test_an_error_among_verdicts_is_a_verdict():
    rows = "".join(f"{question},It is rule {number}.,{'error' if number % 4 else 'correct'}\n"
                   for number, question in zip(COUNT, ASKED, strict=True))
    run, = read_runs(("results.csv", f"question,answer,verdict\n{rows}".encode()))
    assert not any(problem.kind == "failed-scores" for problem in run.problems)


def test_a_proposed_reading_scores_the_other_queries():
    records = [{"prompt": question, "bot_reply": f"It is rule {number}.", "judge_score": number or "timeout"}
               for number, question in zip(COUNT, ASKED, strict=True)]
    file = "results.json", json.dumps({"meta": {"n": 8}, "cases": records}).encode()
    mapping = propose(Source(file))[0].mapping
    assert mapping["scores"] == "judge_score"
    run, = read_runs(file, mapping=mapping)
    assert math.isnan(run.file_scores.aligned(run.name, "judge_score", ASKED[:1])[0])
    assert [(problem.message, problem.facts["count"]) for problem in run.problems] == [("failed-scores/reading", 1)]


def test_multiple_and_unknown_name_no_document():
    names = ["setup.md", "usage.md", "multiple", "N/A", "unknown", "limits.md", "setup.md", "various"]
    records = [{"question": question, "ground_truth": f"It is rule {number}.", "source_doc": name}
               for number, question, name in zip(COUNT, ASKED, names, strict=True)]
    file = "set.json", json.dumps(records).encode()
    truth = read_truth(file, mapping=propose(Source(file))[0].mapping)
    assert sorted(truth.docs.to_pylist()) == ["limits.md", "setup.md", "setup.md", "usage.md"]
