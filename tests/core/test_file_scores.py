"""Metric scores and labels that a file holds per query and run."""

from __future__ import annotations

import math
import warnings

import ragdash
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run

ROWS = [("q1", "dense", "mrr", 0.5), ("q2", "dense", "mrr", None), ("q1", "dense", "verdict", "Correct"),
        ("q1", "sparse", "mrr", True), ("q2", "sparse", "verdict", "Refusal")]


def run(name: str) -> Run:
    return Run.build(name, ["q1", "q2"], ["d1", "d2"])


def test_numbers_and_labels_are_separate_and_aligned_with_queries():
    scores = FileScores.build(ROWS)
    assert (scores.names, scores.label_names, scores.run_names) == (("mrr",), ("verdict",), ("dense", "sparse"))
    values = scores.aligned("dense", "mrr", ["q9", "q1", "q2"])
    assert math.isnan(values[0]) and values[1] == 0.5 and math.isnan(values[2])
    assert scores.aligned("sparse", "mrr", ["q1"]).tolist() == [1.0]
    assert scores.aligned_labels("sparse", "verdict", ["q1", "q2"]) == [None, "Refusal"]
    assert math.isnan(scores.aligned("unknown", "mrr", ["q1"])[0])


def test_a_run_takes_its_own_scores_and_keeps_them_under_another_name():
    scored = run("dense").with_file_scores(FileScores.build(ROWS))
    renamed = scored.renamed("other")
    assert len(scored.file_scores) == 3
    assert renamed.file_scores.aligned("other", "mrr", ["q1"]).tolist() == [0.5]
    assert renamed.digest == scored.digest
    assert run("third").with_file_scores(FileScores.build(ROWS)).file_scores is None


def test_the_digest_of_a_run_follows_its_scores_not_their_order():
    plain, scored = run("dense"), run("dense").with_file_scores(FileScores.build(ROWS))
    reversed_rows = run("dense").with_file_scores(FileScores.build(ROWS[::-1]))
    changed = run("dense").with_file_scores(FileScores.build([("q1", "dense", "mrr", 0.6), *ROWS[1:]]))
    relabeled = run("dense").with_file_scores(FileScores.build([*ROWS[:2], ("q1", "dense", "verdict", "Wrong")]))
    moved = run("dense").with_file_scores(FileScores.build([*ROWS[:2], ("q2", "dense", "verdict", "Correct")]))
    other_metric = run("dense").with_file_scores(FileScores.build([*ROWS[:2], ("q1", "dense", "grade", "Correct")]))
    assert scored.digest == reversed_rows.digest
    assert len({one.digest for one in (plain, scored, changed, relabeled, moved, other_metric)}) == 6
    assert plain.with_file_scores(None).digest == plain.digest


def test_values_whose_squares_may_overflow_are_missing_and_said():
    rows = ("".join(f'{{"query_id": "q{i}", "retrieved": ["d1"], "faithfulness": {value}}}\n' for i in range(12))
            for value in ("0.5", "1e300"))
    run, other = (ragdash.read_run((f"{name}.jsonl", text.encode())) for name, text in zip("ab", rows, strict=True))
    assert [problem.kind for problem in other.problems if problem.severity == "warning"] == ["impossible-amount"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = ragdash.compare(run, [other], "file:faithfulness", truth={f"q{i}": ["d1"] for i in range(12)})
        assert [row[0].n for row in table] == [0]
