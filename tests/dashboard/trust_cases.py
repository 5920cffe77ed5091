"""Runs with answers and a ledger of verdicts for tests of judge validation: what judge and person say is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from ragdash.analysis.judge_validation import LabelStore
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match
from ragdash.models.judge import Reply, default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import first_round

TOY, REAL = Judge("toy", "toy-judge"), Judge("judges.example.org", "gpt-5")
QUERIES = 100
IDS = [f"q{at:03}" for at in range(QUERIES)]


def the_truth() -> Truth:
    details = pa.table({"query_id": IDS, "query": [f"What is thing {at}?" for at in range(QUERIES)],
                        "answers": [[f"Thing {at} is blue."] for at in range(QUERIES)],
                        "attributes": [f'{{"kind": "{"odd" if at % 2 else "even"}"}}' for at in range(QUERIES)]})
    return Truth.build("truth", IDS, [f"d{at}" for at in range(QUERIES)], [1] * QUERIES, details=details)


def a_run(name: str, settings: dict | None = None) -> Run:
    details = pa.table({"query_id": IDS, "answer": [f"By {name} thing {at} is blue." for at in range(QUERIES)],
                        "contexts": [[f"Thing {at} is blue, says {name}.", "Other things are red."]
                                     for at in range(QUERIES)]})
    return Run.build(name, IDS, [f"d{at}" for at in range(QUERIES)], [1.0] * QUERIES, details=details,
                     settings=settings or {})


def judged(run: Run, truth: Truth, scores: Mapping[str, float], judge: Judge = TOY, vote: int = 0,
           failed: Sequence[str] = ()) -> None:
    """Keep a Faithfulness verdict for each query; `failed` were asked in vain."""
    match = Match(run, truth)
    ids = [query for query in match.query_ids.to_pylist() if query in scores or query in failed]
    rows = [match.query_ids.to_pylist().index(query) for query in ids]
    questions = dict(zip(ids, first_round(match.judged.askings("Faithfulness", rows, vote), vote), strict=True))
    default_verdict_store().save(judge, [
        *((questions[query], Reply({"reason": f"Because of {query}.", "score": score}, attempts=1))
          for query, score in scores.items()),
        *((questions[query], Reply(None, "not-json", attempts=1)) for query in failed)])


def scores(seed: int, share: float = 0.7) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return dict(zip(IDS, (rng.random(QUERIES) < share).astype(float).tolist(), strict=True))


def labeled(run: Run, said: Mapping[str, float], n: int, wrong: int = 0) -> dict[str, float]:
    """Keep labels of n queries drawn at random, `wrong` of them unlike the verdicts."""
    order = [IDS[at] for at in np.random.default_rng(5).permutation(QUERIES)[:n]]
    labels = {query: 1 - said[query] if at < wrong else said[query] for at, query in enumerate(order)}
    LabelStore().add(run.digest, "Faithfulness", labels)
    return labels
