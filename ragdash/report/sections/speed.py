"""How long the runs took and what they used, where their files say so."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.report.blocks import Grid, Section, Words
from ragdash.report.content import Content
from ragdash.report.sections import cells
from ragdash.wording import words

SHARES = (50, 90, 99)
USED = {"prompt_tokens": "Prompt tokens", "completion_tokens": "Completion tokens", "cost_usd": "Cost in $"}


def speed(content: Content, title: str) -> Section:
    """Latency by stage (mean, P50, P90, P99) and what was used per query, over the queries that count."""
    rows, used = [], []
    for name, slot, match in zip(content.names, content.slots, content.request.matches, strict=True):
        table = match.run.details
        if table is None:
            continue
        keep = pa.array(np.isin(match.truth_query, np.flatnonzero(content.inside)))
        for stage, values in _stages(table.filter(keep)):
            found = [values.mean(), *np.percentile(values, SHARES)]
            rows.append([cells.run(name, slot), stage, *(f"{value:,.1f}" for value in found), f"{len(values):,}"])
        sums = _used(table.filter(keep))
        if sums:
            used.append([cells.run(name, slot), *(f"{words.number(mean, 4 if 'cost' in key else 1)} (n = {n:,})"
                                                  if n else "–" for key, (mean, n) in sums.items())])
    if not (rows or used):
        return Section("speed", title, missing="No run says how long its queries took or what they cost "
                       "(latency_ms, usage, cost_usd).")
    blocks = [Grid("Milliseconds by stage", ["Run", "Stage", "Mean", *(f"P{share}" for share in SHARES), "n"], rows,
                   frozenset(range(2, 7)))] if rows else []
    blocks += [Grid("Mean per query", ["Run", *USED.values()], used, frozenset({1, 2, 3}))] if used else []
    return Section("speed", title, [*blocks, Words("As the files of the runs say, over the queries that have a value.",
                                                   quiet=True)])


def _stages(table: pa.Table) -> list[tuple[str, np.ndarray]]:
    """(stage, milliseconds where known) of latency_ms, a number or a struct of stages."""
    if "latency_ms" not in table.column_names:
        return []
    column = table["latency_ms"].combine_chunks()
    parts = [("total", column)]
    if pa.types.is_struct(column.type):
        parts = [(field.name, pc.struct_field(column, [field.name])) for field in column.type]
    found = [(name, _numbers(part)) for name, part in parts]
    return [(name, values) for name, values in found if len(values)]


def _used(table: pa.Table) -> dict[str, tuple[float, int]]:
    """{field: (mean, n)} of tokens and cost; empty where none is known."""
    found = {}
    for name in USED:
        values = _numbers(table[name].combine_chunks()) if name in table.column_names else np.empty(0)
        found[name] = (float(values.mean()) if len(values) else np.nan, len(values))
    return found if any(n for _, n in found.values()) else {}


def _numbers(column) -> np.ndarray:
    """The finite numbers of a column; none where it holds something else."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return np.empty(0)
    values = column.drop_null().to_numpy(zero_copy_only=False).astype(float)
    return values[np.isfinite(values)]
