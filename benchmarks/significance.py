"""The randomisation test beside ranx's: time, memory, p-values; and what the other statistics cost.

    python benchmarks/significance.py [--rounds 3] [--permutations 100000]

Ten pairs of runs x 20 metrics x 1,000 queries: values as metrics have them, many of them equal, half of the pairs
without a difference. ragdash tests all 200 columns; ranx's fisher_randomization_test, compiled beforehand, one of them
at a time with as many permutations. Both in turn within a round, so that a noisy machine hits both alike; medians over
the rounds. Exit code 1 where the time, the memory or the ratio asked for is missed, where p-values are further apart
than chance has it (five standard errors), or where the same seed gives another p.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

from ragdash.evaluation import stats

PAIRS, METRICS, QUERIES = 10, 20, 1_000
SECONDS, MEBIBYTES, RATIO, ERRORS = 5.0, 1024, 100, 5
MISSED: list[str] = []
SHARES = np.array([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 1.0])  # reciprocal ranks and the like


def scores(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Baseline and candidate (Q, S): every second metric graded, the others continuous; odd pairs really differ."""
    rng = np.random.default_rng(seed)
    size = (QUERIES, PAIRS, METRICS)
    baseline, candidate = rng.random((2, *size))
    candidate[:, 1::2] = np.clip(candidate[:, 1::2] + 0.02, 0, 1)
    candidate = np.where(rng.random(size) < 0.3, baseline, candidate)  # both found the same
    for values in (baseline, candidate):
        values[:, :, ::2] = SHARES[(values[:, :, ::2] * (len(SHARES) - 1)).round().astype(int)]
    return baseline.reshape(QUERIES, -1), candidate.reshape(QUERIES, -1)


def randomization(rounds: int, permutations: int) -> None:
    """Both tests in turn; the figures that are asked for."""
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    baseline, candidate = scores()
    differences = candidate - baseline
    fisher_randomization_test(baseline[:12, 0], candidate[:12, 0], 10)  # compiled
    ours, theirs, found, work = [], [], [], []
    columns = np.linspace(0, differences.shape[1] - 1, rounds).astype(int)
    for column in columns:
        busy = time.process_time()
        seconds, p = timed(lambda: stats.randomization_test(differences, permutations=permutations))
        work.append(time.process_time() - busy)
        ours.append(seconds)
        found.append(p)
        one = np.ascontiguousarray(baseline[:, column]), np.ascontiguousarray(candidate[:, column])
        seconds, (p_theirs, _) = timed(lambda one=one: fisher_randomization_test(*one, permutations, 0.01, 42))
        theirs.append(seconds)
        error = np.sqrt(2 * p[column] * (1 - p[column]) / permutations) + 1 / permutations
        print(f"column {column:3d}: p = {p[column]:.5f}, ranx {p_theirs:.5f}: "
              f"{abs(p[column] - p_theirs) / error:.1f} standard errors apart")
        check(abs(p[column] - p_theirs) <= ERRORS * error, "the p-values do not agree")
    check(all((p == found[0]).all() for p in found), "the same seed gave another p")
    alone = stats.randomization_test(differences[:, columns], permutations=permutations)
    check((alone == found[0][columns]).all(), "p depends on the other columns")
    mine, other = statistics.median(ours), statistics.median(theirs)
    tests = differences.shape[1]
    ratio = other / (mine / tests)
    print(f"{permutations:,} flips, {PAIRS} pairs x {METRICS} metrics x {QUERIES:,} queries: {mine:.2f} s "
          f"({statistics.median(work):.2f} s of processors), {mine / tests * 1e3:.1f} ms a test; "
          f"ranx {other:.2f} s a test: {ratio:,.0f} x")
    alone, p = timed(lambda: stats.randomization_test(differences[:, :1], permutations=permutations))
    print(f"one test alone: {alone:.2f} s: {other / alone:.0f} x")
    check(mine < SECONDS, f"slower than {SECONDS} s")
    check(ratio >= RATIO, f"less than {RATIO} times as fast as ranx")


def memory(permutations: int) -> None:
    """Peak of a process that does nothing else; run as `significance.py --peak`."""
    command = [sys.executable, __file__, "--peak", "--permutations", str(permutations)]
    before, after = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    print(f"peak memory of the process {after} MiB, of it {before} MiB before the test")
    check(after < MEBIBYTES, f"more than {MEBIBYTES} MiB")


def peak(permutations: int) -> None:
    baseline, candidate = scores()
    differences = candidate - baseline
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    stats.randomization_test(differences, permutations=permutations)
    print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def others(rounds: int) -> None:
    """What intervals by each method, the other tests and the posterior cost."""
    values = np.random.default_rng(1).random((QUERIES, 100))
    weights = stats.resample_weights(QUERIES)
    print(f"\n10,000 resamples for 100 columns x {QUERIES:,} queries")
    base = 0.0
    for method in stats.METHODS:
        drawn, kept = (median(lambda given=given, method=method: stats.bootstrap_intervals(
            values, method=method, weights=given), rounds) for given in (None, weights))
        base = base or drawn
        print(f"{method:12s} {drawn:.3f} s ({drawn / base:.2f} x), {kept:.3f} s with resamples drawn before")
    baseline, candidate = scores()
    differences = candidate - baseline
    print(f"\n{differences.shape[1]} columns x {QUERIES:,} queries")
    for test in (stats.t_test, stats.wilcoxon_test, stats.sign_test, stats.cohens_dz, stats.superiority):
        print(f"{test.__name__:12s} {median(lambda test=test: test(differences), rounds) * 1e3:.1f} ms")
    sd = differences.std(axis=0, ddof=1)
    print(f"{'detectable':12s} {median(lambda: stats.detectable_difference(sd, QUERIES), rounds) * 1e3:.1f} ms")
    needed = median(lambda: stats.queries_needed(differences.mean(axis=0), sd), rounds)
    print(f"{'needed':12s} {needed * 1e3:.1f} ms")
    posterior = median(lambda: stats.signed_rank_posterior(differences[:, 0], 0.01), rounds)
    print(f"{'posterior':12s} {posterior:.2f} s for one column, 50,000 draws")


def timed(call) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def median(call, rounds: int) -> float:
    return statistics.median(timed(call)[0] for _ in range(rounds))


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        MISSED.append(otherwise)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--permutations", type=int, default=stats.PERMUTATIONS)
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        peak(options.permutations)
    else:
        memory(options.permutations)  # before ranx is loaded: a child's peak begins with its parent's
        randomization(options.rounds, options.permutations)
        others(options.rounds)
        raise SystemExit("\n".join(["", *MISSED]) if MISSED else 0)
