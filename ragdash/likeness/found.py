"""What one run alone found, and how good the best run of each query would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.evaluation import Evaluation
from ragdash.matching import Match
from ragdash.metrics import Spec


@dataclass(frozen=True, eq=False)
class OnlyFound:
    """What run `name` alone found within k: queries (X,) int64 ascending, docs (X,) text, ranks (X,), grades (X,)."""

    name: str
    k: int
    queries: np.ndarray
    docs: pa.StringArray
    ranks: np.ndarray
    grades: np.ndarray

    def mask(self, count: int) -> np.ndarray:
        """Whether each of count queries holds such a document: (Q,) bool."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Oracle:
    """The best run of each query. names (N,); best (Q,) int64: the first of the best, -1 where not all have a value;
    tied (Q,) bool: several are best; values (Q,): the best value, NaN where best is -1; wins (N,): queries where a run
    alone is best.
    mean, low, high: of values over n queries; left_out: queries that only some runs have a value for.
    single: index of the run with the best mean over these queries; single_mean; gain, gain_low, gain_high: how much
    better (>= 0) the oracle is than it, in the metric's direction.
    """

    spec: Spec
    names: tuple[str, ...]
    best: np.ndarray
    tied: np.ndarray
    values: np.ndarray
    wins: np.ndarray
    mean: float
    low: float
    high: float
    n: int
    left_out: int
    single: int
    single_mean: float
    gain: float
    gain_low: float
    gain_high: float


def only_found(matches: Sequence[Match], k: int, *, rel: int = 1) -> tuple[OnlyFound, ...]:
    """For each run the relevant documents within its first k ranks that no other run has within its own."""
    raise NotImplementedError


def oracle(evaluations: Sequence[Evaluation], spec: Spec, *, level: float = 0.95) -> Oracle:
    """The oracle that takes the best run for each query, and its gain over the best single run."""
    raise NotImplementedError
