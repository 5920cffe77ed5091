"""Columns of systems next to lists of some of them, and values at cutoffs, whose names look like those of systems."""

from __future__ import annotations

import json

from ragdash.io import read_runs
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(8)
ASKED = [f"Which ferry goes to island {number}?" for number in COUNT]
FILES = [f"island-{number}.md" for number in COUNT]


def test_columns_of_each_system_come_before_a_list_of_objects_of_one():
    rows = [{"question_id": f"q{n}", "question": ASKED[n], "expected_sources": [FILES[n]],
             "dense_sources": [FILES[n], FILES[n - 1]], "sparse_sources": [FILES[n - 2], FILES[n]],
             "hybrid_sources": [FILES[n], FILES[n - 2]],
             "hybrid_results": [{"source": FILES[n], "rrf_score": 0.03}, {"source": FILES[n - 2], "rrf_score": 0.02}]}
            for n in COUNT]
    file = ("comparison.json", json.dumps({"cases": rows}).encode())
    mapping = propose(Source(file))[0].mapping
    assert (mapping["retrieved"], mapping["relevant"]) == ("{run}_sources", "expected_sources")
    assert {run.name: len(run.docs) for run in read_runs(file, mapping=mapping)} == {
        "dense": 16, "sparse": 16, "hybrid": 16}


def test_cutoffs_of_a_metric_are_no_systems():
    rows = {system: [{"query_id": n, "query": ASKED[n], "generated_answer": f"The {system} ferry {n} goes daily.",
                      "evaluation": {"precision": {f"p@{k}": {"precision_at_k": n % k / k, "total_retrieved": k}
                                                   for k in (1, 3, 5)}}} for n in COUNT]
            for system in ("plain", "dense")}
    file = ("pilot.json", json.dumps({"detailed_results": rows}).encode())
    mapping = propose(Source(file))[0].mapping
    assert mapping["scores"] == "+".join(f"evaluation.precision.p@{k}.precision_at_k" for k in (1, 3, 5))
    assert [run.name for run in read_runs(file, mapping=mapping)] == ["plain", "dense"]
