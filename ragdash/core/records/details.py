"""The details of queries: a table with a row per query, aligned with a record's query ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import hash_text, lanes_of, mix, text_column
from ragdash.core.errors import Problem

STAGES = ("retrieval", "rerank", "generation", "total")
"""The stages of a query whose milliseconds a run may have."""
TOKENS = ("prompt_tokens", "completion_tokens")
MOST = 1e15
"""The most milliseconds, tokens or dollars of a query, 30,000 years; beyond it is a slip, and sums may overflow."""


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
        if not cells.type.num_fields:
            return [{}] * len(cells)
        names = [field.name for field in cells.type]
        members = [_python_values(member) for member in cells.flatten()]
        return [dict(zip(names, values, strict=True)) for values in zip(*members, strict=True)]
    if cells.null_count == len(cells):
        return [None] * len(cells)
    if pa.types.is_floating(cells.type) and not cells.null_count:
        return cells.to_numpy().tolist()
    return cells.to_pylist()


def filled(details: pa.Table | None, name: str) -> int:
    """Of how many queries the details have this: a value that is not an empty list."""
    if details is None or name not in details.column_names:
        return 0
    column = details[name]
    empty = pc.sum(pc.equal(pc.list_value_length(column), 0)).as_py() if pa.types.is_list(column.type) else 0
    return len(column) - column.null_count - (empty or 0)


def amounts(details: pa.Table | None) -> dict[str, pa.Array]:
    """What each query took, by name: (Q,) columns "latency_ms (total)" of each stage, tokens and cost_usd.

    Examples
    --------
    >>> list(amounts(pa.table({"latency_ms": [1.5], "answer": ["Paris"]})))
    ['latency_ms (total)']
    """
    columns = {}
    for name in ("latency_ms", *TOKENS, "cost_usd") if details is not None else ():
        if name in details.column_names:
            column = details[name].combine_chunks()
            if name != "latency_ms":
                columns[name] = column
            elif pa.types.is_struct(column.type):
                columns |= {f"latency_ms ({stage})": pc.struct_field(column, stage) for stage in STAGES
                            if column.type.get_field_index(stage) >= 0}
            else:
                columns["latency_ms (total)"] = column
    return columns


def impossible_amounts(values: np.ndarray) -> np.ndarray:
    """The rows whose amount is negative or beyond `MOST`; NaN is no amount.

    Examples
    --------
    >>> impossible_amounts(np.array([0, -1, np.nan, 1e308])).tolist()
    [1, 3]
    """
    return np.flatnonzero((values < 0) | (values > MOST))


def amount_problems(query_ids: pa.StringArray, details: pa.Table | None, file: str | None) -> Iterator[Problem]:
    """A warning for each column of times, tokens or costs with numbers that none can be; texts are none."""
    for name, column in amounts(details).items():
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            continue
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if len(rows := impossible_amounts(values)):
            facts = {"query": query_ids[int(rows[0])].as_py(), "value": values[rows[0]], "column": name,
                     "others": len(rows) - 1, "most": MOST}
            yield Problem("impossible-amount", facts, file, None, name.partition(" ")[0], "warning")


def conversation_text(history: Iterable[tuple[str, str]]) -> str:
    """What was said before a query as one text, a paragraph for each message. history: (role, text), the oldest first.

    Examples
    --------
    >>> conversation_text([("user", "Who built it?"), ("assistant", "Eiffel.")])
    'user: Who built it?\\n\\nassistant: Eiffel.'
    """
    return "\n\n".join(f"{role}: {text}" if role else text for role, text in history)
