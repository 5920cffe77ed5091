"""Any table in any format that people ask for, and the values of every query, in three shapes: rows, long, wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.evaluation.evaluate import Evaluation
from ragdash.reporting.tables.escaping import table_bytes, table_text


@dataclass(frozen=True)
class FileFormat:
    """A file format: what people call it, the ending of its files, its media type."""

    title: str
    ending: str
    mime: str


TABLES = {
    "csv": FileFormat("CSV", "csv", "text/csv"),
    "xlsx": FileFormat("Excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "parquet": FileFormat("Parquet", "parquet", "application/vnd.apache.parquet"),
    "markdown": FileFormat("Markdown", "md", "text/markdown"),
    "latex": FileFormat("LaTeX", "tex", "application/x-tex"),
}


def export_table(table, form: str) -> bytes:
    """A table (pyarrow.Table or pandas.DataFrame, its index left out) in one of TABLES, texts in UTF-8.

    csv, xlsx and parquet keep full precision and an empty cell for undefined; markdown and latex have three decimals
    and a dash. Whatever a cell holds, no format takes it for a formula, markup or a command. InputError where Excel
    cannot hold it.
    """
    table = table if isinstance(table, pa.Table) else to_arrow(table)
    if form in ("csv", "xlsx", "parquet"):
        return table_bytes(table, form)
    rows = zip(*(map(_display, column.to_pylist()) for column in table.columns), strict=True)
    return table_text([str(name) for name in table.column_names], [list(row) for row in rows], form).encode()


def to_arrow(frame) -> pa.Table:
    """A pandas frame as a table, NaN as null; a column of mixed values becomes text."""
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns[str(name)] = pa.array([None if value is None else str(value) for value in frame[name]], pa.string())
    return pa.table(columns)


def _display(value: object) -> str:
    """A cell as people read it."""
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def row_values(evaluations: Sequence[Evaluation]) -> pa.Table:
    """A row per run and query: run, query_id and a column per metric; undefined values are null."""
    return pa.concat_tables([pa.table({
        "run": pa.repeat(e.name, len(e.query_ids)), "query_id": e.query_ids,
        **{str(spec): pa.array(e.values[:, i], from_pandas=True) for i, spec in enumerate(e.specs)},
    }) for e in evaluations])


def long_values(evaluations: Sequence[Evaluation]) -> pa.Table:
    """A row per run, query and metric: run, query_id, metric, value; undefined values are null."""
    return pa.concat_tables(
        [
            pa.table(
                {
                    "run": pa.repeat(evaluation.name, len(evaluation.query_ids) * len(evaluation.specs)),
                    "query_id": evaluation.query_ids.take(
                        pa.array(np.repeat(np.arange(len(evaluation.query_ids)), len(evaluation.specs)))
                    ),
                    "metric": pa.array([str(spec) for spec in evaluation.specs], pa.string()).take(
                        pa.array(np.tile(np.arange(len(evaluation.specs)), len(evaluation.query_ids)))
                    ),
                    "value": pa.array(np.ascontiguousarray(evaluation.values).ravel(), from_pandas=True),
                }
            )
            for evaluation in evaluations
        ]
    )


def wide_values(evaluations: Sequence[Evaluation]) -> pa.Table:
    """A row per query: query_id and a column "run metric" for each run and metric; undefined values are null.

    The evaluations are of the same queries, as those of one truth are.
    """
    columns = {f"{evaluation.name} {spec}": pa.array(evaluation.values[:, column], from_pandas=True)
               for evaluation in evaluations for column, spec in enumerate(evaluation.specs)}
    return pa.table({"query_id": evaluations[0].query_ids, **columns})
