"""Do 95 % intervals hold the true mean 95 times of 100, and are p-values uniform where nothing differs?

    python benchmarks/calibration.py [--samples 2000] [--seed 1] [--methods percentile bca expanded t]

Samples of 50 and of 200 queries are drawn from distributions whose mean is known: normal, exponential, hits at a rate
of 90 %, and RR and nDCG@10 of the queries of the three sample runs, with replacement (their mean is the true one). Each
method makes an interval of each sample; "inside" is the share of intervals within the distribution's own range ([0, 1]
of RR and nDCG). The methods of a row see the same samples. An end that is the mean but for rounding (of the order of
1e-8, means of hits come in steps) holds it. p-values: differences of continuous values with mean 0.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy import stats as reference

import ragdash
from ragdash.evaluation import stats

SAMPLES_OF_RUNS = Path(__file__).parents[1] / "sample_runs"
SIZES = (50, 200)
ASKED = (0.93, 0.97)
BATCH = 500  # samples in a call


def populations() -> dict[str, tuple]:
    """name: (draw(rng, shape), true mean, lowest, highest possible value)."""
    found = {"normal": (lambda rng, shape: rng.normal(size=shape), 0.0, -np.inf, np.inf),
             "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0, 0.0, np.inf),
             "hits 90 %": (lambda rng, shape: (rng.random(shape) < 0.9) * 1.0, 0.9, 0.0, 1.0)}
    truth = ragdash.read_truth(SAMPLES_OF_RUNS / "truth.jsonl")
    runs = [ragdash.read_run(SAMPLES_OF_RUNS / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    evaluations = [ragdash.evaluate(run, truth, "RR nDCG@10") for run in runs]
    for metric in ("RR", "nDCG@10"):
        values = np.concatenate([evaluation.column(metric) for evaluation in evaluations])
        values = values[~np.isnan(values)]
        found[metric] = (lambda rng, shape, values=values: rng.choice(values, shape), values.mean(), 0.0, 1.0)
    return found


def coverage(population: tuple, n: int, methods: list[str], samples: int, seed: int) -> dict[str, np.ndarray]:
    """method: (share of intervals that hold the mean, mean width, share within the possible range)."""
    draw, mean, lowest, highest = population
    rng, weights = np.random.default_rng((seed, n)), stats.resample_weights(n)
    totals = {method: np.zeros(3) for method in methods}
    for start in range(0, samples, BATCH):
        values = draw(rng, (n, min(BATCH, samples - start)))
        for method in methods:
            low, high = stats.bootstrap_intervals(values, method=method, weights=weights)
            slack = 1e-6 * np.abs(values).max()
            inside = (low >= lowest - slack) & (high <= highest + slack)
            holds = (low <= mean + slack) & (mean - slack <= high)
            totals[method] += [holds.sum(), (high - low).sum(), inside.sum()]
    return {method: total / samples for method, total in totals.items()}


def intervals(methods: list[str], samples: int, seed: int) -> None:
    """The table, and which methods cover as asked everywhere."""
    error = np.sqrt(0.95 * 0.05 / samples)
    print(f"coverage of the 95 % interval, {samples:,} samples (standard error {error:.2%}), asked: "
          f"{ASKED[0]:.0%} to {ASKED[1]:.0%}; ! outside\n")
    print(f"{'':18s}" + "".join(f"{method:>27s}" for method in methods))
    print(f"{'distribution':13s}{'n':>5s}" + f"{'covers':>12s}{'width':>8s}{'inside':>7s}" * len(methods))
    holds = dict.fromkeys(methods, True)
    for name, population in populations().items():
        for n in SIZES:
            cells = coverage(population, n, methods, samples, seed)
            line = f"{name:13s}{n:5d}"
            for method, (covered, width, inside) in cells.items():
                good = ASKED[0] <= covered <= ASKED[1]
                holds[method] &= good
                line += f"{covered:11.2%}{' ' if good else '!'}{width:8.4f}{inside:7.0%}"
            print(line, flush=True)
    print(f"\nas asked everywhere: {', '.join(method for method in methods if holds[method]) or 'none'}"
          f"; the default is {stats.METHOD}\n")


def uniformity(samples: int, seed: int) -> None:
    """Kolmogorov-Smirnov p of p-values under no difference of continuous values, and the share of them below 0.05."""
    tests = {"randomisation": lambda d: stats.randomization_test(d, permutations=20_000),
             "t": lambda d: stats.t_test(d)[1], "Wilcoxon": lambda d: stats.wilcoxon_test(d)[1]}
    print(f"p-values where nothing differs, {samples:,} samples of continuous differences; asked: "
          "Kolmogorov-Smirnov p > 0.01")
    print(f"{'distribution':13s}{'n':>5s}" + "".join(f"{name + ': KS p':>22s}{'p < 0.05':>10s}" for name in tests))
    for name, draw in {"normal": np.random.Generator.normal, "Laplace": np.random.Generator.laplace}.items():
        for n in SIZES:
            differences = draw(np.random.default_rng((seed, n)), size=(n, samples))
            line = f"{name:13s}{n:5d}"
            for test in tests.values():
                p = test(differences)
                line += f"{reference.kstest(p, 'uniform').pvalue:22.3f}{(p < 0.05).mean():10.2%}"
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", nargs="+", choices=stats.METHODS, default=list(stats.METHODS))
    options = parser.parse_args()
    intervals(options.methods, options.samples, options.seed)
    uniformity(options.samples, options.seed)


if __name__ == "__main__":
    main()
