"""Any table in any format that people ask for, and the values of every query, in three shapes: rows, long, wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import read_spec
from ragdash.reporting.tables.escaping import escape_latex, note_text, table_bytes, table_text

SMALLEST_SHOWN, MOST_WITH_DECIMALS = 0.0005, 1000.0  # what three decimals would show as 0, or make hard to read


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


def export_table(table, form: str, note: str = "") -> bytes:
    """A table (pyarrow.Table or pandas.DataFrame, its index left out) in one of TABLES, texts in UTF-8.

    csv, xlsx and parquet keep full precision and an empty cell for undefined. markdown and latex are for people: three
    decimals, a dash, and the titles of metrics for their names. Whatever a cell holds, no format takes it for a
    formula, markup or a command. InputError where Excel cannot hold it. note: a remark below a table for people; a
    comment in latex, with its commands, as a caption needs them.
    """
    table = table if isinstance(table, pa.Table) else to_arrow(table)
    if form in ("csv", "xlsx", "parquet"):
        return table_bytes(table, form)
    columns = [[_title(value) if name == "metric" else _display(value) for value in column.to_pylist()]
               for name, column in zip(table.column_names, table.columns, strict=True)]
    text = table_text([_title(name) for name in table.column_names], list(map(list, zip(*columns, strict=True))), form)
    note = escape_latex(note) if form == "latex" else note
    return (text + (note_text(note, form) if note else "")).encode()


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
    if not isinstance(value, float):
        return str(value)
    is_tiny = 0 < abs(value) < SMALLEST_SHOWN
    return f"{value:.2g}" if is_tiny else f"{value:.0f}" if abs(value) >= MOST_WITH_DECIMALS else f"{value:.3f}"


def _title(name: str) -> str:
    """The title of a metric for its canonical spelling; any other text as it is."""
    spec = read_spec(name)
    return spec.title if spec is not None and str(spec) == name else name


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
