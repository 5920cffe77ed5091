"""How many judgments does it take to the right winner? Judging what decides, at random, and by depth, in simulation.

    python benchmarks/judgments.py [--repetitions 20] [--metric P@10]
    python benchmarks/judgments.py estimate [--repetitions 200]   # judging on a budget, against full judgments
    python benchmarks/judgments.py calibration [--repetitions 60] # do the probabilities of a plan come true?
    python benchmarks/judgments.py changes [--repetitions 60]     # is another run ahead as often as a plan says?

Two made-up systems rank documents whose relevance is known in full. All judgments but a few are hidden and given back
in batches, in three orders: those that settle the winner (`plan_judgments`, planned again after each batch), at random
within the pool of both lists, and by depth (pooling: rank 1 of all lists, then rank 2 ...). A batch is right if the run
that is better under all judgments is ahead, from there to the end.

`estimate` draws samples of several sizes (`draw_judgments`) and compares their estimates with the values of full
judgments: error, coverage and width of the 95 % intervals, next to a simple random sample of the same documents, and to
depth pooling, whose unjudged documents count as not relevant.

`calibration` compares the chances of relevance of a plan, and the probability that its leader is better, with what full
judgments show: queries with exactly one relevant document, about one, and many; judged at random and by depth. Then the
same where each query came with one relevant document, and what was judged after that alone shows how likely the others
are relevant.

`changes` judges the first documents of each such plan, plans again, and counts how often another run leads.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from ragdash import Run, Truth, parse_specs
from ragdash.analysis.test_set.budget import JudgmentSample, estimate_means
from ragdash.analysis.test_set.budget.design import SUMS, JudgmentPool, draw_from_pool, judgment_pool
from ragdash.analysis.test_set.budget.estimate import JudgedRow
from ragdash.analysis.test_set.unjudged.settle import plan_judgments
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import Spec

QUERIES, DOCUMENTS, DEPTH, FIRST, BATCH = 50, 60, 10, 1, 25
HOW = ("10 % at random", "40 % at random", "depth 2", "depth 1, 20 % at random")  # what is judged beforehand
ADDED = ("5 % at random", "20 % at random")  # what is judged after one relevant document of each query was known


def systems(seed: int, kind: str = "many") -> tuple[np.ndarray, list[np.ndarray]]:
    """(relevance (Q, D), the first documents of each system (Q, DEPTH)); the second system is a little noisier.

    kind: a query has "one" relevant document, "about one" (1.4 on average) or "many" (a fifth of all on average).
    """
    rng = np.random.default_rng(seed)
    if kind == "many":
        relevance = rng.random((QUERIES, DOCUMENTS)) < rng.beta(1, 4, QUERIES)[:, None]
    else:
        count = np.ones(QUERIES) if kind == "one" else 1 + rng.poisson(0.4, QUERIES)
        relevance = np.argsort(rng.random((QUERIES, DOCUMENTS)), axis=1) < count[:, None]
    shared = relevance * (1.0 if kind == "many" else 2.0) + rng.normal(size=relevance.shape) * 0.5
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


def pool_and_truth(seed: int, spec: Spec) -> tuple[JudgmentPool, np.ndarray, np.ndarray]:
    """(the pool of two runs with a tenth of it judged, relevance of its documents, their best ranks from 0)."""
    relevance, lists = systems(seed)
    runs, rng = [run_of(name, top) for name, top in zip("ab", lists, strict=True)], np.random.default_rng(seed)
    pool = np.zeros_like(relevance)
    for top in lists:
        np.put_along_axis(pool, top, True, axis=1)
    known = pool & (rng.random(pool.shape) < FIRST / DEPTH)
    known[np.arange(QUERIES), lists[0][:, 0]] = True  # every query has a judgment
    open_pool = judgment_pool([Match(run, truth_of(relevance, known)) for run in runs], spec)
    relevant = np.array([relevance[int(query[1:]), int(doc[1:])] for query, doc in open_pool.place])
    return open_pool, relevant, np.where(open_pool.ranks > 0, open_pool.ranks, DEPTH + 1).min(axis=0)


def sampled_rows(sample: JudgmentSample, relevance: dict[tuple[str, str], bool]) -> list[JudgedRow]:
    """The sample with its grades."""
    return [JudgedRow(row["query_id"], row["doc_id"], row["stratum"], row["probability"],
                      int(relevance[row["query_id"], row["doc_id"]])) for row in sample.table.to_pylist()]


def simple_sample(pool: JudgmentPool, n: int, seed: int) -> JudgmentSample:
    """n documents at random, all with one probability."""
    alone = replace(pool, chance=np.full(len(pool.query), 0.5), weight=np.ones_like(pool.weight))
    return draw_from_pool(alone, n, "document", "means", seed)


def estimates(spec: Spec, repetitions: int) -> None:
    """Error, coverage and width of what samples say of the means and of the difference."""
    print(f"{spec.title}, {QUERIES} queries, {repetitions} pairs of systems; error: mean absolute")
    print("sample               judged   mean: error  coverage  width    difference: error  coverage  width")
    for n in (50, 100, 200):
        for name in ("documents, means", "documents, difference", "queries", "simple random", "depth pooling"):
            rows = [row for seed in range(repetitions) if (row := _one_estimate(spec, name, n, seed))]
            if rows:
                judged, error, cover, width, error_2, cover_2, width_2 = np.mean(rows, axis=0)
                print(f"{name:22} {judged:5.0f}        {error:.4f}     {cover:.3f}  {width:.3f}            "
                      f"{error_2:.4f}     {cover_2:.3f}  {width_2:.3f}", flush=True)


def _one_estimate(spec: Spec, name: str, n: int, seed: int) -> tuple[float, ...] | None:
    pool, relevant, rank = pool_and_truth(seed, spec)
    relevance = dict(zip(pool.place, relevant.tolist(), strict=True))
    everything = [JudgedRow(query, doc, 0, 1.0, int(grade)) for (query, doc), grade in relevance.items()]
    full = [mean.value for mean in estimate_means(pool, everything, "query").means]
    if name == "depth pooling":
        first = np.argsort(rank, kind="stable")[:n]
        taken = [replace(row, grade=row.grade if i in set(first.tolist()) else 0) for i, row in enumerate(everything)]
        pooled = [mean.value for mean in estimate_means(pool, taken, "query").means]
        return (n, abs(pooled[0] - full[0]), np.nan, np.nan, abs(pooled[0] - pooled[1] - full[0] + full[1]), np.nan,
                np.nan)
    if name != "queries" and spec.name not in SUMS:
        return None
    unit, _, target = name.partition(", ")
    sample = simple_sample(pool, n, seed) if name == "simple random" else draw_from_pool(
        pool, n, "query" if unit == "queries" else "document", target or "means", seed)
    result = estimate_means(pool, sampled_rows(sample, relevance), sample.unit)
    mean, difference, gap = result.means[0], result.differences[0, 1], full[0] - full[1]
    return (len(sample.table), abs(mean.value - full[0]), mean.low <= full[0] <= mean.high, mean.high - mean.low,
            abs(difference.value - gap), difference.low <= gap <= difference.high, difference.high - difference.low)


def judged_part(how: str, pool: np.ndarray, best: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which documents of the pool are judged: (Q, D) bool; best (Q, D): ranks from 0."""
    share = {"5 % at random": 0.05, "10 % at random": 0.1, "20 % at random": 0.2, "40 % at random": 0.4,
             "depth 1, 20 % at random": 0.2}.get(how, 0.0)
    depth = {"depth 2": 2, "depth 1, 20 % at random": 1}.get(how, 0)
    return pool & ((rng.random(pool.shape) < share) | (best < depth))


