"""Build one Run per configuration from its rows, and note problems of their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode
from ragdash.core.errors import Collector
from ragdash.core.ranking.rank_notes import note_ranks
from ragdash.core.records import Run
from ragdash.io.assemble.columns_of_scores import attach
from ragdash.io.source.limits import MAX_ID_BYTES
from ragdash.io.source.source import Source


@dataclass
class Rows:
    """The returned documents of one configuration in file order: (N,) columns for Run.build.

    order_source: where `ranks` come from: "rank" (a column), "list" (positions in a list) or "ranked list" (a field of
    its members). query_columns and lines:
    columns about the queries, and the line of each row, while a table is read. file_scores: (query, metric, value or
    label) of the metrics that the file brings along.
    """

    query_ids: pa.Array | pa.ChunkedArray | list[str]
    docs: pa.ChunkedArray | list[str]
    scores: np.ndarray | None = None
    ranks: np.ndarray | None = None
    texts: pa.ChunkedArray | None = None
    sources: pa.ChunkedArray | None = None
    details: pa.Table | None = None
    settings: dict = field(default_factory=dict)
    order_source: str = "rank"
    query_columns: dict = field(default_factory=dict)
    lines: list[int] | None = None
    file_scores: list[tuple[str, str, float | str | None]] = field(default_factory=list)


def build_runs(
    rows_by_config: Mapping[str | None, Rows], source: Source, name: str | None, problems: Collector
) -> list[Run]:
    """One Run per configuration, in file order; raises InputError for noted errors or without rows.

    A run is named by `name`, else by its configuration, else by the file. With a name and several configurations, it
    is "name/configuration".
    """
    problems.raise_errors()
    if not any(len(rows.docs) or rows.details is not None for rows in rows_by_config.values()):
        problems.add("no-rows/returned")
        problems.raise_errors()
    for rows in rows_by_config.values():
        _note_long_ids(rows, problems)
        note_ranks(problems, rows.query_ids, rows.ranks, rows.scores, rows.order_source)
    problems.raise_errors()
    runs = []
    for config, rows in rows_by_config.items():
        run_name = name or config or source.name
        if name and len(rows_by_config) > 1:
            run_name = f"{name}/{config}"
        run = Run.build(run_name, rows.query_ids, rows.docs, rows.scores, rows.ranks, texts=rows.texts,
                        sources=rows.sources, details=rows.details, settings=rows.settings,
                        problems=problems.problems, file=source.file)
        runs.append(run.with_file_scores(attach(rows.file_scores, run.name)) if rows.file_scores else run)
    return runs


def _note_long_ids(rows: Rows, problems: Collector) -> None:
    """Note very long ids: a line without separators, or a text in place of an id."""
    ids, _ = encode(rows.query_ids)
    for name, column in (("query_id", ids), ("doc_id", rows.docs)):
        column = pa.chunked_array([column], pa.string()) if isinstance(column, (list, pa.Array)) else column
        sizes = [pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in column.chunks]
        if max(sizes, default=0) > MAX_ID_BYTES:
            chunk = column.chunks[int(np.argmax(sizes))]
            text = chunk[pc.index(pc.binary_length(chunk), max(sizes)).as_py()].as_py()
            problems.add("long-id", {"size": max(sizes), "start": text[:40], "most": MAX_ID_BYTES}, field=name)
