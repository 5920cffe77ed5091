"""Do all intervals of a family hold their true differences together, and how often is any equal pair called different?

    python benchmarks/families.py [--samples 2000] [--flips 2000] [--seed 1] [--metric TEXT]

A family is all pairs of runs on one metric. Populations: RR and nDCG@10 of the three sample runs, and runs made from
them: 10 runs, each a sample run with a random part of its queries from another. Samples of n queries are drawn with
replacement, so the population's means are the true ones. Success@10 is 0 or 1; "rare": runs that differ at few queries.
"covers": all intervals of the family hold; "width": to each side, as a mean. "plain": the same for -+ t x standard
error, which is used for other metrics. "false alarm": at each query the runs' values are dealt out at random, so that
no two runs differ: every significant pair is one.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np

import ragdash
from ragdash.evaluation.stats import test_pairs

SAMPLES_OF_RUNS = Path(__file__).parents[1] / "sample_runs"
SIZES = (20, 50, 200)


def populations() -> dict[str, np.ndarray]:
    """Name: values of all queries, (Q, runs)."""
    truth = ragdash.read_truth(SAMPLES_OF_RUNS / "truth.jsonl")
    runs = [ragdash.read_run(SAMPLES_OF_RUNS / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    tables = {}
    for metric in ("RR", "nDCG@10", "Success@10"):
        values = np.stack([ragdash.evaluate(run, truth, metric).column(metric) for run in runs], axis=1)
        values = values[~np.isnan(values).any(axis=1)]
        rng = np.random.default_rng(0)
        tables[f"{metric}, 2 runs"], tables[f"{metric}, 3 runs"] = values[:, :2], values
        source = np.where(rng.random((len(values), 10)) < 0.6, np.arange(10) % 3, rng.integers(0, 3, (len(values), 10)))
        tables[f"{metric}, 10 runs"] = np.take_along_axis(values, source, axis=1)
    rng = np.random.default_rng(5)
    for runs in (2, 3, 10):
        eased = 2 * rng.standard_normal((20_000, 1)) + 0.25 * rng.standard_normal((20_000, runs))
        tables[f"rare, {runs} runs"] = (eased + np.linspace(0, 0.4, runs) > -2.6).astype(float)
    return tables


def simulate(values: np.ndarray, n: int, samples: int, flips: int, seed: int) -> tuple[list[float], float]:
    """(Share of samples in which all intervals hold and their width, as used and plain; share with a false alarm)."""
    rng, pairs = np.random.default_rng((seed, n)), list(combinations(range(values.shape[1]), 2))
    first, second = np.array(pairs).T
    true = values[:, first].mean(axis=0) - values[:, second].mean(axis=0)
    used, alarms = bool(np.isin(values, (0, 1)).all()), 0
    kinds = dict.fromkeys((used, False))
    covered, width = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0.0)
    for sample in range(samples):
        drawn = values[rng.integers(0, len(values), n)]
        for binary in kinds:
            tests = test_pairs(drawn, pairs, permutations=flips, seed=sample, binary=binary)
            low, high = np.maximum(tests.low, -1), np.minimum(tests.high, 1)
            covered[binary] += bool(((low <= true + 1e-9) & (true - 1e-9 <= high)).all())
            width[binary] += float((high - low).mean() / 2)
        dealt = rng.permuted(drawn, axis=1)
        alarms += bool((test_pairs(dealt, pairs, permutations=flips, seed=sample).p < 0.05).any())
    return [part / samples for kind in (used, False) for part in (covered[kind], width[kind])], alarms / samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--flips", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--metric", default="", help="only populations with this in their name")
    options = parser.parse_args()
    error = np.sqrt(0.95 * 0.05 / options.samples)
    print(f"{options.samples:,} samples (standard error {error:.2%}), {options.flips:,} flips")
    print(f"{'population':22s}{'n':>5s}{'covers':>9s}{'width':>8s}{'plain':>9s}{'width':>8s}{'false alarm':>13s}")
    for name, values in populations().items():
        for n in SIZES if options.metric in name else ():
            (covers, width, plain, plain_width), alarms = simulate(values, n, options.samples, options.flips,
                                                                   options.seed)
            print(f"{name:22s}{n:5d}{covers:9.2%}{width:8.3f}{plain:9.2%}{plain_width:8.3f}{alarms:13.2%}", flush=True)


if __name__ == "__main__":
    main()
