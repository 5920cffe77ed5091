"""Twenty commits of a retriever with two planted regressions, as recorded runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from helpers import run_of, truth_of

from ragdash.core.records import Run, RunHeader
from ragdash.core.records.run_header import Revision

QUERIES = [f"q{number:02}" for number in range(60)]
TRUTH = truth_of({query: ["a"] for query in QUERIES})
START = datetime(2026, 3, 1, tzinfo=UTC)
PLANTED = {8: "worse", 15: "worse"}  # of twenty commits, these two make retrieval worse


def commits(number: int = 20, seed: int = 5, truth: str = "", planted: bool = True) -> list[Run]:
    """A dated run for each commit: the relevant document is first, on a few queries by chance second, and after a
    planted regression second on half of the queries."""
    chance = np.random.default_rng(seed).random((number, len(QUERIES))) < 0.03
    runs = []
    for commit in range(number):
        worse = [planted and commit >= (8, 15)[index % 2] for index in range(len(QUERIES))]
        documents = {query: ["x"] * worse[index] + ["y"] * bool(chance[commit, index]) + ["a"]
                     for index, query in enumerate(QUERIES)}
        time = START + timedelta(days=commit)
        header = RunHeader(f"{time:%Y%m%dT%H%M%S}Z-hybrid-{commit}", "hybrid", time.isoformat(), time.isoformat(),
                           settings={"retriever.k": 10 if commit < 8 else 5}, data={"truth": truth},
                           git=Revision(f"{commit:02}" * 20, "main" if commit % 2 else "dev"))
        runs.append(replace(run_of(documents, "hybrid", settings=header.settings), header=header))
    return runs
