"""Twenty commits of a retriever with two planted regressions, as recorded runs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from helpers import run_of, truth_of

from ragdash.core.records import Run, RunHeader
from ragdash.core.records.run_header import Revision

QUERIES = [f"q{number:02}" for number in range(60)]
TRUTH = truth_of({query: ["a"] for query in QUERIES})
START = datetime(2026, 3, 1, tzinfo=UTC)
PLANTED = {8: "worse", 15: "worse"}  # of twenty commits, these two make retrieval worse


def commits(number: int = 20, seed: int = 5, truth: str = "", planted: bool = True,
            depth: int = 3) -> list[Run]:
    """A dated run for each commit: the relevant document is first, on a few queries by chance second, and after a
    planted regression second on half of the queries. depth: documents per query up to the first regression."""
    chance = np.random.default_rng(seed).random((number, len(QUERIES))) < 0.03
    runs = []
    for commit in range(number):
        worse = [planted and commit >= (8, 15)[index % 2] for index in range(len(QUERIES))]
        documents = {query: ["x"] * worse[index] + ["y"] * bool(chance[commit, index]) + ["a"]
                     + ["z1", "z2"][:(depth if commit < 8 else 3) - 1 - worse[index] - bool(chance[commit, index])]
                     for index, query in enumerate(QUERIES)}
        time = START + timedelta(days=commit)
        header = RunHeader(f"{time:%Y%m%dT%H%M%S}Z-hybrid-{commit}", "hybrid", time.isoformat(), time.isoformat(),
                           settings={"retriever.k": 10 if commit < 8 else 5}, data={"truth": truth},
                           git=Revision(f"{commit:02}" * 20, "main" if commit % 2 else "dev"))
        runs.append(replace(run_of(documents, "hybrid", settings=header.settings), header=header))
    return runs


def repeated_nights() -> list[Run]:
    """Each commit asked twice within the hour under one group; the second time other queries fail by chance."""
    def repeat(run: Run, number: int) -> Run:
        time = datetime.fromisoformat(run.header.created) + timedelta(minutes=20 * number)
        return replace(run, header=replace(run.header, run_id=f"{run.header.run_id}-{number}", group="nightly",
                                           created=time.isoformat(), ended=time.isoformat(), repeat=number))

    return [repeat(run, number) for number, seed in ((1, 5), (2, 6)) for run in commits(seed=seed)]


def write_log_folder(root: Path, depth: int = 3) -> Path:
    """Twenty recorded runs in a log folder, as ragdash.record writes them, one unfinished, and the judgments."""
    for run in commits(depth=depth):
        folder = root / "logs" / run.header.run_id
        folder.mkdir(parents=True)
        (folder / "header.json").write_bytes(run.header.to_json())
        (folder / "results.jsonl").write_text("".join(json.dumps({"query_id": query, "retrieved": run.ranking(
            query)["doc_id"].to_pylist()}) + "\n" for query in QUERIES))
    cut = root / "logs" / "20260401T000000Z-hybrid-x"
    cut.mkdir()
    (cut / "header.json").write_bytes(RunHeader(cut.name, "hybrid", START.isoformat()).to_json())
    (cut / "results.part.jsonl").write_text("")
    (root / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    return root