def calibration(spec: Spec, repetitions: int) -> None:
    """Reliability of the chances by bins, and of the probability that the leader is better."""
    edges, sure_edges = np.array([0, 0.05, 0.2, 0.5, 1.01]), np.array([0, 0.6, 0.7, 0.8, 0.9, 1.01])
    print(f"{spec.title}, {QUERIES} queries, {repetitions} pairs of systems; "
          "in each bin: predicted > observed (share of all)")
    for kind in ("one", "about one", "many"):
        sure: list[tuple[float, bool]] = []
        for how in HOW:
            rows = [_one_plan(spec, kind, how, seed) for seed in range(repetitions)]
            chance, relevant = (np.concatenate([row[side] for row in rows]) for side in (0, 1))
            sure += [row[2] for row in rows if row[2] is not None]
            print(f"{kind:10} {how:24} error {_calibration_error(chance, relevant, edges):.3f}  "
                  f"{_reliability(chance, relevant, edges)}", flush=True)
        predicted, right = np.array(sure, float).T
        print(f"{kind:10} the leader is better: {_reliability(predicted, right, sure_edges)}", flush=True)
        for how in ADDED:
            rows = [_one_plan(spec, kind, how, seed, came=True) for seed in range(repetitions)]
            chance, relevant = (np.concatenate([row[side] for row in rows]) for side in (0, 1))
            print(f"{kind:10} {'one known, ' + how:24} error {_calibration_error(chance, relevant, edges):.3f}  "
                  f"{_reliability(chance, relevant, edges)}", flush=True)


def _judged_systems(kind: str, how: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Run]]:
    """(relevance, pool and known judgments, each (Q, D); the runs)."""
    relevance, lists = systems(seed, kind)
    pool, best = np.zeros_like(relevance), np.full(relevance.shape, DEPTH)
    for top in lists:
        np.put_along_axis(pool, top, True, axis=1)
        ranks = np.full_like(best, DEPTH)
        np.put_along_axis(ranks, top, np.arange(DEPTH)[None, :], axis=1)
        best = np.minimum(best, ranks)
    known = judged_part(how, pool, best, np.random.default_rng([seed, 1]))
    return relevance, pool, known, [run_of(name, top) for name, top in zip("ab", lists, strict=True)]


