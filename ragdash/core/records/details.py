"""The details of queries: a table with a row per query, aligned with a record's query ids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, lanes_of, mix, text_column

STAGES = ("retrieval", "rerank", "generation", "total")
"""The stages of a query whose milliseconds a run may have."""
TOKENS = ("prompt_tokens", "completion_tokens")


def align_details(names: pa.StringArray, details: pa.Table | None) -> tuple[pa.StringArray, pa.Table | None]:
    """Query ids of the rows, then those only details name; details with a row for each of them, in that order."""
    if details is None:
        return names, None
    ids = details["query_id"].combine_chunks().cast(pa.string())
    extra = ids.filter(pc.invert(pc.is_in(ids, value_set=names)))
    names = pa.concat_arrays([names, extra.combine_chunks() if isinstance(extra, pa.ChunkedArray) else extra])
    details = details.drop_columns(["query_id"]).take(pc.index_in(names, value_set=ids))
    return names, details.combine_chunks() if details.num_columns else None


def details_digest(query_ids: pa.StringArray, details: pa.Table | None) -> np.ndarray:
    """Two sums over queries and the cells of their details; cells that are null count as absent."""
    hashes = hash_text(text_column(query_ids), seed=3)
    lanes = lanes_of(hashes)
    for i, name in enumerate(details.column_names if details is not None else ()):
        column = details.column(i)
        present = np.flatnonzero(column.is_valid().to_numpy())
        given = column.take(pa.array(present))
        cells = pa.array([orjson.dumps(value, default=str) for value in _python_values(given)], pa.binary())
        seed = int(hash_text(text_column([name]))[0] >> np.uint64(32))
        lanes = lanes + lanes_of(mix(hashes[present], hash_text(text_column(cells.cast(pa.string())), seed=seed)))
    return lanes


def _python_values(cells: pa.ChunkedArray) -> list:
    """The cells as Python values. Arrow makes an object of each cell before; a column of numbers needs none."""
    if pa.types.is_struct(cells.type):
        names = [field.name for field in cells.type]
        members = [_python_values(member) for member in cells.flatten()]
        return [dict(zip(names, values, strict=True)) for values in zip(*members, strict=True)]
    if cells.null_count == len(cells):
        return [None] * len(cells)
    if pa.types.is_floating(cells.type) and not cells.null_count:
        return cells.to_numpy().tolist()
    return cells.to_pylist()


def conversation_text(history: Iterable[tuple[str, str]]) -> str:
    """What was said before a query as one text, a paragraph for each message. history: (role, text), the oldest first.

    Examples
    --------
    >>> conversation_text([("user", "Who built it?"), ("assistant", "Eiffel.")])
    'user: Who built it?\\n\\nassistant: Eiffel.'
    """
    return "\n\n".join(f"{role}: {text}" if role else text for role, text in history)
