"""Runs and judgments at benchmark scales, written as TREC files.

small    300 queries x 20, about 1 relevant each      marco    6,980 x 1,000, about 1 relevant each (binary)
graded   6,980 x 1,000, about 50 judgments each, grades 0 to 3
Scores carry four decimals, as engines print them, so most rankings hold real ties.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv

SCALES = {"small": (300, 20, 1.07, False), "marco": (6_980, 1_000, 1.07, False), "graded": (6_980, 1_000, 50, True)}
CORPUS = 8_841_823


def judgments(queries: int, per_query: float, graded: bool, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """(query, document, grade) of distinct judged pairs."""
    counts = np.maximum(1, rng.poisson(per_query, queries) if graded else 1 + rng.poisson(per_query - 1, queries))
    query = np.repeat(np.arange(queries), counts)
    doc = rng.integers(0, CORPUS, len(query))
    _, first = np.unique(query * CORPUS + doc, return_index=True)
    grade = rng.choice([0, 1, 2, 3], len(query), p=[0.55, 0.25, 0.13, 0.07]) if graded else np.ones(len(query), int)
    return query[first], doc[first], grade[first]


def ranking(queries: int, depth: int, judged: tuple[np.ndarray, ...], rng: np.random.Generator) -> tuple:
    """(query, document, score) in ranking order; some 70 % of the judged documents are planted at skewed ranks."""
    docs = rng.integers(0, CORPUS, (queries, depth))
    found = rng.random(len(judged[0])) < 0.7
    rank = np.minimum((rng.random(len(judged[0])) ** 3 * depth).astype(int), depth - 1)
    docs[judged[0][found], rank[found]] = judged[1][found]
    scores = np.round(np.sort(rng.gamma(6, 1.6, (queries, depth)), axis=1)[:, ::-1] + 5, 4)
    query = np.repeat(np.arange(queries), depth)
    _, first = np.unique(query * CORPUS + docs.ravel(), return_index=True)
    first.sort()
    return query[first], docs.ravel()[first], scores.ravel()[first]


def write(path: Path, columns: list[pa.Array]) -> None:
    """Columns as a file of space-separated lines without a header."""
    table = pa.table({str(i): column for i, column in enumerate(columns)})
    options = pcsv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    pcsv.write_csv(table, path, options)


def make(folder: Path, scale: str, runs: int = 1) -> tuple[list[Path], Path]:
    """The scale's run files and qrels file; what is there already is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    queries, depth, per_query, graded = SCALES[scale]
    rng = np.random.default_rng(3)
    ids = pa.array(rng.choice(1_200_000, queries, replace=False)).cast(pa.string())
    judged = judgments(queries, per_query, graded, rng)
    qrels = folder / f"{scale}.qrels"
    if not qrels.exists():
        zero = pa.array(np.zeros(len(judged[0]), int))
        write(qrels, [ids.take(pa.array(judged[0])), zero, pa.array(judged[1]), pa.array(judged[2])])
    paths = [folder / (f"{scale}.run" if i == 0 else f"{scale}-{i}.run") for i in range(runs)]
    for i, path in enumerate(paths):
        if not path.exists():
            query, doc, score = ranking(queries, depth, judged, np.random.default_rng(100 + i))
            place = np.arange(len(query)) - np.searchsorted(query, query) + 1
            text = pc.cast(pa.array(score).cast(pa.decimal128(12, 4)), pa.string())
            write(path, [ids.take(pa.array(query)), pa.repeat("Q0", len(query)), pa.array(doc), pa.array(place), text,
                         pa.repeat(f"run{i}", len(query))])
    return paths, qrels


if __name__ == "__main__":
    for name in sys.argv[2:] or SCALES:
        print(*make(Path(sys.argv[1]), name))
