"""Values that a file holds per query and run: metric scores and labels, computed elsewhere or given by people."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import frozen, hash_text, lanes_of, mix, text_column
from ragdash.core.errors import Problem

MOST = 1e15
"""The largest value of a metric, to both sides; beyond it is a slip, and squares may overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class FileScores:
    """What a file says of its queries, one value a row; make it with `FileScores.build`.

    Parameters
    ----------
    queries
        (V,) the ids of the queries.
    runs
        (V,) the names of the runs; "" where the file names none.
    metrics
        (V,) the names as they are in the file, such as "mrr" or "judge_faithfulness".
    values
        (V,) float64; NaN where a value is missing or is a label.
    labels
        (V,) texts such as "Correct"; null where the value is a number or missing.

    Examples
    --------
    >>> scores = FileScores.build([("q1", "dense", "mrr", 0.5), ("q2", "dense", "mrr", None),
    ...                            ("q1", "dense", "verdict", "Correct")])
    >>> scores.names, scores.label_names, scores.run_names
    (('mrr',), ('verdict',), ('dense',))
    >>> scores.aligned("dense", "mrr", ["q2", "q1", "q9"]).tolist()
    [nan, 0.5, nan]
    >>> scores.aligned_labels("dense", "verdict", ["q1", "q2"])
    ['Correct', None]
    """

    queries: pa.StringArray
    runs: pa.StringArray
    metrics: pa.StringArray
    values: np.ndarray
    labels: pa.StringArray

    @classmethod
    def build(cls, rows: Iterable[tuple[str, str, str, float | str | bool | None]]) -> FileScores:
        """Scores of rows (query, run, metric, value); true is 1, a text is a label, None is missing."""
        rows = list(rows)
        numbers = [math.nan if value is None or isinstance(value, str) else float(value) for *_, value in rows]
        texts = [value if isinstance(value, str) else None for *_, value in rows]
        columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(3)]
        return cls(*columns, frozen(np.array(numbers, np.float64)), pa.array(texts, pa.string()))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<FileScores: {', '.join((*self.names, *self.label_names))}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics with numbers, in the order of the file."""
        return tuple(name for name in self._metric_names if name not in self.label_names)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The metrics with labels, in the order of the file."""
        labeled = {self.metrics[int(row)].as_py() for row in np.flatnonzero(self.labels.is_valid().to_numpy(False))}
        return tuple(name for name in self._metric_names if name in labeled)

    @cached_property
    def run_names(self) -> tuple[str, ...]:
        """The runs, in the order of the file."""
        return tuple(dict.fromkeys(self.runs.to_pylist()))

    @cached_property
    def _metric_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.metrics.to_pylist()))

    @cached_property
    def _rows(self) -> dict[tuple[str, str], dict[str, int]]:
        """{(run, metric): {query: its last row}}."""
        rows: dict[tuple[str, str], dict[str, int]] = {}
        cells = zip(self.runs.to_pylist(), self.metrics.to_pylist(), self.queries.to_pylist(), strict=True)
        for row, (run, metric, query) in enumerate(cells):
            rows.setdefault((run, metric), {})[query] = row
        return rows

    def aligned(self, run: str, metric: str, query_ids: Iterable[str]) -> np.ndarray:
        """(Q,) float64 values of these queries; NaN for a query without one."""
        rows = self._rows.get((run, metric), {})
        return np.array([self.values[rows[query]] if query in rows else math.nan for query in query_ids], np.float64)

    def aligned_labels(self, run: str, metric: str, query_ids: Iterable[str]) -> list[str | None]:
        """(Q,) labels of these queries; None for a query without one."""
        rows = self._rows.get((run, metric), {})
        return [self.labels[rows[query]].as_py() if query in rows else None for query in query_ids]

    def of_run(self, run: str, name: str | None = None) -> FileScores:
        """The scores of one run; with a name, under this name."""
        rows = np.flatnonzero(np.array(self.runs.to_pylist(), object) == run)
        indices = pa.array(rows)
        runs = pa.array([run if name is None else name] * len(rows), pa.string())
        return FileScores(self.queries.take(indices), runs, self.metrics.take(indices), frozen(self.values[rows]),
                          self.labels.take(indices))

    def by_query(self) -> dict[str, dict[str, float | str]]:
        """{query: {metric: number or label}} of the values of one run; missing ones are left out."""
        cells: dict[str, dict[str, float | str]] = {}
        for query, metric, value, label in zip(self.queries.to_pylist(), self.metrics.to_pylist(),
                                               self.values.tolist(), self.labels.to_pylist(), strict=True):
            if label is not None or not math.isnan(value):
                cells.setdefault(query, {})[metric] = value if label is None else label
        return cells

    def with_queries(self, old: pa.StringArray, new: pa.StringArray) -> FileScores:
        """The same scores under other query ids: new (Q,) in place of old (Q,)."""
        names = dict(zip(old.to_pylist(), new.to_pylist(), strict=True))
        queries = [names.get(query, query) for query in self.queries.to_pylist()]
        return replace(self, queries=pa.array(queries, pa.string()))

    def lanes(self) -> np.ndarray:
        """Two sums for a digest of the content: queries, metrics, values and labels; not the names of runs."""
        texts = [hash_text(text_column(column), seed) for seed, column in
                 ((5, self.queries), (6, self.metrics), (7, pa.array(self.labels.to_pylist(), pa.string())
                                                          .fill_null("")))]
        numbers = np.where(np.isnan(self.values), np.inf, self.values + 0.0).view(np.uint64)
        return lanes_of(mix(mix(texts[0], texts[1]), mix(texts[2], numbers)))


def possible_scores(scores: FileScores | None, run: str, problems: Iterable[Problem]) -> dict[str, Any]:
    """The fields of a run: its own scores, those beyond `MOST` missing, and a problem for each metric of these.

    Examples
    --------
    >>> scores = FileScores.build([("q1", "dense", "gain", 1e300), ("q2", "dense", "gain", 2.0)])
    >>> fields = possible_scores(scores, "dense", ())
    >>> fields["file_scores"].by_query(), [problem.field for problem in fields["problems"]]
    ({'q2': {'gain': 2.0}}, ['gain'])
    """
    of_run = scores.of_run(run) if scores else None
    beyond: dict[str, list[int]] = {}
    for row in np.flatnonzero(np.abs(of_run.values) > MOST).tolist() if of_run else ():
        beyond.setdefault(of_run.metrics[row].as_py(), []).append(row)
    if of_run and beyond:
        facts = {metric: {"query": of_run.queries[rows[0]].as_py(), "value": of_run.values[rows[0]], "column": metric,
                          "others": len(rows) - 1, "most": MOST} for metric, rows in beyond.items()}
        problems = (*problems, *(Problem("impossible-amount/metric", known, field=metric, severity="warning")
                                 for metric, known in facts.items()))
        of_run = replace(of_run, values=frozen(np.where(np.abs(of_run.values) > MOST, np.nan, of_run.values)))
    return {"file_scores": of_run or None, "problems": tuple(problems)}
