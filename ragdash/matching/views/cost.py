"""What a metric of speed and cost may look at: milliseconds, tokens and dollars of each query. Letters: Q queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Unavailable
from ragdash.core.records.details import STAGES
from ragdash.matching.views.ranked import Values

COLUMNS = {"latency_ms": "latencies", "prompt_tokens": "prompt tokens", "completion_tokens": "completion tokens",
           "cost_usd": "costs"}


@dataclass(frozen=True, eq=False)
class Timed:
    """What each query took, in the order of the truth's queries; NaN where the run has no value.

    run: its name; present (Q,) bool: the run names the query; stages: milliseconds (Q,) of each stage that the run
    has, "total" among them; prompt, completion: tokens (Q,); cost: dollars (Q,) as the run recorded them.
    """

    run: str
    present: np.ndarray
    stages: Mapping[str, Values]
    prompt: Values
    completion: Values
    cost: Values

    @property
    def queries(self) -> int:
        """Q."""
        return len(self.prompt)

    def latency(self, stage: str = "total") -> Values:
        """Milliseconds of a stage: (Q,). Raises Unavailable where the run has no value of it."""
        if stage not in self.stages:
            facts = {"run": self.run, "stages": list(self.stages), "stage": stage}
            raise Unavailable("no-latency", facts, "latency_ms")
        return self.stages[stage]

    def recorded(self, column: str) -> Values:
        """prompt_tokens, completion_tokens or cost_usd: (Q,). Raises Unavailable where the run has none."""
        values = {"prompt_tokens": self.prompt, "completion_tokens": self.completion, "cost_usd": self.cost}[column]
        if np.isnan(values).all():
            raise Unavailable("no-column", {"run": self.run, "what": COLUMNS[column], "column": column}, column)
        return values


def timed(run: str, details: pa.Table | None, rows: np.ndarray) -> Timed:
    """The view of a run. rows (Q,): the row of details of each query of the truth, -1 for none.

    The total is the run's own value; else, for a query, the sum of the stages where it has all that the run has
    anywhere. Raises Unavailable for a negative number.
    """
    columns = {name: _numbers(run, details, name, rows) for name in ("prompt_tokens", "completion_tokens", "cost_usd")}
    stages = {}
    if details is not None and "latency_ms" in details.column_names:
        column = details["latency_ms"].combine_chunks()
        if pa.types.is_struct(column.type):
            stage_columns = {stage: pc.struct_field(column, stage) for stage in STAGES
                     if column.type.get_field_index(stage) >= 0}
        else:
            stage_columns = {"total": column}
        stages = {
            stage: _column_values(run, f"latency_ms ({stage})", stage_column, rows)
            for stage, stage_column in stage_columns.items()
        }
        stages = {stage: values for stage, values in stages.items() if not np.isnan(values).all()}
    stage_columns = [values for stage, values in stages.items() if stage != "total"]
    if stage_columns:
        total = stages.get("total", np.full(len(rows), np.nan))
        stages["total"] = np.where(np.isnan(total), np.sum(stage_columns, axis=0), total)
    ordered = {stage: stages[stage] for stage in STAGES if stage in stages}
    return Timed(run, rows >= 0, ordered, columns["prompt_tokens"], columns["completion_tokens"], columns["cost_usd"])


def _numbers(run: str, details: pa.Table | None, name: str, rows: np.ndarray) -> Values:
    if details is None or name not in details.column_names:
        return np.full(len(rows), np.nan)
    return _column_values(run, name, details[name].combine_chunks(), rows)


def _column_values(run: str, name: str, column: pa.Array, rows: np.ndarray) -> Values:
    """A column as numbers at these rows, NaN at -1 and where it is null."""
    values = column.cast(pa.float64()).take(pa.array(rows, mask=rows < 0)).to_numpy(zero_copy_only=False)
    if (values < 0).any():
        facts = {"run": run, "value": values[values < 0][0], "column": name}
        raise Unavailable("negative-number", facts, name.partition(" ")[0])
    return values
