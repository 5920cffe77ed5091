"""What recording and following runs costs: processor seconds, so that other programs on the machine matter little.

    python benchmarks/recording.py [--runs 500] [--queries 10000]

- History: a log folder of 500 recorded runs (110 queries x 10 documents) is listed, read, evaluated and tested for the
  first time, as a new server does (aim: 3 s), and once more with its points at hand (aim: 1 s).
- Recording: 10,000 queries x 20 documents with scores and a time, added one by one to a run and closed (aim: 10 s).
- `import ragdash` over a bare interpreter, the median of 15 (aim: 0.05 s).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

import ragdash
from ragdash.analysis.tracking import history, history_point, merged_points
from ragdash.core.records.run_header import Revision, RunHeader
from ragdash.io.recorded.folder import log_entries
from ragdash.metrics import parse_specs

ROOT = Path(__file__).resolve().parents[1]
QUERIES, DEPTH, METRICS = 110, 10, 100  # of a run of the history; metrics that a person can choose from
START = datetime(2025, 1, 1, tzinfo=UTC)


def write_log_folder(folder: Path, runs: int) -> ragdash.Truth:
    """Dated runs of one configuration, as `ragdash.record` writes them; returns the judgments."""
    rng = np.random.default_rng(1)
    for number in range(runs):
        moment = START + timedelta(days=number)
        run_id = f"{moment:%Y%m%dT%H%M%S}Z-hybrid-{number:06x}"
        (folder / run_id).mkdir(parents=True)
        header = RunHeader(run_id, "hybrid", moment.isoformat(), moment.isoformat(), settings={"k": DEPTH},
                           git=Revision(f"{number:040x}", "main"), queries=QUERIES, failures=0)
        (folder / run_id / "header.json").write_bytes(header.to_json())
        lines = [json.dumps({"query_id": f"q{query:03}", "retrieved": [
            {"doc_id": f"d{query}-{document}", "score": float(DEPTH - rank)}
            for rank, document in enumerate(rng.permutation(DEPTH).tolist())], "latency_ms": 12.5})
            for query in range(QUERIES)]
        (folder / run_id / "results.jsonl").write_text("\n".join(lines) + "\n")
    return ragdash.Truth.from_dict({f"q{query:03}": [f"d{query}-0", f"d{query}-3"] for query in range(QUERIES)})


def time_history(runs: int) -> tuple[float, float]:
    """Processor seconds of the first and of the second time."""
    specs = parse_specs("nDCG@10")
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        truth = write_log_folder(folder, runs)
        start = time.process_time()
        points = [history_point(ragdash.read_run(entry.path), truth, specs) for entry in log_entries(folder)]
        history(merged_points(points), specs, family=METRICS)
        first = time.process_time() - start
        start = time.process_time()
        log_entries(folder)
        history(merged_points(points), specs, family=METRICS)
        return first, time.process_time() - start


def time_recording(queries: int, documents: int = 20) -> float:
    """Processor seconds that recording adds."""
    ranking = [(f"document-{number}", 1.0 / (number + 1)) for number in range(documents)]
    with tempfile.TemporaryDirectory() as root:
        start = time.process_time()
        with ragdash.record("hybrid", settings={"k": documents}, folder=root) as run:
            for query in range(queries):
                run.add(f"q{query}", ranking, latency_ms=12.5)
        return time.process_time() - start


def time_import(repetitions: int = 15) -> float:
    """Processor seconds of `import ragdash` over a bare interpreter, both as medians."""
    def seconds(code: str) -> float:
        times = []
        for _ in range(repetitions):
            before = os.times()
            subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return statistics.median(times)

    return seconds("import ragdash") - seconds("pass")


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--queries", type=int, default=10_000)
    options = parser.parse_args()
    first, again = time_history(options.runs)
    print(f"history of {options.runs:,} runs: {first:.2f} s the first time, {again:.2f} s again")
    print(f"recording {options.queries:,} queries x 20 documents: {time_recording(options.queries):.2f} s")
    print(f"import ragdash: {time_import():.3f} s over a bare interpreter")


if __name__ == "__main__":
    main()
