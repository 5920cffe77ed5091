"""How many judgments does it take to the right winner? Judging what decides, at random, and by depth, in simulation.

    python benchmarks/judgments.py [--repetitions 20] [--metric P@10]

Two made-up systems rank documents whose relevance is known in full. All judgments but a few are hidden and given back
in batches, in three orders: those that settle the winner (`plan_judgments`, planned again after each batch), at random
within the pool of both lists, and by depth (pooling: rank 1 of all lists, then rank 2 ...). A batch is right if the run
that is better under all judgments is ahead, from there to the end.
"""

from __future__ import annotations

import argparse

import numpy as np

from ragdash import Run, Truth, parse_specs
from ragdash.analysis.test_set.unjudged import plan_judgments
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import Spec

QUERIES, DOCUMENTS, DEPTH, FIRST, BATCH = 50, 60, 10, 1, 25


def systems(seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """(relevance (Q, D), the first documents of each system (Q, DEPTH)); the second system is a little noisier."""
    rng = np.random.default_rng(seed)
    relevance = rng.random((QUERIES, DOCUMENTS)) < rng.beta(1, 4, QUERIES)[:, None]
    shared = relevance + rng.normal(size=relevance.shape) * 0.5
    lists = [np.argsort(-(shared + rng.normal(size=shared.shape) * noise), axis=1)[:, :DEPTH] for noise in (0.5, 0.57)]
    return relevance, lists


def run_of(name: str, top: np.ndarray) -> Run:
    """A run of these documents."""
    return Run.build(name, [f"q{q}" for q in range(QUERIES) for _ in range(DEPTH)], [f"d{d}" for d in top.ravel()])


def truth_of(relevance: np.ndarray, known: np.ndarray) -> Truth:
    """The judgments that are known: (Q, D) bool."""
    query, doc = np.nonzero(known)
    return Truth.build("qrels", [f"q{q}" for q in query], [f"d{d}" for d in doc], relevance[query, doc].astype(int))


def ahead(runs: list[Run], truth: Truth, spec: Spec) -> float:
    """By how much the first run is ahead."""
    first, second = (np.nanmean(evaluate_match(Match(run, truth), [spec]).column(spec)) for run in runs)
    return float(first - second)


def judgments_needed(seed: int, spec: Spec, order: str) -> tuple[int, int, float]:
    """(judgments until the right run stays ahead, until the plan stops, whether it was right then)."""
    relevance, lists = systems(seed)
    runs, rng = [run_of(name, top) for name, top in zip("ab", lists, strict=True)], np.random.default_rng(seed)
    pool, best = np.zeros_like(relevance), np.full(relevance.shape, DEPTH + 1)
    for top in lists:
        np.put_along_axis(pool, top, True, axis=1)
        for rank in range(DEPTH):
            column = top[:, rank]
            best[np.arange(QUERIES), column] = np.minimum(best[np.arange(QUERIES), column], rank)
    right = np.sign(ahead(runs, truth_of(relevance, pool), spec))
    known = pool & (rng.random(pool.shape) < FIRST / DEPTH)
    states, judged, stopped = [], [0], None
    while True:
        truth = truth_of(relevance, known)
        states.append(np.sign(ahead(runs, truth, spec)) == right)
        rest = np.argwhere(pool & ~known)
        if stopped is None:
            plan = plan_judgments([Match(run, truth) for run in runs], spec, limit=BATCH, worlds=10)
            if not plan.rivals:
                stopped = (judged[-1], float((plan.leader == "a") == (right > 0)))
        if not len(rest):
            break
        if order == "decides":
            plan = plan_judgments([Match(run, truth) for run in runs], spec, limit=BATCH, worlds=10)
            rows = [(int(q[1:]), int(d[1:])) for q, d in zip(plan.table["query_id"].to_pylist(),
                                                             plan.table["doc_id"].to_pylist(), strict=True)]
            chosen = np.array(rows) if rows else rest[:BATCH]
        elif order == "random":
            chosen = rng.permutation(rest)[:BATCH]
        else:
            chosen = rest[np.argsort(best[rest[:, 0], rest[:, 1]], kind="stable")][:BATCH]
        known[chosen[:, 0], chosen[:, 1]] = True
        judged.append(judged[-1] + len(chosen))
    wrong = [index for index, state in enumerate(states) if not state]
    needed = judged[wrong[-1] + 1] if wrong and wrong[-1] + 1 < len(judged) else 0
    return needed, *(stopped or (judged[-1], 1.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--metric", default="P@10")
    options = parser.parse_args()
    [spec] = parse_specs(options.metric)
    print(f"{spec.title}, {QUERIES} queries, {options.repetitions} pairs of systems")
    print("order     right from (mean, 90 % of cases)   stop at 95 % (mean)   right at the stop")
    for order in ("decides", "random", "depth"):
        rows = np.array([judgments_needed(seed, spec, order) for seed in range(options.repetitions)], float)
        print(f"{order:8}  {rows[:, 0].mean():8.0f}   {np.quantile(rows[:, 0], 0.9):8.0f}               "
              f"{rows[:, 1].mean():8.0f}              {rows[:, 2].mean():.2f}", flush=True)


if __name__ == "__main__":
    main()
