"""ragdash next to pytrec_eval, ir_measures and ranx: time, processor time, memory and their ratios, in one run.

    python benchmarks/engine.py [--rounds 5] [--data benchmarks/data] [--scales small marco graded]

Every tool runs in a process of its own, the tools in turn within each round, so that a noisy machine hits all alike;
figures are medians over the rounds. Values are compared per query: they must agree to 1e-9.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from generate import SCALES, make
from peers import TOOLS

import ragdash
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.matching.match import Match

HERE = Path(__file__).parent
PARALLEL_TIES = 1e-9


def compare(scale: str, folder: Path, rounds: int) -> None:
    """One table: a row per tool, ratios to ragdash."""
    (run,), qrels = make(folder, scale)
    figures: dict[str, list[dict]] = {tool: [] for tool in TOOLS}
    with tempfile.TemporaryDirectory() as kept:
        for number in range(rounds):
            for tool in TOOLS:
                command = [sys.executable, str(HERE / "peers.py"), tool, str(run), str(qrels)]
                command += ["--save", str(Path(kept, f"{tool}.npz"))] if number == 0 else []
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise SystemExit(f"{tool} failed on {scale}:\n{done.stderr[-2000:]}")
                figures[tool].append(json.loads(done.stdout.splitlines()[-1]))
        agreement = agree(Path(kept))
    median = {tool: {key: statistics.median(row[key] for row in rows) for key in rows[0]}
              for tool, rows in figures.items()}
    queries, depth, *_ = SCALES[scale]
    print(f"\n{scale}: {queries:,} queries x {depth:,}, {run.stat().st_size / 2**20:.0f} MiB, medians of {rounds}")
    print(f"the bare reader of pyarrow: {min(reader_alone(run) for _ in range(rounds)):.2f} s of processor time")
    print(f"{'':12s} {'file to values':>22s} {'processor':>19s} {'peak memory':>20s} {'loaded':>20s} "
          f"{'processor':>9s}   values agree to")
    ours = median["ragdash"]
    for tool, row in median.items():
        ratio = {key: row[key] / ours[key] for key in row}
        print(f"{tool:12s} {row['wall']:9.3f} s {ratio['wall']:7.1f} x {row['cpu']:8.2f} s {ratio['cpu']:6.1f} x "
              f"{row['peak']:7.0f} MiB {ratio['peak']:5.1f} x {row['loaded'] * 1e3:9.1f} ms "
              f"{ratio['loaded']:5.0f} x {ratio['loaded_cpu']:7.0f} x   {agreement.get(tool, '')}")


def reader_alone(run: Path) -> float:
    """Processor time of pyarrow's CSV reader for the three columns that are needed: less than that cannot be had."""
    code = ("import sys, time, pyarrow as pa, pyarrow.csv as csv; began = time.process_time(); "
            "csv.read_csv(sys.argv[1], csv.ReadOptions(autogenerate_column_names=True, block_size=4 << 20), "
            "csv.ParseOptions(delimiter=' ', quote_char=False), csv.ConvertOptions(include_columns=['f0', 'f2', 'f4'], "
            "column_types={'f0': pa.dictionary(pa.int32(), pa.string()), 'f2': pa.string(), 'f4': pa.float64()})); "
            "print(time.process_time() - began)")
    return float(subprocess.run([sys.executable, "-c", code, str(run)], capture_output=True, text=True,
                                check=True).stdout)


def agree(folder: Path) -> dict[str, str]:
    """Largest difference of any value to ragdash's, for each peer; stops the benchmark above 1e-9.

    ranx keeps the file's order among equal scores, so the queries that hold ties at a judged document may differ;
    their share is shown.
    """
    ours = np.load(folder / "ragdash.npz")
    place = {query: i for i, query in enumerate(ours["queries"])}
    found = {}
    for tool in TOOLS:
        if tool == "ragdash":
            continue
        theirs = np.load(folder / f"{tool}.npz")
        apart = np.abs(ours["values"][[place[query] for query in theirs["queries"]]] - theirs["values"]).max(axis=1)
        if tool == "ranx":
            found[tool] = f"1e-9 in {np.mean(apart < PARALLEL_TIES):.1%} of queries (it breaks ties otherwise)"
        elif apart.max() < PARALLEL_TIES:
            found[tool] = f"{apart.max():.0e}"
        else:
            raise SystemExit(f"{tool} differs by {apart.max()} at query {theirs['queries'][apart.argmax()]}")
    return found


def inside(folder: Path, rounds: int) -> None:
    """What only ragdash does: all cutoffs in one pass, five loaded runs, bootstrap intervals."""
    paths, qrels = make(folder, "marco", runs=5)
    truth = ragdash.read_truth(qrels)
    runs = [ragdash.read_run(path) for path in paths]
    names = ("P", "R", "nDCG", "Success")
    five = ragdash.parse_specs([f"{name}@{k}" for name in names for k in (1, 3, 5, 10, 20)])
    hundred = ragdash.parse_specs([f"{name}@{k}" for name in names for k in range(1, 101)])
    short = seconds(lambda: ragdash.evaluate(runs[0], truth, five), rounds)
    long = seconds(lambda: ragdash.evaluate(runs[0], truth, hundred), rounds)
    print(f"\nfive cutoffs {short * 1e3:.1f} ms, K = 1 to 100 {long * 1e3:.1f} ms: {long / short:.2f} x")
    match = Match(runs[0], truth)
    match.ranked  # noqa: B018  (built once, outside the timing)
    print(f"... on a match that is kept: {seconds(lambda: evaluate_match(match, five), rounds) * 1e3:.1f} ms and "
          f"{seconds(lambda: evaluate_match(match, hundred), rounds) * 1e3:.1f} ms")
    specs = ragdash.parse_specs([*map(str, five), "RR", "AP"])
    whole = seconds(lambda: [ragdash.evaluate(run, truth, specs) for run in runs], rounds)
    print(f"five loaded runs of {sum(len(run.docs) for run in runs) / 5e6:.1f} million rows: {whole:.3f} s")
    values = np.random.default_rng(1).random((1_000, 100))
    drawn = seconds(lambda: bootstrap_intervals(values, resamples=10_000), rounds)
    print(f"10,000 resamples for 5 runs x 20 metrics x 1,000 queries: {drawn:.3f} s")


def seconds(call, rounds: int) -> float:
    """Median wall time of a call."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--scales", nargs="*", default=list(SCALES), choices=SCALES)
    options = parser.parse_args()
    for name in options.scales:
        compare(name, options.data, options.rounds)
    inside(options.data, options.rounds)
