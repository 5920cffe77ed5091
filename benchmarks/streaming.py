"""Evaluate a run in pieces next to the same run loaded whole: processor time a row, and peak memory.

    python benchmarks/streaming.py [--rows 7000000] [--depth 100] [--formats parquet trec] [--loaded-rows 7000000]

The files are made in a temporary folder; in --folder they stay and are used again: 70 million rows are 1.1 GB of
Parquet, which takes longer to write than to evaluate. Every evaluation runs in a process of its own. The loaded run has
at most --loaded-rows rows: the time a row is compared, not the time. Its processor time is of reading the workspace's
own copy and of the evaluation.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

METRICS = "nDCG@10 R@100 RR AP"
ROWS_AT_ONCE = 1_000_000
DOCUMENTS = 8_000_000
CHILD = """
import json, time
import ragdash
start = time.process_time()
{body}
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({{"cpu": time.process_time() - start, "peak": peak / 1024,
                  "means": [row.mean for row in evaluation.summary(resamples=100)]}}))
"""
STREAM = """
truth = ragdash.read_truth({truth!r})
evaluation = ragdash.evaluate_stream({run!r}, truth, {metrics!r})
"""
LOADED = """
from ragdash.workspace import Workspace
truth = ragdash.read_truth({truth!r})
store = Workspace({folder!r})
evaluation = ragdash.evaluate(store.load_run({digest!r}), truth, {metrics!r})
"""


def pieces(rows: int, depth: int):
    """Tables of a run: queries in order, scores falling, random documents."""
    rng = np.random.default_rng(1)
    queries = rows // depth
    for first in range(0, queries, ROWS_AT_ONCE // depth):
        count = min(ROWS_AT_ONCE // depth, queries - first)
        numbers = np.repeat(np.arange(first, first + count), depth)
        scores = -np.sort(-rng.random((count, depth)), axis=1).ravel().round(6)
        ranks = np.tile(np.arange(1, depth + 1), count)
        yield pa.table({"query_id": pc.binary_join_element_wise("q", pa.array(numbers).cast(pa.string()), ""),
                        "doc_id": pc.binary_join_element_wise(
                            "d", pa.array(rng.integers(0, DOCUMENTS, count * depth)).cast(pa.string()), ""),
                        "rank": ranks, "score": scores})


def write(folder: Path, rows: int, depth: int, kind: str) -> Path:
    """A run file."""
    path = folder / f"run_{rows}.{kind}"
    if path.exists():
        return path
    if kind == "parquet":
        with pq.ParquetWriter(path, pa.schema([("query_id", pa.string()), ("doc_id", pa.string()),
                                               ("score", pa.float64())])) as writer:
            for table in pieces(rows, depth):
                writer.write_table(table.drop_columns(["rank"]))
        return path
    with path.open("wb") as stream:
        for table in pieces(rows, depth):
            constant = {"Q0": pa.repeat("Q0", len(table)), "tag": pa.repeat("t", len(table))}
            columns = [table["query_id"], constant["Q0"], table["doc_id"], table["rank"], table["score"],
                       constant["tag"]]
            csv.write_csv(pa.table(columns, names=list("abcdef")), stream, csv.WriteOptions(
                include_header=False, delimiter=" ", quoting_style="none"))
    return path


def write_truth(folder: Path, rows: int, depth: int) -> Path:
    """Judgments: three of each query's first hundred documents, and one that is not returned."""
    path = folder / "qrels.txt"
    if path.exists():
        return path
    rng = np.random.default_rng(2)
    with path.open("w") as stream:
        for table in pieces(rows, depth):
            docs = table["doc_id"].to_pylist()
            queries = table["query_id"].to_pylist()
            for start in range(0, len(docs), depth):
                chosen = {docs[start + i] for i in rng.integers(0, depth, 3)} | {"never returned".replace(" ", "-")}
                stream.writelines(f"{queries[start]} 0 {doc} 1\n" for doc in sorted(chosen))
    return path


def measure(body: str) -> dict:
    """Processor seconds, MiB and means of a process."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", CHILD.format(body=body)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return {**json.loads(done.stdout.splitlines()[-1]), "wall": time.perf_counter() - started}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=7_000_000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--loaded-rows", type=int, default=7_000_000)
    parser.add_argument("--folder", type=Path, help="of the files of one --rows; default: a temporary one")
    parser.add_argument("--formats", nargs="+", default=["parquet", "trec"])
    options = parser.parse_args()
    from ragdash import read_run
    from ragdash.workspace import Workspace

    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        truth = write_truth(folder, options.rows, options.depth)
        small = min(options.loaded_rows, options.rows)
        run = read_run(write(folder, small, options.depth, "parquet"))
        digest = Workspace(folder / "workspace").add_run(run).digest
        few = folder / "few"
        few.mkdir(exist_ok=True)
        few_truth = write_truth(few, small, options.depth)
        loaded = measure(LOADED.format(truth=str(few_truth), folder=str(folder / "workspace"), digest=digest,
                                       metrics=METRICS))
        figures = {"workspace run, loaded": (small, loaded)}
        for kind in options.formats:
            path = write(folder, options.rows, options.depth, kind)
            figures[f"{kind}, in pieces"] = (options.rows, measure(
                STREAM.format(truth=str(truth), run=str(path), metrics=METRICS)))
            if not options.folder:
                path.unlink()
        first = loaded["cpu"] / small
        print(f"{'':24s} {'rows':>12s} {'processor':>11s} {'a million rows':>15s} {'ratio':>6s} {'peak':>10s}")
        for label, (rows, row) in figures.items():
            print(f"{label:24s} {rows:12,d} {row['cpu']:9.2f} s {row['cpu'] / rows * 1e6:13.3f} s "
                  f"{row['cpu'] / rows / first:6.2f} {row['peak']:6.0f} MiB")


if __name__ == "__main__":
    main()
