"""How much the mean of a metric could rise at most if the queries of a stage were mended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.evaluation import Evaluation
from ragdash.metrics import Spec


@dataclass(frozen=True)
class Gain:
    """stage: its name; n: its queries; defined: those of them with a value of the metric; at_most: by how much the
    mean would move towards better, 0 or more; NaN where n > 0 and no query has a value.
    """

    stage: str
    n: int
    defined: int
    at_most: float


@dataclass(frozen=True, eq=False)
class Best:
    """What is needed for the best possible value of each query."""

    queries: int


def gains(stage: np.ndarray, query_ids: pa.StringArray, best: Best, evaluation: Evaluation,
          spec: Spec | str) -> tuple[Gain, ...]:
    """A Gain for each stage but "fine"."""
    raise NotImplementedError