def _one_plan(spec: Spec, kind: str, how: str, seed: int, *,
              came: bool = False) -> tuple[np.ndarray, np.ndarray, tuple[float, bool] | None]:
    """(chances; which are relevant; how sure the plan is and whether its leader is better, None for equal runs).

    came: each query came with one relevant document, whether a system returns it or not.
    """
    relevance, pool, known, runs = _judged_systems(kind, how, seed)
    before = None
    if came:
        draws = np.random.default_rng([seed, 2]).random(relevance.shape) * relevance
        first = (draws == draws.max(axis=1, keepdims=True)) & relevance
        before, known = truth_of(relevance, first), known | first
    plan = plan_judgments([Match(run, truth_of(relevance, known)) for run in runs], spec, before=before, limit=None,
                          worlds=2)
    places = [(int(row["query_id"][1:]), int(row["doc_id"][1:])) for row in plan.table.to_pylist()]
    relevant = np.array([relevance[place] for place in places], bool)
    gap = ahead(runs, truth_of(relevance, pool), spec)
    outcome = None if gap == 0 else (plan.sure, (plan.leader == "a") == (gap > 0))
    return plan.table["chance"].to_numpy(), relevant, outcome


def one_change(spec: Spec, kind: str, how: str, seed: int, n: int) -> tuple[float, bool] | None:
    """(chance that judging the first n documents of a plan changes the leader, whether it does); None where settled."""
    relevance, _, known, runs = _judged_systems(kind, how, seed)
    plan = plan_judgments([Match(run, truth_of(relevance, known)) for run in runs], spec, limit=n, worlds=2)
    if not len(plan.table):
        return None
    for row in plan.table.to_pylist():
        known[int(row["query_id"][1:]), int(row["doc_id"][1:])] = True
    after = plan_judgments([Match(run, truth_of(relevance, known)) for run in runs], spec, limit=0, worlds=2)
    return plan.table["change"][-1].as_py(), after.leader != plan.leader


def changes(spec: Spec, repetitions: int) -> None:
    """Predicted and observed shares of plans whose leader changes."""
    edges = np.array([0, 0.05, 0.15, 0.3, 1.01])
    print(f"{spec.title}, {QUERIES} queries, {repetitions} pairs of systems, four ways to judge; "
          "in each bin: predicted > observed (share of all)")
    for kind in ("one", "about one", "many"):
        for n in (25, 100):
            rows = [row for how in HOW for seed in range(repetitions)
                    if (row := one_change(spec, kind, how, seed, n)) is not None]
            predicted, changed = np.array(rows, float).reshape(-1, 2).T
            print(f"{kind:10} {n:4} judged  all {predicted.mean():.3f} > {changed.mean():.3f}   "
                  f"{_reliability(predicted, changed, edges)}", flush=True)


def _reliability(predicted: np.ndarray, observed: np.ndarray, edges: np.ndarray) -> str:
    bins = np.digitize(predicted, edges) - 1
    return "  ".join(f"{predicted[bins == i].mean():.2f} > {observed[bins == i].mean():.2f} ({(bins == i).mean():.0%})"
                     for i in range(len(edges) - 1) if (bins == i).any())


def _calibration_error(predicted: np.ndarray, observed: np.ndarray, edges: np.ndarray) -> float:
    """Mean absolute difference of predicted and observed over the bins, weighted by their shares."""
    bins = np.digitize(predicted, edges) - 1
    return float(sum((bins == i).mean() * abs(predicted[bins == i].mean() - observed[bins == i].mean())
                     for i in range(len(edges) - 1) if (bins == i).any()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("winner", "estimate", "calibration", "changes"), default="winner")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--metric", default="P@10")
    options = parser.parse_args()
    [spec] = parse_specs(options.metric)
    if options.part == "estimate":
        estimates(spec, options.repetitions)
        return
    if options.part in ("calibration", "changes"):
        {"calibration": calibration, "changes": changes}[options.part](spec, options.repetitions)
        return
    print(f"{spec.title}, {QUERIES} queries, {options.repetitions} pairs of systems")
    print("order     right from (mean, 90 % of cases)   stop at 95 % (mean)   right at the stop")
    for order in ("decides", "random", "depth"):
        rows = np.array([judgments_needed(seed, spec, order) for seed in range(options.repetitions)], float)
        print(f"{order:8}  {rows[:, 0].mean():8.0f}   {np.quantile(rows[:, 0], 0.9):8.0f}               "
              f"{rows[:, 1].mean():8.0f}              {rows[:, 2].mean():.2f}", flush=True)


if __name__ == "__main__":
    main()
