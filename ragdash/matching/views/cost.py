"""What a metric of speed and cost may look at: milliseconds, tokens and dollars of each query. Letters: Q queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Unavailable
from ragdash.core.records.details import MOST, STAGES, TOKENS, amounts, impossible_amounts
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

    @property
    def is_search_alone(self) -> bool:
        """Whether nothing but retrieval and re-ranking was timed: the total is their sum, and no time of an answer."""
        parts = [values for stage, values in self.stages.items() if stage != "total"]
        return (bool(parts) and "generation" not in self.stages
                and np.allclose(self.stages["total"], np.sum(parts, axis=0), equal_nan=True))

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
    anywhere. Raises Unavailable for a negative or far too large number.
    """
    columns = {name: _column_values(run, name, column, rows) for name, column in amounts(details).items()}
    prompt, completion, cost = (columns.get(name, np.full(len(rows), np.nan)) for name in (*TOKENS, "cost_usd"))
    stages = {stage: values for stage in STAGES if (values := columns.get(f"latency_ms ({stage})")) is not None
              and not np.isnan(values).all()}
    stage_columns = [values for stage, values in stages.items() if stage != "total"]
    if stage_columns:
        total = stages.get("total", np.full(len(rows), np.nan))
        stages["total"] = np.where(np.isnan(total), np.sum(stage_columns, axis=0), total)
    ordered = {stage: stages[stage] for stage in STAGES if stage in stages}
    return Timed(run, rows >= 0, ordered, prompt, completion, cost)


def _column_values(run: str, name: str, column: pa.Array, rows: np.ndarray) -> Values:
    """A column as numbers at these rows, NaN at -1 and where it is null."""
    values = column.cast(pa.float64(), safe=False).take(pa.array(rows, mask=rows < 0)).to_numpy(zero_copy_only=False)
    if len(wrong := impossible_amounts(values)):
        facts = {"run": run, "value": values[wrong[0]], "column": name, "most": MOST}
        raise Unavailable("impossible-amount", facts, name.partition(" ")[0])
    return values
